// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/isotropic_loss.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;

models::LeastSquares problem_of(const IsotropicPass& pass) {
  return models::LeastSquares{
      .spectrum = models::Spectrum::blocks(std::array{pass.eigenvalue}, std::array{pass.dimension}),
      .products = {ArrayXd::Constant(1, pass.norm2_x0), ArrayXd::Constant(1, pass.dot_x0_xtilde),
                   ArrayXd::Constant(1, pass.norm2_xtilde)},
      .label_noise = pass.label_noise,
      .regularisation = pass.regularisation,
      .noise = pass.noise,
      .dimension = pass.dimension,
      .schedule = models::Schedule::constant(pass.step_size * pass.dimension)};
}

RenyiLoss loss(const HsgdLaw& law, const IsotropicPass& pass, double renyi_order, double time, double horizon) {
  LossQuery query{.orders = {renyi_order}, .horizon = horizon};
  return renyi_loss(law, Release(law.problem(), ReleaseKind::last_iterate, {law.state(time)}),
                    listed_pairs({pass.pair}), query);
}

}  // namespace

IsotropicLosses isotropic_losses(const IsotropicPass& pass, double renyi_order, std::span<const double> iterations) {
  const HsgdLaw law(problem_of(pass), pass.records / pass.dimension);
  // The published units: time is counted in iterations, the step is eta/d.
  models::LeastSquares published = law.problem();
  published.dimension = 1.0;
  published.schedule = models::Schedule::constant(pass.step_size / pass.dimension);
  const auto risk = [&](double iteration) {
    return law.trajectory()->population_risk(iteration / pass.dimension).value;
  };
  const double relaxation = 1.0 / (pass.step_size * (pass.eigenvalue + pass.regularisation));  // of P_k, in iterations
  const HsgdLaw figure(published, risk, 0.1 * relaxation, 0.25);
  IsotropicLosses losses;
  for (const double iteration : iterations) {
    require_domain(iteration >= 0.0 && iteration <= pass.records, "iteration", iteration, "[0, records]");
    const auto consistent = loss(law, pass, renyi_order, iteration / pass.dimension, pass.records / pass.dimension);
    losses.forward.push_back(consistent.forward[0].value);
    losses.backward.push_back(consistent.backward[0].value);
    losses.figure_units.push_back(loss(figure, pass, renyi_order, iteration, pass.records).backward[0].value);
  }
  return losses;
}

}  // namespace dpcurves::homogenized
