// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Trade-off functions themselves: Definitions 2.1, 2.2 and 2.4, Lemmas 2.3 and 2.5, Figure 2.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/finite_pair.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using tradeoff::gaussian;
using tradeoff::subsampled_gaussian;

// Definition 2.1 -----------------------------------------------------------------------------------------------------

/// max over quantiles x of power(a) - weight a with a = Phi(-x), found by a scan and a local search.
double largest_excess(const Curve& power, double weight) {
  const auto loss = [&](double x) {
    const double a = numerics::normal_upper_tail(x);
    return weight * a - power(a);
  };
  double best = -12.0;
  for (double x = -12.0; x <= 30.0; x += 0.25) {
    best = loss(x) < loss(best) ? x : best;
  }
  return std::max(0.0, -numerics::minimise(loss, best - 0.25, best + 0.25).value);
}

/// `weight` is what multiplies the type I error at an epsilon: exp(epsilon) by the definition.
void check_duality(Trial& trial, const Setting& setting, const std::function<double(double)>& weight) {
  struct Gaussian {
    double sampling_rate, mu;
  };
  for (const Gaussian& g : {Gaussian{1.0, 0.5}, {1.0, 2.0}, {1.0, 6.0}, {0.1, 1.0}, {0.01, 2.5}}) {
    LargestError error;
    for (const double epsilon : {0.01, 0.2, 0.5, 1.0, 2.0, 4.0}) {
      const double delta = tradeoff::subsampled_gaussian_delta(epsilon, g.sampling_rate, g.mu);
      const auto power = [&](double a) { return tradeoff::subsampled_gaussian_power(a, g.sampling_rate, g.mu); };
      error.see(largest_excess(power, weight(epsilon)), delta, epsilon);
    }
    error.require(trial, 1e-9,
                  "sup over a of 1 - f(a) - e^epsilon a against delta(epsilon), f = C_p(G(mu)), p = " +
                      rounded(g.sampling_rate, 3) + ", mu = " + rounded(g.mu, 3));
  }
  // Every one of the 2^10 events of a finite pair against the dual formula at the vertices of its trade-off function.
  auto words = words_of(setting, 0x210);
  LargestError error(1e-3);
  for (std::size_t pair_number = 0; pair_number < setting.size(40, 400); ++pair_number) {
    const FinitePair pair{random_law(words, 10, 3.0, 0.1), random_law(words, 10, 3.0, 0.1)};
    const double epsilon = 2.0 * uniform(words) - 0.5;
    double event = 0.0, dual = 0.0;
    for (unsigned subset = 0; subset < 1024U; ++subset) {
      double p = 0.0, q = 0.0;
      for (unsigned i = 0; i < 10; ++i) {
        p += (subset >> i & 1U) != 0U ? pair.p[i] : 0.0;
        q += (subset >> i & 1U) != 0U ? pair.q[i] : 0.0;
      }
      event = std::max(event, q - std::exp(epsilon) * p);
    }
    for (const CurvePoint& v : FiniteTradeoff(pair).vertices()) {
      dual = std::max(dual, 1.0 - v.type_two_error - weight(epsilon) * v.type_one_error);
    }
    error.see(dual, event, epsilon);
  }
  error.require(trial, 1e-12, "the same dual against the worst of all 1024 events of random pairs on 10 outcomes");
}

Case definition_2_1() {
  return {
      "shifted-interpolation/definition-2.1",
      "The least delta with Q(E) <= e^epsilon P(E) + delta for all events E is sup over a of 1 - f(a) - e^epsilon a "
      "for the trade-off function f.",
      "5 Gaussian and subsampled curves at 6 epsilons, relative 1e-9; all events of 40 random pairs on 10 outcomes.",
      "e^epsilon replaced by 1 + epsilon.", [](const Setting& setting, Outcome& outcome) {
        outcome.claim.by_exact_law();
        check_duality(outcome.claim, setting, [](double epsilon) { return std::exp(epsilon); });
        check_duality(outcome.control, setting, [](double epsilon) { return 1.0 + epsilon; });
      }};
}

