// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Theorem 4.2: the Volterra equation against the exact mean risk of SGD and against a solver of another kind.
#include <array>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "validation/cases/noisy_hsgd/least_squares_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::noisy_hsgd {
namespace {

/// The equation of the means and variances, or a variation of it with one factor wrong.
struct Variation {
  const char* name = "as it should be";
  double noise_term = 1.0;     ///< factor of sigma^2
  double sampling_term = 1.0;  ///< factor of 2 P lambda
  double variance_rate = 2.0;  ///< 2 for Phi^2, 1 for Phi
  double gamma_power = 2.0;    ///< of the source
  double label_noise = 1.0;    ///< factor of E[w^2] inside the source
  double hessian = 1.0;        ///< 1: R has Hessian Sigma + delta I; 0: that of P
};

struct Risks {
  double population = 0.0, regularised = 0.0;
};

/// The classical Runge-Kutta method on m and v, coordinate by coordinate; P and R at every step.
std::vector<Risks> runge_kutta(const models::LeastSquares& problem, double horizon, std::size_t steps,
                               const Variation& variation) {
  using Eigen::ArrayXd;
  const ArrayXd lambda = problem.spectrum.per_coordinate(problem.spectrum.eigenvalues());
  const ArrayXd rate = lambda + problem.regularisation;
  const double d = problem.dimension;
  const auto risks = [&](const ArrayXd& m, const ArrayXd& v) {
    const double population = 0.5 * (lambda * ((m - problem.xtilde).square() + v)).sum() + 0.5 * problem.label_noise;
    return Risks{population,
                 population + 0.5 * problem.regularisation * (m.square().sum() + variation.hessian * v.sum())};
  };
  const auto slope = [&](double t, const ArrayXd& m, const ArrayXd& v, ArrayXd& dm, ArrayXd& dv) {
    const double gamma = problem.schedule.rate(t);
    const double source_risk = risks(m, v).population - 0.5 * (1.0 - variation.label_noise) * problem.label_noise;
    dm = -gamma * (lambda * (m - problem.xtilde) + problem.regularisation * m);
    dv = -variation.variance_rate * gamma * rate * v + std::pow(gamma, variation.gamma_power) / d *
                                                           (2.0 * variation.sampling_term * source_risk * lambda +
                                                            variation.noise_term * problem.noise * problem.noise);
  };
  ArrayXd m = problem.x0, v = ArrayXd::Zero(m.size());
  std::array<ArrayXd, 4> dm, dv;
  std::vector<Risks> result{risks(m, v)};
  const double h = horizon / static_cast<double>(steps);
  for (std::size_t k = 0; k < steps; ++k) {
    const double t = h * static_cast<double>(k);
    slope(t, m, v, dm[0], dv[0]);
    slope(t + 0.5 * h, m + 0.5 * h * dm[0], v + 0.5 * h * dv[0], dm[1], dv[1]);
    slope(t + 0.5 * h, m + 0.5 * h * dm[1], v + 0.5 * h * dv[1], dm[2], dv[2]);
    slope(std::min(t + h, horizon), m + h * dm[2], v + h * dv[2], dm[3], dv[3]);
    m += h / 6.0 * (dm[0] + 2.0 * dm[1] + 2.0 * dm[2] + dm[3]);
    v += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
    result.push_back(risks(m, v));
  }
  return result;
}

constexpr double horizon = 2.0;

void theorem_4_2(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  // Exact mean risks of SGD approach the curve like 1/d.
  std::vector<double> dimensions, gaussian, rademacher;
  for (std::size_t d = 25; d <= setting.size(400, 1600); d *= 2) {
    const auto problem = base_model(d);
    const auto curve = mean_risks(problem, 2 * d);
    dimensions.push_back(static_cast<double>(d));
    gaussian.push_back(largest_gap(simulate::exact_mean_risks(problem, 3.0, 2 * d), curve));
    rademacher.push_back(largest_gap(simulate::exact_mean_risks(problem, 1.0, 2 * d), curve));
  }
  slope_within(outcome.claim, dimensions, gaussian, -1.15, -0.85, "Gaussian features, sup |E P(x_k) - P_t|");
  slope_within(outcome.claim, dimensions, rademacher, -1.15, -0.85, "Rademacher features, sup |E P(x_k) - P_t|");
  // The same comparison with one factor of the equation wrong.
  constexpr std::size_t d = 400;
  const auto problem = base_model(d);
  const auto exact = simulate::exact_mean_risks(problem, 3.0, 2 * d);
  const auto close = [&](Trial& trial, const Variation& variation) {
    const auto risks = runge_kutta(problem, horizon, 2 * d, variation);
    double gap = 0.0;
    for (std::size_t k = 0; k <= 2 * d; ++k) {
      gap = std::max(gap, std::abs(exact[k] - risks[k].population));
    }
    trial.at_most(gap, 2e-3, std::string("d = 400, equation ") + variation.name + ", sup |E P(x_k) - P_t|");
    return gap;
  };
  close(outcome.claim, {});
  std::size_t survived = 0;
  for (const Variation& wrong : {Variation{"with the noise term doubled", 2.0, 1.0, 2.0, 2.0, 1.0, 1.0},
                                 {"with the sampling term halved", 1.0, 0.5, 2.0, 2.0, 1.0, 1.0},
                                 {"with Phi for Phi^2", 1.0, 1.0, 1.0, 2.0, 1.0, 1.0},
                                 {"with gamma not squared", 1.0, 1.0, 2.0, 1.0, 1.0, 1.0},
                                 {"without label noise in the kernel", 1.0, 1.0, 2.0, 2.0, 0.0, 1.0},
                                 {"without sampling noise", 1.0, 0.0, 2.0, 2.0, 1.0, 1.0},
                                 {"without added noise", 0.0, 1.0, 2.0, 2.0, 1.0, 1.0}}) {
    survived += close(outcome.control, wrong) <= 2e-3 ? 1U : 0U;
  }
  outcome.claim.require(survived == 0, "each of the seven wrong equations is refuted by itself");
  // Two solvers, three schedules; (7) has the Hessian of R.
  for (const auto& [name, schedule] : {std::pair{"constant", models::Schedule::constant(0.8)},
                                       {"cosine", models::Schedule::cosine(0.8, 0.1, horizon)},
                                       {"inverse time", models::Schedule::inverse_time(0.8, 1.5)}}) {
    auto small = base_model(40);
    small.schedule = schedule;
    const auto oracle = runge_kutta(small, horizon, 2000, {});
    const homogenized::RiskTrajectory trajectory(small, horizon);
    const std::string what = std::string(name) + " schedule, t = 2, ";
    outcome.claim.close(trajectory.population_risk(horizon).value, oracle.back().population, 1e-10, what + "P");
    outcome.claim.close(trajectory.regularised_risk(horizon).value, oracle.back().regularised, 1e-10, what + "R");
  }
  const auto small = base_model(40);
  const homogenized::RiskTrajectory trajectory(small, horizon);
  outcome.control.close(
      trajectory.regularised_risk(horizon).value,
      runge_kutta(small, horizon, 2000, {"with the Hessian of P in (7)", 1.0, 1.0, 2.0, 2.0, 1.0, 0.0})
          .back()
          .regularised,
      1e-10, "R with the Hessian of P");
  // A single run over the curve.
  const std::size_t shown = 1000;
  const auto wide = base_model(shown);
  const auto curve = mean_risks(wide, 2 * shown);
  const auto paths = risk_paths(wide, Process::descent, 2 * shown, 3, seed_of(setting, "noisy-hsgd/theorem-4.2"));
  std::vector<double> k, theory;
  std::vector<std::vector<double>> runs(paths.size());
  for (std::size_t i = 0; i <= 2 * shown; i += 20) {
    k.push_back(static_cast<double>(i));
    theory.push_back(curve[i]);
    for (std::size_t run = 0; run < paths.size(); ++run) {
      runs[run].push_back(paths[run][i]);
    }
  }
  io::Plot plot{.title = "Single runs of noisy SGD over the Volterra curve, d = 1000",
                .x = {"iteration", false, 0.0, 2.0 * shown},
                .y = {"population risk", false, std::nullopt, std::nullopt}};
  for (std::size_t run = 0; run < runs.size(); ++run) {
    plot.series.push_back(io::line("run " + std::to_string(run + 1), k, runs[run]));
  }
  plot.series.push_back(io::dashed("Volterra equation", k, theory));
  outcome.figures.push_back({plot.title, plot});
}

void equation_5(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  auto problem = base_model(30);
  problem.schedule = models::Schedule::cosine(0.9, 0.2, horizon);
  const homogenized::GradientFlow flow(problem);
  const double tau = problem.schedule.integral(horizon);
  auto silent = problem;  // no variance: the risk of the differential equation is that of the flow
  silent.dimension = 1e300;
  const auto follows = [&](Trial& trial, double time) {
    const double at = problem.schedule.integral(time);
    trial.close(flow.population_risk(at), runge_kutta(silent, horizon, 2000, {}).back().population, 1e-10,
                "risk of gradient flow at Gamma = " + rounded(at, 6) + " against Runge-Kutta over [0, 2]");
  };
  follows(outcome.claim, horizon);
  follows(outcome.control, 0.5 * horizon);
  // The mean of HSGD.
  const std::size_t runs = setting.size(4000, 40000), coordinate = 3;
  const auto mean_of = [&](Trial& trial, double at, const std::string& what) {
    std::vector<double> value(runs);
    simulate::hsgd(
        problem, horizon, 60, {60}, {runs, seed_of(setting, "noisy-hsgd/equation-5"), 0, 1, {}},
        [&](const simulate::Observation& where, std::span<const double> x) { value[where.path] = x[coordinate]; });
    const inference::Moments found = inference::moments(value);
    within_errors(trial, found.mean, found.mean_error, flow.mean(at)[coordinate], what);
  };
  mean_of(outcome.claim, tau, "mean of HSGD, coordinate 4");
  mean_of(outcome.control, 2.0 * tau, "mean of HSGD, coordinate 4, with Phi^2 for Phi");
}

}  // namespace

std::vector<Case> risk_cases() {
  return {
      {"noisy-hsgd/theorem-4.2",
       "the mean risks of HSGD solve linear Volterra equations, which the exact mean risk of noisy SGD approaches "
       "like 1/d",
       "exact moment recursion of SGD at d = 25 ... 400 (nightly 1600) with Gaussian and Rademacher features: slope "
       "in [-1.15, -0.85], gap below 2e-3 at d = 400; a Runge-Kutta solver under three schedules to 1e-10",
       "seven equations with one factor wrong, each refuted by itself; the Hessian of P in (7)", theorem_4_2},
      {"noisy-hsgd/equation-5", "gradient flow in closed form, the mean of HSGD",
       "risk against a Runge-Kutta solver to 1e-10; mean of 4000 runs (nightly 40,000) of HSGD",
       "half the time; the rate of Phi^2", equation_5}};
}

}  // namespace dpcurves::validation::noisy_hsgd
