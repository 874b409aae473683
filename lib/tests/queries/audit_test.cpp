// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/audit.hpp>

using namespace dpcurves;
using Catch::Contains;

namespace {

queries::Promises gaussian(double mu) {
  accounting::Guarantee guarantee;
  guarantee.theorem = "a/theorem";
  guarantee.curve = accounting::gaussian_curve(exactly(mu));
  return {"test", {}, {guarantee}, {}};
}

double lower(const queries::Report& report, const std::string& quantity) {
  for (const Value& one : *report.results.at("results").get<List>()) {
    const Record& row = *one.get<Record>();
    if (*row.at("quantity").get<std::string>() == quantity) {
      return *row.at("lower").get<double>();
    }
  }
  FAIL("no " + quantity);
  return 0.0;
}

std::string verdict(const queries::Report& report) { return *report.results.at("verdict").get<std::string>(); }

double p_value(const queries::Report& report, const std::string& end) {
  return *report.results.at("p_value").get<Record>()->at(end).get<double>();
}

/// Scores of a Gaussian release of noise 1: mu = 1.
queries::Scores scores(std::size_t each, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  queries::Scores drawn;
  for (std::size_t i = 0; i < each; ++i) {
    drawn.in.push_back(1.0 + normal(engine));
    drawn.out.push_back(normal(engine));
  }
  return drawn;
}

}  // namespace

TEST_CASE("scores are read from CSV and from both forms of JSON", "[queries][audit]") {
  const auto csv = queries::read_scores("score,member,run\n1.5,in,a\n-inf,0,b\n2,true,c\n", "s.csv");
  CHECK(csv.in == std::vector<double>{1.5, 2.0});
  CHECK(csv.out == std::vector<double>{-std::numeric_limits<double>::infinity()});
  CHECK(csv.runs == 3);
  CHECK(queries::read_scores(R"({"score": [1, 2], "member": [1, 0]})", "s.json").in == std::vector<double>{1.0});
  CHECK(queries::read_scores(R"({"score": [1, 2], "member": [true, false]})", "s.json").out ==
        std::vector<double>{2.0});
  CHECK(queries::read_scores(R"({"in": [1], "out": ["inf", 2]})", "s.json").out.size() == 2);
}

TEST_CASE("scores that cannot be used name their place", "[queries][audit][errors]") {
  const auto read = [](const std::string& text) { return queries::read_scores(text, "s.csv"); };
  CHECK_THROWS_WITH(read("score,member\n1,1\nnan,0\n"), "s.csv, line 3: score: \"nan\" is not a number");
  CHECK_THROWS_WITH(read("score,member\n1,maybe\n"), Contains("line 2: member"));
  CHECK_THROWS_WITH(read("scor,member\n1,1\n"), Contains("did you mean score"));
  CHECK_THROWS_WITH(read("score\n1\n"), Contains("member is missing"));
  CHECK_THROWS_WITH(read("score,member,weight\n1,1,2\n"), Contains("weight"));
  CHECK_THROWS_WITH(queries::read_scores(R"({"in": [1], "out": [0], "weights": [1, 2]})", "s.json"),
                    Contains("unknown key weights"));
  CHECK_THROWS_WITH(queries::read_scores(R"({"score": [1], "member": [1], "run": [1]})", "s.json"),
                    Contains("unknown key run: it is a column of CSV"));
  CHECK_THROWS_WITH(queries::read_scores("[1]", "s.json"), Contains("not an object"));
  CHECK_THROWS_WITH(queries::read_scores(R"({"score": [1], "member": [1, 0]})", "s.json"), Contains("2 entries for 1"));
}

TEST_CASE("counts give the vectors of audits", "[queries][audit][vectors]") {
  queries::CountsQuestion many;
  many.audit.delta = {0.0};
  many.true_positives = 60, many.canaries_in = 100, many.false_positives = 5, many.canaries_out = 100;
  const auto runs = queries::audit_counts(many, nullptr, false);
  CHECK(lower(runs, "epsilon") == Approx(1.4830849765778777).epsilon(1e-9));
  CHECK(lower(runs, "mu") == Approx(1.2045931250343567).epsilon(1e-9));
  CHECK(lower(runs, "true-positive-rate") == Approx(0.4972091504223348).epsilon(1e-9));
  queries::CountsQuestion one;
  one.canaries = 1000, one.guesses = 100, one.correct = 90;
  const auto run = queries::audit_counts(one, nullptr, false);
  CHECK(lower(run, "mu") == Approx(0.6566737369399211).epsilon(1e-8));
  CHECK(lower(run, "epsilon") == Approx(1.6261).epsilon(1e-4));
  one.two_sided_guesses = true;
  CHECK(lower(queries::audit_counts(one, nullptr, false), "mu") == Approx(0.6025036074388623).epsilon(1e-8));
}

