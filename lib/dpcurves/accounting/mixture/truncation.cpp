// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <arb_hypgeom.h>

#include <dpcurves/accounting/mixture/truncated.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting {

using rigorous::Precision;
using rigorous::Real;

namespace {

/// I_z(a, b).
Real regularised_beta(double a, double b, const Real& z) {
  Real r;
  for (slong bits = 128; bits <= 4096; bits *= 2) {
    arb_hypgeom_beta_lower(r.get(), Real(a).get(), Real(b).get(), z.get(), 1, bits);
    if (r.positive() && r.radius() < 1e-18 * r.middle()) {
      break;
    }
  }
  return r;
}

}  // namespace

Real mixture::binomial_at_least(double n, double p, double k) {
  if (k <= 0.0) {
    return {1};
  }
  if (k > n || p == 0.0) {
    return {};
  }
  return p == 1.0 ? Real(1) : regularised_beta(k, n - k + 1.0, Real(p));
}

Real mixture::binomial_below(double n, double p, double k) {
  if (k <= 0.0) {
    return {};
  }
  if (k > n || p == 0.0) {
    return {1};
  }
  return p == 1.0 ? Real() : regularised_beta(n - k + 1.0, k, Real(1) - Real(p));
}

Truncation truncation(double records, double sampling_rate, double largest_batch) {
  require_domain(records >= 1.0 && records == std::floor(records), "records", records, "the whole numbers [1, inf)");
  require_domain(largest_batch >= 1.0 && largest_batch == std::floor(largest_batch), "largest_batch", largest_batch,
                 "the whole numbers [1, inf)");
  require_domain(sampling_rate >= 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "[0, 1]");
  const Precision precision(160);
  const Real full = mixture::binomial_at_least(records - 1.0, sampling_rate, largest_batch),
             more = mixture::binomial_at_least(records, sampling_rate, largest_batch + 1.0);
  const Real kept = more * Real(largest_batch) / Real(records);
  const auto probability = [](const Real& r) { return clamp(r.enclosure(), 0.0, 1.0); };
  return {probability(full), full.positive() ? probability(kept / full) : exactly(0.0),
          probability(Real(sampling_rate) * (Real(1) - full) + kept), probability(more)};
}

}  // namespace dpcurves::accounting
