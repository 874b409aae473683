// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <dpcurves/accounting/allocation_bounds.hpp>
#include <dpcurves/accounting/detail/largest_outputs.hpp>
#include <dpcurves/accounting/detail/replaced_curve.hpp>
#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/accounting/one_position.hpp>
#include <dpcurves/accounting/random_allocation.hpp>
#include <dpcurves/accounting/shuffled.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::accounting {
namespace {

using detail::LargestOutputs;
using detail::RatioLaw;
using rigorous::Real;

void check(const Shuffled& run, double epsilon) {
  const auto whole = [](double value, double most, const char* name, const char* domain) {
    require_domain(value >= 1.0 && value <= most && value == std::floor(value), name, value, domain);
  };
  require_domain(run.noise_multiplier >= 0.1 && run.noise_multiplier <= 1e4, "noise_multiplier", run.noise_multiplier,
                 "[0.1, 1e4]");
  whole(run.batches, 1e6, "batches", "the whole numbers from 1 to 1e6");
  whole(run.epochs, 1e5, "epochs", "the whole numbers from 1 to 1e5");
  require_domain(epsilon >= 0.0 && epsilon <= 200.0, "epsilon", epsilon, "[0, 200]");
}

// distance / Z sqrt(releases), both ends.
Enclosure mu_of(const Shuffled& run, double distance, double releases) {
  return outward(exactly(distance * std::sqrt(releases) / run.noise_multiplier), 4e-16);
}

double unamplified(const Shuffled& run, double epsilon) {
  const double distance = run.pair == ShuffledPair::replace_one ? 2.0 : 1.0;
  return tradeoff::delta_enclosure(epsilon, mu_of(run, distance, run.epochs)).upper;
}

// Releases of one representative that its clones must imitate at once.
double joint(const Shuffled& run) { return run.reshuffle ? 1.0 : run.epochs; }

// Of one batch, over its clone rate: one release by its profile, several by the chance that the log ratio reaches b on
// the way, that of a Brownian motion with drift.
double gap_of(const Shuffled& run, double b) {
  if (joint(run) == 1.0) {
    return tradeoff::delta_enclosure(b, mu_of(run, 1.0, 1.0)).upper;
  }
  const Real mu(mu_of(run, 1.0, joint(run)));
  const Real at = Real(b) / mu;
  const Real half = rigorous::scaled(mu, -1);
  return (rigorous::normal_tail(at - half) + exp(Real(b)) * rigorous::normal_tail(at + half)).upper();
}

double slack_of(const Shuffled& run, double epsilon, double b) {
  const double rounds = run.epochs / joint(run);
  return ((Real(1) + exp(Real(epsilon))) * Real(rounds) * Real(run.batches - 1.0) * exp(-Real(b)) *
          Real(gap_of(run, b)))
      .upper();
}

// Random allocation among so many positions, anew in every epoch: the upper end counts.
AllocationCurves allocation_curves(const Shuffled& run, double positions, double fineness) {
  return random_allocation_curves({run.noise_multiplier, positions, 1.0, run.epochs}, fineness, AllocationEnds::upper);
}

CurvePtr allocation_curve(const Shuffled& run, const AllocationCurves& curves) {
  if (run.pair != ShuffledPair::replace_one) {
    return run.pair == ShuffledPair::remove ? curves.remove : curves.add;
  }
  const LowerEnd none{[](double) { return 0.0; }, [](double, double) { return 0.0; }};
  return replaced_curve(curves.remove, curves.add, none, mu_of(run, 2.0, run.epochs), "removed, then added");
}

// delta among so many positions, upper end.
double allocation_of(const Shuffled& run, double epsilon, double positions) {
  const double rounds = run.epochs / joint(run);
  const double mean = mu_of(run, 1.0, joint(run)).upper;
  if (rounds == 1.0 && mean <= 12.0) {
    const OnePosition pair = run.pair == ShuffledPair::remove ? OnePosition{positions, mean, 0.0}
                             : run.pair == ShuffledPair::add  ? OnePosition{positions, 0.0, mean}
                                                              : OnePosition{positions, mean, -mean};
    return one_position_delta(pair, epsilon).upper;
  }
  if (joint(run) > 1.0) {  // no curve of so little noise: one position hides least
    return unamplified(run, epsilon);
  }
  return allocation_curve(run, allocation_curves(run, positions, 1.0))->delta(epsilon).value.upper;
}

// Means of the batch of the record in the attaining run, and in the other: the others' gradients are opposite.
OnePosition opposite(const Shuffled& run) {
  const double mu = mu_of(run, 1.0, 1.0).lower;
  return {run.batches, run.pair == ShuffledPair::add ? mu : 2.0 * mu,
          run.pair == ShuffledPair::add      ? 2.0 * mu
          : run.pair == ShuffledPair::remove ? mu
                                             : 0.0};
}

// Whether the bound can be better than no amplification, and has a curve.
bool hides(const Shuffled& run) { return run.batches >= 3.0; }

constexpr double unseen = 0.02;  // of the slack, what too few clones may have

struct Clones {
  double b = 0.0;
  double count = 0.0;  // as many as are nearly certain; 0 if hardly any is
};

// The least b whose slack is at most `slack`, and the clones to match: fewer have a fiftieth of that probability.
Clones clones_for(const Shuffled& run, double epsilon, double slack) {
  double low = 0.0;
  double high = 1.0;
  while (slack_of(run, epsilon, high) > slack && high < 600.0) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 14; ++i) {
    const double middle = 0.5 * (low + high);
    (slack_of(run, epsilon, middle) > slack ? low : high) = middle;
  }
  const double expected = (run.batches - 1.0) * std::exp(-high);
  const double allowed = unseen * slack / run.epochs;
  // Chernoff: P(Bin < m) <= exp(-(mean - m)^2 / (2 mean)). Small numbers are worth a search.
  double few = std::max(0.0, std::floor(expected - std::sqrt(-2.0 * expected * std::log(allowed))));
  constexpr double small = 2000.0;
  if (expected < small) {
    for (double many = std::floor(expected) + 1.0; many - few > 1.0;) {
      const double middle = std::floor(0.5 * (few + many));
      (binomial_below(run.batches - 1.0, exactly(std::exp(-high)), middle).upper <= allowed ? few : many) = middle;
    }
  }
  return {high, std::min(few, run.batches - 1.0)};
}

