// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Eigenvalues>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/kan_loops.hpp>
#include <dpcurves/models/kan.hpp>
#include <dpcurves/models/kan_constants.hpp>
#include <dpcurves/numerics/lanczos.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using models::Activation;
using models::KanShape;

namespace {

models::KanLosses make(const KanShape& shape, std::size_t records, std::uint64_t seed = 7) {
  models::BallData law;
  law.inputs = shape.inputs;
  law.records = records;
  return {models::KanNetwork::draw(shape, seed, 0), models::ball_data(law, seed, 0)};
}

double output(models::KanLosses& losses, std::uint32_t record, std::span<const double> w) {
  double f = 0.0;
  losses.outputs(std::span(&record, 1), w, std::span(&f, 1));
  return f;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The gradient of one record by an outer product, as the formula is written.
Eigen::MatrixXd formed_gradient(const models::KanLosses& losses, std::uint32_t record, std::span<const double> w) {
  const auto one = losses.example(record, w);
  const double y = losses.data().labels[record];
  return models::logistic_loss_slope(y * one.output) * y * one.slopes * losses.features(record).transpose();
}

}  // namespace

TEST_CASE("the gradient and the Hessian of a KAN are those of central differences", "[models][kan]") {
  const auto activation = GENERATE(Activation::tanh, Activation::logistic);
  const std::size_t degree = GENERATE(3U, 4U, 5U);
  const KanShape shape{3, 4, 7, degree, activation};
  auto losses = make(shape, 2);
  const auto w = models::draw_first_layer(shape, 3, 0);
  const auto one = losses.example(1, w);
  const Eigen::VectorXd h = losses.features(1);
  // Along e_(j, a): f' = s_j h_a and f'' = v_j h_a^2.
  constexpr double step = 1e-4;
  double worst_gradient = 0.0;
  double worst_hessian = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto j = static_cast<Eigen::Index>(i % shape.units), a = static_cast<Eigen::Index>(i / shape.units);
    auto moved = w;
    moved[i] = w[i] + step;
    const double up = output(losses, 1, moved);
    moved[i] = w[i] - step;
    const double down = output(losses, 1, moved);
    worst_gradient = std::max(worst_gradient, std::abs((up - down) / (2.0 * step) - one.slopes[j] * h[a]));
    worst_hessian = std::max(
        worst_hessian, std::abs((up - 2.0 * one.output + down) / (step * step) - one.curvatures[j] * h[a] * h[a]));
  }
  CHECK(worst_gradient < 1e-8);
  CHECK(worst_hessian < 1e-6);  // rounding: 4e-16/step^2
}

TEST_CASE("clipping without forming gradients agrees with clipping every formed gradient", "[models][kan]") {
  const std::size_t units = GENERATE(1U, 15U, 16U, 17U, 70U);
  const std::size_t degree = GENERATE(2U, 3U);
  const KanShape shape{3, units, 6, degree, Activation::tanh};
  auto losses = make(shape, 20);
  const auto w = models::draw_first_layer(shape, 5, 0);
  const std::vector<std::uint32_t> batch{3, 17, 0, 8, 8, 11};
  for (const double clip : {1e300, 0.15, 0.01}) {
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(units),
                                                     static_cast<Eigen::Index>(shape.inputs * shape.splines));
    std::size_t clipped = 0;
    for (const std::uint32_t record : batch) {
      const Eigen::MatrixXd g = formed_gradient(losses, record, w);
      clipped += g.norm() > clip ? 1U : 0U;
      expected += g * std::min(1.0, clip / g.norm());
    }
    Eigen::MatrixXd gradient(expected.rows(), expected.cols());
    const auto summary =
        losses.clipped_sum(batch, w, clip, {gradient.data(), static_cast<std::size_t>(gradient.size())});
    CHECK((gradient - expected).norm() < 1e-14 * expected.norm());
    CHECK(summary.clipped == clipped);
  }
}

