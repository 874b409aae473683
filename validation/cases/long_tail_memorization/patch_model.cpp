// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The data and the network: noise matrices, long-tailed samples, gradients, influence scores.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/models/patch_cnn.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::long_tail_memorization {
namespace {

using models::PatchCnn;

const models::PatchLaw small_law{{4.0, 30.0, 0.5, 2.0}, 1.2, models::NoiseLaw::gaussian};

PatchCnn small_model(const Setting& setting, std::string_view id) {
  return {models::draw_patches(small_law, 12, seed_of(setting, id), 0, models::DataPart::train), 6};
}

std::vector<double> random_weights(const PatchCnn& model, Draws& draws, double scale) {
  auto w = draws.normals(model.dimension());
  for (double& value : w) {
    value *= scale;
  }
  return w;
}

/// Norms against moments: E|xi_k|^2 = Tr and E<xi_k, xi_j>^2 = F_kj^2 for independent patches.
void definition_1(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(setting.size(4000, 200000));
  const auto law_of = [](models::NoiseLaw kind) { return models::PatchLaw{{3.0, 20.0, 0.5, 2.0}, 1.0, kind}; };
  const std::size_t pairs = setting.size(4000, 200000);
  for (const auto kind : {models::NoiseLaw::gaussian, models::NoiseLaw::uniform}) {
    const auto law = law_of(kind);
    const auto exact = models::norms(law.noise);
    const auto data =
        models::draw_patches(law, 6 * pairs, seed_of(setting, "definition-1"), 0, models::DataPart::train);
    std::vector<double> squares, own, cross;
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto row = static_cast<Eigen::Index>(6 * i);  // classes 0, 1, 2, 0, 1, 2
      const double same = data.noise.row(row).dot(data.noise.row(row + 3));
      const double other = data.noise.row(row).dot(data.noise.row(row + 1));
      squares.push_back(data.noise.row(row).squaredNorm());
      own.push_back(same * same);
      cross.push_back(other * other);
    }
    const auto close = [&](const std::vector<double>& sample, double value, const std::string& what) {
      const auto found = inference::moments(sample);
      within_errors(trial, found.mean, found.mean_error, value, what);
    };
    close(squares, exact.trace, "mean of |xi|^2 against Tr(A'A)");
    close(own, exact.gram * exact.gram, "mean of <xi, xi'>^2 within a class against F_kk^2");
    const double claimed = broken ? exact.gram : exact.cross_gram;
    close(cross, claimed * claimed, "mean of <xi, xi'>^2 across classes against F_kj^2");
  }
  for (const double ratio : {1.0, 1.01, 3.0, 1400.0}) {
    models::SpikedNoise family{5.0, 1000.0, 0.5, 0.5};
    family.spike = models::spike_of_ratio(ratio, family);
    trial.close(models::norms(family).ratio, ratio, 1e-14, "NCR of its own spike");
  }
}

/// How often a fixed sum of filters makes a sample L-long-tailed, and what the exact sampler draws.
void definition_3(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(setting.size(8000, 400000));
  Draws draws(setting, "long-tail-memorization/definition-3");
  const models::PatchLaw law{{4.0, 30.0, 0.5, 2.0}, 0.0, models::NoiseLaw::gaussian};
  const std::size_t count = setting.size(8000, 400000);
  const auto data = models::draw_patches(law, count, seed_of(setting, "definition-3"), 0, models::DataPart::fresh);
  const PatchCnn model(data, 5);
  const auto w = random_weights(model, draws, 0.3);
  const Eigen::Map<const models::RowMatrix> weights(w.data(), 30, 20);
  const auto levels = models::tail_levels(data, law, weights, models::TailFilter::sum_all);
  const auto active = models::tail_levels(data, law, weights, models::TailFilter::sum_active);
  for (const double level : {0.5, 1.0, 2.0}) {
    const auto reached = [&](const std::vector<double>& all) {
      return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](double z) { return z >= level; }));
    };
    const double expected = numerics::normal_upper_tail(broken ? 1.1 * level : level);
    const auto interval = inference::clopper_pearson(reached(levels), count, miss_per_interval);
    trial.require(interval.lower <= expected && expected <= interval.upper,
                  "share at or above L = " + shortest(level) + ": [" + rounded(interval.lower, 4) + ", " +
                      rounded(interval.upper, 4) + "], claimed " + rounded(expected, 4));
    trial.used_intervals(1);
    // The sum over active filters depends on xi: its share is another one, and larger.
    const auto other = inference::clopper_pearson(reached(active), count, miss_per_interval);
    trial.require(other.lower > expected, "share for the sum over active filters, at least " + rounded(other.lower, 4) +
                                              ", above " + rounded(expected, 4));
    trial.used_intervals(1);
  }
  // Exact samples of level 1: shares of higher levels are ratios of tails.
  const Eigen::VectorXd filter = weights.col(3) + weights.col(4);
  const auto patches = models::long_tailed_noise(law, 0, filter, 1.0, count, seed_of(setting, "definition-3"), 1);
  const double scale = models::noise_matrix_diagonal(law, 0).cwiseProduct(filter).norm();
  const Eigen::VectorXd reached = patches * filter / scale;
  trial.at_most(1.0 - 1e-9, reached.minCoeff(), "level that the exact sampler promises");
  for (const double level : {1.5, 2.5}) {
    const auto hits = static_cast<std::size_t>((reached.array() >= level).count());
    const double expected = numerics::normal_upper_tail(level) / numerics::normal_upper_tail(broken ? 1.1 : 1.0);
    const auto interval = inference::clopper_pearson(hits, count, miss_per_interval);
    trial.require(interval.lower <= expected && expected <= interval.upper,
                  "share of exact samples at or above " + shortest(level) + ": [" + rounded(interval.lower, 4) + ", " +
                      rounded(interval.upper, 4) + "], claimed " + rounded(expected, 4));
    trial.used_intervals(1);
  }
}

