// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of a composition of mixture steps, both ends proved. Internal.
///
/// delta(epsilon) is 1 / (2 pi i) times the integral of F(z) e^{-z epsilon} / (z (z + 1)) over Re z = c > 0, F the
/// product of the moments: a trapezoidal sum, whose error is a sum of values of delta (Poisson's summation), of orders
/// up to a top beyond which F is bounded on the whole ray. Where F does not decay, a Gaussian mechanism of parameter w
/// is composed with the steps: delta_w - C (delta_{2w} - delta_w) <= delta <= delta_w, C = 1 / (2 e^{-3 w^2 / 8} - 1).
/// Proof: docs/theory/accountant/mixtures.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <dpcurves/accounting/mixture/one_step.hpp>
#include <dpcurves/accounting/mixture/plain_piece.hpp>
#include <dpcurves/accounting/mixture/problem.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {
class LatticeProfile;
}  // namespace dpcurves::accounting::detail

namespace dpcurves::accounting::mixture {

/// Method of answers that lattices gave.
inline constexpr const char* by_lattice = "lattice";
/// Method of answers that the law of a single step gave.
inline constexpr const char* by_one_step = "one step";

/// Where a contour would be long, the composition is held between two laws on a lattice of losses: lattice.hpp.
/// Contours and lattices are kept between questions. One thread at a time.
class Profile {
 public:
  /// \param problem  of positive counts. \param relative  wanted width of delta.
  explicit Profile(Problem problem, double relative = 3e-7);
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// delta at any epsilon; [0, 1] if nothing better was proved.
  [[nodiscard]] Enclosure delta(double epsilon);
  /// The least epsilon >= 0 with delta(epsilon) <= delta. \param delta  in (0, 1).
  [[nodiscard]] Enclosure epsilon(double delta);
  /// About log delta, by a saddle point.
  [[nodiscard]] double log_delta_about(double epsilon) const;
  /// Whether epsilon at `delta` is proved to be at most that: by a moment, or by a contour where one is short. A
  /// `false` says nothing.
  [[nodiscard]] bool surely_below(double epsilon, double delta);
  /// About the epsilon at a delta, by saddle points.
  [[nodiscard]] double epsilon_about(double delta);
  /// The trade-off function, where a lattice serves. \param type_one_error  in [0, 1].
  [[nodiscard]] std::optional<Enclosure> tradeoff(double type_one_error);
  /// What proved the last delta or epsilon.
  [[nodiscard]] const char* method() const { return method_; }
  /// How many lattices were made far down.
  [[nodiscard]] std::size_t lattices() const { return lattices_.size(); }

 private:
  class Contour;
  struct Plan;
  /// A threshold at which all sizes of lattices were tried, or a contour failed: within a deviation of the losses no
  /// other ends narrower.
  struct Tried {
    double epsilon, width, ended;
  };
  /// Begins where `near` ended; delta is known to be at most about e^{most_log_delta}.
  [[nodiscard]] Plan plan(double epsilon, const Plan* near = nullptr, double most_log_delta = 0.0) const;
  /// Sketch, order and log delta alone.
  [[nodiscard]] Plan turned_to(double epsilon, const Plan* near) const;
  /// The same, from where the last one of these ended.
  [[nodiscard]] const Plan& about(double epsilon) const;
  /// Without the losses that are too rare to matter for deltas of about e^{log_delta}: far out may be another saddle.
  [[nodiscard]] Plan plan_of_likely(double epsilon, double log_delta) const;
  void finish(Plan& plan) const;
  [[nodiscard]] double chernoff(const Plan& plan, double delta) const;
  [[nodiscard]] Enclosure with_moment(const Enclosure& found, const Plan& plan, double wanted) const;
  [[nodiscard]] rigorous::Real dropped() const;
  [[nodiscard]] Plan plan_for(double log_delta) const;  ///< where delta is about that, in doubles
  [[nodiscard]] Plan begun(double log_delta) const;     ///< the sketch alone, for deltas about that
  void draw(Plan& plan, double log_mass) const;
  [[nodiscard]] double log_mass_for(double log_delta) const;
  [[nodiscard]] std::optional<double> quick(const Plan& plan) const;  ///< about its last order, if a contour is short
  [[nodiscard]] static bool dear(const Plan& plan,
                                 double last_order);  ///< whether a short one costs more than lattices
  [[nodiscard]] detail::LatticeProfile lattice(const Plan& plan, std::size_t points, bool jumps) const;
  [[nodiscard]] const detail::LatticeProfile* near();
  [[nodiscard]] rigorous::Real lacks(double epsilon) const;
  [[nodiscard]] Enclosure with_rest(const Enclosure& finite, double epsilon) const;
  [[nodiscard]] Enclosure epsilon_of(const detail::LatticeProfile& lattice, double wanted) const;
  [[nodiscard]] Enclosure lattice_epsilon(double wanted, double guess);
  void lattice_delta(const Plan& plan, Enclosure& best);
  [[nodiscard]] std::vector<const Contour*> nearest(double epsilon) const;
  void begin_question();                                           ///< gives it its work, the same at any load
  [[nodiscard]] Enclosure look(double epsilon);                    ///< delta, within what is left of a question's work
  [[nodiscard]] bool spend(const Plan& plan, std::size_t points);  ///< whether a lattice of so many is within it
  [[nodiscard]] bool far_below(double epsilon) const;              ///< the losses: no double tells delta from 1
  Problem problem_;
  double relative_;
  std::optional<OneStep> one_step_;
  std::vector<std::vector<PlainPiece>> plain_;
  std::vector<std::unique_ptr<Contour>> contours_;
  std::vector<std::unique_ptr<const detail::LatticeProfile>> lattices_;  ///< far down
  std::vector<Tried> ladders_, failed_;
  std::unique_ptr<const detail::LatticeProfile> near_;
  std::unique_ptr<const Plan> planned_;  ///< of epsilon_about, and where delta is there
  mutable std::unique_ptr<const Plan> about_;
  double planned_for_ = 0.0;
  Enclosure one_step_epsilon_;  ///< at the delta planned_for_
  double work_left_ = 0.0;      ///< exponentials of contours, to the question
  double points_left_ = 0.0;    ///< of lattices, to the question
  int failures_left_ = 0;       ///< of contours, to the question
  bool asked_ = false;          ///< for near_
  bool contours_fail_ = false;  ///< one was too long
  bool contours_wide_ = false;  ///< one left a wide bracket
  const char* method_;
};

}  // namespace dpcurves::accounting::mixture
