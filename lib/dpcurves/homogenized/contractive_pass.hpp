// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// One pass of clipped noisy SGD with contractive steps: the privacy baseline of Figure 3(b).
///
/// Source: Ye and Shokri, "Differentially Private Learning Needs Hidden State (Or Much Faster Convergence)" (2022), for
/// batch size 1; the formula is not printed in Lin, Kolaczyk, Smith and Paquette, who plot it.
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::homogenized {

/// Steps x <- x - eta (g + sigma Z), Z ~ N(0, I), on losses whose steps contract by 1 - eta mu.
///
/// Clipped steps contract where only the data term is clipped: clipped gradients of generalised linear models are
/// gradients of convex losses. Clipping the regulariser along with it gives no such guarantee.
struct ContractivePass {
  double step_size = 1.0;
  double strong_convexity = 0.0;
  double sensitivity = 1.0;
  double noise = 1.0;
  double records = 1.0;
  static constexpr std::tuple fields{
      required("step_size", "eta", &ContractivePass::step_size, "(0, inf)", "step size"),
      required("strong_convexity", "mu", &ContractivePass::strong_convexity, "[0, inf)",
               "strong convexity, eta mu < 1"),
      required("sensitivity", &ContractivePass::sensitivity, "[0, inf)",
               "of the released gradient when one record is replaced: 2c for clipping at c"),
      required("noise", "sigma", &ContractivePass::noise, "(0, inf)", "noise per coordinate of a gradient"),
      required("records", "n", &ContractivePass::records, whole("[1, inf)"), "records in the pass")};
};

/// Order-a divergence of the iterate `steps` steps after the one that uses the differing record (1: right after it);
/// equality for exact linear contractions. \param renyi_order  a > 1. \param steps  whole, >= 1.
/// \throws DomainError outside. Accuracy: relative 1e-13.
[[nodiscard]] double position_renyi(const ContractivePass& pass, double renyi_order, double steps);

/// The bound for the iterate at `iteration` of n where the records are shuffled: the mixture over their places.
/// \param iteration  whole, in [1, n]. Cost: O(iteration).
[[nodiscard]] double shuffled_renyi(const ContractivePass& pass, double renyi_order, double iteration);

/// The curve that Figure 3(b) plots: eta S^2 / 4 in place of S^2 / 2, which confuses the noise conventions of the two
/// papers. Smaller by the factor eta/2: no guarantee.
[[nodiscard]] double shuffled_renyi_figure_variant(const ContractivePass& pass, double renyi_order, double iteration);

}  // namespace dpcurves::homogenized
