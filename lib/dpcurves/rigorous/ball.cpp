// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::rigorous {
namespace {

constexpr slong end_bits = 64;  // ends are rounded to doubles outward afterwards

// acts on an arf_t of its own
template <class Get>
double end(arb_srcptr x, const Get& get, arf_rnd_t rounding, double invalid) {
  if (arf_is_nan(arb_midref(x))) {
    return invalid;
  }
  arf_t f;
  arf_init(f);
  get(f, x, end_bits);
  const double value = arf_get_d(f, rounding);
  arf_clear(f);
  return value;
}

/// arb_pow_fmpz or acb_pow_fmpz.
template <class Ball, class Power>
Ball raised(const Ball& base, double count, const Power& power) {
  Ball result;
  fmpz_t n;
  fmpz_init(n);
  fmpz_set_d(n, count);
  power(result.get(), base.get(), n, Precision::bits());
  fmpz_clear(n);
  return result;
}

struct Caches {
  Caches() = default;
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;
  ~Caches() { flint_cleanup(); }
};

}  // namespace

void free_caches_with_thread() {
  thread_local const Caches caches;
  static_cast<void>(caches);
}

double Real::lower() const {
  return end(x_, arb_get_lbound_arf, ARF_RND_FLOOR, -std::numeric_limits<double>::infinity());
}

double Real::upper() const {
  return end(x_, arb_get_ubound_arf, ARF_RND_CEIL, std::numeric_limits<double>::infinity());
}

// mag_get_d rounds what is below 2^-1000 up to it.
double Real::tiny_radius() const {
  arf_t r;
  arf_init_set_mag_shallow(r, arb_radref(x_));
  return arf_get_d(r, ARF_RND_CEIL);
}

std::string Real::text(int digits) const {
  char* raw = arb_get_str(x_, digits, 0);
  std::string result(raw);
  flint_free(raw);
  return result;
}

double approximate_log(const Real& positive) {
  const Precision precision(64);
  return log(positive).middle();
}

Real intersection(const Real& a, const Real& b) {
  Real r;
  if (arb_intersection(r.get(), a.get(), b.get(), Precision::bits()) == 0) {
    throw ContradictionError("internal contradiction: " + a.text() + " and " + b.text() + " do not meet");
  }
  return r;
}

Real modulus(const Complex& a) {
  Real low, high;
  acb_get_abs_lbound_arf(arb_midref(low.get()), a.get(), Precision::bits());
  acb_get_abs_ubound_arf(arb_midref(high.get()), a.get(), Precision::bits());
  return hull(low, high);
}

Real zero_to(const Real& a) { return hull(Real(), upper_end(abs(a))); }

Real upper_end(const Real& a) {
  Real r;
  arb_get_ubound_arf(arb_midref(r.get()), a.get(), Precision::bits());
  return r;
}

Real lower_end(const Real& a) {
  Real r;
  arb_get_lbound_arf(arb_midref(r.get()), a.get(), Precision::bits());
  return r;
}

Real at_least(const Real& a, const Real& floor) {
  if (floor <= a) {
    return a;
  }
  return a <= floor ? floor : hull(floor, upper_end(a));
}

Real mills_ratio(const Real& x) {
  constexpr int far = 1000;  // there the asymptotic series has all digits; Arb's erfc loses its own further out
  if (!(x > Real(far))) {
    return normal_tail(x) * exp(scaled(x * x, -1)) * sqrt(scaled(pi(), 1));
  }
  // (1 - 1/x^2 + 3/x^4 - 15/x^6 + ...)/x: the first term that is left out bounds the error.
  const Real inverse = Real(1) / (x * x), least = scaled(Real(1), -Precision::bits() - 8);
  Real term = 1, sum = 1;
  for (int n = 1; n < 400; ++n) {  // terms fall up to n = x^2/2
    term = -(term * inverse * Real(2 * n - 1));
    if (abs(term) < least) {
      break;
    }
    sum += term;
  }
  return widened(sum, abs(term)) / x;
}

Real normal_tail(const Real& x) {
  if (x > Real(1000)) {
    return mills_ratio(x) * exp(-scaled(x * x, -1)) / sqrt(scaled(pi(), 1));
  }
  return scaled(erfc(x / sqrt(Real(2))), -1);
}

Real decimal(const std::string& text) {
  Real r;
  if (arb_set_str(r.get(), text.c_str(), Precision::bits()) != 0) {
    throw DomainError("\"" + text + "\" is no decimal number");
  }
  return r;
}

Real power(const Real& base, double count) { return raised(base, count, arb_pow_fmpz); }

Complex power(const Complex& base, double count) { return raised(base, count, acb_pow_fmpz); }

Complex power_sum(const std::vector<Complex>& values, const Complex& ratio) {
  static_assert(sizeof(Complex) == sizeof(acb_struct));
  const auto count = static_cast<slong>(values.size());
  const slong bits = Precision::bits();
  acb_ptr powers = _acb_vec_init(count);
  _acb_vec_set_powers(powers, ratio.get(), count, bits);  // by squares
  Complex result;
  acb_dot(result.get(), nullptr, 0, values.front().get(), 1, powers, 1, count, bits);
  _acb_vec_clear(powers, count);
  return result;
}

}  // namespace dpcurves::rigorous
