// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Questions about attacks: guarantees in the words of an attacker, whole curves of them, and limits to calibrate to.
///
/// Every number is the least over the theorems that apply, read from their privacy profiles with both ends. The end
/// that may be promised is the upper one; of the Bayes error the lower.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/attack/attack.hpp>
#include <dpcurves/attack/calibration.hpp>
#include <dpcurves/core/field.hpp>
#include <dpcurves/queries/report.hpp>

namespace dpcurves::queries {

/// A setting with every theorem that speaks of it.
struct Promises {
  std::string algorithm;                          ///< its name
  Record inputs;                                  ///< as they were given
  std::vector<accounting::Guarantee> guarantees;  ///< of one theorem perhaps several: all hold
  std::vector<std::string> notes;                 ///< what a reader should know beside
};

/// What is asked. Nothing asked: the usual table.
struct AttackQuestion {
  std::vector<double> fpr;                 ///< of TPR and precision
  std::vector<double> prior;               ///< of accuracy and precision
  std::vector<double> recall;              ///< of precision
  std::vector<double> baseline;            ///< of reconstruction
  std::vector<double> odds;                ///< of the posterior
  std::optional<double> mu_delta_floor{};  ///< of the GDP parameter
  std::optional<double> mu_fpr_floor{};    ///< the other kind
  std::string measure;                     ///< names with commas
  static constexpr std::tuple fields{
      optional("fpr", &AttackQuestion::fpr, "[0, 1]",
               "false positive rates: shares of absent records that are accused; the largest true positive rate there"),
      optional("prior", &AttackQuestion::prior, "(0, 1)",
               "probabilities that the record IS present; the largest accuracy of a guess, and with --fpr or --recall "
               "the largest precision"),
      optional("recall", &AttackQuestion::recall, "(0, 1]",
               "shares of present records that are accused; the largest precision there, default prior 0.5"),
      optional("baseline", &AttackQuestion::baseline, "(0, 1)",
               "success of the best guess without the run, side information included; the largest success with it"),
      optional("odds", &AttackQuestion::odds, "[-700, 700]",
               "logarithms of a factor; how often the posterior odds exceed the prior's by it, at most"),
      optional("mu_delta_floor", &AttackQuestion::mu_delta_floor, "(0, 1)",
               "the least mu whose profile covers this one where delta is at least this, and its regret"),
      optional("mu_fpr_floor", &AttackQuestion::mu_fpr_floor, "[1e-300, 0.5)",
               "the same for false positive rates from this one on"),
      optional("measure", &AttackQuestion::measure,
               "only these: tpr, advantage, bayes-error, precision, auc, reconstruction, posterior, gdp")};
};

/// One theorem, ready to be asked.
struct Asked {
  accounting::Guarantee about;  ///< what it says
  attack::Attack attack;        ///< the same in the words of an attacker
};

/// Those that may be promised, without those which another one makes needless; theorems that were asked with several
/// choices are one. \throws DomainError  if there is none, with what each needs.
[[nodiscard]] std::vector<accounting::Guarantee> promised(const std::vector<accounting::Guarantee>& guarantees);
/// The same, ready to be asked.
[[nodiscard]] std::vector<Asked> theorems(const Promises& promises);

/// Measures of attacks on one setting, a theorem's where it is the least.
/// \throws UsageError  for a measure that is none, and for precision without a rate or a recall; DomainError  where no
/// theorem applies; ConvergenceError  where none has an answer. Cost: some seconds at most; closed forms at once.
[[nodiscard]] Report attack(const Promises& promises, const AttackQuestion& question);

/// The largest true positive rates at false positive rates, both ends. \param rates  rising, in [0, 1].
/// \param drawn  also with a picture. Errors as attack(). Accuracy: relative 1e-5 from 1e-12 on.
[[nodiscard]] Report attack_curve(const Promises& promises, std::span<const double> rates, bool drawn);

/// The picture of attack_curve. Its lines are steps above the curves: nowhere more private than what is promised.
[[nodiscard]] io::Plot attack_plot(const Promises& promises, double lowest_rate);

/// What limits a parameter: one measure, and where it is taken.
struct AttackTarget {
  std::optional<double> advantage{};       ///< at most
  std::optional<double> tpr{};             ///< with fpr
  std::optional<double> bayes_accuracy{};  ///< with prior
  std::optional<double> precision{};       ///< with fpr and prior
  std::optional<double> reconstruction{};  ///< with baseline
  std::optional<double> auc{};             ///< at most
  std::optional<double> gdp_mu{};          ///< with mu_delta_floor
  std::optional<double> fpr{};             ///< of tpr and precision
  std::optional<double> prior{};           ///< of bayes_accuracy and precision
  std::optional<double> baseline{};        ///< of reconstruction
  std::optional<double> mu_delta_floor{};  ///< of gdp_mu
  static constexpr std::tuple fields{
      optional("advantage", &AttackTarget::advantage, "(0, 1)", "largest true minus false positive rate"),
      optional("tpr", &AttackTarget::tpr, "(0, 1)", "largest true positive rate, with --fpr"),
      optional("bayes_accuracy", &AttackTarget::bayes_accuracy, "(0, 1)",
               "largest accuracy of a guess whether the record is present, with --prior"),
      optional("precision", &AttackTarget::precision, "(0, 1)",
               "largest share of present records among those accused, with --fpr and --prior"),
      optional("reconstruction", &AttackTarget::reconstruction, "(0, 1)",
               "largest success of a reconstruction, with --baseline"),
      optional("auc", &AttackTarget::auc, "(0.5, 1)", "largest area under the curve of true positive rates"),
      optional("gdp_mu", &AttackTarget::gdp_mu, "(0, inf)", "largest mu whose profile is enough above the floor"),
      optional("fpr", &AttackTarget::fpr, "(0, 1)", "false positive rate of --tpr and --precision"),
      optional("prior", &AttackTarget::prior, "(0, 1)", "that the record IS present, default 0.5"),
      optional("baseline", &AttackTarget::baseline, "(0, 1)",
               "success of the best guess without the run, of --reconstruction"),
      optional("mu_delta_floor", &AttackTarget::mu_delta_floor, "(0, 1)", "of --gdp-mu, default 1e-10")};
};

/// The limit that is asked for, if one is. \throws UsageError  for two, for a missing rate or baseline, and for a
/// target that an attacker without the run reaches; the message starts with the option.
[[nodiscard]] std::optional<attack::Limit> limit_of(const AttackTarget& target);

/// The epsilon that decides the measure for a Gaussian mechanism that just meets the limit: where theorems with free
/// parameters should choose them. \throws DomainError  as attack::gaussian_mu.
[[nodiscard]] double deciding_epsilon(const attack::Limit& limit);

/// "TPR at FPR 0.01": what is limited, in words.
[[nodiscard]] std::string words(const attack::Limit& limit);

}  // namespace dpcurves::queries
