// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/table.hpp>

namespace dpcurves::io {
namespace {

/// Takes one code point off the front; a byte that starts none is returned as itself.
std::uint32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead >> 5U == 6 ? 2 : lead >> 4U == 14 ? 3 : lead >> 3U == 30 ? 4 : 1;
  std::uint32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || (static_cast<unsigned char>(text[i]) >> 6U) != 2) {
      text.remove_prefix(1);
      return lead;
    }
    point = (point << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length);
  return point;
}

struct Range {
  std::uint32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, std::uint32_t point) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [point](const Range& r) { return r.first <= point && point <= r.last; });
}

std::size_t width_of(std::uint32_t point) {
  constexpr std::array<Range, 6> combining{
      {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  constexpr std::array<Range, 8> wide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF}}};
  return within(combining, point) ? 0 : within(wide, point) ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    width += width_of(take_code_point(text));
  }
  return width;
}

std::vector<std::string> broken(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  const std::string margin(std::min(start + indent, width / 2), ' ');
  std::vector<std::string> lines{std::string(std::min(start, width / 2), ' ')};
  std::size_t column = lines.front().size();
  bool bare = true;  // the line has no word yet
  for (std::size_t at = start; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = std::min(text.find_first_not_of(' ', end), text.size());
    const std::string_view gap = text.substr(end, at - end);  // blanks that align something stay
    std::size_t wide = display_width(word);
    if (!bare && column + wide > width) {
      lines.back().erase(lines.back().find_last_not_of(' ') + 1);
      lines.push_back(margin);
      column = margin.size();
    }
    while (column + wide > width) {  // no blank to break at
      std::size_t taken = 0;
      std::string_view rest = word;
      while (column + taken < width) {
        taken += width_of(take_code_point(rest));
      }
      lines.back() += word.substr(0, word.size() - rest.size());
      word = rest;
      wide = display_width(word);
      if (word.empty()) {  // its last letter is wider than the line
        break;
      }
      lines.push_back(margin);
      column = margin.size();
    }
    lines.back() += word;
    column += wide;
    bare = false;
    lines.back() += gap;
    column += gap.size();
  }
  lines.back().erase(lines.back().find_last_not_of(' ') + 1);
  return lines;
}

std::string broken_lines(const std::string& text, std::size_t width) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (display_width(line) <= width) {
      all += line;
    } else {
      const auto parts = broken(line, width, 2);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        all += (i > 0 ? "\n" : "") + parts[i];
      }
    }
    all += end < text.size() ? "\n" : "";
    at = end + 1;
  }
  return all;
}

/// Which columns stand side by side, how wide, and which below them.
struct TextTable::Shape {
  std::vector<std::size_t> columns, widths, below;

  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 2 * (columns.empty() ? 0 : columns.size() - 1);
    for (const std::size_t width : widths) {
      sum += width;
    }
    return sum;
  }
};

TextTable::TextTable(std::vector<std::string> names, std::vector<Align> alignment)
    : rows_{std::move(names)}, colours_(1), alignment_(std::move(alignment)) {
  alignment_.resize(rows_.front().size(), Align::right);
}

void TextTable::add(std::vector<std::string> row, std::vector<std::string> colours) {
  if (row.size() != rows_.front().size()) {
    throw DomainError("a table row of " + std::to_string(row.size()) + " cells under " +
                      std::to_string(rows_.front().size()) + " names");
  }
  rows_.push_back(std::move(row));
  colours_.push_back(std::move(colours));
}

/// The columns at the widths of their cells, or, as far as they are text, at smaller ones that fit if there are any.
TextTable::Shape TextTable::shape(std::vector<std::size_t> columns, std::size_t width) const {
  constexpr std::size_t least = 24;  // of broken text: below it is hard to read
  Shape shape{std::move(columns), {}, {}};
  std::vector<std::size_t> narrowest;
  for (const std::size_t j : shape.columns) {
    std::size_t widest = 0, longest_word = 0;
    for (const auto& row : rows_) {
      widest = std::max(widest, display_width(row[j]));
      for (std::size_t at = 0; at < row[j].size();) {
        const std::size_t end =
            std::min(row[j].find(' ', std::min(row[j].find_first_not_of(' ', at), row[j].size())), row[j].size());
        longest_word = std::max(longest_word, display_width(std::string_view(row[j]).substr(at, end - at)));
        at = end + 1;
      }
    }
    shape.widths.push_back(widest);
    narrowest.push_back(alignment_[j] == Align::left ? std::min(widest, std::max(longest_word, least)) : widest);
  }
  Shape fitting = shape;
  while (fitting.total() > width) {
    std::size_t most = 0, at = 0;
    for (std::size_t i = 0; i < narrowest.size(); ++i) {
      if (fitting.widths[i] - narrowest[i] > most) {
        most = fitting.widths[i] - narrowest[i];
        at = i;
      }
    }
    if (most == 0) {
      return shape;
    }
    --fitting.widths[at];
  }
  return fitting;
}

