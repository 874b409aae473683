// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Deep ReLU networks at their initialisation and near it: moments, tangent kernel, linearisation, stability.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <dpcurves/bounds/network_concentration.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/arc_cosine.hpp>

#include "validation/cases/dp_glm_networks/network_support.hpp"
#include "validation/cases/topics.hpp"
#include "validation/draws.hpp"
#include "validation/statistics.hpp"

namespace dpcurves::validation::dp_glm_networks {
namespace {

using models::NetworkShape;

std::string name_of(const NetworkShape& shape) {
  return "L = " + std::to_string(shape.depth) + ", m = " + std::to_string(shape.width) + ": ";
}

void definition_8(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_exact_law();
  for (const NetworkShape shape : {NetworkShape{6, 20, 2}, NetworkShape{6, 40, 4}}) {
    for (std::uint32_t path = 0; path < setting.size(3, 30); ++path) {
      const auto seed = seed_of(setting, "dp-glm-networks/definition-8", shape.depth);
      const auto w = models::initial_network(shape, seed, path);
      const auto data = sphere_data(6, 5, seed, path);
      const models::TangentModel model(shape, data, w);
      models::NetworkLosses losses(shape, data);
      const auto direction = steepest_direction(shape, data, 0, w);
      constexpr double h = 1e-6;
      std::vector<double> up(5), down(5), f(5);
      losses.outputs(first_records(5), moved(w, h, direction), up);
      losses.outputs(first_records(5), moved(w, -h, direction), down);
      losses.outputs(first_records(5), w, f);
      const Eigen::VectorXd slope = model.outputs(moved(w, 1.0, direction)) - model.initial_outputs();
      const Eigen::VectorXd at_start = model.outputs(w), printed = model.outputs(w, true);
      const auto depth = static_cast<double>(shape.depth);
      for (Eigen::Index i = 0; i < 5; ++i) {
        const auto k = static_cast<std::size_t>(i);
        outcome.claim.at_most(std::abs((up[k] - down[k]) / (2.0 * h) - slope[i]), 1e-6,
                              name_of(shape) + "slope of f against that of f_ntk");
        outcome.claim.at_most(std::abs(at_start[i] - f[k]), 1e-12, name_of(shape) + "f_ntk(W_0) - f(W_0)");
        outcome.claim.at_most(std::abs(printed[i] - (1.0 + depth) * f[k]), 1e-10,
                              name_of(shape) + "sum of <grad_l f, W_l> - L f");
        outcome.control.at_most(std::abs(printed[i] - f[k]), 1e-12, name_of(shape) + "printed f_ntk(W_0) - f(W_0)");
      }
    }
  }
}

void assumption_4(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(300, 10000));
  const NetworkShape shape{12, 24, 3};
  const auto seed = seed_of(setting, "dp-glm-networks/assumption-4");
  const auto exact = models::initial_moments(24.0, 3.0, 12.0);
  std::vector<std::vector<double>> squares(3);
  std::size_t outside = 0;
  const std::size_t paths = setting.size(300, 10000);
  const double radius = std::sqrt(2.0 * 24.0) * 0.8;  // a little below sqrt(2 max(m, d))
  const std::vector<double> zero(shape.parameters(), 0.0);
  for (std::uint32_t path = 0; path < paths; ++path) {
    auto w = models::initial_network(shape, seed, path);
    const auto norms = models::layer_distances(shape, w, zero);
    for (std::size_t l = 0; l < 3; ++l) {
      squares[l].push_back(norms[l] * norms[l]);
    }
    outside += simulate::layer_balls(shape, radius, simulate::BallCentre::origin, w)(w) ? 1U : 0U;
  }
  const double expected[] = {exact.first_layer, exact.hidden_layer, exact.last_layer};
  for (std::size_t l = 0; l < 3; ++l) {
    const auto found = inference::moments(squares[l]);
    const std::string what = "mean of |W_" + std::to_string(l + 1) + "|_F^2";
    within_errors(outcome.claim, found.mean, found.mean_error, expected[l], what);
    within_errors(outcome.control, found.mean, found.mean_error, 1.0, what + " against R^2 = 1");
  }
  outcome.claim.require(outside * 10 > paths * 9, "a ball of 0.8 sqrt(2 max(m, d)) moves " + std::to_string(outside) +
                                                      " of " + std::to_string(paths) + " starts");
}

/// |h|^2, |h|^4 of the last hidden layer and f^2 at one record.
void lemma_20(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(2000, 60000));
  for (const NetworkShape shape : {NetworkShape{5, 16, 2}, NetworkShape{5, 32, 3}, NetworkShape{5, 32, 5}}) {
    const auto seed = seed_of(setting, "dp-glm-networks/lemma-20", shape.depth);
    const auto data = sphere_data(5, 1, seed, 0);
    models::NetworkPass pass(shape);
    std::vector<double> square, fourth, output, output_fourth;
    for (std::uint32_t path = 0; path < setting.size(2000, 60000); ++path) {
      pass.forward(data.inputs, first_records(1), models::initial_network(shape, seed, path));
      const double h = pass.hidden(shape.depth - 1).squaredNorm(), f = pass.outputs()[0];
      square.push_back(h);
      fourth.push_back(h * h);
      output.push_back(f * f);
    }
    const auto exact = models::initial_moments(static_cast<double>(shape.width), static_cast<double>(shape.depth), 5.0);
    const auto compared = [&](const std::vector<double>& sample, double value, double broken, const std::string& what) {
      const auto found = inference::moments(sample);
      within_errors(outcome.claim, found.mean, found.mean_error, value, name_of(shape) + "mean of " + what);
      within_errors(outcome.control, found.mean, found.mean_error, broken, name_of(shape) + what + ", one layer more");
    };
    const double more = 1.0 + 5.0 / static_cast<double>(shape.width);
    compared(square, exact.hidden_square, 0.5, "|h|^2");
    compared(fourth, exact.hidden_fourth, exact.hidden_fourth * more, "|h|^4");
    compared(output, exact.output_square, 2.0, "f^2");
  }
}

