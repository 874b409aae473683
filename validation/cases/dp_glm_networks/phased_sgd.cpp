// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Phased SGD against the exact law of the identity link, and how far a record moves a phase.
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/simulate/phased_identity_law.hpp>
#include <dpcurves/simulate/phased_sgd.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/runs.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

using models::LinkKind;
using models::PhasedAlgorithm;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  return sum_over(a.size(), [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

/// How far the mean of the first phase moves when its first record is replaced, over 4 B eta_1 (n_1 - 1)/n_1.
double sensitivity_ratio(const models::Link& link, double step_size, std::size_t d, std::vector<double> features,
                         std::vector<double> labels, std::span<const double> other, double other_label,
                         const std::vector<double>& start) {
  std::vector<double> first, second;
  simulate::PhasedSgd run{.link = link, .step_size = step_size, .start = start};
  const auto mean = [&](std::vector<double>& out) {
    run.observe = [&](int phase, std::span<const double> m, std::span<const double>) {
      if (phase == 1) {
        out.assign(m.begin(), m.end());
      }
    };
    simulate::StoredRecords records(d, features, labels);
    (void)simulate::phased_sgd(run, records, 1, 0);
  };
  mean(first);
  std::copy(other.begin(), other.end(), features.begin());
  labels.front() = other_label;
  mean(second);
  const double n1 = std::floor(static_cast<double>(labels.size()) / 2.0);
  return std::sqrt(squared_distance(first, second)) / (step_size * (n1 - 1.0) / n1);
}

void algorithm_2(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(0);
  const struct {
    std::uint64_t n;
    std::size_t d;
    double eta, epsilon;
    std::size_t runs;
  } settings[] = {{1000, 4, 0.8, 1.0, 600}, {512, 8, 1.5, 2.0, 300}, {3000, 3, 0.3, 0.5, 150}};
  std::uint64_t number = 0;
  for (const auto& s : settings) {
    simulate::GlmLaw law{.dimension = s.d, .link = models::make_link(LinkKind::identity)};
    law.parameter.assign(s.d, 0.7 / std::sqrt(static_cast<double>(s.d)));
    law.labels = simulate::LabelLaw::signs;
    law.label_noise = 0.3;
    simulate::PhasedSgd run{.link = law.link, .step_size = s.eta};
    const double c = models::printed_noise_per_step(PhasedAlgorithm::plain, 1.0, s.epsilon, 1e-5);
    run.noise_per_step = c * (broken ? 9.0 / 8.0 : 1.0);
    const std::uint64_t seed = seed_of(setting, "dp-glm-networks/algorithm-2", number++);
    const auto distance = [&](std::size_t number_of_run) {
      const auto path = static_cast<std::uint32_t>(number_of_run);
      simulate::DrawnRecords records(law, s.n, seed, path);
      return squared_distance(simulate::phased_sgd(run, records, seed, path), law.parameter);
    };
    const auto seen = inference::moments(values_of_runs(s.runs * setting.size(1, 40), 1, distance));
    const auto exact = simulate::phased_identity_law({s.n, static_cast<double>(s.d), s.eta, c, 0.09, 0.49});
    within_errors(trial, seen.mean, seen.mean_error, exact.squared_distance,
                  "E|w_k - w*|^2, n = " + std::to_string(s.n));
  }
  // Privacy: the first record of a phase against another one.
  constexpr std::size_t n = 128;
  const double a = 1e-5, eta = 1.0;
  std::vector<double> zeros(2 * n, 0.0), minus(n, -1.0);
  zeros[0] = std::cos(a);
  zeros[1] = std::sin(a);
  const std::vector<double> mirrored{-std::cos(a), std::sin(a)};
  const double attained =
      sensitivity_ratio(models::make_link(LinkKind::tanh), eta, 2, zeros, minus, mirrored, -1.0, {0.0, 1e6});
  trial.close(attained, 1.0, 1e-6, "sensitivity of the worst pair over 4 B eta_1 (n_1 - 1)/n_1");
  Draws draws(setting, "dp-glm-networks/algorithm-2");
  double largest = 0.0;
  for (std::size_t pair = 0; pair < setting.size(200, 5000); ++pair) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < 17; ++i) {
      auto row = draws.normals(2);
      const double norm = std::hypot(row[0], row[1]);
      x.insert(x.end(), {row[0] / norm, row[1] / norm});
      y.push_back(draws.uniform(-1.0, 1.0));
    }
    const std::vector<double> other{x[32], x[33]};
    // A step of size eta/4 above 2/G is expansive, and the sensitivity formula void.
    largest = std::max(largest, sensitivity_ratio(models::make_link(broken ? LinkKind::identity : LinkKind::tanh),
                                                  broken ? 12.0 : 8.0, 2, {x.begin(), x.end() - 2},
                                                  {y.begin(), y.end() - 1}, other, y[16], draws.normals(2)));
  }
  trial.at_most(largest, 1.0, "sensitivity of random pairs over the bound");
}

}  // namespace

std::vector<Case> phased_sgd_cases() {
  return {compared("dp-glm-networks/algorithm-2",
                   "the simulator follows the exact law, and a phase moves by at most 4 B eta_1 (n_1 - 1)/n_1",
                   "identity link on the sphere, three settings, 150 to 600 (nightly 40-fold) runs; the worst pair of "
                   "records and 200 (nightly 5000) random pairs",
                   "noise with 9 in place of 8; steps above 2/G", algorithm_2)};
}

}  // namespace dpcurves::validation::dp_glm_networks
