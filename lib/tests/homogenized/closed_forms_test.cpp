// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The isotropic risk, the secular equation, the limits, the theorems' right-hand sides and the Doob step.
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/risk_isotropic.hpp>
#include <dpcurves/homogenized/detail/risk_stationary.hpp>
#include <dpcurves/homogenized/doob_step.hpp>
#include <dpcurves/homogenized/equivalence_bounds.hpp>
#include <dpcurves/homogenized/risk_trajectory.hpp>

#include "homogenized/problems.hpp"
#include "homogenized/risk_secular.hpp"
#include "support/support.hpp"

namespace {

using namespace dpcurves;
using models::LeastSquares;
using models::Schedule;

}  // namespace

TEST_CASE("the isotropic risk agrees with 32-digit references through resonance and criticality",
          "[homogenized][isotropic][accuracy]") {
  test::Worst worst;
  double number = 0.0;
  for (const auto& row : test::reference_table("homogenized/risk_isotropic.csv")) {
    const homogenized::IsotropicRisk setting{row.at("eigenvalue"), row.at("regularisation"), row.at("noise"),
                                             row.at("rate"),       row.at("label_noise"),    row.at("norm2_x0"),
                                             row.at("dot"),        row.at("norm2_xtilde")};
    const double t = row.at("t");
    const double condition = 1.0 + std::abs(homogenized::decay_rate(setting)) * t;
    worst.see(test::relative_error(homogenized::population_risk(setting, t), row.at("risk")) / condition, number);
    number += 1.0;
  }
  CHECK(number > 150.0);
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-13);  // the number in the header comment
}

TEST_CASE("the rate of the isotropic risk keeps its digits next to the critical step",
          "[homogenized][isotropic][accuracy]") {
  // Of the exact products of the doubles, in 60 digits.
  const auto rate = [](double eigenvalue, double regularisation, double step) {
    return homogenized::decay_rate({.eigenvalue = eigenvalue, .regularisation = regularisation, .rate = step});
  };
  CHECK(rate(0.10900452492336261, 0.008233732858151621, 19.733780750833287) ==
        Approx(3.4615717348032752e-16).epsilon(1e-14));
  CHECK(rate(0.9178506759696204, 0.0, 2.1790036814944798) == Approx(-3.9999995531772e-9).epsilon(1e-14));
}

TEST_CASE("the isotropic risk tends to its limit, or grows where it has none", "[homogenized][isotropic]") {
  homogenized::IsotropicRisk setting{1.0, 0.1, 0.5, 0.8, 0.09, 1.0, 0.2, 0.5};
  CHECK(homogenized::population_risk(setting, 1e5) == Approx(homogenized::limiting_risk(setting)).epsilon(1e-14));
  setting.rate = 2.6;
  CHECK(std::isinf(homogenized::limiting_risk(setting)));
  CHECK(std::isinf(homogenized::population_risk(setting, 1e4)));
  const homogenized::IsotropicRisk still{1.0, 0.0, 0.0, 3.0, 0.0, 0.5, 0.5, 0.5};
  CHECK(homogenized::population_risk(still, 1e4) == 0.0);  // at the fixed point, without noise
  setting.eigenvalue = 0.0;
  CHECK_THROWS_WITH(homogenized::population_risk(setting, 1.0), Catch::Contains("eigenvalue"));
}

TEST_CASE("the secular equation gives the trajectory at a constant step", "[homogenized][secular]") {
  for (const double rate : {0.05, 0.7, 1.9, 2.2}) {
    LeastSquares problem = test::three_eigenvalues(Schedule::constant(rate));
    const test::SecularRisk exact(problem, rate);
    const homogenized::RiskTrajectory solved(problem, 20.0);
    CHECK((exact.growth_rates()[2] < 0.0) == (rate < homogenized::largest_stable_rate(problem)));
    for (const double t : {0.0, 0.01, 1.0, 20.0}) {
      CAPTURE(rate, t);
      CHECK(exact.population_risk(t) == Approx(solved.population_risk(t).value).epsilon(1e-11));
    }
  }
}

