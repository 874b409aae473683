// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The first five minutes: names of other libraries, epochs, phases from a file, words for what is misspelt, and no
// answer that rests on what nobody has said.
#include <algorithm>

#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/answers.hpp"

using Catch::Contains;
using dpcurves::test::cyclic;
using dpcurves::test::Folder;
using dpcurves::test::result;
using dpcurves::test::results;
using dpcurves::test::run_program;
using dpcurves::test::training;
using Json = nlohmann::json;
using dpcurves::test::words;

TEST_CASE("the same training by the names of other libraries", "[tools][first-minutes]") {
  const auto usual = result("privacy dp-sgd --noise-multiplier 1.1 " + training + "--steps 14063 --delta 1e-5");
  const auto other = GENERATE(
      as<std::string>{}, "--noise_multiplier 1.1 --batch_size 256 --records 60000 --epochs 60 --target_delta 1e-5",
      "--sigma 1.1 --batch-size 256 --records 60000 --steps 14063 --max-grad-norm 1.5 --target-delta=1e-5",
      "--noise-multiplier=1.1 --sample-rate 0.004266666666666667 --steps 14063 --delta 1e-5",
      "--noise-multiplier 1.1 --sampling_probability 0.004266666666666667 --steps 14063 --delta 1e-5");
  CAPTURE(other);
  CHECK(result("privacy dp-sgd " + other).at("epsilon").at("upper") == usual.at("epsilon").at("upper"));
}

TEST_CASE("epochs are whole steps, rounded up, and said", "[tools][first-minutes]") {
  const auto answer =
      run_program(words("privacy dp-sgd --noise-multiplier 1.1 " + training + "--epochs 60 --delta 1e-5"));
  CHECK_THAT(answer.out, Contains("60 epochs are 14063 steps"));
  CHECK_THAT(run_program(words("privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --epochs 3 --delta 1e-5")).err,
             Contains("--epochs: needs --records and --batch-size"));
  CHECK_THAT(
      run_program(words("privacy dp-sgd --noise-multiplier 1 " + training + "--epochs 3 --steps 4 --delta 1e-5")).err,
      Contains("--steps and --epochs exclude each other"));
  // In a fixed order the last, smaller batch of an epoch is dropped: 234 whole ones.
  CHECK_THAT(run_program(words("privacy dp-sgd --sampling shuffled --noise-multiplier 1 " + training +
                               "--epochs 2 --delta 1e-5"))
                 .out,
             Contains("2 epochs are 468 steps"));
}

TEST_CASE("epochs are solved for, whole ones", "[tools][first-minutes]") {
  const auto solved =
      results("calibrate dp-sgd --solve-for epochs --noise-multiplier 1.1 " + training + "--epsilon 3 --delta 1e-5");
  const int epochs = solved.at("value").get<int>();
  CHECK(epochs == 91);
  const auto at = [&](int count) {
    return result("privacy dp-sgd --noise-multiplier 1.1 " + training + "--epochs " + std::to_string(count) +
                  " --delta 1e-5")
        .at("epsilon")
        .at("upper")
        .get<double>();
  };
  CHECK(at(epochs) <= 3.0);
  CHECK(at(epochs + 1) > 3.0);
  const auto both = run_program(words("calibrate dp-sgd --solve-for epochs --steps 9 --noise-multiplier 1.1 " +
                                      training + "--epsilon 3 --delta 1e-5"));
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("--steps leaves nothing to solve for in epochs"));
}

TEST_CASE("a rate may be a ratio, and a list where one number belongs is sent to --sweep", "[tools][first-minutes]") {
  const std::string rest = " --noise-multiplier 1.1 --steps 100 --delta 1e-5";
  CHECK(result("privacy dp-sgd --sampling-rate 256/60000" + rest).at("epsilon") ==
        result("privacy dp-sgd --sampling-rate 0.004266666666666667" + rest).at("epsilon"));
  for (const char* text : {"256/0", "1/", "/2", "1/2/3", "256/-1"}) {
    const auto refused = run_program(words("privacy dp-sgd --sampling-rate " + std::string(text) + rest));
    CAPTURE(text);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("is not a number in [0, 1]"));
  }
  CHECK_THAT(run_program(words("privacy dp-sgd --steps 9/3 --noise-multiplier 1 --sampling-rate 0.1 --delta 1e-5")).err,
             Contains("--steps: \"9/3\" is not a number"));
  CHECK_THAT(
      run_program(words("privacy dp-sgd --noise-multiplier 1.1 " + training + "--epochs 10,20 --delta 1e-5")).err,
      Contains("for an answer of each, --sweep epochs=10,20"));
}

