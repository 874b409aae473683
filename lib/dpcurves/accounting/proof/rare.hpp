// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What rare large losses add to the bulk of a composition, on a straight upright line. Internal.
///
/// Every law is split by a smooth partition into a bulk B_i, whose compositions alone cannot reach the threshold, and a
/// rare part R_i. prod (B_i + R_i)^{T_i} - prod B_i^{T_i} is the transform of a positive measure, decays upwards
/// although neither product does, and is as small as delta: numbers of two doubles keep its digits. Proof: Lemma 11 of
/// docs/theory/accountant/proof.md.
#pragma once

#include <memory>
#include <vector>

#include <dpcurves/accounting/proof/line.hpp>
#include <dpcurves/accounting/proof/parting.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plan.hpp>
#include <dpcurves/accounting/proof/split.hpp>
#include <dpcurves/accounting/proof/tail_paths.hpp>

namespace dpcurves::accounting::proof {

/// delta of a composition whose bulk does not matter, or has a line of its own.
class Rare final : public Line {
 public:
  /// For delta of about e^{log_value} at thresholds near `epsilon`, to a relative e^{-digits}.
  /// \param most_terms  nodes of the line times nodes of the paths, some 8 ns each.
  /// \param problem  not cut off. \throws ConvergenceError  if no split leaves the bulk unseen or no line is short
  /// enough.
  /// \param leaves  whether the bulk has a share of delta, by a line of its own.
  Rare(const Problem& problem, double epsilon, double log_value, double digits, double most_terms = 6e7,
       Leaves leaves = Leaves::nothing);
  /// The same for laws without their largest losses, by partitions of one width, which it adds.
  Rare(const Parting& parting, double epsilon, double log_value, double digits, double most_terms);

 private:
  using Row = std::vector<std::unique_ptr<const Integral>>;
  struct Parts {  // of one step
    double count = 0.0;
    Row bulk, rare;
    rigorous::Real bulk_error, rare_error;  // of the quadrature, on the line
    rigorous::Real lost, apart;             // of the bulk: what is cut off, what is counted elsewhere
    rigorous::Real missing, mass;           // what it has not, which may be far below a unit of what it has
  };
  /// About log of the bound on sum T |R(z)| at and above c + i top.
  [[nodiscard]] double tail(const Split& split, double top);
  [[nodiscard]] static std::unique_ptr<const Line> bulk_line(Problem problem, const Split& split, double epsilon,
                                                             double log_value, double digits, double most_terms);
  void lay(const Problem& problem, const Split& split, double top, double digits, double most_terms);
  void bound();
  /// B(order + i k h) of a step for k = 0, ..., last. \param error  of the quadrature.
  [[nodiscard]] std::vector<rigorous::Complex> bulk(const Parts& parts, double order, long last,
                                                    const rigorous::Real& error) const;
  /// R(order + i k h) of a step. \param error  of the quadrature.
  [[nodiscard]] std::vector<rigorous::Complex> rare(const Parts& parts, double order, long last,
                                                    const rigorous::Real& error) const;
  /// The same at a real order, with its own error: to what doubles know.
  [[nodiscard]] static rigorous::Real bulk(const Parts& parts, double order);
  [[nodiscard]] static rigorous::Real rare(const Parts& parts, double order);
  /// e^{g^2 z (z + 1) / 2}
  [[nodiscard]] rigorous::Complex gaussian(const rigorous::Complex& z) const;
  /// F(z) from the moments of the steps.
  [[nodiscard]] rigorous::Complex transform(const rigorous::Complex& z, const std::vector<rigorous::Complex>& bulk,
                                            const std::vector<rigorous::Complex>& rare) const;

  rigorous::Real gaussian_square_;
  std::vector<Parts> parts_;
  std::vector<std::vector<Piece>> rare_pieces_;
  std::vector<std::vector<TailPaths>> far_up_;
  std::vector<std::vector<Path>> tails_;  // of the rare pieces
  std::vector<double> references_, fractions_;
};

}  // namespace dpcurves::accounting::proof
