// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <string>

#include <dpcurves/calculators/tables/patch_network.hpp>
#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/models/detail/cross_entropy.hpp>
#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/models/patch_cnn.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

namespace dpcurves::calculators {
namespace {

using models::RowMatrix;
using Where = std::source_location;

/// \throws DomainError  unless there are rows, of equal length and not empty.
RowMatrix matrix(const Rows& rows, const std::string& field, Where where = Where::current()) {
  require_domain(!rows.empty() && !rows[0].empty(), "rows of " + field, static_cast<double>(rows.size()),
                 "one or more, not empty", where);
  RowMatrix all(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows[0].size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    require_domain(rows[i].size() == rows[0].size(), "entries of " + field + "[" + std::to_string(i) + "]",
                   static_cast<double>(rows[i].size()), "those of the first row", where);
    std::copy(rows[i].begin(), rows[i].end(), all.row(static_cast<Eigen::Index>(i)).begin());
  }
  return all;
}

Rows rows(const RowMatrix& matrix) {
  Rows list;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    list.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  }
  return list;
}

/// Parameters of the network, K filter banks side by side.
struct Weights {
  std::size_t classes = 0, filters = 0, dimension = 0;
  RowMatrix values;  ///< shape (d x K m)

  [[nodiscard]] std::span<const double> all() const { return {values.data(), static_cast<std::size_t>(values.size())}; }
};

Weights read_weights(const Filters& given, const std::string& field, Where where = Where::current()) {
  require_domain(given.size() >= 2, "classes of " + field, static_cast<double>(given.size()), "[2, inf)", where);
  Weights weights;
  weights.classes = given.size();
  for (std::size_t k = 0; k < given.size(); ++k) {
    const std::string at = field + "[" + std::to_string(k) + "]";
    const RowMatrix bank = matrix(given[k], at, where);
    if (k == 0) {
      weights.filters = static_cast<std::size_t>(bank.rows());
      weights.dimension = static_cast<std::size_t>(bank.cols());
      weights.values.resize(bank.cols(), bank.rows() * static_cast<Eigen::Index>(given.size()));
    }
    require_domain(static_cast<std::size_t>(bank.rows()) == weights.filters &&
                       static_cast<std::size_t>(bank.cols()) == weights.dimension,
                   "size of " + at, static_cast<double>(bank.size()), "the shape of the first class", where);
    weights.values.middleCols(static_cast<Eigen::Index>(k) * bank.rows(), bank.rows()) = bank.transpose();
  }
  return weights;
}

/// The network on patches with u_y = |u| e_y. \throws DomainError where shapes do not fit, a patch is not orthogonal to
/// its signal or scores overflow.
models::PatchCnn network_on(const Weights& weights, double signal_norm, RowMatrix patches,
                            const std::vector<std::size_t>& labels, Where where = Where::current()) {
  require_domain(static_cast<std::size_t>(patches.cols()) == weights.dimension, "entries of a patch",
                 static_cast<double>(patches.cols()), "those of a filter", where);
  require_domain(labels.size() == static_cast<std::size_t>(patches.rows()), "number of labels",
                 static_cast<double>(labels.size()), "that of patches", where);
  models::PatchData data;
  data.classes = weights.classes;
  data.signals.resize(0, patches.cols());
  for (const std::size_t label : labels) {
    require_domain(label < weights.classes, "label", static_cast<double>(label), "{0, ..., K - 1}", where);
    data.labels.push_back(static_cast<std::uint32_t>(label));
  }
  if (signal_norm > 0.0) {
    require_domain(weights.dimension >= weights.classes, "signal_norm", signal_norm,
                   "{0}: orthogonal signals of all classes do not fit into the dimension", where);
    data.signals.setZero(static_cast<Eigen::Index>(weights.classes), patches.cols());
    data.signals.diagonal().setConstant(signal_norm);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto patch = patches.row(static_cast<Eigen::Index>(i));
      const double entry = patch(static_cast<Eigen::Index>(labels[i]));
      require_domain(std::fabs(entry) <= 1e-12 * patch.norm(), "entry of a patch on the axis of its label", entry,
                     "{0}: the patch is not orthogonal to its signal", where);
    }
  }
  const double longest = std::max(signal_norm, patches.rowwise().stableNorm().maxCoeff());
  const double largest = weights.values.cwiseAbs().maxCoeff() * std::sqrt(static_cast<double>(weights.dimension));
  require_domain(std::isfinite(4.0 * longest * largest), "weights", largest,
                 "where products with the patches are finite", where);
  data.noise = std::move(patches);
  return {std::move(data), weights.filters};
}

/// A number for the random path of a setting: hash of Fowler, Noll and Vo of its text.
std::uint32_t path_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return hash;
}

double mean(const std::vector<double>& sample) {
  const double sum = sum_over(sample);
  return sum / static_cast<double>(sample.size());
}

double deviation(const std::vector<double>& sample) {
  const double middle = mean(sample);
  const double sum = sum_over(sample, [&](double value) { return (value - middle) * (value - middle); });
  return std::sqrt(sum / (static_cast<double>(sample.size()) - 1.0));
}

}  // namespace

ForwardResult forward_pass(const ForwardPass& s) {
  require(s);
  require_domain(s.aligned, "aligned", 0.0, "{true}");
  const auto weights = read_weights(s.weights, "weights");
  auto network = network_on(weights, s.signal_norm, matrix({s.patch}, "patch"), {s.label});
  const auto got = network.responses(weights.all());
  return {got.scores,       got.probabilities,     got.losses[0],
          got.residuals[0], got.gradient_norms[0], models::clip_multiplier(got.gradient_norms[0], s.clip)};
}

