// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions as records: what a command line asks, without one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/curve.hpp>
#include <dpcurves/queries/privacy.hpp>
#include <dpcurves/queries/risk.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;

namespace {

const Record& member(const Value& value, std::size_t place) {
  return std::get<Record>(std::get<List>(value.data)[place].data);
}

double upper(const Record& record, const char* key) {
  double number = 0.0;
  REQUIRE(std::get<Record>(record.at(key).data).at("upper").number(number));
  return number;
}

const Record gaussian{{"algorithm", {"gaussian"}}, {"noise_multiplier", {10.0}}, {"compositions", {100.0}}};

Record with(Record question, const char* name, Value value) {
  question.add(name, std::move(value));
  return question;
}

}  // namespace

TEST_CASE("privacy answers a record with the epsilon of G_mu", "[queries][privacy]") {
  const auto report = queries::privacy(with(gaussian, "delta", {std::vector{1e-5, 1e-9}}));
  CHECK(report.schema == "dpcurves/privacy/1");
  const Value& results = report.results.at("results");
  REQUIRE(std::get<List>(results.data).size() == 2);
  const double exact = tradeoff::epsilon_enclosure(1e-5, exactly(1.0)).upper;  // mu = sqrt(100)/10
  CHECK(std::abs(upper(member(results, 0), "epsilon") - exact) < 1e-9);
  CHECK(upper(member(results, 1), "epsilon") > upper(member(results, 0), "epsilon"));
  CHECK(report.rows.rows.size() == 2);
  CHECK(report.blocks.size() == 4);  // for each delta a table, and what it rests on
}

TEST_CASE("a sweep answers one result for each value", "[queries][privacy]") {
  Record question{
      {"algorithm", {"gaussian"}}, {"noise_multiplier", {10.0}}, {"delta", {1e-5}}, {"sweep", {"compositions=1,4,9"}}};
  const auto report = queries::privacy(question);
  const Value& results = report.results.at("results");
  REQUIRE(std::get<List>(results.data).size() == 3);
  CHECK(upper(member(results, 0), "epsilon") < upper(member(results, 2), "epsilon"));
  CHECK(report.rows.names.front() == "compositions");
}

TEST_CASE("calibrate finds the noise at which privacy meets the target", "[queries][calibrate]") {
  const auto found = queries::calibrate({{"algorithm", {"gaussian"}},
                                         {"solve_for", {"noise-multiplier"}},
                                         {"compositions", {100.0}},
                                         {"epsilon", {1.0}},
                                         {"delta", {1e-5}}});
  double noise = 0.0;
  REQUIRE(found.results.at("value").number(noise));
  const auto check = queries::privacy(
      {{"algorithm", {"gaussian"}}, {"noise_multiplier", {noise}}, {"compositions", {100.0}}, {"delta", {1e-5}}});
  const double epsilon = upper(member(check.results.at("results"), 0), "epsilon");
  CHECK(epsilon <= 1.0);
  CHECK(epsilon > 1.0 - 1e-9);
}

TEST_CASE("curve returns its columns, and the picture where it is wanted", "[queries][curve]") {
  const auto report = queries::curve(with(with(gaussian, "curve", {"tradeoff"}), "points", {5.0}));
  CHECK(report.rows.names == std::vector<std::string>{"type_one_error", "lower", "upper"});
  CHECK(report.rows.rows.size() == 5);
  CHECK_FALSE(report.plot);
  CHECK(queries::curve(with(with(gaussian, "curve", {"tradeoff"}), "points", {5.0}), {1, {}, true}).plot);
  CHECK_THROWS_AS(queries::curve(with(gaussian, "curve", {"circle"})), UsageError);
}

TEST_CASE("risk returns facts, and the theorems behind them where it is asked to explain", "[queries][risk]") {
  const Record question{{"problem_class", {"ntk"}}, {"width", {64.0}}, {"inputs", {20.0}}, {"records", {4000.0}}};
  const auto report = queries::risk(question);
  CHECK(std::get<Record>(report.results.at("results").data).find("convergence") != nullptr);
  CHECK(report.results.find("explanation") == nullptr);
  CHECK(queries::risk(with(question, "explain", {true})).results.find("explanation") != nullptr);
}