// Definition 2.2 -----------------------------------------------------------------------------------------------------

Case definition_2_2() {
  return {
      "shifted-interpolation/definition-2.2",
      "T(P, Q) is the least type II error of all tests: for P = N(0, 1), Q = 0.7 N(0, 1) + 0.3 N(2, 1) it is "
      "0.3 G(2) + 0.7 Id, reached by thresholds on x and missed by thresholds on |x|.",
      "1e6 draws of each law, 11 thresholds per statistic, exact intervals; also the same with x rounded to halves.",
      "0.3 G(1.94) + 0.7 Id as a lower bound.", [](const Setting& setting, Outcome& outcome) {
        const double p = 0.3, mu = 2.0;
        const std::size_t count = setting.size(1000000, 10000000);
        auto under_p = normal_sample(setting, 0x221, count), under_q = normal_sample(setting, 0x222, count);
        const auto choice = uniform_sample(setting, 0x223, count);
        for (std::size_t i = 0; i < count; ++i) {
          under_q[i] += choice[i] < p ? mu : 0.0;
        }
        const std::vector<double> errors{0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9};
        const auto best = threshold_points(under_p, under_q, errors);
        const auto mapped = [&](double (*map)(double)) {
          std::vector<double> a = under_p, b = under_q;
          std::transform(a.begin(), a.end(), a.begin(), map);
          std::transform(b.begin(), b.end(), b.begin(), map);
          return threshold_points(a, b, errors);
        };
        const auto poor = mapped([](double x) { return std::abs(x); });
        const auto coarse = mapped([](double x) { return std::round(2.0 * x) / 2.0; });
        const auto check = [&](Trial& trial, double claimed_mu) {
          const auto claim = [=](double a) { return tradeoff::one_sided_subsampled_gaussian(a, p, claimed_mu); };
          check_points(trial, best, claim, true, "statistic x");
          check_points(trial, poor, claim, false, "statistic |x|");
          check_points(trial, coarse, claim, false, "statistic x rounded to halves");
        };
        check(outcome.claim, mu);
        check(outcome.control, 0.97 * mu);
        const auto grid = even_grid(400);
        outcome.figures.push_back(tradeoff_figure(
            "Tests between N(0, 1) and 0.7 N(0, 1) + 0.3 N(2, 1)",
            {drawn(
                 "T(P, Q)", [=](double a) { return tradeoff::one_sided_subsampled_gaussian(a, p, mu); }, grid),
             drawn("thresholds on x", best), drawn("thresholds on |x|", poor)}));
      }};
}

// Lemma 2.3 ----------------------------------------------------------------------------------------------------------

/// Convex, non-increasing and at most 1 - a at the points of a grid. Slopes are compared as cross products, with an
/// allowance for the rounding of the values.
void check_shape(Trial& trial, const Curve& f, std::span<const double> grid, const std::string& what) {
  constexpr double rounding = 1e-14;
  SmallestGap below_identity, falling, convex;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const double a = grid[i], b = f(a);
    below_identity.see(b, 1.0 - a, a);
    if (i > 0) {
      falling.see(b, f(grid[i - 1]), a);
    }
    if (i > 0 && i + 1 < grid.size()) {
      const double left = a - grid[i - 1], right = grid[i + 1] - a;
      const double chord = (f(grid[i - 1]) * right + f(grid[i + 1]) * left) / (left + right);
      convex.see(b, chord, a);
    }
  }
  below_identity.require(trial, rounding, what + " <= 1 - a");
  falling.require(trial, rounding, what + " non-increasing");
  convex.require(trial, rounding, what + " convex (value against the chord of its neighbours)");
}

