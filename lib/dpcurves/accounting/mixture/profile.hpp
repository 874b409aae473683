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

#include <dpcurves/accounting/mixture/law.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::mixture {

/// Steps beside a Gaussian mechanism.
struct Problem {
  std::vector<Step> steps;
  rigorous::Real gaussian_square;  ///< mu^2 of the Gaussian mechanism
};

/// Contours are kept between questions. One thread at a time.
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

 private:
  class Contour;
  struct Plan;
  [[nodiscard]] Plan plan(double epsilon) const;
  [[nodiscard]] std::optional<Enclosure> single(double epsilon) const;
  Problem problem_;
  double relative_;
  std::vector<std::vector<PlainPiece>> plain_;
  std::vector<std::unique_ptr<Contour>> contours_;
};

}  // namespace dpcurves::accounting::mixture
