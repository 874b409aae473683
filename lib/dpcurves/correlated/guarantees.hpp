// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Every bound of a subsampled matrix mechanism, applied to one setting.
#pragma once

#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/correlated/matrix_mechanism.hpp>

namespace dpcurves::correlated {

/// One method. A method that does not apply names the hypotheses that fail and has no curve. Bounds of a pair are
/// those of the orders that the adjacency asks for, each shown; closed form and same-batch bound hold in both.
/// \param accuracy  of the composition. \param budget  of the likelihood.
/// \throws DomainError  if a number of the mechanism is outside its range.
[[nodiscard]] accounting::Guarantee guarantee(const MatrixMechanism& mechanism, Method method,
                                              const accounting::Accuracy& accuracy = {},
                                              const EstimateBudget& budget = {});

/// The certified methods that speak of the mechanism, applicable or not.
[[nodiscard]] std::vector<accounting::Guarantee> guarantees(const MatrixMechanism& mechanism,
                                                            const accounting::Accuracy& accuracy = {});

}  // namespace dpcurves::correlated
