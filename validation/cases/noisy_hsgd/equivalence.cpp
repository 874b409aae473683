// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// How close the risks of noisy SGD, HSGD and the Volterra equation are: rates in the dimension, and where they fail.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "validation/cases/noisy_hsgd/least_squares_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::noisy_hsgd {
namespace {

using Model = std::function<models::LeastSquares(std::size_t dimension)>;

/// What is compared with what.
enum class Pair { descent_and_mean, diffusion_and_mean, descent_and_diffusion };

struct Rate {
  std::vector<double> dimensions, medians;
  std::vector<double> lower, upper;  ///< quartiles
};

std::size_t steps_of(const models::LeastSquares& problem) { return static_cast<std::size_t>(2.0 * problem.dimension); }

Rate measure(const Setting& setting, const std::string& id, const Model& model, Pair pair) {
  Rate rate;
  const std::size_t runs = setting.size(80, 400);
  for (const std::size_t d :
       setting.nightly ? std::vector<std::size_t>{50, 100, 200, 400} : std::vector<std::size_t>{25, 50, 100, 200}) {
    const auto problem = model(d);
    std::vector<double> sups;
    if (pair == Pair::descent_and_diffusion) {
      const auto first = risk_paths(problem, Process::descent, steps_of(problem), runs, seed_of(setting, id, d));
      const auto second = risk_paths(problem, Process::diffusion, steps_of(problem), runs, seed_of(setting, id, d + 1));
      for (std::size_t run = 0; run < runs; ++run) {
        sups.push_back(largest_gap(first[run], second[run]));
      }
    } else {
      const auto process = pair == Pair::descent_and_mean ? Process::descent : Process::diffusion;
      sups =
          largest_deviations(problem, process, mean_risks(problem, steps_of(problem)), runs, seed_of(setting, id, d));
    }
    std::sort(sups.begin(), sups.end());
    rate.dimensions.push_back(static_cast<double>(d));
    rate.medians.push_back(median(sups));
    rate.lower.push_back(sups[runs / 4]);
    rate.upper.push_back(sups[3 * runs / 4]);
  }
  return rate;
}

Figure rate_figure(const std::string& title, const Rate& rate) {
  std::vector<double> guide;
  for (const double d : rate.dimensions) {
    guide.push_back(rate.medians.front() * std::sqrt(rate.dimensions.front() / d));
  }
  io::Plot plot{.title = title,
                .x = {"dimension d", true, 10.0, 1000.0},
                .y = {"largest deviation of a run", true, 0.01, 1.0},
                .series = {io::points("median and quartiles", rate.dimensions, rate.medians, rate.lower, rate.upper),
                           io::dashed("1/sqrt(d)", rate.dimensions, guide)}};
  return {title, plot};
}

constexpr double band = 0.15;  // half width of the band for a slope

/// The largest distance of the exact mean risk from the Volterra equation is at most `bound`.
void mean_gap(Trial& trial, const std::string& name, const models::LeastSquares& problem,
              const std::vector<double>& exact, double bound) {
  trial.at_most(largest_gap(exact, mean_risks(problem, exact.size() - 1)), bound,
                name + " features, d = " + shortest(problem.dimension) + ", sup |E P(x_k) - P_t|");
}

/// Without noise and regularisation: the problem of the counter-example.
models::LeastSquares silent_model(std::size_t d) {
  auto problem = base_model(d);
  problem.xtilde.setZero();
  problem.label_noise = 0.0;
  problem.regularisation = 0.0;
  problem.noise = 0.0;
  return problem;
}

/// Features sqrt(d lambda_J) e_J, J uniform: coordinate i is hit with probability 1/d and then shrinks by 1 - gamma
/// lambda_i.
std::vector<double> coordinate_mean_risks(const models::LeastSquares& problem) {
  const double d = problem.dimension, gamma = problem.schedule.rate(0.0);
  const Eigen::ArrayXd lambda = problem.spectrum.eigenvalues();
  const Eigen::ArrayXd factor = 1.0 + ((1.0 - gamma * lambda).square() - 1.0) / d;
  Eigen::ArrayXd square = problem.x0.square();
  std::vector<double> risks;
  for (std::size_t k = 0; k <= steps_of(problem); ++k) {
    risks.push_back(0.5 * (lambda * square).sum());
    square *= factor;
  }
  return risks;
}

void theorem_3_1(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(4 * setting.size(80, 400));
  const std::string id = "noisy-hsgd/theorem-3.1";
  const Rate rate = measure(setting, id, base_model, Pair::descent_and_diffusion);
  slope_within(outcome.claim, rate.dimensions, rate.medians, -0.5 - band, -0.5 + band,
               "median of sup |P(x_k) - P(X_k/d)|");
  outcome.figures.push_back(rate_figure("Noisy SGD and HSGD: sup of the difference of the risks", rate));
  constexpr double vanishing = 0.02;
  const auto large = silent_model(800);
  mean_gap(outcome.claim, "Gaussian", large, simulate::exact_mean_risks(large, 3.0, steps_of(large)), vanishing);
  mean_gap(outcome.control, "coordinate-sampling", large, coordinate_mean_risks(large), vanishing);
}

void theorem_a_3(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(4 * setting.size(80, 400));
  const std::string id = "noisy-hsgd/theorem-a.3";
  const Rate rate = measure(
      setting, id,
      [](std::size_t d) {
        auto problem = base_model(d);
        problem.noise = 0.0;
        return problem;
      },
      Pair::descent_and_diffusion);
  const std::string what = "sigma = 0, median of sup |P(x_k) - P(X_k/d)|";
  slope_within(outcome.claim, rate.dimensions, rate.medians, -0.5 - band, -0.5 + band, what);
  slope_within(outcome.control, rate.dimensions, rate.medians, -1.0 - band, -1.0 + band, what);
}

void corollary_4_1(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(4 * setting.size(80, 400));
  const std::string id = "noisy-hsgd/corollary-4.1";
  const Rate rate = measure(setting, id, base_model, Pair::descent_and_mean);
  slope_within(outcome.claim, rate.dimensions, rate.medians, -0.5 - band, -0.5 + band, "median of sup |P(x_k) - P_t|");
  outcome.figures.push_back(rate_figure("Noisy SGD: sup of the distance from the Volterra equation", rate));
  const auto problem = base_model(100);
  const std::size_t steps = steps_of(problem), runs = setting.size(100, 2000);
  const auto paths = risk_paths(problem, Process::descent, steps, runs, seed_of(setting, id, 9));
  const auto follows = [&](Trial& trial, const models::LeastSquares& claimed) {
    const auto curve = mean_risks(claimed, steps);
    for (std::size_t k = steps / 10; k <= steps; k += steps / 10) {
      std::vector<double> risks = mapped(paths, [&](const auto& path) { return path[k]; });
      const inference::Moments found = inference::moments(risks);
      // The mean itself is within about 0.5/d of the curve (theorem 4.2).
      within_errors(trial, found.mean, found.mean_error, curve[k],
                    "d = 100, mean risk after " + std::to_string(k) + " steps", 1.0 / problem.dimension);
    }
  };
  auto wrong = problem;  // as if the noise were not multiplied by the step size a second time: sqrt(2) sigma
  wrong.noise *= std::sqrt(2.0);
  follows(outcome.claim, problem);
  follows(outcome.control, wrong);
}

void theorem_4_1(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(4 * setting.size(80, 400));
  const std::string id = "noisy-hsgd/theorem-4.1";
  const Rate rate = measure(setting, id, base_model, Pair::diffusion_and_mean);
  const std::string what = "median of sup |P(X_t) - P_t|";
  slope_within(outcome.claim, rate.dimensions, rate.medians, -0.5 - band, -0.5 + band, what);
  outcome.figures.push_back(rate_figure("HSGD: sup of the distance from the Volterra equation", rate));
  // |x0| = sqrt(d): the risk is of size d and fluctuates by sqrt(d).
  const Rate far = measure(
      setting, id,
      [](std::size_t d) {
        auto problem = isotropic_model(d, 0.8, 0.09, 0.5);
        problem.x0 *= std::sqrt(problem.dimension);
        return problem;
      },
      Pair::diffusion_and_mean);
  slope_within(outcome.control, far.dimensions, far.medians, -0.5 - band, -0.5 + band, "|x0| = sqrt(d), " + what);
}

/// Sups of the two martingales of the added noise for q = |v|^2/2: linear and quadratic part.
void lemma_a_4(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(4 * setting.size(100, 300));
  const std::string id = "noisy-hsgd/lemma-a.4";
  constexpr double noise = 1.0;
  const std::size_t runs = setting.size(100, 300);
  std::vector<double> dimensions, linear, quadratic;
  std::vector<double> last;  // the quadratic part at the end, of the smallest dimension
  for (const std::size_t d : std::vector<std::size_t>{25, 50, 100, 200}) {
    auto problem = base_model(d);
    problem.noise = noise;
    const auto size = static_cast<double>(d);
    const double gamma = problem.schedule.rate(0.0), scale = gamma * noise / size;
    const std::size_t steps = steps_of(problem);
    const std::uint64_t seed = seed_of(setting, id, d);
    std::vector<double> sups_linear(runs), sups_quadratic(runs), sums(2 * runs), z(d);
    simulate::noisy_sgd(descent_of(problem, steps, Observed::every_step), simulate::records_of(problem),
                        {runs, seed, 0, 1, {}}, [&](const simulate::Observation& at, std::span<const double> x) {
                          if (at.index == steps) {
                            return;
                          }
                          // The noise that the next step is going to use.
                          random::normals(z, seed, random::Purpose::noise, static_cast<std::uint32_t>(at.path),
                                          at.index * (d + d % 2));
                          double along = 0.0, square = 0.0;
                          for (std::size_t i = 0; i < d; ++i) {
                            along -= scale * (x[i] - problem.xtilde[static_cast<Eigen::Index>(i)]) * z[i];
                            square += 0.5 * scale * scale * (z[i] * z[i] - 1.0);
                          }
                          sums[2 * at.path] += along;
                          sums[2 * at.path + 1] += square;
                          sups_linear[at.path] = std::max(sups_linear[at.path], std::abs(sums[2 * at.path]));
                          sups_quadratic[at.path] = std::max(sups_quadratic[at.path], std::abs(sums[2 * at.path + 1]));
                        });
    dimensions.push_back(size);
    linear.push_back(median(sups_linear));
    quadratic.push_back(median(sups_quadratic));
    if (last.empty()) {
      for (std::size_t run = 0; run < runs; ++run) {
        last.push_back(sums[2 * run + 1]);
      }
    }
  }
  slope_within(outcome.claim, dimensions, linear, -0.5 - band, -0.5 + band, "linear part, median of the sup");
  slope_within(outcome.claim, dimensions, quadratic, -1.0 - band, -1.0 + band,
               "quadratic part, median of the sup (the lemma claims 1/sqrt(d), which is loose)");
  const double d = dimensions.front(), gamma = 0.8;
  const double exact = 2.0 * d * std::pow(gamma * noise, 4.0) * d / (2.0 * std::pow(d, 4.0));
  const inference::Moments found = inference::moments(last);
  within_errors(outcome.claim, found.variance * 1e3, found.variance_error * 1e3, exact * 1e3,
                "quadratic part, d = 25, 1000 x variance at the end against gamma^4 sigma^4 |H|^2 n/(2 d^4)");
  slope_within(outcome.control, dimensions, linear, -1.0 - band, -1.0 + band, "linear part, median of the sup");
  within_errors(outcome.control, found.variance * 1e3, found.variance_error * 1e3, 4.0 * exact * 1e3,
                "quadratic part without the factor 1/2, 1000 x variance at the end");
}

}  // namespace

