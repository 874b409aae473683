// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::models {
namespace {

constexpr std::size_t most_steps = 100'000'000;

void require_steps(std::size_t steps) {
  require_domain(steps >= 1 && steps <= most_steps, "steps", static_cast<double>(steps), "[1, 1e8]");
}

}  // namespace

StrategyMatrix StrategyMatrix::exponential(double lambda, std::size_t steps) {
  require_domain(lambda >= 0.0 && lambda <= 1.0, "lambda", lambda, "[0, 1]");
  require_steps(steps);
  StrategyMatrix matrix;
  matrix.form_ = Form::exponential;
  matrix.steps_ = steps;
  matrix.bandwidth_ = lambda == 0.0 ? 1 : steps;
  matrix.lambda_ = lambda;
  return matrix;
}

StrategyMatrix StrategyMatrix::toeplitz(std::vector<double> coefficients, std::size_t steps) {
  require_steps(steps);
  coefficients.resize(std::min(coefficients.size(), steps));
  while (coefficients.size() > 1 && coefficients.back() == 0.0) {
    coefficients.pop_back();
  }
  require_domain(!coefficients.empty() && coefficients.front() > 0.0, "coefficients[0]",
                 coefficients.empty() ? std::nan("") : coefficients.front(), "(0, inf)");
  for (const double c : coefficients) {
    require_domain(std::isfinite(c), "coefficients", c, "(-inf, inf)");
  }
  StrategyMatrix matrix;
  matrix.form_ = Form::toeplitz;
  matrix.steps_ = steps;
  matrix.bandwidth_ = coefficients.size();
  matrix.entries_ = std::move(coefficients);
  return matrix;
}

StrategyMatrix StrategyMatrix::lower_triangular(const std::vector<std::vector<double>>& rows) {
  require_steps(rows.size());
  StrategyMatrix matrix;
  matrix.form_ = Form::lower_triangular;
  matrix.steps_ = rows.size();
  for (std::size_t t = 0; t < rows.size(); ++t) {
    require_domain(rows[t].size() == t + 1, "rows: length of row " + std::to_string(t + 1),
                   static_cast<double>(rows[t].size()), std::to_string(t + 1));
    require_domain(rows[t][t] > 0.0, "rows: diagonal entry " + std::to_string(t + 1), rows[t][t], "(0, inf)");
    for (std::size_t u = 0; u <= t; ++u) {
      require_domain(std::isfinite(rows[t][u]), "rows: entry of row " + std::to_string(t + 1), rows[t][u],
                     "(-inf, inf)");
      if (rows[t][u] != 0.0) {
        matrix.bandwidth_ = std::max(matrix.bandwidth_, t - u + 1);
      }
    }
  }
  const std::size_t b = matrix.bandwidth_;
  matrix.entries_.assign(rows.size() * b, 0.0);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t u = t + 1 >= b ? t + 1 - b : 0; u <= t; ++u) {
      matrix.entries_[t * b + (u + b - 1 - t)] = rows[t][u];
    }
  }
  return matrix;
}

const double* StrategyMatrix::row(std::size_t t) const { return entries_.data() + t * bandwidth_; }

void StrategyMatrix::check(std::span<const double> x) const {
  require_domain(x.size() == steps_, "length of x", static_cast<double>(x.size()), "the number of steps");
}

double StrategyMatrix::operator()(std::size_t row_index, std::size_t column) const {
  require_domain(row_index < steps_, "row", static_cast<double>(row_index), "[0, steps)");
  require_domain(column < steps_, "column", static_cast<double>(column), "[0, steps)");
  if (column > row_index || row_index - column >= bandwidth_) {
    return 0.0;
  }
  const std::size_t lag = row_index - column;
  switch (form_) {
    case Form::exponential:
      return std::pow(lambda_, static_cast<double>(lag));
    case Form::toeplitz:
      return entries_[lag];
    case Form::lower_triangular:
      return row(row_index)[bandwidth_ - 1 - lag];
  }
  return 0.0;
}

StrategyMatrix StrategyMatrix::absolute() const {
  StrategyMatrix matrix = *this;
  for (double& entry : matrix.entries_) {
    entry = std::abs(entry);
  }
  return matrix;
}

bool StrategyMatrix::nonnegative() const {
  return std::all_of(entries_.begin(), entries_.end(), [](double entry) { return entry >= 0.0; });
}

bool StrategyMatrix::monotone_toeplitz() const {
  return form_ == Form::exponential ||
         (form_ == Form::toeplitz && nonnegative() && std::is_sorted(entries_.rbegin(), entries_.rend()));
}

std::vector<double> StrategyMatrix::coefficients() const {
  require_domain(form_ != Form::lower_triangular, "strategy matrix", std::nan(""), "the Toeplitz matrices");
  if (form_ == Form::toeplitz) {
    return entries_;
  }
  std::vector<double> powers(bandwidth_);
  double power = 1.0;
  for (double& c : powers) {
    c = power;
    power *= lambda_;
  }
  return powers;
}

