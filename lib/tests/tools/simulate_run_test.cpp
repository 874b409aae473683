// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// simulate PROCESS --run FILE: training as a run file says it, and what is said where no run file can be drawn.
#include <string>

#include <nlohmann/json.hpp>

#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/glyph_folder.hpp"
#include "tools/process.hpp"

using Catch::Matchers::Contains;
using dpcurves::test::answer;
using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

/// A run file of 90 records with one phase. \param phase, rest  further lines of TOML, with literal line feeds.
std::string run_file(const std::string& phase, const std::string& rest = "") {
  return "schema = \"dpcurves/run/1\"\n[records]\ncount = 90\n[[phases]]\nsteps = 6\n" + phase +
         "\n[clipping]\nnorm = 0.5\n[privacy]\nadjacency = \"add-or-remove\"\nrelease = \"all-steps\"\n" + rest;
}

}  // namespace

TEST_CASE("a training draws what a run file says as what options say", "[tools][simulate][run]") {
  const std::string poisson = "sampler = \"poisson\"\nsampling_rate = 0.1\nnoise_multiplier = 1.2";
  const std::string step = "[model]\nstep_size = 0.4\n";
  struct Case {
    std::string process, file, options;
  };
  const auto row = GENERATE_COPY(
      Case{"kan", run_file(poisson, step + "[noise]\nstrategy = \"lambda\"\nlambda = 0.5\n"),
           "--records 90 --batch-size 9 --iterates 7 --noise-multiplier 1.2 --clip 0.5 --step-size 0.4 --lambda 0.5"},
      Case{"kan", run_file("sampler = \"fixed-size\"\nbatch_size = 9\nnoise = 0.6"),
           "--records 90 --sampling fixed-size --batch-size 9 --iterates 7 --noise-multiplier 1.2 --clip 0.5"},
      Case{"mlp", run_file(poisson, step),
           "--records 90 --batch-size 9 --steps 6 --noise-multiplier 1.2 --clip 0.5 --step-size 0.4"},
      Case{"long-tail --signal 1 --ncr 3", run_file(poisson, step),
           "--records 90 --sampling poisson --batch-size 9 --steps 6 --noise-multiplier 1.2 --clip 0.5 --step-size "
           "0.4"},
      Case{"influence", run_file("sampler = \"shuffled\"\nbatch_size = 9\nnoise_multiplier = 1.2", step),
           "--records 90 --batch-size 9 --steps 6 --noise-multiplier 1.2 --clip 0.5 --step-size 0.4"});
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "run.toml").string();
  dpcurves::io::write_file(file, row.file);
  const std::string line = "simulate " + row.process + " --paths 2 ";
  CAPTURE(line, row.file);
  const auto drawn = answer(words(line + "--run " + file));
  CHECK(drawn["results"] == answer(words(line + row.options))["results"]);
  // What was drawn is a run file again, which draws the same.
  const std::string again = (folder.path / "again.json").string();
  dpcurves::io::write_file(again, drawn["run"].dump());
  CHECK(answer(words(line + "--run " + again))["results"] == drawn["results"]);
  // Options given beside the file win and are in the run that is echoed.
  const auto other = answer(words(line + "--step-size 0.2 --noise-multiplier 3 --run " + file));
  CHECK(other["inputs"]["step_size"] == 0.2);
  CHECK(other["run"]["phases"][0]["noise_multiplier"] == 3.0);
  CHECK(other["results"] != drawn["results"]);
}

TEST_CASE("a strategy by its coefficients trains as lambda-CGD does", "[tools][simulate][run]") {
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "run.toml").string();
  const std::string phase = "sampler = \"poisson\"\nbatch_size = 9\nnoise_multiplier = 1.2";
  dpcurves::io::write_file(
      file, run_file(phase, "[noise]\nstrategy = \"file\"\ncoefficients = [1, 0.5, 0.25, 0.125, 0.0625, 0.03125]\n"));
  const auto by_matrix = answer(words("simulate kan --paths 3 --run " + file))["results"];
  dpcurves::io::write_file(file, run_file(phase, "[noise]\nstrategy = \"lambda\"\nlambda = 0.5\n"));
  const auto by_lambda = answer(words("simulate kan --paths 3 --run " + file))["results"];
  CHECK(by_matrix[0]["strategy"] == "coefficients");
  CHECK(by_matrix[0]["train_loss"].get<double>() == Approx(by_lambda[0]["train_loss"].get<double>()).epsilon(1e-12));
}

TEST_CASE("softmax regression takes batches and noise of a run file", "[tools][simulate][run]") {
  const dpcurves::test::Folder folder;
  dpcurves::test::write_glyphs(folder.path, 200, 100);
  const std::string file = (folder.path / "run.toml").string();
  dpcurves::io::write_file(
      file,
      "schema = \"dpcurves/run/1\"\n[records]\ncount = 200\n[[phases]]\nsteps = 20\nsampler = \"cyclic\"\n"
      "batch_size = 20\nnoise = 0.05\n[clipping]\nnorm = 4\nnoise_on = \"mean\"\n[privacy]\n"
      "adjacency = \"replace-one\"\nrelease = \"last-iterate\"\n[model]\nstep_size = 0.5\n");
  const std::string line = "simulate noisy-cgd --loss softmax --repetitions 2 --data " + folder.path.string() + " ";
  const auto drawn = answer(words(line + "--run " + file));
  const auto typed = answer(words(line + "--noise 0.05 --clip 4 --batch-size 20 --epochs 2 --step-size 0.5"));
  CHECK(drawn["train"]["runs"] == typed["train"]["runs"]);
  CHECK(drawn["epsilon"] == typed["epsilon"]);
}

