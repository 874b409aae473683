// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>
#include <dpcurves/simulate/detail/gaussian_chain.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using interpolation::Contraction;
using interpolation::NoisyGd;

NoisyGd unconstrained(double kappa, double c, std::size_t steps) {
  NoisyGd setting;
  setting.descent.effective_sensitivity = kappa;
  setting.descent.contraction = Contraction::factor(c);
  setting.steps = static_cast<double>(steps);
  return setting;
}

NoisyGd constrained(double kappa, double c, double diameter, std::size_t steps) {
  NoisyGd setting = unconstrained(kappa, c, steps);
  setting.descent.diameter = diameter;
  return setting;
}

/// The mu of two affine chains x -> factor x and x -> factor x + shift.
double affine_mu(double factor, double shift, double noise, std::size_t steps) {
  const std::vector<simulate::AffineStep> first(steps, {factor, 0.0}), second(steps, {factor, shift});
  return simulate::separation(simulate::gaussian_chain(0.0, first, noise),
                              simulate::gaussian_chain(0.0, second, noise));
}

void composition(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.1";
  const double kappa = 0.5;
  const auto claimed = [&](std::size_t t) { return composition_mu(unconstrained(kappa, 1.0, t)).upper; };
  const auto broken = [&](std::size_t t) { return kappa * std::sqrt(static_cast<double>(t) - 1.0); };
  for (const std::size_t t : {std::size_t{1}, std::size_t{9}, std::size_t{1000}}) {
    const double exact = affine_mu(1.0, kappa, 1.0, t);
    const std::string what = "linear losses, t = " + std::to_string(t);
    outcome.claim.by_exact_law();
    outcome.claim.close(exact, claimed(t), 1e-12, what + ", the bound is attained");
    outcome.control.at_most(exact, broken(t), what);
  }
  for (const std::size_t t : {std::size_t{3}, std::size_t{6}}) {
    for (const double bend : {0.0, 1.0, 3.0}) {  // expansive at infinity, contractive in the middle
      const Descent descent{{-0.5, bend}, 0.4, 1.0, 0.0, kappa};
      law_within(outcome.claim, exact_laws(full_batch_chains(descent), t), claimed(t),
                 "gradient -0.5 x + " + shortest(bend) + " tanh x, t = " + std::to_string(t));
    }
  }
  const std::size_t t = 9;
  const Descent linear{{0.0, 0.0}, 0.1, 1.0, 0.0, kappa};
  const auto points =
      simulated_points(setting, id, simulated(linear, t), losses_of(linear, 0.0, 4, 4.0),
                       losses_of(linear, kappa, 4, 4.0), setting.size(200000, 4000000), {0.05, 0.2, 0.4});
  points_above(outcome.claim, points, gdp(claimed(t)), "simulated linear losses, t = 9");
  points_above(outcome.control, points, gdp(broken(t)), "simulated linear losses, t = 9");
}

struct StronglyConvexExample {
  double m, step_size, sensitivity, noise;
  std::size_t steps;
};

