// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>

namespace dpcurves {

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress) {
  if (count == 0) {
    return;
  }
  const std::size_t available = threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads;
  const std::size_t workers = std::min(available, count);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex guard;
  std::size_t done = 0;
  std::exception_ptr failure;
  std::size_t failed = count;  // of the pieces that failed the first; all before it have begun

  const auto run = [&] {
    while (!stop) {
      const std::size_t index = next++;
      if (index >= count) {
        return;
      }
      try {
        work(index);
        const std::lock_guard lock(guard);
        ++done;
        if (progress && !progress(done, count)) {
          throw Error("stopped on request after " + std::to_string(done) + " of " + std::to_string(count) + " pieces");
        }
      } catch (...) {
        stop = true;
        const std::lock_guard lock(guard);
        if (index < failed) {
          failed = index;
          failure = std::current_exception();
        }
      }
    }
  };

  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < workers; ++i) {
    pool.emplace_back(run);
  }
  run();
  pool.clear();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace dpcurves
