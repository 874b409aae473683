// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include <dpcurves/accounting/few_steps/panels.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double log_root_two_pi = 0.91893853320467274178;
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::size_t most_panels = 400000;

// Bounds on null e^{E l} = phi e^{E L_a + (1 - E) L_n} for the exponents E that occur in the integrand, over real
// intervals and over complex neighbourhoods of them. The logarithm of its absolute value is linear in E, so that the
// two outermost exponents bound all of them.
class Integrand {
 public:
  Integrand(const HalfLaw& half, const PanelTask& task)
      : half_(half), paired_(task.paired), frequency_(task.frequency) {
    least_ = task.paired ? std::min(-task.c, task.c + 1.0) : half_exponent(task.left, task.c);
    top_ = task.paired ? std::max(-task.c, task.c + 1.0) : least_;
    if (task.moment || task.paired) {  // with the exponents 0 and 1 of what is subtracted
      least_ = std::min(least_, 0.0);
      top_ = std::max(top_, 1.0);
    }
  }

  [[nodiscard]] double log_size(double t) const { return std::max(log_size(least_, t), log_size(top_, t)); }
  /// Lower bound of the rate at which the sizes fall, over all of [t, inf).
  [[nodiscard]] double least_fall(double t) const { return std::min(least_fall(least_, t), least_fall(top_, t)); }
  /// log of an upper bound of the size over |t - middle| <= reach.
  [[nodiscard]] double log_bound(double middle, double reach) const {
    return std::max(log_bound(least_, middle, reach, 0.0), log_bound(top_, middle, reach, 0.0));
  }
  /// log of l^2, or of l (1 + l), for a loss l.
  [[nodiscard]] double log_factor(double loss) const {
    return paired_ ? 2.0 * std::log(loss) : std::log(loss) + std::log1p(loss);
  }
  /// log of the bound on the error of one panel, without the factor growth(frequency).
  [[nodiscard]] double log_error(const Panel& panel, int points) const {
    static constexpr std::array ratios{1.35, 1.7, 2.2, 3.0, 4.0, 5.5, 7.5, 10.0, 15.0, 25.0, 50.0, 120.0, 400.0};
    const double middle = 0.5 * (panel.begin + panel.end);
    const double half = 0.5 * (panel.end - panel.begin);
    const double loss = half_.loss(middle);
    double best = infinity;
    for (const double ratio : ratios) {
      const double reach = 0.5 * half * (ratio + 1.0 / ratio);
      const double height = 0.5 * half * (ratio - 1.0 / ratio);
      if (half_.steepness() * height > 0.5 * std::numbers::pi) {
        break;  // |share| <= sqrt 2 share(Re) holds up to here
      }
      const double steepest = half_.slope_bound(middle - reach, middle + reach);
      const double largest_loss = loss + std::hypot(reach, height) * steepest;
      const double turn = frequency_ * height * steepest;
      const double size = std::max(log_bound(least_, middle, reach, height), log_bound(top_, middle, reach, height));
      const double bound = size + turn + log_factor(largest_loss) - 2.0 * points * std::log(ratio) -
                           std::log1p(-1.0 / (ratio * ratio)) + std::log(64.0 / 15.0 * half);
      best = std::min(best, bound);
    }
    return best;
  }

