// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Audits of one run: right guesses of coins, against the certified curve.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/queries/detail/audit_parts.hpp>
#include <dpcurves/queries/detail/caption.hpp>

namespace dpcurves::queries::audits {
namespace {

using inference::Guesses;
using inference::OneRun;

}  // namespace

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
  counts.correct = static_cast<std::uint64_t>(std::count_if(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(of_in), [](const auto& one) { return one.second; }));
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
    add_caption(*audit.report.plot, audit.report.inputs, {"kind", "algorithm"});
  }
}

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
        const double one =
            method == OneRunMethod::fdp
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
    add_caption(*audit.report.plot, audit.report.inputs, {"kind", "algorithm"});
  }
}

}  // namespace dpcurves::queries::audits
