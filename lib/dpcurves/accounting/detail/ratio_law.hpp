// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Discrete laws of a likelihood ratio that lie above and below the true one in the convex order. Internal.
///
/// A pair of laws (P, Q) is known by the law under Q of L = dP/dQ, and every privacy guarantee is the mean of a
/// nonnegative convex function of L. A law `above` gives every such mean at least its true value, a law `below` at
/// most: mass is moved to the ends of its cell with its mean kept, or to the mean of its cell. Means of independent
/// ratios (a step drawn at random) and their products (composition) keep the order.
///
/// Source: Blackwell (1953) and Strassen (1965) for the order; Doroshenko et al., "Connect the dots" (2022), for the
/// law above.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// Which side of the true law in the convex order.
enum class Side { above, below };

/// Masses under the null at increasing ratios, with a bound on all roundings. Above: the mean of every nonnegative
/// convex function that rises is at most e^{mass_error} times that of this law with its ratios times e^{ratio_error},
/// of one that falls with its ratios times e^{-ratio_error}. Below, at least e^{-mass_error} times, with the other
/// signs.
struct RatioLaw {
  std::vector<double> ratio;  ///< positive, increasing
  std::vector<double> mass;   ///< as many as ratios, nonnegative: under the null
  double zero = 0.0;          ///< mass under the null at ratio 0; 0 for a law below
  double infinite = 0.0;      ///< mass under the alternative at ratio infinity; 0 for a law below
  double mass_error = 0.0;    ///< of logarithms, >= 0: also of `zero` and `infinite`
  double ratio_error = 0.0;   ///< of logarithms, >= 0
};

/// The true law lies between the two in the convex order. Either may be empty, where it is not asked for: then it is in
/// what is made of it.
struct RatioLaws {
  RatioLaw above;  ///< dominates: guarantees read from it are upper ends
  RatioLaw below;  ///< is dominated: lower ends
};

/// How finely a law is kept: `cells` cells between the quantiles of the normal tail probabilities beyond +-reach.
struct Resolution {
  std::size_t cells = 2010;  ///< the more, the tighter; cost grows with their square
  double reach = 9.6;        ///< in standard deviations: what is beyond goes to ratio 0 or infinity
};

/// At least the mass under the null, `zero` included, and at least 1.
[[nodiscard]] double null_mass(const RatioLaw& law);
/// At least the mass under the alternative, `infinite` included, and at least 1.
[[nodiscard]] double alternative_mass(const RatioLaw& law);

/// exp(mu z - mu^2/2), z standard normal: the ratio of N(mu, 1) to N(0, 1), for every mu that rounds to this one.
[[nodiscard]] RatioLaws gaussian_ratio(double mu, const Resolution& resolution);

/// The law of (m A + n B) / (m + n) for independent A, B, those of many more atoms than the resolution has joined
/// first. Cost: the product of the numbers of atoms, at most 4 cells^2, 1.5 ns each.
[[nodiscard]] RatioLaws mean_ratio(const RatioLaws& a, double m, const RatioLaws& b, double n,
                                   const Resolution& resolution);
/// The mean of two independent copies, at half the cost.
[[nodiscard]] RatioLaws mean_ratio(const RatioLaws& a, const Resolution& resolution);

/// Masses at lattice points first, first + 1, ...
struct LatticeMasses {
  long first = 0;                ///< index of the first lattice point
  std::vector<double> mass;      ///< shape (points), under the null
  std::vector<double> log_mass;  ///< natural logarithms, finite where a mass underflows
  double zero = 0.0;             ///< mass under the null at ratio 0
  double infinite = 0.0;         ///< mass under the alternative at ratio infinity
  double mass_error = 0.0;       ///< what moving the masses adds to that of the law
  double ratio_error = 0.0;      ///< the same of the ratios
};

/// Points of a lattice as ratios: step * k, or exp(step * k).
struct RatioLattice {
  /// Even steps of the ratio, or of its logarithm.
  enum class Kind { linear, logarithmic };
  Kind kind = Kind::linear;                      ///< which of the two
  double step = 1.0;                             ///< > 0, of the ratio or of its logarithm
  [[nodiscard]] double point(long k) const;      ///< the ratio at index k
  [[nodiscard]] long below(double ratio) const;  ///< the largest k with point(k) <= ratio, up to rounding
  /// Bound of the logarithms of what point() and below() are off by, between two indices.
  [[nodiscard]] double error(long first, long last) const;
};

/// The law moved to the points first..last of a lattice, upwards or downwards in the convex order.
[[nodiscard]] LatticeMasses on_lattice(const RatioLaw& law, Side side, const RatioLattice& lattice, long first,
                                       long last);

/// What sums of masses tell of delta(epsilon), epsilon >= 0: masses of the null are e^-epsilon times those of the
/// alternative and leave the range of doubles first, which would add to a lower end; an upper end is at least 1e-290.
[[nodiscard]] Enclosure told(const Enclosure& delta, double epsilon);

}  // namespace dpcurves::accounting::detail
