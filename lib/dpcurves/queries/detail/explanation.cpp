// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/queries/detail/explanation.hpp>
#include <dpcurves/queries/detail/setting.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
namespace {

std::string name_of(Considered::Standing standing) {
  switch (standing) {
    case Considered::Standing::chosen:
      return "chosen";
    case Considered::Standing::applies:
      return "applies";
    case Considered::Standing::unsaid:
      return "rests on what nobody has said";
    case Considered::Standing::not_a_guarantee:
      return "not a guarantee";
    case Considered::Standing::no_answer:
      return "no answer";
    case Considered::Standing::ruled_out:
      return "ruled out";
  }
  return "";
}

std::vector<Considered> in_order(std::vector<Considered> considered) {
  std::stable_sort(considered.begin(), considered.end(),
                   [](const Considered& a, const Considered& b) { return a.standing < b.standing; });
  return considered;
}

std::string claim_of(const Considered& one) {
  const auto* entry = catalogue::find(one.theorem);
  return entry == nullptr ? "" : entry->statement;
}

Value text_or_nothing(const std::string& text) { return text.empty() ? Value{} : Value{text}; }

}  // namespace

std::string explanation_text(const std::vector<Considered>& considered) {
  constexpr std::size_t indent = 16;
  std::string text = std::to_string(considered.size()) +
                     (considered.size() == 1 ? " theorem was considered:\n" : " theorems were considered:\n");
  const auto line = [&](const std::string& label, const std::string& words) {
    if (!words.empty()) {
      const std::string blanks(std::max<std::size_t>(1, indent - 4 - label.size()), ' ');
      text += wrapped("    " + label + blanks + words, indent - 4) + "\n";
    }
  };
  std::vector<std::string> told;  // assumptions are said once
  for (const Considered& one : in_order(considered)) {
    const bool chosen = one.standing == Considered::Standing::chosen;
    text += (chosen ? "* " : "  ") + one.theorem + ": " + name_of(one.standing) +
            (one.outcome.empty() ? "" : ", " + one.outcome) + "\n";
    line("is", one.title);
    line("claims", chosen ? claim_of(one) : "");
    if (one.standing != Considered::Standing::ruled_out) {
      for (const auto& assumption : one.verdict.assumed) {
        if (std::find(told.begin(), told.end(), assumption) == told.end()) {
          line(chosen ? "assumes" : "also assumes", assumption);
          told.push_back(assumption);
        }
      }
    }
    for (const auto& violation : one.verdict.violations) {
      line("needs", violation.assumption);
      line("but here", violation.found);
      line("change to", violation.remedy);
    }
  }
  return text;
}

List violations_list(const std::vector<Violation>& violations) {
  List list;
  for (const auto& violation : violations) {
    list.push_back({Record{{"assumption", {violation.assumption}},
                           {"found", {violation.found}},
                           {"remedy", text_or_nothing(violation.remedy)}}});
  }
  return list;
}

List explanation(const std::vector<Considered>& considered) {
  List list;
  for (const Considered& one : in_order(considered)) {
    list.push_back({Record{{"theorem", {one.theorem}},
                           {"title", {one.title}},
                           {"verdict", {name_of(one.standing)}},
                           {"outcome", text_or_nothing(one.outcome)},
                           {"claim", text_or_nothing(claim_of(one))},
                           {"assumed", texts(one.verdict.assumed)},
                           {"violations", {violations_list(one.verdict.violations)}}}});
  }
  return list;
}

}  // namespace dpcurves::queries
