// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Exact laws of noisy descent in one dimension, for any losses: no sampling error, the whole trade-off curve.
///
/// X_{k+1} = projection onto [lower, upper] of (phi(X_k) + noise * N(0, 1)), where phi is drawn from a finite mixture
/// of maps at each step (subsampling) and may differ from step to step (cyclic batches). The density is carried from
/// step to step by quadrature: the trapezoid rule on the whole line, Gauss-Legendre panels and one atom at each end
/// of a box. After the last step the law is a finite mixture of Gaussians clipped to the box, so that its tails are
/// sums of positive terms with full relative accuracy.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace dpcurves::simulate {

/// One map of a step and how probable it is.
struct Branch {
  double probability = 1.0;           ///< in (0, 1]
  std::function<double(double)> map;  ///< finite for every x it is asked for
};

/// The step x -> map of a random branch; the probabilities sum to 1.
using StepKernel = std::vector<Branch>;

/// Two chains, those of two neighbouring data sets, with the same start, noise and box.
struct ChainPair {
  double start = 0.0;  ///< X_0 of both chains
  double noise = 0.0;  ///< standard deviation of the iterate's noise (step size times gradient noise), > 0
  double lower = -std::numeric_limits<double>::infinity();  ///< ends of the box: both finite or both infinite
  double upper = std::numeric_limits<double>::infinity();   ///< above `lower`; infinite for the whole line
  std::vector<StepKernel> kernels;                          ///< the different steps that occur, in any order
  std::vector<std::size_t> first;   ///< step k of the first chain uses kernels[first[k mod size]]
  std::vector<std::size_t> second;  ///< the same for the second chain
};

/// A finite mixture of Gaussians of one common width.
struct GaussianMixture {
  double width = 1.0;          ///< standard deviation, > 0
  std::vector<double> mean;    ///< shape (components)
  std::vector<double> weight;  ///< shape (components), sums to 1

  [[nodiscard]] double density(double x) const;     ///< of the mixture at x
  [[nodiscard]] double upper_tail(double x) const;  ///< P(X > x), with relative accuracy
  [[nodiscard]] double lower_tail(double x) const;  ///< P(X <= x), with relative accuracy
};

/// A vertex of a trade-off curve: errors and their complements, each with its own relative accuracy.
struct TradeoffVertex {
  double type_one_error = 0.0;            ///< in [0, 1]
  double one_minus_type_one_error = 1.0;  ///< with digits of its own near 0
  double type_two_error = 1.0;            ///< in [0, 1]
  double one_minus_type_two_error = 0.0;  ///< the power, with digits of its own near 0

  /// -Phi^{-1}(type I) - Phi^{-1}(type II): the mu of the Gaussian curve through this point.
  [[nodiscard]] double effective_mu() const;
};

/// The laws of both chains after the last step, P of the first and Q of the second.
class LawPair {
 public:
  /// Made by chain_laws. \param reach_low, reach_high  beyond them both laws have next to nothing.
  LawPair(GaussianMixture p, GaussianMixture q, double lower, double upper, double reach_low, double reach_high);

  /// P(X > x) and P(X <= x) of either chain; atoms at the ends of the box belong to x <= upper and x > lower - 0.
  [[nodiscard]] double upper_tail_first(double x) const { return x >= upper_ ? 0.0 : p_.upper_tail(x); }
  /// The same for the second chain.
  [[nodiscard]] double upper_tail_second(double x) const { return x >= upper_ ? 0.0 : q_.upper_tail(x); }
  /// P(X <= x) of the first chain.
  [[nodiscard]] double lower_tail_first(double x) const {
    return x < lower_ ? 0.0 : x >= upper_ ? 1.0 : p_.lower_tail(x);
  }
  /// P(X <= x) of the second chain.
  [[nodiscard]] double lower_tail_second(double x) const {
    return x < lower_ ? 0.0 : x >= upper_ ? 1.0 : q_.lower_tail(x);
  }

  /// Vertices of T(P, Q) by the Neyman-Pearson lemma on cells an eighth of the noise wide, from type I error 0 to 1.
  /// Where the likelihood ratio is monotone, each lies on the exact curve.
  [[nodiscard]] const std::vector<TradeoffVertex>& vertices() const { return vertices_; }

  /// T(P, Q)(a). Between vertices the curve is interpolated as a Gaussian one; an atom's segment is straight.
  /// \throws DomainError  unless a is in [0, 1].
  [[nodiscard]] double type_two_error(double type_one_error) const;

  /// The mu of the Gaussian curve through (a, T(P, Q)(a)). \throws DomainError unless a is in (0, 1).
  [[nodiscard]] double effective_mu(double type_one_error) const;

  /// The largest effective mu where both errors are at least `smallest_error`: no smaller GDP parameter is valid for
  /// this pair. 0 if no such point is left, as where the laws are nearly disjoint: then ask for a smaller error.
  /// \param smallest_error  in (0, 0.5); in a box down to 1e-290, on the whole line to 1e-35.
  [[nodiscard]] double largest_effective_mu(double smallest_error = 1e-6) const;

  /// sup over events of Q(E) - exp(epsilon) P(E), any real epsilon.
  [[nodiscard]] double delta(double epsilon) const;
  /// sup over events of P(E) - exp(epsilon) Q(E).
  [[nodiscard]] double delta_reverse(double epsilon) const;

 private:
  struct Cell {
    double left, right;  // equal: an atom
    double p, q;         // masses
  };
  [[nodiscard]] double hockey_stick(double epsilon, bool reverse) const;
  [[nodiscard]] TradeoffVertex on_segment(std::size_t end, bool given_type_one, double error) const;
  [[nodiscard]] TradeoffVertex at_type_one(double error) const;
  [[nodiscard]] TradeoffVertex at_type_two(double error) const;

  GaussianMixture p_, q_;
  double lower_, upper_;
  std::vector<Cell> cells_;
  std::vector<TradeoffVertex> vertices_;
  std::vector<bool> straight_;  // the segment that ends in this vertex belongs to an atom
};

/// The laws after `steps` steps.
///
/// \param points_per_noise  quadrature points per noise standard deviation, 2 to 64. The maps must vary slowly on
///                          that scale too; twice the number shows the error.
/// \throws DomainError       if steps < 1, noise <= 0, a box is empty or half infinite, a start lies outside the box,
///                           a kernel is empty or its probabilities do not sum to 1, an index names no kernel, a map
///                           gives no finite number, or more than 20000 points would be needed.
/// \throws ConvergenceError  if a step loses mass.
///
/// Accuracy: effective mu within 1e-6 for the affine and tanh losses of the tests, tails relative to themselves down
/// to 1e-35. Cost: O(points^2) per kernel and step; 0.01 to 0.5 s in the cases of the validation.
[[nodiscard]] LawPair chain_laws(const ChainPair& chains, std::size_t steps, double points_per_noise = 8.0);

}  // namespace dpcurves::simulate
