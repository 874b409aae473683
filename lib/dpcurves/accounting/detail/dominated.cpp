// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/detail/dominated.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double margin = 1e-5;  // relative: brackets that decide an answer are narrower

/// The same with larger parameters, the number of steps by twice as much: epsilon grows with its root.
Composition enlarged(Composition composition, double by) {
  constexpr double most_steps = 1e15;
  composition.gaussian_mu *= 1.0 + by;
  for (SubsampledGaussian& one : composition.components) {
    one.sampling_rate *= one.sampling_rate * (1.0 + by) < 1.0 ? 1.0 + by : 1.0;
    one.mu *= 1.0 + by;
    one.count = std::min(most_steps, std::ceil(one.count * (1.0 + 2.0 * by)));
  }
  return composition;
}

}  // namespace

bool dominated(const Composition& one, const Composition& other) {
  const auto below = [](const SubsampledGaussian& a, const SubsampledGaussian& b) {
    const bool poisson = a.pair == Pair::poisson_remove || a.pair == Pair::poisson_add;
    return poisson && a.pair == b.pair && a.sampling_rate <= b.sampling_rate && a.mu <= b.mu && a.count <= b.count;
  };
  return one.gaussian_mu <= other.gaussian_mu && std::equal(one.components.begin(), one.components.end(),
                                                            other.components.begin(), other.components.end(), below);
}

bool UpperBounds::prove(const Composition& composition, double epsilon, double delta, const Accuracy& accuracy) {
  const auto serves = [&](const Bound& bound) {
    return bound.delta <= delta && bound.epsilon <= epsilon * (1.0 - margin) && dominated(composition, bound.of);
  };
  if (std::any_of(known_.begin(), known_.end(), serves)) {
    return true;
  }
  if (quiet_ > 0 || !dominated(composition, composition) || !(epsilon > 0.0)) {
    quiet_ -= quiet_ > 0 ? 1 : 0;
    return false;
  }
  constexpr std::size_t most = 4;      // bounds that are kept
  constexpr std::size_t silence = 64;  // questions after one that did not help
  constexpr double least_larger = 1e-4, most_larger = 0.05;
  constexpr double room = 0.8;   // of delta, where deltas differ
  constexpr double parts = 6.0;  // of the gap between the directions: epsilon grows by three times what larger_ says
  try {
    Bound bound{enlarged(composition, larger_), 0.0, delta == last_delta_ ? delta : room * delta};
    last_delta_ = delta;
    bound.epsilon = epsilon_at(bound.of, bound.delta, accuracy).epsilon.upper;
    const double gap = (epsilon - bound.epsilon) / epsilon + 3.0 * larger_;
    larger_ = std::clamp(gap / parts, least_larger, most_larger);
    if (serves(bound)) {
      known_.push_front(std::move(bound));
      known_.resize(std::min(known_.size(), most));
      return true;
    }
  } catch (const Error&) {  // no bound is none
  }
  quiet_ = silence;
  return false;
}

}  // namespace dpcurves::accounting
