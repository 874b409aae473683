// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/labels.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include <dpcurves/io/plot.hpp>

#include "validation/report/formula_tokens.hpp"

namespace dpcurves::validation {
namespace {

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

constexpr std::pair<char, const char*> raised[] = {
    {'0', "⁰"}, {'1', "¹"}, {'2', "²"}, {'3', "³"}, {'4', "⁴"}, {'5', "⁵"}, {'6', "⁶"}, {'7', "⁷"}, {'8', "⁸"},
    {'9', "⁹"}, {'+', "⁺"}, {'-', "⁻"}, {'(', "⁽"}, {')', "⁾"}, {'k', "ᵏ"}, {'m', "ᵐ"}, {'s', "ˢ"}, {'t', "ᵗ"}};

/// The exponent that starts at a place, raised, and its length; empty where it has no raised signs.
std::pair<std::string, std::size_t> exponent_at(std::string_view text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::size_t length = 1;
  if (text.starts_with('(')) {
    length = text.find(')') + 1;
  }
  while (digit(0) && digit(length)) {
    ++length;
  }
  const bool goes_on = length < text.size() && (letter(text[length]) || (text[length] == '.' && digit(length + 1)));
  std::string result;
  for (const char c : text.substr(0, goes_on ? 0 : length)) {
    const auto* sign =
        std::find_if(std::begin(raised), std::end(raised), [&](const auto& one) { return one.first == c; });
    if (sign == std::end(raised)) {
      return {};
    }
    result += sign->second;
  }
  return {result, length};
}

/// The length of the script that starts at a place: a group in brackets, a number or a name; 0 where there is none.
std::size_t script_length(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  if (text.front() == '{' || text.front() == '(') {
    const char open = text.front(), close = open == '{' ? '}' : ')';
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == open ? 1 : text[i] == close ? -1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return 0;
  }
  const auto inside = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
           (text[i] == '.' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0);
  };
  const std::size_t start = text.front() == '-' ? 1 : 0;
  std::size_t i = start;
  while (i < text.size() && inside(i)) {
    ++i;
  }
  return i == start ? 0 : i;
}

}  // namespace

std::string label_html(const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> relations[] = {{"<=", "≤"}, {">=", "≥"}, {"+-", "±"}};
  std::string html, word;
  const auto flush = [&](std::string_view rest) {
    const char next = rest.empty() ? '\0' : rest.front();
    const bool prose = rest.starts_with(" product") || rest.starts_with(" power");
    html += word == "sqrt" && (next == '(' || next == ' ') ? "√"
            : word == "tensor" && next == ' ' && !prose    ? "⊗"
                                                           : report::greek_letter(word).value_or(word);
    const bool name = !word.empty() && (word.size() <= 2 || report::greek_letter(word));
    word.clear();
    return name;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (letter(text[i])) {
      word += text[i];
      continue;
    }
    const bool named = flush(std::string_view(text).substr(i));
    const std::size_t length =
        text[i] == '^' || (text[i] == '_' && named) ? script_length(std::string_view(text).substr(i + 1)) : 0;
    const auto* relation = std::find_if(std::begin(relations), std::end(relations), [&](const auto& one) {
      return std::string_view(text).substr(i, one.first.size()) == one.first;
    });
    if (length > 0) {
      const bool group = text[i + 1] == '{' || text[i + 1] == '(';
      const std::string element = text[i] == '^' ? "sup" : "sub";
      html += "<" + element + ">" + label_html(text.substr(i + (group ? 2 : 1), length - (group ? 2 : 0))) + "</" +
              element + ">";
      i += length;
    } else if (relation != std::end(relations)) {
      html += relation->second;
      i += relation->first.size() - 1;
    } else {
      html += io::escaped_html(std::string(1, text[i]));
    }
  }
  flush({});
  return html;
}

std::string with_letters(const std::string& text) {
  std::string result, word;
  const auto flush = [&](char next) {
    result += word == "sqrt" && (next == '(' || next == ' ') ? "√" : report::greek_letter(word).value_or(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (letter(text[i])) {
      word += text[i];
      continue;
    }
    flush(text[i]);
    const auto [exponent, length] =
        text[i] == '^' ? exponent_at(std::string_view(text).substr(i + 1)) : std::pair<std::string, std::size_t>{};
    result += exponent.empty() ? std::string(1, text[i]) : exponent;
    i += exponent.empty() ? 0 : length;
  }
  flush('\0');
  return result;
}

}  // namespace dpcurves::validation
