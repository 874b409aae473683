// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <dpcurves/accounting/detail/additive_law.hpp>
#include <dpcurves/accounting/detail/allocation_blocks.hpp>
#include <dpcurves/accounting/detail/allocation_law.hpp>
#include <dpcurves/accounting/detail/allocation_renyi.hpp>
#include <dpcurves/accounting/detail/block_product.hpp>
#include <dpcurves/accounting/detail/loud_allocation.hpp>
#include <dpcurves/accounting/detail/profile_tradeoff.hpp>
#include <dpcurves/accounting/detail/replaced_law.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::accounting {
namespace {

using detail::begun_epochs;
using detail::BlockLaws;
using detail::BlockProduct;
using detail::Blocks;

constexpr double least_noise_of_laws = 0.05;  // below, the places that are loudest tell both ends

void require_whole(double value, double most, const char* name, const char* domain) {
  require_domain(value >= 1.0 && value <= most && value == std::floor(value), name, value, domain);
}

Direction opposite(Direction direction) { return direction == Direction::remove ? Direction::add : Direction::remove; }

class AllocationCurve final : public PrivacyCurve {
 public:
  // A replaced record has the same curve in both directions.
  AllocationCurve(const RandomAllocation& allocation, AllocationEnds ends, Direction direction,
                  std::shared_ptr<BlockLaws> laws)
      : allocation_(allocation),
        ends_(ends),
        direction_(direction),
        laws_(std::move(laws)),
        mu_(laws_->mu()),
        distance_(laws_->replaced() ? 2.0 : 1.0),
        certain_upper_(around_mu(distance_ * mu_ * std::sqrt(allocation.chosen * begun_epochs(allocation)))),
        certain_lower_(
            around_mu(distance_ * mu_ * allocation.chosen * std::sqrt(allocation.epochs / allocation.steps))) {
    constexpr double loud_mu = 2.0;
    if (allocation.spared_mu == 0.0 && (mu_ > loud_mu || allocation.epochs == 0.0)) {
      for (const Direction d : {Direction::remove, Direction::add}) {
        loud_[d == direction ? 1 : 0].emplace(allocation, laws_->replaced()        ? detail::LoudPair::replaced
                                                          : d == Direction::remove ? detail::LoudPair::remove
                                                                                   : detail::LoudPair::add);
      }
    }
    AdditiveTest test =
        allocation_test(allocation.chosen, allocation.steps, allocation.epochs, allocation.noise_multiplier);
    constexpr double most_steps = 1e8;
    // With one step both ends are those of the laws.
    if (ends_ == AllocationEnds::both && !tight() && !gaussian_only() && allocation.epochs > 0.0 &&
        test.steps <= most_steps && test.noise_multiplier >= 0.1) {
      for (const Direction d : {Direction::remove, Direction::add}) {
        test.direction = d;
        tests_[d == direction ? 1 : 0] = detail::lower_end(test, {0.65, 1.0});
      }
    }
  }

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    return {profile(epsilon, direction_, [this](double e, Direction d) { return nonnegative(e, d); }), method()};
  }

  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    double high = tradeoff::epsilon_enclosure(delta, certain_upper_).upper;
    double low = std::max(0.0, tradeoff::epsilon_enclosure(delta, certain_lower_).lower);
    if (loud_[1] && !gaussian_only()) {
      const Enclosure loud = loud_[1]->epsilon(delta);
      high = std::min(high, loud.upper);
      low = std::max(low, std::min(loud.lower, high));
    }
    if (high <= low || gaussian_only()) {
      return {{std::min(low, high), high}, method()};
    }
    try {
      return {between(delta, {low, high}), method()};
    } catch (const ConvergenceError&) {  // ratios so far apart that a lattice sees none of them
      if (!loud_[1]) {
        throw;
      }
      return {{low, high}, method()};
    }
  }

  // By a rough profile, or where that does not tell by a fine one.
  bool surely_below(double epsilon, double delta) const override {
    if (gaussian_only() || !(epsilon > 0.0)) {
      return false;
    }
    try {
      const double reach = reach_for(delta);
      const Enclosure rough = nonnegative(epsilon, direction_, reach, true);
      return rough.upper <= delta || (rough.lower <= delta && nonnegative(epsilon, direction_, reach).upper <= delta);
    } catch (const ConvergenceError&) {
      return false;
    }
  }

  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      result.push_back(type_two_error(a));
    }
    return result;
  }

  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    const double gaussian_lower = 0.5 * order * certain_lower_.lower * certain_lower_.lower;
    if (gaussian_only() || std::isinf(order) || laws_->replaced()) {
      return outward({gaussian_lower, 0.5 * order * certain_upper_.upper * certain_upper_.upper}, 1e-15);
    }
    const std::vector<Blocks>& blocks = laws_->blocks();
    Enclosure total{0.0, 0.0}, one = outward({0.0, 0.5 * order * mu_ * mu_}, 1e-15);
    for (std::size_t j = 0; j < blocks.size(); ++j) {
      // An epoch that ends early is more private than a whole one, which comes before it.
      one = blocks[j].idle > 0.0
                ? Enclosure{0.0, one.upper}
                : detail::allocation_renyi(mu_, blocks[j].steps, order, direction_, laws_->at(reach_for(1e-10))[j]);
      total = total + scale(one, blocks[j].count);
    }
    if (!tight()) {
      total.lower = next_down(gaussian_lower);
    }
    return {std::max(0.0, std::min(total.lower, total.upper)), total.upper};
  }

  std::optional<Enclosure> mu() const override { return certain_upper_; }
  Methods methods() const override {
    return {laws_->replaced() ? "tangents and chords of the profile, error estimated" : by_tangents,
            gaussian_only() || laws_->replaced() ? by_closed_form : "moments of the mean of the ratios",
            by_closed_form};
  }

 private:
  static constexpr double wanted = 1e-7;    // relative width of trade-off functions
  static constexpr double farthest = 600.0;  // threshold that they ask
  static constexpr double levels[] = {1e-7, 1e-14, 1e-60, 1e-280};  // of delta, with a set of laws for each

  static Enclosure around_mu(double mu) { return mu == 0.0 ? exactly(mu) : outward(exactly(mu), 1e-15); }
  // Whether the laws below are those of the run.
  [[nodiscard]] bool tight() const { return allocation_.chosen == 1.0 && ends_ == AllocationEnds::both; }
  [[nodiscard]] bool gaussian_only() const {
    return allocation_.chosen == allocation_.steps && allocation_.rest == 0.0;
  }
  [[nodiscard]] std::string method() const {
    if (gaussian_only()) {
      return "closed form";
    }
    if (laws_->replaced()) {
      return "convex order, error estimated";
    }
    return tight() ? "convex order" : "convex order (upper bound)";
  }
  // Tails are cut where they are far below the delta in question: far cells cost accuracy elsewhere.
  [[nodiscard]] double reach_at(double level) const {
    return numerics::normal_upper_quantile(1e-7 * level / (begun_epochs(allocation_) * allocation_.chosen));
  }
  [[nodiscard]] double reach_for(double delta) const {
    const auto* level = std::find_if(std::begin(levels), std::end(levels) - 1, [&](double l) { return delta > l; });
    return reach_at(*level);
  }

  // Under the mutex.
  [[nodiscard]] BlockProduct& product(Direction direction, double reach, bool rough) const {
    auto& made = products_[{direction == Direction::remove, rough, reach}];
    if (!made) {
      std::vector<double> counts;
      for (const Blocks& blocks : laws_->blocks()) {
        counts.push_back(blocks.count);
      }
      made = std::make_unique<BlockProduct>(laws_->at(reach), counts, direction, reach, rough);
    }
    return *made;
  }

  // The epsilon of the laws within [low, high].
  [[nodiscard]] Enclosure between(double delta, const Enclosure& limits) const {
    const double low = limits.lower, high = limits.upper, reach = reach_for(delta);
    const auto excess = [&](bool upper) {
      return [this, delta, reach, upper](double epsilon) {
        const Enclosure ends = nonnegative(epsilon, direction_, reach);
        const double value = upper ? ends.upper : ends.lower;
        const double gap = std::log(std::max(value, 1e-320)) - std::log(delta);
        constexpr double least = 1e-300;  // the sign is that of value - delta
        return value > delta ? std::max(gap, least) : value < delta ? std::min(gap, -least) : 0.0;
      };
    };
    const Start start = near(delta, low, high, reach);
    const double upper = root(excess(true), {low, high}, start, true);
    if (ends_ == AllocationEnds::upper) {
      return {std::min(low, upper), upper};
    }
    if (tests_[1].epsilon) {
      return {std::max(low, std::min(upper, tests_[1].epsilon(delta, upper))), upper};
    }
    const double lower = root(excess(false), {low, upper}, {upper, start.slope}, false);
    return {std::max(low, std::min(lower, upper)), upper};
  }

  // Where a search begins: an epsilon, and the slope of log delta there, which is negative.
  struct Start {
    double epsilon, slope;
  };

  // About where in [low, high] the upper end of the profile crosses delta, by a rough one from the saddle point on.
  [[nodiscard]] Start near(double delta, double low, double high, double reach) const {
    Start start{};
    {
      const std::lock_guard lock(mutex_);
      const detail::SaddlePoint about = product(direction_, reach, true).about(delta);
      start = {std::clamp(about.epsilon, low, high), -about.c};
    }
    const auto excess = [&](double epsilon) {
      const Enclosure value = nonnegative(epsilon, direction_, reach, true);
      return std::log(std::max(tight() ? 0.5 * (value.lower + value.upper) : value.upper, 1e-320) / delta);
    };
    start.epsilon = root(excess, {low, high}, start, true);
    const std::lock_guard lock(mutex_);
    product(direction_, reach, false).prepare(start.epsilon);
    return start;
  }

  // The profile at epsilon >= 0 in either direction. With several draws the lower end is that of certain_lower_.
  Enclosure nonnegative(double epsilon, Direction direction, double reach, bool rough = false) const {
    const Enclosure upper = tradeoff::delta_enclosure(epsilon, certain_upper_);
    if (laws_->replaced()) {
      direction = Direction::remove;
    }
    const Enclosure lower = tradeoff::delta_enclosure(epsilon, certain_lower_);
    Enclosure certain{std::min(lower.lower, upper.upper), upper.upper};
    if (gaussian_only() || std::isinf(epsilon)) {
      return certain;
    }
    if (const auto& loud = loud_[direction == direction_ ? 1 : 0]; loud) {
      certain = intersection(certain, loud->delta(epsilon));
    }
    const std::lock_guard lock(mutex_);
    Enclosure found = product(direction, reach, rough).delta(epsilon);
    found.lower = std::max(0.0, found.lower - 2.0 * laws_->lost());
    return intersection(certain, detail::told(found, epsilon));
  }

  Enclosure nonnegative(double epsilon, Direction direction) const {
    Enclosure value{0.0, 1.0};
    for (const double level : levels) {
      value = intersection(value, nonnegative(epsilon, direction, reach_at(level)));
      if ((tight() ? value.lower : value.upper) > level || value.upper < 1e-300 || gaussian_only()) {
        break;
      }
    }
    return tested(value, epsilon, direction);
  }

  // With more than one step: the best of tests on an additive statistic.
  [[nodiscard]] Enclosure tested(Enclosure value, double epsilon, Direction direction) const {
    const auto& test = tests_[direction == direction_ ? 1 : 0].delta;
    return test ? Enclosure{std::max(value.lower, std::min(value.upper, test(epsilon))), value.upper} : value;
  }

  // At any sign of epsilon, `at_nonnegative` answering for the others.
  template <class F>
  static Enclosure profile(double epsilon, Direction direction, const F& at_nonnegative) {
    if (epsilon >= 0.0) {
      return at_nonnegative(epsilon, direction);
    }
    return tradeoff::mirrored_delta(at_nonnegative(-epsilon, opposite(direction)), epsilon);
  }

  // The end of the epsilon at which the decreasing `excess` changes sign within the limits, on the side that may be
  // promised, where it was computed: Newton's steps from the start on, each twice as long as it need be, until the sign
  // is another one.
  template <class F>
  static double root(const F& excess, const Enclosure& limits, const Start& start, bool upper) {
    double at = start.epsilon, here = excess(at);
    const bool up = here > 0.0;
    constexpr double least_step = 1e-9;  // relative
    for (double factor = 1.05;; factor *= 2.0) {
      const double far = factor * (std::abs(here / start.slope) + least_step * at);
      const double next = up ? std::min(limits.upper, at + far) : std::max(limits.lower, at - far);
      const double there = next == at ? here : excess(next);
      if ((there > 0.0) != up) {
        const Enclosure found = numerics::root(excess, std::min(at, next), std::max(at, next));
        return upper ? found.upper : found.lower;
      }
      if (next == limits.upper || next == limits.lower) {
        return up || upper ? next : 0.0;
      }
      at = next;
      here = there;
    }
  }

  // Laws of each reach have places of their own: farther ones see smaller deltas.
  [[nodiscard]] Enclosure type_two_error(double a) const {
    const double least = tradeoff::gaussian_enclosure(a, certain_upper_).lower;
    const double most = tradeoff::gaussian_enclosure(a, certain_lower_).upper;
    if (gaussian_only() || a == 0.0 || a == 1.0) {
      return {least, most};
    }
    const double reach = reach_for(1e-3 * std::min(a, 1.0 - a));
    const std::lock_guard lock(tradeoff_mutex_);
    auto& known = tradeoffs_[reach];
    if (!known) {
      const auto at_reach = [this, reach](double epsilon, Direction direction) {
        return tested(nonnegative(epsilon, direction, reach), epsilon, direction);
      };
      known.emplace([this, at_reach](double epsilon) { return profile(epsilon, direction_, at_reach); }, wanted,
                    std::min(farthest, certain_upper_.upper * (certain_upper_.upper + 9.0)));
    }
    const Enclosure value = known->at(a);
    const double lower = std::clamp(value.lower, least, std::max(least, std::min(value.upper, most)));
    return {lower, std::max(lower, std::min(value.upper, most))};
  }

  RandomAllocation allocation_;
  AllocationEnds ends_;
  Direction direction_;
  std::shared_ptr<BlockLaws> laws_;
  double mu_, distance_;
  Enclosure certain_upper_;                        // mu of the composition without amplification
  Enclosure certain_lower_;                        // mu of the sum of all outputs
  std::optional<detail::LoudAllocation> loud_[2];  // of the other direction, and of this one; for little noise
  LowerEnd tests_[2];  // of the other direction, and of this one; empty if one step is chosen
  mutable std::mutex mutex_;
  mutable std::map<std::tuple<bool, bool, double>, std::unique_ptr<BlockProduct>> products_;
  mutable std::mutex tradeoff_mutex_;
  mutable std::map<double, std::optional<detail::ProfileTradeoff>> tradeoffs_;  // by reach
};

}  // namespace

