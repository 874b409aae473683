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

#include <dpcurves/accounting/detail/ratio_law.hpp>

namespace dpcurves::accounting::detail {

/// Independent copies of one lattice variable.
struct LatticePart {
  const LatticeMasses* law = nullptr;  ///< not owned, not null
  double count = 1.0;                  ///< how many copies, a whole number
};

/// log of the sum of mass_k e^{tilt k} over all parts, with the derivative in the tilt.
struct LatticeCumulant {
  double value = 0.0;  ///< the logarithm itself
  double first = 0.0;  ///< its derivative: the mean of k under the tilted masses
};
/// Of the sum: each part times its count. Cost: the number of masses.
[[nodiscard]] LatticeCumulant cumulant(std::span<const LatticePart> parts, double tilt);
/// Bound of the rounding of its value, and of the logarithm of what sums of tilted masses are off by. Masses that no
/// double shows, e^{-45} and less of the largest, are left out of the value, which this covers too.
[[nodiscard]] double tilting_error(std::span<const LatticePart> parts, double tilt);

/// Which masses of the parts are large, where sums without a large one are not wanted: `first[i]` is the index from
/// which on those of part i are, and `from` that of the smallest sum that is asked for.
struct LatticeJumps {
  std::vector<long> first;  ///< one for each part
  long from = 0;            ///< index of a sum
};

/// The law of the sum over one window of indices, tilted: P(sum = s) = e^{log_moment - tilt s} (tilted_s +- error),
/// up to a relative error.
class LatticePower {
 public:
  /// \param length  of the window, a power of 2 larger than the supports of the parts.
  /// \throws ConvergenceError  if indices beyond 1e15 would be needed.
  LatticePower(std::span<const LatticePart> parts, double tilt, std::size_t length);
  /// The law of the sums with a large mass in them alone: roundings are relative to the large masses, not to all.
  LatticePower(std::span<const LatticePart> parts, double tilt, std::size_t length, const LatticeJumps& jumps);

  /// The tilt of the exponential weights, as given.
  [[nodiscard]] double tilt() const { return tilt_; }
  /// The LatticeCumulant's value at the tilt.
  [[nodiscard]] double log_moment() const { return log_moment_; }
  /// Index of the first point of the window.
  [[nodiscard]] long first() const { return first_; }
  /// Shape (length): the tilted masses from first() on.
  [[nodiscard]] std::span<const double> tilted() const { return tilted_; }
  [[nodiscard]] double rounding() const { return rounding_; }  ///< bound for each tilted mass
  /// The same for all of them together, in the 2-norm.
  [[nodiscard]] double rounding_norm() const { return rounding_norm_; }
  /// Bounds on the tilted mass outside, which is wrapped into the window, and the logs of its two parts.
  [[nodiscard]] double outside() const { return outside_; }
  /// Logarithm of a bound of the tilted mass above the window; log_below() is that below it.
  [[nodiscard]] double log_above() const { return log_above_; }
  /// As log_above(), below the window.
  [[nodiscard]] double log_below() const { return log_below_; }
  /// Bound of the tilted mass of the sums without a large one from LatticeJumps::from on.
  [[nodiscard]] double small() const { return small_; }
  /// Relative error of every tilted mass, beside rounding(): what the masses of the parts bring with them.
  [[nodiscard]] double relative() const { return relative_; }
  /// Relative error of every tilted mass that tilting the logarithms of the masses adds to that.
  [[nodiscard]] double tilting() const { return tilting_; }

 private:
  // From the transform of the sum relative to `reference`, with a mass that stays there.
  void open_window(std::span<const double> values, double reference, double mean, double crowd);
  template <class LogMoment>
  void bound_outside(const LogMoment& log_moment);

  double tilt_;
  double log_moment_ = 0.0;
  long first_ = 0;
  std::vector<double> tilted_;
  double rounding_ = 0.0;
  double rounding_norm_ = 0.0;
  double outside_ = 0.0;
  double log_above_ = 0.0;
  double log_below_ = 0.0;
  double relative_ = 0.0;
  double tilting_ = 0.0;
  double small_ = 0.0;
};

}  // namespace dpcurves::accounting::detail
