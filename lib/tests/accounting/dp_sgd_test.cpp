// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <functional>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

#include "support/support.hpp"

using namespace dpcurves;
using namespace dpcurves::accounting;
using Catch::WithinRel;
using mechanism::Adjacency;
using mechanism::Sampler;

namespace {

constexpr Sampler samplings[] = {Sampler::poisson, Sampler::fixed_size,        Sampler::shuffled,
                                 Sampler::cyclic,  Sampler::random_allocation, Sampler::none};
constexpr Adjacency adjacencies[] = {Adjacency::add_or_remove, Adjacency::add, Adjacency::remove,
                                     Adjacency::replace_one, Adjacency::zero_out};

DpSgd run(Sampler sampling, Adjacency adjacency, double noise_multiplier, double sampling_rate, double steps) {
  return {sampling, adjacency, {{noise_multiplier, sampling_rate, steps}}, {}};
}

Enclosure delta(const DpSgd& setting, double epsilon) { return dp_sgd_guarantee(setting).curve->delta(epsilon).value; }
Enclosure epsilon(const DpSgd& setting, double at_delta) {
  return dp_sgd_guarantee(setting).curve->epsilon(at_delta).value;
}

/// Integral of max(0, p - e^epsilon q) by the trapezoid rule: the definition of delta, for densities on a line.
double hockey_stick(const std::function<double(double)>& p, const std::function<double(double)>& q, double epsilon) {
  constexpr double reach = 14.0, step = 1e-4;
  double sum = 0.0;
  for (double x = -reach; x <= reach; x += step) {
    sum += std::max(0.0, p(x) - std::exp(epsilon) * q(x));
  }
  return sum * step;
}

}  // namespace

TEST_CASE("one step of Poisson sampling has the profile of its two laws by direct integration",
          "[accounting][dp_sgd]") {
  const double q = GENERATE(0.1, 0.6);
  const double mu = GENERATE(0.5, 1.25);
  const auto at = [](double mean) { return [mean](double x) { return numerics::normal_density(x - mean); }; };
  const auto mixed = [&](double mean) { return [=](double x) { return (1.0 - q) * at(0.0)(x) + q * at(mean)(x); }; };
  for (const double e : {0.05, 0.3, 1.0}) {
    CAPTURE(q, mu, e);
    const auto check = [&](Adjacency adjacency, const auto& p, const auto& null) {
      const Enclosure found = delta(run(Sampler::poisson, adjacency, 1.0 / mu, q, 1.0), e);
      CHECK(std::abs(found.middle() - hockey_stick(p, null, e)) < 2e-8 + 1e-3 * found.middle());
    };
    check(Adjacency::remove, mixed(mu), at(0.0));
    check(Adjacency::add, at(0.0), mixed(mu));
    check(Adjacency::replace_one, mixed(mu), mixed(-mu));
  }
}

TEST_CASE("two opposite gradients of full norm are the worst replacement", "[accounting][dp_sgd]") {
  // Two steps, gradients g and g' that may depend on the first output; g = -g' of norm 1 is on the boundary.
  const double q = 0.3, mu = 0.8, e = 0.5;
  const Enclosure bound = delta(run(Sampler::poisson, Adjacency::replace_one, 1.0 / mu, q, 2.0), e);
  const auto mixed = [&](double x, double mean) {
    return (1.0 - q) * numerics::normal_density(x) + q * numerics::normal_density(x - mean);
  };
  const auto of = [&](const std::function<std::pair<double, double>(double)>& second, double g, double h) {
    constexpr double reach = 8.0, step = 0.02;
    double sum = 0.0;
    for (double x = -reach; x <= reach; x += step) {
      const auto [g2, h2] = second(x);
      const double p1 = mixed(x, mu * g), q1 = mixed(x, mu * h);
      for (double y = -reach; y <= reach; y += step) {
        sum += std::max(0.0, p1 * mixed(y, mu * g2) - std::exp(e) * q1 * mixed(y, mu * h2));
      }
    }
    return sum * step * step;
  };
  const double attained = of([](double) { return std::pair(1.0, -1.0); }, 1.0, -1.0);
  CHECK(std::abs(attained - bound.upper) < 1e-4 * bound.upper);
  for (const double g : {-1.0, -0.4, 0.3, 1.0}) {
    for (const double h : {-0.9, 0.0, 0.7}) {
      CHECK(of([&](double x) { return x > 0.2 ? std::pair(1.0, -1.0) : std::pair(g, h); }, 1.0, h) < bound.upper);
    }
  }
}

