// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

/// Numerators are differences of products that may nearly agree, and conditions may hold with equality: both are formed
/// in balls of 38 digits, whose exponents do not overflow.
using rigorous::Precision;
using rigorous::Real;
constexpr slong bits = 128;

/// \param noise  what the privacy noise adds to each denominator.
TestErrorBound summed(double numerator, const std::vector<OtherClass>& others, double noise, double constant) {
  numerics::CompensatedSum sum;
  for (const auto& other : others) {
    const double x = numerator / (std::sqrt(other.records) * other.cross_frobenius + noise);
    sum += std::exp(-constant * x * x);
  }
  TestErrorBound result{.numerator = numerator, .raw_sum = sum.value()};
  result.vacuous = !(numerator > 0.0 && result.raw_sum < 1.0);
  result.bound = result.vacuous ? 1.0 : result.raw_sum;
  return result;
}

Real largest_cross_term(const std::vector<OtherClass>& others) {
  Real largest;
  for (const auto& other : others) {
    largest = rigorous::max(largest, sqrt(Real(other.records)) * Real(other.cross_frobenius));
  }
  return largest;
}

/// Every field, and that there is another class.
template <class Setting>
void check(const Setting& s, Where where = Where::current()) {
  require(s, where);
  require_domain(!s.others.empty(), "number of other classes", 0.0, "{1, 2, ...}", where);
}

/// \param noise  n sigma_n, or what stands for it.
TestErrorBound general(const GeneralTestError& s, const Real& noise) {
  const Real radius = sqrt(Real(2) * log(Real(2) / Real(s.failure_probability))), signal(s.signal_norm);
  const Real numerator = signal * (Real(s.class_records) * Real(s.clipping_factor) * signal - noise * radius);
  return summed(numerator.middle(), s.others, (noise * Real(s.noise_frobenius)).middle(), s.exponent_constant);
}

/// Where the balls overlap the sides are equal.
Hypothesis condition(const char* needs, const Real& left, const Real& right, const char* remedy) {
  return {!(left < right), {needs, rounded(left.middle(), 4) + " < " + rounded(right.middle(), 4), remedy}};
}

struct TailPair {
  Real a, b;
};
TailPair tail_pair(const LongTailTestError& s) {
  return {sqrt(Real(s.class_records)) * Real(s.clipping_factor) * Real(s.own_frobenius),
          Real(s.records) * Real(s.private_noise) * Real(s.noise_operator)};
}

}  // namespace

TestErrorBound general_test_error(const GeneralTestError& setting) {
  check(setting);
  const Precision precision(bits);
  const auto& s = setting;
  const Real noise = Real(s.records) * Real(s.private_noise), signal(s.signal_norm);
  TestErrorBound result = general(s, noise);
  result.condition_holds = condition(
      "n_k Lambda |u|^2 >= C1 (max sqrt(n_j) F_kj + n sigma_n (|u| + |A|_F))",
      Real(s.class_records) * Real(s.clipping_factor) * signal * signal,
      Real(s.condition_constant) * (largest_cross_term(s.others) + noise * (signal + Real(s.noise_frobenius))),
      "a stronger signal, more records of the class, or less noise");
  return result;
}

TestErrorBound scale_consistent_test_error(const GeneralTestError& setting, double filters, double steps) {
  check(setting);
  require_domain(setting.clipping_factor <= 1.0, "clipping_factor", setting.clipping_factor, "(0, 1]");
  require_count(filters, "filters");
  require_count(steps, "steps");
  const Precision precision(bits);
  return general(setting, Real(filters) * Real(setting.records) * Real(setting.private_noise) / sqrt(Real(steps)));
}

LongTailErrorBound long_tail_test_error(const LongTailTestError& setting) {
  check(setting);
  const Precision precision(bits);
  const auto& s = setting;
  const auto [a, b] = tail_pair(s);
  const Real L(s.tail_level), d(s.dimension), length = sqrt(d + L * L), whole = a * L + b * length,
                                              differences = (a - b) * (a + b);
  // a L - b length as the difference of squares over the sum: exact even where a and b agree to all their digits.
  const Real numerator = whole.positive() ? (differences * L * L - b * b * d) / whole : Real();
  const Real noise = Real(s.records) * Real(s.private_noise) * Real(s.noise_frobenius);
  LongTailErrorBound result{summed(numerator.middle(), s.others, noise.middle(), s.exponent_constant)};
  result.condition_holds =
      condition("sqrt(n_k) Lambda F_kk >= C2 (max sqrt(n_j) F_kj + n sigma_n (|A|_op sqrt(d + L^2) + |A|_F))", a,
                Real(s.condition_constant) * (largest_cross_term(s.others) + b * length + noise),
                "a larger spike, more records of the class, or less noise");
  result.break_even_level = !b.positive() ? 0.0
                            : a > b       ? (b * sqrt(d / differences)).middle()
                                          : std::numeric_limits<double>::infinity();
  return result;
}

PrivateTestError private_test_error(GeneralTestError setting, double epsilon, double delta_dp, double steps,
                                    double clip, double constant) {
  setting.private_noise = noise_scale_order(clip, steps, delta_dp, setting.records, epsilon, constant);
  PrivateTestError result{.bound = general_test_error(setting), .private_noise = setting.private_noise};
  const double noise = clip * std::sqrt(steps);
  result.printed_numerator =
      setting.signal_norm * (epsilon * setting.class_records * setting.clipping_factor * setting.signal_norm - noise);
  auto others = setting.others;
  for (auto& other : others) {
    other.cross_frobenius *= epsilon;
  }
  result.printed_raw_sum =
      summed(result.printed_numerator, others, noise * setting.noise_frobenius, setting.exponent_constant).raw_sum;
  return result;
}

}  // namespace dpcurves::bounds
