// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Langevin Monte Carlo and the exponential mechanism: Proposition 5.1, Corollaries 5.2 and 5.4, Remark 5.3.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/exponential_mechanism.hpp>
#include <dpcurves/interpolation/langevin.hpp>
#include <dpcurves/simulate/detail/gaussian_chain.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/finite_pair.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

/// The range of -Phi^{-1}(a) - Phi^{-1}(b) over the vertices with both errors at least `smallest`.
Enclosure effective_mus(const FinitePair& pair, double smallest) {
  Enclosure range{infinity, -infinity};
  const FiniteTradeoff f(pair);
  for (const CurvePoint& v : f.vertices()) {
    if (v.type_one_error >= smallest && v.type_two_error >= smallest) {
      const double mu = tradeoff::mu_of_point(std::min(1.0, v.type_one_error), std::min(1.0, v.type_two_error));
      range = {std::min(range.lower, mu), std::max(range.upper, mu)};
    }
  }
  return range;
}

// Proposition 5.1 ----------------------------------------------------------------------------------------------------

using LangevinClaim = std::function<double(const interpolation::Langevin&)>;

double claimed_langevin(const interpolation::Langevin& setting) { return interpolation::langevin_mu(setting).upper; }

/// Langevin steps as noisy descent: noise sqrt(2 eta), the second potential with the additional gradient -L.
Descent langevin_descent(const interpolation::Langevin& s, double bend) {
  return {.loss = {.curvature = s.strong_convexity, .bend = bend},
          .step_size = s.step_size,
          .noise = std::sqrt(2.0 * s.step_size),
          .first = 0.0,
          .second = s.step_size * s.lipschitz_of_difference};
}

/// F' - F = L log cosh x: a difference whose gradient is bounded by L but not constant.
simulate::ChainPair curved_difference(const interpolation::Langevin& s) {
  const double eta = s.step_size, m = s.strong_convexity, lipschitz = s.lipschitz_of_difference;
  simulate::ChainPair chains;
  chains.noise = std::sqrt(2.0 * eta);
  chains.kernels = {{{1.0, [=](double x) { return x - eta * m * x; }}},
                    {{1.0, [=](double x) { return x - eta * (m * x + lipschitz * std::tanh(x)); }}}};
  chains.first = {0};
  chains.second = {1};
  return chains;
}

std::string name_of(const interpolation::Langevin& s) {
  return "m = " + rounded(s.strong_convexity, 3) + ", L = " + rounded(s.lipschitz_of_difference, 3) +
         ", eta = " + rounded(s.step_size, 3) + ", t = " + rounded(s.steps, 6);
}

const std::vector<interpolation::Langevin>& langevin_settings() {
  static const std::vector<interpolation::Langevin> settings{{1.0, 0.5, 0.1, 1.0, {}},
                                                             {1.0, 0.5, 0.1, 10.0, {}},
                                                             {2.0, 1.0, 0.4, 5.0, {}},
                                                             {0.5, 2.0, 0.25, 40.0, {}},
                                                             {3.0, 0.2, 0.05, 40.0, {}}};
  return settings;
}

double exact_quadratic_mu(const interpolation::Langevin& s) {
  const auto steps = static_cast<std::size_t>(s.steps);
  const double factor = 1.0 - s.step_size * s.strong_convexity;
  const std::vector<simulate::AffineStep> first(steps, {factor, 0.0});
  const std::vector<simulate::AffineStep> second(steps, {factor, s.step_size * s.lipschitz_of_difference});
  const double noise = std::sqrt(2.0 * s.step_size);
  return simulate::separation(simulate::gaussian_chain(0.0, first, noise),
                              simulate::gaussian_chain(0.0, second, noise));
}

/// An exact law with its largest effective mu.
struct Measured {
  interpolation::Langevin setting;
  std::string name;
  double mu;
};

