// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Privacy of subsampled matrix mechanisms: closed forms, Renyi bounds, sensitivities.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <boost/math/distributions/binomial.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/subsampled_renyi.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>

#include "validation/cases/kan_correlated_noise/kan_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/finite_pair.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

using accounting::Pair;
using correlated::MeanMultiples;
using models::StrategyMatrix;

// Closed forms -------------------------------------------------------------------------------------------------------

Case theorem_f_12() {
  Case one = compared(
      "kan-correlated-noise/theorem-f.12",
      "The closed-form noise multiplier meets its target, with constant 2 where a record is zeroed out.",
      "Four values of lambda, two of r, T = 400 and 2000: the same-batch noise multiplier against the closed form.",
      "0.55 of the noise multiplier", [](const Setting&, Trial& trial, bool broken) {
        trial.by_exact_law();
        for (const double lambda : {0.0, 0.5, 0.9, 0.99}) {
          for (const double steps : {400.0, 2000.0}) {
            for (const double rate : {0.1, 0.5}) {
              const double delta = 1e-5;
              const auto answer = correlated::closed_form({lambda, rate, steps, 1.0, delta});
              const correlated::SameBatch bound(StrategyMatrix::exponential(lambda, static_cast<std::size_t>(steps)),
                                                rate, 1.0);
              trial.at_most(bound.noise_multiplier(1.0, delta).upper,
                            answer.noise_multiplier_constant_2 * (broken ? 0.55 : 1.0),
                            "same-batch noise multiplier, lambda = " + shortest(lambda) + ", r = " + shortest(rate) +
                                ", T = " + shortest(steps));
            }
          }
        }
      });
  const auto run = one.run;
  one.run = [run](const Setting& setting, Outcome& outcome) {
    run(setting, outcome);
    const std::vector<double> lambdas{0.0, 0.5, 0.75, 0.9, 0.95};
    std::vector<double> closed, same_batch, certified;
    const std::size_t drawn = setting.size(0, lambdas.size());  // the third line is slow, and only drawn
    for (const double lambda : lambdas) {
      const auto strategy = StrategyMatrix::exponential(lambda, 400);
      closed.push_back(correlated::closed_form({lambda, 0.1, 400.0, 1.0, 1e-5}).noise_multiplier_constant_2);
      same_batch.push_back(correlated::SameBatch(strategy, 0.1, 1.0).noise_multiplier(1.0, 1e-5).upper);
      if (certified.size() == drawn) {
        continue;
      }
      double worst = 0.0;
      for (const MeanMultiples m : {MeanMultiples{1.0, 0.0}, MeanMultiples{0.0, 1.0}}) {
        worst = std::max(worst, correlated::mixture_noise_multiplier(strategy, 0.1, m, 1.0, 1e-5, 2e-2));
      }
      certified.push_back(worst);
    }
    io::Plot plot{
        .title = "Noise multiplier at (1, 1e-5), r = 0.1, T = 400",
        .x = {"lambda", false, std::nullopt, std::nullopt},
        .y = {"noise multiplier", true, 5.0, 1000.0},
        .legend = io::Legend::outside,
        .series = {io::line("closed form, constant 2", lambdas, closed), io::line("same batch", lambdas, same_batch)}};
    if (setting.nightly) {
      plot.series.push_back(io::line("certified pair, Poisson", lambdas, certified));
    }
    outcome.figures.push_back({plot.title, plot});
  };
  return one;
}

Case theorem_5_1() {
  return compared("kan-correlated-noise/theorem-5.1",
                  "kappa^2 = 8 ((1 - lambda^T)/(1 - lambda))^2 (r T + sqrt(3 r T log(2/delta))) log(2.5/delta)/eps^2 "
                  "gives (eps, delta)-DP.",
                  "The exact law of one record replaced in full batches, four lambdas, T = 500 and 20,000: the noise "
                  "multiplier that it needs at (1, 1e-5) against the theorem's.",
                  "0.7 of the noise multiplier", [](const Setting&, Trial& trial, bool broken) {
                    constexpr double delta = 1e-5;
                    const double factor = broken ? 0.7 : 1.0;
                    trial.by_exact_law();
                    for (const double lambda : {0.0, 0.5, 0.9, 0.99}) {
                      for (const double steps : {500.0, 20000.0}) {
                        trial.at_most(
                            full_batch_need(lambda, steps, delta),
                            factor * correlated::closed_form({lambda, 1.0, steps, 1.0, delta}).noise_multiplier,
                            "noise multiplier, lambda = " + shortest(lambda) + ", T = " + shortest(steps));
                      }
                    }
                  });
}

