// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/judgement.hpp"

#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"
#include "validation/resolution.hpp"
#include "validation/runner.hpp"
#include "validation/statistics.hpp"
#include "validation/threshold_audit.hpp"
#include "validation/vacuous.hpp"

using namespace dpcurves;
using namespace dpcurves::validation;

namespace {

Case case_of(const std::function<void(Outcome&)>& run, Verdict expected = Verdict::holds) {
  return {
      "somewhere/else", "a claim", "none", "a broken claim", [run](const Setting&, Outcome& outcome) { run(outcome); },
      expected};
}

Record record_of(const Case& what) { return run({&what}, Setting{}, 1).records.front(); }

}  // namespace

TEST_CASE("the resolution is the sharpest factor that the interval refutes", "[validation][resolution]") {
  CHECK(resolution(Measurement::at_most(0.5, 1.0)) == 0.5);
  CHECK(resolution(Measurement::at_most(0.5, 1.0).interval(0.4, 0.6)) == Approx(0.4));
  CHECK(resolution(Measurement::at_most(2.0, 1.0)) == 1.0);
  CHECK(resolution(Measurement::at_most(0.1, 1.0).interval(-0.1, 0.3)) == 0.0);
  CHECK(resolution(Measurement::at_most(0.5, infinity)) == 0.0);
  CHECK(resolution(Measurement::at_most(infinity, infinity)) == 1.0);
  CHECK(resolution(Measurement::at_least(2.0, 1.0).interval(1.8, 2.5)) == Approx(0.4));
  CHECK(resolution(Measurement::at_least(infinity, 1.0)) == 0.0);
  CHECK(resolution(Measurement::within(1.0, 1.0, 0.1)) == Approx(0.9));
  CHECK(resolution(Measurement::within(-1.0, -1.0, 0.1)) == Approx(0.9));
  CHECK(resolution(Measurement::within(1.0, 1.0, 2.0)) == 0.0);
  for (const Measurement& m :
       {Measurement::at_most(-1.0, 0.0), Measurement::at_most(-2.0, -1.0), Measurement::within(0.0, 0.0, 1.0),
        Measurement::sampled(1e-10), Measurement{}, Measurement::at_most(std::nan(""), 1.0)}) {
    CHECK_FALSE(resolution(m));
    CHECK_FALSE(gap(m));
  }
}

TEST_CASE("a sharpened claim is refuted below the resolution and not above it", "[validation][resolution]") {
  const double low = GENERATE(0.2, 0.7), bound = GENERATE(0.9, 4.0);
  const auto m = Measurement::at_most(low + 0.1, bound).interval(low, low + 0.3);
  const double s = *resolution(m);
  CHECK(m.lower > 0.999 * s * bound);
  CHECK_FALSE(m.lower > 1.001 * s * bound);
}

TEST_CASE("the gap is the bound over the value", "[validation][resolution]") {
  CHECK(gap(Measurement::at_most(0.5, 1.0)) == 2.0);
  CHECK(gap(Measurement::at_least(2.0, 1.0)) == 2.0);
  CHECK(gap(Measurement::at_most(0.0, 1.0)) == infinity);
  CHECK(gap(Measurement::at_most(-1.0, 1.0)) == infinity);
}

TEST_CASE("a point of a curve is compared in units of mu, and fails where it refutes", "[validation][resolution]") {
  const auto gaussian = [](double mu) { return [mu](double a) { return tradeoff::gaussian(a, mu); }; };
  const auto point = inference::tradeoff_point(200000, 1000000, 300000, 1000000, miss_per_interval);
  const double mu = point.effective_mu_interval.lower;
  CHECK(*resolution(in_units_of_mu(point, gaussian(2.0))) == Approx(mu / 2.0).epsilon(1e-6));
  for (const double claimed : {0.999 * mu, 1.001 * mu}) {
    const auto m = in_units_of_mu(point, gaussian(claimed));
    CHECK((m.lower > m.claimed) == inference::refuted(point, gaussian(claimed)));
  }
}