std::vector<Measured> measured_langevin() {
  std::vector<Measured> measured;
  for (auto s : langevin_settings()) {
    const auto steps = static_cast<std::size_t>(s.steps);
    const double bend = std::min(1.5, 2.0 / s.step_size - 2.0 * s.strong_convexity);
    s.smoothness = s.strong_convexity + bend;
    measured.push_back(
        {s, "F with + " + rounded(bend, 3) + " log cosh x, " + name_of(s),
         simulate::chain_laws(full_batch_chains(langevin_descent(s, bend)), steps).largest_effective_mu()});
    s.smoothness = s.strong_convexity + s.lipschitz_of_difference;
    if (s.steps > 1.0 && s.step_size <= 2.0 / (s.strong_convexity + *s.smoothness)) {
      measured.push_back({s, "F' - F = L log cosh x, " + name_of(s),
                          simulate::chain_laws(curved_difference(s), steps).largest_effective_mu()});
    }
  }
  return measured;
}

Case proposition_5_1() {
  return {"shifted-interpolation/proposition-5.1",
          "t steps of Langevin Monte Carlo on m-strongly convex, M-smooth F and F' with F - F' L-Lipschitz and "
          "eta <= 2/(m + M) are mu-GDP, mu = L sqrt((2 - eta m)/(2 m) (1 - c^t)/(1 + c^t)), c = 1 - eta m; exact for "
          "quadratics.",
          "Closed laws of quadratics in 5 settings, relative 1e-12; exact laws of two kinds of potentials that are not "
          "quadratic; 2e5 simulated pairs of quadratic chains in one setting, 7 thresholds.",
          "(2 - eta m)/(2 m) replaced by 1/(2 m).", [](const Setting& setting, Outcome& outcome) {
            const interpolation::Langevin sampled = langevin_settings()[1];
            const Descent descent = langevin_descent(sampled, 0.0);
            const auto points =
                simulated_points(setting, "shifted-interpolation/proposition-5.1", simulated(descent, 10),
                                 losses_of(descent, descent.first, 1, 1.0), losses_of(descent, descent.second, 1, 1.0),
                                 setting.size(200000, 4000000), {0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 0.95});
            const auto laws = measured_langevin();
            const auto check = [&](Trial& trial, const LangevinClaim& claim) {
              for (const auto& s : langevin_settings()) {
                trial.close(exact_quadratic_mu(s), claim(s), 1e-12, "quadratics, " + name_of(s));
              }
              for (const Measured& law : laws) {
                trial.at_most(law.mu - law_accuracy, claim(law.setting), law.name + ", largest effective mu");
              }
              const double mu = claim(sampled);
              check_points(
                  trial, points, [=](double a) { return tradeoff::gaussian(a, mu); }, true, "simulated");
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, claimed_langevin);
            check(outcome.control, [](const interpolation::Langevin& s) {
              const double share = std::sqrt(1.0 / (2.0 - s.step_size * s.strong_convexity));
              return share * claimed_langevin(s);
            });
            outcome.figures.push_back(tradeoff_figure(
                "Langevin Monte Carlo on quadratics, " + name_of(sampled),
                {drawn(
                     "Proposition 5.1", [&](double a) { return tradeoff::gaussian(a, claimed_langevin(sampled)); },
                     even_grid(400)),
                 drawn("simulated pairs", points)}));
          }};
}

// Corollary 5.2 and Remark 5.3 ---------------------------------------------------------------------------------------

using MechanismClaim = std::function<double(double lipschitz, double m)>;

double claimed_mechanism(double lipschitz, double m) {
  return interpolation::exponential_mechanism_strongly_convex_mu(lipschitz, m).upper;
}

struct Potentials {
  std::string name;
  std::function<double(double)> f, difference;  // difference: F' - F for L = 1
  bool shifted_quadratics;
};

std::vector<Potentials> potentials(double m) {
  const auto quadratic = [m](double x) { return 0.5 * m * x * x; };
  const auto linear = [](double x) { return -x; };
  return {{"m x^2/2, -L x", quadratic, linear, true},
          {"m x^2/2 + 2 log cosh x, -L x",
           [=](double x) { return quadratic(x) + 2.0 * (std::abs(x) + std::log1p(std::exp(-2.0 * std::abs(x)))); },
           linear, false},
          {"m x^2/2 + sqrt(1 + (x - 1)^2), -L x", [=](double x) { return quadratic(x) + std::hypot(1.0, x - 1.0); },
           linear, false},
          {"m x^2/2, L sqrt(1 + x^2)", quadratic, [](double x) { return std::hypot(1.0, x); }, false}};
}

