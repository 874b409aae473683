// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions whose run stands in a file: phases, --run and options beside it, budgets, transcripts.
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

TEST_CASE("phases stand in a file or in options, alone or behind the first", "[tools][first-minutes]") {
  const Folder folder;
  const std::string file = (folder.path / "phases.csv").string();
  dpcurves::io::write_file(file, "steps,noise_multiplier,batch_size\n1000,1.2,256\n500,0.9,512\n");
  const auto upper = [](const std::string& line) {
    return result("privacy dp-sgd " + line + " --delta 1e-5").at("epsilon").at("upper").get<double>();
  };
  const double both = upper("--phases " + file + " --records 60000");
  CHECK(both == upper("--phase 1000:256/60000:1.2 --phase 500:512/60000:0.9"));
  CHECK(both == upper("--noise-multiplier 1.2 --steps 1000 " + training + "--phase 500:512/60000:0.9"));
  CHECK(both > upper("--noise-multiplier 1.2 --steps 1000 " + training));
  const auto refused = [&](const std::string& text, const std::string& more = " --records 60000") {
    dpcurves::io::write_file(file, text);
    const auto answer = run_program(words("privacy dp-sgd --delta 1e-5 --phases " + file + more));
    CHECK(answer.exit_code >= 2);
    return answer.err;
  };
  CHECK_THAT(refused("steps,noise_multiplier,batch_size\n10,1,256\n", ""), Contains("--records is required"));
  CHECK_THAT(refused("steps,noise_multiplier\n10,1\n"), Contains("batch_size"));
  CHECK_THAT(refused("steps,noise_multiplier,sampling_rate\n10,1,0.1\n10,-1,0.1\n"),
             Contains("line 3") && Contains("noise_multiplier"));
  CHECK_THAT(refused("steps,noise_multiplier,sampling_rate\n1.5,1,0.1\n"), Contains("line 2") && Contains("steps 1.5"));
  CHECK_THAT(refused("steps,noise_multiplier,sampling_rate\n10,1,1.5\n"),
             Contains("sampling_rate 1.5 is outside [0, 1]"));
}

TEST_CASE("what a sampler cannot do without is asked for, on the command line and in files", "[tools][first-minutes]") {
  const auto refusal = [](const std::string& line) {
    const auto answer = run_program(words(line));
    CAPTURE(line, answer.err);
    CHECK(answer.exit_code == 2);
    return answer.err;
  };
  const std::string asked = "privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 10 --delta 1e-5 ";
  CHECK_THAT(refusal(asked + "--sampling truncated-poisson"), Contains("--largest-batch: is required"));
  CHECK_THAT(refusal(asked + "--sampling truncated-poisson --largest-batch 20"), Contains("--records: is required"));
  const Folder folder;
  const std::string file = folder.path / "run.toml";
  const auto write = [&](const std::string& sampler, const std::string& more) {
    dpcurves::io::write_file(file, "schema = \"dpcurves/run/1\"\n" + more +
                                       "[privacy]\nadjacency = \"add-or-remove\"\n" +
                                       "release = \"all-steps\"\n[[phases]]\nsteps = 10\nsampling_rate = 0.01\n" +
                                       "noise_multiplier = 1.0\nsampler = " + sampler + "\n");
  };
  const std::string records = "[records]\ncount = 1000\n";
  const std::string cut = "\"truncated-poisson\"\nlargest_batch = 20";
  const auto both = [&](const std::string& sampler, const std::string& more, const std::string& message) {
    write(sampler, more);
    for (const std::string line : {"run check ", "privacy dp-sgd --delta 1e-5 --run "}) {
      CHECK_THAT(refusal(line + file), Contains(file + ": " + message));
    }
  };
  both("\"truncated-poisson\"", records, "phases[0].largest_batch: is missing, with the sampler truncated-poisson");
  both(cut, "", "records.count: is missing, with the sampler truncated-poisson of phases[0]");
  both("\"cyclic-poisson\"", "", "phases[0].cycle: is missing");
  both("\"b-min-sep\"", "", "phases[0].separation: is missing");
  write(cut, records);
  CHECK(run_program(words("run check " + file)).exit_code == 0);
  const double upper = result("privacy dp-sgd --delta 1e-5 --run " + file).at("epsilon").at("upper");
  write("\"truncated-poisson\"", records);  // the option completes it
  CHECK(result("privacy dp-sgd --delta 1e-5 --largest-batch 20 --run " + file).at("epsilon").at("upper") == upper);
  const std::string log = folder.path / "log.csv";
  dpcurves::io::write_file(log,
                           "steps,noise_multiplier,sampling_rate,sampler,largest_batch,records\n"
                           "10,1,0.01,truncated-poisson,20,1000\n");
  CHECK(result("privacy dp-sgd --delta 1e-5 --run " + log).at("epsilon").at("upper") == upper);
}