/// Tangent kernel and gradient norms, layer by layer.
void lemma_22(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(500, 20000));
  constexpr double rho = 0.4;
  std::vector<double> at, measured, low, high;
  for (const NetworkShape shape :
       {NetworkShape{2, 32, 2}, NetworkShape{2, 32, 3}, NetworkShape{2, 64, 3}, NetworkShape{2, 64, 5}}) {
    const auto seed = seed_of(setting, "dp-glm-networks/lemma-22", 1000 * shape.depth + shape.width);
    Eigen::MatrixXd inputs(2, 2);
    inputs << 1.0, rho, 0.0, std::sqrt(1.0 - rho * rho);
    models::NetworkPass pass(shape);
    const auto m = static_cast<double>(shape.width), depth = static_cast<double>(shape.depth);
    std::vector<double> diagonal, cross;
    std::vector<std::vector<double>> layers(shape.depth);
    for (std::uint32_t path = 0; path < setting.size(500, 20000); ++path) {
      const auto w = models::initial_network(shape, seed, path);
      pass.forward(inputs, first_records(2), w);
      pass.backward(w);
      double d = 0.0, c = 0.0;
      for (std::size_t l = 0; l < shape.depth; ++l) {
        const double square = pass.squared_norms(l)[0] / m;
        const double inner = l + 1 == shape.depth ? 1.0 : pass.derivative(l).col(0).dot(pass.derivative(l).col(1)) / m;
        layers[l].push_back(square);
        d += square;
        c += inner * pass.hidden(l).col(0).dot(pass.hidden(l).col(1));
      }
      diagonal.push_back(d);
      cross.push_back(c);
    }
    const auto compared = [&](const std::vector<double>& sample, double value, double allowance,
                              const std::string& what) {
      const auto found = inference::moments(sample);
      within_errors(outcome.claim, found.mean, found.mean_error, value, name_of(shape) + what, allowance);
    };
    compared(diagonal, 0.5 * (depth + 1.0), 0.0, "|grad f|^2/m against (L + 1)/2");
    for (std::size_t l = 0; l < shape.depth; ++l) {
      compared(layers[l], l + 1 == shape.depth ? 1.0 : 0.5, 0.0, "|grad_" + std::to_string(l + 1) + " f|^2/m");
    }
    const double limit = models::tangent_limit(rho, depth).per_width;
    compared(cross, limit, depth * depth / m, "kernel at correlation 0.4 against its limit, up to L^2/m");
    // Last layer drawn like the others, N(0, 2/m): hidden gradients double, the last does not.
    const auto found = inference::moments(diagonal);
    within_errors(outcome.control, found.mean, found.mean_error, depth,
                  name_of(shape) + "|grad f|^2/m, last layer N(0, 2/m)");
    const auto kernel = inference::moments(cross);
    at.push_back(rho);
    measured.push_back(kernel.mean);
    low.push_back(kernel.mean - inference::standard_errors * kernel.mean_error);
    high.push_back(kernel.mean + inference::standard_errors * kernel.mean_error);
  }
  io::Plot plot{.title = "Tangent kernel per unit width",
                .x = {"<x, x'>", false, -1.0, 1.0},
                .y = {"<grad f(x), grad f(x')>/m", false, std::nullopt, std::nullopt},
                .legend = io::Legend::top_left};
  for (const double depth : {2.0, 3.0, 5.0, 9.0}) {
    std::vector<double> x, y;
    for (int i = -100; i <= 100; ++i) {
      x.push_back(std::sin(0.5 * std::numbers::pi * 0.01 * i));  // denser towards the ends
      y.push_back(models::tangent_limit(x.back(), depth).per_width);
    }
    plot.series.push_back(io::line("L = " + rounded(depth, 2), x, y));
  }
  plot.series.push_back(io::points("networks of width 32 and 64", at, measured, low, high));
  outcome.figures.push_back({plot.title, plot});
}

