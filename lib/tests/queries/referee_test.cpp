// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/queries/referee.hpp>

using namespace dpcurves;
using Catch::Contains;
using Catch::StartsWith;
using transcripts::Judgement;

namespace {

const std::string folder = std::string(DPCURVES_SOURCE_DIR) + "/data/transcripts/";

double number(const Record& record, std::string_view name) {
  double value = std::nan("");
  REQUIRE(record.at(name).number(value));
  return value;
}

}  // namespace

TEST_CASE("every sample claim has its expected verdict", "[referee]") {
  const auto claims = queries::read_claims(io::read_file(folder + "claims.csv"), "claims.csv");
  const Value document = io::read_json(io::read_file(folder + "claims-expected.json"), "claims-expected.json");
  const List& rows = *document.get<Record>()->at("rows").get<List>();
  REQUIRE(rows.size() == claims.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Record& row = *rows[i].get<Record>();
    const auto judged = queries::judge(claims[i], 0.01, folder);
    CAPTURE(claims[i].id, queries::explanation(judged));
    CHECK(claims[i].id == *row.at("id").get<std::string>());
    CHECK(name(judged.verdict) == *row.at("verdict").get<std::string>());
    CHECK(judged.theorem == *row.at("theorem").get<std::string>());
    const Record& bracket = *row.at("bracket").get<Record>();
    REQUIRE(judged.bracket);
    const double relative = claims[i].quantity == "mu" ? 2e-6 : 1e-9;  // a mu above a floor is searched to 1e-6
    CHECK(judged.bracket->lower == Approx(number(bracket, "lower")).epsilon(relative));
    CHECK(judged.bracket->upper == Approx(number(bracket, "upper")).epsilon(relative));
    CHECK(*judged.ratio == Approx(number(row, "ratio")).epsilon(relative));
    if (row.find("delta_factor") != nullptr) {
      CHECK(*judged.delta_factor == Approx(number(row, "delta_factor")).epsilon(1e-8));
    }
    if (row.find("short_by") != nullptr) {
      CHECK(*judged.short_by == Approx(number(row, "short_by")).epsilon(1e-4));
    }
    if (row.find("reason") != nullptr) {
      CHECK(judged.reason == *row.at("reason").get<std::string>());
    }
  }
}

TEST_CASE("claims made from certified values are judged as they were made", "[referee][property]") {
  // C7: a verdict from the upper end only would miss the rows with .999.
  int rows = 0;
  for (int i = 0; i < 20; ++i) {
    accounting::DpSgd run;
    run.phases = {{0.8 + 0.1 * i, 0.001 * (1 + i % 7), 100.0 * (1 + i)}};
    const auto curve = accounting::dp_sgd_guarantee(run).curve;
    for (const double delta : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      const Enclosure ends = curve->epsilon(delta).value;
      if (!(ends.lower > 0.0)) {
        continue;
      }
      for (const auto& [factor, verdict] :
           {std::pair(0.9, Judgement::too_small), std::pair(0.999, Judgement::too_small),
            std::pair(1.001, Judgement::correct), std::pair(1.1, Judgement::loose)}) {
        const auto got = transcripts::judge({ends.upper * factor, ends.lower, ends.upper, std::nullopt, true, 0.01});
        CHECK(got.verdict == verdict);
        ++rows;
      }
    }
  }
  CHECK(rows == 400);
}

TEST_CASE("a setting without a theorem is not comparable, and says why", "[referee]") {
  const std::string head = "id,noise_multiplier,sampling_rate,steps,sampling,adjacency,delta,claimed\n";
  const auto claims = queries::read_claims(
      head + "a,1,0.1,10,truncated-poisson,add-or-remove,1e-5,1\nb,1,0.1,10,fixed-size,add-or-remove,1e-5,1\n",
      "c.csv");
  for (const auto& claim : claims) {
    const auto judged = queries::judge(claim, 0.01, "");
    CHECK(judged.verdict == Judgement::not_comparable);
    CHECK(!judged.reason.empty());
    CHECK(!judged.bracket);
  }
  CHECK(claims[1].line == 3);
}

