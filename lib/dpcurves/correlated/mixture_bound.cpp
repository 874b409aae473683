// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/participation_sum.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

using rigorous::Real;

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

constexpr double unit = 1.2e-16;  // more than half a unit in the last place, relative

/// What sums of positive products along `steps` recursions have lost at most, relative, as a factor above it. They are
/// no more than 6 steps + 20 roundings deep.
double lost(double steps) { return 1.0 + (8.0 * steps + 64.0) * unit; }

/// || |C| 1 ||^2 and the sum of the squares of the entries; short of them by less than the factor `lost`.
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
  return {factor(lambda) * lost(static_cast<double>(largest.size())), lambda};
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
    return tradeoff::delta_of_epsilon(epsilon - shift, mu);
  };
  const double best = numerics::minimise(
                          [&](double rate) {
                            const double value = bound(rate);
                            return value > 0.0 ? std::log(value) : -1e4 + rate;
                          },
                          0.0, sampling_rate)
                          .at;
  // The search was in doubles; the bound is proved where it ended.
  const auto proved = [&](double rate) {
    return gaussian_delta([&, together = together, apart = apart] {
             const Real p = rate, r = sampling_rate, above = lost(steps);
             const Real ratio = Real(multiple) / Real(noise_multiplier);
             const Real absent = rate == 1.0 ? Real(0) : (Real(1) - p) * (log1p(-p) - log1p(-r));
             const Real entropy = p * log(p / r) + absent;
             const Real shift = scaled(p * (Real(1) - p) * ratio * ratio * Real(apart) * above, -1) +
                                Real(steps) * max(entropy, Real(0));
             return std::pair{Real(epsilon) - shift, p * abs(ratio) * sqrt(Real(together) * above)};
           })
        .upper;
  };
  return std::min(proved(sampling_rate), best > 0.0 ? proved(best) : 1.0);
}

namespace {

/// The backward recursion of part 2 for one order. Every number is rounded up: the recursion is monotone in all of
/// them. Elementary functions are taken to be within 2 units in the last place.
class Recursion {
 public:
  Recursion(double lambda, double steps, double rate, double noise, MeanMultiples multiples, double order)
      : lambda_(lambda), steps_(static_cast<std::size_t>(steps)), order_(static_cast<std::size_t>(order)) {
    const double first = std::abs(multiples.first), second = std::abs(multiples.second);
    const double square = noise * noise;
    // The squared norms of the single records are at least the part |sum|^2/order of them, and at least the sum of the
    // squared column norms: the better of the two for typical participations.
    double together = 0.0, apart = 0.0, x = 0.0, column = 0.0;
    means_.resize(steps_);
    for (std::size_t t = 0; t < steps_; ++t) {
      x = lambda * x + 1.0;
      column = lambda * lambda * column + 1.0;
      together += x * x;
      apart += column;
      means_[t] = rate * x;
    }
    const double above = lost(steps);
    const bool spread = (1.0 - rate) * apart < rate * (together - apart);
    curvature_ = 0.5 * first * first * (spread ? 1.0 - 1.0 / order : 1.0) / square * above;
    own_ = spread ? 0.0 : 1.0;
    slope_ = (order - 1.0) * first * second / square * above;
    constant_ = 0.5 * (order - 1.0) * (order - 1.0) * second * second / square * above;
    // (order - 1) second^2 W/(2 kappa^2), W = E || |C| y ||^2.
    jensen_ =
        0.5 * (order - 1.0) * second * second * (rate * rate * together + rate * (1.0 - rate) * apart) / square * above;
    for (const Real& chance : binomial_probabilities(order_, rate)) {
      chance_.push_back(chance.upper());
      log_binomial_.push_back(chance.positive() ? log(chance).upper() : -infinity);
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
        next[i] = step(t, next_up(lambda_ * grid_[i]), tail, rest);
        if (t == 0) {
          return next[0] + jensen_ + 4.0 * unit * (std::abs(next[0]) + jensen_);
        }
      }
      rest.swap(next);
      tail = lambda_ * lambda_ * (1.0 + tail);
      encoded = lambda_ * encoded + static_cast<double>(order_);
      power *= lambda_;
      squares += 2.0 * curvature_ * power * encoded;
      along = lambda_ * (slope_ * means_[t] + along);
      beyond_ = (squares + along) * lost(static_cast<double>(steps_));
    }
    return jensen_;
  }

 private:
  /// log of the sum over the participations n at step t, from the decayed state x.
  double step(std::size_t t, double x, double tail, const std::vector<double>& rest) {
    const double square = curvature_ * (1.0 + tail) * (1.0 + 8.0 * unit);
    const double linear = slope_ * means_[t];
    terms_.resize(order_ + 1);
    double largest = -infinity;
    std::size_t cell = 0;
    for (std::size_t n = 0; n <= order_; ++n) {
      const auto k = static_cast<double>(n);
      const auto [later, size] = chord((x + k) * (1.0 + 3.0 * unit), rest, cell);
      // The squared norm of a single record's part of this step is 1 + tail too: nothing cancels.
      const double energy = square * k * (2.0 * x + (n == 0 ? 0.0 : k - own_)) + linear * k;
      terms_[n] = {energy + later, energy + size};
      largest = std::max(largest, log_binomial_[n] + terms_[n].exponent);
    }
    double value = 0.0;
    if (largest >= most_moderate) {
      value = log_of_sum(largest);
    } else {
      constexpr double enough = 1e-3;  // for e^x - 1 by subtraction, which is quicker, to lose 4e-13 at most
      const double excess = excess_of<false>();
      value = std::log1p(excess >= enough ? excess : excess_of<true>());
      value += 4.0 * unit * std::abs(value);
    }
    const double along = linear * x + constant_ * means_[t] * means_[t];
    return value + along + 8.0 * unit * (std::abs(value) + along);
  }

