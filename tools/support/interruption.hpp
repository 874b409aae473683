// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A way to stop long work by Ctrl-C without losing the terminal or leaving half a file.
#pragma once

#include <csignal>

namespace dpcurves::tools {

/// While one lives, the first SIGINT or SIGTERM is only noted; a second one ends the program as usual.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  /// Whether one has come: a Progress returns false then.
  [[nodiscard]] bool asked() const;

 private:
  struct sigaction before_interrupt_ = {};
  struct sigaction before_terminate_ = {};
};

}  // namespace dpcurves::tools