void strongly_convex(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.2";
  const auto kappa_of = [](const StronglyConvexExample& e) { return e.sensitivity / e.noise; };
  const auto descent_of = [](const StronglyConvexExample& e, double bend) {
    return Descent{{e.m, bend}, e.step_size, e.step_size * e.noise, 0.0, e.step_size * e.sensitivity};
  };
  const auto claimed = [](double kappa, double c, std::size_t t) {
    return strongly_convex_mu(unconstrained(kappa, c, t)).upper;
  };
  const auto broken = [&](double kappa, double c, std::size_t t) { return claimed(kappa, c, t) / std::sqrt(1.0 + c); };
  for (const StronglyConvexExample& e : {StronglyConvexExample{0.5, 0.4, 1.0, 1.0, 5},
                                         {0.5, 0.4, 1.0, 1.0, 40},
                                         {0.5, 0.8, 2.0, 0.7, 10},
                                         {0.5, 0.95, 1.0, 1.0, 20}}) {
    const double c = std::max(1.0 - e.step_size * e.m, std::abs(1.0 - e.step_size * 2.0));
    const double bound = claimed(kappa_of(e), c, e.steps);
    const std::string what = "m = 0.5, eta = " + shortest(e.step_size) + ", kappa = " + rounded(kappa_of(e), 4) +
                             ", t = " + std::to_string(e.steps);
    law_within(outcome.claim, exact_laws(full_batch_chains(descent_of(e, 1.5)), e.steps), bound,
               "gradient 0.5 x + 1.5 tanh x, " + what);
    const auto laws = exact_laws(full_batch_chains(descent_of(e, 0.0)), e.steps);
    const double measured = law_within(outcome.claim, laws, bound, "quadratic, " + what);
    if (c == 1.0 - e.step_size * e.m) {
      outcome.claim.by_exact_law();
      outcome.claim.close(measured, bound, 3e-6, "quadratic, the bound is attained, " + what);
      law_within(outcome.control, laws, broken(kappa_of(e), c, e.steps), "quadratic, " + what);
    }
  }

  const std::size_t t = 30;  // m = 1, eta = 0.1, n = 2, L = sigma = 1
  const double kappa = 0.5, c = 0.9;
  const Descent quadratic{{1.0, 0.0}, 0.1, 0.1, 0.0, 0.05};
  const auto points =
      simulated_points(setting, id, simulated(quadratic, t), losses_of(quadratic, 0.0, 2, 2.0),
                       losses_of(quadratic, 0.05, 2, 2.0), setting.size(400000, 4000000), {0.02, 0.1, 0.25, 0.4, 0.7});
  points_above(outcome.claim, points, gdp(claimed(kappa, c, t)), "simulated quadratic, t = 30");
  points_above(outcome.control, points, gdp(broken(kappa, c, t)), "simulated quadratic, t = 30");
  for (const auto& point : points) {
    interval_holds(outcome.claim, point.effective_mu_interval, point.effective_mu.value, claimed(kappa, c, t),
                   "simulated quadratic, effective mu at threshold " + rounded(point.threshold, 4));
  }

  auto tests = tradeoff_plot(
      "Noisy GD on a quadratic: m = 1, eta = 0.1, kappa = 0.5, t = 30",
      {gdp_curve("Theorem 4.2: G(" + rounded(claimed(kappa, c, t), 4) + ")", claimed(kappa, c, t)),
       drawn("simulated threshold tests", points),
       gdp_curve("composition: G(" + rounded(kappa * std::sqrt(30.0), 4) + ")", kappa * std::sqrt(30.0))});
  outcome.figures.push_back({"Bound and simulation, intervals at a chance of 1e-10 each", std::move(tests)});

  io::Plot growth{.title = "Noisy GD, m = 0.5, M = 2, eta = 0.4, kappa = 1",
                  .x = {"steps t", true, {}, {}},
                  .y = {"mu", false, 0.0, 8.0},
                  .legend = io::Legend::top_left};
  std::vector<double> steps, bound, compose, measured_steps, quadratic_mu, tanh_mu;
  for (const double step : geometric_integers(1, 100, 40)) {
    const auto k = static_cast<std::size_t>(step);
    steps.push_back(step);
    bound.push_back(claimed(1.0, 0.8, k));
    compose.push_back(std::sqrt(step));
  }
  for (const std::size_t k : std::initializer_list<std::size_t>{1, 2, 3, 5, 9, 16, 30, 60, 100}) {
    measured_steps.push_back(static_cast<double>(k));
    quadratic_mu.push_back(affine_mu(0.8, 1.0, 1.0, k));
    const Descent tanh_loss{{0.5, 1.5}, 0.4, 0.4, 0.0, 0.4};
    tanh_mu.push_back(law_within(outcome.claim, exact_laws(full_batch_chains(tanh_loss), k), claimed(1.0, 0.8, k),
                                 "gradient 0.5 x + 1.5 tanh x, t = " + std::to_string(k)));
  }
  growth.series = {io::dashed("composition (Theorem 4.1)", steps, compose), io::line("Theorem 4.2", steps, bound),
                   io::points("exact law, quadratic", measured_steps, quadratic_mu),
                   io::points("exact law, 0.5 x + 1.5 tanh x", measured_steps, tanh_mu)};
  outcome.figures.push_back({"Privacy of the last iterate against the number of steps", std::move(growth)});
}

