// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/least_squares_problem.hpp>
#include <dpcurves/simulate/hsgd.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::simulate;

namespace {

/// The base model of the validation plan: eigenvalues 2 (i/d + 0.05).
models::LeastSquares base_model(std::size_t d) {
  models::LeastSquares problem;
  std::vector<double> eigenvalues(d);
  problem.x0.resize(static_cast<Eigen::Index>(d));
  problem.xtilde.resize(problem.x0.size());
  const double size = static_cast<double>(d), scale = 1.0 / std::sqrt(size);
  for (std::size_t i = 0; i < d; ++i) {
    const auto e = static_cast<Eigen::Index>(i);
    eigenvalues[i] = 2.0 * (static_cast<double>(i + 1) / size + 0.05);
    problem.x0[e] = scale;
    problem.xtilde[e] = 1.2 * std::cos(static_cast<double>(i + 1)) * scale;
  }
  problem.spectrum = models::Spectrum::list(eigenvalues);
  problem.label_noise = 0.09;
  problem.regularisation = 0.1;
  problem.noise = 0.5;
  problem.dimension = size;
  problem.schedule = models::Schedule::constant(0.8);
  return problem;
}

/// Mean and its standard error.
struct Mean {
  double value = 0.0, error = 0.0;
};
Mean mean_of(const std::vector<double>& sample) {
  const auto n = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n;
  double square = 0.0;
  for (const double x : sample) {
    square += (x - mean) * (x - mean);
  }
  return {mean, std::sqrt(square / (n * (n - 1.0)))};
}

std::vector<double> final_risks(const models::LeastSquares& problem, Entries entries, std::size_t paths,
                                unsigned threads = 0, std::uint32_t first = 0) {
  const auto steps = static_cast<std::size_t>(2.0 * problem.dimension);
  std::vector<double> risks(paths);
  const PopulationRisk risk = population_risk(problem);
  noisy_sgd(one_pass(problem, steps), records_of(problem, entries), {paths, 7, first, threads},
            [&](const Observation& at, std::span<const double> x) { risks[at.path] = risk(x); });
  return risks;
}

/// A data set and a replacement for its record number 3.
ConditionalSgd small_data(std::size_t d, std::size_t n) {
  RecordLaw law;
  law.standard_deviations.assign(d, 0.8);
  law.target.assign(d, 0.3);
  law.label_noise = 0.5;
  ConditionalSgd setting;
  setting.records = draw_records(law, n, 5);
  setting.start = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(d), 1.0, -1.0);
  for (std::size_t k = 0; k < n; ++k) {
    setting.step_sizes.push_back(0.3 / (1.0 + 0.1 * static_cast<double>(k)));
  }
  setting.regularisation = 0.2;
  setting.noise = 0.7;
  return setting;
}

}  // namespace

TEST_CASE("records have the moments of their law", "[simulate][least-squares][statistics]") {
  const auto entries = GENERATE(Entries::gaussian, Entries::uniform, Entries::rademacher);
  const std::vector<double> variances{2.0, 0.5, 0.01};
  const std::vector<double> target{1.0, -1.0, 3.0};
  RecordLaw law = centred_records(entries, variances, target, 0.4);
  law.means = {0.0, 0.25, -1.0};
  constexpr std::size_t size = 40000;
  const Records records = draw_records(law, size, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> first(size), second(size), fourth(size);
    for (std::size_t k = 0; k < size; ++k) {
      const double z = (records.row(k)[i] - law.means[i]) / std::sqrt(variances[i]);
      first[k] = z;
      second[k] = z * z;
      fourth[k] = z * z * z * z;
    }
    CAPTURE(static_cast<int>(entries), i);
    CHECK(std::abs(mean_of(first).value) < 5.0 * mean_of(first).error);
    CHECK(std::abs(mean_of(second).value - 1.0) < 5.0 * mean_of(second).error + 1e-12);
    CHECK(std::abs(mean_of(fourth).value - kurtosis(entries)) < 5.0 * mean_of(fourth).error + 1e-12);
  }
  std::vector<double> noise(size), square(size);
  for (std::size_t k = 0; k < size; ++k) {
    noise[k] = records.labels[k] - dot(records.row(k), target);
    square[k] = noise[k] * noise[k];
  }
  CHECK(std::abs(mean_of(noise).value) < 5.0 * mean_of(noise).error);
  CHECK(std::abs(mean_of(square).value - 0.16) < 5.0 * mean_of(square).error);
}