/// delta of the instance: other gradients 0, the record's 1 against -1.
double instance_delta(double rate, double steps, double noise, double epsilon) {
  return accounting::delta_at({0.0, {{rate, 1.0 / noise, steps, Pair::poisson_replace_one}}}, epsilon, {1e-2, false})
      .delta.lower;
}

Case independent_noise(const char* id, const char* claim, const char* experiment,
                       std::vector<std::array<double, 3>> settings) {
  return compared(
      id, claim, experiment, "half of that noise multiplier",
      [settings](const Setting&, Trial& trial, bool broken) {
        trial.by_exact_law();
        for (const auto& [rate, steps, delta] : settings) {
          const auto answer = correlated::independent_noise(rate, steps, 1.0, delta);
          const double noise = answer.noise_multiplier * (broken ? 0.5 : 1.0);
          trial.at_most(instance_delta(rate, steps, noise, 1.0), delta,
                        "q = " + shortest(rate) + ", T = " + shortest(steps) + ", kappa = " + rounded(noise, 5) +
                            (answer.certified ? ", certified" : ", not certified"));
        }
      },
      Verdict::refuted);
}

Case lemma_d_2() {
  return compared("kan-correlated-noise/lemma-d.2", "(a, rho)-RDP implies (rho + log(1/delta)/(a - 1), delta)-DP.",
                  "Gaussian mechanisms mu = 0.3 and 2 at orders 1.5 to 60: not below the exact epsilon.",
                  "half of the logarithm", [](const Setting&, Trial& trial, bool broken) {
                    trial.by_exact_law();
                    for (const double mu : {0.3, 2.0}) {
                      const double exact = tradeoff::epsilon_of_delta(1e-5, mu);
                      for (const double order : {1.5, 3.0, 8.0, 20.0, 60.0}) {
                        const auto found = correlated::gaussian_rdp(order, mu, 1.0, 1e-5);
                        const double epsilon =
                            broken ? 0.5 * (found.rdp + found.epsilon) : std::min(found.epsilon, found.tighter_epsilon);
                        trial.at_most(exact, epsilon, "mu = " + shortest(mu) + ", order " + shortest(order));
                      }
                    }
                  });
}

Case lemma_d_4() {
  return compared("kan-correlated-noise/lemma-d.4", "The Gaussian mechanism has Renyi divergence a D^2/(2 s^2).",
                  "Quadrature of D_a between N(0, s^2) and N(D, s^2), three orders, to 1e-9.", "without the factor 1/2",
                  [](const Setting&, Trial& trial, bool broken) {
                    trial.by_exact_law();
                    for (const double order : {1.5, 4.0, 8.0}) {
                      const double shift = 0.8;
                      const auto moment = numerics::integrate(
                          [&](double x) {
                            return std::exp(order * (shift * x - 0.5 * shift * shift) - 0.5 * x * x) /
                                   std::sqrt(2.0 * std::acos(-1.0));
                          },
                          -30.0, 40.0);
                      const double rdp = correlated::gaussian_rdp(order, shift, 1.0, 0.1).rdp * (broken ? 2.0 : 1.0);
                      trial.close(rdp, std::log(moment.value) / (order - 1.0), 1e-9, "order " + shortest(order));
                    }
                  });
}

/// D_a(P || Q) of laws on finitely many outcomes, Q nowhere 0 where P is not.
double renyi_of(const FinitePair& pair, double order) {
  double sum = 0.0;
  for (std::size_t i = 0; i < pair.p.size(); ++i) {
    if (pair.p[i] > 0.0) {
      sum += pair.q[i] * std::pow(pair.p[i] / pair.q[i], order);
    }
  }
  return std::log(sum) / (order - 1.0);
}

