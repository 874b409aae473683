// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <dpcurves/core/convert.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/inference/audit_verdict.hpp>
#include <dpcurves/inference/binomial.hpp>
#include <dpcurves/inference/multi_run.hpp>
#include <dpcurves/inference/one_run.hpp>
#include <dpcurves/inference/simultaneous.hpp>
#include <dpcurves/numerics/convex.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/queries/audit.hpp>
#include <dpcurves/queries/words.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::queries {
namespace {

using inference::AuditVerdict;
using inference::Guesses;
using inference::MultiRun;
using inference::OneRun;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double usual_delta = 1e-5;

/// The certified curve that an audit is held to: of the theorem with the least epsilon.
struct Held {
  Asked theorem;
  double delta;       ///< of the comparison
  Enclosure epsilon;  ///< there
};

std::optional<Held> held(const Promises* run, double delta) {
  if (run == nullptr) {
    return std::nullopt;
  }
  std::optional<Held> best;
  for (Asked& one : theorems(*run)) {
    const auto& directions = one.about.directions;
    const bool add_only = directions.size() == 1 && directions.front().direction == "add";
    if (add_only) {
      throw DomainError("adjacency: add certifies no bound on accusations; an audit needs remove or both orders");
    }
    const Enclosure epsilon = delta > 0.0 && delta < 1.0 ? one.about.curve->epsilon(delta).value
                              : delta == 0.0             ? Enclosure{0.0, infinity}
                                                         : exactly(0.0);
    if (!best || epsilon.upper < best->epsilon.upper) {
      best = Held{std::move(one), delta, epsilon};
    }
  }
  return best;
}

/// A report under way.
struct Audit {
  Report report;
  List results;
  Table table{{"what", "lower bound", "how"}, {}};
  std::string confidence;
  double level = 0.95;

