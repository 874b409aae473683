// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/common.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <dpcurves/io/detail/file.hpp>

#include "support/exit.hpp"
#include "support/interruption.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools {
namespace {

/// "" or what is wrong: no sign, and not above 2^64, which would be read as another seed in silence.
std::string is_seed(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? ""
                                                                  : "\"" + text + "\" is no whole number in [0, 2^64)";
}

/// "" or what is wrong.
std::string is_thread_count(const std::string& text) {
  constexpr unsigned most_threads = 1024;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc{} && end == text.data() + text.size() && value <= most_threads;
  return good ? "" : "\"" + text + "\" is no whole number in [0, 1024]";
}

}  // namespace

Format Common::parsed_format() const {
  return format == "json"       ? Format::json
         : format == "csv"      ? Format::csv
         : format == "markdown" ? Format::markdown
                                : Format::text;
}

void declare_common(CLI::App& command, Common& common, const std::string& formats) {
  std::vector<std::string> choices;
  std::istringstream stream(formats);
  for (std::string choice; std::getline(stream, choice, '|');) {
    choices.push_back(choice);
  }
  common.format = choices.front();
  const std::string group = "Common options";
  command.add_option("--format", common.format, "form of the result, default " + choices.front())
      ->type_name(formats)
      ->transform(CLI::IsMember(choices, CLI::ignore_case).description(""))
      ->group(group);
  command.add_option("--output", common.output, "write the result to this file instead of standard output")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--config", common.config, "read options from this TOML file; the command line wins")
      ->type_name("FILE.toml")
      ->group(group);
  command.add_option("--seed", common.seed, "seed of the random numbers, default 1")
      ->type_name("[0, 2^64)")
      ->check(CLI::Validator(is_seed, ""))
      ->group(group);
  command.add_option("--threads", common.threads, "threads to use, default all; results do not depend on it")
      ->type_name("[0, 1024]")
      ->check(CLI::Validator(is_thread_count, ""))
      ->group(group);
  // Taken out of the arguments by main, before they are parsed: here it is for --help and completion.
  command.add_option("--time-limit", "give up after so many seconds, with exit code 4; it never changes an answer")
      ->type_name("SECONDS")
      ->group(group);
  // Taken out by run_command, like it: support/shard.hpp.
  command
      .add_option("--shard", "of the runs compute share I of N into --output; dpcurves merge makes the answer of all")
      ->type_name("I/N")
      ->group(group);
  command.add_flag("--quiet", common.quiet, "no words and no progress bars on standard error")->group(group);
}

void check_plot(const std::string& path) {
  if (!path.empty() && !path.ends_with(".svg") && !path.ends_with(".png") && !path.ends_with(".html") &&
      !path.ends_with(".pdf")) {
    throw UsageError("--plot: \"" + path + "\" does not end in .svg, .png, .html or .pdf");
  }
}

void emit(const Common& common, const std::string& text) {
  if (!common.output.empty()) {
    io::write_file(common.output, text);
    return;
  }
  common.to.print(text);
}

void Destination::print(std::string_view words) const {
  if (text != nullptr) {
    *text += words;
    return;
  }
  while (!words.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, words.data(), words.size());
    if (written >= 0) {
      words.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {  // `| head`: who reads has seen enough, and other programs say nothing either
      std::signal(SIGPIPE, SIG_DFL);
      ::raise(SIGPIPE);
    } else if (errno != EINTR) {
      throw DataError("cannot write standard output: " + std::generic_category().message(errno));
    }
  }
}

std::string pretty(const Json& json) { return json.dump(2) + "\n"; }

Json result_head(const std::string& schema, const Record& inputs) {
  return {{"schema", schema}, {"version", version()}, {"inputs", json_of({inputs})}};
}

std::string command_line(const std::vector<std::string>& arguments) {
  std::string text = "dpcurves";
  for (const std::string& word : arguments) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=.,:/+") == std::string::npos;
    std::string quoted;
    for (const char c : word) {
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    text += plain ? " " + word : " '" + quoted + "'";
  }
  return text;
}

std::string version() { return DPCURVES_VERSION; }

ProgressBar::ProgressBar(std::string label, const Common& common)
    : shown_(!common.quiet && isatty(STDERR_FILENO) != 0), go_on_(common.to.go_on) {
  const std::lock_guard lock(doing().guard);
  outer_ = std::exchange(doing().stage, {std::move(label), 0, 0});
  if (shown_) {  // the first piece may take long
    std::fprintf(stderr, "\r\x1b[K%s ...", doing().stage.label.c_str());
    std::fflush(stderr);
    doing().drawn = true;
  }
}

ProgressBar::~ProgressBar() {
  const std::lock_guard lock(doing().guard);
  doing().stage = std::move(outer_);
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
    doing().drawn = false;
  }
}

void ProgressBar::update(std::size_t done, std::size_t total) {
  if (go_on_ && !go_on_()) {
    throw Error("stopped on request");
  }
  constexpr double between = 0.1;  // seconds between two drawings
  const std::lock_guard lock(doing().guard);
  Stage& stage = doing().stage;
  stage.done = done;
  stage.total = total;
  const double now = clock_.seconds();
  if (!shown_ || total == 0 || (now - last_ < between && done < total)) {
    return;
  }
  last_ = now;
  constexpr std::size_t width = 30;
  const std::size_t filled = width * done / total;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  const double left = done == 0 ? 0.0 : now * static_cast<double>(total - done) / static_cast<double>(done);
  std::fprintf(stderr, "\r\x1b[K%s [%s] %zu/%zu, about %.0f s left", stage.label.c_str(), bar.c_str(), done, total,
               left);
  std::fflush(stderr);
  doing().drawn = true;
}

Progress ProgressBar::follow() {
  return [this](std::size_t done, std::size_t total) {
    update(done, total);
    return true;
  };
}

}  // namespace dpcurves::tools
