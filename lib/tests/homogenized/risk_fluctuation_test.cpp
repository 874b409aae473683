// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/risk_fluctuation.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using homogenized::IsotropicFluctuationProblem;
using homogenized::risk_fluctuation;

TEST_CASE("fluctuations of the risk agree with 30-digit references", "[homogenized][fluctuation][accuracy]") {
  test::Worst worst;
  double number = 0.0;
  for (const auto& row : test::reference_table("homogenized/risk_fluctuation.csv")) {
    const auto got = risk_fluctuation({row.at("eigenvalue"), row.at("gamma"), row.at("label_noise"), row.at("noise"),
                                       row.at("squared_error"), row.at("dimension")},
                                      row.at("time"));
    worst.see(test::relative_error(got.mean, row.at("mean")), number);
    worst.see(test::relative_error(got.variance_hsgd, row.at("variance_hsgd")), number);
    worst.see(test::relative_error(got.variance_linear, row.at("variance_linear")), number);
    worst.see(test::relative_error(got.variance_sgd, row.at("variance_sgd")), number);
    number += 1.0;
  }
  CHECK(number > 30.0);
  CAPTURE(worst.at, worst.error);
  CHECK(worst.error < 1e-11);  // the number in the header comment
}

TEST_CASE("stationary fluctuations have their closed forms", "[homogenized][fluctuation]") {
  const double lambda = 2.0, gamma = 0.5, d = 1e6;
  const IsotropicFluctuationProblem problem{lambda, gamma, 0.1, 0.7, 3.0, d};
  const double decay = 2.0 * gamma * lambda - gamma * gamma * lambda * lambda, source = lambda * 0.1 + 0.49;
  const double mean = gamma * gamma * source / decay;
  const auto got = risk_fluctuation(problem, 1e4);
  CHECK(got.mean == Approx(0.5 * lambda * mean + 0.05).epsilon(1e-11));
  const double v = gamma * gamma / d * (lambda * lambda * mean + source) / (2.0 * gamma * lambda);
  CHECK(got.variance_linear == Approx(0.25 * lambda * lambda * 2.0 * d * v * v).epsilon(1e-11));
  const double rate = 2.0 * decay - 4.0 * gamma * gamma * lambda * lambda / d;
  const double driving = 4.0 * gamma * gamma / d * (lambda * lambda * mean * mean + source * mean);
  CHECK(got.variance_hsgd == Approx(0.25 * lambda * lambda * driving / rate).epsilon(1e-11));
  // (1) fluctuates 2/(2 - gamma lambda) times as much as (9), to leading order in 1/d.
  CHECK(got.variance_hsgd / got.variance_linear == Approx(2.0 / (2.0 - gamma * lambda)).epsilon(1e-5));
  CHECK(homogenized::stationary_moment_limit(problem) == Approx(1.0 + d / 2.0));
}

TEST_CASE("without any noise descent fluctuates less than HSGD by a fixed factor", "[homogenized][fluctuation]") {
  const double step = GENERATE(0.2, 0.8, 1.5);
  const auto got = risk_fluctuation({1.0, step, 0.0, 0.0, 1.0, 1e9}, 1.5);
  CHECK(got.variance_sgd / got.variance_hsgd == Approx(0.5 * (2.0 - step) * (2.0 - step)).epsilon(1e-6));
}

TEST_CASE("risks that leave the range of double are infinite, and nothing moves at time 0",
          "[homogenized][fluctuation]") {
  const auto grown = risk_fluctuation({1.0, 3.0, 0.1, 1.0, 1.0, 100.0}, 1e4);
  CHECK(std::isinf(grown.mean));
  CHECK(std::isinf(grown.variance_hsgd));
  CHECK(std::isinf(grown.variance_sgd));
  CHECK(std::isinf(grown.variance_linear));
  for (const auto& [eigenvalue, gamma] : {std::pair{1e300, 0.8}, std::pair{1.0, 1e300}}) {  // so does the generator
    const auto beyond = risk_fluctuation({eigenvalue, gamma, 0.1, 1.0, 1.0, 100.0}, 1.5);
    CHECK(std::isinf(beyond.mean));
    CHECK(std::isinf(beyond.variance_hsgd));
    CHECK(std::isinf(beyond.variance_sgd));
  }
  const auto start = risk_fluctuation({2.0, 0.5, 0.1, 1.0, 3.0, 100.0}, 0.0);
  CHECK(start.mean == Approx(3.05));
  CHECK(start.variance_hsgd == 0.0);
  CHECK_THROWS_WITH(risk_fluctuation({2.0, -0.5, 0.1, 1.0, 3.0, 100.0}, 0.0), Catch::Contains("gamma = -0.5"));
  CHECK_THROWS_AS(risk_fluctuation({2.0, 0.5, 0.1, 1.0, 3.0, 100.0}, std::nan("")), DomainError);
  CHECK_THROWS_AS(homogenized::stationary_moment_limit({2.0, 1.0, 0.1, 1.0, 3.0, 100.0}), DomainError);
}
