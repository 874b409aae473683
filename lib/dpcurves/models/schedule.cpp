// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/schedule.hpp>

namespace dpcurves::models {
namespace {

void require_rate(double value, const char* name, std::source_location where = std::source_location::current()) {
  require_domain(value >= 0.0 && std::isfinite(value), name, value, "[0, inf)", where);
}

/// x - sin(x) for x in [0, pi], without the cancellation at small x.
double minus_sine(double x) {
  constexpr double small = 1.5;
  if (x > small) {
    return x - std::sin(x);
  }
  double term = x * x * x / 6.0;
  double sum = 0.0;
  for (int k = 4; term != 0.0 && std::abs(term) > 1e-18 * sum; k += 2) {
    sum += term;
    term *= -x * x / (k * (k + 1));
  }
  return sum;
}

}  // namespace

Schedule::Schedule(std::vector<Part> parts) : parts_(std::move(parts)) {
  double sum = 0.0;
  for (auto& part : parts_) {
    part.before = sum;
    sum += std::isinf(part.end) ? 0.0 : integral(part, part.end);
  }
}

Schedule::Part Schedule::linear(double begin, double end, double first, double last) {
  return {Shape::linear, begin, end, first, last, 0.0, 0.0, 0.0};
}

Schedule Schedule::constant(double rate) {
  require_rate(rate, "rate");
  return Schedule({linear(0.0, infinity, rate, rate)});
}

Schedule Schedule::inverse_time(double rate, double decay) { return power(rate, decay, 1.0); }

Schedule Schedule::power(double rate, double decay, double exponent) {
  require_rate(rate, "rate");
  require_rate(decay, "decay");
  require_domain(std::isfinite(exponent), "exponent", exponent, "(-inf, inf)");
  if (decay == 0.0 || exponent == 0.0) {
    return constant(rate);
  }
  return Schedule({{Shape::power, 0.0, infinity, rate, 0.0, decay, exponent, 0.0}});
}

Schedule Schedule::exponential(double rate, double decay) {
  require_rate(rate, "rate");
  require_rate(decay, "decay");
  if (decay == 0.0) {
    return constant(rate);
  }
  return Schedule({{Shape::exponential, 0.0, infinity, rate, 0.0, decay, 0.0, 0.0}});
}

Schedule Schedule::cosine(double first, double last, double horizon) {
  require_rate(first, "first");
  require_rate(last, "last");
  require_domain(horizon > 0.0 && std::isfinite(horizon), "horizon", horizon, "(0, inf)");
  return Schedule({{Shape::cosine, 0.0, horizon, first, last, 0.0, 0.0, 0.0}});
}

Schedule Schedule::warmup_cosine(double peak, double last, double warm_up, double horizon) {
  require_rate(peak, "peak");
  require_rate(last, "last");
  require_domain(warm_up > 0.0 && std::isfinite(warm_up), "warm_up", warm_up, "(0, inf)");
  require_domain(horizon > warm_up && std::isfinite(horizon), "horizon", horizon, "(warm_up, inf)");
  return Schedule({linear(0.0, warm_up, 0.0, peak), {Shape::cosine, warm_up, horizon, peak, last, 0.0, 0.0, 0.0}});
}

Schedule Schedule::piecewise_constant(std::span<const double> values, std::span<const double> breaks) {
  require_domain(values.size() == breaks.size() + 1, "number of values", static_cast<double>(values.size()),
                 "{number of breaks + 1}");
  std::vector<Part> parts;
  double begin = 0.0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    require_rate(values[j], "value");
    const double end = j < breaks.size() ? breaks[j] : infinity;
    require_domain(end > begin, "break", end, "(the break before, inf)");
    parts.push_back(linear(begin, end, values[j], values[j]));
    begin = end;
  }
  return Schedule(std::move(parts));
}

Schedule Schedule::table(std::span<const double> times, std::span<const double> values) {
  require_domain(times.size() == values.size() && times.size() >= 2, "number of times",
                 static_cast<double>(times.size()), "{number of values}, at least 2");
  require_domain(times[0] == 0.0, "first time", times[0], "{0}");
  std::vector<Part> parts;
  require_rate(values[0], "value");
  for (std::size_t j = 1; j < times.size(); ++j) {
    require_rate(values[j], "value");
    require_domain(times[j] > times[j - 1] && std::isfinite(times[j]), "time", times[j], "(the time before, inf)");
    parts.push_back(linear(times[j - 1], times[j], values[j - 1], values[j]));
  }
  return Schedule(std::move(parts));
}

double Schedule::rate(const Part& part, double t) {
  switch (part.shape) {
    case Shape::linear: {
      if (part.first == part.last) {
        return part.first;
      }
      const double share = (t - part.begin) / (part.end - part.begin);
      return part.first + (part.last - part.first) * share;
    }
    case Shape::power:
      return part.first * std::exp(-part.exponent * std::log1p(part.decay * t));
    case Shape::exponential:
      return part.first * std::exp(-part.decay * t);
    case Shape::cosine: {
      // sin^2 of the distance to the nearer end: relative accuracy where gamma goes to 0.
      const double half_pi = 0.5 * std::numbers::pi / (part.end - part.begin);
      const double from_begin = std::sin(half_pi * (t - part.begin));
      const double to_end = std::sin(half_pi * (part.end - t));
      return part.first * to_end * to_end + part.last * from_begin * from_begin;
    }
  }
  return 0.0;
}

