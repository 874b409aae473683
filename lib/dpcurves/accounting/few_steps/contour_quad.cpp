// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The same contour in 34 decimal digits: the compiler's type where there is one with functions (clang has the type,
// but finds no functions of it).
#include <limits>

#if defined(__SIZEOF_FLOAT128__) && __has_include(<quadmath.h>)
#define DPCURVES_HAS_QUAD
#endif
#ifdef DPCURVES_HAS_QUAD
#include <quadmath.h>
#else
#include <boost/multiprecision/cpp_bin_float.hpp>
#endif

#include <dpcurves/accounting/few_steps/engine.hpp>
#include <dpcurves/accounting/few_steps/extended.hpp>

namespace dpcurves::accounting::detail {
namespace {

#ifdef DPCURVES_HAS_QUAD

// A class, so that the functions below are found by argument-dependent lookup.
struct Quad {
  __extension__ using Value = __float128;
  Value value = 0;

  Quad() = default;
  explicit Quad(Value v) : value(v) {}
  explicit Quad(double v) : value(v) {}
  explicit Quad(int v) : value(v) {}
  explicit operator double() const { return static_cast<double>(value); }

  Quad& operator+=(const Quad& o) { return value += o.value, *this; }
  Quad& operator-=(const Quad& o) { return value -= o.value, *this; }
  Quad& operator/=(const Quad& o) { return value /= o.value, *this; }
  friend Quad operator-(const Quad& a) { return Quad(-a.value); }
  friend Quad operator+(const Quad& a, const Quad& b) { return Quad(a.value + b.value); }
  friend Quad operator-(const Quad& a, const Quad& b) { return Quad(a.value - b.value); }
  friend Quad operator*(const Quad& a, const Quad& b) { return Quad(a.value * b.value); }
  friend Quad operator/(const Quad& a, const Quad& b) { return Quad(a.value / b.value); }
  friend bool operator>(const Quad& a, const Quad& b) { return a.value > b.value; }

  friend Quad abs(const Quad& a) { return Quad(fabsq(a.value)); }
  friend Quad sqrt(const Quad& a) { return Quad(sqrtq(a.value)); }
  friend Quad exp(const Quad& a) { return Quad(expq(a.value)); }
  friend Quad expm1(const Quad& a) { return Quad(expm1q(a.value)); }
  friend Quad log(const Quad& a) { return Quad(logq(a.value)); }
  friend Quad log1p(const Quad& a) { return Quad(log1pq(a.value)); }
  friend Quad sin(const Quad& a) { return Quad(sinq(a.value)); }
  friend Quad cos(const Quad& a) { return Quad(cosq(a.value)); }
  friend Quad atan2(const Quad& a, const Quad& b) { return Quad(atan2q(a.value, b.value)); }
};

}  // namespace
}  // namespace dpcurves::accounting::detail

template <>
struct std::numeric_limits<dpcurves::accounting::detail::Quad> {
  static constexpr bool is_specialized = true;
  static constexpr int digits10 = 33;
  static dpcurves::accounting::detail::Quad epsilon() { return dpcurves::accounting::detail::Quad(0x1p-112); }
};

namespace dpcurves::accounting::detail {
namespace {

#else
using Quad = boost::multiprecision::cpp_bin_float_quad;
#endif

}  // namespace

template <>
Rule<Quad> gauss_rule<Quad>(int points) {
  return extended_rule<Quad>(points);
}
template <>
Quad pi_of<Quad>() {
  return Quad(4) * atan2(Quad(1), Quad(1));
}

std::unique_ptr<ExtendedContour> quad_contour(const Transform& transform, const ContourPlan& plan,
                                              const Deadline& deadline) {
  return std::make_unique<ContourIn<Quad>>(transform, plan, deadline);
}

}  // namespace dpcurves::accounting::detail