// What both directions share, made when it is first asked for: the law of the largest output, and the laws of random
// allocation.
class SharedLaws {
 public:
  const RatioLaw& largest(const Shuffled& run) {
    std::call_once(made_, [&] {
      const OnePosition pair = opposite(run);
      law_ = detail::largest_law(run.batches, std::max(pair.mean, pair.null_mean), std::min(pair.mean, pair.null_mean));
    });
    return law_;
  }
  AllocationCurves allocation(const Shuffled& run, double positions) {
    constexpr double fineness = 0.5;
    const std::lock_guard lock(mutex_);
    auto& curves = allocations_[positions];
    if (!curves.remove) {
      curves = allocation_curves(run, positions, fineness);
    }
    return curves;
  }

 private:
  std::once_flag made_;
  RatioLaw law_;
  std::mutex mutex_;
  std::map<double, AllocationCurves> allocations_;
};

// The test by the largest output of each epoch.
std::unique_ptr<const LargestOutputs> largest_outputs(const Shuffled& run, SharedLaws& laws) {
  const OnePosition pair = opposite(run);
  return std::make_unique<const LargestOutputs>(laws.largest(run), run.epochs,
                                                pair.mean > pair.null_mean ? Direction::remove : Direction::add);
}

}  // namespace

ShuffledBound shuffled_bound(const Shuffled& run, double epsilon, double b, double hidden) {
  check(run, epsilon);
  require_domain(b > 0.0 && b <= 700.0, "log_inverse_rate", b, "(0, 700]");
  require_domain(hidden >= 0.0 && hidden < run.batches && hidden == std::floor(hidden), "hidden", hidden,
                 "the whole numbers from 0 to batches - 1");
  ShuffledBound bound;
  const Real rate = exp(-Real(b));
  const double rounds = run.epochs / joint(run);
  bound.rate = std::exp(-b);
  bound.slack = slack_of(run, epsilon, b);
  bound.tail = next_up(rounds * binomial_below(run.batches - 1.0, rate.enclosure(), hidden).upper);
  bound.allocation = allocation_of(run, epsilon, hidden + 1.0);
  bound.unamplified = unamplified(run, epsilon);
  bound.delta = std::min(1.0, next_up(next_up(bound.slack + bound.tail) + bound.allocation));
  return bound;
}

