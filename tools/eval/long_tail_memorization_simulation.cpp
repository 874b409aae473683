// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed Data":
// the noise matrices, the network and its training step, influence scores and glyphs.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/models/cross_entropy.hpp>
#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/models/patch_cnn.hpp>
#include <dpcurves/models/spiked_noise.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"
#include "support/least_squares_file.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::tools::eval {
namespace {

// --- reading nested lists -----------------------------------------------------------------------------------------

/// A list of rows of equal length, at least one of each.
models::RowMatrix read_matrix(const Json& rows, const std::string& key) {
  if (!rows.is_array()) {
    throw UsageError(key + ": is not a list of rows");
  }
  if (rows.empty()) {
    throw DomainError(key + ": has no rows");
  }
  models::RowMatrix matrix;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string where = key + "[" + std::to_string(i) + "]";
    const Eigen::ArrayXd row = read_array(rows[i], where);
    if (i == 0) {
      matrix.resize(static_cast<Eigen::Index>(rows.size()), row.size());
    }
    if (row.size() == 0 || row.size() != matrix.cols()) {
      throw DomainError(where + ": " + std::to_string(row.size()) + " entries are not those of the first row, " +
                        std::to_string(matrix.cols()));
    }
    matrix.row(static_cast<Eigen::Index>(i)) = row.matrix().transpose();
  }
  return matrix;
}

Json to_json(const models::RowMatrix& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(numbers({matrix.data() + i * matrix.cols(), static_cast<std::size_t>(matrix.cols())}));
  }
  return rows;
}

std::uint32_t read_label(double label, std::size_t classes, const std::string& key) {
  if (!(label >= 0.0 && label < static_cast<double>(classes) && label == std::floor(label))) {
    throw DomainError(key + ": " + shortest(label) + " is outside {0, ..., K - 1}, K = " + std::to_string(classes));
  }
  return static_cast<std::uint32_t>(label);
}

/// Parameters of the network, as K lists of m filters of d weights.
struct Weights {
  std::size_t classes = 0, filters = 0, dimension = 0;
  models::RowMatrix values;  ///< shape (d x K m)
};

Weights read_weights(const Json& given, const std::string& key) {
  if (!given.is_array()) {
    throw UsageError(key + ": is not a list of classes, each a list of filters");
  }
  if (given.size() < 2) {
    throw DomainError(key + ": " + std::to_string(given.size()) + " classes are outside [2, inf)");
  }
  Weights weights;
  weights.classes = given.size();
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::string where = key + "[" + std::to_string(k) + "]";
    const auto filters = read_matrix(given[k], where);
    if (k == 0) {
      weights.filters = static_cast<std::size_t>(filters.rows());
      weights.dimension = static_cast<std::size_t>(filters.cols());
      weights.values.resize(filters.cols(), filters.rows() * static_cast<Eigen::Index>(given.size()));
    } else if (static_cast<std::size_t>(filters.rows()) != weights.filters ||
               static_cast<std::size_t>(filters.cols()) != weights.dimension) {
      throw DomainError(where + ": " + std::to_string(filters.rows()) + " filters of " +
                        std::to_string(filters.cols()) + " weights are not the shape of " + key + "[0]");
    }
    weights.values.middleCols(static_cast<Eigen::Index>(k) * filters.rows(), filters.rows()) = filters.transpose();
  }
  return weights;
}

Json weights_json(const models::RowMatrix& values, const Weights& shape) {
  Json classes = Json::array();
  for (std::size_t k = 0; k < shape.classes; ++k) {
    const auto m = static_cast<Eigen::Index>(shape.filters);
    classes.push_back(to_json(values.middleCols(static_cast<Eigen::Index>(k) * m, m).transpose()));
  }
  return classes;
}

