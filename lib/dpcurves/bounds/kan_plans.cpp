// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/bounds/kan_plans.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::bounds {
namespace {

void check_problem(double records, double margin) {
  require_domain(records >= 2.0 && std::isfinite(records), "records", records, "[2, inf)");
  require_domain(margin > 0.0 && margin <= 1.0, "margin", margin, "(0, 1]");
}

void check_privacy(double inputs, double epsilon) {
  require_domain(inputs >= 1.0 && std::isfinite(inputs), "inputs", inputs, "[1, inf)");
  require_domain(epsilon > 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "(0, inf)");
}

}  // namespace

CorrelatedPlan correlated_plan(double records, double inputs, double margin, double epsilon, double delta,
                               double share) {
  check_problem(records, margin);
  check_privacy(inputs, epsilon);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  require_domain(share > 0.0 && share <= 1.0, "share", share, "(0, 1]");
  const double root_n = std::sqrt(records);
  const double root_d = std::sqrt(inputs);
  CorrelatedPlan result;
  result.plan.iterates = std::min(root_n / margin, records * epsilon * margin * margin / root_d);
  result.plan.batch = share * records;
  result.plan.step_size = 1.0;
  result.plan.units = std::pow(margin, -6.0);
  result.plan.rate = 1.0 / (margin * root_n) + root_d / (std::pow(margin, 4.0) * records * epsilon);
  const double uses = share * result.plan.iterates, needed = 3.0 * (std::log(2.0) - std::log(delta));
  result.privacy_valid = {
      uses >= needed && epsilon <= 1.0,
      {"rho T >= 3 log(2/delta) and epsilon <= 1",
       "rho T = " + rounded(uses, 4) + " against " + rounded(needed, 4) + ", epsilon = " + shortest(epsilon),
       "more records, and epsilon of at most 1"}};
  const double largest = std::min(1.0 / (records * std::sqrt(result.plan.units)), margin / records);
  result.delta_valid = {delta <= largest,
                        {"delta <= min(1/(n sqrt m), gamma/n)", shortest(delta) + " > " + rounded(largest, 4),
                         "delta of at most " + rounded(largest * (1.0 - 5e-4), 4)}};
  return result;
}

Plan independent_plan(double records, double inputs, double margin, double epsilon) {
  check_problem(records, margin);
  check_privacy(inputs, epsilon);
  const double root_n = std::sqrt(records);
  const double root_d = std::sqrt(inputs);
  return {root_n / margin, margin * root_n, std::min(1.0, margin * margin * root_n * epsilon / root_d),
          std::pow(margin, -4.0), 1.0 / (margin * root_n) + root_d / (std::pow(margin, 3.0) * records * epsilon)};
}

NonPrivatePlan non_private_plan(double records, double margin, double batch) {
  check_problem(records, margin);
  require_domain(batch >= 1.0 && batch <= records, "batch", batch, "[1, records]");
  const double rate = 1.0 / (margin * margin * records), largest = margin * std::sqrt(records);
  return {{records * records / (margin * margin * batch), batch, batch / records, 0.0, rate},
          1.0 / records,
          {batch <= largest,
           {"B <= gamma sqrt n", shortest(batch) + " > " + rounded(largest, 4),
            "batches of at most " + rounded(largest * (1.0 - 5e-4), 4)}}};
}

}  // namespace dpcurves::bounds
