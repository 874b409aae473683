// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/interpolation/lower_bounds.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using interpolation::ConstrainedDrift;

/// Zero losses on [-1/2, 1/2]; the differing one drifts by s once in `batches` steps.
struct DriftExample {
  double s, noise;
  std::size_t epochs, batches = 1;

  [[nodiscard]] ConstrainedDrift drift() const {
    return {s, 1.0, noise, static_cast<double>(epochs), static_cast<double>(batches)};
  }
  [[nodiscard]] double u() const { return s / (static_cast<double>(batches) * noise * noise); }
  [[nodiscard]] Descent descent(bool opposite) const {
    return {{0.0, 0.0}, 1.0, noise, opposite ? -0.5 * s : 0.0, opposite ? 0.5 * s : s, 0.5};
  }
  [[nodiscard]] simulate::LawPair laws(bool opposite) const {
    return exact_laws(cyclic_chains(descent(opposite), batches, batches), batches * epochs);
  }
  [[nodiscard]] std::string text() const {
    return "D = 1, s = " + shortest(s) + ", noise = " + shortest(noise) + ", l = " + std::to_string(batches) +
           ", E = " + std::to_string(epochs) + ", u = " + rounded(u(), 4);
  }
};

void explicit_bound(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/derived-5";
  const auto gaussian_part = [](const DriftExample& e) {
    const double t = static_cast<double>(e.epochs * e.batches);
    return numerics::normal_cdf(-(static_cast<double>(e.epochs) * e.s - 0.5) / (std::sqrt(t) * e.noise));
  };
  for (const DriftExample& e : {DriftExample{0.1, 0.3, 100},
                                {0.1, 0.3, 12},
                                {0.1, 0.15, 100},
                                {0.025, 0.05, 300},
                                {0.025, 0.05, 60},
                                {0.025, 0.05, 40, 4},
                                {0.05, 0.1, 60, 3}}) {
    const auto laws = e.laws(false);
    const double event = laws.lower_tail_second(0.0);
    const auto bound = constrained_lower_bound(e.drift());
    const auto compare = [&](Trial& trial, double q) {
      trial.require(event * (1.0 - 1e-9) <= q, e.text() + ", P(X' <= 0) with the drift",
                    rounded(event, 8) + " <= " + rounded(q, 8), Measurement::at_most(event, q).exact(1e-9 * event));
    };
    compare(outcome.claim, bound.event_probability_bound);
    compare(outcome.control, 0.53 * bound.event_probability_bound);
    compare(outcome.control, gaussian_part(e));
    outcome.claim.setup("the calculator");
    outcome.claim.close(bound.event_probability_bound, std::exp(-e.u()) + gaussian_part(e), 1e-12,
                        "q of the calculator");
    outcome.claim.setup("without the drift");
    outcome.claim.close(laws.lower_tail_first(0.0), 0.5, 1e-9, e.text() + ", P(X <= 0) without the drift");
    outcome.claim.group("claim");
    outcome.claim.at_most(bound.mu.lower, laws.largest_effective_mu(1e-12) + law_accuracy,
                          e.text() + ", the lower bound against the exact law");
  }
  const DriftExample e{0.1, 0.15, 60};
  const auto process = simulated(e.descent(false), e.epochs);
  const std::size_t paths = setting.size(100000, 2000000);
  const auto x = simulate::final_iterates(process, losses_of(e.descent(false), e.s, 1, 1.0), paths,
                                          seed_of(setting, id), 0, setting.threads);
  const auto hits =
      static_cast<std::uint64_t>(std::count_if(x.begin(), x.end(), [](double value) { return value <= 0.0; }));
  const auto interval = inference::clopper_pearson(hits, paths, miss_per_interval);
  const auto simulated_compare = [&](Trial& trial, double q) {
    const double share = static_cast<double>(hits) / static_cast<double>(paths);
    trial.require(interval.lower <= q, "simulated, " + e.text() + ", P(X' <= 0)",
                  rounded(share, 6) + ", at least " + rounded(interval.lower, 6) + ", claimed at most " + rounded(q, 6),
                  Measurement::at_most(share, q).interval(interval.lower, interval.upper));
    trial.count_runs(paths);
  };
  const double q = constrained_lower_bound(e.drift()).event_probability_bound;
  outcome.claim.group("simulated");
  outcome.control.group("simulated");
  simulated_compare(outcome.claim, q);
  simulated_compare(outcome.control, 0.27 * q);
  outcome.claim.group("claim");

  io::Plot plot{.title = "Noisy GD on a set of diameter D, many steps, D/s = 10",
                .x = {"u = s D/noise^2", true, 0.5, 100.0},
                .y = {"mu", true, 0.3, 30.0},
                .legend = io::Legend::top_left};
  std::vector<double> u, upper, lower, exact_u, one_sided, opposite;
  for (double value = 0.5; value <= 101.0; value *= 1.1) {
    u.push_back(value);
    upper.push_back(2.0 * std::sqrt(value));
    lower.push_back(interpolation::constrained_lower_bound({0.1, 1.0, std::sqrt(0.1 / value), 1000.0, 1.0}).mu.lower);
  }
  for (const double value : {1.0, 2.5, 5.0, 10.0, 20.0, 35.0}) {
    const DriftExample at{0.1, std::sqrt(0.1 / value), 150};
    exact_u.push_back(value);
    one_sided.push_back(at.laws(false).largest_effective_mu(1e-12));
    opposite.push_back(at.laws(true).largest_effective_mu(1e-12));
    outcome.claim.at_most(std::max(one_sided.back(), opposite.back()) - law_accuracy, 2.0 * std::sqrt(value),
                          "below Theorem 4.3, " + at.text());
  }
  plot.series = {io::line("Theorem 4.3: 2 sqrt(u)", u, upper),
                 io::points("exact law, opposite drifts", exact_u, opposite),
                 io::points("exact law, one drift", exact_u, one_sided), io::line("explicit lower bound", u, lower)};
  outcome.figures.push_back({"Upper and lower bound and what two losses attain", std::move(plot)});
}

