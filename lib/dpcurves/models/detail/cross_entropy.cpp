// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/cross_entropy.hpp>

namespace dpcurves::models {

CrossEntropy cross_entropy(std::span<const double> scores, std::size_t label, std::span<double> probabilities) {
  require_domain(scores.size() >= 2, "number of scores", static_cast<double>(scores.size()), "[2, inf)");
  require_domain(label < scores.size(), "label", static_cast<double>(label), "[0, classes)");
  require_domain(probabilities.empty() || probabilities.size() == scores.size(), "number of probabilities",
                 static_cast<double>(probabilities.size()), "that of the scores");
  const std::size_t top = predicted_class(scores);
  // The best of the other classes, and the others relative to it: both sums below are at least 1.
  std::size_t rival = label == 0 ? 1 : 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    require_domain(std::isfinite(scores[k]), "score", scores[k], "(-inf, inf)");
    if (k != label && scores[k] > scores[rival]) {
      rival = k;
    }
  }
  double others = 0.0, beside_top = 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    others += k == label ? 0.0 : std::exp(scores[k] - scores[rival]);
    beside_top += k == top ? 0.0 : std::exp(scores[k] - scores[top]);
  }
  CrossEntropy result;
  result.loss = std::log1p(beside_top) + (scores[top] - scores[label]);
  const double log_odds = (scores[rival] - scores[label]) + std::log(others);  // of the other classes against y
  result.log_residual = log_odds < 0.0 ? log_odds - std::log1p(std::exp(log_odds)) : -std::log1p(std::exp(-log_odds));
  // A sum of probabilities, as exact as they are.
  result.residual = others * (std::exp(scores[rival] - scores[top]) / (1.0 + beside_top));
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    probabilities[k] = std::exp(scores[k] - scores[top]) / (1.0 + beside_top);
  }
  return result;
}

double residual_ratio(std::span<const double> log_residuals) {
  require_domain(!log_residuals.empty(), "number of residuals", 0.0, "[1, inf)");
  for (const double value : log_residuals) {
    require_domain(value <= 0.0, "log_residual", value, "[-inf, 0]");
  }
  const auto [least, most] = std::minmax_element(log_residuals.begin(), log_residuals.end());
  return *least == *most ? 1.0 : std::exp(*most - *least);
}

std::size_t predicted_class(std::span<const double> scores) {
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

}  // namespace dpcurves::models