TEST_CASE("batches of a fixed size have the values of Lemma C's checks", "[accounting][dp_sgd]") {
  struct Row {
    double rate, steps, epsilon, zero_out, replace;
  };
  // Noise multipliers at which delta is 1e-5, to four digits.
  for (const Row& row : {Row{0.1, 400, 1, 8.306, 15.650}, Row{0.02, 400, 1, 2.548, 3.797},
                         Row{0.02, 400, 8, 1.148, 1.319}, Row{0.01, 1000, 1, 2.212, 3.175}}) {
    CAPTURE(row.rate, row.steps, row.epsilon);
    const auto at = [&](Adjacency adjacency, double noise) {
      return delta(run(Sampler::fixed_size, adjacency, noise, row.rate, row.steps), row.epsilon).middle();
    };
    constexpr double digit = 1.0006;  // half a unit of the last digit, and a little of the lattice they came from
    CHECK(at(Adjacency::zero_out, row.zero_out * digit) < 1e-5);
    CHECK(at(Adjacency::zero_out, row.zero_out / digit) > 1e-5);
    CHECK(at(Adjacency::replace_one, row.replace * digit) < 1e-5);
    CHECK(at(Adjacency::replace_one, row.replace / digit) > 1e-5);
  }
}

TEST_CASE("every pair of sampling and adjacency has a theorem or names the nearest", "[accounting][dp_sgd]") {
  for (const Sampler sampling : samplings) {
    for (const Adjacency adjacency : adjacencies) {
      const auto setting = run(sampling, adjacency, 2.0, 0.1, 200.0);
      const auto found = violations(setting);
      CAPTURE(name(sampling), name(adjacency), describe(found));
      if (found.empty()) {
        const auto guarantee = dp_sgd_guarantee(setting);
        REQUIRE(guarantee.applies());
        CHECK(guarantee.setting.size() == 3);
        CHECK(guarantee.curve->mu());
      } else {
        CHECK(describe(found).find("nearest") != std::string::npos);
        CHECK_THROWS_AS(directions(setting), DomainError);
      }
      const bool fixed =
          sampling == Sampler::fixed_size || sampling == Sampler::shuffled || sampling == Sampler::cyclic;
      const bool values = adjacency == Adjacency::zero_out || adjacency == Adjacency::replace_one;
      CHECK(found.empty() == (!fixed || values));
    }
    CHECK(violations(run(sampling, usual_adjacency(sampling), 1.0, 0.1, 10.0)).empty());
  }
}

TEST_CASE("at rate 1 every sampler is the Gaussian mechanism", "[accounting][dp_sgd]") {
  const double noise = 2.5, steps = 7.0;
  const double once = std::sqrt(steps) / noise;
  for (const Sampler sampling : {Sampler::poisson, Sampler::fixed_size, Sampler::shuffled, Sampler::none}) {
    CAPTURE(name(sampling));
    CHECK_THAT(epsilon(run(sampling, Adjacency::zero_out, noise, 1.0, steps), 1e-6).upper,
               WithinRel(tradeoff::epsilon_of_delta(1e-6, once), 1e-9));
    CHECK_THAT(epsilon(run(sampling, Adjacency::replace_one, noise, 1.0, steps), 1e-6).upper,
               WithinRel(tradeoff::epsilon_of_delta(1e-6, 2.0 * once), 1e-9));
  }
}

TEST_CASE("a record that is zeroed out is as good as left out under Poisson sampling", "[accounting][dp_sgd]") {
  CHECK(epsilon(run(Sampler::poisson, Adjacency::zero_out, 1.0, 0.01, 1000.0), 1e-5) ==
        epsilon(run(Sampler::poisson, Adjacency::add_or_remove, 1.0, 0.01, 1000.0), 1e-5));
}

