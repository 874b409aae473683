// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/polynomial_features.hpp>

namespace dpcurves::models {
namespace {

namespace mp = boost::multiprecision;

template <unsigned digits>
using Digits = mp::number<mp::cpp_bin_float<digits>, mp::et_off>;

template <class Real>
Real pi() {
  return boost::math::constants::pi<Real>();
}

/// Chebyshev to monomial coefficients by the recurrence of T_j. It loses j log10(1 + sqrt 2) digits, which Real has.
template <class Real>
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
      before[i] = (i > 0 ? Real(2 * now[i - 1]) : Real(0)) - before[i];
    }
    before.swap(now);
  }
  return result;
}

/// sum c_j T_j(x) by Clenshaw's recurrence.
template <class Real>
Real clenshaw(const std::vector<Real>& c, const Real& x) {
  Real a(0), b(0);
  const Real twice = 2 * x;
  for (std::size_t j = c.size(); j-- > 1;) {
    const Real next = c[j] + twice * a - b;
    b = a;
    a = next;
  }
  return c[0] + x * a - b;
}

template <class Real>
void set_error(ActivationPolynomial& out, const Real& error) {
  out.error = static_cast<double>(error);
  out.log10_error = static_cast<double>(log10(error));
}

template <class Real>
ActivationPolynomial from_chebyshev(const std::vector<Real>& chebyshev) {
  ActivationPolynomial out;
  Real squares(0);
  for (const Real& b : monomials(chebyshev)) {
    squares += b * b;
    out.coefficients.push_back(static_cast<double>(b));
  }
  const Real norm = sqrt(squares);
  out.coefficient_norm = static_cast<double>(norm);
  out.log10_coefficient_norm = static_cast<double>(log10(norm));
  out.weight = static_cast<double>(norm * sqrt(Real(chebyshev.size())));
  return out;
}

/// sigmoid(x) - 1/2, odd.
template <class Real>
Real odd_sigmoid(const Real& x) {
  const Real e = exp(-x);
  return (1 - e) / (2 * (1 + e));
}

template <class Real>
ActivationPolynomial sigmoid_with(std::size_t degree) {
  const std::size_t nodes = degree + 1;
  std::vector<Real> c(nodes, Real(0));
  // Nodes come in pairs +-x, and only odd T_j have a part in an odd function.
  for (std::size_t k = 0; 2 * k + 1 < nodes; ++k) {
    const Real x = cos(pi<Real>() * (2 * k + 1) / (2 * nodes));
    const Real value = odd_sigmoid(x) * 4 / nodes, twice = 2 * x;
    Real even(1), odd(x);  // T_{j-1}, T_j
    for (std::size_t j = 1; j < nodes; j += 2) {
      c[j] += value * odd;
      even = twice * odd - even;
      odd = twice * even - odd;
    }
  }
  std::vector<Real> shifted = c;
  shifted[0] += Real(1) / 2;
  ActivationPolynomial out = from_chebyshev(shifted);

  const auto error = [&](const Real& angle) {
    const Real x = cos(angle);
    return Real(abs(odd_sigmoid(x) - clenshaw(c, x)));
  };
  const Real at_one = error(Real(0));
  // Between two nodes there is one extremum, near cos(k pi/nodes).
  const Real spacing = pi<Real>() / nodes;
  Real largest(0), where(0);
  for (std::size_t k = 1; 2 * k <= nodes; ++k) {
    const Real angle = spacing * k, value = error(angle);
    if (value > largest) {
      largest = value;
      where = angle;
    }
  }
  if (largest > at_one / 2) {  // golden section; 32 steps leave 2e-7 of the spacing, 1e-13 of the value
    const Real ratio = (sqrt(Real(5)) - 1) / 2;
    Real low = where - spacing / 2, high = where + spacing / 2;
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
    largest = std::max({largest, at_left, at_right});
  }
  set_error(out, at_one > largest ? at_one : largest);
  out.error_at_one = static_cast<double>(at_one);
  return out;
}

template <class Real>
ActivationPolynomial relu_with(std::size_t degree) {
  std::vector<Real> c(degree + 1, Real(0));
  c[0] = 1 / pi<Real>();
  if (degree >= 1) {
    c[1] = Real(1) / 2;
  }
  for (std::size_t k = 1; 2 * k <= degree; ++k) {
    const Real size = 2 / (pi<Real>() * (4 * Real(k) * k - 1));
    c[2 * k] = k % 2 == 1 ? size : Real(-size);
  }
  ActivationPolynomial out = from_chebyshev(c);
  set_error(out, degree == 0 ? Real(1 - 1 / pi<Real>()) : Real(1 / (pi<Real>() * (2 * (degree / 2) + 1))));
  out.error_at_one = static_cast<double>(abs(1 - clenshaw(c, Real(1))));
  return out;
}

void require_degree(std::size_t degree) {
  require_domain(degree <= largest_degree, "degree", static_cast<double>(degree), "[0, 1000]");
}

}  // namespace

ActivationPolynomial sigmoid_polynomial(std::size_t degree) {
  require_degree(degree);
  // 0.81 digits per degree for the error itself, the rest for its relative accuracy.
  if (degree <= 64) {
    return sigmoid_with<Digits<100>>(degree);
  }
  return degree <= 300 ? sigmoid_with<Digits<300>>(degree) : sigmoid_with<Digits<900>>(degree);
}

ActivationPolynomial relu_polynomial(std::size_t degree) {
  require_degree(degree);
  if (degree <= 160) {
    return relu_with<Digits<100>>(degree);
  }
  return degree <= 640 ? relu_with<Digits<300>>(degree) : relu_with<Digits<900>>(degree);
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
