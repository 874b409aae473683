// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/additive_test.hpp>
#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/fft.hpp>

namespace dpcurves::accounting {
namespace {

using detail::Counts;
using detail::CutStatistic;
using detail::Statistic;
using detail::SumLaw;

constexpr double unit = std::numeric_limits<double>::epsilon();

void check(const AdditiveTest& test, std::size_t most_points) {
  require_domain(test.steps >= 1.0 && test.steps <= 1e8 && test.steps == std::floor(test.steps), "steps", test.steps,
                 "the whole numbers from 1 to 1e8");
  require_domain(test.noise_multiplier >= 0.1 && test.noise_multiplier <= 1e4, "noise_multiplier",
                 test.noise_multiplier, "[0.1, 1e4]");
  require_domain(test.rate > 0.0 && test.rate < 1.0, "rate", test.rate, "(0, 1)");
  require_domain(test.epsilon >= 0.0 && test.epsilon <= 700.0, "epsilon", test.epsilon, "[0, 700]");
  const double most = test.fewest + static_cast<double>(test.probability.size()) - 1.0;
  require_domain(!test.replaced || test.direction == Direction::remove, "replaced", 1.0, "0 in the direction add");
  require_domain(!test.probability.empty() && test.fewest >= 0.0 && most <= test.steps, "fewest", test.fewest,
                 "whole numbers with at most `steps` participations");
  require_domain(most_points >= (1U << 14U) && most_points <= (1U << 23U) && std::has_single_bit(most_points),
                 "most_points", static_cast<double>(most_points), "powers of 2 from 2^14 to 2^23");
}

// The pair of laws of the sum, tilted to where losses are near a target.
class TestLaws {
 public:
  // \param loss  of delta that the cells may cost, relative.
  TestLaws(const AdditiveTest& test, double target, double loss, std::size_t most_points)
      : TestLaws(test, Plan(test, target, loss, most_points)) {}

  [[nodiscard]] const SumLaw& first() const { return remove_ ? alternative_ : null_; }
  [[nodiscard]] const SumLaw& second() const { return remove_ ? null_ : alternative_; }
  [[nodiscard]] bool remove() const { return remove_; }
  [[nodiscard]] double height() const { return cells_.height; }

 private:
  // How often the record is used, and where on the lattice the sums are.
  struct Plan {
    Plan(const AdditiveTest& test, double target, double loss, std::size_t most_points)
        : with(detail::trimmed(test)), statistic(1.0 / test.noise_multiplier, test.rate, test.replaced) {
      const detail::Saddle at = detail::saddle(statistic, with, target, test.direction);
      const double width = 28.0 * at.deviation + 2.0 * (statistic.most() - statistic.least());
      // The cells blur a tail of steepness c by a relative c^2 steps height^2 / 24.
      const double wanted = at.c * width * std::sqrt(test.steps / (24.0 * loss));
      const double affordable = 4e8 / static_cast<double>(with.weight.size());
      length = numerics::transform_length(
          std::clamp(std::min(wanted, std::max(affordable, 0x1p18)), 0x1p14, static_cast<double>(most_points)));
      height = width / static_cast<double>(length);
      const bool remove = test.direction == Direction::remove;
      with_tilt = (remove ? at.c : -at.c - 1.0) * height;
      null_tilt = (remove ? at.c + 1.0 : -at.c) * height;
    }

    Counts with;
    Statistic statistic;
    std::size_t length = 0;
    double height = 0.0;
    double with_tilt = 0.0;
    double null_tilt = 0.0;
  };

  TestLaws(const AdditiveTest& test, const Plan& plan)
      : remove_(test.direction == Direction::remove),
        cells_(plan.statistic.cut(plan.height)),
        alternative_(cells_, cells_.shifted, plan.with, plan.with_tilt, plan.length),
        null_(cells_, test.replaced ? cells_.opposite : cells_.shifted,
              test.replaced ? plan.with : Counts{test.steps, 0.0, {1.0}}, plan.null_tilt, plan.length) {}