TEST_CASE("the features of Section 5 have a spike beside their covariance", "[simulate][least-squares][statistics]") {
  constexpr std::size_t d = 40, size = 20000;
  const RecordLaw law = section_5_records(d, 2);
  const Records records = draw_records(law, size, 3);
  std::vector<double> spike(size), other(size);
  double largest = 0.0, smallest = 1.0;
  for (std::size_t k = 0; k < size; ++k) {
    const auto a = records.row(k);
    const double along = std::accumulate(a.begin(), a.end(), 0.0) / std::sqrt(static_cast<double>(d));
    spike[k] = along * along;
    const double across = (a[0] - a[1]) / std::sqrt(2.0);
    other[k] = across * across;
    largest = std::max(largest, *std::max_element(a.begin(), a.end()));
    smallest = std::min(smallest, *std::min_element(a.begin(), a.end()));
  }
  CHECK(std::abs(mean_of(spike).value - (0.25 + 1.0 / (12.0 * d))) < 5.0 * mean_of(spike).error);
  CHECK(std::abs(mean_of(other).value - 1.0 / (12.0 * d)) < 5.0 * mean_of(other).error);
  CHECK(smallest >= 0.0);
  CHECK(largest <= 1.0 / std::sqrt(static_cast<double>(d)));
}

TEST_CASE("simulated risks have the exact mean of the moment recursion", "[simulate][least-squares][statistics]") {
  const auto entries = GENERATE(Entries::gaussian, Entries::uniform, Entries::rademacher);
  const auto problem = base_model(20);
  const Mean simulated = mean_of(final_risks(problem, entries, 20000));
  const double exact = exact_mean_risks(problem, kurtosis(entries), 40).back();
  CAPTURE(static_cast<int>(entries), simulated.value, simulated.error, exact);
  CHECK(std::abs(simulated.value - exact) < 4.5 * simulated.error);
  CHECK(simulated.error < 0.003 * exact);
  // Without the noise of the algorithm the mean is far away.
  auto quiet = problem;
  quiet.noise = 0.0;
  CHECK(std::abs(simulated.value - exact_mean_risks(quiet, kurtosis(entries), 40).back()) > 20.0 * simulated.error);
}

TEST_CASE("the moment recursion for one coordinate is the scalar recursion", "[simulate][least-squares]") {
  // d = 1: v <- (p - eta a^2) v - eta delta xt + eta a w - eta sigma z.
  models::LeastSquares problem;
  problem.spectrum = models::Spectrum::list(std::vector{2.0});
  problem.x0 = Eigen::ArrayXd::Constant(1, 1.5);
  problem.xtilde = Eigen::ArrayXd::Constant(1, -0.5);
  problem.label_noise = 0.3;
  problem.regularisation = 0.4;
  problem.noise = 0.2;
  problem.dimension = 1.0;
  problem.schedule = models::Schedule::constant(0.25);
  const double eta = 0.25, p = 1.0 - eta * 0.4, second = 2.0, fourth = 3.0 * 4.0;
  double mean = 2.0, square = 4.0;
  const auto risks = exact_mean_risks(problem, 3.0, 12);
  test::Worst worst;
  for (std::size_t k = 0; k <= 12; ++k) {
    worst.see(test::relative_error(risks[k], square + 0.15), static_cast<double>(k));
    const double shift = eta * 0.4 * -0.5;
    square = (p * p - 2.0 * eta * p * second + eta * eta * fourth) * square - 2.0 * shift * (p - eta * second) * mean +
             shift * shift + eta * eta * (second * 0.3 + 0.04);
    mean = (p - eta * second) * mean - shift;
  }
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-14);
}

