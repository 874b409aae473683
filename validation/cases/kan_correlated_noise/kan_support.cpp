// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/kan_correlated_noise/kan_support.hpp"

#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/models/margin.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::validation::kan_correlated_noise {

Instance instance(std::size_t records, std::size_t units, std::uint64_t seed, std::size_t inputs) {
  models::BallData law{.inputs = inputs, .records = records};
  const models::KanShape shape{inputs, units, 5, 3, models::Activation::tanh};
  return {models::KanLosses(models::KanNetwork::draw(shape, seed, 0), models::ball_data(law, seed, 0)),
          models::draw_first_layer(shape, seed, 0)};
}

models::BinaryData two_points(std::span<const std::uint32_t> kinds) {
  models::BinaryData data;
  data.inputs.resize(1, static_cast<Eigen::Index>(kinds.size()));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const double sign = kinds[i] % 2 == 0 ? 1.0 : -1.0;
    data.inputs(0, static_cast<Eigen::Index>(i)) = 0.9 * sign;
    data.labels.push_back(kinds[i] < 2 ? sign : -sign);
  }
  return data;
}

simulate::DpSgd descent(double batch, double step_size, std::size_t iterates, double private_noise,
                        double correlation) {
  return simulate::DpSgd{.batch_size = batch,
                         .step_size = step_size,
                         .iterates = iterates,
                         .clip = 1.0,
                         .noise_multiplier = private_noise * batch,
                         .correlation = correlation};
}

std::vector<double> sum(std::span<const double> a, double factor, std::span<const double> b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i] = a[i] + factor * b[i];
  }
  return result;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  return sum_over(a.size(), [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

std::vector<double> to_vector(std::span<const double> x) { return {x.begin(), x.end()}; }

MarginDirection margin_direction(Instance& of) {
  const auto margin = models::margin_of_gram(of.losses.signed_gram(of.start));
  MarginDirection result;
  result.margin = margin.value.lower;
  result.direction.resize(of.start.size());
  of.losses.combine_gradients({margin.weights.data(), of.losses.records()}, of.start, result.direction);
  const double norm = std::sqrt(squared_distance(result.direction, std::vector<double>(of.start.size(), 0.0)));
  for (double& entry : result.direction) {
    entry /= norm;
  }
  return result;
}

void ratio_below(Trial& trial, const std::vector<double>& a, const std::vector<double>& b, double bound,
                 const std::string& what) {
  const double quantile = inference::student_quantile(a.size(), miss_per_mean);
  const auto end = [&](double sign) {  // of the interval: where sign (a - s b) is no longer clearly positive
    double low = 0.0, high = 16.0;
    for (int i = 0; i < 40; ++i) {
      const double s = 0.5 * (low + high);
      std::vector<double> rest(a.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        rest[k] = a[k] - s * b[k];
      }
      const auto found = inference::moments(rest);
      (found.mean - sign * quantile * found.mean_error > 0.0 ? low : high) = s;
    }
    return low;
  };
  const double ratio = inference::moments(a).mean / inference::moments(b).mean, lower = end(1.0), upper = end(-1.0);
  trial.require(lower <= bound, what,
                rounded(ratio, 4) + " in [" + rounded(lower, 4) + ", " + rounded(upper, 4) + "], at most " +
                    shortest(bound) + "; " + std::to_string(a.size()) + " pairs",
                Measurement::at_most(ratio, bound).interval(lower, upper, miss_per_mean));
  trial.count_runs(4 * a.size(), a.size());  // two signs at both lambda
}

double full_batch_need(double lambda, double steps, double delta) {
  return 2.0 * correlated::encoded_sensitivity(lambda, steps, steps) / tradeoff::mu_of_epsilon_delta(1.0, delta);
}

Walk walk(Instance& on, const simulate::DpSgd& setting, const std::vector<double>& comparator, std::uint64_t seed) {
  simulate::ShiftedTwin twin(setting, on.losses, on.start, seed, 0);
  Walk result;
  models::MeasuredConstants measured;
  measured.see(on.losses.extremes(comparator));
  measured.see(on.losses.extremes(on.start));
  result.comparator_loss = models::mean_loss(on.losses, comparator);
  result.start_distance = squared_distance(on.start, comparator);
  result.largest_distance = std::sqrt(result.start_distance);
  const double eta = setting.step_size, kept = (1.0 - setting.correlation) * setting.private_noise();
  constexpr std::size_t every = 10;  // steps between measurements of the constants
  double partial = 0.0;
  for (std::size_t t = 1; t <= setting.iterates; ++t) {
    result.losses.push_back(models::mean_loss(on.losses, twin.iterate()));
    result.mean_loss += result.losses.back() / static_cast<double>(setting.iterates);
    twin.step();
    const auto terms = simulate::shift_terms(twin, comparator);
    result.terms.push_back(terms);
    partial += -2.0 * eta * (terms.batch_shift + kept * terms.noise_shift) + 2.0 * eta * eta * kept * terms.batch_noise;
    result.potential = std::max(result.potential, partial);
    result.noise_energy += terms.noise_squared;
    result.batch_energy += terms.batch_squared;
    result.largest_distance =
        std::max(result.largest_distance, std::sqrt(squared_distance(twin.iterate(), comparator)));
    if (t % every == 0) {
      measured.see(on.losses.extremes(twin.iterate()));
    }
  }
  result.constants = measured.constants();
  return result;
}

}  // namespace dpcurves::validation::kan_correlated_noise
