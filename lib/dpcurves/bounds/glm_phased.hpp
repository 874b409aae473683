// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Excess risk of private generalised linear models learnt by phased SGD, term by term and with explicit constants.
///
/// A link that is G-Lipschitz and non-decreasing with values in [-B, B], features in the unit ball, a well-specified
/// model with |w*| <= W. Every bound is in expectation over records and noise, in units of the surrogate risk; the
/// squared risk is at most 2 G times that (Lemma 3). The paper prints rates; the constants are those of its proofs.
/// A bound holds whatever the step size; privacy needs models::largest_phase_step.
///
/// Source: "Differentially Private Non-convex Learning for Multi-layer Neural Networks", Theorems 1, 2, 4 and 5, Lemmas
/// 8, 9 and 10. Accuracy: 1e-14 relative. Cost: one term per phase, at most 64.
#pragma once

#include <cstdint>

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>
#include <dpcurves/models/phase_schedule.hpp>

namespace dpcurves::bounds {

/// What the theorems on phased SGD ask for. Not every theorem reads every value.
struct PhasedSetting {
  std::uint64_t records = 2;
  double step_size = 1.0;
  double epsilon = 1.0;
  double delta = 1e-5;
  double noise_ratio = 1.0;
  double label_bound = 1.0;
  double lipschitz = 1.0;
  double rank = 1.0;
  double projected_dimension = 1.0;
  double parameter_norm = 1.0;
  double start_squared = 1.0;
  double smoothing = 1.0;
  double oracle_error = 0.0;
  static constexpr std::tuple fields{
      required("records", "n", &PhasedSetting::records, whole("[2, 9e18]"), "records"),
      required("step_size", "eta", &PhasedSetting::step_size, "(0, inf)", "step size; phase i takes eta/4^i"),
      required("epsilon", "eps", &PhasedSetting::epsilon, "(0, inf]",
               "epsilon of the printed noise, which the paper takes at most 1; infinity: no noise"),
      required("delta", &PhasedSetting::delta, "(0, 1)", "delta of the privacy target"),
      optional("noise_ratio", &PhasedSetting::noise_ratio, "[0, inf)",
               "noise over the printed noise; below 1 only where the exact curve allows it"),
      required("label_bound", "B", &PhasedSetting::label_bound, "(0, inf)", "labels and link lie in [-B, B]"),
      required("lipschitz", "G", &PhasedSetting::lipschitz, "(0, inf)", "Lipschitz constant of the link"),
      required("rank", "theta", &PhasedSetting::rank, "[0, inf)", "expected rank of the data, at most min(n, d)"),
      required("projected_dimension", "m", &PhasedSetting::projected_dimension, whole("[1, inf)"),
               "dimension of the projection"),
      required("parameter_norm", "W", &PhasedSetting::parameter_norm, "[0, inf)", "bound on |w*|"),
      required("start_squared", "D2", &PhasedSetting::start_squared, "[0, inf)",
               "E|w_0 - w*|^2, after a projection E|w_0 - Phi w*|^2"),
      required("smoothing", "beta", &PhasedSetting::smoothing, "(0, inf)",
               "smoothing parameter of the Moreau envelope"),
      required("oracle_error", "gam", &PhasedSetting::oracle_error, "[0, inf)", "accuracy gamma of its gradients")};
};

/// The parts of a bound in units of the surrogate risk; those that a theorem does not have are 0.
struct PhasedBound {
  double start = 0.0;        ///< D2/(2 eta_1 n_1)
  double noise = 0.0;        ///< of the phases' noise on their successors
  double steps = 0.0;        ///< 2 B^2 sum of eta_i
  double final_noise = 0.0;  ///< of the last release, 2 B c eta_k sqrt(2/pi)
  double projection = 0.0;   ///< G W^2/m
  double oracle = 0.0;       ///< what gamma adds
  double smoothing = 0.0;    ///< 2 B^2/beta
  double surrogate = 0.0;    ///< the sum
  double risk = 0.0;         ///< 2 G times the sum
};

/// Theorem 1, Algorithm 2. \throws DomainError for values outside the ranges above; so for all below.
[[nodiscard]] PhasedBound phased_bound(const PhasedSetting& setting);

/// Theorem 2, Algorithm 3: theta becomes m, and a projection term. Holds without conditioning on the projection.
[[nodiscard]] PhasedBound projected_bound(const PhasedSetting& setting);

/// Theorem 4, Algorithm 5. Where the link is G-Lipschitz, Theorem 1 is better: this is for steep links.
[[nodiscard]] PhasedBound smoothed_bound(const PhasedSetting& setting);

/// Theorem 5, Algorithm 6.
[[nodiscard]] PhasedBound projected_smoothed_bound(const PhasedSetting& setting);

/// The bound that speaks of an algorithm.
[[nodiscard]] PhasedBound bound_of(models::PhasedAlgorithm algorithm, const PhasedSetting& setting);
/// The catalogue's id of that theorem.
[[nodiscard]] const char* theorem_of(models::PhasedAlgorithm algorithm);

/// The step size that makes the bound of Theorem 1 (or 2, with projected = true) smallest: of A/eta + C eta + const it
/// is sqrt(A/C). Not held below the step that privacy asks for.
[[nodiscard]] double best_step_size(const PhasedSetting& setting, bool projected);

/// The same, at most the first step eta with eta/4 <= models::largest_phase_step.
[[nodiscard]] double best_private_step_size(const PhasedSetting& setting, bool projected);

/// (G W n epsilon/(64 B sqrt(ln(2/delta))))^(2/3), where Theorem 2 with the best step is within 1 % of its
/// smallest value for large n and a start at 0 (D2 = W^2). Not rounded.
[[nodiscard]] double best_projected_dimension(const PhasedSetting& setting);

/// What the privacy of an algorithm asks for: its step condition, epsilon and delta.
[[nodiscard]] Verdict verdict(models::PhasedAlgorithm algorithm, const PhasedSetting& setting);

}  // namespace dpcurves::bounds
