// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Pairs of laws on finitely many outcomes and their exact trade-off functions, for the cases about the f-DP calculus.
///
/// The Neyman-Pearson lemma is used as it stands: reject the outcomes of the largest ratio q / p first. Nothing here
/// comes from the library's own trade-off functions, so that the two can be compared.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/random/streams.hpp>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// Probabilities of P and Q, shape (outcomes), each summing to 1.
struct FinitePair {
  std::vector<double> p, q;
};

/// A point of a trade-off curve.
struct CurvePoint {
  double type_one_error = 0.0;
  double type_two_error = 0.0;
};

/// T(P, Q) of a finite pair: linear between its vertices. Both errors are sums from their own end, so that small ones
/// keep their digits.
class FiniteTradeoff {
 public:
  explicit FiniteTradeoff(const FinitePair& pair);

  [[nodiscard]] double operator()(double type_one_error) const;
  [[nodiscard]] const std::vector<CurvePoint>& vertices() const& { return vertices_; }
  [[nodiscard]] std::vector<CurvePoint> vertices() && { return std::move(vertices_); }

 private:
  std::vector<CurvePoint> vertices_;
};

using Curve = std::function<double(double)>;

/// (P, Q) with P and Q exchanged.
[[nodiscard]] FinitePair swapped(const FinitePair& pair);
/// (P x P', Q x Q').
[[nodiscard]] FinitePair product(const FinitePair& a, const FinitePair& b);
/// A stochastic matrix, shape (outcomes before, outcomes after).
using Kernel = std::vector<std::vector<double>>;
/// The laws of the outcomes after a draw from the kernel.
[[nodiscard]] FinitePair pushed(const FinitePair& pair, const Kernel& kernel);
[[nodiscard]] std::vector<double> pushed(const std::vector<double>& law, const Kernel& kernel);
[[nodiscard]] double total_variation(const std::vector<double>& p, const std::vector<double>& q);
/// sup over events E of Q(E) - exp(epsilon) P(E).
[[nodiscard]] double hockey_stick(const FinitePair& pair, double epsilon);

/// The masses of N(0, 1) and N(mu, 1) in cells of equal width over [-reach, mu + reach] and the two tails.
[[nodiscard]] FinitePair gaussian_cells(double mu, double width, double reach = 9.0);
/// The masses of two unnormalised densities exp(-potential) in equal cells over [lower, upper].
[[nodiscard]] FinitePair density_cells(const std::function<double(double)>& potential_p,
                                       const std::function<double(double)>& potential_q, double lower, double upper,
                                       std::size_t cells);

/// The random words of one case: `number` keeps the cases apart.
[[nodiscard]] random::Words words_of(const Setting& setting, std::uint32_t number);
/// Uniform on (0, 1).
[[nodiscard]] double uniform(random::Words& words);
/// A law whose weights spread over about exp(-spread) to 1; each outcome is left out with probability `missing`.
[[nodiscard]] std::vector<double> random_law(random::Words& words, std::size_t outcomes, double spread = 3.0,
                                             double missing = 0.0);
[[nodiscard]] Kernel random_kernel(random::Words& words, std::size_t from, std::size_t to);

/// Type I errors that see both ends: upper tails of equally spaced quantiles from -reach to reach.
[[nodiscard]] std::vector<double> quantile_grid(std::size_t points, double reach = 6.0);
/// The vertices' type I errors.
[[nodiscard]] std::vector<double> errors_of(const FiniteTradeoff& f);

/// Keeps the smallest gap `upper - lower` that was seen and where.
class SmallestGap {
 public:
  void see(double lower, double upper, double at);
  /// Requires the smallest gap to be at least -tolerance.
  void require(Trial& trial, double tolerance, const std::string& what) const;
  [[nodiscard]] double gap() const { return gap_; }

 private:
  double gap_ = 1e300, at_ = 0.0, lower_ = 0.0, upper_ = 0.0;
  std::size_t seen_ = 0;
};

/// Keeps the largest difference of a value from its exact one, relative to max(|exact|, floor), and where.
class LargestError {
 public:
  explicit LargestError(double floor = 0.0) : floor_(floor) {}
  void see(double value, double exact, double at);
  /// Requires the largest error to be at most `tolerance`; NaN fails.
  void require(Trial& trial, double tolerance, const std::string& what) const;

 private:
  double floor_, error_ = -1.0, at_ = 0.0, value_ = 0.0, exact_ = 0.0;
  std::size_t seen_ = 0;
};

}  // namespace dpcurves::validation