  void add(const std::string& quantity, const std::string& label, const std::optional<double>& delta, double lower,
           const std::string& method, const std::string& theorem, const std::string& condition = "") {
    results.push_back({Record{{"quantity", {quantity}},
                              {"delta", delta ? Value{*delta} : Value{}},
                              {"lower", {lower}},
                              {"confidence", {level}},
                              {"method", {method}},
                              {"theorem", {theorem}},
                              {"conditional_on", condition.empty() ? Value{} : Value{condition}}}});
    table.rows.push_back({{label}, {at_least(lower, 5)}, {method + (condition.empty() ? "" : ", only if " + condition)}});
    report.rows.rows.push_back({{quantity},
                                {delta ? shortest(*delta) : ""},
                                {shortest(lower)},
                                {shortest(level)},
                                {theorem},
                                {condition}});
  }
};

Audit begin(const Record& inputs, double significance) {
  Audit audit;
  audit.report.schema = "dpcurves/audit/1";
  audit.report.inputs = inputs;
  audit.report.rows.names = {"quantity", "delta", "lower", "confidence", "theorem", "conditional_on"};
  audit.level = 1.0 - significance;
  return audit;
}

/// Epsilon by the Gaussian profile of a mu: a bound for Gaussian curves only.
void add_gaussian(Audit& audit, double mu, const std::vector<double>& deltas, const std::string& theorem) {
  for (const double delta : deltas) {
    if (mu > 0.0 && delta > 0.0 && delta < 1.0) {
      audit.add("epsilon", "epsilon at delta " + shortest(delta) + ", if Gaussian", delta,
                accounting::gaussian_curve(exactly(mu))->epsilon(delta).value.lower, "from mu", theorem,
                "the mechanism's curve is Gaussian");
    }
  }
}

/// The verdict in words, data and exit code.
void conclude(Audit& audit, const Held& run, bool rejected_above, bool rejected_below, double epsilon_lower, double mu_lower,
              const std::optional<Enclosure>& p_value) {
  const auto verdict = inference::audit_verdict(rejected_above, rejected_above || rejected_below, epsilon_lower,
                                                run.epsilon.upper);
  Report& report = audit.report;
  std::string text = "run: " + run.theorem.about.theorem + ": epsilon <= " + at_most(run.epsilon.upper, 5) +
                     " at delta " + shortest(run.delta) + "\n";
  text += "verdict: " + std::string(name(verdict)) + ": " + at_least(epsilon_lower, 3) + " of " +
          at_most(run.epsilon.upper, 3);
  if (const auto mu = run.theorem.about.curve->mu(); mu && run.theorem.attack.closed_form()) {
    text += " (mu " + at_least(mu_lower, 3) + " of " + at_most(mu->upper, 3) + ")";
  }
  if (p_value) {
    text += "; p-value of the certified curve " + at_most(p_value->upper, 3);
  }
  text += "\n";
  switch (verdict) {
    case AuditVerdict::broken:
      text +=
          "The certified curve is rejected: the run is not what the file says, or the guarantee is false.\n"
          "Usual causes: another sampler than the accountant's; gradient accumulation; noise on the mean in place of the "
          "sum; clipping per batch; a canary used more often than the sampler says.\n";
      report.outcome = Outcome::refuted;
      break;
    case AuditVerdict::loose:
      text += "Attack or canaries are too weak to tell. This is no evidence of privacy.\n";
      break;
    case AuditVerdict::undecided:
      text += "The lower end of the certified curve is rejected, its upper end is not.\n";
      report.outcome = Outcome::undecided;
      break;
    case AuditVerdict::consistent:
      break;
  }
  report.results.add("run", {Record{{"theorem", {run.theorem.about.theorem}},
                                    {"delta", {run.delta}},
                                    {"epsilon", ends(run.epsilon)}}});
  report.results.add("p_value", p_value ? ends(*p_value) : Value{});
  report.results.add("verdict", {std::string(name(verdict))});
  report.blocks.push_back({std::move(text), std::nullopt});
}

Report finished(Audit& audit, std::string heading) {
  Report& report = audit.report;
  report.results.entries().insert(report.results.entries().begin() + 2, {"results", {std::move(audit.results)}});
  report.blocks.insert(report.blocks.begin(), {std::move(heading), std::move(audit.table)});
  return std::move(report);
}

/// "grid:8": 8. Empty where the text is no grid.
std::optional<std::uint64_t> grid_size(const std::string& text) {
  if (!text.starts_with("grid:")) {
    return std::nullopt;
  }
  char* end = nullptr;
  const std::string digits = text.substr(5);
  const double size = std::strtod(digits.c_str(), &end);
  constexpr double most = 1000;
  if (digits.empty() || *end != '\0' || !(size >= 1.0 && size <= most && size == std::floor(size))) {
    throw UsageError("--thresholds: \"" + text + "\" is not grid:K with K in {1, ..., 1000}");
  }
  return static_cast<std::uint64_t>(size);
}

// --- many runs ------------------------------------------------------------------------------------------------------

/// Rates that hold together: TPR at least, FPR at most.
struct Rates {
  double threshold, power, rate;
};
using RatesAt = std::function<std::vector<Rates>(double significance)>;

/// Corners of the least concave curve above the rates: if none is above a concave curve, no point is.
std::vector<Rates> corners(std::vector<Rates> rates) {
  std::sort(rates.begin(), rates.end(), [](const Rates& a, const Rates& b) { return a.rate < b.rate; });
  std::vector<double> x, y;
  for (const Rates& one : rates) {
    x.push_back(one.rate);
    y.push_back(-one.power);
  }
  std::vector<Rates> result;
  for (const std::size_t i : numerics::lower_convex_hull(x, y)) {
    result.push_back(rates[i]);
  }
  return result;
}

/// Whether an end of the certified curve lies below a point that holds.
bool rejected(Held& run, const std::vector<Rates>& rates, bool upper_end) {
  return std::any_of(rates.begin(), rates.end(), [&](const Rates& one) {
    const Enclosure most = run.theorem.attack.reconstruction(one.rate).value.power;  // T of `remove`
    return one.power > (upper_end ? most.upper : most.lower);
  });
}

/// The least significance at which the end is rejected, rounded up.
double p_value(Held& run, const RatesAt& rates, bool upper_end, int halvings) {
  constexpr double largest = 0.4999, smallest = 1e-12;
  double low = std::log(smallest), high = std::log(largest);
  if (!rejected(run, rates(largest), upper_end)) {
    return 1.0;
  }
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (rejected(run, rates(std::exp(middle)), upper_end) ? high : low) = middle;
  }
  return std::exp(high);
}