/// The network on patches with u_y = u_norm e_y.
models::PatchCnn read_network(const Inputs& in, const Weights& weights, models::RowMatrix patches,
                              std::vector<std::uint32_t> labels, const std::string& patch_key) {
  if (static_cast<std::size_t>(patches.cols()) != weights.dimension) {
    throw DomainError(patch_key + ": " + std::to_string(patches.cols()) + " entries are not those of a filter, " +
                      std::to_string(weights.dimension));
  }
  const double u = in.number("u_norm");
  models::PatchData data;
  data.classes = weights.classes;
  data.signals.resize(0, patches.cols());
  if (u > 0.0) {
    if (weights.dimension < weights.classes) {
      throw DomainError("u_norm: " + shortest(u) + " is outside {0}: " + std::to_string(weights.classes) +
                        " orthogonal signals do not fit into dimension " + std::to_string(weights.dimension));
    }
    data.signals.setZero(static_cast<Eigen::Index>(weights.classes), patches.cols());
    data.signals.diagonal().setConstant(u);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto row = patches.row(static_cast<Eigen::Index>(i));
      if (!(std::fabs(row(labels[i])) <= 1e-12 * row.norm())) {
        throw DomainError(patch_key + ": entry " + shortest(row(labels[i])) + " on the signal axis y = " +
                          std::to_string(labels[i]) + " is not 0, the patch is not orthogonal to its signal");
      }
    }
  }
  data.noise = std::move(patches);
  data.labels = std::move(labels);
  return {std::move(data), weights.filters};
}

/// \throws DomainError that names W where the scores overflow.
void check_scores(const models::PatchCnn& network, const Weights& weights, double u) {
  const auto& data = network.data();
  const double longest = std::max(u, data.noise.rowwise().stableNorm().maxCoeff());
  const double largest = weights.values.cwiseAbs().maxCoeff() * std::sqrt(static_cast<double>(weights.dimension));
  if (!std::isfinite(4.0 * longest * largest)) {
    throw DomainError("W: products of weights up to " + shortest(largest) + " with patches of norm " +
                      shortest(longest) + " overflow");
  }
}

