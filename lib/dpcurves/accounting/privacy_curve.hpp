// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A guarantee of privacy in whichever form one asks for it: delta of epsilon, epsilon of delta, trade-off, Renyi.
///
/// Theorems produce a PrivacyCurve; commands read it. Each answer is an Enclosure of the bound that the theorem
/// gives: `upper` of epsilon, delta and Renyi, and `lower` of the type II error, are the ends that may be promised.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/verdict.hpp>
#include <dpcurves/mechanism/adjacency.hpp>
#include <dpcurves/mechanism/sampler.hpp>

namespace dpcurves::accounting {

/// An Enclosure and how it was certified.
struct Answer {
  Enclosure value;          ///< both certified ends
  std::string method;       ///< in words for the reader: "contour", "closed form", "Renyi order 17.2", ...
  std::string direction{};  ///< which of the directions of worst_curve decided; empty elsewhere

  /// Whether both ends are theorems: nowhere is an error of the computation only estimated.
  [[nodiscard]] bool proved() const { return method.find("error estimated") == std::string::npos; }
};

/// What a method is called where several kinds of answers have it.
inline constexpr const char* by_closed_form = "closed form";
/// Method of an answer that only says that another direction decides.
inline constexpr const char* by_other_direction = "comparison with the other direction";
/// The same, of trade-off functions that are read off a profile.
inline constexpr const char* by_tangents = "tangents and chords of the certified profile";
/// The same, of divergences.
inline constexpr const char* by_quadrature = "quadrature";

/// How the answers that have no `method` of their own are certified, in the words of Answer; empty where a curve has
/// none.
struct Methods {
  std::string tradeoff = by_tangents;  ///< of type_two_errors()
  std::string renyi{};                 ///< of renyi()
  std::string mu{};                    ///< of mu()
};

/// deltas() of one curve, asked again and again by one thread: what was built for a question serves the next. Both
/// ends hold whatever was asked before; their last digits depend on it.
using DeltaQuestions = std::function<std::vector<Enclosure>(std::span<const double> epsilons)>;

/// One privacy guarantee. Immutable and cheap to share.
class PrivacyCurve {
 public:
  PrivacyCurve() = default;
  PrivacyCurve(const PrivacyCurve&) = delete;
  PrivacyCurve& operator=(const PrivacyCurve&) = delete;
  virtual ~PrivacyCurve() = default;

  /// delta(epsilon) for any real epsilon.
  [[nodiscard]] virtual Answer delta(double epsilon) const = 0;
  /// The least epsilon >= 0 for `delta` in (0, 1); infinite if there is none.
  [[nodiscard]] virtual Answer epsilon(double delta) const = 0;
  /// delta() where an answer below `bar` may be wide (Accuracy::bar): a larger one decides.
  [[nodiscard]] virtual Answer delta_unless_below(double epsilon, double bar) const;
  /// epsilon() where an end that lies below that of `bar`, the answer so far of other directions, may be any lower one.
  [[nodiscard]] virtual Answer epsilon_unless_below(double delta, Enclosure bar) const;
  /// The trade-off function at each type I error in [0, 1].
  [[nodiscard]] virtual std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const = 0;
  /// Whether epsilon at `delta` is known to be below `epsilon`, at little cost. A `false` says nothing.
  [[nodiscard]] virtual bool surely_below(double epsilon, double delta) const;
  /// delta at each epsilon.
  [[nodiscard]] virtual std::vector<Enclosure> deltas(std::span<const double> epsilons) const;
  /// deltas() for thresholds that depend on earlier answers. The curve must outlive it.
  [[nodiscard]] virtual DeltaQuestions questions() const;
  /// Renyi divergence bound of an order > 1; infinite where the curve gives none.
  [[nodiscard]] virtual Enclosure renyi(double order) const = 0;
  /// The GDP parameter, where the guarantee is one.
  [[nodiscard]] virtual std::optional<Enclosure> mu() const { return std::nullopt; }
  /// How the last three are certified.
  [[nodiscard]] virtual Methods methods() const { return {}; }
};

/// Shared, because several theorems may rest on one curve; never null in a Guarantee that applies.
using CurvePtr = std::shared_ptr<const PrivacyCurve>;

/// mu-GDP with mu known to lie in `mu`.
[[nodiscard]] CurvePtr gaussian_curve(Enclosure mu);
/// A composition, by accounting/composition.hpp.
[[nodiscard]] CurvePtr composition_curve(Composition composition, Accuracy accuracy = {});
/// (epsilon, 0)-DP.
[[nodiscard]] CurvePtr pure_curve(double epsilon);
/// The pointwise best of several guarantees for one mechanism: the smallest delta, epsilon, Renyi divergence and mu,
/// the largest trade-off function. Where two profiles cross, the profile of the largest trade-off function (the lower
/// convex envelope in exp(epsilon)) is a little smaller still; that is not claimed here.
/// \throws DomainError  if there is no curve or one is null.
[[nodiscard]] CurvePtr best_curve(std::vector<CurvePtr> curves);

/// One of the orders in which two neighbouring data sets are compared.
struct DirectedCurve {
  std::string direction;  ///< "remove", "add", ...
  CurvePtr curve;         ///< the guarantee in that order
};
/// What holds in every direction: the pointwise largest delta, epsilon and Renyi divergence, the smallest trade-off
/// function. \param mu  the GDP parameter of the whole, where it is known; else the largest, if all have one.
/// \throws DomainError  if there is no curve or one is null.
[[nodiscard]] CurvePtr worst_curve(std::vector<DirectedCurve> directions, std::optional<Enclosure> mu = std::nullopt);

/// An m with delta(epsilon) <= delta of G(m) wherever delta(epsilon) >= delta_floor: gdp_parameter_above.
struct MuAbove {
  double delta_floor = 0.0;  ///< in (0, 1): below it nothing is said
  Enclosure mu;              ///< of that m; upper is what may be promised
};

/// One theorem applied to one setting: the verdict on its hypotheses, and a curve where they hold.
struct Guarantee : Verdict {
  std::string theorem;                    ///< catalogue id, for example "shifted-interpolation/theorem-4.2"
  std::string title;                      ///< a few words
  std::vector<Violation> unsaid{};        ///< those of `assumed` that the user has not said, and how to say them
  bool certified = true;                  ///< false for approximations, which are never the best
  CurvePtr curve;                         ///< null if the theorem does not apply
  std::string note;                       ///< what a reader should know, for example the horizon that was chosen
  std::vector<DirectedCurve> directions;  ///< those whose worst `curve` is, where there are several
  std::vector<std::pair<std::string, std::string>> setting;  ///< what it is about: {"sampling", "Poisson: ..."}, ...
  std::optional<mechanism::Sampler> sampling{};              ///< how batches are drawn, where there are batches
  std::optional<mechanism::Adjacency> adjacency{};           ///< what neighbouring data sets are
  std::optional<MuAbove> mu_above{};                         ///< where it was asked for
  bool upper_only = false;  ///< the lower ends are those of the bound, and say nothing of the mechanism
  bool dominated = false;   ///< certified, but another theorem of the list is never worse: shown for comparison only

  /// Whether the hypotheses hold and there is a curve.
  [[nodiscard]] bool applies() const { return violations.empty() && curve != nullptr; }
  /// Whether it may be promised to a user who has said no more: no approximation, and no assumption that nobody made.
  [[nodiscard]] bool promised() const { return applies() && certified && unsaid.empty(); }
};

}  // namespace dpcurves::accounting
