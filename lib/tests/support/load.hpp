// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Threads that keep the machine busy while a test asks whether an answer depends on the load.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace dpcurves::test {

/// As many busy threads as asked for, until the end of the scope.
class Load {
 public:
  explicit Load(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) {
      busy_.emplace_back([this] {
        while (!done_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    done_ = true;
    for (std::thread& thread : busy_) {
      thread.join();
    }
  }

 private:
  std::atomic<bool> done_ = false;
  std::vector<std::thread> busy_;
};

}  // namespace dpcurves::test
