// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// `privacy noisy-least-squares`: Renyi losses of one pass of noisy SGD on least squares.
///
/// It reads a problem file and answers with Renyi losses, which no mu or trade-off curve summarises: that is why it is
/// no entry of the table of algorithms.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

[[nodiscard]] Leaf privacy_of_noisy_least_squares();

}  // namespace dpcurves::tools
