// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/binomial.hpp>
#include <dpcurves/inference/multi_run.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>

namespace dpcurves::inference {
namespace {

using rigorous::Real;

void check(double significance, double delta) {
  require_domain(significance > 0.0 && significance < 0.5, "significance", significance, "(0, 1/2)");
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
}

double epsilon_of(double power, double rate, double delta) {
  if (!(power > delta) || rate == 0.0) {
    return power > delta ? std::numeric_limits<double>::infinity() : 0.0;
  }
  return std::max(0.0, rigorous::refined([&] { return log((Real(power) - Real(delta)) / Real(rate)); }).lower());
}

}  // namespace

MultiRunBounds bounds_of_rates(double power, double rate, double delta) {
  require_domain(power >= 0.0 && power <= 1.0, "true_positive_rate_lower", power, "[0, 1]");
  require_domain(rate >= 0.0 && rate <= 1.0, "false_positive_rate_upper", rate, "[0, 1]");
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
  MultiRunBounds bounds{power, rate, epsilon_of(power, rate, delta), 0.0, 0.0};
  if (power > rate) {
    constexpr double accuracy = 1e-14;  // of a quantile
    const double above = numerics::normal_upper_quantile(rate), below = numerics::normal_upper_quantile(power);
    bounds.mu_lower = std::max(0.0, above - below - accuracy * (std::abs(above) + std::abs(below)));
  }
  return bounds;
}

MultiRunBounds multi_run(const MultiRun& counts, double significance, double delta) {
  check(significance, delta);
  require_domain(counts.true_positives <= counts.canaries_in, "true_positives",
                 static_cast<double>(counts.true_positives), "[0, canaries_in]");
  require_domain(counts.false_positives <= counts.canaries_out, "false_positives",
                 static_cast<double>(counts.false_positives), "[0, canaries_out]");
  // Half of `miss` on each side of an interval.
  const double power = clopper_pearson(counts.true_positives, counts.canaries_in, significance).lower;
  const double rate = clopper_pearson(counts.false_positives, counts.canaries_out, significance).upper;
  MultiRunBounds bounds = bounds_of_rates(power, rate, delta);
  const double best = clopper_pearson(counts.canaries_in, counts.canaries_in, significance).lower;
  const double least = clopper_pearson(0, counts.canaries_out, significance).upper;
  bounds.ceiling = epsilon_of(best, least, 0.0);
  return bounds;
}

std::uint64_t count_above(std::span<const double> scores, double threshold) {
  require_domain(!std::isnan(threshold), "threshold", threshold, "[-inf, inf]");
  std::uint64_t count = 0;
  for (const double score : scores) {
    require_domain(!std::isnan(score), "score", score, "[-inf, inf]");
    count += score >= threshold ? 1U : 0U;
  }
  return count;
}

MultiRun counts_at(std::span<const double> in, std::span<const double> out, double threshold) {
  require_domain(!in.empty(), "in", 0.0, "samples of at least one score");
  require_domain(!out.empty(), "out", 0.0, "samples of at least one score");
  return {count_above(in, threshold), in.size(), count_above(out, threshold), out.size()};
}

double pilot_threshold(std::span<const double> in, std::span<const double> out, double significance, double delta) {
  check(significance, delta);
  std::vector<double> candidates(in.begin(), in.end());
  candidates.insert(candidates.end(), out.begin(), out.end());
  std::sort(candidates.begin(), candidates.end());
  constexpr std::size_t most = 200;
  const std::size_t stride = candidates.size() / most + 1;
  double best = -1.0, chosen = candidates.empty() ? 0.0 : candidates.front();
  for (std::size_t i = 0; i < candidates.size(); i += stride) {
    const MultiRunBounds bounds = multi_run(counts_at(in, out, candidates[i]), significance, delta);
    const double score = bounds.epsilon_lower > 0.0 ? 1.0 + bounds.epsilon_lower : bounds.mu_lower;
    if (score > best) {
      best = score;
      chosen = candidates[i];
    }
  }
  return chosen;
}

MultiRunBounds split_audit(std::span<const double> in, std::span<const double> out, double significance, double delta,
                           double pilot_share) {
  require_domain(pilot_share > 0.0 && pilot_share < 1.0, "pilot_share", pilot_share, "(0, 1)");
  const auto pilot = [pilot_share](std::span<const double> sample) {
    return static_cast<std::size_t>(pilot_share * static_cast<double>(sample.size()));
  };
  const std::size_t first_in = pilot(in), first_out = pilot(out);
  require_domain(first_in > 0 && first_out > 0, "pilot_share", pilot_share, "shares of at least one score");
  const double threshold = pilot_threshold(in.first(first_in), out.first(first_out), significance, delta);
  return multi_run(counts_at(in.subspan(first_in), out.subspan(first_out), threshold), significance, delta);
}

}  // namespace dpcurves::inference