TEST_CASE("questions that cannot be asked name what is wrong with them", "[queries][errors]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(queries::privacy({{"algorithm", {"gausian"}}}), Contains("gaussian"));
  CHECK_THROWS_WITH(queries::privacy({{"noise_multiplier", {1.0}}}), Contains("algorithm"));
  CHECK_THROWS_WITH(queries::privacy(with(gaussian, "noise", {1.0})), Contains("--noise: unknown option"));
  CHECK_THROWS_WITH(
      queries::privacy({{"algorithm", {"gaussian"}}, {"noise_multiplier", {-1.0}}, {"compositions", {1.0}}}),
      Contains("--noise-multiplier: -1 is outside [0, inf)"));
  CHECK_THROWS_WITH(queries::privacy({{"algorithm", {"gaussian"}}, {"noise_multiplier", {Record()}}}),
                    Contains("--noise-multiplier"));
  CHECK_THROWS_AS(queries::calibrate({{"algorithm", {"dp-sgd"}}}), UsageError);
}

TEST_CASE("who listens to the progress can stop a sweep", "[queries][privacy]") {
  std::size_t told = 0;
  Record question{{"algorithm", {"gaussian"}}, {"noise_multiplier", {10.0}}, {"sweep", {"compositions=1,4,9"}}};
  CHECK_THROWS_AS(queries::privacy(question, {1, [&](std::size_t, std::size_t) { return ++told < 2; }, false}), Error);
  CHECK(told == 2);
}

TEST_CASE("noise 0 and rate 0 are answered at every delta", "[queries][privacy]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto epsilon = [](Record question, double delta) {
    question.add("delta", {std::vector{delta}});
    const auto report = queries::privacy(question);
    double value = -1.0;
    REQUIRE(report.results.at("results")
                .get<List>()
                ->front()
                .get<Record>()
                ->at("epsilon")
                .get<Record>()
                ->at("upper")
                .number(value));
    return value;
  };
  const Record bare = GENERATE(
      Record{{"algorithm", {"dp-sgd"}}, {"noise_multiplier", {0.0}}, {"sampling_rate", {0.1}}, {"steps", {100.0}}},
      Record{{"algorithm", {"gaussian"}}, {"noise_multiplier", {0.0}}, {"compositions", {3.0}}},
      Record{{"algorithm", {"noisy-gd"}}, {"noise_multiplier", {0.0}}, {"steps", {3.0}}},
      Record{{"algorithm", {"noisy-sgd"}}, {"noise_multiplier", {0.0}}, {"sampling_rate", {0.1}}, {"steps", {3.0}}},
      Record{{"algorithm", {"correlated"}},
             {"noise_multiplier", {0.0}},
             {"sampling_rate", {0.1}},
             {"steps", {9.0}},
             {"lambda", {0.5}}});
  CHECK(epsilon(bare, 0.0) == infinity);
  CHECK(epsilon(bare, 1e-5) == infinity);
  CHECK(epsilon(bare, 1.0) == 0.0);
  Record unused{{"algorithm", {"dp-sgd"}}, {"noise_multiplier", {1.0}}, {"sampling_rate", {0.0}}, {"steps", {100.0}}};
  for (const double delta : {0.0, 1e-5, 1.0}) {
    CHECK(epsilon(unused, delta) == 0.0);
  }
  const Record noisy{
      {"algorithm", {"dp-sgd"}}, {"noise_multiplier", {1.0}}, {"sampling_rate", {0.1}}, {"steps", {20.0}}};
  CHECK(epsilon(noisy, 0.0) == infinity);
  CHECK(epsilon(noisy, 1.0) == 0.0);
  Record added = noisy;
  added.add("adjacency", {"add"});
  CHECK(epsilon(added, 0.0) == Approx(-20.0 * std::log1p(-0.1)).epsilon(1e-12));  // the largest loss is finite
  CHECK(epsilon({{"algorithm", {"composition"}}, {"component", {List{{"laplace:2:3"}}}}}, 0.0) ==
        Approx(1.5).epsilon(1e-14));
  CHECK(epsilon({{"algorithm", {"composition"}}, {"component", {List{{"pure:0.5:3"}}}}}, 0.0) ==
        Approx(1.5).epsilon(1e-14));
  CHECK_THROWS_WITH(queries::calibrate({{"algorithm", {"dp-sgd"}},
                                        {"solve_for", {"steps"}},
                                        {"noise_multiplier", {0.0}},
                                        {"sampling_rate", {0.1}},
                                        {"epsilon", {1.0}},
                                        {"delta", {1e-5}}}),
                    Catch::Contains("--noise-multiplier: 0 hides nothing"));
  CHECK(*queries::calibrate({{"algorithm", {"dp-sgd"}},
                             {"solve_for", {"noise-multiplier"}},
                             {"steps", {10.0}},
                             {"sampling_rate", {0.1}},
                             {"epsilon", {1.0}},
                             {"delta", {1e-5}}})
             .results.at("value")
             .get<double>() > 0.5);
}