std::span<const double> parameters(const models::RowMatrix& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

// --- calculators --------------------------------------------------------------------------------------------------

models::SpikedNoise read_family(const Inputs& in, double spike) {
  const double classes = in.number("K"), dimension = in.number("d");
  if (!(dimension >= 2.0 * classes && std::isfinite(dimension))) {
    throw DomainError("d: " + shortest(dimension) + " is outside [2 K, inf), K = " + shortest(classes));
  }
  return {classes, dimension, in.number("e0"), spike};
}

Json snr_ncr(const Inputs& in) {
  const double own = in.number("n_k"), other = in.number("n_j"), cross = in.number("F_kj");
  return {{"snr", number(models::signal_to_noise(own, other, in.number("u_norm"), cross))},
          {"ncr", number(models::noise_correlation_ratio(own, other, in.number("F_kk"), cross))}};
}

Json spiked_norms(const Inputs& in) {
  const auto result = models::norms(read_family(in, in.number("lam")));
  return {{"rank", number(result.rank)},
          {"trace", number(result.trace)},
          {"frob_A", number(result.frobenius)},
          {"op_A", number(result.operator_norm)},
          {"frob_AtA", number(result.gram)},
          {"frob_AtA_cross", number(result.cross_gram)},
          {"op_AtA_cross", number(result.cross_operator_norm)},
          {"ncr", number(result.ratio)}};
}

Json spike_from_ncr(const Inputs& in) {
  return {{"lam", number(models::spike_of_ratio(in.number("ncr"), read_family(in, in.number("e0"))))}};
}

Json forward(const Inputs& in) {
  const Json& aligned = in.json("signal_axis_equals_label");
  if (!aligned.is_boolean()) {
    throw UsageError("signal_axis_equals_label: is not a boolean");
  }
  if (!aligned.get<bool>()) {
    throw DomainError("signal_axis_equals_label: false is outside {true}");
  }
  const auto weights = read_weights(in.json("W"), "W");
  const auto xi = in.numbers("xi");
  if (xi.empty()) {
    throw DomainError("xi: has no entries");
  }
  const auto label = read_label(in.number("y"), weights.classes, "y");
  auto network =
      read_network(in, weights, Eigen::Map<const models::RowMatrix>(xi.data(), 1, static_cast<Eigen::Index>(xi.size())),
                   {label}, "xi");
  check_scores(network, weights, in.number("u_norm"));
  const auto result = network.responses(parameters(weights.values));
  return {{"F", numbers(result.scores)},
          {"prob", numbers(result.probabilities)},
          {"loss", number(result.losses[0])},
          {"residual", number(result.residuals[0])},
          {"grad_norm", number(result.gradient_norms[0])},
          {"clip_multiplier", number(models::clip_multiplier(result.gradient_norms[0], in.number("C")))}};
}

Json softmax(const Inputs& in) {
  const auto scores = in.numbers("F");
  if (scores.size() < 2) {
    throw DomainError("F: " + std::to_string(scores.size()) + " scores are outside [2, inf)");
  }
  std::vector<double> probabilities(scores.size());
  const auto result = models::cross_entropy(scores, read_label(in.number("y"), scores.size(), "y"), probabilities);
  return {{"loss", number(result.loss)},
          {"residual", number(result.residual)},
          {"log_residual", number(result.log_residual)},
          {"prob", numbers(probabilities)}};
}

Json dpsgd_step(const Inputs& in) {
  const auto weights = read_weights(in.json("W"), "W"), noise = read_weights(in.json("N"), "N");
  if (noise.classes != weights.classes || noise.filters != weights.filters || noise.dimension != weights.dimension) {
    throw DomainError("N: does not have the shape of W");
  }
  auto patches = read_matrix(in.json("X"), "X");
  const auto given = in.numbers("y");
  if (given.size() != static_cast<std::size_t>(patches.rows())) {
    throw DomainError("y: " + std::to_string(given.size()) + " labels are not one for each of the " +
                      std::to_string(patches.rows()) + " rows of X");
  }
  std::vector<std::uint32_t> labels;
  for (std::size_t i = 0; i < given.size(); ++i) {
    labels.push_back(read_label(given[i], weights.classes, "y[" + std::to_string(i) + "]"));
  }
  const double clip = in.number("C"), eta = in.number("eta");
  auto network = read_network(in, weights, std::move(patches), std::move(labels), "X");
  check_scores(network, weights, in.number("u_norm"));
  const auto before = network.responses(parameters(weights.values));
  std::vector<double> multipliers;
  for (const double norm : before.gradient_norms) {
    multipliers.push_back(models::clip_multiplier(norm, clip));
  }
  models::RowMatrix gradient(weights.values.rows(), weights.values.cols());
  network.clipped_sum(models::all_records(network), parameters(weights.values), clip,
                      {gradient.data(), static_cast<std::size_t>(gradient.size())});
  const models::RowMatrix next =
      weights.values - eta * (gradient / static_cast<double>(network.records())) + eta * noise.values;
  return {{"loss", numbers(before.losses)},
          {"grad_norm", numbers(before.gradient_norms)},
          {"clip_multiplier", numbers(multipliers)},
          {"W_next", weights_json(next, weights)}};
}

Json residual_ratio(const Inputs& in) {
  const auto scores = read_matrix(in.json("F"), "F");
  if (scores.cols() < 2) {
    throw DomainError("F: " + std::to_string(scores.cols()) + " scores per row are outside [2, inf)");
  }
  const auto labels = in.numbers("y");
  if (labels.size() != static_cast<std::size_t>(scores.rows())) {
    throw DomainError("y: " + std::to_string(labels.size()) + " labels are not one for each of the " +
                      std::to_string(scores.rows()) + " rows of F");
  }
  std::vector<double> residuals, logs;
  const auto classes = static_cast<std::size_t>(scores.cols());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = read_label(labels[i], classes, "y[" + std::to_string(i) + "]");
    const auto result = models::cross_entropy({scores.data() + i * classes, classes}, label);
    residuals.push_back(result.residual);
    logs.push_back(result.log_residual);
  }
  return {{"residuals", numbers(residuals)}, {"ratio", number(models::residual_ratio(logs))}};
}

Json influence(const Inputs& in) {
  const auto examples = read_matrix(in.json("X"), "X");
  if (examples.rows() < 3) {
    throw DomainError("X: " + std::to_string(examples.rows()) + " rows are outside [3, inf)");
  }
  const double ddof = in.number("ddof");
  return {{"scores", numbers(models::influence_scores(examples, static_cast<int>(ddof)))}};
}

Json glyph(const Inputs& in) {
  const auto z = read_matrix(in.json("Z"), "Z");
  const auto s = in.numbers("s");
  if (z.rows() != 2 || z.cols() != 2) {
    throw DomainError("Z: is not 2 x 2");
  }
  if (s.size() != 2) {
    throw DomainError("s: " + std::to_string(s.size()) + " entries are not 2");
  }
  const auto size = static_cast<std::size_t>(in.number("size"));
  const auto image = models::glyph_image(static_cast<std::size_t>(in.number("digit")),
                                         {in.number("f"), {z(0, 0), z(0, 1), z(1, 0), z(1, 1)}, {s[0], s[1]}}, size);
  Json rows = Json::array();
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    rows.push_back(numbers(std::span(image).subspan(i * size, size)));
  }
  for (const double value : image) {
    sum += value;
  }
  return {{"image", rows}, {"sum", number(sum)}};
}