/// Mean over records and starts of |f - f_ntk| at a distance along the steepest direction.
double linearisation_error(const NetworkShape& shape, double distance, std::uint64_t seed, std::uint32_t paths) {
  double sum = 0.0;
  constexpr std::size_t records = 4;
  for (std::uint32_t path = 0; path < paths; ++path) {
    const auto w = models::initial_network(shape, seed, path);
    const auto data = sphere_data(shape.inputs, records, seed, path);
    const models::TangentModel model(shape, data, w);
    models::NetworkLosses losses(shape, data);
    const auto at = moved(w, distance, steepest_direction(shape, data, 0, w));
    const Eigen::VectorXd linear = model.outputs(at);
    std::vector<double> f(records);
    losses.outputs(first_records(records), at, f);
    for (std::size_t i = 0; i < records; ++i) {
      sum += std::abs(f[i] - linear[static_cast<Eigen::Index>(i)]);
    }
  }
  return sum / static_cast<double>(paths * records);
}

void lemma_18(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(8, 60));
  const auto seed = seed_of(setting, "dp-glm-networks/lemma-18");
  const auto paths = static_cast<std::uint32_t>(setting.size(8, 60));
  const NetworkShape shape{10, 128, 3};
  std::vector<double> distance, error;
  for (const double omega : {0.02, 0.04, 0.08, 0.16, 0.32}) {
    distance.push_back(omega);
    error.push_back(linearisation_error(shape, omega, seed, paths));
  }
  slope_within(outcome.claim, distance, error, 4.0 / 3.0 - 0.1, std::numeric_limits<double>::infinity(),
               "|f - f_ntk| against the distance, m = 128: exponent 4/3 at least");
  std::vector<double> width, at_radius;
  for (const std::size_t m : {32U, 128U, 512U}) {
    width.push_back(static_cast<double>(m));
    at_radius.push_back(
        linearisation_error({10, m, 3}, 1.0 / std::sqrt(static_cast<double>(m)), seed, m == 512 ? 3U : paths));
  }
  // omega^(4/3) sqrt(m) at omega = m^(-1/2): m^(-1/6) or faster, but for logarithms.
  slope_within(outcome.claim, width, at_radius, -std::numeric_limits<double>::infinity(), -1.0 / 6.0,
               "|f - f_ntk| at omega = 1/sqrt m against the width");
  // As printed, with W in place of W - W_0, the error at the start is L |f|.
  std::vector<double> printed;
  for (const double omega : distance) {
    double sum = 0.0;
    for (std::uint32_t path = 0; path < 4; ++path) {
      const auto w = models::initial_network(shape, seed, path);
      const auto data = sphere_data(10, 4, seed, path);
      const models::TangentModel model(shape, data, w);
      models::NetworkLosses losses(shape, data);
      const auto at = moved(w, omega, steepest_direction(shape, data, 0, w));
      std::vector<double> f(4);
      losses.outputs(first_records(4), at, f);
      const Eigen::VectorXd linear = model.outputs(at, true);
      for (std::size_t i = 0; i < 4; ++i) {
        sum += std::abs(f[i] - linear[static_cast<Eigen::Index>(i)]) / 16.0;
      }
    }
    printed.push_back(sum);
  }
  slope_within(outcome.control, distance, printed, 4.0 / 3.0 - 0.1, std::numeric_limits<double>::infinity(),
               "printed f_ntk, with W in place of W - W_0");
  io::Plot plot{.title = "Linearisation error of a network, L = 3, m = 128",
                .x = {"distance of every layer from its start", true, std::nullopt, std::nullopt},
                .y = {"mean |f - f_ntk|", true, std::nullopt, std::nullopt},
                .legend = io::Legend::bottom_right};
  std::vector<double> rate;
  for (const double omega : distance) {
    rate.push_back(error.back() * std::pow(omega / distance.back(), 4.0 / 3.0));
  }
  plot.series = {io::points("measured", distance, error, error, error), io::dashed("exponent 4/3", distance, rate),
                 io::points("with W, as printed", distance, printed, printed, printed)};
  outcome.figures.push_back({plot.title, plot});
}

