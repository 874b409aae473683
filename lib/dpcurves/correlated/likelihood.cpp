// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/exponential_kernel.hpp>
#include <dpcurves/correlated/likelihood.hpp>
#include <dpcurves/correlated/sensitivity.hpp>

namespace dpcurves::correlated {
namespace {

constexpr std::size_t most_enumerated = 16, widest_band = 14;

void check(std::span<const double> z, std::size_t steps, double rate, double noise) {
  require_domain(z.size() == steps, "length of z", static_cast<double>(z.size()), "the number of steps");
  require_domain(rate >= 0.0 && rate <= 1.0, "rate", rate, "[0, 1]");
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
}

/// Weights whose logarithm of scale is kept apart.
struct Scale {
  double log = 0.0;
  /// Divides the weights by their sum when that leaves the comfortable range of doubles.
  void keep(std::vector<double>& weights, double total) {
    if (total < 1e-100 || total > 1e100) {
      log += std::log(total);
      for (double& w : weights) {
        w /= total;
      }
    }
  }
  /// Weights times exponentials of any size; the largest becomes 1.
  double any(std::vector<double>& weights, const std::vector<double>& x, double slope, double square) {
    double shift = 0.0;
    const double total = multiply_any_exponentials(weights.data(), x.data(), weights.size(), slope, square, shift);
    log += shift;
    return total;
  }
  /// The logarithm of the sum of the weights, their scale included.
  double log_sum(const std::vector<double>& weights) const {
    return log + std::log(std::accumulate(weights.begin(), weights.end(), 0.0));
  }
};

/// Whether a factor exp(linear z x - square x^2) may leave the range that the fast kernel and doubles can take.
bool extreme_factors(std::span<const double> z, double linear, double square, double largest) {
  double highest = 0.0;
  for (const double value : z) {
    highest = std::max(highest, std::abs(value));
  }
  constexpr double range = 200.0;
  return !(std::abs(linear) * highest * largest < range && square * largest * largest < range);
}

// All participations ------------------------------------------------------------------------------------------------

class Enumeration final : public ParticipationChain {
 public:
  explicit Enumeration(const models::StrategyMatrix& strategy) : strategy_(strategy.absolute()) {
    const std::size_t steps = strategy_.steps(), count = std::size_t{1} << steps;
    squares_.assign(count, 0.0);
    std::vector<double> encoded(steps);
    for (std::size_t y = 1; y < count; ++y) {
      for (std::size_t t = 0; t < steps; ++t) {
        encoded[t] = static_cast<double>((y >> t) & 1U);
      }
      strategy_.multiply(encoded);
      for (const double x : encoded) {
        squares_[y] += x * x;
      }
    }
  }

  std::size_t steps() const override { return strategy_.steps(); }
  bool exact() const override { return true; }
  std::size_t states() const override { return squares_.size(); }
  double work() const override { return 5.0 * static_cast<double>(states()); }  // one exponential each

  void means(std::span<const std::uint8_t> participations, std::span<double> result) const override {
    std::copy(participations.begin(), participations.end(), result.begin());
    strategy_.multiply(result);
  }

  double log_ratio(std::span<const double> z, double rate, double noise, double multiple) const override {
    check(z, steps(), rate, noise);
    std::vector<double> field(z.begin(), z.end());
    strategy_.multiply_transposed(field);
    const double linear = multiple / (noise * noise), square = 0.5 * multiple * multiple / (noise * noise);
    if (rate == 0.0) {
      return 0.0;
    }
    if (rate == 1.0) {
      const double all = sum_over(field);
      return linear * all - square * squares_.back();
    }
    // exponent[y], built by doubling: one more step at a time.
    const double absent = std::log1p(-rate) * static_cast<double>(steps()), odds = std::log(rate) - std::log1p(-rate);
    std::vector<double> exponent(states(), absent);
    for (std::size_t t = 0; t < steps(); ++t) {
      const std::size_t half = std::size_t{1} << t;
      for (std::size_t y = 0; y < half; ++y) {
        exponent[y + half] = exponent[y] + linear * field[t] + odds;
      }
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t y = 0; y < exponent.size(); ++y) {
      exponent[y] -= square * squares_[y];
      largest = std::max(largest, exponent[y]);
    }
    double sum = 0.0;
    for (const double e : exponent) {
      if (e > largest - 40.0) {
        sum += std::exp(e - largest);
      }
    }
    return largest + std::log(sum);
  }