  bool remove_;
  CutStatistic cells_;
  SumLaw alternative_;
  SumLaw null_;
};

// The threshold on the lattice where `gain` of both tails is largest, of those where rounding does not matter.
// \param ratio  by which an error of the second tail counts.
template <class Gain>
long best_threshold(const TestLaws& laws, double ratio, const Gain& gain) {
  const SumLaw& first = laws.first();
  const SumLaw& second = laws.second();
  const auto p = first.tails(laws.remove());
  const auto q = second.tails(laws.remove());
  double best = -infinity;
  const long from = std::max(first.first(), second.first());
  long where = from;
  GeometricWeights first_weight = first.weights_of_window(), second_weight = second.weights_of_window();
  const double first_noise = first.noise(), second_noise = ratio * second.noise();
  for (long s = from; s < std::min(first.end(), second.end()); ++s) {
    const auto i = static_cast<std::size_t>(s - first.first()), j = static_cast<std::size_t>(s - second.first());
    const double value = gain(p[i], q[j]);
    // far from the tilted mean rounding is all there is
    if (value > best && first_weight(i) * first_noise + second_weight(j) * second_noise < 1e-4 * std::min(1.0, p[i])) {
      best = value;
      where = s;
    }
  }
  return where;
}

}  // namespace

AdditiveTestResult additive_test(const AdditiveTest& test, std::size_t most_points) {
  check(test, most_points);
  const bool remove = test.direction == Direction::remove;
  const double target = test.threshold ? (remove ? *test.threshold : -*test.threshold) : test.epsilon;
  constexpr double loss = 6e-8;
  const TestLaws laws(test, target, loss, most_points);
  const double height = laws.height();
  const double ratio = std::exp(test.epsilon) * (1.0 + 4.0 * unit);
  // Between two thresholds of the lattice the test is drawn: probabilities are joined by lines.
  const auto at_index = [&](double s) {
    const double from = std::floor(s);
    const double share = s - from;
    const auto joined = [&](const SumLaw& law) {
      const Enclosure a = law.tail(static_cast<long>(from), remove);
      const Enclosure b = share > 0.0 ? law.tail(static_cast<long>(from) + 1, remove) : a;
      return Enclosure{(1.0 - share) * a.lower + share * b.lower, (1.0 - share) * a.upper + share * b.upper};
    };
    const Enclosure p = joined(laws.first());
    const Enclosure q = joined(laws.second());
    const double delta = p.lower * (1.0 - 4.0 * unit) - ratio * q.upper;
    const double threshold = (s + (remove ? -0.5 : 0.5)) * height;
    return AdditiveTestResult{std::max(0.0, delta), threshold, remove ? p.middle() : q.middle(),
                              remove ? q.middle() : p.middle()};
  };
  if (test.threshold) {
    AdditiveTestResult result = at_index(*test.threshold / height + (remove ? 0.5 : -0.5));
    result.threshold = *test.threshold;
    return result;
  }
  return at_index(
      static_cast<double>(best_threshold(laws, ratio, [ratio](double p, double q) { return p - ratio * q; })));
}

double additive_epsilon(AdditiveTest test, double delta, double guess, std::size_t most_points) {
  test.epsilon = std::clamp(guess, 0.0, 700.0);
  check(test, most_points);
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  double best = 0.0;
  constexpr double loss = 1e-3;  // of delta, a tenth of that of epsilon
  constexpr double near = 0.03;  // the tilts serve thresholds around the target
  for (int i = 0; i < 8; ++i) {
    const TestLaws laws(test, test.epsilon, loss, most_points);
    const long s = best_threshold(laws, std::exp(test.epsilon), [delta](double p, double q) {
      return p > delta && q > 0.0 ? (p - delta) / q : -infinity;
    });
    const double power = laws.first().tail(s, laws.remove()).lower * (1.0 - 4.0 * unit) - delta;
    const double error = laws.second().tail(s, laws.remove()).upper;
    const double found = power > 0.0 && error > 0.0 ? std::clamp(std::log(power / error) - 1e-13, 0.0, 700.0) : 0.0;
    const double before = std::exchange(best, std::max(best, found));
    if (test.epsilon == 0.0 || (found > 0.0 && std::abs(found - test.epsilon) <= near * found) ||
        (before > 0.0 && found <= before)) {
      break;
    }
    test.epsilon = found > 0.0 ? found : 0.5 * test.epsilon;  // too far out to see anything
  }
  return best;
}

}  // namespace dpcurves::accounting
