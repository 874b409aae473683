// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Strategies of correlated noise: sensitivities by participation rules, errors, noise at a target.
#include <string>

#include <dpcurves/calculators/tables/row.hpp>
#include <dpcurves/calculators/tables/topics.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/tree_aggregation.hpp>
#include <dpcurves/correlated/participation_mean.hpp>
#include <dpcurves/correlated/strategy_comparison.hpp>

namespace dpcurves::calculators {
namespace {

using correlated::ParticipationPattern;
using correlated::Strategy;

std::size_t count(double value) { return static_cast<std::size_t>(value); }

Record ends(const Enclosure& interval) { return {{"lower", {interval.lower}}, {"upper", {interval.upper}}}; }

/// Who takes part.
struct RuleSetting {
  double steps = 1.0, separation = 1.0, participations = 1.0;
  std::string participation = "single";
  static constexpr std::tuple fields{
      required("steps", "T", &RuleSetting::steps, whole("[1, 1e6]"), "number of steps"),
      optional("participation", &RuleSetting::participation, "single, cyclic or min-separation"),
      optional("separation", "b", &RuleSetting::separation, whole("[1, 1e6]"), "steps from one use to the next"),
      optional("participations", "k", &RuleSetting::participations, whole("[1, 1e6]"), "at most so many per record")};

  [[nodiscard]] ParticipationPattern pattern() const {
    return {correlated::participation_rule_of(participation), count(separation), count(participations)};
  }
};

Record sensitivity_record(const correlated::PatternSensitivity& found) {
  return {{"sensitivity", {ends(found.value)}}, {"exact", {found.exact}}};
}

models::StrategyMatrix toeplitz(const std::vector<double>& coefficients, double steps) {
  if (coefficients.empty() || coefficients.size() > 10000) {
    throw DomainError("", "coefficients", static_cast<double>(coefficients.size()), "1 to 10000 numbers");
  }
  return models::StrategyMatrix::toeplitz(coefficients, count(steps));
}

/// C by its coefficients or by its rows.
struct MatrixSetting {
  std::vector<double> coefficients;
  std::vector<std::vector<double>> rows;
  static constexpr std::tuple fields{
      optional("coefficients", &MatrixSetting::coefficients, "(-inf, inf)", "c_0 > 0, c_1, ... of a Toeplitz matrix"),
      optional("rows", &MatrixSetting::rows, "(-inf, inf)", "or the rows of C: row t has t numbers")};

  [[nodiscard]] models::StrategyMatrix at(double steps) const {
    if (rows.empty()) {
      return toeplitz(coefficients, steps);
    }
    if (!coefficients.empty()) {
      throw DomainError("rows: has no meaning beside coefficients");
    }
    if (static_cast<double>(rows.size()) != steps || rows.size() > 1000) {
      throw DomainError("", "rows", static_cast<double>(rows.size()), "T rows, at most 1000");
    }
    return models::StrategyMatrix::lower_triangular(rows);
  }
};

Record participation_sensitivity(const RuleSetting& rule, const MatrixSetting& given) {
  const auto matrix = given.at(rule.steps);
  Record record = sensitivity_record(correlated::pattern_sensitivity(matrix, rule.pattern()));
  if (matrix.steps() <= 10000) {
    const auto norms = matrix.column_norms();
    record.add("column_norms", {std::vector<Value>(norms.begin(), norms.end())});
  }
  return record;
}

/// C over its diagonal.
Strategy scaled_toeplitz(const models::StrategyMatrix& matrix) {
  std::vector<double> scaled = matrix.coefficients();
  const double diagonal = scaled.front();
  for (double& c : scaled) {
    c /= diagonal;
  }
  return correlated::banded_strategy(matrix.steps(), std::move(scaled));
}

/// A strategy by name.
struct NamedSetting {
  std::string strategy = "identity";
  double lambda = 0.0, bands = 1.0;
  std::vector<double> theta, omega, coefficients, workload;
  static constexpr std::tuple fields{
      required("strategy", &NamedSetting::strategy, "identity, lambda, bsr, bisr, blt or toeplitz"),
      optional("lambda", &NamedSetting::lambda, "[0, 1)", "of lambda"),
      optional("bands", "p", &NamedSetting::bands, whole("[1, 1e4]"), "of bsr and bisr"),
      optional("theta", &NamedSetting::theta, "[0, 1]", "decays of the buffers of blt"),
      optional("omega", &NamedSetting::omega, "[0, 1]", "their weights"),
      optional("coefficients", &NamedSetting::coefficients, "(-inf, inf)", "of toeplitz: c_0 > 0, c_1, ..."),
      optional("workload", &NamedSetting::workload, "(-inf, inf)",
               "first column of a Toeplitz workload, in place of retention")};

  /// c_0, which named strategies have as 1.
  [[nodiscard]] double diagonal() const { return strategy == "toeplitz" ? coefficients.at(0) : 1.0; }

