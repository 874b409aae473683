// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A privacy curve from its profile alone, where one value of the profile is costly. Internal.
///
/// The trade-off function is that of profile_tradeoff.hpp.
#pragma once

#include <functional>
#include <string>

#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// Either end of a profile by itself, after a look at one epsilon from which more is known for those near it.
struct NearEnds {
  std::function<double(double epsilon)> upper, lower;
};

/// What searches may ask in place of a profile.
struct Searching {
  std::function<double(double epsilon)> estimate{};  ///< a cheap value, unproved
  std::function<NearEnds(double epsilon)> near{};    ///< proved ones, cheaper than both ends together
};

/// Of the profile of one_position.hpp.
[[nodiscard]] Searching one_position_searching(const OnePosition& pair);

/// \param delta   both ends of the profile at any epsilon in [-100, 200]; may be called from several threads.
/// \param mu      the guarantee is mu.upper-GDP.
/// \param method  of the answers.
/// Epsilon costs about ten values of the profile, that of one look and a value of either end with `searching`. Renyi
/// divergences are those of mu.upper-GDP.
[[nodiscard]] CurvePtr sampled_curve(std::function<Enclosure(double)> delta, Enclosure mu, std::string method,
                                     Searching searching = {});

/// Lower ends that cost more than the upper ones. Both may be called from several threads.
struct LowerEnd {
  std::function<double(double epsilon)> delta;                 ///< of the profile, at any epsilon in [-100, 200]
  std::function<double(double delta, double high)> epsilon{};  ///< at most `high`; found from `delta` if empty
  Searching searching{};                                       ///< of `delta`, if there is something
};
/// `below.epsilon`, or an epsilon below that at which the falling `below.delta` crosses delta, by a relative 1e-5.
/// \param high  at least the answer.
[[nodiscard]] double lower_epsilon(const LowerEnd& below, double delta, double high);

/// The two ends from two functions: the lower one is not asked for the upper end of an epsilon.
/// \param above  upper end of the profile at any epsilon in [-100, 200]. The rest as above.
[[nodiscard]] CurvePtr sampled_curve(std::function<double(double)> above, LowerEnd below, Enclosure mu,
                                     std::string method);

/// A guarantee whose lower ends are those of a mechanism that tests show. Upper ends of delta, epsilon and Renyi
/// divergence and lower ends of the trade-off function are those of `above`.
/// \throws DomainError  if `above` is null.
[[nodiscard]] CurvePtr tested_curve(CurvePtr above, LowerEnd below, Enclosure mu, std::string method);

}  // namespace dpcurves::accounting
