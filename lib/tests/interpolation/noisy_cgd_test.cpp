// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include <nlohmann/json.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>

#include "settings.hpp"
#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;
using test::boxed;

namespace {

NoisyCgd cyclic(double kappa, const Contraction& c, double l, double E) {
  NoisyCgd setting;
  setting.descent.effective_sensitivity = kappa;
  setting.descent.contraction = c;
  setting.batches_per_epoch = l;
  setting.epochs = E;
  return setting;
}

}  // namespace

TEST_CASE("thresholds agree with the corrected Tables 10 to 12, and the printed form with the published ones",
          "[interpolation][reference]") {
  const auto published = nlohmann::json::parse(test::source_file("data/reference/shifted-interpolation.json"));
  for (const auto& item : published) {
    if (item.at("calculator") != "shifted-interpolation/noisy-cgd-constrained-plateau") {
      continue;
    }
    const auto& in = item.at("inputs");
    for (std::size_t row = 0; row < 3; ++row) {
      const auto& want = item.at("outputs").at("rows").at(row);
      const double eta = want.at("eta").get<double>();
      const double L = in.at("L_over_b").get<double>();
      const double l = in.at("l").get<double>();
      const double D = in.at("D").get<double>();
      const auto plateau = constrained_plateau(boxed(L, eta, D, in.at("sigma").get<double>()), l);
      CHECK(plateau.mu.upper == Approx(want.at("mu_star").get<double>()).epsilon(1e-12));
      CHECK(plateau.count == want.at("E_star").get<double>());
      CHECK(plateau_epochs_printed_form(L, eta, D, l) ==
            item.at("published").at("rows").at(row).at("E_star_published_erroneous").get<double>());
    }
  }
}

TEST_CASE("the published threshold is not one: composition is still below the constrained bound there",
          "[interpolation]") {
  const double epochs = plateau_epochs_printed_form(0.25, 0.04, 1.0, 10.0);
  NoisyCgd setting{boxed(0.25, 0.04, 1.0, 3.0), 10.0, epochs};
  CHECK(epochs == 31.0);
  const auto plateau = constrained_plateau(setting.descent, 10.0);
  CHECK(composition_mu(setting).upper < plateau.mu.lower);
  setting.epochs = plateau.count;
  CHECK(composition_mu(setting).upper >= plateau.mu.lower);
  setting.epochs = plateau.count - 1.0;
  CHECK(composition_mu(setting).upper < plateau.mu.lower);
}

TEST_CASE("composition and the convex bound reach the plateau at their epochs and not one before", "[interpolation]") {
  const double batches = GENERATE(1.0, 10.0, 37.0), diameter = GENERATE(1.0, 8.0);
  NoisyCgd setting{boxed(10.0, 0.02, diameter, 40.0), batches, 1.0};
  const auto mu = [&](double epochs, auto&& bound) {
    setting.epochs = epochs;
    return bound(setting).middle();
  };
  const auto composition = constrained_plateau(setting.descent, batches);
  const auto convex = constrained_plateau_from_convex(setting.descent, batches);
  CHECK(convex.mu == composition.mu);
  CHECK(convex.count >= composition.count);
  CHECK(mu(convex.count, convex_mu) >= convex.mu.middle() * (1.0 - 1e-12));
  CHECK(mu(convex.count - 1.0, convex_mu) < convex.mu.middle());
}

TEST_CASE("Theorem 4.5 reaches its limits", "[interpolation]") {
  const double kappa = 0.2;
  CHECK(strongly_convex_mu(cyclic(kappa, Contraction::factor(0.9), 20.0, 1.0)).contains(kappa));
  CHECK(strongly_convex_mu(cyclic(kappa, Contraction::factor(0.0), 2.0, 9.0)).contains(kappa));
  CHECK(strongly_convex_mu(cyclic(kappa, Contraction::factor(0.0), 1.0, 9.0)).contains(kappa));
  CHECK(strongly_convex_mu(cyclic(kappa, Contraction::factor(1.0), 4.0, 13.0)).contains(kappa * 2.0));
  CHECK(convex_mu(cyclic(kappa, Contraction(), 4.0, 13.0)).contains(kappa * 2.0));
  CHECK(strongly_convex_mu(cyclic(0.0, Contraction::factor(0.9), 5000.0, 1e9)) == exactly(0.0));
  CHECK(strongly_convex_mu(cyclic(kappa, Contraction::complement(1e-300), 5000.0, 1e9)).upper ==
        Approx(kappa * std::sqrt(1.0 + (1e9 - 1.0) / 5000.0)).epsilon(1e-14));
  const auto endless = strongly_convex_mu(cyclic(2.0 / 3.0, Contraction::factor(0.9999), 40.0, infinity));
  CHECK(endless.upper == Approx(2.44501337).epsilon(1e-8));
  CHECK(strongly_convex_mu(cyclic(2.0 / 3.0, Contraction::factor(0.9998), 40.0, infinity)).upper ==
        Approx(1.78895147).epsilon(1e-8));
}

