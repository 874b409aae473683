// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/transcript.hpp>

using namespace dpcurves;
using Catch::Contains;

namespace {

std::string node(const std::string& name, const std::string& fields) {
  return "{\"module_name\": \"dp_accounting.dp_event\", \"class_name\": \"" + name + "\"" +
         (fields.empty() ? "" : ", " + fields) + "}";
}
std::string gaussian(const std::string& noise) { return node("GaussianDpEvent", "\"noise_multiplier\": " + noise); }
std::string sampled(const std::string& rate, const std::string& event) {
  return node("PoissonSampledDpEvent", "\"sampling_probability\": " + rate + ", \"event\": " + event);
}
std::string repeated(const std::string& event, const std::string& count) {
  return node("SelfComposedDpEvent", "\"event\": " + event + ", \"count\": " + count);
}
Enclosure epsilon(const std::string& text, const transcripts::Given& given = {}) {
  return transcripts::guarantee(transcripts::read_dp_event(text, given)).curve->epsilon(1e-5).value;
}
transcripts::Given under(mechanism::Adjacency adjacency) {
  transcripts::Given given;
  given.adjacency = adjacency;
  return given;
}

}  // namespace

TEST_CASE("special nodes are what they mean", "[transcripts]") {
  CHECK(epsilon(sampled("0", gaussian("1"))).upper == 0.0);
  CHECK(epsilon(sampled("1", gaussian("2"))).upper == epsilon(gaussian("2")).upper);
  CHECK(std::isinf(epsilon(gaussian("0")).lower));
  CHECK(epsilon(repeated(node("NonPrivateDpEvent", ""), "0")).upper == 0.0);
  CHECK(epsilon(repeated(gaussian("2"), "1000.0")).upper == epsilon(repeated(gaussian("2"), "1000")).upper);
  CHECK(epsilon(node("EpsilonDeltaDpEvent", "\"epsilon\": 1.5, \"delta\": 0")).upper ==
        Approx(1.5 + std::log1p(-1e-5 * (1.0 + std::exp(-1.5)))).epsilon(1e-9));
}

TEST_CASE("a sample of all is the event and a sample of none is nothing, whatever stands below", "[transcripts]") {
  const std::string laplace = node("LaplaceDpEvent", "\"noise_multiplier\": 2");
  const std::string run = repeated(sampled("0.01", gaussian("1.1")), "1000");
  CHECK(epsilon(sampled("1", laplace)).upper == epsilon(laplace).upper);
  CHECK(epsilon(sampled("1.0", run)).upper == epsilon(run).upper);
  CHECK(epsilon(sampled("0", run)).upper == 0.0);
  CHECK(epsilon(sampled("0", node("NonPrivateDpEvent", ""))).upper == 0.0);
  CHECK(std::isinf(epsilon(sampled("1", node("NonPrivateDpEvent", ""))).upper));
  const auto both = [&](const std::string& first) {
    const std::string list = node("ComposedDpEvent", "\"events\": [" + first + ", " + gaussian("1.1") + "]");
    return epsilon(repeated(sampled("0.01", list), "1000")).upper;
  };
  const double alone = epsilon(run).upper;
  CHECK(both(sampled("0", gaussian("0.1"))) == Approx(alone).epsilon(1e-9));  // merged noise is rounded down
  CHECK(both(repeated(laplace, "0")) == Approx(alone).epsilon(1e-9));
  CHECK(both(sampled("1", gaussian("1.1"))) == both(gaussian("1.1")));
}

TEST_CASE("a composition of one is what it composes", "[transcripts]") {
  const std::string inner = sampled("0.2", gaussian("1"));
  const double product = epsilon(repeated(sampled("0.1", inner), "100")).upper;
  CHECK(epsilon(repeated(sampled("0.1", repeated(inner, "1")), "100")).upper == product);
  CHECK(epsilon(repeated(sampled("0.1", node("ComposedDpEvent", "\"events\": [" + inner + "]")), "100")).upper ==
        product);
  CHECK_THROWS_WITH(epsilon(repeated(sampled("0.1", repeated(inner, "2")), "50")),
                    Contains("$.event.event: PoissonSampledDpEvent around a composition that itself samples"));
}

TEST_CASE("what cannot be sampled is named by its own place", "[transcripts][errors]") {
  const std::string laplace = node("LaplaceDpEvent", "\"noise_multiplier\": 2");
  CHECK_THROWS_WITH(
      epsilon(sampled("0.1", node("ComposedDpEvent", "\"events\": [" + gaussian("2") + ", " + laplace + "]"))),
      Contains("$.event.events[1]: PoissonSampledDpEvent of LaplaceDpEvent"));
  const std::string fixed = node("SampledWithoutReplacementDpEvent",
                                 "\"source_dataset_size\": 100, \"sample_size\": 10, \"event\": " + gaussian("2"));
  CHECK_THROWS_WITH(epsilon(sampled("0.1", fixed), under(mechanism::Adjacency::zero_out)),
                    Contains("$.event: PoissonSampledDpEvent of SampledWithoutReplacementDpEvent"));
  CHECK_THROWS_WITH(epsilon("{\"module_name\": \"dp_event\", \"class_name\": \"NoOpDpEvent\"}"),
                    Contains("another module"));
}

