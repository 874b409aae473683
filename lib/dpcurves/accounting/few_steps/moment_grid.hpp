// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The moment generating function M of one privacy loss on the line Re z = c, as a finite sum. Internal.
///
/// M(c + i w) / M(c) - 1 = sum over nodes of a (E - 1) + b (conj E - 1), E = exp(i w l), with nonnegative a and b: the
/// difference is formed directly, so that its real part (one sign) keeps its digits when a count of 1e12 multiplies it;
/// so does the small imaginary part where the two halves of a symmetric pair share their nodes. Of other pairs each
/// half has nodes of its own, with b = 0.
///
/// The nodes are Gauss-Legendre panels whose error is bounded, not estimated: on an ellipse around a panel the
/// integrand is at most B, and the rule of n points then errs by at most (64/15) h B r^{-2n} / (1 - r^{-2}) (Trefethen,
/// "Approximation Theory and Approximation Practice", Theorem 19.3). Panels are halved until the bounds sum up to
/// the target.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <dpcurves/accounting/few_steps/loss_law.hpp>
#include <dpcurves/accounting/few_steps/panels.hpp>

namespace dpcurves::accounting::detail {

/// A Gauss-Legendre rule in the precision of Real; gauss_rule<double> is the cached one of numerics.
template <class Real>
struct Rule {
  std::span<const Real> nodes;    ///< in (-1, 1), ascending
  std::span<const Real> weights;  ///< > 0, summing to 2
};
/// The rule with `points` points, computed once for each number of points.
template <class Real>
[[nodiscard]] Rule<Real> gauss_rule(int points);

/// The finite sum that stands for M on Re z = c, with bounds on all of its errors.
template <class Real>
struct MomentGrid {
  std::vector<Real> sum;         ///< a + b per node
  std::vector<Real> difference;  ///< a - b per node
  std::vector<Real> loss;        ///< l per node, negative for a left half by itself
  Real log_moment{};             ///< log M(c)
  double error_at_zero = 0.0;    ///< bound on the error of log M(c): quadrature and rounding
  double quadrature = 0.0;       ///< bound on the error of M(c + i w) / M(c) is quadrature *
                                 ///< frequency_growth(paired, c, w)
  double mean = 0.0;             ///< sum of (a - b) l: derivative of log M
  double square = 0.0;           ///< sum of (a + b) l^2: second derivative of M over M
  double mass = 0.0;             ///< sum of (a + b)
  double mean_rounding = 0.0;    ///< the three sums of sizes, each node weighted by its number of rounding errors
  double square_rounding = 0.0;  ///< for `square`
  double mass_rounding = 0.0;    ///< for `mass`
  double longest = 0.0;          ///< bound on the losses that matter
  double c = 0.0;                ///< the line it was made for
  bool paired = true;            ///< whether both halves of a symmetric pair share the nodes

  /// log M' and variance: the first two derivatives of log M at c.
  [[nodiscard]] double first() const { return mean; }
  /// The second derivative.
  [[nodiscard]] double second() const { return std::max(square - mean * mean, 0.0); }

