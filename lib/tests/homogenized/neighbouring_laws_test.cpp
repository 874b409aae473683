// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/homogenized/neighbouring_laws.hpp>
#include <dpcurves/homogenized/pair_score.hpp>

#include "homogenized/problems.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::homogenized;
using Eigen::ArrayXd;

namespace {

constexpr double infinite_in_table = 1e300;

using Row = std::map<std::string, double>;

ArrayXd vector(const Row& row, const std::string& name) {
  ArrayXd values(3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    values[i] = row.at(name + "_" + std::to_string(i));
  }
  return values;
}

std::span<const double> view(const ArrayXd& values) { return {values.data(), static_cast<std::size_t>(values.size())}; }

HsgdLaw law_of(const Row& row) {
  models::LeastSquares problem;
  problem.spectrum = models::Spectrum::list(view(vector(row, "lambda")));
  problem.x0 = vector(row, "x0");
  problem.xtilde = vector(row, "xtilde");
  problem.regularisation = row.at("delta");
  problem.noise = row.at("sigma");
  problem.dimension = row.at("dim");
  problem.schedule = models::Schedule::constant(row.at("gamma"));
  const double risk = row.at("risk");
  return HsgdLaw(
      problem, [risk](double) { return risk; }, 1.0);
}

models::RecordPair pair_of(const Row& row) {
  return {{vector(row, "first"), row.at("first_label")}, {vector(row, "second"), row.at("second_label")}};
}

NeighbouringLaws laws_at(const HsgdLaw& law, ReleaseKind kind, const std::vector<double>& times,
                         const models::RecordPair& pair, double s) {
  const Release release(law.problem(), kind, law.states(times));
  const auto weights = release.weights(law.state(s));
  return {weights, pair_sums(weights, pair_products(law.problem(), pair))};
}

/// A typical setting with distinct eigenvalues.
Row typical() { return test::reference_table("homogenized/neighbouring_laws.csv").front(); }

}  // namespace

TEST_CASE("divergences of three releases agree with dense covariances in 60 digits", "[neighbours][accuracy]") {
  test::Worst worst, limits;
  int compared = 0, infinite = 0;
  for (const auto& row : test::reference_table("homogenized/neighbouring_laws.csv")) {
    const HsgdLaw law = law_of(row);
    const auto pair = pair_of(row);
    const double s = row.at("s"), order = row.at("renyi_order");
    std::vector<double> times{row.at("t_0"), row.at("t_1"), row.at("t_2")};
    const double next = *std::lower_bound(times.begin(), times.end(), s);
    const auto compare = [&](ReleaseKind kind, const std::vector<double>& released, const std::string& name) {
      const auto laws = laws_at(law, kind, released, pair, s);
      for (const auto direction : {Direction::first_to_second, Direction::second_to_first}) {
        const double exact = row.at(name + (direction == Direction::first_to_second ? "_12" : "_21"));
        const double got = laws.renyi(order, direction);
        if (exact == infinite_in_table) {
          CHECK(std::isinf(got));
          ++infinite;
        } else {
          worst.see(std::abs(got - exact) / (exact + 1e-3), static_cast<double>(compared));
          ++compared;
        }
      }
    };
    compare(ReleaseKind::last_iterate, {next}, "last");
    compare(ReleaseKind::joint_suffix, times, "last");
    compare(ReleaseKind::joint, times, "joint");
    compare(ReleaseKind::average, times, "average");
    const auto laws = laws_at(law, ReleaseKind::last_iterate, {next}, pair, s);
    for (const auto direction : {Direction::first_to_second, Direction::second_to_first}) {
      const double exact = row.at(direction == Direction::first_to_second ? "limit_12" : "limit_21");
      const double got = laws.order_limit(direction);
      limits.see(exact > 1e8 ? (std::isinf(got) ? 0.0 : 1.0) : test::relative_error(got, exact) / exact, exact);
    }
  }
  CAPTURE(worst.at, worst.error, limits.at, limits.error, infinite, compared);
  CHECK(compared > 600);
  CHECK(infinite > 20);
  CHECK(worst.error < 4e-12);
  CHECK(limits.error < 1e-10);
}

