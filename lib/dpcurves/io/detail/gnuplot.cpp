// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/gnuplot.hpp>
#include <dpcurves/io/detail/process.hpp>

namespace dpcurves::io {

std::string drawn_by_gnuplot(const std::string& script) {
  if (!program_exists("gnuplot")) {
    throw DataError("gnuplot is not installed; pictures need it (Debian: apt-get install gnuplot-nox)");
  }
  ProcessResult result = run_process({"gnuplot", "--default-settings", "-"}, script);
  if (result.exit_code != 0 || result.output.empty()) {
    throw DataError("gnuplot failed with exit code " + std::to_string(result.exit_code) + ": " + result.complaints);
  }
  return std::move(result.output);
}

std::string gnuplot_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "\u2019";
    } else {
      result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return result + "'";
}

}  // namespace dpcurves::io