TEST_CASE("every instruction set gives the same step, those with fused operations to the bit", "[models][kan]") {
  const std::size_t splines = GENERATE(5U, 6U, 8U, 30U);
  const std::size_t degree = GENERATE(3U, 5U);
  if (splines <= degree) {
    return;
  }
  using namespace models::kernels;
  const KanShape shape{3, lanes, splines, degree, Activation::tanh};
  auto losses = make(shape, 50);
  const auto& network = losses.network();
  std::vector<std::uint32_t> first;
  std::vector<double> offsets;
  for (std::uint32_t r = 0; r < 50; ++r) {
    for (Eigen::Index c = 0; c < 3; ++c) {
      const auto place = network.splines().place(losses.data().inputs(c, r));
      first.push_back(static_cast<std::uint32_t>(place.span));
      offsets.push_back(place.offset);
    }
  }
  Batch batch;
  batch.gather({first.data(), offsets.data(), network.splines().coefficients(), 3, degree + 1, splines},
               models::all_records(losses));
  const auto w = models::draw_first_layer(shape, 5, 0);
  const std::vector<double> weights(50, 0.3);
  struct Result {
    std::vector<double> outputs = std::vector<double>(50 * sums), squares = outputs,
                        gradient = std::vector<double>(3 * lanes * 30);
  };
  const auto run = [&](const Loops& loops) {
    Result result;
    std::vector<double> cells(50 * lanes);
    loops.multiply(batch.at(0), w.data(), cells.data());
    cells[5] = 1e4;  // saturates
    cells[6] = -1e4;
    loops.respond(network.kernel(), network.kernel().pieces, 50, cells.data(), lanes, result.outputs.data(),
                  result.squares.data());
    loops.accumulate(batch.at(0), weights.data(), cells.data(), result.gradient.data());
    return result;
  };
  const auto agree = [](const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      worst = std::max(worst, std::abs(a[i] - b[i]) / (1.0 + std::abs(a[i])));
    }
    return worst;
  };
  const Result plain = run(baseline_loops);
  CHECK(plain.outputs[5] != 0.0);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    const Result fused = run(avx2_loops);
    CHECK(agree(fused.outputs, plain.outputs) < 1e-13);
    CHECK(agree(fused.squares, plain.squares) < 1e-12);
    CHECK(agree(fused.gradient, plain.gradient) < 1e-12);
    if (__builtin_cpu_supports("avx512f")) {
      const Result wide = run(avx512_loops);
      CHECK(wide.outputs == fused.outputs);
      CHECK(wide.squares == fused.squares);
      CHECK(wide.gradient == fused.gradient);
    }
  }
#endif
}

TEST_CASE("NaN among the parameters reaches the output", "[models][kan]") {
  const KanShape shape{2, 5, 5, 3, Activation::tanh};
  auto losses = make(shape, 3);
  auto w = models::draw_first_layer(shape, 5, 0);
  std::fill(w.begin(), w.end(), std::nan(""));
  CHECK(std::isnan(output(losses, 0, w)));
}

TEST_CASE("an empty batch has a zero gradient", "[models][kan]") {
  const KanShape shape{2, 5, 5, 3, Activation::tanh};
  auto losses = make(shape, 3);
  std::vector<double> gradient(shape.parameters(), 1.0);
  const auto w = models::draw_first_layer(shape, 5, 0);
  losses.clipped_sum({}, w, 1.0, gradient);
  CHECK(std::all_of(gradient.begin(), gradient.end(), [](double g) { return g == 0.0; }));
}

