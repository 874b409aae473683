// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include <dpcurves/accounting/detail/geometric_weights.hpp>
#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/fft.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr std::pair everywhere{std::numeric_limits<long>::min(), std::numeric_limits<long>::max()};

// log of the moment and the tilted masses of one part, with their mean index and the index of the largest, its mass and
// that of all others.
struct Tilted {
  double log_moment = 0.0;
  double mean = 0.0;
  std::vector<double> mass;
  std::size_t crowd = 0;
  double rest = 0.0;
};

std::complex<double> log_one_plus(std::complex<double> z) {
  const double x = z.real(), y = z.imag();
  return {0.5 * std::log1p(2.0 * x + x * x + y * y), std::atan2(y, 1.0 + x)};
}

std::complex<double> exp_less_one(std::complex<double> z) {
  const double half = std::sin(0.5 * z.imag());
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2.0 * half * half, std::exp(z.real()) * std::sin(z.imag())};
}

Tilted tilt_masses(const LatticeMasses& law, double tilt) {
  Tilted result;
  result.mass.resize(law.mass.size());
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < law.mass.size(); ++k) {
    const double at = law.log_mass[k] + tilt * static_cast<double>(law.first + static_cast<long>(k));
    result.mass[k] = at;
    most = std::max(most, at);
  }
  numerics::CompensatedSum total, first, rest;
  for (std::size_t k = 0; k < law.mass.size(); ++k) {
    const double below = result.mass[k] - most;
    constexpr double least = -600.0;  // no further tilt is as large
    const double value = below > least ? std::exp(below) : 0.0;
    result.mass[k] = value;
    total += value;
    first += static_cast<double>(k) * value;
  }
  const auto largest = std::max_element(result.mass.begin(), result.mass.end());
  result.crowd = static_cast<std::size_t>(largest - result.mass.begin());
  for (std::size_t k = 0; k < result.mass.size(); ++k) {
    result.mass[k] /= total.value();
    if (k != result.crowd) {
      rest += result.mass[k];
    }
  }
  result.rest = rest.value();
  result.log_moment = most + std::log(total.value());
  result.mean = static_cast<double>(law.first) + first.value() / total.value();
  if (!std::isfinite(result.log_moment) || !std::isfinite(result.mean)) {
    throw ConvergenceError("no mass of the lattice is seen at this tilt");
  }
  return result;
}

// Masses from, and up to before, these indices of a part into a transform, at their distance from `middle`; their
// 2-norm.
double place(const LatticePart& part, const Tilted& law, std::pair<long, long> indices, double middle,
             std::span<double> values) {
  const auto size = static_cast<long>(values.size());
  std::fill(values.begin(), values.end(), 0.0);
  const long shift = (part.law->first - static_cast<long>(middle)) % size;
  auto index = static_cast<std::size_t>((shift + size) % size);
  for (std::size_t k = 0; k < law.mass.size(); ++k) {
    const long at = part.law->first + static_cast<long>(k);
    if (at >= indices.first && at < indices.second) {
      values[index] += law.mass[k];
    }
    index = index + 1 == values.size() ? 0 : index + 1;
  }
  const double square = sum_over(values, [&](double value) { return value * value; });
  return std::sqrt(square);
}

// A power of a number of the unit disc; those below e^{-100} are left out.
std::complex<double> power(std::complex<double> f, double count) {
  const double log_size = 0.5 * count * std::log(std::min(1.0, std::norm(f)));
  return log_size > -100.0 ? std::polar(std::exp(log_size), count * std::arg(f)) : 0.0;
}

// log of the moment of the sum at a further tilt, over that at the tilt of the masses.
double further_moment(std::span<const LatticePart> parts, std::span<const Tilted> laws, double move) {
  double sum = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double off = laws[i].mean - static_cast<double>(parts[i].law->first);
    GeometricWeights weight(-move * off, move);
    numerics::CompensatedSum total;
    for (std::size_t k = 0; k < laws[i].mass.size(); ++k) {
      total += laws[i].mass[k] * weight(k);
    }
    sum += parts[i].count * (std::log(total.value()) + move * laws[i].mean);
  }
  return sum;
}

