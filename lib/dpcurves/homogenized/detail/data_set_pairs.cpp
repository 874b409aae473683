// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <string>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/data_set_pairs.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// What the exact divergence and its bound read of one record at one s.
struct RecordSums {
  double residual = 0.0, quadratic = 0.0, f2 = 0.0, fg = 0.0, g2 = 0.0, known = 0.0;
  double norm2 = 0.0;   ///< squared Frobenius norm of the record's part H of the covariance, in the metric 1/D
  double lowest = 0.0;  ///< smallest eigenvalue of H
};

/// Inner product of the parts H of two records.
double frobenius(double eta, double q1, double q2, double f2, double fg, double g2) {
  const double e2 = eta * eta;
  return 2.0 * e2 * (g2 * f2 + fg * fg) - 2.0 * e2 * eta * (q1 + q2) * fg * f2 + e2 * e2 * q1 * q2 * f2 * f2;
}

RecordSums complete(double eta, RecordSums r) {
  r.norm2 = frobenius(eta, r.quadratic, r.quadratic, r.f2, r.fg, r.g2);
  // H has rank two: its eigenvalues from trace and Frobenius norm.
  const double trace = -2.0 * eta * r.fg + eta * eta * r.quadratic * r.f2;
  r.lowest = std::min(0.0, 0.5 * (trace - std::sqrt(std::max(0.0, 2.0 * r.norm2 - trace * trace))));
  return r;
}

/// Products of records i and j.
struct CrossSums {
  double f2 = 0.0, fg = 0.0, g2 = 0.0, known = 0.0;
};

/// Bounds of one pair in both directions, for every order, from a few scalars.
class PairBound {
 public:
  PairBound(double eta, const RecordSums& a, const RecordSums& b, const CrossSums& c) {
    const double difference = a.norm2 + b.norm2 - 2.0 * frobenius(eta, a.quadratic, b.quadratic, c.f2, c.fg, c.g2);
    constexpr double rounding = 1e-14;
    least_ = 1.0 + a.lowest;
    excess_ = least_ > 0.0 ? std::sqrt(std::max(0.0, difference) + rounding * (a.norm2 + b.norm2)) / least_ : infinity;
    const double e2 = eta * eta;
    const double gap_a = e2 * a.f2, gap_b = e2 * b.f2, gap_ab = -e2 * c.f2;
    square_ =
        gap_a * a.residual * a.residual + 2.0 * gap_ab * a.residual * b.residual + gap_b * b.residual * b.residual;
    // Covariance of the residuals given the previous release times the form of the gap: trace and determinant.
    trace_ = a.known * gap_a + b.known * gap_b + 2.0 * c.known * gap_ab;
    determinant_ = std::max(0.0, (a.known * b.known - c.known * c.known) * (gap_a * gap_b - gap_ab * gap_ab));
    const double u = gap_a * a.residual + gap_ab * b.residual, v = gap_ab * a.residual + gap_b * b.residual;
    spread_ = a.known * u * u + 2.0 * c.known * u * v + b.known * v * v;
  }

  /// No divergence of this pair at this order is larger.
  [[nodiscard]] double at(double order) const {
    const double reach = order * excess_;
    if (!(reach < 1.0)) {
      return infinity;
    }
    const double excess = order - 1.0;
    const double spread =
        order * excess_ * excess_ / (4.0 * excess) * (order / (1.0 - reach) - 1.0 + 2.0 / 3.0 * excess_);
    const double inflation = 1.0 / (least_ * (1.0 - reach));
    double mean = 0.5 * order * inflation * square_;
    if (trace_ > 0.0) {
      const double t = order * excess * inflation;
      const double det = 1.0 - t * trace_ + t * t * determinant_;
      if (!(det > 0.0 && t * trace_ < 1.0)) {
        return infinity;
      }
      mean += 0.5 * order * inflation * t * spread_ / (1.0 - t * trace_) - 0.5 * std::log(det) / excess;
    }
    constexpr double rounding = 1e-9;
    return (spread + mean) * (1.0 + rounding);
  }

 private:
  double least_ = 1.0;
  double excess_ = 0.0;
  double square_ = 0.0;
  double trace_ = 0.0;
  double determinant_ = 0.0;
  double spread_ = 0.0;
};

}  // namespace

