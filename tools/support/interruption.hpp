// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// An orderly end by Ctrl-C: at once, in one line that says how far the work was, and without half a file.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace dpcurves::tools {

/// From now on a SIGINT, SIGTERM or SIGHUP removes the temporary files, clears the progress bar, prints
/// "COMMAND: interrupted by SIGINT, training 12 of 100; no file is left half written" and ends the program by that
/// signal, which a shell shows as exit code 130, 143 or 129. Signals that are ignored (nohup) stay ignored.
///
/// Call it once, before any other thread is started: a thread of its own waits for the signals.
void end_in_order(const std::string& command);

/// Ends the program in the same way after so many seconds, with Exit::accuracy: a clock never changes an answer.
void end_after(const std::string& command, double seconds);

/// How far some work is.
struct Stage {
  std::string label;  ///< empty: nothing that counts
  std::size_t done = 0;
  std::size_t total = 0;
};

/// What the program is at, for that line. All that draws progress holds `guard`, and so does the end.
struct Doing {
  std::mutex guard;
  Stage stage;
  bool drawn = false;  ///< there is a bar on the terminal
};
[[nodiscard]] Doing& doing();

}  // namespace dpcurves::tools
