// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Counts of active filters, orthants and chords: exact probabilities against the corrected and the printed bounds.
#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <dpcurves/bounds/long_tail_activation.hpp>
#include <dpcurves/bounds/long_tail_orthant.hpp>
#include <dpcurves/bounds/long_tail_training.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/sums.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::long_tail_memorization {
namespace {

void half_activation(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  const int most = setting.nightly ? 2000 : 200;
  for (const double fraction : {0.25, 0.4}) {
    for (int m = 1; m <= most; ++m) {
      const auto tail = bounds::half_activation_tail(m, fraction);
      trial.at_most(tail.exact, broken ? tail.printed : tail.hoeffding,
                    "P(Bin(" + std::to_string(m) + ", 1/2) < " + rounded(fraction, 2) + " m)");
    }
  }
}

Figure half_activation_figure() {
  std::vector<double> m, exact, corrected, printed;
  for (int filters = 1; filters <= 200; ++filters) {
    const auto tail = bounds::half_activation_tail(filters, 0.4);
    m.push_back(filters);
    exact.push_back(tail.exact);
    corrected.push_back(tail.hoeffding);
    printed.push_back(tail.printed);
  }
  io::Plot plot{.title = "Less than 0.4 m of m fair signs",
                .x = {"filters m", false, 0.0, 200.0},
                .y = {"probability", true, 1e-10, 2.0},
                .legend = io::Legend::bottom_right,
                .series = {io::points("exact", m, exact), io::line("corrected: exp(-m/50)", m, corrected),
                           io::dashed("printed: exp(-8 m/25)", m, printed)}};
  return {"Lemma 9: exact chance, corrected and printed bound", plot};
}

Figure orthant_figure() {
  std::vector<double> m, printed;
  io::Plot plot{.title = "Largest orthant probability of m correlated normals",
                .x = {"entries m", true, 1.0, 1000.0},
                .y = {"probability", true, 1e-20, 1.0},
                .legend = io::Legend::bottom_left};
  for (int i = 0; i <= 60; ++i) {
    m.push_back(std::max(1.0, std::round(std::pow(10.0, 0.05 * i))));
    printed.push_back(std::pow(0.6, m.back()));
  }
  for (const double kappa2 : {2.0, 5.0, 20.0, 100.0}) {
    std::vector<double> exact;
    for (const double entries : m) {
      exact.push_back(std::exp(bounds::log_one_factor_orthant(entries, kappa2)));
    }
    plot.series.push_back(io::line("exact, squared condition number " + rounded(kappa2, 3), m, exact));
  }
  plot.series.push_back(io::dashed("printed: 0.6^m", m, printed));
  return {"Lemma 14: the one-factor orthant probability and the printed bound", plot};
}

void sign_fractions(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  const int most = setting.nightly ? 200 : 30;
  for (int d = 1; d <= most; ++d) {
    for (int k = 1; k <= d; ++k) {
      const auto fraction = bounds::sign_fraction(d, 0.5 * k / d);
      trial.at_most(fraction.exact, broken ? fraction.printed : fraction.corrected,
                    "d = " + std::to_string(d) + ", t = " + rounded(0.5 * k / d, 3));
    }
  }
}

void chord(const Setting& /*setting*/, Trial& trial, bool broken) {
  for (const double t : {1e-300, 1e-9, 0.1, 0.5, 0.9, 1.0 - 1e-10, 1.0}) {
    for (const double a : {1e-6, 0.5, 5.0, 60.0}) {
      for (const double x : {-a, -0.9 * a, -0.3 * a, -1e-3 * a, 0.0, 1e-6, 0.5, 30.0, 800.0}) {
        const auto at = bounds::log_mixture_chord(t, a, x);
        const double bound = broken ? t * x : at.bound;  // broken: the tangent at 0
        trial.at_most(at.value, bound + 4e-15 * std::abs(bound), "t = " + rounded(t, 3) + ", x = " + rounded(x, 3));
      }
    }
  }
}

/// Lemma 11: the loss is convex in the outputs, also between points that are close or far apart.
void convexity(const Setting& setting, Trial& trial, bool broken) {
  Draws draws(setting, "long-tail-memorization/lemma-11");
  const auto loss = [](const std::vector<double>& f) { return numerics::log_sum_exp(f) - f.front(); };
  for (const double spread : {1e-3, 1.0, 30.0}) {
    for (std::size_t i = 0; i < setting.size(100, 4'000); ++i) {
      const auto a = draws.normals(5), step = draws.normals(5);
      std::vector<double> b(5), middle(5);
      for (std::size_t k = 0; k < 5; ++k) {
        b[k] = a[k] + spread * step[k];
        middle[k] = a[k] + 0.5 * spread * step[k];
      }
      const double mean = 0.5 * (loss(a) + loss(b));
      trial.at_most(loss(middle), mean * (broken ? 1.0 - 1e-3 : 1.0 + 1e-14), "spread " + rounded(spread, 3));
    }
  }
}

void orthants(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  // The integral against both bounds, exactly.
  for (const double kappa2 : {1.5, 2.0, 20.0, 100.0}) {
    for (const double chance : {0.01, 1e-6}) {
      const double m = std::ceil(bounds::orthant_bound(1, 1, kappa2, chance).least_entries);
      const auto bound = bounds::orthant_bound(m, m, kappa2, chance);
      trial.at_most(bound.log_one_factor, broken ? m * std::log(0.6) : std::log(bound.corrected),
                    "log I(" + rounded(m, 6) + ", " + rounded(kappa2, 4) + ")");
    }
  }
  // Rank two: an orthant of arctan(kappa)/pi whatever m is; the bound of full rank says nothing about it.
  const auto rank_two = bounds::orthant_bound(1e6, 2, 100.0, 0.01);
  trial.require(!rank_two.valid, "the corrected bound makes no claim at rank 2");
  if (broken) {
    trial.at_most(rank_two.rank_two, rank_two.printed + 0.01, "rank 2: 0.6^2 + delta");
  }
  // Random matrices of full rank: the likeliest orthant.
  Draws draws(setting, "long-tail-memorization/lemma-14");
  const std::size_t matrices = setting.size(12, 300), trials = setting.size(4000, 40'000);
  for (std::size_t i = 0; i < matrices; ++i) {
    const auto m = static_cast<Eigen::Index>(2 + i % 3);
    const auto entries = draws.normals(static_cast<std::size_t>(m * m));
    const Eigen::Map<const Eigen::MatrixXd> a(entries.data(), m, m);
    const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
    const double kappa = values(0) / values(m - 1);
    std::vector<std::size_t> counts(std::size_t{1} << static_cast<unsigned>(m));
    const auto x = draws.normals(trials * static_cast<std::size_t>(m));
    for (std::size_t draw = 0; draw < trials; ++draw) {
      const Eigen::VectorXd y = a * Eigen::Map<const Eigen::VectorXd>(x.data() + draw * static_cast<std::size_t>(m), m);
      std::size_t orthant = 0;
      for (Eigen::Index k = 0; k < m; ++k) {
        orthant = 2 * orthant + (y(k) > 0.0 ? 1U : 0U);
      }
      ++counts[orthant];
    }
    const double claimed = std::exp(bounds::log_one_factor_orthant(static_cast<double>(m), kappa * kappa));
    const double share =
        static_cast<double>(*std::max_element(counts.begin(), counts.end())) / static_cast<double>(trials);
    const double error = std::sqrt(claimed * (1.0 - claimed) / static_cast<double>(trials));
    trial.at_most(share, claimed + inference::standard_errors * error,
                  "likeliest orthant, kappa = " + rounded(kappa, 4));
    trial.used_intervals(counts.size());
    trial.count_runs(trials);
  }
}

void negative_fractions(const Setting& /*setting*/, Trial& trial, bool broken) {
  trial.by_exact_law();
  for (const auto& [m, kappa2] : {std::pair{200.0, 20.0}, {1000.0, 5.0}, {50.0, 1.0}, {100.0, 100.0}, {400.0, 50.0}}) {
    const auto bound = bounds::negative_fraction(m, kappa2);
    trial.at_most(bounds::one_factor_negative_fraction(m, kappa2), broken ? bound.printed : bound.full_rank,
                  "m = " + rounded(m, 5) + ", kappa^2 = " + rounded(kappa2, 4));
  }
}

/// Lemma 24's explicit form: the same for any fixed matrix of rank at least 0.9 m.
void active_fraction(const Setting& setting, Trial& trial, bool broken) {
  // The last 20 rows repeat the first: a row that occurs twice makes a singular value sqrt(2), so kappa^2 = 2.
  constexpr std::size_t filters = 400, rank = 380;
  Draws draws(setting, "long-tail-memorization/lemma-24");
  const double claimed = bounds::negative_fraction(filters, 2.0).rank_deficient;
  const std::size_t trials = setting.size(4000, 20'000);
  std::size_t few = 0;
  // Broken: a lower bound of a half in place of 0.1 of the filters.
  const std::size_t least = broken ? filters / 2 : filters / 10;
  for (std::size_t i = 0; i < trials; ++i) {
    const auto y = draws.normals(rank);
    std::size_t active = 0;
    for (std::size_t r = 0; r < filters; ++r) {
      active += y[r % rank] > 0.0 ? 1U : 0U;
    }
    few += active <= least ? 1U : 0U;
  }
  covered(trial, few, trials, claimed, "active filters on a fresh patch");
}

Case sizes(const char* id, const char* claim, bool of_filters) {
  return compared(id, claim, "exact binomials and the union, K = 5, m = 100, n = 500, delta from 0.5 to 1e-12",
                  "0.7 of the size", [=](const Setting& /*setting*/, Trial& trial, bool broken) {
                    for (const double chance : {0.5, 0.05, 1e-12}) {
                      const auto size = bounds::activation_sizes(5, 100, 500, chance);
                      const double needed = (of_filters ? size.filters : size.records) * (broken ? 0.7 : 1.0);
                      const double events = of_filters ? 500.0 : 5.0 * 100.0;
                      const double each = bounds::half_activation_tail(std::ceil(needed), 0.4).exact;
                      trial.at_most(events * each, chance, "union at " + rounded(std::ceil(needed), 6));
                    }
                  });
}

}  // namespace

std::vector<Case> long_tail_sign_cases() {
  return {
      compared("long-tail-memorization/lemma-9", "P(less than f m of m fair signs) <= exp(-2 m (1/2 - f)^2)",
               "exact binomials, f = 0.25 and 0.4, m = 1 to 200 (ci)", "the printed exp(-32 m (1/2 - f)^2)",
               half_activation, Verdict::holds, half_activation_figure),
      compared("long-tail-memorization/lemma-10", "log(1 + t (exp(x) - 1)) <= gamma x",
               "t from 1e-300 to 1, x from -60 to 800", "the tangent t x", chord),
      compared("long-tail-memorization/lemma-11", "cross entropy is convex in the outputs",
               "midpoints of 300 pairs of outputs of 5 classes (ci)", "a thousandth less than the mean of the ends",
               convexity),
      compared("long-tail-memorization/lemma-12",
               "the share of positive coordinates is t away from 1/2 with chance at most 2 exp(-2 d t^2)",
               "exact binomials, d up to 30 (ci), every t at which the chance jumps", "the printed exp(-2 d t^2)",
               sign_fractions),
      compared("long-tail-memorization/lemma-14",
               "orthants of a full-rank Gaussian have probability at most I(m, kappa^2) <= 0.6^m + delta",
               "the integral at m = m_min; 12 random matrices (ci), m = 2 to 4, 4000 draws, the likeliest orthant",
               "the printed 0.6^M, also with + delta at rank two", orthants, Verdict::holds, orthant_figure),
      compared("long-tail-memorization/lemma-15", "at least 0.9 m entries not positive: chance at most 2 exp(-2 m s^2)",
               "the exact chance for covariance I + rho 1 1^T, five (m, kappa^2)", "the printed exp(-0.07 m)",
               negative_fractions),
      sizes("long-tail-memorization/lemma-18",
            "m >= 50 log(n/delta): every sample has 0.4 m active filters at the start", true),
      sizes("long-tail-memorization/lemma-19",
            "n >= 50 log(K m/delta): every filter is active on 0.4 n samples at the start", false),
      compared("long-tail-memorization/lemma-24",
               "more than 0.1 m filters are active on a fresh patch but with chance exp(-m/(202 kappa^2))",
               "m = 400 filters of rank 380, kappa^2 = 2, 4000 patches (ci)", "half of the filters", active_fraction)};
}

}  // namespace dpcurves::validation::long_tail_memorization