/// Zero losses on a box of diameter 1 with opposite drifts of half the step sensitivity.
struct BoxExample {
  double step_size, noise, sensitivity;
  std::size_t steps;

  [[nodiscard]] double kappa() const { return sensitivity / noise; }
  [[nodiscard]] double diameter() const { return 1.0 / (step_size * noise); }
  [[nodiscard]] double step_sensitivity() const { return step_size * sensitivity; }
  [[nodiscard]] Descent descent(double curvature = 0.0) const {
    return {{curvature, 0.0}, step_size, step_size * noise, -0.5 * step_sensitivity(), 0.5 * step_sensitivity(), 0.5};
  }
  [[nodiscard]] simulate::LawPair laws() const { return exact_laws(full_batch_chains(descent()), steps); }
  [[nodiscard]] std::string text() const {
    return "box of diameter 1, eta = " + shortest(step_size) + ", sigma = " + shortest(noise) +
           ", L = " + shortest(sensitivity) + ", t = " + std::to_string(steps);
  }
};

const std::vector<BoxExample>& box_examples() {
  static const std::vector<BoxExample> examples{
      {0.1, 3.0, 1.0, 12}, {0.1, 3.0, 1.0, 40}, {0.1, 3.0, 1.0, 200}, {0.05, 1.0, 0.5, 300}};
  return examples;
}

void diameter(const Setting& setting, Outcome& outcome) {
  const std::string id = "shifted-interpolation/theorem-4.3";
  const auto claimed = [](const BoxExample& e) {
    return constrained_mu(constrained(e.kappa(), 1.0, e.diameter(), e.steps)).upper;
  };
  const auto broken = [](const BoxExample& e) {
    return e.kappa() * std::sqrt(std::ceil(1.0 / e.step_sensitivity() - 1e-9));
  };
  std::vector<double> measured;
  for (const BoxExample& e : box_examples()) {
    const auto laws = e.laws();
    measured.push_back(law_within(outcome.claim, laws, claimed(e), e.text()));
    law_within(outcome.control, laws, broken(e), e.text());
    outcome.claim.setup();
    outcome.claim.at_most(constrained_best(constrained(e.kappa(), 1.0, e.diameter(), e.steps)).mu.upper,
                          claimed(e) * (1.0 + 1e-12), e.text() + ", the best horizon is no worse");
    outcome.claim.group("claim");
  }
  outcome.claim.setup();
  outcome.claim.close(measured[2], measured[1], 1e-3, "the privacy loss is the same after 40 and 200 steps");
  outcome.claim.group("claim");

  const BoxExample e = box_examples().back();
  const auto points = simulated_points(
      setting, id, simulated(e.descent(), e.steps), losses_of(e.descent(), e.descent().first, 1, 1.0),
      losses_of(e.descent(), e.descent().second, 1, 1.0), setting.size(60000, 1000000), {0.002, 0.005, 0.02, 0.1});
  points_above(outcome.claim, points, gdp(claimed(e)), "simulated, " + e.text());
  points_above(outcome.control, points, gdp(broken(e)), "simulated, " + e.text());

  io::Plot growth{.title = "Noisy GD on [-1/2, 1/2]: eta = 0.05, sigma = 1, L = 0.5",
                  .x = {"steps t", true, {}, {}},
                  .y = {"mu", false, 0.0, 10.0},
                  .legend = io::Legend::top_left};
  std::vector<double> steps, compose, best, printed_steps, printed, exact_steps, exact;
  for (const double step : geometric_integers(1, 400, 60)) {
    const auto k = static_cast<std::size_t>(step);
    steps.push_back(step);
    compose.push_back(e.kappa() * std::sqrt(step));
    best.push_back(constrained_best(constrained(e.kappa(), 1.0, e.diameter(), k)).mu.upper);
    if (step >= 1.0 / e.step_sensitivity()) {
      printed_steps.push_back(step);
      printed.push_back(claimed({e.step_size, e.noise, e.sensitivity, k}));
    }
  }
  for (const std::size_t k : std::initializer_list<std::size_t>{1, 3, 10, 25, 50, 100, 200, 400}) {
    exact_steps.push_back(static_cast<double>(k));
    exact.push_back(exact_laws(full_batch_chains(e.descent()), k).largest_effective_mu());
  }
  growth.series = {io::dashed("composition (Theorem 4.1)", steps, compose),
                   io::line("Theorem 4.3", printed_steps, printed), io::line("best horizon (Theorem C.7)", steps, best),
                   io::points("exact law, opposite drifts", exact_steps, exact)};
  outcome.figures.push_back({"A bounded domain stops the privacy loss", std::move(growth)});
  auto tests =
      tradeoff_plot("Noisy GD on [-1/2, 1/2]: eta = 0.05, sigma = 1, L = 0.5, t = 300",
                    {gdp_curve("Theorem 4.3: G(" + rounded(claimed(e), 4) + ")", claimed(e)),
                     law_curve("exact law, opposite drifts", e.laws()), drawn("simulated threshold tests", points)});
  tests.x = {"type I error", true, 1e-4, 1.0};
  tests.y = {"type II error", true, 1e-6, 1.0};
  tests.legend = io::Legend::bottom_left;
  outcome.figures.push_back({"Bound and simulation, intervals at a chance of 1e-10 each", std::move(tests)});
}

