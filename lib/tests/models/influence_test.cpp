// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/influence.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::models;

namespace {

Eigen::MatrixXd draw(Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd x(rows, columns);
  random::normals({x.data(), static_cast<std::size_t>(x.size())}, 5, random::Purpose::data, 0, 0);
  x.row(1) *= 4.0;
  return x;
}

double covariance_norm(const Eigen::MatrixXd& x, int ddof) {
  const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
  return (centred.transpose() * centred / static_cast<double>(x.rows() - ddof)).squaredNorm();
}

}  // namespace

TEST_CASE("influence scores are those of leaving each example out", "[models][influence]") {
  const auto [rows, columns] = GENERATE(std::pair{9, 4}, std::pair{6, 30}, std::pair{3, 1});
  const int ddof = GENERATE(0, 1);
  const auto x = draw(rows, columns);
  const auto scores = influence_scores(x, ddof);
  for (Eigen::Index i = 0; i < rows; ++i) {
    Eigen::MatrixXd rest(rows - 1, columns);
    rest << x.topRows(i), x.bottomRows(rows - 1 - i);
    const double exact = covariance_norm(x, ddof) - covariance_norm(rest, ddof);
    CHECK(scores[static_cast<std::size_t>(i)] == Approx(exact).margin(1e-12 * covariance_norm(x, ddof)));
  }
}

TEST_CASE("a common offset of a million costs influence scores nothing but its own rounding", "[models][influence]") {
  // Entries are multiples of 2^-10, so that the offset is added exactly and the scores must agree to rounding.
  const Eigen::MatrixXd x = (draw(12, 7) * 1024.0).array().round() / 1024.0;
  const auto plain = influence_scores(x), moved = influence_scores((x.array() + 1e6).matrix());
  const double largest = *std::max_element(plain.begin(), plain.end());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(moved[i] == Approx(plain[i]).margin(1e-12 * largest));
  }
}

TEST_CASE("the extreme examples of each class are pooled, the lower number first among equals", "[models][influence]") {
  const std::vector<double> scores{1, 5, 3, 5, 2, 0, 7, 1};
  const std::vector<std::uint32_t> labels{0, 1, 0, 1, 0, 1, 0, 1};
  CHECK(extreme_examples(scores, labels, 2, 0.25, true) == std::vector<std::uint32_t>{6, 1});
  CHECK(extreme_examples(scores, labels, 2, 0.5, false) == std::vector<std::uint32_t>{0, 4, 5, 7});
  CHECK_THROWS_AS(extreme_examples(scores, labels, 2, 0.0, true), DomainError);
}

TEST_CASE("influence scores need three examples, finite", "[models][influence][errors]") {
  CHECK_THROWS_WITH(influence_scores(Eigen::MatrixXd::Ones(2, 3)), Catch::Contains("[3, inf)"));
  CHECK_THROWS_AS(influence_scores(Eigen::MatrixXd::Constant(3, 2, NAN)), DomainError);
  CHECK_THROWS_AS(influence_scores(Eigen::MatrixXd::Ones(3, 3), 2), DomainError);
  CHECK(influence_scores(Eigen::MatrixXd::Ones(3, 3)) == std::vector<double>(3, 0.0));
}
