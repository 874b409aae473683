// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/correlated/strategies.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::correlated {
namespace {

double as_double(std::size_t n) { return static_cast<double>(n); }

/// To a multiple of 2^-40, so that the last bits of a search do not show.
double on_grid(double x) { return std::ldexp(std::round(std::ldexp(x, 40)), -40); }

/// log of error times sensitivity.
double log_cost(const Strategy& strategy, const StrategySearch& search) {
  const auto error = strategy_error(strategy);
  return std::log((search.cost == NoiseCost::mean ? error.mean : error.maximum) *
                  pattern_sensitivity(strategy.matrix, search.pattern).value.upper);
}

/// A smooth function with its gradient, for GSL.
struct Smooth {
  std::function<double(const std::vector<double>& x, std::vector<double>* gradient)> value;

  static double at(const gsl_vector* x, void* self, gsl_vector* gradient) {
    const std::vector<double> point(x->data, x->data + x->size);
    std::vector<double> slope(x->size);
    const double value = static_cast<Smooth*>(self)->value(point, gradient == nullptr ? nullptr : &slope);
    for (std::size_t i = 0; gradient != nullptr && i < slope.size(); ++i) {
      gsl_vector_set(gradient, i, slope[i]);
    }
    return value;
  }
};

/// Quasi-Newton steps from `start`; where the search ends is the answer.
std::vector<double> descend(Smooth smooth, const std::vector<double>& start, int most_steps) {
  gsl_multimin_function_fdf function{};
  function.n = start.size();
  function.params = &smooth;
  function.f = [](const gsl_vector* x, void* self) { return Smooth::at(x, self, nullptr); };
  function.df = [](const gsl_vector* x, void* self, gsl_vector* g) { Smooth::at(x, self, g); };
  function.fdf = [](const gsl_vector* x, void* self, double* f, gsl_vector* g) { *f = Smooth::at(x, self, g); };
  struct Release {
    void operator()(gsl_multimin_fdfminimizer* it) const { gsl_multimin_fdfminimizer_free(it); }
    void operator()(gsl_vector* it) const { gsl_vector_free(it); }
  };
  const std::unique_ptr<gsl_vector, Release> from(gsl_vector_alloc(start.size()));
  std::copy(start.begin(), start.end(), from->data);
  const std::unique_ptr<gsl_multimin_fdfminimizer, Release> search(
      gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, start.size()));
  gsl_multimin_fdfminimizer_set(search.get(), &function, from.get(), 0.01, 0.1);
  for (int i = 0; i < most_steps && gsl_multimin_fdfminimizer_iterate(search.get()) == GSL_SUCCESS; ++i) {
    if (gsl_multimin_test_gradient(search->gradient, 1e-8) == GSL_SUCCESS) {
      break;
    }
  }
  return {search->x->data, search->x->data + start.size()};
}

/// log of error times sensitivity of the worst set of a monotone matrix, as a function of c_1, ..., and its gradient.
double banded_cost(const StrategySearch& search, const std::vector<double>& x, std::vector<double>* gradient) {
  const std::size_t steps = search.steps, p = x.size() + 1;
  const auto c = [&](std::size_t j) { return j == 0 ? 1.0 : x[j - 1]; };
  // w, the first column of A C^{-1}, solves c w = 1 + x + x^2 + ...
  std::vector<double> w(steps);
  double square = 0.0, error = 0.0;
  for (std::size_t t = 0; t < steps; ++t) {
    double sum = 1.0;
    for (std::size_t j = 1; j < std::min(p, t + 1); ++j) {
      sum -= c(j) * w[t - j];
    }
    w[t] = sum;
    square += sum * sum;
    error += search.cost == NoiseCost::mean ? square : 0.0;
  }
  error = search.cost == NoiseCost::mean ? error : square;
  const std::size_t b = search.pattern.separation, k = search.pattern.participations(steps);
  std::vector<double> encoded(std::min(steps, (k - 1) * b + p), 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < p && i * b + j < steps; ++j) {
      encoded[i * b + j] += c(j);
    }
  }
  const double sensitivity = sum_over(encoded, [&](double e) { return e * e; });
  if (gradient != nullptr) {
    // d error = -2 <h, dC w> with h = C^{-T} of the weights times w.
    std::vector<double> h(steps);
    for (std::size_t t = steps; t-- > 0;) {
      double sum = w[t] * (search.cost == NoiseCost::mean ? as_double(steps - t) : 1.0);
      for (std::size_t j = 1; j < std::min(p, steps - t); ++j) {
        sum -= c(j) * h[t + j];
      }
      h[t] = sum;
    }
    for (std::size_t j = 1; j < p; ++j) {
      double slope = 0.0, moved = 0.0;
      for (std::size_t t = j; t < steps; ++t) {
        slope -= h[t] * w[t - j];
      }
      for (std::size_t i = 0; i < k && i * b + j < steps; ++i) {
        moved += encoded[i * b + j];
      }
      (*gradient)[j - 1] = slope / error + moved / sensitivity;
    }
  }
  return 0.5 * (std::log(error) + std::log(sensitivity));
}

