// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What a GDP guarantee means in other currencies: Definition A.1 (Renyi), Lemmas A.3 and A.4.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/divergence/renyi.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

#include "validation/cases/topics.hpp"
#include "validation/finite_pair.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

/// D_a(Q || P) of a finite pair.
double finite_renyi(const FinitePair& pair, double order) {
  double sum = 0.0;
  for (std::size_t i = 0; i < pair.p.size(); ++i) {
    sum += pair.p[i] * std::pow(pair.q[i] / pair.p[i], order);
  }
  return std::log(sum) / (order - 1.0);
}

/// E e^(z Y) of C_p(G(mu)) from the density of the loss in its parametric form, z = order - 1.
double log_moment(double p, double mu, double z) {
  // Y = l(x) with density phi(x) e^l and Y = -l(x) with density phi(x), x >= mu/2, and an atom at 0.
  const auto integrand = [=](double x) {
    const double l = std::log1p(p * std::expm1(mu * x - 0.5 * mu * mu));
    const double log_density = numerics::log_normal_density(x);
    return std::exp(log_density + (z + 1.0) * l) + std::exp(log_density - z * l);
  };
  const double reach = (z + 1.0) * mu + 14.0;
  double sum = tradeoff::privacy_loss_atom(p, mu), left = 0.5 * mu;
  while (left < reach) {
    const double right = std::min(reach, left + 0.5);
    sum += numerics::gauss_legendre(integrand, left, right, 20);
    left = right;
  }
  return std::log(sum);
}

// Definition A.1 -----------------------------------------------------------------------------------------------------

Case definition_a_1() {
  return {
      "shifted-interpolation/definition-a.1",
      "The Renyi divergence of order a is log E_P (dQ/dP)^a / (a - 1); it adds up over compositions, K(a - 1)/(a - 1) "
      "for the accountant's log moment function K; conversions to (epsilon, delta) are never below the exact epsilon.",
      "3 compositions of Gaussian and subsampled steps at 5 orders against quadrature, relative 1e-9; products of 100 "
      "random finite pairs against sums; 4 conversions of mu-GDP at 5 mu and 5 delta.",
      "K(a - 1)/a.", [](const Setting& setting, Outcome& outcome) {
        const std::vector<accounting::Composition> compositions{
            {0.0, {{0.1, 1.0, 50.0}}}, {0.3, {{0.01, 2.0, 200.0}, {0.5, 0.2, 10.0}}}, {1.0, {{0.02, 0.7, 1000.0}}}};
        const auto check = [&](Trial& trial, const std::function<double(double)>& divisor) {
          for (std::size_t k = 0; k < compositions.size(); ++k) {
            LargestError error;
            for (const double order : {1.5, 2.0, 4.0, 8.0, 16.0}) {
              const double z = order - 1.0;
              double log_moments = 0.5 * compositions[k].gaussian_mu * compositions[k].gaussian_mu * z * (z + 1.0);
              for (const auto& c : compositions[k].components) {
                log_moments += c.count * log_moment(c.sampling_rate, c.mu, z);
              }
              error.see(log_moments / divisor(order), accounting::renyi(compositions[k], order).middle(), order);
            }
            error.require(trial, 1e-9, "composition " + std::to_string(k + 1) + ", by order");
          }
          auto words = words_of(setting, 0xA10);
          LargestError sums;
          SmallestGap rising;
          for (std::size_t k = 0; k < setting.size(100, 1000); ++k) {
            const FinitePair a{random_law(words, 5), random_law(words, 5)},
                b{random_law(words, 4), random_law(words, 4)};
            const double order = 1.1 + 5.0 * uniform(words);
            const double scale = (order - 1.0) / divisor(order);
            sums.see(scale * (finite_renyi(a, order) + finite_renyi(b, order)), finite_renyi(product(a, b), order),
                     order);
            rising.see(finite_renyi(a, order), finite_renyi(a, order + 0.5), order);
          }
          sums.require(trial, 1e-10, "products of finite pairs, by order");
          rising.require(trial, 1e-12, "D_a rises with the order");
          SmallestGap conversions;
          for (const double mu : {0.05, 0.3, 1.0, 3.0, 8.0}) {
            for (const double delta : {1e-2, 1e-5, 1e-8, 1e-12, 1e-30}) {
              const double rho = 0.5 * mu * mu, exact = tradeoff::epsilon_of_delta(delta, mu);
              for (const double converted :
                   {divergence::mironov(rho, delta).epsilon, divergence::balle(rho, delta).epsilon,
                    divergence::asoodeh(rho, delta).epsilon}) {
                conversions.see(exact, converted, mu);
              }
              conversions.see(exact, divergence::best(rho, delta).epsilon, mu);
            }
          }
          conversions.require(trial, 0.0, "converted epsilon above the exact one, by mu");
        };
        outcome.claim.by_exact_law();
        check(outcome.claim, [](double order) { return order - 1.0; });
        check(outcome.control, [](double order) { return order; });
      }};
}

