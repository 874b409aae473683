// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A guarantee in the words of an attacker: which direction decides which measure, and the closed form where there is.
///
/// | measure                        | direction                                                        |
/// |--------------------------------|------------------------------------------------------------------|
/// | power                          | every one asked for, the largest is promised                     |
/// | advantage, area                | no matter: the laws exchanged have the same                      |
/// | Bayes error                    | remove for priors up to 1/2, add above; one where there is one   |
/// | precision, reconstruction      | remove: present records are accused, nu is the run without       |
/// | posterior odds of presence     | remove; of absence: add                                          |
/// | GDP parameter, regret          | the larger profile of all                                        |
///
/// Where only `add` is asked for, its H1 is absence, and all but the Bayes error speak of that.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/attack/approximate_dp.hpp>
#include <dpcurves/attack/measures.hpp>
#include <dpcurves/attack/regret.hpp>

namespace dpcurves::attack {

/// The answer of one measure, and the direction that decided; empty where no one did.
template <class Value>
struct Directed {
  Value value;            ///< of the measure
  std::string direction;  ///< "remove", "add", ...
};

/// The precision of an attack.
struct Precision {
  Enclosure precision;    ///< the share of accused records that are present
  Enclosure odds_factor;  ///< T / a: times the prior odds
  Enclosure false_rate;   ///< a; where the recall was given its lower end is used
};

/// One guarantee, asked by one thread. Errors and accuracies as measures.hpp, gaussian.hpp and approximate_dp.hpp.
class Attack {
 public:
  /// mu-GDP.
  explicit Attack(const Enclosure& mu);
  /// (epsilon, delta)-DP.
  explicit Attack(const ApproximateDp& dp);
  /// A guarantee by directions, for example of accounting::dp_sgd_guarantee; curves are kept alive.
  /// \throws DomainError  if there is none or one is null.
  explicit Attack(const std::vector<accounting::DirectedCurve>& directions);
  /// A guarantee: mu-GDP and (epsilon, 0)-DP in closed form, else by its directions, or by its curve for both.
  /// \throws DomainError  if it does not apply.
  explicit Attack(const accounting::Guarantee& guarantee);
  ~Attack();
  Attack(Attack&&) noexcept;             ///< leaves nothing behind
  Attack& operator=(Attack&&) noexcept;  ///< leaves nothing behind

  /// The largest true positive rate at a false positive rate in [0, 1].
  [[nodiscard]] Directed<Power> power(double false_positive_rate, double relative = usual_width);
  /// The same at many rates: 500 tangents and the chords between them in place of a search for each, then two more
  /// beside the best one of every rate in each round. Relative accuracy 1e-3 from 1e-12 on, a quarter of it after each
  /// round. \throws DomainError  for a rate outside [0, 1].
  [[nodiscard]] std::vector<Enclosure> powers(std::span<const double> false_positive_rates, int rounds = 0);
  /// Whether answers are closed forms.
  [[nodiscard]] bool closed_form() const;
  /// How answers are certified, in words for the reader.
  [[nodiscard]] const char* method() const;
  /// The largest true positive rate less the false one.
  [[nodiscard]] Directed<Advantage> advantage();
  /// \param prior  that the record is present.
  [[nodiscard]] Directed<BayesError> bayes_error(double prior);
  /// Of accusations at a false positive rate.
  [[nodiscard]] Directed<Precision> precision_at_rate(double prior, double false_positive_rate);
  /// \param recall  the share of present records that is found.
  [[nodiscard]] Directed<Precision> precision_at_recall(double prior, double recall);
  /// Below the curve of true positive rates, with an error of at most `absolute`.
  [[nodiscard]] Directed<Enclosure> area(double absolute = 1e-6);
  /// Success of any guess at a record whose best guess without the run succeeds with probability `baseline`: T of it.
  [[nodiscard]] Directed<Power> reconstruction(double baseline, double relative = usual_width);
  /// A bracket of that success by what was asked of the profile before, wide where nothing near was.
  /// Cost: 5 us for each answer so far.
  [[nodiscard]] Enclosure known_reconstruction(double baseline);
  /// Along the run with the record, of odds of presence e^odds times the prior's or more.
  [[nodiscard]] Directed<Enclosure> posterior_tail(double odds);
  /// The same for absence, along the run without.
  [[nodiscard]] Directed<Enclosure> posterior_tail_of_absence(double odds);
  /// The least mu with profiles below that of G(mu) where they are at least `delta_floor`.
  [[nodiscard]] Enclosure gdp_parameter_above(double delta_floor);
  /// The same for false positive rates of at least `floor`.
  [[nodiscard]] Enclosure gdp_parameter_above_rate(double floor);
  /// Of G(mu) for the larger profile.
  [[nodiscard]] Regret regret(double mu);
  /// A function below inf{a : T(a) >= power}, T of `remove` alone or of the larger profile: 1000 tangents, rounded
  /// down. Relative accuracy 1e-5 where the rate is from 1e-12. \param remove_only  for attacks that only accuse.
  [[nodiscard]] std::function<double(double power)> least_rate(bool remove_only);
  /// The same above it: of a lower end of T, rounded up.
  [[nodiscard]] std::function<double(double power)> least_rate_above(bool remove_only);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dpcurves::attack