TEST_CASE("a mean risk that grows beyond all numbers is infinite", "[simulate][least-squares]") {
  auto problem = base_model(5);
  problem.schedule = models::Schedule::constant(40.0);
  const auto risks = exact_mean_risks(problem, 3.0, 3000);
  CHECK(risks.size() == 3001);
  CHECK(std::isinf(risks.back()));
}

TEST_CASE("simulated descent does not depend on threads or on how paths are divided", "[simulate][least-squares]") {
  const auto problem = base_model(21);
  const auto one = final_risks(problem, Entries::gaussian, 12, 1);
  CHECK(one == final_risks(problem, Entries::gaussian, 12, 3));
  const auto rest = final_risks(problem, Entries::gaussian, 5, 2, 7);
  CHECK(std::equal(rest.begin(), rest.end(), one.begin() + 7));
  CHECK(one[0] != one[1]);
}

TEST_CASE("a path of many steps tells of its parts, and stops between them", "[simulate][least-squares]") {
  const auto problem = base_model(64);
  const auto setting = one_pass(problem, 50000);  // 3.2 million features: three parts of 2^20
  const auto law = records_of(problem, Entries::gaussian);
  std::vector<std::size_t> told;
  Paths paths{2, 7, 0, 2};
  paths.progress = [&](std::size_t done, std::size_t total) {
    CHECK(total == 6);
    told.push_back(done);
    return true;
  };
  noisy_sgd(setting, law, paths, [](const Observation&, std::span<const double>) {});
  CHECK(told == std::vector<std::size_t>{1, 2, 3, 4, 5, 6});
  paths.progress = [](std::size_t done, std::size_t) { return done < 2; };
  CHECK_THROWS_AS(noisy_sgd(setting, law, paths, [](const Observation&, std::span<const double>) {}), Error);
}

TEST_CASE("simulated descent on a data set has the exact conditional law", "[simulate][least-squares][statistics]") {
  const ConditionalSgd setting = small_data(4, 9);
  const auto law = conditional_law(setting, 9);
  NoisyLeastSquares sgd{to_vector(setting.start.array()),
                        setting.regularisation,
                        setting.noise,
                        setting.step_sizes,
                        {std::numeric_limits<double>::infinity()},
                        {0, 9}};
  constexpr std::size_t paths = 40000;
  std::vector<double> iterates(4 * paths), starts(paths);
  noisy_sgd(sgd, setting.records, {paths, 3}, [&](const Observation& at, std::span<const double> x) {
    if (at.index == 0) {
      starts[at.path] = x[0];
    } else {
      std::copy(x.begin(), x.end(), iterates.begin() + static_cast<std::ptrdiff_t>(4 * at.path));
    }
  });
  CHECK(std::all_of(starts.begin(), starts.end(), [](double x) { return x == 1.0; }));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
      std::vector<double> first(paths), second(paths);
      for (std::size_t path = 0; path < paths; ++path) {
        first[path] = iterates[4 * path + i];
        second[path] = (iterates[4 * path + i] - law.mean[row]) * (iterates[4 * path + j] - law.mean[column]);
      }
      CAPTURE(i, j);
      CHECK(std::abs(mean_of(first).value - law.mean[row]) < 5.0 * mean_of(first).error);
      CHECK(std::abs(mean_of(second).value - law.covariance(row, column)) < 5.0 * mean_of(second).error);
    }
  }
}

