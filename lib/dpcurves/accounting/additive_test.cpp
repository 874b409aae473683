// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/accounting/geometric_weights.hpp>
#include <dpcurves/core/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/fft.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting {
namespace {

using numerics::normal_density;
using numerics::normal_upper_tail;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double reach = 12.5;  // 4e-36 is left

// log and tilted law of one step's statistic, index k standing for height k.
struct StepLaw {
  double log_moment = 0.0;
  double mean = 0.0;      // of the index
  double variance = 0.0;  // of the index
};

// The statistic in cells of one height, with the masses of both laws.
struct CutStatistic {
  double height = 1.0;
  long first = 0;
  std::vector<double> null;
  std::vector<double> shifted;
};

class Statistic {
 public:
  Statistic(double mu, double rate) : mu_(mu), rate_(rate) {}

  [[nodiscard]] double value(double x) const {
    const double y = mu_ * x - 0.5 * mu_ * mu_;
    return y > 30.0 ? y + std::log(rate_ + (1.0 - rate_) * std::exp(-y)) : std::log1p(rate_ * std::expm1(y));
  }
  // The x of a value; -infinity below the range.
  [[nodiscard]] double inverse(double y) const {
    const double ratio =
        y > 30.0 ? y - std::log(rate_) + std::log1p(-(1.0 - rate_) * std::exp(-y)) : std::log1p(std::expm1(y) / rate_);
    return std::isnan(ratio) ? -infinity : (ratio + 0.5 * mu_ * mu_) / mu_;
  }
  [[nodiscard]] double least() const { return value(-reach); }
  [[nodiscard]] double most() const { return value(reach + mu_); }

  // Moments of the statistic by the trapezoidal rule: where to tilt, no part of a guarantee.
  [[nodiscard]] StepLaw tilted(double c, bool shifted) const {
    const double h = 0.01 * std::min(1.0, 1.0 / mu_);
    StepLaw law;
    double sum = 0.0;
    double first = 0.0;
    double second = 0.0;
    const double centre = value(shifted ? mu_ : 0.0);
    for (double x = -reach; x < reach + mu_; x += h) {
      const double y = value(x) - centre;
      const double u = shifted ? x - mu_ : x;
      const double w = std::exp(c * y - 0.5 * u * u);
      sum += w;
      first += w * y;
      second += w * y * y;
    }
    law.log_moment = std::log(sum * h / 2.5066282746310002) + c * centre;
    law.mean = first / sum + centre;
    law.variance = std::max(0.0, second / sum - (first / sum) * (first / sum));
    return law;
  }

  // Edges are the doubles that are computed, so that both laws have the same cells.
  [[nodiscard]] CutStatistic cut(double height) const {
    CutStatistic cells;
    cells.height = height;
    cells.first = std::lround(least() / height);
    const long last = std::lround(most() / height);
    cells.null.reserve(static_cast<std::size_t>(last - cells.first + 1));
    cells.shifted.reserve(cells.null.capacity());
    const auto two = numerics::gauss_legendre(2);
    const auto six = numerics::gauss_legendre(6);
    double left = -infinity;
    for (long k = cells.first; k <= last; ++k) {
      const double right = k == last ? infinity : std::max(left, inverse((static_cast<double>(k) + 0.5) * height));
      const double width = right - left;
      double null = 0.0;
      double shifted = 0.0;
      if (width < 0.02) {  // errors of the rules are below 1e-15
        const auto& rule = width < 1e-4 ? two : six;
        for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
          const double x = left + 0.5 * width * (1.0 + rule.nodes[i]);
          const double w = 0.5 * width * rule.weights[i];
          null += w * normal_density(x);
          shifted += w * normal_density(x - mu_);
        }
      } else {
        const auto between = [](double a, double b) {
          return a > 0.0 ? normal_upper_tail(a) - normal_upper_tail(b) : normal_upper_tail(-b) - normal_upper_tail(-a);
        };
        null = between(left, right);
        shifted = between(left - mu_, right - mu_);
      }
      cells.null.push_back(std::max(null, 0.0));
      cells.shifted.push_back(std::max(shifted, 0.0));
      left = right;
    }
    return cells;
  }

 private:
  double mu_;
  double rate_;
};

