// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Composition: Definition 2.6, Lemmas 2.7 and A.2.
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/table.hpp>

#include "validation/cases/topics.hpp"
#include "validation/finite_pair.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

constexpr double rounding = 1e-12;

// Definition 2.6 -----------------------------------------------------------------------------------------------------

/// The vertices as the library's table: one vertex per type I error, the lower one at 0.
tradeoff::Table table_of(const FinitePair& pair) {
  tradeoff::Table table;
  for (const CurvePoint& v : FiniteTradeoff(pair).vertices()) {
    if (!table.empty() && v.type_one_error == table.back().type_one_error) {
      table.pop_back();
    }
    table.push_back({v.type_one_error, v.type_two_error});
  }
  table.front().type_one_error = 0.0;
  table.back() = {1.0, 0.0};
  return table;
}

/// Another pair with the same trade-off function: every outcome in two unequal halves, in reverse order.
FinitePair split(random::Words& words, const FinitePair& pair) {
  FinitePair result;
  for (std::size_t i = pair.p.size(); i-- > 0;) {
    const double share = uniform(words);
    for (const double part : {share, 1.0 - share}) {
      result.p.push_back(part * pair.p[i]);
      result.q.push_back(part * pair.q[i]);
    }
  }
  return result;
}

struct CompositionClaim {
  std::function<Curve(const FinitePair&, const FinitePair&)> finite;  // f tensor g
  std::function<double(double, double)> gaussian;                     // mu of G(a) tensor G(b)
};

Case definition_2_6() {
  return {
      "shifted-interpolation/definition-2.6",
      "f tensor g = T(P x P', Q x Q') depends on f = T(P, Q) and g = T(P', Q') alone, and "
      "G(a) tensor G(b) = G(sqrt(a^2 + b^2)).",
      "Products of 100 random pairs on 6 and 5 outcomes, of equivalent pairs on 12 and 10, and the library's product "
      "of their tables, at all vertices; Gaussians in cells of 1/4 and 1/8 lie above and converge with order 2 or "
      "better; the accountant's profile for 4 pairs (a, b) at 4 epsilons, contained, relative width 1e-6.",
      "Parallel release, min{f, g}, and G(a + b).", [](const Setting& setting, Outcome& outcome) {
        const auto check = [&](Trial& trial, const CompositionClaim& claim) {
          auto words = words_of(setting, 0x260);
          LargestError table(1e-3), again(1e-3);
          for (std::size_t k = 0; k < setting.size(100, 1000); ++k) {
            const FinitePair a{random_law(words, 6, 3.0, 0.1), random_law(words, 6, 3.0, 0.1)};
            const FinitePair b{random_law(words, 5, 3.0, 0.1), random_law(words, 5, 3.0, 0.1)};
            const FiniteTradeoff both(product(a, b)), other(product(split(words, b), split(words, a)));
            const Curve claimed = claim.finite(a, b);
            for (const double e : even_grid(101)) {
              table.see(claimed(e), both(e), e);
              again.see(claimed(e), other(e), e);
            }
          }
          table.require(trial, 1e-10, "product of the tables against the product of the laws");
          again.require(trial, 1e-10, "the same against equivalent pairs in the other order");
          struct Mus {
            double a, b;
          };
          for (const Mus& m : {Mus{0.5, 1.0}, {1.0, 1.0}, {0.1, 2.0}, {3.0, 4.0}}) {
            const double mu = claim.gaussian(m.a, m.b);
            const std::string name = "a = " + rounded(m.a, 2) + ", b = " + rounded(m.b, 2);
            SmallestGap above;
            std::vector<double> distances;
            for (const double width : {0.25, 0.125}) {
              const FiniteTradeoff cells(product(gaussian_cells(m.a, width), gaussian_cells(m.b, width)));
              distances.push_back(0.0);
              for (const double e : even_grid(2001)) {
                above.see(tradeoff::gaussian(e, mu), cells(e), e);
                distances.back() = std::max(distances.back(), cells(e) - tradeoff::gaussian(e, mu));
              }
            }
            above.require(trial, rounding, "product of cells above G(mu), " + name);
            const double order = std::log2(distances[0] / distances[1]);
            trial.require(order > 1.7 && distances[1] < 1e-3, "product of cells, " + name + ": distance from G(mu) " +
                                                                  rounded(distances[1], 3) + ", order " +
                                                                  rounded(order, 3) + ", 2 or better expected");
            for (const double epsilon : {0.0, 0.5, 2.0, 6.0}) {
              const Enclosure delta = accounting::delta_at({m.a, {{1.0, m.b, 1.0}}}, epsilon).delta;
              const double exact = tradeoff::delta_of_epsilon(epsilon, mu);
              trial.require(delta.lower <= exact * (1.0 + rounding) && exact * (1.0 - rounding) <= delta.upper &&
                                delta.relative_width() <= 1e-6,
                            "accountant, " + name + ", epsilon = " + rounded(epsilon, 2) + ": " + rounded(exact, 12) +
                                " in [" + rounded(delta.lower, 12) + ", " + rounded(delta.upper, 12) + "]");
            }
          }
        };
        outcome.claim.by_exact_law();
        check(outcome.claim, {[](const FinitePair& a, const FinitePair& b) -> Curve {
                                const auto table = tradeoff::tensor(table_of(a), table_of(b));
                                return [table](double e) { return tradeoff::interpolate(table, e); };
                              },
                              [](double a, double b) { return std::hypot(a, b); }});
        check(outcome.control, {[](const FinitePair& a, const FinitePair& b) -> Curve {
                                  return [f = FiniteTradeoff(a), g = FiniteTradeoff(b)](double e) {
                                    return std::min(f(e), g(e));
                                  };
                                },
                                [](double a, double b) { return a + b; }});
      }};
}

