// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/interpolation/shift_closed_forms.hpp>
#include <dpcurves/interpolation/shift_problem.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::shifted_interpolation {
namespace {

using interpolation::Contraction;
using interpolation::ShiftSequences;

struct ShiftInstance {
  std::vector<double> c, s;
  double start = 0.0;
};

ShiftInstance constant_instance(double c, double s, double start, std::size_t steps) {
  return {std::vector<double>(steps, c), std::vector<double>(steps, s), start};
}

/// Steps of `epochs` epochs of `batches`, the last batch of each differing.
ShiftInstance cyclic_instance(double c, double s, double start, std::size_t batches, std::size_t epochs) {
  ShiftInstance instance = constant_instance(c, 0.0, start, batches * epochs);
  for (std::size_t k = batches; k <= batches * epochs; k += batches) {
    instance.s[k - 1] = s;
  }
  return instance;
}

double exact_optimum(const ShiftInstance& instance) {
  const auto optimum = interpolation::solve_shift_problem(instance.c, instance.s, instance.start).sum_a2;
  return 0.5 * (optimum.lower + optimum.upper);
}

std::string size_text(double c, std::size_t steps) {
  return "c = " + shortest(c) + ", " + std::to_string(steps) + " steps";
}

double sum_of_squares(const std::vector<double>& values) {
  return sum_over(values, [&](double value) { return value * value; });
}

/// Follows z_k = c z_{k-1} + s_k - a_k and requires a, z >= 0 and z_t = 0 up to `tolerance`.
void feasible(Trial& trial, const ShiftInstance& instance, const std::vector<double>& a, double tolerance,
              const std::string& what) {
  double z = instance.start, lowest_z = z, lowest_a = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    z = instance.c[k] * z + instance.s[k] - a[k];
    lowest_z = std::min(lowest_z, z);
    lowest_a = std::min(lowest_a, a[k]);
  }
  trial.at_most(-std::min(lowest_z, lowest_a), tolerance, what + ", the shifts and distances are not negative");
  trial.at_most(std::abs(z), tolerance, what + ", the last distance is 0");
}

/// z_k = (1 - lambda_k) (c z_{k-1} + s_k), which the weights of an interpolation must satisfy; the last is 1.
void weights_end_at_zero(Trial& trial, const ShiftInstance& instance, const std::vector<double>& lambda,
                         const std::string& what) {
  double z = instance.start;
  bool allowed = true;
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    allowed = allowed && lambda[k] >= 0.0 && lambda[k] <= 1.0 + 1e-12;
    z = (1.0 - lambda[k]) * (instance.c[k] * z + instance.s[k]);
  }
  trial.require(allowed, what + ", the weights lie in [0, 1]");
  trial.at_most(std::abs(z), 1e-12, what + ", the interpolation ends at distance 0");
}

void strongly_convex_shifts(const Setting& setting, Outcome& outcome) {
  for (const double c : {0.5, 0.9, 0.99, 0.999}) {
    for (const std::size_t t : {std::size_t{1}, std::size_t{7}, std::size_t{100}, setting.size(1000, 100000)}) {
      const double s = 0.3;
      const auto instance = constant_instance(c, s, 0.0, t);
      const auto td = static_cast<double>(t);
      const auto contraction = Contraction::factor(c);
      const auto sequences = interpolation::strongly_convex_sequences(contraction, s, td);
      const std::string what = size_text(c, t);
      const double closed = interpolation::strongly_convex_optimum(contraction, s, td);
      outcome.claim.close(closed, exact_optimum(instance), 1e-12, what + ", closed form against the minorant");
      outcome.claim.close(sum_of_squares(sequences.a), closed, 1e-11, what + ", sum of the squared shifts");
      feasible(outcome.claim, instance, sequences.a, 1e-11, what);
      const auto weights = [&](Trial& trial, double exponent) {
        std::vector<double> lambda(t);
        for (std::size_t k = 1; k <= t; ++k) {
          const double after = td - static_cast<double>(k);
          lambda[k - 1] = std::pow(c, after) * (1.0 - c * c) /
                          (1.0 - std::pow(c, after + exponent) - std::pow(c, static_cast<double>(k)) + std::pow(c, td));
        }
        weights_end_at_zero(trial, instance, lambda, what + ", exponent t - k + " + shortest(exponent));
      };
      weights(outcome.claim, 2.0);
      weights(outcome.control, 1.0);
    }
  }
}

