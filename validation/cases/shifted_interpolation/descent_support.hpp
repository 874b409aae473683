// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What the cases about noisy descent share: random instances, losses in one dimension, chains of neighbouring data
/// sets, and the comparison of measured laws with a claimed parameter.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/inference/tradeoff_estimate.hpp>
#include <dpcurves/models/losses.hpp>
#include <dpcurves/simulate/detail/chain_law.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

#include "validation/case.hpp"
#include "validation/draws.hpp"

namespace dpcurves::validation::shifted_interpolation {

/// \name Vectors in R^d, shape (d)
/// @{
using Vector = std::vector<double>;
[[nodiscard]] double dot(const Vector& a, const Vector& b);
[[nodiscard]] double norm(const Vector& a);
[[nodiscard]] double distance(const Vector& a, const Vector& b);
/// a + factor b
[[nodiscard]] Vector sum(const Vector& a, double factor, const Vector& b);
[[nodiscard]] Vector unit(Vector a);
/// @}

/// The loss curvature x^2/2 + bend log cosh x in one dimension: curvature-strongly convex, (curvature + bend)-smooth.
struct Loss {
  double curvature = 0.0;
  double bend = 0.0;
};

/// x -> x - step_size loss'(x) + shift.
[[nodiscard]] std::function<double(double)> gradient_step(const Loss& loss, double step_size, double shift = 0.0);

/// One-dimensional descent from 0 whose steps shift by `first` or `second`, depending on the data set. Kernel 0 is a
/// common step, kernels 1 and 2 are those of the differing batch; all lengths in units of the iterate.
struct Descent {
  Loss loss;
  double step_size = 0.0;
  double noise = 1.0;   ///< standard deviation of the iterate noise, step size times sigma
  double first = 0.0;   ///< shift under the first data set: -step size times the additional gradient
  double second = 0.0;  ///< shift under the second data set
  double half_width = std::numeric_limits<double>::infinity();  ///< K = [-half_width, half_width]
};

/// Every step differs.
[[nodiscard]] simulate::ChainPair full_batch_chains(const Descent& descent);
/// Step `position` (1 ... batches) of each epoch differs.
[[nodiscard]] simulate::ChainPair cyclic_chains(const Descent& descent, std::size_t batches, std::size_t position);
/// Every step differs with probability `sampling_rate`.
[[nodiscard]] simulate::ChainPair subsampled_chains(const Descent& descent, double sampling_rate);

/// The exact laws after `steps`, at four quadrature points per noise standard deviation: for the maps of these cases,
/// none of which expands by more than 2.5 in one step, twice as many change no effective mu by 1e-7.
[[nodiscard]] simulate::LawPair exact_laws(const simulate::ChainPair& chains, std::size_t steps);

/// The accuracy of a largest effective mu from an exact law.
constexpr double law_accuracy = 3e-6;

/// The exact law's largest effective mu, less its accuracy, is at most `mu`. Returns the measured value.
double law_within(Trial& trial, const simulate::LawPair& laws, double mu, const std::string& what);

/// The loss of `descent.loss` for n records, record 0 with the additional gradient -shift n / step_size (full batch)
/// or -shift b / step_size (batches of b): `averaged` is n or b.
[[nodiscard]] models::SeparableLosses losses_of(const Descent& descent, double shift, std::size_t records,
                                                double averaged);
/// The simulator's setting of `descent`; the record that differs is the first one of `batch_size` (0: full batches).
[[nodiscard]] simulate::NoisyDescent simulated(const Descent& descent, std::size_t steps,
                                               simulate::BatchRule rule = simulate::BatchRule::full,
                                               std::size_t batch_size = 0);

/// Runs both data sets `paths` times and tests them by thresholds on the first coordinate, chosen on a pilot sample
/// so that the type I errors are about those asked for.
[[nodiscard]] std::vector<inference::TradeoffPoint> simulated_points(const Setting& setting, std::string_view id,
                                                                     const simulate::NoisyDescent& process,
                                                                     const models::Losses& first,
                                                                     const models::Losses& second, std::size_t paths,
                                                                     const std::vector<double>& type_one_errors);

/// No point is certainly below the claimed trade-off function. Uses two intervals per point.
void points_above(Trial& trial, std::span<const inference::TradeoffPoint> points,
                  const std::function<double(double)>& claim, const std::string& what);

/// G(mu) as a claim.
[[nodiscard]] std::function<double(double)> gdp(double mu);

/// The curves of exact laws and of a GDP parameter, for figures of type II against type I error.
[[nodiscard]] io::Series law_curve(std::string name, const simulate::LawPair& laws);
[[nodiscard]] io::Series gdp_curve(std::string name, double mu);
[[nodiscard]] io::Plot tradeoff_plot(std::string title, std::vector<io::Series> series);

/// low, low + 1, ... high as doubles, thinned to about `most` values that grow geometrically.
[[nodiscard]] std::vector<double> geometric_integers(double low, double high, std::size_t most);

}  // namespace dpcurves::validation::shifted_interpolation
