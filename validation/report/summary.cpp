// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/io/plot.hpp>

#include "validation/report/formula.hpp"

namespace dpcurves::validation::report {
namespace {

using io::escaped_html;

std::size_t count(const std::vector<Row>& rows, Status status, const std::string& paper = "") {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
    return row.status == status && (paper.empty() || row.entry.paper == paper);
  }));
}

std::string explained(Status status) {
  switch (status) {
    case Status::holds:
      return "no comparison refutes it, every control is refuted";
    case Status::vacuous:
      return "not refuted, but the bound is beyond what holds without it at every size that can be run";
    case Status::refuted:
      return "a counter-example to the printed form; the corrected form holds where there is one";
    case Status::failed:
      return "look here first";
    case Status::not_run:
      return "the case exists and was not asked for";
    case Status::nothing:
      return "and assumptions: nothing to refute";
    case Status::not_simulated:
      return "not computable, a drawing, or recomputed elsewhere: reasons below";
  }
  return "";
}

std::string banner(const Run& run) {
  std::vector<const Record*> wrong;
  for (const Record& record : run.records) {
    if (!record.good()) {
      wrong.push_back(&record);
    }
  }
  if (wrong.empty()) {
    if (!run.good()) {
      return "<p class=\"banner bad\">The run has more intervals than its false-alarm budget allows.</p>";
    }
    return "<p class=\"banner good\"><b>" + std::to_string(run.records.size()) + " of " +
           std::to_string(run.records.size()) + "</b> cases came out as expected, and every control was refuted.</p>";
  }
  std::string html = "<p class=\"banner bad\"><b>" + std::to_string(wrong.size()) + " of " +
                     std::to_string(run.records.size()) + "</b> cases did not come out as expected:";
  for (const Record* record : wrong) {
    const std::string id = escaped_html(record->what->id);
    html += " <a href=\"#" + id + "\">" + id + "</a>";
  }
  return html + "</p>";
}

std::string tiles(const std::vector<Row>& rows) {
  std::string html = "<div class=\"tiles\">";
  for (const Status status : statuses) {
    if (const std::size_t n = count(rows, status); n > 0) {
      html += "<button type=\"button\" class=\"tile " + key_of(status) + "\" data-set-verdict=\"" + key_of(status) +
              "\" aria-pressed=\"false\"><span class=\"count\">" + std::to_string(n) + "</span><span class=\"label\">" +
              name_of(status) + "</span><span class=\"hint\">" + explained(status) + "</span></button>";
    }
  }
  return html + "</div>\n";
}

std::string bars(const std::vector<Row>& rows) {
  std::string html = "<div class=\"bars\">";
  for (const auto& paper : papers(rows)) {
    const auto total = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.entry.paper == paper; }));
    const std::string name = escaped_html(paper);
    html += "<div class=\"bar-row\"><button type=\"button\" class=\"paper\" data-set-paper=\"" + name +
            "\" aria-pressed=\"false\"><b>" + name + "</b><span>" + escaped_html(title_of(paper)) +
            "</span></button><div class=\"bar\">";
    for (const Status status : statuses) {
      if (const std::size_t n = count(rows, status, paper); n > 0) {
        const std::string what = name + ": " + std::to_string(n) + " " + name_of(status);
        html += "<button type=\"button\" class=\"segment " + key_of(status) +
                "\" style=\"flex-grow:" + std::to_string(n) + "\" data-set-paper=\"" + name + "\" data-set-verdict=\"" +
                key_of(status) + "\" title=\"" + what + "\" aria-label=\"" + what + "\">" + std::to_string(n) +
                "</button>";
      }
    }
    html += "</div><span class=\"total\">" + std::to_string(total) + "</span></div>";
  }
  return html + "</div>\n";
}

/// The reasons of what has no case, those that say the same together.
std::string reasons(const std::vector<Row>& rows) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Row*>> by_reason;
  for (const Row& row : rows) {
    if (row.status == Status::not_simulated) {
      auto& same = by_reason[row.entry.marked.reason];
      if (same.empty()) {
        order.push_back(row.entry.marked.reason);
      }
      same.push_back(&row);
    }
  }
  if (order.empty()) {
    return "";
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return by_reason.at(a).size() > by_reason.at(b).size(); });
  std::string html = "<details class=\"note\"><summary>Why " + std::to_string(count(rows, Status::not_simulated)) +
                     " items are not simulated</summary><ul class=\"reasons\">";
  for (const auto& reason : order) {
    const auto& same = by_reason.at(reason);
    html += "<li>" + typeset(reason) + " <span class=\"ids\">";
    constexpr std::size_t most = 12;
    for (std::size_t k = 0; k < std::min(most, same.size()); ++k) {
      const std::string id = escaped_html(same[k]->entry.id);
      html += "<a href=\"#" + id + "\">" + id + "</a> ";
    }
    html += (same.size() > most ? "and " + std::to_string(same.size() - most) + " more" : "") + "</span></li>";
  }
  return html + "</ul></details>\n";
}

