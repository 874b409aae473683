// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>
#include <dpcurves/simulate/detail/gaussian_chain.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using interpolation::Contraction;
using interpolation::NoisyCgd;

NoisyCgd cyclic(double kappa, double c, std::size_t batches, std::size_t epochs) {
  NoisyCgd setting;
  setting.descent.effective_sensitivity = kappa;
  setting.descent.contraction = Contraction::factor(c);
  setting.batches_per_epoch = static_cast<double>(batches);
  setting.epochs = static_cast<double>(epochs);
  return setting;
}

std::string cycle_text(std::size_t batches, std::size_t epochs) {
  return "l = " + std::to_string(batches) + ", E = " + std::to_string(epochs);
}

/// The mu of affine cyclic chains x -> c x (+ s in the last step of each epoch).
double affine_cyclic_mu(double c, double s, double noise, std::size_t batches, std::size_t epochs) {
  const std::size_t t = batches * epochs;
  const std::vector<simulate::AffineStep> first(t, {c, 0.0});
  auto second = first;
  for (std::size_t k = batches; k <= t; k += batches) {
    second[k - 1].shift = s;
  }
  return simulate::separation(simulate::gaussian_chain(0.0, first, noise),
                              simulate::gaussian_chain(0.0, second, noise));
}

/// The optimal parameter for the differing batch last, in units of s = noise, from the shift problem itself.
double minorant_mu(double c, std::size_t batches, std::size_t epochs) {
  std::vector<double> contraction(batches * epochs, c), sensitivity(batches * epochs, 0.0);
  for (std::size_t k = batches; k <= batches * epochs; k += batches) {
    sensitivity[k - 1] = 1.0;
  }
  return std::sqrt(interpolation::solve_shift_problem(contraction, sensitivity, 0.0).sum_a2.middle());
}

void composition(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.4";
  const auto claimed = [](std::size_t l, std::size_t E) { return composition_mu(cyclic(1.0, 1.0, l, E)).upper; };
  const auto broken = [](std::size_t, std::size_t E) { return std::sqrt(static_cast<double>(E) - 1.0); };
  for (const std::size_t E : {std::size_t{1}, std::size_t{3}, std::size_t{20}}) {
    // Two batches. The differing one forgets (factor 1/100), the common one expands by 100: each epoch's shift then
    // outweighs the noise of all other steps.
    std::vector<simulate::AffineStep> first, second;
    for (std::size_t epoch = 0; epoch < E; ++epoch) {
      first.insert(first.end(), {{0.01, 0.0}, {100.0, 0.0}});
      second.insert(second.end(), {{0.01, 1.0}, {100.0, 0.0}});
    }
    const double exact =
        simulate::separation(simulate::gaussian_chain(0.0, first, 1.0), simulate::gaussian_chain(0.0, second, 1.0));
    const std::string what = "expanding and forgetting quadratics, " + cycle_text(2, E);
    outcome.claim.by_exact_law();
    outcome.claim.at_most(exact, claimed(2, E), what);
    outcome.claim.at_most(claimed(2, E), exact * (1.0 + 1e-4), what + ", the bound is almost attained");
    outcome.control.at_most(exact, broken(2, E), what);
  }
  for (const double bend : {0.0, 1.0, 3.0}) {
    const Descent descent{{-0.4, bend}, 0.4, 1.0, 0.0, 1.0};
    law_within(outcome.claim, exact_laws(cyclic_chains(descent, 2, 2), 8), claimed(2, 4),
               "gradient -0.4 x + " + shortest(bend) + " tanh x, " + cycle_text(2, 4));
  }
  const Descent linear{{0.0, 0.0}, 0.1, 1.0, 0.0, 1.0};
  const auto process = simulated(linear, 8, simulate::BatchRule::cyclic, 1);
  const auto points = simulated_points(setting, id, process, losses_of(linear, 0.0, 2, 1.0),
                                       losses_of(linear, 1.0, 2, 1.0), setting.size(100000, 2000000), {0.1, 0.4});
  points_above(outcome.claim, points, gdp(claimed(2, 4)), "simulated linear losses, " + cycle_text(2, 4));
  points_above(outcome.control, points, gdp(broken(2, 4)), "simulated linear losses, " + cycle_text(2, 4));
}

