// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The inversion on a straight upright line, for rare large losses: laws that are cut off, and an error that Poisson's
/// summation formula gives. Internal.
///
/// A line to the left of the saddle point sees the narrow bulk of the losses, which ends the sum, and does not grow on
/// the rare large ones. Its integrand is larger than delta by many orders of magnitude; M - 1 instead of M keeps the
/// digits. Proof: Lemma 9 of docs/theory/accountant/proof.md.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <dpcurves/accounting/proof/line.hpp>
#include <dpcurves/accounting/proof/parting.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/accounting/proof/tail_paths.hpp>

namespace dpcurves::accounting::proof {

/// delta of a composition.
class Upright final : public Line {
 public:
  /// A line for delta of about e^{log_value} at thresholds near `epsilon`, to a relative e^{-digits}.
  /// \param most_terms  nodes of the line times nodes of the paths, some 8 ns each.
  /// \param problem  not cut off yet. \throws ConvergenceError  if no line is short enough or keeps the digits.
  Upright(const Problem& problem, double epsilon, double log_value, double digits, double most_terms = 2e8);
  /// The same for laws without their large losses, which it adds.
  Upright(const Parting& parting, double epsilon, double log_value, double digits, double most_terms);

 private:
  void choose(const Problem& problem, double epsilon, double log_value, double digits);
  [[nodiscard]] static std::optional<Problem> cut(Problem problem, double c, double lost, double log_value,
                                                  double digits);
  /// Where the tail is below e^{wanted}, from `top` on; chooses the paths of the tail.
  /// \param most  the highest order.
  [[nodiscard]] double height(double wanted, double top, double most);
  /// Nodes that the line may have at all.
  [[nodiscard]] double most_orders() const;
  /// Chooses the paths. \returns their nodes.
  double lay(double top, double digits);
  /// Of the tail, of aliasing and of what was cut off. \returns the errors of the steps' quadratures.
  std::vector<rigorous::Real> bound_errors(double fine);
  /// The values at the nodes. \param errors  of the steps' quadratures.
  void fill(const std::vector<rigorous::Real>& errors);
  [[nodiscard]] double tail(double top);
  /// M(order + i k h) of a step for k = 0, ..., last. \param error  of the quadrature.
  [[nodiscard]] std::vector<rigorous::Complex> moments(std::size_t step, double order, long last,
                                                       const rigorous::Real& error) const;

  Problem problem_;                       // cut off
  std::vector<double> reference_, mean_;  // of each step: log M(c), and the mean loss there
  std::vector<double> fractions_;         // of the height that its tail may have: the best so far
  std::vector<std::vector<TailPaths>> far_up_;
  std::vector<std::vector<Path>> paths_, tails_;
  std::vector<std::vector<std::unique_ptr<const Integral>>> integrals_;
  std::vector<rigorous::Real> masses_;  // of each step
};

}  // namespace dpcurves::accounting::proof
