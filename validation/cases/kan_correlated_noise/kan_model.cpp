// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The network: splines, margin, gradients, Hessians and their constants.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/margin.hpp>
#include <dpcurves/numerics/lanczos.hpp>
#include <dpcurves/random/streams.hpp>

#include "validation/cases/kan_correlated_noise/kan_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

void assumption_3_2(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  const auto steps = setting.size(300, 30000);  // per span, a multiple of 3: knots and inner maxima are on the grid
  for (std::size_t p = 4; p <= 12; ++p) {
    const models::UniformSplines splines(p);
    double largest[3] = {0.0, 0.0, 0.0};
    std::vector<double> values(4);
    for (std::size_t i = 0; i <= steps * splines.spans(); ++i) {
      const double v = -1.0 + splines.spacing() * static_cast<double>(i) / static_cast<double>(steps);
      for (const int derivative : {0, 1, 2}) {
        splines.evaluate(v, derivative, values);
        for (const double value : values) {
          largest[derivative] = std::max(largest[derivative], std::abs(value));
        }
      }
    }
    const double k = static_cast<double>(p) - 3.0;
    const std::string name = "p = " + std::to_string(p) + ", largest ";
    outcome.claim.close(largest[0], 2.0 / 3.0, 1e-9, name + "b");
    outcome.claim.close(largest[1], k / 3.0, 1e-9, name + "b'");
    outcome.claim.close(largest[2], 0.5 * k * k, 1e-9, name + "b''");
    outcome.control.close(largest[0], 1.0, 1e-9, name + "b with clamped knots");
  }
}

void assumption_3_3(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  for (const std::size_t units : {32U, 128U}) {
    auto one = instance(setting.size(60, 200), units, seed_of(setting, "kan-correlated-noise/assumption-3.3", units));
    const Eigen::MatrixXd gram = one.losses.signed_gram(one.start);
    const std::string name = std::to_string(units) + " units, ";
    const auto certified = [&](Trial& trial, const Eigen::VectorXd& weights, const std::string& what) {
      const Eigen::VectorXd products = gram * weights;
      const double norm = std::sqrt(weights.dot(products));
      trial.close(products.minCoeff() / norm, norm, 1e-9, name + what);
    };
    const auto margin = models::margin_of_gram(gram);
    certified(outcome.claim, margin.weights, "least margin against norm of the hull's nearest point");
    const auto simple = models::simple_margin_bounds(gram);
    outcome.claim.at_most(simple.lower, margin.value.lower, name + "lambda_min bound");
    outcome.claim.at_most(margin.value.upper, simple.upper, name + "margin against the mean row");
    const Eigen::Map<const Eigen::VectorXd> y(one.losses.data().labels.data(), gram.rows());
    const Eigen::MatrixXd unsigned_gram = y.asDiagonal() * gram * y.asDiagonal();
    certified(outcome.control, models::margin_of_gram(unsigned_gram).weights, "weights found without the labels");
    auto twice = one.losses.data();
    twice.inputs.col(1) = twice.inputs.col(0);
    twice.labels[1] = -twice.labels[0];
    const auto none = models::margin_of_gram(models::KanLosses(one.losses.network(), twice).signed_gram(one.start));
    outcome.claim.require(!none.separable && none.value.upper < 1e-7,
                          name + "a record with both labels: margin " + rounded(none.value.upper, 3));
  }
}

void lemma_b_1(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  auto one = instance(3, 6, seed_of(setting, "kan-correlated-noise/lemma-b.1"), 2);
  const auto m = Eigen::Index{6};
  for (std::uint32_t r = 0; r < 3; ++r) {
    const auto at = one.losses.example(r, one.start);
    const Eigen::VectorXd h = one.losses.features(r);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(m * h.size(), m * h.size());
    for (Eigen::Index j = 0; j < m; ++j) {
      for (Eigen::Index a = 0; a < h.size(); ++a) {
        for (Eigen::Index b = 0; b < h.size(); ++b) {
          dense(a * m + j, b * m + j) = at.curvatures[j] * h[a] * h[b];
        }
      }
    }
    const double norm = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense, Eigen::EigenvaluesOnly)
                            .eigenvalues()
                            .cwiseAbs()
                            .maxCoeff();
    outcome.claim.close(at.hessian_norm, norm, 1e-12, "maximum over blocks against a dense eigenvalue");
    outcome.control.close(at.curvatures.cwiseAbs().mean() * h.squaredNorm(), norm, 1e-12, "mean over blocks");
  }
}

