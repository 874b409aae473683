// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>

namespace dpcurves::io {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string quoted(const std::string& name) {
  const bool marked =  // as a file would be
      name.starts_with(byte_order_mark) || name.starts_with("\xFF\xFE") || name.starts_with("\xFE\xFF");
  const bool plain = name.find_first_of(",\"\r\n") == std::string::npos && trimmed(name) == name && !marked;
  if (plain) {
    return name;
  }
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') {
      text += c;
    }
  }
  return text + "\"";
}

/// Walks through a text cell by cell and knows the line.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {
    refuse_utf16(text, source);
    if (text_.starts_with(byte_order_mark)) {
      text_.remove_prefix(byte_order_mark.size());
    }
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw UsageError(source_ + ", line " + std::to_string(line_) + ": " + reason);
  }

  /// The cells of the next line that is not blank; empty at the end of the text.
  std::vector<std::string> row() {
    for (;;) {
      skip_blanks();
      if (text_.empty()) {
        return {};
      }
      ++line_;
      std::vector<std::string> cells;
      bool more = true;
      while (more) {
        if (cells.size() == most_columns) {
          fail("more than " + std::to_string(most_columns) + " columns");
        }
        cells.push_back(cell(more));
      }
      if (cells.size() > 1 || !cells.front().empty()) {
        return cells;
      }
    }
  }

 private:
  void skip_blanks() {
    std::size_t end = 0;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '\n') {
        ++line_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        break;
      }
    }
    text_.remove_prefix(end);
  }

  std::string cell(bool& more) {
    std::string value;
    const auto start = text_.find_first_not_of(" \t");
    if (start != std::string_view::npos && text_[start] == '"') {
      text_.remove_prefix(start + 1);
      value = quoted_part();
    }
    const auto end = std::min(text_.find_first_of(",\n"), text_.size());
    const std::string_view rest = trimmed(text_.substr(0, end));
    if (rest.size() + value.size() > longest_cell) {
      fail("a cell of more than " + std::to_string(longest_cell) + " bytes");
    }
    if (!value.empty() && !rest.empty()) {
      fail("text after a closing quote");
    }
    value += rest;
    if (value.find('\0') != std::string::npos) {
      fail("a zero byte");
    }
    more = end < text_.size() && text_[end] == ',';
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return value;
  }

  std::string quoted_part() {
    std::string value;
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c != '"') {
        value += c;
        if (value.size() > longest_cell) {
          fail("a cell of more than " + std::to_string(longest_cell) + " bytes, or a quote that is not closed");
        }
      } else if (!text_.empty() && text_.front() == '"') {
        value += '"';
        text_.remove_prefix(1);
      } else {
        return value;
      }
    }
    fail("a quote is not closed");
  }

  std::string_view text_;
  std::string source_;
  std::size_t line_ = 0;
};

double number(const std::string& cell, std::size_t column, NonFinite non_finite, const Reader& reader) {
  const auto where = [column] { return "column " + std::to_string(column + 1) + ": "; };
  double value = 0.0;
  const char* first = cell.data() + (cell.starts_with('+') ? 1 : 0);
  const char* last = cell.data() + cell.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) {
    reader.fail(where() + "'" + cell + "' is outside the range of double");
  }
  if (error != std::errc{} || end != last) {
    reader.fail(where() + "'" + cell.substr(0, 40) + "' is not a number");
  }
  if (non_finite == NonFinite::rejected && !std::isfinite(value)) {
    reader.fail(where() + "'" + cell + "' is not finite");
  }
  return value;
}

}  // namespace

Columns::Columns(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (const Column& column : columns_) {
    if (column.values.size() != rows()) {
      throw DomainError("column '" + column.name + "' has " + std::to_string(column.values.size()) +
                        " values, column '" + columns_.front().name + "' has " + std::to_string(rows()));
    }
  }
}

const std::vector<double>& Columns::operator[](std::string_view name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [name](const Column& c) { return c.name == name; });
  if (found == columns_.end()) {
    std::string names;
    for (const Column& column : columns_) {
      names += names.empty() ? "" : ", ";
      names += column.name;
    }
    throw UsageError("no column '" + std::string(name) + "' among: " + names);
  }
  return found->values;
}

std::string to_csv(const Columns& columns) {
  std::string text;
  const auto& all = columns.all();
  for (std::size_t j = 0; j < all.size(); ++j) {
    text += j == 0 ? "" : ",";
    text += quoted(all[j].name);
  }
  text += '\n';
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      text += j == 0 ? "" : ",";
      text += shortest(all[j].values[i]);
    }
    text += '\n';
  }
  return text;
}

Columns parse_csv(std::string_view text, std::string_view source, Header header, NonFinite non_finite) {
  Reader reader(text, source);
  std::vector<std::string> cells = reader.row();
  if (cells.empty()) {
    throw UsageError(std::string(source) + ": no line of numbers or names");
  }
  if (header == Header::optional) {
    double unused = 0.0;
    const bool numbers = std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) {
      return std::from_chars(cell.data(), cell.data() + cell.size(), unused).ec == std::errc{};
    });
    header = numbers ? Header::absent : Header::present;
  }
  std::vector<Column> columns(cells.size());
  std::set<std::string_view> names;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    columns[j].name = header == Header::present ? cells[j] : std::to_string(j + 1);
    if (!names.insert(columns[j].name).second) {
      reader.fail("two columns are called '" + cells[j] + "'");
    }
  }
  if (header == Header::present) {
    cells = reader.row();
  }
  for (; !cells.empty(); cells = reader.row()) {
    if (cells.size() != columns.size()) {
      reader.fail(std::to_string(cells.size()) + " cells, expected " + std::to_string(columns.size()));
    }
    for (std::size_t j = 0; j < cells.size(); ++j) {
      columns[j].values.push_back(number(cells[j], j, non_finite, reader));
    }
  }
  return Columns(std::move(columns));
}

Columns read_csv(const std::string& path, Header header, NonFinite non_finite) {
  return parse_csv(read_file(path, largest_csv), path, header, non_finite);
}

}  // namespace dpcurves::io
