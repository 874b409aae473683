// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// How often Gaussian and uniform vectors, their products and long-tailed noise patches leave their radii.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <Eigen/Dense>

#include <dpcurves/bounds/long_tail_concentration.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/numerics/normal.hpp>

#include "validation/cases/topics.hpp"
#include "validation/comparison.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::long_tail_memorization {
namespace {

constexpr double delta = 0.05;

/// Symmetric coordinates of variance 1 with sigma_p = 1.
enum class Zeta { gaussian, uniform };

void fill(Draws& draws, Zeta law, std::span<double> out) {
  const auto normals = draws.normals(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = law == Zeta::gaussian ? normals[i] : std::numbers::sqrt3 * numerics::normal_central_mass(normals[i]);
  }
}

void least_singular_value(const Setting& setting, Trial& trial, bool broken) {
  constexpr Eigen::Index rows = 400, columns = 5;
  Draws draws(setting, "long-tail-memorization/lemma-1");
  const auto bound = bounds::least_singular_value(rows, columns, delta);
  const double claimed = broken ? std::sqrt(400.0) : bound.sharp;
  const std::size_t trials = setting.size(700, 20'000);
  std::size_t below = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    const auto entries = draws.normals(rows * columns);
    const Eigen::Map<const Eigen::MatrixXd> a(entries.data(), rows, columns);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a.transpose() * a, Eigen::EigenvaluesOnly);
    below += std::sqrt(solver.eigenvalues()(0)) < claimed ? 1U : 0U;
  }
  covered(trial, below, trials, delta, "least singular value of 400 x 5 below " + rounded(claimed, 4));
  trial.at_most(bound.printed, bound.sharp, "the printed bound is the looser one");
}

