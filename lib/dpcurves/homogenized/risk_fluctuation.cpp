// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/risk_fluctuation.hpp>

namespace dpcurves::homogenized {
namespace {

constexpr int states = 6;
using Flow = Eigen::Matrix<double, states, states>;
enum State { one, mean, mean_square, hsgd, sgd, linear };

/// exp(generator time): Taylor's series on a short step, then squarings.
Flow flow(const Flow& generator, double time) {
  constexpr double longest = 0.25;
  constexpr int terms = 12;  // 0.25^13/13! < 1e-17
  const double size = generator.cwiseAbs().rowwise().sum().maxCoeff() * time;
  if (!std::isfinite(size)) {  // beyond the range of double: so is what grows by it
    return Flow::Constant(std::numeric_limits<double>::infinity());
  }
  const int squarings = size > longest ? static_cast<int>(std::ceil(std::log2(size / longest))) : 0;
  const Flow step = generator * std::ldexp(time, -squarings);
  Flow result = Flow::Identity();
  for (int k = terms; k >= 1; --k) {
    result = Flow::Identity() + step * result / static_cast<double>(k);
  }
  for (int k = 0; k < squarings; ++k) {
    result = (result * result).eval();
  }
  return result;
}

double finite_or_infinite(double value) {
  return std::isfinite(value) ? std::max(0.0, value) : std::numeric_limits<double>::infinity();
}

void check(const IsotropicFluctuationProblem& problem) {
  const auto nonnegative = [](double value, const char* name) {
    require_domain(value >= 0.0 && std::isfinite(value), name, value, "[0, inf)");
  };
  nonnegative(problem.eigenvalue, "eigenvalue");
  nonnegative(problem.gamma, "gamma");
  nonnegative(problem.label_noise, "label_noise");
  nonnegative(problem.noise, "noise");
  nonnegative(problem.squared_error, "squared_error");
  require_domain(problem.dimension > 0.0 && std::isfinite(problem.dimension), "dimension", problem.dimension,
                 "(0, inf)");
}

}  // namespace

RiskFluctuation risk_fluctuation(const IsotropicFluctuationProblem& problem, double time) {
  check(problem);
  require_domain(time >= 0.0 && std::isfinite(time), "time", time, "[0, inf)");
  const double lambda = problem.eigenvalue, gamma = problem.gamma, labels = problem.label_noise;
  const double own = problem.noise * problem.noise;
  const double source = lambda * labels + own, decay = gamma * lambda * (2.0 - gamma * lambda);
  const double square = gamma * gamma;
  // y in units of `unit`, the variances in those of unit^2/d: all entries of the generator are of ordinary size.
  const double unit = std::max(problem.squared_error + gamma * source, std::numeric_limits<double>::min());
  const double pull = source / unit, floor = labels / unit, shake = own / unit;
  Flow generator = Flow::Zero();
  generator(mean, one) = square * pull;
  generator(mean, mean) = -decay;
  generator(mean_square, mean) = 2.0 * square * pull;
  generator(mean_square, mean_square) = -2.0 * decay;
  generator(hsgd, mean) = 4.0 * square * pull;
  generator(hsgd, mean_square) = 4.0 * square * lambda * lambda;
  generator(hsgd, hsgd) = -2.0 * decay + 4.0 * square * lambda * lambda / problem.dimension;
  const double step = gamma * lambda;
  generator(sgd, one) = 2.0 * square * step * step * floor * floor;
  generator(sgd, mean) = square * ((2.0 - 2.0 * step) * (2.0 - 2.0 * step) * lambda * floor + 4.0 * shake);
  generator(sgd, mean_square) = 2.0 * square * (2.0 - step) * (2.0 - step) * lambda * lambda;
  generator(sgd, sgd) = -2.0 * decay;
  generator(linear, one) = square * pull;
  generator(linear, mean) = square * lambda * lambda;
  generator(linear, linear) = -2.0 * step;
  const double start = problem.squared_error / unit;
  Eigen::Matrix<double, states, 1> state = Eigen::Matrix<double, states, 1>::Zero();
  state[one] = 1.0;
  state[mean] = start;
  state[mean_square] = start * start;
  const Flow moved = flow(generator, time);
  state = (moved * state).eval();
  // P = lambda y/2 + E[w^2]/2.
  const double scale = 0.25 * lambda * lambda * unit * unit / problem.dimension;
  const double variance = state[linear];
  return RiskFluctuation{.mean = finite_or_infinite(0.5 * (lambda * unit * state[mean] + labels)),
                         .variance_hsgd = finite_or_infinite(scale * state[hsgd]),
                         .variance_linear = finite_or_infinite(
                             scale * variance * (2.0 * variance + 4.0 * start * std::exp(-2.0 * step * time))),
                         .variance_sgd = finite_or_infinite(scale * state[sgd])};
}

double stationary_moment_limit(const IsotropicFluctuationProblem& problem) {
  check(problem);
  const double step = problem.gamma * problem.eigenvalue;
  require_domain(step > 0.0 && step < 2.0, "gamma times eigenvalue", step, "(0, 2)");
  return 1.0 + problem.dimension * (2.0 - step) / (2.0 * step);
}

}  // namespace dpcurves::homogenized
