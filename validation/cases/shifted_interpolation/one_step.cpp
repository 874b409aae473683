// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using Map = std::function<double(double)>;

/// Laws of phi(X) + N and psi(X') + N with X = N(0, v^2), X' = N(gap, v^2) and N of standard deviation v.
simulate::LawPair one_step(double gap, double noise, const Map& phi, const Map& psi) {
  simulate::ChainPair chains;
  chains.noise = noise;
  chains.kernels = {
      {{1.0, [](double) { return 0.0; }}}, {{1.0, [gap](double) { return gap; }}}, {{1.0, phi}}, {{1.0, psi}}};
  chains.first = {0, 2};
  chains.second = {1, 3};
  return exact_laws(chains, 2);
}

void one_noisy_step(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/lemma-3.1");
  outcome.claim.by_exact_law();
  for (std::size_t k = 0; k < setting.size(8, 60); ++k) {
    const double gap = draws.uniform(0.2, 1.5), noise = draws.uniform(0.5, 1.5), s = draws.uniform(0.6, 1.5);
    const double frequency = draws.uniform(0.3, 2.0), slope = gap / s;
    const auto compare = [&](Trial& trial, const Map& phi, const Map& psi, double mu, const std::string& what) {
      return law_within(
          trial, one_step(gap, noise, phi, psi), mu,
          what + ", |X - X'| = " + rounded(gap, 3) + ", s = " + rounded(s, 3) + ", noise = " + rounded(noise, 3));
    };
    const double bound = std::hypot(gap, s) / noise;
    const Map folded = [=](double x) { return std::sin(frequency * x); };
    const Map folded_shifted = [=](double x) { return std::sin(frequency * x) + s * std::cos(x); };
    compare(outcome.claim, folded, folded_shifted, bound, "sine map");
    const Map linear = [=](double x) { return slope * x; };
    const Map linear_shifted = [=](double x) { return slope * x + s; };
    const double attained = compare(outcome.claim, linear, linear_shifted, bound, "linear map");
    outcome.claim.close(attained, bound, 1e-5, "the linear map of slope |X - X'|/s attains the bound");
    compare(outcome.control, linear, linear_shifted, std::max(gap, s) / noise, "linear map");
  }
}

void geometric_step(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/lemma-3.2");
  outcome.claim.by_exact_law();
  for (std::size_t k = 0; k < setting.size(3, 20); ++k) {
    for (const double lambda : {0.2, 0.5, 1.0}) {
      const double noise = draws.uniform(0.5, 1.5), s = draws.uniform(0.2, 1.0), z = draws.uniform(0.2, 1.5);
      const double c = draws.uniform(0.4, 0.95);
      const double shift = lambda * (c * z + s), gap = c * shift;
      // X = X~ + z w(X~) with |w| <= 1: the largest distance that the lemma allows, or a random part of it.
      const auto step = [=](const Map& phi, const Map& towards) {
        return Map([=](double x) { return lambda * (phi(x + z * towards(x)) + s) + (1.0 - lambda) * phi(x); });
      };
      const auto compare = [&](Trial& trial, const Map& phi, const Map& towards, double paid, const std::string& what) {
        return law_within(trial, one_step(-gap, noise, step(phi, towards), phi), std::hypot(gap, paid) / noise,
                          what + ", lambda = " + rounded(lambda, 2) + ", c = " + rounded(c, 3) +
                              ", z = " + rounded(z, 3) + ", s = " + rounded(s, 3) + ", noise = " + rounded(noise, 3));
      };
      const Map tanh_map = [=](double x) { return c * std::tanh(x); };
      const Map linear = [=](double x) { return c * x; };
      const Map full = [](double) { return 1.0; };
      compare(
          outcome.claim, tanh_map, [](double x) { return std::cos(3.0 * x); }, shift, "tanh map");
      compare(outcome.claim, tanh_map, full, shift, "tanh map, largest distance");
      const double attained = compare(outcome.claim, linear, full, shift, "linear map, largest distance");
      outcome.claim.close(attained, std::hypot(gap, shift) / noise, 1e-5, "the linear map attains the bound");
      compare(outcome.control, linear, full, lambda * s, "linear map, largest distance");
    }
  }
}

