// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The proved profile of one composition: chooses the method, keeps its contours, raises the precision. Internal.
///
/// Methods: the closed form of a Gaussian mechanism or of one step; else contours (inversion.hpp). Effort is counted in
/// nodes and attempts, never in time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/proof/inversion.hpp>
#include <dpcurves/accounting/proof/jumps.hpp>
#include <dpcurves/accounting/proof/line.hpp>
#include <dpcurves/accounting/proof/steep.hpp>

namespace dpcurves::accounting::proof {

/// delta(epsilon) of a composition, and what follows from it.
class Profile {
 public:
  /// Which contours may answer: all; only those of laws that are not cut off, which certificates can hold; or one of
  /// these that other questions will share, if it costs less than half a second.
  enum class Laws { any, whole, shared };
  /// \param composition  checked by the caller.
  explicit Profile(const Composition& composition, Laws laws = Laws::any);
  /// Whether the smallest double is more: nothing tells a double more of such a delta.
  [[nodiscard]] static bool below_doubles(const rigorous::Real& delta);
  /// How much work a question may take: about a second of contours, what is dearer than that alone, or both.
  enum class Effort { modest, dear, all };
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile();

  /// delta (or, `rest`, 1 - delta) at an exact epsilon of either sign, to a relative width if that can be had;
  /// always something true, [0, 1] if need be.
  /// \param spare  digits (as a power of e) that a new contour gets beyond these, to serve more thresholds.
  [[nodiscard]] rigorous::Real delta(const rigorous::Real& epsilon, bool rest, double relative, double spare = 0.0,
                                     Effort effort = Effort::all);

  /// The same at a double >= 0 with contours kept for many thresholds: until it is as close as relative or absolute
  /// says, or as close as a new contour gets. Cost: 20 us where a contour is near.
  [[nodiscard]] rigorous::Real quick(double epsilon, bool rest, double relative, double absolute);
  /// Whether the last contour was made for thresholds near this one.
  [[nodiscard]] bool sees(double epsilon, bool rest) const;
  /// Unproved, by what gave the last answer; empty where that was no contour.
  [[nodiscard]] std::optional<Approximate> approximate(double epsilon) const;

  /// Ends with delta(lower) > target >= delta(upper), or lower = upper = 0 where delta(0) <= target.
  struct Bracket {
    rigorous::Real lower, upper;
  };
  /// \param target  delta, or with `rest` 1 - delta. \param relative  wanted width. \param bar  as in Accuracy.
  [[nodiscard]] Bracket epsilon(const rigorous::Real& target, bool rest, double relative, Effort effort = Effort::all,
                                double bar = 0.0);

  /// Type I error at epsilon >= 0.
  [[nodiscard]] rigorous::Real type_one_error(const rigorous::Real& epsilon, double relative);

  /// Whether |F| is negligible far up: not where few steps of pairs with an atom are all there is.
  [[nodiscard]] bool decays() const;
  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Composition& composition() const { return composition_; }
  [[nodiscard]] const char* method() const;
  /// The contour that gave the last answer; null where none was needed or a straight line gave it.
  [[nodiscard]] const Inversion* last() const { return last_; }
  /// The straight line that gave the last answer, or null.
  [[nodiscard]] const Line* last_line() const { return line_; }
  /// The profile of the composition with its laws exchanged; this one where they are alike.
  [[nodiscard]] Profile& reversed();
  [[nodiscard]] bool gaussian() const { return problem_.steps.empty(); }
  [[nodiscard]] bool single() const {
    return problem_.steps.size() == 1 && problem_.steps[0].count == 1.0 && problem_.gaussian_mu == 0.0;
  }

 private:
  static constexpr double seen_by_doubles = 25.0;   ///< digits, as a power of e, that may cancel in a sketch
  static constexpr double most_line_digits = 24.0;  ///< e^-24, beyond what epsilon is asked for
  /// Relative: of delta and of epsilon, with which dearer contours than straight lines are not asked.
  static constexpr double line_delta = 1e-8, line_relative = 4e-9;
  /// Relative: with it another straight line is worth more than one for rare losses.
  static constexpr double line_promising = 1e-3;
  /// Relative: of delta and of epsilon, with which nothing is asked after a sum over jumps: contours are long there.
  static constexpr double jumps_delta = 1e-8, jumps_relative = 4e-9;
  static constexpr double line_finest = 1e-12;   ///< relative: more than a straight line can ever give
  static constexpr double promised = 1e-6;       ///< relative: with it the dearest contours are not asked
  static constexpr double quick_straight = 5e6;  ///< work of a straight line, a fiftieth of one of others
  static constexpr double shared_steep = 1.2e6;  ///< work of a contour that takes less than half a second
  static constexpr const char* by_jumps_alone = "sum over jumps";
  static constexpr const char* by_cells = "cells near the largest loss";
  static constexpr double near_relative = 1e-9;  ///< of epsilon: with it nothing is asked after these
  static constexpr double few_steps = 64.0;      ///< of which cells near the largest loss are asked before contours
  /// Of these: half a second, and some hundredths for few steps.
  static constexpr double most_cells = 16384.0, few_cells = 3072.0;