TEST_CASE("mu that rare losses set is explained, others are not", "[tools][first-minutes]") {
  const auto sampled =
      run_program(words("privacy dp-sgd --noise-multiplier 1.1 " + training + "--epochs 60 --delta 1e-5"));
  CHECK_THAT(sampled.out, Contains("mu: 107.80684 covers the rarest losses too"));
  CHECK_THAT(run_program(words("privacy gaussian --noise-multiplier 5 --compositions 10 --delta 1e-5")).out,
             !Contains("rarest losses"));
}

TEST_CASE("epochs of a random order are whole ones where the rate is no double", "[tools][first-minutes]") {
  // 1/3 is not a double: rounded up, its inverse is just below 3.
  for (const auto& [batch, records] : {std::pair{1, 3}, {7, 49}, {2, 14}, {256, 60000}}) {
    const std::string sizes = " --batch-size " + std::to_string(batch) + " --records " + std::to_string(records);
    const auto three =
        result("privacy dp-sgd --sampling shuffled --noise-multiplier 1 --delta 1e-5 --epochs 3" + sizes);
    const auto releases = result("privacy gaussian --noise-multiplier 1 --compositions 3 --delta 1e-5");
    CAPTURE(sizes);
    CHECK(three.at("all").at(0).at("epsilon").at("upper").get<double>() ==
          Approx(releases.at("epsilon").at("upper").get<double>()).epsilon(1e-12));
  }
}

TEST_CASE("a misspelt option, command or place is answered with the right one", "[tools][first-minutes]") {
  struct Row {
    std::string line;
    std::string said;
  };
  const auto row = GENERATE(
      Row{"privacy dp-sgd --noise-multipler 1.1 --steps 3",
          "no option --noise-multipler, did you mean --noise-multiplier?"},
      Row{"privacy --noise-multiplier 1.1 --steps 3", "privacy: needs one of noisy-gd, noisy-cgd"},
      Row{"privacy dp-sgd -q 0.1", "there is no option -q: names are written out behind two dashes"},
      Row{"privacy dp-sgd --theorem accountant/central-limit",
          "no option --theorem here; dpcurves curve tradeoff dp-sgd has it"},
      Row{"attack dp-sgd --certificate c.json", "no option --certificate here; dpcurves privacy dp-sgd has it"},
      Row{"privacy gaussian --noise-multiplier 1 --compositions 2 --delta ,", "--delta: its value is missing, [0, 1]"},
      Row{"privacy gaussian --noise-multiplier 1e400 --compositions 2 --delta 1e-5",
          "--noise-multiplier: \"1e400\" is too large for a double"},
      Row{"privacy gaussian --noise-multiplier 1e-400 --compositions 2 --delta 1e-5",
          "--noise-multiplier: \"1e-400\" is too small for a double"},
      Row{"privacy gaussian --noise-multiplier 1 --compositions 2 --delta 1e-5 --threads 5000",
          "--threads: \"5000\" is no whole number in [0, 1024]"},
      Row{"privacy gaussian --noise-multiplier 1 --compositions 2 --delta 1e-5 --config a --config b",
          "--config: is given 2 times; it takes one value, FILE.toml"},
      Row{"privacy gaussian --noise-multiplier 1 --compositions 2 --delta 1e-5 --format yaml",
          "--format: \"yaml\" is not one of text|json|csv"},
      Row{"privacy dp-sgd --sample-rte 0.1", "did you mean --sample-rate?"},
      Row{"dp-sgd --steps 3", "dpcurves privacy dp-sgd"}, Row{"curve dp-sgd", "dpcurves curve tradeoff dp-sgd"},
      Row{"simulate sgd", "did you mean dp-sgd?"}, Row{"simulate nosy-sgd", "did you mean noisy-sgd?"},
      Row{"privcy dp-sgd", "did you mean privacy?"}, Row{"theorem show 4.99", "did you mean 4.9?"},
      Row{"theorem list --paper bok2025", "did you mean bok2024?"},
      Row{"simulate noisy-least-squares", "did you mean noisy-sgd-least-squares?"},
      Row{"calibrate dp-sgd --solve-for sigma --epsilon 1 --delta 1e-5", "did you mean noise-multiplier?"},
      Row{"privacy dp-sgd --phase 10:512:1.1 --delta 1e-5", "write 512/RECORDS"},
      Row{"privacy dp-sgd", "dpcurves privacy dp-sgd --noise-multiplier"},  // what is required, in an example
      Row{"privacy noisy-least-squares", "--renyi-order 2,4"},
      Row{"theorem list --paper noisy-hsdg", "did you mean noisy-hsgd?"},
      Row{"privacy noisy-cgd --effective-sensitivity 1 --batch-size 256 --records 60000 --epochs 1", "250 and 300 do"},
      Row{"theorem search no-such-word", "fewer words find more"},
      Row{"privacy dp-sgd --noise-multiplier 1 --delta", "--delta: its value is missing, [0, 1]"},
      Row{"privacy dp-sgd --delta --noise-multiplier 1", "--delta: its value is missing"},
      Row{"validate --report", "--report: its value is missing, DIR"},
      Row{"curve", "curve: needs one of tradeoff, profile, renyi, attack"}, Row{"simulate", "influence, glm"});
  const auto answer = run_program(words(row.line));
  CAPTURE(row.line, answer.err);
  CHECK(answer.exit_code == 2);
  CHECK_THAT(answer.err, Contains(row.said));
}

