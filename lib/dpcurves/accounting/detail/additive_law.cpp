// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/numerics/fft.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

using numerics::normal_density;
using numerics::normal_upper_tail;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double reach = 12.5;  // 4e-36 is left

}  // namespace

// Of Poisson sampling at the rate, as a logarithm.
double Statistic::ratio(double x) const {
  const double y = mu_ * x - 0.5 * mu_ * mu_;
  return y > 30.0 ? y + std::log(rate_ + (1.0 - rate_) * std::exp(-y)) : std::log1p(rate_ * std::expm1(y));
}

double Statistic::inverse(double y) const {
  if (replaced_) {
    // With u = e^{mu x}, c = q e^{-mu^2/2} and r = e^y: (1 - q + c u) u = r ((1 - q) u + c).
    const double r = std::exp(std::abs(y));
    const double c = rate_ * std::exp(-0.5 * mu_ * mu_);
    const double half = 0.5 * (1.0 - rate_) * (r - 1.0);
    return std::copysign(std::log((half + std::hypot(half, c * std::sqrt(r))) / c) / mu_, y);
  }
  const double ratio =
      y > 30.0 ? y - std::log(rate_) + std::log1p(-(1.0 - rate_) * std::exp(-y)) : std::log1p(std::expm1(y) / rate_);
  return std::isnan(ratio) ? -infinity : (ratio + 0.5 * mu_ * mu_) / mu_;
}

double Statistic::least() const { return value(replaced_ ? -reach - mu_ : -reach); }

double Statistic::most() const { return value(reach + mu_); }

double Statistic::step() const { return 0.01 * std::min(1.0, 1.0 / mu_); }

std::vector<double> Statistic::values() const {
  std::vector<double> all;
  for (double x = -reach; x < reach + mu_; x += step()) {
    all.push_back(value(x));
  }
  return all;
}

StepLaw Statistic::tilted(const std::vector<double>& values, double c, bool shifted) const {
  StepLaw law;
  double sum = 0.0;
  double first = 0.0;
  double second = 0.0;
  const double centre = value(shifted ? mu_ : 0.0);
  double x = -reach;
  for (const double value : values) {
    const double y = value - centre;
    const double u = shifted ? x - mu_ : x;
    const double w = std::exp(c * y - 0.5 * u * u);
    sum += w;
    first += w * y;
    second += w * y * y;
    x += step();
  }
  law.log_moment = std::log(sum * step() / 2.5066282746310002) + c * centre;
  law.mean = first / sum + centre;
  law.variance = std::max(0.0, second / sum - (first / sum) * (first / sum));
  return law;
}

CutStatistic Statistic::cut(double height) const {
  CutStatistic cells{.height = height, .first = std::lround(least() / height)};
  const long last = std::lround(most() / height);
  const auto count = static_cast<std::size_t>(last - cells.first + 1);
  for (std::vector<double>* masses : {&cells.null, &cells.shifted, &cells.opposite}) {
    masses->reserve(masses == &cells.opposite && !replaced_ ? 0 : count);
  }
  const auto two = numerics::gauss_legendre(2);
  const auto six = numerics::gauss_legendre(6);
  double left = -infinity;
  for (long k = cells.first; k <= last; ++k) {
    const double right = k == last ? infinity : std::max(left, inverse((static_cast<double>(k) + 0.5) * height));
    const double width = right - left;
    double null = 0.0;
    double shifted = 0.0;
    double opposite = 0.0;
    if (width < 0.02) {  // errors of the rules are below 1e-15
      const auto& rule = width < 1e-4 ? two : six;
      for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
        const double x = left + 0.5 * width * (1.0 + rule.nodes[i]);
        const double w = 0.5 * width * rule.weights[i];
        null += w * normal_density(x);
        shifted += w * normal_density(x - mu_);
        opposite += replaced_ ? w * normal_density(x + mu_) : 0.0;
      }
    } else {
      const auto between = [](double a, double b) {
        return a > 0.0 ? normal_upper_tail(a) - normal_upper_tail(b) : normal_upper_tail(-b) - normal_upper_tail(-a);
      };
      null = between(left, right);
      shifted = between(left - mu_, right - mu_);
      opposite = replaced_ ? between(left + mu_, right + mu_) : 0.0;
    }
    cells.null.push_back(std::max(null, 0.0));
    cells.shifted.push_back(std::max(shifted, 0.0));
    if (replaced_) {
      cells.opposite.push_back(std::max(opposite, 0.0));
    }
    left = right;
  }
  return cells;
}

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
  const std::vector<double> values = statistic.values();
  const auto moments = [&](double c) {
    const double tilt = remove ? c : -c;
    const StepLaw null = statistic.tilted(values, tilt, false);
    const StepLaw other = shifted > 0.0 ? statistic.tilted(values, tilt, true) : null;
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

SumLaw::SumLaw(const CutStatistic& cells, const std::vector<double>& used, const Counts& counts, double tilt,
               std::size_t length)
    : tilt_(tilt) {
  const Tilted null = tilt_masses(cells.null, cells.first, tilt);
  const Tilted shifted =
      counts.fewest + static_cast<double>(counts.weight.size()) > 1.0 ? tilt_masses(used, cells.first, tilt) : null;
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
                              log_moment_of(used, cells.first, moved), nullptr);
      double& log_outside = sign > 0.0 ? log_above_ : log_below_;
      log_outside = std::min(log_outside, at - log_moment_ - sign * move * (sign > 0.0 ? high : low));
    }
  }
  relative_ = counts.steps * 1e-13 + 1e-12;
}

// Both ends.
Enclosure SumLaw::tail(long s, bool up) const {
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

double SumLaw::noise() const { return rounding_ / std::abs(tilt_) + std::exp(log_above_) + std::exp(log_below_); }

std::vector<double> SumLaw::tails(bool up) const {
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

std::pair<double, GeometricWeights> SumLaw::tilts(std::size_t size, long first, double tilt) {
  const double from = static_cast<double>(first);
  const double top = tilt > 0.0 ? from + static_cast<double>(size) - 1.0 : from;
  return {top, GeometricWeights(tilt * (from - top), tilt)};
}

double SumLaw::log_moment_of(const std::vector<double>& mass, long first, double tilt) {
  auto [top, weight] = tilts(mass.size(), first, tilt);
  const double total = sum_over(mass.size(), [&](std::size_t k) { return mass[k] * weight(k); });
  return std::log(total) + tilt * top;
}

SumLaw::Tilted SumLaw::tilt_masses(const std::vector<double>& mass, long first, double tilt) {
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
double SumLaw::mixed(const Counts& counts, double null, double shifted, std::vector<double>* weights) {
  double most = -infinity;
  std::vector<double> logs(counts.weight.size());
  for (std::size_t j = 0; j < logs.size(); ++j) {
    const double n = counts.fewest + static_cast<double>(j);
    logs[j] = std::log(counts.weight[j]) + n * shifted + (counts.steps - n) * null;
    most = std::max(most, logs[j]);
  }
  const double sum = sum_over(logs, [&](double x) { return std::exp(x - most); });
  if (weights != nullptr) {
    for (std::size_t j = 0; j < logs.size(); ++j) {
      (*weights)[j] = std::exp(logs[j] - most) / sum;
    }
  }
  return most + std::log(sum);
}

void SumLaw::transform(const Tilted& null, const Tilted& shifted, const Counts& counts,
                       const std::vector<double>& weight, double middle, long first, std::size_t length) {
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

}  // namespace dpcurves::accounting::detail
