// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Tables and figures that are trained or drawn, beside those of queries/reproduce.hpp.
#pragma once

#include <vector>

#include <dpcurves/queries/reproduce.hpp>

namespace dpcurves::tools::reproduce {

using queries::reproduce::accountant_comparisons;
using queries::reproduce::Entry;
using queries::reproduce::OnData;
using queries::reproduce::Reproduced;
using queries::reproduce::Reproduction;
using queries::reproduce::shifted_interpolation_figures;
using queries::reproduce::shifted_interpolation_tables;

/// The accuracies of Tables 2, 5 and 6 on labelled images, beside the printed ones.
[[nodiscard]] Reproduced shifted_interpolation_accuracies(int table, const OnData& question);

/// One list per paper.
[[nodiscard]] std::vector<Reproduction> noisy_hsgd_figures();
[[nodiscard]] std::vector<Reproduction> kan_figures();
[[nodiscard]] std::vector<Reproduction> dp_glm_networks_figures();
[[nodiscard]] std::vector<Reproduction> long_tail_figures();

}  // namespace dpcurves::tools::reproduce
