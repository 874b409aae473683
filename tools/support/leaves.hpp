// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Subcommands that read one table of options each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

/// Does what a command was asked for; returns the exit code.
using Action = std::function<int(const Destination&)>;

/// All of them, of all commands. A leaf declares its options when it is typed: thousands of options take longer than
/// most answers.
class Leaves {
 public:
  void add(CLI::App& parent, Leaf leaf);
  /// A command that declares its options itself.
  void add(const CLI::App& command, Action action);
  /// The options of leaves that were not typed too, for who lists them.
  void declare_all() const;
  /// Runs the one that was typed.
  [[nodiscard]] int run(const Destination& to) const;

 private:
  struct Declared {
    Leaf leaf;
    Common common{};
    RawOptions raw{};
    std::vector<std::string> words{};
    PictureOptions picture{};
    CLI::App* app = nullptr;
    bool complete = false;

    void declare_options();
    [[nodiscard]] int run(const Destination& to);
  };
  // The parser keeps pointers into what is declared: it must neither move nor end before the action.
  std::vector<std::unique_ptr<Declared>> declared_;
  std::vector<std::pair<const CLI::App*, Action>> own_;
};

}  // namespace dpcurves::tools
