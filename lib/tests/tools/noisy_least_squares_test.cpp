// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// `dpcurves privacy noisy-least-squares` as a user meets it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::answer;
using dpcurves::test::run_program;
using dpcurves::test::Spoken;
using dpcurves::test::words;
using nlohmann::json;

namespace {

const std::string example = std::string(DPCURVES_SOURCE_DIR) + "/data/examples/noisy-least-squares.json";

std::vector<std::string> question(const std::string& options, const std::string& problem = example) {
  return words("privacy noisy-least-squares --problem " + problem + " " + options);
}

Spoken ask(const std::string& options, const std::string& problem = example) {
  return run_program(question(options, problem));
}

}  // namespace

TEST_CASE("the example of noisy least squares works and says what it is worth", "[tools][least-squares]") {
  const auto spoken = ask("--release last --renyi-order 2,4,8,16 --iterations 10,30,60 --delta 1e-5");
  CHECK(spoken.exit_code == 0);
  for (const char* part : {"order limit", "DP share", "all 1770 pairs of the 60 records", "no certified",
                           "epsilon = ", "order 16: infinite", "worst pair"}) {
    CAPTURE(part);
    CHECK(spoken.out.find(part) != std::string::npos);
  }
  CHECK(run_program({"privacy", "noisy-least-squares", "--help"}).out.find("Example") != std::string::npos);
}

TEST_CASE("losses come with both ends, directions, limit and share", "[tools][least-squares]") {
  const auto found =
      answer(question("--release joint --renyi-order 1.5,100 --iterations 5,20 --pair 0:1 --delta 1e-5,1e-3"));
  CHECK(found["schema"] == "dpcurves/privacy/1");
  REQUIRE(found["results"].size() == 2);
  const json& result = found["results"][0];
  CHECK(result["theorem"] == "noisy-hsgd/theorem-4.4");
  CHECK(result["certified"] == false);
  CHECK(result["epsilon"]["lower"] <= result["epsilon"]["upper"]);
  REQUIRE(result["releases"].size() == 2);
  const json& first = result["releases"][0];
  CHECK(first["iteration"] == 5.0);
  const json& loss = first["renyi"][0]["loss"];
  CHECK(loss["lower"] < loss["upper"]);
  CHECK(loss["upper"] < 1.0001 * loss["lower"].get<double>());
  CHECK(first["renyi"][1]["loss"]["upper"] == "inf");
  CHECK(first["order_limit"]["first_to_second"].get<double>() < 100.0);
  CHECK(first["noise_share"].get<double>() < 1.0);
  CHECK(first["renyi"][0]["first_to_second"]["upper"] != first["renyi"][0]["second_to_first"]["upper"]);
}

TEST_CASE("the average loses less than all iterates, the printed form less than the corrected",
          "[tools][least-squares]") {
  const auto last_loss = [](const std::string& release) {
    const auto found = answer(question("--release " + release + " --renyi-order 1.5 --iterations 3,10,30 --pair 0:1"));
    return found["results"][0]["releases"][2]["renyi"][0]["loss"]["upper"].get<double>();
  };
  const double joint = last_loss("joint");
  CHECK(last_loss("average") < joint);
  CHECK(last_loss("joint-printed") < joint);
  CHECK(last_loss("last") < joint);
}

TEST_CASE("times and iterations name the same releases", "[tools][least-squares]") {
  const auto a = answer(question("--release last --renyi-order 2 --iterations 20 --pair 0:1"));
  const auto b = answer(question("--release last --renyi-order 2 --times 0.5 --pair 0:1"));
  CHECK(a["results"][0]["releases"] == b["results"][0]["releases"]);
}

TEST_CASE("the clipped baseline stands beside the loss", "[tools][least-squares]") {
  const auto found = answer(question("--release last --renyi-order 2 --iterations 20 --pair 0:1 --clip 1"));
  CHECK(found["results"][0]["releases"][0]["renyi"][0]["clipped_baseline"].get<double>() > 0.0);
}