constexpr const char* how_to_read = R"(<details class="note"><summary>How to read this page</summary>
<p>Each item of the papers that can be computed has a case: a claim, an experiment that tries to break it, and a
control near the claim that the same comparison must refute, in every part of the claim. A case whose control survives
proves nothing and counts as failed. A claim is refuted only where the whole interval of a measured value lies on the
wrong side.</p>
<p>“How hard was it tried” is the resolution: the largest factor by which the claim could be sharpened before the same
data refute it. At 1 the experiment attains the bound; at 0.1 a bound ten times as sharp would have passed as well. The gap is
the bound over the best attack. “Vacuous” is said where the bound is beyond what holds without the theorem.</p>
<p>Seeds are fixed in the ci profile and new in every nightly run; a result depends on the seed and on nothing else, not
on the number of threads. The command under each item repeats it alone.</p>
<p>Keys: <kbd>/</kbd> search, <kbd>j</kbd> and <kbd>k</kbd> next and previous item, <kbd>Enter</kbd> open or close it,
<kbd>Esc</kbd> clear the search. The address keeps the filters, and every item has its own: <code>#paper/item</code>.</p>
</details>
)";

std::string selection(const std::string& id, const std::string& label, const std::string& all,
                      const std::vector<std::pair<std::string, std::string>>& options) {
  std::string html = "<label class=\"field\"><span>" + label + "</span><select id=\"" + id +
                     "\"><option value=\"\">all " + all + "</option>";
  for (const auto& [value, text] : options) {
    html += "<option value=\"" + escaped_html(value) + "\">" + escaped_html(text) + "</option>";
  }
  return html + "</select></label>\n";
}

}  // namespace

std::string summary_html(const std::vector<Row>& rows, const Run& run, const Setting& setting,
                         const std::string& version) {
  const double seconds = sum_over(run.records, [&](const Record& record) { return record.seconds; });
  return "<header>\n<div class=\"top\"><span class=\"brand\">dpcurves</span><button type=\"button\" id=\"theme\" "
         "aria-label=\"Light or dark\" title=\"Light or dark\">◐</button></div>\n<h1>Theorems against simulation</h1>\n"
         "<p class=\"lede\">Every numbered item of the papers on differentially private SGD that this project "
         "implements. What can be computed is put against an experiment that tries to break it.</p>\n" +
         banner(run) + "<p class=\"meta\">version " + escaped_html(version) + " · profile " +
         (setting.nightly ? "nightly" : "ci") + " · seed " + std::to_string(setting.seed) + " · " +
         std::to_string(run.records.size()) + " cases in " + std::to_string(std::lround(seconds)) +
         " s of computing</p>\n<p class=\"meta\">" + escaped_html(sentence(run.levels)) +
         "</p>\n</header>\n<section aria-label=\"Summary\">\n" + tiles(rows) + bars(rows) + reasons(rows) +
         how_to_read + "</section>\n";
}

std::string toolbar_html(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> by_paper, by_status, by_kind, by_effort;
  for (const auto& paper : papers(rows)) {
    by_paper.emplace_back(paper, paper);
  }
  for (const Status status : statuses) {
    if (count(rows, status) > 0) {
      by_status.emplace_back(key_of(status), name_of(status));
    }
  }
  for (const Effort effort : efforts) {
    by_effort.emplace_back(key_of(effort), name_of(effort));
  }
  std::set<std::string> kinds;
  for (const Row& row : rows) {
    kinds.insert(row.entry.kind);
  }
  for (const auto& kind : kinds) {
    by_kind.emplace_back(kind, kind);
  }
  return "<div class=\"toolbar\" role=\"search\">\n<label class=\"field search\"><span>Search</span><input id=\"q\" "
         "type=\"search\" placeholder=\"theorem, word or calculator  ( / )\" autocomplete=\"off\" "
         "spellcheck=\"false\"></label>\n" +
         selection("paper", "Paper", "papers", by_paper) + selection("verdict", "Verdict", "verdicts", by_status) +
         selection("kind", "Kind", "kinds", by_kind) + selection("effort", "How hard tried", "efforts", by_effort) +
         "<label class=\"field\"><span>Order</span><select id=\"order\"><option value=\"\">of the "
         "papers</option><option "
         "value=\"tightest\">tightest simulation first</option></select></label>\n" +
         "<button type=\"button\" id=\"reset\" hidden>clear</button>\n<button type=\"button\" id=\"expand\" "
         "aria-pressed=\"false\">open all</button>\n<output id=\"shown\" aria-live=\"polite\">" +
         std::to_string(rows.size()) + " of " + std::to_string(rows.size()) + "</output>\n</div>\n";
}

}  // namespace dpcurves::validation::report