void convex_diameter_shifts(const Setting& setting, Outcome& outcome) {
  const double s = 0.2;
  for (const double D : {0.05, 1.0, 30.0}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{150}, setting.size(1000, 100000)}) {
      const auto instance = constant_instance(1.0, s, D, n);
      const auto nd = static_cast<double>(n);
      const auto sequences = interpolation::convex_diameter_sequences(s, D, nd);
      const std::string what = "D = " + shortest(D) + ", s = 0.2, " + size_text(1.0, n);
      const double exact = exact_optimum(instance);
      outcome.claim.close(interpolation::convex_diameter_optimum(s, D, nd), exact, 1e-12, what + ", N (s + D/N)^2");
      outcome.claim.close(sum_of_squares(sequences.a), exact, 1e-11, what + ", sum of the squared shifts");
      feasible(outcome.claim, instance, sequences.a, 1e-11 * (1.0 + D), what);
      outcome.claim.at_most(4.0 * s * D, exact * (1.0 + 1e-12), what + ", no horizon is below 4 s D");
      outcome.control.close(nd * s * s + D * D / nd, exact, 1e-12, what + ", without the mixed term 2 s D");
    }
    const double best = std::round(D / s);
    if (best >= 1.0) {
      outcome.claim.close(interpolation::convex_diameter_optimum(s, D, best), 4.0 * s * D, 1e-12,
                          "N = D/s attains 4 s D, D = " + shortest(D));
    }
  }
}

void cyclic_shifts(const Setting& setting, Outcome& outcome) {
  const double s = 0.4;
  for (const double c : {0.5, 0.9, 0.99, 0.999}) {
    for (const std::size_t l : {std::size_t{2}, std::size_t{5}, std::size_t{20}}) {
      for (const std::size_t E : {std::size_t{2}, std::size_t{4}, setting.size(50, 2000)}) {
        const auto ld = static_cast<double>(l), Ed = static_cast<double>(E), t = ld * Ed;
        // Up to the step before the last differing one: E - 1 differing steps, l - 1 common ones after the last.
        ShiftInstance before = cyclic_instance(c, s, 0.0, l, E);
        before.c.pop_back();
        before.s.pop_back();
        const std::string what = "l = " + std::to_string(l) + ", E = " + std::to_string(E) + ", c = " + shortest(c);
        const double closed = interpolation::cyclic_optimum_before_last(Contraction::factor(c), s, ld, Ed);
        outcome.claim.close(closed, exact_optimum(before), 1e-11, what + ", closed form against the minorant");
        // The printed sequence, j* = l; the exponent E(l - 1) of its derivation is the control.
        const auto sequence = [&](Trial& trial, double power) {
          std::vector<double> a(before.c.size(), 0.0);
          for (std::size_t k = l; k <= a.size(); ++k) {
            a[k - 1] = s * std::pow(c, t - static_cast<double>(k) + ld - 2.0) * (1.0 - c * c) /
                       ((1.0 - std::pow(c, ld)) * (1.0 + std::pow(c, power)));
          }
          feasible(trial, before, a, 1e-11, what);
          trial.close(sum_of_squares(a), closed, 1e-10, what + ", sum of the squared shifts");
        };
        sequence(outcome.claim, t - ld);
        if (Ed * (ld - 1.0) != t - ld) {
          sequence(outcome.control, Ed * (ld - 1.0));
        }
      }
    }
  }
}

