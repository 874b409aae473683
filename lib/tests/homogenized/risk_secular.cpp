// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenized/risk_secular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/tools/toms748_solve.hpp>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/gradient_flow.hpp>

namespace dpcurves::test {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

/// Different eigenvalues > 0 in ascending order of the poles -2 gamma alpha, with what the sums need of each.
struct Modes {
  std::vector<double> pole;    // -2 gamma alpha
  std::vector<double> square;  // sum m lambda^2
  std::vector<double> first;   // sum m lambda
};

Modes modes(const models::LeastSquares& problem, double rate) {
  const ArrayXd& lambda = problem.spectrum.eigenvalues();
  std::vector<Index> order;
  for (Index b = 0; b < lambda.size(); ++b) {
    if (lambda[b] > 0.0) {
      order.push_back(b);
    }
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return lambda[a] > lambda[b]; });
  Modes list;
  double before = -1.0;
  for (const Index b : order) {
    const double count = problem.spectrum.multiplicity()[b];
    if (lambda[b] != before) {
      before = lambda[b];
      list.pole.push_back(-2.0 * rate * (lambda[b] + problem.regularisation));
      list.square.push_back(0.0);
      list.first.push_back(0.0);
    }
    list.square.back() += count * lambda[b] * lambda[b];
    list.first.back() += count * lambda[b];
  }
  return list;
}

/// 1 - rho sum square/(origin + x - pole); increasing in x between poles.
double secular(const Modes& modes, double rho, std::size_t origin, double x) {
  double sum = 0.0;
  for (std::size_t b = 0; b < modes.pole.size(); ++b) {
    sum += modes.square[b] / (x + (modes.pole[origin] - modes.pole[b]));
  }
  return 1.0 - rho * sum;
}

/// The root nearest to the pole `origin` on the side of `sign`, at most `reach` away, as its distance from the pole.
double offset(const Modes& modes, double rho, std::size_t origin, double sign, double reach) {
  const auto f = [&](double x) { return secular(modes, rho, origin, sign * x); };
  const bool high_positive = sign > 0.0;
  // Halve towards the pole until the sign changes: the root may be many orders of magnitude closer than its reach.
  double high = reach;
  double low = 0.5 * reach;
  while ((f(low) > 0.0) == high_positive && low > std::numeric_limits<double>::min()) {
    high = low;
    low *= 0.5;
  }
  std::uintmax_t iterations = 200;
  const auto bracket =
      boost::math::tools::toms748_solve(f, low, high, boost::math::tools::eps_tolerance<double>(52), iterations);
  return sign * 0.5 * (bracket.first + bracket.second);
}

/// (exp(a t) - exp(b t))/(a - b), through a = b.
double divided_difference(double a, double b, double t) {
  const double high = std::max(a, b);
  const double gap = std::abs(a - b);
  const double start = std::exp(high * t);
  return gap * t == 0.0 ? t * start : start * -std::expm1(-gap * t) / gap;
}

}  // namespace

SecularRisk::SecularRisk(const models::LeastSquares& problem, double rate) {
  require_domain(rate > 0.0 && std::isfinite(rate), "rate", rate, "(0, inf)");
  const homogenized::GradientFlow flow(problem);
  const Modes list = modes(problem, rate);
  constexpr std::size_t most = 10000;
  require_domain(list.pole.size() <= most, "number of different eigenvalues", static_cast<double>(list.pole.size()),
                 "[0, 10000]");
  const double rho = rate * rate / problem.dimension;
  const auto count = static_cast<Index>(list.pole.size());
  roots_.resize(count);
  kernel_weight_.resize(count);
  noise_weight_.resize(count);
  const double total = sum_over(list.square);
  for (std::size_t k = 0; k < list.pole.size(); ++k) {
    // The root lies right of pole k; measure from the nearer end of its interval, so that no difference cancels.
    const bool last = k + 1 == list.pole.size();
    std::size_t origin = k;
    double x = 0.0;
    if (last) {
      x = offset(list, rho, k, 1.0, 2.0 * rho * total);
    } else {
      const double half = 0.5 * (list.pole[k + 1] - list.pole[k]);
      const bool near_left = secular(list, rho, k, half) > 0.0;
      origin = near_left ? k : k + 1;
      x = offset(list, rho, origin, near_left ? 1.0 : -1.0, half);
    }
    double norm2 = 0.0;
    double mixed = 0.0;
    for (std::size_t b = 0; b < list.pole.size(); ++b) {
      const double gap = x + (list.pole[origin] - list.pole[b]);
      norm2 += list.square[b] / (gap * gap);
      mixed += list.first[b] / gap;
    }
    const auto j = static_cast<Index>(k);
    roots_[j] = list.pole[origin] + x;
    // The eigenvector is lambda/(mu - pole); its product with lambda is 1/rho by the secular equation.
    kernel_weight_[j] = 1.0 / (rho * norm2);
    noise_weight_[j] = 0.5 * mixed / norm2;
  }
  const ArrayXd& lambda = problem.spectrum.eigenvalues();
  flow_rates_.resize(2 * lambda.size());
  flow_rates_ << 2.0 * rate * flow.rates(), rate * flow.rates();
  flow_weights_.resize(2 * lambda.size());
  flow_weights_ << 0.5 * lambda * flow.decaying(), lambda * flow.mixed();
  constant_ = 0.5 * (lambda * flow.staying()).sum() + 0.5 * problem.label_noise;
  noise2_ = problem.noise * problem.noise;
}

double SecularRisk::population_risk(double t) const {
  require_domain(t >= 0.0 && std::isfinite(t), "t", t, "[0, inf)");
  double risk = constant_ + (flow_weights_ * (-flow_rates_ * t).exp()).sum();
  for (Index j = 0; j < roots_.size(); ++j) {
    double response = constant_ * divided_difference(roots_[j], 0.0, t);
    for (Index k = 0; k < flow_rates_.size(); ++k) {
      if (flow_weights_[k] != 0.0) {
        response += flow_weights_[k] * divided_difference(roots_[j], -flow_rates_[k], t);
      }
    }
    risk += kernel_weight_[j] * response + noise2_ * noise_weight_[j] * divided_difference(roots_[j], 0.0, t);
  }
  return std::isnan(risk) ? std::numeric_limits<double>::infinity() : risk;
}

}  // namespace dpcurves::test