TEST_CASE("both directions are kept and the worst is the answer", "[accounting][dp_sgd]") {
  const auto guarantee = dp_sgd_guarantee(run(Sampler::poisson, Adjacency::add_or_remove, 1.0, 0.01, 1000.0));
  REQUIRE(guarantee.directions.size() == 2);
  const Answer worst = guarantee.curve->epsilon(1e-5);
  const double remove = guarantee.directions[0].curve->epsilon(1e-5).value.upper;
  const double add = guarantee.directions[1].curve->epsilon(1e-5).value.upper;
  CHECK(worst.value.upper == std::max(remove, add));
  CHECK(worst.direction == "remove");
  CHECK(epsilon(run(Sampler::poisson, Adjacency::add, 1.0, 0.01, 1000.0), 1e-5).upper == add);
  const std::vector<double> a{0.01, 0.3, 0.8};
  const auto f = guarantee.curve->type_two_errors(a);
  const auto f_add = guarantee.directions[1].curve->type_two_errors(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(f[i].lower <= f_add[i].lower);
  }
}

TEST_CASE("phases may come in any order, be split, and stand beside unsampled releases", "[accounting][dp_sgd]") {
  DpSgd setting{Sampler::poisson, Adjacency::add_or_remove, {{1.0, 0.01, 600.0}, {1.5, 0.02, 300.0}}, {{10.0, 4.0}}};
  const Enclosure whole = epsilon(setting, 1e-6);
  DpSgd other{Sampler::poisson,
              Adjacency::add_or_remove,
              {{1.5, 0.02, 100.0}, {1.0, 0.01, 600.0}, {1.5, 0.02, 200.0}},
              {{10.0, 1.0}, {10.0, 3.0}}};
  CHECK_THAT(epsilon(other, 1e-6).upper, WithinRel(whole.upper, 1e-7));
  setting.unsampled.clear();
  CHECK(epsilon(setting, 1e-6).upper < whole.lower);
}

TEST_CASE("shuffled and cyclic batches are not amplified", "[accounting][dp_sgd]") {
  CHECK(uses_of_a_record(0.1, 10.0) == 1.0);
  CHECK(uses_of_a_record(0.1, 11.0) == 2.0);
  CHECK(uses_of_a_record(sampling_rate_of(256, 60000), 14063.0) == 61.0);  // 234 whole batches in an epoch
  CHECK(uses_of_a_record(sampling_rate_of(1, 3), 3.0) == 1.0);             // 1/3 is not a double
  for (const Sampler sampling : {Sampler::shuffled, Sampler::cyclic}) {
    const auto guarantee = dp_sgd_guarantee(run(sampling, Adjacency::zero_out, 1.5, 0.1, 25.0));
    CHECK_THAT(guarantee.curve->epsilon(1e-5).value.upper,
               WithinRel(tradeoff::epsilon_of_delta(1e-5, std::sqrt(3.0) / 1.5), 1e-12));
    CHECK(guarantee.note.find("not amplified") != std::string::npos);
  }
}

TEST_CASE("epochs of a random order go on through numbered phases", "[accounting][dp_sgd]") {
  const auto squared_mu = [](const std::vector<DpSgdPhase>& phases, Sampler sampling = Sampler::shuffled) {
    DpSgd run;
    run.sampling = sampling;
    run.adjacency = Adjacency::zero_out;
    run.phases = phases;
    const auto mu = dp_sgd_guarantee(run).curve->mu();
    REQUIRE(mu);
    return mu->upper * mu->upper;
  };
  const auto phase = [](double noise, double rate, double steps, double first) {
    DpSgdPhase one{noise, rate, steps};
    if (first > 0.0) {
      one.first_step = first;
    }
    return one;
  };
  // Ten rows of one epoch are one use, that of the row with the least noise.
  std::vector<DpSgdPhase> rows;
  for (int i = 1; i <= 20; ++i) {
    rows.push_back(phase(i == 7 ? 0.5 : 1.0 + 0.01 * i, 0.1, 1.0, i));
  }
  CHECK_THAT(squared_mu(rows), WithinRel(1.0 / 0.25 + 1.0 / (1.11 * 1.11), 1e-12));
  // A smaller batch may end an epoch: 4 of .24 and one of .04.
  CHECK_THAT(squared_mu({phase(1.0, 0.24, 4.0, 1.0), phase(1.0, 0.04, 1.0, 5.0), phase(1.0, 0.24, 4.0, 6.0),
                         phase(1.0, 0.04, 1.0, 10.0)}),
             WithinRel(2.0, 1e-12));
  // A smaller batch that does not is of the next.
  CHECK_THAT(squared_mu({phase(1.0, 0.24, 4.0, 1.0), phase(1.0, 0.02, 1.0, 5.0)}), WithinRel(2.0, 1e-12));
  // A phase that starts in the middle of an epoch sees a part of one more.
  CHECK_THAT(squared_mu({phase(1.0, 0.1, 10.0, 6.0)}), WithinRel(2.0, 1e-12));
  CHECK_THAT(squared_mu({phase(1.0, 0.1, 10.0, 11.0)}), WithinRel(1.0, 1e-12));
  // Steps 16 to 35: the second half of an epoch, a whole one, the first half of another.
  const double worst = 0.25 + 3.0;
  CHECK_THAT(squared_mu({phase(2.0, 0.1, 15.0, 1.0), phase(1.0, 0.1, 20.0, 16.0)}), WithinRel(worst, 1e-12));
  // Without numbers it is not known, and the worse is counted; in a fixed order uses are an epoch apart.
  CHECK_THAT(squared_mu({phase(2.0, 0.1, 15.0, 0.0), phase(1.0, 0.1, 20.0, 0.0)}), WithinRel(worst, 1e-12));
  CHECK_THAT(squared_mu({phase(2.0, 0.1, 15.0, 0.0), phase(1.0, 0.1, 20.0, 0.0)}, Sampler::cyclic),
             WithinRel(0.5 + 2.0, 1e-12));
  CHECK_THAT(squared_mu({phase(1.0, 0.1, 5.0, 0.0), phase(1.0, 0.1, 5.0, 0.0)}), WithinRel(2.0, 1e-12));
}