struct CyclicExample {
  double step_size;
  std::size_t batches, epochs;

  [[nodiscard]] double c() const { return 1.0 - 0.5 * step_size; }
  [[nodiscard]] NoisyCgd setting() const { return cyclic(1.0, c(), batches, epochs); }
  /// kappa = 1: step sensitivity and noise are both the step size. Gradient 0.5 x + bend tanh x.
  [[nodiscard]] Descent descent(double bend) const { return {{0.5, bend}, step_size, step_size, 0.0, step_size}; }
  [[nodiscard]] simulate::LawPair laws(double bend, std::size_t position) const {
    return exact_laws(cyclic_chains(descent(bend), batches, position), batches * epochs);
  }
  [[nodiscard]] std::string text() const {
    return "m = 0.5, eta = " + shortest(step_size) + ", kappa = 1, " + cycle_text(batches, epochs);
  }
};

void strongly_convex(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.5";
  const auto claimed = [](const CyclicExample& e) { return strongly_convex_mu(e.setting()).upper; };
  const auto broken = [](const CyclicExample& e) { return batch_position_mu(e.setting(), 1.0).upper; };
  for (const CyclicExample& e :
       {CyclicExample{0.4, 5, 1}, CyclicExample{0.4, 5, 4}, CyclicExample{0.4, 2, 10}, CyclicExample{0.1, 4, 25}}) {
    const auto quadratic = e.laws(0.0, e.batches), bent = e.laws(1.5, e.batches);
    law_within(outcome.claim, bent, claimed(e), "gradient 0.5 x + 1.5 tanh x, " + e.text());
    const double measured = law_within(outcome.claim, quadratic, claimed(e), "quadratic, " + e.text());
    outcome.claim.setup();
    outcome.claim.close(measured, strongly_convex_lower_bound(e.setting()).middle(), 1e-5,
                        "quadratic, the value of Theorem C.17, " + e.text());
    law_within(outcome.claim, e.laws(0.0, 1), broken(e),
               "quadratic, first batch differs, bound of that position, " + e.text());
    outcome.claim.close(claimed(e), minorant_mu(e.c(), e.batches, e.epochs), 1e-12,
                        "the bound is the optimum of the shift problem, " + e.text());
    outcome.claim.group("claim");
    law_within(outcome.control, bent, broken(e), "gradient 0.5 x + 1.5 tanh x, " + e.text());
    law_within(outcome.control, quadratic, broken(e), "quadratic, " + e.text());
  }
  const CyclicExample e{0.4, 5, 4};
  const Descent bent = e.descent(1.5);
  // Record 0 is in the first batch: run one epoch's order with the differing batch last by starting the records so.
  const auto losses = [&](double shift) {
    std::vector<double> drifts(e.batches, 0.0);
    drifts.back() = -shift / bent.step_size;
    return models::SeparableLosses(bent.loss.curvature, bent.loss.bend, 1, drifts);
  };
  const auto points =
      simulated_points(setting, id, simulated(bent, e.batches * e.epochs, simulate::BatchRule::cyclic, 1), losses(0.0),
                       losses(e.step_size), setting.size(200000, 4000000), {0.05, 0.2, 0.4, 0.7});
  points_above(outcome.claim, points, gdp(claimed(e)), "simulated, gradient 0.5 x + 1.5 tanh x, " + e.text());
  points_above(outcome.control, points, gdp(broken(e)), "simulated, gradient 0.5 x + 1.5 tanh x, " + e.text());

  auto tests = tradeoff_plot(
      "Noisy cyclic GD, gradient 0.5 x + 1.5 tanh x: eta = 0.4, kappa = 1, l = 5, E = 4",
      {gdp_curve("Theorem 4.5: G(" + rounded(claimed(e), 4) + ")", claimed(e)), law_curve("exact law", e.laws(1.5, 5)),
       drawn("simulated threshold tests", points), gdp_curve("composition: G(2)", 2.0)});
  outcome.figures.push_back({"Bound and simulation, intervals at a chance of 1e-10 each", std::move(tests)});
  io::Plot growth{.title = "Noisy cyclic GD: m = 0.5, M = 2, eta = 0.1, kappa = 1, l = 4, differing batch last",
                  .x = {"epochs E", true, {}, {}},
                  .y = {"mu", false, 0.0, 5.0},
                  .legend = io::Legend::top_left};
  std::vector<double> epochs, compose, convex, bound, lower, exact_at, quadratic, tanh_mu;
  for (const double E : geometric_integers(1, 60, 30)) {
    const NoisyCgd at = cyclic(1.0, 0.95, 4, static_cast<std::size_t>(E));
    epochs.push_back(E);
    compose.push_back(std::sqrt(E));
    convex.push_back(convex_mu(at).upper);
    bound.push_back(strongly_convex_mu(at).upper);
    lower.push_back(strongly_convex_lower_bound(at).lower);
  }
  for (const std::size_t E : std::initializer_list<std::size_t>{1, 2, 4, 8, 16}) {
    const CyclicExample at{0.1, 4, E};
    exact_at.push_back(static_cast<double>(E));
    quadratic.push_back(at.laws(0.0, 4).largest_effective_mu());
    tanh_mu.push_back(at.laws(1.5, 4).largest_effective_mu());
  }
  growth.series = {io::dashed("composition (Theorem 4.4)", epochs, compose),
                   io::dashed("convex, no contraction", epochs, convex),
                   io::line("Theorem 4.5", epochs, bound),
                   io::dashed("lower bound (Theorem C.17)", epochs, lower),
                   io::points("exact law, quadratic", exact_at, quadratic),
                   io::points("exact law, 0.5 x + 1.5 tanh x", exact_at, tanh_mu)};
  outcome.figures.push_back({"Privacy of the last iterate against the number of epochs", std::move(growth)});
}

