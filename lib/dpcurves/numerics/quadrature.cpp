// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#define BOOST_DISABLE_ASSERTS  // tanh_sinh asserts that no abscissa rounds to an end of the interval; some do,
                               // harmlessly
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/legendre.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::numerics {
namespace {

constexpr int most_points = 64;

struct StoredRule {
  std::vector<double> nodes;
  std::vector<double> weights;
};

StoredRule compute_rule(int points) {
  // In extended precision, so that the doubles are good to their last place.
  const auto zeros = boost::math::legendre_p_zeros<long double>(points);  // the nonnegative ones, ascending
  StoredRule rule;
  const auto add = [&](long double x) {
    const long double slope = boost::math::legendre_p_prime(points, x);
    rule.nodes.push_back(static_cast<double>(x));
    rule.weights.push_back(static_cast<double>(2.0L / ((1.0L - x * x) * slope * slope)));
  };
  for (auto x = zeros.rbegin(); x != zeros.rend(); ++x) {
    if (*x > 0.0L) {
      add(-*x);
    }
  }
  for (const long double x : zeros) {
    add(x);
  }
  return rule;
}

}  // namespace

GaussRule gauss_legendre(int points) {
  require_domain(points >= 1 && points <= most_points, "points", points, "1 to 64");
  static std::array<StoredRule, most_points + 1> rules;
  static std::array<std::once_flag, most_points + 1> computed;
  const auto index = static_cast<std::size_t>(points);
  std::call_once(computed[index], [&] { rules[index] = compute_rule(points); });
  return {rules[index].nodes, rules[index].weights};
}

double gauss_legendre(const std::function<double(double)>& f, double a, double b, int points) {
  const GaussRule rule = gauss_legendre(points);
  const double middle = 0.5 * (a + b);
  const double half = 0.5 * (b - a);
  double total = 0.0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    total += rule.weights[i] * f(middle + half * rule.nodes[i]);
  }
  return half * total;
}

Estimate integrate(const std::function<double(double)>& f, double a, double b, double relative_tolerance) {
  require_domain(!std::isnan(a), "a", a, "[-inf, inf]");
  require_domain(!std::isnan(b), "b", b, "[-inf, inf]");
  require_domain(relative_tolerance > 0.0 && relative_tolerance < 1.0, "relative_tolerance", relative_tolerance,
                 "(0, 1)");
  if (a == b) {
    return {};
  }
  if (a > b) {
    const Estimate reversed = integrate(f, b, a, relative_tolerance);
    return {-reversed.value, reversed.error};
  }
  using namespace boost::math::quadrature;
  // The integrators refine their tables on the fly, which is why each thread has its own.
  thread_local tanh_sinh<double> bounded;
  thread_local exp_sinh<double> half_line;
  thread_local sinh_sinh<double> whole_line;
  Estimate result;
  try {
    if (std::isinf(a) && std::isinf(b)) {
      result.value = whole_line.integrate(f, relative_tolerance, &result.error);
    } else if (std::isinf(b)) {
      result.value = half_line.integrate([&](double t) { return f(a + t); }, relative_tolerance, &result.error);
    } else if (std::isinf(a)) {
      result.value = half_line.integrate([&](double t) { return f(b - t); }, relative_tolerance, &result.error);
    } else {
      result.value = bounded.integrate(f, a, b, relative_tolerance, &result.error);
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {  // Boost reports a non-finite integrand this way
    throw ConvergenceError(std::string("integrate: ") + failure.what());
  }
  if (!std::isfinite(result.value)) {
    throw ConvergenceError("integrate: the rule does not settle");
  }
  return result;
}

}  // namespace dpcurves::numerics