TEST_CASE("the two forms of the law after a replaced record agree", "[simulate][least-squares]") {
  const auto steps =
      GENERATE(std::size_t{4}, std::size_t{9});  // the record is the last one used, or five others follow
  ConditionalSgd setting = small_data(6, 9);
  models::Record other{Eigen::ArrayXd::LinSpaced(6, -1.0, 1.5), 0.7};
  const auto pair = conditional_pair(setting, steps, 3, other);
  const auto form = [&](Eigen::Index side, double q) -> Eigen::MatrixXd {
    const Eigen::VectorXd w1 = pair.factors.col(2 * side), w2 = pair.factors.col(2 * side + 1);
    const double eta = pair.step_size;
    return pair.common - eta * (w2 * w1.transpose() + w1 * w2.transpose()) + eta * eta * q * w1 * w1.transpose();
  };
  const auto original = conditional_law(setting, steps);
  for (std::size_t i = 0; i < 6; ++i) {
    setting.records.features[18 + i] = other.features[static_cast<Eigen::Index>(i)];
  }
  setting.records.labels[3] = other.label;
  const auto replaced = conditional_law(setting, steps);
  CHECK((form(0, pair.q1) - original.covariance).norm() < 1e-14 * original.covariance.norm());
  CHECK((form(1, pair.q2) - replaced.covariance).norm() < 1e-14 * original.covariance.norm());
  CHECK((pair.original.covariance - original.covariance).norm() < 1e-15 * original.covariance.norm());
  const Eigen::VectorXd gap =
      -pair.step_size * (pair.residual1 * pair.factors.col(0) - pair.residual2 * pair.factors.col(2));
  CHECK((gap - (original.mean - replaced.mean)).norm() < 1e-14 * original.mean.norm());
  CHECK((original.covariance - replaced.covariance).norm() > 1e-3 * original.covariance.norm());
  CHECK(conditional_pair(setting, 3, 3, other).step_size == 0.0);
}

TEST_CASE("four axes carry the whole difference of the two laws of an iterate", "[simulate][least-squares]") {
  // KL of two normals in full and in the reduced coordinates; the record is the last one used, or others follow.
  const auto steps = GENERATE(std::size_t{4}, std::size_t{9});
  const ConditionalSgd setting = small_data(6, 9);
  models::Record other{Eigen::ArrayXd::LinSpaced(6, -1.0, 1.5), 0.7};
  auto changed = setting;
  for (std::size_t i = 0; i < 6; ++i) {
    changed.records.features[18 + i] = other.features[static_cast<Eigen::Index>(i)];
  }
  changed.records.labels[3] = other.label;
  const auto divergence = [](const Eigen::VectorXd& m1, const Eigen::MatrixXd& s1, const Eigen::VectorXd& m2,
                             const Eigen::MatrixXd& s2) {
    const Eigen::MatrixXd inverse = s2.inverse();
    const Eigen::VectorXd gap = m2 - m1;
    return 0.5 * ((inverse * s1).trace() - static_cast<double>(m1.size()) + gap.dot(inverse * gap) +
                  std::log(s2.determinant() / s1.determinant()));
  };
  const auto first = conditional_law(setting, steps), second = conditional_law(changed, steps);
  const auto pair = conditional_pair(setting, steps, 3, other);
  const auto small = reduced(pair);
  CHECK(small.mean1.size() == 4);
  const double whole = divergence(first.mean, first.covariance, second.mean, second.covariance);
  CHECK(whole > 1e-3);
  CHECK(divergence(small.mean1, small.covariance1, small.mean2, small.covariance2) == Approx(whole).epsilon(1e-9));
  CHECK(divergence(small.mean2, small.covariance2, small.mean1, small.covariance1) ==
        Approx(divergence(second.mean, second.covariance, first.mean, first.covariance)).epsilon(1e-9));
  auto silent = conditional_pair(setting, 3, 3, other);  // the record has not been used
  const auto equal = reduced(silent);
  CHECK((equal.mean1 - equal.mean2).norm() == 0.0);
  CHECK((equal.covariance1 - equal.covariance2).norm() == 0.0);
  silent.common.setZero();
  CHECK_THROWS_WITH(reduced(silent), Catch::Contains("positive definite"));
}