TEST_CASE("equal records, late records and steps of size 0 leave no trace", "[neighbours]") {
  const Row row = typical();
  const HsgdLaw law = law_of(row);
  auto pair = pair_of(row);
  const double both[] = {
      laws_at(law, ReleaseKind::last_iterate, {1.0}, pair, 1.1).renyi(2.0, Direction::first_to_second),
      laws_at(law, ReleaseKind::last_iterate, {1.0}, {pair.first, pair.first}, 0.5)
          .renyi(2.0, Direction::second_to_first)};
  CHECK(both[0] == 0.0);
  CHECK(both[1] == 0.0);
  models::LeastSquares resting = law.problem();
  resting.schedule = models::Schedule::constant(0.0);
  const HsgdLaw still(
      resting, [](double) { return 1.0; }, 1.0);
  const auto laws = laws_at(still, ReleaseKind::last_iterate, {1.0}, pair, 0.5);
  CHECK(laws.renyi(2.0, Direction::first_to_second) == 0.0);
  CHECK(laws.order_limit(Direction::first_to_second) == infinity);
}

TEST_CASE("without noise any difference of the records is taken to be seen", "[neighbours]") {
  const Row row = typical();
  models::LeastSquares problem = law_of(row).problem();
  problem.noise = 0.0;
  const HsgdLaw law(
      problem, [](double) { return 1.0; }, 1.0);
  const auto pair = pair_of(row);
  const auto laws = laws_at(law, ReleaseKind::last_iterate, {1.0}, pair, 0.5);
  CHECK(laws.renyi(2.0, Direction::first_to_second) == infinity);
  CHECK(laws.order_limit(Direction::second_to_first) == 1.0);
  CHECK(laws_at(law, ReleaseKind::joint, {0.2, 1.0}, {pair.first, pair.first}, 0.5)
            .renyi(2.0, Direction::first_to_second) == 0.0);
}

TEST_CASE("a record used at time 0 of a run of no length is the Gaussian mechanism", "[neighbours]") {
  const Row row = typical();
  const HsgdLaw law = law_of(row);
  const auto pair = pair_of(row);
  const double score = pair_score(pair, law.problem().x0);
  const double order = 3.0;
  const double divergence =
      laws_at(law, ReleaseKind::last_iterate, {0.0}, pair, 0.0).renyi(order, Direction::first_to_second);
  CHECK(test::relative_error(divergence, order * score * score / (2.0 * row.at("sigma") * row.at("sigma"))) < 1e-13);
}

TEST_CASE("more time after the record and coarser releases lose information", "[neighbours][property]") {
  const auto rows = test::reference_table("homogenized/neighbouring_laws.csv");
  for (std::size_t k = 0; k < 40; ++k) {
    const HsgdLaw law = law_of(rows[k]);
    const auto pair = pair_of(rows[k]);
    const auto at = [&](ReleaseKind kind, const std::vector<double>& times) {
      return laws_at(law, kind, times, pair, 0.4).renyi(1.2, Direction::first_to_second);
    };
    const double soon = at(ReleaseKind::last_iterate, {0.5}), late = at(ReleaseKind::last_iterate, {0.9});
    CAPTURE(k, soon, late);
    CHECK(late <= soon * (1.0 + 1e-12));
    const std::vector<double> several{0.2, 0.5, 0.9};
    CHECK(test::relative_error(at(ReleaseKind::joint_suffix, several), soon) < 1e-12);
    CHECK(at(ReleaseKind::joint, several) >= soon * (1.0 - 1e-12));
    CHECK(at(ReleaseKind::joint, several) >= at(ReleaseKind::average, several) * (1.0 - 1e-12));
    CHECK(at(ReleaseKind::joint, {0.39999, 0.5}) >= at(ReleaseKind::joint, {0.2, 0.5}) * (1.0 - 1e-9));
  }
}