/// Accuracies of the clean and the private network over independent trials. Every setting has random numbers of its
/// own.
Json synthetic_experiment(const Inputs& in) {
  const auto count = [&](const char* key) { return static_cast<std::size_t>(in.number(key)); };
  simulate::PatchExperiment experiment;
  experiment.law.noise = {in.number("K"), in.number("d"), 0.5, 0.5};
  if (!(in.number("d") >= 2.0 * in.number("K"))) {
    throw DomainError("d: " + shortest(in.number("d")) + " is outside [2 K, inf), K = " + shortest(in.number("K")));
  }
  for (const char* key : {"n", "n_test"}) {
    if (in.number(key) < in.number("K") || count(key) % count("K") != 0) {
      throw DomainError(std::string(key) + ": " + shortest(in.number(key)) +
                        " is not a multiple of K = " + shortest(in.number("K")));
    }
    if (in.number(key) * in.number("d") > 1e9) {
      throw DomainError(std::string(key) + ": " + shortest(in.number(key)) +
                        " patches of d = " + shortest(in.number("d")) + " are more than 1e9 numbers");
    }
  }
  if (in.number("K") * in.number("m") * in.number("d") > 1e9) {
    throw DomainError("m: K m d = " + shortest(in.number("K") * in.number("m") * in.number("d")) +
                      " weights are more than 1e9");
  }
  if (in.number("B") > in.number("n")) {
    throw DomainError("B: " + shortest(in.number("B")) + " is outside [1, n], n = " + shortest(in.number("n")));
  }
  if (in.text("init") != "uniform(-1/sqrt(d),1/sqrt(d))") {
    throw DomainError("init: \"" + in.text("init") + "\" is outside {\"uniform(-1/sqrt(d),1/sqrt(d))\"}");
  }
  const std::string zeta = in.text("zeta");
  if (zeta != "gaussian" && zeta != "uniform") {
    throw DomainError("zeta: \"" + zeta + "\" is outside {\"gaussian\", \"uniform\"}");
  }
  experiment.law.noise.spike = models::spike_of_ratio(in.number("ncr"), experiment.law.noise);
  experiment.law.signal_norm = in.number("u_norm");
  experiment.law.law = zeta == "gaussian" ? models::NoiseLaw::gaussian : models::NoiseLaw::uniform;
  experiment.filters = count("m");
  experiment.train = count("n");
  experiment.test = count("n_test");
  experiment.sgd.batch_size = count("B");
  experiment.sgd.steps = count("T");
  experiment.sgd.step_size = in.number("eta");
  experiment.clip = in.number("C");
  experiment.noise_multiplier = in.number("z");
  std::vector<double> clean(count("seeds")), noisy(count("seeds"));
  const std::uint32_t cell = validation::path_of(in.all().dump());
  parallel_for(clean.size(), 0, [&](std::size_t trial) {
    constexpr simulate::PatchMode modes[] = {simulate::PatchMode::clean, simulate::PatchMode::dp};
    const auto outcomes = simulate::patch_trial(experiment, modes, cell, static_cast<std::uint32_t>(trial));
    clean[trial] = outcomes[0].test_accuracy;
    noisy[trial] = outcomes[1].test_accuracy;
  });
  const auto without = inference::moments(clean), with = inference::moments(noisy);
  return {{"acc_nonDP_mean", number(without.mean)},
          {"acc_DP_mean", number(with.mean)},
          {"acc_nonDP_sd", number(std::sqrt(without.variance))},
          {"acc_DP_sd", number(std::sqrt(with.variance))}};
}

}  // namespace