std::vector<Case> equivalence_cases() {
  return {
      {"noisy-hsgd/theorem-3.1",
       "the risks of noisy SGD and HSGD differ by order d^(-1/2) along the run, if quadratic forms of the features "
       "concentrate",
       "medians over 80 runs (nightly 400) of the largest difference at four dimensions, log-log slope in [-0.65, "
       "-0.35]; exact mean risk at d = 800 within 0.02 of the Volterra equation",
       "the statement as printed, without concentration: features sqrt(d lambda_J) e_J satisfy its assumptions, and "
       "their exact mean risk stays 0.064 away",
       theorem_3_1},
      {"noisy-hsgd/theorem-a.3", "theorem 3.1 without the added noise", "the same slope for sigma = 0",
       "a rate of d^(-1)", theorem_a_3},
      {"noisy-hsgd/corollary-4.1",
       "the risk of noisy SGD follows the deterministic curve within order d^(-1/2), if the features concentrate",
       "medians over 80 runs (nightly 400) of the largest distance, slope in [-0.65, -0.35]; means of 100 runs "
       "(nightly 2000) at ten times within 6.5 standard errors and 1/d",
       "the curve of sqrt(2) times the noise", corollary_4_1},
      {"noisy-hsgd/theorem-4.1",
       "the risk of HSGD concentrates around its mean at the rate d^(-1/2), from a bounded start",
       "medians over 80 runs (nightly 400) of the largest distance, slope in [-0.65, -0.35]",
       "a start of norm sqrt(d), which the printed assumptions allow: the distance grows like sqrt(d)", theorem_4_1},
      {"noisy-hsgd/lemma-a.4",
       "the martingales of the added noise are of order sigma d^(-1/2) (linear) and at most sigma^2 d^(-1/2) "
       "(quadratic)",
       "sups over 100 runs (nightly 300) at d = 25, 50, 100, 200 with the simulator's own noise: slopes -1/2 and -1; "
       "exact variance of the quadratic part",
       "slope -1 for the linear part; four times the variance", lemma_a_4}};
}

}  // namespace dpcurves::validation::noisy_hsgd