Strategy best_banded(const StrategySearch& search, std::size_t bands) {
  if (bands == 1) {
    return banded_strategy(search.steps, {1.0});
  }
  const auto start = bsr_strategy(search.steps, bands).matrix.coefficients();
  const auto found = descend({[&](const auto& x, auto* gradient) { return banded_cost(search, x, gradient); }},
                             {start.begin() + 1, start.end()}, 200);
  std::vector<double> c{1.0};
  for (const double x : found) {
    c.push_back(on_grid(x));
  }
  // Only monotone coefficients have the sensitivity that was minimised.
  for (std::size_t j = 1; j < c.size(); ++j) {
    c[j] = std::clamp(c[j], 0.0, c[j - 1]);
  }
  return banded_strategy(search.steps, std::move(c));
}

Strategy best_lambda(const StrategySearch& search) {
  const auto cost = [&](double log_away) {
    return log_cost(lambda_strategy(search.steps, 1.0 - std::exp(log_away)), search);
  };
  const double low = -std::log(100.0 * as_double(search.steps));
  double at = 0.0, best = cost(0.0);
  constexpr double octave = 0.6931471805599453;
  for (double x = -octave; x > low; x -= octave) {
    if (const double value = cost(x); value < best) {
      best = value;
      at = x;
    }
  }
  if (at == 0.0 && !(cost(-1e-3) < best)) {
    return lambda_strategy(search.steps, 0.0);
  }
  const auto found = numerics::minimise(cost, at - octave, std::min(0.0, at + octave));
  return lambda_strategy(search.steps, std::max(0.0, on_grid(1.0 - std::exp(found.at))));
}

std::vector<std::pair<double, double>> buffers_of(const std::vector<double>& x) {
  std::vector<std::pair<double, double>> buffers;
  for (std::size_t j = 0; j + 1 < x.size(); j += 2) {
    // 1 - theta = e^x / (1 + e^x); a trial step may be far too long.
    buffers.emplace_back(1.0 / (1.0 + std::exp(x[j])), std::exp(std::clamp(x[j + 1], -40.0, 5.0)));
  }
  return buffers;
}

/// Decays spread from the whole run down to single steps: the coefficients of bsr fall like the root of the lag.
std::vector<double> spread_buffers(std::size_t steps, std::size_t count) {
  const double longest = std::log(as_double(std::max<std::size_t>(steps, 4)));
  std::vector<double> x;
  for (std::size_t j = 0; j < count; ++j) {
    const double log_away = -longest * (as_double(j) + 0.5) / as_double(count);
    x.push_back(log_away);
    x.push_back(0.5 * log_away + std::log(0.5 / as_double(count)) + 0.5);
  }
  return x;
}

/// log of error times sensitivity of the worst set of a monotone matrix, in one pass without arrays.
double blt_cost(const StrategySearch& search, const std::vector<std::pair<double, double>>& buffers) {
  const std::size_t b = search.pattern.separation, k = search.pattern.participations(search.steps);
  std::vector<double> inverse(buffers.size(), 0.0), taken(buffers.size(), 0.0);
  double r = 1.0, w = 0.0, participates = 1.0, square = 0.0, squares = 0.0, sensitivity = 0.0;
  std::size_t next = 0, uses = 0;
  constexpr double tiny = 1e-200;  // added to states against denormal numbers
  for (std::size_t t = 0; t < search.steps; ++t) {
    double out = 0.0, encoded = 0.0;
    for (std::size_t j = 0; j < buffers.size() && t > 0; ++j) {
      inverse[j] = buffers[j].first * inverse[j] + r + tiny;
      taken[j] = buffers[j].first * taken[j] + participates + tiny;
      out -= buffers[j].second * inverse[j];
      encoded += buffers[j].second * taken[j];
    }
    r = t == 0 ? 1.0 : out;
    w += r;
    participates = t == next && uses < k ? 1.0 : 0.0;
    if (participates == 1.0) {
      next += b;
      ++uses;
    }
    encoded += participates;
    square += w * w;
    squares += square;
    sensitivity += encoded * encoded;
  }
  return 0.5 * std::log((search.cost == NoiseCost::mean ? squares / as_double(search.steps) : square) * sensitivity);
}