void constant_contraction(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/theorem-c.5");
  outcome.claim.by_exact_law();
  for (std::size_t k = 0; k < setting.size(300, 8000); ++k) {
    const double c = k % 3 == 0 ? 1.0 - std::pow(10.0, -draws.uniform(0.1, 8.0)) : draws.uniform(0.05, 0.999);
    const double s = draws.uniform(0.1, 2.0), noise = draws.uniform(0.2, 3.0);
    const std::size_t t = 1 + draws.below(200);
    const double exact = affine_mu(c, s, noise, t);
    const auto compare = [&](Trial& trial, std::size_t steps) {
      const double optimum =
          steps == 0 ? 0.0
                     : interpolation::strongly_convex_optimum(Contraction::factor(c), s, static_cast<double>(steps));
      trial.close(exact, std::sqrt(optimum) / noise, 1e-11,
                  "c = " + rounded(c, 10) + ", s/noise = " + rounded(s / noise, 4) + ", t = " + std::to_string(t));
    };
    compare(outcome.claim, t);
    compare(outcome.control, t - 1);
  }
}

void every_horizon(const Setting&, Outcome& outcome) {
  for (const BoxExample& e : box_examples()) {
    const double measured = e.laws().largest_effective_mu();
    const double s = e.kappa(), D = e.diameter();
    const auto parameter = [&](double n) { return std::sqrt(interpolation::convex_diameter_optimum(s, D, n)); };
    double least = infinity, least_broken = infinity, where = 0.0;
    for (std::size_t n = 1; n <= e.steps; ++n) {
      const auto nd = static_cast<double>(n);
      if (parameter(nd) < least) {
        least = parameter(nd);
        where = nd;
      }
      least_broken = std::min(least_broken, s * std::sqrt(nd));
    }
    const auto compare = [&](Trial& trial, double bound) {
      trial.require(measured - law_accuracy <= bound, e.text() + ", largest effective mu against the least of all N",
                    rounded(measured, 8) + " <= " + rounded(bound, 8),
                    Measurement::at_most(measured, bound).exact(law_accuracy));
    };
    compare(outcome.claim, least);
    compare(outcome.control, least_broken);
    outcome.claim.require(std::abs(where - std::min(D / s, static_cast<double>(e.steps))) < 1.0,
                          e.text() + ", the best N is " + shortest(where) + ", D/s = " + rounded(D / s, 6));
    const double best = constrained_best(constrained(s, 1.0, D, e.steps)).mu.upper;
    outcome.claim.close(best, std::min(least, s * std::sqrt(static_cast<double>(e.steps))), 1e-12,
                        e.text() + ", the calculator finds the least");
  }
}