TEST_CASE("the verdict on one run is that of the specification", "[queries][audit]") {
  queries::CountsQuestion question;
  question.canaries = 1000, question.guesses = 100, question.correct = 90;
  const auto one = gaussian(1.0), half = gaussian(0.5);
  const auto loose = queries::audit_counts(question, &one, true);
  CHECK(verdict(loose) == "loose");
  CHECK(loose.outcome == queries::Outcome::ok);
  CHECK(p_value(loose, "upper") == Approx(0.582068738756791).epsilon(1e-3));
  CHECK(p_value(loose, "upper") >= 0.582068738756);
  CHECK(p_value(loose, "lower") <= 0.582068738757);
  CHECK(loose.plot);
  const auto broken = queries::audit_counts(question, &half, false);
  CHECK(verdict(broken) == "BROKEN");
  CHECK(broken.outcome == queries::Outcome::refuted);
  CHECK_THAT(broken.blocks.back().text, Contains("gradient accumulation"));
  question.correct = 84;  // rejection at mu .5 is from 85 on
  CHECK(verdict(queries::audit_counts(question, &half, false)) != "BROKEN");
  question.method = queries::OneRunMethod::epsilon_delta;
  question.correct = 100;
  const auto tiny = gaussian(0.1);
  CHECK(verdict(queries::audit_counts(question, &tiny, false)) == "BROKEN");
}

TEST_CASE("many runs are held to the curve, by every rule of thresholds", "[queries][audit]") {
  const auto drawn = scores(1000, 1);
  const auto honest = gaussian(1.0), claim = gaussian(0.4);
  for (const char* rule : {"split", "grid:5", "all", "1.0"}) {
    CAPTURE(rule);
    queries::MultiRunQuestion question;
    question.thresholds = rule;
    CHECK(verdict(queries::audit_multi_run(drawn, question, &honest, false)) != "BROKEN");
    const auto broken = queries::audit_multi_run(drawn, question, &claim, false);
    CHECK(verdict(broken) == "BROKEN");
    if (std::string(rule) != "all") {
      CHECK(p_value(broken, "upper") <= 0.05);
    }
    CHECK(lower(broken, "mu") > 0.4);
    CHECK(lower(broken, "mu") < 1.0);
  }
}

TEST_CASE("the verdict errs no more often than its significance", "[queries][audit]") {
  const auto honest = gaussian(1.0);
  int broken = 0;
  constexpr int repeats = 200;
  for (int i = 0; i < repeats; ++i) {
    queries::MultiRunQuestion question;
    question.thresholds = "split";
    question.seed = static_cast<std::uint64_t>(i);
    broken += verdict(queries::audit_multi_run(scores(200, 100 + static_cast<std::uint64_t>(i)), question, &honest,
                                               false)) == "BROKEN"
                  ? 1
                  : 0;
  }
  CHECK(broken <= 20);  // of a binomial with 200 trials of .05: above 20 with probability 5e-4
}

TEST_CASE("ties and the order of the file cannot help a guess", "[queries][audit]") {
  queries::Scores tied;
  tied.in.assign(50, 1.0);
  tied.out.assign(50, 1.0);
  queries::OneRunQuestion question;
  question.guesses = 50;
  const auto report = queries::audit_one_run(tied, question, nullptr, false);
  CHECK(*report.results.at("counts").get<Record>()->at("correct").get<std::int64_t>() == 0);
  queries::MultiRunQuestion many;
  many.thresholds = "split";
  const auto drawn = scores(500, 3);
  auto sorted = drawn;
  std::sort(sorted.in.begin(), sorted.in.end());
  std::sort(sorted.out.begin(), sorted.out.end());
  CHECK(lower(queries::audit_multi_run(sorted, many, nullptr, false), "mu") <
        1.0);  // a pilot of the smallest would mislead
}

TEST_CASE("scores that break an assumption are refused or remarked", "[queries][audit][errors]") {
  auto drawn = scores(10, 1);
  drawn.repeated_run = "7";
  CHECK_THROWS_WITH(queries::audit_multi_run(drawn, {}, nullptr, false), Contains("not independent; use one-run"));
  drawn.repeated_run.clear();
  drawn.canaries_only = true;
  CHECK_THROWS_WITH(queries::audit_multi_run(drawn, {}, nullptr, false), Contains("no column run"));
  drawn.canaries_only = false;
  CHECK(queries::read_scores("score,member,canary\n1,1,a\n0,0,b\n", "s.csv").canaries_only);
  CHECK_FALSE(queries::read_scores("score,member,canary,run\n1,1,a,1\n0,0,a,2\n", "s.csv").canaries_only);
  drawn.runs = 20;
  CHECK_THROWS_WITH(queries::audit_one_run(drawn, {}, nullptr, false), Contains("use multi-run"));
  drawn.runs = 0;
  queries::OneRunQuestion question;
  question.guesses = 21;
  CHECK_THROWS_WITH(queries::audit_one_run(drawn, question, nullptr, false), Contains("--guesses: 21"));
  question.thresholds = "best";
  CHECK_THROWS_WITH(queries::audit_one_run(drawn, question, nullptr, false), Contains("grid:K"));
  queries::Scores unfair = scores(600, 2);
  unfair.out.resize(100);
  CHECK_THAT(queries::audit_one_run(unfair, {}, nullptr, false).blocks[1].text, Contains("COINS-UNFAIR"));
  queries::MultiRunQuestion many;
  many.thresholds = "grid:0";
  CHECK_THROWS_WITH(queries::audit_multi_run(drawn, many, nullptr, false), Contains("grid:K"));
  many.thresholds = "best";
  CHECK_THROWS_WITH(queries::audit_multi_run(drawn, many, nullptr, false), Contains("--thresholds"));
  drawn.out.clear();
  CHECK_THROWS_WITH(queries::audit_multi_run(drawn, {}, nullptr, false), Contains("out"));
  accounting::DpSgd add;
  add.adjacency = mechanism::Adjacency::add;
  add.phases = {{1.0, 0.1, 10.0}};
  const queries::Promises run{"dp-sgd", {}, {accounting::dp_sgd_guarantee(add)}, {}};
  CHECK_THROWS_WITH(queries::audit_multi_run(scores(10, 1), {}, &run, false), Contains("adjacency"));
}

