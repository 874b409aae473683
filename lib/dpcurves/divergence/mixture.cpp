// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/mixture.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::divergence {

double mixture_renyi(double renyi_order, std::span<const double> divergences, std::span<const double> weights) {
  require_domain(renyi_order > 1.0 && std::isfinite(renyi_order), "renyi_order", renyi_order, "(1, inf)");
  require_domain(!divergences.empty(), "divergences", 0.0, "lists of at least one entry");
  require_domain(weights.size() == divergences.size(), "weights", static_cast<double>(weights.size()),
                 "lists as long as the divergences");
  double greatest = 0.0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    require_domain(divergences[j] >= 0.0, "divergences", divergences[j], "[0, inf]");
    require_domain(weights[j] > 0.0 && std::isfinite(weights[j]), "weights", weights[j], "(0, inf)");
    greatest = std::max(greatest, divergences[j]);
  }
  if (std::isinf(greatest)) {
    return greatest;
  }
  const double excess = renyi_order - 1.0;
  // Nothing is subtracted from 1 where divergences are small, nothing overflows where they are large.
  const bool small = excess * greatest < 30.0;
  numerics::CompensatedSum total, moment;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    total += weights[j];
    moment +=
        weights[j] * (small ? std::expm1(excess * divergences[j]) : std::exp(excess * (divergences[j] - greatest)));
  }
  const double mean = moment.value() / total.value();
  return small ? std::log1p(mean) / excess : greatest + std::log(mean) / excess;
}

}  // namespace dpcurves::divergence
