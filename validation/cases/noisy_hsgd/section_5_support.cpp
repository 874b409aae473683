// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/cases/noisy_hsgd/section_5_support.hpp"

#include <cmath>
#include <span>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/homogenized/pair_score.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::validation::noisy_hsgd {
namespace {

Eigen::ArrayXd one(double value) { return Eigen::ArrayXd::Constant(1, value); }

}  // namespace

Section5 section_5(double start_deviation, double noise, std::uint64_t seed) {
  const auto d = static_cast<double>(section_5_dimension);
  Section5 result;
  result.law = simulate::section_5_records(section_5_dimension, seed);
  simulate::NoisyLeastSquares& descent = result.descent;
  descent.start.resize(section_5_dimension);
  random::normals(descent.start, seed, random::Purpose::initialisation, 1, 0);
  for (double& entry : descent.start) {
    entry *= start_deviation;
  }
  descent.regularisation = 0.1;
  descent.noise = noise;
  descent.step_sizes.assign(section_5_steps, 0.05);
  // Blocks: the direction of the mean, and the rest.
  double start_along = 0.0, truth_along = 0.0, start2 = 0.0, truth2 = 0.0, product = 0.0;
  for (std::size_t i = 0; i < section_5_dimension; ++i) {
    const double x = descent.start[i], target = result.law.target[i];
    start_along += x / std::sqrt(d);
    truth_along += target / std::sqrt(d);
    start2 += x * x;
    truth2 += target * target;
    product += x * target;
  }
  models::LeastSquares& problem = result.isotropic;
  problem.products.norm2_x0 = Eigen::Array2d(start_along * start_along, start2 - start_along * start_along);
  problem.products.dot_x0_xtilde = Eigen::Array2d(start_along * truth_along, product - start_along * truth_along);
  problem.products.norm2_xtilde = Eigen::Array2d(truth_along * truth_along, truth2 - truth_along * truth_along);
  problem.label_noise = 0.01 / d;
  problem.regularisation = 0.1;
  problem.noise = noise;
  problem.dimension = d;
  problem.schedule = models::Schedule::constant(0.05 * d);
  result.second_moment = problem;
  const std::vector<double> multiplicity{1.0, d - 1.0};
  const double bulk = 1.0 / (12.0 * d);
  problem.spectrum = models::Spectrum::blocks(std::vector<double>{bulk, bulk}, multiplicity);
  result.second_moment.spectrum = models::Spectrum::blocks(std::vector<double>{0.25 + bulk, bulk}, multiplicity);
  return result;
}

simulate::PopulationRisk isotropic_risk(const Section5& experiment) {
  return {std::vector<double>(section_5_dimension, 1.0 / (12.0 * section_5_dimension)),
          experiment.law.target,
          0.5 * experiment.isotropic.label_noise,
          {}};
}

homogenized::IsotropicPass isotropic_pass(const Section5& experiment, const simulate::Records& records,
                                          std::size_t first, std::size_t second) {
  const auto d = static_cast<double>(section_5_dimension);
  const std::span<const double> a = records.row(first), b = records.row(second), start = experiment.descent.start,
                                truth = experiment.law.target;
  using simulate::dot;
  return homogenized::IsotropicPass{
      .eigenvalue = 1.0 / (12.0 * d),
      .regularisation = experiment.descent.regularisation,
      .step_size = experiment.descent.step_sizes.front(),
      .dimension = d,
      .records = static_cast<double>(section_5_steps),
      .label_noise = experiment.isotropic.label_noise,
      .noise = experiment.descent.noise,
      .norm2_x0 = dot(start, start),
      .dot_x0_xtilde = dot(start, truth),
      .norm2_xtilde = dot(truth, truth),
      .pair = {one(dot(a, a)), one(dot(a, b)), one(dot(b, b)), one(dot(a, start)), one(dot(b, start)),
               one(dot(a, truth)), one(dot(b, truth)), records.labels[first], records.labels[second], first == second}};
}

homogenized::IsotropicPass published_pass(double noise) {
  return homogenized::IsotropicPass{
      .eigenvalue = 8.333333333333333e-05,
      .regularisation = 0.1,
      .step_size = 0.05,
      .dimension = 1000.0,
      .records = 1500.0,
      .label_noise = 1e-5,
      .noise = noise,
      .norm2_x0 = 3783.890954278525,
      .dot_x0_xtilde = -0.6793751500586259,
      .norm2_xtilde = 0.3181268084983617,
      .pair = {one(0.35213116371008757), one(0.24084990269607034), one(0.31239902914650325), one(-1.4012172403013814),
               one(0.946604904748245), one(0.2550314476778388), one(0.2269685620622802), 0.25958271431903546,
               0.2198542722740832, false}};
}