TEST_CASE("help is a word too, and marks what is required", "[tools][first-minutes]") {
  CHECK(run_program({"help"}).out == run_program({"--help"}).out);
  const auto help = run_program(words("help privacy dp-sgd"));
  CHECK(help.out == run_program(words("privacy dp-sgd --help")).out);
  const auto required = help.out.find("Required");
  REQUIRE(required != std::string::npos);
  CHECK(help.out.find("--noise-multiplier", required) < help.out.find("Batches"));
}

TEST_CASE("formulas of theorems are lines of text", "[tools][first-minutes]") {
  const auto shown = run_program(words("theorem show shifted-interpolation/theorem-4.9")).out;
  CHECK_THAT(shown, Contains("c^(N+1)") && !Contains("^{"));
  const auto corr = run_program(words("theorem show shifted-interpolation/definition-c.1")).out;
  CHECK_THAT(corr, Contains("X_(k+1) = Proj_K(phi_(k+1)(X_k) + Z_(k+1))"));
  std::string all;
  const auto list = Json::parse(run_program(words("theorem list --format json")).out);
  for (std::size_t i = 0; i < list.size(); i += 7) {
    all += run_program({"theorem", "show", list[i].at("id").get<std::string>()}).out;
  }
  CHECK_THAT(all, !Contains("^{") && !Contains("_{"));
}

TEST_CASE("every branch of the commands has examples of its own", "[tools][first-minutes]") {
  CHECK_THAT(run_program(words("theorem --help")).out,
             Contains("dpcurves theorem show 4.9") && !Contains("Ask for a number"));
  CHECK_THAT(run_program(words("generate --help")).out,
             Contains("dpcurves generate man-page") && !Contains("Ask for a number"));
  CHECK_THAT(run_program(words("run convert --help")).out, Contains("from TOML to JSON or back"));
  CHECK_THAT(run_program(words("run import --help")).out, Contains("from what another tool wrote"));
}

