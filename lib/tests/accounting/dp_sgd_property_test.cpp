// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What holds for every subsampled Gaussian mechanism, at random settings of the whole range that is promised. A bracket
// may be wide when time runs out; it must not contradict another one.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

constexpr Pair pairs[] = {Pair::symmetrised,         Pair::poisson_remove,    Pair::poisson_add,
                          Pair::poisson_replace_one, Pair::fixed_size_remove, Pair::fixed_size_add};

/// A nightly run has more settings and the time for extended precision.
bool nightly() { return std::getenv("DPCURVES_NIGHTLY") != nullptr; }
int settings(int ci) { return nightly() ? 4 * ci : std::max(1, ci / 8); }

Accuracy accuracy() {
  Accuracy a;
  a.relative = nightly() ? 1e-6 : 1e-3;
  return a;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : words_(seed) {}
  double uniform() { return (static_cast<double>(words_()) + 0.5) / 4294967296.0; }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  std::size_t below(std::size_t count) { return words_() % count; }
  // Nightly runs see the whole domain, where a setting may take a minute; others the part that takes a second.
  double count() { return std::floor(nightly() ? log_uniform(1.0, 1e7) : log_uniform(50.0, 1e6)); }
  double delta() { return nightly() ? log_uniform(1e-30, 0.1) : log_uniform(1e-12, 1e-2); }
  double rate() { return nightly() ? log_uniform(1e-7, 1.0) : log_uniform(2e-3, 1.0); }
  double mu(Pair pair) {
    return (pair == Pair::symmetrised ? 2.0 : 1.0) / (nightly() ? log_uniform(0.3, 1e3) : log_uniform(0.6, 30.0));
  }
  SubsampledGaussian steps(Pair pair) { return {rate(), mu(pair), count(), pair}; }
  SubsampledGaussian steps() { return steps(pairs[below(6)]); }

 private:
  std::mt19937 words_;
};

std::string words_of(const Composition& composition) {
  std::string text = "G(" + Catch::Detail::stringify(composition.gaussian_mu) + ")";
  for (const auto& c : composition.components) {
    text += " pair " + std::to_string(static_cast<int>(c.pair)) + " p " + Catch::Detail::stringify(c.sampling_rate) +
            " mu " + Catch::Detail::stringify(c.mu) + " T " + Catch::Detail::stringify(c.count);
  }
  return text;
}

Enclosure epsilon_of(const Composition& composition, double delta) {
  return epsilon_at(composition, delta, accuracy()).epsilon;
}

/// The first mechanism is at least as private as the second.
void check_ordered(const Composition& more_private, const Composition& less_private, double delta) {
  const Enclosure low = epsilon_of(more_private, delta), high = epsilon_of(less_private, delta);
  CAPTURE(words_of(more_private), words_of(less_private), delta, low.lower, low.upper, high.lower, high.upper);
  CHECK(low.lower <= low.upper);
  CHECK(high.lower <= high.upper);
  CHECK(low.lower >= 0.0);
  CHECK(low.lower <= high.upper);
}

bool meet(const Enclosure& a, const Enclosure& b) { return a.lower <= b.upper && b.lower <= a.upper; }

void check_equal(const Composition& one, const Composition& other, double delta) {
  const Enclosure a = epsilon_of(one, delta), b = epsilon_of(other, delta);
  CAPTURE(words_of(one), words_of(other), delta, a.lower, a.upper, b.lower, b.upper);
  CHECK(meet(a, b));
}

}  // namespace

TEST_CASE("epsilon falls with the noise and with delta, rises with the rate and the steps",
          "[accounting][dp-sgd][property]") {
  Draw draw(1);
  for (int i = 0; i < settings(640); ++i) {
    SubsampledGaussian steps = draw.steps();
    const Composition base{0.0, {steps}};
    const double delta = draw.delta(), factor = draw.log_uniform(1.0001, 3.0);
    switch (i % 4) {
      case 0:
        steps.mu *= factor;
        check_ordered(base, {0.0, {steps}}, delta);
        break;
      case 1:
        steps.sampling_rate = std::min(1.0, steps.sampling_rate * factor);
        check_ordered(base, {0.0, {steps}}, delta);
        break;
      case 2:
        steps.count = std::floor(steps.count * factor) + 1.0;
        check_ordered(base, {0.0, {steps}}, delta);
        break;
      default:
        const Enclosure loose = epsilon_of(base, std::min(0.1, delta * factor)), tight = epsilon_of(base, delta);
        CAPTURE(words_of(base), delta, factor, loose.lower, loose.upper, tight.lower, tight.upper);
        CHECK(loose.lower <= tight.upper);
    }
  }
}

