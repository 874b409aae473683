// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The Moreau envelope of the surrogate loss of one record, and the gradient oracle of the paper.
///
/// For g(u) = S(u) - y u, the surrogate loss as a function of u = <w, x>, and beta > 0,
///   g_beta(m) = min over u of g(u) + (beta/2) (u - m)^2,
/// the minimiser is the proximal point and the derivative is beta (m - prox). g_beta is convex, beta-smooth, has the
/// Lipschitz constant of g, and 0 <= g - g_beta <= (sup |g'|)^2/(2 beta).
///
/// The proximal point is the root of the increasing function link(u) - y + beta (u - m), of which no integral is
/// needed. Under a G-Lipschitz link the surrogate is G-smooth already and smoothing adds nothing; it pays only for
/// steep links, G far above sqrt(n), and for the sign link, which has no finite G.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Lemmas 4 to 6, Algorithm 4.
#pragma once

#include <cstdint>

#include <dpcurves/core/field.hpp>
#include <dpcurves/models/link.hpp>

namespace dpcurves::models {

/// A proximal point and the slope of the envelope that it gives.
struct Prox {
  double point = 0.0;
  double slope = 0.0;
  int evaluations = 0;
  static constexpr std::tuple fields{
      result("point", "prox", &Prox::point, "the proximal point of m"),
      result("slope", "envelope_derivative", &Prox::slope,
             "g_beta'(m) = beta (m - point), from the displacement and not from the rounded point"),
      result("evaluations", &Prox::evaluations,
             "of the link; 0 for the closed forms of identity, relu, hard-tanh and sign")};
};

/// The proximal point of the surrogate loss with label `label` at m = `at`.
///
/// \param label  y, finite. \param beta  > 0, finite. \param at  finite.
/// \throws DomainError  outside, or if the point lies beyond 1e300.
///
/// Accuracy: a unit in the last place of |m| and |point|, besides what the last place of link(point) - y moves the
/// root; exact up to rounding for the piecewise linear links. About 8 evaluations of the link typically, fewer
/// than 200 where it is a step at the scale of |m|. Cost: below 1 us typically.
[[nodiscard]] Prox prox(const Link& link, double label, double beta, double at);

/// g_beta(m), by the proximal point. Domain and errors as prox().
[[nodiscard]] double moreau_envelope(const Link& link, double label, double beta, double at);

/// g - g_beta >= 0 at m: the Bregman divergence from m to the proximal point plus its square term, without
/// cancellation.
[[nodiscard]] double moreau_gap(const Link& link, double label, double beta, double at);

/// Steps of the paper's oracle, T = ceil(144 B^2/gamma^2), where a relative 1e-12 is forgiven before rounding up; at
/// least 1, infinite if it leaves the doubles.
/// \param label_bound  B > 0, finite. \param accuracy  gamma > 0, finite. \throws DomainError outside.
[[nodiscard]] double oracle_steps(double label_bound, double accuracy);

/// The error that Lemma 6 proves for T steps, 12 B/sqrt(T + 1).
/// \param steps  T >= 1. \throws DomainError outside.
[[nodiscard]] double oracle_error_bound(double label_bound, double steps);

/// Algorithm 4 as written, for |x| = 1: T projected subgradient steps on Q = [m - 4B/beta, m + 4B/beta] from u_1 = m
/// with steps 2/(beta (t + 1)), and beta (m - sum_t 2 t u_t/(T (T + 1))) as the derivative. (The text uses y for the
/// iterate too, averages an x_t that it never defines and names no start: repaired.) Slow, for comparison only.
///
/// \param label_bound  B > 0: |y| and link values. \param steps  T >= 1. \throws DomainError outside.
/// Accuracy: within 12 B/sqrt(T + 1) of the derivative (Lemma 6). Cost: about 10 ns per step.
[[nodiscard]] double oracle_slope(const Link& link, double label, double label_bound, double beta, double at,
                                  std::uint64_t steps);

}  // namespace dpcurves::models
