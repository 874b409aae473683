// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// gnuplot as a child process: what draws curves, and tables as PNG or PDF.
#pragma once

#include <string>

namespace dpcurves::io {

/// What gnuplot prints for a script that sets a terminal and no output.
/// \throws DataError  if it is not installed or fails; the message says what to do.
/// Cost: about 30 ms for the process.
[[nodiscard]] std::string drawn_by_gnuplot(const std::string& script);

/// A single-quoted string of its language: nothing in it is expanded. Apostrophes, which would end it, become
/// typographic ones (gnuplot 5.4 misreads a doubled quote at the start), control characters blanks.
[[nodiscard]] std::string gnuplot_quoted(const std::string& text);

}  // namespace dpcurves::io