struct CyclicBox {
  double step_size, sensitivity, noise;  // eta, L/b, sigma; the box has diameter 1
  std::size_t batches, epochs;

  [[nodiscard]] NoisyCgd setting() const {
    NoisyCgd result = cyclic(sensitivity / noise, 1.0, batches, epochs);
    result.descent.diameter = 1.0 / (step_size * noise);
    return result;
  }
  [[nodiscard]] Descent descent() const {
    const double s = step_size * sensitivity;
    return {{0.0, 0.0}, step_size, step_size * noise, -0.5 * s, 0.5 * s, 0.5};
  }
  [[nodiscard]] simulate::LawPair laws() const {
    return exact_laws(cyclic_chains(descent(), batches, batches), batches * epochs);
  }
  [[nodiscard]] std::string text() const {
    return "box of diameter 1, eta = " + shortest(step_size) + ", L/b = " + shortest(sensitivity) +
           ", sigma = " + shortest(noise) + ", " + cycle_text(batches, epochs);
  }
};

/// From distance D to just before the last differing step, n epochs after the one with which the problem starts
/// (`with_first`) or right after which it starts.
double before_last_optimum(double s, double diameter, std::size_t l, std::size_t n, bool with_first) {
  const std::size_t skipped = with_first ? 0 : 1;
  std::vector<double> c(l * n - skipped, 1.0), sensitivity(l * n - skipped, 0.0);
  for (std::size_t k = with_first ? 0 : l; k < l * n; k += l) {
    sensitivity[k - skipped] = s;
  }
  return interpolation::solve_shift_problem(c, sensitivity, diameter).sum_a2.middle();
}