TEST_CASE("one batch is full-batch descent, which Theorem 4.5 as printed is not", "[interpolation]") {
  const auto setting = cyclic(1.0, Contraction::factor(0.5), 1.0, 2.0);
  CHECK(strongly_convex_mu(setting).upper == Approx(std::sqrt(1.8)).epsilon(1e-14));
  CHECK(strongly_convex_mu_printed_form(setting).upper == Approx(std::sqrt(2.0)).epsilon(1e-14));
  const NoisyCgd box{boxed(0.3, 0.07, 2.0, 5.0), 1.0, 1e6};
  CHECK(constrained_best(box).mu == constrained_best(NoisyGd{box.descent, 1e6}).mu);
  CHECK(constrained_strongly_convex_best(box).mu.upper == Approx(constrained_best(box).mu.upper).epsilon(1e-14));
}

TEST_CASE("batches before the last cost less", "[interpolation]") {
  const auto setting = cyclic(1.0, Contraction::factor(0.95), 4.0, 5.0);
  const auto square = [&setting](double position) { return std::pow(batch_position_mu(setting, position).upper, 2.0); };
  CHECK(square(1.0) == Approx(0.98365).epsilon(1e-5));
  CHECK(square(2.0) == Approx(1.10756).epsilon(1e-5));
  CHECK(square(4.0) == Approx(1.80980).epsilon(1e-5));
  CHECK(batch_position_mu(setting, 4.0) == strongly_convex_mu(setting));
  CHECK_THROWS_AS(batch_position_mu(setting, 5.0), DomainError);
}

TEST_CASE("the lower bound never passes the upper bound", "[interpolation][property]") {
  const double c = GENERATE(0.0, 0.5, 0.99, 1.0);
  const double l = GENERATE(1.0, 2.0, 40.0);
  const double E = GENERATE(1.0, 2.0, 50.0);
  const auto setting = cyclic(0.7, Contraction::factor(c), l, E);
  CHECK(strongly_convex_lower_bound(setting).lower <= strongly_convex_mu(setting).upper);
  CHECK(strongly_convex_mu(setting).upper <= composition_mu(setting).upper * (1.0 + 1e-14));
}

TEST_CASE("every form of the constrained bound is ordered", "[interpolation][property]") {
  const double diameter = GENERATE(1e-6, 0.03, 1.0, 9.9, 1e4);
  const double l = GENERATE(1.0, 2.0, 5.0, 5000.0);
  const double E = GENERATE(1.0, 2.0, 30.0, 1e9, infinity);
  NoisyCgd setting{boxed(0.5, 0.1, diameter, 1.0), l, E};
  const double best = constrained_best(setting).mu.upper;
  const double exact = constrained_strongly_convex_best(setting).mu.upper;
  CHECK(exact <= best * (1.0 + 1e-14));
  if (constrained_violations(setting).empty()) {
    CHECK(best <= constrained_mu(setting).upper * (1.0 + 1e-14));
  }
  setting.descent.contraction = Contraction::factor(0.99);
  const double both = constrained_strongly_convex_best(setting).mu.upper;
  CHECK(both <= exact * (1.0 + 1e-14));
  CHECK(both <= strongly_convex_mu(setting).upper * (1.0 + 1e-14));
  if (E >= 2.0) {
    const double horizon = std::min(E - 1.0, std::max(1.0, std::round(2.0 * diameter)));
    CHECK(exact <= constrained_mu_at(setting, horizon).upper * (1.0 + 1e-14));
  }
}

TEST_CASE("the improved horizon is refused outside its domain", "[interpolation][errors]") {
  NoisyCgd setting{boxed(1.0, 1.0, 0.1, 1.0), 5.0, 11.0};
  CHECK_THROWS_WITH(constrained_improved_mu_at(setting, 10.0), Catch::Contains("diameter = 0.1"));
  CHECK_NOTHROW(constrained_improved_mu_at(setting, 1.0));
  CHECK_THROWS_AS(constrained_mu_at(setting, 11.0), DomainError);
  setting.batches_per_epoch = 2.5;
  CHECK_THROWS_WITH(constrained_best(setting), Catch::Contains("batches_per_epoch = 2.5"));
}