double Schedule::integral(const Part& part, double t) {
  const double u = t - part.begin;
  switch (part.shape) {
    case Shape::linear:
      return part.first == part.last ? part.first * u
                                     : u * (part.first + 0.5 * (part.last - part.first) * u / (part.end - part.begin));
    case Shape::power: {
      const double grown = std::log1p(part.decay * u);
      const double z = (1.0 - part.exponent) * grown;
      return part.first / part.decay * grown * (z == 0.0 ? 1.0 : std::expm1(z) / z);
    }
    case Shape::exponential:
      return -part.first * std::expm1(-part.decay * u) / part.decay;
    case Shape::cosine: {
      const double length = part.end - part.begin;
      const double angle = std::numbers::pi * u / length;
      // u + (L/pi) sin(angle) and u - (L/pi) sin(angle): twice the integrals of cos^2 and sin^2.
      const double wave = length / std::numbers::pi * std::sin(angle);
      const double small = length / std::numbers::pi * minus_sine(angle);
      return 0.5 * (part.first * (u + wave) + part.last * small);
    }
  }
  return 0.0;
}

double Schedule::inverse(const Part& part, double tau) {
  if (!(tau > 0.0)) {
    return part.begin;
  }
  switch (part.shape) {
    case Shape::linear: {
      if (part.first == part.last) {
        return part.begin + tau / part.first;
      }
      const double slope = (part.last - part.first) / (part.end - part.begin);
      const double root = std::sqrt(std::max(0.0, part.first * part.first + 2.0 * slope * tau));
      return std::min(part.end, part.begin + 2.0 * tau / (part.first + root));
    }
    case Shape::power: {
      const double scaled = part.decay * tau / part.first;
      const double z = (1.0 - part.exponent) * scaled;
      require_domain(z > -1.0, "tau", tau, "[0, Gamma(inf))");
      return std::expm1(scaled * (z == 0.0 ? 1.0 : std::log1p(z) / z)) / part.decay;
    }
    case Shape::exponential: {
      const double z = -part.decay * tau / part.first;
      require_domain(z > -1.0, "tau", tau, "[0, Gamma(inf))");
      return -std::log1p(z) / part.decay;
    }
    case Shape::cosine: {
      // Newton, held in a bracket that bisection shrinks.
      double low = part.begin;
      double high = part.end;
      double t = part.begin + (part.end - part.begin) * std::min(1.0, tau / integral(part, part.end));
      constexpr int iterations = 200;  // bisection alone needs 60
      for (int i = 0; i < iterations; ++i) {
        const double excess = integral(part, t) - tau;
        if (excess == 0.0) {
          return t;
        }
        (excess > 0.0 ? high : low) = t;
        const double slope = rate(part, t);
        double next = slope > 0.0 ? t - excess / slope : 0.5 * (low + high);
        if (!(next > low && next < high)) {
          next = 0.5 * (low + high);
        }
        if (std::abs(next - t) <= 2e-16 * next) {
          return next;
        }
        t = next;
      }
      return t;
    }
  }
  return part.begin;
}

const Schedule::Part& Schedule::part_at(double t) const {
  auto part = std::upper_bound(parts_.begin(), parts_.end(), t, [](double x, const Part& p) { return x < p.begin; });
  return *std::prev(part);
}

double Schedule::rate(double t) const {
  require_domain(t >= 0.0 && t <= end() && std::isfinite(t), "t", t, "[0, end of the schedule]");
  return rate(part_at(t), t);
}

double Schedule::rate_before(double t) const {
  require_domain(t >= 0.0 && t <= end() && std::isfinite(t), "t", t, "[0, end of the schedule]");
  const Part* part = &part_at(t);
  return rate(t == part->begin && part != &parts_.front() ? *(part - 1) : *part, t);
}

double Schedule::integral(double t) const {
  require_domain(t >= 0.0 && t <= end() && std::isfinite(t), "t", t, "[0, end of the schedule]");
  const Part& part = part_at(t);
  return part.before + integral(part, t);
}

double Schedule::inverse_integral(double tau) const {
  require_domain(tau >= 0.0 && std::isfinite(tau), "tau", tau, "[0, inf)");
  // The last part that starts below tau holds the earliest t with Gamma(t) = tau.
  const Part* found = &parts_.front();
  for (const auto& part : parts_) {
    if (part.before < tau) {
      found = &part;
    }
  }
  const double rest = tau - found->before;
  if (rest > 0.0 && found == &parts_.back()) {
    const double whole = std::isinf(found->end) ? (found->first == 0.0 ? 0.0 : infinity) : integral(*found, found->end);
    constexpr double rounding = 1e-14;  // Gamma(end()) itself may have been computed elsewhere
    require_domain(rest <= whole + rounding * tau, "tau", tau, "[0, Gamma(end)]");
    return whole == 0.0 ? found->begin : inverse(*found, std::min(rest, whole));
  }
  return inverse(*found, rest);
}

double Schedule::end() const { return parts_.back().end; }

std::vector<Schedule::Piece> Schedule::pieces() const {
  std::vector<Piece> list;
  for (const auto& part : parts_) {
    const bool bounded_shape = part.shape == Shape::linear || part.shape == Shape::cosine;
    Piece piece{part.begin, part.end, 0.0, part.first, false};
    if (bounded_shape) {
      piece.least_rate = std::min(part.first, part.last);
      piece.greatest_rate = std::max(part.first, part.last);
      constexpr double near = 0.2;  // below this share of its maximum gamma(Gamma) is too close to its branch point
      piece.touches_zero = piece.least_rate < near * piece.greatest_rate;
    } else if (part.exponent < 0.0) {
      piece.least_rate = part.first;
      piece.greatest_rate = infinity;
    }
    list.push_back(piece);
  }
  return list;
}

std::vector<double> Schedule::kinks() const {
  std::vector<double> points;
  for (std::size_t j = 1; j < parts_.size(); ++j) {
    points.push_back(parts_[j].begin);
  }
  return points;
}

}  // namespace dpcurves::models
