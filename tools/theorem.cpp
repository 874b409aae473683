// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves theorem: the catalogue.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/io/table.hpp>

#include "commands.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

using catalogue::Entry;

Json maybe(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string header_of(const Entry& entry) { return entry.topic.empty() ? "" : "dpcurves/" + entry.topic + ".hpp"; }
std::string page_of(const Entry& entry) { return entry.page.empty() ? "" : "docs/theory/" + entry.page + ".md"; }

Json to_json(const Entry& entry) {
  return {{"id", entry.id},
          {"kind", entry.kind},
          {"title", entry.title},
          {"paper", entry.paper},
          {"status", entry.status},
          {"calculators", entry.calculators},
          {"validation", maybe(entry.validation)},
          {"reason", maybe(entry.reason)},
          {"header", maybe(header_of(entry))},
          {"page", maybe(page_of(entry))}};
}

/// Formulas as a line of text: X_{k+1} is X_(k+1), A_{corr} is A_corr, e^{-F} is e^(-F).
std::string in_one_line(const std::string& formula) {
  std::string text;
  std::vector<bool> grouped;  // of the braces that are open: whether they group an index or an exponent
  std::vector<bool> kept;     // of those: whether they become brackets
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    if (c == '{') {
      const bool group = i > 0 && (formula[i - 1] == '^' || formula[i - 1] == '_');
      const std::size_t end = std::min(formula.find_first_of("{}", i + 1), formula.size());
      const bool one_word = formula.compare(end, 1, "}") == 0 &&
                            std::all_of(formula.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                        formula.begin() + static_cast<std::ptrdiff_t>(end),
                                        [](unsigned char letter) { return std::isalnum(letter) != 0; });
      grouped.push_back(group);
      kept.push_back(!group || !one_word);
      text += !group ? "{" : one_word ? "" : "(";
    } else if (c == '}' && !grouped.empty()) {
      text += !grouped.back() ? "}" : kept.back() ? ")" : "";
      grouped.pop_back();
      kept.pop_back();
    } else {
      text += c;
    }
  }
  return text;
}

int print_list(const Common& common, const std::vector<const Entry*>& chosen) {
  if (common.parsed_format() == Format::json) {
    Json json = Json::array();
    for (const Entry* entry : chosen) {
      json.push_back(to_json(*entry));
    }
    emit(common, pretty(json));
    return 0;
  }
  const std::vector<io::Align> left(4, io::Align::left);
  io::TextTable table({"id", "status", "validated", "title"}, left);
  for (const Entry* entry : chosen) {
    table.add({entry->id, entry->status, entry->validation.empty() ? "-" : "yes", entry->title});
  }
  emit(common, table.text());
  return 0;
}

int search(const Common& common, const std::vector<std::string>& words) {
  const auto found = catalogue::search(words);
  if (found.empty() && common.parsed_format() != Format::json) {
    throw UsageError("WORDS: no theorem speaks of \"" + joined(words, " ") + "\"; fewer words find more");
  }
  return print_list(common, found);
}

int list(const Common& common, const std::string& name) {
  const std::string paper = catalogue::paper_of(name);
  std::vector<const Entry*> chosen;
  const std::vector<std::string> papers = catalogue::papers();
  for (const Entry& entry : catalogue::entries()) {
    if (paper.empty() || entry.paper == paper) {
      chosen.push_back(&entry);
    }
  }
  if (chosen.empty()) {
    std::vector<std::string> keys = papers;
    keys.emplace_back("bok2024");
    throw UsageError("--paper: \"" + paper + "\" is not one of " + joined(papers) + suggestion(paper, keys));
  }
  return print_list(common, chosen);
}

int show_theorem(const Common& common, const std::string& id) {
  const Entry* entry = catalogue::find(id);
  if (const auto short_ones = catalogue::matching(id); entry == nullptr && !short_ones.empty()) {
    if (short_ones.size() > 1) {
      std::string all;
      for (const Entry* one : short_ones) {
        all += "\n  " + one->id + ": " + one->title;
      }
      throw UsageError("ID: \"" + id + "\" may be" + all);
    }
    entry = short_ones.front();
  }
  if (entry == nullptr) {
    std::vector<std::string> ids, numbers;
    for (const Entry& known : catalogue::entries()) {
      ids.push_back(known.id);
      numbers.push_back(known.id.substr(known.id.rfind('-') + 1));
    }
    const std::string near = suggestion(id, ids);
    throw UsageError("ID: there is no \"" + id + "\"" + (near.empty() ? suggestion(id, numbers) : near) +
                     "; `dpcurves theorem list` prints all");
  }
  if (common.parsed_format() == Format::json) {
    Json json = to_json(*entry);
    json["statement"] = maybe(entry->statement);
    json["assumptions"] = entry->assumptions;
    emit(common, pretty(json));
    return 0;
  }
  std::string text = entry->id + ": " + entry->title + " (" + entry->kind + ", " + entry->status + ")\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) {
      text += name + value + "\n";
    }
  };
  line("\n", in_one_line(entry->statement));
  for (const auto& assumption : entry->assumptions) {
    line("  needs  ", in_one_line(assumption));
  }
  text += "\n";
  for (const auto& calculator : entry->calculators) {
    line("calculator  dpcurves eval ", calculator);
  }
  line("header      ", header_of(*entry));
  line("page        ", page_of(*entry));
  line("validation  dpcurves validate ", entry->validation);
  line("note        ", in_one_line(entry->reason));
  emit(common, io::broken_lines(text));
  return 0;
}

}  // namespace

void add_theorem(CLI::App& app, Leaves& leaves) {
  CLI::App& command = branch(app, "theorem", "the catalogue: every numbered item of the papers",
                             "Examples:\n"
                             "  dpcurves theorem list --paper shifted-interpolation\n"
                             "  dpcurves theorem show 4.9\n"
                             "  dpcurves theorem search amplification shuffled");
  leaves.add(command,
             {.name = "list",
              .summary = "one line per entry",
              .footer = "Example:\n  dpcurves theorem list --paper shifted-interpolation",
              .table = {{"paper", OptionKind::text, "", "only this paper, for example shifted-interpolation"}},
              .formats = "text|json",
              .run = [](const Typed& typed) { return list(typed.common, typed.values().text_or("paper", "")); }});
  leaves.add(
      command,
      {.name = "show",
       .summary = "one entry: statement, calculator, header, page, validation case",
       .footer = "Example:\n  dpcurves theorem show shifted-interpolation/theorem-4.2",
       .formats = "text|json",
       .run = [](const Typed& typed) { return (void)typed.values(), show_theorem(typed.common, typed.words.front()); },
       .argument =
           Argument{"ID", "for example shifted-interpolation/theorem-4.2, or 4.2 where only one paper has it"}});
  leaves.add(command,
             {.name = "search",
              .summary = "the entries that hold all of some words",
              .footer = "Example:\n  dpcurves theorem search amplification shuffled",
              .formats = "text|json",
              .run = [](const Typed& typed) { return (void)typed.values(), search(typed.common, typed.words); },
              .argument = Argument{"WORDS", "for example: last iterate convex", 1, 1000}});
}

}  // namespace dpcurves::tools
