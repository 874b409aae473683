// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Power series with coefficients that are balls, cut off at a length. Internal, not installed.
#pragma once

#include <arb_poly.h>

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::rigorous {

/// A polynomial of balls. All arithmetic is to the working precision.
class Series {
 public:
  Series() { arb_poly_init(poly_); }
  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;
  ~Series() { arb_poly_clear(poly_); }
  /// The coefficient of x^k.
  void set(slong k, const Real& value) { arb_poly_set_coeff_arb(poly_, k, value.get()); }
  /// The coefficient of x^k.
  [[nodiscard]] Real at(slong k) const {
    Real value;
    arb_poly_get_coeff_arb(value.get(), poly_, k);
    return value;
  }
  /// To a power, up to x^{length - 1}.
  void raise(ulong power, slong length) {
    arb_poly_pow_ui_trunc_binexp(poly_, poly_, power, length, Precision::bits());
  }
  /// Times another one, up to x^{length - 1}.
  void times(const Series& other, slong length) {
    arb_poly_mullow(poly_, poly_, other.poly_, length, Precision::bits());
  }

 private:
  arb_poly_t poly_;
};

}  // namespace dpcurves::rigorous