io::Plot rates_plot(Held* run, const std::vector<Rates>& rates, double mu, const std::string& title) {
  double lowest = 1e-3;
  for (const Rates& one : rates) {
    lowest = std::min(lowest, one.rate > 0.0 ? 0.5 * one.rate : lowest);
  }
  constexpr std::size_t points = 600;
  std::vector<double> x(points);
  for (std::size_t i = 0; i < points; ++i) {
    x[i] = std::pow(lowest, 1.0 - static_cast<double>(i) / static_cast<double>(points - 1));
  }
  io::Plot plot;
  plot.title = title;
  plot.x = {"false positive rate", true, lowest, 1.0};
  plot.y = {"true positive rate", false, 0.0, 1.0};
  const auto add = [&](const std::string& name, attack::Attack& attack, bool upper) {
    std::vector<double> y;
    for (const Enclosure& value : attack.powers(x)) {
      y.push_back(upper ? value.upper : value.lower);
    }
    plot.series.push_back(io::steps(name, x, y, upper ? io::Side::above : io::Side::below));
  };
  if (run != nullptr) {
    add("certified: at most", run->theorem.attack, true);
  }
  if (mu > 0.0) {
    attack::Attack gaussian(exactly(mu));
    add("audited: if Gaussian, mu at least " + at_least(mu, 3), gaussian, false);
    plot.series.back().style = io::Style::dashed;
  }
  if (!rates.empty()) {
    std::vector<double> rate, power;
    for (const Rates& one : rates) {
      rate.push_back(one.rate);
      power.push_back(one.power);
    }
    plot.series.push_back(io::points("audited: at least", rate, power));
  }
  plot.series.push_back(io::dashed("a coin", x, x));
  plot.legend = io::Legend::top_left;
  return plot;
}

/// The bounds of rates that hold together, and the verdict. \param coarser  rates whose p-value is cheap and at least
/// that of rates_at. \param exact  they are the same.
void judge_rates(Audit& audit, const RatesAt& rates_at, const RatesAt& coarser, bool exact,
                 const AuditQuestion& question, const std::vector<double>& deltas, bool both_sides,
                 const Promises* promises, bool drawn) {
  const auto rates = corners(rates_at(question.significance));
  double mu = 0.0;
  const Rates* best = &rates.front();
  std::vector<double> epsilons;
  for (const double delta : deltas) {
    double epsilon = 0.0;
    for (const Rates& one : rates) {
      const auto bounds = inference::bounds_of_rates(one.power, one.rate, delta);
      best = bounds.mu_lower > mu ? &one : best;
      mu = std::max(mu, bounds.mu_lower);
      epsilon = std::max(epsilon, bounds.epsilon_lower);
      if (both_sides) {
        // The same two ends: out is said of at least 1 - rate of the runs without, and of at most 1 - power of those with.
        const double right = std::max(0.0, next_down(1.0 - one.rate)), wrong = std::min(1.0, next_up(1.0 - one.power));
        epsilon = std::max(epsilon, inference::bounds_of_rates(right, wrong, delta).epsilon_lower);
      }
    }
    epsilons.push_back(epsilon);
  }
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    audit.add("epsilon", "epsilon at delta " + shortest(deltas[i]), deltas[i], epsilons[i], "Clopper-Pearson",
              "audit/multi-run");
  }
  audit.add("mu", "mu", std::nullopt, mu, "Clopper-Pearson", "audit/multi-run");
  audit.add("true-positive-rate", "TPR at FPR <= " + at_most(best->rate, 4), std::nullopt, best->power,
            "Clopper-Pearson", "audit/multi-run");
  add_gaussian(audit, mu, deltas, "audit/multi-run");
  auto run = held(promises, deltas.front());
  if (run) {
    const bool above = rejected(*run, rates, true), below = rejected(*run, rates, false);
    const double most = question.significance;  // what is rejected has a p-value of at most that
    const int halvings = exact ? 24 : 9;        // to a relative 2e-6, or 5e-2 of what is no more than a bound
    Enclosure p{p_value(*run, coarser, false, halvings), p_value(*run, coarser, true, halvings)};
    p = {below ? std::min(p.lower, most) : p.lower, above ? std::min(p.upper, most) : p.upper};
    p.lower = std::min(p.lower, p.upper);
    conclude(audit, *run, above, below, epsilons.front(), mu, p);
  }
  List curve;
  for (const Rates& one : rates) {
    curve.push_back({Record{{"threshold", {one.threshold}},
                            {"false_positive_rate_upper", {one.rate}},
                            {"true_positive_rate_lower", {one.power}}}});
  }
  audit.report.results.add("curve", {std::move(curve)});
  if (drawn) {
    audit.report.plot = rates_plot(run ? &*run : nullptr, rates, mu, "audit of many runs");
  }
}

