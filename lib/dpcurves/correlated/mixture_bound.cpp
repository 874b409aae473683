// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double highest_order = 4096.0;
constexpr double highest_searched = 256.0;  // more only pays where epsilon is far below 0.1

void check(double rate, double noise) {
  require_domain(rate > 0.0 && rate <= 1.0, "sampling_rate", rate, "(0, 1]");
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
}

/// p log(p/r) + (1 - p) log((1 - p)/(1 - r)).
double relative_entropy(double p, double r) {
  const double present = p == 0.0 ? 0.0 : p * std::log(p / r);
  const double absent = p == 1.0 ? 0.0 : r == 1.0 ? infinity : (1.0 - p) * (std::log1p(-p) - std::log1p(-r));
  return std::max(0.0, present + absent);
}

/// || |C| 1 ||^2 and the sum of the squares of the entries.
std::pair<double, double> squared_norms(const models::StrategyMatrix& strategy) {
  const auto absolute = strategy.absolute();
  std::vector<double> all(strategy.steps(), 1.0);
  absolute.multiply(all);
  double together = 0.0, apart = 0.0;
  for (const double x : all) {
    together += x * x;
  }
  for (const double norm : absolute.column_norms()) {
    apart += norm * norm;
  }
  return {together, apart};
}

}  // namespace

DominatingExponential dominating_exponential(const models::StrategyMatrix& strategy) {
  using Form = models::StrategyMatrix::Form;
  if (strategy.form() == Form::exponential) {
    return {1.0, strategy.lambda()};
  }
  // The largest entry of each diagonal.
  const std::size_t steps = strategy.steps();
  std::vector<double> largest;
  if (strategy.form() == Form::toeplitz) {
    largest = strategy.absolute().coefficients();
  } else {
    largest.assign(strategy.bandwidth(), 0.0);
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t lag = 0; lag < std::min(largest.size(), t + 1); ++lag) {
        largest[lag] = std::max(largest[lag], std::abs(strategy(t, t - lag)));
      }
    }
  }
  const auto factor = [&](double lambda) {
    double c = 0.0, power = 1.0;
    for (const double entry : largest) {
      c = std::max(c, entry == 0.0 ? 0.0 : entry / power);
      power *= lambda;
    }
    return c;
  };
  if (largest.size() == 1) {
    return {largest.front(), 0.0};
  }
  const auto total = [&](double lambda) {
    return std::log(factor(lambda)) + std::log(gain(lambda, static_cast<double>(steps)));
  };
  const double lambda = numerics::minimise(total, 1e-6, 1.0).at;
  return {factor(lambda) * (1.0 + 1e-12), lambda};
}

double gaussian_delta_bound(const models::StrategyMatrix& strategy, double sampling_rate, double noise_multiplier,
                            double multiple, double epsilon) {
  check(sampling_rate, noise_multiplier);
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  const auto [together, apart] = squared_norms(strategy);
  const double scale = multiple / noise_multiplier, steps = static_cast<double>(strategy.steps());
  const auto bound = [&](double rate) {
    const double mu = rate * std::abs(scale) * std::sqrt(together);
    const double shift =
        0.5 * rate * (1.0 - rate) * scale * scale * apart + steps * relative_entropy(rate, sampling_rate);
    return tradeoff::delta_of_epsilon(epsilon - shift * (1.0 + 1e-12), mu) * (1.0 + 1e-11 * (1.0 + mu * mu));
  };
  const double best = numerics::minimise(
                          [&](double rate) {
                            const double value = bound(rate);
                            return value > 0.0 ? std::log(value) : -1e4 + rate;
                          },
                          0.0, sampling_rate)
                          .at;
  return std::min({1.0, bound(best), bound(sampling_rate)});
}

