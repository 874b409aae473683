// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// ReLU regression: projected noisy descent, and batched descent without a well-specified model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <dpcurves/bounds/glm_privacy.hpp>
#include <dpcurves/bounds/relu_regression.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/relu_descent.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"
#include "validation/vacuous.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

using simulate::FeatureLaw;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  return dot(a, a) - 2.0 * dot(a, b) + dot(b, b);
}

simulate::GlmLaw relu_law(FeatureLaw features, std::vector<double> parameter, double label_noise = 0.0) {
  return simulate::GlmLaw{.features = features,
                          .dimension = parameter.size(),
                          .link = models::make_link(models::LinkKind::relu),
                          .parameter = std::move(parameter),
                          .labels = simulate::LabelLaw::signs,
                          .label_noise = label_noise};
}

/// Rows and labels of `count` records.
struct Rows {
  std::size_t d;
  std::vector<double> x, y;
  Rows(simulate::RecordSource& records, std::size_t count) : d(records.dimension()), x(count * d), y(count) {
    records.read(0, x, y);
  }
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return std::span(x).subspan(i * d, d); }
};

/// Empirical gradient of the surrogate at w over rows [first, last).
std::vector<double> gradient(const Rows& rows, std::span<const double> w, std::size_t first, std::size_t last) {
  std::vector<double> sum(rows.d, 0.0);
  for (std::size_t i = first; i < last; ++i) {
    const auto x = rows.row(i);
    const double slope = (std::max(dot(w, x), 0.0) - rows.y[i]) / static_cast<double>(last - first);
    for (std::size_t j = 0; j < rows.d; ++j) {
      sum[j] += slope * x[j];
    }
  }
  return sum;
}

// --- Algorithm 7 ----------------------------------------------------------------------------------------------------

/// Mean surrogate excess |w - w*|^2/(4 d) of Algorithm 7 on the unit sphere, and its bound.
void descent_cell(Trial& trial, const bounds::ProjectedDescentSetting& s, std::size_t d, std::size_t runs,
                  std::uint64_t seed, double factor) {
  std::vector<double> parameter(d, s.parameter_norm / std::sqrt(static_cast<double>(d))), excess;
  const auto law = relu_law(FeatureLaw::unit_sphere, parameter, std::max(s.label_bound - s.parameter_norm, 0.0));
  const auto bound = bounds::projected_descent_bound(s);
  simulate::ProjectedDescent run{.step_size = s.step_size,
                                 .steps = static_cast<std::uint64_t>(s.steps),
                                 .noise = std::sqrt(bound.noise_variance),
                                 .radius = 2.0 * s.parameter_norm};
  for (std::uint32_t path = 0; path < runs; ++path) {
    auto map = models::JohnsonLindenstrauss::gaussian(static_cast<std::size_t>(s.projected_dimension), d, seed, path);
    simulate::DrawnRecords records(law, static_cast<std::uint64_t>(s.records), seed, path);
    const auto w = simulate::projected_descent(run, records, map, seed, path);
    excess.push_back(squared_distance(w, parameter) / (4.0 * static_cast<double>(d)));
  }
  const auto seen = inference::moments(excess);
  mean_below(
      trial, seen, factor * bound.surrogate,
      "n " + shortest(s.records) + ", d " + std::to_string(d) + ", T " + shortest(s.steps) + ": surrogate excess");
}

void theorem_6(const Setting& setting, Trial& trial, bool broken) {
  const double factor = broken ? 1.0 / 40.0 : 1.0;
  bounds::ProjectedDescentSetting s{.step_size = 0.05, .label_bound = 1.5};
  for (const double n : {200.0, 500.0}) {
    s.records = n;
    s.steps = 40.0;
    s.projected_dimension = 20.0;
    descent_cell(trial, s, 50, setting.size(16, 200), seed_of(setting, "dp-glm-networks/theorem-6", 1), factor);
  }
  trial.setup("without privacy");
  // Where the bound is tightest: many small steps without noise, few dimensions.
  s = {.records = 400.0,
       .projected_dimension = 2.0,
       .steps = 2000.0,
       .step_size = 1e-3,
       .epsilon = 1e9,
       .label_bound = 1.0};
  descent_cell(trial, s, 2, setting.size(16, 100), seed_of(setting, "dp-glm-networks/theorem-6", 2), factor);
}

