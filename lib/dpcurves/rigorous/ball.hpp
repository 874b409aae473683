// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Real and complex balls: a number known to lie within a radius of a midpoint. Internal, not installed.
///
/// Every function returns a ball that contains the exact value for every choice of exact arguments from its arguments'
/// balls; Arb (FLINT) does the arithmetic. Balls have unbounded exponents: 1e-100000 is as good as 1. The number of
/// bits of the midpoints is that of the innermost Precision of the thread, 128 where there is none. It changes how
/// wide answers are, never whether they are right.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <acb.h>
#include <arb.h>
#include <arb_hypgeom.h>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::rigorous {

/// The caches that FLINT keeps for this thread are freed when it ends.
void free_caches_with_thread();

/// Sets the working precision of this thread until it goes out of scope.
class Precision {
 public:
  explicit Precision(slong bits) : before_(current()) {
    free_caches_with_thread();
    current() = bits;
  }
  ~Precision() { current() = before_; }
  Precision(const Precision&) = delete;
  Precision& operator=(const Precision&) = delete;
  [[nodiscard]] static slong bits() { return current(); }

 private:
  static slong& current() {
    thread_local slong value = 128;
    return value;
  }
  slong before_;
};

/// A real ball.
class Real {
 public:
  Real() { arb_init(x_); }
  Real(double exact) : Real() { arb_set_d(x_, exact); }  // NOLINT: a double is a number
  Real(int exact) : Real() { arb_set_si(x_, exact); }    // NOLINT
  Real(long exact) : Real() { arb_set_si(x_, exact); }   // NOLINT
  /// Both ends and all between; infinite ends are allowed.
  Real(double lower, double upper) : Real() {
    arb_t other;
    arb_init(other);
    arb_set_d(x_, lower);
    arb_set_d(other, upper);
    arb_union(x_, x_, other, Precision::bits() < 64 ? 64 : Precision::bits());
    arb_clear(other);
  }
  explicit Real(const Enclosure& e) : Real(e.lower, e.upper) {}
  Real(const Real& o) : Real() { arb_set(x_, o.x_); }
  Real(Real&& o) noexcept : Real() { arb_swap(x_, o.x_); }
  Real& operator=(const Real& o) {
    arb_set(x_, o.x_);
    return *this;
  }
  Real& operator=(Real&& o) noexcept {
    arb_swap(x_, o.x_);
    return *this;
  }
  ~Real() { arb_clear(x_); }

  [[nodiscard]] arb_ptr get() { return x_; }
  [[nodiscard]] arb_srcptr get() const { return x_; }

  /// The midpoint, rounded; no guarantee.
  [[nodiscard]] double middle() const { return arf_get_d(arb_midref(x_), ARF_RND_NEAR); }
  /// The radius, rounded up; below the normal doubles too.
  [[nodiscard]] double radius() const {
    const double r = mag_get_d(arb_radref(x_));
    return r > 0x1p-1000 ? r : tiny_radius();
  }
  [[nodiscard]] double lower() const;  ///< A double at most every number of the ball; -infinity for an invalid ball.
  [[nodiscard]] double upper() const;  ///< A double at least every number of the ball; infinity for an invalid ball.
  [[nodiscard]] Enclosure enclosure() const { return {lower(), upper()}; }
  [[nodiscard]] bool finite() const { return arb_is_finite(x_) != 0; }
  [[nodiscard]] bool positive() const { return arb_is_positive(x_) != 0; }  ///< Every number of the ball is.
  [[nodiscard]] bool negative() const { return arb_is_negative(x_) != 0; }  ///< Every number of the ball is.
  [[nodiscard]] bool contains_zero() const { return arb_contains_zero(x_) != 0; }
  [[nodiscard]] bool exact() const { return arb_is_exact(x_) != 0; }
  [[nodiscard]] std::string text(int digits = 25) const;  ///< "[3.14159 +/- 2e-6]"

 private:
  [[nodiscard]] double tiny_radius() const;

  arb_t x_;
};

/// About the natural logarithm of a positive ball, beyond the range of doubles too; no guarantee.
[[nodiscard]] double approximate_log(const Real& positive);

