// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <dpcurves/models/phase_schedule.hpp>
#include <dpcurves/simulate/phased_identity_law.hpp>

namespace dpcurves::simulate {
namespace {

// State (1, v, C, Q): v = E|e_t|^2 of the error e_t, C = E<e_1 + ... + e_t, e_t>, Q = E|e_1 + ... + e_t|^2.
constexpr std::size_t size = 4;

// A lower triangular matrix; the diagonal is kept as its difference from 1.
struct Triangular {
  std::array<std::array<double, size>, size> below{};
  std::array<double, size> excess{};

  double at(std::size_t i, std::size_t j) const { return i == j ? 1.0 + excess[i] : below[i][j]; }
};

double product(double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; }  // 0 times infinity is 0 here

Triangular operator*(const Triangular& x, const Triangular& y) {
  Triangular z;
  for (std::size_t i = 0; i < size; ++i) {
    z.excess[i] = x.excess[i] + y.excess[i] + x.excess[i] * y.excess[i];
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = j; k <= i; ++k) {
        z.below[i][j] += product(x.at(i, k), y.at(k, j));
      }
    }
  }
  return z;
}

Triangular power(Triangular base, std::uint64_t exponent) {
  Triangular result;  // the identity
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result = base * result;
    }
    base = base * base;
  }
  return result;
}

double entry(const Triangular& m, std::size_t row, double v) {
  // From the state before the first step of the sum: (1, v, C = v, Q = v).
  double sum = m.at(row, 0);
  for (std::size_t j = 1; j <= row; ++j) {
    sum += product(m.at(row, j), v);
  }
  return sum;
}

}  // namespace

PhasedIdentityLaw phased_identity_law(const PhasedIdentityRun& run) {
  require(run);
  const double d = run.dimension;
  PhasedIdentityLaw law;
  double v = run.start_squared;
  for (const models::Phase& phase : models::phase_schedule(run.records, run.step_size, run.noise_per_step)) {
    const double e = phase.step_size, fresh = e * e * run.label_variance;
    const double a = -e / d, b = -e * (2.0 - e) / d;  // each minus 1
    Triangular step;
    step.excess = {0.0, b, a, 0.0};
    step.below[1] = {fresh, 0.0, 0.0, 0.0};
    step.below[2] = {fresh, 1.0 + b, 0.0, 0.0};              // C' = (1 + a) C + v'
    step.below[3] = {fresh, 1.0 + b, 2.0 * (1.0 + a), 0.0};  // Q' = Q + 2 (1 + a) C + v'
    const Triangular all = power(step, phase.records - 1);
    const double last = entry(all, 1, v);  // v_t is monotone in t
    law.gradient_squared = std::max(law.gradient_squared, std::max(v, last) / d + run.label_variance);
    const auto n = static_cast<double>(phase.records);
    v = entry(all, 3, v) / n / n + product(d, product(phase.noise, phase.noise));
    if (std::isnan(v)) {
      v = std::numeric_limits<double>::infinity();
    }
  }
  law.squared_distance = v;
  return law;
}

}  // namespace dpcurves::simulate