/// How far a loss falls below its tangent at the start of a segment through W_0, on average. The first layer goes along
/// its gradient and the second against it: f stays nearly level and bends by their product, which a loss may see with
/// either sign.
double convexity_slack(const NetworkShape& shape, double distance, std::uint64_t seed, std::uint32_t paths) {
  double sum = 0.0;
  for (std::uint32_t path = 0; path < paths; ++path) {
    const auto start = models::initial_network(shape, seed, path);
    const auto data = sphere_data(shape.inputs, 1, seed, path);
    models::NetworkLosses losses(shape, data);
    auto direction = steepest_direction(shape, data, 0, start);
    models::layer_of(shape, std::span<double>(direction), 1) *= -1.0;
    models::layer_of(shape, std::span<double>(direction), 2) *= 0.0;
    for (const double sign : {-1.0, 1.0}) {
      const auto a = moved(start, -sign * distance, direction), b = moved(start, sign * distance, direction);
      std::vector<double> gradient(start.size()), loss_a(1), loss_b(1);
      losses.clipped_sum(first_records(1), a, std::numeric_limits<double>::infinity(), gradient);
      losses.losses(first_records(1), a, loss_a);
      losses.losses(first_records(1), b, loss_b);
      double tangent = loss_a[0];
      for (std::size_t i = 0; i < a.size(); ++i) {
        tangent += gradient[i] * (b[i] - a[i]);
      }
      sum += std::max(0.0, tangent - loss_b[0]);
    }
  }
  return 0.5 * sum / static_cast<double>(paths);
}

void lemma_19(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(240, 600));
  const auto seed = seed_of(setting, "dp-glm-networks/lemma-19");
  const auto paths = static_cast<std::uint32_t>(setting.size(240, 600));
  std::vector<double> width, shrinking, fixed;
  for (const std::size_t m : {16U, 64U, 256U}) {
    const auto number = static_cast<double>(m);
    const auto count = m == 256 ? std::max(paths / 3, 20U) : paths;
    width.push_back(number);
    shrinking.push_back(convexity_slack({6, m, 3}, 2.0 / std::sqrt(number), seed, count));
    fixed.push_back(convexity_slack({6, m, 3}, 0.3, seed, count));
  }
  slope_within(outcome.claim, width, shrinking, -std::numeric_limits<double>::infinity(), -0.3,
               "slack of convexity in balls of radius 2/sqrt(m)");
  slope_within(outcome.control, width, fixed, -std::numeric_limits<double>::infinity(), -0.3,
               "slack of convexity in balls of radius 0.3");
}

