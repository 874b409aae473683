// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/shard.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/readings.hpp>

#include "support/common.hpp"
#include "support/exit.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools {

// Not in the unnamed namespace: Archive finds them by their arguments.
static void transfer(Archive& archive, Question& question) {
  std::vector<std::pair<std::string, std::uint64_t>> files(question.files.begin(), question.files.end());
  archive(question.asked, question.shown, files);
  question.files = {files.begin(), files.end()};
}

static void transfer(Archive& archive, Shard& shard) {
  archive(shard.version, shard.question, shard.share, shard.seconds, shard.values);
}

namespace {

constexpr std::string_view magic = "dpcurves shard 1\n";
constexpr std::size_t most_shards = 1000000;
constexpr std::size_t largest_shard = std::size_t{1} << 34U;

/// An option of these names and its value, if it has one: "--plot a.svg" or "--plot=a.svg".
struct Taken {
  std::string name;
  std::vector<std::string> words;
  [[nodiscard]] std::string value() const {
    return words.size() == 2 ? words.back() : words.front().substr(std::min(words.front().size(), name.size() + 1));
  }
};

/// Takes options out of a command line.
template <class Names>
std::vector<Taken> take(std::vector<std::string>& arguments, const Names& names, bool flags = false) {
  std::vector<Taken> taken;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      rest.push_back(arguments[i]);
      continue;
    }
    taken.push_back({name, {arguments[i]}});
    if (!flags && name.size() == arguments[i].size() && i + 1 < arguments.size()) {
      taken.back().words.push_back(arguments[++i]);
    }
  }
  arguments = std::move(rest);
  return taken;
}

constexpr std::array<std::string_view, 6> of_the_answer{"--format", "--plot", "--report",
                                                        "--junit",  "--size", "--title"};
constexpr std::array<std::string_view, 3> of_the_process{"--output", "--threads", "--time-limit"};
constexpr std::array<std::string_view, 1> quiet{"--quiet"};

/// What a file of --config must not hold, because a share would do it with a part of the runs.
void check_config(const std::string& file) {
  const Json parsed = parse_toml(io::read_file(file, io::largest_toml), "--config " + file);
  for (const char* key : {"plot", "report", "junit", "output", "resume", "shard"}) {
    if (parsed.contains(key)) {
      throw UsageError("--config: " + file + ": " + key + ": is not for a shard; give it on the command line");
    }
  }
}

std::string numbered(const Share& share) { return std::to_string(share.index + 1) + "/" + std::to_string(share.count); }

std::string repair(const Question& question, const Share& share) {
  return command_line(question.asked) + " --shard " + numbered(share) + " --output FILE";
}

/// "" or why b is not a shard of the question of a.
std::string shard_difference(const Shard& a, const Shard& b, const std::string& file_a, const std::string& file_b) {
  if (a.question.asked != b.question.asked) {
    return file_b + ": is of another question than " + file_a + ":\n  " + command_line(a.question.asked) + "\n  " +
           command_line(b.question.asked);
  }
  if (a.share.count != b.share.count) {
    return file_b + ": is one of " + std::to_string(b.share.count) + " shards, " + file_a + " one of " +
           std::to_string(a.share.count);
  }
  for (const auto& [name, value] : a.question.files) {
    const auto found = b.question.files.find(name);
    if (found == b.question.files.end() || found->second != value) {
      return file_b + ": was computed with another " + name + " than " + file_a;
    }
  }
  return "";
}

}  // namespace

std::optional<Share> take_shard(std::vector<std::string>& arguments) {
  const auto taken = take(arguments, std::array<std::string_view, 1>{"--shard"});
  if (taken.empty()) {
    return std::nullopt;
  }
  const std::string text = taken.back().value();
  std::size_t index = 0, count = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, index);
  const bool divided = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = divided ? std::from_chars(first.ptr + 1, end, count) : first;
  if (!divided || second.ec != std::errc{} || second.ptr != end || index < 1 || index > count || count > most_shards) {
    throw UsageError("--shard: \"" + text + "\" is no I/N with 1 <= I <= N <= " + std::to_string(most_shards) +
                     ", for example 2/3");
  }
  return Share{index - 1, count};
}

Question question_of(const std::vector<std::string>& arguments) {
  Question question{arguments, {}, {}};
  (void)take(question.asked, of_the_process);
  (void)take(question.asked, quiet, true);
  for (const Taken& one : take(question.asked, of_the_answer)) {
    question.shown.insert(question.shown.end(), one.words.begin(), one.words.end());
  }
  return question;
}