// --- Theorem 7 ------------------------------------------------------------------------------------------------------

/// Labels 1 where <v, x> > 0 and 1/2 elsewhere: no ReLU has them. All that matters is along v by symmetry.
struct Misspecified {
  std::vector<double> direction{1.0, 0.0, 0.0, 0.0, 0.0};
  /// E max(<v, x>, 0) for x on the sphere of radius sqrt 5: half of sqrt(5) Gamma(5/2)/(sqrt(pi) Gamma(3)).
  double half_mean = 0.5 * std::sqrt(5.0) * std::tgamma(2.5) / (std::sqrt(std::numbers::pi) * 2.0);

  [[nodiscard]] simulate::GlmLaw law() const {
    auto result = relu_law(FeatureLaw::wide_sphere, direction);
    result.mean = [](std::span<const double>, double u) { return u > 0.0 ? 1.0 : 0.5; };
    return result;
  }
  /// min over s of s^2/2 - 2 s E max(<v, x>, 0) + E y^2: the other sign only enters E y^2.
  [[nodiscard]] double best_risk() const { return 0.625 - 2.0 * half_mean * half_mean; }
  /// E y x = (1 - 1/2) E max(<v, x>, 0) along v; the surrogate's minimiser is twice that.
  [[nodiscard]] std::vector<double> minimiser() const {
    auto w = direction;
    w[0] = half_mean;
    return w;
  }
};

void theorem_7(const Setting& setting, Trial& trial, bool broken) {
  trial.group("gradient");
  trial.by_simulation(0);
  const std::uint64_t seed = seed_of(setting, "dp-glm-networks/theorem-7");
  // E relu(<w, x>) x = w/2 where x and -x have the same law.
  const std::vector<double> w{1.0, -0.5};
  simulate::DrawnRecords plane(relu_law(broken ? FeatureLaw::exponential : FeatureLaw::wide_sphere, w), 1U << 20, seed,
                               0);
  const Rows rows(plane, setting.size(40000, 1000000));
  for (std::size_t j = 0; j < 2; ++j) {
    std::vector<double> products;
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      products.push_back(std::max(dot(w, rows.row(i)), 0.0) * rows.row(i)[j]);
    }
    const auto seen = inference::moments(products);
    within_errors(trial, seen.mean, seen.mean_error, 0.5 * w[j], "coordinate of E relu(<w, x>) x");
  }
  // Mean path and one-step second moment, well specified.
  const std::vector<double> truth{0.6, 0.0, 0.8};
  constexpr double eta = 1.0 / 16.0, noise = 0.05;
  constexpr std::size_t batch = 20, steps = 5;
  std::vector<double> first, last;
  for (std::uint32_t path = 0; path < setting.size(2000, 50000); ++path) {
    simulate::DrawnRecords records(relu_law(FeatureLaw::wide_sphere, truth, 0.3), batch * steps, seed, path + 1);
    simulate::BatchedDescent run{.step_size = eta, .batches = steps};
    run.noise = [](double) { return noise; };
    run.observe = [&](std::uint64_t step, std::span<const double> at) {
      if (step == 1) {
        first.push_back(squared_distance(at, truth));
      }
    };
    last.push_back(dot(simulate::batched_descent(run, records, seed, path + 1), truth));
  }
  const auto one = bounds::one_batch({.dimension = 3.0,
                                      .norm = 0.0,
                                      .true_norm = 1.0,
                                      .label_variance = 0.09,
                                      .step_size = eta,
                                      .batch = static_cast<double>(batch),
                                      .noise = noise});
  const auto after = inference::moments(first), path = inference::moments(last);
  trial.group("descent");
  within_errors(trial, after.mean, after.mean_error, one.squared_distance, "E|w_1 - w*|^2");
  const double shrinks = broken ? 0.4 * eta : 0.5 * eta;
  within_errors(trial, path.mean, path.mean_error, 1.0 - std::pow(1.0 - shrinks, static_cast<double>(steps)),
                "E <w_5, w*> against 1 - (1 - eta/2)^5");
  // Misspecified labels: the risk of the last iterate.
  trial.group("risk");
  const double share = broken ? 0.22 : 1.0;
  const Misspecified wrong;
  const auto minimiser = wrong.minimiser();
  for (std::uint32_t run_number = 0; run_number < setting.size(4, 40); ++run_number) {
    simulate::DrawnRecords records(wrong.law(), 4000, seed, 100000 + run_number);
    simulate::DrawnRecords fresh(wrong.law(), 2000, seed, 200000 + run_number);
    simulate::BatchedDescent run{.step_size = eta, .batches = 100};
    const auto at = simulate::batched_descent(run, records, seed, 0);
    const double slope = 0.5 * std::sqrt(squared_distance(at, minimiser));
    trial.at_most(simulate::mean_squared_loss(fresh, records.law().link, at),
                  share * bounds::misspecified_risk_bound(wrong.best_risk(), slope),
                  "misspecified risk against 10 opt + 8 |g|^2");
  }
  // Labels 0 at |w| = 10, where the risk is |w|^2/2 and the gradient |w|/2: no instance in one dimension has more.
  trial.by_exact_law();
  trial.at_most(50.0, share * bounds::misspecified_risk_bound(0.0, 5.0), "y = 0, |w| = 10: risk");
  trial.setup("the printed form without the square");
  trial.require(50.0 > bounds::printed_misspecified_risk_bound(0.0, 5.0),
                "y = 0, |w| = 10: risk 50 is above the printed form " +
                    rounded(bounds::printed_misspecified_risk_bound(0.0, 5.0), 4));
}