TEST_CASE("no option beside --run is passed over", "[tools][first-minutes][run]") {
  const Folder folder;
  const std::string file = folder.path / "run.toml", bare = folder.path / "bare.toml";
  const std::string head =
      "schema = \"dpcurves/run/1\"\n[privacy]\nadjacency = \"add-or-remove\"\n"
      "release = \"all-steps\"\ndelta = 1e-5\n";
  const std::string steps =
      head + "[records]\ncount = 1000\n[[phases]]\nsteps = 100\nbatch_size = 10\nsampler = \"poisson\"\n";
  dpcurves::io::write_file(file, steps + "noise_multiplier = 1.1\n");
  dpcurves::io::write_file(bare, head + "[[releases]]\ncount = 1\nnoise_multiplier = 2.0\n");
  const auto upper = [&](const std::string& line) {
    return result("privacy " + line).at("epsilon").at("upper").get<double>();
  };
  const std::string same = "dp-sgd --noise-multiplier 1.1 --batch-size 10 --records 1000 --delta 1e-5 ";
  CHECK(upper("--run " + file + " --epochs 3") == upper(same + "--epochs 3"));
  CHECK(upper("--run " + file + " --steps 300") == upper(same + "--steps 300"));
  CHECK_THAT(run_program(words("privacy --run " + file + " --epochs 3")).out,
             Contains("--epochs of the command line replaces what the file says"));
  CHECK_THAT(run_program(words("privacy --run " + file + " --phase 5:0.1:2")).out,
             Contains("--phase of the command line is counted beside what the file says"));
  // Noise in units of the gradients: a larger clipping norm makes it smaller.
  dpcurves::io::write_file(file, steps + "noise = 3.3\n");
  CHECK(upper("--run " + file + " --clip 3") == Approx(upper(same + "--steps 100")).epsilon(1e-9));
  for (const std::string option : {"--noise-multiplier 5", "--steps 9", "--epochs 9", "--sampling-rate 0.5",
                                   "--batch-size 3", "--cycle 3", "--separation 2", "--uses-per-round 2"}) {
    const auto refused = run_program(words("privacy --run " + bare + " " + option));
    CAPTURE(option, refused.out);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains(option.substr(0, option.find(' '))));
  }
  const auto both = run_program(words("privacy --run " + file + " --steps 9 --epochs 9"));
  CHECK_THAT(both.err, Contains("--steps and --epochs exclude each other"));
}

TEST_CASE("a budget is of the delta of its file, whatever is asked", "[tools][first-minutes][run]") {
  const Folder folder;
  const std::string file = folder.path / "run.toml", echo = folder.path / "echo.json";
  dpcurves::io::write_file(file,
                           "schema = \"dpcurves/run/1\"\n[[phases]]\nsteps = 1000\nsampling_rate = 0.01\n"
                           "sampler = \"poisson\"\nnoise_multiplier = 1.1\n[privacy]\nadjacency = "
                           "\"add-or-remove\"\nrelease = \"all-steps\"\ndelta = 1e-5\nepsilon_budget = 1.0\n");
  // Epsilon is 1.515 at 1e-5 and .964 at 1e-3, which is no budget that was kept.
  for (const std::string& line : {"privacy --run " + file + " --delta 1e-3", "run check " + file + " --delta 1e-3"}) {
    const auto answer = run_program(words(line));
    CAPTURE(line);
    CHECK_THAT(answer.out, Contains("budget 1 at delta 1e-05: exceeded"));
    CHECK_THAT(answer.out, Contains("BUDGET-EXCEEDED"));
  }
  const auto json = results("privacy --run " + file + " --delta 1e-3");
  CHECK(json.at("transcript").at("overridden") == Json({"delta"}));
  CHECK(json.at("transcript").at("budget").at("delta") == 1e-5);
  CHECK(json.at("results").at(0).at("epsilon").at("upper").get<double>() < 1.0);
  // The echo asks at the other delta, of which nobody gave a budget.
  CHECK_FALSE(json.at("run").at("privacy").contains("epsilon_budget"));
  const auto moved = run_program(words("calibrate --run " + file + " --solve-for noise-multiplier --delta 1e-3"));
  CHECK(moved.exit_code == 2);
  CHECK_THAT(moved.err, Contains("the budget of " + file + " is epsilon 1 at delta 1e-05; give --epsilon"));
  CHECK(run_program(words("calibrate --run " + file + " --solve-for noise-multiplier --delta 1e-3 --epsilon 1"))
            .exit_code == 0);
  // What is typed beside the file spends of its budget.
  CHECK_THAT(run_program(words("privacy --run " + file + " --epsilon 2 --noise-multiplier 3")).out,
             Contains("budget 1 at delta 1e-05: kept"));
  CHECK_THAT(run_program(words("privacy --run " + file + " --noise-multiplier 3 --phase 100:0.1:1")).out,
             Contains("budget 1 at delta 1e-05: exceeded"));
}

