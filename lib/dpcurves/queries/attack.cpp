// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/attack_measures.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Guarantee;
using attack::Attack;

/// The answer of the theorem that promises most.
struct Best {
  Answer answer;
  std::string theorem;
  std::string method;
  List all;
};

/// All that is known of one theorem: it may have been asked with several choices of its free parameters.
Guarantee merged_guarantee(const std::vector<const Guarantee*>& same) {
  Guarantee whole = *same.front();
  if (same.size() == 1) {
    return whole;
  }
  std::vector<accounting::CurvePtr> curves;
  for (const Guarantee* one : same) {
    curves.push_back(one->curve);
  }
  whole.curve = accounting::best_curve(curves);
  for (auto& [direction, curve] : whole.directions) {
    curves.clear();
    for (const Guarantee* one : same) {
      for (const auto& other : one->directions) {
        if (other.direction == direction) {
          curves.push_back(other.curve);
        }
      }
    }
    curve = accounting::best_curve(curves);
  }
  return whole;
}

/// \throws ConvergenceError  with the reason of the last one, where no theorem has an answer.
Best best(std::vector<Asked>& list, const Question& question) {
  std::optional<Best> found;
  List all;
  std::string failure;
  for (Asked& one : list) {
    try {
      Answer answer = question.ask(one.attack);
      const bool least = question.measure == "bayes-error";  // its lower end is promised
      const auto worse = [least](const Answer& a, const Answer& b) {
        return least ? a.value.lower < b.value.lower : a.value.upper > b.value.upper;
      };
      all.push_back({Record{{"theorem", {one.about.theorem}}, {"value", ends(answer.value)}}});
      if (!found || worse(found->answer, answer)) {
        found = Best{std::move(answer), one.about.theorem, one.attack.method(), {}};
      }
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {  // another theorem may have an answer
      failure = question.label + ": " + one.about.theorem + ": " + error.what();
    }
  }
  if (!found) {
    throw ConvergenceError(failure);
  }
  found->all = std::move(all);
  return *found;
}

/// What each theorem is about.
Value about(const std::vector<Asked>& list) {
  List all;
  for (const auto& [guarantee, attack] : list) {
    List assumed;
    for (const auto& one : guarantee.assumed) {
      assumed.push_back({one});
    }
    Record setting;
    for (const auto& [name, text] : guarantee.setting) {
      setting.add(name, {text});
    }
    all.push_back({Record{{"theorem", {guarantee.theorem}},
                          {"title", {guarantee.title}},
                          {"sampling", guarantee.sampling ? Value{std::string(name(*guarantee.sampling))} : Value{}},
                          {"adjacency", guarantee.adjacency ? Value{std::string(name(*guarantee.adjacency))} : Value{}},
                          {"setting", {setting}},
                          {"assumed", {assumed}},
                          {"upper_only", {guarantee.upper_only}}}});
  }
  return {all};
}

/// Setting, assumptions and notes in words, and the theorems that would count if more were said.
std::string remarks(const Promises& promises, const std::vector<Asked>& list) {
  std::string text;
  std::vector<std::string> said;
  const auto say = [&](const std::string& line) {
    if (std::find(said.begin(), said.end(), line) == said.end()) {
      said.push_back(line);
      text += line + "\n";
    }
  };
  for (const auto& [guarantee, attack] : list) {
    for (const auto& [name, words] : guarantee.setting) {
      say(name + ": " + words);
    }
    for (const auto& one : guarantee.assumed) {
      say("assumed: " + one);
    }
    if (!guarantee.note.empty()) {
      say(guarantee.theorem + ": " + guarantee.note);
    }
    if (guarantee.upper_only) {
      say("lower ends are those of the bound, and say nothing of the mechanism");
    }
  }
  for (const Guarantee& guarantee : promises.guarantees) {
    if (guarantee.applies() && !guarantee.unsaid.empty()) {
      say("left out: " + guarantee.theorem + " needs " + describe(guarantee.unsaid));
    }
  }
  for (const auto& note : promises.notes) {
    say(note);
  }
  return text;
}

Record attack_inputs(const Promises& promises) {
  Record inputs = promises.inputs;
  inputs.add("algorithm", {promises.algorithm});
  return inputs;
}

/// A row of every form of the report.
void add_answer(Report& report, Table& table, List& results, const Question& question, const Best& found) {
  const auto& [value, direction, beside, remark] = found.answer;
  const bool upper = question.measure != "bayes-error";
  Record result{{"measure", {question.measure}}};
  std::string at;
  for (const auto& [name, number] : question.at) {
    result.add(name, {number});
    at += (at.empty() ? "" : " ") + (question.at.size() > 1 ? name + "=" : std::string()) + shortest(number);
  }
  result.add("value", ends(value));
  result.add("promise", {std::string(upper ? "upper" : "lower")});
  result.add("direction", direction.empty() ? Value{} : Value{direction});
  for (const auto& [name, ends_beside] : beside) {
    result.add(name, ends(ends_beside));
  }
  result.add("theorem", {found.theorem});
  result.add("rests_on", {question.rests_on});
  result.add("method", {found.method});
  result.add("all", {found.all});
  results.push_back({std::move(result)});
  const Enclosure& shown = upper ? value : beside.front().second;  // the accuracy
  table.rows.push_back({{question.label},
                        {rounded_up(shown.upper, 8)},
                        {rounded(shown.width(), 2)},
                        {direction + (direction.empty() || remark.empty() ? "" : "; ") + remark}});
  if (found.all.size() > 1) {
    table.rows.back().push_back({found.theorem});
  }
  report.rows.rows.push_back(
      {{question.measure}, {at}, {shortest(value.lower)}, {shortest(value.upper)}, {direction}, {found.theorem}});
}

/// Rates from `lowest` to 1, equally spaced on a logarithmic axis.
std::vector<double> spaced_levels(double lowest, std::size_t points) {
  std::vector<double> rates(points, 1.0);
  for (std::size_t i = 0; i + 1 < points; ++i) {
    rates[i] = std::pow(lowest, 1.0 - static_cast<double>(i) / static_cast<double>(points - 1));
  }
  return rates;
}

std::vector<double> upper_ends(const std::vector<Enclosure>& values) {
  std::vector<double> ends;
  for (const Enclosure& value : values) {
    ends.push_back(value.upper);
  }
  return ends;
}

io::Plot attack_picture(const Promises& promises, std::vector<Asked>& list, double lowest) {
  constexpr std::size_t points = 500;
  const auto rates = spaced_levels(lowest, points);
  io::Plot plot;
  plot.title = promises.algorithm + ": what an attacker can do at most";
  plot.x = {"false positive rate", true, lowest, 1.0};
  plot.y = {"true positive rate", true, lowest, 1.0};
  for (Asked& one : list) {
    plot.series.push_back(io::steps(legend_of(one.about.title, one.about.theorem), rates,
                                    upper_ends(one.attack.powers(rates)), io::Side::above));
  }
  plot.series.push_back(io::dashed("a coin", {lowest, 1.0}, {lowest, 1.0}));
  plot.legend = io::Legend::bottom_right;
  add_caption(plot, promises.inputs);
  return plot;
}

}  // namespace

