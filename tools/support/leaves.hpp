// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Subcommands that read one table of options each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/io/detail/picture_size.hpp>

#include "support/common.hpp"

namespace dpcurves::tools {

/// A subcommand that has subcommands of its own and needs one of them.
CLI::App& branch(CLI::App& parent, const std::string& name, const std::string& summary, const std::string& footer);

/// How the picture of --plot looks, as it was typed; empty: as usual.
struct PictureOptions {
  std::string size;
  std::string title;
};

/// Declares --size and --title of a command that has --plot.
void declare_picture(CLI::App& command, PictureOptions& options);

/// While it lives, pictures look as the options say.
class PictureScope {
 public:
  explicit PictureScope(const PictureOptions& options);

 private:
  std::optional<io::PictureSize> size_;
  std::optional<io::PictureTitle> title_;
};

/// A word without dashes that a subcommand takes.
struct Argument {
  std::string name;  ///< "FILE"
  std::string help;
  std::size_t least = 1, most = 1;  ///< words
};

/// What was typed.
struct Typed {
  const std::vector<Option>& table;
  const Common& common;
  const RawOptions& raw;
  const std::vector<std::string>& words;  ///< of the argument

  /// The options, those of --config among them. \throws UsageError
  [[nodiscard]] Values values() const { return read_options(table, raw, common.config); }
};

/// One of them.
struct Leaf {
  std::string name;
  std::string summary;
  std::string footer{};  ///< with an example
  std::vector<Option> table{};
  std::string formats = "text|json|csv";
  std::function<int(const Typed&)> run{};
  std::optional<Argument> argument{};
};

/// A set of leaves, below one or several parents; the action runs the one that was typed.
class Leaves {
 public:
  void add(CLI::App& parent, Leaf leaf);
  [[nodiscard]] Action action() const;

 private:
  struct Declared {
    Leaf leaf;
    Common common;
    RawOptions raw;
    std::vector<std::string> words;
    PictureOptions picture;
    CLI::App* app = nullptr;
  };
  // The parser keeps pointers into what is declared: it must neither move nor end before the action.
  std::vector<std::shared_ptr<Declared>> declared_;
};

}  // namespace dpcurves::tools
