// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/attack.hpp>
#include <dpcurves/queries/detail/words.hpp>

using namespace dpcurves;
using Catch::Contains;

namespace {

accounting::Guarantee gaussian(double mu, const std::string& theorem = "a/theorem") {
  accounting::Guarantee guarantee;
  guarantee.theorem = theorem;
  guarantee.curve = accounting::gaussian_curve(exactly(mu));
  return guarantee;
}

queries::Promises of(std::vector<accounting::Guarantee> guarantees) { return {"test", {}, std::move(guarantees), {}}; }

accounting::Guarantee sgd(mechanism::Adjacency adjacency = mechanism::Adjacency::add_or_remove) {
  accounting::DpSgd run;
  run.adjacency = adjacency;
  run.phases = {{1.0, 0.3, 10.0}};
  return accounting::dp_sgd_guarantee(run);
}

const Record& row(const queries::Report& report, const std::string& measure) {
  for (const Value& one : *report.results.at("results").get<List>()) {
    if (*one.get<Record>()->at("measure").get<std::string>() == measure) {
      return *one.get<Record>();
    }
  }
  FAIL("no row of " + measure);
  return *report.results.at("results").get<List>()->front().get<Record>();
}

Enclosure ends(const Record& row, const std::string& key = "value") {
  const Record& both = *row.at(key).get<Record>();
  return {*both.at("lower").get<double>(), *both.at("upper").get<double>()};
}

}  // namespace

TEST_CASE("a question gets the least over the theorems, and says which", "[queries][attack]") {
  const auto report = queries::attack(of({gaussian(2.0, "a/weak"), gaussian(1.0, "a/strong")}), {});
  for (const Value& one : *report.results.at("results").get<List>()) {
    CHECK(*one.get<Record>()->at("theorem").get<std::string>() == "a/strong");
    CHECK(one.get<Record>()->at("all").get<List>()->size() == 2);
  }
  CHECK(ends(row(report, "tpr")).contains(0.018298468405656598));  // Phi(Phi^-1(.001) + 1)
  CHECK(ends(row(report, "bayes-error")).upper == Approx(0.30853753872598688).epsilon(1e-14));
  CHECK(*row(report, "bayes-error").at("promise").get<std::string>() == "lower");
}

TEST_CASE("an approximation or what nobody has said is never promised", "[queries][attack]") {
  auto limit = gaussian(0.1, "a/central-limit"), unsaid = gaussian(0.2, "a/convex");
  limit.certified = false;
  unsaid.unsaid = {{"convex losses", "nothing was said of it", "--convex"}};
  const auto report = queries::attack(of({limit, unsaid, gaussian(1.0, "a/proved")}), {});
  CHECK(*row(report, "advantage").at("theorem").get<std::string>() == "a/proved");
  CHECK_THROWS_WITH(queries::attack(of({limit, unsaid}), {}), Contains("a/convex needs convex losses"));
}

TEST_CASE("directions decide as the specification says", "[queries][attack]") {
  queries::AttackQuestion question;
  question.fpr = {1e-4};
  question.prior = {0.1, 0.9};
  const auto report = queries::attack(of({sgd()}), question);
  CHECK(*row(report, "tpr").at("direction").get<std::string>() == "remove");
  CHECK(ends(row(report, "tpr")).upper == Approx(0.007949259151810).epsilon(1e-10));  // an independent inversion
  const auto add = queries::attack(of({sgd(mechanism::Adjacency::add)}), question);
  CHECK(ends(row(add, "tpr")).upper == Approx(0.0011405).epsilon(1e-4));
  std::vector<std::string> bayes;
  for (const Value& one : *report.results.at("results").get<List>()) {
    if (*one.get<Record>()->at("measure").get<std::string>() == "bayes-error") {
      bayes.push_back(*one.get<Record>()->at("direction").get<std::string>());
    }
  }
  CHECK(bayes == std::vector<std::string>{"remove", "add"});
}

TEST_CASE("choices of one theorem's parameters are one theorem", "[queries][attack]") {
  const auto list = queries::theorems(of({gaussian(2.0), gaussian(1.0), gaussian(3.0)}));
  REQUIRE(list.size() == 1);
  CHECK(list.front().about.curve->mu()->upper == 1.0);
}

TEST_CASE("curves lie above their points, and brackets are narrow", "[queries][attack]") {
  std::vector<double> rates;
  for (double a = 1e-9; a < 1.0; a *= 10.0) {
    rates.push_back(a);
  }
  accounting::DpSgd run;
  run.phases = {{1.0, 0.01, 1000.0}};
  const auto promises = of({accounting::dp_sgd_guarantee(run)});
  const auto report = queries::attack_curve(promises, rates, true);
  const Record& columns = *report.results.at("results").get<Record>();
  const auto &lower = *columns.at("lower").get<std::vector<double>>(),
             &upper = *columns.at("upper").get<std::vector<double>>();
  auto asked = queries::theorems(promises);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Enclosure exact = asked.front().attack.power(rates[i]).value.power;
    CAPTURE(rates[i]);
    CHECK(lower[i] <= exact.upper);
    CHECK(upper[i] >= exact.lower);
    CHECK(upper[i] - lower[i] <= 1e-5 * upper[i]);
  }
  REQUIRE(report.plot);
  const io::Series& steps = report.plot->series.front();
  for (std::size_t i = 0; i < steps.x.size(); i += 97) {
    CHECK(steps.y[i] >= asked.front().attack.power(steps.x[i]).value.power.lower);
  }
}

TEST_CASE("questions that have no answer name the option", "[queries][attack][errors]") {
  queries::AttackQuestion question;
  question.measure = "precision";
  CHECK_THROWS_WITH(queries::attack(of({gaussian(1.0)}), question), Contains("needs --fpr or --recall"));
  question.measure = "advantge";
  CHECK_THROWS_WITH(queries::attack(of({gaussian(1.0)}), question), Contains("did you mean advantage"));
  queries::AttackTarget target;
  CHECK(!queries::limit_of(target));
  target.tpr = 0.05;
  CHECK_THROWS_WITH(queries::limit_of(target), "--fpr: is required with --tpr");
  target.fpr = 0.1;
  CHECK_THROWS_WITH(queries::limit_of(target), Contains("--tpr: 0.05") && Contains("a coin"));
  target.fpr = 0.01;
  CHECK(queries::limit_of(target)->measure == attack::Measure::power);
  target.auc = 0.6;
  CHECK_THROWS_WITH(queries::limit_of(target), Contains("--tpr and --auc exclude each other"));
}
