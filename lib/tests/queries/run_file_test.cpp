// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <catch2/catch.hpp>

#include <dpcurves/core/convert.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/io/json.hpp>
#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/curve.hpp>
#include <dpcurves/queries/privacy.hpp>
#include <dpcurves/queries/run_file.hpp>

#include "support/folder.hpp"

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

TEST_CASE("samplers with parameters of their own say them in the file", "[run]") {
  const auto [sampler, key] = GENERATE(std::pair<std::string, std::string>{"cyclic-poisson", "cycle"},
                                       std::pair<std::string, std::string>{"truncated-poisson", "largest_batch"},
                                       std::pair<std::string, std::string>{"b-min-sep", "separation"});
  const auto file = [&](const std::string& line) {
    return transcripts::read(
        "schema = \"dpcurves/run/1\"\n[records]\ncount = 1000\n[[phases]]\nsteps = 100\n"
        "batch_size = 10\nnoise_multiplier = 2\nsampler = \"" +
            sampler + "\"\n" + line + "[privacy]\nadjacency = \"add-or-remove\"\nrelease = \"all-steps\"\n",
        "x.toml", {});
  };
  const auto read = file(key + " = 20\n");
  const auto question = accounting::dp_sgd_of(read.run);
  CHECK(accounting::violations(question).empty());
  CHECK(transcripts::guarantee(read).applies());
  CHECK_THROWS_WITH(transcripts::guarantee(file("")), Contains("phases[0]." + key) && Contains("missing"));
  const std::string other = key == "cycle" ? "separation" : "cycle";
  CHECK_THROWS_WITH(transcripts::guarantee(file(key + " = 20\n" + other + " = 3\n")), Contains("phases[0]." + other));
}

TEST_CASE("a mechanism of a run file says what its kind needs", "[run]") {
  const auto file = [](const std::string& lines) {
    return transcripts::read("schema = \"dpcurves/run/1\"\n[[mechanisms]]\n" + lines +
                                 "[privacy]\nadjacency = \"add-or-remove\"\nrelease = \"all-steps\"\n",
                             "x.toml", {});
  };
  const auto found = file("kind = \"laplace\"\nnoise = 2\ncount = 3\n");
  CHECK(transcripts::guarantee(found).theorem == "accountant/mechanisms");
  CHECK(transcripts::words(found, found.parts.front()) == "3 x laplace, noise 2");
  CHECK_THROWS_WITH(file("kind = \"laplace\"\n"), Contains("mechanisms[0].noise") && Contains("laplace"));
  CHECK_THROWS_WITH(file("kind = \"lapalce\"\nnoise = 1\n"), Contains("laplace"));
  CHECK_THROWS_WITH(file("kind = \"approximate\"\nepsilon = 1\n"), Contains("delta"));
}

TEST_CASE("the echo of a question is the question again", "[run]") {
  using mechanism::Sampler;
  accounting::DpSgd question;
  question.sampling =
      GENERATE(Sampler::poisson, Sampler::fixed_size, Sampler::none, Sampler::random_allocation, Sampler::balls_in_bins,
               Sampler::b_min_sep, Sampler::cyclic_poisson, Sampler::truncated_poisson, Sampler::with_replacement);
  question.adjacency = mechanism::Adjacency::zero_out;
  question.phases = {{1.5, 0.1, 20.0}};
  question.phases.front().records = 100.0;
  if (question.sampling == Sampler::none) {
    question.phases.front().sampling_rate = 1.0;
  }
  if (question.sampling == Sampler::cyclic_poisson) {
    question.phases.front().cycle = 4.0;
  }
  if (question.sampling == Sampler::truncated_poisson) {
    question.phases.front().largest_batch = 12.0;
  }
  question.uses_per_round = question.sampling == Sampler::random_allocation ? 2.0 : 1.0;
  question.separation = question.sampling == Sampler::b_min_sep ? 3.0 : 1.0;
  const bool alone = question.sampling == Sampler::random_allocation || question.sampling == Sampler::balls_in_bins ||
                     question.sampling == Sampler::b_min_sep;
  if (!alone) {
    question.unsampled = {{5.0, 2.0, false}};
  }
  const auto again = accounting::dp_sgd_of(transcripts::run_of(queries::run_record(question)));
  CAPTURE(mechanism::name(question.sampling));
  REQUIRE(accounting::violations(question).empty());
  const Enclosure a = accounting::dp_sgd_guarantee(question).curve->delta(0.5).value;
  const Enclosure b = accounting::dp_sgd_guarantee(again).curve->delta(0.5).value;
  CHECK(a.lower == b.lower);
  CHECK(a.upper == b.upper);
}

TEST_CASE("an answer echoes its run, which answers the same as a file", "[run]") {
  const std::string sampling = GENERATE(as<std::string>{}, "poisson", "fixed-size", "with-replacement", "balls-in-bins",
                                        "random-allocation", "shuffled", "cyclic", "cyclic-poisson", "truncated-poisson",
                                        "b-min-sep", "none");
  Record question{{"algorithm", {"dp-sgd"}}, {"noise_multiplier", {1.5}}, {"steps", {20.0}}, {"sampling", {sampling}},
                  {"delta", {std::vector{1e-5, 1e-3}}}};
  if (sampling != "none") {
    question.add("records", {60.0});
    question.add("batch_size", {7.0});
  }
  const std::pair<const char*, const char*> parameters[] = {
      {"cyclic-poisson", "cycle"}, {"truncated-poisson", "largest_batch"}, {"b-min-sep", "separation"},
      {"random-allocation", "uses_per_round"}};
  for (const auto& [sampler, parameter] : parameters) {
    if (sampling == sampler) {
      question.add(parameter, {8.0});
    }
  }
  if (sampling == "poisson") {
    question.add("group_size", {3.0});
  }
  const test::Folder folder;
  const std::string file = (folder.path / "run.json").string();
  const auto answer = queries::privacy(question);
  io::write_file(file, io::write_json(answer.results.at("run")));
  const Record again{{"algorithm", {"dp-sgd"}}, {"run", {file}}};
  const auto of_file = queries::privacy(again);
  CAPTURE(sampling, text(answer.results.at("run")));
  const auto epsilons = [](const queries::Report& report) {
    std::string all;
    for (const Value& one : *report.results.at("results").get<List>()) {
      all += text(one.get<Record>()->at("epsilon")) + " ";
    }
    return all;
  };
  CHECK(epsilons(of_file) == epsilons(answer));
  CHECK(text(of_file.results.at("run")) == text(answer.results.at("run")));
  Record curve = again;
  curve.add("curve", {"profile"});
  curve.add("points", {3.0});
  CHECK(text(queries::curve(curve).results.at("run")) == text(answer.results.at("run")));
}

TEST_CASE("a calibration echoes the run that it found", "[run][calibrate]") {
  const Record question{{"algorithm", {"dp-sgd"}}, {"solve_for", {"noise-multiplier"}}, {"epsilon", {2.0}},
                        {"delta", {1e-5}},         {"sampling_rate", {0.1}},             {"steps", {50.0}}};
  const auto found = queries::calibrate(question);
  const auto run = transcripts::run_of(*found.results.at("run").get<Record>());
  CHECK(run.phases.at(0).noise_multiplier.value() == *found.results.at("value").get<double>());
  CHECK(accounting::dp_sgd_guarantee(accounting::dp_sgd_of(run)).curve->epsilon(1e-5).value.upper <= 2.0);
}

TEST_CASE("the schema that is printed is that of the file", "[run]") {
  CHECK(queries::run_schema() == io::read_file(folder + "schema/run.json"));
}