void lemma_b_5(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(0);
  constexpr std::size_t p = 5, m = 32;
  constexpr double delta = 0.1;
  const std::size_t trials = setting.size(2000, 100000);
  const auto bound = bounds::second_layer_norms(p, m, delta);
  Coverage coverage(0.25);
  for (std::size_t i = 0; i < trials; ++i) {
    const auto network =
        models::KanNetwork::draw({4, m, p, 3, models::Activation::tanh},
                                 seed_of(setting, "kan-correlated-noise/lemma-b.5"), static_cast<std::uint32_t>(i));
    const double whole = network.second_layer().norm(), unit = network.second_layer().colwise().norm().maxCoeff();
    coverage.see(std::max(whole / bound.whole, unit / bound.largest_unit), 1.0);
  }
  coverage.report(outcome, delta,
                  "norms of the second layer over their bounds, largest " + rounded(coverage.largest(), 4));
}

void lemma_b_6(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  const std::uint64_t seed = seed_of(setting, "kan-correlated-noise/lemma-b.6");
  // The formulas against differences.
  auto small = instance(2, 4, seed, 3);
  const auto at = small.losses.example(0, small.start);
  const Eigen::VectorXd h = small.losses.features(0);
  constexpr double step = 1e-4;
  double gradient = 0.0, hessian = 0.0, without = 0.0;
  for (std::size_t i = 0; i < small.start.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i % 4), a = static_cast<Eigen::Index>(i / 4);
    const auto value = [&](double shift) {
      auto moved = small.start;
      moved[i] += shift;
      return small.losses.example(0, moved);
    };
    const auto up = value(step), down = value(-step);
    gradient = std::max(gradient, std::abs((up.output - down.output) / (2.0 * step) - at.slopes[j] * h[a]));
    const double measured = (up.slopes[j] - down.slopes[j]) * h[a] / (2.0 * step);
    hessian = std::max(hessian, std::abs(measured - at.curvatures[j] * h[a] * h[a]));
    without = std::max(without, std::abs(measured));  // what is left of the formula without its two terms
  }
  outcome.claim.at_most(gradient, 1e-8, "gradient against central differences");
  outcome.claim.at_most(hessian, 1e-8, "Hessian against central differences");
  outcome.control.at_most(without, 1e-8, "a Hessian of 0 against central differences");
  // The constants.
  auto one = instance(60, 32, seed);
  models::MeasuredConstants seen;
  for (std::uint32_t k = 0; k < setting.size(5, 100); ++k) {
    seen.see(one.losses.extremes(models::draw_first_layer(one.losses.network().shape(), seed + 1, k)));
  }
  const auto measured = seen.constants();
  const auto sharp = models::spline_sharp_constants(one.losses.network());
  const auto worst = models::worst_case_constants(models::kan_bounds(one.losses.network().shape()), 0.05);
  const auto below = [](Trial& trial, const models::KanConstants& low, const models::KanConstants& high,
                        const std::string& what) {
    trial.at_most(low.gradient, high.gradient, what + ", G");
    trial.at_most(low.hessian, high.hessian, what + ", H");
  };
  below(outcome.claim, measured, sharp, "measured against spline-sharp");
  below(outcome.claim, sharp, worst, "spline-sharp against worst case");
  below(outcome.control, measured, models::constants_of(0.35 * sharp.gradient, 0.35 * sharp.hessian),
        "measured against 0.35 of spline-sharp");
}

