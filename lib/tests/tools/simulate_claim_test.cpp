// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate ALGORITHM --theorem, --claim and --samples as a user meets them.
#include <filesystem>

#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/random/streams.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/glyph_folder.hpp"
#include "tools/process.hpp"

using dpcurves::test::answer;
using dpcurves::test::run_program;
using dpcurves::test::words;
using Json = nlohmann::json;

namespace {

/// The answer of `simulate LINE --OPTION VALUE`; a refuted claim ends with code 1.
Json simulated(const std::string& line, const std::string& option, const std::string& value) {
  auto arguments = words("simulate " + line + " --format json --quiet");
  arguments.insert(arguments.end(), {option, value});
  const auto spoken = run_program(arguments);
  CAPTURE(line, value, spoken.err);
  REQUIRE((spoken.exit_code == 0 || spoken.exit_code == 1));
  auto json = Json::parse(spoken.out);
  CHECK(json["refuted"].get<bool>() == (spoken.exit_code == 1));
  CHECK(json["verdict"] == (spoken.exit_code == 1 ? "refuted" : "holds"));
  return json;
}

/// A file of standard normals moved by `shift`.
std::string normals(const std::filesystem::path& file, double shift, std::uint32_t path) {
  std::vector<double> draws(100000);
  dpcurves::random::normals(draws, 1, dpcurves::random::Purpose::noise, path, 0);
  for (double& x : draws) {
    x += shift;
  }
  dpcurves::io::write_file(file, dpcurves::io::to_csv(dpcurves::io::Columns({{"x", draws}})));
  return file;
}

constexpr const char* gradient_descent = "noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 100000";
constexpr const char* theorem_4_2 = "kappa * sqrt((1 - c^t) / (1 + c^t) * (1 + c) / (1 - c))";

}  // namespace

TEST_CASE("a claim is one value of the symbols as they are", "[tools][simulate][claim][errors]") {
  const std::string sum = "1" + [] {
    std::string terms;
    for (int i = 0; i < 20000; ++i) {
      terms += "+1";
    }
    return terms;
  }();
  for (const auto& [claim, words_of_it] :
       {std::pair{std::string("mu = kappa = 3"), "The symbols are"},
        std::pair{std::string("mu = 1, 2"), "several values"}, std::pair{"mu = " + sum, "--claim: "},
        std::pair{std::string("mu = 1/0"), "outside [0, inf)"}}) {
    auto arguments = words("simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 1000 --quiet --claim");
    arguments.push_back(claim);
    const auto refused = run_program(arguments);
    CAPTURE(claim.substr(0, 20), refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find(words_of_it) != std::string::npos);
  }
}

TEST_CASE("a test that never errs has no mu, in words too", "[tools][simulate]") {
  const auto line = words(
      "simulate noisy-sgd --records 10 --batch-size 2 --noise 3 --step-size 0.1 --steps 300 --diameter 1 --loss linear "
      "--paths 2000 --quiet");
  CHECK(run_program(line).out.find("nan") == std::string::npos);
  CHECK(answer(line)["results"][0]["standard_error"].is_null());
}

TEST_CASE("a theorem typed as a claim holds, with a wrong constant it is refuted", "[tools][simulate][claim]") {
  const auto theorem = simulated(gradient_descent, "--theorem", "theorem-4.2");
  const auto typed = simulated(gradient_descent, "--claim", "mu = " + std::string(theorem_4_2));
  const auto wrong = simulated(gradient_descent, "--claim", "mu = 0.95 * " + std::string(theorem_4_2));
  CHECK(theorem["verdict"] == "holds");
  CHECK(theorem["theorem"] == "shifted-interpolation/theorem-4.2");
  CHECK(typed["verdict"] == "holds");
  CHECK(typed["theorem"].is_null());
  CHECK(typed["mu"]["upper"].get<double>() == Approx(theorem["mu"]["upper"].get<double>()).epsilon(1e-12));
  CHECK(wrong["verdict"] == "refuted");
  CHECK(wrong["resolution"] == 1.0);
}

