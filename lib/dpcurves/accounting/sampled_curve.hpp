// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A privacy curve from its profile alone, where one value of the profile is costly. Internal.
///
/// The profile is convex in e^epsilon: between the points of a table it lies below every chord and above every chord
/// continued, which brackets the trade-off function without asking again.
#pragma once

#include <functional>
#include <string>

#include <dpcurves/accounting/privacy_curve.hpp>

namespace dpcurves::accounting {

/// \param delta   both ends of the profile at any epsilon in [-100, 200]; may be called from several threads.
/// \param mu      the guarantee is mu.upper-GDP.
/// \param method  of the answers.
/// Epsilon costs about ten values of the profile, the first trade-off function 80. Renyi divergences are those of
/// mu.upper-GDP.
[[nodiscard]] CurvePtr sampled_curve(std::function<Enclosure(double)> delta, Enclosure mu, std::string method);

}  // namespace dpcurves::accounting
