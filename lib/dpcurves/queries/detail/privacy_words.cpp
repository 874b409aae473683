// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/privacy_words.hpp>
#include <dpcurves/queries/detail/setting.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::queries::answered {
namespace {

using accounting::Guarantee;

std::string shown(const std::optional<Enclosure>& interval) { return interval ? rounded_up(interval->upper, 8) : "-"; }

const std::string upper_only = "upper only";

std::string relative_width(const std::optional<Enclosure>& interval) {
  return interval ? rounded(interval->relative_width(), 2) : "-";
}

/// Of a run whose rare losses set mu, which says nothing of its epsilon; empty where mu is a good summary.
std::string mu_note(const Row& row, const Target& target, bool has_floor) {
  constexpr double much = 2.0;
  if (!row.mu || !row.answer || !target.delta || !(*target.delta > 0.0 && *target.delta < 1.0) ||
      row.guarantee.mu_above || !std::isfinite(row.mu->upper) ||
      !(tradeoff::epsilon_of_delta(*target.delta, row.mu->upper) > much * row.answer->upper)) {
    return "";
  }
  return "mu: " + shown(row.mu) + " covers the rarest losses too and says little of epsilon" +
         (has_floor ? "; --mu-delta-floor leaves out those that no delta of yours sees" : "");
}

/// What a guarantee says beside its numbers.
void add_notes(const Row& row, std::vector<std::string>& notes) {
  const auto& guarantee = row.guarantee;
  if (!guarantee.violations.empty()) {
    notes.push_back(guarantee.theorem + " needs " + describe(guarantee.violations));
  }
  if (!row.failure.empty()) {
    notes.push_back(guarantee.theorem + " has no answer: " + row.failure);
  } else if (!guarantee.note.empty()) {
    notes.push_back(guarantee.theorem + ": " + guarantee.note);
  }
  if (guarantee.mu_above) {
    const auto& above = *guarantee.mu_above;
    notes.push_back("mu: " + shown(row.mu) +
                    " is the least for which the mechanism is mu-GDP; where delta >= " + shortest(above.delta_floor) +
                    ", its profile lies below that of mu = " + rounded_up(above.mu.upper, 8) + " (bracket " +
                    rounded(above.mu.relative_width(), 2) + ")");
  }
}

/// The theorems side by side.
Table result_table(const Result& result, const std::string& asked) {
  Table table;
  table.names = {"", "theorem", "mu", "what it uses"};
  if (!asked.empty()) {
    table.names = {"", "theorem", asked + " <=", "bracket", "mu <=", "what it uses"};
  }
  table.align.assign(table.names.size(), io::Align::right);
  table.align[0] = table.align[1] = table.align.back() = io::Align::left;
  for (const Row& row : result.rows) {
    const auto& guarantee = row.guarantee;
    std::vector<Cell> cells{{&row == &result.best_row() ? "*" : ""}, {guarantee.theorem}};
    if (!asked.empty()) {
      cells.push_back({shown(row.answer)});
      cells.push_back({guarantee.upper_only ? upper_only : relative_width(row.answer)});
    }
    cells.push_back({shown(row.mu)});
    std::string use = guarantee.title;
    if (!guarantee.violations.empty()) {
      use += ": does not apply";
    } else if (!guarantee.unsaid.empty()) {
      use += ": if the losses are so";
    } else if (!row.failure.empty()) {
      use += ": no answer";
    } else if (!guarantee.certified) {
      use += ": not a guarantee";
    }
    cells.push_back({use});
    table.rows.push_back(std::move(cells));
    for (const auto& one : row.directions) {
      table.rows.push_back({{""},
                            {"  " + one.direction + ", by " + one.method},
                            {rounded_up(one.value.upper, 8)},
                            {one.value.lower == 0.0 && one.value.upper > 0.0 ? upper_only : relative_width(one.value)},
                            {""},
                            {""}});
    }
  }
  return table;
}

}  // namespace

std::string width_note(const Row& row, const Target& target) {
  constexpr double promised = 1e-6;
  const double wanted = std::max(promised, target.accuracy.value_or(0.0));
  const std::string& theorem = row.guarantee.theorem;
  if (theorem == "accountant/multiplicity" || theorem == "accountant/truncated-poisson" ||
      theorem == "accountant/truncated-by-others") {
    return "";  // a bound above and an instance below: the guarantee's own note says so
  }
  if (!row.answer || row.guarantee.upper_only || !(row.answer->relative_width() > wanted)) {
    return "";
  }
  const std::map<std::string, std::string> reasons{
      {"lattice",
       "cells of the lattice are as fine as the work of an answer allows, and no contour of that length "
       "sees losses as rare as these"},
      {"Chernoff bound", "no contour and no lattice within the work of an answer sees losses as rare as these"},
      {"contour", "a narrower one needs a longer contour than the work of an answer allows"},
      {"sum over jumps",
       "its ends bound the jumps that the sum leaves out, and the work of an answer allows no more of them"},
      {"cells near the largest loss",
       "every step is rounded to a cell, and the work of an answer allows no narrower ones"}};
  const auto reason = reasons.find(row.method);
  return reason == reasons.end() ? "" : "bracket: " + reason->second + "; both ends are proved";
}

