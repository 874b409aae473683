// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Certified upper bounds for the pairs of Gaussian mixtures of mixture_pair.hpp, at any number of steps.
///
/// Jensen's inequality bounds the second law from below by a Gaussian: with m = E |C| y and W = E || |C| y ||^2,
/// Q/N_0 >= exp((second <m, z> - second^2 W/2)/kappa^2).
///
/// 1. Where the first law is N(0, kappa^2 I), so that P/Q is at most lognormal:
///    H_{e^epsilon}(P || Q) <= delta_G(|second| |m|/kappa; epsilon - second^2 (W - |m|^2)/(2 kappa^2)). Participations
///    may be given another rate for this, at the price of T times the relative entropy; the best is taken.
/// 2. Otherwise Renyi divergences of integer order: the order-th power of P/N_0 is a mean over `order` independent
///    records, whose encoded participations add up to a scalar Markov chain x_t = lambda x_{t-1} + Bin(order, r). Its
///    exponential moment is a backward recursion in x; after the quadratic part is taken out, what is left is the
///    logarithm of a moment generating function in x, hence convex, and chords bound it from above.
///
/// A matrix C whose entries are at most c lambda^{t-u} is bounded by lambda-CGD with noise multiplier kappa/c.
///
/// Source: derived here (derived-3), docs/theory/kan-correlated-noise/privacy.md.
#pragma once

#include <map>
#include <mutex>

#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/models/strategy_matrix.hpp>

namespace dpcurves::correlated {

/// c lambda^{t-u} >= |C_{t,u}| with the least c (1 - lambda^T)/(1 - lambda) that a search over lambda finds.
struct DominatingExponential {
  double factor = 1.0;  ///< c, rounded up
  double lambda = 0.0;  ///< in [0, 1)
};
/// lambda-CGD gives itself. Cost: O(stored entries), 60 times.
[[nodiscard]] DominatingExponential dominating_exponential(const models::StrategyMatrix& strategy);

/// Upper bound of H_{e^epsilon}(N_0 || Q), part 1.
/// \param multiple  of the means of Q, not 0. Proved in ball arithmetic, rounded up by a relative 1e-15 times steps or
/// so. Cost: 0.2 ms and O(steps). \throws DomainError  for a rate outside (0, 1], noise <= 0 or epsilon < 0.
[[nodiscard]] double gaussian_delta_bound(const models::StrategyMatrix& strategy, double sampling_rate,
                                          double noise_multiplier, double multiple, double epsilon);

/// Upper bound of D_order(P || Q), part 2, in nats.
/// \param multiples  first is not 0; second is 0 or of the opposite sign.
/// \param order      an integer from 2 to 4096. \param steps  up to 1e5.
/// \throws DomainError  outside. Rounded up at every operation, by a relative 1e-15 times steps or so, elementary
/// functions of the C library being taken to be within 2 units in the last place. Cost: steps times order times 3 us.
[[nodiscard]] double renyi_bound(const DominatingExponential& strategy, double steps, double sampling_rate,
                                 double noise_multiplier, MeanMultiples multiples, double order);

/// A delta with the Renyi order that gave it; order 0: part 1.
struct DeltaBound {
  double delta = 1.0;  ///< in [0, 1], rounded up
  double order = 0.0;  ///< of the Renyi divergence; 0 where part 1 was smaller
};

/// An epsilon with the Renyi order that gave it; order 0: part 1.
struct EpsilonByOrder {
  double epsilon = 0.0;  ///< >= 0, rounded up
  double order = 0.0;    ///< of the Renyi divergence; 0 where part 1 was smaller
};

inline constexpr double most_mixture_steps = 1e4;  ///< above it one evaluation takes seconds

/// The bounds of one pair. Remembers the Renyi divergences that were asked for; may be used from several threads.
class MixtureBound {
 public:
  static constexpr const char* id = "kan-correlated-noise/derived-3";  ///< of the catalogue

  /// \throws DomainError  as renyi_bound and gaussian_delta_bound.
  MixtureBound(models::StrategyMatrix strategy, double sampling_rate, double noise_multiplier, MeanMultiples multiples);

  /// Upper bound of D_order(P || Q), in part 1 (order - 1) second^2 |m|^2/(2 kappa^2) + second^2 W/(2 kappa^2).
  /// \param order  in part 1 any above 1, otherwise an integer from 2 to 4096.
  [[nodiscard]] double renyi(double order) const;
  /// Upper bound of H_{e^epsilon}(P || Q), by the best integer order up to 256 where part 2 applies.
  /// \param order_guess  where the search for the order starts; 0: a guess of its own.
  /// Cost: about 8 evaluations of renyi_bound, fewer with a good guess, none for orders that are known.
  [[nodiscard]] DeltaBound delta(double epsilon, double order_guess = 0.0) const;
  /// The least epsilon >= 0 with that bound at most `delta`, rounded up. \param delta  in (0, 1).
  [[nodiscard]] EpsilonByOrder epsilon(double delta) const;

  /// C, as given; so for the three below.
  [[nodiscard]] const models::StrategyMatrix& strategy() const { return strategy_; }
  /// r in (0, 1].
  [[nodiscard]] double sampling_rate() const { return sampling_rate_; }
  /// kappa > 0.
  [[nodiscard]] double noise_multiplier() const { return noise_multiplier_; }
  /// Multiples of |C| y that are the means of the first and the second law.
  [[nodiscard]] MeanMultiples multiples() const { return multiples_; }

 private:
  models::StrategyMatrix strategy_;
  DominatingExponential dominating_;
  double sampling_rate_, noise_multiplier_;
  MeanMultiples multiples_;
  mutable std::mutex guard_;
  mutable std::map<double, double> known_;
};

/// A noise multiplier at which MixtureBound::delta is at most `delta`, within a relative `tolerance` of the least.
/// \param delta  in (0, 1). \throws ConvergenceError  if there is none below 1e12.
[[nodiscard]] double mixture_noise_multiplier(const models::StrategyMatrix& strategy, double sampling_rate,
                                              MeanMultiples multiples, double epsilon, double delta,
                                              double tolerance = 1e-6);

}  // namespace dpcurves::correlated
