// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/setting.hpp"

#include <map>
#include <sstream>

namespace dpcurves::tools {

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      lines += " ";
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

std::string setting_text(const accounting::Guarantee& guarantee) {
  constexpr std::size_t indent = 11;
  std::string text;
  for (const auto& [name, words] : guarantee.setting) {
    const std::string head = name + ":";
    // A non-breaking head keeps its blanks: words are wrapped behind it.
    const std::string body = wrapped(words, indent, 116 - indent);
    text += head + std::string(indent > head.size() ? indent - head.size() : 1, ' ') + body + "\n";
  }
  return text;
}

Json setting_json(const accounting::Guarantee& guarantee) {
  if (guarantee.setting.empty()) {
    return nullptr;
  }
  Json json = Json::object();
  for (const auto& [name, words] : guarantee.setting) {
    json[name] = words;
  }
  return json;
}

std::string lacking_text(const accounting::Guarantee& guarantee) {
  const bool unsaid = guarantee.violations.empty();
  const auto& missing = unsaid ? guarantee.unsaid : guarantee.violations;
  return missing.empty() ? ""
                         : "\n  " + guarantee.theorem + " needs " + describe(missing) +
                               (unsaid ? "; say it by --convex" : "");
}

std::string not_starred_text(const std::vector<accounting::Guarantee>& guarantees) {
  std::map<std::string, std::vector<std::string>> unlocked;  // theorems by what would make them count
  for (const auto& guarantee : guarantees) {
    for (const auto& one : guarantee.applies() ? guarantee.unsaid : std::vector<Violation>{}) {
      unlocked[one.assumption + ", which nobody has said; say it by --convex, or give " + one.remedy].push_back(
          guarantee.theorem);
    }
  }
  std::string text;
  for (const auto& [words, theorems] : unlocked) {
    std::string names;
    for (const auto& theorem : theorems) {
      names += (names.empty() ? "" : ", ") + theorem;
    }
    text += wrapped("not starred: " + names + (theorems.size() == 1 ? " needs " : " need ") + words, 2) + "\n";
  }
  return text;
}

}  // namespace dpcurves::tools
