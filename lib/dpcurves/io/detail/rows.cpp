// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/rows.hpp>

namespace dpcurves::io {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Names are there, once each, and apart.
template <class Fail>
void check_names(std::vector<std::string> names, const Fail& fail) {
  if (names.size() == 1 && names.front().find_first_of(";\t") != std::string::npos) {
    fail("one name, \"" + names.front() + "\": columns are separated by commas");
  }
  std::sort(names.begin(), names.end());
  if (names.front().empty()) {
    fail("a column without a name");
  }
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    fail("the name " + *twice + " stands there twice");
  }
}

}  // namespace

Rows parse_rows(std::string_view text, std::string_view source) {
  Rows rows;
  std::size_t line = 1;
  const auto fail = [&](std::size_t where, const std::string& what) {
    throw UsageError(std::string(source) + ", line " + std::to_string(where) + ": " + what);
  };
  refuse_utf16(text, source);
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  bool named = false;
  for (std::size_t at = 0; at < text.size();) {
    Rows::Row row{line, {}};
    bool plain = true;
    for (bool more = true; more;) {  // a row
      std::string cell;
      const std::size_t start = std::min(text.find_first_not_of(" \t", at), text.size());
      const bool quoted = start < text.size() && text[start] == '"';
      if (quoted) {
        plain = false;
        for (at = start + 1;; ++at) {
          if (at >= text.size() || cell.size() > longest_cell) {
            fail(row.line, "a quote that is not closed");
          }
          if (text[at] == '"' && at + 1 < text.size() && text[at + 1] == '"') {
            cell += text[++at];
          } else if (text[at] == '"') {
            break;
          } else {
            line += text[at] == '\n' ? std::size_t{1} : 0;
            cell += text[at];
          }
        }
        at = std::min(text.find_first_not_of(" \t", at + 1), text.size());
        if (at < text.size() && text[at] != ',' && text[at] != '\n' && text[at] != '\r') {
          fail(line, "text behind a quote");
        }
      } else {
        const std::size_t end = std::min(text.find_first_of(",\n\r", at), text.size());
        cell = trimmed(std::string(text.substr(at, end - at)));
        at = end;
      }
      if (cell.size() > longest_cell || row.cells.size() >= most_columns) {
        fail(line, "a cell or a row that is too long");
      }
      row.cells.push_back(std::move(cell));
      more = at < text.size() && text[at] == ',';
      at += more ? std::size_t{1} : 0;
    }
    if (at < text.size() && text[at] == '\r') {
      ++at;
    }
    if (at < text.size() && text[at] == '\n') {
      ++at;
    }
    ++line;
    if (plain && row.cells.size() == 1 && row.cells.front().empty()) {
      continue;
    }
    if (!named && plain && row.cells.front().starts_with('#')) {
      continue;  // a comment: no column has such a name
    }
    if (!named) {
      named = true;
      rows.names_ = std::move(row.cells);
      check_names(rows.names_, [&](const std::string& what) { fail(row.line, what); });
    } else if (row.cells.size() != rows.names_.size()) {
      fail(row.line,
           std::to_string(row.cells.size()) + " cells under " + std::to_string(rows.names_.size()) + " names");
    } else {
      rows.rows_.push_back(std::move(row));
    }
  }
  if (!named) {
    fail(1, "no line of names");
  }
  return rows;
}

}  // namespace dpcurves::io