/// Laws of W + Z and Z, Z = N(0, noise^2), for W with finitely many values.
simulate::LawPair shifted_gaussian(const std::vector<double>& values, const std::vector<double>& weights,
                                   double noise) {
  simulate::ChainPair chains;
  chains.noise = noise;
  simulate::StepKernel kernel;
  for (std::size_t i = 0; i < values.size(); ++i) {
    kernel.push_back({weights[i], [w = values[i]](double) { return w; }});
  }
  chains.kernels = {kernel, {{1.0, [](double) { return 0.0; }}}};
  chains.first = {0};
  chains.second = {1};
  return exact_laws(chains, 1);
}

void worst_shift(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/lemma-c.4");
  outcome.claim.by_exact_law();
  const double noise = 1.0, s = 1.5;
  const auto compare = [&](Trial& trial, const simulate::LawPair& laws, double bound, const std::string& what) {
    return law_within(trial, laws, bound / noise, what);
  };
  for (std::size_t k = 0; k < setting.size(60, 2000); ++k) {
    const std::size_t atoms = 2 + draws.below(5);
    std::vector<double> values(atoms), weights(atoms);
    double total = 0.0, mean_size = 0.0;
    for (std::size_t i = 0; i < atoms; ++i) {
      values[i] = draws.uniform(-s, s);
      weights[i] = draws.uniform(0.05, 1.0);
      total += weights[i];
    }
    for (std::size_t i = 0; i < atoms; ++i) {
      weights[i] /= total;
      mean_size += weights[i] * std::abs(values[i]);
    }
    const auto laws = shifted_gaussian(values, weights, noise);
    compare(outcome.claim, laws, s, "W with " + std::to_string(atoms) + " values in [-1.5, 1.5], s = 1.5");
    compare(outcome.control, laws, mean_size, "the same against G(E|W|/noise)");
  }
  const double attained = compare(outcome.claim, shifted_gaussian({s}, {1.0}, noise), s, "constant W = 1.5");
  outcome.claim.close(attained, s / noise, 1e-5, "constant W attains the bound");

  const auto uniform = [&] {
    std::vector<double> values, weights;
    for (int i = 0; i < 31; ++i) {
      values.push_back(-s + 2.0 * s * i / 30.0);
      weights.push_back(1.0 / 31.0);
    }
    return shifted_gaussian(values, weights, noise);
  };
  auto plot = tradeoff_plot(
      "Bounded shift W of N(0, 1), |W| at most 1.5",
      {gdp_curve("G(1.5), the least", s / noise), law_curve("W constant", shifted_gaussian({s}, {1.0}, noise)),
       law_curve("W = 0 or 1.5, each 1/2", shifted_gaussian({0.0, s}, {0.5, 0.5}, noise)),
       law_curve("W = -1.5 or 1.5, each 1/2", shifted_gaussian({-s, s}, {0.5, 0.5}, noise)),
       law_curve("W uniform", uniform())});
  outcome.figures.push_back({"No shift of bounded size is easier to detect than a constant one", std::move(plot)});
}

}  // namespace

std::vector<Case> one_step_cases() {
  return {
      {"shifted-interpolation/lemma-3.1",
       "If |phi - phi'| <= s, then T(phi(X) + N, phi'(X') + N) lies above T(X, X') composed with G(s/v), v the "
       "standard deviation of N.",
       "Exact laws of 8 random settings (nightly 60) with X, X' Gaussian and at distance d: a sine map with a shift "
       "that varies, and the linear map of slope d/s, which attains sqrt(d^2 + s^2)/v.",
       "The step costs nothing: max(d, s)/v.", one_noisy_step},
      {"shifted-interpolation/lemma-3.2",
       "If |X - X~| <= z and the steps are c-Lipschitz and at most s apart, then the interpolated step of weight "
       "lambda costs G(lambda (c z + s)/v) more than T(X~, X').",
       "Exact laws of 9 random settings (nightly 60) with lambda 0.2, 0.5, 1: a tanh map with X - X~ of varying sign, "
       "and the linear map with X - X~ = z, which attains the bound.",
       "The distance z costs nothing: G(lambda s/v).", geometric_step},
      {"shifted-interpolation/lemma-c.4",
       "For |W| <= s independent of Z = N(0, v^2), T(W + Z, Z) lies above G(s/v); constant W attains it.",
       "Exact laws of 60 random W (nightly 2000) with 2 to 6 values, and of constant W.",
       "The mean size E|W| takes the place of s.", worst_shift},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
