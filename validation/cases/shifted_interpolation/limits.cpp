// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Limits of trade-off functions: Lemmas A.6, A.7, A.9, A.10 and Remark A.8. All laws are finite and exact.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/finite_pair.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

constexpr double rounding = 1e-13;
// Where a type I error is itself a rounded value of a curve: pieces with slopes up to 1e4 magnify its rounding.
constexpr double steep_rounding = 1e-11;

/// (1 - part) a + part b.
std::vector<double> mixed(const std::vector<double>& a, const std::vector<double>& b, double part) {
  std::vector<double> law(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    law[i] = (1.0 - part) * a[i] + part * b[i];
  }
  return law;
}

// Lemma A.6 ----------------------------------------------------------------------------------------------------------

/// `share` of the total variation distance in the place of all of it.
void check_total_variation(Trial& trial, const Setting& setting, double share) {
  auto words = words_of(setting, 0xA60);
  SmallestGap gap, other_way;
  LargestError equality(1e-3);
  for (std::size_t k = 0; k < setting.size(400, 4000); ++k) {
    const FinitePair pair{random_law(words, 9, 4.0, 0.15), random_law(words, 9, 4.0, 0.15)};
    const double distance = share * total_variation(pair.p, pair.q);
    double least = 1.0;
    for (const CurvePoint& v : FiniteTradeoff(pair).vertices()) {
      gap.see(1.0 - distance, v.type_one_error + v.type_two_error, v.type_one_error);
      least = std::min(least, v.type_one_error + v.type_two_error);
    }
    for (const CurvePoint& v : FiniteTradeoff(swapped(pair)).vertices()) {
      other_way.see(1.0 - distance, v.type_one_error + v.type_two_error, v.type_one_error);
    }
    equality.see(1.0 - least, distance, distance);
  }
  gap.require(trial, rounding, "a + T(P, Q)(a) >= 1 - TV");
  other_way.require(trial, rounding, "a + T(Q, P)(a) >= 1 - TV");
  equality.require(trial, 1e-11, "1 - min over a of a + T(P, Q)(a) = TV");
  // A sequence that converges in total variation: distance from Id is exactly TV(P_n, P) = part TV(R, P).
  LargestError sequence;
  for (const double part : {0.5, 0.1, 1e-2, 1e-4, 1e-6}) {
    const auto p = random_law(words, 9), r = random_law(words, 9);
    double farthest = 0.0;
    for (const CurvePoint& v : FiniteTradeoff({mixed(p, r, part), p}).vertices()) {
      farthest = std::max(farthest, 1.0 - v.type_one_error - v.type_two_error);
    }
    sequence.see(farthest, share * part * total_variation(p, r), part);
  }
  sequence.require(trial, 1e-8, "largest distance of T(P_n, P) from Id for P_n = (1 - h) P + h R, by h");
}

Case lemma_a_6() {
  return {"shifted-interpolation/lemma-a.6",
          "T(P_n, P) converges to Id exactly if TV(P_n, P) does to 0: a + T(P, Q)(a) >= 1 - TV(P, Q), with equality at "
          "some a.",
          "400 random pairs on 9 outcomes, both orders; mixtures with weights 0.5 to 1e-6; exact laws.",
          "0.9 TV in the place of TV.", [](const Setting& setting, Outcome& outcome) {
            outcome.claim.by_exact_law();
            check_total_variation(outcome.claim, setting, 1.0);
            check_total_variation(outcome.control, setting, 0.9);
          }};
}

// Lemmas A.7 and A.9 -------------------------------------------------------------------------------------------------

struct Laws {
  std::vector<double> p, q, other;
};

Laws random_laws(random::Words& words, std::size_t k) {
  Laws laws{random_law(words, 7, 4.0, 0.15), random_law(words, 7, 4.0, 0.15), random_law(words, 7, 4.0, 0.15)};
  // Every other time the third law is near the first or the second.
  laws.other = k % 2 == 0 ? laws.other : mixed(k % 4 == 1 ? laws.p : laws.q, laws.other, 0.1 * uniform(words));
  return laws;
}

std::vector<double> with_even(std::vector<double> errors) {
  for (const double a : even_grid(41)) {
    errors.push_back(a);
  }
  return errors;
}