// Lemma A.3 ----------------------------------------------------------------------------------------------------------

struct ProfileValue {
  double mu, epsilon, delta;
};

// 45-digit arithmetic.
constexpr ProfileValue profile_values[] = {{40, 900, 0.0057974626830114253841},
                                           {20, 150, 0.99279195656290283149},
                                           {1, 1, 0.1269367375066439458},
                                           {1, -1, 0.67881797488662791595},
                                           {1, 4, 0.000047122412007931198674},
                                           {1, 8, 3.6508216874217908585e-15},
                                           {0.5, 0, 0.19741265136584744848},
                                           {0.5, 1, 0.0068295949831145753842},
                                           {0.5, 2.5, 9.0609386933581876322e-8},
                                           {0.125, 0.25, 0.0012008078769565430834},
                                           {0.125, 0.75, 2.8384375304840667427e-11},
                                           {2, 6, 0.0099730410670269967168},
                                           {0.001953125, 0.0078125, 1.4010197403633545004e-8},
                                           {0.0009765625, 0.03125, 1.6867596045795123485e-229}};

/// Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) as it stands.
double two_terms(double epsilon, double mu) {
  return numerics::normal_cdf(0.5 * mu - epsilon / mu) -
         std::exp(epsilon) * numerics::normal_cdf(-0.5 * mu - epsilon / mu);
}

Case lemma_a_3() {
  return {
      "shifted-interpolation/lemma-a.3",
      "mu-GDP is (epsilon, delta)-DP exactly for delta >= Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), "
      "for every real epsilon.",
      "14 values in 45-digit arithmetic, relative 2e-14; quadrature of (dQ - e^epsilon dP)_+ for 5 mu and 6 epsilons; "
      "delta(epsilon(delta)) for delta from 0.3 to 1e-300 and mu from 0.1 to 10, 1e-12 over the condition number.",
      "The two terms subtracted as they stand: not a number at mu = 40, epsilon = 900, no digits for small mu.",
      [](const Setting&, Outcome& outcome) {
        const auto check = [](Trial& trial, const std::function<double(double, double)>& delta) {
          LargestError values, integral, round_trip;
          for (const ProfileValue& v : profile_values) {
            values.see(delta(v.epsilon, v.mu), v.delta, v.mu);
          }
          values.require(trial, 2e-14, "delta against 45-digit arithmetic, by mu");
          for (const double mu : {0.2, 0.5, 1.0, 2.0, 5.0}) {
            for (const double epsilon : {-1.0, 0.0, 0.3, 1.0, 2.0, 4.0}) {
              // Q(x) - e^epsilon P(x) changes sign once, at epsilon/mu + mu/2.
              const auto excess = [=](double x) {
                return -numerics::normal_density(x - mu) * std::expm1(epsilon - mu * x + 0.5 * mu * mu);
              };
              const double from = epsilon / mu + 0.5 * mu;
              integral.see(delta(epsilon, mu), numerics::integrate(excess, from, infinity, 1e-13).value, epsilon);
            }
          }
          integral.require(trial, 1e-10, "delta against the integral over the worst event, by epsilon");
          for (const double mu : {0.1, 0.5, 1.0, 3.0, 10.0}) {
            for (const double small : {0.3, 1e-2, 1e-5, 1e-10, 1e-50, 1e-150, 1e-300}) {
              const double epsilon = tradeoff::epsilon_of_delta(small, mu);
              if (epsilon > 0.0) {
                // An error of epsilon is magnified by the logarithmic slope of delta.
                const double u = epsilon / mu - 0.5 * mu;
                const double slope = 1.0 + epsilon * std::max(1.0, u) / mu;
                round_trip.see(1.0 + (delta(epsilon, mu) / small - 1.0) / slope, 1.0, small);
              }
            }
          }
          round_trip.require(trial, 1e-12, "round trip through epsilon over the condition number, by delta");
        };
        outcome.claim.by_exact_law();
        check(outcome.claim, tradeoff::delta_of_epsilon);
        check(outcome.control, two_terms);
        io::Plot plot;
        plot.title = "Profiles of mu-GDP; points: 45-digit values";
        plot.x = {.label = "epsilon", .lowest = 0.0, .highest = 8.0};
        plot.y = {.label = "delta", .logarithmic = true, .lowest = 1e-18, .highest = 1.0};
        plot.legend = io::Legend::outside;
        int colour = 0;
        for (const double mu : {0.125, 0.5, 1.0, 2.0}) {
          std::vector<double> x = even_grid(161, 0.0, 8.0), y, some_x, some_y;
          for (const double epsilon : x) {
            y.push_back(tradeoff::delta_of_epsilon(epsilon, mu));
          }
          for (const ProfileValue& v : profile_values) {
            if (v.mu == mu && v.epsilon >= 0.0 && v.epsilon <= 8.0) {
              some_x.push_back(v.epsilon);
              some_y.push_back(v.delta);
            }
          }
          plot.series.push_back(io::line("mu = " + rounded(mu, 3), x, y));
          plot.series.back().colour = colour;
          if (!some_x.empty()) {
            plot.series.push_back(io::points("", some_x, some_y));
            plot.series.back().colour = colour;
          }
          ++colour;
        }
        outcome.figures.push_back({plot.title, plot});
      }};
}