TEST_CASE("what is less than all steps has an upper end only", "[accounting][dp_sgd]") {
  DpSgd setting = run(Sampler::poisson, Adjacency::add_or_remove, 1.1, 0.01, 100.0);
  CHECK_FALSE(dp_sgd_guarantee(setting).upper_only);
  setting.release = mechanism::Release::last_iterate;
  for (const Guarantee& row : dp_sgd_guarantees(setting)) {
    CHECK(row.upper_only);
  }
  CHECK(dp_sgd_guarantee(setting).note.find("last-iterate") != std::string::npos);
  setting.mechanisms.emplace_back();
  setting.mechanisms.back().kind = mechanism::MechanismKind::pure;
  CHECK(dp_sgd_guarantee(setting).upper_only);
}

TEST_CASE("the rate of a batch is never rounded down", "[accounting][dp_sgd]") {
  for (const double records : {3.0, 7.0, 49.0, 60000.0, 123457.0}) {
    for (const double batch : {1.0, 2.0, 3.0}) {
      const double rate = sampling_rate_of(batch, records);
      CHECK(std::fma(rate, records, -batch) >= 0.0);
      CHECK_THAT(rate, WithinRel(batch / records, 3e-16));
    }
  }
  CHECK(sampling_rate_of(7, 7) == 1.0);
  CHECK_THROWS_AS(sampling_rate_of(8, 7), DomainError);
}

TEST_CASE("Renyi and the central limit stand beside the composed profile and do not beat it", "[accounting][dp_sgd]") {
  const Adjacency adjacency = GENERATE(Adjacency::add_or_remove, Adjacency::replace_one, Adjacency::add);
  const auto list = dp_sgd_guarantees(run(Sampler::poisson, adjacency, 1.0, 0.01, 1000.0));
  REQUIRE(list.size() == 3);
  const double exact = list[0].curve->epsilon(1e-5).value.upper;
  CHECK(list[1].theorem == "accountant/renyi");
  CHECK(list[1].dominated);
  CHECK(list[1].curve->epsilon(1e-5).value.upper > exact);
  CHECK(list[1].curve->epsilon(1e-5).value.upper < 2.0 * exact);
  CHECK(list[1].curve->delta(1.0).value.upper > list[0].curve->delta(1.0).value.upper);
  CHECK_FALSE(list[2].certified);
  CHECK_THAT(list[2].curve->epsilon(1e-5).value.upper, WithinRel(exact, 0.4));
}

TEST_CASE("a verified answer says that it lies within Renyi", "[accounting][dp_sgd]") {
  Accuracy accuracy;
  accuracy.verify = true;
  const auto guarantee = dp_sgd_guarantee(run(Sampler::poisson, Adjacency::add_or_remove, 2.0, 0.05, 300.0), accuracy);
  CHECK(guarantee.curve->delta(1.0).method.find("within Renyi") != std::string::npos);
}

