// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Transcripts of every kind that is read, with the epsilon at 1e-5 or the refusal that the rules of
// docs/guide/transcripts.md give them: by closed forms, or by the same steps typed on the command line.
#include <algorithm>
#include <regex>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/transcripts/transcript.hpp>

using namespace dpcurves;

namespace {

constexpr double delta = 1e-5;

std::string word(const Record& row, std::string_view name) {
  const Value* value = row.find(name);
  return value == nullptr ? "" : *value->get<std::string>();
}
std::optional<double> number(const Record& row, std::string_view name) {
  double value = 0.0;
  const Value* found = row.find(name);
  return found != nullptr && found->number(value) ? std::optional(value) : std::nullopt;
}

struct Outcome {
  int exit = 0;
  std::string message;
  std::vector<std::string> findings;
  double epsilon = 0.0;
};

Outcome outcome(const Record& row) {
  Outcome found;
  try {
    transcripts::Given given;
    given.delta = delta;
    given.steps_count = word(row, "steps_count");
    given.records = number(row, "records");
    given.batch_size = number(row, "batch_size");
    if (const std::string adjacency = word(row, "adjacency"); !adjacency.empty()) {
      given.adjacency = mechanism::adjacency_of(adjacency);
    }
    if (const std::string sampling = word(row, "sampling"); !sampling.empty()) {
      given.sampler = mechanism::sampler_of(sampling);
    }
    const auto read = transcripts::read(word(row, "text"), "x." + word(row, "ending"), given);
    for (const auto& finding : transcripts::check(read, delta)) {
      found.findings.push_back(finding.id);
      if (finding.level == transcripts::Level::red) {
        found.exit = 3;
        found.message += finding.where + ": " + finding.message + " [" + finding.id + "]";
      }
    }
    if (found.exit == 0) {
      auto again = read;  // a command keeps the run as a record between reading and answering
      again.run = transcripts::run_of(transcripts::record_of(read.run));
      found.epsilon = transcripts::guarantee(again, {}, delta).curve->epsilon(delta).value.upper;
    }
  } catch (const UsageError& error) {
    found.exit = 2;
    found.message = error.what();
  } catch (const DomainError& error) {
    found.exit = 3;
    found.message = error.what();
  }
  return found;
}

}  // namespace

TEST_CASE("transcripts of all kinds are answered or refused as the rules say", "[transcripts][kinds]") {
  const std::string file = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/kinds.json";
  const Value document = io::read_json(io::read_file(file), "kinds.json");
  const List& cases = *document.get<Record>()->at("cases").get<List>();
  REQUIRE(cases.size() > 250);
  for (const Value& one : cases) {
    const Record& row = *one.get<Record>();
    const Outcome found = outcome(row);
    CAPTURE(word(row, "name"), word(row, "text").substr(0, 400), found.message, found.findings, found.epsilon);
    CHECK(found.exit == static_cast<int>(number(row, "exit").value_or(0.0)));
    if (found.exit != 0) {
      CHECK(std::regex_search(found.message, std::regex(word(row, "words"))));
      continue;
    }
    CHECK(found.epsilon >= number(row, "least"));
    CHECK(found.epsilon <= number(row, "most"));
    const auto among = [&](const Value& id) {
      return std::find(found.findings.begin(), found.findings.end(), *id.get<std::string>()) != found.findings.end();
    };
    for (const char* list : {"findings", "no_findings"}) {
      for (const Value& id : row.find(list) == nullptr ? List{} : *row.at(list).get<List>()) {
        CHECK(among(id) == (list == std::string("findings")));
      }
    }
  }
}