TEST_CASE("clipping shortens the whole gradient and shares records and noise", "[simulate][least-squares][clipping]") {
  const auto problem = base_model(30);
  auto setting = one_pass(problem, 60);
  setting.clip_norms = {0.4, 1.0, std::numeric_limits<double>::infinity(), 1e9};
  for (std::size_t k = 0; k <= 60; ++k) {
    setting.observed.resize(k + 1);
    setting.observed[k] = k;
  }
  std::vector<std::vector<std::vector<double>>> iterates(4, std::vector<std::vector<double>>(61));
  const auto law = records_of(problem, Entries::uniform);
  const auto clipping = noisy_sgd(setting, law, {1, 9}, [&](const Observation& at, std::span<const double> x) {
    iterates[at.clip][at.index].assign(x.begin(), x.end());
  });
  CHECK(iterates[2] == iterates[3]);
  CHECK(clipping[3].clipped == 0);
  CHECK(clipping[0].clipped > clipping[1].clipped);
  CHECK(clipping[1].clipped > 0);
  CHECK(clipping[3].largest_norm > 1.0);
  // With the noise taken off, no step of a clipped run is longer than eta c, and clipped ones are as long.
  const Records records = draw_records(law, 60, 9);
  const double eta = setting.step_sizes[0];
  std::size_t clipped = 0;
  double largest = 0.0, worst = 0.0;
  for (std::size_t k = 0; k < 60; ++k) {
    const auto a = records.row(k);
    const auto& x = iterates[0][k];
    const auto& free = iterates[2][k];
    const double residual = dot(a, x) - records.labels[k], free_residual = dot(a, free) - records.labels[k];
    double square = 0.0;
    for (std::size_t i = 0; i < 30; ++i) {
      square += std::pow(residual * a[i] + 0.1 * x[i], 2);
    }
    const double factor = std::min(1.0, 0.4 / std::sqrt(square));
    clipped += factor < 1.0 ? 1U : 0U;
    largest = std::max(largest, std::sqrt(square));
    for (std::size_t i = 0; i < 30; ++i) {  // the noise of the two runs is the same
      const double noise = iterates[2][k + 1][i] - free[i] + eta * (free_residual * a[i] + 0.1 * free[i]);
      worst = std::max(
          worst, std::abs(iterates[0][k + 1][i] - (x[i] - eta * factor * (residual * a[i] + 0.1 * x[i]) + noise)));
    }
  }
  CHECK(worst < 1e-14);
  CHECK(clipping[0].clipped == clipped);
  CHECK(clipping[0].largest_norm == Approx(largest).epsilon(1e-12));
}

TEST_CASE("linear HSGD samples have the law they were given, before and after a jump",
          "[simulate][least-squares][statistics]") {
  const LinearLaw law{
      {0.3, 0.8, 1.9}, {0.5, 2.0}, {{1.0, -1.0}, {0.7, -0.6}, {0.4, -0.1}}, {{0.2, 0.1}, {0.3, 0.15}, {0.35, 0.12}}};
  const Jump jump{1, {0.9, -0.7}, 0.25, 0.6, 0.1, 0.5};
  constexpr std::size_t paths = 40000;
  std::vector<double> first(6 * paths);
  linear_hsgd(law, jump, {paths, 21}, [&](const Observation& at, std::span<const double> x) {
    first[6 * at.path + 2 * at.index] = x[0];
    first[6 * at.path + 2 * at.index + 1] = x[1];
  });
  // m_i(s+) = C m + eta b a, V_i(s+) = C V C' + eta^2 sigma^2 I, then decay towards the unchanged tail.
  Eigen::Vector2d a(0.9, -0.7), m(0.7, -0.6), later(0.4, -0.1);
  const Eigen::Matrix2d c = Eigen::Matrix2d::Identity() * (1.0 - 0.06) - 0.6 * a * a.transpose();
  Eigen::Matrix2d v = Eigen::Vector2d(0.3, 0.15).asDiagonal();
  const Eigen::Vector2d decay(std::exp(-0.5 * 1.1), std::exp(-2.0 * 1.1));
  const Eigen::Vector2d jumped = c * m + 0.6 * 0.25 * a;
  const Eigen::Matrix2d spread = c * v * c.transpose() + 0.09 * Eigen::Matrix2d::Identity();
  const Eigen::Vector2d last = later + decay.asDiagonal() * (jumped - m);
  Eigen::Matrix2d end = decay.asDiagonal() * (spread - v) * decay.asDiagonal();
  end += Eigen::Vector2d(0.35, 0.12).asDiagonal().toDenseMatrix();
  const auto check = [&](std::size_t time, const Eigen::Vector2d& mean, const Eigen::Matrix2d& covariance) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
        std::vector<double> value(paths), product(paths);
        for (std::size_t path = 0; path < paths; ++path) {
          const double* x = first.data() + 6 * path + 2 * time;
          value[path] = x[i];
          product[path] = (x[i] - mean[row]) * (x[j] - mean[column]);
        }
        CAPTURE(time, i, j);
        CHECK(std::abs(mean_of(value).value - mean[row]) < 5.0 * mean_of(value).error);
        CHECK(std::abs(mean_of(product).value - covariance(row, column)) < 5.0 * mean_of(product).error);
      }
    }
  };
  check(0, {1.0, -1.0}, Eigen::Vector2d(0.2, 0.1).asDiagonal());
  check(1, jumped, spread);
  check(2, last, end);
}