TEST_CASE("a verified guarantee is the same guarantee in every form, for every sampler", "[accounting][dp_sgd]") {
  const auto [sampling, adjacency] =
      GENERATE(std::pair{Sampler::poisson, Adjacency::replace_one}, std::pair{Sampler::fixed_size, Adjacency::zero_out},
               std::pair{Sampler::fixed_size, Adjacency::replace_one}, std::pair{Sampler::poisson, Adjacency::add});
  Accuracy accuracy;
  accuracy.verify = true;
  const auto setting = run(sampling, adjacency, 3.0, 0.05, 100.0);
  const auto checked = dp_sgd_guarantee(setting, accuracy).curve, plain = dp_sgd_guarantee(setting).curve;
  CHECK_THAT(checked->delta(0.5).method, Catch::EndsWith(", within Renyi"));
  CHECK_THAT(checked->epsilon(1e-5).method, Catch::EndsWith(", within Renyi"));
  CHECK_NOTHROW(intersection(checked->delta(0.5).value, plain->delta(0.5).value));
  CHECK(checked->delta(-0.5).value.upper <= 1.0);
  CHECK(checked->epsilon(1e-5).value.upper == Approx(plain->epsilon(1e-5).value.upper).epsilon(1e-5));
  CHECK(checked->renyi(8.0) == plain->renyi(8.0));
  CHECK(checked->mu().has_value() == plain->mu().has_value());
  const std::vector<double> errors{0.01, 0.3}, epsilons{0.2, 1.0};
  const auto f = checked->type_two_errors(errors), g = plain->type_two_errors(errors);
  const auto d = checked->deltas(epsilons), e = plain->deltas(epsilons);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(f[i].middle() == Approx(g[i].middle()).epsilon(1e-5));
    CHECK(d[i].middle() == Approx(e[i].middle()).epsilon(1e-5));
  }
}

TEST_CASE("runs that random allocation cannot answer say what would have to change", "[accounting][dp_sgd]") {
  auto setting = run(Sampler::random_allocation, Adjacency::add_or_remove, 2e4, 0.1, 100.0);
  const auto says = [&](const char* words) {
    for (const auto& violation : violations(setting)) {
      if (violation.assumption.find(words) != std::string::npos) {
        return true;
      }
    }
    return false;
  };
  CHECK(says("noise multiplier of at most 1e4"));
  setting = run(Sampler::random_allocation, Adjacency::add_or_remove, 1.0, 1e-9, 1e12);
  CHECK(says("at most 1e7 steps"));
  setting = run(Sampler::random_allocation, Adjacency::add_or_remove, 1.0, 0.1, 1e9);
  CHECK(says("1 to 1e6 rounds"));
  setting = run(Sampler::random_allocation, Adjacency::add_or_remove, 1.0, 0.1, 100.0);
  CHECK(violations(setting).empty());
  CHECK_THROWS_WITH(directions(setting), Catch::Contains("random allocation is not a composition"));
  CHECK_FALSE(central_limit_mu(setting));
  CHECK(mechanism::adjacency_of(name(Adjacency::replace_one)) == Adjacency::replace_one);
}

TEST_CASE("numbers out of range are named", "[accounting][dp_sgd][errors]") {
  CHECK_THROWS_WITH(dp_sgd_guarantee(run(Sampler::poisson, Adjacency::add, -1.0, 0.1, 10.0)),
                    Catch::Contains("noise_multiplier = -1"));
  CHECK_THROWS_WITH(dp_sgd_guarantee(run(Sampler::poisson, Adjacency::add, 1.0, 1.5, 10.0)),
                    Catch::Contains("sampling_rate = 1.5"));
  CHECK_THROWS_WITH(dp_sgd_guarantee(run(Sampler::poisson, Adjacency::add, 1.0, 0.5, 10.5)),
                    Catch::Contains("steps = 10.5"));
  CHECK_THROWS_WITH(mechanism::sampler_of("poison"), Catch::Contains("poison"));
  CHECK(mechanism::sampler_of("fixed_size") == mechanism::sampler_of("fixed-size"));
  CHECK(mechanism::adjacency_of("replace_one") == Adjacency::replace_one);
  CHECK(!violations(run(Sampler::poisson, Adjacency::add, 1.0, 0.5, INFINITY)).empty());
}