namespace {

/// The backward recursion of part 2 for one order.
class Recursion {
 public:
  Recursion(double lambda, double steps, double rate, double noise, MeanMultiples multiples, double order)
      : lambda_(lambda), steps_(static_cast<std::size_t>(steps)), order_(static_cast<std::size_t>(order)) {
    const double first = std::abs(multiples.first), second = std::abs(multiples.second);
    const double square = noise * noise;
    // The squared norms of the single records are at least the part |sum|^2/order of them, and at least the sum of the
    // squared column norms: the better of the two for typical participations.
    double together = 0.0, apart = 0.0, x = 0.0, column = 0.0;
    columns_.resize(steps_);
    means_.resize(steps_);
    for (std::size_t t = 0; t < steps_; ++t) {
      x = lambda * x + 1.0;
      column = lambda * lambda * column + 1.0;
      together += x * x;
      apart += column;
      columns_[steps_ - 1 - t] = column;
      means_[t] = rate * x;
    }
    const bool spread = (1.0 - rate) * apart < rate * (together - apart);
    curvature_ = 0.5 * first * first * (spread ? 1.0 - 1.0 / order : 1.0) / square;
    cost_ = spread ? 0.0 : 0.5 * first * first / square;
    slope_ = (order - 1.0) * first * second / square;
    constant_ = 0.5 * (order - 1.0) * (order - 1.0) * second * second / square;
    // (order - 1) second^2 W/(2 kappa^2), W = E || |C| y ||^2.
    jensen_ = 0.5 * (order - 1.0) * second * second * (rate * rate * together + rate * (1.0 - rate) * apart) / square;
    log_binomial_.resize(order_ + 1);
    for (std::size_t n = 0; n <= order_; ++n) {
      const auto k = static_cast<double>(n);
      const double absent = n == order_ ? 0.0 : rate == 1.0 ? -infinity : (order - k) * std::log1p(-rate);
      log_binomial_[n] = std::lgamma(order + 1.0) - std::lgamma(k + 1.0) - std::lgamma(order - k + 1.0) +
                         (n == 0 ? 0.0 : k * std::log(rate)) + absent;
    }
    const double top = order * gain(lambda, steps) * (1.0 + 1e-9);
    constexpr std::size_t nodes = 128;  // twice as many lower the noise multiplier by less than 1e-4
    for (std::size_t i = 0; i <= nodes; ++i) {
      const double share = static_cast<double>(i) / nodes;
      grid_.push_back(top * share * share);
    }
    if (lambda == 0.0) {
      grid_ = {0.0, top};
    }
    for (std::size_t i = 0; i + 1 < grid_.size(); ++i) {
      inverse_width_.push_back(1.0 / (grid_[i + 1] - grid_[i]));
    }
  }

  /// An upper bound of log E_Q[(P/Q)^order].
  double log_moment() {
    std::vector<double> rest(grid_.size(), 0.0), next(grid_.size());
    double tail = 0.0;  // sum over the later steps of lambda^{2 j}, j >= 1
    // The states of the last nodes can leave the grid. What is left rises there at most as if all took part from now
    // on.
    double power = 1.0, encoded = 0.0, squares = 0.0, along = 0.0;
    beyond_ = 0.0;
    for (std::size_t t = steps_; t-- > 0;) {
      for (std::size_t i = 0; i < grid_.size(); ++i) {
        next[i] = step(t, lambda_ * grid_[i], tail, rest);
        if (t == 0) {
          return next[0] + jensen_;
        }
      }
      rest.swap(next);
      tail = lambda_ * lambda_ * (1.0 + tail);
      encoded = lambda_ * encoded + static_cast<double>(order_);
      power *= lambda_;
      squares += 2.0 * curvature_ * power * encoded;
      along = lambda_ * (slope_ * means_[t] + along);
      beyond_ = squares + along;
    }
    return jensen_;
  }

 private:
  /// log of the sum over the participations n at step t, from the decayed state x.
  double step(std::size_t t, double x, double tail, const std::vector<double>& rest) {
    const double square = curvature_ * (1.0 + tail);
    const double linear = slope_ * means_[t], cost = cost_ * columns_[t];
    terms_.resize(order_ + 1);
    double largest = -infinity;
    std::size_t cell = 0;
    for (std::size_t n = 0; n <= order_; ++n) {
      const auto k = static_cast<double>(n);
      terms_[n] = log_binomial_[n] + square * k * (2.0 * x + k) + (linear - cost) * k + chord(x + k, rest, cell);
      largest = std::max(largest, terms_[n]);
    }
    double sum = 0.0;
    for (const double term : terms_) {
      if (term > largest - 45.0) {
        sum += std::exp(term - largest);
      } else {
        sum += 3e-20;  // exp(-45)
      }
    }
    return largest + std::log(sum) + linear * x + constant_ * means_[t] * means_[t];
  }