  [[nodiscard]] const Inversion* find(double epsilon, bool rest, double digits) const;
  /// A way to plan contours.
  struct Way {
    /// bulk: upright, short or not at all; parted: straight, without large losses
    enum class Kind { bulk, upright, straight, rare, parted, steep };
    const Problem* problem;
    double most_work;  ///< complex exponentials; of a straight line real ones
    Kind kind = Kind::upright;
    enum class When { always, close, far } when = When::always;  ///< what is known by then is close, or not
    double relative = 0.0;                                       ///< wanted, where that is wider than what is asked
    bool dear = false;                                           ///< not asked of what lies below the bar
    [[nodiscard]] bool asked(bool close) const { return when == When::always || close == (when == When::close); }
    [[nodiscard]] bool line() const { return kind == Kind::straight || kind == Kind::rare || kind == Kind::parted; }
  };
  [[nodiscard]] std::vector<Way> ways(double log_value, double epsilon, bool rest, double relative, Effort effort);
  [[nodiscard]] const Inversion& build(const Way& way, double c, double epsilon, double digits, double log_value);
  [[nodiscard]] rigorous::Real ahead(const rigorous::Real& epsilon, bool rest, double relative, double spare,
                                     Effort effort);
  [[nodiscard]] rigorous::Real ahead(const Way& way, const rigorous::Real& epsilon, bool rest, double relative,
                                     double spare, double log_value);
  /// \param known  what sums over jumps have found.
  [[nodiscard]] Bracket by_contour(const rigorous::Real& target, bool rest, double relative, Effort effort, double bar,
                                   const Bracket& known);
  /// \param near  what is known already.
  [[nodiscard]] Bracket by_contour(const Way& way, const rigorous::Real& target, bool rest, double relative,
                                   const Bracket& near);
  void forget();
  /// Whether a step is half of a symmetrised pair, with an atom.
  [[nodiscard]] bool has_atoms() const;
  /// About log delta(epsilon), or of the rest: the saddle point's estimate.
  [[nodiscard]] double log_estimate_at(double epsilon, bool rest) const;
  /// About log delta(epsilon): that, or that of a single step.
  [[nodiscard]] double log_value_at(double epsilon);
  [[nodiscard]] const Line* line(const Way& way, double epsilon, double log_value, double digits);
  [[nodiscard]] rigorous::Real by_line(const Way& way, const rigorous::Real& epsilon, double relative);
  [[nodiscard]] Bracket line_bracket(const Way& way, const rigorous::Real& target, double relative);
  /// Steps that sample the record, on average.
  [[nodiscard]] double sampled() const;
  [[nodiscard]] std::optional<double> line_root(const Line& line, double start, const rigorous::Real& target,
                                                Bracket& known);
  [[nodiscard]] Bracket by_jumps(const rigorous::Real& target, bool rest, double relative);
  [[nodiscard]] Bracket last_resort(const rigorous::Real& target, bool rest, double relative);
  [[nodiscard]] rigorous::Real bounded(const rigorous::Real& epsilon, bool rest);
  /// Ends of a delta below the range of doubles, where that is soon seen.
  [[nodiscard]] std::optional<rigorous::Real> unseen(const rigorous::Real& epsilon);
  /// Ends by NearTop, which has to serve: of delta, and of epsilon from a lower end on. \param most  cells.
  [[nodiscard]] rigorous::Real delta_near_top(const rigorous::Real& epsilon, double most) const;
  [[nodiscard]] Bracket epsilon_near_top(const rigorous::Real& target, const rigorous::Real& lower, double most) const;
  [[nodiscard]] Profile& easiest();
  [[nodiscard]] Bracket by_bisection(const rigorous::Real& target, bool rest, double relative);
  struct Start {
    double epsilon, slope;
  };
  [[nodiscard]] Start start(const Way& way, double log_value, bool rest);
  [[nodiscard]] Plan plan(const Way& way, double c, double epsilon, double digits);
  /// With digits relative to the value, which is about e^{log_value}.
  [[nodiscard]] Plan plan(const Way& way, double c, double epsilon, double digits, double log_value);
  [[nodiscard]] rigorous::Real variation() const;
  [[nodiscard]] rigorous::Real largest_loss() const;

  Composition composition_;
  Laws laws_;
  Problem problem_;
  Bearings bearings_;
  std::vector<std::unique_ptr<Problem>> cut_;  ///< with cut laws
  std::vector<std::unique_ptr<Inversion>> contours_;
  std::vector<std::pair<Plan, const Inversion*>> planned_;  ///< and the plans that they began with: built once
  std::vector<std::unique_ptr<Line>> lines_;
  struct Laid {  ///< a line that was asked for; null where it was too long
    Way::Kind kind;
    double epsilon, log_value, digits, most_work;
    Line* line;
  };
  std::vector<Laid> laid_;
  const Inversion* last_ = nullptr;
  const Line* line_ = nullptr;
  const char* method_;
  double reached_ = 0.0;  ///< what contours could do where quick() asked for more
  std::unique_ptr<Profile> reversed_, easiest_;
};

}  // namespace dpcurves::accounting::proof