 private:
  models::StrategyMatrix strategy_;
  std::vector<double> squares_;  ///< || |C| y ||^2
};

// The last b - 1 participations -------------------------------------------------------------------------------------

class Band final : public ParticipationChain {
 public:
  explicit Band(const models::StrategyMatrix& strategy) : strategy_(strategy.absolute()) {
    std::vector<double> all(strategy_.steps(), 1.0);
    strategy_.multiply(all);
    largest_ = *std::max_element(all.begin(), all.end());
  }

  std::size_t steps() const override { return strategy_.steps(); }
  bool exact() const override { return true; }
  std::size_t states() const override { return std::size_t{1} << (strategy_.bandwidth() - 1); }

  void means(std::span<const std::uint8_t> participations, std::span<double> result) const override {
    std::copy(participations.begin(), participations.end(), result.begin());
    strategy_.multiply(result);
  }

  double log_ratio(std::span<const double> z, double rate, double noise, double multiple) const override {
    check(z, steps(), rate, noise);
    // Bit l of `recent` says whether the record took part l steps ago; after the step the oldest bit is forgotten.
    const std::size_t b = strategy_.bandwidth(), all = std::size_t{1} << b;
    const double linear = multiple / (noise * noise), square = 0.5 * multiple * multiple / (noise * noise);
    const bool extreme = extreme_factors(z, linear, square, largest_);
    std::vector<double> weight(states(), 0.0), longer(all), mean(all, 0.0), quadratic(all);
    weight[0] = 1.0;
    Scale scale;
    for (std::size_t t = 0; t < steps(); ++t) {
      if (t < b || strategy_.form() == models::StrategyMatrix::Form::lower_triangular) {
        for (std::size_t lag = 0; lag < b; ++lag) {
          const double entry = lag <= t ? strategy_(t, t - lag) : 0.0;
          const std::size_t half = std::size_t{1} << lag;
          for (std::size_t y = 0; y < half; ++y) {
            mean[y + half] = mean[y] + entry;
          }
        }
        for (std::size_t y = 0; y < all; ++y) {
          quadratic[y] = std::exp(-square * mean[y] * mean[y]);
        }
      }
      for (std::size_t s = 0; s < weight.size(); ++s) {
        longer[2 * s] = (1.0 - rate) * weight[s];
        longer[2 * s + 1] = rate * weight[s];
      }
      const double total = extreme ? scale.any(longer, mean, linear * z[t], square)
                                   : multiply_exponentials(longer.data(), mean.data(), quadratic.data(), all,
                                                           linear * z[t], mean.back());
      const std::size_t half = weight.size();
      for (std::size_t s = 0; s < half; ++s) {
        weight[s] = longer[s] + (b > 1 ? longer[s + half] : longer[1]);
      }
      scale.keep(weight, total);
    }
    return scale.log_sum(weight);
  }

 private:
  models::StrategyMatrix strategy_;
  double largest_ = 0.0;  ///< mean
};

// The scalar state of lambda-CGD ------------------------------------------------------------------------------------

/// State indices: octaves of `points` states each, x = f_i lambda^o, o = -top, ..., last; then tail states
/// lambda^(last+1), lambda^(last+2), ...; then 0. Index + points is one step of decay.
class ScalarState final : public ParticipationChain {
 public:
  ScalarState(double lambda, std::size_t steps, Rounding rounding, double resolution)
      : lambda_(lambda), steps_(steps), rounding_(rounding) {
    const double octave = -std::log(lambda), total = gain(lambda, static_cast<double>(steps));
    choose_points(octave, resolution);
    const double coarse_below = rounding == Rounding::nearest ? std::max(1e-3, 0.1 * resolution) : 1e-3;
    const double nothing_below = rounding == Rounding::nearest ? 0.01 * resolution : 1e-9;
    const double ages = static_cast<double>(steps);
    top_ = lambda < 0.5 ? 0 : static_cast<std::size_t>(std::ceil(std::log(total) / octave));
    const auto last = static_cast<std::size_t>(std::min(ages, std::ceil(-std::log(coarse_below) / octave)));
    const auto tail = static_cast<std::size_t>(std::min(ages, std::ceil(-std::log(nothing_below) / octave)));
    for (std::size_t o = 0; o <= top_ + last; ++o) {
      const double power = std::exp(octave * (static_cast<double>(top_) - static_cast<double>(o)));
      for (const double f : points_) {
        x_.push_back(f * power);
      }
    }
    body_ = x_.size();
    for (std::size_t o = last + 1; o <= std::max(tail, last + 1); ++o) {
      x_.push_back(std::exp(-octave * static_cast<double>(o)));
    }
    x_.push_back(0.0);
    largest_ = *std::max_element(x_.begin(), x_.end());
    link();
  }