void diameter(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.6";
  // The first is the attack: drifts that pin both chains to opposite walls, where the noise hardly reaches across.
  const std::vector<CyclicBox> examples{{0.05, 2.0, 0.8, 5, 40}, {0.1, 1.0, 3.0, 4, 12}, {0.05, 0.5, 1.0, 5, 50}};
  for (const CyclicBox& e : examples) {
    const double printed = constrained_mu(e.setting()).upper, best = constrained_best(e.setting()).mu.upper;
    const auto laws = e.laws();
    law_within(outcome.claim, laws, printed, e.text());
    law_within(outcome.control, laws, 0.75 * printed, e.text() + ", 0.75 of mu");
    outcome.claim.setup();
    law_within(outcome.claim, laws, best, e.text() + ", best horizon");
    outcome.claim.at_most(best, printed, e.text() + ", the best horizon is no worse than the theorem");
    outcome.claim.group("claim");
  }
  outcome.claim.group("every horizon");
  outcome.control.group("every horizon");
  // Each horizon's formula must not undercut the optimum of its own shift problem.
  const auto compare = [](Trial& trial, double paid, std::size_t l, std::size_t n, double D, bool with_first,
                          const std::string& what) {
    trial.at_most(before_last_optimum(1.0, D, l, n, with_first) * (1.0 - 1e-12), paid,
                  what + ", l = " + std::to_string(l) + ", N = " + std::to_string(n) + ", D/s = " + shortest(D) +
                      ", optimum against formula");
  };
  for (const std::size_t l : {std::size_t{2}, std::size_t{5}, std::size_t{9}}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{10}}) {
      for (const double D : {0.1, 0.7, 1.0, 20.0}) {
        NoisyCgd at = cyclic(1.0, 1.0, l, n + 1);
        at.descent.diameter = D;
        const auto nd = static_cast<double>(n);
        const double paper = constrained_mu_at(at, nd).upper;
        compare(outcome.claim, paper * paper - 1.0, l, n, D, true, "as printed");
        const bool in_domain = n == 1 || D >= (static_cast<double>(l) - 1.0) / static_cast<double>(l);
        const double unchecked = (D + nd - 1.0) * (D + nd - 1.0) / (static_cast<double>(l) * nd - 1.0);
        if (in_domain) {
          const double improved = constrained_improved_mu_at(at, nd).upper;
          outcome.claim.close(improved * improved - 1.0, unchecked, 1e-9, "improved formula, " + cycle_text(l, n));
          compare(outcome.claim, improved * improved - 1.0, l, n, D, false, "improved");
        } else {
          compare(outcome.control, unchecked, l, n, D, false, "improved outside its domain");
        }
      }
    }
  }
  const CyclicBox e = examples.back();
  const auto losses = [&](double shift) {
    std::vector<double> drifts(e.batches, 0.0);
    drifts.back() = -shift / e.step_size;
    return models::SeparableLosses(0.0, 0.0, 1, drifts);
  };
  const Descent descent = e.descent();
  const double printed = constrained_mu(e.setting()).upper;
  const auto points =
      simulated_points(setting, id, simulated(descent, e.batches * e.epochs, simulate::BatchRule::cyclic, 1),
                       losses(descent.first), losses(descent.second), setting.size(50000, 1000000), {0.05, 0.25, 0.5});
  outcome.claim.group("claim");
  points_above(outcome.claim, points, gdp(printed), "simulated, " + e.text());
  outcome.claim.setup();

  io::Plot growth{.title = "Noisy cyclic GD on [-1/2, 1/2]: eta = 0.05, L/b = 0.5, sigma = 1, l = 5",
                  .x = {"epochs E", true, {}, {}},
                  .y = {"mu", false, 0.0, 6.0},
                  .legend = io::Legend::top_left};
  std::vector<double> epochs, compose, convex, best, printed_at, printed_mu, exact_at, exact;
  for (const double E : geometric_integers(1, 400, 60)) {
    const CyclicBox at{e.step_size, e.sensitivity, e.noise, e.batches, static_cast<std::size_t>(E)};
    epochs.push_back(E);
    compose.push_back(composition_mu(at.setting()).upper);
    convex.push_back(convex_mu(at.setting()).upper);
    best.push_back(constrained_best(at.setting()).mu.upper);
    if (E >= 40.0) {
      printed_at.push_back(E);
      printed_mu.push_back(constrained_mu(at.setting()).upper);
    }
  }
  for (const std::size_t E : std::initializer_list<std::size_t>{1, 3, 10, 30, 100, 200}) {
    const CyclicBox at{e.step_size, e.sensitivity, e.noise, e.batches, E};
    exact_at.push_back(static_cast<double>(E));
    exact.push_back(law_within(outcome.claim, at.laws(), constrained_best(at.setting()).mu.upper, at.text()));
  }
  growth.series = {io::dashed("composition (Theorem 4.4)", epochs, compose),
                   io::dashed("convex, no constraint", epochs, convex), io::line("Theorem 4.6", printed_at, printed_mu),
                   io::line("best horizon, improved start", epochs, best),
                   io::points("exact law, opposite drifts", exact_at, exact)};
  outcome.figures.push_back({"A bounded domain stops the privacy loss", std::move(growth)});
}

