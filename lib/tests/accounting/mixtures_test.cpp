// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

DpSgd run_of(Sampler sampling, Adjacency adjacency, DpSgdPhase phase, double group = 1.0) {
  DpSgd run;
  run.sampling = sampling;
  run.adjacency = adjacency;
  run.phases = {phase};
  run.group_size = group;
  return run;
}

Enclosure delta(const DpSgd& run, double epsilon) { return dp_sgd_guarantee(run).curve->delta(epsilon).value; }

bool overlap(const Enclosure& a, const Enclosure& b) { return a.lower <= b.upper && b.lower <= a.upper; }

}  // namespace

TEST_CASE("groups have a whole size, with noise and without", "[accounting][mixtures][errors]") {
  const double size = GENERATE(-1.0, 0.0, 2.5, 2001.0, std::nan(""));
  const double noise = GENERATE(0.0, 1.0);
  CAPTURE(size, noise);
  const DpSgd run = run_of(Sampler::poisson, Adjacency::add_or_remove, {noise, 0.1, 10.0}, size);
  CHECK_THROWS_WITH(dp_sgd_guarantee(run), Catch::Contains("group_size"));
}

TEST_CASE("mixtures of two components agree with the proved accountant", "[accounting][mixtures]") {
  const double rate = GENERATE(0.01, 0.2), mu = GENERATE(0.5, 1.0);
  const double steps = GENERATE(1.0, 3.0, 200.0, 1e7);
  const bool remove = GENERATE(true, false);
  if (steps == 1e7 && rate > 0.1) {
    return;
  }
  const double q = steps == 1e7 ? 1e-4 * rate : rate;
  const Composition two{0.3, {{q, mu, steps, remove ? Pair::poisson_remove : Pair::poisson_add}}};
  const double epsilon = epsilon_at(two, 1e-5).epsilon.upper;
  const double noise = 1.0 / 0.3;
  DpSgd run = run_of(Sampler::cyclic_poisson, remove ? Adjacency::remove : Adjacency::add, {1.0 / mu, q, steps});
  run.unsampled = {{noise, 1.0}};
  const Enclosure d = delta(run, epsilon);
  CAPTURE(rate, mu, steps, remove, epsilon, d.lower, d.upper);
  CHECK(overlap(d, {1e-5 * (1 - 1e-6), 1e-5 * (1 + 1e-6)}));
  CHECK(d.relative_width() < 1e-6);
}

TEST_CASE("a mixture that is one normal law is a Gaussian mechanism", "[accounting][mixtures]") {
  const auto curve = given_mixtures_curve({{4.0, {0.25, 0.75}, {0.5, 0.5}}}, true);
  const auto gaussian = gaussian_curve(exactly(1.0));
  for (const double epsilon : {-1.0, 0.0, 1.0, 4.0}) {
    const Enclosure got = curve->delta(epsilon).value, want = gaussian->delta(epsilon).value;
    CAPTURE(epsilon, got.lower, got.upper, want.lower);
    CHECK(overlap(got, want));
    CHECK(got.relative_width() < 1e-6);
  }
  const double errors[] = {0.01, 0.1, 0.5};
  const auto f = curve->type_two_errors(errors), g = gaussian->type_two_errors(errors);
  for (std::size_t i = 0; i < f.size(); ++i) {
    CAPTURE(errors[i], f[i].lower, f[i].upper, g[i].lower);
    CHECK(overlap(f[i], g[i]));
    CHECK(f[i].width() < 1e-4);
  }
}

TEST_CASE("a test that never errs one way always errs the other", "[accounting][mixtures]") {
  const auto run = run_of(Sampler::poisson, Adjacency::remove, {1.0, 0.1, 5.0}, 3.0);
  const auto f = dp_sgd_guarantee(run).curve->type_two_errors(std::vector<double>{0.0, 1.0});
  CHECK(f[0].lower > 1.0 - 1e-9);
  CHECK(f[0].upper == 1.0);
  CHECK(f[1].upper == 0.0);
}