  std::size_t steps() const override { return steps_; }
  bool exact() const override { return false; }
  std::size_t states() const override { return x_.size(); }

  void means(std::span<const std::uint8_t> participations, std::span<double> result) const override {
    std::size_t state = x_.size() - 1;
    for (std::size_t t = 0; t < steps_; ++t) {
      state = participations[t] != 0 ? present_[state] : absent_[state];
      result[t] = x_[state];
    }
  }

  double log_ratio(std::span<const double> z, double rate, double noise, double multiple) const override {
    check(z, steps_, rate, noise);
    const std::size_t count = x_.size(), zero = count - 1, width = points_.size();
    const double linear = multiple / (noise * noise), square = 0.5 * multiple * multiple / (noise * noise);
    const bool extreme = extreme_factors(z, linear, square, largest_);
    std::vector<double> weight(count, 0.0), next(count), quadratic(count);
    for (std::size_t i = 0; i < count; ++i) {
      quadratic[i] = std::exp(-square * x_[i] * x_[i]);
    }
    weight[zero] = 1.0;
    Scale scale;
    const double stay = 1.0 - rate;
    for (std::size_t t = 0; t < steps_; ++t) {
      std::fill(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(width), 0.0);
      for (std::size_t i = 0; i + width < body_; ++i) {
        next[i + width] = stay * weight[i];
      }
      std::fill(next.begin() + static_cast<std::ptrdiff_t>(body_), next.end(), 0.0);
      for (std::size_t i = body_ - width; i < count;) {  // neighbours with one target are summed first
        const std::size_t target = absent_[i];
        double sum = 0.0;
        for (; i < count && absent_[i] == target; ++i) {
          sum += weight[i];
        }
        next[target] += stay * sum;
      }
      for (const Run& run : runs_) {
        next[run.target] += rate * run_sum(weight.data() + run.begin, run.end - run.begin);
      }
      const double total =
          extreme ? scale.any(next, x_, linear * z[t], square)
                  : multiply_exponentials(next.data(), x_.data(), quadratic.data(), count, linear * z[t], largest_);
      weight.swap(next);
      scale.keep(weight, total);
    }
    return scale.log_sum(weight);
  }

 private:
  struct Run {
    std::size_t begin, end, target;
  };

  /// blocked_sum; most runs of a coarse chain are so short that its call costs more than they do.
  static double run_sum(const double* x, std::size_t count) {
    switch (count) {
      case 1:
        return x[0];
      case 2:
        return x[0] + x[1];
      case 3:
        return x[0] + x[1] + x[2];
      default:
        return blocked_sum(x, count);
    }
  }

  void choose_points(double octave, double resolution) {
    // States are powers of lambda times at most 1/(1 - lambda).
    const double reach = lambda_ < 0.5 ? -std::log1p(-lambda_) * (1.0 + 1e-12) + 1e-12 : octave;
    const auto count = static_cast<std::size_t>(std::max(1.0, std::ceil(reach / resolution)));
    points_ = {1.0};
    if (lambda_ < 0.5) {
      points_.push_back(std::exp(reach));
    }
    if (count < 6) {
      for (std::size_t i = 1; i < count; ++i) {
        points_.push_back(std::exp(reach * static_cast<double>(i) / static_cast<double>(count)));
      }
      std::sort(points_.begin(), points_.end());
      return;
    }
    // Where the state fades quickly a participation usually finds it near 0.
    const std::size_t crowded = lambda_ <= 0.7 ? count / 2 : 0, uniform = count;
    for (std::size_t i = 1; i < uniform; ++i) {
      points_.push_back(std::exp(reach * static_cast<double>(i) / static_cast<double>(uniform)));
    }
    const double first = std::expm1(reach / static_cast<double>(uniform));
    for (std::size_t i = 1; i <= crowded; ++i) {  // between 1 and the first uniform point, and a little beyond
      constexpr double decades = 7.0;             // natural logarithms below it
      points_.push_back(1.0 + 2.0 * first * std::exp(-decades * static_cast<double>(i) / static_cast<double>(crowded)));
    }
    std::sort(points_.begin(), points_.end());
    points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  }

