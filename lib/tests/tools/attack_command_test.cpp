// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// attack, curve attack and the limits of calibrate as a user meets them, with every vector that has a command form.
#include <algorithm>
#include <sstream>

#include <dpcurves/core/detail/format.hpp>

#include "support/json.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::shortest;
using dpcurves::test::run_program;
using dpcurves::test::words;
using dpcurves::tools::Json;

namespace {

/// "gaussian --noise-multiplier 1", "dp-sgd --noise-multiplier ..."; empty for (epsilon, delta), which is no algorithm.
std::string setting(const Json& in) {
  if (in.contains("mu")) {
    return "gaussian --compositions 1 --noise-multiplier " + shortest(1.0 / in["mu"].get<double>());
  }
  if (!in.contains("phases") && !in.contains("measure")) {
    return "";
  }
  std::string line =
      "dp-sgd --sampling " + in["sampling"].get<std::string>() + " --adjacency " + in["adjacency"].get<std::string>();
  for (const Json& phase : in.value("phases", Json::array())) {
    line += " --phase " + shortest(phase["steps"]) + ":" + shortest(phase["sampling_rate"]) + ":" +
            shortest(phase["noise_multiplier"]);
  }
  return line;
}

/// The options of the question: {"fpr": 0.01} is --fpr 0.01.
std::string question(const Json& in) {
  const std::vector<std::pair<const char*, const char*>> known{{"fpr", "fpr"},
                                                               {"prior", "prior"},
                                                               {"recall", "recall"},
                                                               {"baseline", "baseline"},
                                                               {"odds_epsilon", "odds"},
                                                               {"delta_floor", "mu-delta-floor"},
                                                               {"fpr_floor", "mu-fpr-floor"},
                                                               {"steps", "steps"},
                                                               {"sampling_rate", "sampling-rate"}};
  std::string line;
  for (const auto& [key, option] : known) {
    line += in.contains(key) && !in[key].is_null() ? std::string(" --") + option + "=" + shortest(in[key]) : "";
  }
  return line;
}

/// Of the vector, where it says one; mu of a command line is rounded.
double tolerance(const Json& vector, const std::string& key, const std::string& kind) {
  const Json all = vector.value("tolerance", Json::object());
  const Json by_key = all.value("by_key", Json::object());
  const Json& said = by_key.contains(key) ? by_key[key] : all;
  return kind == "abs" ? said.value("abs", 0.0) : std::max(said.value("rel", 1e-9), 1e-12);
}

}  // namespace

TEST_CASE("a profile with wide brackets has its mu and regret after few questions", "[tools][attack]") {
  for (const char* run : {"dp-sgd --sampling random-allocation --noise-multiplier 1 --sampling-rate 0.0625 --steps 32",
                          "correlated --lambda 0.5 --noise-multiplier 2 --sampling-rate 0.01 --steps 50"}) {
    const auto answer = run_program(words("attack " + std::string(run) + " --measure gdp"));  // once without end
    CAPTURE(run, answer.err);
    CHECK(answer.exit_code == 0);
    CHECK_THAT(answer.out, Catch::Contains("regret"));
  }
}

TEST_CASE("every vector of attacks that has a command form is met", "[tools][attack][vectors]") {
  const Json vectors = Json::parse(dpcurves::test::source_file("data/reference/attack-risk.json"));
  int met = 0;
  for (const Json& vector : vectors) {
    const auto name = vector["calculator"].get<std::string>();
    const Json& in = vector["inputs"];
    const std::string line = setting(in);
    if (!name.starts_with("attack/") || line.empty() || name == "attack/calibrate" || name == "attack/candidates") {
      continue;
    }
    const std::string measure = name.substr(7);
    CAPTURE(vector["id"].get<std::string>());
    const auto spoken =
        run_program(words("attack " + line + " --format json --quiet --measure " + measure + question(in)));
    CAPTURE(spoken.err);
    REQUIRE(spoken.exit_code == 0);
    const Json row = Json::parse(spoken.out)["results"][0];
    for (const auto& [key, want] : vector["outputs"].items()) {
      const std::string first = measure == "bayes-error"      ? "bayes_error"
                                : measure == "gdp"            ? "mu"
                                : measure == "reconstruction" ? "success"
                                : measure == "posterior"      ? "probability"
                                                              : measure;
      if (key != first && !row.contains(key)) {
        continue;
      }
      if (want.is_string()) {
        CHECK(row[key] == want);
        continue;
      }
      const Json ends = key == first ? row["value"] : row[key];
      const bool low = key == "bayes_error";
      if (ends.is_object()) {
        CAPTURE(key);
        CHECK(ends[low ? "lower" : "upper"].get<double>() ==
              Approx(want.get<double>()).epsilon(tolerance(vector, key, "rel")).margin(tolerance(vector, key, "abs")));
        ++met;
      }
    }
  }
  CHECK(met > 90);
}