/// Clips outcomes to the middle third, as a projection does.
Kernel projection(std::size_t outcomes) {
  Kernel kernel(outcomes, std::vector<double>(outcomes, 0.0));
  for (std::size_t i = 0; i < outcomes; ++i) {
    kernel[i][std::clamp(i, outcomes / 3, 2 * outcomes / 3)] = 1.0;
  }
  return kernel;
}

/// Of outcomes i j, a pair of releases, only j is released.
Kernel last_release(std::size_t each) {
  Kernel kernel(each * each, std::vector<double>(each, 0.0));
  for (std::size_t i = 0; i < each * each; ++i) {
    kernel[i][i % each] = 1.0;
  }
  return kernel;
}

Case lemma_d_5() {
  return compared(
      "kan-correlated-noise/lemma-d.5",
      "Post-processing does not increase Renyi divergences of order a > 1, nor hockey-stick divergences.",
      "N(0, 1) against N(1.5, 1) in cells, clipped to an interval; the last of two independent releases, the first "
      "without information (equality); 200 random pairs through random kernels. Three orders and three epsilons; exact "
      "laws, the largest divergence after over before.",
      "0.95 of the divergence", [](const Setting& setting, Trial& trial, bool broken) {
        trial.by_exact_law();
        const double claimed = broken ? 0.95 : 1.0 + 1e-9;
        auto words = words_of(setting, 0x2d5);
        const FinitePair cells = gaussian_cells(1.5, 0.1, 6.0);
        const FinitePair coin{{0.3, 0.7}, {0.3, 0.7}}, answer{{0.8, 0.2}, {0.4, 0.6}};
        std::vector<std::pair<FinitePair, Kernel>> processed{{cells, projection(cells.p.size())},
                                                             {product(coin, answer), last_release(2)}};
        for (std::size_t k = 0; k < setting.size(200, 2000); ++k) {
          processed.push_back({{random_law(words, 8), random_law(words, 8)}, random_kernel(words, 8, 2 + k % 9)});
        }
        const auto largest = [&](const std::function<double(const FinitePair&)>& divergence) {
          double ratio = 0.0;
          for (const auto& [pair, kernel] : processed) {
            const double before = divergence(pair);
            ratio = before > 1e-6 ? std::max(ratio, divergence(pushed(pair, kernel)) / before) : ratio;
          }
          return ratio;
        };
        for (const double order : {1.5, 4.0, 16.0}) {
          trial.at_most(largest([&](const FinitePair& pair) { return renyi_of(pair, order); }), claimed,
                        "Renyi divergence after over before, order " + shortest(order));
        }
        for (const double epsilon : {0.0, 0.3, 0.6}) {
          trial.at_most(largest([&](const FinitePair& pair) { return hockey_stick(pair, epsilon); }), claimed,
                        "hockey-stick divergence after over before, epsilon = " + shortest(epsilon));
        }
      });
}

Case lemma_d_6() {
  return compared(
      "kan-correlated-noise/lemma-d.6", "Renyi divergences of steps add.",
      "Independent steps: exact divergence of three joint steps by sums over all participations, two orders.",
      "sqrt(3) in the place of 3", [](const Setting&, Trial& trial, bool broken) {
        trial.by_exact_law();
        for (const double order : {2.0, 5.0}) {
          const double one = accounting::poisson_renyi(0.2, 1.0, order, accounting::Direction::remove).middle();
          trial.close(one * (broken ? std::sqrt(3.0) : 3.0),
                      correlated::exact_renyi(StrategyMatrix::exponential(0.0, 3), 0.2, 1.0, order).middle(), 1e-11,
                      "order " + shortest(order));
        }
      });
}

