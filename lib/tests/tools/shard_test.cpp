// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Shards and their union: the bytes of one process, and a sentence for every mistake.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using namespace dpcurves::test;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The shards of a question in a folder.
struct Shards {
  Folder folder;
  std::vector<std::string> files;

  Shards(const std::string& question, std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) {
      files.push_back((folder.path / (std::to_string(i) + ".shard")).string());
      auto arguments = words(question);
      arguments.insert(arguments.end(), {"--shard", std::to_string(i) + "/" + std::to_string(count), "--output",
                                         files.back(), "--quiet"});
      const auto said = run_program(arguments);
      CAPTURE(question, i, said.err);
      REQUIRE(said.exit_code == 0);
      REQUIRE(said.out.empty());
    }
  }
  [[nodiscard]] Spoken merge(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"merge", "--quiet"};
    arguments.insert(arguments.end(), files.rbegin(), files.rend());  // the order does not matter
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
};

/// JSON without what the clock says.
nlohmann::json timeless(const nlohmann::json& value) {
  if (value.is_object()) {
    nlohmann::json rest = nlohmann::json::object();
    for (const auto& [key, below] : value.items()) {
      if (key != "seconds" && key != "wall_seconds" && key != "date") {
        rest[key] = timeless(below);
      }
    }
    return rest;
  }
  if (value.is_array()) {
    nlohmann::json rest = nlohmann::json::array();
    for (const auto& below : value) {
      rest.push_back(timeless(below));
    }
    return rest;
  }
  return value;
}

std::string data(const std::string& name) { return std::string(DPCURVES_SOURCE_DIR) + "/data/" + name; }

const std::string descent = "simulate noisy-gd --noise 1 --step-size 0.1 --steps 10 --paths 4000";

}  // namespace

TEST_CASE("the union of 1, 3 and 7 shards has the bytes of one process", "[tools][shard]") {
  const std::string question = GENERATE_COPY(
      as<std::string>{}, descent + " --format csv --seed 5",
      "simulate noisy-sgd --records 10 --batch-size 1 --noise 1 --step-size 0.4 --steps 10 --loss tanh --paths 3000",
      "simulate dp-sgd --paths 3000 --run " + data("examples/audit-run.toml"),
      "simulate correlated --noise-multiplier 2 --sampling-rate 0.2 --steps 10 --lambda 0.5 --paths 3000",
      "simulate hsgd --paths 40 --problem " + data("examples/least-squares.json"),
      "simulate hsgd --method linear --paths 40 --problem " + data("examples/least-squares.json"),
      "simulate noisy-sgd-least-squares --clip 0.5,inf --paths 30 --problem " + data("examples/least-squares.json"),
      "simulate conditional-noisy-sgd --positions 4 --problem " + data("examples/least-squares.json"),
      "simulate kan --paths 4 --iterates 30 --lambda 0,0.5", "simulate mlp --paths 3 --steps 10 --records 200",
      "simulate long-tail --paths 2 --signal 1 --ncr 1,3 --steps 10 --tail-level 0.5",
      "simulate influence --paths 2 --steps 10", "simulate glm --records 200,400 --paths 8",
      "simulate relu-regression --records 200 --paths 8", "simulate two-layer --records 200 --paths 8");
  auto arguments = words(question);
  arguments.emplace_back("--quiet");
  const auto whole = run_program(arguments);
  CAPTURE(question, whole.err);
  REQUIRE(whole.exit_code <= 1);
  REQUIRE(!whole.out.empty());
  for (const std::size_t count : {1U, 3U, 7U}) {
    const auto merged = Shards(question, count).merge();
    CAPTURE(count, merged.err);
    CHECK(merged.out == whole.out);
    CHECK(merged.exit_code == whole.exit_code);
  }
}

TEST_CASE("a validation in shards finds what one process finds, pictures included", "[tools][shard]") {
  const Folder whole, other;
  const std::string question = "validate noisy-hsgd/lemma-a.1 noisy-hsgd/figure-2a attack --format json --seed 4";
  auto arguments = words(question + " --quiet --report");
  arguments.push_back(whole.path.string());
  const auto one = run_program(arguments);
  REQUIRE(one.exit_code == 0);
  const Shards shards(question + " --report " + other.path.string(), 3);
  const auto merged = shards.merge();
  CAPTURE(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK(timeless(nlohmann::json::parse(merged.out)) == timeless(nlohmann::json::parse(one.out)));
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(whole.path)) {
    if (entry.path().extension() == ".svg") {
      ++pictures;
      CHECK(text_of(entry.path()) == text_of(other.path / entry.path().filename()));
    }
  }
  CHECK(pictures > 0);
}

TEST_CASE("a reproduction by training is shared by repetitions", "[tools][shard]") {
  const std::string question = "reproduce long-tail-memorization/figure-3";
  const auto whole = run_program(words(question + " --quiet"));
  REQUIRE(whole.exit_code == 0);
  CHECK(Shards(question, 3).merge().out == whole.out);
}