TEST_CASE("a full rate, a group of all and one group of the cycle are the plain mechanism", "[accounting][mixtures]") {
  const Enclosure plain = delta(run_of(Sampler::none, Adjacency::remove, {2.0, 1.0, 9.0}), 1.0);
  CHECK(overlap(delta(run_of(Sampler::cyclic_poisson, Adjacency::remove, {2.0, 1.0, 9.0}), 1.0), plain));
  const Enclosure group = delta(run_of(Sampler::none, Adjacency::remove, {4.0, 1.0, 9.0}, 2.0), 1.0);
  CHECK(overlap(group, plain));
  // A cut above all records cuts nothing.
  const DpSgdPhase phase{1.0, 0.1, 20.0, {}, 30.0, 1.0, 30.0};
  CHECK(overlap(delta(run_of(Sampler::truncated_poisson, Adjacency::remove, phase), 1.0),
                delta(run_of(Sampler::poisson, Adjacency::remove, phase), 1.0)));
}

TEST_CASE("one record in turns, or more or less of a fixed size, is in Poisson steps", "[accounting][mixtures]") {
  for (const Adjacency adjacency : {Adjacency::remove, Adjacency::add}) {
    const Enclosure fixed = delta(run_of(Sampler::fixed_size, adjacency, {2.0, 0.1, 50.0, {}, 100.0}), 1.0);
    const Enclosure poisson = delta(run_of(Sampler::poisson, adjacency, {1.0, 0.1, 50.0}), 1.0);
    CHECK(fixed.lower == poisson.lower);
    CHECK(fixed.upper == poisson.upper);
    CHECK(fixed.relative_width() < 1e-8);
  }
  const DpSgd turns = run_of(Sampler::cyclic_poisson, Adjacency::replace_one, {1e-3, 0.1, 100.0, {}, 0.0, 7.0});
  CHECK(dp_sgd_guarantee(turns).theorem == "accountant/cyclic-poisson");
  REQUIRE(directions(turns).size() == 1);
  CHECK(directions(turns).front().composition.components.front().count == 15.0);
  const Enclosure e = dp_sgd_guarantee(turns).curve->epsilon(1e-5).value;
  CHECK(e.lower > 1e6);
  CHECK(e.relative_width() < 1e-6);
}

TEST_CASE("little noise and rare uses are answered at once", "[accounting][mixtures]") {
  for (const Adjacency adjacency : {Adjacency::remove, Adjacency::zero_out, Adjacency::replace_one}) {
    const DpSgdPhase loud{1e-3, 0.01, 1000.0, {}, 1e4, 1.0, 120.0};
    for (const auto& [sampler, group] : {std::pair{Sampler::with_replacement, 1.0}, std::pair{Sampler::fixed_size, 4.0},
                                         std::pair{Sampler::truncated_poisson, 1.0}}) {
      const Enclosure e = dp_sgd_guarantee(run_of(sampler, adjacency, loud, group)).curve->epsilon(1e-5).value;
      CAPTURE(name(sampler), e.lower, e.upper);
      CHECK(e.lower <= e.upper);
      CHECK(e.upper > 1e6);
      CHECK(std::isfinite(e.upper));
    }
    const DpSgdPhase rare{1.0, 1e-300, 1000.0, {}, 1e4, 1.0, 120.0};
    CHECK(dp_sgd_guarantee(run_of(Sampler::truncated_poisson, adjacency, rare)).curve->epsilon(1e-5).value.upper ==
          0.0);
    CHECK(delta(run_of(Sampler::poisson, adjacency, rare, 3.0), 0.0).upper < 1e-290);
  }
}

TEST_CASE("nothing is dropped of a null that is one normal law", "[accounting][mixtures]") {
  const DpSgd run = run_of(Sampler::with_replacement, Adjacency::replace_one, {2.0, 0.01, 1e5, {}, 1e4}, 4.0);
  CHECK(dp_sgd_guarantee(run).curve->epsilon(1e-5).value.lower > 205.0);
}

TEST_CASE("owners of several records in large batches drawn with replacement have both ends",
          "[accounting][mixtures]") {
  const DpSgdPhase phase{2.0, 0.01, 1e5, {}, 1e4};
  const auto epsilon = [&](Adjacency adjacency) {
    return dp_sgd_guarantee(run_of(Sampler::with_replacement, adjacency, phase, 4.0)).curve->epsilon(1e-5).value;
  };
  CHECK(epsilon(Adjacency::add).relative_width() < 3e-8);
  const Enclosure zeroed = epsilon(Adjacency::zero_out), replaced = epsilon(Adjacency::replace_one);
  CAPTURE(zeroed.lower, zeroed.upper, replaced.lower, replaced.upper);
  CHECK(zeroed.lower > 97.3);
  CHECK(zeroed.upper < 117.239);
  CHECK(replaced.upper < 305.478);
}