  /// Bound on the error of the computed M(c + i w) / M(c) - 1.
  [[nodiscard]] double error(double w) const {
    const double rounding = std::min(w * mean_rounding + 0.5 * w * w * square_rounding, 2.0 * mass_rounding);
    return quadrature * frequency_growth(paired, c, w) + rounding;
  }
  /// The same for M'(c + i w) / M(c). Of two halves taken together the integrand of M' is at most |2z + 1| l^2 null
  /// e^{top l} and 2 l null e^{top l}, where that of M(z) - M(c) is at most w |2z + 1| l^2 null e^{top l} and 4 null
  /// e^{top l}; of one half, l null e^{top l} where that of M(z) - M(c) is at most w l and 2 null e^{top l}.
  [[nodiscard]] double slope_error(double w) const { return 2.0 * std::max(1.0 / w, longest) * error(w); }
};

/// What moment_grid is for: |Im z| <= frequency on Re z = c.
struct MomentTask {
  double c = 1.0;          ///< the line, c > -1
  double frequency = 0.0;  ///< the largest |Im z| that the grid must serve
  double target = 1e-15;   ///< wanted bound on quadrature * frequency_growth(paired, c, frequency)
  int points = 20;         ///< Gauss-Legendre points per panel
  double lowest = 0.0;     ///< only |Im z| >= lowest is wanted
  double reach = std::numeric_limits<double>::infinity();  ///< only losses up to here
};

/// \param log_moment  log M(c) where it is known already: then only M(z) - M(c) is computed, of the losses up to reach.
/// \throws ConvergenceError  if that takes too many panels, or the deadline passes.
template <class Real>
MomentGrid<Real> moment_grid(const LossLaw& law, const MomentTask& task, const Deadline* deadline = nullptr,
                             const Real* log_moment = nullptr) {
  using std::abs;
  using std::exp;
  using std::expm1;
  using std::log;
  using std::log1p;
  using std::sqrt;
  const double c = task.c;
  MomentGrid<Real> grid;
  grid.c = c;
  grid.paired = law.symmetric();
  struct Side {
    const HalfLaw& half;
    bool left;
    PanelSet panels;
  };
  std::vector<Side> sides;
  double log_scale = 0.0;
  for (const bool left : {false, true}) {
    if (left && grid.paired) {
      break;
    }
    const HalfLaw& half = left ? law.left() : law.right();
    sides.push_back({half, left,
                     make_panels(half,
                                 {c, grid.paired, left, task.frequency, grid.paired ? task.target : 0.5 * task.target,
                                  task.points, task.lowest, task.reach, log_moment == nullptr},
                                 deadline)});
    log_scale = std::max(log_scale, sides.back().panels.log_scale);
  }
  const Rule<Real> rule = gauss_rule<Real>(task.points);
  std::size_t count = 4;
  for (const Side& side : sides) {
    count += side.panels.panels.size() * rule.nodes.size();
  }
  grid.sum.reserve(count);
  grid.difference.reserve(count);
  grid.loss.reserve(count);

  // First pass: log of the null's density at each node, and M(c) - 1 in its form without cancellation.
  const Real root_two_pi = sqrt(Real(2) * pi_of<Real>());
  const Real shift(log_scale);
  std::vector<Real> weight;
  std::vector<Real> quiet;  // log of the density over the weight, -x^2/2 + L_n
  weight.reserve(count);
  quiet.reserve(count);
  Real excess(0);
  double panel_error = 0.0;  // in units of exp(log_scale)
  for (const Side& side : sides) {
    const HalfLaw& half_law = side.half;
    panel_error += side.panels.error * std::exp(side.panels.log_scale - log_scale);
    const double direction = half_law.alternative_mean() < half_law.null_mean() ? -1.0 : 1.0;
    const Real origin = (Real(half_law.alternative_mean()) + Real(half_law.null_mean())) / Real(2);
    const Real exponent(half_exponent(side.left, c));
    for (const Panel& panel : side.panels.panels) {
      const Real middle = (Real(panel.begin) + Real(panel.end)) / Real(2);
      const Real half = (Real(panel.end) - Real(panel.begin)) / Real(2);
      if (deadline != nullptr && weight.size() % (64 * rule.nodes.size()) == 0) {
        deadline->check();
      }
      Real part(0);
      for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
        const Real t = middle + half * rule.nodes[i];
        const Real x = origin + Real(direction) * t;
        const Real l = half_law.template loss<Real>(t);
        const Real q = half_law.template log_null<Real>(t) - x * x / Real(2);
        const Real w = half * rule.weights[i] / root_two_pi;
        if (grid.paired) {  // e^{(c+1) l} + e^{-c l} - 1 - e^l
          const Real magnitude = c >= 0.0 ? exponent * l : l;
          const Real less = c >= 0.0 ? Real(c) * l : -Real(c) * l;
          part += w * exp(q + magnitude - shift) * expm1(-less) * expm1(-exponent * l);
        } else {  // e^{e l} - 1 - e (e^l - 1), by whichever of the two is the larger
          const Real power = exponent * l;
          if (power > l) {
            const Real gain = l > Real(40) ? exp(l - power) - exp(-power) : exp(-power) * expm1(l);  // e^l may overflow
            part += w * exp(q + power - shift) * (-expm1(-power) - exponent * gain);
          } else {
            part += w * exp(q - shift) * (expm1(power) - exponent * expm1(l));
          }
        }
        weight.push_back(w);
        quiet.push_back(q);
        grid.loss.push_back(side.left ? -l : l);
      }
      excess += part;
    }
  }
  if (grid.paired && c < 0.0) {
    excess = -excess;
  }
  // What is subtracted in the sums belongs to whole laws.
  const double lost =
      grid.paired ? law.lost_null() : law.lost_null() + (c + 1.0) * (law.lost_alternative() - law.lost_null());
  if (lost != 0.0) {
    excess -= Real(lost) * exp(-shift);
  }
  // In extended precision the recurrence of the phases runs for thousands of steps.
  const double steps = std::numeric_limits<Real>::digits10 < 20 ? 120.0 : 2e4;
  const double u = static_cast<double>(std::numeric_limits<Real>::epsilon());
  if (log_scale > 0.5) {
    grid.log_moment = shift + log(exp(-shift) + excess);
  } else {
    grid.log_moment = log1p(excess * exp(shift));
  }
  if (log_moment != nullptr) {
    grid.log_moment = *log_moment;
  }
  for (const Side& side : sides) {
    grid.longest = std::max(grid.longest, side.half.loss(side.panels.end) + 1.0);
  }
  const double scale = static_cast<double>(exp(shift - grid.log_moment));
  grid.quadrature = panel_error * scale;
  const double size = std::abs(static_cast<double>(grid.log_moment));
  // |M - 1| / M; where the two halves are apart, the sizes that were added up to it.
  double relative_excess = static_cast<double>(abs(excess) * exp(shift - grid.log_moment));

