// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/exponential_sum.hpp>
#include <dpcurves/numerics/symmetric.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_direct = 4096;  // terms that Lanczos takes in one go
constexpr int local_nodes = 6;       // of the rules within an interval of rates of ratio 0.8: 1e-15 of its mass

/// The Jacobi matrix of a discrete measure, grown row by row.
class Lanczos {
 public:
  explicit Lanczos(const ExponentialSum& sum, Index most)
      : points_(sum.rates.matrix()), basis_(sum.rates.size(), std::min(most, sum.rates.size())) {
    mass_ = sum.weights.sum();
    scale_ = points_.maxCoeff();
    basis_.col(0) = (sum.weights / mass_).sqrt().matrix();
  }

  /// At least m rows, or as many as the measure has atoms.
  void extend(Index m) {
    while (static_cast<Index>(diagonal_.size()) < m && !exhausted_) {
      const auto k = static_cast<Index>(diagonal_.size());
      VectorXd next = points_.cwiseProduct(basis_.col(k));
      diagonal_.push_back(basis_.col(k).dot(next));
      for (int sweep = 0; sweep < 2; ++sweep) {
        const VectorXd overlap = basis_.leftCols(k + 1).transpose() * next;
        next.noalias() -= basis_.leftCols(k + 1) * overlap;
      }
      const double norm = next.norm();
      constexpr double rounding = 1e-14;  // what two sweeps of orthogonalisation may leave of zero
      if (!(norm > rounding * scale_) || k + 1 >= basis_.cols()) {
        exhausted_ = true;
        break;
      }
      beside_.push_back(norm);
      basis_.col(k + 1) = next / norm;
    }
  }

  [[nodiscard]] ExponentialSum gauss(Index m) const {
    m = std::min(m, static_cast<Index>(diagonal_.size()));
    return rule(column(diagonal_, m), column(beside_, m - 1));
  }

  /// Gauss-Radau with a node fixed at `fixed`, which lies at or below the smallest point.
  [[nodiscard]] ExponentialSum radau(Index m, double fixed) const {
    if (exhausted_ && m >= static_cast<Index>(diagonal_.size())) {
      return gauss(m);  // the measure has no more atoms than that: the rule is exact
    }
    const VectorXd diagonal = column(diagonal_, m);
    const VectorXd beside = column(beside_, m - 1);
    const double last = beside_[static_cast<std::size_t>(m - 1)];
    // The fixed node is an eigenvalue of the extended matrix: x_k = last entry of (J_k - fixed)^{-1} beta_k^2 e_k, by
    // the recursion of pivots; they are positive because fixed lies below the nodes.
    double pivot = diagonal[0] - fixed;
    for (Index k = 1; k < m; ++k) {
      pivot = diagonal[k] - fixed - beside[k - 1] * beside[k - 1] / pivot;
    }
    VectorXd longer(m + 1);
    longer << diagonal, fixed + last * last / pivot;
    VectorXd off(m);
    off << beside, last;
    return rule(longer, off);
  }

 private:
  static VectorXd column(const std::vector<double>& values, Index count) {
    return Eigen::Map<const VectorXd>(values.data(), std::max<Index>(count, 0));
  }

  [[nodiscard]] ExponentialSum rule(const VectorXd& diagonal, const VectorXd& beside) const {
    const auto solver = numerics::tridiagonal_eigen(diagonal, beside);
    return {solver.eigenvalues().array().max(0.0), mass_ * solver.eigenvectors().row(0).transpose().array().square()};
  }

  VectorXd points_;
  MatrixXd basis_;
  std::vector<double> diagonal_, beside_;
  double mass_ = 0.0;
  double scale_ = 0.0;
  bool exhausted_ = false;
};

ExponentialSum joined(const std::vector<ExponentialSum>& parts) {
  Index count = 0;
  for (const auto& part : parts) {
    count += part.rates.size();
  }
  ExponentialSum all{ArrayXd(count), ArrayXd(count)};
  Index start = 0;
  for (const auto& part : parts) {
    all.rates.segment(start, part.rates.size()) = part.rates;
    all.weights.segment(start, part.rates.size()) = part.weights;
    start += part.rates.size();
  }
  return all;
}

