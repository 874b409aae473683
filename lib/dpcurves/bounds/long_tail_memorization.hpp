// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Theorem 1: how much of a training sample's noise patch a filter has taken in after T steps of DP-SGD.
///
/// Claim: for a training pair (x, y) and the filters r of class y that are active on its noise patch xi at every step,
/// <w_{y,r}^(T), xi> >= U. The claim is an order statement: c1 and c2 are not fixed by the paper, the defaults are 1.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Theorem 1, under Condition 1, Assumption 1 and T >= c n sqrt(m) sigma_0/(eta Lambda |A|_F). The statement's
/// noise term lacks the number of steps (docs/errata.md).
#pragma once

#include <dpcurves/core/field.hpp>

namespace dpcurves::bounds {

/// A sample, a run of DP-SGD, and the constants that the paper leaves open.
struct NoiseMemorization {
  double step_size = 1.0;
  double clipping_factor = 1.0;
  double records = 1.0;
  double filters = 1.0;
  double steps = 1.0;
  double summed_residuals = 0.0;
  double noise_norm_squared = 0.0;
  double noise_norm = 0.0;
  double private_noise = 0.0;
  double noise_frobenius = 0.0;
  double failure_probability = 0.05;
  double lead_constant = 1.0;
  double noise_constant = 1.0;
  static constexpr std::tuple fields{
      required("step_size", "eta", &NoiseMemorization::step_size, "(0, inf)", "step size"),
      required("clipping_factor", "Lambda", &NoiseMemorization::clipping_factor, "(0, inf)",
               "clipping factor C/(u_norm + frob_A)"),
      required("records", "n", &NoiseMemorization::records, whole("[1, inf)"), "training records"),
      required("filters", "m", &NoiseMemorization::filters, whole("[1, inf)"), "filters per class"),
      required("steps", "T", &NoiseMemorization::steps, whole("[1, inf)"), "steps"),
      required("summed_residuals", "sum_1_minus_logit", &NoiseMemorization::summed_residuals, "[0, inf)",
               "sum over the steps of 1 - p_y, at most T"),
      required("noise_norm_squared", "xi_norm2", &NoiseMemorization::noise_norm_squared, "[0, inf)",
               "squared length of the noise patch, for the lead"),
      required("noise_norm", "xi_norm", &NoiseMemorization::noise_norm, "[0, inf)",
               "length of the noise patch, for U_sharp; may be an upper bound"),
      required("private_noise", "sigma_n", &NoiseMemorization::private_noise, "[0, inf)",
               "noise per coordinate of the averaged clipped gradient"),
      required("noise_frobenius", "frob_A", &NoiseMemorization::noise_frobenius, "[0, inf)", "Frobenius norm of A_k"),
      required("failure_probability", "delta", &NoiseMemorization::failure_probability, "(0, 1)",
               "failure chance of U_sharp"),
      optional("lead_constant", "c1", &NoiseMemorization::lead_constant, "(0, inf)",
               "constant of the lead, not named by the paper"),
      optional("noise_constant", "c2", &NoiseMemorization::noise_constant, "(0, inf)",
               "constant of the noise, not named by the paper")};
};

/// The lower bound U of the stored noise in four forms.
struct NoiseMemorizationBound {
  double lead = 0.0;
  double stated = 0.0;
  double proof = 0.0;
  double sharp = 0.0;
  static constexpr std::tuple fields{
      result("lead", &NoiseMemorizationBound::lead, "c1 eta Lambda G |xi|^2/(n sqrt m)"),
      result("stated", "U_stated", &NoiseMemorizationBound::stated,
             "lead - c2 eta sigma_n |A|_F: the printed form, false from T of about 10 on"),
      result("proof", "U_proof", &NoiseMemorizationBound::proof,
             "lead - c2 eta T sigma_n |A|_F: the appendix, valid and loose"),
      result("sharp", "U_sharp", &NoiseMemorizationBound::sharp,
             "lead - eta sigma_n sqrt(T) |xi| sqrt(2 log(2/delta)): the exact law of the summed noise")};
};

/// \throws DomainError  outside the ranges. Accuracy: 1e-15 of the larger term. O(1).
[[nodiscard]] NoiseMemorizationBound noise_memorization(const NoiseMemorization& setting);

/// Radius of eta times the sum over `steps` of <n_t, v>, n_t independent N(0, sigma_n^2 I), with probability 1 - delta:
/// eta sigma_n sqrt(T) |v| sqrt(2 log(2/delta)).
[[nodiscard]] double accumulated_noise_radius(double step_size, double private_noise, double steps, double length,
                                              double failure_probability);

}  // namespace dpcurves::bounds