void lemma_21(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(setting.size(10, 100));
  const auto seed = seed_of(setting, "dp-glm-networks/lemma-21");
  const NetworkShape shape{10, 128, 3};
  std::vector<double> distance, change, square;
  models::NetworkPass before(shape), after(shape);
  for (const double omega : {0.01, 0.03, 0.1, 0.3}) {
    double sum = 0.0;
    const auto paths = static_cast<std::uint32_t>(setting.size(10, 100));
    for (std::uint32_t path = 0; path < paths; ++path) {
      const auto w = models::initial_network(shape, seed, path);
      const auto data = sphere_data(10, 4, seed, path);
      before.forward(data.inputs, first_records(4), w);
      after.forward(data.inputs, first_records(4), moved(w, omega, steepest_direction(shape, data, 0, w)));
      sum += (after.hidden(2) - before.hidden(2)).colwise().norm().mean() / static_cast<double>(paths);
    }
    distance.push_back(omega);
    change.push_back(sum);
    square.push_back(sum * sum);
  }
  slope_within(outcome.claim, distance, change, 0.9, 1.1, "|h(W) - h(W_0)| against the distance");
  slope_within(outcome.control, distance, square, 0.9, 1.1, "its square against the distance");
}

void lemma_26(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(0);
  const NetworkShape shape{8, 48, 3};
  constexpr std::size_t records = 40;
  constexpr double failure = 0.1;
  const auto seed = seed_of(setting, "dp-glm-networks/lemma-26");
  const auto data = sphere_data(8, records, seed, 0);
  models::NetworkPass pass(shape);
  Coverage seen(0.4);
  const std::size_t paths = setting.size(400, 20000);
  for (std::uint32_t path = 0; path < paths; ++path) {
    pass.forward(data.inputs, first_records(records), models::initial_network(shape, seed, path));
    const double h = pass.hidden(2).colwise().norm().maxCoeff(), f = pass.outputs().cwiseAbs().maxCoeff();
    const double bound = bounds::initial_output_bound(h, static_cast<double>(records), failure);
    seen.see(f, bound);
  }
  seen.report(outcome, failure, "largest |f(W_0, x_i)| of 40 records against |h| sqrt(2 log(2n/xi))");
}

void lemma_27(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(0);
  const NetworkShape shape{8, 256, 3};
  const auto seed = seed_of(setting, "dp-glm-networks/lemma-27");
  double largest = 0.0;
  for (const double radius : {0.5, 2.0}) {
    const double omega = radius / std::sqrt(256.0);
    // To first order in omega and 1/sqrt m: 30 % for the rest.
    const double bound = 1.3 * bounds::loss_change(1.0, omega, 256.0, 3.0);
    Coverage seen(0.3);
    for (std::uint32_t path = 0; path < setting.size(120, 1000); ++path) {
      const auto w = models::initial_network(shape, seed, path);
      const auto data = sphere_data(8, 3, seed, path);
      models::NetworkLosses losses(shape, data);
      std::vector<double> before(3), after(3);
      losses.losses(first_records(3), w, before);
      double change = 0.0;
      for (const double sign : {-1.0, 1.0}) {
        losses.losses(first_records(3), moved(w, sign * omega, steepest_direction(shape, data, 0, w)), after);
        for (std::size_t i = 0; i < after.size(); ++i) {
          change = std::max(change, std::abs(after[i] - before[i]));
        }
      }
      seen.see(change, bound);
      largest = std::max(largest, change / bound);
    }
    seen.report(outcome, 0.2, "largest change of a loss at R = " + rounded(radius, 3));
  }
  outcome.claim.setup("reached");
  outcome.claim.at_least(largest, 0.4, "largest change over the bound");
}

