// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/explanation.hpp"

#include <algorithm>

#include <dpcurves/catalogue/catalogue.hpp>

#include "support/setting.hpp"

namespace dpcurves::tools {
namespace {

std::string name_of(Considered::Verdict verdict) {
  switch (verdict) {
    case Considered::Verdict::chosen:
      return "chosen";
    case Considered::Verdict::applies:
      return "applies";
    case Considered::Verdict::unsaid:
      return "rests on what nobody has said";
    case Considered::Verdict::not_a_guarantee:
      return "not a guarantee";
    case Considered::Verdict::no_answer:
      return "no answer in time";
    case Considered::Verdict::ruled_out:
      return "ruled out";
  }
  return "";
}

std::vector<Considered> in_order(std::vector<Considered> considered) {
  std::stable_sort(considered.begin(), considered.end(),
                   [](const Considered& a, const Considered& b) { return a.verdict < b.verdict; });
  return considered;
}

std::string claim_of(const Considered& one) {
  const auto* entry = catalogue::find(one.theorem);
  return entry == nullptr ? "" : entry->statement;
}

}  // namespace

std::string explanation_text(const std::vector<Considered>& considered) {
  constexpr std::size_t indent = 16;
  constexpr std::size_t width = 116 - indent;
  std::string text = std::to_string(considered.size()) +
                     (considered.size() == 1 ? " theorem was considered:\n" : " theorems were considered:\n");
  const auto line = [&](const std::string& label, const std::string& words) {
    if (!words.empty()) {
      text += "    " + label + std::string(indent - 4 - label.size(), ' ') + wrapped(words, indent, width) + "\n";
    }
  };
  std::vector<std::string> told;  // assumptions are said once
  for (const Considered& one : in_order(considered)) {
    const bool chosen = one.verdict == Considered::Verdict::chosen;
    text += (chosen ? "* " : "  ") + one.theorem + ": " + name_of(one.verdict) +
            (one.outcome.empty() ? "" : ", " + one.outcome) + "\n";
    line("is", one.title);
    line("claims", chosen ? claim_of(one) : "");
    if (one.verdict != Considered::Verdict::ruled_out) {
      for (const auto& assumption : one.assumed) {
        if (std::find(told.begin(), told.end(), assumption) == told.end()) {
          line(chosen ? "assumes" : "also assumes", assumption);
          told.push_back(assumption);
        }
      }
    }
    for (const auto& violation : one.violations) {
      line("needs", violation.assumption);
      line("but here", violation.found);
      line("change to", violation.remedy);
    }
  }
  return text;
}

Json violations_json(const std::vector<Violation>& violations) {
  Json list = Json::array();
  for (const auto& violation : violations) {
    list.push_back({{"assumption", violation.assumption},
                    {"found", violation.found},
                    {"remedy", violation.remedy.empty() ? Json(nullptr) : Json(violation.remedy)}});
  }
  return list;
}

Json explanation_json(const std::vector<Considered>& considered) {
  Json list = Json::array();
  for (const Considered& one : in_order(considered)) {
    const std::string claim = claim_of(one);
    list.push_back({{"theorem", one.theorem},
                    {"title", one.title},
                    {"verdict", name_of(one.verdict)},
                    {"outcome", one.outcome.empty() ? Json(nullptr) : Json(one.outcome)},
                    {"claim", claim.empty() ? Json(nullptr) : Json(claim)},
                    {"assumed", one.assumed},
                    {"violations", violations_json(one.violations)}});
  }
  return list;
}

}  // namespace dpcurves::tools