TEST_CASE("the resolution says which factor the same runs refute", "[tools][simulate][claim]") {
  const double s = simulated(gradient_descent, "--theorem", "theorem-4.2")["resolution"].get<double>();
  CHECK(s > 0.9);
  CHECK(s < 1.0);
  const auto claim = [](double factor) { return "mu = " + std::to_string(factor) + " * " + theorem_4_2; };
  CHECK(simulated(gradient_descent, "--claim", claim(s - 1e-3))["refuted"] == true);
  CHECK(simulated(gradient_descent, "--claim", claim(s + 1e-3))["refuted"] == false);
}

TEST_CASE("any theorem of the algorithm can be put to the test", "[tools][simulate][claim]") {
  struct Row {
    const char* line;
    const char* theorem;
  };
  const auto row = GENERATE(
      Row{"noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 20000", "theorem-4.1"},
      Row{"noisy-cgd --records 10 --batch-size 2 --noise 0.5 --step-size 0.4 --epochs 4 --strong-convexity 0.5 --paths "
          "20000",
          "theorem-4.5"},
      Row{"noisy-sgd --records 4 --batch-size 2 --noise 0.5 --step-size 0.4 --steps 20 --paths 20000", "theorem-4.9"});
  const auto json = simulated(row.line, "--theorem", row.theorem);
  CHECK(json["theorem"] == std::string("shifted-interpolation/") + row.theorem);
  CHECK(json["verdict"] == "holds");
  CHECK(json["resolution"].get<double>() > 0.1);
}

TEST_CASE("a claimed epsilon is held to its trade-off function", "[tools][simulate][claim]") {
  // mu = 2.089 is epsilon = 11.2 at delta = 1e-5.
  CHECK(simulated(gradient_descent, "--claim", "epsilon = 3")["verdict"] == "refuted");
  CHECK(simulated(gradient_descent, "--claim", "epsilon = log(exp(11.3))")["verdict"] == "holds");
}

TEST_CASE("own draws against a claim, whichever side the second input lies on", "[tools][simulate][claim]") {
  const dpcurves::test::Folder folder;
  const std::string files =
      normals(folder.path / "p.csv", 0.0, 1) + "," + normals(folder.path / "q.csv", GENERATE(-1.0, 1.0), 2);
  const auto judged = [&](const std::string& claim) {
    auto arguments = words("simulate samples --format json --samples");
    arguments.insert(arguments.end(), {files, "--claim", claim});
    return Json::parse(run_program(arguments).out);
  };
  CHECK(judged("mu = 1")["verdict"] == "holds");
  // At a = 0.25 the two intervals of 9e4 draws are +- 0.022 and +- 0.021 wide in mu (4.9 deviations), and the claim is
  // read at the end of the first: 1 - 2 (0.022 + 0.021).
  CHECK(judged("mu = 1")["resolution"].get<double>() > 0.91);
  CHECK(judged("mu = 1")["seed"].is_null());
  CHECK(judged("mu = 0.9")["verdict"] == "refuted");
  const auto with_theorem =
      simulated("noisy-gd --noise 1 --step-size 0.1 --steps 30 --theorem theorem-4.2", "--samples", files);
  CHECK(with_theorem["verdict"] == "holds");
}

TEST_CASE("a statistic of few values is tested once per value, on the side where the second lies",
          "[tools][simulate][claim]") {
  const dpcurves::test::Folder folder;
  const auto coins = [&](const char* name, std::size_t ones) {  // medians 1 in either file
    std::vector<double> draws(4000, 0.0);
    for (std::size_t i = 0; i < ones; ++i) {
      draws[(i * 1009) % draws.size()] = 1.0;
    }
    dpcurves::io::write_file(folder.path / name, dpcurves::io::to_csv(dpcurves::io::Columns({{"x", draws}})));
    return (folder.path / name).string();
  };
  auto arguments = words("simulate samples --format json --samples");
  arguments.insert(arguments.end(), {coins("p.csv", 3600) + "," + coins("q.csv", 2400), "--claim", "epsilon <= 1"});
  const auto spoken = run_program(arguments);
  CAPTURE(spoken.err);
  CHECK(spoken.exit_code == 1);  // log(0.4 / 0.1) = 1.386
  const auto json = Json::parse(spoken.out);
  CHECK(json["verdict"] == "refuted");
  CHECK(json["results"].size() <= 2);
  arguments.back() = "epsilon <= 1.4";
  CHECK(run_program(arguments).exit_code == 0);
}