TEST_CASE("malformed claims name row and column", "[referee][errors]") {
  CHECK_THROWS_WITH(queries::read_claims("id,claimed\na,x\n", "c.csv"), Contains("row 2") && Contains("claimed"));
  CHECK_THROWS_WITH(queries::read_claims("id,claimd\na,1\n", "c.csv"), Contains("claimd") && Contains("claimed"));
  CHECK_THROWS_WITH(queries::read_claims("id,claimed,stepz\na,1,2\n", "c.csv"), Contains("stepz") && Contains("steps"));
  CHECK_THROWS_WITH(queries::read_claims("id,claimed,quantity\na,1,epsilom\n", "c.csv"), Contains("epsilon"));
  CHECK_THROWS_WITH(queries::read_claims("[{\"id\": \"a\"}]", "c.json"), Contains("row 1") && Contains("claimed"));
  CHECK_THROWS_AS(queries::read_claims("", "c.csv"), UsageError);
  CHECK_THROWS_WITH(queries::read_claims("id,claimed,digit\na,1,\n", "c.csv"),
                    Contains("unknown column digit, did you mean digits?"));  // though no row has it
  CHECK_THROWS_WITH(queries::read_claims("id,quantity,claimed\na,tpr,13\n", "c.csv"),
                    "row 2: claimed: 13 is not in [0, 1], the range of tpr");  // in percent
  CHECK_THROWS_WITH(queries::read_claims("id,claimed,sigma,noise_multiplier\na,1,2,2\n", "c.csv"),
                    Contains("row 2: noise_multiplier: noise_multiplier stands there twice"));
  for (const char* wrong : {"a,1.1,0.01,10,poison,add-or-remove", "a,1.1,0.01,10,poisson,addremove"}) {
    const auto claims = queries::read_claims(
        std::string("id,noise_multiplier,sampling_rate,steps,sampling,adjacency,delta,claimed\n") + wrong + ",1e-5,1\n",
        "c.csv");
    CHECK_THROWS_WITH(queries::judge(claims.front(), 0.01, "."), StartsWith("row 2: ") && Contains("is not one of"));
  }
}

TEST_CASE("columns have the names of options, those of other libraries too", "[referee]") {
  const auto verdict = [&](const std::string& columns, const std::string& cells) {
    const auto claims = queries::read_claims("id," + columns + ",delta,claimed\na," + cells + ",1e-5,2.39\n", "c.csv");
    const auto judged = queries::judge(claims.front(), 0.01, folder);
    CAPTURE(columns, queries::explanation(judged));
    return judged.verdict;
  };
  CHECK(verdict("sigma,sample-rate,steps,max_grad_norm", "1.1,256/60000,14063,1.5") == Judgement::correct);
  CHECK(verdict("noise-multiplier,batch_size,records,epochs", "1.1,256,60000,60") == Judgement::correct);
  CHECK(verdict("noise_multiplier,batch_size,records,epochs", "1.1,256,60000,61") == Judgement::too_small);
  CHECK(verdict("noise_multiplier,sampling_rate,steps,group_size", "1.1,256/60000,14063,2") == Judgement::too_small);
  const auto of_file = queries::read_claims("id,run,claimed\na,run-01.toml,2.39\n", "c.csv");
  CHECK(queries::judge(of_file.front(), 0.01, folder).verdict == Judgement::correct);  // at the delta of the file
}

TEST_CASE("verdicts are told to servers in their forms", "[referee]") {
  queries::Judged row;
  row.claim.id = "a, b: \"c\" <d>";
  row.claim.line = 7;
  row.claim.claimed = 1.0;
  row.bracket = Enclosure{2.0, 2.0};
  row.verdict = Judgement::too_small;
  CHECK(queries::referee_annotations({row}, "x.csv") ==
        "::error file=x.csv,line=7,title=a%2C b%3A \"c\" <d>::too small: claimed 1, certified 2\n");
  const std::string junit = queries::referee_junit({row}, "x.csv");
  CHECK_THAT(junit, Contains("failures=\"1\"") && Contains("a, b: &quot;c&quot; &lt;d&gt;"));
  const auto report = queries::referee_report({row}, "x.csv", 0.01, queries::FailOn::too_small);
  CHECK(report.outcome == queries::Outcome::refuted);
  row.verdict = Judgement::loose;
  row.ratio = 2.0;
  CHECK(queries::referee_report({row}, "x.csv", 0.01, queries::FailOn::too_small).outcome == queries::Outcome::ok);
  CHECK(queries::referee_report({row}, "x.csv", 0.01, queries::FailOn::loose).outcome == queries::Outcome::refuted);
}

