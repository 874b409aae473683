// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/threshold_audit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::validation {
namespace {

constexpr std::uint32_t paths = 0x0F0D0000U;  // as in words_of()

}  // namespace

std::vector<double> normal_sample(const Setting& setting, std::uint32_t number, std::size_t count) {
  std::vector<double> sample(count);
  random::normals(sample, setting.seed, random::Purpose::noise, paths + number, 0);
  return sample;
}

std::vector<double> uniform_sample(const Setting& setting, std::uint32_t number, std::size_t count,
                                   std::uint64_t first) {
  std::vector<double> sample(count);
  random::uniforms(sample, setting.seed, random::Purpose::sampling, paths + number, first);
  return sample;
}

Points threshold_points(std::span<const double> under_p, std::span<const double> under_q,
                        std::span<const double> type_one_errors) {
  const std::size_t pilot = under_p.size() / 10;
  const auto thresholds = inference::pilot_thresholds(under_p.first(pilot), type_one_errors);
  return inference::estimate_tradeoff(under_p.subspan(pilot), under_q, thresholds, miss_per_interval);
}

std::vector<double> negated(std::vector<double> values) {
  std::transform(values.begin(), values.end(), values.begin(), std::negate<>());
  return values;
}

Curve allowed_by(std::map<double, double> deltas) {
  return [deltas = std::move(deltas)](double alpha) {
    double error = 0.0;
    for (const auto& [epsilon, delta] : deltas) {
      error = std::max(error, 1.0 - delta - std::exp(epsilon) * alpha);
    }
    return error;
  };
}

Curve allowed_by(const std::function<double(double epsilon)>& delta, double most) {
  std::map<double, double> deltas;
  for (double epsilon = 0.0; epsilon <= most; epsilon += 0.125) {
    deltas[epsilon] = delta(epsilon);
  }
  return allowed_by(std::move(deltas));
}

Measurement in_units_of_mu(const inference::TradeoffPoint& point, const Curve& claim) {
  const double a = point.type_one_error.upper;
  const double claimed = tradeoff::mu_of_point(a, std::clamp(claim(a), 0.0, 1.0));
  const Enclosure mu = point.effective_mu_interval;
  return Measurement::at_most(point.effective_mu.value, claimed).interval(mu.lower, mu.upper, 2.0 * miss_per_interval);
}

void check_points(Trial& trial, const Points& points, const Curve& claim, bool attained, const std::string& what) {
  std::size_t refuted = 0, missed = 0;
  double closest = 1e300, most = -1e300;
  Measurement tightest;
  for (const auto& point : points) {
    closest = std::min(closest, inference::gap(point, claim));
    refuted += inference::refuted(point, claim) ? 1U : 0U;
    missed += attained && claim(point.type_one_error.lower) < point.type_two_error.lower ? 1U : 0U;
    const Measurement found = in_units_of_mu(point, claim);
    if (const double share = found.lower / found.claimed; share > most || point.threshold == points.front().threshold) {
      most = share;
      tightest = found;
    }
  }
  const std::string size = std::to_string(points.size()) + " thresholds, " + std::to_string(points.front().trials_p) +
                           " and " + std::to_string(points.front().trials_q) + " draws: ";
  tightest.miss = 2.0 * miss_per_interval * static_cast<double>(points.size());
  trial.require(refuted == 0, what,
                size + "below the claim at " + std::to_string(refuted) + ", closest gap " + rounded(closest, 3) +
                    "; mu of the attack " + rounded(tightest.value, 4) + ", at least " + rounded(tightest.lower, 4) +
                    ", claimed " + rounded(tightest.claimed, 4),
                tightest);
  trial.count_runs(points.front().trials_p + points.front().trials_q);
  if (attained) {
    trial.require(missed == 0, what, size + "claim not reached at " + std::to_string(missed),
                  Measurement::sampled(tightest.miss));
  }
}

io::Series drawn(const std::string& name, const Points& points) {
  std::vector<double> x, y, lower, upper;
  for (const auto& point : points) {
    x.push_back(static_cast<double>(point.false_positives) / static_cast<double>(point.trials_p));
    y.push_back(static_cast<double>(point.false_negatives) / static_cast<double>(point.trials_q));
    lower.push_back(point.type_two_error.lower);
    upper.push_back(point.type_two_error.upper);
  }
  return io::points(name, x, y, lower, upper);
}

io::Series drawn(const std::string& name, const Curve& curve, std::span<const double> type_one_errors) {
  std::vector<double> y;
  for (const double a : type_one_errors) {
    y.push_back(curve(a));
  }
  return io::line(name, {type_one_errors.begin(), type_one_errors.end()}, y);
}

Figure tradeoff_figure(const std::string& title, std::vector<io::Series> series) {
  io::Plot plot;
  plot.title = title;
  plot.x = {.label = "type I error", .lowest = 0.0, .highest = 1.0};
  plot.y = {.label = "type II error", .lowest = 0.0, .highest = 1.0};
  plot.legend = io::Legend::top_right;
  plot.series = std::move(series);
  return {title, plot};
}

std::vector<double> even_grid(std::size_t points, double lowest, double highest) {
  return mapped(points, [&](std::size_t i) {
    return i + 1 == points ? highest
                           : lowest + (highest - lowest) * static_cast<double>(i) / static_cast<double>(points - 1);
  });
}

}  // namespace dpcurves::validation
