// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_privacy.hpp>
#include <dpcurves/bounds/long_tail_test_error.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

/// Numerators are differences of products that may nearly agree, and conditions may hold with equality: both are formed
/// with 34 digits and an exponent that does not overflow.
using Wide = boost::multiprecision::cpp_bin_float_quad;

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

Wide largest_cross_term(const std::vector<OtherClass>& others) {
  Wide largest = 0;
  for (const auto& other : others) {
    largest = std::max(largest, Wide(sqrt(Wide(other.records)) * other.cross_frobenius));
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
TestErrorBound general(const GeneralTestError& s, const Wide& noise) {
  const Wide radius = sqrt(2 * log(2 / Wide(s.failure_probability)));
  const Wide signal = s.signal_norm;
  const Wide numerator = signal * (Wide(s.class_records) * s.clipping_factor * signal - noise * radius);
  return summed(static_cast<double>(numerator), s.others, static_cast<double>(noise * s.noise_frobenius),
                s.exponent_constant);
}

Hypothesis condition(const char* needs, const Wide& left, const Wide& right, const char* remedy) {
  return {left >= right,
          {needs, rounded(static_cast<double>(left), 4) + " < " + rounded(static_cast<double>(right), 4), remedy}};
}

struct TailPair {
  Wide a, b;
};
TailPair tail_pair(const LongTailTestError& s) {
  return {sqrt(Wide(s.class_records)) * s.clipping_factor * s.own_frobenius,
          Wide(s.records) * s.private_noise * s.noise_operator};
}

}  // namespace

TestErrorBound general_test_error(const GeneralTestError& setting) {
  check(setting);
  const auto& s = setting;
  const Wide noise = Wide(s.records) * s.private_noise;
  TestErrorBound result = general(s, noise);
  const Wide signal = s.signal_norm;
  result.condition_holds =
      condition("n_k Lambda |u|^2 >= C1 (max sqrt(n_j) F_kj + n sigma_n (|u| + |A|_F))",
                Wide(s.class_records) * s.clipping_factor * signal * signal,
                s.condition_constant * (largest_cross_term(s.others) + noise * (signal + s.noise_frobenius)),
                "a stronger signal, more records of the class, or less noise");
  return result;
}

TestErrorBound scale_consistent_test_error(const GeneralTestError& setting, double filters, double steps) {
  check(setting);
  require_domain(setting.clipping_factor <= 1.0, "clipping_factor", setting.clipping_factor, "(0, 1]");
  require_count(filters, "filters");
  require_count(steps, "steps");
  return general(setting, Wide(filters) * setting.records * setting.private_noise / sqrt(Wide(steps)));
}

LongTailErrorBound long_tail_test_error(const LongTailTestError& setting) {
  check(setting);
  const auto& s = setting;
  const auto [a, b] = tail_pair(s);
  const Wide L = s.tail_level, d = s.dimension, length = sqrt(d + L * L);
  const Wide whole = a * L + b * length;
  // a L - b length as the difference of squares over the sum: exact even where a and b agree to all their digits.
  const Wide numerator = whole > 0 ? Wide(((a - b) * (a + b) * L * L - b * b * d) / whole) : Wide(0);
  const Wide noise = Wide(s.records) * s.private_noise;
  LongTailErrorBound result{summed(static_cast<double>(numerator), s.others,
                                   static_cast<double>(noise * s.noise_frobenius), s.exponent_constant)};
  result.condition_holds =
      condition("sqrt(n_k) Lambda F_kk >= C2 (max sqrt(n_j) F_kj + n sigma_n (|A|_op sqrt(d + L^2) + |A|_F))", a,
                s.condition_constant * (largest_cross_term(s.others) + b * length + noise * s.noise_frobenius),
                "a larger spike, more records of the class, or less noise");
  result.break_even_level = b == 0  ? 0.0
                            : a > b ? static_cast<double>(b * sqrt(s.dimension / ((a - b) * (a + b))))
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
