// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The experiment of Section 5 of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": d = 1000,
/// n = 1500, features uniform on (0, 1/sqrt d), eta = 0.05, delta = 0.1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dpcurves/homogenized/isotropic_loss.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/models/least_squares.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

namespace dpcurves::validation::noisy_hsgd {

/// Sizes of the experiment.
constexpr std::size_t section_5_dimension = 1000, section_5_steps = 1500;

/// Data, start and metric of one drawing of the experiment.
struct Section5 {
  simulate::RecordLaw law;
  simulate::NoisyLeastSquares descent;
  models::LeastSquares isotropic;      ///< Sigma = I/(12 d), the covariance of the features, as the figures have it
  models::LeastSquares second_moment;  ///< Sigma = E[a a'], with a spike of 1/4 along the mean
};

/// One drawing. \param start_deviation  of each coordinate of the start: 1 as printed, 2 as in the published code.
[[nodiscard]] Section5 section_5(double start_deviation, double noise, std::uint64_t seed);

/// The risk of the isotropic metric.
[[nodiscard]] simulate::PopulationRisk isotropic_risk(const Section5& experiment);

/// The pass as the privacy calculator for one eigenvalue sees it, with the pair of records `first` and `second`.
[[nodiscard]] homogenized::IsotropicPass isotropic_pass(const Section5& experiment, const simulate::Records& records,
                                                        std::size_t first, std::size_t second);

/// Start and pair of records of the published draw, by their inner products: records 793 and 1293.
[[nodiscard]] homogenized::IsotropicPass published_pass(double noise);

/// Start and truth of the published draw, by block: the direction of the mean of the features, and the rest.
/// \param second_moment  Sigma = E[a a'] in place of the covariance.
[[nodiscard]] models::LeastSquares published_problem(double start_deviation, bool second_moment, double noise);

/// Correlation of the logarithms.
[[nodiscard]] double log_correlation(const std::vector<double>& x, const std::vector<double>& y);

/// Scores of random pairs of one data set beside their Renyi loss of order 2 at t = T/2, sigma = 1.5.
struct PairScores {
  std::vector<double> score;          ///< at x0, regulariser dropped
  std::vector<double> printed_score;  ///< with the vector of ones and the regulariser
  std::vector<double> loss;           ///< in consistent units
  std::vector<double> figure_units;   ///< with step eta/d, as plotted
};
[[nodiscard]] PairScores pair_scores(std::uint64_t seed, std::size_t pairs);
[[nodiscard]] io::Plot pair_score_plot(const PairScores& scores);

/// 1 ... 1500, growing by this factor.
[[nodiscard]] std::vector<std::size_t> growing_iterations(double factor);
/// Those of the losses, as numbers.
[[nodiscard]] std::vector<double> loss_iterations();
/// The loss of the published pair at three noises, in consistent and in plotted units.
[[nodiscard]] io::Plot loss_plot();

/// Quantiles of squared Mahalanobis distances over those of the law that is claimed; the line of equal laws.
[[nodiscard]] io::Plot quantile_plot(const std::string& title, const std::vector<double>& quantiles);

}  // namespace dpcurves::validation::noisy_hsgd
