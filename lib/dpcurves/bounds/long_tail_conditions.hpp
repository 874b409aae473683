// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Condition 1 of the theorems about long-tailed data, inequality by inequality, for noise matrices with one spike.
///
/// The classes have n/K records each and noise matrices of models/spiked_noise.hpp. The experiments of the paper
/// violate the condition.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", Condition 1, with its third line for i = j only and F sqrt(log) in place of sqrt(F log) (docs/errata.md). The
/// condition on sigma_0 is not consistent with rescaling; it is reported, not enforced. P(zeta > c') >= 0.4 for some c'
/// > 0 is not listed: it holds for Gaussian and uniform noise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/verdict.hpp>
#include <dpcurves/models/spiked_noise.hpp>

namespace dpcurves::bounds {

/// What Condition 1 speaks of, with the constants that the paper leaves open.
struct LongTailSetting {
  models::SpikedNoise noise;  ///< K, d, e0 and the spike
  double signal_norm = 0.0;
  double records = 1.0;
  double filters = 1.0;
  double batch = 1.0;
  double steps = 1.0;
  double failure_probability = 0.05;
  double step_size = 1.0;
  double clip = 1.0;
  double private_noise = 0.0;
  double initial_scale = 1.0;
  double c1 = 1.0;
  double c2 = 0.5;
  double c = 1.0;
  static constexpr std::tuple fields{
      part(&LongTailSetting::noise),
      required("signal_norm", "u_norm", &LongTailSetting::signal_norm, "[0, inf)",
               "length of the signal, of every class"),
      required("records", "n", &LongTailSetting::records, whole("[1, inf)"), "training records"),
      required("filters", "m", &LongTailSetting::filters, whole("[1, inf)"), "filters per class"),
      required("batch", "B", &LongTailSetting::batch, whole("[1, inf)"), "batch size"),
      required("steps", "T", &LongTailSetting::steps, whole("[1, inf)"), "steps"),
      required("failure_probability", "delta", &LongTailSetting::failure_probability, "(0, 1)", "failure chance"),
      required("step_size", "eta", &LongTailSetting::step_size, "(0, inf)", "step size"),
      required("clip", "C", &LongTailSetting::clip, "(0, inf)", "clipping threshold"),
      required("private_noise", "sigma_n", &LongTailSetting::private_noise, "[0, inf)",
               "noise per coordinate of the averaged clipped gradient"),
      required("initial_scale", "sigma0", &LongTailSetting::initial_scale, "(0, inf)",
               "standard deviation of the initial weights"),
      optional("c1", &LongTailSetting::c1, "(0, inf)", "constant of most lines, not named by the paper"),
      optional("c2", &LongTailSetting::c2, "(0, inf)", "constant of the batch, not named by the paper"),
      optional("c", &LongTailSetting::c, "(0, inf)", "constant of width_init and rank, not named by the paper")};
};

/// left >= right, or left <= right for the step size and the initial scale.
struct Condition {
  std::string_view name;   ///< "trace"
  std::string_view about;  ///< the inequality in words
  double left = 0.0;       ///< its left side, with the constants of the setting
  double right = 0.0;      ///< its right side
  bool at_most = false;    ///< the direction: left <= right if true
  bool holds = false;      ///< as the two sides compare, without slack
  std::string remedy{};    ///< what would have to change for it to hold
};

/// trace, frob_op, diag, width, samples, width_init, rank, dim, eta_clip, eta_width, batch, sigma0, in this order.
/// \throws DomainError  outside the ranges. Accuracy: 1e-14. O(1).
[[nodiscard]] std::vector<Condition> long_tail_conditions(const LongTailSetting& setting);

/// Condition 1 as a whole.
[[nodiscard]] Verdict verdict(const std::vector<Condition>& conditions);

/// The names of those that fail, in the same order.
[[nodiscard]] std::vector<std::string> violated(const std::vector<Condition>& conditions);

}  // namespace dpcurves::bounds