void renyi_of_step(Trial& trial, const std::function<double(double, double, double)>& claimed) {
  trial.by_exact_law();
  for (const double rate : {0.01, 0.1, 0.5}) {
    for (const double noise : {0.8, 3.0, 20.0}) {
      for (const double order : {2.0, 8.0, 25.0}) {
        const accounting::Composition step{0.0, {{rate, 2.0 / noise, 1.0, Pair::symmetrised}}};
        trial.at_most(accounting::renyi(step, order).lower, claimed(rate, order, noise) * (1.0 + 1e-9),
                      "r = " + shortest(rate) + ", kappa = " + shortest(noise) + ", order " + shortest(order));
      }
    }
  }
}

Case lemma_d_7() {
  return compared("kan-correlated-noise/lemma-d.7",
                  "The corrected binomial sum bounds the Renyi divergence of a fixed-size step.",
                  "27 settings: not below the exact worst case (derived-2).",
                  "the printed leading term 8 a q^2/kappa^2", [](const Setting&, Trial& trial, bool broken) {
                    renyi_of_step(trial, broken ? correlated::printed_fixed_size_rdp : correlated::fixed_size_rdp);
                  });
}

Case remark_d_8() {
  return compared(
      "kan-correlated-noise/remark-d.8",
      "As printed: 8 a q^2/kappa^2 bounds the Renyi divergence of a fixed-size step. False.",
      "27 settings: against the exact worst case.", "half of it",
      [](const Setting&, Trial& trial, bool broken) {
        renyi_of_step(trial, [&](double rate, double order, double noise) {
          return correlated::printed_fixed_size_rdp(rate, order, noise) * (broken ? 0.5 : 1.0);
        });
      },
      Verdict::refuted);
}

Case lemma_f_6() {
  return compared("kan-correlated-noise/lemma-f.6", "The orders of a pair satisfy H_a(P||Q) = 1 - a + a H_{1/a}(Q||P).",
                  "A hundred Poisson steps, four epsilons, both directions by the composition engine, to 1e-5.",
                  "the directions taken as equal", [](const Setting&, Trial& trial, bool broken) {
                    for (const double epsilon : {-1.0, -0.4, 0.2, 0.7}) {
                      const auto at = [](Pair pair, double e) {
                        return accounting::delta_at({0.0, {{0.1, 0.5, 100.0, pair}}}, e).delta;
                      };
                      const double exact = at(Pair::poisson_remove, epsilon).middle();
                      const double other =
                          broken ? at(Pair::poisson_add, epsilon).middle()
                                 : tradeoff::mirrored_delta(at(Pair::poisson_add, -epsilon), epsilon).middle();
                      trial.close(other, exact, 1e-5, "epsilon = " + shortest(epsilon));
                    }
                  });
}

Case lemma_f_9() {
  return compared("kan-correlated-noise/lemma-f.9",
                  "delta <= P(E) max over E of delta_G + P(not E), for E: at most k participations.",
                  "T = 10, three lambdas, every k: not below the mean over all participations.", "without P(not E)",
                  [](const Setting&, Trial& trial, bool broken) {
                    trial.by_exact_law();
                    for (const double lambda : {0.0, 0.5, 0.9}) {
                      const double rate = 0.3, noise = 3.0, epsilon = 0.5;
                      const auto strategy = StrategyMatrix::exponential(lambda, 10);
                      const double mean = correlated::enumerated_same_batch_delta(strategy, rate, noise, epsilon);
                      const boost::math::binomial_distribution<double> law(10.0, rate);
                      for (double k = 0.0; k <= 10.0; ++k) {
                        const double inside = boost::math::cdf(law, k);
                        const double bound =
                            inside * tradeoff::delta_of_epsilon(
                                         epsilon, correlated::encoded_sensitivity(lambda, k, 10.0) / noise) +
                            (broken ? 0.0 : 1.0 - inside);
                        trial.at_most(mean, bound, "lambda = " + shortest(lambda) + ", k = " + shortest(k));
                      }
                    }
                  });
}

