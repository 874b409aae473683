// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/nearest.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/queries/attack.hpp>
#include <dpcurves/queries/words.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::queries {
namespace {

using accounting::Guarantee;
using attack::Attack;

/// One measure by one theorem.
struct Answer {
  Enclosure value{};
  std::string direction{};
  std::vector<std::pair<std::string, Enclosure>> beside{};  ///< "excess", ...
  std::string remark{};
};

/// One measure, where it is taken, and how it is asked.
struct Question {
  std::string measure;                              ///< "tpr"
  std::string label;                                ///< "TPR at FPR 0.01"
  std::vector<std::pair<std::string, double>> at;   ///< {"fpr", 0.01}
  std::string rests_on;                             ///< "attack/dual"
  std::function<Answer(Attack&)> ask;
};

/// The answer of the theorem that promises most.
struct Best {
  Answer answer;
  std::string theorem;
  std::string method;
  List all;
};

/// All that is known of one theorem: it may have been asked with several choices of its free parameters.
Guarantee merged(const std::vector<const Guarantee*>& same) {
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
        found = Best{std::move(answer), one.about.theorem,
                     one.attack.closed_form() ? "closed form" : "tangents and chords of the certified profile", {}};
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

// --- the measures ---------------------------------------------------------------------------------------------------

Question tpr(double fpr) {
  return {"tpr", "TPR at FPR " + shortest(fpr), {{"fpr", fpr}}, "attack/dual", [fpr](Attack& attack) -> Answer {
            const auto [value, direction] = attack.power(fpr);
            return {value.power, direction, {{"excess", value.excess}}};
          }};
}

Question advantage() {
  return {"advantage", "advantage (TPR - FPR)", {}, "attack/advantage", [](Attack& attack) -> Answer {
            const auto value = attack.advantage().value;
            return {value.advantage,
                    "",
                    {{"pure_epsilon_equivalent", value.pure_epsilon}, {"mu_equivalent", value.mu}},
                    "as epsilon = " + at_most(value.pure_epsilon.upper, 4) + ", as mu = " + at_most(value.mu.upper, 4)};
          }};
}

Question bayes_error(double prior) {
  return {"bayes-error", "accuracy at prior " + shortest(prior), {{"prior", prior}}, "attack/bayes-error",
          [prior](Attack& attack) -> Answer {
            const auto [value, direction] = attack.bayes_error(prior);
            return {value.error,
                    direction,
                    {{"accuracy", value.accuracy}, {"gain", value.gain}},
                    "Bayes error at least " + at_least(value.error.lower, 8)};
          }};
}

Question precision(double prior, std::optional<double> fpr, std::optional<double> recall) {
  if (fpr && !(*fpr > 0.0)) {
    throw UsageError("--fpr: precision needs a rate above 0");
  }
  return {"precision",
          std::string("precision at ") + (fpr ? "FPR " : "recall ") + shortest(fpr ? *fpr : *recall) + ", prior " +
              shortest(prior),
          {{fpr ? "fpr" : "recall", fpr ? *fpr : *recall}, {"prior", prior}},
          "attack/precision",
          [=](Attack& attack) -> Answer {
            const auto [value, direction] =
                fpr ? attack.precision_at_rate(prior, *fpr) : attack.precision_at_recall(prior, *recall);
            Answer answer{value.precision, direction, {{"odds_factor", value.odds_factor}}};
            if (recall) {
              answer.beside.emplace_back("least_fpr", value.false_rate);
            }
            answer.remark = "prior odds times " + at_most(value.odds_factor.upper, 4);
            return answer;
          }};
}

Question auc(double width) {
  return {"auc", "AUC", {}, "attack/auc", [width](Attack& attack) -> Answer {
            const Enclosure area = attack.area(width).value;
            return {area, "", {{"gini", clamp(scale(area, 2.0) + exactly(-1.0), 0.0, 1.0)}}};
          }};
}

Question reconstruction(double baseline) {
  return {"reconstruction", "reconstruction, baseline " + shortest(baseline), {{"baseline", baseline}},
          "attack/reconstruction", [baseline](Attack& attack) -> Answer {
            const auto [value, direction] = attack.reconstruction(baseline);
            return {value.power, direction, {{"gain", value.excess}}};
          }};
}

Question posterior(double odds, bool present) {
  return {present ? "posterior" : "posterior-of-absence",
          std::string("odds of ") + (present ? "presence" : "absence") + " times e^" + shortest(odds),
          {{"odds_epsilon", odds}},
          "attack/posterior",
          [=](Attack& attack) -> Answer {
            const auto [value, direction] =
                present ? attack.posterior_tail(odds) : attack.posterior_tail_of_absence(odds);
            return {value, direction, {}, present ? "along runs with the record" : "along runs without it"};
          }};
}

Question gdp(double floor, bool of_delta) {
  return {"gdp",
          std::string("mu where ") + (of_delta ? "delta" : "FPR") + " >= " + shortest(floor),
          {{of_delta ? "delta_floor" : "fpr_floor", floor}},
          "attack/regret",
          [=](Attack& attack) -> Answer {
            Answer answer{of_delta ? attack.gdp_parameter_above(floor) : attack.gdp_parameter_above_rate(floor)};
            if (answer.value.upper > 0.0 && std::isfinite(answer.value.upper)) {
              const Enclosure regret = attack.regret(answer.value.upper).regret;
              answer.beside.emplace_back("regret", regret);
              answer.remark = "regret " + at_most(regret.upper, 4);
            }
            return answer;
          }};
}

/// The names of --measure, each checked.
std::vector<std::string> names_of(const std::string& text) {
  const std::vector<std::string> known{"tpr", "advantage", "bayes-error", "precision",
                                       "auc", "reconstruction", "posterior", "gdp"};
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string all;
      for (const auto& one : known) {
        all += (all.empty() ? "" : ", ") + one;
      }
      throw UsageError("--measure: \"" + name + "\" is none of " + all + suggestion(name, known));
    }
    names.push_back(name);
  }
  return names;
}