std::vector<double> deltas_of(const AuditQuestion& question) {
  return question.delta.empty() ? std::vector{usual_delta} : question.delta;
}

Rates rates_of(const MultiRun& counts, double significance, double threshold) {
  const auto bounds = inference::multi_run(counts, significance, 0.0);
  return {threshold, bounds.true_positive_rate_lower, bounds.false_positive_rate_upper};
}

/// The scores in an order that does not depend on them.
std::vector<double> shuffled(const std::vector<double>& scores, std::uint64_t seed, std::uint32_t path) {
  std::vector<std::uint32_t> order(scores.size());
  random::Words words(seed, random::Purpose::sampling, path, 0);
  random::subset(order, static_cast<std::uint32_t>(scores.size()), words);
  std::vector<double> result;
  for (const std::uint32_t i : order) {
    result.push_back(scores[i]);
  }
  return result;
}

/// A rule of thresholds: which were tried, and the rates at a significance.
struct Rule {
  std::string name;
  std::vector<double> tried;
  RatesAt rates;
  RatesAt coarser;  ///< not sharper, and cheap to ask at another significance
  MultiRun sizes;   ///< that the bounds rest on
};

Rule fixed_rule(const std::string& name, const std::vector<double>& in, const std::vector<double>& out,
                const std::vector<double>& thresholds) {
  std::vector<MultiRun> counts;
  for (const double threshold : thresholds) {
    counts.push_back(inference::counts_at(in, out, threshold));
  }
  const auto shares = static_cast<double>(thresholds.size());
  const RatesAt all = [=](double significance) {
    std::vector<Rates> rates;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      rates.push_back(rates_of(counts[i], significance / shares, thresholds[i]));
    }
    return rates;
  };
  return {name, thresholds, all, all, counts.front()};
}

/// Every score as a threshold, the significance shared by all ends: wider than simultaneous bands. Ends are computed
/// at the corners of the observed curve only, which all were paid for.
RatesAt every_score(const Scores& scores) {
  std::vector<double> thresholds = scores.in;
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  std::vector<double> in = scores.in, out = scores.out;
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end());
  const auto above = [](const std::vector<double>& sorted, double threshold) {
    return static_cast<std::uint64_t>(sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), threshold));
  };
  const auto counts_of = [&](double threshold) {
    return MultiRun{above(in, threshold), in.size(), above(out, threshold), out.size()};
  };
  std::vector<Rates> observed;
  for (const double threshold : thresholds) {
    const MultiRun counts = counts_of(threshold);
    observed.push_back({threshold, static_cast<double>(counts.true_positives) / static_cast<double>(in.size()),
                        static_cast<double>(counts.false_positives) / static_cast<double>(out.size())});
  }
  std::vector<std::pair<double, MultiRun>> kept;
  for (const Rates& one : corners(std::move(observed))) {
    kept.emplace_back(one.threshold, counts_of(one.threshold));
  }
  const auto ends = static_cast<double>(std::max(in.size(), out.size()));
  return [=](double significance) {
    std::vector<Rates> rates;
    for (const auto& [threshold, counts] : kept) {
      rates.push_back(rates_of(counts, significance / ends, threshold));
    }
    return rates;
  };
}

