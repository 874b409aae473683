// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What every extended precision needs for Contour: Gauss-Legendre rules and a contour behind its interface. Internal,
/// and included only by the files that instantiate Contour.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <dpcurves/accounting/few_steps/contour_impl.hpp>
#include <dpcurves/accounting/few_steps/engine.hpp>

namespace dpcurves::accounting::detail {

/// Nodes by Newton from those in double precision.
template <class Real>
Rule<Real> extended_rule(int points) {
  struct Stored {
    std::vector<Real> nodes;
    std::vector<Real> weights;
  };
  static std::map<int, Stored> rules;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  Stored& rule = rules[points];
  if (rule.nodes.empty()) {
    // P_n and its derivative by the three-term recurrence.
    const auto legendre = [points](const Real& x) {
      Real previous(1);
      Real value = x;
      for (int n = 2; n <= points; ++n) {
        const Real next = ((Real(2 * n - 1)) * x * value - Real(n - 1) * previous) / Real(n);
        previous = value;
        value = next;
      }
      return std::pair<Real, Real>{value, Real(points) * (previous - x * value) / (Real(1) - x * x)};
    };
    for (const double start : gauss_rule<double>(points).nodes) {
      Real x(start);
      for (int i = 0; i < 5; ++i) {  // 16 digits, doubled each time
        const auto [value, slope] = legendre(x);
        x -= value / slope;
      }
      const Real slope = legendre(x).second;
      rule.nodes.push_back(x);
      rule.weights.push_back(Real(2) / ((Real(1) - x * x) * slope * slope));
    }
  }
  return {rule.nodes, rule.weights};
}

/// A Contour in the precision of Real behind the interface that engine.cpp sees.
template <class Real>
class ContourIn : public ExtendedContour {
 public:
  /// Builds the contour at once. \throws ConvergenceError as Contour does.
  ContourIn(const Transform& transform, const ContourPlan& plan, const Deadline& deadline)
      : contour_(transform, plan, deadline) {}
  /// As Contour::at, and the two below as its c and expanded.
  [[nodiscard]] ContourValues at(double epsilon) const override { return contour_.at(epsilon); }
  /// The real part of the line.
  [[nodiscard]] double c() const override { return contour_.c(); }
  /// Whether atoms and single jumps were subtracted.
  [[nodiscard]] bool expanded() const override { return contour_.expanded(); }

 private:
  Contour<Real> contour_;
};

}  // namespace dpcurves::accounting::detail