TEST_CASE("the picture and the format are those of the answer", "[tools][shard]") {
  const Folder folder;
  const auto picture = (folder.path / "a.svg").string();
  const Shards shards(descent + " --plot " + picture, 2);
  CHECK_FALSE(std::filesystem::exists(picture));  // a share draws nothing
  const auto merged = shards.merge({"--format", "json"});
  REQUIRE(merged.exit_code == 0);
  CHECK(nlohmann::json::parse(merged.out)["results"].size() == 5);
  CHECK(text_of(picture).find("<svg") != std::string::npos);
}

TEST_CASE("wrong shards are refused with a sentence", "[tools][shard][errors]") {
  const Shards two(descent, 2), three(descent, 3), other(descent + " --seed 2", 2);
  const auto merge = [](const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"merge"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const auto said = run_program(arguments);
    CHECK(said.exit_code == 5);
    CHECK(said.out.empty());
    return said.err;
  };
  using Catch::Contains;
  CHECK_THAT(merge({two.files[0]}), Contains("1 of 2 shards are missing") && Contains("--shard 2/2 --output FILE"));
  CHECK_THAT(merge({two.files[0], two.files[0]}), Contains("is shard 1/2, as") && Contains("once"));
  CHECK_THAT(merge({two.files[0], three.files[1]}), Contains("one of 3 shards"));
  CHECK_THAT(merge({two.files[0], other.files[1]}), Contains("another question") && Contains("--seed 2"));
  const std::string good = text_of(two.files[1]);
  const auto bad = (two.folder.path / "bad").string();
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() / 2, good.size() - 1}) {
    std::ofstream(bad, std::ios::binary) << good.substr(0, size);
    CHECK_THAT(merge({two.files[0], bad}), Contains("bad: is"));
  }
  for (std::size_t at = 20; at < good.size(); at += good.size() / 9) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(bad, std::ios::binary) << damaged;
    CHECK_THAT(merge({two.files[0], bad}), Contains("damaged"));
  }
}

TEST_CASE("data that changes between the shards or before the union is noticed", "[tools][shard][errors]") {
  const Folder folder;
  const auto file = (folder.path / "problem.json").string();
  std::filesystem::copy_file(data("examples/least-squares.json"), file);
  std::filesystem::copy_file(data("examples/least-squares-records.csv"), folder.path / "least-squares-records.csv");
  const std::string question = "simulate hsgd --paths 20 --problem " + file;
  const Shards shards(question, 2);
  CHECK(shards.merge().exit_code == 0);
  std::ofstream(folder.path / "least-squares-records.csv", std::ios::app) << "\n";  // which the problem names
  const auto merged = shards.merge();
  CHECK(merged.exit_code == 5);
  CHECK_THAT(merged.err, Catch::Contains("least-squares-records.csv: is not the file"));
  const auto second = (folder.path / "second").string();
  REQUIRE(run_program(words(question + " --shard 2/2 --quiet --output " + second)).exit_code == 0);
  const auto mixed = run_program({"merge", shards.files[0], second});
  CHECK_THAT(mixed.err, Catch::Contains("was computed with another"));
}

TEST_CASE("a shard is asked for in the right way or not at all", "[tools][shard][errors]") {
  const Folder folder;
  const auto out = " --output " + (folder.path / "x").string();
  const auto refused = [](const std::string& question) {
    const auto said = run_program(words(question));
    CHECK(said.exit_code == 2);
    CHECK(said.out.empty());
    return said.err;
  };
  using Catch::Contains;
  for (const char* wrong : {"0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "a/b", "1/1000001"}) {
    CHECK_THAT(refused(descent + out + " --shard " + wrong), Contains("--shard") && Contains("I/N"));
  }
  CHECK_THAT(refused(descent + " --shard 1/2"), Contains("--output"));
  CHECK_THAT(refused("privacy gaussian --noise-multiplier 1 --compositions 1 --delta 1e-5 --shard 1/2" + out),
             Contains("nothing of this question"));
  CHECK_THAT(refused("validate --profile nightly --shard 1/2" + out), Contains("--seed"));
  CHECK_THAT(refused("reproduce shifted-interpolation/table-2 --data x --resume r.csv --shard 1/2" + out),
             Contains("--resume"));
  const auto config = folder.path / "c.toml";
  std::ofstream(config) << "plot = \"a.svg\"\n";
  CHECK_THAT(refused(descent + " --config " + config.string() + " --shard 1/2" + out), Contains("plot"));
  CHECK_THAT(refused("merge x --seed 3"), Contains("--seed"));
  CHECK_FALSE(std::filesystem::exists(folder.path / "x"));
}

TEST_CASE("merge lists what files hold", "[tools][shard]") {
  const Shards shards(descent, 2);
  const auto said = run_program({"merge", "--list", shards.files[0], shards.files[1]});
  CHECK(said.exit_code == 0);
  std::istringstream lines(said.out);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 80);
    all += (all.empty() ? "" : " ") + line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  CHECK_THAT(all, Catch::Contains("1/2 of dpcurves " + descent) && Catch::Contains("2/2 of"));
}
