// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/moreau.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

namespace dpcurves::simulate {
namespace {

/// Records per read: the buffers are all that grows with the dimension, none with n.
constexpr std::size_t block = 64;

/// The steps of one phase on records first, first + 1, ...; `mean` becomes that of the iterates before each step.
template <class SlopeOf>
void run_phase(const models::Phase& phase, std::uint64_t first, RecordSource& records, const SlopeOf& slope,
               std::span<double> w, std::span<double> mean, std::span<double> features, std::span<double> labels) {
  const std::size_t d = w.size();
  std::fill(mean.begin(), mean.end(), 0.0);
  for (std::uint64_t done = 0; done < phase.records; done += block) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block, phase.records - done));
    records.read(first + done, features.first(count * d), labels.first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double* x = features.data() + i * d;
      const double u = sum_over(d, [&](std::size_t j) { return w[j] * x[j]; });
      const double step = phase.step_size * slope(u, labels[i]);
      for (std::size_t j = 0; j < d; ++j) {
        mean[j] += w[j];
        w[j] -= step * x[j];
      }
    }
  }
  for (double& value : mean) {
    value /= static_cast<double>(phase.records);
  }
}

}  // namespace

Slope envelope_slope(const models::Link& link, double smoothing) {
  return [link, smoothing](double u, double label) { return models::prox(link, label, smoothing, u).slope; };
}

Slope oracle_slope(const models::Link& link, double label_bound, double smoothing, std::uint64_t steps) {
  return [=](double u, double label) { return models::oracle_slope(link, label, label_bound, smoothing, u, steps); };
}

std::vector<double> phased_sgd(const PhasedSgd& setting, RecordSource& records, std::uint64_t seed,
                               std::uint32_t path) {
  const std::size_t d = records.dimension();
  require_domain(setting.start.empty() || setting.start.size() == d, "size of the start",
                 static_cast<double>(setting.start.size()), "the dimension");
  auto phases = models::phase_schedule(records.records(), setting.step_size, setting.noise_per_step);
  if (setting.printed_phases && models::printed_phase_count(records.records()) > static_cast<int>(phases.size())) {
    const double step = 0.25 * phases.back().step_size;
    phases.push_back({0, step, setting.noise_per_step * step});
  }
  std::vector<double> w = setting.start, mean(d), noise(d), features(block * d), labels(block);
  w.resize(d, 0.0);
  std::uint64_t first = 0;
  int number = 0;
  for (const auto& phase : phases) {
    if (setting.slope) {
      run_phase(phase, first, records, setting.slope, w, mean, features, labels);
    } else {
      run_phase(
          phase, first, records, [&](double u, double y) { return models::surrogate_slope(setting.link, u, y); }, w,
          mean, features, labels);
    }
    first += phase.records;
    random::normals(noise, seed, random::Purpose::noise, path, static_cast<std::uint64_t>(number) * (d + d % 2));
    // The noise of the last phases may be below the last place of the mean: added all the same, after the mean.
    for (std::size_t j = 0; j < d; ++j) {
      w[j] = mean[j] + phase.noise * noise[j];
    }
    ++number;
    if (setting.observe) {
      setting.observe(number, mean, w);
    }
  }
  return w;
}

std::vector<double> projected_phased_sgd(const PhasedSgd& setting, RecordSource& records,
                                         models::JohnsonLindenstrauss& map, std::uint64_t seed, std::uint32_t path) {
  MappedRecords mapped(records, map);
  const auto w = phased_sgd(setting, mapped, seed, path);
  std::vector<double> result(records.dimension());
  map.transpose(w, result);
  return result;
}

}  // namespace dpcurves::simulate
