// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <catch2/catch.hpp>

#include <dpcurves/core/convert.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/io/json.hpp>
#include <dpcurves/queries/run_file.hpp>

using namespace dpcurves;
using Catch::Contains;

namespace {

const std::string folder = std::string(DPCURVES_SOURCE_DIR) + "/data/";

/// Names, requirements and words of a JSON schema against the fields of a setting.
void compare(const Record& schema, const std::vector<FieldInfo>& fields, const std::string& path) {
  const Record& properties = *schema.at("properties").get<Record>();
  std::set<std::string> names;
  for (const auto& field : fields) {
    CAPTURE(path, field.symbol);
    names.insert(field.symbol);
    const Value* found = properties.find(field.symbol);
    REQUIRE(found != nullptr);
    const Record& property = *found->get<Record>();
    const Value* items = property.find("items");
    if (!field.fields.empty()) {
      compare(items != nullptr ? *items->get<Record>() : property, field.fields, path + "." + field.symbol);
    }
    if (const Value* words = property.find("enum")) {
      std::set<std::string> listed;
      for (const Value& word : *words->get<List>()) {
        listed.insert(*word.get<std::string>());
      }
      CHECK(listed == std::set<std::string>(field.words.begin(), field.words.end()));
    }
    const Value* required = schema.find("required");
    bool needed = false;
    if (required != nullptr) {
      for (const Value& name : *required->get<List>()) {
        needed = needed || *name.get<std::string>() == field.symbol;
      }
    }
    CHECK(needed == field.required);
  }
  for (const auto& entry : properties.entries()) {
    CAPTURE(path, entry.name);
    CHECK(names.contains(entry.name));
  }
}

}  // namespace

TEST_CASE("the schema of run files has the fields of a run", "[run]") {
  const Value schema = io::read_json(io::read_file(folder + "schema/run.json"), "run.json");
  compare(*schema.get<Record>(), describe<mechanism::Run>(), "$");
}

TEST_CASE("TOML and JSON of a run are the same run", "[run]") {
  const std::string name = GENERATE("run-01.toml", "opacus-02-two-phases.json", "opake-01-nested.json", "dp-event-16-epsilon-delta.json");
  const auto read = transcripts::read(io::read_file(folder + "transcripts/" + name), name, {});
  const auto toml = transcripts::read(queries::run_text(read, true), "x.toml", {});
  const auto json = transcripts::read(queries::run_text(read, false), "x.json", {});
  CHECK(queries::run_text(toml, false) == queries::run_text(json, false));
  CHECK(queries::run_text(json, false) == queries::run_text(read, false));
}

TEST_CASE("mistakes in a run file name the key and what is near it", "[run][errors]") {
  const std::string good = io::read_file(folder + "transcripts/run-01.toml");
  const auto with = [&](const std::string& old, const std::string& text) {
    std::string changed = good;
    changed.replace(changed.find(old), old.size(), text);
    return transcripts::read(changed, "x.toml", {});
  };
  CHECK_THROWS_WITH(with("noise_multiplier", "noise_multiplyer"), Contains("noise_multiplyer") && Contains("noise_multiplier"));
  CHECK_THROWS_WITH(with("dpcurves/run/1", "dpcurves/run/2"), Contains("not read by this version"));
  CHECK_THROWS_AS(with("steps = 14063", "steps = 1.5"), UsageError);
  CHECK_THROWS_AS(with("\"poisson\"", "\"poison\""), DomainError);
  CHECK_THROWS_AS(with("delta = 1e-5", "delta = 2"), DomainError);
  CHECK_THROWS_AS(with("steps = 14063", ""), UsageError);
  CHECK_THROWS_AS(with("[privacy]", "[privacies]"), UsageError);
}

TEST_CASE("a check that is strict refuses what else is answered", "[run]") {
  const std::string text = io::read_file(folder + "transcripts/log-02-shuffled.csv");
  CHECK(queries::run_check(text, "log.csv", {}, false).outcome == queries::Outcome::ok);
  CHECK(queries::run_check(text, "log.csv", {}, true).outcome == queries::Outcome::refused);
  const std::string wrong = io::read_file(folder + "transcripts/log-06-overlap.csv");
  CHECK(queries::run_check(wrong, "log.csv", {}, false).outcome == queries::Outcome::refused);
}
