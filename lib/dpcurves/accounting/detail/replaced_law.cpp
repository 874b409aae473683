// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <dpcurves/accounting/detail/replaced_law.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/numerics/fft.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double reach = 7.6;          // of one output, in deviations: the rest of it is lost
constexpr double log_lost = -34.5;     // of the chance that a sum is beyond its bounds
constexpr double log_outside = -46.0;  // of the tilted mass outside the window

// One output on the lattice of S, for S >= 0 (the law is symmetric): the masses, times c and times c^2 with s split
// between the points beside it, and in cells around the points the masses, times c and times s.
struct OneOutput {
  OneOutput(double mu, double height);

  double mu, height;
  std::vector<double> split[3];
  std::vector<double> cell[3];

  [[nodiscard]] double most() const { return height * static_cast<double>(split[0].size() - 1); }

  // log E e^{tilt s}, of the split law, and its mean.
  [[nodiscard]] double log_moment(double tilt) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < split[0].size(); ++k) {
      sum += split[0][k] * 2.0 * std::cosh(tilt * height * static_cast<double>(k));
    }
    return std::log(sum);
  }
};

OneOutput::OneOutput(double mu_of_output, double height_of_cell) : mu(mu_of_output), height(height_of_cell) {
  const double scale = std::exp(-0.5 * mu * mu), last = scale * std::sinh(mu * (mu + reach));
  const auto cells = static_cast<std::size_t>(std::ceil(last / height));
  for (auto* masses : {split, cell}) {
    for (int j = 0; j < 3; ++j) {
      masses[j].assign(cells + 1, 0.0);
    }
  }
  const auto output = [&](double s) { return std::asinh(s / scale) / mu; };
  const auto rule = numerics::gauss_legendre(5);
  for (std::size_t half = 0; half < 2 * cells; ++half) {
    const std::size_t k = half / 2, nearest = (half + 1) / 2;
    const double from = output(0.5 * height * static_cast<double>(half));
    const double to = output(0.5 * height * static_cast<double>(half + 1));
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double z = 0.5 * (from + to) + 0.5 * (to - from) * rule.nodes[i];
      const double mass = 0.5 * (to - from) * rule.weights[i] * numerics::normal_density(z);
      const double c = scale * std::cosh(mu * z), s = scale * std::sinh(mu * z);
      const double share = std::clamp(s / height - static_cast<double>(k), 0.0, 1.0);
      double power = mass;
      for (auto& masses : split) {
        masses[k] += power * (1.0 - share);
        masses[k + 1] += power * share;
        power *= c;
      }
      cell[0][nearest] += mass;
      cell[1][nearest] += mass * c;
      cell[2][nearest] += mass * s;
    }
  }
}

// Bounds of C and of C - S from below: of all runs, or all but e^{log_lost} of them.
struct Least {
  double sum, difference;

  Least(double mu, double height, double taken) : sum(taken * std::exp(-0.5 * mu * mu)), difference(-taken * height) {
    constexpr int points = 800;
    constexpr double beyond = 4e-33, slack = 1e-9;  // of the normal law, and of the rule
    const double scale = std::exp(-0.5 * mu * mu), others = taken - 1.0;
    for (double order = 0.01 / std::sqrt(taken); order < 1e4; order *= 1.2) {
      double of_sum = beyond, of_difference = beyond;  // of e^{-order (c - scale)} and e^{-order (c - s)}
      for (int i = 0; i <= points; ++i) {
        const double z = 12.0 * (2.0 * i / points - 1.0);
        const double mass = numerics::normal_density(z) * 24.0 / points, half = std::sinh(0.5 * mu * z);
        of_sum += mass * std::exp(-2.0 * order * scale * half * half);
        of_difference += mass * std::exp(-order * std::exp(-mu * (z + 0.5 * mu)));
      }
      const double rest = log_lost - std::log1p(height) - 0.125 * taken * order * order * height * height;
      sum = std::max(sum, others * scale + (rest - others * (std::log(of_sum) + slack)) / order);
      difference = std::max(difference, (rest - others * (std::log(of_difference) + slack)) / order);
    }
  }
};

// Sums of outputs at the indices from 0 on: three masses, each with what it may be off by.
struct Sums {
  std::vector<double> mass[3], error[3];
};

// One tilt of the sums.
class Transform {
 public:
  Transform(const OneOutput& one, double taken, std::size_t length) : one_(one), taken_(taken), fft_(length) {}

