// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Numbers in named columns, as comma-separated text.
///
/// Numbers are written in the shortest form that reads back as the same double. Names that hold a comma, a quote or
/// a line break, or start or end with a blank, are quoted as RFC 4180 says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dpcurves::io {

/// One named column.
struct Column {
  std::string name;            ///< as in the line of names
  std::vector<double> values;  ///< shape (rows)
};

/// Columns of one common length.
class Columns {
 public:
  Columns() = default;
  /// \throws DomainError  unless all columns have the same length.
  explicit Columns(std::vector<Column> columns);

  /// The columns in their order.
  [[nodiscard]] const std::vector<Column>& all() const { return columns_; }
  /// 0 where there is no column.
  [[nodiscard]] std::size_t rows() const { return columns_.empty() ? 0 : columns_.front().values.size(); }
  /// \throws UsageError  that lists the names there are, if `name` is not among them.
  [[nodiscard]] const std::vector<double>& operator[](std::string_view name) const;

 private:
  std::vector<Column> columns_;
};

/// A line of names, then a line per row; each ends with a line feed.
[[nodiscard]] std::string to_csv(const Columns& columns);

/// Whether the first line holds names. Without them the columns are called "1", "2", ... optional: it holds names if
/// none of its cells is a number.
enum class Header { present, absent, optional };

/// Whether inf, -inf and nan are accepted as numbers.
enum class NonFinite { rejected, allowed };

/// How many columns a table may have to be read.
constexpr std::size_t most_columns = std::size_t{1} << 20U;

/// How many bytes a cell may have to be read: a longer one is most often a quote that is not closed.
constexpr std::size_t longest_cell = 4096;

/// How many bytes a file may have to be read as a table: 512 MiB.
constexpr std::size_t largest_csv = std::size_t{1} << 29U;

/// Reads what to_csv writes. Blank lines and blanks around a number are skipped, lines may end in CR LF.
/// \param source  what messages call the text, for example its file name.
/// \throws UsageError  "source, line 3: ..." for a cell that is no number (or out of the range of double), a row of
///                     another length than the first line, a name given twice, a text without a line, or more than
///                     most_columns or longest_cell; as refuse_utf16 of io/detail/file.hpp.
///
/// Cost: linear in the text, about 50 ns a number.
[[nodiscard]] Columns parse_csv(std::string_view text, std::string_view source, Header header = Header::present,
                                NonFinite non_finite = NonFinite::rejected);

/// parse_csv of a file of at most largest_csv bytes. \throws DataError  where it cannot be read.
[[nodiscard]] Columns read_csv(const std::string& path, Header header = Header::present,
                               NonFinite non_finite = NonFinite::rejected);

}  // namespace dpcurves::io