FinitePair mechanism_cells(const Potentials& s, double lipschitz) {
  return density_cells(
      s.f, [&](double x) { return s.f(x) + lipschitz * s.difference(x); }, -30.0, 30.0, 6000);
}

Case corollary_5_2() {
  return {
      "shifted-interpolation/corollary-5.2",
      "pi ~ e^-F and pi' ~ e^-F' with F, F' m-strongly convex and F - F' L-Lipschitz satisfy "
      "T(pi, pi') >= G(L/sqrt(m)), exact for quadratics; the stationary laws of Langevin Monte Carlo satisfy "
      "G(L sqrt((2 - eta m)/(2 m))).",
      "4 kinds of potentials by quadrature on 6000 cells of [-30, 30] for (m, L) = (1, 1), (0.25, 0.5), (2, 3), both "
      "orders, all vertices with errors above 1e-6; exact Langevin chains of 100 steps.",
      "L/m in the place of L/sqrt(m).", [](const Setting&, Outcome& outcome) {
        struct Constants {
          double m, lipschitz;
        };
        struct Seen {
          Constants c;
          std::string name;
          double largest, smallest, factor;  // factor: on the claim
          bool equal;
        };
        std::vector<Seen> seen;
        for (const Constants& c : {Constants{1.0, 1.0}, {0.25, 0.5}, {2.0, 3.0}}) {
          const std::string constants = ", m = " + rounded(c.m, 3) + ", L = " + rounded(c.lipschitz, 3);
          for (const Potentials& s : potentials(c.m)) {
            const FinitePair pair = mechanism_cells(s, c.lipschitz);
            const Enclosure range = effective_mus(pair, 1e-6), back = effective_mus(swapped(pair), 1e-6);
            seen.push_back({c, s.name + constants, std::max(range.upper, back.upper), std::min(range.lower, back.lower),
                            1.0, s.shifted_quadratics});
          }
          const double eta = 0.2;
          const interpolation::Langevin s{c.lipschitz, c.m, eta, infinity, c.m + 1.0};
          const auto laws = simulate::chain_laws(full_batch_chains(langevin_descent(s, 1.0)), 100);
          seen.push_back({c, "Langevin, F with + log cosh x, eta = 0.2" + constants,
                          laws.largest_effective_mu() - law_accuracy, 0.0, std::sqrt(0.5 * (2.0 - eta * c.m)), false});
        }
        const auto check = [&](Trial& trial, const MechanismClaim& claim) {
          for (const Seen& law : seen) {
            const double bound = law.factor * claim(law.c.lipschitz, law.c.m);
            trial.at_most(law.largest, bound + 1e-7, law.name + ", largest effective mu");
            if (law.equal) {
              trial.close(law.smallest, bound, 1e-7, law.name + ", smallest effective mu");
            }
          }
          trial.close(interpolation::langevin_mu({1.0, 0.25, 0.2, infinity, {}}).upper,
                      std::sqrt(0.5 * (2.0 - 0.05)) * claim(1.0, 0.25), 1e-12,
                      "stationary Langevin parameter, m = 0.25, L = 1, eta = 0.2");
        };
        outcome.claim.by_exact_law();
        check(outcome.claim, claimed_mechanism);
        check(outcome.control, [](double lipschitz, double m) { return lipschitz / m; });
        const auto grid = even_grid(400);
        std::vector<io::Series> series{drawn(
            "G(L/sqrt(m))", [](double a) { return tradeoff::gaussian(a, 1.0); }, grid)};
        for (const Potentials& s : potentials(1.0)) {
          series.push_back(drawn(s.name, FiniteTradeoff(mechanism_cells(s, 1.0)), grid));
          series.back().style = io::Style::dashed;
        }
        outcome.figures.push_back(tradeoff_figure("Exponential mechanisms (F, F' - F), m = 1, L = 1", series));
      }};
}

