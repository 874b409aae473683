// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include <dpcurves/accounting/mixtures.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/simulate/detail/run_uses.hpp>

using namespace dpcurves;
using mechanism::Adjacency;
using mechanism::Sampler;
using simulate::UseLaw;

namespace {

mechanism::Run run_of(Sampler sampler, double rate, double steps) {
  mechanism::Run run;
  run.records.emplace().count = 60.0;
  auto& phase = run.phases.emplace_back();
  phase.steps = steps;
  phase.sampling_rate = rate;
  phase.sampler = sampler;
  phase.noise_multiplier = 2.0;
  return run;
}

simulate::RecordUses only(const mechanism::Run& run) {
  const auto uses = simulate::uses_of(run);
  REQUIRE(uses.size() == 1);
  return uses.front();
}

}  // namespace

TEST_CASE("every sampler uses the record as often as its rate says", "[simulate][run-uses]") {
  CHECK(only(run_of(Sampler::poisson, 0.1, 30)).rate == 0.1);
  const auto shuffled = only(run_of(Sampler::shuffled, 0.1, 30));
  CHECK(shuffled.law == UseLaw::rounds);
  CHECK(shuffled.round == 10);
  const auto third = only(run_of(Sampler::balls_in_bins, 1.0 / 3.0, 9));
  CHECK(third.law == UseLaw::one_bin);
  CHECK(third.round == 3);  // although the rate is no double
  const auto draws = only(run_of(Sampler::with_replacement, 0.1, 30));
  CHECK(draws.round == 6);
  CHECK(draws.rate == 1.0 / 60.0);
  auto allocation = run_of(Sampler::random_allocation, 0.1, 40);
  allocation.phases[0].uses_per_round = 2.0;
  CHECK(only(allocation).round == 20);
  CHECK(only(allocation).chosen == 2);
}

TEST_CASE("steps over all records are one sum for who sees all of them, and stay apart for an iterate",
          "[simulate][run-uses]") {
  auto run = run_of(Sampler::cyclic, 0.1, 30);
  CHECK(only(run).steps == 1);
  CHECK(only(run).noise_multiplier == 2.0 / std::sqrt(3.0));  // once an epoch
  run.privacy.release = mechanism::Release::last_iterate;
  CHECK(only(run).steps == 30);
  CHECK(only(run).law == UseLaw::turns);
  run.releases = {{4.0, 10.0}};
  CHECK(simulate::uses_of(run).size() == 1);
  run.privacy.release = mechanism::Release::all_steps;
  REQUIRE(simulate::uses_of(run).size() == 2);
  CHECK(simulate::uses_of(run).back().noise_multiplier == 5.0);
}

TEST_CASE("a cut Poisson batch keeps a record as often as the accountant proves", "[simulate][run-uses]") {
  const double most = GENERATE(1.0, 5.0, 9.0, 60.0);
  auto run = run_of(Sampler::truncated_poisson, 0.1, 30);
  run.phases[0].largest_batch = most;
  const Enclosure proved = accounting::truncation(60.0, 0.1, most).inclusion_rate;
  CHECK(std::abs(only(run).rate - proved.middle()) < 1e-14);
}

TEST_CASE("the pair is the worst of the adjacency", "[simulate][run-uses]") {
  auto run = run_of(Sampler::fixed_size, 0.1, 30);
  const auto gradients = [&](Adjacency adjacency) {
    run.privacy.adjacency = adjacency;
    return std::pair{only(run).gradient, only(run).null_gradient};
  };
  CHECK(gradients(Adjacency::replace_one) == std::pair{2.0, 0.0});
  CHECK(gradients(Adjacency::zero_out) == std::pair{2.0, 1.0});
  CHECK(gradients(Adjacency::add) == std::pair{0.0, 2.0});
  CHECK(gradients(Adjacency::remove) == std::pair{2.0, 0.0});
  run.phases[0].sampler = Sampler::poisson;
  CHECK(gradients(Adjacency::add) == std::pair{0.0, 1.0});
  CHECK(gradients(Adjacency::replace_one) == std::pair{1.0, -1.0});
}

TEST_CASE("iterates are larger under the alternative, whichever order is asked", "[simulate][run-uses]") {
  auto run = run_of(Sampler::none, 1.0, 20);
  run.privacy.release = mechanism::Release::last_iterate;
  run.privacy.adjacency = GENERATE(Adjacency::add, Adjacency::remove);
  const auto mean = [&](bool null, std::uint32_t first) {
    const auto drawn = simulate::statistics(run, null, 2000, 3, first, 1);
    return std::accumulate(drawn.begin(), drawn.end(), 0.0) / 2000.0;
  };
  CHECK(mean(false, 0x40000000U) - mean(true, 0) > 10.0);  // 20, with a standard error of 0.3
}

TEST_CASE("runs of which nothing can be drawn are refused", "[simulate][run-uses][errors]") {
  CHECK_THROWS_WITH(simulate::uses_of(mechanism::Run{}), Catch::Contains("nothing to simulate"));
  CHECK_THROWS_WITH(simulate::uses_of(run_of(Sampler::poisson, 0.1, 2e7)), Catch::Contains("at most 1e7"));
  auto run = run_of(Sampler::poisson, 0.1, 10);
  run.releases = {{1.0, 0.0}};
  CHECK_THROWS_WITH(simulate::uses_of(run), Catch::Contains("without noise"));
}