  [[nodiscard]] Strategy at(double steps) const {
    const std::size_t t = count(steps);
    if (strategy == "identity") {
      return correlated::identity_strategy(t);
    }
    if (strategy == "lambda") {
      return correlated::lambda_strategy(t, lambda);
    }
    if (strategy == "bsr" || strategy == "bisr") {
      if (bands > steps) {
        throw DomainError("", "bands", bands, "[1, T]");
      }
      return strategy == "bsr" ? correlated::bsr_strategy(t, count(bands)) : correlated::bisr_strategy(t, count(bands));
    }
    if (strategy == "toeplitz") {
      return scaled_toeplitz(toeplitz(coefficients, steps));
    }
    if (strategy != "blt") {
      throw DomainError("strategy: \"" + strategy + "\" is none of identity, lambda, bsr, bisr, blt and toeplitz");
    }
    if (theta.size() != omega.size() || theta.size() > 16) {
      throw DomainError("", "omega", static_cast<double>(omega.size()), "one per decay, at most 16");
    }
    std::vector<std::pair<double, double>> buffers;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      buffers.emplace_back(theta[j], omega[j]);
    }
    return correlated::blt_strategy(t, std::move(buffers));
  }
};

Record strategy_error(const RuleSetting& rule, const NamedSetting& named, double retention) {
  const auto& workload = named.workload;
  const Strategy strategy = named.at(rule.steps);
  const double diagonal = named.diagonal();
  if (!workload.empty() && retention != 1.0) {
    throw DomainError("workload: has no meaning beside retention");
  }
  if (static_cast<double>(workload.size()) > std::min(rule.steps, 10000.0)) {
    throw DomainError("", "workload", static_cast<double>(workload.size()), "at most T numbers and 10000");
  }
  const auto error = workload.empty() ? correlated::strategy_error(strategy, retention)
                                      : correlated::strategy_error(strategy, workload);
  auto sensitivity = named.strategy == "toeplitz"
                         ? correlated::pattern_sensitivity(toeplitz(named.coefficients, rule.steps), rule.pattern())
                         : correlated::pattern_sensitivity(strategy.matrix, rule.pattern(), strategy.entry_error);
  Record record = sensitivity_record(sensitivity);
  record.add("mean", {error.mean / diagonal});
  record.add("maximum", {error.maximum / diagonal});
  record.add("last", {error.last / diagonal});
  return record;
}

Record tree_aggregation(const RuleSetting& rule) {
  Record record = sensitivity_record(correlated::tree_sensitivity(count(rule.steps), rule.pattern()));
  const auto plain = correlated::tree_error(count(rule.steps), false);
  const auto honaker = correlated::tree_error(count(rule.steps), true);
  record.add("mean", {plain.mean});
  record.add("maximum", {plain.maximum});
  record.add("mean_honaker", {honaker.mean});
  record.add("maximum_honaker", {honaker.maximum});
  return record;
}

Record cyclic_poisson(double steps, std::vector<double> coefficients, double groups, double rate, double noise,
                      double epsilon) {
  const auto matrix = toeplitz(coefficients, steps);
  if (matrix.bandwidth() > count(groups) || groups > steps) {
    throw DomainError("", "groups", groups, "at least the bands, at most T");
  }
  const double diagonal = matrix(0, 0);
  const Strategy strategy = scaled_toeplitz(matrix);
  const auto at = [&](mechanism::Adjacency adjacency) {
    return correlated::cyclic_poisson_guarantee(strategy, {count(groups), rate}, noise / diagonal, adjacency)
        .curve->delta(epsilon)
        .value;
  };
  return {{"delta_remove", {ends(at(mechanism::Adjacency::remove))}},
          {"delta_add", {ends(at(mechanism::Adjacency::add))}}};
}

Record same_batch_mean(double correlation, double rate, double steps, double noise, double epsilon,
                       double sensitivity) {
  const correlated::ParticipationMean mean(models::StrategyMatrix::exponential(correlation, count(steps)), rate,
                                           sensitivity);
  return {{"delta", {ends(mean.delta(epsilon, noise))}}};
}

}  // namespace

std::vector<Calculator> strategies() {
  const auto noise = argument("noise_multiplier", "kappa", "[1e-3, 1e6]", "noise multiplier"),
             rate = argument("rate", "r", "(0, 1]", "sampling rate"),
             epsilon = argument("epsilon", "epsilon", "[0, 700]", "epsilon");
  const auto coefficients =
      argument("coefficients", "coefficients", "(-inf, inf)", "c_0 > 0, c_1, ... of a Toeplitz matrix");
  return {calculator<&participation_sensitivity>("participation-sensitivity", {"derived-5"},
                                                 "sensitivity of a matrix when a record takes part by a rule"),
          calculator<&strategy_error>(
              "strategy-error", {"derived-5"}, "sensitivity and errors of the running sums of a strategy by name",
              {argument("retention", "retention", "[-1, 1]", "s_t = retention s_{t-1} + x_t; 1: running sums", 1.0)}),
          calculator<&tree_aggregation>("tree-aggregation", {"derived-5"},
                                        "sensitivity and errors of sums over dyadic blocks, plain and Honaker's"),
          calculator<&cyclic_poisson>("cyclic-poisson-delta", {"derived-6"},
                                      "delta of a banded Toeplitz matrix whose groups of records take turns",
                                      {argument("steps", "T", whole("[1, 1e6]"), "number of steps"), coefficients,
                                       argument("groups", "b", whole("[1, 1e6]"), "groups, at least the bands"),
                                       argument("rate", "q", "(0, 1]", "rate in a turn of the group"), noise, epsilon}),
          calculator<&same_batch_mean>(
              "same-batch-mean", {"derived-4"}, "ends of the same-batch bound with the mean over participations",
              {argument("correlation", "lambda", "[0, 1)", "correlation of lambda-CGD"), rate,
               argument("steps", "T", whole("[1, 400]"), "number of steps"), noise, epsilon,
               argument("sensitivity", "f", "(0, 2]", "1: a record zeroed out, 2: replaced", 1.0)})};
}

}  // namespace dpcurves::calculators
