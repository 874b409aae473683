// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The profile of a single step by its closed form, in ball arithmetic. Internal.
///
/// For epsilon >= 0 the loss exceeds epsilon on a half line, from the point t on where r_a = e^epsilon r_n: a quadratic
/// equation in e^{mu x}. So delta = P(half line) - e^epsilon Q(half line), four tails of the normal law.
#pragma once

#include <dpcurves/accounting/proof/piece.hpp>

namespace dpcurves::accounting::proof {

/// Balls of one threshold.
struct OneStep {
  rigorous::Real delta;           ///< of epsilon
  rigorous::Real type_one_error;  ///< Q(loss > epsilon)
  rigorous::Real power;           ///< P(loss > epsilon)
};

/// \param epsilon  >= 0, exact. \param bits  working precision; the radius shrinks as it grows.
[[nodiscard]] OneStep one_step(const Step& step, const rigorous::Real& epsilon, slong bits);

}  // namespace dpcurves::accounting::proof
