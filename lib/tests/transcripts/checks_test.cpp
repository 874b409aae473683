// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Each check fires on its file and not on the file that is mended.
#include <algorithm>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/transcripts/transcript.hpp>

using namespace dpcurves;

namespace {

const std::string folder = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/checks/";

std::vector<transcripts::Finding> findings(const std::string& text, const std::string& name) {
  return transcripts::check(transcripts::read(text, name, {}));
}
bool among(const std::vector<transcripts::Finding>& list, const std::string& id) {
  return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.id == id; });
}

/// A file of the folder, the finding that it must have, its level, and what mends it.
struct Row {
  const char* file;
  const char* id;
  transcripts::Level level;
  const char* wrong;
  const char* right;
};

constexpr auto red = transcripts::Level::red;
constexpr auto yellow = transcripts::Level::yellow;

}  // namespace

TEST_CASE("each check has a file that it finds, and is silent once it is mended", "[transcripts][checks]") {
  const auto row = GENERATE(values<Row>(
      {{"accumulation-rate.toml", "ACCUMULATION-RATE", red, "accumulation = 4", "accumulation = 1"},
       {"steps-count.toml", "STEPS-COUNT", red, "steps = 14063", "steps = 3516"},
       {"sampler-shuffled.toml", "SAMPLER-SHUFFLED", yellow, "\"shuffled\"", "\"fixed-size\""},
       {"sampler-weighted.toml", "SAMPLER-WEIGHTED", red, "\"weighted\"", "\"poisson\""},
       {"rate-against-sizes.toml", "RATE-AGAINST-SIZES", red, "sampling_rate = 0.125", "sampling_rate = 0.00016"},
       {"rate-above-one.toml", "RATE-ABOVE-ONE", red, "accumulation = 300", "accumulation = 3"},
       {"rate-drift.toml", "RATE-DRIFT", yellow, "sampling_rate = 0.0021", "sampling_rate = 0.004"},
       {"rate-multiple-of-batch.toml", "RATE-MULTIPLE-OF-BATCH", yellow, "accumulation = 1", "accumulation = 4"},
       {"normalisation-realised.toml", "NORMALISATION-REALISED", red, "\"realised\"", "\"expected\""},
       {"noise-on-mean.toml", "NOISE-ON-MEAN", red, "noise = 1.678466796875e-05", "noise = 0.004296875"},
       {"noise-twice.toml", "NOISE-TWICE", red, "noise = 5.0", "noise = 1.1"},
       {"clip-per-batch.toml", "CLIP-PER-BATCH", red, "\"batch\"", "\"record\""},
       {"clip-per-microbatch.toml", "CLIP-PER-MICROBATCH", yellow, "\"micro-batch\"", "\"record\""},
       {"adaptive-clip-unpriced.toml", "ADAPTIVE-CLIP-UNPRICED", red, "adaptive = true",
        "adaptive = true\nquantile_noise_multiplier = 10.0\nquantile_range = \"-1/2,1/2\""},
       {"adaptive-clip-convention.toml", "ADAPTIVE-CLIP-CONVENTION", yellow, "adaptive = true",
        "adaptive = true\nquantile_range = \"0/1\""},
       {"noise-varies.toml", "NOISE-VARIES", yellow, "noise_multiplier = 1.3", "noise_multiplier = 1.15"},
       {"steps-overlap.toml", "STEPS-OVERLAP", red, "first_step = 400", "first_step = 501"},
       {"steps-gap.toml", "STEPS-GAP", yellow, "first_step = 600", "first_step = 501"},
       {"seed-reused.toml", "SEED-REUSED", red, "sampler_key = \"7b\"", "sampler_key = \"7c\""},
       {"last-iterate-checkpoints.toml", "LAST-ITERATE-CHECKPOINTS", red, "checkpoints = [100, 200]", ""},
       {"sensitivity-regime.toml", "SENSITIVITY-REGIME", red, "coefficients = [1.0, -0.5]",
        "coefficients = [1.0, 0.5]"},
       {"selection.toml", "SELECTION", red, "best = true", "best = false"},
       {"user-level.toml", "USER-LEVEL", red, "max_records_per_unit = 5", "max_records_per_unit = 1"},
       {"budget-exceeded.toml", "BUDGET-EXCEEDED", yellow, "epsilon_budget = 2.0", "epsilon_budget = 3.0"},
       {"delta-large.toml", "DELTA-LARGE", yellow, "count = 1000", "count = 900"},
       {"epsilon-logged.toml", "EPSILON-LOGGED", red, "epsilon_logged = 1.9", "epsilon_logged = 2.39"}}));
  const std::string text = io::read_file(folder + row.file);
  CAPTURE(row.file);
  const auto found = findings(text, row.file);
  REQUIRE(among(found, row.id));
  CHECK(std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.id == row.id; })->level ==
        row.level);
  std::string mended = text;
  const auto at = mended.find(row.wrong);
  REQUIRE(at != std::string::npos);
  mended.replace(at, std::string(row.wrong).size(), row.right);
  const auto left = findings(mended, row.file);
  for (const auto& one : left) {
    CAPTURE(one.id, one.message);
    CHECK(one.id != row.id);
  }
}