Case lemma_2_3() {
  return {"shifted-interpolation/lemma-2.3",
          "f is a trade-off function exactly if it is convex, continuous, non-increasing and f(a) <= 1 - a.",
          "Only if: every kind of curve the library makes, 1501 points from 1e-9 to 1 - 1e-9. If: 200 random convex "
          "polygons, each the exact trade-off function of the uniform law against the law with its slopes as density.",
          "min{f_p, f_p^-1} without the segment that makes it convex.", [](const Setting& setting, Outcome& outcome) {
            const auto grid = quantile_grid(1501);
            outcome.claim.by_exact_law();
            for (const double mu : {0.1, 1.0, 4.0}) {
              const std::string name = ", mu = " + rounded(mu, 2);
              check_shape(
                  outcome.claim, [=](double a) { return gaussian(a, mu); }, grid, "G(mu)" + name);
              for (const double p : {0.02, 0.5}) {
                const std::string both = name + ", p = " + rounded(p, 2);
                check_shape(
                    outcome.claim, [=](double a) { return subsampled_gaussian(a, p, mu); }, grid, "C_p(G(mu))" + both);
                check_shape(
                    outcome.claim, [=](double a) { return tradeoff::extremal_tradeoff(a, 0.5, p, mu); }, grid,
                    "extremal pair" + both);
              }
            }
            auto words = words_of(setting, 0x230);
            LargestError recovered(1e-3);
            for (std::size_t k = 0; k < setting.size(200, 2000); ++k) {
              // A convex polygon by its runs and falling slopes; drops that sum to less than 1 leave a jump at 0.
              const auto runs = random_law(words, 12);
              auto drops = random_law(words, 12);
              std::vector<std::size_t> order(12);
              for (std::size_t i = 0; i < 12; ++i) {
                order[i] = i;
              }
              std::sort(order.begin(), order.end(),
                        [&](std::size_t i, std::size_t j) { return drops[i] * runs[j] > drops[j] * runs[i]; });
              const double jump = 0.2 * uniform(words);
              std::vector<double> breaks{0.0}, values{1.0 - jump};
              FinitePair pair{{0.0}, {jump}};
              for (const std::size_t i : order) {
                breaks.push_back(breaks.back() + runs[i]);
                values.push_back(values.back() - (1.0 - jump) * drops[i]);
              }
              // The law with the slopes as density, its outcomes in reverse order.
              for (std::size_t i = 12; i > 0; --i) {
                pair.p.push_back(breaks[i] - breaks[i - 1]);
                pair.q.push_back(values[i - 1] - values[i]);
              }
              const FiniteTradeoff f(pair);
              for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
                recovered.see(f(breaks[i]), values[i], breaks[i]);
                recovered.see(f(0.5 * (breaks[i] + breaks[i + 1])), 0.5 * (values[i] + values[i + 1]), breaks[i]);
              }
            }
            recovered.require(outcome.claim, 1e-11, "polygons recovered from their pair of laws");
            const double p = 0.25, mu = 2.5;
            const auto without_hull = [=](double a) {
              const double first = tradeoff::one_sided_subsampled_gaussian(a, p, mu);
              // The inverse of f_p from the points (f_p(u), u) by bisection.
              double low = 0.0, high = 1.0;
              for (int i = 0; i < 200; ++i) {
                const double middle = 0.5 * (low + high);
                (tradeoff::one_sided_subsampled_gaussian(middle, p, mu) > a ? low : high) = middle;
              }
              return std::min(first, low);
            };
            check_shape(outcome.control, without_hull, grid, "min{f_p, f_p^-1}, p = 0.25, mu = 2.5");
          }};
}

// Definition 2.4 -----------------------------------------------------------------------------------------------------

struct GaussianValue {
  double mu, type_one_error, type_two_error;
};

// 60-digit arithmetic; the type I errors are exact doubles.
constexpr GaussianValue gaussian_values[] = {
    {0.5, 0.25, 0.5692597073181033716},       {1.0, 0x1p-20, 0.9999160567464126283},
    {1.0, 0.5, 0.1586552539314570514},        {2.5, 0x1p-40, 0.9999972882347406210},
    {5.0, 0x1p-60, 0.9999194556506360436},    {0.125, 0.875, 0.1010928034362333641},
    {10.0, 0x1p-30, 3.294672504315755791e-5}, {20.0, 0x1p-30, 8.889427318633860491e-45}};

