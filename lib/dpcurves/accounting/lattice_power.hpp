// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sums of many independent lattice variables by the Fourier transform of their exponentially tilted masses. Internal.
///
/// Rounding is absolute in the tilted space and is known as such; wrap-around is bounded by Chernoff terms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <dpcurves/accounting/ratio_law.hpp>

namespace dpcurves::accounting::detail {

struct LatticePart {
  const LatticeMasses* law = nullptr;
  double count = 1.0;
};

/// log of the sum of mass_k e^{tilt k} over all parts, with the derivative in the tilt.
struct LatticeCumulant {
  double value = 0.0;
  double first = 0.0;
};
[[nodiscard]] LatticeCumulant cumulant(std::span<const LatticePart> parts, double tilt);

/// The law of the sum over one window of indices, tilted: P(sum = s) = e^{log_moment - tilt s} (tilted_s +- error),
/// up to a relative error.
class LatticePower {
 public:
  /// \param length  of the window, a power of 2 larger than the supports of the parts.
  /// \throws ConvergenceError  if indices beyond 1e15 would be needed.
  LatticePower(std::span<const LatticePart> parts, double tilt, std::size_t length);

  [[nodiscard]] double tilt() const { return tilt_; }
  [[nodiscard]] double log_moment() const { return log_moment_; }
  [[nodiscard]] long first() const { return first_; }
  [[nodiscard]] std::span<const double> tilted() const { return tilted_; }
  [[nodiscard]] double rounding() const { return rounding_; }  ///< of each tilted mass
  /// Bounds on the tilted mass outside, which is wrapped into the window, and the logs of its two parts.
  [[nodiscard]] double outside() const { return outside_; }
  [[nodiscard]] double log_above() const { return log_above_; }
  [[nodiscard]] double log_below() const { return log_below_; }
  [[nodiscard]] double relative() const { return relative_; }

 private:
  double tilt_;
  double log_moment_ = 0.0;
  long first_ = 0;
  std::vector<double> tilted_;
  double rounding_ = 0.0;
  double outside_ = 0.0;
  double log_above_ = 0.0;
  double log_below_ = 0.0;
  double relative_ = 0.0;
};

}  // namespace dpcurves::accounting::detail
