// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Limits on attacks, to which calibrate finds a parameter.
#include <cmath>
#include <optional>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/queries/attack.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::queries {

std::optional<attack::Limit> limit_of(const AttackTarget& target) {
  using attack::Measure;
  std::optional<attack::Limit> limit;
  std::string first;
  const auto needed = [](const std::optional<double>& value, const char* option, const std::string& name) {
    if (!value) {
      throw UsageError(std::string(option) + ": is required with --" + name);
    }
    return *value;
  };
  const auto choose = [&](const std::optional<double>& most, const std::string& name, Measure measure) {
    if (!most) {
      return;
    }
    if (!first.empty()) {
      throw UsageError("--" + first + " and --" + name + " exclude each other: one target at a time");
    }
    first = name;
    limit = attack::Limit{measure, *most, 0.0, target.prior.value_or(0.5)};
    if (measure == Measure::power || measure == Measure::precision) {
      limit->at = needed(target.fpr, "--fpr", name);
    } else if (measure == Measure::reconstruction) {
      limit->at = needed(target.baseline, "--baseline", name);
    } else if (measure == Measure::gdp_parameter) {
      constexpr double usual_floor = 1e-10;
      limit->at = target.mu_delta_floor.value_or(usual_floor);
    }
  };
  choose(target.advantage, "advantage", Measure::advantage);
  choose(target.tpr, "tpr", Measure::power);
  choose(target.bayes_accuracy, "bayes-accuracy", Measure::bayes_accuracy);
  choose(target.precision, "precision", Measure::precision);
  choose(target.reconstruction, "reconstruction", Measure::reconstruction);
  choose(target.auc, "auc", Measure::area);
  choose(target.gdp_mu, "gdp-mu", Measure::gdp_parameter);
  if (limit) {
    try {
      static_cast<void>(attack::gaussian_mu(*limit));
    } catch (const DomainError& error) {
      throw UsageError("--" + first + ": " + shortest(limit->most) + " is outside " + error.domain());
    }
  }
  return limit;
}

double deciding_epsilon(const attack::Limit& limit) {
  using attack::Measure;
  const double mu = attack::gaussian_mu(limit);
  switch (limit.measure) {
    case Measure::power:
    case Measure::precision:
    case Measure::reconstruction:
      return std::max(0.0, mu * numerics::normal_upper_quantile(limit.at) - 0.5 * mu * mu);
    case Measure::bayes_accuracy:
      return std::abs(std::log((1.0 - limit.prior) / limit.prior));
    case Measure::gdp_parameter:
      return tradeoff::epsilon_enclosure(limit.at, exactly(mu)).upper;
    case Measure::advantage:
    case Measure::area:
      break;
  }
  return 0.0;
}

std::string words(const attack::Limit& limit) {
  using attack::Measure;
  switch (limit.measure) {
    case Measure::power:
      return "TPR at FPR " + shortest(limit.at);
    case Measure::bayes_accuracy:
      return "accuracy at prior " + shortest(limit.prior);
    case Measure::precision:
      return "precision at FPR " + shortest(limit.at) + ", prior " + shortest(limit.prior);
    case Measure::reconstruction:
      return "reconstruction, baseline " + shortest(limit.at);
    case Measure::area:
      return "AUC";
    case Measure::gdp_parameter:
      return "mu where delta >= " + shortest(limit.at);
    case Measure::advantage:
      break;
  }
  return "advantage";
}

}  // namespace dpcurves::queries