  /// Interpolates a convex function of the state from above. \param cell  where the last, smaller x was.
  [[nodiscard]] double chord(double x, const std::vector<double>& values, std::size_t& cell) const {
    while (cell + 2 < grid_.size() && grid_[cell + 1] < x) {
      ++cell;
    }
    const double share = std::min(1.0, (x - grid_[cell]) * inverse_width_[cell]);
    const double value = values[cell] + share * (values[cell + 1] - values[cell]);
    return x > grid_.back() ? value + beyond_ * (x - grid_.back()) : value;
  }

  double lambda_;
  std::size_t steps_;
  std::size_t order_;
  double curvature_ = 0.0, cost_ = 0.0, slope_ = 0.0, constant_ = 0.0, jensen_ = 0.0;
  double beyond_ = 0.0;          ///< the steepest ascent of what is left
  std::vector<double> columns_;  ///< squared norm of the column of each step
  std::vector<double> means_;    ///< m
  std::vector<double> log_binomial_;
  std::vector<double> grid_, inverse_width_;
  std::vector<double> terms_;
};

/// The smallest of f over the integers [lowest, highest], for f that falls and then rises; a search from `guess`.
double best_integer(const std::function<double(double)>& f, double lowest, double highest, double guess,
                    double first_stride) {
  double at = std::clamp(std::round(guess), lowest, highest), value = f(at);
  double stride = std::max(1.0, std::floor(first_stride));
  while (true) {
    bool moved = false;
    for (const double candidate : {at + stride, at - stride}) {
      if (candidate >= lowest && candidate <= highest) {
        if (const double other = f(candidate); other < value) {
          at = candidate;
          value = other;
          moved = true;
          break;
        }
      }
    }
    if (!moved) {
      if (stride == 1.0) {
        return at;
      }
      stride = std::max(1.0, std::floor(stride / 3.0));
    }
  }
}

/// log delta from a Renyi divergence of one order.
double log_delta(double renyi, double order, double epsilon) {
  return (order - 1.0) * (renyi - epsilon + std::log1p(-1.0 / order)) - std::log(order) + 1e-12;
}

}  // namespace

double renyi_bound(const DominatingExponential& strategy, double steps, double sampling_rate, double noise_multiplier,
                   MeanMultiples multiples, double order) {
  check(sampling_rate, noise_multiplier);
  require_domain(steps >= 1.0 && steps <= 1e5 && steps == std::floor(steps), "steps", steps,
                 "the whole numbers in [1, 1e5]");
  require_domain(multiples.first != 0.0 && multiples.first * multiples.second <= 0.0, "multiples",
                 multiples.first * multiples.second, "first not 0, second of the opposite sign or 0");
  require_domain(order >= 2.0 && order <= highest_order && order == std::floor(order), "order", order,
                 "the integers from 2 to 4096");
  Recursion recursion(strategy.lambda, steps, sampling_rate, noise_multiplier / strategy.factor, multiples, order);
  const double moment = recursion.log_moment();
  return std::isnan(moment) ? infinity : next_up(moment / (order - 1.0) * (1.0 + 1e-11));  // past the largest double
}

MixtureBound::MixtureBound(models::StrategyMatrix strategy, double sampling_rate, double noise_multiplier,
                           MeanMultiples multiples)
    : strategy_(std::move(strategy)),
      dominating_(dominating_exponential(strategy_)),
      sampling_rate_(sampling_rate),
      noise_multiplier_(noise_multiplier),
      multiples_(multiples) {
  check(sampling_rate, noise_multiplier);
}

double MixtureBound::renyi(double order) const {
  if (multiples_.first == 0.0) {
    require_domain(order > 1.0, "order", order, "(1, inf)");
    const auto [together, apart] = squared_norms(strategy_);
    const double r = sampling_rate_, scale = multiples_.second / noise_multiplier_;
    return next_up(0.5 * scale * scale * r * (order * r * together + (1.0 - r) * apart) * (1.0 + 1e-11));
  }
  {
    const std::scoped_lock lock(guard_);
    if (const auto found = known_.find(order); found != known_.end()) {
      return found->second;
    }
  }
  const double value = renyi_bound(dominating_, static_cast<double>(strategy_.steps()), sampling_rate_,
                                   noise_multiplier_, multiples_, order);
  const std::scoped_lock lock(guard_);
  return known_.emplace(order, value).first->second;
}