/// Rules of six nodes within intervals of rates: a lower and an upper sum of at most 7 terms per interval.
CompressedSum localised(const ExponentialSum& sum) {
  const double largest = sum.rates.maxCoeff();
  const double lowest = sum.rates.minCoeff();
  // Distances from the lowest rate: a common shift (regularisation) only multiplies by exp(-shift tau).
  constexpr double log_ratio = 0.22314355131420976;  // -log(0.8)
  constexpr int intervals = 170;                     // the last one holds what is below 1e-16 of the range
  std::vector<std::vector<Index>> members(intervals);
  for (Index k = 0; k < sum.rates.size(); ++k) {
    const double share = (sum.rates[k] - lowest) / (largest - lowest);
    const double place = share > 0.0 ? -std::log(share) / log_ratio : static_cast<double>(intervals);
    members[static_cast<std::size_t>(std::min(place, intervals - 1.0))].push_back(k);
  }
  std::vector<ExponentialSum> below;
  std::vector<ExponentialSum> above;
  for (const auto& list : members) {
    const auto count = static_cast<Index>(list.size());
    if (count == 0) {
      continue;
    }
    ExponentialSum part{ArrayXd(count), ArrayXd(count)};
    for (Index k = 0; k < count; ++k) {
      part.rates[k] = sum.rates[list[static_cast<std::size_t>(k)]];
      part.weights[k] = sum.weights[list[static_cast<std::size_t>(k)]];
    }
    if (count <= local_nodes || !(part.weights.sum() > 0.0)) {
      below.push_back(part);
      above.push_back(part);
      continue;
    }
    Lanczos run(part, local_nodes + 1);
    run.extend(local_nodes + 1);
    below.push_back(run.gauss(local_nodes));
    above.push_back(run.radau(local_nodes, part.rates.minCoeff()));
  }
  return {joined(below), joined(above)};
}

void require_measure(const ExponentialSum& sum) {
  require_domain(sum.rates.size() >= 1, "number of rates", static_cast<double>(sum.rates.size()), "[1, inf)");
  require_domain(sum.weights.size() == sum.rates.size(), "number of weights", static_cast<double>(sum.weights.size()),
                 "{number of rates}");
  for (const auto& [values, name] : {std::pair{&sum.rates, "rate"}, {&sum.weights, "weight"}}) {
    const double least = values->minCoeff();
    require_domain(least >= 0.0, name, least, "[0, inf)");
    require_domain(values->isFinite().all(), name, values->maxCoeff(), "[0, inf)");
  }
}

/// Lanczos of both sides of a sum, for several m.
class Compression {
 public:
  Compression(const ExponentialSum& sum, Index most)
      : lowest_(sum.rates.minCoeff()), empty_(!(sum.weights.sum() > 0.0)) {
    if (empty_) {
      return;
    }
    if (sum.rates.size() <= most_direct) {
      runs_.emplace_back(sum, most + 1);
      return;
    }
    const CompressedSum local = localised(sum);
    runs_.emplace_back(local.lower, most + 1);
    runs_.emplace_back(local.upper, most + 1);
  }

  CompressedSum rules(Index m) {
    if (empty_) {
      const ExponentialSum zero{ArrayXd::Constant(1, lowest_), ArrayXd::Zero(1)};
      return {zero, zero};
    }
    for (auto& run : runs_) {
      run.extend(m + 1);
    }
    return {runs_.front().gauss(m), runs_.back().radau(m, lowest_)};
  }

 private:
  double lowest_;
  bool empty_;
  std::vector<Lanczos> runs_;
};

}  // namespace

CompressedSum compress(const ExponentialSum& sum, int m) {
  require_measure(sum);
  require_domain(m >= 1, "m", m, "[1, inf)");
  if (sum.rates.size() <= m) {
    return {sum, sum};
  }
  return Compression(sum, m).rules(m);
}

CompressedSum compress_to(const ExponentialSum& sum, double longest, double tolerance, double* gap) {
  require_measure(sum);
  require_domain(longest >= 0.0, "longest", longest, "[0, inf)");
  constexpr int most = 128;
  constexpr int points = 200;
  const double mass = sum.weights.sum();
  Compression compression(sum, most);
  CompressedSum rules;
  double widest = 0.0;
  for (int m = 8; m <= most; m *= 2) {
    if (sum.rates.size() <= m) {
      rules = {sum, sum};
      widest = 0.0;
      break;
    }
    rules = compression.rules(m);
    widest = 0.0;
    const double least = std::min(longest, 1e-3 / std::max(sum.rates.maxCoeff(), 1e-300));
    for (int k = 0; k <= points && longest > 0.0 && mass > 0.0; ++k) {
      const double tau = least * std::pow(longest / least, static_cast<double>(k) / points);
      widest = std::max(widest, (rules.upper(tau) - rules.lower(tau)) / mass);
    }
    if (widest <= tolerance) {
      break;
    }
  }
  if (gap != nullptr) {
    *gap = widest;
  }
  return rules;
}

Enclosure enclose(const CompressedSum& sum, double tau) {
  require_domain(tau >= 0.0, "tau", tau, "[0, inf)");
  constexpr double rounding = 1e-14;
  const double widening = rounding * sum.upper.weights.sum();
  return {std::max(0.0, sum.lower(tau) - widening), sum.upper(tau) + widening};
}

}  // namespace dpcurves::homogenized
