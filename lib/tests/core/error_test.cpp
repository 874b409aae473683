// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <dpcurves/core/assumption.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

void checked(double mu) { require_domain(mu >= 0.0, "mu", mu, "[0, inf)"); }

}  // namespace

TEST_CASE("a domain error names the function, the argument, its value and the range", "[core][errors]") {
  CHECK_NOTHROW(checked(0.0));
  CHECK_THROWS_AS(checked(std::nan("")), DomainError);
  CHECK_THROWS_WITH(checked(-2.0), Catch::Contains("checked") && Catch::Contains("mu = -2 is outside [0, inf)"));
}

TEST_CASE("a theorem that does not apply says why", "[core][errors]") {
  CHECK_NOTHROW(require_theorem("theorem 1", {}));
  CHECK_THROWS_WITH(require_theorem("theorem 1", {{"c < 1", "c = 1"}}),
                    Catch::Contains("theorem 1") && Catch::Contains("c < 1 (c = 1)"));
}

TEST_CASE("a misspelt, cut or bare word is answered with the one that was meant", "[core][errors]") {
  const std::vector<std::string> known{"noise-multiplier", "noisy-sgd", "hsgd", "steps"};
  CHECK(suggestion("stepps", known) == ", did you mean steps?");
  CHECK(suggestion("sgd", known) == ", did you mean noisy-sgd?");
  CHECK(suggestion("noise-mult", known) == ", did you mean noise-multiplier?");
  CHECK(suggestion("no", known).empty());
  CHECK(suggestion("clip", known).empty());
  CHECK(suggestion("Noisy_SGD", known) == ", did you mean noisy-sgd?");
  CHECK(suggestion("without-replacement", {"with-replacement", "fixed-size"}) == ", did you mean fixed-size?");
  CHECK(suggestion("eps", {"steps", "epsilon"}) == ", did you mean epsilon?");
}