/// The gradient of an example by its formula, a filter at a time, against differences of the loss.
void equation_1(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "long-tail-memorization/equation-1");
  auto model = small_model(setting, "equation-1");
  auto w = random_weights(model, draws, 0.3);
  double worst = 0.0;
  std::vector<double> gradient(model.dimension()), loss(1);
  const std::size_t entries = setting.size(60, 600);
  for (std::size_t trial_entry = 0; trial_entry < entries; ++trial_entry) {
    const std::uint32_t one[] = {static_cast<std::uint32_t>(draws.below(model.records()))};
    model.clipped_sum(one, w, std::numeric_limits<double>::infinity(), gradient);
    const std::size_t at = draws.below(w.size());
    const double kept = w[at], step = 1e-6;
    w[at] = kept + step;
    model.losses(one, w, loss);
    const double up = loss[0];
    w[at] = kept - step;
    model.losses(one, w, loss);
    w[at] = kept;
    const double claimed = gradient[at] * (broken ? static_cast<double>(model.filters()) : 1.0);
    worst = std::max(worst, std::fabs((up - loss[0]) / (2.0 * step) - claimed));
  }
  trial.at_most(worst, 1e-8, "largest difference of the gradient to central differences");
}

/// The clipped gradient of a batch against its examples' gradients, formed one by one.
void equation_64(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "long-tail-memorization/equation-64");
  auto model = small_model(setting, "equation-64");
  const auto& data = model.data();
  double worst = 0.0, worst_norm = 0.0;
  for (std::size_t repeat = 0; repeat < setting.size(5, 50); ++repeat) {
    const auto w = random_weights(model, draws, 0.5);
    const auto all = models::all_records(model);
    const auto found = model.responses(w);
    const double clip = 0.2, m = static_cast<double>(model.filters());
    std::vector<double> total(w.size(), 0.0), sum(w.size()), one(w.size());
    for (const std::uint32_t i : all) {
      const std::uint32_t y = data.labels[i];
      double squared = 0.0;
      for (std::size_t k = 0; k < model.classes(); ++k) {
        const double g = k == y ? found.residuals[i] : -found.probabilities[i * model.classes() + k];
        for (std::size_t r = k * model.filters(); r < (k + 1) * model.filters(); ++r) {
          double u = 0.0, xi = 0.0;
          for (std::size_t c = 0; c < data.dimension(); ++c) {
            u += w[c * model.width() + r] * data.signals(y, static_cast<Eigen::Index>(c));
            xi += w[c * model.width() + r] * data.noise(i, static_cast<Eigen::Index>(c));
          }
          for (std::size_t c = 0; c < data.dimension(); ++c) {
            const double value = -g / m *
                                 ((u > 0.0 ? data.signals(y, static_cast<Eigen::Index>(c)) : 0.0) +
                                  (xi > 0.0 ? data.noise(i, static_cast<Eigen::Index>(c)) : 0.0));
            one[c * model.width() + r] = value;
            squared += value * value;
          }
        }
      }
      worst_norm = std::max(worst_norm, std::fabs(std::sqrt(squared) / found.gradient_norms[i] - 1.0));
      const double h = broken ? 1.0 : 1.0 / std::max(1.0, std::sqrt(squared) / clip);  // (64) has no clipping
      for (std::size_t c = 0; c < total.size(); ++c) {
        total[c] += h * one[c];
      }
    }
    model.clipped_sum(all, w, clip, sum);
    for (std::size_t c = 0; c < total.size(); ++c) {
      worst = std::max(worst, std::fabs(total[c] - sum[c]));
    }
  }
  trial.at_most(worst, 1e-13, "largest difference of the clipped batch gradient");
  trial.at_most(worst_norm, 1e-13, "relative difference of the closed-form norm");
}