/// What is asked, in the order of the table.
std::vector<Question> questions(const AttackQuestion& asked) {
  const auto names = names_of(asked.measure);
  const bool points = !asked.fpr.empty() || !asked.prior.empty() || !asked.recall.empty() || !asked.baseline.empty() ||
                      !asked.odds.empty() || asked.mu_delta_floor || asked.mu_fpr_floor;
  const bool usual = names.empty() && !points;
  const auto wanted = [&](const char* name, bool given) {
    return names.empty() ? given || usual : std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto or_usual = [](const std::vector<double>& given, std::vector<double> fallback) {
    return given.empty() ? std::move(fallback) : given;
  };
  std::vector<Question> list;
  if (wanted("advantage", false)) {
    list.push_back(advantage());
  }
  if (wanted("tpr", !asked.fpr.empty())) {
    for (const double fpr : or_usual(asked.fpr, {0.001, 0.01})) {
      list.push_back(tpr(fpr));
    }
  }
  if (wanted("bayes-error", !asked.prior.empty())) {
    for (const double prior : or_usual(asked.prior, {0.5})) {
      list.push_back(bayes_error(prior));
    }
  }
  if (wanted("precision", (!asked.fpr.empty() && !asked.prior.empty()) || !asked.recall.empty())) {
    if (!usual && asked.fpr.empty() && asked.recall.empty()) {
      throw UsageError("--measure: precision needs --fpr or --recall: without one it tends to 1");
    }
    for (const double prior : or_usual(asked.prior, {usual ? 0.01 : 0.5})) {
      for (const double fpr : usual ? std::vector{0.01} : asked.fpr) {
        list.push_back(precision(prior, fpr, std::nullopt));
      }
      for (const double recall : asked.recall) {
        list.push_back(precision(prior, std::nullopt, recall));
      }
    }
  }
  if (wanted("auc", false)) {
    list.push_back(auc(usual ? 1e-5 : 1e-6));  // an area is a thousand questions
  }
  if (wanted("reconstruction", !asked.baseline.empty())) {
    for (const double baseline : or_usual(asked.baseline, {0.001})) {
      list.push_back(reconstruction(baseline));
    }
  }
  if (!usual && wanted("posterior", !asked.odds.empty())) {
    for (const double odds : or_usual(asked.odds, {2.0})) {
      list.push_back(posterior(odds, true));
      list.push_back(posterior(odds, false));
    }
  }
  if (wanted("gdp", asked.mu_delta_floor || asked.mu_fpr_floor)) {
    if (asked.mu_fpr_floor) {
      list.push_back(gdp(*asked.mu_fpr_floor, false));
    }
    if (asked.mu_delta_floor || !asked.mu_fpr_floor) {
      constexpr double usual_floor = 1e-10;
      list.push_back(gdp(asked.mu_delta_floor.value_or(usual_floor), true));
    }
  }
  return list;
}

// --- the report -----------------------------------------------------------------------------------------------------

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

Record inputs_of(const Promises& promises) {
  Record inputs = promises.inputs;
  inputs.add("algorithm", {promises.algorithm});
  return inputs;
}

/// A row of every form of the report.
void add(Report& report, Table& table, List& results, const Question& question, const Best& found) {
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
                        {at_most(shown.upper, 8)},
                        {rounded(shown.width(), 2)},
                        {direction + (direction.empty() || remark.empty() ? "" : "; ") + remark}});
  if (found.all.size() > 1) {
    table.rows.back().push_back({found.theorem});
  }
  report.rows.rows.push_back({{question.measure},
                              {at},
                              {shortest(value.lower)},
                              {shortest(value.upper)},
                              {direction},
                              {found.theorem}});
}

