// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Sums over the number of participations in ball arithmetic: every end is proved. Internal, not installed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::correlated {

/// delta_G(mu; epsilon) = Q(x) - e^epsilon Q(x + mu), x = epsilon/mu - mu/2, Q the normal tail. For any real epsilon.
/// \param mu  certainly positive. The terms cancel where mu is small: the radius tells, and more bits help.
[[nodiscard]] rigorous::Real gaussian_delta_ball(const rigorous::Real& epsilon, const rigorous::Real& mu);

/// gaussian_delta_ball of what `question` returns, epsilon and mu, at as many bits as two ends need that differ by a
/// unit in the last place; in [0, 1].
[[nodiscard]] Enclosure gaussian_delta(const std::function<std::pair<rigorous::Real, rigorous::Real>()>& question);

/// The square of s(k) of lambda-CGD (sensitivity.hpp), in closed form.
/// \param lambda  in [0, 1]. \param participations  k, a whole number in [0, steps].
[[nodiscard]] rigorous::Real encoded_square(double lambda, double participations, double steps);

/// What a sum over numbers of participations is about: whole `steps`, each with the record at `rate`.
struct Participations {
  double steps = 1.0;  ///< a whole number in [1, 1e15]
  double rate = 1.0;   ///< in (0, 1]
};

/// sum over k >= 1 of Bin(k; steps, rate) delta_G(mu(k); epsilon).
///
/// Terms are added from the mode outwards. The ratio of neighbouring probabilities falls with k, so that a geometric
/// series bounds what is left on either side; it is in the upper end only.
/// \param mu  positive, not decreasing in k >= 1; called with more and more bits of working precision.
/// \param epsilon  >= 0, finite.
/// Relative width 4e-16 or two of the least doubles. Cost: about 30 us per number of participations that matters.
[[nodiscard]] Enclosure participation_sum(const Participations& run, double epsilon,
                                          const std::function<rigorous::Real(double)>& mu);

/// The binomial probabilities of 0, ..., order. \param rate  in (0, 1].
[[nodiscard]] std::vector<rigorous::Real> binomial_probabilities(std::size_t order, double rate);

/// steps/(order - 1) times the log of the sum over k of Bin(k; order, rate) exp(k (k - 1)/(2 noise^2)): the Renyi
/// divergence of steps with independent noise.
/// \param order  a whole number in [2, 1e7]. \param rate  in (0, 1]. \param noise  > 0. \param steps  >= 0.
/// Relative width 4e-16. Cost: about 0.3 us times the order.
[[nodiscard]] Enclosure independent_renyi(double order, double rate, double noise, double steps);

}  // namespace dpcurves::correlated