// --- Algorithm 8 ----------------------------------------------------------------------------------------------------

/// Attacks one batch by a threshold on the first coordinate: a lower end for delta at epsilon.
double attacked_delta(const Setting& setting, double noise_variance, std::size_t d, std::size_t batch, double epsilon,
                      std::size_t draws) {
  const double noise = std::sqrt(noise_variance), eta = 1.0 / 16.0;
  std::vector<double> x(batch * d, 0.0), zeros(batch, 0.0);
  x[0] = std::sqrt(static_cast<double>(d));
  const double shift = x[0] / static_cast<double>(batch);  // of the gradient's mean, either way: B = 1
  const double mu = 2.0 * shift / noise;
  // Likelihood ratio e^epsilon lies mu/2 + epsilon/mu from the mean of the other law.
  const double threshold = eta * noise * (epsilon / mu);
  std::uint64_t above[2] = {0, 0};
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    auto labels = zeros;
    labels[0] = side == 0 ? -1.0 : 1.0;
    simulate::StoredRecords records(d, x, labels);
    simulate::BatchedDescent run;
    run.noise = [noise](double) { return noise; };
    const std::uint64_t seed = seed_of(setting, "dp-glm-networks/algorithm-8", side);
    for (std::uint32_t path = 0; path < draws; ++path) {
      above[side] += simulate::batched_descent(run, records, seed, path)[0] > threshold ? 1U : 0U;
    }
  }
  return inference::clopper_pearson(above[1], draws, miss_per_interval).lower -
         std::exp(epsilon) * inference::clopper_pearson(above[0], draws, miss_per_interval).upper;
}

void algorithm_8(const Setting& setting, Trial& trial, bool broken) {
  const std::size_t draws = setting.size(6000, 400000);
  constexpr std::size_t batch = 4;
  for (const std::size_t d : {4U, 25U, 100U}) {
    const auto size = static_cast<double>(d);
    const bounds::BatchNoiseSetting s{1.0, std::sqrt(size), 0.0, static_cast<double>(batch), 1.0, 1e-5};
    const double variance = broken ? bounds::printed_batch_noise_variance(s) : bounds::batch_noise_variance(s);
    trial.at_most(attacked_delta(setting, variance, d, batch, 1.0, draws), 1e-5,
                  "lower end of delta at epsilon = 1, d = " + std::to_string(d));
    trial.used_intervals(2);
  }
}