TEST_CASE("replacing a record doubles how far a Gaussian moves", "[transcripts]") {
  CHECK(epsilon(gaussian("2"), under(mechanism::Adjacency::replace_one)).upper == epsilon(gaussian("1")).upper);
}

TEST_CASE("zCDP composes with Gaussians by Renyi divergences, and is never better than them", "[transcripts]") {
  // A Gaussian of noise multiplier 4 is 1/32-zCDP.
  const std::string claim = node("ZCDpEvent", "\"rho\": 0.03125");
  const double mixed = epsilon(node("ComposedDpEvent", "\"events\": [" + claim + ", " + gaussian("4") + "]")).upper;
  const double both = epsilon(repeated(claim, "2")).upper;
  CHECK(mixed == Approx(both).epsilon(1e-9));
  CHECK(mixed > epsilon(repeated(gaussian("4"), "2")).upper);
  CHECK(transcripts::guarantee(transcripts::read_dp_event(claim, {})).upper_only);
}

TEST_CASE("pure mechanisms are claims, but for those whose losses are known", "[transcripts]") {
  const double pure = epsilon(node("EpsilonDeltaDpEvent", "\"epsilon\": 0.5, \"delta\": 0")).upper;
  CHECK(epsilon(node("PermuteAndFlipDpEvent", "\"epsilon\": 0.5")).upper == pure);
  // delta(s) of Laplace noise is 1 - e^{(s - epsilon)/2}.
  const Enclosure laplace = epsilon(node("LaplaceDpEvent", "\"noise_multiplier\": 2"));
  const double exact = 0.5 + 2.0 * std::log1p(-1e-5);
  CHECK(laplace.lower <= exact);
  CHECK(exact <= laplace.upper);
  CHECK(laplace.upper < pure);
  CHECK(laplace.upper - laplace.lower < 2e-6);
  const Enclosure discrete = epsilon(node("DiscreteLaplaceDpEvent", "\"noise_parameter\": 0.25, \"sensitivity\": 2"));
  CHECK(discrete.upper < pure);
  CHECK(discrete.lower > 0.499);
  CHECK(epsilon(node("DiscreteLaplaceDpEvent", "\"noise_parameter\": 0.25, \"sensitivity\": 0")).upper == 0.0);
  const auto replaced = under(mechanism::Adjacency::replace_one);
  const std::string response = node("RandomizedResponseDpEvent", "\"noise_parameter\": 0.5, \"num_buckets\": 2");
  CHECK(epsilon(response, replaced).upper ==
        Approx(epsilon(node("EpsilonDeltaDpEvent", "\"epsilon\": 1.0986122886681098, \"delta\": 0")).upper)
            .epsilon(1e-9));
  CHECK_FALSE(transcripts::guarantee(transcripts::read_dp_event(response, replaced)).upper_only);
  CHECK(epsilon(node("RandomizedResponseDpEvent", "\"noise_parameter\": 0.5, \"num_buckets\": 1"), replaced).upper ==
        0.0);
  CHECK_THROWS_WITH(epsilon(node("LaplaceDpEvent", "\"noise_multiplier\": 2"), replaced), Contains("replace-one"));
}

TEST_CASE("mixtures of Gaussians and discrete Gaussians are answered at both ends", "[transcripts]") {
  const auto answer = [](const std::string& text) {
    return transcripts::guarantee(transcripts::read_dp_event(text, {}));
  };
  const std::string one =
      node("MixtureOfGaussiansDpEvent",
           "\"standard_deviation\": 2, \"sensitivities\": [0, 2.0], \"sampling_probs\": [0.99, 0.01]");
  const Enclosure sum = answer(repeated(one, "100")).curve->epsilon(1e-5).value;
  const Enclosure step = epsilon(repeated(sampled("0.01", gaussian("1")), "100"));  // the same pair
  CHECK(sum.lower <= step.upper);
  CHECK(step.lower <= sum.upper);
  CHECK(sum.upper == Approx(step.upper).epsilon(1e-5));
  const auto discrete = answer(node("DiscreteGaussianDpEvent", "\"sigma\": 100, \"sensitivity\": 100"));
  CHECK_FALSE(discrete.upper_only);
  CHECK(discrete.curve->epsilon(1e-5).value.upper == Approx(epsilon(gaussian("1")).upper).epsilon(1e-2));
  CHECK(answer(node("DiscreteGaussianDpEvent", "\"sigma\": 100, \"sensitivity\": 100, \"dimension\": 7")).upper_only);
  CHECK_THROWS_WITH(answer(node("MixtureOfGaussiansDpEvent",
                                "\"standard_deviation\": 1, \"sensitivities\": [1], \"sampling_probs\": [0.5]")),
                    Contains("sum to 0.5"));
  const auto bare = [](const std::string& sensitivity) {
    return node("MixtureOfGaussiansDpEvent",
                "\"standard_deviation\": 0, \"sensitivities\": [" + sensitivity + "], \"sampling_probs\": [1]");
  };
  CHECK(epsilon(bare("0")).upper == 0.0);
  CHECK_THROWS_WITH(answer(bare("1")), Contains("without noise"));
}