Case definition_2_4() {
  return {"shifted-interpolation/definition-2.4",
          "G(mu)(a) = Phi(Phi^-1(1 - a) - mu) is the trade-off function of N(0, 1) and N(mu, 1), decreasing in mu.",
          "8 values in 60-digit arithmetic, relative 1e-14; 5e5 draws of each law for mu = 0.5, 1, 2, 11 thresholds.",
          "0.95 mu in the place of mu.", [](const Setting& setting, Outcome& outcome) {
            const std::vector<double> errors{0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9};
            const std::vector<double> mus{0.5, 1.0, 2.0};
            const std::size_t count = setting.size(500000, 5000000);
            const auto under_p = normal_sample(setting, 0x241, count);
            std::vector<Points> points;
            for (std::size_t k = 0; k < mus.size(); ++k) {
              auto under_q = normal_sample(setting, 0x242 + static_cast<std::uint32_t>(k), count);
              for (double& x : under_q) {
                x += mus[k];
              }
              points.push_back(threshold_points(under_p, under_q, errors));
            }
            const auto check = [&](Trial& trial, double factor) {
              LargestError error;
              for (const GaussianValue& value : gaussian_values) {
                error.see(gaussian(value.type_one_error, factor * value.mu), value.type_two_error, value.mu);
              }
              error.require(trial, 1e-14, "G(mu)(a) against 60-digit arithmetic, by mu");
              for (std::size_t k = 0; k < mus.size(); ++k) {
                check_points(
                    trial, points[k], [&](double a) { return gaussian(a, factor * mus[k]); }, true,
                    "mu = " + rounded(mus[k], 2));
              }
              SmallestGap ordered;
              for (const double a : quantile_grid(201)) {
                for (std::size_t k = 1; k < mus.size(); ++k) {
                  ordered.see(gaussian(a, mus[k]), gaussian(a, mus[k - 1]), a);
                }
              }
              ordered.require(trial, 0.0, "G decreases in mu");
            };
            check(outcome.claim, 1.0);
            check(outcome.control, 0.95);
            std::vector<io::Series> series;
            for (std::size_t k = 0; k < mus.size(); ++k) {
              const std::string name = "mu = " + rounded(mus[k], 2);
              series.push_back(drawn(
                  "G(mu), " + name, [&](double a) { return gaussian(a, mus[k]); }, even_grid(400)));
              series.back().colour = static_cast<int>(k);
              series.push_back(drawn("", points[k]));
              series.back().colour = static_cast<int>(k);
            }
            outcome.figures.push_back(tradeoff_figure("Threshold tests of N(0, 1) against N(mu, 1)", series));
          }};
}

// Lemma 2.5 ----------------------------------------------------------------------------------------------------------

void check_post_processing(Trial& trial, const Setting& setting, double factor) {
  const double mu = 1.5;
  const auto claim = [&](double a) { return gaussian(a, factor * mu); };
  const FinitePair fine = gaussian_cells(mu, 0.02);
  const auto see = [&](const FinitePair& pair, SmallestGap& gap) {
    for (const CurvePoint& v : FiniteTradeoff(pair).vertices()) {
      const double a = std::min(1.0, v.type_one_error);
      gap.see(claim(a), v.type_two_error, a);
    }
  };
  SmallestGap bins, coarse, random;
  see(fine, bins);
  see(gaussian_cells(mu, 0.7), coarse);
  auto words = words_of(setting, 0x250);
  for (std::size_t k = 0; k < setting.size(60, 600); ++k) {
    see(pushed(fine, random_kernel(words, fine.p.size(), 2 + k % 6)), random);
  }
  bins.require(trial, 1e-12, "bins of width 0.02");
  coarse.require(trial, 1e-12, "bins of width 0.7");
  random.require(trial, 1e-12, "random answers given the bin, 2 to 7 answers");

  SmallestGap finite;
  for (std::size_t k = 0; k < setting.size(300, 3000); ++k) {
    const FinitePair pair{random_law(words, 8, 4.0, 0.1), random_law(words, 8, 4.0, 0.1)};
    const FiniteTradeoff before(pair), after(pushed(pair, random_kernel(words, 8, 2 + k % 9)));
    for (const double a : errors_of(after)) {
      finite.see(before(a), after(a), a);
    }
  }
  finite.require(trial, 1e-12, "random pairs on 8 outcomes through random kernels");
}