// The 2-norm of the masses whose transform is given.
double norm_of(std::span<const std::complex<double>> spectrum, std::size_t length) {
  double square = 0.0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    square += std::norm(spectrum[k]) * (k == 0 || k + 1 == spectrum.size() ? 1.0 : 2.0);
  }
  return std::sqrt(square / static_cast<double>(length));
}

// Moments at a further tilt: of the sums of small masses, a logarithm, and of the sums with a large one over it.
struct SplitMoment {
  double log_small, others;
};
SplitMoment split_moment(std::span<const LatticePart> parts, std::span<const Tilted> laws, const LatticeJumps& jumps,
                         double move) {
  double log_small = 0.0, log_ratio = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    numerics::CompensatedSum small, large;
    for (std::size_t k = 0; k < laws[i].mass.size(); ++k) {
      const long at = parts[i].law->first + static_cast<long>(k);
      (at < jumps.first[i] ? small : large) += laws[i].mass[k] * std::exp(move * static_cast<double>(at));
    }
    constexpr double rounding = 1e-12;
    log_small += parts[i].count * (std::log(small.value()) + rounding);
    log_ratio += parts[i].count * std::log1p(large.value() / small.value()) * (1.0 + rounding);
  }
  return {log_small, std::expm1(log_ratio)};
}

// Chernoff's bound of the tilted mass of the sums of small masses from jumps.from on.
double small_mass(std::span<const LatticePart> parts, std::span<const Tilted> laws, const LatticeJumps& jumps) {
  double reach = 1.0;  // of the largest small mass
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const long last = parts[i].law->first + static_cast<long>(laws[i].mass.size());
    reach = std::max(reach, static_cast<double>(std::min(jumps.first[i], last)));
  }
  double best = 0.0;
  for (const double share : {1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0}) {
    const double move = share / reach;
    best = std::min(best, split_moment(parts, laws, jumps, move).log_small - move * static_cast<double>(jumps.from));
  }
  return std::exp(best);
}

}  // namespace

LatticeCumulant cumulant(std::span<const LatticePart> parts, double tilt) {
  LatticeCumulant sum;
  for (const LatticePart& part : parts) {
    const LatticeMasses& law = *part.law;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < law.mass.size(); ++k) {
      most = std::max(most, law.log_mass[k] + tilt * static_cast<double>(k));
    }
    numerics::CompensatedSum total, first;
    for (std::size_t k = 0; k < law.mass.size(); ++k) {
      const double below = law.log_mass[k] + tilt * static_cast<double>(k) - most;
      if (below > -45.0) {
        const double value = std::exp(below);
        total += value;
        first += static_cast<double>(k) * value;
      }
    }
    const auto start = static_cast<double>(law.first);
    sum.value += part.count * (most + std::log(total.value()) + tilt * start);
    sum.first += part.count * (start + first.value() / total.value());
  }
  return sum;
}

double tilting_error(std::span<const LatticePart> parts, double tilt) {
  constexpr double unseen = 3e-20;  // e^{-45}
  double sum = 0.0;
  for (const LatticePart& part : parts) {
    const LatticeMasses& law = *part.law;
    double largest = 0.0;  // of the logarithms that are added
    for (std::size_t k = 0; k < law.mass.size(); ++k) {
      if (std::isfinite(law.log_mass[k])) {
        const double move = tilt * static_cast<double>(law.first + static_cast<long>(k));
        largest = std::max(largest, std::abs(law.log_mass[k]) + std::abs(move));
      }
    }
    sum += part.count * (4.0 * unit * (largest + 4.0) + unseen * static_cast<double>(law.mass.size()));
  }
  return sum;
}