Case remark_5_3() {
  return {"shifted-interpolation/remark-5.3",
          "For F = m |x|^2/2 and F' = m |x - (L/m) v|^2/2 with |v| = 1 the laws are N(0, I/m) and N((L/m) v, I/m) and "
          "T = G(L/sqrt(m)); stationary Langevin laws have variance 2/((2 - eta m) m) and "
          "T = G(L sqrt((2 - eta m)/(2 m))): no smaller parameter is valid.",
          "5e5 draws of both laws in R^3 for m = 2, L = 1.5, 11 thresholds on <v, x>; closed laws after 3000 steps, "
          "relative 1e-12.",
          "0.97 of the parameter.", [](const Setting& setting, Outcome& outcome) {
            const double m = 2.0, lipschitz = 1.5;
            const double v[] = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};
            const std::size_t count = setting.size(500000, 5000000);
            const auto sample = [&](std::uint32_t number, double shift) {
              std::vector<double> statistic(count, 0.0);
              for (std::uint32_t k = 0; k < 3; ++k) {
                const auto normal = normal_sample(setting, number + k, count);
                for (std::size_t i = 0; i < count; ++i) {
                  statistic[i] += v[k] * (shift * v[k] + normal[i] / std::sqrt(m));
                }
              }
              return statistic;
            };
            const std::vector<double> errors{0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9};
            const auto points = threshold_points(sample(0x531, 0.0), sample(0x534, lipschitz / m), errors);
            const auto check = [&](Trial& trial, double factor) {
              const double mu = factor * claimed_mechanism(lipschitz, m);
              check_points(
                  trial, points, [=](double a) { return tradeoff::gaussian(a, mu); }, true, "draws in R^3");
              for (const double eta : {0.01, 0.1, 0.5, 0.99}) {
                const interpolation::Langevin s{lipschitz, 1.0, eta, 3000.0, {}};
                interpolation::Langevin stationary = s;
                stationary.steps = infinity;
                trial.close(exact_quadratic_mu(s), factor * claimed_langevin(stationary), 1e-12,
                            "Langevin, m = 1, L = 1.5, eta = " + rounded(eta, 2) + ", 3000 steps");
              }
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, 1.0);
            check(outcome.control, 0.97);
          }};
}

// Corollary 5.4 ------------------------------------------------------------------------------------------------------

using ConvexClaim = std::function<double(double lipschitz, double diameter)>;

/// The largest effective mu over all pairs of potentials 0, +-L x, L |x| on [-1/2, 1/2].
double worst_on_interval(double lipschitz) {
  const std::vector<std::function<double(double)>> kinds{
      [](double) { return 0.0; }, [=](double x) { return lipschitz * x; }, [=](double x) { return -lipschitz * x; },
      [=](double x) { return lipschitz * std::abs(x); }};
  double worst = 0.0;
  for (const auto& f : kinds) {
    for (const auto& other : kinds) {
      if (&f != &other) {
        worst = std::max(worst, effective_mus(density_cells(f, other, -0.5, 0.5, 4000), 1e-9).upper);
      }
    }
  }
  return worst;
}