TEST_CASE("every vector of calibration is met by the command", "[tools][attack][vectors]") {
  const Json vectors = Json::parse(dpcurves::test::source_file("data/reference/attack-risk.json"));
  int met = 0;
  for (const Json& vector : vectors) {
    const Json& in = vector["inputs"];
    if (vector["calculator"] != "attack/calibrate" || in["sampling"] == "none") {
      continue;
    }
    const auto spoken =
        run_program(words("calibrate " + setting(in) + " --solve-for noise-multiplier --format json --" +
                          in["measure"].get<std::string>() + "=" + shortest(in["target"]) + question(in)));
    CAPTURE(vector["id"].get<std::string>(), spoken.err);
    REQUIRE(spoken.exit_code == 0);
    const Json found = Json::parse(spoken.out);
    CHECK(found["value"].get<double>() == Approx(vector["outputs"]["noise_multiplier"].get<double>())
                                              .epsilon(tolerance(vector, "noise_multiplier", "rel")));
    CHECK(found["achieved"]["value"]["upper"].get<double>() <= in["target"].get<double>());
    ++met;
  }
  CHECK(met == 3);
}

TEST_CASE("every algorithm has its table of attacks", "[tools][attack]") {
  const auto line =
      GENERATE(as<std::string>{}, "gaussian --noise-multiplier 10 --compositions 100",
               "dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 100", "composition --component 200:0.01:0.5",
               "noisy-gd --effective-sensitivity 0.05 --contraction 0.95 --steps 36",
               "noisy-cgd --effective-sensitivity 0.6667 --batches-per-epoch 40 --epochs 200 --contraction 0.9998",
               "exponential-mechanism --lipschitz 0.5 --diameter 1",
               "langevin --lipschitz-of-difference 1 --strong-convexity 1 --step-size 0.1",
               "phased-sgd --claimed-epsilon 1 --claimed-delta 1e-5",
               "correlated --noise-multiplier 9 --sampling-rate 0.1 --steps 40 --lambda 0.9");
  const auto spoken = run_program(words("attack " + line + " --fpr 0.001,0.1 --measure advantage,tpr"));
  CAPTURE(line, spoken.err, spoken.out);
  CHECK(spoken.exit_code == 0);
  CHECK_THAT(spoken.out, Catch::Contains("advantage (TPR - FPR)") && Catch::Contains("TPR at FPR 0.1"));
  std::istringstream lines(spoken.out);
  for (std::string text; std::getline(lines, text);) {
    CHECK(std::count_if(text.begin(), text.end(),
                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) <= 140);
  }
}

TEST_CASE("attack speaks CSV, names the convention and reads run files", "[tools][attack]") {
  const auto csv = run_program(words("attack gaussian --noise-multiplier 1 --compositions 1 --fpr 0.01 --format csv"));
  CHECK(csv.out.starts_with("measure,at,lower,upper,direction,theorem\ntpr,0.01,0.0923622480736"));
  const std::string file = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/run-01.toml";
  const auto run = run_program({"attack", "dp-sgd", "--run", file, "--fpr", "0.01", "--format", "json"});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const Json json = Json::parse(run.out);
  CHECK(json["schema"] == "dpcurves/attack/1");
  CHECK(json["convention"]["prior"] == "the probability that the record is present");
  CHECK(json["transcript"]["file"] == file);
  CHECK(json["guarantees"][0]["sampling"].is_string());
}