void compute_shard(const std::vector<std::string>& arguments, Share share, const RunArguments& run) {
  auto own = arguments;
  (void)take(own, of_the_answer);
  const auto output = take(own, std::array<std::string_view, 1>{"--output"});
  if (output.empty()) {
    throw UsageError("--shard: needs --output FILE for the shard");
  }
  const std::string file = output.back().value();
  auto rest = own;
  if (!take(rest, std::array<std::string_view, 1>{"--resume"}).empty()) {
    throw UsageError("--resume: is not for a shard, which is written when it is whole");
  }
  for (const Taken& config : take(rest, std::array<std::string_view, 1>{"--config"})) {
    check_config(config.value());
  }
  try {
    io::check_writable(file);
  } catch (const DataError& error) {
    throw DataError(std::string("--output: ") + error.what());
  }
  const std::clock_t start = std::clock();  // of the process, not of the wall: a busy machine changes no task's cost
  Shard shard{version(), question_of(arguments), share, 0.0, {}};
  own.insert(own.end(), {"--output", "/dev/null"});  // what a share says is no answer
  {
    const Sharing sharing(share);
    const io::Readings readings;
    try {
      (void)run(own);
    } catch (const ShareComputed&) {
    }
    shard.values = sharing.computed();
    shard.question.files = readings.files();
  }
  if (shard.values.empty()) {
    throw UsageError("--shard: nothing of this question is computed in shares; ask it whole");
  }
  shard.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  Archive archive;
  archive(shard);
  std::string bytes = std::string(magic) + std::move(archive).written();
  Archive seal;
  std::uint64_t sum = io::checksum(bytes);
  seal(sum);
  io::write_file(file, bytes + std::move(seal).written());
}

Shard read_shard(const std::string& file) {
  const std::string bytes = io::read_file(file, largest_shard);
  if (!std::string_view(bytes).starts_with(magic)) {
    throw DataError(file + ": is no shard of dpcurves");
  }
  std::uint64_t sum = 0;
  const auto damaged = [&] { return DataError(file + ": is damaged or was cut; compute it again"); };
  if (bytes.size() < magic.size() + sizeof(sum)) {
    throw damaged();
  }
  const auto content = std::string_view(bytes).substr(0, bytes.size() - sizeof(sum));
  Archive seal{std::string_view(bytes).substr(content.size())};
  seal(sum);
  if (sum != io::checksum(content)) {
    throw damaged();
  }
  Archive archive(content.substr(magic.size()));
  Shard shard;
  archive(shard.version);
  if (shard.version != version()) {
    throw DataError(file + ": was made by dpcurves " + shard.version + ", this is " + version() +
                    "; compute all shards with one version");
  }
  Archive whole(content.substr(magic.size()));
  whole(shard);
  return shard;
}

int merge_shards(const std::vector<std::string>& files, const std::vector<std::string>& own, const RunArguments& run) {
  std::vector<std::string> file_of;  // by index
  std::vector<SharedValues> values;
  Shard first;
  for (const auto& file : files) {
    Shard shard = read_shard(file);
    if (file_of.empty()) {
      first = {shard.version, shard.question, shard.share, 0.0, {}};
      file_of.resize(shard.share.count);
      values.resize(shard.share.count);
    }
    if (const auto other = shard_difference(first, shard, files.front(), file); !other.empty()) {
      throw DataError(other);
    }
    std::string& place = file_of[shard.share.index];
    if (!place.empty()) {
      throw DataError(file + ": is shard " + numbered(shard.share) + ", as " + place + " is; give each shard once");
    }
    place = file;
    values[shard.share.index] = std::move(shard.values);
  }
  const auto missing = static_cast<std::size_t>(std::count(file_of.begin(), file_of.end(), ""));
  if (missing > 0) {
    const Share share{static_cast<std::size_t>(std::find(file_of.begin(), file_of.end(), "") - file_of.begin()),
                      file_of.size()};
    throw DataError(std::to_string(missing) + " of " + std::to_string(file_of.size()) +
                    " shards are missing; the first of them is\n  " + repair(first.question, share));
  }
  for (const auto& [name, value] : first.question.files) {
    if (io::checksum(io::read_file(name, largest_shard)) != value) {
      throw DataError(name + ": is not the file that the shards were computed with");
    }
  }
  std::vector<std::string> arguments = first.question.asked;
  auto shown = first.question.shown;
  for (const auto& word : own) {
    if (word == "--format") {
      (void)take(shown, std::array<std::string_view, 1>{word});
    }
  }
  arguments.insert(arguments.end(), shown.begin(), shown.end());
  arguments.insert(arguments.end(), own.begin(), own.end());
  auto all = merged(values);
  values.clear();
  const Sharing sharing(std::move(all));
  return run(arguments);
}

}  // namespace dpcurves::tools
