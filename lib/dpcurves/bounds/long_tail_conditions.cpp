// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_conditions.hpp>
#include <dpcurves/core/detail/format.hpp>

namespace dpcurves::bounds {

using namespace checks;

std::vector<Condition> long_tail_conditions(const LongTailSetting& setting) {
  const auto& s = setting;
  require(s);
  const models::SpikedNorms norms = models::norms(s.noise);  // asks for d >= 2 K
  const double log_one = log_inverse(s.failure_probability, "failure_probability");
  const double n = s.records, m = s.filters, d = s.noise.dimension, K = s.noise.classes;
  const double log_n = std::log(n) + log_one, log_pairs = 2.0 * std::log(n) + log_one;
  const double log_filters = std::log(K) + std::log(m) + log_one, log_steps = std::log(s.steps);
  const double kappa = std::max(s.noise.spike / s.noise.bulk, s.noise.bulk / s.noise.spike);
  const double own_ratio = norms.gram / (norms.operator_norm * norms.operator_norm);
  const double cross_ratio = norms.cross_gram / norms.cross_operator_norm;

  constexpr double below = 1.0 - 5e-4, above = 1.0 + 5e-4;  // so that four digits stay on the safe side
  std::vector<Condition> list;
  const auto at_least = [&list](std::string_view name, std::string_view about, double left, double right,
                                std::string remedy) {
    list.push_back({name, about, left, right, false, left >= right, std::move(remedy)});
  };
  const auto or_more = [&](std::string_view name, std::string_view about, double left, double right,
                           const std::string& what) {
    at_least(name, about, left, right, rounded(right * above, 4) + " " + what + " or more");
  };
  const auto at_most = [&](std::string_view name, std::string_view about, double left, double right,
                           const std::string& before, const std::string& after) {
    list.push_back({name, about, left, right, true, left <= right, before + rounded(right * below, 4) + after});
  };
  at_least("trace", "Tr(A^T A) >= c1 n max{F log(n^2/delta), sqrt(n) F sqrt(log(n^2/delta)) K/n}", norms.trace,
           s.c1 * n * norms.gram * std::max(log_pairs, std::sqrt(log_pairs) * K / std::sqrt(n)),
           "more dimensions d, or fewer records n");
  at_least("frob_op", "F_ij/|A_i^T A_j| >= c1 sqrt(log(K/delta)), the least pair", std::min(own_ratio, cross_ratio),
           s.c1 * std::sqrt(std::log(K) + log_one), "a smaller spike, so that no direction carries the noise alone");
  at_least("diag", "F_ii >= c1 max F_ik", norms.gram, s.c1 * norms.cross_gram, "a larger spike: F_kk above F_kj");
  list.back().holds |= s.c1 <= 1.0;  // F_ii >= F_ik always; equality at equal singular values must not hang on rounding
  or_more("width", "m >= c1 log(n/delta) kappa^2", m, s.c1 * log_n * kappa * kappa, "filters");
  or_more("samples", "n >= c1 log(m/delta)", n, s.c1 * (std::log(m) + log_one), "records");
  or_more("width_init", "m >= c log(n/delta) log(T)^2/(n sigma_0^2)", m,
          s.c * log_n * log_steps * log_steps / (n * s.initial_scale * s.initial_scale), "filters");
  at_least("rank", "min{m, d, rank A} - 0.9 m >= c n", std::min({m, d, norms.rank}) - 0.9 * m, s.c * n,
           "ten filters for each record, and noise of rank 0.9 m + n");
  at_least("dim", "d >= c1 log(m n/delta)", d, s.c1 * (std::log(m) + log_n), "more dimensions d, or fewer records n");
  at_most("eta_clip", "eta <= 1/(c1 (C + sqrt(d) sigma_n) (|u| + sqrt(1.5 Tr)))", s.step_size,
          1.0 / (s.c1 * (s.clip + std::sqrt(d) * s.private_noise) * (s.signal_norm + std::sqrt(1.5 * norms.trace))),
          "a step of at most ", "");
  at_most("eta_width", "eta <= m n log(T)/Tr", s.step_size, m * n * log_steps / norms.trace, "a step of at most ", "");
  at_least("batch", "B >= c2 n", s.batch, s.c2 * n, "batches of " + rounded(s.c2 * n * above, 4) + " or more");
  at_most("sigma0", "sigma_0 <= min{F_kj, |u|^2}/(c1 n max{sqrt(log(K m/delta)) |u|, log(K m/delta) |A|_F})",
          s.initial_scale,
          std::min({norms.gram, norms.cross_gram, s.signal_norm * s.signal_norm}) /
              (s.c1 * n * std::max(std::sqrt(log_filters) * s.signal_norm, log_filters * norms.frobenius)),
          "a start of standard deviation ", " or less");
  return list;
}

Verdict verdict(const std::vector<Condition>& conditions) {
  Verdict found;
  for (const auto& one : conditions) {
    if (!one.holds) {
      found.violations.push_back({"Condition 1, " + std::string(one.name) + ": " + std::string(one.about),
                                  rounded(one.left, 4) + " against " + rounded(one.right, 4), one.remedy});
    }
  }
  return found;
}

std::vector<std::string> violated(const std::vector<Condition>& conditions) {
  std::vector<std::string> names;
  for (const auto& condition : conditions) {
    if (!condition.holds) {
      names.emplace_back(condition.name);
    }
  }
  return names;
}

}  // namespace dpcurves::bounds