TEST_CASE("a group whose control survives fails the case, whatever breaks elsewhere", "[validation][judgement]") {
  const bool both = GENERATE(false, true);
  const Case what = case_of([both](Outcome& outcome) {
    outcome.claim.at_most(0.5, 1.0, "one");
    outcome.claim.group("other");
    outcome.claim.at_most(0.5, 1.0, "two");
    outcome.control.at_most(0.5, 0.4, "one");
    outcome.control.group("other");
    outcome.control.at_most(0.5, both ? 0.4 : 0.6, "two");
  });
  const Record record = record_of(what);
  CHECK(record.good() == both);
  CHECK((both || record.failure() == "the control of the group \"other\" is not refuted: 0 of 1"));
}

TEST_CASE("set-up needs no control and has no resolution of its own", "[validation][judgement]") {
  const Case what = case_of([](Outcome& outcome) {
    outcome.claim.by_exact_law();
    outcome.claim.at_most(0.25, 1.0, "claim");
    outcome.claim.setup();
    outcome.claim.at_most(1.0, 1.0, "hypothesis");
    outcome.control.at_most(0.25, 0.2, "claim");
  });
  const Record record = record_of(what);
  CHECK(record.good());
  CHECK(record.judgement.resolution == 0.25);
  CHECK(record.judgement.gap->least == 4.0);
}

TEST_CASE("formulas that agree do not count where there is an experiment", "[validation][judgement]") {
  Outcome outcome;
  outcome.claim.close(1.0, 1.0, 1e-9, "two formulas");
  CHECK(judge(outcome, false).basis == Basis::formula);
  CHECK(*judge(outcome, false).resolution == Approx(1.0));
  covered(outcome.claim, 3, 1000, 0.1, "how often");
  const Judgement found = judge(outcome, false);
  CHECK(found.basis == Basis::simulation);
  CHECK(found.runs == 1000);
  CHECK(*found.resolution < 0.03);
  CHECK((found.levels.certified == 1 && found.levels.deterministic == 1 && found.levels.without_level == 0));
  CHECK(found.levels.miss == miss_per_interval);
}

TEST_CASE("random numbers without a level are counted apart", "[validation][judgement]") {
  Outcome outcome;
  outcome.claim.by_simulation(12, 3);
  outcome.claim.at_most(0.5, 1.0, "a median");
  const Judgement found = judge(outcome, false);
  CHECK((found.levels.without_level == 1 && found.levels.certified == 0));
  CHECK((found.runs == 12 && found.units == 3));
}

TEST_CASE("the resolution of a case is that of its worst part", "[validation][judgement]") {
  Outcome outcome;
  outcome.claim.by_exact_law();
  outcome.claim.at_most(0.9, 1.0, "tight");
  outcome.claim.at_most(0.1, 1.0, "loose, same part");
  outcome.claim.group("other");
  outcome.claim.at_most(0.3, 1.0, "loose");
  CHECK(judge(outcome, false).resolution == 0.3);
}

TEST_CASE("a repaired statement does not hide a false print", "[validation][judgement]") {
  const bool refuted = GENERATE(false, true);
  const Case what = case_of([refuted](Outcome& outcome) {
    outcome.claim.at_most(0.5, 1.0, "repaired");
    outcome.control.at_most(0.5, 0.4, "broken");
    Trial printed;
    printed.at_most(0.5, refuted ? 0.3 : 0.6, "printed");
    outcome.printed = printed;
  });
  const Record record = record_of(what);
  CHECK(record.good() == refuted);
  CHECK(record.judgement.as_printed == (refuted ? Verdict::refuted : Verdict::holds));
  CHECK(judge(record.outcome, true).as_repaired == Verdict::holds);
}

