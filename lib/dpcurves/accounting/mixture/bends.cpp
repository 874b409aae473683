// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/mixture/bends.hpp>
#include <dpcurves/accounting/mixture/plain_piece.hpp>
#include <dpcurves/accounting/mixture/rule.hpp>

namespace dpcurves::accounting::mixture {
namespace {

constexpr double width = 1.0 / 16.0;  // of what a sample stands for
constexpr int rungs = 8;
constexpr double highest = 1.5, lowest = 1e-3, next_height = 0.7;

/// From left to right, about 1 apart, of few bits.
std::vector<double> exits_of(const Range& range) {
  const double length = range.right - range.left;
  const auto count = static_cast<int>(std::ceil(length));
  std::vector<double> exits{range.left};
  for (int k = 1; k <= count; ++k) {
    const double at = k == count ? range.right : range.left + std::floor(length * k / count * 64.0) / 64.0;
    if (at > exits.back()) {
      exits.push_back(at);
    }
  }
  return exits;
}

}  // namespace

double Bends::Sample::size(double y) const { return std::exp(log_size - y * turn); }

Bends::Bends(const Piece& piece, const Range& range, double order, double reference, double count)
    : ends_(exits_of(range)) {
  const PlainPiece plain(piece);
  const PlainRule& rule = plain_rule();
  real_ = {0.0};
  for (std::size_t i = 0; i + 1 < ends_.size(); ++i) {
    const double half = 0.5 * (ends_[i + 1] - ends_[i]), middle = 0.5 * (ends_[i + 1] + ends_[i]);
    double sum = real_.back();
    for (std::size_t k = 0; k < rule_size; ++k) {
      const auto [log_density, loss] = plain.at(middle + half * rule.node[k]);
      sum += half * rule.weight[k] * std::exp(log_density + order * loss - reference);
    }
    real_.push_back(sum);
  }
  constexpr double hardly = 0.01;  // of log |F|
  if (count * real_.back() < hardly) {
    return;
  }
  const auto sample = [&](const std::pair<PlainPiece::Complex, PlainPiece::Complex>& v, double side) {
    return Sample{v.first.real() + order * v.second.real() - reference, std::max(0.0, side * v.second.imag())};
  };
  for (double height = highest; height > lowest; height *= next_height) {
    // At conjugate points losses are conjugate: the path is on the side where Im l >= 0.
    const double side =
        plain.at(PlainPiece::Complex(range.right - 0.5 * width, height)).second.imag() < 0.0 ? -1.0 : 1.0;
    Path path{height, side < 0.0, {}, {}};
    std::size_t i = ends_.size() - 1;
    for (double x = range.right - 0.5 * width; i > 0; x -= width) {
      const auto v = plain.at(PlainPiece::Complex(x, height));
      if (!(side * v.second.imag() > 1e-12) || !std::isfinite(v.second.real())) {
        break;
      }
      path.along.push_back(sample(v, side));
      while (i > 0 && x - 0.5 * width <= ends_[i - 1]) {
        --i;
        Exit exit{i, path.along.size(), {}};
        for (int j = 0; j < rungs; ++j) {
          exit.up.push_back(sample(plain.at(PlainPiece::Complex(ends_[i], height * (j + 0.3) / rungs)), side));
        }
        path.exits.push_back(std::move(exit));
      }
    }
    paths_.push_back(std::move(path));
  }
}

Bend Bends::best(double y, double highest) const {
  Bend best = straight();
  for (const Path& path : paths_) {
    if (path.height > highest) {
      continue;
    }
    double after = 0.0;
    std::size_t seen = 0;
    for (const Exit& exit : path.exits) {
      for (; seen < exit.beyond; ++seen) {
        after += width * path.along[seen].size(y);
      }
      double up = 0.0;
      for (const Sample& rung : exit.up) {
        up += path.height / rungs * rung.size(y);
      }
      const double total = real_[exit.end] + 1.15 * after + up;
      if (total < best.total) {
        best = {total, path.height, ends_[exit.end], path.below};
      }
    }
  }
  return best;
}

}  // namespace dpcurves::accounting::mixture