void constrained_strongly_convex(const Setting&, Outcome& outcome) {
  struct Problem {
    double c, s, diameter, noise;
  };
  for (const Problem& p : {Problem{0.9, 0.3, 1.0, 1.0}, {0.99, 0.05, 2.0, 1.0}, {0.999, 0.01, 3.0, 1.0}}) {
    double least = infinity;
    for (std::size_t n = 1; n <= 400; ++n) {
      const std::vector<double> c(n, p.c), s(n, p.s);
      least = std::min(least, interpolation::solve_shift_problem(c, s, p.diameter).sum_a2.upper);
    }
    const std::string what = "c = " + shortest(p.c) + ", s = " + shortest(p.s) + ", D = " + shortest(p.diameter);
    const double infimum = interpolation::constrained_infimum(Contraction::factor(p.c), p.s, p.diameter);
    outcome.claim.setup();
    outcome.claim.at_most(infimum, least, what + ", (1 + c) D (2 s - (1 - c) D) against the least minorant");
    outcome.claim.at_most(least, infimum * 1.001, what + ", integer horizons come within 0.1 percent");
    const double calculator = constrained_strongly_convex_best(constrained(p.s, p.c, p.diameter, 1000000)).mu.upper;
    outcome.claim.close(calculator * calculator, least, 1e-11, what + ", the calculator finds the least");
  }
  outcome.claim.group("claim");
  std::vector<double> diameters, unconstrained_mu, bound, exact_mu, exact_at;
  for (const Problem& p :
       {Problem{0.95, 0.1, 1.0, 0.1}, {0.95, 0.1, 1.0, 0.15}, {0.9, 0.2, 1.0, 0.2}, {0.8, 0.3, 1.0, 0.2}}) {
    const Descent box{{1.0 - p.c, 0.0}, 1.0, p.noise, -0.5 * p.s, 0.5 * p.s, 0.5 * p.diameter};
    const auto laws = exact_laws(full_batch_chains(box), 200);
    const std::string what = "box of diameter 1, c = " + shortest(p.c) + ", s = " + shortest(p.s) +
                             ", noise = " + shortest(p.noise) + ", t = 200";
    const double infimum = interpolation::constrained_infimum(Contraction::factor(p.c), p.s, p.diameter);
    const auto compare = [&](Trial& trial, double optimum) {
      law_within(trial, laws, std::sqrt(optimum) / p.noise, what);
    };
    compare(outcome.claim, infimum);
    compare(outcome.control, infimum / (1.0 + p.c));
  }
  const Problem p{0.95, 0.1, 0.0, 0.1};
  const auto best_mu = [&](double diameter) {
    return constrained_strongly_convex_best(constrained(p.s / p.noise, p.c, diameter / p.noise, 200)).mu.upper;
  };
  for (const int i : {2, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60}) {
    exact_at.push_back(0.05 * i);
    const Descent box{{1.0 - p.c, 0.0}, 1.0, p.noise, -0.5 * p.s, 0.5 * p.s, 0.5 * exact_at.back()};
    exact_mu.push_back(exact_laws(full_batch_chains(box), 200).largest_effective_mu());
    const double mu = best_mu(exact_at.back());
    outcome.claim.require(exact_mu.back() - law_accuracy <= mu,
                          "c = 0.95, s = noise = 0.1, D = " + rounded(exact_at.back(), 3) + ", t = 200",
                          rounded(exact_mu.back(), 8) + " <= " + rounded(mu, 8),
                          Measurement::at_most(exact_mu.back(), mu).exact(law_accuracy));
  }
  for (int i = 4; i <= 240; ++i) {  // denser at small diameters, where the bound is steep
    diameters.push_back(3.0 * (i / 240.0) * (i / 240.0));
    bound.push_back(best_mu(diameters.back()));
    unconstrained_mu.push_back(strongly_convex_mu(unconstrained(p.s / p.noise, p.c, 200)).upper);
  }
  io::Plot plot{.title = "Noisy GD in a box: c = 0.95, step sensitivity = noise = 0.1, t = 200",
                .x = {"diameter D", false, 0.0, 3.0},
                .y = {"mu", false, 0.0, 9.0},
                .legend = io::Legend::bottom_right,
                .series = {io::dashed("Theorem 4.2, no constraint", diameters, unconstrained_mu),
                           io::steps("contraction and diameter together", diameters, bound, io::Side::above),
                           io::points("exact law, opposite drifts", exact_at, exact_mu)}};
  outcome.figures.push_back({"A small diameter helps strongly convex losses too", std::move(plot)});
}

}  // namespace

