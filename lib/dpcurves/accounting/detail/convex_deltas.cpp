// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>

#include <dpcurves/accounting/detail/convex_deltas.hpp>
#include <dpcurves/core/detail/mapped.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr double rounding = 1e-14;  // of the few operations of a chord

}  // namespace

void ConvexDeltas::learn(double at) { known_.emplace(at, intersection(bounds(at), ask_(std::span(&at, 1)).front())); }

Enclosure ConvexDeltas::bounds(double at) const {
  const auto right = known_.lower_bound(at);
  if (right != known_.end() && right->first == at) {
    return right->second;
  }
  Enclosure delta{at < 0.0 ? std::max(0.0, next_down(-std::expm1(at))) : 0.0, 1.0};
  const bool has_left = right != known_.begin(), has_right = right != known_.end();
  const auto left = has_left ? std::prev(right) : right;
  if (has_left) {
    delta.upper = std::min(delta.upper, left->second.upper);
  }
  if (has_right) {
    delta.lower = std::max(delta.lower, right->second.lower);
    // The chord from the left, which at -inf is 1; the share of the right place is 1 - share.
    const double span = has_left ? -std::expm1(left->first - right->first) : 1.0;
    const double share = std::min(1.0, -std::expm1(at - right->first) / span * (1.0 + rounding));
    const double from = has_left ? left->second.upper : 1.0;
    delta.upper =
        std::min(delta.upper,
                 next_up((right->second.upper + share * std::max(0.0, from - right->second.upper)) * (1.0 + rounding)));
  }
  if (has_left && left != known_.begin()) {  // the chord of the two on the left, continued
    const auto before = std::prev(left);
    const double steps = std::expm1(at - left->first) / -std::expm1(before->first - left->first);
    const double fall = (before->second.upper - left->second.lower) * steps;
    delta.lower = std::max(delta.lower, left->second.lower - fall * (1.0 + rounding) - rounding * left->second.lower);
  }
  if (has_right && std::next(right) != known_.end()) {
    const auto after = std::next(right);
    const double steps = -std::expm1(at - right->first) / std::expm1(after->first - right->first);
    const double rise = std::max(0.0, right->second.lower - after->second.upper) * steps;
    delta.lower = std::max(delta.lower, (right->second.lower + rise * (1.0 - rounding)) * (1.0 - rounding));
  }
  delta.lower = std::min(delta.lower, delta.upper);
  return delta;
}

double ConvexDeltas::sum(const std::vector<WeightedPlace>& places, double others, bool up) {
  constexpr std::size_t few = 64;
  const double unseen = places.size() <= few ? 1e-12 : 1e-6;  // of the sum: thousands are on a grid
  std::vector<Between> all = mapped(places, [&](const WeightedPlace& place) {
    return Between{place.at, place.weight, bounds(place.at), known_.contains(place.at)};
  });
  std::sort(all.begin(), all.end(), [](const Between& a, const Between& b) { return a.at < b.at; });
  while (true) {
    double open = 0.0, least = others;
    for (const Between& one : all) {
      open += one.open();
      least += one.weight * one.delta.lower;
    }
    if (open <= unseen * least) {
      break;
    }
    // Between neighbours that are known, the stretch that is most open; of it the middle.
    double most = 0.0, stretch = 0.0;
    std::size_t best = 0, best_end = 0;
    for (std::size_t i = 0, begin = 0; i < all.size(); ++i) {
      if (i > begin && known_.lower_bound(all[i].at) != known_.lower_bound(all[begin].at)) {
        begin = i;
        stretch = 0.0;
      }
      stretch += all[i].open();
      if (stretch > most) {
        most = stretch;
        best = begin;
        best_end = i;
      }
    }
    double half = 0.0;
    std::size_t middle = best;
    for (; middle < best_end && (all[middle].open() == 0.0 || half + all[middle].open() < 0.5 * most); ++middle) {
      half += all[middle].open();
    }
    learn(all[middle].at);
    all[middle].known = true;
    for (Between& one : all) {
      one.delta = one.open() > 0.0 || one.at == all[middle].at ? intersection(one.delta, bounds(one.at)) : one.delta;
    }
  }
  return sum_over(all, [&](const Between& one) { return one.weight * (up ? one.delta.upper : one.delta.lower); });
}

}  // namespace dpcurves::accounting::detail
