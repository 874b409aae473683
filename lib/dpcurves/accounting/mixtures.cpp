// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/mixture/curve.hpp>
#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

double square_of_counts(const AdaptiveClipping& c) {
  const double norm = std::max(c.shift, 1.0 - c.shift) / c.count_noise;
  return c.groups * norm * norm;
}

CurvePtr one_step(mixture::Step step, double count) {
  step.count = count;
  mixture::Problem problem;
  if (count > 0.0) {
    problem.steps.push_back(std::move(step));
  }
  return mixture::mixture_curve({{std::move(problem)}, {}, {}});
}

}  // namespace

CurvePtr given_mixtures_curve(const std::vector<MixtureStep>& steps, bool remove) {
  mixture::Problem problem;
  for (const MixtureStep& s : steps) {
    require_domain(s.weights.size() == s.means.size() && !s.weights.empty(), "means",
                   static_cast<double>(s.means.size()), "as many as weights, at least one");
    double sum = 0.0;
    for (const double w : s.weights) {
      require_domain(w >= 0.0, "weights", w, "[0, 1]");
      sum += w;
    }
    require_domain(std::abs(sum - 1.0) <= 1e-9, "weights", sum, "numbers of sum 1");
    if (s.count > 0.0) {
      problem.steps.push_back(mixture::given(s.weights, s.means, !remove));
      problem.steps.back().count = s.count;
    }
  }
  return mixture::mixture_curve({{std::move(problem)}, {}, {}});
}

MultiplicityCurves multiplicity_curves(const Multiplicity& s, MultiplicityDirection direction) {
  const auto whole = [](double v, double low, double high, const char* name) {
    require_domain(v >= low && v <= high && v == std::floor(v), name, v, "the whole numbers up to the records");
  };
  whole(s.records, 1.0, 1e15, "records");
  whole(s.batch_size, 1.0, s.replacement ? 1e15 : s.records, "batch_size");
  whole(s.group_size, 1.0, s.records, "group_size");
  require_domain(s.noise_multiplier > 0.0 && std::isfinite(s.noise_multiplier), "noise_multiplier", s.noise_multiplier,
                 "(0, inf)");
  require_domain(std::abs(s.others) <= 1.0, "others", s.others, "[-1, 1]");
  const mixture::UsesOf uses_of = [&](std::size_t least) {
    const rigorous::Real rate = rigorous::Real(s.group_size) / rigorous::Real(s.records);
    return s.replacement ? mixture::binomial_uses(s.batch_size, rate, least)
                         : mixture::hypergeometric_uses(s.records, s.group_size, s.batch_size, least);
  };
  const mixture::Uses uses = uses_of(0);
  const auto d = direction == MultiplicityDirection::replace    ? mixture::Direction::replace
                 : direction == MultiplicityDirection::zero_add ? mixture::Direction::zero_add
                                                                : mixture::Direction::zero_remove;
  const double mu = 1.0 / s.noise_multiplier;
  return {one_step(mixture::revealed(uses, mu, d), s.steps), one_step(mixture::hidden(uses, mu, d), s.steps),
          one_step(mixture::instance(uses_of, mu, s.others, d), s.steps)};
}

double with_counts(double noise_multiplier, const AdaptiveClipping& clipping) {
  return noise_multiplier / std::sqrt(1.0 + square_of_counts(clipping) * noise_multiplier * noise_multiplier);
}

double for_counts(double target, const AdaptiveClipping& clipping) {
  const double rest = 1.0 - square_of_counts(clipping) * target * target;
  require_domain(rest > 0.0, "target", target, "noise multipliers below that of the counts alone");
  return target / std::sqrt(rest);
}

}  // namespace dpcurves::accounting