LatticePower::LatticePower(std::span<const LatticePart> parts, double tilt, std::size_t length) : tilt_(tilt) {
  numerics::RealFft fft(length);
  const auto spectrum = fft.spectrum();
  std::vector<std::complex<double>> product(parts.size() > 1 ? length / 2 + 1 : 0);  // of the parts so far
  double reference = 0.0;  // index of the sum where every part is at its own reference
  double mean = 0.0;       // of the sum, relative to that
  double total_count = 0.0;
  double factors = 0.0;  // sum over the parts of count times the 2-norm of what is transformed of one copy
  std::vector<double> norms;
  std::vector<Tilted> laws = mapped(parts, [&](const LatticePart& part) { return tilt_masses(*part.law, tilt); });
  // Where most of every part's mass is at one point, only the rest is transformed, and f^T less what stays at that
  // point: every digit is one of the rest.
  constexpr double most_rest = 1.0 / 3.0, least_log_crowd = -600.0;  // what stays there must not underflow
  double log_crowd = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    log_crowd += parts[i].count * std::log1p(-laws[i].rest);
  }
  const bool crowded = log_crowd > least_log_crowd &&
                       std::all_of(laws.begin(), laws.end(), [](const Tilted& l) { return l.rest <= most_rest; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LatticePart& part = parts[i];
    Tilted& law = laws[i];
    const double middle =
        crowded ? static_cast<double>(part.law->first + static_cast<long>(law.crowd)) : std::round(law.mean);
    const double largest = crowded ? std::exchange(law.mass[law.crowd], 0.0) : law.mass[law.crowd];
    norms.push_back(place(part, law, everywhere, middle, fft.values()));
    law.mass[law.crowd] = largest;
    factors += part.count * norms.back();
    fft.forward();
    for (std::complex<double>& f : spectrum) {  // the logarithm, without the crowd's
      f = crowded ? part.count * log_one_plus(f / (1.0 - law.rest)) : power(f, part.count);
    }
    for (std::size_t k = 0; k < product.size(); ++k) {
      spectrum[k] = i == 0 ? spectrum[k] : crowded ? product[k] + spectrum[k] : product[k] * spectrum[k];
      product[k] = spectrum[k];
    }
    log_moment_ += part.count * law.log_moment;
    reference += part.count * middle;
    mean += part.count * (law.mean - middle);
    total_count += part.count;
  }
  const double crowd = crowded ? std::exp(log_crowd) : 0.0;
  double spread = 0.0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    if (crowded) {
      spectrum[k] = crowd * exp_less_one(spectrum[k]);
    }
    spread += std::sqrt(std::norm(spectrum[k])) * (k == 0 || k + 1 == spectrum.size() ? 1.0 : 2.0);
  }
  spread /= static_cast<double>(length);
  const double norm = norm_of(spectrum, length);
  fft.inverse();
  // No factor of a product is above 1: an error of one copy's transform is carried on by the others as it is. Powers by
  // polar coordinates err by a few units of count and of the logarithm of their size. Frequencies left out have size
  // e^{-100}.
  const double transform = 8.0 * unit * std::log2(static_cast<double>(length));
  const double turned = 9.0 * total_count + 320.0;
  rounding_norm_ = transform * (norm + factors) + (crowded ? 24.0 * (factors + norm) : turned * norm) * unit + 1e-40;
  rounding_ = rounding_norm_;
  if (!crowded) {
    // Of each mass: by Cauchy and Schwarz the error of one copy counts with the norm of all others, which is at most a
    // power of that of all.
    double carried = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      carried += parts[i].count * norms[i] * std::pow(std::min(1.0, norm), 1.0 - 1.0 / parts[i].count);
    }
    rounding_ = std::min(rounding_, transform * (norm + carried) + turned * spread * unit + 1e-40);
  }
  relative_ = total_count * 1e-13 + 1e-12;
  tilting_ = tilting_error(parts, tilt);
  open_window(fft.values(), reference, mean, crowd);
  // The weights of further tilts are rounded as the logarithms of masses are, at most twice as far from their mean.
  const double furthest = std::abs(tilt) + 320.0 / static_cast<double>(length);
  const double off = tilting_ + 2.0 * tilting_error(parts, furthest);
  bound_outside([&](double move) { return further_moment(parts, laws, move) + off; });
}

