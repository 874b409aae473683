// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Arc-cosine kernels of ReLU layers, the neural tangent kernel of infinite width, and the law of a network at its
/// initialisation.
///
/// For a standard normal row w, 2 E relu(<w,x>) relu(<w,x'>) = k1(r) and 2 P(<w,x> > 0, <w,x'> > 0) = k0(r) for unit
/// x, x' with <x,x'> = r. The network is f = sqrt(m) W_L relu(W_{L-1} ... relu(W_1 x)) with entries N(0, 2/m), those of
/// W_L N(0, 1/m), m the width; "depth" L counts weight matrices.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Algorithm 10, Lemmas 18 to 22;
/// Cho and Saul, "Kernel methods for deep learning" (2009), for the kernels.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::models {

/// k0(r) = (pi - acos r)/pi, from 0 at r = -1 to 1 at r = 1.
/// \param correlation  r in [-1, 1]. \throws DomainError outside. Accuracy: 1e-15 absolute, 4e-16 relative at r >= 0.
[[nodiscard]] double arc_cosine_0(double correlation);

/// k1(r) = (sqrt(1 - r^2) + r (pi - acos r))/pi, from 0 at r = -1 to 1 at r = 1.
/// \throws DomainError outside [-1, 1]. Accuracy: relative 4e-15, also near r = -1 where the terms cancel.
[[nodiscard]] double arc_cosine_1(double correlation);

/// 1 - k1(1 - c) for c in [0, 2]: what one layer makes of the distance from perfect correlation, without cancellation
/// however small c is. \throws DomainError outside. Accuracy: relative 4e-15.
[[nodiscard]] double arc_cosine_1_complement(double complement);

/// The tangent kernel of infinite width, and what the last hidden layers have in common.
struct TangentLimit {
  double per_width = 0.0;
  double last_hidden = 0.0;
  double last_complement = 0.0;
  static constexpr std::tuple fields{
      result("per_width", "theta_over_m", &TangentLimit::per_width,
             "lim <grad f(x), grad f(x')>/m = r_{L-1} + (1/2) sum_l r_{l-1} prod_{j>=l} k0(r_{j-1})"),
      result("last_hidden", "rho_last_hidden", &TangentLimit::last_hidden,
             "r_{L-1}: correlation of the last hidden layers"),
      result("last_complement", "one_minus_rho_last_hidden", &TangentLimit::last_complement,
             "1 - r_{L-1}, with its own digits")};
};

/// The kernel of Algorithm 10's initialisation as the width tends to infinity, for unit x, x'. At r = 1: (L + 1)/2.
/// \param correlation  <x, x'> in [-1, 1]. \param depth  L, a whole number in [2, 1e8].
/// \throws DomainError outside. Accuracy: relative 1e-13 up to depth 1e4. Cost: 60 ns per layer.
[[nodiscard]] TangentLimit tangent_limit(double correlation, double depth);

/// Exact moments at initialisation for |x| = 1; h the last hidden layer.
struct InitialMoments {
  double hidden_square = 1.0;
  double hidden_fourth = 1.0;
  double output_square = 1.0;
  double output_fourth = 3.0;
  double log_hidden_fourth = 0.0;
  double first_layer = 0.0;
  double hidden_layer = 0.0;
  double last_layer = 1.0;
  double parameters = 0.0;
  double gradient_limit = 0.0;
  static constexpr std::tuple fields{
      result("hidden_square", "E_h_sq", &InitialMoments::hidden_square, "E|h|^2"),
      result("hidden_fourth", "E_h_4", &InitialMoments::hidden_fourth, "E|h|^4 = (1 + 5/m)^(L-1)"),
      result("output_square", "E_f_sq", &InitialMoments::output_square, "E f^2"),
      result("output_fourth", "E_f_4", &InitialMoments::output_fourth, "E f^4 = 3 E|h|^4"),
      result("first_layer", "E_W1_fro_sq", &InitialMoments::first_layer, "E|W_1|_F^2 = 2 d"),
      result("hidden_layer", "E_Whidden_fro_sq", &InitialMoments::hidden_layer, "E|W_l|_F^2 = 2 m, 1 < l < L"),
      result("last_layer", "E_WL_fro_sq", &InitialMoments::last_layer, "E|W_L|_F^2"),
      result("parameters", "params", &InitialMoments::parameters, "m d + (L - 2) m^2 + m"),
      result("gradient_limit", "grad_norm_limit", &InitialMoments::gradient_limit,
             "sqrt(m (L + 1)/2): |grad f| at large m; each layer sqrt(m/2), the last sqrt(m)"),
      result("log_hidden_fourth", "log_E_h_4", &InitialMoments::log_hidden_fourth,
             "its logarithm: very deep narrow networks overflow")};
};

/// \param width  m >= 1. \param depth  L >= 2. \param inputs  d >= 1; whole numbers.
/// \throws DomainError outside. Accuracy: 1e-14.
[[nodiscard]] InitialMoments initial_moments(double width, double depth, double inputs);

}  // namespace dpcurves::models