std::vector<Guarantee> promised(const std::vector<Guarantee>& guarantees) {
  std::vector<std::vector<const Guarantee*>> groups;
  std::string reasons;
  for (const Guarantee& guarantee : guarantees) {
    if (!guarantee.promised()) {
      const auto& missing = guarantee.applies() ? guarantee.unsaid : guarantee.violations;
      std::string reason = "\n  " + guarantee.theorem + " needs " + describe(missing);
      for (const Violation& one : missing) {
        reason += one.remedy.empty() ? "" : "\n    change to: " + one.remedy;
      }
      reasons += missing.empty() || reasons.find(reason) != std::string::npos ? "" : reason;
      continue;
    }
    if (guarantee.dominated) {
      continue;
    }
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& group) { return group.front()->theorem == guarantee.theorem; });
    if (known == groups.end()) {
      groups.emplace_back();
      known = std::prev(groups.end());
    }
    known->push_back(&guarantee);
  }
  if (groups.empty()) {
    throw DomainError("no theorem applies:" + reasons);
  }
  std::vector<Guarantee> list;
  for (const auto& group : groups) {
    list.push_back(merged_guarantee(group));
  }
  return list;
}

std::vector<Asked> theorems(const Promises& promises) {
  std::vector<Asked> list;
  for (Guarantee& whole : promised(promises.guarantees)) {
    Attack attack(whole);
    list.push_back({std::move(whole), std::move(attack)});
  }
  return list;
}