// Lemma 2.7 ----------------------------------------------------------------------------------------------------------

/// The joint laws of y and an outcome of the pair that belongs to y.
FinitePair joint(const FinitePair& first, const std::vector<FinitePair>& given) {
  FinitePair result;
  for (std::size_t y = 0; y < given.size(); ++y) {
    for (std::size_t i = 0; i < given[y].p.size(); ++i) {
      result.p.push_back(first.p[y] * given[y].p[i]);
      result.q.push_back(first.q[y] * given[y].q[i]);
    }
  }
  return result;
}

Case lemma_2_7() {
  return {"shifted-interpolation/lemma-2.7",
          "Strong composition: T(K1(y), K1'(y)) >= T(K2(y), K2'(y)) for every y gives "
          "T((P, K1(P)), (Q, K1'(Q))) >= T((P, K2(P)), (Q, K2'(Q))); with a bound g free of y it is T(P, Q) tensor g.",
          "400 random instances on 3 x 3 outcomes, K1 a random post-processing of K2 for each y; the joint laws by "
          "enumeration, all vertices.",
          "g from the y whose two laws are closest, not from all y.", [](const Setting& setting, Outcome& outcome) {
            const auto check = [&](Trial& trial, bool every_y) {
              auto words = words_of(setting, 0x270);
              SmallestGap compared, uniform_bound;
              const auto pair = [&] { return FinitePair{random_law(words, 3), random_law(words, 3)}; };
              for (std::size_t k = 0; k < setting.size(400, 4000); ++k) {
                const FinitePair first = pair(), common = pair();
                std::vector<FinitePair> second, processed, from_common;
                for (int y = 0; y < 3; ++y) {
                  second.push_back(pair());
                  processed.push_back(pushed(second.back(), random_kernel(words, 3, 3)));
                  from_common.push_back(pushed(common, random_kernel(words, 3, 3)));
                }
                const FiniteTradeoff low(joint(first, second)), high(joint(first, processed));
                for (const double a : errors_of(high)) {
                  compared.see(low(a), high(a), a);
                }
                const auto closest = std::min_element(
                    from_common.begin(), from_common.end(),
                    [](const auto& a, const auto& b) { return total_variation(a.p, a.q) < total_variation(b.p, b.q); });
                const FiniteTradeoff bound(product(first, every_y ? common : *closest));
                const FiniteTradeoff measured(joint(first, from_common));
                for (const double a : errors_of(measured)) {
                  uniform_bound.see(bound(a), measured(a), a);
                }
              }
              compared.require(trial, rounding, "kernels compared for each y");
              uniform_bound.require(trial, rounding, "against T(P, Q) tensor g");
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, true);
            check(outcome.control, false);
          }};
}