TEST_CASE("wrong questions about attacks exit with 2 and name the option", "[tools][attack][errors]") {
  struct Row {
    std::string line, message;
  };
  const std::string setting = "gaussian --noise-multiplier 1 --compositions 1 ";
  const auto row = GENERATE_COPY(
      Row{"attack " + setting + "--fpr 1.5", "--fpr: 1.5 is outside [0, 1]"},
      Row{"attack " + setting + "--prior 0", "--prior: 0 is outside (0, 1)"},
      Row{"attack " + setting + "--measure tprs", "did you mean tpr?"},
      Row{"attack " + setting + "--measure precision", "needs --fpr or --recall"},
      Row{"attack " + setting + "--fprs 0.1", "did you mean --fpr"}, Row{"attack gausian", "did you mean gaussian?"},
      Row{"curve attack " + setting + "--from 0.5 --to 0.1", "--from and --to"},
      Row{"calibrate gaussian --solve-for noise-multiplier --compositions 1 --tpr 0.5", "--fpr: is required"},
      Row{"calibrate dp-sgd --sampling-rate 0.1 --epsilon 1", "--solve-for: is required: noise-multiplier"},
      Row{"calibrate gaussian --solve-for noise-multiplier --compositions 1 --tpr 0.5 --fpr 0.1 --auc 0.7", "exclude"},
      Row{"calibrate gaussian --solve-for noise-multiplier --compositions 1 --auc 0.7 --delta 1e-5", "--delta"},
      Row{"calibrate gaussian --solve-for noise-multiplier --compositions 1", "--advantage"});
  const auto spoken = run_program(words(row.line));
  CAPTURE(row.line, spoken.err);
  CHECK(spoken.exit_code == 2);
  CHECK_THAT(spoken.err, Catch::Contains(row.message));
}

TEST_CASE("attack without a theorem exits with 3", "[tools][attack][errors]") {
  const auto spoken = run_program(words("attack gaussian --noise-multiplier 1 --compositions unlimited"));
  CHECK(spoken.exit_code == 3);
  CHECK_THAT(spoken.err, Catch::Contains("no theorem applies"));
}

TEST_CASE("a value found for a limit on attacks is the boldest safe one", "[tools][attack][calibrate]") {
  struct Row {
    std::string line, option;
  };
  const auto row = GENERATE(
      Row{"noisy-gd --solve-for steps --effective-sensitivity 0.05 --contraction 0.95 --auc 0.57", "steps"},
      Row{"gaussian --solve-for noise-multiplier --compositions 100 --gdp-mu 1", "noise-multiplier"},
      Row{"dp-sgd --solve-for steps --sampling-rate 0.01 --noise-multiplier 1 --reconstruction 0.05 --baseline 0.01",
          "steps"},
      Row{"exponential-mechanism --solve-for lipschitz --diameter 1 --bayes-accuracy 0.6 --prior 0.5", "lipschitz"});
  const auto spoken = run_program(words("calibrate " + row.line + " --format json"));
  CAPTURE(row.line, spoken.err);
  REQUIRE(spoken.exit_code == 0);
  const Json found = Json::parse(spoken.out);
  const Json inputs = found["inputs"];
  for (const char* target : {"auc", "gdp_mu", "reconstruction", "bayes_accuracy"}) {
    if (inputs.contains(target)) {
      const double most = inputs[target], reached = found["achieved"]["value"]["upper"];
      CHECK(reached <= most);
      CHECK(reached > (row.option == "steps" ? 0.97 : 1.0 - 1e-5) * most);
    }
  }
}

TEST_CASE("an attack claims no more than the lower end of a profile whose upper end is Gaussian", "[tools][attack]") {
  // One record replaced, much less noise than the bracket of its profile can follow: 0.74 to 1 at epsilon 0.
  for (const char* run : {"--adjacency replace-one --noise-multiplier 0.5 --steps 1000",
                          "--adjacency add-or-remove --noise-multiplier 1e-3 --steps 3"}) {
    const std::string question = " dp-sgd --sampling random-allocation --sampling-rate 0.01 " + std::string(run);
    const auto profile = dpcurves::test::answer(words("privacy" + question + " --epsilon 0"))["results"][0]["delta"];
    const auto advantage =
        dpcurves::test::answer(words("attack" + question + " --measure advantage"))["results"][0]["value"];
    CAPTURE(run, profile["lower"].get<double>(), advantage["lower"].get<double>());
    CHECK(advantage["lower"].get<double>() <= profile["lower"].get<double>() * (1.0 + 1e-9));
    CHECK(advantage["upper"].get<double>() >= advantage["lower"].get<double>());
  }
}