// --- Lemmas ---------------------------------------------------------------------------------------------------------

void lemma_13(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(0);
  const std::vector<double> truth{0.6, 0.0, 0.8}, origin(3, 0.0);
  std::vector<double> sizes, norms;
  for (std::size_t n = 200; n <= setting.size(12800, 819200); n *= 4) {
    double mean = 0.0;
    const std::uint64_t seed = seed_of(setting, "dp-glm-networks/lemma-13", n);
    for (std::uint32_t run = 0; run < 8; ++run) {
      simulate::DrawnRecords records(relu_law(FeatureLaw::wide_sphere, truth, 0.3), n, seed, run);
      const Rows rows(records, n);
      const auto g = gradient(rows, broken ? origin : truth, 0, n);
      mean += std::sqrt(dot(g, g)) / 8.0;
    }
    sizes.push_back(static_cast<double>(n));
    norms.push_back(mean);
  }
  slope_within(trial, sizes, norms, -0.65, -0.35,
               broken ? "empirical gradient at w = 0" : "empirical gradient at w_ell*");
}

void lemma_14(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(0);
  Draws draws(setting, "dp-glm-networks/lemma-14");
  simulate::DrawnRecords records(relu_law(FeatureLaw::wide_sphere, {0.6, 0.0, 0.8}, 0.3), 4000,
                                 seed_of(setting, "dp-glm-networks/lemma-14"), 0);
  const Rows rows(records, 4000);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t pair = 0; pair < setting.size(100, 2000); ++pair) {
    const auto w = draws.normals(3), v = draws.normals(3);
    const auto gw = gradient(rows, w, 0, 4000), gv = gradient(rows, v, 0, 4000);
    const double product = sum_over(3, [&](std::size_t j) { return (gw[j] - gv[j]) * (w[j] - v[j]); });
    least = std::min(least, product / squared_distance(w, v));
  }
  trial.at_most(broken ? 0.55 : 1.0 / 6.0, least, "claimed strong monotonicity against the least of 4000 records");
}

void lemma_15(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(setting.size(10, 400));
  const std::vector<double> truth{0.6, 0.0, 0.8};
  constexpr double eta = 1.0 / 16.0, noise = 0.1;
  constexpr std::size_t batch = 500, steps = 12;
  auto claim = bounds::batched_descent_step(eta);
  if (broken) {
    claim = {1.0 - 2.0 * eta, 0.0};
  }
  double worst = -std::numeric_limits<double>::infinity();
  for (std::uint32_t path = 0; path < setting.size(10, 400); ++path) {
    const std::uint64_t seed = seed_of(setting, "dp-glm-networks/lemma-15");
    simulate::DrawnRecords records(relu_law(FeatureLaw::wide_sphere, truth, 0.3), batch * steps, seed, path);
    const Rows rows(records, batch * steps);
    simulate::BatchedDescent run{.step_size = eta, .batches = steps, .start = {1.5, 1.0, 0.0}};
    run.noise = [](double) { return noise; };
    double before = squared_distance(run.start, truth);
    run.observe = [&](std::uint64_t step, std::span<const double> w) {
      const auto g = gradient(rows, truth, (step - 1) * batch, step * batch);
      std::vector<double> z(3);
      random::normals(z, seed, random::Purpose::noise, path, (step - 1) * 4);
      const double after = squared_distance(w, truth);
      worst = std::max(
          worst, after - claim.contraction * before - claim.amplification * (dot(g, g) + noise * noise * dot(z, z)));
      before = after;
    };
    (void)simulate::batched_descent(run, records, seed, path);
  }
  trial.at_most(worst, 0.0, "largest excess of |w_i - w*|^2 over the recursion's right side");
}