TEST_CASE("larger groups, and draws with replacement, reveal more", "[accounting][mixtures]") {
  const DpSgdPhase phase{3.0, 0.05, 50.0, {}, 100.0};
  const auto at = [&](Sampler sampling, double group) {
    return delta(run_of(sampling, Adjacency::remove, phase, group), 1.0);
  };
  CHECK(at(Sampler::poisson, 2.0).upper < at(Sampler::poisson, 3.0).lower);
  CHECK(at(Sampler::fixed_size, 1.0).upper < at(Sampler::with_replacement, 1.0).lower);
}

TEST_CASE("an owner's records in one group of a cycle reveal most", "[accounting][mixtures]") {
  for (const Adjacency adjacency : {Adjacency::remove, Adjacency::add, Adjacency::replace_one}) {
    const Enclosure cycle = delta(run_of(Sampler::cyclic_poisson, adjacency, {2.0, 0.3, 10.0, {}, 0.0, 4.0}, 3.0), 0.7);
    CHECK(overlap(cycle, delta(run_of(Sampler::poisson, adjacency, {2.0, 0.3, 3.0}, 3.0), 0.7)));
    // Three records in three groups are one record in each of nine steps.
    CHECK(delta(run_of(Sampler::poisson, adjacency, {2.0, 0.3, 9.0}), 0.7).upper < cycle.lower);
  }
}

TEST_CASE("a batch that is cut, by the others that are kept", "[accounting][mixtures]") {
  // Four records at rate 1/2, cut at two: none, one or two of the others are kept. By hand, one step, mu = 1, with all
  // that displaces held against one of the others.
  const DpSgd run = run_of(Sampler::truncated_poisson, Adjacency::remove, {1.0, 0.5, 1.0, {}, 4.0, 1.0, 2.0});
  const auto by_others = accounting::truncated_by_others(run);
  REQUIRE(by_others);
  const Enclosure found = by_others->curve->delta(0.5).value, by_displaced = delta(run, 0.5);
  CHECK(found.upper <= 0.11821297626587261 * (1.0 + 1e-7));
  CHECK(found.upper < by_displaced.upper);
  CHECK(found.lower == Approx(by_displaced.lower).epsilon(1e-9));
  CHECK_FALSE(accounting::truncated_by_others(run_of(Sampler::poisson, Adjacency::remove, {1.0, 0.5, 1.0})));
  // All are drawn: without the record two others are always kept, and a loss would be infinite.
  CHECK_FALSE(accounting::truncated_by_others(
      run_of(Sampler::truncated_poisson, Adjacency::remove, {1.0, 1.0, 1.0, {}, 4.0, 1.0, 2.0})));
}

TEST_CASE("two records of a batch that is cut", "[accounting][mixtures]") {
  // Four records at rate 1/2, cut at two: one, or none, of the others leaves places free. By hand, one step, mu = 1.
  const DpSgdPhase phase{1.0, 0.5, 1.0, {}, 4.0, 1.0, 2.0};
  const Enclosure cut = delta(run_of(Sampler::truncated_poisson, Adjacency::remove, phase, 2.0), 0.5);
  CHECK(cut.upper == Approx(0.23867401624848486).epsilon(1e-7));
  CHECK(cut.lower == Approx(0.18078295373103767).epsilon(1e-7));
  DpSgdPhase wide{2.0, 0.05, 50.0, {}, 100.0, 1.0, 100.0};
  for (const Adjacency adjacency : {Adjacency::remove, Adjacency::zero_out, Adjacency::replace_one}) {
    const Enclosure uncut = delta(run_of(Sampler::truncated_poisson, adjacency, wide, 3.0), 1.0);
    CHECK(overlap(uncut, delta(run_of(Sampler::poisson, adjacency, wide, 3.0), 1.0)));
    DpSgdPhase narrow = wide;
    narrow.largest_batch = 12.0;
    const Enclosure more = delta(run_of(Sampler::truncated_poisson, adjacency, narrow, 3.0), 1.0);
    CHECK(more.lower <= uncut.upper);
    CHECK(more.upper >= uncut.lower);
  }
}

