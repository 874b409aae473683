// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/polynomial_features.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::models {
namespace {

using rigorous::pi;
using rigorous::Real;

Real real(std::size_t n) { return {static_cast<long>(n)}; }

/// Bits at which all digits of the answers are there: radii grow by log2(1 + sqrt 2) = 1.3 bits per degree in each of
/// the recurrences of T_j, of Clenshaw and of the monomials, and the error of the sigmoid is 2.7 bits per degree below
/// the terms that it is the difference of.
slong bits(std::size_t degree) { return 192 + 7 * static_cast<slong>(degree); }

/// Chebyshev to monomial coefficients by the recurrence of T_j. It loses j log10(1 + sqrt 2) digits.
std::vector<Real> monomials(const std::vector<Real>& chebyshev) {
  const std::size_t size = chebyshev.size();
  std::vector<Real> result(size, Real(0)), before(size, Real(0)), now(size, Real(0));
  before[0] = 1;  // T_0
  if (size > 1) {
    now[1] = 1;  // T_1
  }
  result[0] += chebyshev[0];
  for (std::size_t j = 1; j < size; ++j) {
    for (std::size_t i = j % 2; i <= j; i += 2) {
      result[i] += chebyshev[j] * now[i];
    }
    for (std::size_t i = (j + 1) % 2; i <= j + 1 && i < size; i += 2) {  // before becomes T_{j+1}
      before[i] = (i > 0 ? Real(2) * now[i - 1] : Real(0)) - before[i];
    }
    before.swap(now);
  }
  return result;
}

/// sum c_j T_j(x) by Clenshaw's recurrence.
Real clenshaw(const std::vector<Real>& c, const Real& x) {
  Real a(0), b(0);
  const Real twice = Real(2) * x;
  for (std::size_t j = c.size(); j-- > 1;) {
    const Real next = c[j] + twice * a - b;
    b = a;
    a = next;
  }
  return c[0] + x * a - b;
}

void set_error(ActivationPolynomial& out, const Real& error) {
  out.error = error.middle();
  out.log10_error = (log(error) / log(Real(10))).middle();
}

ActivationPolynomial from_chebyshev(const std::vector<Real>& chebyshev) {
  ActivationPolynomial out;
  Real squares(0);
  for (const Real& b : monomials(chebyshev)) {
    squares += b * b;
    out.coefficients.push_back(b.middle());
  }
  const Real norm = sqrt(squares);
  out.coefficient_norm = norm.middle();
  out.log10_coefficient_norm = (log(norm) / log(Real(10))).middle();
  out.weight = (norm * sqrt(real(chebyshev.size()))).middle();
  return out;
}

/// sigmoid(x) - 1/2, odd.
Real odd_sigmoid(const Real& x) {
  const Real e = exp(-x);
  return (Real(1) - e) / (Real(2) + Real(2) * e);
}

void require_degree(std::size_t degree) {
  require_domain(degree <= largest_degree, "degree", static_cast<double>(degree), "[0, 1000]");
}

}  // namespace

ActivationPolynomial sigmoid_polynomial(std::size_t degree) {
  require_degree(degree);
  const rigorous::Precision precision(bits(degree));
  const std::size_t nodes = degree + 1;
  std::vector<Real> c(nodes, Real(0));
  // Nodes come in pairs +-x, and only odd T_j have a part in an odd function.
  for (std::size_t k = 0; 2 * k + 1 < nodes; ++k) {
    const Real x = cos(pi() * real(2 * k + 1) / real(2 * nodes));
    const Real value = odd_sigmoid(x) * Real(4) / real(nodes), twice = Real(2) * x;
    Real even(1), odd(x);  // T_{j-1}, T_j
    for (std::size_t j = 1; j < nodes; j += 2) {
      c[j] += value * odd;
      even = twice * odd - even;
      odd = twice * even - odd;
    }
  }
  std::vector<Real> shifted = c;
  shifted[0] += Real(0.5);
  ActivationPolynomial out = from_chebyshev(shifted);

  const auto error = [&](const Real& angle) {
    const Real x = cos(angle);
    return abs(odd_sigmoid(x) - clenshaw(c, x));
  };
  const Real at_one = error(Real(0));
  // Between two nodes there is one extremum, near cos(k pi/nodes).
  const Real spacing = pi() / real(nodes);
  Real largest(0), where(0);
  for (std::size_t k = 1; 2 * k <= nodes; ++k) {
    const Real angle = spacing * real(k), value = error(angle);
    if (value > largest) {
      largest = value;
      where = angle;
    }
  }
  if (largest > at_one * Real(0.5)) {  // golden section; 32 steps leave 2e-7 of the spacing, 1e-13 of the value
    const Real ratio = (sqrt(Real(5)) - Real(1)) * Real(0.5);
    Real low = where - spacing * Real(0.5), high = where + spacing * Real(0.5);
    Real left = high - ratio * (high - low), right = low + ratio * (high - low);
    Real at_left = error(left), at_right = error(right);
    for (int step = 0; step < 32; ++step) {
      if (at_left > at_right) {
        high = right;
        right = left;
        at_right = at_left;
        left = high - ratio * (high - low);
        at_left = error(left);
      } else {
        low = left;
        left = right;
        at_left = at_right;
        right = low + ratio * (high - low);
        at_right = error(right);
      }
    }
    largest = max(largest, max(at_left, at_right));
  }
  set_error(out, at_one > largest ? at_one : largest);
  out.error_at_one = at_one.middle();
  return out;
}

