// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/shifted_interpolation/descent_support.hpp"

#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {

double dot(const Vector& a, const Vector& b) {
  return sum_over(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

double norm(const Vector& a) { return std::sqrt(dot(a, a)); }

double distance(const Vector& a, const Vector& b) { return norm(sum(a, -1.0, b)); }

Vector sum(const Vector& a, double factor, const Vector& b) {
  Vector result = a;
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i] += factor * b[i];
  }
  return result;
}

Vector unit(Vector a) {
  const double length = norm(a);
  for (double& entry : a) {
    entry /= length;
  }
  return a;
}

std::function<double(double)> gradient_step(const Loss& loss, double step_size, double shift) {
  return [loss, step_size, shift](double x) {
    return x - step_size * (loss.curvature * x + loss.bend * std::tanh(x)) + shift;
  };
}

namespace {

simulate::ChainPair chains_of(const Descent& descent, double probability) {
  const auto common = gradient_step(descent.loss, descent.step_size);
  const auto differing = [&](double shift) {
    simulate::StepKernel kernel;
    if (probability < 1.0) {
      kernel.push_back({1.0 - probability, common});
    }
    kernel.push_back({probability, gradient_step(descent.loss, descent.step_size, shift)});
    return kernel;
  };
  return simulate::ChainPair{.noise = descent.noise,
                             .lower = -descent.half_width,
                             .upper = descent.half_width,
                             .kernels = {{{1.0, common}}, differing(descent.first), differing(descent.second)},
                             .first = {1},
                             .second = {2}};
}

}  // namespace

simulate::ChainPair full_batch_chains(const Descent& descent) { return chains_of(descent, 1.0); }

simulate::ChainPair cyclic_chains(const Descent& descent, std::size_t batches, std::size_t position) {
  simulate::ChainPair chains = chains_of(descent, 1.0);
  chains.first.assign(batches, 0);
  chains.second.assign(batches, 0);
  chains.first[position - 1] = 1;
  chains.second[position - 1] = 2;
  return chains;
}

simulate::ChainPair subsampled_chains(const Descent& descent, double sampling_rate) {
  return chains_of(descent, sampling_rate);
}

simulate::LawPair exact_laws(const simulate::ChainPair& chains, std::size_t steps) {
  return simulate::chain_laws(chains, steps, 4.0);
}

double law_within(Trial& trial, const simulate::LawPair& laws, double mu, const std::string& what) {
  const double measured = laws.largest_effective_mu(1e-12);
  trial.require(measured - law_accuracy <= mu, what + ", largest effective mu",
                rounded(measured, 8) + " <= " + rounded(mu, 8), Measurement::at_most(measured, mu).exact(law_accuracy));
  return measured;
}

models::SeparableLosses losses_of(const Descent& descent, double shift, std::size_t records, double averaged) {
  std::vector<double> drifts(records, 0.0);
  drifts.front() = -shift * averaged / descent.step_size;
  return {descent.loss.curvature, descent.loss.bend, 1, drifts};
}

simulate::NoisyDescent simulated(const Descent& descent, std::size_t steps, simulate::BatchRule rule,
                                 std::size_t batch_size) {
  simulate::NoisyDescent process{.rule = rule,
                                 .batch_size = batch_size,
                                 .step_size = descent.step_size,
                                 .noise = descent.noise / descent.step_size,
                                 .steps = steps};
  if (std::isfinite(descent.half_width)) {
    process.projection = models::Projection::box(descent.half_width);
  }
  return process;
}

std::vector<inference::TradeoffPoint> simulated_points(const Setting& setting, std::string_view id,
                                                       const simulate::NoisyDescent& process,
                                                       const models::Losses& first, const models::Losses& second,
                                                       std::size_t paths, const std::vector<double>& type_one_errors) {
  const auto coordinate = [](std::span<const double> x) { return x.front(); };
  const auto thresholds = [&] {
    const Whole in_every_part;  // of a case that processes share: the counts depend on them
    const auto pilot =
        simulate::final_statistics(process, first, second, 5000, seed_of(setting, id, 1), coordinate, setting.threads);
    return inference::pilot_thresholds(pilot.first, type_one_errors);
  }();
  const auto counts = simulate::count_statistics(process, first, second, paths, seed_of(setting, id, 2), coordinate,
                                                 thresholds, setting.threads);
  std::vector<inference::TradeoffPoint> points;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    // Stand-ins of other processes' counts may add up to more than there are.
    const auto above = [&](std::uint64_t count) { return std::min<std::uint64_t>(count, paths); };
    points.push_back(inference::tradeoff_point(above(counts.first_above[i]), paths,
                                               paths - above(counts.second_above[i]), paths, miss_per_interval));
    points.back().threshold = thresholds[i];
  }
  return points;
}

void points_above(Trial& trial, std::span<const inference::TradeoffPoint> points,
                  const std::function<double(double)>& claim, const std::string& what) {
  for (const auto& point : points) {
    const double claimed = claim(point.type_one_error.upper);
    trial.require(!inference::refuted(point, claim), what,
                  "type II error at most " + rounded(point.type_two_error.upper, 6) + " at type I error " +
                      rounded(point.type_one_error.upper, 6) + ", claimed at least " + rounded(claimed, 6) +
                      "; effective mu " + rounded(point.effective_mu.value, 6) + " +- " +
                      rounded(point.effective_mu.error, 2),
                  in_units_of_mu(point, claim));
  }
  trial.count_runs(points.empty() ? 0 : points.front().trials_p + points.front().trials_q);
}

std::function<double(double)> gdp(double mu) {
  return [mu](double type_one_error) { return tradeoff::gaussian(type_one_error, mu); };
}

io::Series law_curve(std::string name, const simulate::LawPair& laws) {
  std::vector<double> x, y;
  for (const auto& vertex : laws.vertices()) {
    x.push_back(vertex.type_one_error);
    y.push_back(vertex.type_two_error);
  }
  return io::line(std::move(name), std::move(x), std::move(y));
}

io::Series gdp_curve(std::string name, double mu) {
  std::vector<double> x, y;
  for (int i = 0; i <= 200; ++i) {
    const double u = i / 200.0;
    x.push_back(u * u * (3.0 - 2.0 * u));  // denser at both ends
    y.push_back(tradeoff::gaussian(x.back(), mu));
  }
  return io::dashed(std::move(name), std::move(x), std::move(y));
}

io::Plot tradeoff_plot(std::string title, std::vector<io::Series> series) {
  return io::Plot{.title = std::move(title),
                  .x = {"type I error", false, 0.0, 1.0},
                  .y = {"type II error", false, 0.0, 1.0},
                  .legend = io::Legend::top_right,
                  .series = std::move(series)};
}

std::vector<double> geometric_integers(double low, double high, std::size_t most) {
  std::vector<double> values;
  for (std::size_t i = 0; i < most; ++i) {
    const double share = most == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(most - 1);
    const double value = std::round(low * std::pow(high / low, share));
    if (values.empty() || value > values.back()) {
      values.push_back(value);
    }
  }
  return values;
}

}  // namespace dpcurves::validation::shifted_interpolation