void lower_bound(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-c.17";
  Draws draws(setting, id);
  const auto compare = [](Trial& trial, double exact, const NoisyCgd& at, double exponent_epochs) {
    const double c = at.descent.contraction.value().c(), l = at.batches_per_epoch;
    const double power = std::pow(c, exponent_epochs);
    const double formula = at.descent.effective_sensitivity * std::sqrt((1.0 - power) / (1.0 + power) * (1.0 - c * c)) /
                           (1.0 - std::pow(c, l));
    trial.close(exact, formula, 1e-9,
                "quadratic, c = " + rounded(c, 6) + ", l = " + shortest(l) + ", E = " + shortest(at.epochs));
  };
  for (std::size_t k = 0; k < setting.size(200, 10000); ++k) {
    const std::size_t l = 1 + draws.below(12), E = 1 + draws.below(30);
    const double kappa = draws.uniform(0.1, 3.0), c = draws.uniform(0.3, 0.999);
    const NoisyCgd at = cyclic(kappa, c, l, E);
    const double exact = affine_cyclic_mu(c, kappa, 1.0, l, E);
    outcome.claim.by_exact_law();
    compare(outcome.claim, exact, at, at.batches_per_epoch * at.epochs);
    compare(outcome.control, exact, at, at.epochs);
    outcome.claim.close(strongly_convex_lower_bound(at).middle(), exact, 1e-11, "the calculator, " + cycle_text(l, E));
    outcome.claim.at_most(exact, strongly_convex_mu(at).upper, "below Theorem 4.5, " + cycle_text(l, E));
  }
  const CyclicExample e{0.4, 5, 4};
  const Descent quadratic = e.descent(0.0);
  std::vector<double> drifts(e.batches, 0.0);
  const models::SeparableLosses first(0.5, 0.0, 1, drifts);
  drifts.back() = -1.0;
  const models::SeparableLosses second(0.5, 0.0, 1, drifts);
  const auto points = simulated_points(setting, id, simulated(quadratic, 20, simulate::BatchRule::cyclic, 1), first,
                                       second, setting.size(400000, 4000000), {0.1, 0.3, 0.5});
  const double exact = strongly_convex_lower_bound(e.setting()).middle();
  for (const auto& point : points) {
    interval_holds(outcome.claim, point.effective_mu_interval, point.effective_mu.value, exact,
                   "simulated quadratic, " + e.text() + ", effective mu at threshold " + rounded(point.threshold, 4));
  }
}

