// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/accounting/detail/claimed_losses.hpp>
#include <dpcurves/accounting/detail/convex_deltas.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double largest_count = 1e15;
constexpr double roundings = detail::claim_roundings;

class ClaimedCurve final : public PrivacyCurve {
 public:
  ClaimedCurve(CurvePtr rest, const std::vector<ClaimedRelease>& claims) : rest_(std::move(rest)) {
    require_domain(rest_ != nullptr, "rest", std::nan(""), "a curve that is not null");
    std::map<double, double> counts;  // of claims with one epsilon
    for (const ClaimedRelease& claim : claims) {
      require_domain(claim.epsilon >= 0.0, "epsilon", claim.epsilon, "[0, inf]");
      require_domain(claim.delta >= 0.0 && claim.delta <= 1.0, "delta", claim.delta, "[0, 1]");
      require_domain(claim.count >= 0.0 && claim.count <= largest_count && claim.count == std::floor(claim.count),
                     "count", claim.count, "the whole numbers [0, 1e15]");
      if (claim.count == 0.0) {
        continue;
      }
      largest_ = next_up(largest_ + next_up(claim.epsilon * claim.count));
      lose(std::isinf(claim.epsilon) ? 1.0 : claim.delta, claim.count);
      if (std::isfinite(claim.epsilon) && claim.epsilon > 0.0) {
        counts[claim.epsilon] += claim.count;
      }
    }
    if (lost_.lower < 1.0) {
      const std::vector<std::pair<double, double>> all(counts.begin(), counts.end());
      upper_ = detail::claimed_losses(all, true);
      lower_ = detail::claimed_losses(all, false);
    }
  }

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    detail::ConvexDeltas rest([this](std::span<const double> at) { return rest_->deltas(at); });
    return {{end(epsilon, false, rest), end(epsilon, true, rest)}, "claims beside the rest"};
  }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    detail::ConvexDeltas rest(rest_->questions());
    return {{inverse(delta, false, rest).first, inverse(delta, true, rest).second}, "claims beside the rest"};
  }
  /// From the profile: f(a) is the largest of 1 - delta(s) - e^s a over a grid of s, and beside its best.
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    constexpr int nodes = 64;
    detail::ConvexDeltas ask(rest_->questions());
    // Beyond the epsilon at which nearly nothing but what fails is left, lines are no higher.
    constexpr double least = 1e-12;
    const double target = lost_.upper * (1.0 + 1e-9) + least;
    const double reach = target < 1.0 ? std::min(700.0, inverse(target, true, ask).second) : 1.0, step = reach / nodes;
    std::vector<double> kept;
    for (int i = -nodes; i <= nodes; ++i) {
      kept.push_back(1.0 - end(step * i, true, ask));
    }
    const auto line = [](double s, double kept_there, double a) {
      return next_down(next_down(kept_there - next_up(std::exp(s) * a)));
    };
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      double best = 0.0, at = 0.0;
      for (int i = -nodes; i <= nodes; ++i) {
        if (const double value = line(step * i, kept[static_cast<std::size_t>(i + nodes)], a); value > best) {
          best = value;
          at = step * i;
        }
      }
      if (best > 0.0) {  // concave in e^s: a closer line beside the best
        const auto below = [&](double s) { return -line(s, 1.0 - end(s, true, ask), a); };
        best = std::max(best, -numerics::minimise(below, at - step, at + step).value);
      }
      result.push_back({std::min(best, 1.0 - a), 1.0 - a});
    }
    return result;
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    if (std::isinf(order) && lost_.upper == 0.0) {  // the largest losses add up
      const Enclosure rest = rest_->renyi(order);
      return {rest.lower, next_up(rest.upper + largest_)};
    }
    return {0.0, infinity};
  }
  Methods methods() const override { return {by_tangents, "largest privacy loss", ""}; }

 private:
  /// More releases that fail with probability delta each.
  void lose(double delta, double count) {
    if (delta == 0.0) {
      return;
    }
    const bool only = lost_.upper == 0.0 && count == 1.0;
    log_kept_ += delta == 1.0 ? -infinity : count * std::log1p(-delta);
    const double lost = -std::expm1(log_kept_);
    const double error = roundings * (2.0 - std::max(log_kept_, -800.0));
    lost_ =
        only || delta == 1.0 ? exactly(delta) : Enclosure{lost * (1.0 - error), std::min(1.0, lost * (1.0 + error))};
  }

  /// One end of delta, from the same end of the rest.
  double end(double epsilon, bool up, detail::ConvexDeltas& rest) const {
    if (lost_.lower == 1.0) {
      return 1.0;
    }
    const detail::ClaimedLosses& law = up ? upper_ : lower_;
    std::vector<detail::WeightedPlace> places;
    places.reserve(law.terms.size());
    double sum = 0.0;
    for (const detail::ClaimedLoss& term : law.terms) {
      if (std::isinf(term.loss)) {
        sum += up && term.loss > 0.0 ? term.weight : 0.0;
        continue;
      }
      const double slack = roundings * (std::abs(epsilon) + std::abs(term.loss));
      places.push_back({epsilon - term.loss + (up ? -slack : slack), term.weight});
    }
    sum += rest.sum(places, sum, up);
    const double lost = up ? lost_.upper : lost_.lower;
    if (sum == 0.0) {
      return lost;
    }
    const double error = law.error + roundings * (static_cast<double>(places.size()) + 4.0);
    sum = std::clamp(up ? next_up(sum * (1.0 + error)) : next_down(sum * (1.0 - error)), 0.0, 1.0);
    // 1 - kept (1 - sum) = lost + kept sum
    const double kept = up ? 1.0 - lost_.lower : 1.0 - lost_.upper;
    const double whole = lost + (up ? next_up(next_up(kept) * sum) : next_down(next_down(kept) * sum));
    return std::clamp(up ? next_up(next_up(whole)) : next_down(next_down(whole)), 0.0, 1.0);
  }

  /// Neighbours s < t with end(t) <= delta < end(s): the least epsilon lies between them.
  std::pair<double, double> inverse(double delta, bool up, detail::ConvexDeltas& ask) const {
    if (end(0.0, up, ask) <= delta) {
      return {0.0, 0.0};
    }
    if ((up ? lost_.upper : lost_.lower) > delta) {
      return {up ? 0.0 : infinity, infinity};  // what is lost at every epsilon
    }
    double low = 0.0;
    double high = 1.0;
    for (; end(high, up, ask) > delta; high *= 2.0) {
      low = high;
      if (high > 1e300) {
        return {high, infinity};
      }
    }
    // log delta is nearly linear: its chord, kept off the ends, halves at worst.
    constexpr double width = 1e-12;
    double below = std::log(end(low, up, ask));
    double above = std::log(std::max(end(high, up, ask), std::numeric_limits<double>::min()));
    const double target = std::log(delta);
    for (int i = 0; i < 200 && high - low > width * high; ++i) {
      const double chord = below > above ? (below - target) / (below - above) : 0.5;
      const double part = i % 3 == 2 ? 0.5 : std::clamp(chord, 0.01, 0.99);
      const double middle = low + part * (high - low);
      if (!(middle > low && middle < high)) {
        break;
      }
      const double value = end(middle, up, ask);
      const double log_value = std::log(std::max(value, std::numeric_limits<double>::min()));
      (value <= delta ? high : low) = middle;
      (value <= delta ? above : below) = log_value;
    }
    return {low, high};
  }

  CurvePtr rest_;
  detail::ClaimedLosses upper_;
  detail::ClaimedLosses lower_;
  double log_kept_ = 0.0;          // of the probability that no claim fails
  Enclosure lost_ = exactly(0.0);  // that one does
  double largest_ = 0.0;           ///< sum of the epsilons
};

}  // namespace

CurvePtr claimed_curve(CurvePtr rest, const std::vector<ClaimedRelease>& claims) {
  return std::make_shared<ClaimedCurve>(std::move(rest), claims);
}

}  // namespace dpcurves::accounting