Case lemma_2_5() {
  return {"shifted-interpolation/lemma-2.5",
          "Post-processing never lowers a trade-off function: T(A(P), A(Q)) >= T(P, Q).",
          "N(0, 1) against N(1.5, 1) binned finely and coarsely (equality at the bin edges), 60 random kernels on the "
          "bins, 300 random finite pairs through random kernels; exact laws.",
          "A strict gain without loss: G(0.99 mu) as the bound.", [](const Setting& setting, Outcome& outcome) {
            outcome.claim.by_exact_law();
            check_post_processing(outcome.claim, setting, 1.0);
            check_post_processing(outcome.control, setting, 0.99);
          }};
}

// Figure 2 -----------------------------------------------------------------------------------------------------------

/// The symmetric polygon through (0, 1), (0.37, 0.37) and (1, 0).
double polygon(double a) {
  constexpr double corner = 0.37;
  return a <= corner ? 1.0 - (1.0 - corner) / corner * a : corner * (1.0 - a) / (1.0 - corner);
}

Case figure_2() {
  return {"shifted-interpolation/figure-2",
          "G(mu) has the fixed point Phi(-mu/2); the symmetric polygon through (0.37, 0.37) is 1-GDP because "
          "Phi(-1/2) = 0.3085 <= 0.37 and not 0.5-GDP because Phi(-1/4) = 0.4013 > 0.37.",
          "Fixed points for mu = 0, 0.5, 1, 5 to 1e-14; the polygon against G(1) at 2001 type I errors.",
          "The polygon is 0.5-GDP.", [](const Setting&, Outcome& outcome) {
            const auto check = [](Trial& trial, double mu) {
              for (const double m : {0.0, 0.5, 1.0, 5.0}) {
                const double fixed = numerics::normal_cdf(-0.5 * m);
                trial.close(gaussian(fixed, m), fixed, 1e-14, "fixed point of G(" + rounded(m, 2) + ")");
              }
              SmallestGap gap;
              for (const double a : quantile_grid(2001)) {
                gap.see(gaussian(a, mu), polygon(a), a);
              }
              gap.require(trial, 0.0, "polygon above G(" + rounded(mu, 2) + ")");
            };
            check(outcome.claim, 1.0);
            check(outcome.control, 0.5);
            const auto grid = even_grid(400);
            std::vector<io::Series> series;
            std::vector<double> fixed;
            for (const double mu : {0.0, 0.5, 1.0, 5.0}) {
              series.push_back(drawn(
                  "G(" + rounded(mu, 2) + ")", [=](double a) { return gaussian(a, mu); }, grid));
              fixed.push_back(numerics::normal_cdf(-0.5 * mu));
            }
            series.push_back(io::dashed("1-GDP, not 0.5-GDP", {0.0, 0.37, 1.0}, {1.0, 0.37, 0.0}));
            series.push_back(io::points("fixed points Phi(-mu/2)", fixed, fixed));
            outcome.figures.push_back(tradeoff_figure("Gaussian trade-off functions and a polygon", series));
          }};
}

}  // namespace

std::vector<Case> tradeoff_cases() {
  return {definition_2_1(), definition_2_2(), lemma_2_3(), definition_2_4(), lemma_2_5(), figure_2()};
}

}  // namespace dpcurves::validation::shifted_interpolation
