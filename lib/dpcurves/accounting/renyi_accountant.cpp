// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <dpcurves/accounting/detail/renyi_estimate.hpp>
#include <dpcurves/accounting/renyi_accountant.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/ball.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::accounting {
namespace {

using rigorous::Real;

// The different steps, checked; equal ones joined and full batches merged into one Gaussian.
struct Steps {
  struct Step {
    double sampling_rate, mu;
    Real count;
  };

  explicit Steps(const Composition& composition) {
    const double mu = composition.gaussian_mu;
    require_domain(mu >= 0.0 && mu <= 1e10, "gaussian_mu", mu, "[0, 1e10]");
    gaussian_square = Real(mu) * Real(mu);
    for (const SubsampledGaussian& part : composition.components) {
      require_domain(part.sampling_rate >= 0.0 && part.sampling_rate <= 1.0, "sampling_rate", part.sampling_rate,
                     "[0, 1]");
      require_domain(part.mu >= 0.0 && part.mu <= 100.0, "mu", part.mu, "[0, 100]");
      require_domain(part.count >= 0.0 && part.count <= 1e15 && part.count == std::floor(part.count), "count",
                     part.count, "the integers from 0 to 1e15");
      if (part.sampling_rate == 0.0 || part.mu == 0.0 || part.count == 0.0) {
        continue;
      }
      if (part.sampling_rate == 1.0) {
        gaussian_square += Real(part.count) * Real(part.mu) * Real(part.mu);
        continue;
      }
      const auto same = std::find_if(different.begin(), different.end(), [&](const Step& step) {
        return step.sampling_rate == part.sampling_rate && step.mu == part.mu;
      });
      if (same != different.end()) {
        same->count += Real(part.count);
      } else {
        different.push_back({part.sampling_rate, part.mu, Real(part.count)});
      }
    }
  }

  [[nodiscard]] Real gaussian(double order) const { return scaled(Real(order) * gaussian_square, -1); }

  Real gaussian_square;
  std::vector<Step> different;
};

Enclosure total(const Steps& steps, double order, Direction direction) {
  Real sum = steps.gaussian_square.contains_zero() ? Real() : steps.gaussian(order);
  for (const Steps::Step& step : steps.different) {
    const Enclosure one = poisson_renyi(step.sampling_rate, step.mu, order, direction);
    if (std::isinf(one.upper)) {
      return exactly(infinity);
    }
    sum += step.count * Real(one);
  }
  return clamp(sum.enclosure(), 0.0, infinity);
}

double estimated_total(const Steps& steps, double order, Direction direction) {
  double sum = steps.gaussian(order).middle();
  for (const Steps::Step& step : steps.different) {
    sum += step.count.middle() * estimated_poisson_renyi(step.sampling_rate, step.mu, order, direction);
  }
  return sum;
}

// (order - 1) D_order is convex and 0 at order 1: between integers the chord is an upper bound.
template <typename Bound>
Real fixed_size_total(const Steps& steps, double order, const Bound& bound_at) {
  constexpr double largest = 1e4;
  if (std::isinf(order)) {
    return steps.different.empty() && steps.gaussian_square.contains_zero() ? Real() : Real(order);
  }
  Real sum = steps.gaussian(order);
  const double below = std::floor(order), above = std::ceil(order);
  for (const Steps::Step& step : steps.different) {
    Real bound = scaled(Real(order) * Real(step.mu) * Real(step.mu), -1);
    if (above <= largest) {
      const auto moment = [&](double at) {
        return at < 2.0 ? Real() : Real(at - 1.0) * Real(bound_at(step.sampling_rate, step.mu, at));
      };
      const Real share(order - below);  // exact
      const Real chord = (Real(1) - share) * moment(below) + (above == below ? Real() : share * moment(above));
      bound = min(bound, chord / (Real(order) - Real(1)));
    }
    sum += step.count * bound;
  }
  return sum;
}

std::function<double(double)> remembered(std::function<double(double)> f) {
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
    const double log_delta = divergence::log_delta_of_renyi(curve_, epsilon);
    const Real ends = exp(hull(Real(next_down(next_down(log_delta))), Real(log_delta)));
    return {clamp(ends.enclosure(), 0.0, 1.0), "Renyi"};
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
  Methods methods() const override { return {"Renyi", by_quadrature, ""}; }

 private:
  // The bound is the rounded number itself; the exact one at its order is at most two doubles below.
  static Enclosure at_most(double value) {
    return std::isinf(value) ? exactly(value) : Enclosure{std::max(0.0, next_down(next_down(value))), value};
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
  const auto steps = std::make_shared<const Steps>(composition);
  const auto bound = [steps, direction](double order) {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return order > 1e12 ? infinity : total(*steps, order, direction).upper;
  };
  const auto guide = [steps, direction](double order) {
    return order > 1e12 ? infinity : estimated_total(*steps, order, direction);
  };
  return {remembered(bound), remembered(guide)};
}

divergence::RenyiCurve replaced_renyi_curve(const Composition& composition) {
  const auto bound = remembered([composition](double order) { return renyi(composition, order).upper; });
  const auto guide = [composition, bound](double order) {
    double sum = 0.5 * order * composition.gaussian_mu * composition.gaussian_mu;
    for (const SubsampledGaussian& part : composition.components) {
      if (part.sampling_rate == 0.0 || part.mu == 0.0 || part.count == 0.0) {
        continue;
      }
      if (part.pair != Pair::poisson_replace_one || !(part.sampling_rate < 1.0)) {
        return bound(order);
      }
      sum += part.count * detail::estimated_replaced_log_moment(part.sampling_rate, part.mu, order) / (order - 1.0);
    }
    return std::isnan(sum) ? bound(order) : sum;
  };
  return {bound, remembered(guide)};
}

divergence::RenyiCurve fixed_size_renyi_curve(const Composition& composition) {
  const auto steps = std::make_shared<const Steps>(composition);
  const auto bound = [steps](double order) {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return fixed_size_total(*steps, order, fixed_size_renyi_bound).upper();
  };
  const auto guide = [steps](double order) {
    return fixed_size_total(*steps, order, detail::estimated_fixed_size_bound).middle();
  };
  return {remembered(bound), remembered(guide)};
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
