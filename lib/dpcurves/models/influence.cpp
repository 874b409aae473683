// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/influence.hpp>

namespace dpcurves::models {
namespace {

std::vector<std::uint32_t> members(std::span<const std::uint32_t> labels, std::size_t label) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == label) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace

std::vector<double> influence_scores(const Eigen::Ref<const Eigen::MatrixXd>& examples, int ddof) {
  const auto count = static_cast<double>(examples.rows());
  require_domain(examples.rows() >= 3, "number of examples", count, "[3, inf)");
  require_domain(examples.cols() >= 1, "dimension", static_cast<double>(examples.cols()), "[1, inf)");
  require_domain(ddof == 0 || ddof == 1, "ddof", ddof, "{0, 1}");
  // Centred twice: the second mean is what rounding left of the first.
  Eigen::MatrixXd centred = examples.rowwise() - examples.row(0);
  centred.rowwise() -= centred.colwise().mean().eval();
  centred.rowwise() -= centred.colwise().mean().eval();
  const double largest = centred.cwiseAbs().maxCoeff();
  require_domain(std::isfinite(largest), "entry of the examples", largest, "(-inf, inf)");
  if (largest == 0.0) {
    return std::vector<double>(static_cast<std::size_t>(examples.rows()), 0.0);
  }
  centred /= largest;
  const Eigen::VectorXd lengths = centred.rowwise().squaredNorm();  // |D_i|^2
  Eigen::VectorXd products;                                         // D_i' M D_i, M the scatter matrix
  double scatter = 0.0;                                             // |M|_F^2
  if (centred.rows() <= centred.cols()) {
    const Eigen::MatrixXd gram = centred * centred.transpose();
    products = gram.rowwise().squaredNorm();
    scatter = gram.squaredNorm();
  } else {
    const Eigen::MatrixXd matrix = centred.transpose() * centred;
    products = (centred * matrix).cwiseProduct(centred).rowwise().sum();
    scatter = matrix.squaredNorm();
  }
  const double all = count - ddof, fewer = count - 1.0 - ddof, factor = count / (count - 1.0);
  std::vector<double> scores;
  for (Eigen::Index i = 0; i < centred.rows(); ++i) {
    // |M|^2/all^2 - |M - factor D D'|^2/fewer^2, the two |M|^2 taken together.
    const double change = factor * (2.0 * products(i) - factor * lengths(i) * lengths(i));
    const double score = (change - scatter * (1.0 / all) * (2.0 - 1.0 / all)) / (fewer * fewer);
    scores.push_back(score * largest * largest * (largest * largest));
  }
  return scores;
}

std::vector<double> influence_scores_by_class(const Eigen::Ref<const Eigen::MatrixXd>& examples,
                                              std::span<const std::uint32_t> labels, std::size_t classes, int ddof) {
  require_domain(labels.size() == static_cast<std::size_t>(examples.rows()), "number of labels",
                 static_cast<double>(labels.size()), "that of the examples");
  std::vector<double> scores(labels.size());
  for (std::size_t k = 0; k < classes; ++k) {
    const auto own = members(labels, k);
    Eigen::MatrixXd part(static_cast<Eigen::Index>(own.size()), examples.cols());
    for (std::size_t i = 0; i < own.size(); ++i) {
      part.row(static_cast<Eigen::Index>(i)) = examples.row(own[i]);
    }
    const auto values = influence_scores(part, ddof);
    for (std::size_t i = 0; i < own.size(); ++i) {
      scores[own[i]] = values[i];
    }
  }
  return scores;
}

std::vector<std::uint32_t> extreme_examples(std::span<const double> scores, std::span<const std::uint32_t> labels,
                                            std::size_t classes, double share, bool highest) {
  require_domain(share > 0.0 && share <= 1.0, "share", share, "(0, 1]");
  require_domain(labels.size() == scores.size(), "number of labels", static_cast<double>(labels.size()),
                 "that of the scores");
  std::vector<std::uint32_t> chosen;
  for (std::size_t k = 0; k < classes; ++k) {
    auto own = members(labels, k);
    std::stable_sort(own.begin(), own.end(), [&](std::uint32_t a, std::uint32_t b) {
      return highest ? scores[a] > scores[b] : scores[a] < scores[b];
    });
    const auto taken = static_cast<std::size_t>(std::llround(share * static_cast<double>(own.size())));
    chosen.insert(chosen.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  return chosen;
}

}  // namespace dpcurves::models