Case lemma_f_10() {
  return compared("kan-correlated-noise/lemma-f.10", "P(Bin(T, r) > r T + sqrt(3 r T log(1/p))) <= p.",
                  "Exact binomial tails at nine settings with r T >= 3 log(1/p).", "without the square root",
                  [](const Setting&, Trial& trial, bool broken) {
                    trial.by_exact_law();
                    for (const double steps : {400.0, 2000.0}) {
                      for (const double rate : {0.1, 0.3, 0.7}) {
                        for (const double p : {0.1, 1e-3, 1e-5}) {
                          const double mean = rate * steps, log_term = -std::log(p);
                          if (mean < 3.0 * log_term) {
                            continue;
                          }
                          const double tau = mean + (broken ? 0.0 : std::sqrt(3.0 * mean * log_term));
                          const boost::math::binomial_distribution<double> law(steps, rate);
                          const double tail =
                              tau >= steps ? 0.0 : boost::math::cdf(boost::math::complement(law, std::floor(tau)));
                          trial.at_most(tail, p, "T = " + shortest(steps) + ", r = " + shortest(rate));
                        }
                      }
                    }
                  });
}

Case lemma_f_11() {
  return compared(
      "kan-correlated-noise/lemma-f.11", "|| C y || is largest at the first k steps, and at most gain sqrt(k).",
      "All 4096 participations of T = 12, lambda = 0.7.", "the last k steps",
      [](const Setting&, Trial& trial, bool broken) {
        trial.by_exact_law();
        constexpr std::size_t steps = 12;
        const auto strategy = StrategyMatrix::exponential(0.7, steps);
        const auto norm = [&](unsigned y) {
          std::vector<double> x(steps);
          for (std::size_t t = 0; t < steps; ++t) {
            x[t] = ((y >> t) & 1U) != 0 ? 1.0 : 0.0;
          }
          strategy.multiply(x);
          const double square = sum_over(x, [&](double v) { return v * v; });
          return std::sqrt(square);
        };
        std::vector<double> largest(steps + 1, 0.0);
        for (unsigned y = 0; y < (1U << steps); ++y) {
          double& best = largest[static_cast<std::size_t>(__builtin_popcount(y))];
          best = std::max(best, norm(y));
        }
        for (std::size_t k = 1; k <= steps; ++k) {
          const unsigned first = (1U << k) - 1U;
          const double claimed =
              broken ? norm(first << (steps - k)) : correlated::encoded_sensitivity(0.7, static_cast<double>(k), steps);
          trial.at_most(largest[k], claimed * (1.0 + 1e-13), "k = " + std::to_string(k));
          trial.at_most(claimed, correlated::printed_encoded_sensitivity(0.7, static_cast<double>(k), steps),
                        "printed bound, k = " + std::to_string(k));
        }
      });
}

}  // namespace

std::vector<Case> privacy_cases() {
  return {theorem_5_1(),
          independent_noise("kan-correlated-noise/theorem-5.4",
                            "As printed: kappa of Theorem 5.4 gives (1, delta)-DP. False.",
                            "Two settings: the certified lower end of an instance's delta against the target.",
                            {{0.01, 1.0, 1e-5}, {1e-3, 1000.0, 1e-5}}),
          independent_noise("kan-correlated-noise/corollary-5.5",
                            "As printed: its noise gives (1, delta)-DP in its own regime. False.",
                            "n = 1e6, gamma = 1/2 (q = 5e-4, T = 2000): an instance's delta against delta = 5e-7.",
                            {{5e-4, 2000.0, 5e-7}}),
          lemma_d_2(),
          lemma_d_4(),
          lemma_d_5(),
          lemma_d_6(),
          lemma_d_7(),
          remark_d_8(),
          independent_noise("kan-correlated-noise/theorem-d.9",
                            "As printed: kappa^2 = 16 q^2 T/eps + 32 q^2 T log(1/delta)/eps^2. False.",
                            "Three settings: the certified lower end of an instance's delta against the target.",
                            {{0.01, 1.0, 1e-5}, {1e-3, 1000.0, 1e-5}, {2e-3, 500.0, 1e-6}}),
          lemma_f_6(),
          lemma_f_9(),
          lemma_f_10(),
          lemma_f_11(),
          theorem_f_12()};
}

}  // namespace dpcurves::validation::kan_correlated_noise