TEST_CASE("what forgets or mixes never loses privacy: pairs and parts of a composition are ordered",
          "[accounting][dp-sgd][property]") {
  struct Order {
    Pair more_private, less_private;
    double factor;  // on mu of the less private one
  };
  const Order orders[] = {
      {Pair::poisson_remove, Pair::symmetrised, 1.0},      {Pair::poisson_add, Pair::symmetrised, 1.0},
      {Pair::poisson_replace_one, Pair::symmetrised, 2.0}, {Pair::fixed_size_remove, Pair::symmetrised, 2.0},
      {Pair::symmetrised, Pair::fixed_size_add, 1.0},      {Pair::poisson_remove, Pair::fixed_size_remove, 1.0},
      {Pair::poisson_add, Pair::fixed_size_add, 1.0},      {Pair::poisson_remove, Pair::poisson_replace_one, 1.0},
      {Pair::poisson_add, Pair::poisson_replace_one, 1.0}};
  Draw draw(2);
  for (int i = 0; i < settings(270); ++i) {
    const Order& order = orders[static_cast<std::size_t>(i) % std::size(orders)];
    SubsampledGaussian first = draw.steps(order.more_private), second = first;
    second.pair = order.less_private;
    second.mu *= order.factor;
    check_ordered({0.0, {first}}, {0.0, {second}}, draw.delta());
  }
  for (int i = 0; i < settings(180); ++i) {  // releasing fewer of the parts
    Composition all{i % 2 == 0 ? draw.log_uniform(1e-3, 3.0) : 0.0, {draw.steps(), draw.steps()}};
    Composition fewer = all;
    if (i % 3 == 0) {
      fewer.components.pop_back();
    } else if (i % 3 == 1) {
      fewer.components.erase(fewer.components.begin());
    } else {
      fewer.gaussian_mu = 0.0;
    }
    check_ordered(fewer, all, draw.delta());
  }
}

TEST_CASE("order, splitting and steps that reveal nothing do not matter to a composition",
          "[accounting][dp-sgd][property]") {
  Draw draw(3);
  for (int i = 0; i < settings(400); ++i) {
    const double gaussian = i % 2 == 0 ? 0.0 : draw.log_uniform(1e-3, 3.0), delta = draw.delta();
    const SubsampledGaussian a = draw.steps(), b = draw.steps();
    switch (i % 4) {
      case 0:
        check_equal({gaussian, {a, b}}, {gaussian, {b, a}}, delta);
        break;
      case 1: {
        SubsampledGaussian first = a, second = a;
        first.count = std::floor(a.count * draw.uniform());
        second.count = a.count - first.count;
        check_equal({gaussian, {a}}, {gaussian, {first, second}}, delta);
        break;
      }
      case 2:
        check_equal({gaussian, {a}}, {gaussian, {{0.3, 0.0, 1e5, b.pair}, a, {0.0, 1.0, 1e5, b.pair}}}, delta);
        break;
      default:  // an unsampled step is a Gaussian mechanism
        check_equal({gaussian, {a}}, {0.0, {a, {1.0, gaussian, 1.0, Pair::poisson_add}}}, delta);
    }
  }
}

TEST_CASE("sampling everything is the Gaussian mechanism", "[accounting][dp-sgd][property]") {
  Draw draw(4);
  for (int i = 0; i < settings(300); ++i) {
    SubsampledGaussian steps = draw.steps(pairs[static_cast<std::size_t>(i) % 6]);
    steps.sampling_rate = 1.0;
    const double delta = draw.delta();
    const double mu = steps.mu * (steps.pair == Pair::poisson_replace_one ? 2.0 : 1.0) * std::sqrt(steps.count);
    const Enclosure epsilon = epsilon_of({0.0, {steps}}, delta);
    const double exact = tradeoff::epsilon_of_delta(delta, mu);
    CAPTURE(words_of({0.0, {steps}}), delta, exact, epsilon.lower, epsilon.upper);
    CHECK(epsilon.lower <= exact * (1.0 + 1e-12) + 1e-14 * std::min(mu, 1.0));
    CHECK(epsilon.upper >= exact * (1.0 - 1e-12) - 1e-14 * std::min(mu, 1.0));
    CHECK(epsilon.upper <= exact * (1.0 + 1e-6) + 1e-12 * std::min(mu, 1.0));
  }
}