/// A complex ball: a rectangle of two real ones.
class Complex {
 public:
  Complex() { acb_init(z_); }
  Complex(const Real& re) : Complex() { acb_set_arb(z_, re.get()); }  // NOLINT: a real number is complex
  Complex(const Real& re, const Real& im) : Complex() { acb_set_arb_arb(z_, re.get(), im.get()); }
  Complex(const Complex& o) : Complex() { acb_set(z_, o.z_); }
  Complex(Complex&& o) noexcept : Complex() { acb_swap(z_, o.z_); }
  Complex& operator=(const Complex& o) {
    acb_set(z_, o.z_);
    return *this;
  }
  Complex& operator=(Complex&& o) noexcept {
    acb_swap(z_, o.z_);
    return *this;
  }
  ~Complex() { acb_clear(z_); }
  [[nodiscard]] acb_ptr get() { return z_; }
  [[nodiscard]] acb_srcptr get() const { return z_; }
  [[nodiscard]] Real re() const {
    Real r;
    arb_set(r.get(), acb_realref(z_));
    return r;
  }
  [[nodiscard]] Real im() const {
    Real r;
    arb_set(r.get(), acb_imagref(z_));
    return r;
  }

 private:
  acb_t z_;
};

#define DPCURVES_BALL_BINARY(op, arbf, acbf)                                     \
  [[nodiscard]] inline Real operator op(const Real& a, const Real& b) {          \
    Real r;                                                                      \
    arbf(r.get(), a.get(), b.get(), Precision::bits());                          \
    return r;                                                                    \
  }                                                                              \
  [[nodiscard]] inline Complex operator op(const Complex& a, const Complex& b) { \
    Complex r;                                                                   \
    acbf(r.get(), a.get(), b.get(), Precision::bits());                          \
    return r;                                                                    \
  }
DPCURVES_BALL_BINARY(+, arb_add, acb_add)
DPCURVES_BALL_BINARY(-, arb_sub, acb_sub)
DPCURVES_BALL_BINARY(*, arb_mul, acb_mul)
DPCURVES_BALL_BINARY(/, arb_div, acb_div)
#undef DPCURVES_BALL_BINARY

#define DPCURVES_BALL_UNARY(name, arbf)           \
  [[nodiscard]] inline Real name(const Real& a) { \
    Real r;                                       \
    arbf(r.get(), a.get(), Precision::bits());    \
    return r;                                     \
  }
DPCURVES_BALL_UNARY(exp, arb_exp)
DPCURVES_BALL_UNARY(expm1, arb_expm1)
DPCURVES_BALL_UNARY(log, arb_log)
DPCURVES_BALL_UNARY(log1p, arb_log1p)
DPCURVES_BALL_UNARY(sqrt, arb_sqrt)
DPCURVES_BALL_UNARY(cos, arb_cos)
DPCURVES_BALL_UNARY(sin, arb_sin)
DPCURVES_BALL_UNARY(atan, arb_atan)
DPCURVES_BALL_UNARY(erf, arb_hypgeom_erf)
DPCURVES_BALL_UNARY(erfc, arb_hypgeom_erfc)
#undef DPCURVES_BALL_UNARY

