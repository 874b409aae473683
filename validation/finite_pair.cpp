// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/finite_pair.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::validation {

FiniteTradeoff::FiniteTradeoff(const FinitePair& pair) {
  std::vector<std::size_t> order(pair.p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return pair.p[i] == 0.0 && pair.q[i] == 0.0; });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t k) { return pair.q[i] * pair.p[k] > pair.q[k] * pair.p[i]; });
  vertices_.resize(order.size() + 1);
  double alpha = 0.0, beta = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    vertices_[i + 1].type_one_error = alpha += pair.p[order[i]];
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    vertices_[i].type_two_error = beta += pair.q[order[i]];
  }
}

double FiniteTradeoff::operator()(double type_one_error) const {
  // The last vertex at or left of the error: at 0 this is the lower end of a jump.
  const auto right = std::upper_bound(vertices_.begin(), vertices_.end(), type_one_error,
                                      [](double a, const CurvePoint& v) { return a < v.type_one_error; });
  if (right == vertices_.end()) {
    return vertices_.back().type_two_error;
  }
  const CurvePoint& low = right[-1];
  const double part = (type_one_error - low.type_one_error) / (right->type_one_error - low.type_one_error);
  return low.type_two_error + part * (right->type_two_error - low.type_two_error);
}

FinitePair swapped(const FinitePair& pair) { return {pair.q, pair.p}; }

FinitePair product(const FinitePair& a, const FinitePair& b) {
  FinitePair result;
  for (std::size_t i = 0; i < a.p.size(); ++i) {
    for (std::size_t k = 0; k < b.p.size(); ++k) {
      result.p.push_back(a.p[i] * b.p[k]);
      result.q.push_back(a.q[i] * b.q[k]);
    }
  }
  return result;
}

std::vector<double> pushed(const std::vector<double>& law, const Kernel& kernel) {
  std::vector<double> result(kernel.front().size(), 0.0);
  for (std::size_t i = 0; i < law.size(); ++i) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] += law[i] * kernel[i][k];
    }
  }
  return result;
}

FinitePair pushed(const FinitePair& pair, const Kernel& kernel) {
  return {pushed(pair.p, kernel), pushed(pair.q, kernel)};
}

double total_variation(const std::vector<double>& p, const std::vector<double>& q) {
  const double sum = sum_over(p.size(), [&](std::size_t i) { return std::abs(p[i] - q[i]); });
  return 0.5 * sum;
}

double hockey_stick(const FinitePair& pair, double epsilon) {
  return sum_over(pair.p.size(),
                  [&](std::size_t i) { return std::max(0.0, pair.q[i] - std::exp(epsilon) * pair.p[i]); });
}

FinitePair gaussian_cells(double mu, double width, double reach) {
  // A cell's mass as the difference of the smaller tails keeps its digits.
  const auto mass = [](double left, double right) {
    return left > 0.0 ? numerics::normal_upper_tail(left) - numerics::normal_upper_tail(right)
                      : numerics::normal_cdf(right) - numerics::normal_cdf(left);
  };
  const auto cells = static_cast<std::size_t>(std::ceil((mu + 2.0 * reach) / width));
  FinitePair pair;
  pair.p.push_back(numerics::normal_cdf(-reach));
  pair.q.push_back(numerics::normal_cdf(-reach - mu));
  for (std::size_t i = 0; i < cells; ++i) {
    const double left = -reach + static_cast<double>(i) * width, right = left + width;
    pair.p.push_back(mass(left, right));
    pair.q.push_back(mass(left - mu, right - mu));
  }
  const double end = -reach + static_cast<double>(cells) * width;
  pair.p.push_back(numerics::normal_upper_tail(end));
  pair.q.push_back(numerics::normal_upper_tail(end - mu));
  return pair;
}

