// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>

namespace dpcurves::accounting {

using mechanism::Sampler;

std::optional<double> central_limit_mu(const DpSgd& run) {
  const auto used = detail::samplers(run);
  const auto found = detail::laws(used.front(), run.adjacency);
  if (found.empty() || used.size() > 1 || found.front().pair == Pair::fixed_size_remove || detail::allocated(run) ||
      !detail::claims_of(run).empty() || !run.concentrated.empty() || !run.mechanisms.empty() ||
      mixture::needs_mixtures(run)) {
    return std::nullopt;
  }
  return approximate_mu(run);
}

double approximate_mu(const DpSgd& run) {
  if (mixture::needs_mixtures(run)) {
    return mixture::violations(run).empty() ? mixture::approximate_mu(run) : std::numeric_limits<double>::infinity();
  }
  for (const Sampler sampling : detail::samplers(run)) {
    if (detail::laws(sampling, run.adjacency).empty()) {
      return std::numeric_limits<double>::infinity();
    }
  }
  double squares = 0.0;
  for (const SubsampledGaussian& part : detail::compose(run, detail::direction_names(run).front()).components) {
    const double square = part.mu * part.mu;
    const double rate_squared = part.sampling_rate * part.sampling_rate;
    double jump = 0.0;  // second moment of the likelihood ratio less 1, over rate_squared
    switch (part.pair) {
      case Pair::symmetrised:
        jump = part.sampling_rate == 1.0 ? square : 2.0 * central_limit(1.0, std::min(part.mu, 1e6), 1.0).B;
        break;
      case Pair::poisson_replace_one:
        jump = 4.0 * (part.sampling_rate == 1.0 ? square : std::sinh(square));
        break;
      case Pair::fixed_size_remove:
      case Pair::fixed_size_add:  // of an instance: N(mu) against N(0) beside N(-mu)
        jump = std::exp(2.0 * square) * std::expm1(2.0 * square) - std::exp(square) * std::expm1(square);
        break;
      default:
        jump = part.sampling_rate == 1.0 ? square : std::expm1(square);
    }
    squares += rate_squared * part.count * jump;
  }
  return std::sqrt(squares);
}

}  // namespace dpcurves::accounting
