// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::correlated {
namespace {

void require_lambda(double lambda) { require_domain(lambda >= 0.0 && lambda <= 1.0, "lambda", lambda, "[0, 1]"); }

void require_steps(double steps) {
  require_domain(steps >= 1.0 && steps <= 1e15 && steps == std::floor(steps), "steps", steps,
                 "the whole numbers in [1, 1e15]");
}

/// Sum of the squares of the tail x lambda, x lambda^2, ..., x lambda^count.
double tail_squares(double x, double lambda, double count) {
  if (lambda == 0.0 || count == 0.0) {
    return 0.0;
  }
  if (lambda == 1.0) {
    return x * x * count;
  }
  const double log_square = 2.0 * std::log1p(lambda - 1.0);
  return x * x * lambda * lambda * std::expm1(count * log_square) / std::expm1(log_square);
}

/// Sum of ((1 - lambda^t)/(1 - lambda))^2 over t = 1, ..., count.
double gain_squares(double lambda, double count) {
  constexpr double most_terms = 1e4;
  const double away = 1.0 - lambda;
  if (count <= most_terms) {
    numerics::CompensatedSum squares;
    double x = 0.0;
    for (double t = 0.0; t < count; ++t) {
      x = lambda * x + 1.0;
      squares += x * x;
    }
    return squares.value();
  }
  if (count * away > 0.1) {  // at most three digits cancel
    const double decay = lambda == 0.0 ? -1.0 : std::expm1(count * std::log1p(-away));
    const double decay_squares = decay * (2.0 + decay);
    return (count + 2.0 * lambda * decay / away - lambda * lambda * decay_squares / (away * (1.0 + lambda))) /
           (away * away);
  }
  if (away == 0.0) {
    return count * (count + 1.0) * (2.0 * count + 1.0) / 6.0;
  }
  // Euler-Maclaurin for (1 - exp(-c t))^2, whose integral is a quickly convergent series in c count < 0.11.
  const double c = -std::log1p(-away), u = c * count;
  double integral = 0.0, term = u, twos = 1.0;
  for (double m = 1.0; m < 20.0; ++m) {
    term *= -u / (m + 1.0);
    twos *= 2.0;
    integral += term * (twos - 2.0);
  }
  const double end = -std::expm1(-u);
  return (integral / c + 0.5 * end * end + c * end * (1.0 - end) / 6.0) / (away * away);
}

/// s(0), ..., s(steps) of a monotone Toeplitz matrix: y is 1 on the first k steps. With S_j the sum of the first j
/// coefficients the entries of C y are S_{t+1} for t < k and S_{t+1} - S_{t+1-k} after.
std::vector<double> first_steps(const models::StrategyMatrix& strategy) {
  const auto c = strategy.coefficients();
  const std::size_t steps = strategy.steps(), b = c.size();
  std::vector<double> values(steps + 1, 0.0);
  std::vector<double> sums(b + 1, 0.0);
  for (std::size_t j = 0; j < b; ++j) {
    sums[j + 1] = sums[j] + c[j];
  }
  const auto partial = [&](std::size_t j) { return sums[std::min(j, b)]; };
  numerics::CompensatedSum head;
  for (std::size_t k = 1; k <= steps; ++k) {
    head += partial(k) * partial(k);
    numerics::CompensatedSum tail;
    for (std::size_t t = k; t < std::min(steps, k + b - 1); ++t) {
      const double entry = partial(t + 1) - partial(t + 1 - k);
      tail += entry * entry;
    }
    values[k] = std::sqrt(head.value() + tail.value());
  }
  return values;
}

}  // namespace

double gain(double lambda, double steps) {
  require_lambda(lambda);
  require_steps(steps);
  return lambda == 1.0 ? steps : -std::expm1(steps * std::log1p(lambda - 1.0)) / (1.0 - lambda);
}

double encoded_sensitivity(double lambda, double participations, double steps) {
  require_lambda(lambda);
  require_steps(steps);
  require_domain(participations >= 0.0 && participations <= steps && participations == std::floor(participations),
                 "participations", participations, "the whole numbers from 0 to the number of steps");
  const double last = participations == 0.0 ? 0.0 : gain(lambda, participations);
  return std::sqrt(gain_squares(lambda, participations) + tail_squares(last, lambda, steps - participations));
}

double printed_encoded_sensitivity(double lambda, double participations, double steps) {
  return gain(lambda, steps) * std::sqrt(participations);
}

EncodedSensitivities encoded_sensitivities(const models::StrategyMatrix& strategy) {
  const std::size_t steps = strategy.steps();
  if (strategy.form() == models::StrategyMatrix::Form::exponential) {
    const double lambda = strategy.lambda();
    EncodedSensitivities result{std::vector<double>(steps + 1, 0.0), true};
    numerics::CompensatedSum head;
    double x = 0.0;
    for (std::size_t k = 1; k <= steps; ++k) {
      x = lambda * x + 1.0;
      head += x * x;
      result.values[k] = std::sqrt(head.value() + tail_squares(x, lambda, static_cast<double>(steps - k)));
    }
    return result;
  }
  if (strategy.monotone_toeplitz()) {
    return {first_steps(strategy), true};
  }
  // || |C| y ||^2 = sum over u in y of sum over v in y of (|C|'|C|)_{uv}, at most the k largest row sums.
  const auto absolute = strategy.absolute();
  std::vector<double> row_sums(steps, 1.0);
  absolute.multiply(row_sums);
  absolute.multiply_transposed(row_sums);
  std::sort(row_sums.begin(), row_sums.end(), std::greater<>());
  EncodedSensitivities result{std::vector<double>(steps + 1, 0.0), false};
  numerics::CompensatedSum sum;
  for (std::size_t k = 1; k <= steps; ++k) {
    sum += row_sums[k - 1];
    result.values[k] = std::sqrt(sum.value());
  }
  return result;
}

namespace {

constexpr std::array cost_names{std::pair{NoiseCost::maximum, std::string_view("maximum")},
                                std::pair{NoiseCost::mean, std::string_view("mean")},
                                std::pair{NoiseCost::last, std::string_view("last")}};

}  // namespace

std::string_view name(NoiseCost cost) {
  return std::find_if(cost_names.begin(), cost_names.end(), [&](const auto& entry) { return entry.first == cost; })
      ->second;
}

NoiseCost noise_cost_of(std::string_view text) {
  for (const auto& [cost, known] : cost_names) {
    if (known == text) {
      return cost;
    }
  }
  throw DomainError("noise cost: \"" + std::string(text) + "\" is not maximum, mean or last");
}

double noise_cost(const models::StrategyMatrix& strategy, NoiseCost cost, double retention) {
  const auto built_up = strategy.accumulated_noise(retention);
  switch (cost) {
    case NoiseCost::maximum:
      return *std::max_element(built_up.begin(), built_up.end());
    case NoiseCost::mean: {
      numerics::CompensatedSum sum;
      for (const double deviation : built_up) {
        sum += deviation * deviation;
      }
      return std::sqrt(sum.value() / static_cast<double>(built_up.size()));
    }
    case NoiseCost::last:
      return built_up.back();
  }
  return 0.0;
}

}  // namespace dpcurves::correlated