FinitePair density_cells(const std::function<double(double)>& potential_p,
                         const std::function<double(double)>& potential_q, double lower, double upper,
                         std::size_t cells) {
  constexpr int points = 6;
  const auto rule = numerics::gauss_legendre(points);
  FinitePair pair;
  const double half = 0.5 * (upper - lower) / static_cast<double>(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const double centre = lower + half * static_cast<double>(2 * i + 1);
    double p = 0.0, q = 0.0;
    for (std::size_t k = 0; k < points; ++k) {
      const double x = centre + half * rule.nodes[k];
      p += rule.weights[k] * std::exp(-potential_p(x));
      q += rule.weights[k] * std::exp(-potential_q(x));
    }
    pair.p.push_back(p);
    pair.q.push_back(q);
  }
  for (auto* law : {&pair.p, &pair.q}) {
    const double total = std::accumulate(law->begin(), law->end(), 0.0);
    for (double& mass : *law) {
      mass /= total;
    }
  }
  return pair;
}

random::Words words_of(const Setting& setting, std::uint32_t number) {
  return {setting.seed, random::Purpose::data, 0x0F0D0000U + number, 0};
}

double uniform(random::Words& words) { return (static_cast<double>(words.next() >> 12U) + 0.5) * 0x1p-52; }

std::vector<double> random_law(random::Words& words, std::size_t outcomes, double spread, double missing) {
  std::vector<double> law(outcomes);
  double total = 0.0;
  for (double& mass : law) {
    const bool left_out = uniform(words) < missing;
    const double weight = std::exp(-spread * uniform(words));
    total += mass = left_out ? 0.0 : weight;
  }
  if (total == 0.0) {
    total = law.front() = 1.0;
  }
  for (double& mass : law) {
    mass /= total;
  }
  return law;
}

Kernel random_kernel(random::Words& words, std::size_t from, std::size_t to) {
  Kernel kernel;
  for (std::size_t i = 0; i < from; ++i) {
    kernel.push_back(random_law(words, to));
  }
  return kernel;
}

std::vector<double> quantile_grid(std::size_t points, double reach) {
  return mapped(points, [&](std::size_t i) {
    return numerics::normal_cdf(-reach + 2.0 * reach * static_cast<double>(i) / static_cast<double>(points - 1));
  });
}

std::vector<double> errors_of(const FiniteTradeoff& f) {
  return mapped(f.vertices(), [&](const CurvePoint& vertex) { return std::min(1.0, vertex.type_one_error); });
}

void SmallestGap::see(double lower, double upper, double at) {
  ++seen_;
  if (!std::isnan(gap_) && !(upper - lower >= gap_)) {
    gap_ = upper - lower, at_ = at, lower_ = lower, upper_ = upper;
  }
}

void SmallestGap::require(Trial& trial, double tolerance, const std::string& what) const {
  trial.require(seen_ > 0 && gap_ >= -tolerance, what,
                std::to_string(seen_) + " points, smallest gap " + rounded(gap_, 3) + " at " + rounded(at_, 5) + " (" +
                    rounded(upper_, 8) + " against the claimed " + rounded(lower_, 8) + ")",
                Measurement::at_least(upper_, lower_));
}

void LargestError::see(double value, double exact, double at) {
  ++seen_;
  const double size = std::max(std::abs(exact), floor_);
  const double error = value == exact ? 0.0 : std::abs(value - exact) / size;
  if (!std::isnan(error_) && !(error <= error_)) {
    error_ = error, at_ = at, value_ = value, exact_ = exact;
  }
}

void LargestError::require(Trial& trial, double tolerance, const std::string& what) const {
  trial.require(seen_ > 0 && error_ <= tolerance, what,
                std::to_string(seen_) + " points, largest error " + rounded(error_, 3) + " at " + rounded(at_, 5) +
                    " (" + rounded(value_, 10) + " for " + rounded(exact_, 10) + "), allowed " + rounded(tolerance, 2),
                Measurement::within(value_, exact_, tolerance * std::max(std::abs(exact_), floor_)));
}

}  // namespace dpcurves::validation
