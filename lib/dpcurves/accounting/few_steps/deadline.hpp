// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A moment in time after which work stops. Internal.
#pragma once

#include <algorithm>
#include <chrono>

#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {

/// What an answer of these methods has to reach, and may cost.
struct Effort {
  double relative = 1e-6;
  double time_limit_seconds = 60.0;
  bool verify = false;
};

/// Work ended because its time was over, not because it cannot be done.
class TimeUp : public ConvergenceError {
 public:
  using ConvergenceError::ConvergenceError;
};

/// A moment on a clock that never goes back.
class Deadline {
 public:
  /// So many seconds from now; more than 1e8 count as 1e8.
  explicit Deadline(double seconds)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, 1e8)))) {}

  /// Whether the moment has come.
  [[nodiscard]] bool passed() const { return Clock::now() >= end_; }
  /// Negative once it has passed.
  [[nodiscard]] double seconds_left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }
  /// \throws TimeUp  once the moment has come. Loops call it every few microseconds to milliseconds.
  void check() const {
    if (passed()) {
      throw TimeUp("the time limit passed");
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

}  // namespace dpcurves::accounting::detail