TEST_CASE("at 1000 eigenvalues the low-rank form agrees with dense matrices", "[neighbours][accuracy]") {
  constexpr Eigen::Index d = 1000;
  models::LeastSquares problem = test::power_law(d, 0.5, models::Schedule::inverse_time(0.9, 0.5));
  const HsgdLaw law(problem, 1.6);
  const ArrayXd i = ArrayXd::LinSpaced(d, 1.0, static_cast<double>(d));
  const ArrayXd root = problem.spectrum.eigenvalues().sqrt();
  const models::RecordPair pair{{(1.3 * i).sin() * root, 0.4}, {(0.7 * i + 2.0).cos() * root, -0.8}};
  const auto before = law.state(0.7), after = law.state(1.6);
  const auto laws = laws_at(law, ReleaseKind::last_iterate, {1.6}, pair, 0.7);

  const ArrayXd phi =
      (-(problem.spectrum.eigenvalues() + problem.regularisation) * (after.integral - before.integral)).exp();
  const Eigen::VectorXd mean = law.trajectory()->mean(0.7).matrix();
  const double eta = before.step_size;
  Eigen::MatrixXd covariance[2];
  Eigen::VectorXd centre[2];
  for (int k = 0; k < 2; ++k) {
    const auto& record = k == 0 ? pair.first : pair.second;
    const Eigen::VectorXd a = record.features.matrix();
    const Eigen::MatrixXd jump =
        (1.0 - eta * problem.regularisation) * Eigen::MatrixXd::Identity(d, d) - eta * a * a.transpose();
    Eigen::MatrixXd v = jump * before.variance.matrix().asDiagonal() * jump.transpose();
    v.diagonal().array() += eta * eta * problem.noise * problem.noise;
    v = phi.matrix().asDiagonal() * v * phi.matrix().asDiagonal();
    v.diagonal().array() += after.variance - phi.square() * before.variance;
    covariance[k] = std::move(v);
    centre[k] = -eta * (a.dot(mean) - record.label) * (phi * record.features).matrix();
  }
  constexpr double order = 2.0;
  const auto log_det = [](const Eigen::LLT<Eigen::MatrixXd>& factor) {
    return 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  };
  const Eigen::LLT<Eigen::MatrixXd> mixed(order * covariance[1] + (1.0 - order) * covariance[0]);
  const Eigen::VectorXd gap = centre[0] - centre[1];
  const double dense = 0.5 * order * gap.dot(mixed.solve(gap)) +
                       ((1.0 - order) * log_det(Eigen::LLT<Eigen::MatrixXd>(covariance[0])) +
                        order * log_det(Eigen::LLT<Eigen::MatrixXd>(covariance[1])) - log_det(mixed)) /
                           (2.0 * (order - 1.0));
  CAPTURE(dense);
  CHECK(test::relative_error(laws.renyi(order, Direction::first_to_second), dense) < 1e-9);
  // control: the other direction is another number
  CHECK(test::relative_error(laws.renyi(order, Direction::second_to_first), dense) > 1e-6);
}

TEST_CASE("variances near the end of the doubles leave the divergences finite, and beyond it are named",
          "[neighbours]") {
  models::LeastSquares problem = test::three_eigenvalues(models::Schedule::constant(2.0));
  problem.dimension = 0.5;
  const models::RecordPair pair{{ArrayXd::Zero(3), 0.4}, {ArrayXd::Zero(3), -0.2}};
  const double end = RiskTrajectory(problem, 1000.0).diverges_at();
  REQUIRE(end < 1000.0);
  const HsgdLaw law(problem, 2.0 * end);
  CHECK(law.state(0.9 * end).variance[0] > 1e200);
  const auto laws = laws_at(law, ReleaseKind::last_iterate, {0.9 * end}, pair, 0.89 * end);
  CHECK(laws.renyi(2.0, Direction::first_to_second) == 0.0);
  CHECK(laws.order_limit(Direction::first_to_second) == infinity);
  CHECK_THROWS_WITH(law.state(1.5 * end), Catch::Contains("step size is too large"));
  CHECK(least_noise_share(*law.trajectory(), 1.5 * end) == 0.0);
  // labels alone: the covariances are the same, however large
  const ArrayXd a{{1.3, 1.4, -0.2}};
  const auto same = laws_at(law, ReleaseKind::last_iterate, {0.9 * end}, {{a, 0.4}, {a, -0.2}}, 0.89 * end);
  CHECK(same.order_limit(Direction::first_to_second) == infinity);
  CHECK(same.renyi(30.0, Direction::first_to_second) < 1e-15);
}