// Lemma A.2 ----------------------------------------------------------------------------------------------------------

Case lemma_a_2() {
  return {
      "shifted-interpolation/lemma-a.2",
      "Composition is monotone, has the identity Id, and T(N(0, s^2 I), N(v, s^2 I)) = G(|v|/s): five releases with "
      "mu_i compose to G(sqrt(sum mu_i^2)).",
      "300 random finite pairs; 1e6 draws of each joint law for mu = (0.3, 0.5, 0.2, 0.6, 0.4), s = 1.5, 13 "
      "thresholds on the likelihood ratio.",
      "0.97 of the composed parameter.", [](const Setting& setting, Outcome& outcome) {
        const std::vector<double> mus{0.3, 0.5, 0.2, 0.6, 0.4};
        const double scale = 1.5;
        const double square = sum_over(mus, [&](double mu) { return mu * mu; });
        const std::size_t count = setting.size(1000000, 10000000);
        // The log likelihood ratio of the joint law, up to increasing maps: sum of mu_i x_i / s.
        const auto ratios = [&](std::uint32_t number, bool under_q) {
          std::vector<double> sum(count, 0.0);
          for (std::size_t k = 0; k < mus.size(); ++k) {
            const auto noise = normal_sample(setting, number + static_cast<std::uint32_t>(k), count);
            for (std::size_t i = 0; i < count; ++i) {
              const double x = (under_q ? mus[k] * scale : 0.0) + scale * noise[i];
              sum[i] += mus[k] * x / scale;
            }
          }
          return sum;
        };
        const std::vector<double> errors{1e-3, 3e-3, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.55, 0.7, 0.85, 0.95};
        const auto points = threshold_points(ratios(0xA21, false), ratios(0xA28, true), errors);
        const auto check = [&](Trial& trial, double factor) {
          auto words = words_of(setting, 0xA20);
          SmallestGap monotone;
          LargestError identity(1e-3);
          for (std::size_t k = 0; k < setting.size(300, 3000); ++k) {
            const FinitePair g{random_law(words, 6, 3.0, 0.1), random_law(words, 6, 3.0, 0.1)};
            const FinitePair h{random_law(words, 4), random_law(words, 4)};
            const FinitePair f = pushed(g, random_kernel(words, 6, 4));
            const FiniteTradeoff low(product(g, h)), high(product(f, h));
            for (const double a : errors_of(high)) {
              monotone.see(low(a), high(a), a);
            }
            const FiniteTradeoff alone(g), with_identity(product(g, {h.p, h.p}));
            for (const double a : even_grid(51)) {
              identity.see(with_identity(a), alone(a), a);
            }
          }
          monotone.require(trial, rounding, "f >= g gives f tensor h >= g tensor h");
          identity.require(trial, 1e-10, "f tensor Id = f");
          const double mu = factor * std::sqrt(square);
          check_points(
              trial, points, [=](double a) { return tradeoff::gaussian(a, mu); }, true,
              "five releases, mu = " + rounded(mu, 5));
        };
        check(outcome.claim, 1.0);
        check(outcome.control, 0.97);
        const double mu = std::sqrt(square);
        outcome.figures.push_back(tradeoff_figure(
            "Five Gaussian releases, sqrt(sum mu_i^2) = " + rounded(mu, 4),
            {drawn(
                 "G(sqrt(sum mu_i^2))", [=](double a) { return tradeoff::gaussian(a, mu); }, even_grid(400)),
             drawn("likelihood ratio of the joint law", points)}));
      }};
}

}  // namespace

std::vector<Case> composition_cases() { return {definition_2_6(), lemma_2_7(), lemma_a_2()}; }

}  // namespace dpcurves::validation::shifted_interpolation
