// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/strategies.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double unit = 0.5 * std::numeric_limits<double>::epsilon();

constexpr std::array kind_names{std::pair{StrategyKind::identity, std::string_view("identity")},
                                std::pair{StrategyKind::lambda, std::string_view("lambda")},
                                std::pair{StrategyKind::bsr, std::string_view("bsr")},
                                std::pair{StrategyKind::bisr, std::string_view("bisr")},
                                std::pair{StrategyKind::blt, std::string_view("blt")},
                                std::pair{StrategyKind::band_mf, std::string_view("band-mf")}};

double as_double(std::size_t n) { return static_cast<double>(n); }

/// What no sum of entries beside c_0 = 1 notices; denormal numbers would cost a hundred times the rest.
double flushed(double x) { return std::abs(x) < 1e-300 ? 0.0 : x; }

void require_steps(std::size_t steps) {
  require_domain(steps >= 1 && steps <= 10'000'000, "steps", as_double(steps), "[1, 1e7]");
}

void require_bands(std::size_t bands, std::size_t steps) {
  require_domain(bands >= 1 && bands <= steps, "bands", as_double(bands), "[1, steps]");
}

/// The first coefficients of (1 - x)^power, whose neighbours have the ratio (j - 1 - power)/j.
std::vector<double> binomial_series(double power, std::size_t count) {
  std::vector<double> c(count);
  c[0] = 1.0;
  for (std::size_t j = 1; j < count; ++j) {
    c[j] = c[j - 1] * ((as_double(j) - 1.0 - power) / as_double(j));
  }
  return c;
}

/// The first coefficients of one over a series that starts with 1.
std::vector<double> reciprocal(const std::vector<double>& c, std::size_t count) {
  std::vector<double> r(count, 0.0);
  r[0] = 1.0;
  for (std::size_t t = 1; t < count; ++t) {
    double sum = 0.0;
    for (std::size_t j = 1; j < std::min(c.size(), t + 1); ++j) {
      sum -= c[j] * r[t - j];
    }
    r[t] = sum;
  }
  return r;
}

/// Errors where `entry(t)` is the first column of A C^{-1}, asked in order.
template <class Entry>
StrategyError error_of_column(std::size_t steps, Entry&& entry) {
  numerics::CompensatedSum square, squares;
  for (std::size_t t = 0; t < steps; ++t) {
    const double w = entry(t);
    square += w * w;
    squares += square.value();
  }
  const double last = std::sqrt(square.value());
  return {std::sqrt(squares.value() / as_double(steps)), last, last};
}

}  // namespace

std::string_view name(StrategyKind kind) {
  return std::find_if(kind_names.begin(), kind_names.end(), [&](const auto& entry) { return entry.first == kind; })
      ->second;
}

std::optional<StrategyKind> strategy_kind_of(std::string_view text) {
  for (const auto& [kind, known] : kind_names) {
    if (known == text) {
      return kind;
    }
  }
  return std::nullopt;
}

Strategy identity_strategy(std::size_t steps) {
  require_steps(steps);
  Strategy s;
  s.matrix = models::StrategyMatrix::exponential(0.0, steps);
  return s;
}

Strategy lambda_strategy(std::size_t steps, double lambda) {
  require_steps(steps);
  require_domain(lambda >= 0.0 && lambda < 1.0, "lambda", lambda, "[0, 1)");
  Strategy s{.kind = StrategyKind::lambda,
             .matrix = models::StrategyMatrix::exponential(lambda, steps),
             .inverse = {1.0, -lambda}};
  s.inverse.resize(std::min<std::size_t>(2, steps));
  s.lambda = lambda;
  return s;
}

Strategy bsr_strategy(std::size_t steps, std::size_t bands) {
  require_steps(steps);
  require_bands(bands, steps);
  Strategy s{.kind = StrategyKind::bsr, .bands = bands};
  auto c = binomial_series(-0.5, bands);
  s.inverse = bands == steps ? binomial_series(0.5, steps) : reciprocal(c, steps);
  s.matrix = models::StrategyMatrix::toeplitz(std::move(c), steps);
  s.entry_error = 4.0 * as_double(bands) * unit;
  return s;
}