TEST_CASE("wrong questions about noisy least squares are told by option and range", "[tools][least-squares]") {
  const auto check = [](const std::string& options, int code, const std::string& part) {
    const auto spoken = ask(options);
    CAPTURE(options, spoken.err);
    CHECK(spoken.exit_code == code);
    CHECK(spoken.err.find(part) != std::string::npos);
  };
  check("--release last --iterations 10", 2, "--renyi-order: is required");
  check("--release last --renyi-order 1 --iterations 10", 2, "--renyi-order");
  check("--release first --renyi-order 2 --iterations 10", 2, "--release");
  check("--release last --renyi-order 2", 2, "--iterations");
  check("--release last --renyi-order 2 --iterations 10 --times 1", 2, "--times");
  check("--release last --renyi-order 2 --iterations 10 --pair 0:99", 2, "--pair");
  check("--release last --renyi-order 2 --iterations 10 --pair zero", 2, "--pair");
  check("--release last --renyi-order 2 --iterations 100 --records 50", 2, "after the end of the pass");
  check("--release last --renyi-order 2 --iterations 10 --plot x.gif", 2, "--plot");
  CHECK(ask("--release last --renyi-order 2 --iterations 10", "/nowhere.json").exit_code == 5);
}

TEST_CASE("problems without records or with a step that explodes are refused by name", "[tools][least-squares]") {
  const auto folder = std::filesystem::temp_directory_path() / "dpcurves-least-squares-test";
  std::filesystem::create_directories(folder);
  const auto write = [&](json problem) {
    const auto path = (folder / "problem.json").string();
    std::ofstream(path) << problem.dump();
    return path;
  };
  std::filesystem::copy_file(std::filesystem::path(example).replace_extension(".csv"), folder / "records.csv",
                             std::filesystem::copy_options::overwrite_existing);
  json problem = json::parse(dpcurves::test::source_file("data/examples/noisy-least-squares.json"));
  problem.erase("records");
  auto spoken = ask("--release last --renyi-order 2 --iterations 10", write(problem));
  CHECK(spoken.exit_code == 3);
  CHECK(spoken.err.find("records") != std::string::npos);
  problem["records"] = "records.csv";
  problem["sigma"] = 0.0;
  spoken = ask("--release last --renyi-order 2 --iterations 10 --pair 0:1", write(problem));
  CHECK(spoken.exit_code == 0);
  CHECK(spoken.out.find("sigma = 0") != std::string::npos);
  problem["sigma"] = 2.0;
  problem["eta"] = 1e4;
  spoken = ask("--release last --renyi-order 2 --iterations 60 --pair 0:1", write(problem));
  CHECK(spoken.exit_code == 3);
  CHECK(spoken.err.find("step size is too large") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("iterations are whole where none are asked for, and a spectrum may have a line of names", "[tools][risk]") {
  const dpcurves::test::Folder folder;
  const auto write = [&](const char* name, const std::string& text) {
    const std::string path = folder.path / name;
    dpcurves::io::write_file(path, text);
    return path;
  };
  write("bare.csv", "2\n1\n");
  write("named.csv", "eigenvalue\n2\n1\n");
  std::vector<nlohmann::json> found;
  for (const std::string spectrum : {"bare", "named"}) {
    const auto file = write("problem.json", R"({"spectrum": {"type": "csv", "file": ")" + spectrum +
                                                R"(.csv"}, "dim": 2, "x0": {"type": "constant", "norm": 1}, "xtilde":
      {"type": "cosine", "scale": 1}, "E_xi2": 0.09, "delta": 0.1, "sigma": 1,
      "schedule": {"type": "constant", "gamma0": 0.3}})");
    const auto answer =
        dpcurves::test::run_program({"risk", "noisy-least-squares", "--problem", file, "--format", "json"});
    CAPTURE(spectrum, answer.err);
    REQUIRE(answer.exit_code == 0);
    found.push_back(nlohmann::json::parse(answer.out).at("results"));
  }
  CHECK(found[0] == found[1]);
  const std::string csv =
      dpcurves::test::run_program({"risk", "noisy-least-squares", "--problem",
                                   std::string(DPCURVES_SOURCE_DIR) + "/data/examples/noisy-least-squares.json",
                                   "--format", "csv"})
          .out;
  const auto table = dpcurves::io::parse_csv(csv, "answer");
  const auto& iterations = table["iteration"];
  CHECK(iterations.size() > 20);
  CHECK(std::all_of(iterations.begin(), iterations.end(), [](double k) { return std::abs(k - std::round(k)) < 1e-9; }));
}