TEST_CASE("uses of a rare record leave Lemma M provable", "[accounting][mixtures]") {
  const DpSgd run = run_of(Sampler::with_replacement, Adjacency::zero_out, {2.0, 1e-3, 1e5, {}, 1e5});
  const Enclosure e = dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
  CHECK(e.upper < 1.12);  // 1.84 by the number of uses revealed
  CHECK(e.lower > 1.0);
}

TEST_CASE("far below the losses of loud groups delta is 1 at once, and nearer it is bracketed",
          "[accounting][mixtures]") {
  const auto delta = [](double noise, double steps, double epsilon) {
    const MixtureStep step{steps, {0.7, 0.2, 0.1}, {0.0, 1.0 / noise, 2.0 / noise}};
    return given_mixtures_curve({step}, true)->delta(epsilon).value;
  };
  for (const double epsilon : {0.0, 1.0, 1000.0}) {
    CHECK(delta(0.5, 1e6, epsilon).lower >= 1.0 - 1e-15);
    CHECK(delta(15.0, 1e12, epsilon).lower >= 1.0 - 1e-15);
  }
  const Enclosure some = delta(1.0, 60.0, 0.0);  // 1 - 2e-3
  CHECK(some.upper < 1.0);
  CHECK(some.relative_width() < 1e-6);
}

TEST_CASE("epsilon and delta of mixtures are inverse", "[accounting][mixtures]") {
  const DpSgd run = run_of(Sampler::poisson, Adjacency::replace_one, {2.0, 0.02, 100.0}, 3.0);
  const auto curve = dp_sgd_guarantee(run).curve;
  for (const double d : {0.01, 1e-6, 1e-15}) {
    const Enclosure e = curve->epsilon(d).value;
    CAPTURE(d, e.lower, e.upper);
    CHECK(e.relative_width() < 1e-5);
    CHECK(curve->delta(e.upper).value.lower <= d);
    CHECK(curve->delta(e.lower).value.upper >= d);
  }
}

TEST_CASE("one step has both ends, however small delta is", "[accounting][mixtures]") {
  const double deltas[] = {1e-300, 1e-30, 1e-5};
  for (const Adjacency adjacency : {Adjacency::zero_out, Adjacency::replace_one}) {
    // One draw of a thousand records is a batch of a fixed size, whose pair has two components.
    const auto drawn = dp_sgd_guarantee(run_of(Sampler::with_replacement, adjacency, {2.0, 1e-3, 1.0, {}, 1000.0}));
    const auto fixed = dp_sgd_guarantee(run_of(Sampler::fixed_size, adjacency, {2.0, 1e-3, 1.0, {}, 1000.0}));
    for (const double delta : deltas) {
      const Enclosure one = drawn.curve->epsilon(delta).value, other = fixed.curve->epsilon(delta).value;
      CAPTURE(delta, one.lower, one.upper, other.lower, other.upper);
      CHECK(std::abs(one.upper - other.upper) <= 1e-8 * other.upper);
    }
  }
  const auto group = dp_sgd_guarantee(run_of(Sampler::poisson, Adjacency::replace_one, {0.5, 0.01, 1.0}, 4.0));
  for (const double delta : deltas) {
    const Enclosure found = group.curve->epsilon(delta).value;
    CAPTURE(delta, found.lower, found.upper);
    CHECK(found.relative_width() < 1e-8);
    CHECK(group.curve->delta(found.upper).value.upper <= delta * (1 + 1e-12));
    CHECK(group.curve->delta(found.lower * (1 - 1e-12)).value.lower >= delta * (1 - 1e-12));
  }
}

TEST_CASE("a group without sampling is a Gaussian mechanism", "[accounting][mixtures]") {
  const auto group = dp_sgd_guarantee(run_of(Sampler::none, Adjacency::zero_out, {2.0, 1.0, 100.0}, 4.0));
  const auto gaussian = gaussian_curve(exactly(20.0));
  for (const double delta : {1e-300, 1e-5, 0.1}) {
    const Enclosure found = group.curve->epsilon(delta).value, want = gaussian->epsilon(delta).value;
    CAPTURE(delta, found.lower, found.upper, want.lower, want.upper);
    CHECK(overlap(found, want));
    CHECK(found.relative_width() < 1e-12);
  }
}

