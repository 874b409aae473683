// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/tail_paths.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

TailPaths::TailPaths(const Piece& piece, double c, double reference, double mean, double digits)
    : piece_(&piece), demand_{c, reference, mean, digits, 1.0, {Plain(c)}, {}}, strip_(HUGE_VAL) {}

double TailPaths::Tail::sum(double y) {
  if (!edge_) {
    const PlainIntegral nodes(*piece_, path_);
    edge_ = nodes.edge(c_, 0.0, 0.0);
    terms_.reserve(nodes.size());
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      terms_.push_back({nodes.height(j, c_), nodes.loss_im[j]});
    }
  }
  double total = *edge_;
  for (const Term& term : terms_) {
    total += std::exp(term.at(y));
  }
  return total;
}

// About the logarithm of the error of the sum: the suprema of cells on both displaced lines, and of the cap at the
// right end. Where two mixtures move, boxes of balls are wider than what the corners of a cell show.
double TailPaths::Tail::log_error(double y) {
  constexpr long stride = 4;  // few cells show it
  constexpr int parts = 6;
  if (cells_.empty()) {
    PlainEvaluation at_point(*piece_, path_);
    const auto term = [&](double s, double height) -> Term {
      const PlainPoint at = at_point(Plain(s, piece_->side() * height));
      return {at.log_base.real() + c_ * at.loss.real(), at.loss.imag()};
    };
    for (const double height : {path_.up, -path_.down}) {  // line by line: the angles stay
      for (long j = 0, k = 0; j < path_.count; j += stride, ++k) {
        const double s = path_.first + static_cast<double>(j) * path_.h;
        const Term left = term(s, height), right = term(s + path_.h, height);
        if (height > 0.0) {
          cells_.push_back({left, right, {}, {}});
        } else {
          cells_[static_cast<std::size_t>(k)].below_left = left;
          cells_[static_cast<std::size_t>(k)].below_right = right;
        }
      }
    }
    const double end = path_.first + static_cast<double>(path_.count) * path_.h;
    for (int i = 0; i < parts; ++i) {
      const double low = path_.up * i / parts, high = path_.up * (i + 1) / parts;
      caps_.push_back({term(end, low), term(end, high), term(end, -low), term(end, -high)});
    }
  }
  const double wider = piece_->steepest() == 2 ? 6.0 : 1.0;
  const auto largest = [&](const Cell& cell) {
    const auto most = [wider](double a, double b) { return std::max(a, b) + wider * std::abs(a - b); };
    return 0.5 *
           (most(cell.above_left.at(y), cell.above_right.at(y)) + most(cell.below_left.at(y), cell.below_right.at(y)));
  };
  double top = -std::numeric_limits<double>::infinity();
  std::vector<double> logs;
  logs.reserve(cells_.size());
  for (const Cell& cell : cells_) {
    logs.push_back(largest(cell));
    top = std::max(top, logs.back());
  }
  double sum = 0.0;
  for (const double one : logs) {
    sum += std::isinf(one) ? 0.0 : std::exp(one - top);
  }
  const double turns = 2.0 * pi / path_.h;
  double total = top + std::log(sum) + std::log(2.0 * stride * path_.h) - turns * path_.up;
  for (std::size_t i = 0; i < caps_.size(); ++i) {
    total = log_add(total, largest(caps_[i]) - turns * path_.up * static_cast<double>(i) / parts);
  }
  return total;
}

// The strip may cross the real line, a positive integral does not mind; but what the two lines gain and lose by
// e^{-y Im l} meets in the middle only where cells are narrow against it.
TailPaths::Tail& TailPaths::at(double y, double fraction) {
  const Piece& p = *piece_;
  constexpr double highest = 0.625;  // of a half
  const double most = p.beyond_branches() ? 8.0 : 0.499 * pi / (p.steepest() * p.mu);
  const double d = round_down((p.half ? highest : std::min(most, 8.0)) * fraction, 20);
  const double neg = p.n != 0 ? std::min(0.0, -demand_.c) : std::min(0.0, demand_.c + 1.0);
  const bool capped = neg < -20.0 && p.steepest() == 1;   // |r| >= 1 - q up to Im u = pi / 2 only
  const double room = 0.24 * pi / (p.steepest() * p.mu);  // of the lower line below the real one
  const double widest = p.half                ? highest
                        : p.beyond_branches() ? std::min(6.0, d + room)
                                              : std::min(capped ? std::max(0.1 * most, 0.98 * most - d) : most, 6.0);
  const long height = std::lround(1e6 * std::log(fraction));
  constexpr double near = 4.0;
  double strip = widest;
  while (strip > near * strip_ && strip > d) {
    strip *= 0.5;
  }
  for (strip = std::max(strip, std::min(d, widest));; strip = std::max(0.5 * strip, std::min(d, widest))) {
    auto known = tails_.find({height, strip});
    if (known == tails_.end()) {
      const Path path = p.half ? half_path(p, demand_, d, strip, strip) : low_path(p, demand_, d, strip, neg, capped);
      known = tails_.emplace(std::pair{height, strip}, Tail(p, demand_.c, path)).first;
      constexpr double of_each = 2.0;  // the path, and the suprema on both sides
      looked_at_ += of_each * static_cast<double>(path.count);
    }
    constexpr double spared = 2.0;
    if (strip <= d || known->second.log_error(y) < demand_.reference - demand_.digits + spared) {
      strip_ = strip;
      return known->second;
    }
  }
}

LeastSum least_sum(std::span<TailPaths> pieces, double y, double& fraction, double lowest) {
  constexpr double factor = 0.6, highest = 0.97;
  LeastSum best;
  int worse = 0;
  for (double f = std::min(highest, fraction / (factor * factor)); f > lowest && worse < 2; f *= factor) {
    LeastSum here{0.0, {}};
    double size = 0.0;
    for (TailPaths& piece : pieces) {
      TailPaths::Tail& tail = piece.at(y, f);
      here.paths.push_back(tail.path());
      size += static_cast<double>(tail.path().count);
      if (!(size < most_tail_nodes)) {
        return best;
      }
      here.sum += tail.sum(y);
    }
    worse = here.sum < best.sum ? 0 : worse + 1;
    if (here.sum < best.sum) {
      best = std::move(here);
      fraction = f;
    }
  }
  return best;
}

}  // namespace dpcurves::accounting::proof
