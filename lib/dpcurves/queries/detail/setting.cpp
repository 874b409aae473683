// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/io/table.hpp>
#include <dpcurves/queries/detail/setting.hpp>

namespace dpcurves::queries {

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines;
  for (const auto& line : io::broken(text, width, indent)) {
    lines += (lines.empty() ? "" : "\n") + line;
  }
  return lines;
}

std::string setting_text(const accounting::Guarantee& guarantee) {
  constexpr std::size_t indent = 11;
  std::string text;
  for (const auto& [name, words] : guarantee.setting) {
    const std::string head = name + ":";
    text += wrapped(head + std::string(indent > head.size() ? indent - head.size() : 1, ' ') + words, indent) + "\n";
  }
  return text;
}

Value setting_value(const accounting::Guarantee& guarantee) {
  Record record;
  for (const auto& [name, words] : guarantee.setting) {
    record.add(name, {words});
  }
  return record.entries().empty() ? Value{} : Value{std::move(record)};
}

std::string lacking_text(const accounting::Guarantee& guarantee) {
  const bool unsaid = guarantee.violations.empty();
  const auto& missing = unsaid ? guarantee.unsaid : guarantee.violations;
  return missing.empty()
             ? ""
             : "\n  " + guarantee.theorem + " needs " + describe(missing) + (unsaid ? "; say it by --convex" : "");
}

std::string assumed_text(const accounting::Guarantee& guarantee) {
  std::string text;
  for (const auto& assumption : guarantee.assumed) {
    text += wrapped("assumed: " + assumption, 2) + "\n";
  }
  return text;
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
    text +=
        wrapped("not starred: " + joined(theorems) + (theorems.size() == 1 ? " needs " : " need ") + words, 2) + "\n";
  }
  return text;
}

}  // namespace dpcurves::queries