TEST_CASE("one draw with or without replacement is a Poisson step of the owner's share", "[accounting][mixtures]") {
  const double group = GENERATE(1.0, 4.0);
  const Sampler sampler = GENERATE(Sampler::with_replacement, Sampler::fixed_size);
  const auto drawn = dp_sgd_guarantee(run_of(sampler, Adjacency::add_or_remove, {2.0, 1e-3, 100.0, {}, 1000.0}, group));
  const auto poisson = dp_sgd_guarantee(run_of(Sampler::poisson, Adjacency::add_or_remove, {1.0, group * 1e-3, 100.0}));
  for (const double delta : {1e-30, 1e-5}) {
    const Enclosure found = drawn.curve->epsilon(delta).value, want = poisson.curve->epsilon(delta).value;
    CAPTURE(group, delta, found.lower, found.upper, want.lower, want.upper);
    CHECK(std::abs(found.upper - want.upper) <= 1e-8 * want.upper);
    CHECK(found.relative_width() < 1e-6);
  }
}

TEST_CASE("uses that are rare count at deltas that are rarer", "[accounting][mixtures]") {
  // All eleven records, or one of both draws; 8124.8452: the saddle point of 701,322 steps.
  const auto group = dp_sgd_guarantee(run_of(Sampler::poisson, Adjacency::replace_one, {0.9129, 5.894e-8, 1.0}, 11.0));
  const Enclosure all = group.curve->epsilon(4.31e-171).value;
  CAPTURE(all.lower, all.upper);
  CHECK(all.relative_width() < 1e-8);
  const auto draws = dp_sgd_guarantee(
      run_of(Sampler::with_replacement, Adjacency::remove, {29.35, 202.0 / 219.0, 701322.0, {}, 219.0}, 2.0));
  const Enclosure long_run = draws.curve->epsilon(1.741e-130).value;
  CAPTURE(long_run.lower, long_run.upper);
  CHECK(long_run.relative_width() < 1e-6);
  CHECK(overlap(long_run, {8124.84, 8124.85}));
  CHECK(overlap(draws.curve->delta(long_run.upper).value, {1.74e-130, 1.742e-130}));
}

TEST_CASE("losses that are too rare to matter hide no saddle point", "[accounting][mixtures]") {
  const auto group = dp_sgd_guarantee(run_of(Sampler::poisson, Adjacency::zero_out, {2.192, 9.087e-6, 87.0}, 3.0));
  const Enclosure found = group.curve->epsilon(6.695e-35).value;
  CAPTURE(found.lower, found.upper);
  CHECK(found.lower > 0.0056);
  CHECK(found.upper < 0.0059);
}

TEST_CASE("where nothing is narrow one moment and single steps have both ends", "[accounting][mixtures]") {
  const auto rare = dp_sgd_guarantee(run_of(Sampler::poisson, Adjacency::zero_out, {0.04119, 5.425e-4, 287.0}, 5.0));
  const Enclosure moment = rare.curve->epsilon(5.05e-9).value;
  CAPTURE(moment.lower, moment.upper);
  CHECK(moment.upper < 6000.0);
  CHECK(moment.lower > 1000.0);
  // Eleven records used in one step: (11/Z)^2/2, and 16.5 deviations of 11/Z further.
  const auto loud = dp_sgd_guarantee(run_of(Sampler::poisson, Adjacency::remove, {0.01249, 8.628e-6, 9230.0}, 11.0));
  const Enclosure step = loud.curve->epsilon(1.573e-117).value;
  CAPTURE(step.lower, step.upper);
  CHECK(step.lower > 4.0e5);
  CHECK(step.lower < 4.1e5);
  CHECK(loud.curve->delta(4.0e5).value.lower > 1.573e-117);
}

