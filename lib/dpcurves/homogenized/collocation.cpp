// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Dense>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/collocation.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using models::Schedule;

constexpr int most_nodes = 6;

std::vector<double> lobatto_nodes(int q) {
  switch (q) {
    case 2:
      return {0.0, 1.0};
    case 3:
      return {0.0, 0.5, 1.0};
    case 4:
      return {0.0, 0.5 - std::sqrt(0.05), 0.5 + std::sqrt(0.05), 1.0};
    case 5:
      return {0.0, 0.5 - std::sqrt(3.0 / 28.0), 0.5, 0.5 + std::sqrt(3.0 / 28.0), 1.0};
    default: {
      const double inner = 0.5 * std::sqrt((7.0 - 2.0 * std::sqrt(7.0)) / 21.0);
      const double outer = 0.5 * std::sqrt((7.0 + 2.0 * std::sqrt(7.0)) / 21.0);
      return {0.0, 0.5 - outer, 0.5 - inner, 0.5 + inner, 0.5 + outer, 1.0};
    }
  }
}

LobattoBasis make_basis(int q) {
  const std::vector<double> nodes = lobatto_nodes(q);
  LobattoBasis basis{Eigen::Map<const ArrayXd>(nodes.data(), q), Eigen::MatrixXd::Zero(q, q)};
  for (int j = 0; j < q; ++j) {
    Eigen::VectorXd product = Eigen::VectorXd::Unit(q, 0);
    for (int k = 0; k < q; ++k) {
      if (k == j) {
        continue;
      }
      const double scale = 1.0 / (basis.nodes[j] - basis.nodes[k]);
      Eigen::VectorXd next = -basis.nodes[k] * scale * product;
      next.tail(q - 1) += scale * product.head(q - 1);
      product = next;
    }
    basis.coefficients.row(j) = product.transpose();
  }
  return basis;
}

/// I_m(z) = integral over [0, 1] of exp(-z (1 - x)) x^m, m < count.
void moments(double z, int count, std::array<double, most_nodes>& out) {
  constexpr double small = 1.0;
  if (z < small) {
    for (int m = 0; m < count; ++m) {
      double term = 1.0 / (m + 1);
      double sum = 0.0;
      for (int k = m + 2; std::abs(term) > 1e-18; ++k) {
        sum += term;
        term *= -z / k;
      }
      out[static_cast<std::size_t>(m)] = sum;
    }
    return;
  }
  double before = -std::expm1(-z) / z;
  out[0] = before;
  for (int m = 1; m < count; ++m) {
    before = (1.0 - m * before) / z;
    out[static_cast<std::size_t>(m)] = before;
  }
}

StepWeights weights_in_tau(const CollocationStep& step, int q, double fraction, const ArrayXd& rates) {
  const LobattoBasis& basis = lobatto_basis(q);
  const double length = fraction * step.tau_length;
  StepWeights result{(-rates * length).exp(), Eigen::ArrayXXd(rates.size(), q)};
  // coefficients of L_j(fraction x), times the length
  Eigen::MatrixXd scaled = basis.coefficients;
  double power = length;
  for (int m = 0; m < q; ++m) {
    scaled.col(m) *= power;
    power *= fraction;
  }
  std::array<double, most_nodes> moment{};
  for (Index k = 0; k < rates.size(); ++k) {
    moments(rates[k] * length, q, moment);
    for (int j = 0; j < q; ++j) {
      double sum = 0.0;
      for (int m = 0; m < q; ++m) {
        sum += scaled(j, m) * moment[static_cast<std::size_t>(m)];
      }
      result.weights(k, j) = sum;
    }
  }
  return result;
}

StepWeights weights_in_time(const Schedule& schedule, const CollocationStep& step, int q, double fraction,
                            const ArrayXd& rates) {
  const LobattoBasis& basis = lobatto_basis(q);
  constexpr int points = 12;  // exact to rounding while rate times the Gamma of a step stays below about 10
  const auto rule = numerics::gauss_legendre(points);
  const double length = fraction * (step.end - step.begin);
  const double tau_end = schedule.integral(std::min(step.begin + length, step.end));
  StepWeights result{(-rates * (tau_end - step.tau_begin)).exp(), Eigen::ArrayXXd::Zero(rates.size(), q)};
  for (std::size_t p = 0; p < points; ++p) {
    const double x = 0.5 * (1.0 + rule.nodes[p]);
    const double t = step.begin + x * length;
    const double rate = schedule.rate(t);
    const ArrayXd kernel =
        0.5 * rule.weights[p] * length * rate * rate * (-rates * (tau_end - schedule.integral(t))).exp();
    for (int j = 0; j < q; ++j) {
      double value = 0.0;
      for (int m = q - 1; m >= 0; --m) {
        value = value * (x * fraction) + basis.coefficients(j, m);
      }
      result.weights.col(j) += kernel * value;
    }
  }
  return result;
}

/// Lengths of steps on a piece of length `whole`: `levels` groups of `resolution` steps that double from group to
/// group, then `plain` steps of the last length doubled once more.
std::vector<double> step_lengths(double whole, int levels, int resolution, int plain) {
  const double first = whole / ((std::ldexp(1.0, levels) - 1.0) * resolution + std::ldexp(plain, levels));
  std::vector<double> lengths;
  for (int level = 0; level < levels; ++level) {
    lengths.insert(lengths.end(), static_cast<std::size_t>(resolution), std::ldexp(first, level));
  }
  lengths.insert(lengths.end(), static_cast<std::size_t>(plain), std::ldexp(first, levels));
  return lengths;
}

