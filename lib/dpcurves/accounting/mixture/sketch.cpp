// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <complex>

#include <dpcurves/accounting/mixture/rule.hpp>
#include <dpcurves/accounting/mixture/sketch.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {
namespace {

double interpolated(double left, double right, int panel, int panels, double node) {
  return left + 0.5 * (right - left) / panels * (2.0 * panel + 1.0 + node);
}

}  // namespace

double Sketch::log_moment(double c) const { return cumulants(c).value; }

double Sketch::nodes(double c, double y, double reference) const {
  constexpr double turning = 1.6, unseen = -60.0;
  double variation = 0.0;
  for (std::size_t i = 1; i < loss.size(); ++i) {
    const bool seen = log_weight[i] + c * loss[i] - reference > unseen;
    variation += seen ? std::abs(loss[i] - loss[i - 1]) : 0.0;
  }
  return static_cast<double>(loss.size()) + turning * variation * y;
}

std::complex<double> Sketch::moment(double c, double y, double reference) const {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < loss.size(); ++i) {
    sum += std::polar(std::exp(log_weight[i] + c * loss[i] - reference), y * loss[i]);
  }
  return sum;
}

SketchMoments::SketchMoments(const Sketch& sketch, double c, double h, double reference) {
  for (std::size_t i = 0; i < sketch.loss.size(); ++i) {
    term_.emplace_back(std::exp(sketch.log_weight[i] + c * sketch.loss[i] - reference));
    turn_.push_back(std::polar(1.0, h * sketch.loss[i]));
  }
}

std::complex<double> SketchMoments::next() {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < term_.size(); ++i) {
    sum += term_[i];
    const double re = term_[i].real(), im = term_[i].imag();
    term_[i] = {re * turn_[i].real() - im * turn_[i].imag(), re * turn_[i].imag() + im * turn_[i].real()};
  }
  return sum;
}

Sketch sketch_of(const Step& step, const std::vector<PlainPiece>& pieces, const std::vector<Range>& ranges) {
  const PlainRule& rule = plain_rule();
  Sketch sketch{{}, {}, step.count};
  // With the logarithms of the density and the loss at a point.
  const auto add = [&](double left, double right, int panels, const auto& at) {
    for (int k = 0; k < panels; ++k) {
      for (std::size_t j = 0; j < rule_size; ++j) {
        const auto [log_density, loss] = at(interpolated(left, right, k, panels, rule.node[j]));
        sketch.loss.push_back(loss);
        sketch.log_weight.push_back(log_density + std::log(0.5 * (right - left) / panels * rule.weight[j]));
      }
    }
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [left, right] = ranges[i];
    add(left, right, static_cast<int>(std::ceil(right - left)), [&](double x) { return pieces[i].at(x); });
  }
  for (const Ramp& r : step.ramps) {
    add(r.low.middle(), r.high.middle(), static_cast<int>(std::ceil((r.high - r.low).upper())) + 1, [&](double l) {
      return std::pair{std::log(r.factor.middle()) + r.rate.middle() * l, l};
    });
  }
  for (const SampledRamp& r : step.sampled_ramps) {
    const double rate = r.ramp.rate.middle() - 1.0, log_factor = std::log(r.ramp.factor.middle());
    add(r.ramp.low.middle(), r.ramp.high.middle(), static_cast<int>(std::ceil((r.ramp.high - r.ramp.low).upper())) + 1,
        [&](double x) {
          const double loss = std::log1p(r.rate * std::expm1(x));
          return r.reversed ? std::pair{log_factor + rate * x, -loss} : std::pair{log_factor + rate * x + loss, loss};
        });
  }
  for (const Atom& a : step.atoms) {
    sketch.loss.push_back(a.loss.middle());
    sketch.log_weight.push_back(std::log(a.mass.middle()));
  }
  return sketch;
}

Range range_of(const PlainPiece& piece, double log_mass) {
  const auto end = [&](bool right) {
    double in = right ? piece.least_mean() : piece.largest_mean(),
           out = right ? piece.largest_mean() + 40.0 : piece.least_mean() - 40.0;
    for (int k = 0; k < 40; ++k) {
      const double m = 0.5 * (in + out);
      (piece.log_tail(m, right) > log_mass ? in : out) = m;
    }
    return std::ceil(out * 16.0 + (right ? 1.0 : -1.0)) / 16.0;
  };
  Range range{std::max(piece.from(), end(false)), end(true)};
  range.right =
      piece.log_tail(range.left, true) < log_mass ? range.left : std::max(range.right, range.left + 1.0 / 16.0);
  return range;
}

}  // namespace dpcurves::accounting::mixture