TEST_CASE("what is not proved is refused with a reason", "[accounting][mixtures][errors]") {
  for (const DpSgd& run :
       {run_of(Sampler::truncated_poisson, Adjacency::remove, {1.0, 0.1, 10.0, {}, 99.0, 1.0, 9.0}, 65.0),
        run_of(Sampler::truncated_poisson, Adjacency::remove, {1.0, 0.1, 10.0}),
        run_of(Sampler::with_replacement, Adjacency::remove, {1.0, 0.1, 10.0}),
        run_of(Sampler::shuffled, Adjacency::zero_out, {1.0, 0.1, 10.0}, 2.0)}) {
    const auto guarantee = dp_sgd_guarantee(run);
    CHECK_FALSE(guarantee.applies());
    REQUIRE_FALSE(guarantee.violations.empty());
    CHECK_FALSE(guarantee.violations.front().remedy.empty());
  }
  CHECK_THROWS_AS(given_mixtures_curve({{1.0, {0.5, 0.4}, {0.0, 1.0}}}, true), DomainError);
  CHECK_THROWS_AS(truncation(10.0, 1.5, 2.0), DomainError);
}

TEST_CASE("adaptive clipping lengthens the vector, and the length can be taken out again", "[accounting][mixtures]") {
  const AdaptiveClipping clipping{1.6, 8.0, 0.0};
  CHECK(with_counts(0.8, clipping) == Approx(1.0 / std::sqrt(1.0 / 0.64 + 8.0 / 2.56)).epsilon(1e-14));
  CHECK(for_counts(with_counts(0.8, clipping), clipping) == Approx(0.8).epsilon(1e-14));
  CHECK_THROWS_AS(for_counts(1.0, clipping), DomainError);
}

TEST_CASE("one mechanism of each kind has its closed form", "[accounting][mechanisms]") {
  const auto at = [](Mechanism m, double epsilon) {
    return mechanisms_curve({std::move(m)}, true)->delta(epsilon).value;
  };
  const auto holds = [](const Enclosure& e, double want) {
    CAPTURE(e.lower, e.upper, want);
    CHECK(e.lower <= want * (1 + 1e-13));
    CHECK(e.upper >= want * (1 - 1e-13));
    CHECK(e.upper - e.lower <= 1e-13);
  };
  Mechanism laplace{MechanismKind::laplace};
  laplace.noise = 0.5;  // epsilon 2: delta = 1 - e^{(epsilon - 2)/2}
  holds(at(laplace, 1.0), -std::expm1(-0.5));
  Mechanism response{MechanismKind::randomized_response};
  response.epsilon = 2.0;
  holds(at(response, 1.0), (std::exp(2.0) - std::exp(1.0)) / (1.0 + std::exp(2.0)));
  Mechanism claim{MechanismKind::approximate};
  claim.epsilon = 1.0;
  claim.delta = 1e-3;
  holds(at(claim, 1.0), 1e-3);
  claim.delta = 1.0;
  holds(at(claim, 5.0), 1.0);
  Mechanism discrete{MechanismKind::discrete_laplace};
  discrete.noise = 1.0;  // P(k <= 0) (1 - e^{epsilon - 1})
  holds(at(discrete, 0.5), -std::expm1(-0.5) / (1.0 + std::exp(-1.0)));
  discrete.noise = 0.0;
  holds(at(discrete, 0.5), 1.0);
  discrete.sampling_rate = 0.0;
  holds(at(discrete, 0.5), 0.0);
}

TEST_CASE("mechanisms compose with each other", "[accounting][mechanisms]") {
  // Two randomised responses: losses 2 e, 0, -2 e with squares and products of their chances.
  Mechanism response{MechanismKind::randomized_response};
  response.epsilon = 1.0;
  response.count = 2.0;
  const double p = 1.0 / (1.0 + std::exp(-1.0));
  const Enclosure d = mechanisms_curve({response}, true)->delta(0.5).value;
  const double want = p * p * -std::expm1(0.5 - 2.0);
  CAPTURE(d.lower, d.upper, want);
  CHECK(overlap(d, exactly(want)));
  CHECK(d.relative_width() < 1e-3);
  // Beside Gaussian noise the transform decays.
  Mechanism gaussian{MechanismKind::gaussian};
  gaussian.noise = 1.0;
  Mechanism claim{MechanismKind::approximate};
  claim.epsilon = 0.1;
  claim.delta = 1e-6;
  const Enclosure both = mechanisms_curve({gaussian, claim}, true)->delta(2.0).value;
  CHECK(both.relative_width() < 1e-6);
  CHECK(both.lower > gaussian_curve(exactly(1.0))->delta(2.0).value.upper);
  Mechanism zcdp{MechanismKind::zcdp};
  CHECK_THROWS_AS(mechanisms_curve({zcdp}, true), DomainError);
}

}  // namespace dpcurves::accounting
