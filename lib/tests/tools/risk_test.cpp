// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The command `risk` and the problem files that it reads.
#include <filesystem>
#include <fstream>
#include <regex>

#include <nlohmann/json.hpp>

#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/risk/problem.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

std::string example(const std::string& name) { return std::string(DPCURVES_SOURCE_DIR) + "/data/examples/" + name; }

/// A problem file with one text replaced by another, in the folder of temporary files.
std::string spoilt(const std::string& from, const std::string& to) {
  std::string text = dpcurves::test::source_file("data/examples/least-squares-figure-2a.json");
  const auto place = text.find(from);
  REQUIRE(place != std::string::npos);
  text.replace(place, from.size(), to);
  const auto path = std::filesystem::temp_directory_path() / "dpcurves-risk-test.json";
  dpcurves::io::write_file(path, text);
  return path.string();
}

}  // namespace

TEST_CASE("the questions about the published setting have their answers", "[tools][risk]") {
  const auto answer =
      run_program(words("risk noisy-least-squares --format json --verify --iterations 100,1500 "
                        "--target-plateau 0.015 --problem " +
                        example("least-squares-figure-2a.json")));
  REQUIRE(answer.exit_code == 0);
  const auto results = nlohmann::json::parse(answer.out)["results"];
  CHECK(results["curve"]["risk"][0].get<double>() == Approx(0.0728152).epsilon(1e-6));
  CHECK(results["plateau"].get<double>() == Approx(0.0234363).epsilon(2e-6));
  CHECK(results["settles_at_iteration"].get<double>() == Approx(474.2).epsilon(2e-4));
  CHECK(results["noise_for_target_plateau"].get<double>() == Approx(1.19977).epsilon(5e-6));
  CHECK(results["verified_difference"].get<double>() < 1e-8);
}

TEST_CASE("the largest stable step of a small problem has its answer", "[tools][risk]") {
  const auto file = std::filesystem::temp_directory_path() / "dpcurves-risk-question-2.json";
  std::ofstream(file) << R"({"lambda_": [2, 1, 0.3], "x0": [1, -0.5, 0.8], "xtilde": [0.3, 0.7, -0.4], "E_xi2": 0.09,
    "delta": 0.1, "sigma": 0.6, "dim": 3, "schedule": {"type": "constant", "gamma0": 0.7}})";
  const auto answer =
      run_program({"risk", "noisy-least-squares", "--format", "json", "--times", "1", "--problem", file.string()});
  REQUIRE(answer.exit_code == 0);
  const auto results = nlohmann::json::parse(answer.out)["results"];
  CHECK(results["largest_stable_step"].get<double>() == Approx(0.658143).epsilon(1e-6));
  CHECK(results["plateau"].get<double>() == Approx(0.16045709).epsilon(1e-8));
  CHECK(results["regularised_plateau"].get<double>() == Approx(0.20233442).epsilon(1e-8));
}

TEST_CASE("bounds from few nodes stand beside the risk", "[tools][risk]") {
  const auto answer = run_program(words("risk noisy-least-squares --enclose 3 --times 0.5,2 --format json --problem " +
                                        example("least-squares.json")));
  REQUIRE(answer.exit_code == 0);
  const auto curve = nlohmann::json::parse(answer.out)["results"]["curve"];
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(curve["lower"][k].get<double>() < curve["risk"][k].get<double>());
    CHECK(curve["upper"][k].get<double>() > curve["risk"][k].get<double>());
  }
}

TEST_CASE("a bound is shown with its last digit rounded up", "[tools][risk]") {
  const std::string question = "risk glm --records 65536 --epsilon 0.2 --delta 1e-5 --rank 2000";
  const auto json = nlohmann::json::parse(run_program(words(question + " --format json")).out);
  const double bound = json["results"]["risk_bound"];
  const std::string text = run_program(words(question)).out, label = "smallest bound on the excess risk: ";
  REQUIRE(text.find(label) != std::string::npos);
  const double shown = std::stod(text.substr(text.find(label) + label.size()));
  CHECK(shown >= bound);
  CHECK(shown <= bound * (1.0 + 1e-7));
}

