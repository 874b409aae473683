// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/entry.hpp"

#include <algorithm>
#include <cctype>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/plot.hpp>

#include "validation/report/figures.hpp"
#include "validation/report/formula.hpp"
#include "validation/report/labels.hpp"
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
      html += (comparison.holds ? "" : "BROKEN: ") + label_html(comparison.label) +
              (comparison.numbers.empty() ? "" : ": " + escaped_html(comparison.numbers)) + "\n";
      ++shown;
    }
  }
  if (left_out > 0) {
    html += "... and " + std::to_string(left_out) + " more\n";
  }
  return html + "</pre></details>";
}

std::string in_words(const std::optional<Verdict>& verdict) { return verdict ? to_string(*verdict) : "not tried"; }

std::string verdict_html(const Row& row) {
  const Record& record = *row.record;
  const Trial& claim = record.outcome.claim;
  std::string html = pill(row.status) + " ";
  if (!record.error.empty()) {
    return html + "The case ended with an error: " + escaped_html(record.error);
  }
  if (record.on_claim() != record.what->expected) {
    return html + "The experiment says “" + to_string(record.on_claim()) + "”; expected was “" +
           to_string(record.what->expected) + "”.";
  }
  if (!record.good()) {
    return html + escaped_html(record.failure()) + ".";
  }
  const std::string found =
      std::to_string(claim.comparisons()) + (claim.comparisons() == 1 ? " comparison" : " comparisons");
  if (const auto& vacuous = record.outcome.vacuous) {
    return html + "None of " + found + " refutes it, but the bound is " + rounded(vacuous->bound, 4) + " where " +
           rounded(vacuous->trivial, 4) + " holds without the theorem. It speaks " + label_html(vacuous->speaks) + ".";
  }
  if (record.what->expected == Verdict::refuted) {
    html += std::to_string(claim.failures()) + " of " + found + " refute the printed form, which is known to be false";
  } else if (row.status == Status::refuted) {
    html += "The printed form is false; " + found + " try the repaired one";
  } else {
    return html + "None of " + found + " refutes it.";
  }
  return html + " (docs/errata.md). As printed: " + in_words(record.judgement.as_printed) +
         "; as repaired: " + in_words(record.judgement.as_repaired) + ".";
}

std::string bar_html(double resolution) {
  return "<span class=\"effort\" role=\"img\" aria-label=\"resolution " + rounded(resolution, 2) +
         "\"><span class=\"full\" style=\"width:" + rounded(100.0 * resolution, 3) + "%\"></span></span>";
}

/// Resolution, gap, and what stands behind them.
std::string effort_html(const Record& record) {
  const Judgement& found = record.judgement;
  std::string html;
  if (found.resolution) {
    html = bar_html(*found.resolution) + " resolution " + rounded(*found.resolution, 2) + ": the claim times " +
           rounded(*found.resolution, 2) + " is the sharpest that these data do not refute. ";
  }
  if (found.gap) {
    html += "Bound over the best attack " + rounded(found.gap->least, 3) + ", median " + rounded(found.gap->median, 3) +
            ". ";
  }
  switch (found.basis) {
    case Basis::simulation:
      html += found.runs == 0 ? "Simulated. "
                              : std::to_string(found.runs) + " simulated runs, " + std::to_string(found.units) +
                                    " of them independent. ";
      break;
    case Basis::exact_law:
      html += "The exact law of the algorithm in place of runs. ";
      break;
    case Basis::formula:
      html += "Formulas compared with each other: no experiment. ";
      break;
  }
  const Levels& levels = found.levels;
  return html + std::to_string(levels.certified) + " comparisons with a level, " +
         std::to_string(levels.without_level) + " random ones without, " + std::to_string(levels.deterministic) +
         " without chance.";
}