void cyclic_convex_shifts(const Setting&, Outcome& outcome) {
  const double s = 0.5;
  for (const std::size_t l : {std::size_t{2}, std::size_t{5}, std::size_t{12}}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
      for (const double D : {0.6, 5.0}) {
        const auto ld = static_cast<double>(l), nd = static_cast<double>(n);
        // One step before a differing step, n epochs ahead of the last differing step; that one is not part of it.
        ShiftInstance instance = constant_instance(1.0, 0.0, D, l * n);
        for (std::size_t k = 0; k < l * n; k += l) {
          instance.s[k] = s;
        }
        const std::vector<double> a(l * n, (D + s * nd) / (ld * nd));
        const std::string what = "l = " + std::to_string(l) + ", N = " + std::to_string(n) + ", D = " + shortest(D);
        const double cost = interpolation::cyclic_convex_feasible(s, D, ld, nd);
        const auto compare = [&](Trial& trial, const ShiftInstance& problem, const std::vector<double>& shifts) {
          feasible(trial, problem, shifts, 1e-11, what);
          trial.close(sum_of_squares(shifts), cost, 1e-12, what + ", the cost is (D + s N)^2/(l N)");
          trial.at_most(exact_optimum(problem), cost * (1.0 + 1e-12), what + ", the optimum costs no more");
        };
        compare(outcome.claim, instance, a);
        // As printed the start lies one step later, after the first differing step: l N - 1 steps remain.
        ShiftInstance printed = instance;
        printed.c.erase(printed.c.begin());
        printed.s.erase(printed.s.begin());
        if (!printed.c.empty()) {
          compare(outcome.control, printed, std::vector<double>(l * n - 1, a.front()));
        }
      }
    }
  }
}

/// The least cost over all sets of steps at which the distance is 0, by enumeration. Between two such steps the
/// cheapest shifts are proportional to the weights (Cauchy and Schwarz). `origin` is the height of the first point.
double enumerated_optimum(const ShiftInstance& instance, double origin_share) {
  const std::size_t t = instance.c.size();
  std::vector<double> w(t + 1, 1.0), T(t + 1, 0.0), S(t + 1, 0.0);
  for (std::size_t k = t; k-- > 0;) {
    w[k] = w[k + 1] * instance.c[k];
  }
  S[0] = w[0] * instance.start;
  for (std::size_t k = 1; k <= t; ++k) {
    T[k] = T[k - 1] + w[k] * w[k];
    S[k] = S[k - 1] + w[k] * instance.s[k - 1];
  }
  const double origin = origin_share * S[0];
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t set = 0; set < (std::size_t{1} << (t - 1)); ++set) {
    double cost = 0.0, left_T = 0.0, left_height = origin;
    std::size_t left = 0;
    bool allowed = true;
    for (std::size_t k = 1; k <= t && allowed; ++k) {
      if (k < t && ((set >> (k - 1)) & 1U) == 0) {
        continue;
      }
      const double width = T[k] - left_T, rise = S[k] - left_height;
      if (width <= 0.0) {
        allowed = std::abs(rise) <= 1e-13 * (1.0 + std::abs(S[k]));
        continue;
      }
      allowed = rise >= -1e-13;
      for (std::size_t j = left + 1; j < k && allowed; ++j) {
        allowed = left_height + rise * (T[j] - left_T) / width <= S[j] + 1e-13 * (1.0 + S[j]);
      }
      cost += rise * rise / width;
      left = k;
      left_T = T[k];
      left_height = S[k];
    }
    if (allowed) {
      least = std::min(least, cost);
    }
  }
  return least;
}

