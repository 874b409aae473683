// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Audits of many runs: rates at thresholds that hold together, against the certified curve.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/simultaneous.hpp>
#include <dpcurves/numerics/convex.hpp>
#include <dpcurves/queries/detail/audit_parts.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::queries::audits {
namespace {

using inference::MultiRun;

/// Corners of the least concave curve above the rates: if none is above a concave curve, no point is.
std::vector<Rates> corners(std::vector<Rates> rates) {
  std::sort(rates.begin(), rates.end(), [](const Rates& a, const Rates& b) { return a.rate < b.rate; });
  std::vector<double> x, y;
  for (const Rates& one : rates) {
    x.push_back(one.rate);
    y.push_back(-one.power);
  }
  return mapped(numerics::lower_convex_hull(x, y), [&](std::size_t i) { return rates[i]; });
}

/// Whether an end of the certified curve lies below a point that holds.
bool rejected(Held& run, const std::vector<Rates>& rates, bool upper_end) {
  return std::any_of(rates.begin(), rates.end(), [&](const Rates& one) {
    const Enclosure most = run.theorem.attack.reconstruction(one.rate).value.power;  // T of `remove`
    return one.power > (upper_end ? most.upper : most.lower);
  });
}

/// The same by what is known of the curve, on the side of the end: never rejected where the upper end is not.
bool rejected_by_known(Held& run, const std::vector<Rates>& rates, bool upper_end) {
  return std::any_of(rates.begin(), rates.end(), [&](const Rates& one) {
    const Enclosure most = run.theorem.attack.known_reconstruction(one.rate);
    return one.power > (upper_end ? most.upper : most.lower);
  });
}

/// The least significance at which the end is rejected, rounded up, or for the lower end down by what is known of the
/// curve. Found by what is known; then more is asked where that led, until it leads there again.
double p_value(Held& run, const RatesAt& rates, bool upper_end, int halvings) {
  constexpr double largest = 0.4999, smallest = 1e-12;
  constexpr int most_rounds = 12;
  if (!rejected(run, rates(largest), upper_end)) {
    return 1.0;
  }
  const double width = std::ldexp(std::log(largest) - std::log(smallest), -halvings);
  double found = std::log(largest);
  for (int round = 0; round < most_rounds; ++round) {
    double low = std::log(smallest), high = std::log(largest);
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (rejected_by_known(run, rates(std::exp(middle)), upper_end) ? high : low) = middle;
    }
    const bool again = std::abs(high - found) > 2.0 * width;
    found = high;
    if (!again) {
      break;
    }
    static_cast<void>(rejected(run, rates(std::exp(found)), upper_end));  // asks around there
  }
  return std::exp(found);
}

/// The scores in an order that does not depend on them.
std::vector<double> shuffled(const std::vector<double>& scores, std::uint64_t seed, std::uint32_t path) {
  std::vector<std::uint32_t> order(scores.size());
  random::Words words(seed, random::Purpose::sampling, path, 0);
  random::subset(order, static_cast<std::uint32_t>(scores.size()), words);
  return mapped(order, [&](std::uint32_t i) { return scores[i]; });
}

Rule fixed_rule(const std::string& name, const std::vector<double>& in, const std::vector<double>& out,
                const std::vector<double>& thresholds) {
  std::vector<MultiRun> counts;
  for (const double threshold : thresholds) {
    counts.push_back(inference::counts_at(in, out, threshold));
  }
  const auto shares = static_cast<double>(thresholds.size());
  const RatesAt all = [=](double significance) {
    return mapped(counts.size(),
                  [&](std::size_t i) { return rates_of(counts[i], significance / shares, thresholds[i]); });
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

}  // namespace

Rates rates_of(const MultiRun& counts, double significance, double threshold) {
  const auto bounds = inference::multi_run(counts, significance, 0.0);
  return {threshold, bounds.true_positive_rate_lower, bounds.false_positive_rate_upper};
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
  io::Plot plot{
      .title = title, .x = {"false positive rate", true, lowest, 1.0}, .y = {"true positive rate", false, 0.0, 1.0}};
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
    add("audited: if Gaussian, mu at least " + rounded_down(mu, 3), gaussian, false);
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
        // The same two ends: out is said of at least 1 - rate of the runs without, and of at most 1 - power of those
        // with.
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
  audit.add("true-positive-rate", "TPR at FPR <= " + rounded_up(best->rate, 4), std::nullopt, best->power,
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
    add_caption(*audit.report.plot, audit.report.inputs, {"kind", "algorithm"});
  }
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
      thresholds.push_back(inference::pilot_threshold(pilot_in, pilot_out, question.audit.significance,
                                                      deltas_of(question.audit).front()));
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

}  // namespace dpcurves::queries::audits