// Lemma A.4 ----------------------------------------------------------------------------------------------------------

Case lemma_a_4() {
  return {"shifted-interpolation/lemma-a.4",
          "mu-GDP implies Renyi divergence at most a mu^2/2 at every order a > 1, with equality for Gaussians.",
          "Integral of q^a p^(1-a) for 4 mu and 5 orders, relative 1e-10; binned Gaussians and C_p(G(mu)) below.",
          "(a - 1) mu^2/2.", [](const Setting&, Outcome& outcome) {
            const auto check = [](Trial& trial, const std::function<double(double, double)>& claim) {
              LargestError equality;
              SmallestGap binned, subsampled;
              for (const double mu : {0.1, 0.5, 1.0, 2.0}) {
                for (const double order : {1.1, 1.5, 2.0, 4.0, 8.0}) {
                  // log of the integrand; its largest value is taken out.
                  const auto exponent = [=](double x) {
                    return -0.5 * (order * (x - mu) * (x - mu) + (1.0 - order) * x * x);
                  };
                  const double peak = exponent(order * mu);
                  const auto integrand = [&](double y) { return std::exp(exponent(order * mu + y) - peak); };
                  const double integral = numerics::integrate(integrand, -infinity, infinity, 1e-13).value;
                  const double log_integral = peak + std::log(integral / std::sqrt(2.0 * std::numbers::pi));
                  equality.see(log_integral / (order - 1.0), claim(order, mu), order);
                  binned.see(finite_renyi(gaussian_cells(mu, 0.5), order), claim(order, mu), order);
                  subsampled.see(log_moment(0.3, mu, order - 1.0) / (order - 1.0), claim(order, mu), order);
                }
              }
              equality.require(trial, 1e-10, "Gaussians, by order");
              binned.require(trial, 0.0, "N(0, 1), N(mu, 1) in cells of width 0.5, by order");
              subsampled.require(trial, 0.0, "C_0.3(G(mu)), by order");
            };
            outcome.claim.by_exact_law();
            check(outcome.claim, divergence::gaussian_renyi);
            check(outcome.control, [](double order, double mu) { return 0.5 * (order - 1.0) * mu * mu; });
          }};
}

}  // namespace

std::vector<Case> divergence_cases() { return {definition_a_1(), lemma_a_3(), lemma_a_4()}; }

}  // namespace dpcurves::validation::shifted_interpolation
