// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Plots inside the page of the report: gnuplot's SVG without what a page does not need, in colours that the page's
/// style sheet replaces in the dark.
#pragma once

#include <string>

#include "validation/case.hpp"

namespace dpcurves::validation::report {

/// The SVG file made by io::svg as an element of a page: no prologue, no ids, no background, no empty groups.
/// \throws DataError  if the text is no SVG.
[[nodiscard]] std::string inline_svg(const std::string& file, const std::string& title);

/// The shapes of points that inline pictures refer to: once per page, before the first of them.
[[nodiscard]] std::string shared_shapes();

/// The measured points of a claimed rate between lines of the allowed slopes through their middle.
[[nodiscard]] Figure rate_figure(const Rate& rate);

}  // namespace dpcurves::validation::report
