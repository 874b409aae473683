// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/privacy_answers.hpp>
#include <dpcurves/queries/setting.hpp>

namespace dpcurves::queries::answered {
namespace {

using accounting::Guarantee;

accounting::Answer ask(const accounting::PrivacyCurve& curve, const Target& target) {
  if (target.delta == 1.0) {
    return {exactly(0.0), "delta 1 allows everything"};
  }
  if (target.delta == 0.0) {
    return {curve.renyi(infinity), "largest privacy loss"};
  }
  return target.delta ? curve.epsilon(*target.delta) : curve.delta(*target.epsilon);
}

/// Fills in the answer to epsilon or delta: the worst of the directions, where there are several.
void answer(Row& row, const Target& target) {
  const Guarantee& guarantee = row.guarantee;
  if (guarantee.directions.size() < 2) {
    const auto only = ask(*guarantee.curve, target);
    row.answer = only.value;
    row.method = only.method;
    row.proved = only.proved();
    row.direction = only.direction;
    return;
  }
  for (const auto& one : guarantee.directions) {
    auto found = ask(*one.curve, target);
    row.proved = row.proved && found.proved();
    if (!row.answer || found.value.upper > row.answer->upper) {
      row.method = found.method;
      row.direction = one.direction;
    }
    row.answer = row.answer ? Enclosure{std::max(row.answer->lower, found.value.lower),
                                        std::max(row.answer->upper, found.value.upper)}
                            : found.value;
    found.direction = one.direction;
    row.directions.push_back(std::move(found));
  }
}

Result solve(const Algorithm& algorithm, const Values& values, const Target& target) {
  Result result{target, {}, std::nullopt};
  for (auto& guarantee : algorithm.guarantees(values, target)) {
    Row row;
    row.guarantee = std::move(guarantee);
    if (row.guarantee.applies()) {
      row.mu = row.guarantee.curve->mu();
      if (target.delta || target.epsilon) {
        try {
          answer(row, target);
        } catch (const ConvergenceError& error) {
          row.failure = error.what();  // another theorem may have an answer
        }
      } else if (!row.mu) {
        continue;  // has no GDP parameter, and nothing else was asked for
      }
    }
    result.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const Row& row = result.rows[i];
    const bool usable = row.guarantee.promised() && row.failure.empty();
    if (usable && (!result.best || ranking(row) < ranking(result.best_row()))) {
      result.best = i;
    }
  }
  for (const Row& row : result.rows) {
    if (!result.best && !row.failure.empty()) {
      throw ConvergenceError(row.failure);
    }
  }
  return result;
}

std::vector<Target> targets(const Values& values) {
  exclude(values, "delta", "epsilon");
  std::vector<Target> list;
  const std::optional<double> accuracy = values.maybe("accuracy");
  for (const double delta : values.numbers("delta")) {
    list.push_back({std::nullopt, delta, {}, accuracy});
  }
  for (const double epsilon : values.numbers("epsilon")) {
    list.push_back({epsilon, std::nullopt, {}, accuracy});
  }
  if (list.empty()) {
    list.emplace_back();
  }
  return list;
}

/// \throws DomainError  that names what every theorem needs, if none applies.
void require_answer(const Algorithm& algorithm, const Result& result) {
  if (result.best) {
    return;
  }
  std::string reasons;
  for (const Row& row : result.rows) {
    reasons += lacking_text(row.guarantee);
    for (const auto& violation : row.guarantee.violations) {
      reasons += violation.remedy.empty() ? "" : "\n    change to: " + violation.remedy;
    }
  }
  if (reasons.empty()) {
    throw UsageError("--delta or --epsilon: give one of them, " + algorithm.name +
                     " has no GDP parameter in this setting");
  }
  throw DomainError("no theorem applies:" + reasons);
}

}  // namespace

double ranking(const Row& row) { return row.answer ? row.answer->upper : row.mu ? row.mu->upper : infinity; }

std::vector<Result> answers(const Algorithm& algorithm, const Values& values, std::optional<double> swept) {
  std::vector<Result> results;
  for (const Target& target : targets(values)) {
    results.push_back(solve(algorithm, values, target));
    results.back().swept = swept;
    results.back().run = algorithm.run ? algorithm.run(values) : Value{};
    require_answer(algorithm, results.back());
  }
  return results;
}

}  // namespace dpcurves::queries::answered