 private:
  [[nodiscard]] double side() const { return half_.alternative_mean() < half_.null_mean() ? -1.0 : 1.0; }
  [[nodiscard]] double log_size(double exponent, double t) const {
    const double x = half_.observation(t);
    return -0.5 * x * x - log_root_two_pi + exponent * half_.log_alternative(t) + (1.0 - exponent) * half_.log_null(t);
  }
  [[nodiscard]] double log_slope(double exponent, double t) const {
    return side() * (-half_.observation(t) + exponent * half_.alternative_mean() * half_.alternative_share(t) +
                     (1.0 - exponent) * half_.null_mean() * half_.null_share(t));
  }
  [[nodiscard]] double least_fall(double exponent, double t) const {
    // The mixtures' terms, each at most its largest value ahead; a share grows along t if side * mean > 0.
    const auto ahead = [&](double factor, double mean, double share) {
      const double here = factor * side() * mean * share;
      const double far = factor * side() * mean * (side() * mean > 0.0 ? 1.0 : 0.0);
      return std::max(here, far);
    };
    return side() * half_.observation(t) - ahead(exponent, half_.alternative_mean(), half_.alternative_share(t)) -
           ahead(1.0 - exponent, half_.null_mean(), half_.null_share(t));
  }
  // log of the bound over Re t within `reach`, Im t within `height`: from slope and curvature on the real line. Off it,
  // e^{-x^2/2} grows by height^2/2; a mixture is at most its value on the line and at least that times a root, which
  // counts for negative powers.
  [[nodiscard]] double log_bound(double exponent, double middle, double reach, double height) const {
    double bend = -1.0;  // bound on the second derivative: mixtures to a negative power only lower it
    double root = 0.0;
    const auto mixture = [&](double power, double mean, double at_begin, double at_end) {
      if (mean == 0.0 || power == 0.0) {
        return;
      }
      const double spread = largest_spread(at_begin, at_end);
      if (power > 0.0) {
        bend += power * mean * mean * spread;
      } else if (height > 0.0) {
        root += 0.5 * power * std::log1p(-2.0 * spread * (1.0 - std::cos(mean * height)));
      }
    };
    mixture(exponent, half_.alternative_mean(), half_.alternative_share(middle - reach),
            half_.alternative_share(middle + reach));
    mixture(1.0 - exponent, half_.null_mean(), half_.null_share(middle - reach), half_.null_share(middle + reach));
    return log_size(exponent, middle) + std::abs(log_slope(exponent, middle)) * reach +
           0.5 * std::max(bend, 0.0) * reach * reach + 0.5 * height * height + root;
  }
  // The largest share (1 - share) for a monotone share between two values.
  [[nodiscard]] static double largest_spread(double a, double b) {
    const double low = std::min(a, b);
    const double high = std::max(a, b);
    if (high < 0.5) {
      return high * (1.0 - high);
    }
    return low > 0.5 ? low * (1.0 - low) : 0.25;
  }

  const HalfLaw& half_;
  double least_;  // the exponents lie between least and top
  double top_;
  bool paired_;
  double frequency_;
};

}  // namespace

