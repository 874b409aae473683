// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Independent pieces of work on several threads, with progress and a way to stop.
#pragma once

#include <cstddef>
#include <functional>

namespace dpcurves {

/// How a long computation tells what it has done. Called from one thread at a time with (done, total);
/// returning false asks the computation to stop, which then throws Error.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

/// Runs work(i) for i in [0, count) on at most `threads` threads (0: as many as the machine has).
///
/// The pieces must not depend on one another, nor on the thread they run on: results are then the same for every
/// number of threads. An exception of a piece stops the rest; that of the first piece that fails is thrown to the
/// caller, whatever finished before.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress = {});

}  // namespace dpcurves