TEST_CASE("the secular equation deflates equal and vanishing eigenvalues and costs the same for every t",
          "[homogenized][secular]") {
  LeastSquares problem = test::power_law(4, 0.0, Schedule::constant(0.8));  // all equal: the isotropic case
  const homogenized::IsotropicRisk isotropic{2.0,
                                             problem.regularisation,
                                             problem.noise,
                                             0.8,
                                             problem.label_noise,
                                             problem.x0.square().sum(),
                                             (problem.x0 * problem.xtilde).sum(),
                                             problem.xtilde.square().sum()};
  const test::SecularRisk same(problem, 0.8);
  CHECK(same.growth_rates().size() == 1);
  for (const double t : {0.5, 10.0, 1e6}) {
    CHECK(same.population_risk(t) == Approx(homogenized::population_risk(isotropic, t)).epsilon(1e-12));
  }
  const std::vector<double> with_zero{1.0, 0.0, 1.0 + 1e-13};
  problem = test::three_eigenvalues(Schedule::constant(0.5));
  problem.spectrum = models::Spectrum::list(with_zero);
  problem.regularisation = 0.0;
  const test::SecularRisk near(problem, 0.5);
  CHECK(near.population_risk(4.0) ==
        Approx(homogenized::RiskTrajectory(problem, 4.0).population_risk(4.0).value).epsilon(1e-11));
}

TEST_CASE("a run of a million units of time ends at the stationary risk", "[homogenized][stationary]") {
  const LeastSquares problem = test::power_law(60, 1.2, Schedule::constant(1.0));
  const auto limit = homogenized::stationary_risk(problem, 1.0);
  CHECK(limit.kernel_norm < 1.0);
  CHECK(test::SecularRisk(problem, 1.0).population_risk(1e6) == Approx(limit.population_risk).epsilon(1e-11));
  CHECK(homogenized::RiskTrajectory(problem, 1e6).regularised_risk(1e6).value ==
        Approx(limit.regularised_risk).epsilon(1e-11));
}

TEST_CASE("the largest stable step parts bounded from growing risks", "[homogenized][stationary]") {
  const LeastSquares problem = test::three_eigenvalues(Schedule::constant(1.0));
  const double rate = homogenized::largest_stable_rate(problem);
  CHECK(rate == Approx(1.974429).epsilon(1e-6));  // the specification's question 2
  CHECK(std::isfinite(homogenized::stationary_risk(problem, 0.999 * rate).population_risk));
  CHECK(std::isinf(homogenized::stationary_risk(problem, 1.001 * rate).population_risk));
  const test::SecularRisk below(problem, 0.99 * rate);
  const test::SecularRisk above(problem, 1.01 * rate);
  CHECK(below.population_risk(2000.0) < 2.0 * below.population_risk(1000.0));
  CHECK(above.population_risk(2000.0) > 2.0 * above.population_risk(1000.0));
  LeastSquares flat = problem;
  const std::vector<double> zero{0.0, 0.0, 0.0};
  flat.spectrum = models::Spectrum::list(zero);
  CHECK(std::isinf(homogenized::largest_stable_rate(flat)));
}

TEST_CASE("the noise for a plateau gives that plateau", "[homogenized][stationary]") {
  LeastSquares problem = test::three_eigenvalues(Schedule::constant(0.7));
  problem.noise = homogenized::noise_for_plateau(problem, 0.7, 0.2);
  CHECK(homogenized::stationary_risk(problem, 0.7).population_risk == Approx(0.2).epsilon(1e-13));
  CHECK_THROWS_WITH(homogenized::noise_for_plateau(problem, 0.7, 0.01), Catch::Contains("plateau without noise"));
  CHECK_THROWS_WITH(homogenized::noise_for_plateau(problem, 2.5, 0.2), Catch::Contains("not stable"));
}

