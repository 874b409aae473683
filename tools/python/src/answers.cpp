// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions about the guarantees of many runs: the best answer of each, and how it came about.
#include <algorithm>
#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/privacy_answers.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using accounting::Answer;
using accounting::Guarantee;
using attack::Attack;

struct Found {
  Enclosure value;
  std::string theorem, method, direction;
};

Answer of_attack(Attack& attack, const std::string& measure, double at, double prior) {
  const auto answer = [&](const Enclosure& value, const std::string& direction) {
    return Answer{value, attack.method(), direction};
  };
  if (measure == "tpr") {
    const auto found = attack.power(at);
    return answer(found.value.power, found.direction);
  }
  if (measure == "advantage") {
    const auto found = attack.advantage();
    return answer(found.value.advantage, found.direction);
  }
  if (measure == "bayes_error") {
    const auto found = attack.bayes_error(prior);
    return answer(found.value.error, found.direction);
  }
  if (measure == "precision") {
    const auto found = attack.precision_at_rate(prior, at);
    return answer(found.value.precision, found.direction);
  }
  if (measure == "precision_at_recall") {
    const auto found = attack.precision_at_recall(prior, at);
    return answer(found.value.precision, found.direction);
  }
  if (measure == "auc") {
    const auto found = attack.area();
    return answer(found.value, found.direction);
  }
  if (measure == "reconstruction") {
    const auto found = attack.reconstruction(at);
    return answer(found.value.power, found.direction);
  }
  if (measure == "posterior_odds") {
    const auto found = attack.posterior_tail(at);
    return answer(found.value, found.direction);
  }
  if (measure == "regret") {
    return answer(attack.regret(at).regret, "");
  }
  throw UsageError("there is no measure " + measure);
}

bool of_curve(const std::string& quantity) {
  return quantity == "epsilon" || quantity == "delta" || quantity == "renyi" || quantity == "mu";
}

/// Nothing where the theorem has no GDP parameter.
std::optional<Answer> of_curve(const accounting::PrivacyCurve& curve, const std::string& quantity, double at) {
  if (quantity == "epsilon") {
    return queries::answered::ask(curve, {std::nullopt, at, {}, {}});
  }
  if (quantity == "delta") {
    return queries::answered::ask(curve, {at, std::nullopt, {}, {}});
  }
  if (quantity == "renyi") {
    return Answer{curve.renyi(at), curve.methods().renyi};
  }
  const auto mu = curve.mu();
  return mu ? std::optional(Answer{*mu, curve.methods().mu}) : std::nullopt;
}

/// Errors of an attack are promised from below, all else from above.
bool of_errors(const std::string& quantity) { return quantity == "tradeoff" || quantity == "bayes_error"; }

/// A lower end of the bound alone says nothing of the mechanism: then the end that is not promised is one that always
/// holds.
Enclosure of_mechanism(const Guarantee& guarantee, const std::string& quantity, Enclosure value, double at,
                       double prior) {
  if (!guarantee.upper_only) {
    return value;
  }
  if (quantity == "tradeoff") {
    return {value.lower, next_up(1.0 - at)};
  }
  return quantity == "bayes_error" ? Enclosure{value.lower, std::min(prior, 1.0 - prior)} : Enclosure{0.0, value.upper};
}

/// Keeps the better of two answers. Of curves both ends are the better ones, as accounting::best_curve has them.
void improve(std::optional<Found>& best, Found other, const std::string& quantity) {
  if (!best) {
    best = std::move(other);
    return;
  }
  const Enclosure a = best->value, b = other.value;
  if (of_errors(quantity) ? b.lower > a.lower : b.upper < a.upper) {
    best = std::move(other);
  }
  if (quantity == "tradeoff") {
    best->value = {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
  } else if (quantity == "renyi") {
    best->value = {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
  }
}

/// Rows with the same parameters, in the order in which these come. NaN is equal to nothing but itself.
std::vector<std::vector<std::size_t>> runs_of(const Sweep& sweep) {
  const auto less = [](const std::vector<double>& one, const std::vector<double>& other) {
    return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(),
                                        [](double x, double y) { return std::strong_order(x, y) < 0; });
  };
  std::map<std::vector<double>, std::vector<std::size_t>, decltype(less)> rows_of_runs(less);
  for (std::size_t row = 0; row < sweep.at.size(); ++row) {
    std::vector<double> parameters;
    for (const auto& [name, column] : sweep.columns) {
      parameters.push_back(column[row]);
    }
    rows_of_runs[parameters].push_back(row);
  }
  std::vector<std::vector<std::size_t>> runs;
  for (auto& [parameters, rows] : rows_of_runs) {
    runs.push_back(std::move(rows));
  }
  return runs;
}

/// Rows of one run whose questions share what they build, in order of what is asked and in as many pieces as are wanted
/// of so many rows: threads take them, and Ctrl-C is heard between them.
std::vector<std::vector<std::size_t>> pieces_of(const Sweep& sweep,
                                                const std::function<std::size_t(std::size_t)>& wanted) {
  std::vector<std::vector<std::size_t>> all;
  for (std::vector<std::size_t>& rows : runs_of(sweep)) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return std::strong_order(sweep.at[a], sweep.at[b]) < 0; });
    const std::size_t pieces = wanted(rows.size());
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(piece * rows.size() / pieces);
      const auto end = rows.begin() + static_cast<std::ptrdiff_t>((piece + 1) * rows.size() / pieces);
      all.emplace_back(begin, end);
    }
  }
  return all;
}

constexpr std::size_t few_pieces = 64;