/// Rates from `lowest` to 1, equally spaced on a logarithmic axis.
std::vector<double> spaced(double lowest, std::size_t points) {
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

io::Plot picture(const Promises& promises, std::vector<Asked>& list, double lowest) {
  constexpr std::size_t points = 500;
  const auto rates = spaced(lowest, points);
  io::Plot plot;
  plot.title = promises.algorithm + ": what an attacker can do at most";
  plot.x = {"false positive rate", true, lowest, 1.0};
  plot.y = {"true positive rate", true, lowest, 1.0};
  for (Asked& one : list) {
    plot.series.push_back(
        io::steps(one.about.theorem, rates, upper_ends(one.attack.powers(rates)), io::Side::above));
  }
  plot.series.push_back(io::dashed("a coin", {lowest, 1.0}, {lowest, 1.0}));
  plot.legend = io::Legend::bottom_right;
  return plot;
}

}  // namespace

std::vector<Asked> theorems(const Promises& promises) {
  std::vector<std::vector<const Guarantee*>> groups;
  std::string reasons;
  for (const Guarantee& guarantee : promises.guarantees) {
    if (!guarantee.promised()) {
      const auto& missing = guarantee.applies() ? guarantee.unsaid : guarantee.violations;
      const std::string reason = "\n  " + guarantee.theorem + " needs " + describe(missing);
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
  std::vector<Asked> list;
  for (const auto& group : groups) {
    Guarantee whole = merged(group);
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
  report.inputs = inputs_of(promises);
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
      add(report, table, results, one, best(list, one));
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
      {"FPR: share of absent records that are accused. prior: probability that the record IS present. baseline: success "
       "of the best guess without the run. bracket: width between certified ends; the upper end is shown\n" +
           missing +
           remarks(promises, list),
       std::nullopt});
  return report;
}

Report attack_curve(const Promises& promises, std::span<const double> rates, bool drawn) {
  std::vector<Asked> list = theorems(promises);
  Report report;
  report.schema = "dpcurves/curve/1";
  report.inputs = inputs_of(promises);
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
  report.results = {{"results", {Record{{"fpr", {std::vector<double>(rates.begin(), rates.end())}},
                                        {"lower", {std::move(lower)}},
                                        {"upper", {std::move(upper)}}}}},
                    {"guarantees", about(list)}};
  if (drawn) {
    constexpr double lowest = 1e-12;
    report.plot = picture(promises, list, rates.front() > 0.0 ? rates.front() : lowest);
  }
  return report;
}

io::Plot attack_plot(const Promises& promises, double lowest_rate) {
  std::vector<Asked> list = theorems(promises);
  return picture(promises, list, lowest_rate);
}

// --- limits ---------------------------------------------------------------------------------------------------------

std::optional<attack::Limit> limit_of(const AttackTarget& target) {
  using attack::Measure;
  std::optional<attack::Limit> limit;
  std::string first;
  const auto needed = [](const std::optional<double>& value, const char* option, const std::string& name) {
    if (!value) {
      throw UsageError(std::string(option) + ": is required with --" + name);
    }
    return *value;
  };
  const auto choose = [&](const std::optional<double>& most, const std::string& name, Measure measure) {
    if (!most) {
      return;
    }
    if (!first.empty()) {
      throw UsageError("--" + first + " and --" + name + " exclude each other: one target at a time");
    }
    first = name;
    limit = attack::Limit{measure, *most, 0.0, target.prior.value_or(0.5)};
    if (measure == Measure::power || measure == Measure::precision) {
      limit->at = needed(target.fpr, "--fpr", name);
    } else if (measure == Measure::reconstruction) {
      limit->at = needed(target.baseline, "--baseline", name);
    } else if (measure == Measure::gdp_parameter) {
      constexpr double usual_floor = 1e-10;
      limit->at = target.mu_delta_floor.value_or(usual_floor);
    }
  };
  choose(target.advantage, "advantage", Measure::advantage);
  choose(target.tpr, "tpr", Measure::power);
  choose(target.bayes_accuracy, "bayes-accuracy", Measure::bayes_accuracy);
  choose(target.precision, "precision", Measure::precision);
  choose(target.reconstruction, "reconstruction", Measure::reconstruction);
  choose(target.auc, "auc", Measure::area);
  choose(target.gdp_mu, "gdp-mu", Measure::gdp_parameter);
  if (limit) {
    try {
      static_cast<void>(attack::gaussian_mu(*limit));
    } catch (const DomainError& error) {
      throw UsageError("--" + first + ": " + shortest(limit->most) + " is outside " + error.domain());
    }
  }
  return limit;
}

double deciding_epsilon(const attack::Limit& limit) {
  using attack::Measure;
  const double mu = attack::gaussian_mu(limit);
  switch (limit.measure) {
    case Measure::power:
    case Measure::precision:
    case Measure::reconstruction:
      return std::max(0.0, mu * numerics::normal_upper_quantile(limit.at) - 0.5 * mu * mu);
    case Measure::bayes_accuracy:
      return std::abs(std::log((1.0 - limit.prior) / limit.prior));
    case Measure::gdp_parameter:
      return tradeoff::epsilon_enclosure(limit.at, exactly(mu)).upper;
    case Measure::advantage:
    case Measure::area:
      break;
  }
  return 0.0;
}

std::string words(const attack::Limit& limit) {
  using attack::Measure;
  switch (limit.measure) {
    case Measure::power:
      return "TPR at FPR " + shortest(limit.at);
    case Measure::bayes_accuracy:
      return "accuracy at prior " + shortest(limit.prior);
    case Measure::precision:
      return "precision at FPR " + shortest(limit.at) + ", prior " + shortest(limit.prior);
    case Measure::reconstruction:
      return "reconstruction, baseline " + shortest(limit.at);
    case Measure::area:
      return "AUC";
    case Measure::gdp_parameter:
      return "mu where delta >= " + shortest(limit.at);
    case Measure::advantage:
      break;
  }
  return "advantage";
}

}  // namespace dpcurves::queries