DeltaBound MixtureBound::delta(double epsilon, double order_guess) const {
  if (multiples_.first == 0.0) {
    return {gaussian_delta_bound(strategy_, sampling_rate_, noise_multiplier_, multiples_.second, epsilon), 0.0};
  }
  // The order that is best for a Gaussian of the same mean.
  const auto steps = static_cast<double>(strategy_.steps());
  const double mu = (std::abs(multiples_.first) + std::abs(multiples_.second)) * sampling_rate_ * dominating_.factor *
                    gain(dominating_.lambda, steps) * std::sqrt(steps) / noise_multiplier_;
  const double guess = order_guess > 0.0 ? order_guess : std::clamp(epsilon / (mu * mu) + 0.5, 2.0, 64.0);
  const auto at = [&](double order) { return log_delta(renyi(order), order, epsilon); };
  const double order = best_integer(at, 2.0, highest_searched, guess, order_guess > 0.0 ? 1.0 : guess / 3.0);
  return {std::min(1.0, std::exp(at(order))), order};
}

EpsilonByOrder MixtureBound::epsilon(double delta) const {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  if (multiples_.first == 0.0) {
    const auto excess = [&](double e) { return std::log(std::max(this->delta(e).delta, 1e-320)) - std::log(delta); };
    if (excess(0.0) <= 0.0) {
      return {0.0, 0.0};
    }
    double high = 1.0;
    while (excess(high) > 0.0) {
      high *= 2.0;
    }
    return {numerics::root(excess, 0.0, high).upper * (1.0 + 1e-12), 0.0};
  }
  const auto at = [&](double order) {
    return renyi(order) + std::log1p(-1.0 / order) - (std::log(delta) + std::log(order) - 1e-12) / (order - 1.0);
  };
  const double order = best_integer(at, 2.0, highest_searched, 12.0, 4.0);
  return {std::max(0.0, next_up(at(order))), order};
}

double mixture_noise_multiplier(const models::StrategyMatrix& strategy, double sampling_rate, MeanMultiples multiples,
                                double epsilon, double delta, double tolerance) {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  double order = 0.0;  // of the last noise multiplier: the next one's is near
  // log delta falls with log noise; a secant between an unsafe and a safe value, with the middle where it is slow.
  const auto excess = [&](double log_noise) {
    const auto bound = MixtureBound(strategy, sampling_rate, std::exp(log_noise), multiples).delta(epsilon, order);
    order = bound.order;
    return (bound.delta > 0.0 ? std::log(bound.delta) : -1e4) - std::log(delta);
  };
  // Starts where a Gaussian of the same mean shift meets the target: not far below the answer, often.
  const auto dominating = dominating_exponential(strategy);
  const double steps = static_cast<double>(strategy.steps());
  const double shift = (std::abs(multiples.first) + std::abs(multiples.second)) * sampling_rate * dominating.factor *
                       gain(dominating.lambda, steps) * std::sqrt(steps);
  double low = std::log(shift / tradeoff::mu_of_epsilon_delta(epsilon, delta)), high = low;
  double at_low = excess(low), at_high = at_low;
  while (at_high > 0.0) {
    low = high;
    at_low = at_high;
    high += 0.35;
    if (high > std::log(1e12)) {
      throw ConvergenceError("mixture_noise_multiplier: no noise multiplier below 1e12 meets the target");
    }
    at_high = excess(high);
  }
  while (at_low <= 0.0) {
    high = low;
    at_high = at_low;
    low -= 0.35;
    if (low < std::log(1e-12)) {
      return std::exp(high);  // no participation at all is likely enough
    }
    at_low = excess(low);
  }
  for (int i = 0; i < 60 && high - low > tolerance; ++i) {
    const double secant = high - at_high * (high - low) / (at_high - at_low);
    // Aim a little to the safe side, so that both ends close in.
    double middle = i % 3 == 2 ? 0.5 * (low + high) : secant + (i % 3 == 0 ? 0.02 : -0.02) * (high - low);
    middle = std::clamp(middle, low + 0.01 * (high - low), high - 0.01 * (high - low));
    const double value = excess(middle);
    if (value > 0.0) {
      low = middle;
      at_low = value;
    } else {
      high = middle;
      at_high = value;
    }
  }
  return std::exp(high);
}

}  // namespace dpcurves::correlated