double shuffled_largest(const Shuffled& run, double epsilon) {
  check(run, epsilon);
  const auto [batches, mean, null_mean] = opposite(run);
  if (run.epochs == 1.0 && mean > null_mean && mean <= 12.0) {
    return largest_test({batches, mean, null_mean}, epsilon).delta.lower;
  }
  SharedLaws laws;
  return largest_outputs(run, laws)->delta(epsilon);
}

namespace {

class ShuffledCurve final : public PrivacyCurve {
 public:
  ShuffledCurve(const Shuffled& run, const ShuffledCurve* beside)
      : run_(run),
        mu_(mu_of(run, run.pair == ShuffledPair::replace_one ? 2.0 : 1.0, run.epochs)),
        laws_(beside == nullptr ? std::make_shared<SharedLaws>() : beside->laws_) {}

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    const double plain = tradeoff::delta_enclosure(epsilon, mu_).upper;
    if (!(std::abs(epsilon) <= 200.0)) {
      return {{std::min(plain, std::max(0.0, -std::expm1(epsilon) - 1e-15)), plain}, method};
    }
    if (epsilon < 0.0) {
      const Enclosure ends = tradeoff::mirrored_delta(reverse().delta(-epsilon).value, epsilon);
      return {{std::min(ends.lower, plain), std::min(ends.upper, plain)}, method};
    }
    const double upper = upper_end(epsilon, plain);
    return {{std::min(attained(epsilon), upper), upper}, method};
  }

  Answer epsilon(double delta) const override { return epsilon_unless_below(delta, {0.0, 0.0}); }

