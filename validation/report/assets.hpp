// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// page.css and page.js, made part of the library when it is built.
#pragma once

#include <string>

namespace dpcurves::validation::report {

[[nodiscard]] std::string style();
[[nodiscard]] std::string script();

}  // namespace dpcurves::validation::report