// The least 4, 5, 6 or 7 times a power of 2 that is not below: lengths that transform as well as powers.
std::size_t transform_length(double wanted) {
  const std::size_t power = std::bit_ceil(static_cast<std::size_t>(wanted));
  for (const std::size_t eighths : {5U, 6U, 7U}) {
    if (power >= 8 && static_cast<double>(power / 8 * eighths) >= wanted) {
      return power / 8 * eighths;
    }
  }
  return power;
}

// How many steps are shifted, as weights.
struct Counts {
  double steps;
  double fewest;
  std::vector<double> weight;
};

// The law of the sum over the steps on a window of indices, under an exponential tilt: the probability of index s is
// e^{log_moment - tilt s} (tilted_s +- rounding), with what lies outside the window wrapped into it.
class SumLaw {
 public:
  SumLaw(const CutStatistic& cells, const Counts& counts, double tilt, std::size_t length) : tilt_(tilt) {
    const Tilted null = tilt_masses(cells.null, cells.first, tilt);
    const Tilted shifted = counts.fewest + static_cast<double>(counts.weight.size()) > 1.0
                               ? tilt_masses(cells.shifted, cells.first, tilt)
                               : null;
    std::vector<double> weight(counts.weight.size());
    log_moment_ = mixed(counts, null.log_moment, shifted.log_moment, &weight);
    double mean = 0.0;
    for (std::size_t j = 0; j < weight.size(); ++j) {
      const double n = counts.fewest + static_cast<double>(j);
      mean += weight[j] * (n * shifted.mean + (counts.steps - n) * null.mean);
    }
    const double middle = std::round(null.mean);
    transform(null, shifted, counts, weight, middle, cells.first, length);
    const auto size = static_cast<long>(length);
    const long reference = std::lround(counts.steps * middle);
    const long shift = std::lround(mean) - reference - size / 2;
    first_ = reference + shift;
    std::rotate(tilted_.begin(), tilted_.begin() + ((shift % size) + size) % size, tilted_.end());
    // Chernoff bounds of the tilted mass outside the window.
    const double high = static_cast<double>(first_ + size);
    const double low = static_cast<double>(first_ - 1);
    for (const double factor : {60.0, 200.0}) {
      const double move = factor / static_cast<double>(length);
      for (const double sign : {1.0, -1.0}) {
        const double moved = tilt + sign * move;
        const double at = mixed(counts, log_moment_of(cells.null, cells.first, moved),
                                log_moment_of(cells.shifted, cells.first, moved), nullptr);
        double& log_outside = sign > 0.0 ? log_above_ : log_below_;
        log_outside = std::min(log_outside, at - log_moment_ - sign * move * (sign > 0.0 ? high : low));
      }
    }
    relative_ = counts.steps * 1e-13 + 1e-12;
  }

  [[nodiscard]] long first() const { return first_; }
  [[nodiscard]] long end() const { return first_ + static_cast<long>(tilted_.size()); }

  // Probability of indices >= s (or <= s), both ends.
  [[nodiscard]] Enclosure tail(long s, bool up) const {
    double sum = 0.0;
    double weights = 0.0;
    double heaviest = 0.0;
    const long from = up ? std::max(s, first_) : first_;
    const long to = up ? end() : std::min(s + 1, end());
    GeometricWeights untilted = weights_of_window();
    for (long k = from; k < to; ++k) {
      const double weight = untilted(static_cast<std::size_t>(k - first_));
      sum += weight * tilted_[static_cast<std::size_t>(k - first_)];
      weights += weight;
      heaviest = std::max(heaviest, weight);
    }
    const double edge = static_cast<double>(up ? end() : first_ - 1);
    const double outside = std::exp(log_moment_ - tilt_ * edge + (up ? log_above_ : log_below_));
    const double wrapped = heaviest * (std::exp(log_above_) + std::exp(log_below_));
    return {std::max(0.0, sum * (1.0 - relative_) - weights * rounding_ - wrapped),
            sum * (1.0 + relative_) + weights * rounding_ + outside};
  }

  // What takes the tilt away again, of the indices from first() on.
  [[nodiscard]] GeometricWeights weights_of_window() const {
    return {log_moment_ - tilt_ * static_cast<double>(first_), -tilt_};
  }
  // About what the tail from an index on may be off by, over its weight.
  [[nodiscard]] double noise() const {
    return rounding_ / std::abs(tilt_) + std::exp(log_above_) + std::exp(log_below_);
  }