TEST_CASE("options that no answer looks at are refused by name", "[queries][privacy]") {
  const auto refuses = [](Record question, const char* option, Value value, const char* why) {
    question.add("delta", {1e-5});
    CAPTURE(option);
    CHECK_NOTHROW(queries::privacy(question));
    std::string shown = option;
    std::replace(shown.begin(), shown.end(), '_', '-');
    CHECK_THROWS_WITH(queries::privacy(with(question, option, std::move(value))),
                      Catch::Contains("--" + shown) && Catch::Contains(why));
  };
  const Record phased{{"algorithm", {"phased-sgd"}}, {"claimed_epsilon", {1.0}}, {"claimed_delta", {1e-5}}};
  for (const char* option : {"records", "projected_dimension"}) {
    refuses(with(phased, "variant", {"full"}), option, {100.0}, "projects nothing");
    refuses(with(with(phased, "variant", {"projected"}), "renormalise", {true}), option, {100.0}, "no event");
  }
  refuses(with(phased, "variant", {"full"}), "smoothing", {1.0}, "Moreau");
  refuses(with(phased, "variant", {"moreau"}), "lipschitz", {1.0}, "link itself");
  refuses(phased, "dimension", {4.0}, "dimension of the features");
  refuses({{"algorithm", {"langevin"}}, {"lipschitz", {0.5}}, {"diameter", {1.0}}, {"step_size", {0.1}}}, "smoothness",
          {1.0}, "smoothness");
  // A fact of the run, not a question: a rate may stand beside it.
  CHECK_NOTHROW(queries::privacy({{"algorithm", {"dp-sgd"}},
                                  {"noise_multiplier", {2.0}},
                                  {"steps", {10.0}},
                                  {"sampling_rate", {0.1}},
                                  {"records", {100.0}},
                                  {"delta", {1e-5}}}));
}

TEST_CASE("correlated noise: options that no answer looks at are refused by name", "[queries][privacy]") {
  const Record strategy{{"algorithm", {"correlated"}},
                        {"noise_multiplier", {20.0}},
                        {"steps", {100.0}},
                        {"strategy", {"bsr"}},
                        {"epochs", {4.0}},
                        {"delta", {std::vector{1e-5}}}};
  CHECK_NOTHROW(queries::privacy(with(strategy, "bands", {4.0})));
  const std::pair<const char*, Value> beside_a_rule[] = {{"batch_size", {20.0}}, {"records", {1000.0}},
                                                         {"method", {"renyi"}},  {"groups", {5.0}},
                                                         {"buffers", {2.0}},     {"separation", {25.0}}};
  for (const auto& [option, value] : beside_a_rule) {
    std::string shown = option;
    std::replace(shown.begin(), shown.end(), '_', '-');
    CHECK_THROWS_WITH(queries::privacy(with(strategy, option, value)), Catch::Contains("--" + shown));
  }
  const Record sampled{{"algorithm", {"correlated"}},
                       {"noise_multiplier", {50.0}},
                       {"steps", {100.0}},
                       {"sampling_rate", {0.05}},
                       {"lambda", {0.9}},
                       {"delta", {std::vector{1e-5}}}};
  for (const char* option : {"epochs", "separation", "participations", "bands", "buffers", "groups"}) {
    CHECK_THROWS_WITH(queries::privacy(with(sampled, option, {3.0})), Catch::Contains("without --strategy NAME"));
  }
}