std::vector<Calculator> long_tail_simulation_calculators() {
  const std::string prefix = "long-tail-memorization/";
  const Key classes = integer_key("K", "[2, inf)", "number of classes");
  const Key dimension = integer_key("d", "[4, inf)", "patch dimension, at least 2 K");
  const Key bulk = number_key("e0", "(0, inf)", "every non-zero eigenvalue of A_k but one");
  const Key signal = number_key("u_norm", "[0, inf)", "length of the signal, u_y = u_norm e_y");
  const Key weights = json_key("W", "weights of the first layer, K x m x d nested lists");
  const Key clip = number_key("C", "(0, inf]", "clipping threshold of the joint gradient norm, \"inf\" for none");
  return {
      {prefix + "snr-ncr",
       "signal-to-noise and noise correlation ratio of two classes",
       {number_key("n_k", "[1, inf)", "examples of class k"), number_key("n_j", "[1, inf)", "examples of class j"),
        number_key("u_norm", "[0, inf)", "|u_k|"), number_key("F_kk", "(0, inf)", "|A_k' A_k|_F"),
        number_key("F_kj", "(0, inf)", "|A_k' A_j|_F")},
       snr_ncr},
      {prefix + "spiked-covariance-norms",
       "exact norms of the spiked noise matrices",
       {classes, dimension, bulk, number_key("lam", "(0, inf)", "the other eigenvalue, the spike")},
       spiked_norms},
      {prefix + "spike-from-ncr",
       "the spike that gives a noise correlation ratio",
       {number_key("ncr", "[1, inf)", "noise correlation ratio for classes of equal size"), classes, dimension, bulk},
       spike_from_ncr},
      {prefix + "forward-loss-gradnorm-clip",
       "scores, loss, joint gradient norm and clipping multiplier of one example",
       {weights, signal, json_key("signal_axis_equals_label", "must be true: u_y lies on axis y"),
        numbers_key("xi", "(-inf, inf)", "noise patch, d entries, 0 on axis y"),
        integer_key("y", "[0, inf)", "label, from 0"), clip},
       forward},
      {prefix + "softmax-cross-entropy",
       "softmax cross entropy with its residual 1 - p_y as a sum of the other probabilities",
       {numbers_key("F", "(-inf, inf)", "scores of the classes"), integer_key("y", "[0, inf)", "label, from 0")},
       softmax},
      {prefix + "dpsgd-step",
       "one step of DP-SGD of the two-layer network with the noise given",
       {weights, signal, json_key("X", "noise patches, B x d"), numbers_key("y", "[0, inf)", "B labels, from 0"), clip,
        number_key("eta", "(0, inf)", "learning rate"), json_key("N", "noise, K x m x d, added as + eta N")},
       dpsgd_step},
      {prefix + "residual-ratio",
       "residuals 1 - p_y of several examples and the largest over the smallest (Lemma 21)",
       {json_key("F", "scores, n x K"), numbers_key("y", "[0, inf)", "n labels, from 0")},
       residual_ratio},
      {prefix + "covariance-influence-scores",
       "influence of each example on the squared norm of the covariance, equation (5)",
       {json_key("X", "examples, N x D with N >= 3"),
        optional(integer_key("ddof", "[0, 1]", "covariances are divided by N - ddof"), 1)},
       influence},
      {prefix + "glyph-image",
       "a deformed seven-segment digit",
       {integer_key("digit", "[0, 9]", "the digit"), number_key("f", "[0, 4]", "strength of the deformation"),
        json_key("Z", "2 x 2 matrix of the linear part"), numbers_key("s", "(-inf, inf)", "shift, 2 entries"),
        optional(integer_key("size", "[1, 4096]", "pixels per side"), 12)},
       glyph},
      {prefix + "synthetic-dpsgd-experiment",
       "test accuracy of the two-layer network trained without privacy and by DP-SGD, over independent trials",
       {classes, dimension, integer_key("m", "[1, 1000000]", "filters per class"),
        integer_key("n", "[2, 1000000000]", "training examples, a multiple of K"),
        integer_key("B", "[1, 1000000000]", "batch size, shuffled epochs"),
        integer_key("T", "[0, 1000000000]", "steps"), number_key("C", "(0, inf)", "clipping threshold"),
        number_key("eta", "(0, inf)", "learning rate"), signal,
        number_key("ncr", "[1, inf)", "noise correlation ratio, with e0 = 0.5"),
        number_key("z", "[0, inf)", "noise multiplier: sigma_n = z C/B"),
        optional(number_key("eps", "[0, inf)", "a label: z is not computed from it"), nullptr),
        optional(number_key("delta", "[0, 1]", "a label"), nullptr),
        optional(text_key("init", "law of the start"), "uniform(-1/sqrt(d),1/sqrt(d))"),
        optional(text_key("zeta", "gaussian or uniform, of variance 1"), "gaussian"),
        integer_key("seeds", "[1, 100000]", "trials"),
        optional(integer_key("n_test", "[2, 1000000000]", "test examples, a multiple of K"), 500)},
       synthetic_experiment}};
}

}  // namespace dpcurves::tools::eval