struct DataSetPairs::Data {
  models::Spectrum spectrum;
  MatrixXd features;                  // shape (coordinates x records)
  ArrayXd labels;                     // shape (records)
  MatrixXd norms, starts, truths;     // block products, shape (blocks x records)
  std::vector<MatrixXd> block_grams;  // shape (blocks) of (records x records); empty: products are formed as needed

  /// features' diag(weights) features for two ranges of records.
  [[nodiscard]] MatrixXd products(const ArrayXd& weights, const ArrayXd& per_coordinate, Index i, Index rows, Index j,
                                  Index columns) const {
    if (block_grams.empty()) {
      // Products of whole matrices: each type of block costs a compiler seconds.
      const MatrixXd left = per_coordinate.matrix().asDiagonal() * features.middleCols(i, rows),
                     right = features.middleCols(j, columns);
      return left.transpose() * right;
    }
    MatrixXd sum = MatrixXd::Zero(rows, columns);
    for (std::size_t b = 0; b < block_grams.size(); ++b) {
      sum += weights[static_cast<Index>(b)] * block_grams[b].block(i, j, rows, columns);
    }
    return sum;
  }

  [[nodiscard]] std::vector<RecordSums> record_sums(const JumpWeights& weights) const {
    const auto against = [&](const MatrixXd& blocks, const ArrayXd& by) -> ArrayXd {
      return (blocks.transpose() * by.matrix()).array();
    };
    const ArrayXd residual = against(starts, weights.mean_start) + against(truths, weights.mean_truth) - labels;
    const ArrayXd quadratic = against(norms, weights.variance), f2 = against(norms, weights.f2);
    const ArrayXd fg = against(norms, weights.fg), g2 = against(norms, weights.g2);
    const ArrayXd known = weights.known.size() > 0 ? against(norms, weights.known) : ArrayXd::Zero(labels.size());
    std::vector<RecordSums> sums;
    for (Index k = 0; k < labels.size(); ++k) {
      sums.push_back(complete(weights.step_size, {residual[k], quadratic[k], f2[k], fg[k], g2[k], known[k], 0.0, 0.0}));
    }
    return sums;
  }

  /// Calls visit(i, j, laws) for the pairs that `wanted`(bound) lets through.
  template <typename Wanted, typename Visit>
  void scan(const JumpWeights& weights, const Wanted& wanted, const Visit& visit) const {
    const auto sums = record_sums(weights);
    const ArrayXd expanded[] = {expand(weights.f2), expand(weights.fg), expand(weights.g2), expand(weights.known)};
    const bool joint = weights.known.size() > 0;
    constexpr Index tile = 128;
    const Index count = labels.size();
    for (Index i0 = 0; i0 < count; i0 += tile) {
      const Index rows = std::min(tile, count - i0);
      for (Index j0 = i0; j0 < count; j0 += tile) {
        const Index columns = std::min(tile, count - j0);
        const MatrixXd f2 = products(weights.f2, expanded[0], i0, rows, j0, columns);
        const MatrixXd fg = products(weights.fg, expanded[1], i0, rows, j0, columns);
        const MatrixXd g2 = products(weights.g2, expanded[2], i0, rows, j0, columns);
        const MatrixXd known = joint ? products(weights.known, expanded[3], i0, rows, j0, columns) : MatrixXd();
        for (Index c = 0; c < columns; ++c) {
          for (Index r = 0; r < rows && i0 + r < j0 + c; ++r) {
            const auto& a = sums[static_cast<std::size_t>(i0 + r)];
            const auto& b = sums[static_cast<std::size_t>(j0 + c)];
            const CrossSums cross{f2(r, c), fg(r, c), g2(r, c), joint ? known(r, c) : 0.0};
            if (wanted(PairBound(weights.step_size, a, b, cross))) {
              visit(i0 + r, j0 + c, NeighbouringLaws(weights, pair(a, b, cross, i0 + r, j0 + c)));
            }
          }
        }
      }
    }
  }

 private:
  [[nodiscard]] ArrayXd expand(const ArrayXd& per_block) const {
    return block_grams.empty() && per_block.size() > 0 ? spectrum.per_coordinate(per_block) : ArrayXd();
  }
  [[nodiscard]] PairSums pair(const RecordSums& a, const RecordSums& b, const CrossSums& c, Index i, Index j) const {
    PairSums sums{.residual = {a.residual, b.residual}, .quadratic = {a.quadratic, b.quadratic}};
    sums.f2 << a.f2, c.f2, c.f2, b.f2;
    sums.fg << a.fg, c.fg, c.fg, b.fg;
    sums.g2 << a.g2, c.g2, c.g2, b.g2;
    sums.known << a.known, c.known, c.known, b.known;
    sums.equal = labels[i] == labels[j] && features.col(i) == features.col(j);
    return sums;
  }
};