TEST_CASE("blocks of equal eigenvalues give what the list of eigenvalues gives", "[neighbours]") {
  const auto rows = test::reference_table("homogenized/neighbouring_laws.csv");
  models::LeastSquares problem = law_of(rows[0]).problem();
  problem.spectrum = models::Spectrum::list(std::vector{0.8, 0.8, 2.0});
  models::LeastSquares blocked = problem;
  blocked.spectrum = models::Spectrum::blocks(std::vector{0.8, 2.0}, std::vector{2.0, 1.0});
  const auto risk = [](double t) { return 1.0 + 0.1 * t; };
  const auto pair = pair_of(rows[0]);
  for (const auto kind : {ReleaseKind::joint, ReleaseKind::average}) {
    const double one =
        laws_at(HsgdLaw(problem, risk, 1.0), kind, {0.2, 0.9}, pair, 0.5).renyi(2.0, Direction::first_to_second);
    const double two =
        laws_at(HsgdLaw(blocked, risk, 1.0), kind, {0.2, 0.9}, pair, 0.5).renyi(2.0, Direction::first_to_second);
    CHECK(test::relative_error(two, one) < 1e-13);
  }
}

TEST_CASE("more noise is not always more private", "[neighbours]") {
  // Residuals near 0: the loss comes from the covariances and rises with sigma to a positive limit.
  const auto loss = [](double sigma) {
    models::LeastSquares problem;
    problem.spectrum = models::Spectrum::list(std::vector{0.03, 2.5});
    problem.x0 = ArrayXd{{-1.2, 2.2}};
    problem.xtilde = ArrayXd::Zero(2);
    problem.label_noise = 1.0;
    problem.noise = sigma;
    problem.dimension = 3.0;
    problem.schedule = models::Schedule::constant(0.73);
    const HsgdLaw law(problem, 2.3);
    const models::RecordPair pair{{ArrayXd{{-2.07, -0.62}}, 2.2102908843}, {ArrayXd{{0.61, 1.26}}, -0.269248153295}};
    return laws_at(law, ReleaseKind::last_iterate, {2.3}, pair, 1.0).renyi(1.2, Direction::first_to_second);
  };
  CHECK(loss(0.3) == Approx(0.00579).epsilon(1e-3));
  CHECK(loss(1.0) == Approx(0.0278).epsilon(2e-3));
  CHECK(loss(8.0) == Approx(0.0362).epsilon(2e-3));
  CHECK(loss(1000.0) == Approx(0.0363).epsilon(2e-3));
}

TEST_CASE("records of the wrong length name themselves", "[neighbours][errors]") {
  const HsgdLaw law = law_of(typical());
  const models::RecordPair pair{{ArrayXd::Zero(2), 0.0}, {ArrayXd::Zero(3), 0.0}};
  CHECK_THROWS_WITH(pair_products(law.problem(), pair), Catch::Contains("number of features = 2"));
  CHECK_THROWS_AS(Release(law.problem(), ReleaseKind::last_iterate, law.states(std::vector{0.1, 0.2})), DomainError);
  CHECK_THROWS_AS(Release(law.problem(), ReleaseKind::joint, {}), DomainError);
}

TEST_CASE("the pair score is the mean gap of the jump and keeps the printed form apart", "[score]") {
  const models::RecordPair pair{{ArrayXd{{1.2, -0.3, 0.5}}, 0.4}, {ArrayXd{{-0.6, 0.9, 0.2}}, -0.2}};
  const ArrayXd z = ArrayXd::Ones(3);
  CHECK(test::relative_error(pair_score(pair, z), 1.902340663498523) < 1e-14);
  CHECK(test::relative_error(pair_score_printed_form(pair, z, 0.1), 1.964408307862701) < 1e-14);
  CHECK_THROWS_AS(pair_score(pair, ArrayXd::Ones(2)), DomainError);
}
