// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Moments and the integrand of a contour in doubles: what planning looks at. Internal.
#pragma once

#include <utility>
#include <vector>

#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plan.hpp>

namespace dpcurves::accounting::proof {

/// Nodes in doubles of one integral.
struct PlainIntegral {
  std::vector<double> loss_re, loss_im, log_re, log_im;  // losses and log weights
  Plain mass;                                            // the integral at order 0
  std::vector<std::pair<double, double>> edges;          // loss and log density where the law is cut off
  /// What the edges may add to an integral at orders of that real part and less than radius away, over e^{scale}.
  [[nodiscard]] double edge(double re, double radius, double scale) const;
  PlainIntegral(const Piece& piece, const Path& path);
  [[nodiscard]] std::size_t size() const { return loss_re.size(); }
  [[nodiscard]] Plain loss(std::size_t j) const { return {loss_re[j], loss_im[j]}; }
  [[nodiscard]] Plain log_weight(std::size_t j) const { return {log_re[j], log_im[j]}; }
  /// The real part of log weight + z loss.
  [[nodiscard]] double height(std::size_t j, Plain z) const {
    return log_re[j] + z.real() * loss_re[j] - z.imag() * loss_im[j];
  }
};

/// A plan's contour in doubles.
class Contour {
 public:
  Contour(const Problem& problem, const Plan& plan);
  [[nodiscard]] Plain at(Plain t) const;
  /// z'(t) / i
  [[nodiscard]] Plain speed(Plain t) const;
  /// sum T log M(z) + g^2 z (z + 1) / 2
  [[nodiscard]] Plain cumulant_at(Plain z) const;
  /// log of the integrand in t, without 1 / (2 pi).
  [[nodiscard]] Plain log_integrand(Plain t, double epsilon) const;
  /// About what Inversion will prove of the integrand's modulus within h / 2 of t.
  [[nodiscard]] double log_disc(Plain t, double h, double epsilon) const;

  /// About log of the integral's bound on the vertical ray above t.
  [[nodiscard]] double log_ray(double t, double epsilon) const;

 private:
  const Problem& problem_;
  Plan plan_;
  std::vector<std::vector<PlainIntegral>> integrals_;
};

/// A plan's sum at any threshold near its own, unproved.
class Sketch {
 public:
  Sketch(const Problem& problem, const Plan& plan);
  /// log |delta(epsilon)| (or of 1 - delta where c < 0) and its derivative.
  [[nodiscard]] Rough at(double epsilon) const;

 private:
  double c_ = 0.0, scale_ = 0.0;
  std::vector<Plain> z_, value_;
};

/// log(e^a + e^b)
[[nodiscard]] double log_add(double a, double b);

}  // namespace dpcurves::accounting::proof