TEST_CASE("a run that a training cannot draw is refused by its key", "[tools][simulate][run][errors]") {
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "run.toml").string();
  const auto refused = [&](const std::string& process, const std::string& text) {
    dpcurves::io::write_file(file, text);
    const auto spoken = run_program(words("simulate " + process + " --run " + file));
    CHECK(spoken.exit_code > 1);
    return spoken.err;
  };
  const std::string noise = "\nnoise_multiplier = 1", sized = "sampler = \"poisson\"\nbatch_size = 9" + noise;
  CHECK_THAT(refused("mlp", run_file("sampler = \"shuffled\"\nbatch_size = 9" + noise)),
             Contains("phases[0].sampler: simulate mlp draws sampler = \"poisson\"; simulate dp-sgd --run"));
  CHECK_THAT(refused("mlp", run_file(sized, "[noise]\nstrategy = \"lambda\"\nlambda = 0.5\n")),
             Contains("noise.strategy: simulate mlp has independent noise; simulate kan --run"));
  CHECK_THAT(refused("kan", run_file(sized, "[noise]\nstrategy = \"bsr\"\nbands = 3\n")),
             Contains("noise.strategy: simulate kan draws") && Contains("simulate correlated --run"));
  CHECK_THAT(refused("mlp", run_file("sampler = \"poisson\"\nbatch_size = 9")),
             Contains("noise_multiplier: missing key"));
  CHECK_THAT(refused("mlp", run_file(sized + "\n[[phases]]\nsteps = 2\n" + sized)), Contains("one kind of steps"));
  CHECK_THAT(refused("mlp", run_file(sized, "[model]\ndiameter = 2\n")), Contains("model.diameter: simulate mlp"));
  CHECK_THAT(refused("kan --data " + std::string(DPCURVES_SOURCE_DIR) + "/data/datasets/two-classes.csv",
                     run_file("sampler = \"poisson\"\nsampling_rate = 0.1" + noise)),
             Contains("--batch-size: is required beside --data FILE"));
}

TEST_CASE("correlated noise: the theorem holds, a claim a little smaller does not", "[tools][simulate][correlated]") {
  struct Case {
    std::string setting, theorem, control;  // a mu that the draws refute
    double resolution;                      // at least
  };
  const auto row = GENERATE(
      // A rule says the uses: the theorem is attained.
      Case{"--noise-multiplier 8 --strategy bsr --bands 10 --steps 100 --epochs 5", "derived-5", "mu = 2.4/kappa", 0.8},
      Case{"--noise-multiplier 2 --strategy lambda --lambda 0.5 --steps 40 --participation single", "derived-5",
           "mu = 1/kappa", 0.7},
      // Independent noise: the pair of the theorem is attained.
      Case{"--noise-multiplier 1 --sampling-rate 0.05 --steps 20 --lambda 0 --adjacency add", "theorem-f.8",
           "mu = 0.7 * r * sqrt(T)", 0.8},
      Case{"--noise-multiplier 1 --sampling-rate 0.05 --steps 20 --lambda 0 --adjacency remove", "theorem-f.8",
           "mu = r * sqrt(T)", 0.8},
      Case{"--noise-multiplier 8 --sampling-rate 0.1 --steps 100 --lambda 0.9", "derived-3", "mu = 1", 0.7},
      Case{"--noise-multiplier 8 --sampling fixed-size --sampling-rate 0.1 --steps 100 --lambda 0.9", "derived-4",
           "mu = 0.8", 0.7},
      Case{"--noise-multiplier 3 --strategy bsr --bands 4 --steps 40 --sampling cyclic-poisson --groups 4 "
           "--sampling-rate 0.5",
           "derived-6", "mu = 0.5", 0.7});
  const std::string line = "simulate correlated " + row.setting + " --paths 100000";
  CAPTURE(line);
  const auto drawn = answer(words(line));
  CHECK(drawn["theorem"] == "kan-correlated-noise/" + row.theorem);
  CHECK(drawn["verdict"] == "holds");
  CHECK(drawn["resolution"].get<double>() > row.resolution);
  auto arguments = words(line + " --claim");
  arguments.push_back(row.control);
  CHECK(run_program(arguments).exit_code == 1);
  // Its run draws the same.
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "run.json").string();
  dpcurves::io::write_file(file, drawn["run"].dump());
  CHECK(answer(words("simulate correlated --paths 100000 --run " + file))["results"] == drawn["results"]);
  // The default process of --run refuses it and says which command reads it.
  CHECK_THAT(run_program(words("simulate --run " + file)).err, Contains("correlated --run"));
}

TEST_CASE("a process that no run file describes says what to type", "[tools][simulate][run][errors]") {
  const auto said = [](const std::string& process) {
    const auto spoken = run_program(words("simulate " + process + " --run run.toml"));
    CHECK(spoken.exit_code == 2);
    return spoken.err;
  };
  for (const char* process : {"glm", "relu-regression", "two-layer"}) {
    CHECK_THAT(said(process), Contains("there is no --run") && Contains("type --epsilon E --delta D --records n") &&
                                  Contains("simulate dp-sgd --run FILE"));
  }
  for (const char* process : {"noisy-sgd-least-squares", "hsgd", "conditional-noisy-sgd"}) {
    CHECK_THAT(said(process), Contains("type --problem FILE.json"));
  }
  CHECK_THAT(said("samples"), Contains("--samples P.csv,Q.csv"));
}