models::LeastSquares published_problem(double start_deviation, bool second_moment, double noise) {
  models::LeastSquares problem;
  const double scale = start_deviation;  // the draw of deviation 1, stretched
  problem.products.norm2_x0 = Eigen::Array2d(0.054424549869424806, 945.9183140197639) * scale * scale;
  problem.products.dot_x0_xtilde = Eigen::Array2d(-0.11370743224664528, -0.22598014278266687) * scale;
  problem.products.norm2_xtilde = Eigen::Array2d(0.23756521972428896, 0.0805615887740726);
  problem.label_noise = 1e-5;
  problem.regularisation = 0.1;
  problem.noise = noise;
  problem.dimension = section_5_dimension;
  problem.schedule = models::Schedule::constant(50.0);
  const double bulk = 1.0 / (12.0 * section_5_dimension);
  problem.spectrum = models::Spectrum::blocks(std::vector<double>{second_moment ? 0.25 + bulk : bulk, bulk},
                                              std::vector<double>{1.0, section_5_dimension - 1.0});
  return problem;
}

double log_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  Eigen::ArrayXd u = Eigen::Map<const Eigen::ArrayXd>(x.data(), static_cast<Eigen::Index>(x.size())).log();
  Eigen::ArrayXd v = Eigen::Map<const Eigen::ArrayXd>(y.data(), static_cast<Eigen::Index>(y.size())).log();
  u -= u.mean();
  v -= v.mean();
  return (u * v).sum() / std::sqrt(u.square().sum() * v.square().sum());
}

PairScores pair_scores(std::uint64_t seed, std::size_t pairs) {
  const auto experiment = section_5(2.0, 1.5, seed);
  const auto records = simulate::draw_records(experiment.law, section_5_steps, seed + 1);
  const auto d = static_cast<Eigen::Index>(section_5_dimension);
  const Eigen::Map<const Eigen::ArrayXd> start(experiment.descent.start.data(), d);
  const Eigen::ArrayXd ones = Eigen::ArrayXd::Ones(d);
  const auto record = [&](std::size_t row) {
    return models::Record{Eigen::Map<const Eigen::ArrayXd>(records.row(row).data(), d), records.labels[row]};
  };
  PairScores result;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t first = 2 * i, second = 2 * i + 1;
    const models::RecordPair pair{record(first), record(second)};
    const auto losses = homogenized::isotropic_losses(isotropic_pass(experiment, records, first, second), 2.0,
                                                      std::vector<double>{0.5 * section_5_steps});
    result.figure_units.push_back(losses.figure_units[0]);
    result.loss.push_back(losses.backward[0]);
    result.score.push_back(homogenized::pair_score(pair, start));
    result.printed_score.push_back(homogenized::pair_score_printed_form(pair, ones, experiment.descent.regularisation));
  }
  return result;
}

io::Plot pair_score_plot(const PairScores& scores) {
  return io::Plot{.title = "Renyi loss of order 2 at t = T/2 against the score of the pair, sigma = 1.5",
                  .x = {"score of the pair at x0", true, 0.1, 10.0},
                  .y = {"Renyi loss", true, std::nullopt, std::nullopt},
                  .legend = io::Legend::top_left,
                  .series = {io::points("as plotted (step eta/d)", scores.score, scores.figure_units),
                             io::points("consistent units", scores.score, scores.loss)}};
}

std::vector<std::size_t> growing_iterations(double factor) {
  std::vector<std::size_t> iterations;
  for (double k = 1.0; k < static_cast<double>(section_5_steps); k *= factor) {
    const auto next = static_cast<std::size_t>(std::lround(k));
    if (iterations.empty() || next > iterations.back()) {
      iterations.push_back(next);
    }
  }
  iterations.push_back(section_5_steps);
  return iterations;
}

std::vector<double> loss_iterations() {
  const auto iterations = growing_iterations(1.3);
  return {iterations.begin(), iterations.end()};
}

io::Plot quantile_plot(const std::string& title, const std::vector<double>& quantiles) {
  const std::vector<double> ends{quantiles.front(), quantiles.back()};
  return io::Plot{.title = title,
                  .x = {"quantile of chi-squared with d degrees of freedom", false, std::nullopt, std::nullopt},
                  .y = {"quantile of the runs", false, std::nullopt, std::nullopt},
                  .legend = io::Legend::top_left,
                  .series = {io::dashed("equal laws", ends, ends)}};
}

io::Plot loss_plot() {
  const auto iterations = loss_iterations();
  io::Plot plot{.title = "Renyi loss of order 2 of the published pair",
                .x = {"iteration", true, 1.0, std::nullopt},
                .y = {"Renyi loss", true, std::nullopt, std::nullopt},
                .legend = io::Legend::bottom_left};
  int colour = 0;
  for (const double noise : {1.0, 1.25, 1.5}) {
    const auto result = homogenized::isotropic_losses(published_pass(noise), 2.0, iterations);
    const std::string name = "sigma = " + shortest(noise);
    plot.series.push_back(io::line(name + ", consistent units", iterations, result.backward));
    plot.series.back().colour = colour;
    plot.series.push_back(io::dashed(name + ", as plotted", iterations, result.figure_units));
    plot.series.back().colour = colour++;
  }
  return plot;
}

}  // namespace dpcurves::validation::noisy_hsgd