TEST_CASE("claims of the kinds of the samples have the verdicts of their truth", "[referee]") {
  const std::string columns =
      "id,noise_multiplier,sampling_rate,steps,sampling,adjacency,delta,quantity,claimed,digits,separation\n";
  const auto claims =
      queries::read_claims(columns +
                               "correct,1.0,0.01,1000,poisson,add-or-remove,1e-5,epsilon,1.829,4,\n"
                               "rounded down,1.0,0.01,1000,poisson,add-or-remove,1e-5,epsilon,1.828,4,\n"
                               "too small,1.0,0.01,1000,poisson,add-or-remove,1e-5,epsilon,1.7,,\n"
                               "loose,1.0,0.01,1000.0,poisson,add-or-remove,1e-5,epsilon,2.5,,\n"
                               "loose,1.0,0.01,1000,poisson,add-or-remove,1e-5,epsilon,inf,,\n"
                               "too small,1.0,0.01,1000,poisson,add-or-remove,1e-5,epsilon,0,,\n"
                               "too small,5,1,1,none,add-or-remove,1e-6,epsilon,0.8,,\n"
                               "correct,2,1,4,none,add-or-remove,1e-5,mu,1,,\n"
                               "too small,2,1,4,none,add-or-remove,1e-5,mu,0.99,,\n"
                               "not comparable,1.0,0.01,1000,cyclic,zero-out,1e-5,epsilon,1.83,3,\n"
                               "too small,2,0.01,1000,balls-in-bins,add-or-remove,1e-5,epsilon,0.62,2,\n"
                               "too small,2,0.01,1000,b-min-sep,add-or-remove,1e-5,epsilon,0.5,2,10\n"
                               "loose,2,0.01,1000,random-allocation,add-or-remove,1e-5,epsilon,0.61,2,\n"
                               "correct,2,0.01,1000,fixed-size,replace-one,1e-5,epsilon,2.2,2,\n"
                               "not comparable,2,0.01,1000,fixed-size,add-or-remove,1e-5,epsilon,2.2,2,\n",
                           "claims.csv");
  for (const auto& claim : claims) {
    const auto judged = queries::judge(claim, 0.01, folder);
    CAPTURE(claim.id, claim.claimed, queries::explanation(judged));
    CHECK(name(judged.verdict) == claim.id);
  }
}

TEST_CASE("a file without a claim is refused, and a number outside its range says which", "[referee][errors]") {
  CHECK_THROWS_WITH(queries::read_claims("id,claimed\n", "a.csv"), Contains("no claim"));
  CHECK_THROWS_AS(queries::read_claims("[]", "a.json"), UsageError);
  const auto claims = queries::read_claims(
      "id,noise_multiplier,sampling_rate,steps,delta,claimed\na,1.1,0.01,1e16,1e-5,1\nb,1.1,0.01,10.5,1e-5,1\n",
      "a.csv");
  for (const auto& claim : claims) {
    const auto row = queries::judge(claim, 0.01, ".");
    CHECK(row.verdict == Judgement::not_comparable);
    CHECK_THAT(row.reason, Contains("steps") && !Contains("::"));
  }
}

TEST_CASE("a claim against steps without noise is too small below infinity", "[referee]") {
  const auto [claimed, verdict] =
      GENERATE(table<std::string, Judgement>({{"1", Judgement::too_small},
                                              {"20", Judgement::too_small},  // above the largest loss of adding
                                              {"1e300", Judgement::too_small},
                                              {"inf", Judgement::correct}}));
  const std::string sampler = GENERATE(as<std::string>{}, "poisson", "fixed-size", "none");
  const std::string text = "id,sampling,adjacency,sampling_rate,noise_multiplier,steps,delta,quantity,claimed\na," +
                           sampler + ",zero-out," + (sampler == "none" ? "" : "0.1") + ",0,100,1e-5,epsilon," +
                           claimed + "\n";
  const auto judged = queries::judge(queries::read_claims(text, "claims.csv").front(), 0.01, folder);
  CAPTURE(sampler, claimed, queries::explanation(judged));
  CHECK(name(judged.verdict) == name(verdict));
}

