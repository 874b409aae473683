// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/central_limit.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/interpolation/detail/experiments.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>
#include <dpcurves/interpolation/renyi.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::interpolation {

FigureOne figure_one(const NoisyGd& setting, double delta) {
  FigureOne figure;
  figure.mu = strongly_convex_mu(setting);
  figure.epsilon = tradeoff::epsilon_enclosure(delta, figure.mu);
  figure.renyi_epsilon = divergence::best(zero_concentrated_rho(figure.mu).upper, delta).epsilon;
  figure.prior_rho = prior_renyi_rho(setting);
  figure.prior_renyi_epsilon = divergence::best(figure.prior_rho.upper, delta).epsilon;
  figure.composition_mu = composition_mu(setting);
  figure.composition_epsilon = tradeoff::epsilon_enclosure(delta, figure.composition_mu);
  return figure;
}

LogisticRegressionRow logistic_regression_row(const LogisticRegression& setting, std::span<const double> contractions,
                                              const accounting::Accuracy& accuracy) {
  require_domain(setting.records >= setting.batch_size, "records", setting.records, "[batch_size, inf)");
  DescentParameters parameters{
      .sensitivity = setting.sensitivity, .batch_size = setting.batch_size, .noise = setting.noise};
  NoisyCgd cyclic{make_descent(parameters), setting.batches_per_epoch, setting.epochs};
  const NoisySgd sampled{cyclic.descent, setting.batch_size / setting.records,
                         setting.batches_per_epoch * setting.epochs};
  LogisticRegressionRow row;
  row.cyclic_composition_mu = composition_mu(cyclic);
  row.cyclic_composition_epsilon = tradeoff::epsilon_enclosure(setting.delta, row.cyclic_composition_mu);
  row.sgd_central_limit_mu =
      accounting::central_limit(sampled.sampling_rate, sampled.descent.effective_sensitivity, sampled.steps).mu_clt;
  row.sgd_central_limit_epsilon = tradeoff::epsilon_of_delta(setting.delta, row.sgd_central_limit_mu);
  row.sgd_epsilon =
      accounting::epsilon_at(sgd_composition(SgdBound::composition, sampled), setting.delta, accuracy).epsilon;
  for (const double c : contractions) {
    cyclic.descent.contraction = Contraction::factor(c);
    LogisticRegressionColumn column;
    column.mu = strongly_convex_mu(cyclic);
    column.epsilon = tradeoff::epsilon_enclosure(setting.delta, column.mu);
    column.prior_rho = prior_renyi_rho(cyclic);
    column.prior_renyi_epsilon = divergence::best(column.prior_rho.upper, setting.delta).epsilon;
    row.columns.push_back(column);
  }
  return row;
}

}  // namespace dpcurves::interpolation