Report attack(const Promises& promises, const AttackQuestion& question) {
  const auto asked = questions(question);
  std::vector<Asked> list = theorems(promises);
  Report report;
  report.schema = "dpcurves/attack/1";
  report.inputs = attack_inputs(promises);
  report.rows.names = {"measure", "at", "lower", "upper", "direction", "theorem"};
  Table table;
  table.names = {"measure", "at most", "bracket", "decided by"};
  if (list.size() > 1) {
    table.names.emplace_back("theorem");
  }
  List results;
  std::string missing;
  for (const Question& one : asked) {
    try {
      add_answer(report, table, results, one, best(list, one));
    } catch (const ConvergenceError& error) {
      if (asked.size() == 1) {
        throw;
      }
      missing += std::string("no answer: ") + error.what() + "\n";
    }
  }
  for (auto& row : table.rows) {
    row.resize(table.names.size());
  }
  report.results = {{"results", {std::move(results)}},
                    {"convention",
                     {Record{{"null_hypothesis", {"the record is absent"}},
                             {"prior", {"the probability that the record is present"}},
                             {"baseline", {"success of the best guess without the run, side information included"}},
                             {"bracket", {"width between the certified ends"}}}}},
                    {"guarantees", about(list)}};
  report.blocks.push_back(
      {promises.algorithm + ": what an attacker who knows everything but one record can do, over all attacks\n",
       std::move(table)});
  report.blocks.push_back(
      {"FPR: share of absent records that are accused. prior: probability that the record IS present. baseline: "
       "success "
       "of the best guess without the run. bracket: width between certified ends; the upper end is shown\n" +
           missing + remarks(promises, list),
       std::nullopt});
  return report;
}

Report attack_curve(const Promises& promises, std::span<const double> rates, bool drawn) {
  std::vector<Asked> list = theorems(promises);
  Report report;
  report.schema = "dpcurves/curve/1";
  report.inputs = attack_inputs(promises);
  report.rows.names = {"fpr", "lower", "upper"};
  std::vector<double> lower, upper;
  for (Asked& one : list) {
    constexpr int rounds = 4;
    const auto values = one.attack.powers(rates, rounds);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (&one == &list.front()) {
        lower.push_back(values[i].lower);
        upper.push_back(values[i].upper);
      } else {
        lower[i] = std::min(lower[i], values[i].lower);
        upper[i] = std::min(upper[i], values[i].upper);
      }
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    report.rows.rows.push_back({{shortest(rates[i])}, {shortest(lower[i])}, {shortest(upper[i])}});
  }
  report.results = {{"results",
                     {Record{{"fpr", {std::vector<double>(rates.begin(), rates.end())}},
                             {"lower", {std::move(lower)}},
                             {"upper", {std::move(upper)}}}}},
                    {"guarantees", about(list)}};
  if (drawn) {
    constexpr double lowest = 1e-12;
    report.plot = attack_picture(promises, list, rates.front() > 0.0 ? rates.front() : lowest);
  }
  return report;
}

io::Plot attack_plot(const Promises& promises, double lowest_rate) {
  std::vector<Asked> list = theorems(promises);
  return attack_picture(promises, list, lowest_rate);
}

}  // namespace dpcurves::queries