  Answer epsilon_unless_below(double delta, Enclosure bar) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    double upper = tradeoff::epsilon_enclosure(delta, mu_).upper;
    if (hides(run_) && upper <= 200.0) {
      const auto [share, about] = best_share(delta, upper);
      constexpr double spare = 1.1;  // what `about` may be off by
      const double from = std::min(upper, std::max(spare * about, bar.upper));
      double found = least_from(from, share, delta, bar.upper);
      if (std::isinf(found) && from < upper) {
        found = least_from(upper, share, delta, bar.upper);
      }
      upper = std::min(upper, found);
    }
    return {{attained_epsilon(delta, upper, bar.lower), upper}, method};
  }

  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return sampled_->type_two_errors(type_one_errors);
  }

  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return {0.0, next_up(0.5 * order * next_up(mu_.upper * mu_.upper))};
  }

  std::optional<Enclosure> mu() const override { return mu_; }
  Methods methods() const override { return {by_tangents, by_closed_form, by_closed_form}; }

 private:
  static constexpr const char* method = "hiding among clones";

  // Clones whose slack at an epsilon has a share of delta, and what they leave of it; 0 where there are none.
  struct Left {
    double positions, delta;
  };
  [[nodiscard]] Left left_by_clones(double from, double share, double delta) const {
    const Clones clones = clones_for(run_, from, share * delta);
    const double tail =
        next_up(run_.epochs * binomial_below(run_.batches - 1.0, exp(-Real(clones.b)).enclosure(), clones.count).upper);
    const double rest = next_down(next_down(delta - slack_of(run_, from, clones.b)) - tail);
    return clones.count > 0.0 && rest > 0.0 ? Left{clones.count + 1.0, rest} : Left{0.0, 0.0};
  }

  // The share of delta for the slack by which the upper end is about least, and about that: by the central limit.
  struct Share {
    double share, epsilon;
  };
  [[nodiscard]] Share best_share(double delta, double upper) const {
    Share best{0.35, upper};  // near the best in the settings of the page
    const double square = std::expm1(std::min(1.0 / (run_.noise_multiplier * run_.noise_multiplier), 600.0));
    for (const double share : {0.25, 0.35, 0.45, 0.6}) {
      double from = best.epsilon;
      for (int i = 0; i < 3; ++i) {
        const Left left = left_by_clones(from, share, delta);
        if (left.positions == 0.0) {
          break;
        }
        const Enclosure mu = exactly(std::sqrt(run_.epochs * square / left.positions));
        const double directions = run_.pair == ShuffledPair::replace_one ? 2.0 : 1.0;
        const double about = directions * tradeoff::epsilon_enclosure(left.delta / directions, mu).upper;
        if (about < best.epsilon) {
          best = {share, about};
        }
        if (!(about < 0.99 * from)) {
          break;
        }
        from = about;
      }
    }
    return best;
  }

  // The least epsilon by the slack of `from`, which is at least that: what holds at an epsilon holds with the slack of
  // any larger one. \param bar  the least that is of interest.
  [[nodiscard]] double least_from(double from, double share, double delta, double bar) const {
    double best = infinity;
    for (int i = 0; i < 3; ++i) {
      const Left left = left_by_clones(from, share, delta);
      const double found = left.positions > 0.0 ? allocated(left.positions, left.delta, bar) : infinity;
      if (!(found <= from)) {
        break;
      }
      best = found;
      if (found >= 0.99 * from || found <= bar) {
        break;
      }
      from = found;
    }
    return best;
  }

  // The least epsilon of the allocation at `delta`, rounded up; or `bar`, if that is not less.
  [[nodiscard]] double allocated(double positions, double delta, double bar) const {
    if (run_.pair == ShuffledPair::replace_one && run_.epochs == 1.0) {
      const double mean = mu_of(run_, 1.0, 1.0).upper;
      return one_position_curve({positions, mean, -mean})->epsilon(delta).value.upper;
    }
    return allocation(positions)->epsilon_unless_below(delta, exactly(bar)).value.upper;
  }

  // Clones of a rate e^{-b} beside the record at some number of positions, and about delta with them.
  struct Choice {
    double b, about;
  };
  // By the number of positions, from a grid whose laws thresholds share; of each the rarest clones that suffice, by
  // Chernoff's bound. Estimated by the central limit.
  [[nodiscard]] std::map<double, Choice> choices(double epsilon) const {
    constexpr double first = 0.05, step = 0.04;
    const double square = std::expm1(std::min(1.0 / (run_.noise_multiplier * run_.noise_multiplier), 600.0)),
                 directions = run_.pair == ShuffledPair::replace_one ? 2.0 : 1.0;
    std::map<double, Choice> found;
    for (double b = first; (run_.batches - 1.0) * std::exp(-b) > 1.0; b += step) {
      const double slack = slack_of(run_, epsilon, b), expected = (run_.batches - 1.0) * std::exp(-b),
                   spread = -2.0 * expected * std::log(unseen * slack / run_.epochs);
      const double positions = on_grid(std::max(0.0, expected - std::sqrt(std::max(0.0, spread))) + 1.0);
      const double mu = directions * std::sqrt(run_.epochs * square / positions),
                   about = slack + tradeoff::delta_enclosure(epsilon, exactly(mu)).upper;
      found[positions] = {b, about};  // of the same number, the rarest
    }
    return found;
  }
  [[nodiscard]] static double on_grid(double positions) {
    constexpr double apart = 1.08;
    double at = 1.0, next = at;
    while (next <= positions) {
      at = next;
      next = std::max(at + 1.0, std::floor(apart * at));
    }
    return at;
  }
  // From the best choice as long as its neighbours are better: Chernoff's bound sees too few clones.
  [[nodiscard]] double upper_end(double epsilon, double plain) const {
    if (!hides(run_)) {
      return plain;
    }
    const auto found = choices(epsilon);
    const auto least = std::min_element(found.begin(), found.end(), [](const auto& one, const auto& other) {
      return one.second.about < other.second.about;
    });
    constexpr double spare = 2.0;  // what the estimate may be off by
    if (least == found.end() || least->second.about > spare * plain) {
      return plain;
    }
    const auto bound = [&](auto place) { return bound_of(epsilon, place->first, place->second.b); };
    double best = bound(least);
    for (auto place = std::next(least); place != found.end(); ++place) {
      const double next = bound(place);
      if (!(next < best)) {
        break;
      }
      best = next;
    }
    for (auto place = least; place != found.begin();) {
      const double next = bound(--place);
      if (!(next < best)) {
        break;
      }
      best = next;
    }
    return std::min(best, plain);
  }
  // With the rarest clones of which enough are nearly certain.
  [[nodiscard]] double bound_of(double epsilon, double positions, double b) const {
    const auto tail = [&](double at) {
      return next_up(run_.epochs *
                     binomial_below(run_.batches - 1.0, exp(-Real(at)).enclosure(), positions - 1.0).upper);
    };
    double low = b, high = 1.5 * b + 1.0;
    for (int i = 0; i < 8; ++i) {
      const double middle = 0.5 * (low + high);
      (tail(middle) <= unseen * slack_of(run_, epsilon, middle) ? low : high) = middle;
    }
    const double rest = next_up(slack_of(run_, epsilon, low) + tail(low));
    return std::min(1.0, next_up(rest + allocated_delta(positions, epsilon)));
  }
  [[nodiscard]] double allocated_delta(double positions, double epsilon) const {
    return run_.epochs == 1.0 ? allocation_of(run_, epsilon, positions)
                              : allocation(positions)->delta(epsilon).value.upper;
  }
  [[nodiscard]] CurvePtr allocation(double positions) const {
    const std::lock_guard lock(mutex_);
    CurvePtr& curve = allocations_[positions];
    if (!curve) {
      curve = allocation_curve(run_, laws_->allocation(run_, positions));
    }
    return curve;
  }
  // The other order of the same run: itself where a record is replaced.
  [[nodiscard]] const ShuffledCurve& reverse() const {
    if (run_.pair == ShuffledPair::replace_one) {
      return *this;
    }
    std::call_once(reverse_made_, [this] {
      Shuffled run = run_;
      run.pair = run_.pair == ShuffledPair::remove ? ShuffledPair::add : ShuffledPair::remove;
      reverse_ = std::make_unique<const ShuffledCurve>(run, this);
    });
    return *reverse_;
  }

  // Whether the lower end is that of all outputs of the one epoch; else of the largest of each.
  [[nodiscard]] bool all_outputs() const {
    const OnePosition pair = opposite(run_);
    return run_.epochs == 1.0 && std::max(pair.mean, pair.null_mean) <= 12.0;
  }

  const LargestOutputs& largest() const {
    std::call_once(largest_made_, [this] { largest_ = largest_outputs(run_, *laws_); });
    return *largest_;
  }

  [[nodiscard]] double attained(double epsilon) const {
    return all_outputs() ? one_position_delta(opposite(run_), epsilon).lower : largest().delta(epsilon);
  }

  [[nodiscard]] double attained_epsilon(double delta, double high, double bar) const {
    const auto end = [this](double e) { return attained(e); };
    return all_outputs() ? lower_epsilon({end, {}, one_position_searching(opposite(run_))}, delta, high)
                         : largest().epsilon(delta, high, bar);
  }

  Shuffled run_;
  Enclosure mu_;
  std::shared_ptr<SharedLaws> laws_;
  mutable std::once_flag largest_made_;
  mutable std::unique_ptr<const LargestOutputs> largest_;
  mutable std::mutex mutex_;
  mutable std::map<double, CurvePtr> allocations_;  // by the number of positions
  mutable std::once_flag reverse_made_;
  mutable std::unique_ptr<const ShuffledCurve> reverse_;
  CurvePtr sampled_ = sampled_curve([this](double epsilon) { return delta(epsilon).value; }, mu_, method);
};

}  // namespace

CurvePtr shuffled_curve(const Shuffled& run, const CurvePtr& other_direction) {
  check(run, 0.0);
  require_domain(run.reshuffle || run.epochs == 1.0, "reshuffle", 0.0, "true, where there are several epochs");
  return std::make_shared<ShuffledCurve>(run, dynamic_cast<const ShuffledCurve*>(other_direction.get()));
}

}  // namespace dpcurves::accounting