TEST_CASE("theorems are found by number, key and words", "[tools][first-minutes]") {
  CHECK_THAT(run_program(words("theorem show theorem-4.9")).out, Contains("shifted-interpolation/theorem-4.9"));
  CHECK_THAT(run_program(words("theorem show bok2024/4.9")).out, Contains("shifted-interpolation/theorem-4.9"));
  const auto several = run_program(words("theorem show 4.2"));
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, Contains("shifted-interpolation/theorem-4.2") && Contains("noisy-hsgd/theorem-4.2"));
  CHECK(run_program(words("theorem list --paper bok2024")).out ==
        run_program(words("theorem list --paper shifted-interpolation")).out);
  CHECK_THAT(run_program(words("theorem search random allocation")).out, Contains("accountant/random-allocation"));
  CHECK_THAT(run_program({"theorem", "search", "cyclic convex"}).out, Contains("theorem-4.6"));
  CHECK(Json::parse(run_program(words("theorem search no-such-word --format json")).out).empty());
}

TEST_CASE("what nobody has said wins nothing", "[tools][first-minutes]") {
  const std::string composed = "shifted-interpolation/theorem-4.4";
  const auto silent = result("privacy " + cyclic + "--delta 1e-5");
  CHECK(silent.at("theorem") == composed);
  CHECK(silent.at("epsilon").at("upper").get<double>() > 164.0);
  const auto& all = silent.at("all");
  const auto convex_one = std::find_if(
      all.begin(), all.end(), [](const Json& row) { return row.at("theorem") == "shifted-interpolation/derived-2"; });
  REQUIRE(convex_one != all.end());
  CHECK(convex_one->at("unsaid").at(0).at("remedy").get<std::string>().find("contraction") != std::string::npos);
  const auto convex = result("privacy " + cyclic + "--convex --delta 1e-5");
  CHECK(convex.at("theorem") == "shifted-interpolation/derived-2");
  CHECK(convex.at("epsilon").at("upper").get<double>() == Approx(10.47194).epsilon(1e-6));
  CHECK(convex.at("assumed").size() == 4);
  CHECK(result("privacy " + cyclic + "--convex --release all --delta 1e-5").at("theorem") == composed);
  CHECK(result("privacy " + cyclic + "--contraction 1 --delta 1e-5").at("theorem") != composed);
  // Smoothness alone does not say that losses are convex.
  const std::string smooth = cyclic + "--step-size 0.1 --smoothness 1 --delta 1e-5 ";
  CHECK(result("privacy " + smooth).at("theorem") == composed);
  CHECK(result("privacy " + smooth + "--strong-convexity 0").at("theorem") != composed);
  // A calibration and a budget rest on the same.
  const std::string wanted =
      "calibrate noisy-cgd --solve-for epochs --sensitivity 2 --noise 0.0043 --batch-size 250 "
      "--records 60000 --epsilon 11 --delta 1e-5 ";
  const auto silently = results(wanted);
  CHECK(silently.at("theorem") == composed);
  CHECK(silently.at("all").at(3).at("promised") == false);
  const auto said = results(wanted + "--convex");
  CHECK(said.at("theorem") == "shifted-interpolation/derived-2");
  CHECK(said.at("value").get<double>() > 10.0 * silently.at("value").get<double>());
  CHECK_THAT(run_program(words("privacy " + cyclic + "--delta 1e-5")).out,
             Contains("not starred") && Contains("--convex"));
}

TEST_CASE("clipping norm and noise multiplier say the sensitivity and the noise", "[tools][first-minutes]") {
  const std::string rest = " --batch-size 250 --records 60000 --epochs 60 --convex --delta 1e-5";
  const auto upper = [&](const std::string& scale) {
    return result("privacy noisy-cgd " + scale + rest).at("epsilon").at("upper").get<double>();
  };
  const double multiplier = upper("--noise-multiplier 1.1");
  CHECK(upper("--clip 3 --noise-multiplier 1.1") == multiplier);
  CHECK(upper("--clip 1 --noise 0.0044") == Approx(multiplier).epsilon(1e-12));         // Z C/b
  CHECK(upper("--sensitivity 2 --noise 0.0044") == Approx(multiplier).epsilon(1e-12));  // L = 2 C
  CHECK(run_program(words("privacy noisy-cgd --clip 1 --sensitivity 2 --noise 1" + rest)).exit_code == 2);
  CHECK(run_program(words("privacy noisy-cgd --noise-multiplier 1 --noise 1" + rest)).exit_code == 2);
}

