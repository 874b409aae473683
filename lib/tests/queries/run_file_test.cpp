// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <set>

#include <catch2/catch.hpp>

#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/curve.hpp>
#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/queries/privacy.hpp>
#include <dpcurves/queries/risk.hpp>

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
  const std::string name =
      GENERATE("run-01.toml", "opacus-02-two-phases.json", "opake-01-nested.json", "dp-event-16-epsilon-delta.json");
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
  CHECK_THROWS_WITH(with("noise_multiplier", "noise_multiplyer"),
                    Contains("noise_multiplyer") && Contains("noise_multiplier"));
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
  const auto again = accounting::dp_sgd_of(transcripts::run_of(transcripts::record_of(queries::run_of(question))));
  CAPTURE(mechanism::name(question.sampling));
  REQUIRE(accounting::violations(question).empty());
  const Enclosure a = accounting::dp_sgd_guarantee(question).curve->delta(0.5).value;
  const Enclosure b = accounting::dp_sgd_guarantee(again).curve->delta(0.5).value;
  CHECK(a.lower == b.lower);
  CHECK(a.upper == b.upper);
}

TEST_CASE("an answer echoes its run, which answers the same as a file", "[run]") {
  const std::string sampling =
      GENERATE(as<std::string>{}, "poisson", "fixed-size", "with-replacement", "balls-in-bins", "random-allocation",
               "shuffled", "cyclic", "cyclic-poisson", "truncated-poisson", "b-min-sep", "none");
  Record question{{"algorithm", {"dp-sgd"}},
                  {"noise_multiplier", {1.5}},
                  {"steps", {20.0}},
                  {"sampling", {sampling}},
                  {"delta", {std::vector{1e-5, 1e-3}}}};
  if (sampling != "none") {
    question.add("records", {60.0});
    question.add("batch_size", {7.0});
  }
  const std::pair<const char*, const char*> parameters[] = {{"cyclic-poisson", "cycle"},
                                                            {"truncated-poisson", "largest_batch"},
                                                            {"b-min-sep", "separation"},
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

TEST_CASE("the echo of every algorithm answers the same as a file", "[run]") {
  // The question, and the algorithm that reads its echo: a list, which makes this long.
  const auto [algorithm, reader, setting] = GENERATE(table<std::string, std::string, Record>(
      {{"gaussian", "dp-sgd", {{"noise_multiplier", {2.0}}, {"compositions", {5.0}}}},
       {"composition", "dp-sgd", {{"component", {List{{"20:0.1:0.5"}, {"laplace:30:2"}}}}, {"gaussian", {0.1}}}},
       {"composition", "dp-sgd", {{"component", {List{{"200:0.01:0.5"}, {"1:0.01:0.7"}}}}, {"gaussian", {0.1}}}},
       {"noisy-gd", "noisy-gd", {{"effective_sensitivity", {0.07}}, {"contraction", {0.95}}, {"steps", {36.0}}}},
       {"noisy-gd",
        "noisy-gd",
        {{"effective_sensitivity", {0.07}}, {"one_minus_contraction", {1e-20}}, {"steps", {36.0}}}},
       {"noisy-gd",
        "noisy-gd",
        {{"effective_sensitivity", {0.05}},
         {"noise", {0.3}},
         {"contraction", {0.9}},
         {"diameter", {3.0}},
         {"step_size", {0.1}},
         {"steps", {1000.0}}}},
       {"noisy-gd",
        "noisy-gd",
        {{"clip", {1.0}},
         {"noise", {0.02}},
         {"records", {1000.0}},
         {"strong_convexity", {0.1}},
         {"smoothness", {1.0}},
         {"step_size", {0.3}},
         {"steps", {360.0}}}},
       {"noisy-gd",
        "noisy-gd",
        {{"noise_multiplier", {20.0}}, {"convex", {true}}, {"release", {"all"}}, {"steps", {9.0}}}},
       {"noisy-cgd",
        "noisy-cgd",
        {{"effective_sensitivity", {0.3}}, {"batches_per_epoch", {49.0}}, {"epochs", {7.0}}, {"convex", {true}}}},
       {"noisy-cgd",
        "noisy-cgd",
        {{"sensitivity", {10.0}},
         {"batch_size", {1500.0}},
         {"noise", {0.01}},
         {"batches_per_epoch", {40.0}},
         {"epochs", {200.0}},
         {"contraction", {0.9998}}}},
       {"noisy-sgd", "noisy-sgd", {{"effective_sensitivity", {0.3}}, {"sampling_rate", {0.025}}, {"steps", {8.0}}}},
       {"noisy-sgd",
        "noisy-sgd",
        {{"clip", {1.0}},
         {"noise", {0.02}},
         {"batch_size", {100.0}},
         {"records", {1000.0}},
         {"contraction", {0.9}},
         {"steps", {8.0}}}},
       {"correlated",
        "correlated",
        {{"noise_multiplier", {20.0}}, {"sampling_rate", {0.1}}, {"steps", {20.0}}, {"lambda", {0.9}}}},
       {"correlated",
        "correlated",
        {{"noise_multiplier", {20.0}},
         {"batch_size", {10.0}},
         {"records", {400.0}},
         {"steps", {20.0}},
         {"strategy", {"bsr"}},
         {"bands", {4.0}}}},
       {"correlated",
        "correlated",
        {{"noise_multiplier", {4.0}}, {"steps", {40.0}}, {"strategy", {"bisr"}}, {"epochs", {4.0}}}},
       {"correlated",
        "correlated",
        {{"noise_multiplier", {4.0}}, {"steps", {40.0}}, {"strategy", {"blt"}}, {"participation", {"single"}}}},
       {"correlated",
        "correlated",
        {{"noise_multiplier", {4.0}},
         {"steps", {40.0}},
         {"strategy", {"band-mf"}},
         {"participation", {"min-separation"}},
         {"separation", {9.0}},
         {"participations", {3.0}},
         {"bands", {5.0}}}},
       {"correlated",
        "correlated",
        {{"noise_multiplier", {4.0}},
         {"steps", {40.0}},
         {"strategy", {"band-mf"}},
         {"bands", {4.0}},
         {"sampling", {"cyclic-poisson"}},
         {"groups", {5.0}},
         {"sampling_rate", {0.2}}}}}));
  Record question{{"algorithm", {algorithm}}, {"delta", {std::vector{1e-5}}}};
  for (const auto& [name, value] : setting.entries()) {
    question.add(name, value);
  }
  const test::Folder folder;
  const std::string file = (folder.path / "run.json").string();
  const auto answer = queries::privacy(question);
  io::write_file(file, io::write_json(answer.results.at("run")));
  const auto of_file = queries::privacy({{"algorithm", {reader}}, {"run", {file}}});
  CAPTURE(algorithm, text(answer.results.at("run")));
  CHECK(text(of_file.results.at("run")) == text(answer.results.at("run")));
  const List &asked = *answer.results.at("results").get<List>(), &again = *of_file.results.at("results").get<List>();
  REQUIRE(again.size() == asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto end = [&](const List& list, const char* side) {
      const Value& value = list[i].get<Record>()->at("epsilon").get<Record>()->at(side);
      double number = -1.0;  // no lower end is claimed
      CHECK((value.number(number) || value.null()));
      return number;
    };
    constexpr double rounding = 1e-14;  // 2/mu and back
    CHECK_THAT(end(again, "upper"), Catch::WithinRel(end(asked, "upper"), rounding));
    CHECK_THAT(end(again, "lower"), Catch::WithinRel(end(asked, "lower"), rounding));
  }
}

TEST_CASE("a run with a strategy is answered, or says what it lacks", "[run][errors]") {
  const test::Folder folder;
  const std::string file = (folder.path / "run.toml").string();
  const auto ask = [&](const std::string& algorithm, const std::string& noise, const std::string& sampler = "poisson") {
    io::write_file(file,
                   "schema = \"dpcurves/run/1\"\n[[phases]]\nsteps = 10\nsampling_rate = 0.1\n"
                   "noise_multiplier = 5\nsampler = \"" +
                       sampler + "\"\n[noise]\n" + noise +
                       "[privacy]\nadjacency = \"zero-out\"\nrelease = \"all-steps\"\ndelta = 1e-5\n");
    return queries::privacy({{"algorithm", {algorithm}}, {"run", {file}}});
  };
  const std::string lambda = "strategy = \"lambda\"\nlambda = 0.5\n";
  const auto answer = ask("correlated", lambda);
  CHECK(*answer.inputs.at("lambda").get<double>() == 0.5);
  CHECK(text(answer.results.at("run")).find("lambda") != std::string::npos);
  CHECK_NOTHROW(ask("correlated", "strategy = \"file\"\ncoefficients = [1.0, 0.5]\n"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"lambda\"\n"), Contains("noise.lambda: is missing"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"lambda\"\nlambda = 1\n"),
                    Contains("--lambda: 1 is outside [0, 1)"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"file\"\n"), Contains("noise.file: is missing"));
  CHECK_THROWS_WITH(ask("correlated", lambda, "shuffled"), Contains("phases[0].sampler"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"bsr\"\nbands = 3\n"), Contains("noise.participation: is missing"));
  const std::string rule = "participation = \"cyclic\"\nseparation = 5\n";
  CHECK_NOTHROW(ask("correlated", "strategy = \"bsr\"\nbands = 3\n" + rule, "cyclic"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"bsr\"\n" + rule, "cyclic"), Contains("noise.bands: is missing"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"blt\"\ntheta = [0.5]\n" + rule, "cyclic"),
                    Contains("noise.theta: is, as long as omega, missing"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"bsr\"\nbands = 3\n" + rule), Contains("phases[0].sampler"));
  CHECK_THROWS_WITH(ask("correlated", "strategy = \"bsr\"\nbands = 3\ncoefficients = [1.0, 0.5]\n" + rule, "cyclic"),
                    Contains("noise.coefficients: has no meaning with strategy = \"bsr\"; leave it out, or write "
                             "strategy = \"file\" or \"band-mf\""));
  CHECK_THROWS_WITH(ask("correlated", lambda + "bands = 3\n"), Contains("noise.bands: has no meaning"));
  CHECK_THROWS_WITH(ask("dp-sgd", "lambda = 0.5\n"), Contains("noise.lambda: has no meaning"));
  CHECK_THROWS_WITH(ask("dp-sgd", lambda), Contains("dpcurves privacy correlated --run"));
  CHECK_THROWS_WITH(ask("noisy-gd", lambda, "none"), Contains("correlated --run"));
}

TEST_CASE("a calibration of correlated noise echoes the run that it found", "[run][calibrate]") {
  const Record question{{"algorithm", {"correlated"}},
                        {"solve_for", {"noise-multiplier"}},
                        {"epsilon", {2.0}},
                        {"delta", {1e-5}},
                        {"sampling_rate", {0.1}},
                        {"steps", {20.0}},
                        {"lambda", {0.5}},
                        {"method", {"mean"}}};
  const auto found = queries::calibrate(question);
  const auto run = transcripts::run_of(*found.results.at("run").get<Record>());
  CHECK(run.phases.at(0).noise_multiplier.value() == *found.results.at("value").get<double>());
  CHECK(run.noise.lambda.value() == 0.5);
}

TEST_CASE("a strategy at its noise is a run that meets the target", "[run][calibrate]") {
  const std::string strategy = GENERATE(as<std::string>{}, "bisr", "blt", "band-mf", "dp-sgd", "band-mf-sampled");
  const auto found = queries::calibrate({{"algorithm", {"correlated"}},
                                         {"strategy", {strategy}},
                                         {"steps", {40.0}},
                                         {"epochs", {4.0}},
                                         {"epsilon", {3.0}},
                                         {"delta", {1e-5}}});
  const test::Folder folder;
  const std::string file = (folder.path / "run.json").string();
  io::write_file(file, io::write_json(found.results.at("run")));
  const auto answer = queries::privacy({{"algorithm", {"correlated"}}, {"run", {file}}});
  const Record& result = *answer.results.at("results").get<List>()->front().get<Record>();
  double upper = 0.0;
  REQUIRE(result.at("epsilon").get<Record>()->at("upper").number(upper));
  CAPTURE(strategy, upper);
  CHECK(upper <= 3.0);
  CHECK(upper > 3.0 - 1e-7);
  CHECK(text(answer.results.at("run")) == text(found.results.at("run")));
}

TEST_CASE("risks of private training echo the run, others have none", "[run][risk]") {
  const auto long_tail = queries::risk({{"problem_class", {"long-tail"}}, {"epsilon", {3.0}}, {"delta", {1e-5}}});
  const auto run = transcripts::run_of(*long_tail.results.at("run").get<Record>());
  const double epsilon = accounting::dp_sgd_guarantee(accounting::dp_sgd_of(run)).curve->epsilon(1e-5).value.upper;
  CHECK(epsilon <= 3.0);
  CHECK(epsilon > 2.99);
  CHECK(queries::risk({{"problem_class", {"long-tail"}}}).results.find("run") == nullptr);
}

TEST_CASE("a calibration echoes the run that it found", "[run][calibrate]") {
  const Record question{{"algorithm", {"dp-sgd"}}, {"solve_for", {"noise-multiplier"}},
                        {"epsilon", {2.0}},        {"delta", {1e-5}},
                        {"sampling_rate", {0.1}},  {"steps", {50.0}}};
  const auto found = queries::calibrate(question);
  const auto run = transcripts::run_of(*found.results.at("run").get<Record>());
  CHECK(run.phases.at(0).noise_multiplier.value() == *found.results.at("value").get<double>());
  CHECK(accounting::dp_sgd_guarantee(accounting::dp_sgd_of(run)).curve->epsilon(1e-5).value.upper <= 2.0);
}

TEST_CASE("the schema that is printed is that of the file", "[run]") {
  CHECK(queries::run_schema() == io::read_file(folder + "schema/run.json"));
}

TEST_CASE("a replaced record moves a clipped micro-batch no further than its gradient", "[run]") {
  const test::Folder here;
  const auto answer = [&](const std::string& sampler, const std::string& per, const std::string& adjacency) {
    const std::string file = (here.path / "run.toml").string();
    io::write_file(file, "schema = \"dpcurves/run/1\"\n[records]\ncount = 1000\n[[phases]]\nsteps = 20\nsampler = \"" +
                             sampler + "\"\nbatch_size = 100\nnoise_multiplier = 4.0\n[clipping]\nper = \"" + per +
                             "\"\n[privacy]\nadjacency = \"" + adjacency +
                             "\"\nrelease = \"all-steps\"\ndelta = 1e-5\n");
    const auto report = queries::privacy({{"algorithm", {"dp-sgd"}}, {"run", {file}}});
    return *report.results.at("results").get<List>()->front().get<Record>()->at("epsilon").get<Record>();
  };
  const auto end = [](const Record& epsilon, const char* name) { return epsilon.at(name).get<double>(); };
  for (const char* sampler : {"fixed-size", "cyclic", "shuffled"}) {  // both ends, of the noise that was added
    CAPTURE(sampler);
    const Record batches = answer(sampler, "micro-batch", "replace-one");
    const Record records = answer(sampler, "record", "replace-one");
    CHECK(*end(batches, "upper") == *end(records, "upper"));
    CHECK(*end(batches, "lower") == *end(records, "lower"));
    CHECK(*end(answer(sampler, "micro-batch", "zero-out"), "lower") >
          *end(answer(sampler, "record", "zero-out"), "upper"));
  }
  // Poisson: an upper end of half the noise, and none below, which would not be one of the run.
  const Record drawn = answer("poisson", "micro-batch", "replace-one");
  CHECK(*end(drawn, "upper") > *end(answer("poisson", "record", "replace-one"), "upper"));
  CHECK(drawn.at("lower").null());
}

TEST_CASE("noise without the norm that it is measured in is no answer", "[run][errors]") {
  const test::Folder here;
  const std::string file = (here.path / "run.toml").string();
  const auto ask = [&](const std::string& clipping) {
    io::write_file(file,
                   "schema = \"dpcurves/run/1\"\n[[phases]]\nsteps = 10\nsampler = \"poisson\"\nsampling_rate = "
                   "0.01\nnoise = 2.2\n" +
                       clipping + "[privacy]\nadjacency = \"add\"\nrelease = \"all-steps\"\ndelta = 1e-5\n");
    return queries::privacy({{"algorithm", {"dp-sgd"}}, {"run", {file}}});
  };
  CHECK_THROWS_WITH(ask(""), Contains("clipping.norm is not said"));
  CHECK_NOTHROW(ask("[clipping]\nnorm = 2.0\n"));
}
