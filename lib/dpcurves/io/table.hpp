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

/// Cells of a terminal line: what is printed keeps to it.
constexpr std::size_t line_width = 80;

/// The words of a text in lines of at most `width` cells; a word that is longer is cut. Blanks before the first word
/// stay, and later lines have as many more as `indent` says. At least one line, possibly empty.
[[nodiscard]] std::vector<std::string> broken(std::string_view text, std::size_t width, std::size_t indent = 0);

/// Every line of a text that is wider than a terminal broken: behind the blanks that it starts with and two more.
[[nodiscard]] std::string broken_lines(const std::string& text, std::size_t width = line_width);

/// On which side of its column a cell stands.
enum class Align { left, right };

/// Rows of cells under a line of names, columns two blanks apart.
class TextTable {
 public:
  /// \param alignment  one per column; columns without one are aligned right, as numbers are.
  explicit TextTable(std::vector<std::string> names, std::vector<Align> alignment = {});

  /// \param colours  escape codes before the cells, "" for none; empty: none at all.
  /// \throws DomainError  unless the row has as many cells as there are names.
  void add(std::vector<std::string> row, std::vector<std::string> colours = {});

  /// Names, a rule, the rows; each line ends with a line feed and has no blanks before it.
  ///
  /// A table that is wider than `width` first breaks the words of its left columns. Where that is not enough, the last
  /// columns stand below their row if its first column is text, and below the table if that is a number: under their
  /// names, behind as many of the first columns as tell the rows apart.
  [[nodiscard]] std::string text(std::size_t width = line_width) const;

 private:
  struct Shape;
  [[nodiscard]] Shape shape(std::vector<std::size_t> columns, std::size_t width) const;
  [[nodiscard]] std::string lines(const Shape& shape, std::size_t row) const;
  [[nodiscard]] std::string folded(const Shape& shape, std::size_t row, std::size_t width) const;
  [[nodiscard]] std::size_t keys_of(std::size_t least, std::size_t width) const;
  [[nodiscard]] std::string block(const Shape& shape, std::size_t width) const;

  std::vector<std::vector<std::string>> rows_;     // the names first
  std::vector<std::vector<std::string>> colours_;  // of the rows
  std::vector<Align> alignment_;
};

}  // namespace dpcurves::io