PanelSet make_panels(const HalfLaw& half, const PanelTask& task, const Deadline* deadline) {
  const Integrand integrand(half, task);
  const double c = task.c;
  // Derivatives too.
  const double growth = std::max({frequency_growth(task.paired, c, task.frequency), moment_growth(c), 0.01});
  const double log_target = std::log(task.target);
  // The hump of the tilted density lies where its logarithm falls for good; beyond the last panel the integrand falls
  // like a normal tail.
  double hump = 0.0;
  if (integrand.least_fall(0.0) < 0.0) {
    double high = 1.0;
    while (hump < half.end() && integrand.least_fall(high) < 0.0) {
      hump = high;
      high *= 2.0;
      if (high > 1e300) {
        throw ConvergenceError("the moment generating function is tilted too far for its quadrature");
      }
    }
    while (high - hump > 0.01 * high + 0.01) {
      const double middle = 0.5 * (hump + high);
      (integrand.least_fall(middle) < 0.0 ? hump : high) = middle;
    }
    hump = high;
  }
  double last = std::min(hump + std::sqrt(2.0 * std::max(4.0 - log_target, 20.0)), half.end());
  PanelSet set;
  // Largest value on a coarse walk: only a scale, so it need not be exact.
  double largest = integrand.log_size(0.0);
  for (double t = 0.0; t < last; t += std::min(0.5, 0.25 + 0.02 * last)) {
    largest = std::max(largest, integrand.log_size(t));
  }
  set.log_scale = std::max(largest, 0.0);
  // A panel's share of the target, over growth; there are rarely more than a few hundred panels.
  const double log_share = log_target + set.log_scale - std::log(200.0) - std::log(growth);
  // The integrand of M(z) - M(c) is also at most 4 null e^{top l}, which counts where the phase turns many times; that
  // of M(c) - 1 stays as it is.
  const double lowest_growth = frequency_growth(task.paired, c, task.lowest);
  const auto log_factor = [&](double loss) {
    const double factor = integrand.log_factor(loss);
    return task.lowest > 0.0
               ? std::min(factor,
                          std::log((4.0 + (task.moment ? moment_growth(c) * std::exp(factor) : 0.0)) / lowest_growth))
               : factor;
  };
  // Beyond `last` the loss is at most Lambda t, and the logarithm of its factor grows at most like 2 log t.
  const double steepness = std::abs(half.alternative_mean()) + std::abs(half.null_mean());
  const auto log_tail = [&](double t) {
    const double slope = integrand.least_fall(t) - 2.0 / t;
    return slope < 1.0 ? infinity
                       : integrand.log_size(t) + log_factor(std::min(steepness * t, half.largest())) - std::log(slope);
  };
  while (last < half.end() && log_tail(last) > log_share) {
    last += 0.5;
  }
  double error = last < half.end() ? std::exp(log_tail(last) - set.log_scale) : 0.0;
  if (const double limit = std::min(half.inverse(task.reach), half.end()); limit < last) {
    last = limit;
    error = 0.0;
  }

  const double width = std::min(task.points >= 30 ? 1.0 : 0.7, 2.0 / half.steepness());
  const double phase = 0.6 * task.points;
  const std::size_t most = task.frequency > 0.0 ? most_panels : most_panels / 20;
  std::size_t visited = 0;
  std::vector<Panel> waiting;
  double begin = 0.0;
  while (begin < last || !waiting.empty()) {
    Panel panel;
    if (waiting.empty()) {
      // A wide stretch may be negligible as a whole, however fast the phase turns there.
      const double far = std::min(begin + width, last);
      const double reach = 0.5 * (far - begin);
      const double stretch =
          std::log(2.0 * reach) + integrand.log_bound(begin + reach, reach) + log_factor(half.loss(far));
      if (stretch < log_share) {
        error += std::exp(stretch - set.log_scale);
        begin = far;
        continue;
      }
      const double slope = task.frequency * std::max(half.slope(begin), half.slope(begin + width));
      const double step = std::min(width, slope > 0.0 ? phase / slope : width);
      panel = {begin, std::min(begin + step, last)};
      if (last - panel.end < 0.1 * step) {
        panel.end = last;
      }
      begin = panel.end;
    } else {
      panel = waiting.back();
      waiting.pop_back();
    }
    const double reach = 0.5 * (panel.end - panel.begin);
    const double middle = 0.5 * (panel.begin + panel.end);
    // A panel whose whole content is below its share is left out.
    const double content =
        std::log(2.0 * reach) + integrand.log_bound(middle, reach) + log_factor(half.loss(panel.end));
    if (content < log_share) {
      error += std::exp(content - set.log_scale);
      continue;
    }
    if (deadline != nullptr && ++visited % 256 == 0) {
      deadline->check();
    }
    const double bound = integrand.log_error(panel, task.points);
    if (bound > log_share && reach > 1e-9 && set.panels.size() + waiting.size() < most) {
      waiting.push_back({middle, panel.end});
      waiting.push_back({panel.begin, middle});
      continue;
    }
    error += std::exp(bound - set.log_scale);
    set.panels.push_back(panel);
    if (set.panels.size() > most) {
      throw ConvergenceError("the moment generating function oscillates too fast for its quadrature");
    }
  }
  set.end = last;
  set.error = error;
  return set;
}

}  // namespace dpcurves::accounting::detail
