// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Random settings of the whole promised domain: noise multiplier 1e-3 to 1e4, rate 1e-9 to 1, steps 1 to 1e12, delta
// 1e-300 to 1 - 1e-12. Everyone has an answer, narrow, in bounded processor time, the same at any load.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <support/load.hpp>
#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

struct Setting {
  Composition composition;
  double delta = 0.0;
};

std::vector<Setting> settings(unsigned seed, int count) {
  std::mt19937 words(seed);
  const auto uniform = [&] { return (static_cast<double>(words()) + 0.5) / 4294967296.0; };
  const auto between = [&](double low, double high) { return std::pow(10.0, low + (high - low) * uniform()); };
  std::vector<Setting> list;
  for (int i = 0; i < count; ++i) {
    const double noise = between(-3.0, 4.0), rate = between(-9.0, 0.0), steps = std::floor(between(0.0, 12.0));
    const double tail = between(-12.0, -0.31);  // every fifth target is near 1
    const double delta = i % 5 == 4 ? 1.0 - tail : between(-300.0, -0.31);
    const Pair pair = i % 2 == 0 ? Pair::poisson_remove : Pair::poisson_add;
    list.push_back({{0.0, {{rate, 1.0 / noise, steps, pair}}}, delta});
  }
  return list;
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool nightly() { return std::getenv("DPCURVES_NIGHTLY") != nullptr; }

}  // namespace

TEST_CASE("every setting of the whole domain has a narrow answer", "[.][accounting][dp-sgd][whole domain]") {
  std::vector<double> seconds;
  int wide = 0;
  for (const Setting& s : settings(2026, nightly() ? 1000 : 100)) {
    const SubsampledGaussian& step = s.composition.components.front();
    CAPTURE(static_cast<int>(step.pair), step.sampling_rate, step.mu, step.count, s.delta);
    const double begin = processor_seconds();
    const EpsilonBound answer = epsilon_at(s.composition, s.delta);
    seconds.push_back(processor_seconds() - begin);
    CAPTURE(answer.epsilon.lower, answer.epsilon.upper, answer.method, seconds.back());
    CHECK(answer.epsilon.lower <= answer.epsilon.upper);
    CHECK(std::isfinite(answer.epsilon.upper));
    wide += answer.epsilon.relative_width() > 1e-6 ? 1 : 0;
  }
  std::sort(seconds.begin(), seconds.end());
  CAPTURE(seconds[seconds.size() / 2], seconds[seconds.size() * 95 / 100], seconds.back());
  CHECK(wide == 0);
}

TEST_CASE("answers have the same bits on a busy machine", "[accounting][dp-sgd][determinism]") {
  const std::vector<Setting> some = settings(7, 12);
  std::vector<EpsilonBound> alone;
  for (const Setting& s : some) {
    alone.push_back(epsilon_at(s.composition, s.delta));
  }
  const test::Load load(4);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const EpsilonBound busy = epsilon_at(some[i].composition, some[i].delta);
    CAPTURE(i, alone[i].epsilon.lower, busy.epsilon.lower);
    CHECK(busy.epsilon == alone[i].epsilon);
    CHECK(busy.method == alone[i].method);
  }
}

TEST_CASE("loud and long compositions of halves answer", "[accounting][dp-sgd]") {
  struct Case {
    Pair pair;
    double q, mu, count, delta, widest;
  };
  // The first two were errors: neighbours on a lattice had a ratio beyond the range of doubles.
  const auto at = GENERATE(Case{Pair::fixed_size_add, 0.0517, 47.7, 39186876.0, 2.3e-22, 1e-9},
                           Case{Pair::fixed_size_remove, 0.996, 41.6, 15093083.0, 3.3e-14, 1.0},
                           Case{Pair::symmetrised, 0.0029, 20.2, 70104449.0, 3.1e-9, 1e-9},
                           Case{Pair::symmetrised, 0.7, 0.78, 84544461.0, 0.028, 1e-9},
                           Case{Pair::fixed_size_remove, 2.4e-7, 0.0031, 30802010.0, 1.6e-5, 0.0});
  const auto found = epsilon_at(Composition{0.0, {{at.q, at.mu, at.count, at.pair}}}, at.delta).epsilon;
  CAPTURE(at.q, at.mu, found.lower, found.upper);
  CHECK(found.lower <= found.upper);
  CHECK(found.upper - found.lower <= at.widest * found.upper);
}

TEST_CASE("few steps, rare steps and thresholds near the largest loss have narrow answers", "[accounting][dp-sgd]") {
  struct Case {
    Pair pair;
    double q, noise, count, delta;
  };
  // In turn: large losses that are counted apart begin close to the threshold; a line far out has the moment of its
  // hump; what is lost of the largest loss is seen at once.
  const auto at = GENERATE(Case{Pair::poisson_replace_one, 1.46e-7, 0.485, 342.0, 3.06e-8},
                           Case{Pair::poisson_add, 0.00102, 0.683, 3.0, 2.49e-24},
                           Case{Pair::poisson_add, 0.000313, 0.109, 29.0, 1.44e-23});
  const auto found = epsilon_at(Composition{0.0, {{at.q, 1.0 / at.noise, at.count, at.pair}}}, at.delta).epsilon;
  CAPTURE(at.q, at.noise, found.lower, found.upper);
  CHECK(found.lower <= found.upper);
  CHECK(found.relative_width() <= 1e-7);
}