Rule rule_of(const Scores& scores, const MultiRunQuestion& question) {
  constexpr std::size_t enough = 200;
  const std::size_t least = std::min(scores.in.size(), scores.out.size());
  const std::string text = question.thresholds.empty() ? (least >= enough ? "split" : "all") : question.thresholds;
  if (text == "all") {
    constexpr std::size_t most = 20000;
    if (std::max(scores.in.size(), scores.out.size()) > most) {
      throw UsageError("--thresholds: all is for at most 20000 scores of each kind; take split or grid:K");
    }
    return {text,
            {},
            [&scores](double significance) {
              std::vector<Rates> rates;
              for (const auto& one : inference::simultaneous_rates(scores.in, scores.out, significance)) {
                rates.push_back({one.threshold, one.true_positive_rate_lower, one.false_positive_rate_upper});
              }
              return rates;
            },
            every_score(scores),
            {0, scores.in.size(), 0, scores.out.size()}};
  }
  const auto size = grid_size(text);
  if (text == "split" || size) {
    const auto in = shuffled(scores.in, question.seed, 0), out = shuffled(scores.out, question.seed, 1);
    const auto pilot = [&](const std::vector<double>& all) {
      return static_cast<std::size_t>(question.pilot_share * static_cast<double>(all.size()));
    };
    const std::size_t first_in = pilot(in), first_out = pilot(out);
    if (first_in == 0 || first_out == 0) {
      throw UsageError("--pilot-share: leaves no score of a kind for the pilot");
    }
    const std::span pilot_in(in.data(), first_in), pilot_out(out.data(), first_out);
    std::vector<double> thresholds;
    if (size) {
      std::vector<double> all(pilot_in.begin(), pilot_in.end());
      all.insert(all.end(), pilot_out.begin(), pilot_out.end());
      std::sort(all.begin(), all.end());
      for (std::uint64_t k = 1; k <= *size; ++k) {
        thresholds.push_back(all[all.size() * k / (*size + 1)]);
      }
    } else {
      thresholds.push_back(
          inference::pilot_threshold(pilot_in, pilot_out, question.audit.significance, deltas_of(question.audit).front()));
    }
    return fixed_rule(text, {in.begin() + static_cast<std::ptrdiff_t>(first_in), in.end()},
                      {out.begin() + static_cast<std::ptrdiff_t>(first_out), out.end()}, thresholds);
  }
  char* end = nullptr;
  const double threshold = std::strtod(text.c_str(), &end);
  if (*end != '\0' || std::isnan(threshold)) {
    throw UsageError("--thresholds: \"" + text + "\" is neither a number nor split, grid:K or all");
  }
  return fixed_rule("fixed", scores.in, scores.out, {threshold});
}

Record thresholds_record(const std::string& rule, const std::vector<double>& tried) {
  return {{"rule", {rule}}, {"tried", {tried}}};
}

// --- one run --------------------------------------------------------------------------------------------------------

/// The guesses "in" and "out" of the scores. Ties are broken against the guesser: no order of the file can help.
OneRun guessed(const Scores& scores, std::uint64_t guesses, bool two_sided) {
  std::vector<std::pair<double, bool>> all;
  for (const double score : scores.in) {
    all.emplace_back(score, true);
  }
  for (const double score : scores.out) {
    all.emplace_back(score, false);
  }
  const std::uint64_t of_in = two_sided ? guesses - guesses / 2 : guesses;
  OneRun counts{all.size(), guesses, 0};
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : !a.second && b.second;
  });
  counts.correct = static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of_in), [](const auto& one) { return one.second; }));
  if (two_sided) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second && !b.second;
    });
    counts.correct += static_cast<std::uint64_t>(
        std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(guesses - of_in),
                      [](const auto& one) { return !one.second; }));
  }
  return counts;
}

/// The same for canaries that are answered independently. Given the answers the coins are independent, and each guess
/// is right with at most the chance (1 + TV)/2 on the mean: the right guesses are at most Binomial.
void judge_independent(Audit& audit, const OneRun& counts, const AuditQuestion& question, bool two_sided,
                       const Promises* promises, bool drawn) {
  if (counts.guesses != counts.canaries || !two_sided) {
    throw UsageError(
        "--independent-canaries: needs a guess of every canary (--guesses as many, --two-sided-guesses): which guesses "
        "are the surest depends on all canaries");
  }
  const char* condition = "the canaries are independent releases";
  constexpr double inward = 1.0 - 1e-12;
  const double right =
      inference::clopper_pearson(counts.correct, counts.canaries, 2.0 * question.significance).lower * inward;
  const double mu = right > 0.5 ? 2.0 * numerics::normal_quantile(right) * inward : 0.0;
  audit.add("mu", "mu", std::nullopt, std::max(0.0, mu), "binomial", "audit/product-null", condition);
  std::vector<double> epsilons;
  for (const double delta : deltas_of(question)) {
    const double odds = (right - delta) / (1.0 - right);  // right <= (e^epsilon + delta) / (1 + e^epsilon)
    epsilons.push_back(odds > 1.0 ? std::log(odds) * inward : 0.0);
    audit.add("epsilon", "epsilon at delta " + shortest(delta), delta, epsilons.back(), "binomial",
              "audit/product-null", condition);
  }
  auto run = held(promises, deltas_of(question).front());
  if (run) {
    const auto p_value = [&](double total_variation) {
      const double best = 0.5 * (1.0 + std::min(total_variation, 1.0 - 1e-15)) * (1.0 + 1e-15);
      return std::min(1.0, inference::approximate_dp_p_value(counts, std::log(best / (1.0 - best)), 0.0));
    };
    const Enclosure total = run->theorem.about.curve->delta(0.0).value;
    Enclosure p{p_value(total.lower), p_value(total.upper)};
    p.lower = std::min(p.lower, p.upper);
    conclude(audit, *run, p.upper <= question.significance, p.lower <= question.significance, epsilons.front(), mu, p);
  }
  if (drawn) {
    audit.report.plot = rates_plot(run ? &*run : nullptr, {}, mu, "audit of one run, independent canaries");
  }
}