  /// The state that stands for x > 0; up: at least x where there is one, down: at most x.
  [[nodiscard]] std::size_t state_of(double x) const {
    const double place = -std::log(x) / -std::log(lambda_) + static_cast<double>(top_);
    const std::size_t octaves = body_ / points_.size();
    const auto octave =
        static_cast<std::size_t>(std::clamp(std::ceil(place - 1e-9), 0.0, static_cast<double>(octaves - 1)));
    const auto start = octave * points_.size();
    const auto begin = x_.begin() + static_cast<std::ptrdiff_t>(start);
    const auto end = begin + static_cast<std::ptrdiff_t>(points_.size());
    const auto at = std::lower_bound(begin, end, x * (1.0 - 1e-14));  // first point of the octave that is not below x
    const auto below = [&](std::vector<double>::const_iterator i) { return *i <= x * (1.0 + 1e-14); };
    const auto index = [&](std::vector<double>::const_iterator i) { return static_cast<std::size_t>(i - x_.begin()); };
    std::size_t upper = 0, lower = 0;
    if (at == end) {  // above the last point: the first point of the octave above
      upper = octave == 0 ? start + points_.size() - 1 : start - points_.size();
    } else {
      upper = index(at);
    }
    if (at != end && below(at)) {
      lower = index(at);
    } else if (at != begin) {
      lower = index(at - 1);
    } else {  // below the first point of the octave: the last point of the octave underneath
      lower = octave + 1 < octaves ? start + 2 * points_.size() - 1 : start;
    }
    switch (rounding_) {
      case Rounding::up:
        return upper;
      case Rounding::down:
        return lower;
      case Rounding::nearest:
        return x_[upper] * x_[lower] < x * x ? upper : lower;
    }
    return upper;
  }

  void link() {
    const std::size_t count = x_.size(), zero = count - 1, width = points_.size();
    absent_.resize(count);
    present_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + width < body_) {
        absent_[i] = i + width;
      } else if (i < body_) {  // from the last octave to the tail: f_i lambda^(last+1) lies in [x_[body_], 1/lambda)
        const bool to_octave = rounding_ == Rounding::up && i > body_ - width;
        absent_[i] = to_octave ? body_ - width : body_;  // lambda^last, at least every f_i lambda^(last+1)
      } else if (i + 1 < zero) {
        absent_[i] = i + 1;
      } else if (i < zero) {
        absent_[i] = rounding_ == Rounding::up ? i : zero;
      } else {
        absent_[i] = zero;
      }
      present_[i] = state_of(1.0 + lambda_ * x_[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!runs_.empty() && runs_.back().target == present_[i]) {
        runs_.back().end = i + 1;
      } else {
        runs_.push_back({i, i + 1, present_[i]});
      }
    }
  }

  double lambda_;
  std::size_t steps_;
  Rounding rounding_;
  std::vector<double> points_;  ///< f_i in [1, 1/lambda), ascending
  std::size_t top_ = 0;         ///< octaves above 1
  std::size_t body_ = 0;        ///< states before the tail
  std::vector<double> x_;
  double largest_ = 0.0;
  std::vector<std::size_t> absent_, present_;  ///< the state after a step without and with the record
  std::vector<Run> runs_;                      ///< neighbouring states with one common present_
};

}  // namespace

bool has_recursion(const models::StrategyMatrix& strategy) {
  return strategy.bandwidth() <= widest_band ||
         (strategy.form() == models::StrategyMatrix::Form::exponential && strategy.lambda() < 1.0);
}

bool has_participation_chain(const models::StrategyMatrix& strategy) {
  return strategy.steps() <= most_enumerated || has_recursion(strategy);
}

ChainPtr participation_chain(const models::StrategyMatrix& strategy, Rounding rounding, double resolution,
                             bool enumerate) {
  require_domain(resolution >= 1e-4 && resolution <= 1.0, "resolution", resolution, "[1e-4, 1]");
  if (enumerate && strategy.steps() <= most_enumerated) {
    return std::make_shared<Enumeration>(strategy);
  }
  const bool exponential = strategy.form() == models::StrategyMatrix::Form::exponential;
  if (strategy.bandwidth() <= widest_band && (!exponential || strategy.lambda() == 0.0)) {
    return std::make_shared<Band>(strategy);
  }
  require_domain(exponential && strategy.lambda() < 1.0, "bandwidth", static_cast<double>(strategy.bandwidth()),
                 "[1, 14], or any for up to 16 steps and for lambda-CGD with lambda < 1");
  return std::make_shared<ScalarState>(strategy.lambda(), strategy.steps(), rounding, resolution);
}

}  // namespace dpcurves::correlated
