// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A trade-off function from a profile that is costly to ask. Internal.
///
/// f(a) is the supremum over x = e^epsilon of g(x) = 1 - delta(x) - a x, which is concave: at least its value where
/// the profile is known, at most what chords of the profile allow between these places. The next place that is asked
/// is that where most is allowed, until no more is than at the places themselves.
#pragma once

#include <functional>
#include <map>

#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {

/// Keeps what it was asked: later errors cost less. One thread at a time.
class ProfileTradeoff {
 public:
  using Profile = std::function<Enclosure(double epsilon)>;
  /// \param profile  not necessarily the same at the same epsilon; what it says holds.
  /// \param relative  wanted width of f.
  /// \param farthest  the profile is asked from -farthest to farthest; at most 700.
  ProfileTradeoff(Profile profile, double relative, double farthest = 100.0)
      : profile_(std::move(profile)), relative_(relative), farthest_(farthest) {}
  /// f at an error in (0, 1): both ends proved, within a rounding of 1e-14. Cost: up to 30 values of the profile
  /// for the first, up to 10 for others.
  [[nodiscard]] Enclosure at(double type_one_error);
  /// How many values were asked.
  [[nodiscard]] std::size_t asked() const { return known_.size(); }

 private:
  struct Node {
    double x = 1.0;  // e^epsilon
    Enclosure delta{};
    double fall = 1.0, rise = 0.0;  // delta falls at most so fast on the right, and at least so fast on the left
    [[nodiscard]] double least(double a) const;
  };
  struct Most {
    double value = 0.0, epsilon = 0.0;  // the most that g can be, and about where
  };
  bool ask(double epsilon);  // whether it was not known
  [[nodiscard]] double mu();
  [[nodiscard]] Most most(double a) const;
  [[nodiscard]] Most larger(double a) const;
  [[nodiscard]] Enclosure best(double a) const;

  Profile profile_;
  double relative_;
  double farthest_;
  std::map<double, Node> known_;  // by epsilon
};

}  // namespace dpcurves::accounting::detail