std::string asked_name(const Target& target) { return target.delta ? "epsilon" : target.epsilon ? "delta" : ""; }

std::vector<Considered> considered(const Result& result) {
  const std::string asked = asked_name(result.target);
  const auto outcome = [&](const Row& row) -> std::string {
    if (!row.failure.empty()) {
      return row.failure;
    }
    const auto value = row.answer ? row.answer : row.mu;
    if (!value) {
      return "";
    }
    std::string text = (row.answer ? asked : "mu") + " <= " + rounded_up(value->upper, 8);
    const double best = ranking(result.best_row());
    if (&row != &result.best_row() && best > 0.0 && std::isfinite(value->upper)) {
      text += ", " + rounded(value->upper / best, 3) + " times the chosen one";
    }
    return text;
  };
  std::vector<Considered> list;
  for (const Row& row : result.rows) {
    using enum Considered::Standing;
    const auto standing = !row.guarantee.applies()        ? ruled_out
                          : !row.failure.empty()          ? no_answer
                          : !row.guarantee.certified      ? not_a_guarantee
                          : !row.guarantee.unsaid.empty() ? unsaid
                          : &row == &result.best_row()    ? chosen
                                                          : applies;
    list.push_back(
        {row.guarantee.theorem,
         row.guarantee.title,
         standing,
         outcome(row),
         {row.guarantee.applies() ? row.guarantee.unsaid : row.guarantee.violations, row.guarantee.assumed}});
  }
  return list;
}

void add_words(Report& report, const Algorithm& algorithm, const Result& result, bool explain) {
  const std::string asked = asked_name(result.target);
  std::string heading = (report.blocks.empty() ? "" : "\n") + algorithm.name;
  if (result.target.delta) {
    heading += ", delta = " + shortest(*result.target.delta);
  } else if (result.target.epsilon) {
    heading += ", epsilon = " + shortest(*result.target.epsilon);
  }
  report.blocks.push_back({heading + "\n", result_table(result, asked)});
  std::string text;
  const Row& best = result.best_row();
  if (!asked.empty()) {
    text += "* the best guarantee, by " + best.method +
            (best.directions.empty() ? "" : ", direction " + best.direction) +
            "; bracket: relative width between its " + (best.proved ? "certified ends\n" : "ends\n");
  }
  text += setting_text(best.guarantee) + assumed_text(best.guarantee);
  std::vector<Guarantee> all;
  std::vector<std::string> notes;
  for (const Row& row : result.rows) {
    all.push_back(row.guarantee);
    add_notes(row, notes);
  }
  const bool has_floor = std::any_of(algorithm.options.begin(), algorithm.options.end(),
                                     [](const Option& one) { return one.name == "mu-delta-floor"; });
  if (std::string note = mu_note(best, result.target, has_floor); !note.empty()) {
    notes.push_back(std::move(note));
  }
  if (std::string note = width_note(best, result.target); !note.empty()) {
    notes.push_back(std::move(note));
  }
  text += not_starred_text(all);
  for (const auto& note : notes) {
    text += wrapped(note, 2) + "\n";
  }
  report.blocks.push_back({text + (explain ? "\n" + explanation_text(considered(result)) : ""), std::nullopt});
}

void add_sweep_words(Report& report, const Algorithm& algorithm, const Sweep& sweep,
                     const std::vector<Result>& results) {
  const std::string asked = asked_name(results.front().target);
  const std::string given = asked.empty() ? "" : asked == "epsilon" ? "delta" : "epsilon";
  Table table;
  table.names = {sweep.option};
  const bool target_shown = !asked.empty() && given != sweep.option;                  // else it is the swept value
  const bool neighbours_shown = !sweep.words.empty() && sweep.option != "adjacency";  // they may differ
  if (neighbours_shown) {
    table.names.push_back("adjacency");
  }
  if (target_shown) {
    table.names.push_back(given);
  }
  if (!asked.empty()) {
    table.names.insert(table.names.end(), {asked + " <=", "bracket"});
  }
  table.names.insert(table.names.end(), {"mu <=", "theorem"});
  table.align.assign(table.names.size(), io::Align::right);
  table.align.back() = io::Align::left;
  for (const Result& result : results) {
    const Row& best = result.best_row();
    std::vector<Cell> cells{{sweep.text(result.swept.value_or(0.0))}};
    if (neighbours_shown) {
      const auto& adjacency = best.guarantee.adjacency;
      cells.push_back({adjacency ? std::string(name(*adjacency)) : ""});
    }
    if (target_shown) {
      cells.push_back({shortest(result.target.delta ? *result.target.delta : *result.target.epsilon)});
    }
    if (!asked.empty()) {
      cells.push_back({shown(best.answer)});
      cells.push_back({best.guarantee.upper_only ? upper_only : relative_width(best.answer)});
    }
    cells.push_back({shown(best.mu)});
    cells.push_back({best.guarantee.theorem});
    table.rows.push_back(std::move(cells));
  }
  report.blocks.push_back({algorithm.name + "\n", std::move(table)});
  if (sweep.words.empty()) {
    const Guarantee& about = results.front().best_row().guarantee;
    report.blocks.push_back({setting_text(about) + assumed_text(about), std::nullopt});
  }
}

}  // namespace dpcurves::queries::answered
