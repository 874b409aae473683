// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Points of the profile of one composition, with contours shared between thresholds. Internal.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/few_steps/contour.hpp>
#include <dpcurves/accounting/few_steps/lattice.hpp>
#include <dpcurves/accounting/few_steps/point.hpp>
#include <dpcurves/accounting/few_steps/transform.hpp>

namespace dpcurves::accounting::detail {

class ExtendedContour;

/// Answers for many thresholds of one composition: chooses between contours, higher precision and the lattice.
class Engine {
 public:
  /// The deadline is that of `accuracy`, from now on.
  Engine(const Composition& composition, const Effort& accuracy);
  /// The same with a deadline that is shared with other work.
  Engine(const Composition& composition, const Effort& accuracy, const Deadline& deadline);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The best bracket that the time allows; once it is over, what certain_bounds says.
  /// \param epsilon  finite, >= 0.
  /// \param enough  says when what is known suffices, before slower methods are tried; empty: when the accuracy is met.
  [[nodiscard]] Point at(double epsilon, const std::function<bool(const Point&)>& enough = {});
  /// Only thresholds with a delta about this large, or larger, will be asked for: sums leave out large losses of
  /// probability 1e-5 * relative * delta. Call it before anything else.
  void aim(double delta);
  /// The engine of the composition with its two laws exchanged: this one where they may be exchanged.
  [[nodiscard]] Engine& reverse();
  /// The same for any finite epsilon.
  [[nodiscard]] Point at_any(double epsilon);
  /// The composition after trivial parts were dropped and equal ones joined.
  [[nodiscard]] const Transform& transform() const { return transform_; }
  /// What the answers have to reach.
  [[nodiscard]] const Effort& accuracy() const { return accuracy_; }
  /// The time is over.
  [[nodiscard]] bool late() const { return deadline_.passed(); }
  /// The lattice answers: type I and II errors are known less well than delta.
  [[nodiscard]] bool coarse() const { return prefer_lattice_; }
  /// Only one Gaussian mechanism, or nothing at all.
  [[nodiscard]] bool gaussian_only() const { return transform_.parts().empty(); }

 private:
  [[nodiscard]] bool left_of_zero(double epsilon) const;
  [[nodiscard]] Point with_weak_gaussian(double epsilon);
  [[nodiscard]] std::optional<Point> by_double(double epsilon);
  [[nodiscard]] std::optional<Point> by_truncated(double epsilon, const Point& known);
  [[nodiscard]] std::optional<Point> by_extended(double epsilon, const Point& known);
  [[nodiscard]] std::optional<Point> by_known_extended(double epsilon) const;
  [[nodiscard]] Point by_lattice(double epsilon);
  [[nodiscard]] std::optional<Point> by_known_lattice(double epsilon) const;
  [[nodiscard]] double enough_of_a_lattice() const { return std::max(accuracy_.relative, 3e-4); }
  [[nodiscard]] Point read(const LatticePair& lattice, double epsilon) const;
  [[nodiscard]] const Contour<double>* suitable(double epsilon, bool left) const;
  [[nodiscard]] Contour<double>* build(double c, double epsilon, double margin);
  template <class Real>
  [[nodiscard]] Point read(const Contour<Real>& contour, double epsilon, const char* method) const;
  void check(const Point& point, double epsilon) const;

  Composition composition_;
  Transform transform_;
  Effort accuracy_;
  Deadline deadline_;
  std::vector<std::unique_ptr<Contour<double>>> contours_;
  std::vector<std::unique_ptr<LatticePair>> lattices_;
  std::vector<std::unique_ptr<ExtendedContour>> extended_;
  std::unique_ptr<Engine> without_gaussian_;          // where the Gaussian is weak
  std::unique_ptr<Engine> reverse_;                   // made on demand
  std::map<int, std::unique_ptr<Engine>> truncated_;  // by log of the mass left out, over 10
  bool weak_gaussian_ = false;
  bool negligible_gaussian_ = false;
  bool prefer_lattice_ = false;  // contours decay too slowly for this composition
  int slow_ = 0;                 // contours of the last point whose integrand decays too slowly
  bool lost_digits_ = false;     // the last point's contours are limited by rounding
};

/// The period that keeps the aliasing of a contour through c below exp(log_target) at the threshold epsilon.
[[nodiscard]] double period_for(const Transform& transform, double c, double epsilon, double log_target);

/// A contour in some higher precision.
class ExtendedContour {
 public:
  ExtendedContour() = default;
  ExtendedContour(const ExtendedContour&) = delete;
  ExtendedContour& operator=(const ExtendedContour&) = delete;
  virtual ~ExtendedContour() = default;
  [[nodiscard]] virtual ContourValues at(double epsilon) const = 0;  ///< as Contour::at
  [[nodiscard]] virtual double c() const = 0;                        ///< as Contour::c
  [[nodiscard]] virtual bool expanded() const = 0;                   ///< as Contour::expanded
};

/// Built with `digits` decimal digits at least; defined in contour_extended.cpp.
[[nodiscard]] std::unique_ptr<ExtendedContour> extended_contour(const Transform& transform, const ContourPlan& plan,
                                                                int digits, const Deadline& deadline);

/// The first rung of it, 31 digits; defined in contour_quad.cpp.
[[nodiscard]] std::unique_ptr<ExtendedContour> quad_contour(const Transform& transform, const ContourPlan& plan,
                                                            const Deadline& deadline);

}  // namespace dpcurves::accounting::detail