TEST_CASE("independent canaries: the binomial, and only where it is a fact", "[queries][audit]") {
  const auto run = gaussian(1.0);
  queries::CountsQuestion question;
  question.canaries = 1000;
  question.guesses = 1000;
  question.correct = 716;
  question.two_sided_guesses = true;
  question.independent_canaries = true;
  const auto found = queries::audit_counts(question, &run, false);
  CHECK(p_value(found, "upper") == Approx(0.0491).margin(5e-5));  // specification, section 4
  CHECK(verdict(found) == "BROKEN");
  CHECK(lower(found, "mu") > 1.0);
  CHECK(lower(found, "mu") < 1.002);
  const Record& row = *found.results.at("results").get<List>()->front().get<Record>();
  CHECK_THAT(*row.at("conditional_on").get<std::string>(), Contains("independent"));
  question.independent_canaries = false;  // whatever is correlated: no rejection
  CHECK(p_value(queries::audit_counts(question, &run, false), "upper") == Approx(0.873).margin(1e-3));
  question.independent_canaries = true;
  question.guesses = 900;
  CHECK_THROWS_WITH(queries::audit_counts(question, &run, false), Contains("--independent-canaries"));
}

TEST_CASE("all thresholds have a p-value that agrees with the verdict", "[queries][audit]") {
  queries::MultiRunQuestion question;
  question.thresholds = "all";
  const auto honest = gaussian(1.0), false_claim = gaussian(0.3);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto drawn = scores(400, seed);
    const auto good = queries::audit_multi_run(drawn, question, &honest, false);
    CHECK(verdict(good) != "BROKEN");
    CHECK(p_value(good, "upper") > 0.05);
    const auto bad = queries::audit_multi_run(drawn, question, &false_claim, false);
    CHECK(verdict(bad) == "BROKEN");
    CHECK(p_value(bad, "upper") <= 0.05);
  }
}

TEST_CASE("a question says the share of the pilot where there is a pilot", "[queries][audit]") {
  for (const auto& [rule, said] : {std::pair("all", false), std::pair("split", true), std::pair("grid:4", true),
                                   std::pair("0.5", false), std::pair("", true)}) {  // split from 200 scores on
    CAPTURE(rule);
    queries::MultiRunQuestion question;
    question.thresholds = rule;
    const auto found = queries::audit_multi_run(scores(400, 1), question, nullptr, false);
    CHECK((found.inputs.find("pilot_share") != nullptr) == said);
  }
}

TEST_CASE("an audit asks a costly profile few questions", "[queries][audit]") {
  accounting::DpSgd run;
  run.phases = {{1.0, 0.2, 2.0}};
  accounting::Guarantee counted = accounting::dp_sgd_guarantee(run);
  class Counting final : public accounting::PrivacyCurve {
   public:
    Counting(accounting::CurvePtr curve, std::size_t& asked) : curve_(std::move(curve)), asked_(asked) {}
    accounting::Answer delta(double epsilon) const override { return ++asked_, curve_->delta(epsilon); }
    accounting::Answer epsilon(double delta) const override { return curve_->epsilon(delta); }
    std::vector<Enclosure> type_two_errors(std::span<const double> rates) const override {
      return curve_->type_two_errors(rates);
    }
    Enclosure renyi(double order) const override { return curve_->renyi(order); }

   private:
    accounting::CurvePtr curve_;
    std::size_t& asked_;
  };
  std::size_t asked = 0;
  counted.directions.clear();
  counted.curve = std::make_shared<Counting>(counted.curve, asked);
  const queries::Promises held{"dp-sgd", {}, {counted}, {}},
      plain{"dp-sgd", {}, {accounting::dp_sgd_guarantee(run)}, {}};
  queries::CountsQuestion question;
  question.true_positives = 420;
  question.canaries_in = 1000;
  question.false_positives = 300;
  question.canaries_out = 1000;
  const auto found = queries::audit_counts(question, &held, false),
             again = queries::audit_counts(question, &plain, false);
  CHECK(p_value(found, "upper") == Approx(p_value(again, "upper")).epsilon(1e-4));
  CHECK(asked > 0);
  CHECK(asked < 700);  // each significance in the search asked for 25 to 60
}
