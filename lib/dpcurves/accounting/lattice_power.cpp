// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <dpcurves/accounting/lattice_power.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/fft.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();

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
    const double value = below > -200.0 ? std::exp(below) : 0.0;
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
  return result;
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

LatticePower::LatticePower(std::span<const LatticePart> parts, double tilt, std::size_t length) : tilt_(tilt) {
  numerics::RealFft fft(length);
  std::vector<std::complex<double>> product(length / 2 + 1, 1.0);
  const auto size = static_cast<long>(length);
  double reference = 0.0;  // index of the sum where every part is at its own reference
  double mean = 0.0;       // of the sum, relative to that
  double total_count = 0.0;
  double factors = 0.0;  // sum over the parts of count times the 2-norm of what is transformed of one copy
  std::vector<Tilted> laws;
  for (const LatticePart& part : parts) {
    laws.push_back(tilt_masses(*part.law, tilt));
  }
  // Where most of every part's mass is at one point, only the rest is transformed, and f^T less what stays at that
  // point: every digit is one of the rest.
  constexpr double most_rest = 1.0 / 3.0, least_log_crowd = -600.0;  // what stays there must not underflow
  double log_crowd = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    log_crowd += parts[i].count * std::log1p(-laws[i].rest);
  }
  const bool crowded = log_crowd > least_log_crowd &&
                       std::all_of(laws.begin(), laws.end(), [](const Tilted& l) { return l.rest <= most_rest; });
  if (crowded) {
    std::fill(product.begin(), product.end(), 0.0);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LatticePart& part = parts[i];
    Tilted& law = laws[i];
    const double middle =
        crowded ? static_cast<double>(part.law->first + static_cast<long>(law.crowd)) : std::round(law.mean);
    if (crowded) {
      law.mass[law.crowd] = 0.0;
    }
    const std::span<double> values = fft.values();
    std::fill(values.begin(), values.end(), 0.0);
    for (std::size_t k = 0; k < law.mass.size(); ++k) {
      const long index = part.law->first + static_cast<long>(k) - static_cast<long>(middle);
      values[static_cast<std::size_t>(((index % size) + size) % size)] += law.mass[k];
    }
    double square_of_one = 0.0;
    for (const double value : values) {
      square_of_one += value * value;
    }
    factors += part.count * std::sqrt(square_of_one);
    fft.forward();
    for (std::size_t k = 0; crowded && k < product.size(); ++k) {  // the logarithm, without the crowd's
      product[k] += part.count * log_one_plus(fft.spectrum()[k] / (1.0 - law.rest));
    }
    for (std::size_t k = 0; !crowded && k < product.size(); ++k) {
      if (product[k] == 0.0) {
        continue;
      }
      const std::complex<double> f = fft.spectrum()[k];
      const double log_size = 0.5 * part.count * std::log(std::min(1.0, std::norm(f)));
      product[k] *= log_size > -100.0 ? std::polar(std::exp(log_size), part.count * std::arg(f)) : 0.0;
    }
    log_moment_ += part.count * law.log_moment;
    reference += part.count * middle;
    mean += part.count * (law.mean - middle);
    total_count += part.count;
  }
  constexpr double most_cells = 1e15;  // whole numbers must be exact
  if (!(std::abs(reference) < most_cells && std::abs(mean) < most_cells)) {
    throw ConvergenceError("the lattice would need more than 1e15 cells to reach its mean");
  }
  const double crowd = crowded ? std::exp(log_crowd) : 0.0;
  for (std::size_t k = 0; crowded && k < product.size(); ++k) {
    product[k] = crowd * exp_less_one(product[k]);
  }
  double spread = 0.0;
  double square = 0.0;
  for (std::size_t k = 0; k < product.size(); ++k) {
    const double weight = k == 0 || k + 1 == product.size() ? 1.0 : 2.0;
    spread += std::abs(product[k]) * weight;
    square += std::norm(product[k]) * weight;
    fft.spectrum()[k] = product[k];
  }
  spread /= static_cast<double>(length);
  const double norm = std::sqrt(square) / std::sqrt(static_cast<double>(length));  // 2-norm of the masses
  fft.inverse();
  // Each transform errs by a few u log2 N relative to its 2-norm; the power multiplies that of the first, which is at
  // most that of its largest entry, by the count. Frequencies left out have size e^{-100}.
  const double copies = crowded ? factors : (total_count + 1.0) * spread;
  rounding_ = 8.0 * unit * std::log2(static_cast<double>(length)) * (norm + copies) + 1e-40;
  // No factor of a product is above 1: an error of one copy's transform is carried on by the others as it is. Powers by
  // polar coordinates err by a few units of count and of the logarithm of their size.
  const double transform = 8.0 * unit * std::log2(static_cast<double>(length));
  const double powers = crowded ? 16.0 * (factors + norm) : (4.0 * total_count + 200.0) * norm;
  rounding_norm_ = transform * (norm + factors) + powers * unit + 1e-40;
  relative_ = total_count * 1e-13 + 1e-12;
  const long shift = std::lround(mean) - size / 2;
  first_ = static_cast<long>(reference) + shift;
  tilted_.resize(length);
  for (long i = 0; i < size; ++i) {
    const long index = shift + i;
    const std::size_t at = static_cast<std::size_t>(((index % size) + size) % size);
    tilted_[static_cast<std::size_t>(i)] = fft.values()[at] + (at == 0 ? crowd : 0.0);
  }
  const auto high = static_cast<double>(first_ + size);
  const auto low = static_cast<double>(first_ - 1);
  for (const double factor : {5.0, 10.0, 20.0, 40.0, 80.0, 160.0}) {
    const double move = 2.0 * factor / static_cast<double>(length);
    log_above_ = std::min(log_above_, cumulant(parts, tilt + move).value - log_moment_ - move * high);
    log_below_ = std::min(log_below_, cumulant(parts, tilt - move).value - log_moment_ + move * low);
  }
  outside_ = std::exp(log_above_) + std::exp(log_below_);
}

}  // namespace dpcurves::accounting::detail