TEST_CASE("a result says how batches are drawn, who is a neighbour and what is assumed", "[tools][first-minutes]") {
  const auto json = results("privacy dp-sgd --noise-multiplier 1.1 " + training + "--epochs 60 --delta 1e-5");
  CHECK(json.at("inputs").at("sampling") == "poisson");
  CHECK(json.at("inputs").at("adjacency") == "add-or-remove");
  const auto& first = json.at("results").at(0);
  CHECK(first.at("sampling") == "poisson");
  CHECK(first.at("adjacency") == "add-or-remove");
  CHECK(first.at("assumed").size() == 1);
  CHECK(first.at("proved") == true);
  CHECK(first.at("all").at(2).at("proved") == false);  // the central limit
  const auto cgd = result("privacy " + cyclic + "--delta 1e-5");
  CHECK(cgd.at("sampling") == "cyclic");
  CHECK(cgd.at("adjacency") == "replace-one");
}

TEST_CASE("checks answer in JSON and mark their file", "[tools][first-minutes][checks]") {
  const Folder folder;
  const std::string file = (folder.path / "checks.json").string();
  dpcurves::io::write_file(file, R"([{"id": "good", "calculator": "shifted-interpolation/gdp-delta",
    "inputs": {"mu": 1, "eps": 1}, "outputs": {"delta": 0.12693673750664397}, "tolerance": {}},
    {"id": "bad, really", "calculator": "shifted-interpolation/gdp-delta",
     "inputs": {"mu": 1, "eps": 1}, "outputs": {"delta": 0.5}, "tolerance": {}}])");
  const auto answer = run_program({"eval", "--check", file, "--format", "json"});
  CHECK(answer.exit_code == 1);
  const auto json = Json::parse(answer.out);
  CHECK(json.at("passed") == 1);
  CHECK(json.at("failed") == 1);
  CHECK(json.at("checks").at(1).at("file") == file);
  CHECK(json.at("checks").at(0).at("failure").is_null());
  const auto marks = run_program({"eval", "--check", file, "--annotations", "github"});
  CHECK_THAT(marks.out, Catch::StartsWith("::error file=" + file + ",line=3,title=bad%2C really::"));
}

TEST_CASE("a sweep answers once for every value, and says which", "[tools][first-minutes][sweep]") {
  const std::string base = "privacy dp-sgd " + training + "--steps 1000 --delta 1e-5,1e-6 ";
  const auto json = results(base + "--sweep noise-multiplier=0.8:1.2:0.2");
  const auto& list = json.at("results");
  REQUIRE(list.size() == 6);
  CHECK(list.at(2).at("swept") == Json({{"option", "noise-multiplier"}, {"value", 1.0}}));
  CHECK(list.at(4).at("swept").at("value") == 1.2);
  CHECK(list.at(2).at("epsilon") == result(base + "--noise-multiplier 1").at("epsilon"));
  CHECK_FALSE(json.at("inputs").contains("noise_multiplier"));
  CHECK(results(base + "--sweep sigma=1,2").at("results").size() == 4);
  const auto csv = run_program(words(base + "--sweep noise-multiplier=1,2 --format csv")).out;
  CHECK_THAT(csv, Catch::StartsWith("noise-multiplier,target,theorem,best"));
  CHECK_THAT(run_program(words(base + "--sweep noise-multiplier=1,2")).out,
             Contains("noise-multiplier") && Contains("sampling:"));
  struct Row {
    std::string sweep;
    std::string said;
  };
  const auto row = GENERATE(
      Row{"noise-multipler=1,2", "did you mean noise-multiplier?"}, Row{"noise-multiplier=1:2", "FROM:TO:STEP"},
      Row{"noise-multiplier=1:2:-1", "FROM:TO:STEP"}, Row{"noise-multiplier=1:2:1e-9", "at most 100000"},
      Row{"noise-multiplier=a,b", "\"a\" is not a number"}, Row{"noise-multiplier", "of the form"},
      Row{"phases=a.csv", "takes a number"}, Row{"steps=1,2", "is given as well"},
      Row{"noise-multiplier=-1,2", "-1 is outside [0, inf)"}, Row{"noise-multiplier=1:2:0", "FROM:TO:STEP"});
  const auto answer = run_program(words(base + "--sweep " + row.sweep));
  CAPTURE(row.sweep, answer.err);
  CHECK(answer.exit_code == 2);
  CHECK_THAT(answer.err, Contains(row.said));
}

