// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/softmax.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {
namespace {

using random::Purpose;

LabelledData draw(const GaussianClasses& law, const Eigen::MatrixXd& means, std::size_t examples, std::uint64_t seed,
                  std::uint32_t path) {
  LabelledData data;
  data.classes = law.classes;
  Eigen::MatrixXd features(means.rows(), static_cast<Eigen::Index>(examples));
  random::normals({features.data(), static_cast<std::size_t>(features.size())}, seed, Purpose::data, path, 0);
  for (Eigen::Index i = 0; i < features.cols(); ++i) {
    const auto label = static_cast<std::uint32_t>(static_cast<std::size_t>(i) % law.classes);
    data.labels.push_back(label);
    features.col(i) = means.col(label) + law.spread * features.col(i);
  }
  data.features = clipped_with_bias(features, law.clip);
  return data;
}

}  // namespace

Eigen::MatrixXd clipped_columns(Eigen::MatrixXd features, double clip) {
  require_domain(clip > 0.0, "clip", clip, "(0, inf]");
  for (Eigen::Index i = 0; i < features.cols(); ++i) {
    const double norm = features.col(i).norm();
    if (norm > clip) {
      features.col(i) *= clip / norm;
    }
  }
  return features;
}

Eigen::MatrixXd clipped_with_bias(const Eigen::MatrixXd& features, double clip) {
  Eigen::MatrixXd result(features.rows() + 1, features.cols());
  result.topRows(features.rows()) = clipped_columns(features, clip);
  result.bottomRows(1).setOnes();
  return result;
}

DataSplit gaussian_classes(const GaussianClasses& law, std::uint64_t seed) {
  require_domain(law.classes >= 2, "classes", static_cast<double>(law.classes), "[2, inf)");
  require_domain(law.dimension >= 1, "dimension", static_cast<double>(law.dimension), "[1, inf)");
  require_domain(law.train_examples >= 1, "train_examples", static_cast<double>(law.train_examples), "[1, inf)");
  require_domain(law.test_examples >= 1, "test_examples", static_cast<double>(law.test_examples), "[1, inf)");
  require_domain(law.mean_norm > 0.0 && std::isfinite(law.mean_norm), "mean_norm", law.mean_norm, "(0, inf)");
  require_domain(law.spread > 0.0 && std::isfinite(law.spread), "spread", law.spread, "(0, inf)");
  Eigen::MatrixXd means(static_cast<Eigen::Index>(law.dimension), static_cast<Eigen::Index>(law.classes));
  random::normals({means.data(), static_cast<std::size_t>(means.size())}, seed, Purpose::data, 0, 0);
  means *= law.mean_norm / std::sqrt(static_cast<double>(law.dimension));
  return {draw(law, means, law.train_examples, seed, 1), draw(law, means, law.test_examples, seed, 2)};
}

SoftmaxRegression::SoftmaxRegression(LabelledData data, double gradient_clip)
    : data_(std::move(data)), gradient_clip_(gradient_clip) {
  require_domain(gradient_clip > 0.0, "gradient_clip", gradient_clip, "(0, inf]");
  require_domain(data_.labels.size() == static_cast<std::size_t>(data_.features.cols()) && !data_.labels.empty(),
                 "number of labels", static_cast<double>(data_.labels.size()), "one per example, at least one");
  for (const std::uint32_t label : data_.labels) {
    require_domain(label < data_.classes, "label", label, "[0, classes)");
  }
  feature_norms_ = data_.features.colwise().norm();
  begins_.push_back(0);
  for (Eigen::Index i = 0; i < data_.features.cols(); ++i) {
    for (Eigen::Index j = 0; j < data_.features.rows(); ++j) {
      if (data_.features(j, i) != 0.0) {
        where_.push_back(static_cast<std::uint32_t>(j));
        values_.push_back(data_.features(j, i));
      }
    }
    begins_.push_back(where_.size());
  }
}

Eigen::MatrixXd SoftmaxRegression::mean_gradient(std::span<const std::uint32_t> batch,
                                                 const Eigen::MatrixXd& parameters) const {
  constexpr int usual = 10;  // known to the compiler, the sums stay in registers: half the time
  return parameters.rows() == usual ? mean_gradient_of<usual>(batch, parameters)
                                    : mean_gradient_of<Eigen::Dynamic>(batch, parameters);
}

template <int classes>
Eigen::MatrixXd SoftmaxRegression::mean_gradient_of(std::span<const std::uint32_t> batch,
                                                    const Eigen::MatrixXd& parameters) const {
  using Column = Eigen::Matrix<double, classes, 1>;
  const Eigen::Index rows = parameters.rows();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows, parameters.cols());
  Column residual(rows);
  for (const std::uint32_t example : batch) {
    const std::size_t begin = begins_[example], end = begins_[example + 1];
    residual.setZero();  // the scores at first
    for (std::size_t k = begin; k < end; ++k) {
      residual += values_[k] * Eigen::Map<const Column>(parameters.data() + where_[k] * rows, rows);
    }
    residual = (residual.array() - residual.maxCoeff()).exp().eval();
    residual /= residual.sum();
    residual(data_.labels[example]) -= 1.0;
    const double norm = residual.norm() * feature_norms_(example);
    if (norm > gradient_clip_) {
      residual *= gradient_clip_ / norm;
    }
    for (std::size_t k = begin; k < end; ++k) {
      Eigen::Map<Column>(sum.data() + where_[k] * rows, rows) += values_[k] * residual;
    }
  }
  return sum / static_cast<double>(batch.size());
}

double SoftmaxRegression::accuracy(const LabelledData& data, const Eigen::MatrixXd& parameters) {
  const Eigen::MatrixXd scores = parameters * data.features;
  std::size_t right = 0;
  for (Eigen::Index i = 0; i < scores.cols(); ++i) {
    Eigen::Index best = 0;
    scores.col(i).maxCoeff(&best);
    if (static_cast<std::uint32_t>(best) == data.labels[static_cast<std::size_t>(i)]) {
      ++right;
    }
  }
  return static_cast<double>(right) / static_cast<double>(data.labels.size());
}

}  // namespace dpcurves::models