  /// Near 0 all digits are in the excess of the sum over that of the probabilities, which is 1.
  template <bool all_digits>
  [[nodiscard]] double excess_of() const {
    double excess = 0.0, magnitude = 0.0, error = 0.0;
    for (std::size_t n = 0; n <= order_; ++n) {
      const auto [exponent, size] = terms_[n];
      double term = 0.0;
      if (chance_[n] == 0.0) {
        continue;
      }
      if (exponent < most_moderate && chance_[n] * most_exponential < 1e-18 * excess) {
        excess += chance_[n] * most_exponential;  // too rare to be worth an exponential
        continue;
      }
      if (exponent < most_moderate) {
        if constexpr (all_digits) {
          term = chance_[n] * std::expm1(exponent);
        } else {
          term = chance_[n] * (std::exp(exponent) - 1.0);
          error += 6.0 * chance_[n];
        }
        error += (chance_[n] + std::abs(term)) * depth * size;
      } else {
        term = std::exp(log_binomial_[n] + exponent);
        error += term * depth * (size - log_binomial_[n]);
      }
      excess += term;
      magnitude += std::abs(term);
    }
    return excess + unit * (error + (static_cast<double>(order_) + 16.0) * magnitude);
  }

  [[nodiscard]] double log_of_sum(double largest) const {
    double sum = 0.0, error = 0.0;
    for (std::size_t n = 0; n <= order_; ++n) {
      const auto [exponent, size] = terms_[n];
      const double term = log_binomial_[n] + exponent;
      if (term > largest - 45.0) {
        const double share = std::exp(term - largest);
        sum += share;
        error += share * depth * (size - log_binomial_[n]);
      } else {
        sum += 3e-20;  // exp(-45)
      }
    }
    return largest + std::log(sum) + unit * (error / sum + static_cast<double>(order_) + 8.0 + 4.0 * std::abs(largest));
  }

  /// A convex function of the state from above, and what its rounding is relative to. \param cell  where the last,
  /// smaller x was.
  [[nodiscard]] std::pair<double, double> chord(double x, const std::vector<double>& values, std::size_t& cell) const {
    while (cell + 2 < grid_.size() && grid_[cell + 1] < x) {
      ++cell;
    }
    const double share = std::min(1.0, (x - grid_[cell]) * inverse_width_[cell]);
    const double value = values[cell] + share * (values[cell + 1] - values[cell]);
    const double size = std::abs(values[cell]) + std::abs(values[cell + 1]);
    const double outside = x > grid_.back() ? beyond_ * (x - grid_.back()) : 0.0;
    return {value + outside, size + outside};
  }

  /// An exponent and the sum of the sizes of its parts.
  struct Term {
    double exponent = 0.0, size = 0.0;
  };
  static constexpr double most_moderate = 30.0;       // the logarithm of a sum whose excess over 1 is summed
  static constexpr double most_exponential = 1.1e13;  // above exp(30)
  static constexpr double depth = 12.0;               // roundings that a part of an exponent goes through

  double lambda_;
  std::size_t steps_;
  std::size_t order_;
  double curvature_ = 0.0, slope_ = 0.0, constant_ = 0.0, jensen_ = 0.0;
  double own_ = 0.0;           ///< 1 if the squared norms of the single records are taken off, record by record
  double beyond_ = 0.0;        ///< the steepest ascent of what is left
  std::vector<double> means_;  ///< m
  std::vector<double> chance_, log_binomial_;  ///< of n participations, rounded up
  std::vector<double> grid_, inverse_width_;
  std::vector<Term> terms_;
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

/// log delta from a Renyi divergence of one order, rounded up.
double log_delta(double renyi, double order, double epsilon) {
  const double size = (order - 1.0) * (renyi + epsilon + 1.0) + std::log(order) + 1.0;
  return (order - 1.0) * (renyi - epsilon + std::log1p(-1.0 / order)) - std::log(order) + 10.0 * unit * size;
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
  // Past the largest double there is no number; below 0 there is no divergence.
  return std::isnan(moment) ? infinity : std::max(0.0, next_up(moment / (order - 1.0) * (1.0 + 4.0 * unit)));
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
    return next_up(0.5 * scale * scale * r * (order * r * together + (1.0 - r) * apart) *
                   lost(static_cast<double>(strategy_.steps())));
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
  return {std::min(1.0, next_up(std::exp(at(order)) * (1.0 + 4.0 * unit))), order};
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
    double found = numerics::root(excess, 0.0, high).upper;
    for (double width = 1e-12; !(this->delta(found).delta <= delta); width *= 8.0) {
      found *= 1.0 + width;  // the bound is not smooth in its last digits
    }
    return {found, 0.0};
  }
  const auto at = [&](double order) {
    const double divergence = renyi(order), size = (std::log(order) - std::log(delta)) / (order - 1.0);
    return divergence + std::log1p(-1.0 / order) - (std::log(delta) + std::log(order)) / (order - 1.0) +
           10.0 * unit * (divergence + size + 1.0);
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
    const double value = (bound.delta > 0.0 ? std::log(bound.delta) : -1e4) - std::log(delta);
    return bound.delta <= delta ? std::min(value, 0.0) : std::max(value, 1e-16);  // logarithms round
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
