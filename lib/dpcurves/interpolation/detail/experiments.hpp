// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The numbers behind Figure 1 and Tables 1, 3 and 4 of the paper.
///
/// Source: Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), section 5 and Appendix E;
/// earlier Renyi bounds: renyi.hpp.
#pragma once

#include <span>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/interpolation/noisy_gd.hpp>

namespace dpcurves::interpolation {

/// Figure 1: noisy gradient descent, strongly convex, by four analyses. Epsilons from Renyi bounds are the best of
/// four conversions, rounded up.
struct FigureOne {
  Enclosure mu;                      ///< Theorem 4.2
  Enclosure epsilon;                 ///< of that mu at delta
  double renyi_epsilon = 0.0;        ///< Theorem 4.2 as a Renyi bound
  Enclosure prior_rho;               ///< Ye and Shokri
  double prior_renyi_epsilon = 0.0;  ///< of prior_rho at delta
  Enclosure composition_mu;          ///< Theorem 4.1
  Enclosure composition_epsilon;     ///< of that mu at delta
};
/// \param delta  in (0, 1). \throws DomainError unless Theorem 4.2 applies with a contraction below 1 and finite steps.
[[nodiscard]] FigureOne figure_one(const NoisyGd& setting, double delta);

/// The setting of the logistic regression experiment.
struct LogisticRegression {
  double records = 60000.0;         ///< n
  double batch_size = 1500.0;       ///< b
  double batches_per_epoch = 40.0;  ///< l = n/b
  double noise = 0.01;              ///< sigma, per coordinate of the gradient
  double sensitivity = 10.0;        ///< L, of a clipped gradient when one record is replaced
  double epochs = 50.0;             ///< E
  double delta = 1e-5;              ///< in (0, 1)
};
/// One column pair of Tables 1, 3 and 4: a contraction, that is, a regularisation.
struct LogisticRegressionColumn {
  Enclosure mu;                      ///< of noisy cyclic gradient descent, Theorem 4.5
  Enclosure epsilon;                 ///< of that mu at delta
  Enclosure prior_rho;               ///< earlier bound: rho of rho-zCDP
  double prior_renyi_epsilon = 0.0;  ///< of that rho at delta, the best of four conversions
};
/// A row of Tables 1, 3 and 4.
struct LogisticRegressionRow {
  Enclosure cyclic_composition_mu;                ///< without any convexity, Theorem 4.4
  Enclosure cyclic_composition_epsilon;           ///< of that mu at delta
  double sgd_central_limit_mu = 0.0;              ///< approximation
  double sgd_central_limit_epsilon = 0.0;         ///< approximation
  Enclosure sgd_epsilon;                          ///< certified composition, Theorem 4.8
  std::vector<LogisticRegressionColumn> columns;  ///< in the order of the contractions
};
/// \param contractions  one per regularisation, each in (0, 1).
/// \throws DomainError for numbers outside their range. Cost: one certified composition.
[[nodiscard]] LogisticRegressionRow logistic_regression_row(const LogisticRegression& setting,
                                                            std::span<const double> contractions,
                                                            const accounting::Accuracy& accuracy = {});

}  // namespace dpcurves::interpolation
