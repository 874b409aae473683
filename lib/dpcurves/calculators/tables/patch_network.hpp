// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two-layer network on patches, one question at a time: a forward pass, a step of DP-SGD with the noise given,
/// residuals, influence scores, a glyph, and the reduced experiment. Nested lists in place of matrices; u_y = |u| e_y.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", equations (1), (4), (5) and (64), Lemma 21 and the synthetic experiments. DomainError outside the ranges of
/// the fields or where shapes do not fit. Accuracy and cost are those of models/patch_cnn.hpp, models/influence.hpp,
/// models/glyphs.hpp and simulate/patch_experiment.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <dpcurves/core/field.hpp>
#include <dpcurves/models/patch_data.hpp>

namespace dpcurves::calculators {

using Rows = std::vector<std::vector<double>>;  ///< rows of equal length, at least one
using Filters = std::vector<Rows>;              ///< K classes, m filters each, d weights each

/// One example before a network.
struct ForwardPass {
  Filters weights;
  double signal_norm = 0.0;
  bool aligned = true;
  std::vector<double> patch;
  std::size_t label = 0;
  double clip = std::numeric_limits<double>::infinity();
  static constexpr std::tuple fields{
      required("weights", "W", &ForwardPass::weights, "(-inf, inf)", "weights of the first layer, K x m x d"),
      required("signal_norm", "u_norm", &ForwardPass::signal_norm, "[0, inf)",
               "length of the signal, u_y = u_norm e_y"),
      required("aligned", "signal_axis_equals_label", &ForwardPass::aligned, "must be true: u_y lies on axis y"),
      required("patch", "xi", &ForwardPass::patch, "(-inf, inf)", "noise patch, d entries, 0 on axis y"),
      required("label", "y", &ForwardPass::label, whole("[0, 1e9]"), "label, from 0"),
      required("clip", "C", &ForwardPass::clip, "(0, inf]",
               "clipping threshold of the joint gradient norm, inf for none")};
};
/// What the network says of it.
struct ForwardResult {
  std::vector<double> scores;
  std::vector<double> probabilities;
  double loss = 0.0;
  double residual = 0.0;
  double gradient_norm = 0.0;
  double clip_multiplier = 1.0;
  static constexpr std::tuple fields{
      result("scores", "F", &ForwardResult::scores, "outputs of the classes"),
      result("probabilities", "prob", &ForwardResult::probabilities, "their softmax"),
      result("loss", &ForwardResult::loss, "-log p_y"),
      result("residual", &ForwardResult::residual, "1 - p_y"),
      result("gradient_norm", "grad_norm", &ForwardResult::gradient_norm, "over all parameters"),
      result("clip_multiplier", &ForwardResult::clip_multiplier, "min(1, C/grad_norm)")};
};
/// One example through the network.
[[nodiscard]] ForwardResult forward_pass(const ForwardPass& setting);

/// Scores of one example.
struct Scores {
  std::vector<double> scores;
  std::size_t label = 0;
  static constexpr std::tuple fields{required("scores", "F", &Scores::scores, "(-inf, inf)", "scores of the classes"),
                                     required("label", "y", &Scores::label, whole("[0, 1e9]"), "label, from 0")};
};
/// Their cross entropy.
struct SoftmaxResult {
  double loss = 0.0;
  double residual = 0.0;
  double log_residual = 0.0;
  std::vector<double> probabilities;
  static constexpr std::tuple fields{
      result("loss", &SoftmaxResult::loss, "-log p_y"),
      result("residual", &SoftmaxResult::residual, "1 - p_y, the sum of the other probabilities"),
      result("log_residual", &SoftmaxResult::log_residual, "its logarithm, finite where it underflows"),
      result("probabilities", "prob", &SoftmaxResult::probabilities, "softmax")};
};
/// Cross entropy of given scores.
[[nodiscard]] SoftmaxResult softmax_cross_entropy(const Scores& setting);

/// One step with the noise given.
struct GivenStep {
  Filters weights;
  double signal_norm = 0.0;
  Rows patches;
  std::vector<std::size_t> labels;
  double clip = std::numeric_limits<double>::infinity();
  double step_size = 1.0;
  Filters noise;
  static constexpr std::tuple fields{
      required("weights", "W", &GivenStep::weights, "(-inf, inf)", "weights of the first layer, K x m x d"),
      required("signal_norm", "u_norm", &GivenStep::signal_norm, "[0, inf)", "length of the signal, u_y = u_norm e_y"),
      required("patches", "X", &GivenStep::patches, "(-inf, inf)", "noise patches, B x d"),
      required("labels", "y", &GivenStep::labels, whole("[0, 1e9]"), "B labels, from 0"),
      required("clip", "C", &GivenStep::clip, "(0, inf]",
               "clipping threshold of the joint gradient norm, inf for none"),
      required("step_size", "eta", &GivenStep::step_size, "(0, inf)", "learning rate"),
      required("noise", "N", &GivenStep::noise, "(-inf, inf)", "noise, K x m x d, added as + eta N")};
};
/// The batch before the step, and the weights after it.
struct GivenStepResult {
  std::vector<double> losses;
  std::vector<double> gradient_norms;
  std::vector<double> clip_multipliers;
  Filters weights;
  static constexpr std::tuple fields{
      result("losses", "loss", &GivenStepResult::losses, "of each example"),
      result("gradient_norms", "grad_norm", &GivenStepResult::gradient_norms, "of each example"),
      result("clip_multipliers", "clip_multiplier", &GivenStepResult::clip_multipliers, "of each example"),
      result("weights", "W_next", &GivenStepResult::weights, "after the step")};
};
/// One step of DP-SGD with the noise given.
[[nodiscard]] GivenStepResult given_step(const GivenStep& setting);

/// Scores of several examples.
struct ScoreTable {
  Rows scores;
  std::vector<std::size_t> labels;
  static constexpr std::tuple fields{
      required("scores", "F", &ScoreTable::scores, "(-inf, inf)", "scores, n x K"),
      required("labels", "y", &ScoreTable::labels, whole("[0, 1e9]"), "n labels, from 0")};
};
/// 1 - p_y of each, and how far they are apart.
struct ResidualRatio {
  std::vector<double> residuals;
  double ratio = 1.0;
  static constexpr std::tuple fields{result("residuals", &ResidualRatio::residuals, "1 - p_y of each example"),
                                     result("ratio", &ResidualRatio::ratio, "the largest over the smallest")};
};
/// Lemma 21: the largest residual over the smallest.
[[nodiscard]] ResidualRatio residual_ratio(const ScoreTable& setting);

/// Examples as rows.
struct InfluenceExamples {
  Rows examples;
  int degrees_of_freedom = 1;
  static constexpr std::tuple fields{
      required("examples", "X", &InfluenceExamples::examples, "(-inf, inf)", "examples, N x D with N >= 3"),
      optional("degrees_of_freedom", "ddof", &InfluenceExamples::degrees_of_freedom, whole("[0, 1]"),
               "covariances are divided by N - ddof")};
};
/// Equation (5), one score per example.
[[nodiscard]] std::vector<double> influence_scores(const InfluenceExamples& setting);

/// A deformed seven-segment digit.
struct Glyph {
  std::size_t digit = 0;
  double strength = 0.0;
  Rows linear;
  std::vector<double> shift;
  std::size_t size = 12;
  static constexpr std::tuple fields{
      required("digit", &Glyph::digit, whole("[0, 9]"), "the digit"),
      required("strength", "f", &Glyph::strength, "[0, 4]", "strength of the deformation"),
      required("linear", "Z", &Glyph::linear, "(-inf, inf)", "2 x 2 matrix of the linear part"),
      required("shift", "s", &Glyph::shift, "(-inf, inf)", "shift, 2 entries"),
      optional("size", &Glyph::size, whole("[1, 4096]"), "pixels per side")};
};
/// Its picture.
struct GlyphImage {
  Rows image;
  double sum = 0.0;
  static constexpr std::tuple fields{result("image", &GlyphImage::image, "brightness, row by row"),
                                     result("sum", &GlyphImage::sum, "of all pixels")};
};
/// A digit as an image.
[[nodiscard]] GlyphImage glyph_image(const Glyph& setting);

/// The law of the initial weights.
enum class InitialLaw { uniform };
/// Its name.
constexpr auto enumerators(InitialLaw /*type*/) {
  return std::array{std::pair{InitialLaw::uniform, "uniform(-1/sqrt(d),1/sqrt(d))"}};
}

/// The reduced synthetic experiment.
struct SyntheticExperiment {
  std::int64_t classes = 5;
  std::int64_t dimension = 200;
  std::int64_t filters = 20;
  std::int64_t records = 100;
  std::int64_t batch = 50;
  std::int64_t steps = 80;
  double clip = 1.0;
  double step_size = 0.5;
  double signal_norm = 0.0;
  double ratio = 1.0;
  double noise_multiplier = 0.0;
  std::optional<double> epsilon;
  std::optional<double> delta;
  InitialLaw start = InitialLaw::uniform;
  models::NoiseLaw law = models::NoiseLaw::gaussian;
  std::int64_t trials = 1;
  std::int64_t test_records = 500;
  static constexpr std::tuple fields{
      required("classes", "K", &SyntheticExperiment::classes, whole("[2, 1e9]"), "number of classes"),
      required("dimension", "d", &SyntheticExperiment::dimension, whole("[4, 1e9]"), "patch dimension, at least 2 K"),
      required("filters", "m", &SyntheticExperiment::filters, whole("[1, 1000000]"), "filters per class"),
      required("records", "n", &SyntheticExperiment::records, whole("[2, 1000000000]"),
               "training examples, a multiple of K"),
      required("batch", "B", &SyntheticExperiment::batch, whole("[1, 1000000000]"), "batch size, shuffled epochs"),
      required("steps", "T", &SyntheticExperiment::steps, whole("[0, 1000000000]"), "steps"),
      required("clip", "C", &SyntheticExperiment::clip, "(0, inf)", "clipping threshold"),
      required("step_size", "eta", &SyntheticExperiment::step_size, "(0, inf)", "learning rate"),
      required("signal_norm", "u_norm", &SyntheticExperiment::signal_norm, "[0, inf)",
               "length of the signal, u_y = u_norm e_y"),
      required("ratio", "ncr", &SyntheticExperiment::ratio, "[1, inf)", "noise correlation ratio, with e0 = 0.5"),
      required("noise_multiplier", "z", &SyntheticExperiment::noise_multiplier, "[0, inf)",
               "noise multiplier: sigma_n = z C/B"),
      optional("epsilon", "eps", &SyntheticExperiment::epsilon, "[0, inf)", "a label: z is not computed from it"),
      optional("delta", &SyntheticExperiment::delta, "[0, 1]", "a label"),
      optional("start", "init", &SyntheticExperiment::start, "law of the start"),
      optional("law", "zeta", &SyntheticExperiment::law, "gaussian or uniform, of variance 1"),
      required("trials", "seeds", &SyntheticExperiment::trials, whole("[1, 100000]"), "trials"),
      optional("test_records", "n_test", &SyntheticExperiment::test_records, whole("[2, 1000000000]"),
               "test examples, a multiple of K")};
};
/// Test accuracies over the trials.
struct SyntheticResult {
  double clean_mean = 0.0;
  double private_mean = 0.0;
  double clean_deviation = 0.0;
  double private_deviation = 0.0;
  static constexpr std::tuple fields{
      result("clean_mean", "acc_nonDP_mean", &SyntheticResult::clean_mean, "mean without privacy"),
      result("private_mean", "acc_DP_mean", &SyntheticResult::private_mean, "mean of DP-SGD"),
      result("clean_deviation", "acc_nonDP_sd", &SyntheticResult::clean_deviation,
             "standard deviation without privacy"),
      result("private_deviation", "acc_DP_sd", &SyntheticResult::private_deviation, "standard deviation of DP-SGD")};
};
/// Every setting has random numbers of its own.
[[nodiscard]] SyntheticResult synthetic_experiment(const SyntheticExperiment& setting);

}  // namespace dpcurves::calculators