TEST_CASE("pictures of claims name what is claimed and whether it is refuted", "[tools][simulate][claim][picture]") {
  const dpcurves::test::Folder folder;
  const std::string file = folder.path / "claim.svg";
  const auto drawn = [&](const std::string& option, const std::string& value) {
    auto arguments =
        words("simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 20000 --quiet --plot " + file);
    arguments.insert(arguments.end(), {option, value});
    static_cast<void>(run_program(arguments));
    return dpcurves::io::read_file(file);
  };
  const std::string refuted = drawn("--claim", "epsilon = 2");
  CHECK(refuted.find("simulated tests refute the claim") != std::string::npos);
  CHECK(refuted.find("epsilon = 2, delta = 1e-05") != std::string::npos);
  const std::string theorem = drawn("--theorem", "4.2");
  CHECK(theorem.find("simulated tests against the guarantee") != std::string::npos);
  CHECK(theorem.find("shifted-interpolation/") == std::string::npos);
  const auto data = dpcurves::io::read_file(file + ".csv");
  CHECK(data.find("\"simulation\",0.0") != std::string::npos);
}

TEST_CASE("claims that make no sense are refused by name", "[tools][simulate][claim][errors]") {
  struct Row {
    std::vector<std::string> rest;
    const char* message;
    int code;
  };
  const auto row = GENERATE(
      Row{{"--claim", "mu = foo + 1"}, "The symbols are D, E, L,", 2}, Row{{"--claim", "x = 1"}, "\"mu = ...\"", 2},
      Row{{"--claim", "mu = -1"}, "mu = -1 is outside [0, inf)", 2},
      Row{{"--claim", "mu = sqrt(-1)"}, "mu = nan is outside [0, inf)", 2},
      Row{{"--theorem", "theorem-9"}, "does not speak of this algorithm", 2},
      Row{{"--theorem", "theorem-4.3"}, "does not apply: iterates projected", 3},
      Row{{"--theorem", "theorem-4.1", "--claim", "mu = 1"}, "--theorem and --claim exclude each other", 2},
      Row{{"--theorem", "4.5"}, "4.5 does not speak of this algorithm", 2},
      Row{{"--samples", "p.csv", "q.csv"}, "it takes FILE,FILE, without blanks", 2},
      Row{{"--samples", "one.csv"}, "are not two files", 2}, Row{{"--samples", "no.csv,no.csv"}, "no.csv", 5});
  auto arguments = words(gradient_descent);
  arguments.insert(arguments.begin(), "simulate");
  arguments.insert(arguments.end(), row.rest.begin(), row.rest.end());
  const auto spoken = run_program(arguments);
  CAPTURE(spoken.err);
  CHECK(spoken.exit_code == row.code);
  CHECK(spoken.err.find(row.message) != std::string::npos);
}