TEST_CASE("a random size that the sum is divided by is refused under every adjacency", "[transcripts][checks]") {
  const std::string names = "steps,noise_multiplier,batch_size,records,normalisation,sampler\n";
  for (const auto adjacency :
       {mechanism::Adjacency::add_or_remove, mechanism::Adjacency::zero_out, mechanism::Adjacency::replace_one}) {
    transcripts::Given given;
    given.adjacency = adjacency;
    const auto realised = [&](const std::string& sampler) {
      return among(
          transcripts::check(transcripts::read(names + "100,1,10,1000,realised," + sampler + "\n", "log.csv", given)),
          "NORMALISATION-REALISED");
    };
    CHECK(realised("poisson"));
    CHECK(realised("balls-in-bins"));
    CHECK(realised("fixed-size") == (adjacency == mechanism::Adjacency::add_or_remove));
    CHECK(realised("shuffled") == (adjacency == mechanism::Adjacency::add_or_remove));
  }
}

TEST_CASE("steps that are fewer than the epochs say are refused", "[transcripts][checks]") {
  const std::string names = "steps,noise_multiplier,batch_size,records,epochs\n";
  CHECK(among(findings(names + "100,1,10,1000,10\n", "log.csv"), "STEPS-COUNT"));
  CHECK_FALSE(among(findings(names + "1000,1,10,1000,10\n", "log.csv"), "STEPS-COUNT"));
  CHECK_FALSE(among(findings(names + "14040,1.1,256,60000,60\n", "log.csv"), "STEPS-COUNT"));  // last batches dropped
  const std::string rates = "steps,noise_multiplier,sampling_rate,epochs\n";
  CHECK(among(findings(rates + "100,1,0.01,10\n", "log.csv"), "STEPS-COUNT"));
}

TEST_CASE("a last batch that is smaller is remarked, a second phase is not", "[transcripts][checks]") {
  const std::string history = R"({"history": [[1.1, 0.0042, 238], [1.1, 0.0021, 1], [1.1, 0.0042, 238]]})";
  CHECK(among(findings(history, "h.json"), "RATE-DRIFT"));
  const std::string log =
      "steps,noise_multiplier,sampling_rate,sampler\n238,1.1,0.0042,poisson\n1,1.1,0.0021,poisson\n";
  CHECK(among(findings(log, "log.csv"), "RATE-DRIFT"));
  const std::string phases = R"({"history": [[1.1, 0.0042, 238], [1.1, 0.0021, 100]]})";
  CHECK_FALSE(among(findings(phases, "h.json"), "RATE-DRIFT"));
}

TEST_CASE("a budget is kept, exceeded, or undecided", "[transcripts][checks]") {
  const auto verdict = [](const std::string& process, const std::string& budget) {
    const auto read = transcripts::read(
        R"({"process": )" + process + R"(, "budget": {)" + budget + R"(, "delta": 1e-5}})", "accountant.json", {});
    const auto held = transcripts::budget(read);
    REQUIRE(held);
    const auto found = transcripts::check(read);
    CHECK(among(found, "BUDGET-EXCEEDED") == (std::string(held->verdict()) == "exceeded"));
    CHECK(among(found, "BUDGET-UNDECIDED") == (std::string(held->verdict()) == "undecided" && !held->exact));
    return std::string(held->verdict());
  };
  const std::string steps = R"({"type": "Repeated", "count": 1000, "inner": {"type": "Poisson", "sample_rate": 0.01,
      "inner": {"type": "Gaussian", "noise_multiplier": 1.1}}})";
  CHECK(verdict(steps, R"("type": "EpsilonBudget", "epsilon": 1.6)") == "kept");
  CHECK(verdict(steps, R"("type": "DeltaBudget", "epsilon": 1.5)") == "exceeded");
  CHECK(verdict(steps, R"("type": "EpsDelta", "epsilon": 1.5)") == "exceeded");
  const std::string claim = R"({"type": "EpsDelta", "epsilon": 1.0, "delta": 0})";
  CHECK(verdict(claim, R"("epsilon": 0.9)") == "undecided");
  const auto attack = transcripts::read(
      R"({"process": )" + steps + R"(, "budget": {"type": "AdvantageBudget", "advantage": 0.1}})", "a.json", {});
  CHECK_FALSE(transcripts::budget(attack, 1e-5));
  CHECK(std::any_of(attack.assumed.begin(), attack.assumed.end(), [](const std::string& one) {
    return one.find("AdvantageBudget is not held against the answer") != std::string::npos;
  }));
}