Strategy bisr_strategy(std::size_t steps, std::size_t bands) {
  require_steps(steps);
  require_bands(bands, steps);
  Strategy s{.kind = StrategyKind::bisr, .inverse = binomial_series(0.5, bands), .bands = bands};
  // c_t = sum of -r_j c_{t-j}: nonnegative numbers, relative errors of r_j, a product and p sums per step.
  s.matrix = models::StrategyMatrix::toeplitz(reciprocal(s.inverse, steps), steps);
  s.entry_error = as_double(steps) * (5.0 * as_double(bands) + 4.0) * unit;
  return s;
}

Strategy blt_strategy(std::size_t steps, std::vector<std::pair<double, double>> buffers) {
  require_steps(steps);
  Strategy s;
  s.kind = StrategyKind::blt;
  for (const auto& [theta, omega] : buffers) {
    require_domain(theta >= 0.0 && theta <= 1.0, "theta", theta, "[0, 1]");
    require_domain(omega >= 0.0 && std::isfinite(omega), "omega", omega, "[0, inf)");
  }
  std::vector<double> c(steps, 0.0), r(steps, 0.0), power(buffers.size()), state(buffers.size(), 0.0);
  c[0] = r[0] = 1.0;
  for (std::size_t j = 0; j < buffers.size(); ++j) {
    power[j] = buffers[j].second;
  }
  for (std::size_t t = 1; t < steps; ++t) {
    double entry = 0.0, inverse = 0.0;
    for (std::size_t j = 0; j < buffers.size(); ++j) {
      entry += power[j];
      power[j] = flushed(power[j] * buffers[j].first);
      state[j] = flushed(buffers[j].first * state[j] + r[t - 1]);
      inverse -= buffers[j].second * state[j];
    }
    c[t] = entry;
    r[t] = flushed(inverse);
  }
  s.entry_error = (as_double(steps) + as_double(buffers.size()) + 2.0) * unit;
  s.matrix = models::StrategyMatrix::toeplitz(std::move(c), steps);
  s.inverse = std::move(r);
  s.buffers = std::move(buffers);
  return s;
}

Strategy banded_strategy(std::size_t steps, std::vector<double> coefficients) {
  require_steps(steps);
  require_bands(coefficients.size(), steps);
  require_domain(coefficients.front() == 1.0, "coefficients[0]", coefficients.front(), "1");
  Strategy s;
  s.kind = StrategyKind::band_mf;
  s.bands = coefficients.size();
  s.inverse = reciprocal(coefficients, steps);
  s.matrix = models::StrategyMatrix::toeplitz(std::move(coefficients), steps);
  return s;
}

StrategyError strategy_error(const Strategy& strategy, double retention) {
  require_domain(retention >= -1.0 && retention <= 1.0, "retention", retention, "[-1, 1]");
  double state = 0.0;
  return error_of_column(strategy.matrix.steps(), [&](std::size_t t) {
    return state = retention * state + (t < strategy.inverse.size() ? strategy.inverse[t] : 0.0);
  });
}

StrategyError strategy_error(const Strategy& strategy, const std::vector<double>& workload) {
  const auto& shorter = workload.size() < strategy.inverse.size() ? workload : strategy.inverse;
  const auto& longer = &shorter == &workload ? strategy.inverse : workload;
  return error_of_column(strategy.matrix.steps(), [&](std::size_t t) {
    double entry = 0.0;
    for (std::size_t j = t < longer.size() ? 0 : t + 1 - longer.size(); j < std::min(shorter.size(), t + 1); ++j) {
      entry += shorter[j] * longer[t - j];
    }
    return entry;
  });
}

}  // namespace dpcurves::correlated