TEST_CASE("softmax regression on a folder of images, by each rule of batches", "[tools][simulate][softmax]") {
  const dpcurves::test::Folder folder;
  dpcurves::test::write_glyphs(folder.path, 200, 100);
  struct Row {
    const char* line;
    const char* theorem;
  };
  const auto row =
      GENERATE(Row{"noisy-gd --steps 100", "theorem-4.1"}, Row{"noisy-cgd --batch-size 20 --epochs 10", "theorem-4.4"},
               Row{"noisy-sgd --batch-size 20 --steps 100", "theorem-4.8"});
  const std::string line = std::string("simulate ") + row.line +
                           " --loss softmax --noise 0.05 --step-size 0.5 --data " + folder.path.string() +
                           " --repetitions 3 --threads ";
  const auto json = answer(words(line + "1"));
  CHECK(json["theorem"] == std::string("shifted-interpolation/") + row.theorem);
  CHECK(json["train"]["mean"].get<double>() > 0.6);  // chance is 0.1
  CHECK(json["test"]["runs"].size() == 3);
  CHECK(answer(words(line + "2"))["train"]["runs"] == json["train"]["runs"]);
  const auto wrong = run_program(words(line + "1 --miss 0.1"));
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("--miss: is not for softmax regression") != std::string::npos);
}

TEST_CASE("the claim in the help of simulate is refuted", "[tools][simulate][claim]") {
  const auto help = run_program(words("simulate --help"));
  const std::string claim = "mu = 0.7 * kappa * sqrt(t)";
  CHECK((help.out + run_program(words("simulate noisy-gd --help")).out).find(claim) != std::string::npos);
  const auto seed = GENERATE(as<std::string>{}, "1", "2");
  CHECK(simulated("noisy-gd --noise 1 --step-size 0.1 --steps 30 --seed " + seed, "--claim", claim)["refuted"] == true);
}

TEST_CASE("a simulation echoes its run, and draws the same from a file", "[tools][simulate][run]") {
  const auto line = GENERATE(as<std::string>{}, "noisy-gd --noise 1 --step-size 0.1 --steps 3",
                             "noisy-gd --noise 1 --step-size 0.1 --steps 3 --loss linear --diameter 3",
                             "noisy-cgd --records 10 --batch-size 2 --noise 0.5 --step-size 0.4 --epochs 4",
                             "noisy-sgd --records 10 --batch-size 1 --noise 1 --step-size 0.4 --steps 5");
  const auto drawn = simulated(line, "--paths", "1000");
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "run.json").string();
  dpcurves::io::write_file(file, drawn["run"].dump());
  const std::string process = words(line).front();
  const auto again = simulated(process + " --run " + file, "--paths", "1000");
  CHECK(again["results"] == drawn["results"]);
  CHECK(again["run"] == drawn["run"]);
  CHECK(again["theorem"] == drawn["theorem"]);
  if (drawn.contains("mu") && !drawn["mu"].is_null()) {
    const auto said = answer(words("privacy " + process + " --run " + file + " --delta 1e-5"));
    CHECK(said["results"][0]["mu"] == drawn["mu"]);
  }
  const auto longer = simulated(process + " --run " + file + " --step-size 0.2", "--paths", "1000");
  CHECK(longer["inputs"]["step_size"] == 0.2);
}

TEST_CASE("a run that a simulation of the last iterate cannot draw is refused by key",
          "[tools][simulate][run][errors]") {
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "run.json").string();
  const auto refused = [&](const std::string& line, const std::string& simulation) {
    dpcurves::io::write_file(file, answer(words("privacy " + line))["run"].dump());
    return run_program(words("simulate " + simulation + " --run " + file)).err;
  };
  const std::string all = "noisy-gd --noise-multiplier 4 --steps 10 --release all";
  CHECK(refused(all, "noisy-gd --step-size 1").find("privacy.release: simulate noisy-gd draws the last iterate") !=
        std::string::npos);
  const std::string gd = "noisy-gd --noise-multiplier 4 --steps 10 --delta 1e-5";
  CHECK(refused(gd, "noisy-gd").find("--step-size: is required") != std::string::npos);
  CHECK(refused(gd, "noisy-sgd").find("phases[0].sampler: noisy-sgd has sampler = \"fixed-size\"") !=
        std::string::npos);
  const std::string sgd = "noisy-sgd --effective-sensitivity 0.5 --sampling-rate 0.03 --steps 20 --delta 1e-5";
  CHECK(refused(sgd, "noisy-sgd --step-size 1").find("records: is missing") != std::string::npos);
}