/// Of up to 64 questions to an attacker each is alone.
std::size_t pieces_of_attacks(std::size_t rows) { return std::min(rows, few_pieces); }

/// Type II errors start from those of larger type I errors: up to 1024 are one piece, as on a command line. A piece of
/// 2048 takes a second.
std::size_t pieces_of_errors(std::size_t rows) {
  constexpr std::size_t most_together = 1024, in_a_piece = 512, most_in_a_piece = 2048;
  return rows <= most_together ? 1 : std::max(std::min(rows / in_a_piece, few_pieces), rows / most_in_a_piece);
}

/// The order in which rows are neighbours of each other, where one column alone is not the same in all of them: as they
/// come if that rises or falls, else sorted; thresholds from the largest on, as command lines have them.
std::vector<double> keys_of(const Sweep& sweep) {
  const auto all_same = [](const std::vector<double>& column) {
    return std::adjacent_find(column.begin(), column.end(), std::not_equal_to<>()) == column.end();
  };
  const std::vector<double>* varying = nullptr;
  for (const auto& [name, column] : sweep.columns) {
    if (!all_same(column)) {
      if (varying != nullptr || !all_same(sweep.at)) {
        return {};
      }
      varying = &column;
    }
  }
  if (varying == nullptr) {
    return sweep.at;
  }
  const bool sorted = std::is_sorted(varying->begin(), varying->end()) ||
                      std::is_sorted(varying->begin(), varying->end(), std::greater<>());
  return sorted ? std::vector<double>() : *varying;
}

/// The words of many answers.
Words words_of(const std::vector<std::optional<Found>>& all) {
  std::set<std::string> theorems, methods, directions;
  for (const auto& one : all) {
    theorems.insert(one->theorem);
    methods.insert(one->method);
    directions.insert(one->direction);
  }
  const auto joined = [](const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      text += (text.empty() || word.empty() ? "" : "; ") + word;
    }
    return text;
  };
  return {joined(theorems), joined(methods), joined(directions)};
}

}  // namespace

Sweep::Sweep(std::string asked, const std::map<std::string, py::buffer>& of, const py::buffer& where,
             const py::buffer& priors)
    : quantity(std::move(asked)), at(numbers(where)), prior(numbers(priors)) {
  bool equal = prior.size() == at.size();
  for (const auto& [name, column] : of) {
    equal = (columns[name] = numbers(column)).size() == at.size() && equal;
  }
  if (!equal) {
    throw py::value_error("arrays of different lengths");
  }
}

Words Sweep::answer(const Promised& promised, unsigned threads, const py::buffer& lower,
                    const py::buffer& upper) const {
  std::vector<std::optional<Found>> best(at.size());
  std::vector<std::string> failures(at.size());
  const auto take = [&](std::size_t row, const Guarantee& guarantee, Answer answer) {
    const Enclosure value = of_mechanism(guarantee, quantity, answer.value, at[row], prior[row]);
    improve(best[row], {value, guarantee.theorem, std::move(answer.method), std::move(answer.direction)}, quantity);
  };
  const auto if_proved = [&](std::size_t row, const auto& ask) {  // another theorem may have an answer
    try {
      ask();
    } catch (const ConvergenceError& error) {
      failures[row] = error.what();
    }
  };
  const auto of_row = [&](std::size_t row) {
    for (const Guarantee& one : promised(row)) {
      if_proved(row, [&] {
        if (auto answer = of_curve(*one.curve, quantity, at[row])) {
          take(row, one, std::move(*answer));
        }
      });
    }
  };
  const auto trade_offs = [&](const std::vector<std::size_t>& rows) {  // built once for all type I errors of a run
    std::vector<double> type_one_errors = mapped(rows, [&](std::size_t row) { return at[row]; });
    for (const Guarantee& one : promised(rows.front())) {
      const auto found = one.curve->type_two_errors(type_one_errors);
      const std::string method = one.curve->methods().tradeoff;
      for (std::size_t i = 0; i < found.size(); ++i) {
        take(rows[i], one, {found[i], method});
      }
    }
  };
  const auto attacks = [&](const std::vector<std::size_t>& rows) {
    for (const Guarantee& one : promised(rows.front())) {
      Attack attack(one);
      for (const std::size_t row : rows) {
        if_proved(row, [&] { take(row, one, of_attack(attack, quantity, at[row], prior[row])); });
      }
    }
  };
  patiently([&](const Progress& progress) {
    if (quantity == "epsilon" || quantity == "delta") {
      const auto keys = keys_of(*this);
      keys.empty() ? accounting::in_shared_pieces(at.size(), threads, of_row, progress)
                   : accounting::in_shared_pieces(keys, threads, of_row, progress);
    } else if (of_curve(quantity)) {
      parallel_for(at.size(), threads, of_row, progress);
    } else {
      const bool errors = quantity == "tradeoff";
      const auto pieces = pieces_of(*this, errors ? pieces_of_errors : pieces_of_attacks);
      parallel_for(
          pieces.size(), threads, [&](std::size_t i) { errors ? trade_offs(pieces[i]) : attacks(pieces[i]); },
          progress);
    }
  });
  std::vector<Enclosure> found;
  for (std::size_t row = 0; row < best.size(); ++row) {
    if (!best[row] && !failures[row].empty()) {
      throw ConvergenceError(failures[row]);
    }
    if (!best[row]) {
      throw DomainError("no theorem of a run has a GDP parameter");
    }
    found.push_back(best[row]->value);
  }
  write(found, lower, upper);
  return words_of(best);
}

}  // namespace dpcurves::python