/// The bounds of counts that share the significance, and the verdict.
void judge_guesses(Audit& audit, const std::vector<OneRun>& tried, const AuditQuestion& question, bool two_sided,
                   OneRunMethod method, const Promises* promises, bool drawn) {
  const auto deltas = deltas_of(question);
  const auto shares = static_cast<double>(tried.size());
  const double significance = question.significance / shares;
  const Guesses guesses = two_sided ? Guesses::two_sided : Guesses::one_sided;
  double mu = 0.0;
  for (const OneRun& counts : tried) {
    mu = std::max(mu, inference::one_run_mu(counts, significance, guesses));
  }
  audit.add("mu", std::string("mu (f-DP, ") + (two_sided ? "two" : "one") + "-sided guesses)", std::nullopt, mu,
            "recursion", two_sided ? "audit/one-run-fdp" : "audit/one-sided");
  std::vector<double> epsilons;
  for (const double delta : deltas) {
    double epsilon = 0.0;
    for (const OneRun& counts : tried) {
      epsilon = std::max(epsilon, inference::one_run_epsilon(counts, significance, delta));
    }
    epsilons.push_back(epsilon);
    audit.add("epsilon", "epsilon at delta " + shortest(delta), delta, epsilon, "Steinke et al.",
              "audit/one-run-epsilon-delta");
  }
  add_gaussian(audit, mu, deltas, two_sided ? "audit/one-run-fdp" : "audit/one-sided");
  auto run = held(promises, deltas.front());
  if (run) {
    const auto p_value = [&](bool upper_end) {
      double least = 1.0;
      attack::Attack& attack = run->theorem.attack;
      const auto rate = method == OneRunMethod::fdp
                            ? (upper_end ? attack.least_rate(!two_sided) : attack.least_rate_above(!two_sided))
                            : inference::LeastRate{};
      for (const OneRun& counts : tried) {
        const double one = method == OneRunMethod::fdp
                               ? inference::fdp_p_value(counts, rate, guesses)
                               : inference::approximate_dp_p_value(
                                     counts, std::min(700.0, upper_end ? run->epsilon.upper : run->epsilon.lower), run->delta);
        least = std::min(least, one);
      }
      return std::min(1.0, shares * least);
    };
    Enclosure p{p_value(false), p_value(true)};
    p.lower = std::min(p.lower, p.upper);
    conclude(audit, *run, p.upper <= question.significance, p.lower <= question.significance, epsilons.front(), mu, p);
  }
  if (drawn) {
    audit.report.plot = rates_plot(run ? &*run : nullptr, {}, mu, "audit of one run");
  }
}

Record counts_record(const MultiRun& counts, bool counted) {
  Record record{{"canaries_in", to_value(counts.canaries_in)}, {"canaries_out", to_value(counts.canaries_out)}};
  if (counted) {
    record.add("true_positives", to_value(counts.true_positives));
    record.add("false_positives", to_value(counts.false_positives));
  }
  return record;
}

Record counts_record(const OneRun& counts) {
  return {{"canaries", to_value(counts.canaries)}, {"guesses", to_value(counts.guesses)}, {"correct", to_value(counts.correct)}};
}

std::string guesses_text(const OneRun& counts, bool two_sided) {
  return std::to_string(counts.canaries) + " canaries, " + std::to_string(counts.guesses) +
         (two_sided ? " guesses, " : " guesses \"in\", ") + std::to_string(counts.correct) + " right";
}

/// What a perfect attack would prove, and which confidence bounds have.
std::string ceiling_text(const MultiRun& sizes, double significance, std::size_t thresholds = 1) {
  const double share = significance / static_cast<double>(std::max<std::size_t>(thresholds, 1));
  return "Each bound holds with confidence " + shortest(1.0 - significance) + ". A perfect attack on these sizes proves epsilon " +
         at_least(inference::multi_run(sizes, share, 0.0).ceiling, 4) + ".\n";
}

