// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/margin.hpp>
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

void check(const MatrixXd& gram) {
  require_domain(gram.rows() == gram.cols() && gram.rows() >= 1, "rows of the Gram matrix",
                 static_cast<double>(gram.rows()), "its columns, at least 1");
  require_domain(gram.allFinite(), "Gram matrix", std::nan(""), "finite");
}

/// min over b >= 0 of b'K b + (sum b - 1)^2, by Lawson and Hanson's active sets on the normal equations.
class ActiveSets {
 public:
  explicit ActiveSets(const MatrixXd& gram) : scale_(std::max(gram.diagonal().maxCoeff(), 1e-300)), k_(gram / scale_) {}

  VectorXd solve() {
    const Index n = k_.rows();
    VectorXd b = VectorXd::Zero(n);
    const Index most = 10 * n + 100;
    for (Index iteration = 0; iteration < most; ++iteration) {
      const VectorXd slope = VectorXd::Constant(n, 1.0 - b.sum()) - k_ * b;  // of half the objective, downhill
      Index enters = -1;
      double steepest = 64.0 * epsilon;
      for (Index i = 0; i < n; ++i) {
        if (!passive(i) && slope[i] > steepest) {
          steepest = slope[i];
          enters = i;
        }
      }
      if (enters < 0) {
        return b;
      }
      passive_.push_back(enters);
      if (!descend(b)) {  // rounding: the newcomer leaves at once
        return b;
      }
    }
    throw ConvergenceError("margin: the active sets of " + std::to_string(n) + " rows did not settle in " +
                           std::to_string(most) + " iterations");
  }

 private:
  [[nodiscard]] bool passive(Index i) const { return std::find(passive_.begin(), passive_.end(), i) != passive_.end(); }

  /// Moves b to the minimum over its positive part; false if the newest entry cannot grow.
  bool descend(VectorXd& b) {
    const Index newest = passive_.back();
    while (true) {
      const auto size = static_cast<Index>(passive_.size());
      MatrixXd part(size, size);
      for (Index i = 0; i < size; ++i) {
        for (Index j = 0; j < size; ++j) {
          part(i, j) = k_(passive_[static_cast<std::size_t>(i)], passive_[static_cast<std::size_t>(j)]) + 1.0;
        }
      }
      part.diagonal().array() += 4.0 * epsilon;  // duplicates make the part singular
      const VectorXd z = numerics::solved(part, VectorXd::Ones(size));
      double step = 1.0;
      for (Index i = 0; i < size; ++i) {
        const double now = b[passive_[static_cast<std::size_t>(i)]];
        if (!(z[i] > 0.0)) {
          if (passive_[static_cast<std::size_t>(i)] == newest && now == 0.0) {
            passive_.pop_back();
            return false;
          }
          step = std::min(step, now / (now - z[i]));
        }
      }
      for (Index i = 0; i < size; ++i) {
        double& entry = b[passive_[static_cast<std::size_t>(i)]];
        entry += step * (z[i] - entry);
        if (step < 1.0 && (z[i] <= 0.0) && entry <= 4.0 * epsilon) {
          entry = 0.0;
        }
      }
      if (step == 1.0) {
        return true;
      }
      const auto before = passive_.size();
      std::erase_if(passive_, [&b](Index i) { return b[i] == 0.0; });
      if (passive_.size() == before) {  // rounding kept the blocking entry just above 0
        const auto least =
            std::min_element(passive_.begin(), passive_.end(), [&b](Index i, Index j) { return b[i] < b[j]; });
        b[*least] = 0.0;
        passive_.erase(least);
      }
      if (passive_.empty()) {
        return false;
      }
    }
  }

  double scale_;
  MatrixXd k_;
  std::vector<Index> passive_;
};

Margin weights_of(const MatrixXd& gram) {
  check(gram);
  Margin margin;
  const VectorXd b = ActiveSets(gram).solve();
  const double sum = b.sum();
  margin.weights =
      sum > 0.0 ? VectorXd(b / sum) : VectorXd::Constant(gram.rows(), 1.0 / static_cast<double>(gram.rows()));
  for (Index i = 0; i < margin.weights.size(); ++i) {
    if (margin.weights[i] > 0.0) {
      margin.support.push_back(static_cast<std::size_t>(i));
    }
  }
  return margin;
}

/// The ends from the norm of the combination and its products with the rows. Without a positive least product nothing
/// separates: the lower end is then that of u = 0.
void certify(Margin& margin, double upper, const VectorXd& products, double product_error) {
  const double least = products.minCoeff() - product_error;
  margin.separable = least > 0.0;
  margin.value = {margin.separable ? std::min(least / upper, upper) : 0.0, upper};
}

}  // namespace

Margin margin_of_gram(const MatrixXd& gram) {
  Margin margin = weights_of(gram);
  const VectorXd products = gram * margin.weights;
  const double size = gram.cwiseAbs().maxCoeff();
  const double error = 4.0 * epsilon * size;  // weights sum to 1
  certify(margin, std::sqrt(std::max(margin.weights.dot(products), 0.0) + error), products, error);
  return margin;
}

Margin margin_of_rows(const MatrixXd& rows) {
  require_domain(rows.size() >= 1, "number of entries", static_cast<double>(rows.size()), "[1, inf)");
  require_domain(rows.allFinite(), "rows", std::nan(""), "finite");
  Margin margin = weights_of(rows * rows.transpose());
  const VectorXd combination = rows.transpose() * margin.weights;
  const double longest = rows.rowwise().norm().maxCoeff();
  // Each entry of the combination is off by some units of the longest row.
  const double entry_error = 4.0 * epsilon * longest;
  const double norm_error = entry_error * std::sqrt(static_cast<double>(combination.size()));
  certify(margin, combination.norm() + norm_error, rows * combination, norm_error * longest);
  return margin;
}

Enclosure simple_margin_bounds(const MatrixXd& gram) {
  check(gram);
  const auto n = static_cast<double>(gram.rows());
  const VectorXd values = numerics::symmetric_eigenvalues(gram);
  const double least = std::max(0.0, values[0] - 8.0 * epsilon * values.cwiseAbs().maxCoeff());
  return {std::sqrt(least / n), std::sqrt(std::max(0.0, gram.sum())) / n * (1.0 + 8.0 * epsilon)};
}

}  // namespace dpcurves::models
