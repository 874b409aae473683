// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Subcommands that read one table of options each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/common.hpp"

namespace dpcurves::tools {

/// A subcommand that has subcommands of its own and needs one of them.
CLI::App& branch(CLI::App& parent, const std::string& name, const std::string& summary, const std::string& footer);

/// Declares --size of a command that has --plot.
void declare_size(CLI::App& command, std::string& size);

/// One of them.
struct Leaf {
  std::string name;
  std::string summary;
  std::string footer;  ///< with an example
  std::vector<Option> table;
  std::string formats = "text|json|csv";
  std::function<int(const std::vector<Option>&, const Common&, const RawOptions&)> run{};
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
    std::string size;  ///< of --size; empty: not given
    CLI::App* app = nullptr;
  };
  // The parser keeps pointers into what is declared: it must neither move nor end before the action.
  std::vector<std::shared_ptr<Declared>> declared_;
};

}  // namespace dpcurves::tools