void convex_unconstrained(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/derived-2");
  for (std::size_t k = 0; k < setting.size(200, 5000); ++k) {
    const std::size_t l = 1 + draws.below(15), E = 1 + draws.below(40);
    const double bound = convex_mu(cyclic(1.0, 1.0, l, E)).middle();
    outcome.claim.close(bound, minorant_mu(1.0, l, E), 1e-12, "optimum of the shift problem, " + cycle_text(l, E));
    if (l >= 2) {
      outcome.claim.close(strongly_convex_mu(cyclic(1.0, 1.0 - 1e-10, l, E)).middle(), bound, 1e-6,
                          "Theorem 4.5 with 1 - c = 1e-10, " + cycle_text(l, E));
    }
  }
  // Convex losses log cosh x with step size 1/M: a step forgets near 0 and keeps distances far away.
  for (const std::size_t l : {std::size_t{2}, std::size_t{5}}) {
    for (const std::size_t E : {std::size_t{1}, std::size_t{4}, std::size_t{10}}) {
      const Descent descent{{0.0, 1.0}, 1.0, 0.4, 0.0, 0.4};
      const auto laws = exact_laws(cyclic_chains(descent, l, l), l * E);
      const auto compare = [&](Trial& trial, double bound) {
        law_within(trial, laws, bound, "gradient tanh x, eta = 1, kappa = 1, " + cycle_text(l, E));
      };
      compare(outcome.claim, convex_mu(cyclic(1.0, 1.0, l, E)).upper);
      compare(outcome.control, std::sqrt(static_cast<double>(E) / static_cast<double>(l)));
      outcome.claim.at_most(affine_cyclic_mu(1.0, 1.0, 1.0, l, E), convex_mu(cyclic(1.0, 1.0, l, E)).upper,
                            "linear losses, " + cycle_text(l, E));
    }
  }
}

}  // namespace

std::vector<Case> noisy_cgd_cases() {
  return {
      {"shifted-interpolation/theorem-4.4",
       "E epochs of noisy cyclic gradient descent are kappa sqrt(E)-GDP for any losses, and no better in general.",
       "Two batches of expanding and forgetting quadratics at E = 1, 3, 20 (Gaussian laws, within 1e-4 of the bound); "
       "exact laws of non-convex losses; 100,000 simulated pairs (nightly 2,000,000) of linear losses.",
       "kappa sqrt(E - 1).", composition},
      {"shifted-interpolation/theorem-4.5",
       "For c-Lipschitz steps, E epochs of l batches are mu-GDP with mu = kappa sqrt(1 + c^(2l-2) (1 - c^2)/(1 - "
       "c^l)^2 (1 - c^(l(E-1)))/(1 + c^(l(E-1)))).",
       "Exact laws of quadratics and of the gradient 0.5 x + 1.5 tanh x for (l, E) = (5, 1), (5, 4), (2, 10), (4, 25), "
       "the differing batch last and first; the optimum of the shift problem; 200,000 simulated pairs (nightly "
       "4,000,000).",
       "The bound of a record in the first batch is claimed for one in the last.", strongly_convex},
      {"shifted-interpolation/theorem-4.6",
       "For convex losses on a set of diameter D, E >= D b/(eta L) epochs are mu-GDP with mu = sqrt((L/b)^2 + 3 L "
       "D/(eta b l) + (L^2/(b^2 l)) ceil(D b/(eta L)))/sigma; each horizon pays at least its shift problem's optimum.",
       "Zero losses on [-1/2, 1/2] with opposite drifts in the last of l = 4 or 5 batches, one pair of them strong "
       "enough to hold both runs at their walls: exact laws up to 200 epochs and 50,000 simulated pairs (nightly "
       "1,000,000); the formula of every horizon against the minorant for 36 settings.",
       "0.75 of mu; the improved formula for N > 1 and D < s (l - 1)/l, where it undercuts the optimum.", diameter},
      {"shifted-interpolation/theorem-c.17",
       "Quadratics with the differing batch last have mu = kappa sqrt((1 - c^{lE})/(1 + c^{lE}) (1 - c^2)/(1 - "
       "c^l)^2), so that no smaller parameter is valid.",
       "Gaussian laws of 200 random settings (nightly 10,000) to a relative 1e-9, and 400,000 simulated pairs (nightly "
       "4,000,000) of one.",
       "The exponent E in place of l E.", lower_bound},
      {"shifted-interpolation/derived-2",
       "For convex losses without a constraint, E epochs of l batches are kappa sqrt(1 + (E - 1)/l)-GDP.",
       "The minorant with c = 1 and the limit of Theorem 4.5 in 200 random (l, E) (nightly 5000); exact laws of the "
       "gradient tanh x with step size 1/M and of linear losses for l = 2, 5 and E = 1, 4, 10.",
       "kappa sqrt(E/l), the value of linear losses.", convex_unconstrained},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