TEST_CASE("the Hessian's norm is the maximum over its blocks (Lemma B.1), and products agree with it",
          "[models][kan]") {
  const KanShape shape{2, 6, 5, 3, Activation::tanh};
  auto losses = make(shape, 9);
  const auto w = models::draw_first_layer(shape, 11, 0);
  const auto size = static_cast<Eigen::Index>(shape.parameters());
  const auto m = static_cast<Eigen::Index>(shape.units);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
  for (std::uint32_t r = 0; r < losses.records(); ++r) {
    const auto one = losses.example(r, w);
    const Eigen::VectorXd h = losses.features(r);
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(size, size);
    for (Eigen::Index j = 0; j < m; ++j) {
      for (Eigen::Index a = 0; a < h.size(); ++a) {
        for (Eigen::Index b = 0; b < h.size(); ++b) {
          hessian(a * m + j, b * m + j) = one.curvatures[j] * h[a] * h[b];
        }
      }
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(hessian);
    CHECK(solver.eigenvalues().cwiseAbs().maxCoeff() == Approx(one.hessian_norm).epsilon(1e-12));
    const double y = losses.data().labels[r];
    const Eigen::MatrixXd outer = one.slopes * h.transpose();
    const Eigen::Map<const Eigen::VectorXd> g(outer.data(), size);
    dense += (models::logistic_loss_curvature(y * one.output) * g * g.transpose() +
              y * models::logistic_loss_slope(y * one.output) * hessian) /
             static_cast<double>(losses.records());
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense);
  const auto found = numerics::extreme_eigenvalues(
      [&](std::span<const double> x, std::span<double> out) { losses.hessian_product(w, x, out); }, shape.parameters(),
      40);
  CHECK(found.largest.value == Approx(solver.eigenvalues().maxCoeff()).epsilon(1e-10));
  CHECK(found.smallest.value == Approx(solver.eigenvalues().minCoeff()).epsilon(1e-10));
  CHECK(found.largest.error < 1e-8);
}

TEST_CASE("constants: worst case above spline-sharp above measured", "[models][kan]") {
  const KanShape shape{4, 32, 5, 3, Activation::tanh};
  auto losses = make(shape, 60);
  const auto worst = models::worst_case_constants(models::kan_bounds(shape), 0.05);
  // Question 6 of the specification.
  CHECK(worst.gradient == Approx(21.3851615).epsilon(1e-8));
  CHECK(worst.hessian == Approx(31.5555070).epsilon(1e-8));
  CHECK(worst.smoothness == Approx(145.886790).epsilon(1e-8));
  const auto sharp = models::spline_sharp_constants(losses.network());
  models::MeasuredConstants measured;
  for (std::uint32_t path = 0; path < 5; ++path) {
    measured.see(losses.extremes(models::draw_first_layer(shape, 1, path)));
  }
  CHECK(sharp.gradient < worst.gradient);
  CHECK(sharp.hessian < worst.hessian);
  CHECK(measured.constants().gradient < sharp.gradient);
  CHECK(measured.constants().hessian < sharp.hessian);
  CHECK(measured.constants().gradient > 0.1 * sharp.gradient);
}

TEST_CASE("the logistic loss neither overflows nor cancels", "[models][kan]") {
  CHECK(models::logistic_loss(-1e4) == 1e4);
  CHECK(models::logistic_loss(40.0) == Approx(std::exp(-40.0)).epsilon(1e-14));
  CHECK(models::logistic_loss_slope(800.0) == 0.0);
  CHECK(models::logistic_loss_slope(-800.0) == -1.0);
  CHECK(models::logistic_loss_curvature(0.0) == 0.25);
}

TEST_CASE("the signed Gram matrix is that of formed gradients", "[models][kan]") {
  const KanShape shape{3, 5, 6, 3, Activation::logistic};
  auto losses = make(shape, 4);
  const auto w = models::draw_first_layer(shape, 2, 0);
  const Eigen::MatrixXd gram = losses.signed_gram(w);
  std::vector<Eigen::MatrixXd> rows;
  for (std::uint32_t r = 0; r < 4; ++r) {
    rows.emplace_back(losses.data().labels[r] * losses.example(r, w).slopes * losses.features(r).transpose());
  }
  for (Eigen::Index i = 0; i < 4; ++i) {
    for (Eigen::Index j = 0; j < 4; ++j) {
      const double product = rows[static_cast<std::size_t>(i)].cwiseProduct(rows[static_cast<std::size_t>(j)]).sum();
      CHECK(std::abs(gram(i, j) - product) < 1e-15);
    }
  }
  const std::vector<double> weights{0.5, 0.0, 0.25, 0.25};
  std::vector<double> combined(shape.parameters());
  losses.combine_gradients(weights, w, combined);
  const Eigen::Map<const Eigen::VectorXd> alpha(weights.data(), 4);
  CHECK(dot(combined, combined) == Approx(alpha.dot(gram * alpha)).epsilon(1e-12));
}

TEST_CASE("a model without structure is clipped gradient by gradient", "[models][kan]") {
  const models::SeparableLosses losses(1.0, 0.0, 2, {1.0, 0.5, -3.0, 0.0, 0.25, 2.0});
  models::SeparateGradients model(losses);
  const std::vector<double> x{0.5, -0.5};
  const std::vector<std::uint32_t> batch{0, 1, 2};
  std::vector<double> expected(2, 0.0), one(2), sum(2);
  for (const std::uint32_t r : batch) {
    losses.gradient_sum({&r, 1}, x, one);
    const double norm = std::hypot(one[0], one[1]);
    for (std::size_t i = 0; i < 2; ++i) {
      expected[i] += one[i] * std::min(1.0, 1.5 / norm);
    }
  }
  model.clipped_sum(batch, x, 1.5, sum);
  CHECK(sum[0] == Approx(expected[0]).epsilon(1e-15));
  CHECK(sum[1] == Approx(expected[1]).epsilon(1e-15));
}

TEST_CASE("KANs name what does not fit", "[models][kan][errors]") {
  CHECK_THROWS_AS((models::KanNetwork({2, 3, 5, 3, Activation::tanh}, Eigen::MatrixXd::Zero(5, 2))), DomainError);
  const KanShape shape{2, 3, 5, 3, Activation::tanh};
  models::BinaryData data{Eigen::MatrixXd::Constant(2, 1, 0.9), {1.0}};
  CHECK_THROWS_WITH(models::KanLosses(models::KanNetwork::draw(shape, 1, 0), data), Catch::Contains("norm of input"));
  data.inputs.setZero();
  data.labels = {0.0};
  CHECK_THROWS_WITH(models::KanLosses(models::KanNetwork::draw(shape, 1, 0), data), Catch::Contains("label"));
  CHECK_THROWS_AS(models::worst_case_constants({}, 0.0), DomainError);
}