void universal_constants(const Setting&, Outcome& outcome) {
  const double c1_squared = 8e-4;
  // sigma^2 <= c0 L D/(eta n) means u >= 1/c0; then no mu below c1 sqrt(u) is valid for t >= D/s.
  const auto proof_inequality = [&](Trial& trial, double c0) {
    for (const double factor : {1.0, 1.5, 3.0, 20.0}) {
      const double u = factor / c0;
      const double left = std::exp(-0.09 * u / 5.6) + std::exp(-0.01 * u / 5.6);
      const double right = std::exp(-c1_squared * u) * (0.5 - numerics::normal_cdf(-0.5));
      trial.at_most(
          left / right, 1.0,
          "c0 = " + rounded(c0, 6) + ", c1^2 = 8e-4, u = " + rounded(u, 6) + ": the sides of the proof's inequality");
    }
  };
  const auto c0 = interpolation::largest_c0(c1_squared);
  outcome.claim.close(c0.lower, 5.96295e-4, 1e-5, "largest c0 for c1^2 = 8e-4");
  proof_inequality(outcome.claim, c0.lower);
  proof_inequality(outcome.control, 1.05 * c0.upper);

  const auto valid_mu_above = [&](Trial& trial, double c1) {
    for (const double u : {1.0 / c0.lower, 1e4, 1e6}) {
      for (const double steps : {10.0, 1000.0}) {  // t = D/s, the fewest that the theorem covers
        const auto bound =
            interpolation::constrained_lower_bound({1.0 / steps, 1.0, std::sqrt(1.0 / (steps * u)), steps, 1.0});
        trial.at_most(c1 * std::sqrt(u), bound.mu.lower,
                      "c1 = " + rounded(c1, 4) + ", u = " + rounded(u, 6) + ", t = D/s = " + shortest(steps) +
                          ": c1 sqrt(u) against the explicit lower bound");
      }
    }
    trial.group("exact laws");
    // Opposite drifts at moderate noise, outside the range of c0: far above c1 sqrt(u) as well.
    for (const DriftExample& e : {DriftExample{0.1, 0.3, 12}, {0.1, 0.3, 40}, {0.1, 0.3, 200}, {0.025, 0.05, 300}}) {
      const double measured = e.laws(true).largest_effective_mu(), claimed = c1 * std::sqrt(e.u());
      trial.require(measured >= claimed, e.text() + ": mu of the exact law against c1 sqrt(u)",
                    rounded(measured, 6) + " >= " + rounded(claimed, 6),
                    Measurement::at_least(measured, claimed).exact());
    }
  };
  valid_mu_above(outcome.claim, std::sqrt(c1_squared));
  valid_mu_above(outcome.control, 2.0);
}

}  // namespace

std::vector<Case> lower_bounds_cases() {
  return {
      {"shifted-interpolation/theorem-c.16",
       "With c1^2 = 8e-4 and c0 = 5.96e-4, sigma^2 <= c0 L D/(eta n), D/s >= 10 and t >= D/s imply that no mu below "
       "c1 sqrt(L D/(eta n))/sigma is valid.",
       "The inequality of the corrected proof (0.09/5.6 for the printed 0.9/5.6) at u = 1/c0 to 20/c0; the explicit "
       "lower bound at u up to 1e6 and t = D/s; exact laws of opposite drifts at u = 1.1 and 10.",
       "c0 larger by 5 percent, and c1 = 2.", universal_constants},
      {"shifted-interpolation/derived-5",
       "With one drift s every l steps in a box of diameter D, P(X' <= 0) <= q = exp(-s D/(l v^2)) + "
       "Phi(-(E s - D/2)/(sqrt(l E) v)) while P(X <= 0) = 1/2, so that no mu below -Phi^{-1}(q) is valid.",
       "Exact laws in seven settings, u from 1.1 to 10, l = 1, 3, 4, and along u; 100,000 simulated runs (nightly "
       "2,000,000) of one.",
       "0.53 of q, for the runs 0.27 of it; the term exp(-s D/(l v^2)) dropped.", explicit_bound},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
