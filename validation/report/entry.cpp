// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/entry.hpp"

#include <algorithm>
#include <cctype>

#include <dpcurves/core/format.hpp>
#include <dpcurves/io/plot.hpp>

#include "validation/report/figures.hpp"
#include "validation/report/formula.hpp"
#include "validation/report/strips.hpp"

namespace dpcurves::validation::report {
namespace {

using io::escaped_html;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// What the search looks through.
std::string searched(const Row& row) {
  const catalogue::Entry& entry = row.entry;
  std::string text = entry.id + " " + entry.title + " " + entry.statement + " " + entry.status + " " + entry.reason +
                     " " + title_of(entry.paper) + " " + authors_of(entry.paper);
  for (const auto& calculator : entry.calculators) {
    text += " " + calculator;
  }
  if (row.record != nullptr) {
    text += " " + row.record->what->claim + " " + row.record->what->experiment + " " + row.record->what->control;
  }
  return lower_case(text);
}

std::string pill(Status status) { return "<span class=\"pill " + key_of(status) + "\">" + name_of(status) + "</span>"; }

std::string code(const std::string& text) { return "<code>" + escaped_html(text) + "</code>"; }

std::string copied(const std::string& command) {
  return "<span class=\"command\">" + code(command) +
         "<button type=\"button\" class=\"copy\" aria-label=\"Copy the command\">copy</button></span>";
}

std::string fact(const std::string& name, const std::string& html) {
  return html.empty() ? "" : "<dt>" + name + "</dt><dd>" + html + "</dd>";
}

std::string lines_html(const std::string& title, const Trial& trial) {
  if (trial.all().empty()) {
    return "";
  }
  std::string html = "<details class=\"lines\"><summary>" + title + ": " + std::to_string(trial.comparisons()) +
                     (trial.comparisons() == 1 ? " comparison, " : " comparisons, ") +
                     std::to_string(trial.failures()) + " broken</summary><pre>";
  constexpr std::size_t most = 300;  // nightly runs compare thousands of times
  std::size_t shown = 0, left_out = 0;
  for (const bool broken : {true, false}) {  // those first that matter most
    for (const auto& comparison : trial.all()) {
      if (comparison.holds == broken) {
        continue;
      }
      if (shown == most) {
        ++left_out;
        continue;
      }
      html += escaped_html(comparison.line()) + "\n";
      ++shown;
    }
  }
  if (left_out > 0) {
    html += "... and " + std::to_string(left_out) + " more\n";
  }
  return html + "</pre></details>";
}

std::string verdict_html(const Row& row) {
  const Record& record = *row.record;
  const bool expected_wrong = record.what->expected == Verdict::refuted;
  std::string html = pill(row.status) + " ";
  if (!record.error.empty()) {
    return html + "The case ended with an error: " + escaped_html(record.error);
  }
  if (record.verdict != record.what->expected) {
    return html + "The experiment says “" + to_string(record.verdict) + "”; expected was “" +
           to_string(record.what->expected) + "”.";
  }
  const std::string found = std::to_string(record.outcome.claim.comparisons());
  if (expected_wrong) {
    return html + "The printed form is known to be false, and " + std::to_string(record.outcome.claim.failures()) +
           " of " + found + (record.outcome.claim.comparisons() == 1 ? " comparison" : " comparisons") +
           " refute it, as expected; see docs/errata.md.";
  }
  if (row.status == Status::refuted) {
    return html + "The printed form is false (docs/errata.md); its corrected form passes all " + found +
           " comparisons.";
  }
  return html + (record.outcome.claim.comparisons() == 1 ? "Its comparison comes out as claimed."
                                                         : "All " + found + " comparisons come out as claimed.");
}

std::string control_html(const Record& record) {
  return std::string("<span class=\"pill ") + (record.control_refuted ? "good\">refuted" : "failed\">not refuted") +
         "</span> " + typeset(record.what->control);
}

std::string assumptions_html(const catalogue::Entry& entry) {
  if (entry.assumptions.empty()) {
    return "";
  }
  std::string html = "<ul class=\"assumptions\">";
  for (const auto& assumption : entry.assumptions) {
    html += "<li>" + typeset(assumption) + "</li>";
  }
  return html + "</ul>";
}

std::string pictures_html(const std::vector<Figure>& figures, const std::vector<std::string>& pictures) {
  std::string html;
  for (std::size_t k = 0; k < pictures.size(); ++k) {
    html += "<figure class=\"picture\"><div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"picture\">" +
            inline_svg(pictures[k], figures[k].title) + "</div></figure>";
  }
  return html;
}

std::string where_html(const catalogue::Entry& entry) {
  std::string html;
  for (const auto& calculator : entry.calculators) {
    html += (html.empty() ? "" : "<br>") + code("dpcurves eval " + calculator);
  }
  return fact("Calculators", html) +
         fact("Header", entry.topic.empty() ? "" : code("dpcurves/" + entry.topic + ".hpp")) +
         fact("Page", entry.page.empty() ? "" : code("docs/theory/" + entry.page + ".md"));
}

/// The statement; where the catalogue has none, the claim of the case, else only the title.
std::string statement_html(const Row& row) {
  const std::string claim = row.record == nullptr ? "" : row.record->what->claim;
  const std::string& statement = row.entry.statement.empty() ? claim : row.entry.statement;
  return statement.empty() ? "" : "<p class=\"statement\">" + typeset(statement) + "</p>";
}

}  // namespace

std::string command_of(const std::string& id, const Setting& setting) {
  return "dpcurves validate " + id + " --profile " + (setting.nightly ? "nightly" : "ci") + " --seed " +
         std::to_string(setting.seed);
}

std::string entry_html(const Row& row, const Setting& setting, const std::vector<Figure>& figures,
                       const std::vector<std::string>& pictures) {
  const catalogue::Entry& entry = row.entry;
  const std::string id = escaped_html(entry.id);
  const std::string name = escaped_html(entry.id.substr(entry.id.find('/') + 1));
  std::string html = "<details class=\"entry\" id=\"" + id + "\" data-paper=\"" + escaped_html(entry.paper) +
                     "\" data-verdict=\"" + key_of(row.status) + "\" data-kind=\"" + escaped_html(entry.kind) +
                     "\" data-text=\"" + escaped_html(searched(row)) + "\">\n<summary><span class=\"name\">" + name +
                     "</span><span class=\"title\">" + typeset(entry.title) + "</span>" + pill(row.status) +
                     "</summary>\n<div class=\"body\">\n" + statement_html(row) + "\n";
  std::string facts;
  if (row.record == nullptr) {
    facts += fact(row.status == Status::not_run ? "Not run" : "Why",
                  row.status == Status::not_run ? "Its case was not part of this run." : typeset(entry.reason));
    facts += row.status == Status::not_run ? fact("Run it", copied(command_of(entry.validation, setting))) : "";
    facts += fact("Needs", assumptions_html(entry));
  } else {
    const Record& record = *row.record;
    html += "<dl>" + fact("Verdict", verdict_html(row)) + fact("Control", control_html(record)) + "</dl>\n" +
            pictures_html(figures, pictures) + strips(record.outcome) + "\n";
    const bool repeated = entry.statement.empty() || entry.statement == record.what->claim;
    facts += fact("Claim tested", repeated ? "" : typeset(record.what->claim));
    facts += fact("Experiment", typeset(record.what->experiment));
    facts += fact("Needs", assumptions_html(entry));
    facts += fact("Note", typeset(entry.reason));
    facts += fact("Seed", std::to_string(setting.seed) + " · " + rounded(record.seconds, 2) + " s · " +
                              std::to_string(record.outcome.claim.intervals() + record.outcome.control.intervals()) +
                              " exact intervals");
    facts += fact("Repeat it", copied(command_of(record.what->id, setting)));
  }
  facts += where_html(entry);
  facts += fact("Link", "<a href=\"#" + id + "\">#" + id + "</a>");
  html += "<dl>" + facts + "</dl>\n";
  if (row.record != nullptr) {
    html += lines_html("Claim", row.record->outcome.claim) + lines_html("Control", row.record->outcome.control);
  }
  return html + "</div></details>\n";
}

}  // namespace dpcurves::validation::report