TEST_CASE("epsilon lies below what the Renyi divergence of any order gives", "[accounting][dp-sgd][property]") {
  Draw draw(5);
  for (int i = 0; i < settings(300); ++i) {
    const Composition composition{i % 4 == 0 ? draw.log_uniform(1e-3, 3.0) : 0.0, {draw.steps()}};
    const double delta = draw.delta(), order = 1.0 + draw.log_uniform(0.05, 1e3);
    const Enclosure divergence = renyi(composition, order);
    const double bound =
        divergence.upper + std::log1p(-1.0 / order) - (std::log(delta) + std::log(order)) / (order - 1.0);
    const Enclosure epsilon = epsilon_of(composition, delta);
    CAPTURE(words_of(composition), delta, order, divergence.lower, divergence.upper, bound, epsilon.lower,
            epsilon.upper);
    CHECK(divergence.lower <= divergence.upper);
    CHECK(epsilon.lower <= std::max(bound, 0.0) * (1.0 + 1e-12));
  }
}

TEST_CASE("profiles at an epsilon and at its negative, laws exchanged, belong together",
          "[accounting][dp-sgd][property]") {
  Draw draw(6);
  for (int i = 0; i < settings(250); ++i) {
    const Composition composition{i % 4 == 0 ? draw.log_uniform(1e-3, 3.0) : 0.0, {draw.steps()}};
    const SubsampledGaussian& c = composition.components.front();
    const double spread = c.sampling_rate * std::sqrt(c.count * std::expm1(std::min(c.mu * c.mu, 3.0)));
    const double epsilon = std::min(spread * draw.log_uniform(0.01, 10.0), 30.0);
    const Enclosure below = delta_at(composition, -epsilon, accuracy()).delta;
    const Enclosure mirrored = delta_at(reversed(composition), epsilon, accuracy()).delta;
    const double factor = std::exp(-epsilon), rest = -std::expm1(-epsilon);
    const Enclosure same{(rest + factor * mirrored.lower) * (1.0 - 1e-14),
                         (rest + factor * mirrored.upper) * (1.0 + 1e-14)};
    CAPTURE(words_of(composition), epsilon, below.lower, below.upper, same.lower, same.upper);
    CHECK(meet(below, same));
  }
}

TEST_CASE("the profile at both ends of an epsilon lies on either side of delta", "[accounting][dp-sgd][property]") {
  Draw draw(7);
  for (int i = 0; i < settings(250); ++i) {
    const Composition composition{i % 4 == 0 ? draw.log_uniform(1e-3, 3.0) : 0.0, {draw.steps()}};
    const double delta = draw.delta();
    const Enclosure epsilon = epsilon_of(composition, delta);
    const ProfilePoint at_upper = profile_at(composition, epsilon.upper, accuracy());
    const ProfilePoint at_lower = profile_at(composition, epsilon.lower, accuracy());
    CAPTURE(words_of(composition), delta, epsilon.lower, epsilon.upper, at_upper.delta.lower, at_upper.delta.upper,
            at_lower.delta.lower, at_lower.delta.upper, at_upper.method, at_lower.method);
    CHECK(at_upper.delta.lower <= delta);
    CHECK((epsilon.lower == 0.0 || at_lower.delta.upper >= delta));
    for (const ProfilePoint& point : {at_upper, at_lower}) {
      CHECK(point.delta.lower >= 0.0);
      CHECK(point.delta.lower <= point.delta.upper);
      CHECK(point.delta.upper <= 1.0);
      CHECK(point.type_one_error.lower <= point.power.upper);
      CHECK(point.power.upper >= point.delta.lower);
    }
  }
}

TEST_CASE("the trade-off function lies above every line of the profile", "[accounting][dp-sgd][property]") {
  Draw draw(8);
  for (int i = 0; i < settings(60); ++i) {
    const Composition composition{0.0, {draw.steps()}};
    const double delta = draw.log_uniform(1e-6, 0.1);
    const double error = std::min(1.0, delta * draw.log_uniform(0.01, 100.0));
    const Enclosure beta = accounting::tradeoff(composition, std::vector<double>{error}, accuracy()).front();
    const Enclosure epsilon = epsilon_of(composition, delta);
    CAPTURE(words_of(composition), delta, error, epsilon.lower, epsilon.upper, beta.lower, beta.upper);
    CHECK(beta.lower >= 0.0);
    CHECK(beta.lower <= beta.upper);
    CHECK(beta.upper <= 1.0 - error + 1e-15);
    CHECK(beta.upper >= 1.0 - delta - std::exp(epsilon.upper) * error - 1e-14);
  }
}