ActivationPolynomial relu_polynomial(std::size_t degree) {
  require_degree(degree);
  const rigorous::Precision precision(bits(degree));
  std::vector<Real> c(degree + 1, Real(0));
  c[0] = Real(1) / pi();
  if (degree >= 1) {
    c[1] = Real(0.5);
  }
  for (std::size_t k = 1; 2 * k <= degree; ++k) {
    const Real size = Real(2) / (pi() * real(4 * k * k - 1));
    c[2 * k] = k % 2 == 1 ? size : -size;
  }
  ActivationPolynomial out = from_chebyshev(c);
  set_error(out, degree == 0 ? Real(1) - c[0] : Real(1) / (pi() * real(2 * (degree / 2) + 1)));
  out.error_at_one = abs(Real(1) - clenshaw(c, Real(1))).middle();
  return out;
}

PolynomialFeatures::PolynomialFeatures(std::size_t dimension, std::size_t degree)
    : inputs_(dimension), degree_(degree) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  constexpr double most = 1e7;
  double size = 1.0;
  for (std::size_t j = 1; j <= degree && size <= most; ++j) {
    size *= static_cast<double>(dimension + j) / static_cast<double>(j);
  }
  require_domain(size <= most, "degree", static_cast<double>(degree), "values with C(d + degree, degree) <= 1e7");
  parent_ = {0};
  variable_ = {0};
  order_ = {0};
  weights_ = {1.0};
  std::vector<std::size_t> repeats{0};  // exponent of the last variable
  std::size_t first = 0;
  for (std::size_t j = 1; j <= degree; ++j) {
    const std::size_t end = order_.size();
    for (std::size_t p = first; p < end; ++p) {
      for (std::size_t v = j == 1 ? 0 : variable_[p]; v < dimension; ++v) {
        const std::size_t count = j > 1 && v == variable_[p] ? repeats[p] + 1 : 1;
        parent_.push_back(p);
        variable_.push_back(v);
        order_.push_back(j);
        repeats.push_back(count);
        weights_.push_back(weights_[p] * std::sqrt(static_cast<double>(j) / static_cast<double>(count)));
      }
    }
    first = end;
  }
}

void PolynomialFeatures::evaluate(std::span<const double> x, std::span<double> out) const {
  require_domain(x.size() == inputs_, "size of x", static_cast<double>(x.size()), "the number of inputs");
  require_domain(out.size() == size(), "size of out", static_cast<double>(out.size()), "the number of monomials");
  out[0] = 1.0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    out[i] = out[parent_[i]] * x[variable_[i]];
  }
  const double scale = 1.0 / std::sqrt(static_cast<double>(degree_ + 1));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] *= scale * weights_[i];
  }
}

std::vector<double> PolynomialFeatures::unit(std::span<const double> direction,
                                             std::span<const double> coefficients) const {
  require_domain(coefficients.size() == degree_ + 1, "number of coefficients", static_cast<double>(coefficients.size()),
                 "degree + 1");
  std::vector<double> w(size());
  evaluate(direction, w);  // <psi(b), psi(x)> has t^j/(D + 1): weight each order by b_j (D + 1)
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] *= coefficients[order_[i]] * static_cast<double>(degree_ + 1);
  }
  return w;
}

double polynomial_kernel(double inner_product, std::size_t degree) {
  double sum = 0.0;
  for (std::size_t j = 0; j <= degree; ++j) {
    sum = sum * inner_product + 1.0;
  }
  return sum / static_cast<double>(degree + 1);
}

}  // namespace dpcurves::models