void equation_5(const Setting& setting, Trial& trial, bool broken) {
  trial.by_exact_law();
  Draws draws(setting, "long-tail-memorization/equation-5");
  for (const double offset : {0.0, 1e6}) {
    const Eigen::Index n = 20, dimension = 12;
    Eigen::MatrixXd x(n, dimension);
    for (double& value : x.reshaped()) {
      value = std::round(1024.0 * draws.normal()) / 1024.0;  // the offset is added exactly
    }
    const auto covariance = [&](Eigen::Index without) {
      Eigen::MatrixXd rest(without < 0 ? n : n - 1, dimension);
      for (Eigen::Index i = 0, at = 0; i < n; ++i) {
        if (i != without) {
          rest.row(at++) = x.row(i);
        }
      }
      const Eigen::MatrixXd centred = broken ? rest : Eigen::MatrixXd(rest.rowwise() - rest.colwise().mean());
      return (centred.transpose() * centred / static_cast<double>(rest.rows() - 1)).squaredNorm();
    };
    const double whole = covariance(-1);
    const auto scores = models::influence_scores((x.array() + offset).matrix());
    double worst = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      worst = std::max(worst, std::fabs(scores[static_cast<std::size_t>(i)] - (whole - covariance(i))) / whole);
    }
    trial.at_most(worst, 1e-12, "scores against leaving each example out, offset " + shortest(offset));
  }
}

/// Patches drawn given that they are long-tailed, against the radius of the lemma.
void lemma_25(const Setting& setting, Trial& trial, bool broken) {
  struct Point {
    double dimension, level, delta;
    std::size_t draws;
  };
  for (const Point& at : {Point{50, 1, .05, setting.size(2000, 200000)}, Point{50, 3, .05, setting.size(2000, 200000)},
                          Point{200, 2, .001, setting.size(24000, 200000)}}) {
    const models::PatchLaw law{{2.0, at.dimension, 1.0, 1.0}, 0.0, models::NoiseLaw::gaussian};
    const Eigen::VectorXd filter = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(at.dimension));
    const auto patches = models::long_tailed_noise(law, 0, filter, at.level, at.draws, seed_of(setting, "lemma-25"),
                                                   static_cast<std::uint32_t>(at.dimension + at.level));
    // A is the identity on all but two axes: rank d - 2 in place of d.
    const double rank = at.dimension - 2.0, tau = std::log(2.0 / at.delta);
    const double spread = 2.0 * std::sqrt(rank * tau) + 4.0 * tau;
    const double bound = rank + at.level * at.level + (broken ? 0.0 : spread);
    const auto beyond = static_cast<std::size_t>((patches.rowwise().squaredNorm().array() > bound).count());
    covered(trial, beyond, at.draws, at.delta, "|xi|^2, d = " + shortest(at.dimension) + ", L = " + shortest(at.level));
  }
}

}  // namespace

std::vector<Case> patch_model_cases() {
  return {
      compared("long-tail-memorization/definition-1", "norms of the spiked noise matrices are moments of noise patches",
               "4000 independent pairs (nightly 200,000), Gaussian and uniform: means of |xi|^2 and <xi, xi'>^2",
               "F_kk in place of F_kj", definition_1),
      compared("long-tail-memorization/definition-3",
               "a fixed sum of filters selects a share Q(L) of the samples, exactly sampled",
               "8000 samples (nightly 400,000) for L = 0.5, 1, 2, exact intervals; the sum over active filters "
               "selects more",
               "Q(1.1 L)", definition_3),
      compared("long-tail-memorization/equation-1", "the gradient is that of the loss of the two-layer network",
               "central differences at 60 random entries (nightly 600), K = 4, d = 30, m = 6", "1/m left out",
               equation_1),
      compared("long-tail-memorization/equation-5",
               "influence scores by the Gram identity are those of leaving examples out",
               "20 examples in 12 dimensions, also 1e6 away from the origin", "covariances without centring",
               equation_5),
      compared("long-tail-memorization/equation-64", "the batch gradient is the sum of its examples' clipped gradients",
               "gradients formed one by one, 5 weights (nightly 50), to 1e-13", "without clipping, as printed",
               equation_64),
      compared("long-tail-memorization/lemma-25",
               "long-tailed patches stay within the radius, with probability 1 - delta",
               "exact truncated-normal sampling, 2000 to 24,000 draws (nightly 200,000) at three (d, L, delta)",
               "d + L^2 alone", lemma_25)};
}

}  // namespace dpcurves::validation::long_tail_memorization