void maximum(const Setting& setting, Trial& trial, bool broken) {
  constexpr std::size_t count = 20;
  Draws draws(setting, "long-tail-memorization/lemma-2");
  for (const Zeta law : {Zeta::gaussian, Zeta::uniform}) {
    const double radius = bounds::subgaussian_maximum(broken ? 1.0 : count, 1.0, delta);
    const std::size_t trials = setting.size(3000, 100'000);
    std::vector<double> x(count);
    std::size_t outside = 0;
    for (std::size_t i = 0; i < trials; ++i) {
      fill(draws, law, x);
      outside += std::any_of(x.begin(), x.end(), [&](double v) { return std::abs(v) > radius; }) ? 1U : 0U;
    }
    covered(trial, outside, trials, delta, "largest of 20 beyond " + rounded(radius, 4));
  }
}

void half_normals(const Setting& setting, Trial& trial, bool broken) {
  constexpr std::size_t count = 10;
  Draws draws(setting, "long-tail-memorization/lemma-3");
  const std::size_t trials = setting.size(30'000, 1'000'000);
  const double expected = std::sqrt(2.0 * std::numbers::inv_pi);
  std::vector<double> means(trials);
  for (double& mean : means) {
    for (const double x : draws.normals(count)) {
      mean += std::abs(x) / count;
    }
  }
  for (const double t : {0.2, 0.4, 0.6}) {
    const double claimed = broken ? std::exp(-2.5 * count * t * t) : bounds::half_normal_mean_tail(count, t).sharp;
    const auto above = std::count_if(means.begin(), means.end(), [&](double m) { return m > expected + t; });
    covered(trial, static_cast<std::size_t>(above), trials, claimed, "mean of 10 half-normals, t = " + rounded(t, 2));
  }
}

/// Spectra of M: the identity, rank one, a spike on a flat bulk. Laws that the rotation leaves alone: M is diagonal.
std::vector<std::vector<double>> spectra() {
  std::vector<double> rank_one(40, 0.0), spike(40, 0.25);
  rank_one[0] = 3.0;
  spike[0] = 4.25;
  return {std::vector<double>(40, 1.0), rank_one, spike};
}

double frobenius(const std::vector<double>& m) {
  const double square = sum_over(m, [&](double v) { return v * v; });
  return std::sqrt(square);
}

Case bilinear(const char* id, Zeta left, Zeta right, double scale, const char* claim) {
  return compared(id, claim, "d = 40, M the identity, rank one and spiked; 4000 pairs each (ci), delta = 0.05",
                  "the radius without its Frobenius term", [=](const Setting& setting, Trial& trial, bool broken) {
                    Draws draws(setting, id);
                    const std::size_t trials = setting.size(4000, 200'000);
                    std::vector<double> a(40), b(40);
                    for (const auto& m : spectra()) {
                      const double largest = *std::max_element(m.begin(), m.end());
                      const double radius =
                          bounds::bilinear_radius(broken ? 0.0 : frobenius(m), largest, std::sqrt(scale), delta);
                      std::size_t outside = 0;
                      for (std::size_t i = 0; i < trials; ++i) {
                        fill(draws, left, a);
                        fill(draws, right, b);
                        const double product = sum_over(a.size(), [&](std::size_t k) { return a[k] * m[k] * b[k]; });
                        outside += std::abs(scale * product) > radius ? 1U : 0U;
                      }
                      covered(trial, outside, trials, delta, "|zeta' M zeta| beyond " + rounded(radius, 4));
                    }
                  });
}

void quadratic_form(const Setting& setting, Trial& trial, bool broken) {
  Draws draws(setting, "long-tail-memorization/lemma-5");
  const std::size_t trials = setting.size(4000, 200'000);
  std::vector<double> z(40);
  for (const Zeta law : {Zeta::gaussian, Zeta::uniform}) {
    for (const auto& m : spectra()) {
      const double trace = sum_over(m);
      const double f = frobenius(m);
      auto ends = bounds::quadratic_form_radii(trace, f, *std::max_element(m.begin(), m.end()), 1.0, delta);
      if (broken) {
        ends.upper = trace + f * std::sqrt(-std::log(delta));
      }
      std::size_t above = 0, below = 0;
      for (std::size_t i = 0; i < trials; ++i) {
        fill(draws, law, z);
        const double form = sum_over(z.size(), [&](std::size_t k) { return m[k] * z[k] * z[k]; });
        above += form > ends.upper ? 1U : 0U;
        below += form < ends.lower ? 1U : 0U;
      }
      covered(trial, above, trials, delta, "|A zeta|^2 above " + rounded(ends.upper, 4));
      covered(trial, below, trials, delta, "|A zeta|^2 below " + rounded(ends.lower, 4));
    }
  }
}

void projection(const Setting& /*setting*/, Trial& trial, bool broken) {
  trial.by_exact_law();
  for (const double chance : {0.5, 0.05, 1e-3, 1e-15, 1e-300}) {
    auto found = bounds::gaussian_projection(1.0, 1.0, chance);
    if (broken) {  // a factor 2 lost under the root
      found.violation = 2.0 * numerics::normal_upper_tail(found.radius / std::numbers::sqrt2);
    }
    trial.at_most(found.violation, chance, "exact violation at delta = " + rounded(chance, 3));
  }
}

void anticoncentration(const Setting& /*setting*/, Trial& trial, bool broken) {
  trial.by_exact_law();
  for (const double t : {0.1, 0.5, 0.9}) {
    const double normal = 2.0 * numerics::normal_upper_tail(t), uniform = 1.0 - t / std::numbers::sqrt3;
    for (const auto& [exact, moment] : {std::pair{normal, 3.0}, {uniform, 1.8}}) {
      const double bound = broken ? (1.0 - t) * (1.0 + t) : bounds::paley_zygmund(t, moment);
      trial.at_most(bound, exact, "P(|x| > " + rounded(t, 2) + "), E x^4 = " + rounded(moment, 2));
    }
  }
}

void noise_norms(const Setting& setting, Trial& trial, bool broken) {
  // A = I/2 in 400 dimensions: trace 100, |A^T A|_F = 5, |A^T A| = 1/4.
  constexpr std::size_t dimension = 400, records = 6;
  constexpr double chance = 0.2;
  Draws draws(setting, "long-tail-memorization/lemma-16");
  auto band = bounds::noise_norm_band(records, 100.0, 5.0, 0.25, chance);
  trial.require(band.premise_holds.holds, "the premise of the band holds");
  double radius = bounds::noise_cross_radius(records, 5.0, 0.25, chance);
  if (broken) {
    band.lower = 95.0;
    band.upper = 105.0;
    radius /= 3.0;
  }
  const std::size_t trials = setting.size(400, 20'000);
  std::size_t outside = 0, crossed = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    std::vector<std::vector<double>> xi(records, std::vector<double>(dimension));
    bool norms_hold = true, products_hold = true;
    for (std::size_t a = 0; a < records; ++a) {
      fill(draws, i % 2 == 0 ? Zeta::gaussian : Zeta::uniform, xi[a]);
      for (std::size_t b = 0; b <= a; ++b) {
        const double product = sum_over(dimension, [&](std::size_t k) { return 0.25 * xi[a][k] * xi[b][k]; });
        if (a == b) {
          norms_hold = norms_hold && product >= band.lower && product <= band.upper;
        } else {
          products_hold = products_hold && std::abs(product) <= radius;
        }
      }
    }
    outside += norms_hold ? 0 : 1;
    crossed += products_hold ? 0 : 1;
  }
  covered(trial, outside, trials, 0.5 * chance, "a squared norm outside its band");
  covered(trial, crossed, trials, 0.5 * chance, "a product beyond " + rounded(radius, 4));
}

void initial_products(const Setting& setting, Trial& trial, bool broken) {
  // K = 3 classes, m = 4 filters, n = 5 samples of A = I/2 in 20 dimensions; the broken radii forget the union.
  constexpr std::size_t dimension = 20, weights = 12, records = 5;
  constexpr double chance = 0.1, scale = 0.1;
  Draws draws(setting, "long-tail-memorization/lemma-17");
  const auto signal = broken ? bounds::initial_signal_radius(1, 1, chance, 2.0, scale)
                             : bounds::initial_signal_radius(3, 4, chance, 2.0, scale);
  const double noise = broken ? 0.3 * bounds::initial_noise_radius(1, 1, 1, chance, std::sqrt(5.0), 0.5, scale)
                              : bounds::initial_noise_radius(3, 4, records, chance, std::sqrt(5.0), 0.5, scale);
  const std::size_t trials = setting.size(1500, 60'000);
  std::size_t one = 0, all = 0, beyond = 0;
  for (std::size_t i = 0; i < trials; ++i) {
    const auto w = draws.normals(weights * dimension), z = draws.normals(records * dimension);
    bool one_holds = true, all_hold = true, noise_holds = true;
    for (std::size_t r = 0; r < weights; ++r) {
      for (std::size_t k = 0; k < 3; ++k) {  // u_k = 2 e_k
        const double product = std::abs(scale * 2.0 * w[r * dimension + k]);
        one_holds = one_holds && (k != 0 || product <= signal.one_class);
        all_hold = all_hold && product <= signal.all_classes;
      }
      for (std::size_t a = 0; a < records; ++a) {
        double product = 0.0;
        for (std::size_t k = 0; k < dimension; ++k) {
          product += 0.5 * scale * w[r * dimension + k] * z[a * dimension + k];
        }
        noise_holds = noise_holds && std::abs(product) <= noise;
      }
    }
    one += one_holds ? 0 : 1;
    all += all_hold ? 0 : 1;
    beyond += noise_holds ? 0 : 1;
  }
  covered(trial, one, trials, 0.5 * chance, "|<w, u_k>| of one class beyond its radius");
  covered(trial, all, trials, 0.5 * chance, "|<w, u_k>| of any class beyond its radius");
  covered(trial, beyond, trials, 0.5 * chance, "|<w, xi_i>| beyond its radius");
}

}  // namespace

std::vector<Case> long_tail_concentration_cases() {
  return {compared("long-tail-memorization/lemma-1",
                   "the least singular value of a Gaussian matrix is at least sqrt(m) - sqrt(n) - sqrt(2 log(1/delta))",
                   "700 matrices of 400 x 5 (ci), delta = 0.05", "sqrt(m)", least_singular_value),
          compared("long-tail-memorization/lemma-2", "the largest of n is at most sigma_p sqrt(2 log(2 n/delta))",
                   "3000 times 20 normals and uniforms (ci), delta = 0.05", "the radius of one number", maximum),
          compared("long-tail-memorization/lemma-3",
                   "the mean of n half-normals exceeds its expectation by t with chance at most exp(-n t^2/2)",
                   "30,000 means of 10 (ci), t = 0.2, 0.4, 0.6", "exp(-2.5 n t^2)", half_normals),
          bilinear("long-tail-memorization/lemma-4", Zeta::gaussian, Zeta::gaussian, 1.0,
                   "|zeta_1^T M zeta_2| <= |M|_F sqrt(2 tau) + |M| tau, tau = log(2/delta), both Gaussian"),
          compared("long-tail-memorization/lemma-5",
                   "trace - 2 F sqrt(tau) <= |A zeta|^2 <= trace + 2 F sqrt(tau) + 2 op tau",
                   "d = 40, three spectra, Gaussian and uniform, 4000 each (ci), delta = 0.05", "trace + F sqrt(tau)",
                   quadratic_form),
          bilinear("long-tail-memorization/lemma-6", Zeta::uniform, Zeta::uniform, 1.0,
                   "the same for uniform coordinates, sigma_p = 1"),
          compared("long-tail-memorization/lemma-7", "|<n, u>| <= sigma_n |u| sqrt(2 log(2/delta))",
                   "exact, delta from 0.5 to 1e-300", "sqrt(log(2/delta))", projection),
          bilinear("long-tail-memorization/lemma-8", Zeta::gaussian, Zeta::uniform, 0.06,
                   "the same for Gaussian noise against a noise patch"),
          compared("long-tail-memorization/lemma-13", "P(|x| > t) >= (1 - t^2)^2/E x^4",
                   "exact tails, normal and uniform", "1 - t^2", anticoncentration),
          compared("long-tail-memorization/lemma-16",
                   "all |xi_i|^2 within [1/2, 3/2] trace, all |<xi_i, xi_j>| below their radius",
                   "A = I/2, d = 400, n = 6, 400 data sets (ci), Gaussian and uniform, delta = 0.2",
                   "5 percent around the trace, a third of the radius", noise_norms),
          compared("long-tail-memorization/lemma-17",
                   "initial weights against signals and noise patches, one class and all",
                   "K = 3, m = 4, n = 5, d = 20, 1500 draws (ci), delta = 0.1", "radii without the union",
                   initial_products)};
}

}  // namespace dpcurves::validation::long_tail_memorization