  // Masses that are better known at this tilt than so far.
  void improve(Sums& split, Sums& cells, double tilt) {
    const double log_moment = one_.log_moment(tilt);
    const auto f0 = spectrum(one_.split[0], tilt, log_moment, 1.0), f1 = spectrum(one_.split[1], tilt, log_moment, 1.0),
               f2 = spectrum(one_.split[2], tilt, log_moment, 1.0);
    add(split, f0, f1, f2, tilt, log_moment, true);
    const auto g0 = spectrum(one_.cell[0], tilt, log_moment, 1.0), g1 = spectrum(one_.cell[1], tilt, log_moment, 1.0),
               gs = spectrum(one_.cell[2], tilt, log_moment, -1.0);
    add(cells, g0, g1, gs, tilt, log_moment, false);
  }

 private:
  using Spectrum = std::vector<std::complex<double>>;

  // \param sign  of the masses at negative indices against those at positive ones.
  Spectrum spectrum(const std::vector<double>& masses, double tilt, double log_moment, double sign) {
    auto values = fft_.values();
    std::fill(values.begin(), values.end(), 0.0);
    for (std::size_t k = 0; k < masses.size(); ++k) {
      const double move = tilt * one_.height * static_cast<double>(k);
      values[k] += masses[k] * std::exp(move - log_moment);
      values[(values.size() - k) % values.size()] += sign * masses[k] * std::exp(-move - log_moment);
    }
    fft_.forward();
    return {fft_.spectrum().begin(), fft_.spectrum().end()};
  }

  // The law of f0, its mean of f1, and of f1^2 and f2 (`squares`) or f2.
  void add(Sums& sums, const Spectrum& f0, const Spectrum& f1, const Spectrum& f2, double tilt, double log_moment,
           bool squares) {
    const std::size_t half = f0.size();
    Spectrum least(half);  // f0^{taken - 2}, or 1
    const double power = std::max(0.0, taken_ - 2.0);
    double spread = 0.0;
    for (std::size_t i = 0; i < half; ++i) {
      const double log_size = 0.5 * power * std::log(std::max(1e-300, std::norm(f0[i])));
      least[i] = power == 0.0 ? 1.0 : log_size > -100.0 ? std::polar(std::exp(log_size), power * std::arg(f0[i])) : 0.0;
      spread += 2.0 * std::abs(least[i]);
    }
    spread /= static_cast<double>(fft_.values().size());
    const double a1 = std::abs(f1[0]), a2 = std::abs(f2[0]);
    for (int j = 0; j < 3; ++j) {
      double square = 0.0;
      for (std::size_t i = 0; i < half; ++i) {
        const auto before = taken_ >= 2.0 ? f0[i] : std::complex<double>(1.0);  // least times this is f0^{taken - 1}
        const auto last = taken_ * least[i];
        const auto value = j == 0    ? least[i] * before * f0[i]
                           : j == 1  ? last * before * f1[i]
                           : squares ? last * (before * f2[i] + (taken_ - 1.0) * f1[i] * f1[i])
                                     : last * before * f2[i];
        fft_.spectrum()[i] = value;
        square += 2.0 * std::norm(value);
      }
      const auto n = static_cast<double>(fft_.values().size());
      const double norm = std::sqrt(square / n);
      fft_.inverse();
      const double factor = j == 0    ? 1.0
                            : j == 1  ? taken_ * a1
                            : squares ? taken_ * (taken_ * a1 * a1 + a2)
                                      : taken_ * (a1 + a2);
      const double error =
          8.0 * unit * std::log2(n) * (norm + (taken_ + 2.0) * factor * spread) + 1e3 * factor * std::exp(log_outside);
      keep(sums, j, tilt, log_moment, error);
    }
  }

  void keep(Sums& sums, int j, double tilt, double log_moment, double error) {
    const auto values = fft_.values();
    for (std::size_t k = 0; k < sums.mass[j].size(); ++k) {
      const double back = std::exp(taken_ * log_moment - tilt * one_.height * static_cast<double>(k));
      // Outputs are integrated to a relative 1e-14, powers to a few units of the count.
      const double off = back * error + 2e-14 * (10.0 + taken_) * back * std::abs(values[k]);
      if (off < sums.error[j][k]) {
        sums.error[j][k] = off;
        sums.mass[j][k] = back * values[k];
      }
    }
  }

  const OneOutput& one_;
  double taken_;
  numerics::RealFft fft_;
};

// Pairs of masses under both laws, gathered by their log ratio.
class Gathered {
 public:
  Gathered(double largest, Side side)
      : side_(side),
        width_(2.0 * largest / cells),
        largest_(largest),
        with_(cells + 2, 0.0),
        without_(cells + 2, 0.0) {}