/// From the spread start, and from the best with one buffer less and a light one of three decays.
Strategy best_blt(const StrategySearch& search, std::size_t count) {
  const auto cost = [&](const std::vector<double>& x) { return blt_cost(search, buffers_of(x)); };
  const auto value = [&](const std::vector<double>& x, std::vector<double>* gradient) {
    constexpr double h = 1e-5;
    for (std::size_t i = 0; gradient != nullptr && i < x.size(); ++i) {
      auto up = x, down = x;
      up[i] += h;
      down[i] -= h;
      (*gradient)[i] = (cost(up) - cost(down)) / (2.0 * h);
    }
    return cost(x);
  };
  const int most = search.steps > 20000 ? 40 : 100;
  const double longest = std::log(as_double(std::max<std::size_t>(search.steps, 4)));
  std::vector<double> found;
  for (std::size_t number = 1; number <= count; ++number) {
    std::vector<std::vector<double>> starts{spread_buffers(search.steps, number)};
    for (const double share : {0.2, 0.5, 0.8}) {
      if (number > 1 && search.steps <= 20000) {
        starts.push_back(found);
        starts.back().insert(starts.back().end(), {-share * longest, -4.0});
      }
    }
    std::vector<double> best;
    double least = 0.0;
    for (const auto& start : starts) {
      const auto end = descend({value}, start, most);
      if (const double at_end = cost(end); best.empty() || at_end < least) {
        least = at_end;
        best = end;
      }
    }
    found = best;
  }
  auto buffers = buffers_of(found);
  for (auto& [theta, omega] : buffers) {
    theta = std::min(on_grid(theta), 1.0 - std::ldexp(1.0, -40));
    omega = on_grid(omega);
  }
  std::sort(buffers.rbegin(), buffers.rend());
  return blt_strategy(search.steps, std::move(buffers));
}

/// Widths of bands worth a try: powers of two, with those between, the separation, and all.
std::set<std::size_t> widths(const StrategySearch& search) {
  std::set<std::size_t> list{search.steps, std::min(search.steps, search.pattern.separation)};
  for (std::size_t p = 1; p < search.steps; p *= 2) {
    list.insert({p, std::min(search.steps, p + p / 2)});
  }
  return list;
}

/// The best over the widths, which stop where a wide band costs more than a short answer takes.
template <class Make>
Strategy best_width(const StrategySearch& search, const Make& make) {
  constexpr double most_work = 4e8;
  std::optional<Strategy> best;
  double least = 0.0;
  for (const std::size_t p : widths(search)) {
    if (p > 1 && as_double(p) * as_double(search.steps) > most_work) {
      break;
    }
    Strategy trial = make(p);
    const double cost = log_cost(trial, search);
    if (!best || cost < least) {
      least = cost;
      best = std::move(trial);
    }
  }
  return *best;
}

}  // namespace

Strategy search_strategy(StrategyKind kind, const StrategySearch& search) {
  switch (kind) {
    case StrategyKind::identity:
      return identity_strategy(search.steps);
    case StrategyKind::lambda:
      return search.lambda ? lambda_strategy(search.steps, *search.lambda) : best_lambda(search);
    case StrategyKind::bsr:
      return search.bands ? bsr_strategy(search.steps, *search.bands)
                          : best_width(search, [&](std::size_t p) { return bsr_strategy(search.steps, p); });
    case StrategyKind::bisr:
      return search.bands ? bisr_strategy(search.steps, *search.bands)
                          : best_width(search, [&](std::size_t p) { return bisr_strategy(search.steps, p); });
    case StrategyKind::blt:
      return best_blt(search, search.buffers.value_or(3));
    case StrategyKind::band_mf: {
      const std::size_t usual = search.pattern.rule == ParticipationRule::single
                                    ? search.steps
                                    : std::min(search.steps, search.pattern.separation);
      constexpr std::size_t widest = 512;  // a second of search at 2000 steps
      return best_banded(search, search.bands.value_or(std::min(usual, widest)));
    }
  }
  return identity_strategy(search.steps);
}

}  // namespace dpcurves::correlated