Record inputs_of(const char* kind, const Promises* run, Record setting) {
  setting.add("kind", {kind});
  if (run != nullptr) {
    setting.add("algorithm", {run->algorithm});
  }
  return setting;
}

}  // namespace

Report audit_multi_run(const Scores& scores, const MultiRunQuestion& question, const Promises* run, bool drawn) {
  require(question);
  if (scores.in.empty() || scores.out.empty()) {
    throw UsageError(std::string("member: no score is of a canary that was ") + (scores.in.empty() ? "in" : "out"));
  }
  if (!scores.repeated_run.empty()) {
    throw UsageError("run: \"" + scores.repeated_run +
                     "\" has several scores: scores of one run are not independent; use one-run");
  }
  const double significance = question.audit.significance;
  Audit audit = begin(inputs_of("multi-run", run, to_record(question)), significance);
  const Rule rule = rule_of(scores, question);
  audit.report.results = {{"counts", {counts_record(rule.sizes, rule.tried.size() == 1)}},
                          {"thresholds", {thresholds_record(rule.name, rule.tried)}}};
  judge_rates(audit, rule.rates, rule.coarser, rule.name != "all", question.audit, deltas_of(question.audit),
              question.both_sides, run, drawn);
  audit.report.blocks.insert(audit.report.blocks.begin(), {ceiling_text(rule.sizes, significance, rule.tried.size()), std::nullopt});
  std::string heading = "audit of many runs: " + std::to_string(scores.in.size()) + " with the canary, " +
                        std::to_string(scores.out.size()) + " without, significance " + shortest(significance) +
                        ", thresholds " + rule.name;
  if (rule.tried.size() == 1) {
    heading += " at " + shortest(rule.tried.front()) + ": " + std::to_string(rule.sizes.true_positives) + " of " +
               std::to_string(rule.sizes.canaries_in) + " and " + std::to_string(rule.sizes.false_positives) + " of " +
               std::to_string(rule.sizes.canaries_out) + " above";
  }
  return finished(audit, heading + "\n");
}

Report audit_one_run(const Scores& scores, const OneRunQuestion& question, const Promises* run, bool drawn) {
  require(question);
  const std::uint64_t canaries = scores.in.size() + scores.out.size();
  if (canaries == 0) {
    throw UsageError("score: there is none");
  }
  if (scores.runs > 1) {
    throw UsageError("run: there are " + std::to_string(scores.runs) + " runs; use multi-run");
  }
  if (!scores.repeated_canary.empty()) {
    throw UsageError("canary: \"" + scores.repeated_canary + "\" stands twice in one run");
  }
  if (!question.thresholds.empty() && !grid_size(question.thresholds)) {
    throw UsageError("--thresholds: \"" + question.thresholds + "\" is not grid:K: the number of guesses is fixed by --guesses");
  }
  const auto share = static_cast<std::uint64_t>(std::ceil(question.guess_share * static_cast<double>(canaries)));
  const std::uint64_t guesses = question.guesses.value_or(share);
  if (guesses > canaries) {
    throw UsageError("--guesses: " + std::to_string(guesses) + " is outside {1, ..., " + std::to_string(canaries) +
                     "}, the number of canaries");
  }
  std::vector<OneRun> tried;
  std::vector<double> numbers;
  const auto size = grid_size(question.thresholds).value_or(1);
  for (std::uint64_t k = 0; k < size; ++k) {
    const double part = size == 1 ? 0.0 : static_cast<double>(k) / static_cast<double>(size - 1);
    const double wanted = size == 1 ? static_cast<double>(guesses) : std::ceil(static_cast<double>(canaries) * std::pow(0.01, 1.0 - part));
    tried.push_back(guessed(scores, static_cast<std::uint64_t>(wanted), question.two_sided_guesses));
    numbers.push_back(wanted);
  }
  Audit audit = begin(inputs_of("one-run", run, to_record(question)), question.audit.significance);
  audit.report.results = {{"counts", {counts_record(tried.front())}},
                          {"thresholds", {thresholds_record(size == 1 ? "fixed" : question.thresholds, numbers)}}};
  if (question.independent_canaries) {
    judge_independent(audit, tried.front(), question.audit, question.two_sided_guesses && size == 1, run, drawn);
  } else {
    judge_guesses(audit, tried, question.audit, question.two_sided_guesses, question.method, run, drawn);
  }
  std::string heading = "audit of one run: " + guesses_text(tried.front(), question.two_sided_guesses) +
                        ", significance " + shortest(question.audit.significance);
  if (size > 1) {
    heading = "audit of one run: " + std::to_string(canaries) + " canaries, " + std::to_string(size) +
              " numbers of guesses, significance " + shortest(question.audit.significance) + " for all together";
  }
  std::string warning;
  if (!inference::coins_look_fair(scores.in.size(), canaries)) {
    warning = "COINS-UNFAIR: the coins do not look fair: " + std::to_string(scores.in.size()) + " of " +
              std::to_string(canaries) + " canaries are in; the bounds need fair ones\n";
    audit.report.results.add("warnings", {List{{warning.substr(0, warning.size() - 1)}}});
  }
  audit.report.blocks.insert(
      audit.report.blocks.begin(),
      {warning + "Each bound holds with confidence " + shortest(audit.level) +
           (question.independent_canaries ? ", ONLY IF each canary is answered by a release of its own, independent of "
                                            "the others: where the mechanism correlates them it may be above the truth "
                                            "most of the time.\n"
                                          : ", whatever the mechanism correlates; canaries are not taken for "
                                            "independent.\n"),
       std::nullopt});
  return finished(audit, heading + "\n");
}

