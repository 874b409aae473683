// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/experiments.hpp>

#include "vectors.hpp"

using namespace dpcurves;
using namespace dpcurves::interpolation;

TEST_CASE("Figure 1 agrees with its reference vectors", "[interpolation][reference]") {
  for (const auto& vector : test::vectors("noisy-gd-figure-1")) {
    NoisyGd setting;
    setting.descent.effective_sensitivity = vector.number("kappa");
    setting.descent.contraction = Contraction::factor(vector.number("c"));
    setting.steps = vector.number("t");
    const auto figure = figure_one(setting, vector.number("delta"));
    vector.check("mu_ours", figure.mu.upper);
    vector.check("eps_ours", figure.epsilon.upper);
    vector.check("eps_our_rdp", figure.renyi_epsilon);
    vector.check("rho_prior", figure.prior_rho.upper);
    vector.check("eps_prior_rdp", figure.prior_renyi_epsilon);
    vector.check("mu_composition", figure.composition_mu.upper);
    vector.check("eps_composition", figure.composition_epsilon.upper);
  }
}

TEST_CASE("Tables 1, 3 and 4 agree with their reference vectors", "[interpolation][reference]") {
  for (const auto& vector : test::vectors("logistic-regression-table")) {
    const LogisticRegression setting{vector.number("n"),     vector.number("b"), vector.number("l"),
                                     vector.number("sigma"), vector.number("L"), vector.number("E"),
                                     vector.number("delta")};
    const auto row =
        logistic_regression_row(setting, vector.in.at("c").get<std::vector<double>>(), {1e-10, false});
    vector.check("mu_ncgd_composition", row.cyclic_composition_mu.upper);
    vector.check("eps_ncgd_composition", row.cyclic_composition_epsilon.upper);
    vector.check("mu_nsgd_clt", row.sgd_central_limit_mu);
    vector.check("eps_nsgd_from_clt", row.sgd_central_limit_epsilon);
    vector.check("eps_nsgd_exact", row.sgd_epsilon.upper);
    const std::string suffixes[] = {"0.002", "0.004"};
    for (std::size_t i = 0; i < 2; ++i) {
      vector.check("mu_ours_" + suffixes[i], row.columns[i].mu.upper);
      vector.check("eps_ours_" + suffixes[i], row.columns[i].epsilon.upper);
      vector.check("rho_prior_rdp_" + suffixes[i], row.columns[i].prior_rho.upper);
      vector.check("eps_prior_rdp_" + suffixes[i], row.columns[i].prior_renyi_epsilon);
    }
  }
}