Case lemma_a_7() {
  return {"shifted-interpolation/lemma-a.7",
          "T(P_n, Q)(a) converges to T(P, Q)(a) for a in (0, 1] when P_n converges to P; its engine is "
          "T(P, Q)(a) >= T(P_n, Q)(1 - T(P, P_n)(a)).",
          "The inequality on 500 random triples on 7 outcomes, all vertices and 41 more errors; the distance of the "
          "curves on [0.01, 1] for mixtures with weights 1e-2, 1e-3, 1e-4 falls at least as the weight.",
          "T(P, Q)(a) >= T(P_n, Q)(a), without the change of the type I error.",
          [](const Setting& setting, Outcome& outcome) {
            const auto check = [&](Trial& trial, bool moved) {
              auto words = words_of(setting, 0xA70);
              SmallestGap gap;
              for (std::size_t k = 0; k < setting.size(500, 5000); ++k) {
                const Laws laws = random_laws(words, k);
                const FiniteTradeoff f({laws.p, laws.q}), near({laws.other, laws.q}), between({laws.p, laws.other});
                for (const double a : with_even(errors_of(f))) {
                  gap.see(near(moved ? std::clamp(1.0 - between(a), 0.0, 1.0) : a), f(a), a);
                }
              }
              gap.require(trial, steep_rounding, "the inequality");
              SmallestGap rate;
              for (std::size_t k = 0; k < 20; ++k) {
                const Laws laws = random_laws(words, 0);
                const FiniteTradeoff f({laws.p, laws.q});
                double before = 1.0;
                for (const double weight : {1e-2, 1e-3, 1e-4}) {
                  const FiniteTradeoff near({mixed(laws.p, laws.other, weight), laws.q});
                  double distance = 0.0;
                  for (const double a : even_grid(100, 0.01, 1.0)) {
                    distance = std::max(distance, std::abs(near(a) - f(a)));
                  }
                  // The slope of f at 0.01 is at most 100, and the type I error moves by at most the weight.
                  rate.see(distance, std::min(before, 101.0 * weight), weight);
                  before = distance;
                }
              }
              rate.require(trial, rounding, "distance on [0.01, 1] falls and is below 101 TV");
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, true);
            check(outcome.control, false);
          }};
}

Case lemma_a_9() {
  return {"shifted-interpolation/lemma-a.9",
          "T(P, Q_n) converges to T(P, Q) on all of [0, 1], and |T(P, Q_n)(a) - T(P, Q)(a)| <= TV(Q_n, Q).",
          "T(P, Q)(a) >= T(Q_n, Q)(1 - T(P, Q_n)(a)) and the distance on 500 random triples on 7 outcomes, all "
          "vertices, a = 0 and 41 more errors.",
          "Half of TV as the distance.", [](const Setting& setting, Outcome& outcome) {
            const auto check = [&](Trial& trial, double share) {
              auto words = words_of(setting, 0xA90);
              SmallestGap chain, distance, at_zero;
              for (std::size_t k = 0; k < setting.size(500, 5000); ++k) {
                const Laws laws = random_laws(words, k);
                const FiniteTradeoff f({laws.p, laws.q}), near({laws.p, laws.other}), between({laws.other, laws.q});
                const double allowed = share * total_variation(laws.q, laws.other);
                for (const double a : with_even(errors_of(f))) {
                  chain.see(between(std::clamp(1.0 - near(a), 0.0, 1.0)), f(a), a);
                  distance.see(std::abs(near(a) - f(a)), allowed, a);
                }
                at_zero.see(std::abs(near(0.0) - f(0.0)), allowed, 0.0);
              }
              chain.require(trial, steep_rounding, "T(P, Q)(a) >= T(Q_n, Q)(1 - T(P, Q_n)(a))");
              distance.require(trial, rounding, "distance <= TV");
              at_zero.require(trial, rounding, "distance <= TV at a = 0");
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, 1.0);
            check(outcome.control, 0.5);
          }};
}

// Remark A.8 ---------------------------------------------------------------------------------------------------------

Case remark_a_8() {
  return {"shifted-interpolation/remark-a.8",
          "a = 0 must be left out of Lemma A.7: for P = d_0, Q = d_0/2 + d_1/2, P_n = (1 - 1/n) d_0 + d_1/n, T(P_n, "
          "Q)(0) = 1 for every n and T(P, Q)(0) = 1/2; T(P_n, Q)(a) = 1 - n a/2 up to 1/n, then (1 - a)/(2 (1 - 1/n)).",
          "n = 2 to 1e6 at 101 type I errors; the limit at 101 errors from 0.01 and at 0, exact laws.",
          "The limit holds at a = 0 too.", [](const Setting&, Outcome& outcome) {
            const auto near = [](double n) { return FiniteTradeoff({{1.0 - 1.0 / n, 1.0 / n}, {0.5, 0.5}}); };
            const FiniteTradeoff limit({{1.0, 0.0}, {0.5, 0.5}});
            const auto check = [&](Trial& trial, double lowest) {
              LargestError formula(1e-3);
              for (const double n : {2.0, 3.0, 10.0, 1000.0, 1e6}) {
                for (const double a : even_grid(101)) {
                  const double exact = a <= 1.0 / n ? 1.0 - 0.5 * n * a : 0.5 * (1.0 - a) / (1.0 - 1.0 / n);
                  formula.see(near(n)(a), exact, a);
                }
              }
              formula.require(trial, rounding, "closed form of T(P_n, Q)");
              trial.close(limit(0.0), 0.5, rounding, "T(P, Q)(0)");
              LargestError distance(1.0);
              for (const double a : even_grid(101, lowest, 1.0)) {
                distance.see(near(1e9)(a), limit(a), a);
              }
              distance.require(trial, 1e-8, "T(P_n, Q) at n = 1e9 against T(P, Q) from a = " + rounded(lowest, 2));
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, 0.01);
            check(outcome.control, 0.0);
            std::vector<double> grid = even_grid(401);
            grid.insert(grid.begin() + 1, {1e-4, 5e-4, 1e-3});
            outcome.figures.push_back(tradeoff_figure(
                "Remark A.8: no limit at type I error 0",
                {drawn("T(P, Q)", limit, grid), drawn("T(P_n, Q), n = 3", near(3.0), grid),
                 drawn("T(P_n, Q), n = 10", near(10.0), grid), drawn("T(P_n, Q), n = 100", near(100.0), grid)}));
          }};
}