DataSetPairs::DataSetPairs(const models::LeastSquares& problem, std::span<const models::Record> records) {
  require_domain(records.size() >= 2, "number of records", static_cast<double>(records.size()), "[2, inf)");
  require_domain(problem.has_coordinates(), "x0", 0.0, "problems with coordinates");
  const auto& spectrum = problem.spectrum;
  const auto count = static_cast<Index>(records.size());
  auto data = std::make_shared<Data>();
  data->spectrum = spectrum;
  data->features.resize(spectrum.size(), count);
  data->labels.resize(count);
  for (auto* blocks : {&data->norms, &data->starts, &data->truths}) {
    blocks->resize(spectrum.block_count(), count);
  }
  for (Index k = 0; k < count; ++k) {
    const auto& record = records[static_cast<std::size_t>(k)];
    require_domain(record.features.size() == spectrum.size(), "number of features",
                   static_cast<double>(record.features.size()), "{" + std::to_string(spectrum.size()) + "}");
    require_domain(record.features.allFinite() && std::isfinite(record.label), "record", static_cast<double>(k),
                   "the records of finite numbers (its place shown)");
    data->features.col(k) = record.features.matrix();
    data->labels[k] = record.label;
    data->norms.col(k) = spectrum.block_sums(record.features.square()).matrix();
    data->starts.col(k) = spectrum.block_sums(record.features * problem.x0).matrix();
    data->truths.col(k) = spectrum.block_sums(record.features * problem.xtilde).matrix();
  }
  constexpr double most_bytes = 1e9;
  const auto blocks = static_cast<double>(spectrum.block_count());
  const auto size = static_cast<double>(spectrum.size()), many = static_cast<double>(count);
  if (blocks * blocks <= size && 8.0 * blocks * many * many <= most_bytes) {
    Index row = 0;
    for (Index b = 0; b < spectrum.block_count(); ++b) {
      const auto height = static_cast<Index>(spectrum.multiplicity()[b]);
      const MatrixXd part = data->features.middleRows(row, height);
      data->block_grams.emplace_back(part.transpose() * part);
      row += height;
    }
  }
  data_ = std::move(data);
}

std::size_t DataSetPairs::records() const { return static_cast<std::size_t>(data_->labels.size()); }

PairSuprema DataSetPairs::operator()(const JumpWeights& weights, std::span<const double> orders) const {
  std::vector<double> best(orders.size(), 0.0);
  double limit = infinity;
  if (weights.step_size == 0.0) {
    return {best, best, limit, limit};
  }
  if (orders.empty()) {
    data_->scan(
        weights, [&](const PairBound& bound) { return std::isinf(limit) || std::isinf(bound.at(limit)); },
        [&](Index /*i*/, Index /*j*/, const NeighbouringLaws& laws) {
          limit = std::min(
              {limit, laws.order_limit(Direction::first_to_second), laws.order_limit(Direction::second_to_first)});
        });
    return {best, best, limit, limit};
  }
  data_->scan(
      weights,
      [&](const PairBound& bound) {
        for (std::size_t k = 0; k < orders.size(); ++k) {
          if (bound.at(orders[k]) > best[k]) {
            return true;
          }
        }
        return false;
      },
      [&](Index /*i*/, Index /*j*/, const NeighbouringLaws& laws) {
        for (const auto direction : {Direction::first_to_second, Direction::second_to_first}) {
          for (std::size_t k = 0; k < orders.size(); ++k) {
            best[k] = std::max(best[k], laws.renyi(orders[k], direction));
          }
        }
      });
  return {best, best, limit, limit};
}

DataSetPairs::Worst DataSetPairs::worst(const JumpWeights& weights, double order) const {
  Worst worst;
  data_->scan(
      weights, [&](const PairBound& bound) { return bound.at(order) > worst.divergence; },
      [&](Index i, Index j, const NeighbouringLaws& laws) {
        const double divergence =
            std::max(laws.renyi(order, Direction::first_to_second), laws.renyi(order, Direction::second_to_first));
        if (divergence > worst.divergence) {
          worst = {static_cast<std::size_t>(i), static_cast<std::size_t>(j), divergence};
        }
      });
  return worst;
}

}  // namespace dpcurves::homogenized
