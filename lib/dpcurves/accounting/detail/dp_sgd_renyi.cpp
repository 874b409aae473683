// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <utility>

#include <dpcurves/accounting/detail/dp_sgd_laws.hpp>
#include <dpcurves/accounting/detail/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/detail/dp_sgd_renyi.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {
namespace {

using mechanism::Sampler;

class CheckedCurve final : public PrivacyCurve {
 public:
  CheckedCurve(CurvePtr curve, CurvePtr bound) : curve_(std::move(curve)), bound_(std::move(bound)) {}
  Answer delta(double epsilon) const override {
    return checked(curve_->delta(epsilon), epsilon >= 0.0 ? bound_->delta(epsilon).value.upper : 1.0);
  }
  Answer epsilon(double delta) const override {
    return checked(curve_->epsilon(delta), bound_->epsilon(delta).value.upper);
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return curve_->type_two_errors(type_one_errors);
  }
  std::vector<Enclosure> deltas(std::span<const double> epsilons) const override { return curve_->deltas(epsilons); }
  Enclosure renyi(double order) const override { return curve_->renyi(order); }
  std::optional<Enclosure> mu() const override { return curve_->mu(); }
  Methods methods() const override { return curve_->methods(); }

 private:
  static Answer checked(Answer answer, double bound) {
    if (answer.value.lower > bound) {
      throw ContradictionError("the composed profile gives at least " + shortest(answer.value.lower) +
                               " where Renyi divergences allow at most " + shortest(bound));
    }
    answer.method += ", within Renyi";
    return answer;
  }

  CurvePtr curve_;
  CurvePtr bound_;
};

}  // namespace

divergence::RenyiCurve concentrated_curve(const DpSgd& run, const Composition& composition, bool remove) {
  for (const ConcentratedRelease& release : run.concentrated) {
    require_domain(release.rho >= 0.0 && std::isfinite(release.rho), "rho", release.rho, "[0, inf)");
    require_domain(release.xi >= 0.0 && std::isfinite(release.xi), "xi", release.xi, "[0, inf)");
  }
  return [steps = composition, run, remove](double order) {
    double sum = next_up(renyi(steps, order).upper + mechanisms_renyi(run, remove, order));
    for (const ConcentratedRelease& release : run.concentrated) {
      sum = next_up(sum + next_up(release.count * next_up(next_up(release.rho * order) + release.xi)));
    }
    return sum;
  };
}

std::vector<DirectedCurve> renyi_beside(const DpSgd& run) {
  std::vector<DirectedCurve> curves;
  constexpr double largest_mu = 100.0;
  const auto used = samplers(run);
  if (used.size() > 1 || !claims_of(run).empty() || !run.concentrated.empty() || !run.mechanisms.empty()) {
    return {};
  }
  for (const Law& law : laws(used.front(), run.adjacency)) {
    Composition steps = compose(run, law.direction);
    if (used.front() == Sampler::fixed_size) {
      for (SubsampledGaussian& part : steps.components) {
        if (part.sampling_rate < 1.0) {
          part.mu *= law.distance < 2.0 ? 2.0 : 1.0;  // the batches differ in one record, whatever its neighbour is
        }
      }
    }
    for (const SubsampledGaussian& part : steps.components) {
      if (part.mu > largest_mu) {
        return {};
      }
    }
    switch (law.pair) {
      case Pair::poisson_remove:
        curves.push_back({law.direction, renyi_bound_curve(poisson_renyi_curve(steps, Direction::remove))});
        break;
      case Pair::poisson_add:
        curves.push_back({law.direction, renyi_bound_curve(poisson_renyi_curve(steps, Direction::add))});
        break;
      case Pair::poisson_replace_one:
        curves.push_back({law.direction, renyi_bound_curve(replaced_renyi_curve(steps))});
        break;
      default:
        for (SubsampledGaussian& part : steps.components) {
          part.pair = Pair::symmetrised;
        }
        curves.push_back({law.direction, renyi_bound_curve(fixed_size_renyi_curve(steps))});
    }
  }
  return curves;
}

CurvePtr checked_curve(CurvePtr curve, CurvePtr bound) {
  return std::make_shared<CheckedCurve>(std::move(curve), std::move(bound));
}

}  // namespace dpcurves::accounting::detail