void StrategyMatrix::multiply(std::span<double> x) const {
  check(x);
  if (form_ == Form::exponential) {
    for (std::size_t t = 1; t < steps_; ++t) {
      x[t] += lambda_ * x[t - 1];
    }
    return;
  }
  for (std::size_t t = steps_; t-- > 0;) {
    double sum = 0.0;
    for (std::size_t lag = 0; lag < std::min(bandwidth_, t + 1); ++lag) {
      sum += (form_ == Form::toeplitz ? entries_[lag] : row(t)[bandwidth_ - 1 - lag]) * x[t - lag];
    }
    x[t] = sum;
  }
}

void StrategyMatrix::multiply_transposed(std::span<double> x) const {
  check(x);
  if (form_ == Form::exponential) {
    for (std::size_t t = steps_ - 1; t-- > 0;) {
      x[t] += lambda_ * x[t + 1];
    }
    return;
  }
  for (std::size_t u = 0; u < steps_; ++u) {
    double sum = 0.0;
    for (std::size_t lag = 0; lag < std::min(bandwidth_, steps_ - u); ++lag) {
      sum += (form_ == Form::toeplitz ? entries_[lag] : row(u + lag)[bandwidth_ - 1 - lag]) * x[u + lag];
    }
    x[u] = sum;
  }
}

void StrategyMatrix::solve(std::span<double> x) const {
  check(x);
  if (form_ == Form::exponential) {
    for (std::size_t t = steps_; t-- > 1;) {
      x[t] -= lambda_ * x[t - 1];
    }
    return;
  }
  for (std::size_t t = 0; t < steps_; ++t) {
    double sum = x[t];
    for (std::size_t lag = 1; lag < std::min(bandwidth_, t + 1); ++lag) {
      sum -= (form_ == Form::toeplitz ? entries_[lag] : row(t)[bandwidth_ - 1 - lag]) * x[t - lag];
    }
    x[t] = sum / (form_ == Form::toeplitz ? entries_[0] : row(t)[bandwidth_ - 1]);
  }
}

void StrategyMatrix::solve_transposed(std::span<double> x) const {
  check(x);
  if (form_ == Form::exponential) {
    for (std::size_t t = 0; t + 1 < steps_; ++t) {
      x[t] -= lambda_ * x[t + 1];
    }
    return;
  }
  for (std::size_t u = steps_; u-- > 0;) {
    double sum = x[u];
    for (std::size_t lag = 1; lag < std::min(bandwidth_, steps_ - u); ++lag) {
      sum -= (form_ == Form::toeplitz ? entries_[lag] : row(u + lag)[bandwidth_ - 1 - lag]) * x[u + lag];
    }
    x[u] = sum / (form_ == Form::toeplitz ? entries_[0] : row(u)[bandwidth_ - 1]);
  }
}

std::vector<double> StrategyMatrix::column_norms() const {
  std::vector<double> squares(steps_, 0.0);
  if (form_ == Form::lower_triangular) {
    for (std::size_t t = 0; t < steps_; ++t) {
      for (std::size_t lag = 0; lag < std::min(bandwidth_, t + 1); ++lag) {
        const double entry = row(t)[bandwidth_ - 1 - lag];
        squares[t - lag] += entry * entry;
      }
    }
  } else {
    // Column u holds the first steps - u coefficients: sums of squares from the last column to the first.
    double sum = 0.0, power = 1.0;
    for (std::size_t lag = 0; lag < steps_; ++lag) {
      if (form_ == Form::exponential) {
        sum += power * power;
        power *= lambda_;
      } else if (lag < bandwidth_) {
        sum += entries_[lag] * entries_[lag];
      }
      squares[steps_ - 1 - lag] = sum;
    }
  }
  for (double& value : squares) {
    value = std::sqrt(value);
  }
  return squares;
}

std::vector<double> StrategyMatrix::accumulated_noise(double retention) const {
  require_domain(retention >= -1.0 && retention <= 1.0, "retention", retention, "[-1, 1]");
  std::vector<double> norms(steps_);
  if (form_ == Form::lower_triangular) {
    std::vector<double> weights(steps_);
    for (std::size_t t = 0; t < steps_; ++t) {
      std::fill(weights.begin(), weights.end(), 0.0);
      double power = 1.0;
      for (std::size_t u = t + 1; u-- > 0;) {
        weights[u] = power;
        power *= retention;
      }
      solve_transposed(weights);
      double sum = sum_over(weights, [&](double w) { return w * w; });
      norms[t] = std::sqrt(sum);
    }
    return norms;
  }
  // A C^{-1} is Toeplitz: its coefficients are the first column, and row t has the first t + 1 of them.
  norms[0] = 1.0;
  solve(norms);
  double state = 0.0, sum = 0.0;
  for (double& entry : norms) {
    state = retention * state + entry;
    sum += state * state;
    entry = std::sqrt(sum);
  }
  return norms;
}

}  // namespace dpcurves::models