TEST_CASE("the start alone is a curve of one point, and a risk out of reach is told", "[tools][risk]") {
  const std::string file = " --problem " + example("least-squares.json");
  CHECK(run_program(words("risk noisy-least-squares --times 0" + file)).exit_code == 0);
  const auto picture = run_program(words("risk noisy-least-squares --times 0 --plot no.svg" + file));
  CHECK(picture.exit_code == 2);
  CHECK(picture.err.find("no curve to draw") != std::string::npos);
  const auto answer = run_program(words("risk noisy-least-squares --times 1 --target-risk 1e-9" + file));
  CHECK(answer.exit_code == 3);
  CHECK(answer.err.find("--target-risk: 1e-09 is not reached") != std::string::npos);
}

TEST_CASE("an unstable step is named, not hidden", "[tools][risk]") {
  const auto answer = run_program(words("risk noisy-least-squares --step-size 1e5 --times 0.1,200 --problem " +
                                        example("least-squares-figure-2a.json")));
  CHECK(answer.exit_code == 0);
  CHECK(std::regex_search(answer.out, std::regex("grows\\s+without\\s+bound")));
  CHECK(answer.out.find("plateau of the population risk: inf") != std::string::npos);
}

TEST_CASE("problem files with mistakes exit with the key and the reason", "[tools][risk][errors]") {
  struct Row {
    std::string from, to, message;
    int exit_code;
  };
  const std::vector<Row> rows{{"\"sigma\": 1.5", "\"sgima\": 1.5", "did you mean sigma", 2},
                              {"\"sigma\": 1.5", "\"sigma\": -1.5", "sigma: -1.5 is outside [0, inf)", 3},
                              {"\"sigma\": 1.5", "\"sigma\": \"big\"", "sigma: \"big\" is not a number", 2},
                              {"[1000]", "[1000.5]", "multiplicity = 1000.5", 3},
                              {"[1000]", "[1000, 2]", "number of multiplicities", 3},
                              {"\"blocks\"", "\"block\"", "did you mean blocks", 2},
                              {"\"eta\": 0.05", "\"schedule\": 0.05", "is not an object", 2},
                              {"\"eta\": 0.05", "\"schedule\": {\"type\": \"cosine\", \"gamma0\": 1, \"gamma1\": 0}",
                               "schedule.T: missing key", 2},
                              {"-0.67937515005862405", "-67", "dot_x0_xtilde", 3},
                              {"\"dim\": 1000,", "", "dim: missing key", 2},
                              {"\"dim\": 1000,", "\"dim\": 1000,,", "", 2}};
  for (const Row& row : rows) {
    const auto answer = run_program({"risk", "noisy-least-squares", "--problem", spoilt(row.from, row.to)});
    CAPTURE(row.from, row.to, answer.err);
    CHECK(answer.exit_code == row.exit_code);
    CHECK(answer.err.find(row.message) != std::string::npos);
  }
  CHECK(run_program({"risk", "noisy-least-squares", "--problem", "/nowhere.json"}).exit_code == 5);
  CHECK(run_program({"risk", "noisy-least-squares"}).exit_code == 2);
  CHECK(
      run_program(words("risk noisy-least-squares --times 1 --iterations 5 --problem " + example("least-squares.json")))
          .exit_code == 2);
}

TEST_CASE("every risk problem has help, and its examples work as they stand", "[tools][risk][help]") {
  for (const auto& problem : dpcurves::queries::risk_problems()) {
    CHECK(run_program({"risk", problem.name, "--help"}).out.find("Examples") != std::string::npos);
    for (std::string line : problem.examples) {
      for (const auto& [name, folder] :
           {std::pair{std::string("data/"), std::string(DPCURVES_SOURCE_DIR) + "/"},
            {std::string("--plot "), "--plot " + std::filesystem::temp_directory_path().string() + "/dpcurves-"}}) {
        if (const auto place = line.find(name); place != std::string::npos) {
          line.replace(place, name == "data/" ? 0 : name.size(), folder);
        }
      }
      const auto answer = run_program(words("risk " + problem.name + " " + line));
      CAPTURE(line, answer.err);
      CHECK(answer.exit_code == 0);
    }
  }
}