TEST_CASE("at delta 0 an epsilon is the largest loss, at 1 it is nothing", "[referee]") {
  const auto judged = [](const std::string& cells) {
    return queries::judge(
        queries::read_claims("id,noise_multiplier,sampling_rate,steps,adjacency,delta,claimed\na,1," + cells + "\n",
                             "x.csv")
            .front(),
        0.01, ".");
  };
  const auto remove = judged("0.01,10,remove,0,50");
  CHECK(remove.verdict == Judgement::too_small);  // of any finite claim
  CHECK(std::isinf(remove.bracket->lower));
  CHECK_FALSE(remove.delta_factor);
  CHECK_THAT(queries::explanation(remove), Contains("not 0") && !Contains("times the target"));
  CHECK(judged("0.01,10,add,0,0.1006").verdict == Judgement::correct);  // 10 log(1/.99) = .1005034
  CHECK(judged("0.01,10,add,0,0.1004").verdict == Judgement::too_small);
  CHECK(judged("0.01,10,remove,1,0").verdict == Judgement::correct);
}

TEST_CASE("claims of any quantity, unit and size are judged or refused by row", "[referee][errors]") {
  const std::string setting = "1.1,0.004266666666666667,14063,poisson,add-or-remove";
  const std::string head = "id,noise_multiplier,sampling_rate,steps,sampling,adjacency,";
  const auto verdict = [&](const std::string& columns, const std::string& cells) {
    const auto claims = queries::read_claims(head + columns + "\n01," + setting + "," + cells + "\n", "x.csv");
    CHECK(claims.front().id == "01");  // a name, not the number 1
    return queries::judge(claims.front(), 0.01, ".").verdict;
  };
  // 2.3816897 is certified at delta 1e-5
  CHECK(verdict("delta,claimed", "1e-5,2.3816873442") == Judgement::too_small);  // by 1e-6 of it
  CHECK(verdict("delta,claimed", "1e-5,2.3816921075") == Judgement::correct);
  CHECK(verdict("delta,claimed", "1e-5,2.4052") == Judgement::correct);
  CHECK(verdict("delta,claimed", "1e-5,2.4058") == Judgement::loose);
  CHECK(verdict("delta,claimed,digits", "1e-5,2.38,3") == Judgement::rounded_down);
  CHECK(verdict("delta,claimed", "1e-5,2.38") == Judgement::too_small);
  CHECK(verdict("delta,claimed", "1e-5,inf") == Judgement::loose);
  CHECK(verdict("epsilon,quantity,claimed", "2.381689725902604,delta,1.00001e-5") == Judgement::correct);
  CHECK(verdict("epsilon,quantity,claimed", "2.381689725902604,delta,9.99999e-6") == Judgement::too_small);
  CHECK(verdict("quantity,claimed", "advantage,0.2") == Judgement::too_small);
  CHECK(verdict("quantity,fpr,claimed", "tpr,0.01,0.01") == Judgement::too_small);  // what a guess has
  CHECK(verdict("quantity,fpr,claimed", "tpr,2,0.01") == Judgement::not_comparable);
  CHECK_THROWS_WITH(verdict("delta,claimed", "-5,2.38"), "row 2: delta: -5 is outside [0, 1]");
  CHECK_THROWS_WITH(verdict("delta,quantity,claimed", "0,mu,0.5"), "row 2: delta: 0 is outside (0, 1)");
  CHECK_THROWS_WITH(verdict("delta,claimed", "1e-5,-1"), "row 2: claimed: -1 is not in [0, inf]");
  CHECK_THROWS_WITH(verdict("delta,claimed", "1e-5,nan"), "row 2: claimed: \"nan\" is not a number");
  CHECK_THROWS_WITH(verdict("claimed", "2.38"), "row 2: delta is missing");
  CHECK_THROWS_WITH(verdict("delta,quantity,claimed", "1e-5,renyi,2.38"), Contains("none of epsilon, delta, mu"));
  const auto percent = queries::read_claims(
      "id,noise_multiplier,sampling_rate,steps,delta,claimed\nrate in percent,1.1,0.4266,14063,1e-5,2.39\n"
      "batch size for a rate,1.1,256,14063,1e-5,2.39\n",
      "x.csv");
  CHECK(queries::judge(percent[0], 0.01, ".").verdict == Judgement::too_small);
  CHECK(queries::judge(percent[1], 0.01, ".").verdict == Judgement::not_comparable);
}