  // Tails of all indices of the window, without the errors.
  [[nodiscard]] std::vector<double> tails(bool up) const {
    std::vector<double> values(tilted_.size());
    double sum = 0.0;
    GeometricWeights untilted = weights_of_window();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t k = up ? values.size() - 1 - i : i;
      sum += untilted(k) * tilted_[k];
      values[k] = sum;
    }
    return values;
  }

 private:
  struct Tilted {
    double log_moment;
    double mean;
    std::vector<double> mass;  // together 1
  };

  // The index whose tilted weight is 1, and the weights of all.
  static std::pair<double, GeometricWeights> tilts(std::size_t size, long first, double tilt) {
    const double from = static_cast<double>(first);
    const double top = tilt > 0.0 ? from + static_cast<double>(size) - 1.0 : from;
    return {top, GeometricWeights(tilt * (from - top), tilt)};
  }

  static double log_moment_of(const std::vector<double>& mass, long first, double tilt) {
    auto [top, weight] = tilts(mass.size(), first, tilt);
    double total = 0.0;
    for (std::size_t k = 0; k < mass.size(); ++k) {
      total += mass[k] * weight(k);
    }
    return std::log(total) + tilt * top;
  }

  static Tilted tilt_masses(const std::vector<double>& mass, long first, double tilt) {
    auto [top, weight] = tilts(mass.size(), first, tilt);
    Tilted result{0.0, 0.0, std::vector<double>(mass.size())};
    double total = 0.0;
    double mean = 0.0;
    for (std::size_t k = 0; k < mass.size(); ++k) {
      const double w = mass[k] * weight(k);
      result.mass[k] = w;
      total += w;
      mean += w * (static_cast<double>(first) + static_cast<double>(k));
    }
    for (double& w : result.mass) {
      w /= total;
    }
    result.log_moment = std::log(total) + tilt * top;
    result.mean = mean / total;
    return result;
  }

  // log of the mixture of the moments; the normalised weights of its terms.
  static double mixed(const Counts& counts, double null, double shifted, std::vector<double>* weights) {
    double most = -infinity;
    std::vector<double> logs(counts.weight.size());
    for (std::size_t j = 0; j < logs.size(); ++j) {
      const double n = counts.fewest + static_cast<double>(j);
      logs[j] = std::log(counts.weight[j]) + n * shifted + (counts.steps - n) * null;
      most = std::max(most, logs[j]);
    }
    double sum = 0.0;
    for (const double x : logs) {
      sum += std::exp(x - most);
    }
    if (weights != nullptr) {
      for (std::size_t j = 0; j < logs.size(); ++j) {
        (*weights)[j] = std::exp(logs[j] - most) / sum;
      }
    }
    return most + std::log(sum);
  }

  void transform(const Tilted& null, const Tilted& shifted, const Counts& counts, const std::vector<double>& weight,
                 double middle, long first, std::size_t length) {
    const auto size = static_cast<long>(length);
    numerics::RealFft fft(length);
    const auto spectrum = [&](const Tilted& law) {
      std::fill(fft.values().begin(), fft.values().end(), 0.0);
      for (std::size_t k = 0; k < law.mass.size(); ++k) {
        const long index = first + static_cast<long>(k) - static_cast<long>(middle);
        fft.values()[static_cast<std::size_t>(((index % size) + size) % size)] += law.mass[k];
      }
      fft.forward();
      return std::vector<std::complex<double>>(fft.spectrum().begin(), fft.spectrum().end());
    };
    const auto power = [](std::complex<double> f, double count) -> std::complex<double> {
      if (count == 0.0) {
        return 1.0;
      }
      const double log_size = 0.5 * count * std::log(std::min(1.0, std::norm(f)));
      return log_size > -100.0 ? std::polar(std::exp(log_size), count * std::arg(f)) : 0.0;
    };
    const auto zero = spectrum(null);
    const bool alike = counts.fewest == 0.0 && weight.size() == 1;  // no step is shifted
    const auto one = alike ? zero : spectrum(shifted);
    const double most = counts.fewest + static_cast<double>(weight.size()) - 1.0;
    double spread = 0.0;
    double square = 0.0;
    for (std::size_t k = 0; k < zero.size(); ++k) {
      std::complex<double> outer = power(zero[k], counts.steps - most);
      outer = outer == 0.0 ? outer : outer * power(one[k], counts.fewest);
      if (outer == 0.0) {
        fft.spectrum()[k] = 0.0;
        continue;
      }
      std::complex<double> value = weight.back();
      std::complex<double> shared = 1.0;
      for (std::size_t j = weight.size() - 1; j-- > 0;) {
        shared *= zero[k];
        value = value * one[k] + weight[j] * shared;
      }
      value *= outer;
      const double times = k == 0 || k + 1 == zero.size() ? 1.0 : 2.0;
      // Every term of the mixture is at most the power of the larger factor.
      spread += times * std::abs(outer) *
                std::pow(std::max(std::abs(one[k]), std::abs(zero[k])), static_cast<double>(weight.size() - 1));
      square += times * std::norm(value);
      fft.spectrum()[k] = value;
    }
    spread /= static_cast<double>(length);
    const double norm = std::sqrt(square / static_cast<double>(length));
    fft.inverse();
    // As in lattice_power.cpp, with the additions of the mixture.
    rounding_ = 8.0 * unit * (std::log2(static_cast<double>(length)) + static_cast<double>(weight.size())) *
                    (norm + (counts.steps + 1.0) * spread) +
                1e-40;
    tilted_.assign(fft.values().begin(), fft.values().end());
  }

  double tilt_;
  double log_moment_ = 0.0;
  long first_ = 0;
  std::vector<double> tilted_;
  double rounding_ = 0.0;
  double relative_ = 0.0;
  double log_above_ = 0.0;
  double log_below_ = 0.0;
};