TEST_CASE("a discrete Laplace parameter that no law has is no noise", "[transcripts]") {
  CHECK(std::isinf(epsilon(node("DiscreteLaplaceDpEvent", "\"noise_parameter\": 0, \"sensitivity\": 1")).lower));
}

TEST_CASE("mechanisms lose at most their largest losses, however small delta is", "[transcripts]") {
  const std::string whole = repeated(node("LaplaceDpEvent", "\"noise_multiplier\": 1"), "3");
  const std::string half = repeated(node("LaplaceDpEvent", "\"noise_multiplier\": 2"), "2");
  const auto text = node("ComposedDpEvent", "\"events\": [" + whole + ", " + half + "]");
  const auto found = transcripts::guarantee(transcripts::read_dp_event(text, {})).curve->epsilon(1e-14).value;
  CHECK(found.upper <= 4.0 * (1.0 + 1e-12));
  CHECK(found.lower > 3.99);
}

TEST_CASE("what is no description of an event is refused with its place", "[transcripts]") {
  CHECK_THROWS_AS(epsilon("{\"class_name\": \"NoOpDpEvent\"}"), UsageError);
  CHECK_THROWS_AS(epsilon("[1, 2]"), UsageError);
  CHECK_THROWS_AS(epsilon("3"), UsageError);
  CHECK_THROWS_WITH(epsilon("{\"module_name\": \"os\", \"class_name\": \"NoOpDpEvent\"}"), Contains("another module"));
  CHECK_THROWS_WITH(epsilon(node("GaussianDpEvent", "\"noise_multiplier\": 1, \"nois\": 2")),
                    Contains("unknown field nois"));
  CHECK_THROWS_WITH(epsilon(gaussian("true")), Contains("$.noise_multiplier") && Contains("not a number"));
  CHECK_THROWS_WITH(epsilon(repeated(gaussian("1"), "2.5")), Contains("whole number"));
  CHECK_THROWS_WITH(epsilon(repeated(repeated(gaussian("1"), "1e10"), "1e10")), Contains("more than 1e15"));
  CHECK_THROWS_WITH(epsilon(sampled("0.1", node("NonPrivateDpEvent", ""))), Contains("delta is at least"));
  CHECK_THROWS_WITH(epsilon(node("SingleEpochTreeAggregationDpEvent", "\"noise_multiplier\": 1, \"step_counts\": 3")),
                    Contains("zero-out"));
}

TEST_CASE("two fields of a positional node, exchanged, are refused or another answer", "[transcripts][control]") {
  const std::string right =
      R"(["dp_accounting.dp_event", "SelfComposedDpEvent", ["dp_accounting.dp_event", "PoissonSampledDpEvent", 0.5, ["dp_accounting.dp_event", "GaussianDpEvent", 2.0]], 3])";
  const std::string wrong =
      R"(["dp_accounting.dp_event", "SelfComposedDpEvent", 3, ["dp_accounting.dp_event", "PoissonSampledDpEvent", 0.5, ["dp_accounting.dp_event", "GaussianDpEvent", 2.0]]])";
  CHECK(epsilon(right).upper > 0.0);
  CHECK_THROWS_AS(epsilon(wrong), UsageError);
}

TEST_CASE("a tree of 100000 levels is read", "[transcripts]") {
  std::string text;
  std::string end;
  for (int i = 0; i < 100000; ++i) {
    text += R"({"module_name": "x.dp_event", "class_name": "SelfComposedDpEvent", "count": 1, "event": )";
    end += "}";
  }
  CHECK(epsilon(text + R"({"module_name": "x.dp_event", "class_name": "GaussianDpEvent", "noise_multiplier": 2})" + end)
            .upper == epsilon(gaussian("2")).upper);
  std::string spine = R"({"type": "Gaussian", "noise_multiplier": 400})";
  for (int i = 0; i < 17; ++i) {
    spine = R"({"type": "Composed", "left": )" + spine + R"(, "right": {"type": "Identity"}})";
  }
  std::string deep;
  std::string close;
  for (int i = 0; i < 100000; ++i) {
    deep += R"({"type": "Composed", "right": {"type": "Gaussian", "noise_multiplier": 400}, "left": )";
    close += "}";
  }
  const auto read = transcripts::read_opake(R"({"process": )" + deep + spine + close + "}", {});
  REQUIRE(read.run.releases.size() == 1);
  CHECK(read.run.releases.front().count == 100001.0);
}
