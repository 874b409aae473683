// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What every subcommand shares: the common options, and results that reach stdout or a file whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include <dpcurves/core/parallel.hpp>

#include "support/destination.hpp"
#include "support/interruption.hpp"
#include "support/json.hpp"
#include "support/options.hpp"

namespace dpcurves::tools {

enum class Format { text, json, csv, markdown };

/// The options of every command: --format, --output, --config, --seed, --threads, --quiet.
struct Common {
  std::string format = "text";
  std::string output;
  std::string config;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool quiet = false;
  Destination to{};  ///< not an option: who runs the command

  [[nodiscard]] Format parsed_format() const;
};

/// Declares the common options on a command. `formats` lists what it can print, the first being the default.
void declare_common(CLI::App& command, Common& common, const std::string& formats = "text|json|csv");

/// Throws UsageError unless a given --plot ends in .svg, .png or .html: before the work, not after it.
void check_plot(const std::string& path);

/// Hands the answer over, or writes --output whole or not at all. \throws DataError naming the file, or standard
/// output.
void emit(const Common& common, const std::string& text);

/// JSON with two spaces of indentation and a final line break.
[[nodiscard]] std::string pretty(const Json& json);

/// The head that every JSON result starts with: schema, version and inputs.
[[nodiscard]] Json result_head(const std::string& schema, const Record& inputs);

/// Seconds since construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A line on stderr that grows with the work; silent unless stderr is a terminal and --quiet was not given. An
/// interruption tells what the innermost has counted.
class ProgressBar {
 public:
  ProgressBar(std::string label, const Common& common);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// \throws Error  if whoever runs the command says to end.
  void update(std::size_t done, std::size_t total);
  /// `update` as the argument of a long computation; the bar must outlive it.
  [[nodiscard]] Progress follow();

 private:
  bool shown_ = false;
  std::function<bool()> go_on_;
  Stage outer_;
  Stopwatch clock_;
  double last_ = -1.0;
};

/// "dpcurves simulate noisy-gd --noise 1", as it is typed into a shell.
[[nodiscard]] std::string command_line(const std::vector<std::string>& arguments);

/// The version of the program.
[[nodiscard]] std::string version();

}  // namespace dpcurves::tools
