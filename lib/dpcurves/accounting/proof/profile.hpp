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
#include <vector>

#include <dpcurves/accounting/proof/inversion.hpp>
#include <dpcurves/accounting/proof/jumps.hpp>
#include <dpcurves/accounting/proof/steep.hpp>

namespace dpcurves::accounting::proof {

/// delta(epsilon) of a composition, and what follows from it.
class Profile {
 public:
  /// \param composition  checked by the caller.
  explicit Profile(const Composition& composition);
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile();

  /// delta (or, `rest`, 1 - delta) at an exact epsilon of either sign, to a relative width if that can be had;
  /// always something true, [0, 1] if need be.
  /// \param spare  digits (as a power of e) that a new contour gets beyond these, to serve more thresholds.
  [[nodiscard]] rigorous::Real delta(const rigorous::Real& epsilon, bool rest, double relative, double spare = 0.0);

  /// Ends with delta(lower) > target >= delta(upper), or lower = upper = 0 where delta(0) <= target.
  struct Bracket {
    rigorous::Real lower, upper;
  };
  /// \param target  delta, or with `rest` 1 - delta. \param relative  wanted width.
  [[nodiscard]] Bracket epsilon(const rigorous::Real& target, bool rest, double relative);

  /// Type I error at epsilon >= 0.
  [[nodiscard]] rigorous::Real type_one_error(const rigorous::Real& epsilon, double relative);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Composition& composition() const { return composition_; }
  [[nodiscard]] const char* method() const;
  /// The contour that gave the last answer; null where none was needed.
  [[nodiscard]] const Inversion* last() const { return last_; }
  /// The profile of the composition with its laws exchanged; this one where they are alike.
  [[nodiscard]] Profile& reversed();
  [[nodiscard]] bool gaussian() const { return problem_.steps.empty(); }
  [[nodiscard]] bool single() const {
    return problem_.steps.size() == 1 && problem_.steps[0].count == 1.0 && problem_.gaussian_mu == 0.0;
  }

 private:
  [[nodiscard]] const Inversion* find(double epsilon, bool rest, double digits) const;
  /// A way to plan contours.
  struct Way {
    const Problem* problem;
    double most_work;  ///< of an upright contour
    bool steep = false;
  };
  [[nodiscard]] std::vector<Way> ways(double log_value, double epsilon, bool rest);
  [[nodiscard]] const Inversion& build(const Way& way, double c, double epsilon, double digits, double log_value);
  [[nodiscard]] rigorous::Real ahead(const rigorous::Real& epsilon, bool rest, double relative, double spare = 0.0);
  [[nodiscard]] rigorous::Real ahead(const Way& way, const rigorous::Real& epsilon, bool rest, double relative, double spare,
                                     double log_value);
  [[nodiscard]] Bracket by_contour(const rigorous::Real& target, bool rest, double relative);
  [[nodiscard]] Bracket by_contour(const Way& way, const rigorous::Real& target, bool rest, double relative);
  [[nodiscard]] std::optional<Bracket> by_jumps(const rigorous::Real& target, bool rest, double relative);
  [[nodiscard]] Bracket last_resort(const rigorous::Real& target, bool rest, double relative);
  [[nodiscard]] rigorous::Real bounded(const rigorous::Real& epsilon, bool rest);
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
  Problem problem_;
  Bearings bearings_;
  std::vector<std::unique_ptr<Problem>> cut_;  ///< with cut laws
  std::vector<std::unique_ptr<Inversion>> contours_;
  const Inversion* last_ = nullptr;
  const char* method_;
  std::unique_ptr<Profile> reversed_, easiest_;
};

}  // namespace dpcurves::accounting::proof
