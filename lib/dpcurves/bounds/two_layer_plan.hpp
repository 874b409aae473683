// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How many records a private two-layer network needs: Theorems 10 and 11 with numbers for their unnamed constants.
///
/// The regression function is link(sum_t b_t activation(<a_t, x>)), k units with |a_t| = 1, |b|_2 = 1, |x| <= 1, a
/// G-Lipschitz link with values in [0, 1]. A polynomial of degree q within alpha0 of the activation on [-1, 1], with
/// coefficients c, makes it a generalised linear model of monomials with misfit M = sqrt(k) alpha0 and
/// W = sqrt(k (q + 1)) |c|_2 (models/polynomial_features.hpp); Theorem 8 then bounds the risk of phased SGD.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Theorems 8, 10 and 11, Lemmas
/// 16 and 17. The paper states (k C/alpha)^C/epsilon^2 records without a value of C.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <dpcurves/bounds/glm_plan.hpp>
#include <dpcurves/bounds/two_layer.hpp>

namespace dpcurves::bounds {

/// Of the hidden units: z -> 1/(1 + exp(-z)), or max(z, 0).
enum class HiddenActivation { sigmoid, relu };

/// Which bound of TwoLayerBound is meant: Lemma 7 as printed, sharper, or with the sharper projection term too.
enum class TwoLayerForm { printed, sharp, sharp_projection };

/// A two-layer network as a law of the labels.
struct TwoLayerNetwork {
  double hidden_units = 1.0;                                ///< k >= 1, an integer
  HiddenActivation activation = HiddenActivation::sigmoid;  ///< of every hidden unit
  /// d: the monomials span C(d + q, q) dimensions, which then bounds theta. Infinity: only the rank of the setting
  /// does.
  double inputs = std::numeric_limits<double>::infinity();
};

/// One degree, at the best step size that is private and the best dimension of a projection.
struct TwoLayerPlan {
  std::size_t degree = 0;            ///< q of the polynomial
  double approximation_error = 0.0;  ///< alpha0
  double coefficient_norm = 0.0;     ///< |c|_2
  double misfit = 0.0;               ///< M
  double weight = 0.0;               ///< W, infinite where it overflows: then `risk` is too
  bool projected = false;            ///< Algorithm 3 rather than Algorithm 2
  PhasedSetting setting{};  ///< of the phased run on the monomials: W, theta, step size and dimension filled in
  TwoLayerBound bound{};    ///< every term of the risk bound
  double risk = std::numeric_limits<double>::infinity();  ///< the bound of the form asked for
};

/// Theorem 8 at setting.records. Norms and start are those of the network, w_0 = 0, B = 1/2; `setting.rank` may be
/// infinite, and without inputs Algorithm 3 is then the only choice.
/// \param degree  q; none: the one with the smallest bound.
/// \throws DomainError  unless hidden_units is an integer >= 1, inputs >= 1, and the setting is in its ranges; for
/// GlmChoice::phased with neither rank nor inputs. Accuracy: 1e-12 relative, beside the choice of m: within 1e-6 of the
/// smallest bound. Cost: 1 ms per degree below 20; the sigmoid asks for about 20 degrees, the ReLU for fewer than 60.
[[nodiscard]] TwoLayerPlan two_layer_plan(const TwoLayerNetwork& network, const PhasedSetting& setting,
                                          TwoLayerForm form, GlmChoice choice, std::optional<std::size_t> degree = {});

/// Records for a risk.
struct TwoLayerRecords {
  double records = std::numeric_limits<double>::infinity();  ///< infinity: more than 9e18, or out of reach
  TwoLayerPlan plan;                                         ///< meaningful if records are finite
};

/// The n at which the bound first reaches `risk` (bisection: one fewer is not enough), and the degree where it is
/// smallest. Degrees are searched until W alone, without any misfit, asks for more than what was found.
/// \param risk  alpha > 0. `setting.records` is not read. \throws DomainError as above. Cost: 0.1 s per degree.
[[nodiscard]] TwoLayerRecords two_layer_records(const TwoLayerNetwork& network, const PhasedSetting& setting,
                                                double risk, TwoLayerForm form, GlmChoice choice,
                                                std::optional<std::size_t> degree = {});

}  // namespace dpcurves::bounds
