// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the kinds of audits share: a report under way, the certified curve it is held to, and the two ways to judge it.
/// Internal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/inference/multi_run.hpp>
#include <dpcurves/inference/one_run.hpp>
#include <dpcurves/queries/audit.hpp>

namespace dpcurves::queries::audits {

/// The certified curve that an audit is held to: of the theorem with the least epsilon.
struct Held {
  Asked theorem;      ///< that certifies it
  double delta;       ///< of the comparison
  Enclosure epsilon;  ///< there
};

/// Nothing without a run. \throws DomainError  where only the order `add` is certified.
[[nodiscard]] std::optional<Held> held(const Promises* run, double delta);

/// A report under way.
struct Audit {
  Report report;                                    ///< what is there so far
  List results;                                     ///< the bounds as data
  Table table{{"what", "lower bound", "how"}, {}};  ///< and in words
  double level = 0.95;                              ///< confidence of each bound

  /// A lower bound in every form of the report.
  void add(const std::string& quantity, const std::string& label, const std::optional<double>& delta, double lower,
           const std::string& method, const std::string& theorem, const std::string& condition = "");
};

[[nodiscard]] Audit begun(const Record& inputs, double significance);  ///< without bounds
/// Epsilon by the Gaussian profile of a mu: a bound for Gaussian curves only.
void add_gaussian(Audit& audit, double mu, const std::vector<double>& deltas, const std::string& theorem);
/// The verdict in words, data and exit code.
void conclude(Audit& audit, const Held& run, bool rejected_above, bool rejected_below, double epsilon_lower,
              double mu_lower, const std::optional<Enclosure>& p_value);
[[nodiscard]] Report finished(Audit& audit, std::string heading);  ///< with the bounds on top

/// Those that are asked for, or the usual one.
[[nodiscard]] std::vector<double> deltas_of(const AuditQuestion& question);
/// "grid:8": 8. Empty where the text is no grid.
[[nodiscard]] std::optional<std::uint64_t> grid_size(const std::string& text);

/// Rates that hold together: TPR at least, FPR at most.
struct Rates {
  double threshold;  ///< of the score
  double power;      ///< TPR, at least
  double rate;       ///< FPR, at most
};
/// The rates at a significance.
using RatesAt = std::function<std::vector<Rates>(double significance)>;

/// The two ends of one threshold's counts.
[[nodiscard]] Rates rates_of(const inference::MultiRun& counts, double significance, double threshold);
/// The certified curve above, the audited mu below, and the rates.
[[nodiscard]] io::Plot rates_plot(Held* run, const std::vector<Rates>& rates, double mu, const std::string& title);
/// The bounds of rates that hold together, and the verdict. \param coarser  rates whose p-value is cheap and at least
/// that of rates_at. \param exact  they are the same.
void judge_rates(Audit& audit, const RatesAt& rates_at, const RatesAt& coarser, bool exact,
                 const AuditQuestion& question, const std::vector<double>& deltas, bool both_sides,
                 const Promises* promises, bool drawn);

/// A rule of thresholds: which were tried, and the rates at a significance.
struct Rule {
  std::string name;           ///< as --thresholds says it
  std::vector<double> tried;  ///< thresholds
  RatesAt rates;              ///< that hold together
  RatesAt coarser;            ///< not sharper, and cheap to ask at another significance
  inference::MultiRun sizes;  ///< that the bounds rest on
};

/// The rule that --thresholds asks for. \throws UsageError
[[nodiscard]] Rule rule_of(const Scores& scores, const MultiRunQuestion& question);

/// The guesses "in" and "out" of the scores. Ties are broken against the guesser: no order of the file can help.
[[nodiscard]] inference::OneRun guessed(const Scores& scores, std::uint64_t guesses, bool two_sided);
/// The bounds of counts that share the significance, and the verdict.
void judge_guesses(Audit& audit, const std::vector<inference::OneRun>& tried, const AuditQuestion& question,
                   bool two_sided, OneRunMethod method, const Promises* promises, bool drawn);
/// The same for canaries that are answered independently. Given the answers the coins are independent, and each guess
/// is right with at most the chance (1 + TV)/2 on the mean: the right guesses are at most Binomial.
void judge_independent(Audit& audit, const inference::OneRun& counts, const AuditQuestion& question, bool two_sided,
                       const Promises* promises, bool drawn);

}  // namespace dpcurves::queries::audits