std::vector<Case> noisy_gd_cases() {
  return {
      {"shifted-interpolation/theorem-4.1",
       "t steps of noisy gradient descent are kappa sqrt(t)-GDP for any losses, and no better in general.",
       "Linear losses: the Gaussian law at t = 1, 9, 1000 and 200,000 simulated pairs (nightly 4,000,000) at t = 9; "
       "expansive losses -x^2/4 + bend log cosh x: exact laws at t = 3, 6.",
       "kappa sqrt(t - 1).", composition},
      {"shifted-interpolation/theorem-4.2",
       "For c-Lipschitz steps, t steps are kappa sqrt((1 - c^t)/(1 + c^t) (1 + c)/(1 - c))-GDP; quadratics attain it "
       "for eta <= 2/(m + M).",
       "Exact laws of a quadratic and of the gradient 0.5 x + 1.5 tanh x in four settings and along t = 1 to 100; "
       "400,000 simulated pairs (nightly 4,000,000) of a quadratic at five thresholds, bound and equality.",
       "The factor 1 + c is dropped.", strongly_convex},
      {"shifted-interpolation/theorem-4.3",
       "For convex losses on a set of diameter D, t >= D n/(eta L) steps are mu-GDP with mu = "
       "sqrt(3 L D/(eta n) + (L/n)^2 ceil(D n/(eta L)))/sigma, whatever t is.",
       "Zero losses on [-1/2, 1/2] with opposite drifts: exact laws at t = 12, 40, 200, 300, and 60,000 simulated "
       "pairs (nightly 1,000,000) of 300 steps; the measured mu must not grow from 40 to 200 steps.",
       "The term 3 L D/(eta n) is dropped.", diameter},
      {"shifted-interpolation/theorem-c.5",
       "With constant contraction c and sensitivity s, mu is the root of Lemma C.6's optimum over the noise, and the "
       "maps c x and c x + s attain it.",
       "Gaussian laws of 300 random settings (nightly 8,000), 1 - c down to 1e-8, t up to 200, to a relative 1e-11.",
       "The optimum of t - 1 steps.", constant_contraction},
      {"shifted-interpolation/theorem-c.7",
       "For convex losses on a set of diameter D every horizon N <= t gives mu = (s sqrt(N) + D/sqrt(N))/noise, least "
       "at an integer next to D/s.",
       "The exact laws of Theorem 4.3's experiment against the least over all N, and the place of the least.",
       "The term D/sqrt(N) is dropped.", every_horizon},
      {"shifted-interpolation/derived-3",
       "With contraction c < 1 and diameter D < s/(1 - c), the best horizon gives mu^2 noise^2 close to "
       "(1 + c) D (2 s - (1 - c) D), below the bounds from contraction or diameter alone.",
       "The minorant over all horizons up to 400 in three settings, and exact laws of opposite drifts in a box, c = "
       "0.8 to 0.95 and t = 200, in four settings and along D.",
       "The factor 1 + c is dropped.", constrained_strongly_convex},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
