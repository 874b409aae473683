// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/accounting/transform.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The different steps, checked; equal ones joined and full batches merged into one Gaussian.
struct Steps {
  explicit Steps(const Composition& composition)
      : transform(composition), rounding(4e-16 * (4.0 + static_cast<double>(composition.components.size()))) {
    for (const detail::Part& part : transform.parts()) {
      require_domain(part.law.mu() <= 100.0, "mu", part.law.mu(), "[0, 100]");
    }
  }

  [[nodiscard]] double gaussian(double order) const {
    const double mu = transform.gaussian_mu();
    return mu == 0.0 ? 0.0 : 0.5 * order * mu * mu;
  }

  detail::Transform transform;
  double rounding;  // of the merged mu and of the sums, relative
};

Enclosure total(const Steps& steps, double order, Direction direction) {
  Enclosure sum = outward(exactly(steps.gaussian(order)), steps.rounding);
  if (steps.gaussian(order) == 0.0) {
    sum = exactly(0.0);
  }
  for (const detail::Part& part : steps.transform.parts()) {
    const Enclosure one = poisson_renyi(part.law.sampling_rate(), part.law.mu(), order, direction);
    sum = sum + outward(scale(one, part.count), steps.rounding);
  }
  return clamp(sum, 0.0, infinity);
}

// (order - 1) D_order is convex and 0 at order 1: between integers the chord is an upper bound.
double fixed_size_total(const Steps& steps, double order) {
  constexpr double largest = 1e4;
  double sum = steps.gaussian(order);
  const double below = std::floor(order), above = std::ceil(order);
  for (const detail::Part& part : steps.transform.parts()) {
    const double q = part.law.sampling_rate(), mu = part.law.mu();
    double bound = 0.5 * order * mu * mu;
    if (above <= largest) {
      const auto moment = [&](double at) { return at < 2.0 ? 0.0 : (at - 1.0) * fixed_size_renyi_bound(q, mu, at); };
      const double share = order - below;
      const double chord = ((1.0 - share) * moment(below) + (share == 0.0 ? 0.0 : share * moment(above)));
      bound = std::min(bound, chord / (order - 1.0));
    }
    sum += part.count * bound;
  }
  return sum == 0.0 ? 0.0 : next_up(sum * (1.0 + steps.rounding));
}

divergence::RenyiCurve remembered(std::function<double(double)> f) {
  struct Memory {
    std::mutex mutex;
    std::map<double, double> values;
  };
  return [f = std::move(f), memory = std::make_shared<Memory>()](double order) {
    {
      const std::lock_guard lock(memory->mutex);
      if (const auto known = memory->values.find(order); known != memory->values.end()) {
        return known->second;
      }
    }
    const double value = f(order);
    const std::lock_guard lock(memory->mutex);
    memory->values.emplace(order, value);
    return value;
  };
}

class RenyiBound final : public PrivacyCurve {
 public:
  explicit RenyiBound(divergence::RenyiCurve curve) : curve_(std::move(curve)) {}
  Answer delta(double epsilon) const override {
    // The conversion is for epsilon >= 0; delta(epsilon) <= 1 - e^epsilon (1 - delta(0)) needs the other direction.
    if (epsilon < 0.0) {
      return {{0.0, 1.0}, "no conversion"};
    }
    return {at_most(std::exp(divergence::log_delta_of_renyi(curve_, epsilon))), "Renyi"};
  }
  Answer epsilon(double delta) const override {
    const divergence::Conversion best = divergence::best(curve_, delta);
    return {at_most(best.epsilon), "Renyi, order " + rounded(best.order, 4) + ", " + std::string(best.method)};
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    constexpr double highest = 700.0;  // e^epsilon is finite
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      const auto upper = [this](double epsilon) { return delta(epsilon).value.upper; };
      result.push_back({tradeoff::tradeoff_of_profile(upper, a, 0.0, highest), 1.0 - a});
    }
    return result;
  }
  Enclosure renyi(double order) const override { return at_most(curve_(order)); }

 private:
  // The bound is the number itself; a few units in the last place for the logarithms on the way.
  static Enclosure at_most(double value) {
    return std::isinf(value) ? Enclosure{value, value} : Enclosure{value * (1.0 - 1e-13), next_up(value)};
  }
  divergence::RenyiCurve curve_;
};

}  // namespace

CurvePtr renyi_bound_curve(divergence::RenyiCurve curve) { return std::make_shared<RenyiBound>(std::move(curve)); }

Enclosure poisson_renyi(const Composition& composition, double order, Direction direction) {
  require_domain(order > 1.0 && (order <= 1e12 || std::isinf(order)), "order", order, "(1, 1e12] or inf");
  return total(Steps(composition), order, direction);
}

divergence::RenyiCurve poisson_renyi_curve(const Composition& composition, Direction direction) {
  return remembered([steps = std::make_shared<const Steps>(composition), direction](double order) {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return order > 1e12 ? infinity : total(*steps, order, direction).upper;
  });
}

divergence::RenyiCurve fixed_size_renyi_curve(const Composition& composition) {
  return remembered([steps = std::make_shared<const Steps>(composition)](double order) {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return fixed_size_total(*steps, order);
  });
}

divergence::Conversion epsilon_by_renyi(const Composition& composition, double delta, Direction direction) {
  return divergence::best(poisson_renyi_curve(composition, direction), delta);
}

RenyiEpsilon epsilon_by_renyi(const Composition& composition, double delta) {
  return {epsilon_by_renyi(composition, delta, Direction::remove),
          epsilon_by_renyi(composition, delta, Direction::add)};
}

double log_delta_by_renyi(const Composition& composition, double epsilon, Direction direction) {
  return divergence::log_delta_of_renyi(poisson_renyi_curve(composition, direction), epsilon);
}

}  // namespace dpcurves::accounting