Counts trimmed(const AdditiveTest& test) {
  constexpr double negligible = 1e-24;  // left out: the test is not made there
  std::size_t from = 0;
  std::size_t to = test.probability.size();
  while (to - from > 1 && test.probability[to - 1] < negligible) {
    --to;
  }
  while (to - from > 1 && test.probability[from] < negligible) {
    ++from;
  }
  return {test.steps,
          test.fewest + static_cast<double>(from),
          {test.probability.begin() + static_cast<std::ptrdiff_t>(from),
           test.probability.begin() + static_cast<std::ptrdiff_t>(to)}};
}

// The tilt of the first law of the pair where its Chernoff bound at `target` is best, and the spread of the sum there.
struct Saddle {
  double c;
  double deviation;
};
Saddle saddle(const Statistic& statistic, const Counts& counts, double target, Direction direction) {
  const bool remove = direction == Direction::remove;
  double typical = 0.0;
  double total = 0.0;
  for (std::size_t j = 0; j < counts.weight.size(); ++j) {
    typical += counts.weight[j] * (counts.fewest + static_cast<double>(j));
    total += counts.weight[j];
  }
  typical /= total;
  const double shifted = remove ? typical : 0.0;
  const auto moments = [&](double c) {
    const double tilt = remove ? c : -c;
    const StepLaw null = statistic.tilted(tilt, false);
    const StepLaw other = shifted > 0.0 ? statistic.tilted(tilt, true) : null;
    return std::pair{shifted * other.mean + (counts.steps - shifted) * null.mean,
                     shifted * other.variance + (counts.steps - shifted) * null.variance};
  };
  const auto slope = [&](double c) {
    return (remove ? 1.0 : -1.0) * moments(c).first - target - 1.0 / c - 1.0 / (1.0 + c);
  };
  double low = 1e-4;
  double high = 1.0;
  while (slope(high) < 0.0 && high < 1e6) {
    low = high;
    high *= 4.0;
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = std::sqrt(low * high);
    (slope(middle) > 0.0 ? high : low) = middle;
  }
  const double c = std::sqrt(low * high);
  return {c, std::sqrt(moments(c).second)};
}

}  // namespace

