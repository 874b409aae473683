// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iterator>

#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/privacy_answers.hpp>
#include <dpcurves/queries/detail/setting.hpp>

namespace dpcurves::queries::answered {

using accounting::Guarantee;

accounting::Answer ask(const accounting::PrivacyCurve& curve, const Target& target, Enclosure bar) {
  const double delta = target.delta.value_or(0.0);
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
  if (target.delta == 1.0) {
    return {exactly(0.0), "delta 1 allows everything"};
  }
  if (target.delta == 0.0) {
    return {curve.renyi(infinity), "largest privacy loss"};
  }
  return target.delta ? curve.epsilon_unless_below(*target.delta, bar)
                      : curve.delta_unless_below(*target.epsilon, bar.lower);
}

namespace {

/// An answer, or why there is none: another theorem may have one.
struct Found {
  accounting::Answer answer;
  std::string failure;
};

Found found(const accounting::PrivacyCurve& curve, const Target& target, Enclosure bar) {
  try {
    return {ask(curve, target, bar), ""};
  } catch (const ConvergenceError& error) {
    return {{}, error.what()};
  }
}

/// The same at many targets, which share what they build. Below the answers so far in other directions they may be
/// wide.
std::vector<Found> found(const accounting::PrivacyCurve& curve, const std::vector<Target>& targets,
                         const std::vector<Row>& rows, const Effort& effort) {
  std::vector<double> sizes;
  for (const Target& target : targets) {
    sizes.push_back(target.delta ? *target.delta : *target.epsilon);
  }
  std::vector<Found> all(targets.size());
  accounting::in_shared_pieces(
      sizes, effort.threads,
      [&](std::size_t i) { all[i] = found(curve, targets[i], rows[i].answer.value_or(exactly(0.0))); },
      effort.progress);
  return all;
}

/// Takes an answer in one more direction: the worst of them counts.
void take(Row& row, Found one) {
  if (!row.failure.empty() || !one.failure.empty()) {
    row.failure = row.failure.empty() ? one.failure : row.failure;
    row.answer.reset();
    return;
  }
  const Enclosure& value = one.answer.value;
  row.proved = row.proved && one.answer.proved();
  if (!row.answer || value.upper > row.answer->upper) {
    row.method = one.answer.method;
    row.direction = one.answer.direction;
  }
  row.answer = row.answer
                   ? Enclosure{std::max(row.answer->lower, value.lower), std::max(row.answer->upper, value.upper)}
                   : value;
}

/// Fills in the answers to epsilon or delta, a row for each target.
void answer_rows(std::vector<Row>& rows, const std::vector<Target>& targets, const Effort& effort) {
  const Guarantee guarantee = rows.front().guarantee;
  const auto take_all = [&](const accounting::PrivacyCurve& curve, const std::string* direction) {
    auto all = found(curve, targets, rows, effort);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (direction != nullptr) {
        all[i].answer.direction = *direction;
        rows[i].directions.push_back(all[i].answer);
      }
      take(rows[i], std::move(all[i]));
    }
  };
  if (guarantee.directions.size() < 2) {
    take_all(*guarantee.curve, nullptr);
    return;
  }
  for (const auto& one : guarantee.directions) {
    take_all(*one.curve, &one.direction);
  }
}

/// The theorems of one setting at each target, by guarantees that were made for the first.
std::vector<Result> solve_targets(const Algorithm& algorithm, const Values& values, const std::vector<Target>& targets,
                                  const Effort& effort) {
  std::vector<Result> results = mapped(targets, [&](const Target& target) { return Result{target, {}, std::nullopt}; });
  const bool asked = targets.front().delta || targets.front().epsilon;
  for (const auto& guarantee : algorithm.guarantees(values, targets.front())) {
    Row row;
    row.guarantee = guarantee;
    if (guarantee.applies()) {
      row.mu = guarantee.curve->mu();
      if (!asked && row.mu) {
        row.method = guarantee.curve->methods().mu;
      }
      if (!asked && !row.mu) {
        continue;  // has no GDP parameter, and nothing else was asked for
      }
    }
    std::vector<Row> rows(targets.size(), row);
    if (guarantee.applies() && asked) {
      answer_rows(rows, targets, effort);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      results[i].rows.push_back(std::move(rows[i]));
    }
  }
  for (Result& result : results) {
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
  }
  return results;
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

std::vector<Result> answers(const Algorithm& algorithm, const Values& values) {
  std::vector<Result> results;
  for (const Target& target : targets(values)) {
    results.push_back(std::move(solve_targets(algorithm, values, {target}, {}).front()));
    results.back().run = algorithm.run ? algorithm.run(values) : Value{};
    require_answer(algorithm, results.back());
  }
  return results;
}

std::vector<Result> answers(const Algorithm& algorithm, const std::vector<Values>& settings, const Sweep& sweep,
                            const Effort& effort) {
  const bool one_setting = (sweep.option == "delta" || sweep.option == "epsilon") && !algorithm.chooses_for_target &&
                           !settings.front().has("certificate");
  if (one_setting) {
    const std::vector<Target> all = mapped(settings, [&](const Values& values) { return targets(values).front(); });
    auto results = solve_targets(algorithm, settings.front(), all, effort);
    const Value run = algorithm.run ? algorithm.run(settings.front()) : Value{};
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].swept = sweep.values[i];
      results[i].run = run;
      require_answer(algorithm, results[i]);
    }
    return results;
  }
  std::vector<std::vector<Result>> parts(settings.size());
  accounting::in_shared_pieces(
      settings.size(), effort.threads,
      [&](std::size_t i) {
        parts[i] = answers(algorithm, settings[i]);
        for (Result& result : parts[i]) {
          result.swept = sweep.values[i];
        }
      },
      effort.progress);
  std::vector<Result> results;
  for (auto& part : parts) {
    std::move(part.begin(), part.end(), std::back_inserter(results));
  }
  return results;
}

}  // namespace dpcurves::queries::answered