SoftmaxResult softmax_cross_entropy(const Scores& s) {
  require(s);
  SoftmaxResult out;
  out.probabilities.resize(s.scores.size());
  const auto got = models::cross_entropy(s.scores, s.label, out.probabilities);
  out.loss = got.loss;
  out.residual = got.residual;
  out.log_residual = got.log_residual;
  return out;
}

GivenStepResult given_step(const GivenStep& s) {
  require(s);
  const auto weights = read_weights(s.weights, "weights"), noise = read_weights(s.noise, "noise");
  require_domain(
      noise.classes == weights.classes && noise.filters == weights.filters && noise.dimension == weights.dimension,
      "size of noise", static_cast<double>(noise.values.size()), "the shape of the weights");
  auto network = network_on(weights, s.signal_norm, matrix(s.patches, "patches"), s.labels);
  const auto before = network.responses(weights.all());
  GivenStepResult out{before.losses, before.gradient_norms, {}, {}};
  for (const double norm : before.gradient_norms) {
    out.clip_multipliers.push_back(models::clip_multiplier(norm, s.clip));
  }
  RowMatrix gradient(weights.values.rows(), weights.values.cols());
  network.clipped_sum(models::all_records(network), weights.all(), s.clip,
                      {gradient.data(), static_cast<std::size_t>(gradient.size())});
  const RowMatrix next =
      weights.values - s.step_size * (gradient / static_cast<double>(network.records())) + s.step_size * noise.values;
  const auto m = static_cast<Eigen::Index>(weights.filters);
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(weights.classes); ++k) {
    out.weights.push_back(rows(next.middleCols(k * m, m).transpose()));
  }
  return out;
}

ResidualRatio residual_ratio(const ScoreTable& s) {
  require(s);
  const auto scores = matrix(s.scores, "scores");
  require_domain(s.labels.size() == s.scores.size(), "number of labels", static_cast<double>(s.labels.size()),
                 "that of rows of scores");
  ResidualRatio out;
  std::vector<double> logs;
  for (std::size_t i = 0; i < s.labels.size(); ++i) {
    const auto got = models::cross_entropy(s.scores[i], s.labels[i]);
    out.residuals.push_back(got.residual);
    logs.push_back(got.log_residual);
  }
  out.ratio = models::residual_ratio(logs);
  return out;
}

std::vector<double> influence_scores(const InfluenceExamples& s) {
  require(s);
  return models::influence_scores(matrix(s.examples, "examples"), s.degrees_of_freedom);
}

GlyphImage glyph_image(const Glyph& s) {
  require(s);
  const auto z = matrix(s.linear, "linear");
  require_domain(z.rows() == 2 && z.cols() == 2, "size of linear", static_cast<double>(z.size()), "2 x 2");
  require_domain(s.shift.size() == 2, "entries of shift", static_cast<double>(s.shift.size()), "{2}");
  const auto image = models::glyph_image(
      s.digit, {s.strength, {z(0, 0), z(0, 1), z(1, 0), z(1, 1)}, {s.shift[0], s.shift[1]}}, s.size);
  GlyphImage out;
  for (std::size_t i = 0; i < s.size; ++i) {
    const auto start = image.begin() + static_cast<std::ptrdiff_t>(i * s.size);
    out.image.emplace_back(start, start + static_cast<std::ptrdiff_t>(s.size));
  }
  for (const double value : image) {
    out.sum += value;
  }
  return out;
}

SyntheticResult synthetic_experiment(const SyntheticExperiment& s) {
  require(s);
  const auto classes = static_cast<double>(s.classes), dimension = static_cast<double>(s.dimension);
  require_domain(dimension >= 2.0 * classes, "dimension", dimension, "[2 K, inf)");
  for (const auto& [name, size] : {std::pair{"records", s.records}, {"test_records", s.test_records}}) {
    const auto examples = static_cast<double>(size);
    require_domain(size >= s.classes && size % s.classes == 0, name, examples, "the multiples of K");
    require_domain(examples * dimension <= 1e9, name, examples, "those of at most 1e9 numbers");
  }
  require_domain(classes * static_cast<double>(s.filters) * dimension <= 1e9, "filters", static_cast<double>(s.filters),
                 "those of at most 1e9 weights");
  require_domain(s.batch <= s.records, "batch", static_cast<double>(s.batch), "[1, n]");
  simulate::PatchExperiment experiment;
  experiment.law.noise = {classes, dimension, 0.5, 0.5};
  experiment.law.noise.spike = models::spike_of_ratio(s.ratio, experiment.law.noise);
  experiment.law.signal_norm = s.signal_norm;
  experiment.law.law = s.law;
  experiment.filters = static_cast<std::size_t>(s.filters);
  experiment.train = static_cast<std::size_t>(s.records);
  experiment.test = static_cast<std::size_t>(s.test_records);
  experiment.sgd.batch_size = static_cast<std::size_t>(s.batch);
  experiment.sgd.steps = static_cast<std::size_t>(s.steps);
  experiment.sgd.step_size = s.step_size;
  experiment.clip = s.clip;
  experiment.noise_multiplier = s.noise_multiplier;
  std::vector<double> clean(static_cast<std::size_t>(s.trials)), noisy(clean.size());
  const std::uint32_t path = path_of(text({to_record(s)}));
  parallel_for(clean.size(), 0, [&](std::size_t trial) {
    constexpr simulate::PatchMode modes[] = {simulate::PatchMode::clean, simulate::PatchMode::dp};
    const auto outcomes = simulate::patch_trial(experiment, modes, path, static_cast<std::uint32_t>(trial));
    clean[trial] = outcomes[0].test_accuracy;
    noisy[trial] = outcomes[1].test_accuracy;
  });
  return {mean(clean), mean(noisy), deviation(clean), deviation(noisy)};
}

}  // namespace dpcurves::calculators