void assumption_2(const Setting& setting, Trial& trial, bool broken) {
  trial.by_simulation(setting.size(10000, 1000000));
  const auto check = [&](FeatureLaw features, double bound, const std::string& what) {
    simulate::DrawnRecords records(relu_law(features, std::vector<double>(4, 0.5)), 1U << 20,
                                   seed_of(setting, "dp-glm-networks/assumption-2"), 0);
    const auto found =
        simulate::isotropy_violations(records, bound, setting.size(10000, 1000000), inference::standard_errors);
    trial.require(found.empty(), what + (found.empty() ? ": kept" : ": " + describe(found)));
  };
  check(FeatureLaw::wide_sphere, 2.0, "sphere of radius sqrt d, which is not log-concave");
  check(FeatureLaw::cube, broken ? 2.0 : std::sqrt(12.0),
        broken ? "uniform cube with |x| <= sqrt d" : "uniform cube with |x| <= sqrt(3 d)");
}

}  // namespace

std::vector<Case> glm_relu_cases() {
  return {
      vacuous(
          compared(
              "dp-glm-networks/theorem-6", "the surrogate excess of Algorithm 7 is below the explicit bound",
              "unit sphere of R^50, n = 200 and 500, T = 40, m = 20, epsilon = 1; and R^2 without noise in 2000 small "
              "steps, 16 (nightly 200) runs, each with its own projection",
              "a fortieth of the bound", theorem_6),
          0.005,
          [] {
            return speaks_from(
                "n",
                [](double n) {
                  double least = std::numeric_limits<double>::infinity();
                  for (double steps = 8.0; steps < 1e6; steps *= 4.0) {
                    for (double m = 4.0; m < 1e6; m *= 4.0) {
                      const bounds::ProjectedDescentSetting s{.records = n,
                                                              .projected_dimension = m,
                                                              .steps = steps,
                                                              .step_size = 2.0 / steps,
                                                              .label_bound = 1.5};
                      least = std::min(least, bounds::projected_descent_bound(s).surrogate);
                    }
                  }
                  return least;
                },
                0.005);
          }),
      compared(
          "dp-glm-networks/theorem-7",
          "E relu(<w,x>) x = w/2; exact mean path and one-step second moment of Algorithm 8; L_P <= 10 opt + 8 |g|^2",
          "sphere of radius sqrt d: 4e4 (nightly 1e6) records, 2000 (nightly 5e4) runs, labels that no ReLU "
          "has; no labels at all, which reach a quarter of the risk bound",
          "features that are not symmetric; a contraction of 1 - 0.4 eta; 0.22 of the risk bound", theorem_7),
      compared("dp-glm-networks/algorithm-8", "the corrected noise withstands the attack at w_0 = 0",
               "one batch, records sqrt(d) e_1 with labels -1 and 1, 6000 (nightly 4e5) runs each, exact intervals",
               "the noise as printed", algorithm_8),
      compared("dp-glm-networks/lemma-13", "the empirical gradient at w_ell* falls like n^-1/2",
               "8 data sets of 200 to 12800 (nightly 819200) records", "the same at w = 0, as printed for a whole ball",
               lemma_13),
      compared("dp-glm-networks/lemma-14", "empirical strong monotonicity of at least mu_sc/3 = 1/6",
               "100 (nightly 2000) random pairs on 4000 records", "0.55, above 1/2", lemma_14),
      compared("dp-glm-networks/lemma-15",
               "|w_i - w*|^2 <= (1 - tau eta) |w_{i-1} - w*|^2 + 2 eta (2 eta + 1/tau)(|g*|^2 + |zeta|^2)",
               "every step of 10 (nightly 400) paths of 12 batches of 500", "contraction 1 - 2 eta and no noise",
               lemma_15),
      compared("dp-glm-networks/assumption-2",
               "isotropic symmetric laws have |x| <= Rx with Rx above sqrt d unless on the sphere",
               "1e4 (nightly 1e6) records of the sphere and of the cube", "the cube with |x| <= sqrt d, as printed",
               assumption_2)};
}

}  // namespace dpcurves::validation::dp_glm_networks