AdditiveTestResult additive_test(const AdditiveTest& test, std::size_t most_points) {
  require_domain(test.steps >= 1.0 && test.steps <= 1e8 && test.steps == std::floor(test.steps), "steps", test.steps,
                 "the whole numbers from 1 to 1e8");
  require_domain(test.noise_multiplier >= 0.1 && test.noise_multiplier <= 1e4, "noise_multiplier",
                 test.noise_multiplier, "[0.1, 1e4]");
  require_domain(test.rate > 0.0 && test.rate < 1.0, "rate", test.rate, "(0, 1)");
  require_domain(test.epsilon >= 0.0 && test.epsilon <= 700.0, "epsilon", test.epsilon, "[0, 700]");
  const double most = test.fewest + static_cast<double>(test.probability.size()) - 1.0;
  require_domain(!test.probability.empty() && test.fewest >= 0.0 && most <= test.steps, "fewest", test.fewest,
                 "whole numbers with at most `steps` participations");
  require_domain(most_points >= (1U << 14U) && most_points <= (1U << 23U) && std::has_single_bit(most_points),
                 "most_points", static_cast<double>(most_points), "powers of 2 from 2^14 to 2^23");
  const bool remove = test.direction == Direction::remove;
  const Counts with = trimmed(test);
  const Counts without{test.steps, 0.0, {1.0}};
  const Statistic statistic(1.0 / test.noise_multiplier, test.rate);
  const double target = test.threshold ? (remove ? *test.threshold : -*test.threshold) : test.epsilon;
  const Saddle at = saddle(statistic, with, target, test.direction);
  const double range = statistic.most() - statistic.least();
  const double width = 28.0 * at.deviation + 2.0 * range;
  // The cells blur a tail of steepness c by a relative c^2 steps height^2 / 24.
  constexpr double loss = 6e-8;
  const double wanted = at.c * width * std::sqrt(test.steps / (24.0 * loss));
  const auto terms = static_cast<double>(with.weight.size());
  const double affordable = 4e8 / terms;
  const std::size_t length = transform_length(
      std::clamp(std::min(wanted, std::max(affordable, 0x1p18)), 0x1p14, static_cast<double>(most_points)));
  const CutStatistic cells = statistic.cut(width / static_cast<double>(length));
  const double height = cells.height;
  const double null_tilt = (remove ? at.c + 1.0 : -at.c) * height;
  const double with_tilt = (remove ? at.c : -at.c - 1.0) * height;
  const SumLaw alternative(cells, with, with_tilt, length);
  const SumLaw null(cells, without, null_tilt, length);
  const double ratio = std::exp(test.epsilon) * (1.0 + 4.0 * unit);
  const SumLaw& first = remove ? alternative : null;
  const SumLaw& second = remove ? null : alternative;
  // Between two thresholds of the lattice the test is drawn: probabilities are joined by lines.
  const auto at_index = [&](double s) {
    const double from = std::floor(s);
    const double share = s - from;
    const auto joined = [&](const SumLaw& law) {
      const Enclosure a = law.tail(static_cast<long>(from), remove);
      const Enclosure b = share > 0.0 ? law.tail(static_cast<long>(from) + 1, remove) : a;
      return Enclosure{(1.0 - share) * a.lower + share * b.lower, (1.0 - share) * a.upper + share * b.upper};
    };
    const Enclosure p = joined(first);
    const Enclosure q = joined(second);
    const double delta = p.lower * (1.0 - 4.0 * unit) - ratio * q.upper;
    const double threshold = (s + (remove ? -0.5 : 0.5)) * height;
    return AdditiveTestResult{std::max(0.0, delta), threshold, remove ? p.middle() : q.middle(),
                              remove ? q.middle() : p.middle()};
  };
  if (test.threshold) {
    AdditiveTestResult result = at_index(*test.threshold / height + (remove ? 0.5 : -0.5));
    result.threshold = *test.threshold;
    return result;
  }
  const auto p = first.tails(remove);
  const auto q = second.tails(remove);
  double best = -infinity;
  long where = std::max(first.first(), second.first());
  GeometricWeights first_weight = first.weights_of_window(), second_weight = second.weights_of_window();
  const double first_noise = first.noise(), second_noise = ratio * second.noise();
  for (long s = where; s < std::min(first.end(), second.end()); ++s) {
    const auto i = static_cast<std::size_t>(s - first.first()), j = static_cast<std::size_t>(s - second.first());
    if (!(first_weight(i) * first_noise + second_weight(j) * second_noise < 1e-4 * std::min(1.0, p[i]))) {
      continue;  // far from the tilted mean rounding is all there is
    }
    const double value = p[i] - ratio * q[j];
    if (value > best) {
      best = value;
      where = s;
    }
  }
  return at_index(static_cast<double>(where));
}

}  // namespace dpcurves::accounting