TEST_CASE("a run that publishes its last iterate alone is not called broken by its steps",
          "[tools][first-minutes][run]") {
  const Folder folder;
  const std::string file = folder.path / "run.toml", claims = folder.path / "claims.csv";
  const auto verdict = [&](const std::string& release) {
    dpcurves::io::write_file(file,
                             "schema = \"dpcurves/run/1\"\n[[phases]]\nsteps = 1000\nsampling_rate = 0.01\n"
                             "sampler = \"poisson\"\nnoise_multiplier = 1.1\n[privacy]\nadjacency = "
                             "\"add-or-remove\"\nrelease = \"" +
                                 release + "\"\ndelta = 1e-5\n");
    dpcurves::io::write_file(claims, "id,run,claimed\na,run.toml,1.0\n");
    return Json::parse(run_program(words("referee " + claims + " --format json")).out).at("rows").at(0).at("verdict");
  };
  CHECK(verdict("all-steps") == "too small");
  CHECK(verdict("last-iterate") == "not comparable");
  CHECK_THAT(run_program(words("privacy --run " + file)).out, Contains("upper only") && Contains("(last-iterate)"));
}

TEST_CASE("a refusal that comes from a file names it, and speaks of batches", "[tools][first-minutes]") {
  const Folder folder;
  const std::string file = folder.path / "run.toml";
  dpcurves::io::write_file(file,
                           "schema = \"dpcurves/run/1\"\n[privacy]\nadjacency = \"add-or-remove\"\n"
                           "release = \"all-steps\"\n[[phases]]\nsteps = 10\nsampling_rate = 0.01\n"
                           "noise_multiplier = 1.0\nsampler = \"fixed-size\"\n");
  const auto refused = run_program(words("privacy dp-sgd --delta 1e-5 --run " + file));
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.err, Contains(file + ": phases[0]: fixed-size batches under adjacency add-or-remove") &&
                              Contains("give [records] count"));
  const std::string events = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/dp-event-08-unsupported.json";
  for (const std::string line : {"privacy dp-sgd --delta 1e-5 --run ", "run check ", "run import "}) {
    const auto answer = run_program(words(line + events));
    CHECK(answer.exit_code == 3);
    CHECK(answer.err.starts_with(events + ": $.events[1]"));
  }
}

TEST_CASE("a training log given as phases is sent where it is read", "[tools][first-minutes]") {
  const std::string log = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/log-01-two-phases.csv";
  const auto refused = run_program(words("privacy dp-sgd --delta 1e-5 --phases " + log));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("has a column first_step, so it is a training log") &&
                              Contains("dpcurves run import " + log + " --output run.toml"));
  // What it says to type answers, and both ways alike.
  const Folder folder;
  const std::string file = (folder.path / "run.toml").string();
  REQUIRE(run_program(words("run import " + log + " --output " + file)).exit_code == 0);
  const auto upper = [](const std::string& path) {
    return result("privacy --run " + path + " --delta 1e-5").at("epsilon").at("upper").get<double>();
  };
  CHECK(upper(file) == upper(log));
  const std::string json = (folder.path / "run.json").string();  // the name of the output says the form
  REQUIRE(run_program(words("run import " + log + " --output " + json)).exit_code == 0);
  CHECK(dpcurves::io::read_file(json).front() == '{');
  CHECK(upper(json) == upper(log));
}

TEST_CASE("a run file answers what it says", "[tools][first-minutes]") {
  const auto json = results("privacy dp-sgd --run " + std::string(DPCURVES_SOURCE_DIR) +
                            "/data/transcripts/dp-event-01-dpsgd.json --delta 1e-5");
  CHECK(json.contains("transcript"));
  CHECK(json.at("results").at(0).at("epsilon").at("upper").get<double>() > 0.0);
}

TEST_CASE("a run that releases its last iterate is simulated so", "[tools][first-minutes]") {
  const Folder folder;
  const std::string file = (folder.path / "run.toml").string();
  const auto tested = [&](const std::string& release) {
    dpcurves::io::write_file(
        file,
        "schema = \"dpcurves/run/1\"\n[[phases]]\nsteps = 20\nsampler = \"poisson\"\nsampling_rate = 0.5\n"
        "noise_multiplier = 2\n[privacy]\nadjacency = \"add-or-remove\"\nrelease = \"" +
            release +
            "\"\n"
            "[model]\nstep_size = 0.5\nstrong_convexity = 0.8\n");
    const auto spoken = run_program(words("simulate dp-sgd --paths 20000 --format json --run " + file));
    CAPTURE(spoken.err);
    REQUIRE(spoken.exit_code == 0);
    return Json::parse(spoken.out);
  };
  const auto steps = tested("all-steps"), last = tested("last-iterate"), mean = tested("average");
  CHECK(steps.at("seen") == "all steps");
  CHECK(last.at("seen") == "the last iterate");
  CHECK(mean.at("seen") == "the mean of the iterates");
  const auto mu = [](const Json& json) { return json.at("results").at(2).at("effective_mu").get<double>(); };
  CHECK(mu(last) < 0.8 * mu(steps));  // an iterate that contracts forgets
  CHECK(mu(mean) > mu(last));
  CHECK(last.at("notes").dump().find("curvature") != std::string::npos);
}