  void add(double with, double without) {
    if (!(with > 0.0) || !(without >= 0.0)) {
      return;
    }
    const double at = std::log(with / without) + largest_;
    if (side_ == Side::above) {
      if (!(at < 2.0 * largest_)) {
        infinite_ += with;
        return;
      }
      if (!(at >= 0.0)) {
        add_between(0, 0, with, without);
        return;
      }
      const auto k = static_cast<std::size_t>(at / width_);
      add_between(k, k + 1, with, without);
    } else {
      const auto k = static_cast<std::size_t>(std::clamp(at / width_, 0.0, static_cast<double>(cells)));
      with_[k] += with;
      without_[k] += without;
    }
  }

  [[nodiscard]] RatioLaw law(double lost) const {
    RatioLaw law;
    for (std::size_t k = 0; k < with_.size(); ++k) {
      if (without_[k] > 0.0 && (law.ratio.empty() || with_[k] / without_[k] > law.ratio.back())) {
        law.ratio.push_back(with_[k] / without_[k]);
        law.mass.push_back(without_[k]);
      }
    }
    if (side_ == Side::above) {
      law.infinite = infinite_ + lost;
      law.zero = zero_ + lost;
    }
    law.mass_error = 1e-11;
    law.ratio_error = 1e-11;
    return law;
  }

 private:
  static constexpr std::size_t cells = std::size_t{1} << 15U;

  [[nodiscard]] double ratio(std::size_t k) const { return std::exp(static_cast<double>(k) * width_ - largest_); }
  // Moved to the ends of a cell; below all of them to ratio 0 and the lowest.
  void add_between(std::size_t low, std::size_t high, double with, double without) {
    const double from = low == high ? 0.0 : ratio(low), to = ratio(high);
    const double right = std::clamp((with - from * without) / (to - from), 0.0, without);
    if (low == high) {
      zero_ += without - right;
    } else {
      with_[low] += from * (without - right);
      without_[low] += without - right;
    }
    with_[high] += to * right;
    without_[high] += right;
  }

  Side side_;
  double width_, largest_;
  std::vector<double> with_, without_;
  double infinite_ = 0.0, zero_ = 0.0;
};

// Values of C given S, with their chances and what is left far out: the least convex function through points of the
// bound (sqrt(v + (k - m)^2) - (k - m)) / 2 of E (C - k)_+, that is m - k at the least value.
struct SpreadC {
  static constexpr std::array<double, 13> at{-6.0, -4.0, -2.5, -1.5, -0.75, 0.0, 0.75, 1.5, 2.5, 4.0, 8.0, 16.0, 40.0};
  std::array<double, at.size() + 1> value{}, chance{};
  std::size_t count = 0;
  double beyond = 0.0;

  SpreadC(double mean, double variance, double least) {
    std::array<double, at.size() + 1> x{}, y{};
    std::size_t n = 0;
    const auto put = [&](double k, double bound) {
      bound = n > 0 ? std::min(bound, y[0]) : bound;
      while (n > 1 && (y[n - 1] - y[n - 2]) * (k - x[n - 1]) >= (bound - y[n - 1]) * (x[n - 1] - x[n - 2])) {
        --n;
      }
      x[n] = k;
      y[n++] = bound;
    };
    put(least, mean - least);
    const double deviation = std::sqrt(variance);
    for (const double a : at) {
      const double off = a * deviation, root = std::hypot(deviation, off);
      if (mean + off > least) {
        put(mean + off, off > 0.0 ? 0.5 * variance / (root + off) : 0.5 * (root - off));
      }
    }
    double before = -1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double slope = i + 1 < n ? (y[i + 1] - y[i]) / (x[i + 1] - x[i]) : 0.0;
      value[i] = x[i];
      chance[i] = std::max(0.0, slope - before);
      before = slope;
    }
    count = n;
    beyond = y[n - 1];
  }
};

struct Setting {
  double mu, steps, taken;
};

RatioLaw law_below(const Setting& round, const Sums& sums, double largest) {
  Gathered all(largest, Side::below);
  const double idle = round.steps - round.taken;
  for (std::size_t k = 0; k < sums.mass[0].size(); ++k) {
    const double mass = sums.mass[0][k] * idle + sums.mass[1][k];
    const double error = sums.error[0][k] * idle + sums.error[1][k] + sums.error[2][k];
    const double share = k == 0 ? 0.5 : 1.0;
    const double with = share * (mass + sums.mass[2][k] - error) / round.steps;
    const double without = share * (mass - sums.mass[2][k] + error) / round.steps;
    if (!(with > 0.0 && without > 0.0)) {
      continue;
    }
    all.add(with, without);
    all.add(std::max(0.0, share * (mass - sums.mass[2][k] - error) / round.steps),
            share * (mass + sums.mass[2][k] + error) / round.steps);
  }
  return all.law(0.0);
}

