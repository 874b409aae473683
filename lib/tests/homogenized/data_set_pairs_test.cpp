// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <random>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/detail/data_set_pairs.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::homogenized;
using Eigen::ArrayXd;

namespace {

struct DataSet {
  models::LeastSquares problem;
  std::vector<models::Record> records;
};

/// Positive features as in the paper's experiment, or centred ones.
DataSet drawn(Eigen::Index d, int count, bool positive, models::Spectrum spectrum, double scale) {
  std::mt19937 engine(7);
  const auto draw = [&] { return static_cast<double>(engine()) / 4294967296.0; };
  DataSet set;
  set.problem.spectrum = std::move(spectrum);
  set.problem.x0 = ArrayXd::NullaryExpr(d, [&](Eigen::Index) { return 2.0 * draw() - 1.0; });
  set.problem.xtilde = ArrayXd::NullaryExpr(d, [&](Eigen::Index) { return draw(); });
  set.problem.label_noise = 0.05;
  set.problem.regularisation = 0.1;
  set.problem.noise = 0.8;
  set.problem.dimension = static_cast<double>(d);
  set.problem.schedule = models::Schedule::constant(0.9);
  for (int k = 0; k < count; ++k) {
    const ArrayXd a =
        scale * ArrayXd::NullaryExpr(d, [&](Eigen::Index) { return positive ? draw() : 2.0 * draw() - 1.0; });
    set.records.push_back({a, (a * set.problem.xtilde).sum() + 0.2 * (draw() - 0.5)});
  }
  return set;
}

PairFamily every_pair(const DataSet& set) {
  std::vector<PairProducts> pairs;
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    for (std::size_t j = 0; j < set.records.size(); ++j) {
      if (i != j) {
        pairs.push_back(pair_products(set.problem, {set.records[i], set.records[j]}));
      }
    }
  }
  return listed_pairs(std::move(pairs));
}

}  // namespace

TEST_CASE("the pruned supremum over a data set is that over all its pairs", "[data-set-pairs]") {
  constexpr Eigen::Index d = 12;
  const bool positive = GENERATE(true, false);
  const double scale = GENERATE(0.2, 1.0, 3.0);  // from almost equal covariances to infinite divergences
  const bool blocked = GENERATE(true, false);
  const DataSet set = drawn(d, 12, positive,
                            blocked ? models::Spectrum::blocks(std::vector{0.3, 1.5}, std::vector{8.0, 4.0})
                                    : models::Spectrum::power_law(d, 2.0, 0.7),
                            scale);
  const HsgdLaw law(set.problem, 2.0);
  const auto all = every_pair(set);
  const DataSetPairs pruned(set.problem, set.records);
  const std::vector<double> orders{1.2, 2.0, 5.0, 20.0};
  for (const auto kind : {ReleaseKind::last_iterate, ReleaseKind::joint, ReleaseKind::average}) {
    const std::vector<double> times = kind == ReleaseKind::last_iterate ? std::vector{2.0} : std::vector{0.5, 1.1, 2.0};
    const Release release(set.problem, kind, law.states(times));
    for (const double s : {0.0, 0.3, 1.0, 1.9}) {
      const auto weights = release.weights(law.state(s));
      const auto exact = all(weights, orders), found = pruned(weights, orders);
      CAPTURE(positive, scale, blocked, s);
      for (std::size_t k = 0; k < orders.size(); ++k) {
        CHECK(test::relative_error(found.forward[k], exact.forward[k]) < 1e-10);
        CHECK(found.backward[k] == found.forward[k]);
      }
      CHECK(test::relative_error(pruned(weights, {}).forward_limit, all(weights, {}).forward_limit) < 1e-8);
      const auto worst = pruned.worst(weights, 2.0);
      CHECK(test::relative_error(worst.divergence, exact.forward[1]) < 1e-10);
      CHECK(worst.first < worst.second);
    }
  }
}

TEST_CASE("the worst pair of a data set never loses less than a listed one", "[data-set-pairs]") {
  const DataSet set = drawn(12, 25, true, models::Spectrum::power_law(12, 1.0, 0.5), 0.5);
  const HsgdLaw law(set.problem, 2.0);
  const Release release(set.problem, ReleaseKind::last_iterate, {law.state(2.0)});
  LossQuery query;
  query.orders = {2.0, 4.0};
  query.horizon = 2.0;
  query.relative_accuracy = 1e-7;
  const auto all = renyi_loss(law, release, DataSetPairs(set.problem, set.records), query);
  const auto one =
      renyi_loss(law, release, listed_pairs({pair_products(set.problem, {set.records[3], set.records[8]})}), query);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(all.forward[k].value > one.forward[k].value);
    CHECK(all.forward[k].value == all.backward[k].value);
    CHECK(all.forward[k].error < 1e-6 * all.forward[k].value);
  }
}

TEST_CASE("data sets that are none name what is wrong", "[data-set-pairs][errors]") {
  DataSet set = drawn(4, 3, true, models::Spectrum::power_law(4, 1.0, 0.5), 0.5);
  CHECK_THROWS_WITH(DataSetPairs(set.problem, std::span(set.records).first(1)),
                    Catch::Contains("number of records = 1"));
  set.records[1].features.resize(3);
  CHECK_THROWS_WITH(DataSetPairs(set.problem, set.records), Catch::Contains("number of features = 3"));
}