TEST_CASE("a bound beyond its trivial value is vacuous, one below is not", "[validation][judgement]") {
  const double bound = GENERATE(0.5, 2.0);
  const Case what = vacuous(case_of([bound](Outcome& outcome) {
                              outcome.claim.at_most(0.4, bound, "risk");
                              outcome.control.at_most(0.4, 0.3, "risk");
                            }),
                            1.0, [] { return "from n = 7 on"; });
  const Record record = record_of(what);
  CHECK(record.good() == (bound > 1.0));
  CHECK(record.on_claim() == (bound > 1.0 ? Verdict::vacuous : Verdict::holds));
  CHECK(speaks_from(
            "n", [](double n) { return 100.0 / n; }, 1.0) == "from n = 2^7 on");
}

TEST_CASE("means are refuted only by a whole Student interval", "[validation][statistics]") {
  std::vector<double> sample;
  for (int i = 0; i < 30; ++i) {
    sample.push_back(1.0 + 0.01 * (i % 3));
  }
  const auto moments = inference::moments(sample);
  Trial trial;
  mean_below(trial, moments, 1.0, "just below the mean");
  mean_below(trial, moments, 0.9, "far below");
  mean_above(trial, moments, 1.2, "far above");
  CHECK(trial.all()[0].holds);
  CHECK_FALSE(trial.all()[1].holds);
  CHECK_FALSE(trial.all()[2].holds);
  CHECK(trial.miss() == Approx(3.0 * miss_per_mean));
}

TEST_CASE("a quantile is refuted where too many draws certainly lie beyond the bound", "[validation][statistics]") {
  std::vector<double> shares;
  for (int i = 1; i <= 10000; ++i) {
    shares.push_back(i / 10000.0);  // the 95th percentile is 0.95
  }
  Trial trial;
  quantile_below(trial, shares, 0.05, "as it is");
  const Measurement found = trial.all().front().measured;
  CHECK(trial.passed());
  CHECK(found.value == Approx(0.95).margin(2e-4));
  CHECK((found.lower > 0.93 && found.lower < 0.945));
  CHECK((found.upper > 0.955 && found.upper < 0.97));
  for (const double scale : {0.999 / found.lower, 1.001 / found.lower}) {
    std::vector<double> scaled = shares;
    for (double& share : scaled) {
      share *= scale;
    }
    Trial other;
    quantile_below(other, scaled, 0.05, "scaled");
    CHECK(other.passed() == (scale * found.lower <= 1.0));
  }
}

TEST_CASE("few draws refute no quantile", "[validation][statistics]") {
  Trial trial;
  quantile_below(trial, {2.0, 3.0}, 0.05, "two draws");
  CHECK(trial.passed());
  CHECK(trial.all().front().measured.lower == 0.0);
}

TEST_CASE("of many comparisons the tightest is recorded, and the worst decides", "[validation][statistics]") {
  Tightest comparisons;
  comparisons.see(0.5, 1.0);
  comparisons.see(-3.0, -2.0);
  comparisons.see(1.8, 2.0);
  Trial trial;
  comparisons.report(trial, 0.0, "all hold");
  CHECK(trial.passed());
  CHECK(trial.all().front().measured.value == 1.8);
  comparisons.see(-1.0, -2.0);
  comparisons.report(trial, 0.5, "one does not");
  CHECK(trial.failures() == 1);
}

TEST_CASE("an identity has the resolution of its largest value", "[validation][resolution]") {
  Trial trial;
  trial.identical(1e-13, 2.0, 1e-12, "equal");
  CHECK(trial.passed());
  CHECK(*resolution(trial.all().front().measured) == Approx(1.0));
  trial.identical(1e-11, 2.0, 1e-12, "not equal");
  CHECK(trial.failures() == 1);
}

TEST_CASE("a case that is named twice runs once", "[validation][runner]") {
  const std::vector<Case> cases{case_of([](Outcome&) {})};
  CHECK(select(cases, {"somewhere", "somewhere/else", "somewhere/else"}).size() == 1);
  CHECK_THROWS(select(cases, {"somewhere/else", "nowhere"}));
  Case numbered = cases.front();
  numbered.id = "shifted-interpolation/theorem-4.9";
  CHECK(select({numbered}, {"4.9"}).size() == 1);  // as theorem show takes it
}