RatioLaw law_above(const Setting& round, const Sums& sums, double height, double largest, double lost) {
  Gathered all(largest, Side::above);
  const double idle = round.steps - round.taken;
  const Least least(round.mu, height, round.taken);
  double unknown = idle + least.difference > 0.0 ? 0.0 : 1.0;
  for (std::size_t k = 0; k < sums.mass[0].size(); ++k) {
    const double share = (k == 0 ? 0.5 : 1.0) / round.steps, s = height * static_cast<double>(k);
    const double mass = sums.mass[0][k], error = sums.error[0][k];
    if (!(error < 1e-2 * mass && sums.error[1][k] < 1e-2 * sums.mass[1][k])) {
      unknown +=
          share * ((std::max(0.0, mass) + error) * (idle + s) + std::max(0.0, sums.mass[1][k]) + sums.error[1][k]);
      continue;
    }
    const double relative = error / mass + sums.error[1][k] / sums.mass[1][k];
    const double mean = sums.mass[1][k] / mass;
    const double variance = std::max(0.0, (sums.mass[2][k] + sums.error[2][k]) / (mass - error) - mean * mean) +
                            2.0 * relative * mean * mean;
    const double from = std::min(mean, std::max(least.sum, s + least.difference));
    const SpreadC spread(mean, variance, from);
    for (std::size_t i = 0; i < spread.count; ++i) {
      const double c = idle + spread.value[i], weight = share * mass * spread.chance[i];
      const double off = relative * (idle + mean);
      const double with = weight * ((c + s) * (1.0 + relative) + off);
      const double without = std::max(0.0, weight * ((c - s) * (1.0 - relative) - off));
      all.add(with, without);
      all.add(std::max(weight * ((c - s) * (1.0 + relative) + off), 1e-300),
              std::max(0.0, weight * ((c + s) * (1.0 - relative) - off)));
    }
    const double far = share * mass * spread.beyond * (1.0 + relative);
    all.add(2.0 * far, 2.0 * far);
  }
  return all.law(lost + 2.0 * unknown);
}

}  // namespace

ReplacedLaws replaced_laws(double mu, double steps, double taken) {
  const double one_deviation = std::sqrt(std::sinh(mu * mu)), deviation = one_deviation * std::sqrt(taken);
  constexpr double fine = 0.03, most_cells = 0x1p18;
  const double longest = std::exp(-0.5 * mu * mu) * std::sinh(mu * (mu + reach)) + 12.0 * deviation;
  const double height = std::max(fine * one_deviation, 4.0 * longest / most_cells);
  const OneOutput one(mu, height);
  // Tilts: none, those at which jumps do not yet take over, and one that sees single large outputs. Several of them
  // are to stay rare, or the window would have to hold their sums.
  const double rare = 26.0 / one.most();
  std::vector<double> tilts{0.0};
  for (const double z : {2.0, 4.0, 8.0}) {
    double tilt = std::min(z / deviation, rare);
    while (z < 8.0 && taken * one.log_moment(tilt) > 0.75 * z * z) {
      tilt *= 0.8;
    }
    if (tilt > 1.1 * tilts.back()) {
      tilts.push_back(tilt);
    }
  }
  double window = 0.0;
  for (const double tilt : tilts) {
    const double here = one.log_moment(tilt);
    double least = infinity;
    for (double move = 1.0 / longest; move < 700.0 / longest; move *= 1.3) {
      least = std::min(least, (-log_outside + taken * (one.log_moment(tilt + move) - here)) / move);
    }
    window = std::max(window, least);
  }
  const auto half = static_cast<std::size_t>(std::ceil(window / height)) + one.split[0].size();
  const std::size_t length = numerics::transform_length(2.0 * static_cast<double>(half));
  Sums split, cells;
  for (Sums* sums : {&split, &cells}) {
    for (int j = 0; j < 3; ++j) {
      sums->mass[j].assign(half, 0.0);
      sums->error[j].assign(half, infinity);
    }
  }
  Transform transform(one, taken, length);
  for (const double tilt : tilts) {
    transform.improve(split, cells, tilt);
  }
  const double cut = 2.0 * (numerics::normal_upper_tail(reach) + taken * numerics::normal_upper_tail(mu + reach));
  const double lost = cut + 16.0 * std::exp(log_lost);
  // The log ratio of the largest S that is likely.
  const double largest = std::min(40.0, std::log1p(2.0 * std::exp(mu * (mu + reach)) / steps) +
                                            2.0 * std::atanh(std::min(0.999, 9.0 * deviation / steps)));
  const Setting round{mu, steps, taken};
  return {{law_above(round, split, height, largest, lost), law_below(round, cells, largest)}, lost};
}

}  // namespace dpcurves::accounting::detail
