// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/symmetric.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

namespace dpcurves::simulate {
namespace {

void check(const ConditionalSgd& setting, std::size_t steps) {
  const std::size_t d = setting.records.dimension;
  require_domain(d >= 1 && setting.records.features.size() == d * setting.records.size(), "entries of the features",
                 static_cast<double>(setting.records.features.size()), "records times dimension");
  require_domain(static_cast<std::size_t>(setting.start.size()) == d, "entries of the start",
                 static_cast<double>(setting.start.size()), "the dimension");
  require_domain(steps <= setting.records.size() && steps <= setting.step_sizes.size(), "steps",
                 static_cast<double>(steps), "at most the number of records");
  require_domain(setting.regularisation >= 0.0 && std::isfinite(setting.regularisation), "regularisation",
                 setting.regularisation, "[0, inf)");
  require_domain(setting.noise >= 0.0 && std::isfinite(setting.noise), "noise", setting.noise, "[0, inf)");
  for (const double eta : setting.step_sizes) {
    require_domain(eta >= 0.0 && std::isfinite(eta), "step size", eta, "[0, inf)");
  }
}

/// The step x -> C x + eta b a + noise with C = keep I - eta a a'.
struct Step {
  Eigen::Map<const Eigen::VectorXd> features;
  double label, eta, keep, added_variance;

  Step(const ConditionalSgd& setting, std::size_t k)
      : features(setting.records.row(k).data(), static_cast<Eigen::Index>(setting.records.dimension)),
        label(setting.records.labels[k]),
        eta(setting.step_sizes[k]),
        keep(1.0 - eta * setting.regularisation),
        added_variance(eta * eta * setting.noise * setting.noise) {}