[[nodiscard]] inline Real operator-(const Real& a) {
  Real r;
  arb_neg(r.get(), a.get());
  return r;
}
[[nodiscard]] inline Complex operator-(const Complex& a) {
  Complex r;
  acb_neg(r.get(), a.get());
  return r;
}
inline Real& operator+=(Real& a, const Real& b) {
  arb_add(a.get(), a.get(), b.get(), Precision::bits());
  return a;
}
[[nodiscard]] inline Complex exp(const Complex& a) {
  Complex r;
  acb_exp(r.get(), a.get(), Precision::bits());
  return r;
}
[[nodiscard]] inline Complex expm1(const Complex& a) {
  Complex r;
  acb_expm1(r.get(), a.get(), Precision::bits());
  return r;
}
[[nodiscard]] inline Complex log1p(const Complex& a) {  ///< The principal branch.
  Complex r;
  acb_log1p(r.get(), a.get(), Precision::bits());
  return r;
}
[[nodiscard]] inline Complex log(const Complex& a) {  ///< The principal branch.
  Complex r;
  acb_log(r.get(), a.get(), Precision::bits());
  return r;
}
[[nodiscard]] inline Real abs(const Real& a) {
  Real r;
  arb_abs(r.get(), a.get());
  return r;
}
[[nodiscard]] inline Real abs(const Complex& a) {
  Real r;
  acb_abs(r.get(), a.get(), Precision::bits());
  return r;
}
/// The same for wide rectangles: tight at both ends, where abs() squares balls and may lose all.
[[nodiscard]] Real modulus(const Complex& a);
[[nodiscard]] inline Real max(const Real& a, const Real& b) {
  Real r;
  arb_max(r.get(), a.get(), b.get(), Precision::bits());
  return r;
}
[[nodiscard]] inline Real min(const Real& a, const Real& b) {
  Real r;
  arb_min(r.get(), a.get(), b.get(), Precision::bits());
  return r;
}
/// The smallest ball with both.
[[nodiscard]] inline Real hull(const Real& a, const Real& b) {
  Real r;
  arb_union(r.get(), a.get(), b.get(), Precision::bits());
  return r;
}
/// What is in both. \throws ContradictionError  if nothing is.
[[nodiscard]] Real intersection(const Real& a, const Real& b);
[[nodiscard]] inline bool operator<(const Real& a, const Real& b) {
  return arb_lt(a.get(), b.get()) != 0;
}  ///< Certainly.
[[nodiscard]] inline bool operator<=(const Real& a, const Real& b) {
  return arb_le(a.get(), b.get()) != 0;
}  ///< Certainly.
[[nodiscard]] inline bool operator>(const Real& a, const Real& b) { return b < a; }    ///< Certainly.
[[nodiscard]] inline bool operator>=(const Real& a, const Real& b) { return b <= a; }  ///< Certainly.
[[nodiscard]] inline bool overlap(const Real& a, const Real& b) { return arb_overlaps(a.get(), b.get()) != 0; }

[[nodiscard]] inline Real pi() {
  Real r;
  arb_const_pi(r.get(), Precision::bits());
  return r;
}
/// a to a real power. \param a  positive.
[[nodiscard]] inline Real pow(const Real& a, const Real& b) {
  Real r;
  arb_pow(r.get(), a.get(), b.get(), Precision::bits());
  return r;
}
/// 2^k a, exactly.
[[nodiscard]] inline Real scaled(const Real& a, slong k) {
  Real r;
  arb_mul_2exp_si(r.get(), a.get(), k);
  return r;
}
/// The midpoint alone, an exact number.
[[nodiscard]] inline Real midpoint(const Real& a) {
  Real r;
  arb_get_mid_arb(r.get(), a.get());
  return r;
}
/// About the radius over the midpoint, beyond the range of doubles too; no guarantee.
[[nodiscard]] inline double relative_radius(const Real& a) { return (abs(a - midpoint(a)) / abs(midpoint(a))).upper(); }
/// a with every number moved by up to |by|.
[[nodiscard]] inline Real widened(const Real& a, const Real& by) {
  Real r(a);
  arb_add_error(r.get(), by.get());
  return r;
}
/// [0, the largest number of |a|].
[[nodiscard]] Real zero_to(const Real& a);
/// The largest number of the ball, exactly.
[[nodiscard]] Real upper_end(const Real& a);
/// The smallest number of the ball, exactly.
[[nodiscard]] Real lower_end(const Real& a);
/// The larger of the ball's part above `floor` and `floor`: for numbers known to be at least that.
[[nodiscard]] Real at_least(const Real& a, const Real& floor);
/// P(N(0, 1) > x) over the density at x. \param x  positive.
[[nodiscard]] Real mills_ratio(const Real& x);
/// P(N(0, 1) > x); full relative accuracy for every x.
[[nodiscard]] Real normal_tail(const Real& x);
/// A decimal number, for example "0.1", to the working precision. \throws DomainError  if it is none.
[[nodiscard]] Real decimal(const std::string& text);

/// base to the power of a whole number below 2^53, which is exact.
[[nodiscard]] Real power(const Real& base, double count);
/// See above.
[[nodiscard]] Complex power(const Complex& base, double count);
/// Sum of values[j] ratio^j. Each power is a product of few, so that their balls stay narrow where |ratio| is 1.
/// Shape (n), n > 0. Cost: 2 n products.
[[nodiscard]] Complex power_sum(const std::vector<Complex>& values, const Complex& ratio);

}  // namespace dpcurves::rigorous