TEST_CASE("HSGD without noise is the gradient flow, for every step", "[simulate][least-squares]") {
  auto problem = base_model(7);
  problem.noise = 0.0;
  problem.label_noise = 0.0;
  problem.regularisation = 0.0;
  problem.x0 = problem.xtilde;  // P = 0: nothing moves
  hsgd(problem, 2.0, 3, {0, 3}, {2, 5},
       [&](const Observation&, std::span<const double> x) { CHECK(std::abs(x[2] - problem.xtilde[2]) < 1e-15); });
  // An infinite dimension switches the noise off.
  problem = base_model(7);
  problem.dimension = 1e30;
  problem.schedule = models::Schedule::warmup_cosine(0.8, 0.1, 0.5, 2.0);
  hsgd(problem, 2.0, 40, {40}, {1, 5, 0, 1}, [&](const Observation&, std::span<const double> x) {
    for (Eigen::Index i = 0; i < 7; ++i) {
      const double lambda = problem.spectrum.eigenvalues()[i], rate = lambda + 0.1;
      const double decay = std::exp(-rate * problem.schedule.integral(2.0));
      const double exact = decay * problem.x0[i] + lambda * (1.0 - decay) / rate * problem.xtilde[i];
      CHECK(x[static_cast<std::size_t>(i)] == Approx(exact).epsilon(1e-13));
    }
  });
}

TEST_CASE("refused settings name what is wrong", "[simulate][least-squares][errors]") {
  const auto problem = base_model(4);
  auto setting = one_pass(problem, 8);
  const auto law = records_of(problem, Entries::gaussian);
  const auto nothing = [](const Observation&, std::span<const double>) {};
  setting.clip_norms = {0.0};
  CHECK_THROWS_WITH(noisy_sgd(setting, law, {1, 1}, nothing), Catch::Contains("clip norm = 0"));
  setting = one_pass(problem, 8);
  setting.observed = {9};
  CHECK_THROWS_WITH(noisy_sgd(setting, law, {1, 1}, nothing), Catch::Contains("observed iteration"));
  setting = one_pass(problem, 8);
  setting.start.pop_back();
  CHECK_THROWS_AS(noisy_sgd(setting, law, {1, 1}, nothing), DomainError);
  CHECK_THROWS_AS(noisy_sgd(one_pass(problem, 8), draw_records(law, 7, 1), {1, 1}, nothing), DomainError);
  CHECK_THROWS_AS(kurtosis(Entries::coordinate), DomainError);
  CHECK_THROWS_WITH(
      noisy_sgd(one_pass(problem, 8), law, {1, 1, 0, 1, [](std::size_t, std::size_t) { return false; }}, nothing),
      Catch::Contains("stopped on request"));
}