// f^T - s^T = s^T ((1 + l / s)^T - 1), f of all masses of a part, s of the small ones and l of the large ones.
LatticePower::LatticePower(std::span<const LatticePart> parts, double tilt, std::size_t length,
                           const LatticeJumps& jumps)
    : tilt_(tilt) {
  numerics::RealFft fft(length);
  const std::size_t half = length / 2 + 1;
  std::vector<std::complex<double>> small(half, 1.0), all(half, 1.0), ratio(half), of_small(half);
  std::vector<bool> close(half, true);  // all l are below half of s
  std::vector<Tilted> laws;
  double reference = 0.0, mean = 0.0, total_count = 0.0;
  double of_large = 0.0, large = 0.0, each = 0.0;  // counts times: 2-norms of l, masses of l, 2-norms of s
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LatticePart& part = parts[i];
    laws.push_back(tilt_masses(*part.law, tilt));
    const Tilted& law = laws.back();
    // Where most of the mass is at one point, the transform is taken of the others.
    constexpr double most_rest = 1.0 / 3.0;
    const bool crowded = law.rest <= most_rest;
    const double middle =
        crowded ? static_cast<double>(part.law->first + static_cast<long>(law.crowd)) : std::round(law.mean);
    Tilted rest = law;
    if (crowded) {
      rest.mass[law.crowd] = 0.0;
    }
    const double crowd = crowded ? 1.0 - law.rest : 0.0;
    each += part.count * place(part, rest, {everywhere.first, jumps.first[i]}, middle, fft.values());
    fft.forward();
    std::copy(fft.spectrum().begin(), fft.spectrum().end(), of_small.begin());
    of_large += part.count * place(part, rest, {jumps.first[i], everywhere.second}, middle, fft.values());
    for (const double value : fft.values()) {
      large += part.count * value;
    }
    fft.forward();
    for (std::size_t k = 0; k < half; ++k) {
      const std::complex<double> s = crowd + of_small[k], l = fft.spectrum()[k];
      small[k] *= crowded ? std::exp(part.count * (log_one_plus(of_small[k] / crowd) + std::log1p(-law.rest)))
                          : power(s, part.count);
      if (std::norm(l) < 0.25 * std::norm(s)) {
        ratio[k] += part.count * log_one_plus(l / s);
      } else {
        close[k] = false;
      }
      all[k] *= power(s + l, part.count);
    }
    log_moment_ += part.count * law.log_moment;
    reference += part.count * middle;
    mean += part.count * (law.mean - middle);
    total_count += part.count;
  }
  for (std::size_t k = 0; k < half; ++k) {
    small[k] = close[k] ? small[k] * exp_less_one(ratio[k]) : all[k] - small[k];
    fft.spectrum()[k] = small[k];
  }
  const double norm = norm_of(small, length);
  fft.inverse();
  // To first order in the errors of s and l: T (f^(T-1) - s^(T-1)) ds + T f^(T-1) dl, and no difference of powers is
  // above the sum of the large masses.
  rounding_norm_ = 8.0 * unit * std::log2(static_cast<double>(length)) * (norm + of_large + large * each) +
                   (24.0 * total_count + 600.0) * unit * (norm + of_large) + 1e-40;
  relative_ = total_count * 1e-13 + 1e-12;
  small_ = small_mass(parts, laws, jumps);
  open_window(fft.values(), reference, mean, 0.0);
  bound_outside([&](double move) {
    const SplitMoment at = split_moment(parts, laws, jumps, move);
    return at.log_small + std::log(at.others);
  });
}

// Chernoff's bounds of the tilted mass on either side of the window, from the log moments at further tilts.
template <class LogMoment>
void LatticePower::bound_outside(const LogMoment& log_moment) {
  const auto high = static_cast<double>(first_ + static_cast<long>(tilted_.size()));
  const auto low = static_cast<double>(first_ - 1);
  for (const double factor : {5.0, 10.0, 20.0, 40.0, 80.0, 160.0}) {
    const double move = 2.0 * factor / static_cast<double>(tilted_.size());
    log_above_ = std::min(log_above_, log_moment(move) - move * high);
    log_below_ = std::min(log_below_, log_moment(-move) + move * low);
  }
  outside_ = std::exp(log_above_) + std::exp(log_below_);
}

void LatticePower::open_window(std::span<const double> values, double reference, double mean, double crowd) {
  constexpr double most_cells = 1e15;  // whole numbers must be exact
  if (!(std::abs(reference) < most_cells && std::abs(mean) < most_cells)) {
    throw ConvergenceError("the lattice would need more than 1e15 cells to reach its mean");
  }
  const auto size = static_cast<long>(values.size());
  const long shift = std::lround(mean) - size / 2;
  first_ = static_cast<long>(reference) + shift;
  const long start = ((shift % size) + size) % size;
  tilted_.reserve(values.size());
  tilted_.assign(values.begin() + start, values.end());
  tilted_.insert(tilted_.end(), values.begin(), values.begin() + start);
  tilted_[static_cast<std::size_t>((size - start) % size)] += crowd;
}

}  // namespace dpcurves::accounting::detail