AllocationCurves random_allocation_curves(const RandomAllocation& allocation, double fineness, AllocationEnds ends) {
  require_domain(allocation.noise_multiplier > 0.0 && allocation.noise_multiplier <= 1e4, "noise_multiplier",
                 allocation.noise_multiplier, "(0, 1e4]");
  require_whole(allocation.steps, 1e7, "steps", "the whole numbers from 1 to 1e7");
  require_whole(allocation.chosen, allocation.steps, "chosen", "the whole numbers from 1 to steps");
  require_domain(
      allocation.rest >= 0.0 && allocation.rest < allocation.steps && allocation.rest == std::floor(allocation.rest),
      "rest", allocation.rest, "the whole numbers from 0 to steps - 1");
  if (allocation.epochs != 0.0 || allocation.rest == 0.0) {  // a part of one epoch may be all
    require_whole(allocation.epochs, 1e6, "epochs", "the whole numbers from 1 to 1e6");
  }
  require_domain(allocation.spared_mu >= 0.0 && allocation.spared_mu * allocation.noise_multiplier <= 1.0, "spared_mu",
                 allocation.spared_mu, "[0, 1 / noise_multiplier]");
  require_domain(fineness >= 0.1 && fineness <= 10.0, "fineness", fineness, "[0.1, 10]");
  if (allocation.noise_multiplier < least_noise_of_laws) {
    return {detail::loud_allocation_curve(allocation, detail::LoudPair::remove),
            detail::loud_allocation_curve(allocation, detail::LoudPair::add)};
  }
  const bool tight = allocation.chosen == 1.0 && ends == AllocationEnds::both;
  const auto laws =
      std::make_shared<BlockLaws>(allocation, fineness, tight ? detail::Laws::both : detail::Laws::above, false);
  return {std::make_shared<AllocationCurve>(allocation, ends, Direction::remove, laws),
          std::make_shared<AllocationCurve>(allocation, ends, Direction::add, laws)};
}

CurvePtr detail::replaced_rounds_curve(const RandomAllocation& allocation) {
  const auto laws = std::make_shared<BlockLaws>(allocation, 1.0, Laws::both, true);
  return std::make_shared<AllocationCurve>(allocation, AllocationEnds::both, Direction::remove, laws);
}

CurvePtr random_allocation_curve(const RandomAllocation& allocation, Direction direction) {
  const AllocationCurves curves = random_allocation_curves(allocation);
  return direction == Direction::remove ? curves.remove : curves.add;
}

}  // namespace dpcurves::accounting