CollocationStep make_step(const Schedule& schedule, const Schedule::Piece& piece, int q, double begin, double length,
                          bool in_time) {
  const LobattoBasis& basis = lobatto_basis(q);
  CollocationStep step;
  step.in_time = in_time;
  step.times.resize(q);
  step.factors = ArrayXd::Ones(q);
  const double last = std::min(piece.end, schedule.end());
  for (int l = 0; l < q; ++l) {
    const double place = begin + basis.nodes[l] * length;
    step.times[l] = std::clamp(in_time ? place : schedule.inverse_integral(place), piece.begin, last);
    if (!in_time) {
      step.factors[l] = l == 0 ? schedule.rate(step.times[l]) : schedule.rate_before(step.times[l]);
    }
  }
  step.begin = step.times[0];
  step.end = step.times[q - 1];
  step.tau_begin = in_time ? schedule.integral(step.begin) : begin;
  step.tau_length = in_time ? schedule.integral(step.end) - step.tau_begin : length;
  return step;
}

}  // namespace

const LobattoBasis& lobatto_basis(int q) {
  require_domain(q >= 2 && q <= most_nodes, "q", q, "[2, 6]");
  static const std::array<LobattoBasis, 5> all{make_basis(2), make_basis(3), make_basis(4), make_basis(5),
                                               make_basis(6)};
  return all[static_cast<std::size_t>(q - 2)];
}

StepWeights step_weights(const Schedule& schedule, const CollocationStep& step, int q, double fraction,
                         const ArrayXd& rates) {
  return step.in_time ? weights_in_time(schedule, step, q, fraction, rates) : weights_in_tau(step, q, fraction, rates);
}

std::vector<CollocationStep> collocation_grid(const Schedule& schedule, double horizon, double fastest, int q,
                                              int resolution) {
  require_domain(horizon >= 0.0 && horizon <= schedule.end() && std::isfinite(horizon), "horizon", horizon,
                 "[0, end of the schedule]");
  require_domain(resolution >= 1, "resolution", resolution, "[1, inf)");
  std::vector<CollocationStep> grid;
  const double total = schedule.integral(horizon);
  for (const auto& piece : schedule.pieces()) {
    if (piece.begin >= horizon) {
      break;
    }
    const double end = std::min(piece.end, horizon);
    const double tau_begin = schedule.integral(piece.begin);
    const double tau_length = schedule.integral(end) - tau_begin;
    if (!(tau_length > 0.0)) {
      continue;
    }
    constexpr double stiff = 50.0;
    constexpr int most_levels = 48;
    const double stiffness = fastest * tau_length;
    const int levels =
        stiffness > stiff ? std::min(most_levels, static_cast<int>(std::ceil(std::log2(stiffness / 4.0)))) : 0;
    // A short piece needs fewer steps: what its modes do in it is the smoother.
    constexpr double least = 0.1;
    const double share = std::min(1.0, std::max({least, stiffness / stiff, tau_length / total}));
    const int plain = std::max(1, static_cast<int>(std::ceil(4.0 * resolution * share)));
    const bool in_time = piece.touches_zero;
    const double whole = in_time ? end - piece.begin : tau_length;
    const double origin = in_time ? piece.begin : tau_begin;
    double done = 0.0;
    for (const double length : step_lengths(whole, levels, resolution, plain)) {
      // A step in time is cut until rate times its Gamma suits the Gauss-Legendre rule.
      constexpr double longest = 4.0;
      int parts = 1;
      if (in_time) {
        const double grown =
            schedule.integral(std::min(end, origin + done + length)) - schedule.integral(std::min(end, origin + done));
        parts = std::max(1, static_cast<int>(std::ceil(std::min(1e6, fastest * grown / longest))));
      }
      for (int part = 0; part < parts; ++part) {
        const double part_length = length / parts;
        auto step = make_step(schedule, piece, q, origin + done + part * part_length, part_length, in_time);
        if (step.end > step.begin && step.tau_length > 0.0) {
          grid.push_back(std::move(step));
        }
      }
      done += length;
    }
    if (!grid.empty()) {
      grid.back().end = end;
      grid.back().times[q - 1] = end;
    }
  }
  return grid;
}

StepPlace place_of(const Schedule& schedule, const std::vector<CollocationStep>& grid, double t) {
  const auto after =
      std::upper_bound(grid.begin(), grid.end(), t, [](double x, const CollocationStep& s) { return x < s.begin; });
  require_domain(after != grid.begin(), "t", t, "[start of the grid, inf)");
  const CollocationStep& step = *std::prev(after);
  const double fraction = t >= step.end  ? 1.0
                          : step.in_time ? (t - step.begin) / (step.end - step.begin)
                                         : (schedule.integral(t) - step.tau_begin) / step.tau_length;
  return {static_cast<std::size_t>(std::prev(after) - grid.begin()), std::clamp(fraction, 0.0, 1.0)};
}

}  // namespace dpcurves::homogenized