std::string TextTable::lines(const Shape& shape, std::size_t row) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    cells.push_back(broken(rows_[row][shape.columns[i]], std::max<std::size_t>(shape.widths[i], 1), 2));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t k = 0; k < height; ++k) {
    std::string line;
    std::size_t column = 0, written = 0;  // where the cell starts, where the line ends
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = k < cells[i].size() ? cells[i][k] : "";
      const std::size_t width = display_width(cell);
      const std::size_t from = alignment_[shape.columns[i]] == Align::right ? column + shape.widths[i] - width : column;
      const auto& colours = colours_[row];
      const std::string colour = colours.empty() || width == 0 ? "" : colours[shape.columns[i]];
      if (width > 0) {
        line += std::string(from - written, ' ') + colour + cell + (colour.empty() ? "" : "\033[0m");
        written = from + width;
      }
      column += shape.widths[i] + 2;
    }
    text += line + '\n';
  }
  return text;
}

/// The columns below a row: the words of one, names and values of several.
std::string TextTable::folded(const Shape& shape, std::size_t row, std::size_t width) const {
  constexpr const char* margin = "     ";
  std::string text;
  for (const std::size_t j : shape.below) {
    const std::string& cell = rows_[row][j];
    if (shape.below.size() == 1) {
      text = cell;
    } else if (row > 0 && !cell.empty() && cell != "-") {
      text += (text.empty() ? "" : ", ") + rows_.front()[j] + " " + cell;
    }
  }
  std::string all;
  if (text.find_first_not_of(' ') != std::string::npos) {
    for (const auto& line : broken(margin + text, width, 2)) {
      all += line + '\n';
    }
  }
  return all;
}

std::string TextTable::block(const Shape& shape, std::size_t width) const {
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    text += lines(shape, i) + folded(shape, i, width);
    if (i == 0) {
      for (std::size_t k = 0; k < std::max<std::size_t>(shape.total(), 1); ++k) {
        text += "─";
      }
      text += '\n';
    }
  }
  return text;
}

/// How many of the first columns tell the rows apart, if they leave half of the width; else as many as are given.
std::size_t TextTable::keys_of(std::size_t least, std::size_t width) const {
  for (std::size_t keys = least; keys + 1 < rows_.front().size(); ++keys) {
    std::vector<std::size_t> columns(keys);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    if (shape(std::move(columns), width).total() > width / 2) {
      break;
    }
    std::set<std::vector<std::string>> seen;
    const auto is_new = [&](const auto& row) {
      return seen.emplace(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(keys)).second;
    };
    if (std::all_of(rows_.begin(), rows_.end(), is_new)) {
      return keys;
    }
  }
  return least;
}

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> columns(rows_.front().size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::size_t keys = rows_.front().front().empty() && columns.size() > 1 ? 2 : 1;  // marks have no name
  if (Shape all = shape(columns, width); all.total() <= width || columns.size() <= keys) {
    return block(all, width);
  }
  if (alignment_[keys - 1] == Align::left) {
    for (std::size_t kept = columns.size() - 1;; --kept) {
      const auto end = columns.begin() + static_cast<std::ptrdiff_t>(kept);
      Shape row = shape({columns.begin(), end}, width);
      if (row.total() <= width || kept == keys) {
        row.below.assign(end, columns.end());
        return block(row, width);
      }
    }
  }
  keys = keys_of(keys, width);
  std::string text;
  for (std::size_t next = keys; next < columns.size();) {
    std::vector<std::size_t> part(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(keys));
    do {
      part.push_back(columns[next++]);
      if (next == columns.size()) {
        break;
      }
      auto more = part;
      more.push_back(columns[next]);
      if (shape(std::move(more), width).total() > width) {
        break;
      }
    } while (true);
    text += (text.empty() ? "" : "\n") + block(shape(std::move(part), width), width);
  }
  return text;
}

}  // namespace dpcurves::io