void lemma_b_7(const Setting& setting, Outcome& outcome) {
  every_run(outcome.claim, 1);
  auto one = instance(40, 32, seed_of(setting, "kan-correlated-noise/lemma-b.7"));
  const auto all = models::all_records(one.losses);
  std::vector<double> gradient(one.start.size());
  simulate::DpSgdRun run(descent(10.0, 0.5, 2, 0.005, 0.5), one.losses, one.start, setting.seed, 0);
  double slack = 1.0;
  for (std::size_t t = 0; t < setting.size(60, 300); ++t) {
    const auto w = to_vector(run.iterate());
    const auto extremes = one.losses.extremes(w);
    const double loss = models::mean_loss(one.losses, w);
    one.losses.clipped_sum(all, w, 1e300, gradient);
    const double square = squared_distance(gradient, std::vector<double>(gradient.size(), 0.0)) /
                          static_cast<double>(all.size() * all.size());
    const auto self_bounded = [&](Trial& trial, double factor) {
      const double g = factor * extremes.gradient_norm;
      trial.at_most(square, g * g * loss, "step " + std::to_string(t) + ", squared gradient against G^2 L_S");
    };
    self_bounded(outcome.claim, 1.0);
    self_bounded(outcome.control, 0.18);
    slack = std::min(slack, square / (extremes.gradient_norm * extremes.gradient_norm * loss));
    if (t % 30 == 0) {
      const auto constants = models::constants_of(extremes.gradient_norm, extremes.hessian_norm);
      const auto found = numerics::extreme_eigenvalues(
          [&](std::span<const double> x, std::span<double> out) { one.losses.hessian_product(w, x, out); }, w.size(),
          12);
      outcome.claim.at_most(found.largest.value, constants.smoothness, "largest eigenvalue of the loss Hessian");
      outcome.claim.at_most(-found.smallest.value, constants.curvature * loss, "negated smallest eigenvalue");
      outcome.control.at_most(found.largest.value, 0.065 * constants.smoothness, "largest, 0.065 of beta");
      outcome.control.at_most(-found.smallest.value, 0.065 * constants.curvature * loss,
                              "negated smallest, 0.065 of nu");
    }
    run.step();
  }
}

}  // namespace

std::vector<Case> kan_model_cases() {
  return {{"kan-correlated-noise/assumption-3.2",
           "splines on uniform extended knots: B_b = 2/3, B_b' = (p - 3)/3, B_b'' = (p - 3)^2/2",
           "maxima over a grid of 300 points per span (nightly 30,000) that holds the knots, p = 4, ..., 12, to 1e-9",
           "B_b = 1, as for clamped knots", assumption_3_2},
          {"kan-correlated-noise/assumption-3.3",
           "the NTK margin is the norm of the nearest point of the hull of y_i grad f(x_i)",
           "60 records (nightly 200): primal against dual to 1e-9, between two simple bounds; a record with both "
           "labels has margin 0",
           "weights found without the labels", assumption_3_3},
          {"kan-correlated-noise/lemma-b.1", "the norm of a block-diagonal Hessian is the largest norm of a block",
           "dense eigenvalues of three Hessians with 60 rows, to 1e-12", "the mean over the blocks", lemma_b_1},
          {"kan-correlated-noise/lemma-b.5", "norms of a normal second layer with chance at least 1 - delta",
           "2000 second layers (nightly 100,000), exact interval against delta = 0.1", "a quarter of the bounds",
           lemma_b_5},
          {"kan-correlated-noise/lemma-b.6", "bounds G and H of gradients and Hessians",
           "central differences to 1e-8; measured below spline-sharp below worst case at 5 first layers (nightly 100)",
           "a Hessian of 0; 0.35 of the spline-sharp constants", lemma_b_6},
          {"kan-correlated-noise/lemma-b.7",
           "|grad L_S|^2 <= G^2 L_S, and eigenvalues of the Hessian of L_S in [-nu L_S, G^2/4 + H]",
           "every step of a run of 60 (nightly 300) with measured G and H; eigenvalues by Lanczos every 30 steps",
           "0.18 of G, 0.065 of beta and of nu", lemma_b_7}};
}

}  // namespace dpcurves::validation::kan_correlated_noise
