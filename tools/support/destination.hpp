// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Where the answer of a command goes: standard output, or whoever runs it within the program.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dpcurves::tools {

/// Who runs a command. A command that is run within the program has no standard input.
struct Destination {
  std::string* text = nullptr;    ///< takes the answer; null: standard output
  std::function<bool()> go_on{};  ///< asked while work is counted, from any thread; false ends the command with Error

  /// Whether another part of the program runs the command.
  [[nodiscard]] bool within() const { return text != nullptr; }
  /// Prints to standard output, or adds to the text. A closed pipe ends the program by SIGPIPE without a word.
  /// \throws DataError for a full disk.
  void print(std::string_view words) const;
};

}  // namespace dpcurves::tools
