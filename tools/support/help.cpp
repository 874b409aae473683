// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/help.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <dpcurves/io/table.hpp>

namespace dpcurves::tools {
namespace {

using io::display_width;
using io::line_width;

/// A text behind so many blanks.
std::string in_column(std::string_view text, std::size_t column) {
  std::string all;
  for (const std::string& line : io::broken(text, line_width - column)) {
    all += (all.empty() ? "" : "\n" + std::string(column, ' ')) + line;
  }
  return all;
}

/// The words of a command; what stands in quotes is one, and an option has its values with it.
std::vector<std::string> arguments_of(std::string_view line) {
  std::vector<std::string> list;
  std::string word;
  bool quoted = false;
  const auto take = [&] {
    if (!word.empty()) {
      const bool value = !list.empty() && list.back().starts_with("--") && !word.starts_with("--");
      value ? list.back() += " " + word : list.emplace_back(word);
    }
    word.clear();
  };
  for (const char letter : line) {
    quoted = quoted != (letter == '"');
    if (letter == ' ' && !quoted) {
      take();
    } else {
      word += letter;
    }
  }
  take();
  return list;
}

std::string command(std::string_view line, std::size_t margin) {
  constexpr std::size_t further = 4, mark = 2;  // and what stands before the backslash
  std::string all(margin, ' ');
  std::size_t column = margin;
  bool first = true;
  for (const std::string& word : arguments_of(line)) {
    if (!first && column + 1 + display_width(word) + mark > line_width) {
      all += " \\\n" + std::string(margin + further, ' ');
      column = margin + further;
      first = true;
    }
    all += (first ? "" : " ") + word;
    column += (first ? 0 : 1) + display_width(word);
    first = false;
  }
  return all;
}

/// "  --sampling poisson|fixed-size|...": the name of an option with its choices.
std::string choices(std::string_view line) {
  constexpr std::size_t margin = 6;
  std::string all;
  std::size_t column = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size() - 1) + 1;
    const std::string_view part = line.substr(0, end);
    if (column > margin && column + display_width(part) > line_width) {
      all += "\n" + std::string(margin, ' ');
      column = margin;
    }
    all += part;
    column += display_width(part);
    line.remove_prefix(end);
  }
  return all;
}

std::string broken_line(std::string_view line) {
  const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view words = line.substr(margin);
  if (words.starts_with("dpcurves ")) {
    return command(words, margin);
  }
  if (margin == help_column) {
    return std::string(margin, ' ') + in_column(words, margin);
  }
  if (margin == 2 && line.substr(0, help_column).ends_with(' ')) {
    return std::string(line.substr(0, help_column)) + in_column(line.substr(help_column), help_column);
  }
  return margin == 2 && words.find('|') != std::string_view::npos ? choices(line)
                                                                  : std::string(margin, ' ') + in_column(words, margin);
}

}  // namespace

std::string help_lines(const std::string& help) {
  std::string all;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string_view line = std::string_view(help).substr(at, end - at);
    all += display_width(line) <= line_width ? std::string(line) : broken_line(line);
    all += end < help.size() ? "\n" : "";
    at = end + 1;
  }
  return all;
}

}  // namespace dpcurves::tools