  // Second pass: the weights of the sum, divided by M(c).
  const double top = std::max({c + 1.0, -c, 1.0});
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const Real& l = grid.loss[i];
    const Real l_size = abs(l);
    const Real e = Real(half_exponent(static_cast<double>(l) < 0.0, c));
    const Real a = weight[i] * exp(quiet[i] + e * l_size - grid.log_moment);
    if (grid.paired) {
      const Real tilt = (Real(c) + Real(1) + Real(c)) * l;
      grid.sum.push_back(a * (Real(1) + exp(-tilt)));
      grid.difference.push_back(-a * expm1(-tilt));
    } else {
      grid.sum.push_back(a);
      grid.difference.push_back(a);
    }
    const double total = static_cast<double>(grid.sum.back());
    const double less = static_cast<double>(grid.difference.back());
    const double length = static_cast<double>(l);
    const double roundings = u * (steps + std::abs(static_cast<double>(quiet[i])) + top * std::abs(length) + size);
    grid.mass += total;
    grid.mean += less * length;
    grid.square += total * length * length;
    grid.mass_rounding += roundings * total;
    grid.mean_rounding += roundings * std::abs(less * length);
    grid.square_rounding += 2.0 * roundings * total * length * length;
    if (!grid.paired) {
      // e^{e l} - 1 - e (e^l - 1) is formed from terms of size |e| l e^{max(e, 1) l}.
      const double larger =
          static_cast<double>(weight[i] * exp(quiet[i] + l_size * (e > Real(1) ? e : Real(1)) - grid.log_moment));
      relative_excess += 2.0 * std::abs(static_cast<double>(e)) * std::abs(length) * larger;
    }
  }
  double worst = 0.0;
  if (grid.mass > 0.0) {
    worst = std::max(grid.mass_rounding / grid.mass, grid.square > 0.0 ? grid.square_rounding / grid.square : 0.0);
  }
  grid.error_at_zero = grid.quadrature * moment_growth(c) + relative_excess * (worst + 8.0 * u) + u * size +
                       1e-13 * std::abs(lost) * static_cast<double>(exp(-grid.log_moment));
  while (grid.sum.size() % 4 != 0) {  // whole lanes
    grid.sum.emplace_back(0);
    grid.difference.emplace_back(0);
    grid.loss.emplace_back(0);
  }
  return grid;
}

}  // namespace dpcurves::accounting::detail