/// A line for every group of comparisons, with its control.
std::string groups_html(const Record& record) {
  std::string html =
      "<table class=\"groups\"><thead><tr><th>part</th><th>compared</th><th>resolution</th><th>gap</th>"
      "<th>control broken</th></tr></thead><tbody>";
  for (const GroupFinding& group : record.judgement.groups) {
    const bool setup = group.role == Group::Role::setup;
    html += "<tr><td>" + label_html(group.name) + (setup ? " (set-up)" : "") + "</td><td>" +
            std::to_string(group.comparisons) + "</td><td>" +
            (group.resolution && !setup ? rounded(*group.resolution, 2) : "–") + "</td><td>" +
            (group.gap && !setup ? rounded(group.gap->least, 3) : "–") + "</td><td>" +
            (setup ? std::string("not needed")
                   : std::to_string(group.control_broken) + " of " + std::to_string(group.control_comparisons)) +
            "</td></tr>";
  }
  return html + "</tbody></table>";
}

std::string control_html(const Record& record) {
  const bool needed = record.what->expected != Verdict::vacuous && record.what->expected != Verdict::refuted;
  const std::string pill = record.judgement.controlled() ? "good\">refuted"
                           : needed                      ? "failed\">not refuted"
                                                         : "not-run\">not applicable";
  return "<span class=\"pill " + pill + "</span> " + label_html(record.what->control);
}

std::string assumptions_html(const catalogue::Entry& entry) {
  if (entry.assumptions.empty()) {
    return "";
  }
  std::string html = "<ul class=\"assumptions\">";
  for (const auto& assumption : entry.marked.assumptions) {
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
  const std::string html = row.entry.statement.empty() ? label_html(claim) : typeset(row.entry.marked.statement);
  return html.empty() ? "" : "<p class=\"statement\">" + html + "</p>";
}

/// Key of the order "tightest simulation first": the resolution, less 2 without one, less 1 where nothing is simulated.
std::string tightness(const Record* record) {
  if (effort_of(record) == Effort::none) {
    return "-2";
  }
  return rounded(*record->judgement.resolution - (record->judgement.basis == Basis::simulation ? 0.0 : 1.0), 6);
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
  std::string html =
      "<details class=\"entry\" id=\"" + id + "\" data-paper=\"" + escaped_html(entry.paper) + "\" data-verdict=\"" +
      key_of(row.status) + "\" data-kind=\"" + escaped_html(entry.kind) + "\" data-effort=\"" +
      key_of(effort_of(row.record)) + "\" data-tight=\"" + tightness(row.record) + "\" data-text=\"" +
      escaped_html(searched(row)) + "\">\n<summary><span class=\"name\">" + name + "</span><span class=\"title\">" +
      typeset(entry.marked.title) + "</span>" +
      (effort_of(row.record) == Effort::none
           ? "<span class=\"tried\"></span>"
           : "<span class=\"tried\" title=\"how hard was it tried\">" + bar_html(*row.record->judgement.resolution) +
                 rounded(*row.record->judgement.resolution, 2) + "</span>") +
      pill(row.status) + "</summary>\n<div class=\"body\">\n" + statement_html(row) + "\n";
  std::string facts;
  if (row.record == nullptr) {
    facts += fact(row.status == Status::not_run ? "Not run" : "Why",
                  row.status == Status::not_run ? "Its case was not part of this run." : typeset(entry.marked.reason));
    facts += row.status == Status::not_run ? fact("Run it", copied(command_of(entry.validation, setting))) : "";
    facts += fact("Needs", assumptions_html(entry));
  } else {
    const Record& record = *row.record;
    html += "<dl>" + fact("Verdict", verdict_html(row)) + fact("How hard tried", effort_html(record)) +
            fact("Control", control_html(record)) + "</dl>\n" + groups_html(record) + "\n" +
            pictures_html(figures, pictures) + strips(record.outcome) + "\n";
    const bool repeated = entry.statement.empty() || entry.statement == record.what->claim;
    facts += fact("Claim tested", repeated ? "" : label_html(record.what->claim));
    facts += fact("Experiment", label_html(record.what->experiment));
    facts += fact("Needs", assumptions_html(entry));
    facts += fact("Note", typeset(entry.marked.reason));
    facts += fact("Seed", std::to_string(setting.seed) + " · " + rounded(record.seconds, 2) + " s");
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