Case corollary_5_4() {
  return {
      "shifted-interpolation/corollary-5.4",
      "On a convex body of diameter D, exponential mechanisms of convex L-Lipschitz F and F' (sensitivity 2 L) "
      "satisfy G(2 sqrt(L D)), and projected Langevin Monte Carlo G(sqrt(4 L D + 2 eta L^2)). The classical "
      "(2 L D, 0)-DP is weaker exactly for L D > 0.67639.",
      "F, F' in {0, L x, -L x, L |x|} on [-1/2, 1/2] by quadrature on 4000 cells, L D = 0.3 to 30; exact laws and "
      "1e5 simulated pairs of projected chains with drift +-L.",
      "2 sqrt(L D) with the sensitivity L: sqrt(2 L D).", [](const Setting& setting, Outcome& outcome) {
        std::vector<double> sizes{0.3, 1.0, 2.0, 5.0, 12.0, 30.0}, exact;
        for (const double size : sizes) {
          exact.push_back(worst_on_interval(size));
        }
        struct Chain {
          double lipschitz, step_size;
          std::size_t steps;
        };
        const std::vector<Chain> chains{{2.0, 0.02, 100}, {10.0, 0.002, 400}, {16.0, 0.002, 300}};
        std::vector<simulate::LawPair> laws;
        std::vector<Descent> descents;
        for (const Chain& c : chains) {
          descents.push_back({.loss = {},
                              .step_size = c.step_size,
                              .noise = std::sqrt(2.0 * c.step_size),
                              .first = -c.step_size * c.lipschitz,
                              .second = c.step_size * c.lipschitz,
                              .half_width = 0.5});
          laws.push_back(simulate::chain_laws(full_batch_chains(descents.back()), c.steps));
        }
        const auto points = simulated_points(
            setting, "shifted-interpolation/corollary-5.4", simulated(descents[0], chains[0].steps),
            losses_of(descents[0], descents[0].first, 1, 1.0), losses_of(descents[0], descents[0].second, 1, 1.0),
            setting.size(100000, 2000000), {0.03, 0.1, 0.25, 0.5});
        const double threshold = interpolation::exponential_mechanism_threshold().middle();
        const auto check = [&](Trial& trial, const ConvexClaim& claim) {
          for (std::size_t i = 0; i < sizes.size(); ++i) {
            const double pure = interpolation::exponential_mechanism_pure_mu(sizes[i], 1.0).upper;
            const std::string name = "L D = " + rounded(sizes[i], 3);
            trial.at_most(exact[i], claim(sizes[i], 1.0), name + ", largest effective mu");
            trial.at_most(exact[i], pure, name + ", the same against (2 L D, 0)-DP");
            trial.require((pure < claim(sizes[i], 1.0)) == (sizes[i] < threshold),
                          name + ": (2 L D, 0)-DP gives " + rounded(pure, 6) + ", the corollary " +
                              rounded(claim(sizes[i], 1.0), 6) + ", threshold " + rounded(threshold, 8));
          }
          for (std::size_t i = 0; i < chains.size(); ++i) {
            const Chain& c = chains[i];
            const double mu = std::hypot(claim(c.lipschitz, 1.0), c.lipschitz * std::sqrt(2.0 * c.step_size));
            law_within(trial, laws[i], mu,
                       "projected Langevin, L = " + rounded(c.lipschitz, 3) +
                           ", D = 1, eta = " + rounded(c.step_size, 3) + ", " + std::to_string(c.steps) + " steps");
            const interpolation::ProjectedLangevin s{c.lipschitz, 1.0, c.step_size, infinity};
            trial.close(interpolation::projected_langevin_mu(s).upper, mu, 1e-12, "its stated parameter");
            trial.at_most(interpolation::projected_langevin_ceiling_mu(s).upper, mu, "with the ceiling kept");
          }
          const double mu = std::hypot(claim(2.0, 1.0), 2.0 * std::sqrt(0.04));
          check_points(
              trial, points, [=](double a) { return tradeoff::gaussian(a, mu); }, false, "simulated");
        };
        outcome.claim.by_exact_law();
        const auto claimed = [](double lipschitz, double diameter) {
          return interpolation::exponential_mechanism_convex_mu(lipschitz, diameter).upper;
        };
        check(outcome.claim, claimed);
        check(outcome.control, [](double lipschitz, double diameter) { return std::sqrt(2.0 * lipschitz * diameter); });
        io::Plot plot;
        plot.title = "Exponential mechanisms on [-1/2, 1/2]";
        plot.x = {.label = "L D", .logarithmic = true, .lowest = {}, .highest = {}};
        plot.y = {.label = "GDP parameter", .logarithmic = true, .lowest = {}, .highest = {}};
        std::vector<double> x, corollary, pure;
        for (const double size : even_grid(100, std::log(0.2), std::log(40.0))) {
          x.push_back(std::exp(size));
          corollary.push_back(claimed(x.back(), 1.0));
          pure.push_back(interpolation::exponential_mechanism_pure_mu(x.back(), 1.0).upper);
        }
        plot.series = {io::line("Corollary 5.4: 2 sqrt(L D)", x, corollary), io::dashed("from (2 L D, 0)-DP", x, pure),
                       io::points("worst exact pair of 0, L x, -L x, L |x|", sizes, exact)};
        outcome.figures.push_back({plot.title, plot});
      }};
}

}  // namespace

std::vector<Case> sampling_cases() { return {proposition_5_1(), corollary_5_2(), remark_5_3(), corollary_5_4()}; }

}  // namespace dpcurves::validation::shifted_interpolation
