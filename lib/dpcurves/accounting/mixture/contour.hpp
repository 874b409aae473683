// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The two parts of a Profile that are made anew for a threshold: the plan of its orders, and F along a line of them.
/// Internal.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include <dpcurves/accounting/mixture/nodes.hpp>
#include <dpcurves/accounting/mixture/profile.hpp>
#include <dpcurves/accounting/mixture/sketch.hpp>

namespace dpcurves::accounting::mixture {

/// Method of answers that contours gave.
inline constexpr const char* by_contour = "contour of mixtures";
inline constexpr double making = 700.0;    ///< what a node costs, in exponentials
inline constexpr double most_work = 1e8;   ///< exponentials of a contour
inline constexpr double many = 1e8;        ///< steps from which 15 digits of a moment are too few
inline constexpr double few_orders = 2e3;  ///< that are summed; those beyond are bounded in cells where they are small

/// Where delta at a threshold is integrated, and about how large it is.
struct Profile::Plan {
  double epsilon = 0.0, c = 1.0, other = 2.0, h = 0.1, log_delta = 0.0, width = 1.0;
  double log_mass = 0.0;  ///< of what the ranges leave out, about
  std::vector<std::vector<Range>> ranges;
  std::vector<double> reference;
  std::vector<Sketch> sketch;
  double gaussian_square = 0.0;

  /// Where delta is about e^{target}, by the trapezoidal sum in doubles; nothing where F falls too slowly for it.
  [[nodiscard]] std::optional<double> root(double target) const;
  /// About log F at a real order, with its derivatives.
  [[nodiscard]] detail::Cumulants cumulants(double order) const;
  /// About log F(order).
  [[nodiscard]] double cumulant(double order) const { return cumulants(order).value; }
  /// About log |F(c + i y)|.
  [[nodiscard]] double log_modulus(double y) const;
  /// The order at which delta is about e^{target}, and the threshold there: both from the sketch.
  void turn_to(double target);
  /// The order at which the threshold is the saddle point.
  void turn_to_threshold();
};

/// F on a line of orders; serves thresholds near that of its plan.
class Profile::Contour {
 public:
  /// \param work  exponentials that are left for it; \throws ConvergenceError  if these do not suffice.
  Contour(const Problem& problem, const Plan& plan, double relative, double& work);
  [[nodiscard]] Enclosure at(double epsilon) const;
  /// At most what delta lacks of a positive part, where components of the null were dropped.
  [[nodiscard]] rigorous::Real lacks(const rigorous::Real& epsilon) const;
  [[nodiscard]] double c() const { return plan_.c; }
  [[nodiscard]] double slope(double epsilon) const { return std::abs(epsilon - plan_.epsilon) * plan_.width; }

 private:
  void spend(double exponentials) const;
  [[nodiscard]] rigorous::Real sum(const rigorous::Real& epsilon, double smoothing) const;
  using PieceBound = std::function<rigorous::Real(std::size_t step, std::size_t piece)>;
  [[nodiscard]] double log_tail(double y, const PieceBound& beyond) const;
  [[nodiscard]] rigorous::Complex moment(std::size_t step, double y) const;
  [[nodiscard]] rigorous::Real far_moment() const;
  [[nodiscard]] rigorous::Real front() const;
  [[nodiscard]] Nodes::Spread spread(std::size_t step, double m) const;
  [[nodiscard]] rigorous::Real between(double begin, double end, double log_wanted) const;
  [[nodiscard]] double last_order(const std::vector<std::vector<Bends>>& bends, double log_value, double wanted,
                                  double highest);
  [[nodiscard]] double log_left(double y, double log_value, const PieceBound& beyond) const;
  [[nodiscard]] double bend_pieces(const std::vector<std::vector<Bends>>& bends, double y, double log_value,
                                   double wanted, double highest);

  const Problem& problem_;
  Plan plan_;
  double& work_;
  double smoothing_ = 0.0;  // what was composed with it
  std::vector<std::vector<Nodes>> nodes_;
  std::vector<rigorous::Complex> value_;                  // F(c + i j h) e^{-references} / (z (z + 1))
  std::array<std::vector<rigorous::Complex>, 2> smooth_;  // these with a Gaussian mechanism of smoothing_, and of twice
  double log_reference_ = 0.0;
  // Bounds: beyond the last order, of F at the other, of masses left out, of what F(c) lacks without those of the null.
  rigorous::Real tail_, other_, lost_, lost_null_, infinite_, far_moment_;
};

}  // namespace dpcurves::accounting::mixture
