// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Aligned tables of text for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::io {

/// How many terminal cells a UTF-8 text takes: combining marks take none, wide East Asian characters two. A byte
/// that is not UTF-8 counts as one.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// On which side of its column a cell stands.
enum class Align { left, right };

/// Rows of cells under a line of names, columns two blanks apart.
class TextTable {
 public:
  /// \param alignment  one per column; columns without one are aligned right, as numbers are.
  explicit TextTable(std::vector<std::string> names, std::vector<Align> alignment = {});

  /// \throws DomainError  unless the row has as many cells as there are names.
  void add(std::vector<std::string> row);

  /// Names, a rule, the rows; each line ends with a line feed and has no blanks before it.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<Align> alignment_;
};

}  // namespace dpcurves::io