// Lemma A.10 ---------------------------------------------------------------------------------------------------------

/// N(0, 1) and N(mu, 1) in cells, and both with a part moved to a third law: P_n, Q_n.
Case lemma_a_10() {
  return {
      "shifted-interpolation/lemma-a.10",
      "T(P_n, Q_n)(a) converges to T(P, Q)(a) for a in (0, 1] when P_n and Q_n converge in total variation: "
      "T(P_n, Q_n)(a) >= T(P, Q)(a + TV(P_n, P)) - TV(Q_n, Q), and the same with the pairs exchanged.",
      "N(0, 1) and N(1.5, 1) made constant on cells of width 1 to 1/64 converge to G(1.5) with order 2; with a part "
      "h = 0.1 to 1e-4 moved to a third law, both inequalities at 500 type I errors.",
      "Without the change of the type I error.", [](const Setting& setting, Outcome& outcome) {
        const double mu = 1.5;
        std::vector<double> widths, distances;
        for (double width = 1.0; width >= 1.0 / 64.0; width /= 2.0) {
          const FiniteTradeoff f(gaussian_cells(mu, width));
          double distance = 0.0;
          for (const double a : even_grid(500, 0.01, 0.99)) {
            distance = std::max(distance, f(a) - tradeoff::gaussian(a, mu));
          }
          widths.push_back(width);
          distances.push_back(distance);
        }
        const auto check = [&](Trial& trial, bool moved) {
          trial.at_most(distances.back(), 1e-4, "largest distance from G(1.5) on [0.01, 0.99], cells of 1/64");
          const std::size_t last = distances.size() - 1;
          const double order = std::log2(distances[last - 2] / distances[last]) / 2.0;
          trial.require(std::abs(order - 2.0) < 0.2, "order of convergence " + rounded(order, 3) + ", 2 expected");
          auto words = words_of(setting, 0xAA0);
          const FinitePair pair = gaussian_cells(mu, 1.0 / 16.0);
          const FiniteTradeoff f(pair);
          SmallestGap forth, back;
          for (const double h : {0.1, 0.01, 1e-3, 1e-4}) {
            for (int k = 0; k < 5; ++k) {
              const auto p = mixed(pair.p, random_law(words, pair.p.size()), h);
              const auto q = mixed(pair.q, random_law(words, pair.p.size()), h);
              const FiniteTradeoff near({p, q});
              const double tv_p = moved ? total_variation(p, pair.p) : 0.0, tv_q = total_variation(q, pair.q);
              for (const double a : quantile_grid(500, 4.0)) {
                const double further = std::min(1.0, a + tv_p);
                forth.see(f(further) - tv_q, near(a), a);
                back.see(near(further) - tv_q, f(a), a);
              }
            }
          }
          forth.require(trial, rounding, "T(P_n, Q_n) from below");
          back.require(trial, rounding, "T(P, Q) from below");
        };
        outcome.claim.by_exact_law();
        check(outcome.claim, true);
        check(outcome.control, false);
        io::Plot plot;
        plot.title = "Lemma A.10: Gaussians made constant on cells, distance from G(1.5)";
        plot.x = {.label = "width of the cells", .logarithmic = true, .lowest = {}, .highest = {}};
        plot.y = {.label = "largest distance on [0.01, 0.99]", .logarithmic = true, .lowest = {}, .highest = {}};
        plot.legend = io::Legend::top_left;
        std::vector<double> square;
        for (const double width : widths) {
          square.push_back(distances.back() * std::pow(width / widths.back(), 2.0));
        }
        plot.series = {io::points("T(P_n, Q_n)", widths, distances), io::dashed("slope 2", widths, square)};
        outcome.figures.push_back({plot.title, plot});
      }};
}

}  // namespace

std::vector<Case> limits_cases() { return {lemma_a_6(), lemma_a_7(), remark_a_8(), lemma_a_9(), lemma_a_10()}; }

}  // namespace dpcurves::validation::shifted_interpolation
