// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Every sample of data/transcripts against its expected answer or refusal.
#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/transcripts/transcript.hpp>

using namespace dpcurves;

namespace {

const std::string folder = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/";

std::string word(const Record& record, std::string_view name) {
  const Value* value = record.find(name);
  return value == nullptr || value->get<std::string>() == nullptr ? "" : *value->get<std::string>();
}
double number(const Record& record, std::string_view name) {
  double value = std::nan("");
  if (const Value* found = record.find(name); found != nullptr && !found->null()) {
    REQUIRE(found->number(value));
  }
  return value;
}

bool at_most(double a, double b, double relative) { return a <= b || a - b <= relative * std::abs(b); }

/// What became of a file, in the words of expected.json.
struct Outcome {
  int exit = 0;
  std::string message;
  std::vector<std::string> findings;
  accounting::Guarantee guarantee;
  Enclosure epsilon{};
};

Outcome outcome(const Record& row) {
  Outcome result;
  try {
    transcripts::Given given;
    given.delta = number(row, "delta");
    given.steps_count = "updates";
    if (const std::string adjacency = word(row, "adjacency"); !adjacency.empty()) {
      given.adjacency = mechanism::adjacency_of(adjacency);
    }
    if (const Value* options = row.find("options")) {
      given.records = number(*options->get<Record>(), "records");
      given.batch_size = number(*options->get<Record>(), "batch_size");
    }
    const std::string file = word(row, "file");
    const auto transcript = transcripts::read(io::read_file(folder + file), file, given);
    for (const auto& finding : transcripts::check(transcript, given.delta)) {
      result.findings.push_back(finding.id);
      if (finding.level == transcripts::Level::red && result.message.empty()) {
        result.exit = 3;
        result.message = finding.where + ": " + finding.message;
      }
    }
    if (result.exit == 0) {
      result.guarantee = transcripts::guarantee(transcript, {}, given.delta);
      result.epsilon = result.guarantee.curve->epsilon(*given.delta).value;
    }
  } catch (const UsageError& error) {
    result.exit = 2;
    result.message = error.what();
  } catch (const DomainError& error) {
    result.exit = 3;
    result.message = error.what();
  }
  return result;
}

}  // namespace

TEST_CASE("every sample gives its expected answer or refusal", "[transcripts]") {
  const Value document = io::read_json(io::read_file(folder + "expected.json"), "expected.json");
  const List& files = *document.get<Record>()->at("files").get<List>();
  REQUIRE(files.size() == 42);
  for (const Value& one : files) {
    const Record& row = *one.get<Record>();
    const Record& expect = *row.at("expect").get<Record>();
    const auto got = outcome(row);
    CAPTURE(word(row, "file"), got.message, got.findings);
    const auto found = [&](const std::string& id) {
      return std::find(got.findings.begin(), got.findings.end(), id) != got.findings.end();
    };
    const std::string answer = word(expect, "answer");
    if (const Value* list = expect.find("findings")) {
      for (const Value& id : *list->get<List>()) {
        CHECK(found(*id.get<std::string>()));
      }
    }
    CHECK((word(expect, "finding").empty() || found(word(expect, "finding"))));
    if (answer == "refuse") {
      CHECK(got.exit == static_cast<int>(number(expect, "exit")));
      CHECK(got.message == word(expect, "message"));
      continue;
    }
    REQUIRE(got.exit == 0);
    const Record& epsilon = *expect.at("epsilon").get<Record>();
    const Value* tolerance = expect.find("tolerance");
    const double relative = tolerance != nullptr ? number(*tolerance->get<Record>(), "rel") : 1e-9;
    // Where the expected bracket is wide, ours lies within it: both hold the same number.
    const double upper = number(epsilon, "upper");
    const Value* least = epsilon.find("lower");
    const double lower = least != nullptr && answer == "both ends" ? number(epsilon, "lower") : upper;
    CHECK(at_most(got.epsilon.upper, upper, relative));
    CHECK(at_most(lower, got.epsilon.upper, relative));
    CHECK(got.guarantee.upper_only == (answer == "upper only"));
    if (answer == "both ends") {
      CHECK(at_most(lower, got.epsilon.lower, relative));
      CHECK(got.epsilon.lower <= got.epsilon.upper);
    }
    if (const std::string theorem = word(expect, "theorem"); !theorem.empty()) {
      CHECK(got.guarantee.theorem == theorem);
    }
  }
}

TEST_CASE("a transcript, written as a run file and read again, has the same answer", "[transcripts]") {
  const std::string name = GENERATE("dp-event-03-phases.json", "dp-event-16-epsilon-delta.json", "opake-01-nested.json",
                                    "opacus-02-two-phases.json", "log-01-two-phases.csv", "run-01.toml");
  transcripts::Given given;
  given.delta = 1e-5;
  const auto first = transcripts::read(io::read_file(folder + name), name, given);
  const auto record = transcripts::record_of(first.run);
  const auto second = transcripts::read(io::write_json({record}), "run.json", {});
  CAPTURE(name, text({record}));
  CHECK(text({transcripts::record_of(second.run)}) == text({record}));
  CHECK(transcripts::guarantee(first).curve->epsilon(1e-5).value.upper ==
        transcripts::guarantee(second).curve->epsilon(1e-5).value.upper);
}

TEST_CASE("no part of a file that was cut is an answer", "[transcripts]") {
  const std::string name = GENERATE("dp-event-04-nested.json", "dp-event-05-positional.json", "opake-02-flat.json",
                                    "opacus-02-two-phases.json", "jax-privacy-01.json");
  const std::string whole = io::read_file(folder + name);
  const std::size_t end = whole.find_last_not_of(" \n");
  for (std::size_t size = 0; size <= end; ++size) {
    CAPTURE(name, size);
    CHECK_THROWS_AS(transcripts::read(whole.substr(0, size), name, {}), Error);
  }
}

TEST_CASE("samplers of jax_privacy may be written in capitals, as its enumeration has them", "[transcripts]") {
  const auto sampler = [](const std::string& word) {
    const std::string text = R"({"train_size": 1000, "batch_size": 10, "train_steps": 100, "noise_multiplier": 1.0,
        "sampling_method": ")" +
                             word + "\"}";
    return transcripts::read(text, "config.json", {}).run.phases.front().sampler;
  };
  CHECK(sampler("POISSON") == sampler("poisson"));
  CHECK(sampler("FIXED_BATCH_SIZE") == mechanism::Sampler::fixed_size);
  CHECK_THROWS_AS(sampler("POISON"), DomainError);
}