void minorant(const Setting& setting, Outcome& outcome) {
  Draws draws(setting, "shifted-interpolation/derived-1");
  constexpr double hard_contractions[] = {0.0, 0.3, 0.9, 1.0, 1.3};
  constexpr double starts[] = {0.0, 0.5, 3.0};
  double worst = 0.0, worst_broken = 0.0;
  const std::size_t instances = setting.size(400, 20000);
  for (std::size_t i = 0; i < instances; ++i) {
    ShiftInstance instance;
    const std::size_t t = 1 + draws.below(8);
    instance.start = starts[draws.below(3)];
    for (std::size_t k = 0; k < t; ++k) {
      instance.c.push_back(i % 2 == 0 ? hard_contractions[draws.below(5)] : draws.uniform(0.0, 1.3));
      instance.s.push_back(draws.uniform() < 0.5 ? 0.0 : draws.uniform());
    }
    const double exact = exact_optimum(instance);
    const auto error = [&](double candidate) { return std::abs(candidate - exact) / (1.0 + exact); };
    worst = std::max(worst, error(enumerated_optimum(instance, 0.0)));
    worst_broken = std::max(worst_broken, error(enumerated_optimum(instance, 1.0)));
    const auto solution = interpolation::solve_shift_problem(instance.c, instance.s, instance.start);
    feasible(outcome.claim, instance, solution.a, 1e-12, "instance " + std::to_string(i));
  }
  const auto compare = [&](Trial& trial, double error, const std::string& what) {
    trial.at_most(error, 1e-12, what + ", largest error on " + std::to_string(instances) + " instances");
  };
  compare(outcome.claim, worst, "minorant against all sets of touching steps");
  compare(outcome.control, worst_broken, "the minorant starts at the first distance instead of the origin");
}

}  // namespace

std::vector<Case> shift_problem_cases() {
  return {
      {"shifted-interpolation/lemma-c.6",
       "For c < 1 and constant sensitivity s from distance 0, the least sum of squared shifts over t steps is "
       "s^2 (1 - c^t)/(1 + c^t) (1 + c)/(1 - c), with lambda_k = c^(t-k) (1 - c^2)/(1 - c^(t-k+2) - c^k + c^t).",
       "c = 0.5, 0.9, 0.99, 0.999 and t = 1, 7, 100, 1000 (nightly 100,000): closed form against the minorant, and the "
       "sequences followed step by step to distance 0.",
       "The exponent t - k + 1 in lambda_k.", strongly_convex_shifts},
      {"shifted-interpolation/lemma-c.8",
       "For c = 1 from distance D, the least sum of squared shifts over N steps is N (s + D/N)^2, at least 4 s D.",
       "D = 0.05, 1, 30 with s = 0.2 and N = 1, 5, 150, 1000 (nightly 100,000): closed form against the minorant, and "
       "the sequences followed step by step.",
       "The mixed term 2 s D is dropped.", convex_diameter_shifts},
      {"shifted-interpolation/lemma-c.10",
       "For cyclic batches with c < 1, the differing one last, the shifts up to the last differing step cost at least "
       "s^2 c^(2l-2) (1 - c^2)/(1 - c^l)^2 (1 - c^(l(E-1)))/(1 + c^(l(E-1))), and the stated sequence does it.",
       "c = 0.5 to 0.999, l = 2, 5, 20, E = 2, 4, 50 (nightly 2000): closed form against the minorant, and the "
       "sequence followed step by step.",
       "The sequence with the exponent E(l - 1) that its derivation prints in place of l(E - 1).", cyclic_shifts},
      {"shifted-interpolation/lemma-c.11",
       "For cyclic batches with c = 1, started at distance D one step before a differing step, the constant shift "
       "(D + s N)/(l N) ends at distance 0 and costs (D + s N)^2/(l N).",
       "l = 2, 5, 12, N = 1, 3, 40, D = 0.6, 5: the sequence followed step by step, its cost and the exact optimum.",
       "The printed start, one step later, from which the same shift does not end at distance 0.",
       cyclic_convex_shifts},
      {"shifted-interpolation/derived-1",
       "The least sum of squared shifts is that of the greatest convex minorant of the points "
       "(sum w_j^2, w_0 z_start + sum w_j s_j) that starts at the origin.",
       "400 random instances (nightly 20,000) of at most 8 steps with c_k in {0, 0.3, 0.9, 1, 1.3} or uniform, half of "
       "the s_k zero and starts 0, 0.5, 3, against an enumeration of all sets of touching steps.",
       "The minorant starts at the height of the first distance instead of 0.", minorant},
  };
}

}  // namespace dpcurves::validation::shifted_interpolation