TEST_CASE("the questions about the published setting have the specification's answers", "[homogenized][stationary]") {
  LeastSquares problem;
  const std::vector<double> value{1.0 / 12000.0};
  const std::vector<double> count{1000.0};
  problem.spectrum = models::Spectrum::blocks(value, count);
  const auto one = [](double x) { return Eigen::ArrayXd::Constant(1, x); };
  problem.products = {one(0.21769819947769922 + 3783.6732560790556), one(-0.22741486449329057 - 0.45196028556533374),
                      one(0.23756521972428896 + 0.0805615887740726)};
  problem.label_noise = 1e-5;
  problem.regularisation = 0.1;
  problem.noise = 1.5;
  problem.dimension = 1000.0;
  problem.schedule = Schedule::constant(50.0);
  const homogenized::RiskTrajectory solved(problem, 1.5);
  CHECK(solved.population_risk(0.1).value == Approx(0.0728152).epsilon(1e-6));
  CHECK(solved.population_risk(1.5).value == Approx(0.0234363).epsilon(3e-6));
  for (const auto& [noise, iteration] : {std::pair{1.5, 474.2}, {1.25, 515.8}, {1.0, 564.5}}) {
    problem.noise = noise;
    const double plateau = homogenized::stationary_risk(problem, 50.0).population_risk;
    CHECK(solved.population_risk(iteration / 1000.0, noise).value == Approx(1.05 * plateau).epsilon(1e-4));
  }
  CHECK(homogenized::noise_for_plateau(problem, 50.0, 0.015) == Approx(1.19977).epsilon(5e-6));
}

TEST_CASE("the theorems' bounds scale as they are printed and overflow only as values", "[homogenized][equivalence]") {
  homogenized::EquivalenceSetting setting;
  setting.dimension = 400.0;
  setting.iterations = 100.0;
  const auto small = homogenized::equivalence_bounds(setting);
  setting.dimension = 1600.0;
  setting.iterations = 400.0;
  const auto large = homogenized::equivalence_bounds(setting);
  CHECK(small.theorem_3_1 / large.theorem_3_1 == Approx(2.0).epsilon(1e-13));    // d^(-1/2) at fixed n/d
  CHECK(small.corollary_4_1 == Approx(2.0 * small.theorem_3_1).epsilon(1e-13));  // without noise
  setting.iterations = 1e9;
  const auto far = homogenized::equivalence_bounds(setting);
  CHECK_FALSE(far.iterations_admissible);
  CHECK(std::isinf(far.theorem_3_1));
  CHECK(std::isfinite(far.log_theorem_3_1));
  setting.quadratic_norm = 0.0;
  CHECK(homogenized::equivalence_bounds(setting).theorem_3_1 == 0.0);
  setting.dimension = 1.0;
  CHECK_THROWS_WITH(homogenized::equivalence_bounds(setting), Catch::Contains("dimension = 1"));
}

TEST_CASE("the norm of the population risk is that of its parts", "[homogenized][equivalence]") {
  const LeastSquares problem = test::three_eigenvalues(Schedule::constant(1.0));
  const double gradient = std::sqrt(0.36 + 0.49 + 0.0144);
  const double value = 0.5 * (2.0 * 0.09 + 0.49 + 0.3 * 0.16);
  CHECK(homogenized::population_risk_norm(problem) == Approx(2.0 + gradient + value + 0.045).epsilon(1e-14));
}

TEST_CASE("the Doob step is the exact mean increment of one dimension", "[homogenized][doob]") {
  // d = 1, Gaussian feature: E q(v - (gamma/d)(a (a v - w) + delta x + sigma Z)) in closed form.
  const auto one = [](double x) { return Eigen::ArrayXd::Constant(1, x); };
  const double lambda = 1.3, h = 0.7, u = -0.4, v = 0.9, xt = 0.2, gamma = 0.6, d = 5.0, delta = 0.3, sigma = 0.8,
               label = 0.25;
  const auto step =
      homogenized::doob_step({one(lambda), one(h), one(u), one(v), one(xt), gamma, d, delta, sigma, label});
  const double eta = gamma / d;
  const double mean = lambda * v + delta * (v + xt);
  const double second = 3.0 * lambda * lambda * v * v + lambda * label + 2.0 * lambda * v * delta * (v + xt) +
                        delta * delta * (v + xt) * (v + xt) + sigma * sigma;
  const double exact = -eta * (h * v + u) * mean + 0.5 * h * eta * eta * second;
  CHECK(step.mean_increment == Approx(exact).epsilon(1e-13));
  CHECK(std::abs(step.leading + step.remainder_printed_form - exact) > 1e-3 * std::abs(exact));  // printed: refuted
}