Report audit_counts(const CountsQuestion& question, const Promises* run, bool drawn) {
  require(question);
  const auto& q = question;
  const bool many = q.true_positives || q.canaries_in || q.false_positives || q.canaries_out;
  const bool one = q.canaries || q.guesses || q.correct;
  if (many == one) {
    throw UsageError("--true-positives: give --true-positives, --canaries-in, --false-positives and --canaries-out, or "
                     "--canaries, --guesses and --correct");
  }
  const auto needed = [](const std::optional<std::uint64_t>& value, const char* option) {
    if (!value) {
      throw UsageError(std::string(option) + ": is required");
    }
    return *value;
  };
  const auto ordered = [](std::uint64_t part, std::uint64_t whole, const char* option, const char* of) {
    if (part > whole) {
      throw UsageError(std::string(option) + ": " + std::to_string(part) + " is more than " + of + ", " + std::to_string(whole));
    }
  };
  Audit audit = begin(inputs_of("counts", run, to_record(question)), q.audit.significance);
  if (one) {
    const OneRun counts{needed(q.canaries, "--canaries"), needed(q.guesses, "--guesses"), needed(q.correct, "--correct")};
    ordered(counts.guesses, counts.canaries, "--guesses", "--canaries");
    ordered(counts.correct, counts.guesses, "--correct", "--guesses");
    audit.report.results = {{"counts", {counts_record(counts)}},
                            {"thresholds", {thresholds_record("fixed", {static_cast<double>(counts.guesses)})}}};
    if (q.independent_canaries) {
      judge_independent(audit, counts, q.audit, q.two_sided_guesses, run, drawn);
    } else {
      judge_guesses(audit, {counts}, q.audit, q.two_sided_guesses, q.method, run, drawn);
    }
    return finished(audit, "audit of one run: " + guesses_text(counts, q.two_sided_guesses) + ", significance " +
                               shortest(q.audit.significance) + "\n");
  }
  const MultiRun counts{needed(q.true_positives, "--true-positives"), needed(q.canaries_in, "--canaries-in"),
                        needed(q.false_positives, "--false-positives"), needed(q.canaries_out, "--canaries-out")};
  ordered(counts.true_positives, counts.canaries_in, "--true-positives", "--canaries-in");
  ordered(counts.false_positives, counts.canaries_out, "--false-positives", "--canaries-out");
  audit.report.results = {{"counts", {counts_record(counts, true)}}, {"thresholds", {thresholds_record("fixed", {})}}};
  const RatesAt rates = [&](double significance) { return std::vector{rates_of(counts, significance, std::nan(""))}; };
  judge_rates(audit, rates, rates, true, q.audit, deltas_of(q.audit), q.both_sides, run, drawn);
  audit.report.blocks.insert(audit.report.blocks.begin(), {ceiling_text(counts, q.audit.significance), std::nullopt});
  return finished(audit, "audit of many runs: " + std::to_string(counts.true_positives) + " of " +
                             std::to_string(counts.canaries_in) + " with and " + std::to_string(counts.false_positives) +
                             " of " + std::to_string(counts.canaries_out) + " without the canary said to be in, significance " +
                             shortest(q.audit.significance) + "\n");
}

}  // namespace dpcurves::queries
