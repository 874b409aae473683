// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/interruption.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include <unistd.h>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

struct Signal {
  int number;
  const char* name;
};
constexpr std::array<Signal, 3> ending{{{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}}};

bool is_ignored(int number) {
  struct sigaction action = {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Stops the drawing, says why the program ends, and drops what is half written.
void say_the_end(const std::string& command, const std::string& why) {
  Doing& state = doing();
  state.guard.lock();  // never unlocked: nothing is drawn any more
  std::string text = state.drawn ? "\r\x1b[K" : "";
  text += command + ": " + why;
  if (const Stage& at = state.stage; !at.label.empty() && at.total > 0) {
    text += ", " + at.label + " " + std::to_string(at.done) + " of " + std::to_string(at.total);
  }
  text += "; no file is left half written\n";
  io::abandon_writes();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end(const std::string& command, const Signal& signal, const sigset_t& waited) {
  say_the_end(command, std::string("interrupted by ") + signal.name);
  std::signal(signal.number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &waited, nullptr);
  ::raise(signal.number);
  constexpr int by_signal = 128;  // the first process of a container does not die of it
  ::_exit(by_signal + signal.number);
}

}  // namespace

Doing& doing() {
  static auto* const state = new Doing;  // outlives every static object: the program may end while one is destroyed
  return *state;
}

void end_in_order(const std::string& command) {
  sigset_t waited;
  sigemptyset(&waited);
  for (const Signal& signal : ending) {
    if (!is_ignored(signal.number)) {
      sigaddset(&waited, signal.number);
    }
  }
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);  // here and in all threads to come
  std::thread([command, waited] {
    int number = 0;
    while (sigwait(&waited, &number) != 0) {
    }
    for (const Signal& signal : ending) {
      if (signal.number == number) {
        end(command, signal, waited);
      }
    }
  }).detach();
}

void end_after(const std::string& command, double seconds) {
  std::thread([command, seconds] {
    constexpr double longest = 1e8;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, longest)));
    say_the_end(command, "the time limit of " + shortest(seconds) + " s passed before the answer was reached");
    ::_exit(static_cast<int>(Exit::accuracy));
  }).detach();
}

}  // namespace dpcurves::tools
