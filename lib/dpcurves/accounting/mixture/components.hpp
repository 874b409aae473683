// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Mixtures of normal laws of unit variance over the standard one, and their logarithms in balls. Internal.
#pragma once

#include <cstddef>
#include <vector>

#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting::mixture {

/// weight times the normal law of that mean, over the standard normal one.
struct Component {
  rigorous::Real weight, mean;
};
/// A sum of components.
using Mixture = std::vector<Component>;

/// That of -x.
[[nodiscard]] Mixture turned(const Mixture& mixture);

/// log of a mixture over the standard normal law, sum of w e^{m x - m^2/2}, with its largest term apart. On a ball that
/// meets the real line it is the value continued from there; indeterminate where what is left may be -1.
class LogMixture {
 public:
  explicit LogMixture(const Mixture& mixture);
  /// Mean of the term that is taken apart: about the largest at the middle of x.
  [[nodiscard]] double top(const rigorous::Complex& x) const { return terms_[largest(x.re())].about; }
  template <class Number>
  [[nodiscard]] Number value(const Number& x) const;  ///< The logarithm itself, at a Real or a Complex.
  template <class Number>
  [[nodiscard]] Number slope(const Number& x) const;  ///< Its derivative.

 private:
  struct Term {
    rigorous::Real mean, log_weight;  // of the weight, less m^2/2
    double about, log_low, log_high;  // of the mean; of log_weight, both ends
  };
  template <class Number>
  struct Rest {  // of the terms but for the largest, over it: their sum, and that of them times their means' distances
    Number sum, moved;
  };
  [[nodiscard]] std::size_t largest(const rigorous::Real& x) const;
  template <class Number>
  [[nodiscard]] Rest<Number> rest(const Number& x, std::size_t top, bool moved) const;
  std::vector<Term> terms_;
};

/// log(a / n) at real points, which may be wide balls, and its derivative.
struct LogRatio {
  LogMixture a, n;
  [[nodiscard]] rigorous::Real at(const rigorous::Real& x) const;
  [[nodiscard]] rigorous::Real slope(const rigorous::Real& x) const;
};

}  // namespace dpcurves::accounting::mixture
