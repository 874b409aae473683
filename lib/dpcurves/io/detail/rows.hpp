// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Texts in named columns: CSV whose cells are not all numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::io {

/// Rows of cells below a line of names.
class Rows {
 public:
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  ///< of the columns
  [[nodiscard]] std::size_t size() const { return rows_.size(); }                 ///< rows
  /// The text of a cell, without blanks around it unless it was quoted.
  [[nodiscard]] const std::string& cell(std::size_t row, std::size_t column) const { return rows_[row].cells[column]; }
  /// The line on which a row starts; the first line of a text is 1.
  [[nodiscard]] std::size_t line(std::size_t row) const { return rows_[row].line; }

 private:
  friend Rows parse_rows(std::string_view text, std::string_view source);
  struct Row {
    std::size_t line;
    std::vector<std::string> cells;
  };
  std::vector<std::string> names_;
  std::vector<Row> rows_;
};

/// Reads comma-separated text with a line of names; cells may be quoted as RFC 4180 says, blank lines are skipped.
/// \param source  what messages call the text.
/// \throws UsageError  "source, line 3: ..." for a row of another length than the names, a name given twice or empty, a
///                     quote that is not closed, or more than most_columns or longest_cell of io/detail/csv.hpp.
/// Cost: linear in the text.
[[nodiscard]] Rows parse_rows(std::string_view text, std::string_view source);

}  // namespace dpcurves::io