TEST_CASE("counts are integers in JSON, and the run is echoed", "[tools][first-minutes]") {
  const auto json = results("privacy dp-sgd --noise-multiplier 1.1 " + training + "--steps 14063 --delta 1e-5");
  CHECK(json.at("inputs").at("steps").is_number_integer());
  CHECK(json.at("inputs").at("noise_multiplier").is_number_float());
  CHECK(json.at("run").at("phases").at(0).at("steps") == 14063);
  const Folder folder;
  const std::string file = (folder.path / "run.json").string();
  dpcurves::io::write_file(file, json.at("run").dump());
  const auto again = results("privacy --run " + file);
  CHECK(again.at("results").at(0).at("epsilon") == json.at("results").at(0).at("epsilon"));
  CHECK(again.at("run") == json.at("run"));
  const auto attack = results("attack --run " + file + " --fpr 0.01");
  CHECK(attack.at("run") == json.at("run"));
}

TEST_CASE("little noise is answered, and curves of guarantees fall", "[tools][first-minutes]") {
  CHECK(result("privacy dp-sgd --noise-multiplier 0.03 --sampling-rate 0.01 --steps 2 --delta 1e-5")
            .at("epsilon")
            .at("upper")
            .get<double>() > 1000.0);
  const auto answer = result("privacy composition --component 100:0.01:15 --delta 1e-5").at("epsilon");
  CHECK(answer.at("lower").get<double>() <= answer.at("upper").get<double>());
  const auto curve = results(
                         "curve tradeoff correlated --noise-multiplier 100 --steps 100 --lambda 0.9 --sampling-rate "
                         "0.1 --from 0.43 --to 0.44 "
                         "--points 2")
                         .at("results")
                         .at("lower");
  CHECK(curve.at(0).get<double>() >= curve.at(1).get<double>());
  const auto refused =
      run_program(words("curve profile dp-sgd --noise-multiplier 1.1 --sampling-rate 0.01 --steps 100 "
                        "--theorem accountant/central-limit"));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("accountant/poisson-subsampled-gaussian"));
}

TEST_CASE("a problem file is shown, and what is wrong in one is said", "[tools][first-minutes]") {
  const std::string example = std::string(DPCURVES_SOURCE_DIR) + "/data/examples/least-squares.json";
  for (const char* command : {"risk noisy-least-squares", "simulate hsgd", "privacy noisy-least-squares"}) {
    const auto help = run_program(words(std::string(command) + " --help")).out;
    const auto start = help.find("A problem file:\n");
    REQUIRE(start != std::string::npos);
    const auto first = help.find('{', start), last = help.rfind('}');
    auto shown = Json::parse(help.substr(first, last + 1 - first));
    CHECK(shown.at("schedule").at("type") == "constant");
  }
  auto problem = Json::parse(dpcurves::io::read_file(example));
  problem.erase("records");
  const Folder folder;
  const std::string file = (folder.path / "problem.json").string();
  problem["schedule"]["type"] = "constnt";
  dpcurves::io::write_file(file, problem.dump());
  CHECK_THAT(run_program(words("risk noisy-least-squares --problem " + file)).err,
             Contains("inverse_time") && Contains("warmup_cosine") && Contains("did you mean constant?"));
  problem["schedule"] = {{"type", "constant"}, {"gamma0", 80}};
  dpcurves::io::write_file(file, problem.dump());
  CHECK_THAT(run_program(words("simulate hsgd --paths 5 --steps 5 --problem " + file)).out,
             Contains("is not below the largest stable one"));
  problem["schedule"]["gamma0"] = 0.1;
  dpcurves::io::write_file(file, problem.dump());
  CHECK_THAT(run_program(words("simulate hsgd --paths 5 --steps 5 --problem " + file)).out, !Contains("stable one"));
}

