// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How far apart the gradients of two records are: the leading term of the mean gap of neighbouring runs.
///
/// Source: Lin, Kolaczyk, Smith and Paquette, section 5, g(theta).
#pragma once

#include <Eigen/Core>

#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::homogenized {

/// |a (a'z - b) - a' (a''z - b')| of two records (a, b), (a', b') at the reference point z. At z = m(s) it is the gap
/// of the means after the jump over the step size; the regularisation cancels.
/// \throws DomainError  unless the lengths agree.
[[nodiscard]] double pair_score(const models::RecordPair& pair, const Eigen::ArrayXd& reference);

/// The printed g(theta): regularisation times z is subtracted inside the norm as well, where it does not cancel.
[[nodiscard]] double pair_score_printed_form(const models::RecordPair& pair, const Eigen::ArrayXd& reference,
                                             double regularisation);

}  // namespace dpcurves::homogenized