void remark_17(const Setting& setting, Outcome& outcome) {
  outcome.claim.by_simulation(0);
  const NetworkShape shape{8, 64, 3};
  constexpr std::size_t records = 30;
  constexpr double failure = 0.1, radius = 1.0;
  const auto seed = seed_of(setting, "dp-glm-networks/remark-17");
  const auto data = sphere_data(8, records, seed, 0);
  models::NetworkLosses losses(shape, data);
  const double omega = radius / 8.0;
  Coverage seen(0.3);
  const std::size_t paths = setting.size(250, 5000);
  for (std::uint32_t path = 0; path < paths; ++path) {
    const auto w = models::initial_network(shape, seed, path);
    models::NetworkPass pass(shape);
    pass.forward(data.inputs, first_records(records), w);
    const double h = pass.hidden(2).colwise().norm().maxCoeff();
    std::vector<double> loss(records);
    losses.losses(first_records(records), moved(w, -omega * data.labels[0], steepest_direction(shape, data, 0, w)),
                  loss);
    const double largest = *std::max_element(loss.begin(), loss.end());
    // log(1 + e^|f|) <= log 2 + |f|, then Lemmas 26 and 27.
    const double bound = std::log(2.0) + bounds::initial_output_bound(h, static_cast<double>(records), failure) +
                         1.3 * bounds::loss_change(1.0, omega, 64.0, 3.0);
    seen.see(largest, bound);
  }
  seen.report(outcome, failure, "largest loss at the edge of the balls against Lemmas 26 and 27 together");
}

}  // namespace

std::vector<Case> network_law_cases() {
  return {
      {"dp-glm-networks/definition-8", "f_ntk, with W - W_0, is the first-order expansion of f at W_0",
       "slopes along the steepest direction by central differences to 1e-6; value at W_0; <grad_l f, W_l> = f of every "
       "layer",
       "the printed form, with W in place of W - W_0: (1 + L) f at W_0", definition_8},
      {"dp-glm-networks/assumption-4",
       "layers start with |W_l|_F^2 = 2 d, 2 m, 1 on average: outside balls of R < sqrt(2 max(m, d)) around 0",
       "300 starts (nightly 10,000), means within 6.5 standard errors", "R^2 = 1 for every layer", assumption_4},
      {"dp-glm-networks/lemma-18", "|f - f_ntk| = O(omega^(4/3) L^3 sqrt(m log m)) near the start",
       "log-log slopes along the steepest direction: in omega at m = 128, and at omega = 1/sqrt m in m = 32, 128, 512",
       "the printed f_ntk", lemma_18},
      {"dp-glm-networks/lemma-19", "losses are convex up to a slack in balls small enough for the width",
       "mean slack of the tangent inequality over segments through W_0, omega = 2/sqrt m, falls with m = 16, 64, 256",
       "balls of radius 0.3 at every width", lemma_19},
      {"dp-glm-networks/lemma-20", "E|h|^2 = 1, E|h|^4 = (1 + 5/m)^(L-1), E f^2 = 1 at initialisation",
       "2000 networks (nightly 60,000) of three shapes, within 6.5 standard errors",
       "moments of one layer more, E|h|^2 = 1/2, E f^2 = 2", lemma_20},
      {"dp-glm-networks/lemma-21", "hidden layers move in proportion to the distance",
       "log-log slope in [0.9, 1.1] over omega = 0.01, ..., 0.3", "the square of the change", lemma_21},
      {"dp-glm-networks/lemma-22",
       "gradients at initialisation: |grad_l f|^2 = m/2, of the last layer m; the tangent kernel has its limit",
       "500 networks (nightly 20,000) of four shapes, within 6.5 standard errors, the kernel up to L^2/m",
       "last layer N(0, 2/m)", lemma_22},
      {"dp-glm-networks/lemma-26", "max |f(W_0, x_i)| <= |h| sqrt(2 log(2n/xi)) with chance at least 1 - xi",
       "400 networks (nightly 20,000) at 40 records, exact interval against xi = 0.1", "0.4 of the bound", lemma_26},
      {"dp-glm-networks/lemma-27",
       "losses change by at most S omega sqrt(m) ((L-1)/sqrt 2 + 1), to first order, in the balls",
       "steepest direction of a record and the losses of three, 120 networks (nightly 1000) at R = 0.5 and 2, m = 256; "
       "exact interval of the largest change that is exceeded with chance 0.2; 30 % for higher orders",
       "0.3 of the bound", lemma_27},
      {"dp-glm-networks/remark-17", "the empirical loss in the balls is of order sqrt(log(2n/xi)) + S L R",
       "largest loss of 30 records at the edge of the balls, 250 networks (nightly 5000), exact interval against xi = "
       "0.1",
       "0.3 of the bound", remark_17},
  };
}

}  // namespace dpcurves::validation::dp_glm_networks