TEST_CASE("pictures say what they show", "[tools][first-minutes][plot]") {
  const Folder folder;
  const auto file = [&](const char* name) { return (folder.path / name).string(); };
  CHECK_THAT(run_program(words("risk kan --curve --plot " + file("kan.svg"))).err, Contains("--noise-multiplier"));
  REQUIRE(run_program(words("risk kan --curve --noise-multiplier 2 --plot " + file("kan.svg"))).exit_code == 0);
  CHECK_THAT(dpcurves::io::read_file(file("kan.svg")),
             Contains("<title>A_corr of Theorem 4.1") && !Contains("Gnuplot"));
  REQUIRE(run_program(words("simulate mlp --records 60 --steps 3 --paths 2 --width 4 --test-records 50 --plot " +
                            file("mlp.svg")))
              .exit_code == 0);
  CHECK_THAT(dpcurves::io::read_file(file("mlp.svg")), Contains("training loss") && Contains("non-private"));
}

TEST_CASE("pictures name their parameters as one types them, and have no empty decades",
          "[tools][first-minutes][plot]") {
  const Folder folder;
  const std::string sweep = (folder.path / "sweep.svg").string(), flat = (folder.path / "flat.svg").string();
  REQUIRE(run_program(words("privacy dp-sgd --noise-multiplier 1.1 --sampling-rate 0.01 --sweep steps=10,20 --delta " +
                            ("1e-5,1e-6 --plot " + sweep)))
              .exit_code == 0);
  CHECK_THAT(dpcurves::io::read_file(sweep), Contains("delta = 1e-05, 1e-06"));
  REQUIRE(run_program(words("risk long-tail --plot " + flat)).exit_code == 0);
  CHECK_THAT(dpcurves::io::read_file(flat), !Contains("1e-06") && !Contains("1e-12"));
  const auto silent = run_program(words(
      "privacy noisy-least-squares --problem " + std::string(DPCURVES_SOURCE_DIR "/data/examples/least-squares.json") +
      " --release last --renyi-order 2,4 --iterations 100 --plot " + (folder.path / "none.svg").string()));
  CHECK(silent.exit_code == 3);
  CHECK_THAT(silent.err, Contains("no value is finite"));
}

TEST_CASE("options and lists that the contract names are there", "[tools][first-minutes]") {
  const std::string question =
      "privacy dp-sgd --sampling b-min-sep --noise-multiplier 1 --sampling-rate 0.01 --steps 20 --delta 1e-5 ";
  CHECK(result(question + "--min-separation 4").at("epsilon") == result(question + "--separation 4").at("epsilon"));
  const auto list = [](const std::string& line) {
    const auto answer = run_program(words(line + " --list --format json"));
    CAPTURE(line, answer.err);
    REQUIRE(answer.exit_code == 0);
    return Json::parse(answer.out);
  };
  const Json tables = list("reproduce");
  CHECK(tables.size() > 20);
  CHECK(tables.at(0).at("id") == "shifted-interpolation/table-1");
  CHECK(tables.at(0).at("title").is_string());
  CHECK(
      run_program(words("reproduce --list --format csv")).out.starts_with("id,title\nshifted-interpolation/table-1,"));
  const Json cases = list("validate shifted-interpolation/theorem-4.2");
  REQUIRE(cases.size() == 1);
  CHECK(cases.at(0).at("id") == "shifted-interpolation/theorem-4.2");
  CHECK(cases.at(0).at("claim").is_string());
}

TEST_CASE("a curve of an approximation is refused as that", "[tools][first-minutes]") {
  const auto refused = run_program(words(
      "curve profile dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 100 --theorem accountant/central-limit"));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("accountant/central-limit") && Contains("is an approximation and no bound"));
}