  void advance_mean(Eigen::VectorXd& mean) const {
    const double along = eta * (features.dot(mean) - label);
    mean *= keep;
    mean -= along * features;
  }
  /// M <- C M C' + added_variance I for symmetric M.
  void advance_covariance(Eigen::MatrixXd& matrix) const {
    const Eigen::VectorXd image = matrix.selfadjointView<Eigen::Lower>() * features;
    const double along = features.dot(image);
    matrix.triangularView<Eigen::Lower>() *= keep * keep;
    matrix.selfadjointView<Eigen::Lower>().rankUpdate(features, image, -eta * keep);
    matrix.selfadjointView<Eigen::Lower>().rankUpdate(features, eta * eta * along);
    matrix.diagonal().array() += added_variance;
  }
  /// Each column by C.
  void advance_factors(Eigen::MatrixX4d& factors) const {
    const Eigen::RowVector4d along = eta * (features.transpose() * factors);
    factors *= keep;
    factors.noalias() -= features * along;
  }
};

Eigen::MatrixXd symmetric(const Eigen::MatrixXd& lower) { return lower.selfadjointView<Eigen::Lower>(); }

}  // namespace

std::vector<double> exact_mean_risks(const models::LeastSquares& problem, double entry_kurtosis, std::size_t steps) {
  models::require_valid(problem);
  require_domain(problem.has_coordinates(), "coordinates of x0", 0.0, "those of the spectrum");
  require_domain(entry_kurtosis >= 1.0 && std::isfinite(entry_kurtosis), "kurtosis", entry_kurtosis, "[1, inf)");
  const Eigen::ArrayXd lambda = problem.spectrum.per_coordinate(problem.spectrum.eigenvalues());
  const Eigen::ArrayXd& truth = problem.xtilde;
  const double delta = problem.regularisation, own_noise = problem.noise * problem.noise;
  Eigen::ArrayXd mean = problem.x0 - truth;  // E(x - xtilde)_i
  Eigen::ArrayXd square = mean.square();     // E(x - xtilde)_i^2
  std::vector<double> risks;
  risks.reserve(steps + 1);
  double eta = -1.0;
  Eigen::ArrayXd keep, keep_square, source, cross, pull;
  for (std::size_t k = 0;; ++k) {
    const double risk_sum = (lambda * square).sum();
    if (!std::isfinite(risk_sum)) {
      risks.resize(steps + 1, std::numeric_limits<double>::infinity());
      return risks;
    }
    risks.push_back(0.5 * risk_sum + 0.5 * problem.label_noise);
    if (k == steps) {
      return risks;
    }
    const double next_eta = problem.step_size(static_cast<double>(k) / problem.dimension);
    if (next_eta != eta) {
      eta = next_eta;
      // p^2 - 2 eta p lambda + (kappa - 1) eta^2 lambda^2 as a sum of squares: nothing cancels for kappa >= 2.
      keep = (1.0 - eta * delta) - eta * lambda;
      keep_square = keep.square() + (entry_kurtosis - 2.0) * eta * eta * lambda.square();
      pull = eta * delta * truth;
      cross = 2.0 * pull * keep;
      source = pull.square() + eta * eta * (lambda * problem.label_noise + own_noise);
    }
    square = keep_square * square + eta * eta * risk_sum * lambda - cross * mean + source;
    mean = keep * mean - pull;
  }
}

ConditionalLaw conditional_law(const ConditionalSgd& setting, std::size_t steps) {
  check(setting, steps);
  const auto d = static_cast<Eigen::Index>(setting.records.dimension);
  Eigen::VectorXd mean = setting.start;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
  for (std::size_t k = 0; k < steps; ++k) {
    const Step step(setting, k);
    step.advance_mean(mean);
    step.advance_covariance(covariance);
  }
  return {mean, symmetric(covariance)};
}

ConditionalPair conditional_pair(const ConditionalSgd& setting, std::size_t steps, std::size_t index,
                                 const models::Record& replacement) {
  check(setting, steps);
  require_domain(index < setting.records.size(), "index", static_cast<double>(index), "that of a record");
  const auto d = static_cast<Eigen::Index>(setting.records.dimension);
  require_domain(replacement.features.size() == d, "entries of the replacement",
                 static_cast<double>(replacement.features.size()), "the dimension");
  if (steps <= index) {  // the record has not been used yet
    ConditionalPair pair;
    pair.original = conditional_law(setting, steps);
    pair.common = pair.original.covariance;
    pair.factors = Eigen::MatrixX4d::Zero(d, 4);
    return pair;
  }
  ConditionalPair pair;
  pair.original = conditional_law(setting, index);
  Eigen::VectorXd& mean = pair.original.mean;
  Eigen::MatrixXd& covariance = pair.original.covariance;
  const Step differing(setting, index);
  const Eigen::VectorXd second = replacement.features.matrix();
  const Eigen::VectorXd first_image = covariance * differing.features, second_image = covariance * second;
  pair.step_size = differing.eta;
  pair.q1 = differing.features.dot(first_image);
  pair.q2 = second.dot(second_image);
  pair.residual1 = differing.features.dot(mean) - differing.label;
  pair.residual2 = second.dot(mean) - replacement.label;
  pair.common = differing.keep * differing.keep * covariance;
  pair.common.diagonal().array() += differing.added_variance;
  pair.factors.resize(d, 4);
  pair.factors << differing.features, differing.keep * first_image, second, differing.keep * second_image;
  differing.advance_mean(mean);
  differing.advance_covariance(covariance);
  for (std::size_t k = index + 1; k < steps; ++k) {
    const Step step(setting, k);
    step.advance_mean(mean);
    step.advance_covariance(covariance);
    step.advance_covariance(pair.common);
    step.advance_factors(pair.factors);
  }
  covariance = symmetric(covariance);
  pair.common = symmetric(pair.common);
  return pair;
}

ReducedPair reduced(const ConditionalPair& pair) {
  const auto root = numerics::cholesky(pair.common);
  require_domain(root.positive_definite, "positive definite common covariance", 0.0, "1");
  // Columns of unit length: their Gram matrix then shows which directions are independent.
  Eigen::MatrixXd white = numerics::forward_solved(root.lower, pair.factors);
  Eigen::Vector4d length = white.colwise().norm();
  length = (length.array() > 0.0).select(length, 1.0);
  white = white * length.cwiseInverse().asDiagonal();
  const auto gram = numerics::symmetric_eigen(white.transpose() * white);
  // The factors in an orthonormal basis of their span: R with R'R the Gram matrix, which may be singular.
  const Eigen::Matrix4d basis = gram.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
                                gram.eigenvectors().transpose() * Eigen::Matrix4d(length.asDiagonal());
  const double eta = pair.step_size;
  const auto covariance = [&](Eigen::Index side, double q) -> Eigen::MatrixXd {
    const Eigen::Vector4d w1 = basis.col(2 * side), w2 = basis.col(2 * side + 1);
    return Eigen::Matrix4d::Identity() - eta * (w2 * w1.transpose() + w1 * w2.transpose()) +
           eta * eta * q * w1 * w1.transpose();
  };
  return {-eta * pair.residual1 * basis.col(0), -eta * pair.residual2 * basis.col(2), covariance(0, pair.q1),
          covariance(1, pair.q2)};
}

}  // namespace dpcurves::simulate
