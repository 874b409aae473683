// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/softmax_kernel.hpp>
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

template <class Column>
void SoftmaxRegression::to_clipped_residual(std::uint32_t example, Column& scores) const {
  scores = (scores.array() - scores.maxCoeff()).exp().eval();
  scores /= scores.sum();
  scores(data_.labels[example]) -= 1.0;
  const double norm = scores.norm() * feature_norms_(example);
  if (norm > gradient_clip_) {
    scores *= gradient_clip_ / norm;
  }
}

Eigen::MatrixXd SoftmaxRegression::mean_gradient(std::span<const std::uint32_t> batch,
                                                 const Eigen::MatrixXd& parameters) const {
  static const random::InstructionSet best = random::instruction_sets().back();
  constexpr int usual = 10;
  if (parameters.rows() == usual) {
    return mean_gradient(batch, parameters, best);
  }
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(parameters.rows(), parameters.cols());
  Eigen::VectorXd residual(parameters.rows());
  for (const std::uint32_t example : batch) {
    const std::size_t begin = begins_[example], end = begins_[example + 1];
    residual.setZero();  // the scores at first
    for (std::size_t k = begin; k < end; ++k) {
      residual += values_[k] * parameters.col(where_[k]);
    }
    to_clipped_residual(example, residual);
    for (std::size_t k = begin; k < end; ++k) {
      sum.col(where_[k]) += values_[k] * residual;
    }
  }
  return sum / static_cast<double>(batch.size());
}

Eigen::MatrixXd SoftmaxRegression::mean_gradient(std::span<const std::uint32_t> batch,
                                                 const Eigen::MatrixXd& parameters,
                                                 random::InstructionSet variant) const {
  constexpr Eigen::Index classes = 10;
  require_domain(parameters.rows() == classes, "classes", static_cast<double>(parameters.rows()), "{10}");
  const auto dimension = static_cast<std::size_t>(parameters.cols());
  const kernels::TenClasses& loops = kernels::ten_classes(variant);
  const kernels::SparseFeatures features{values_.data(), where_.data(), begins_.data()};
  Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(loops.width), parameters.cols());
  padded.topRows(classes) = parameters;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(padded.rows(), padded.cols());
  Eigen::MatrixXd scores(padded.rows(), static_cast<Eigen::Index>(loops.group));
  for (std::size_t begin = 0; begin < batch.size();) {
    const bool whole = batch.size() - begin >= loops.group;
    const std::size_t size = whole ? loops.group : 1;
    (whole ? loops.scores : loops.scores_of_one)(features, &batch[begin], padded.data(), scores.data());
    bool full = whole;
    for (std::size_t e = 0; e < size; ++e) {
      const std::uint32_t example = batch[begin + e];
      full = full && begins_[example + 1] - begins_[example] == dimension;
      auto column = scores.col(static_cast<Eigen::Index>(e));
      Eigen::Matrix<double, classes, 1> residual = column.template head<classes>();
      to_clipped_residual(example, residual);
      column.template head<classes>() = residual;
    }
    if (full) {
      loops.add_full(features, &batch[begin], dimension, scores.data(), sum.data());
    } else {
      for (std::size_t e = 0; e < size; ++e) {
        loops.add(features, batch[begin + e], scores.col(static_cast<Eigen::Index>(e)).data(), sum.data());
      }
    }
    begin += size;
  }
  return sum.topRows(classes) / static_cast<double>(batch.size());
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
