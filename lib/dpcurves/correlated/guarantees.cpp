// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/profile_curve.hpp>
#include <dpcurves/correlated/detail/transfer_renyi.hpp>
#include <dpcurves/correlated/guarantees.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/participation_mean.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::correlated {
namespace {

using accounting::Answer;
using accounting::Guarantee;
using accounting::Pair;

class SameBatchCurve final : public ProfileCurve {
 public:
  SameBatchCurve(const models::StrategyMatrix& strategy, double rate, double sensitivity, double noise)
      : bound_(strategy, rate, sensitivity), noise_(noise) {}
  Answer delta(double epsilon) const override {
    return epsilon < 0.0 ? symmetric(epsilon) : Answer{bound_.delta(epsilon, noise_), "sum over participations"};
  }

 private:
  double rough_delta(double epsilon) const override {
    const double opposite = bound_.estimate(std::abs(epsilon), noise_);
    return epsilon < 0.0 ? tradeoff::mirrored_delta(exactly(opposite), epsilon).upper : opposite;
  }

  SameBatch bound_;
  double noise_;
};

class ParticipationMeanCurve final : public ProfileCurve {
 public:
  ParticipationMeanCurve(const models::StrategyMatrix& strategy, double rate, double sensitivity, double noise)
      : mean_(strategy, rate, sensitivity), sum_(strategy, rate, sensitivity), noise_(noise) {}
  /// No more than the sum over numbers of participations, which is quicker where the profile is concave.
  Answer delta(double epsilon) const override {
    if (epsilon < 0.0) {
      return symmetric(epsilon);
    }
    Enclosure value = mean_.delta(epsilon, noise_);
    value.upper = std::min(value.upper, sum_.delta(epsilon, noise_).upper);
    return {value, "mean over participations"};
  }

 private:
  double rough_delta(double epsilon) const override {
    const double opposite =
        std::min(mean_.estimate(std::abs(epsilon), noise_), sum_.estimate(std::abs(epsilon), noise_));
    return epsilon < 0.0 ? tradeoff::mirrored_delta(exactly(opposite), epsilon).upper : opposite;
  }

  ParticipationMean mean_;
  SameBatch sum_;
  double noise_;
};

class ClosedFormCurve final : public ProfileCurve {
 public:
  ClosedFormCurve(const ClosedForm& setting, double noise, double constant)
      : setting_(setting), noise_(noise), constant_(constant) {}
  Answer epsilon(double delta) const override {
    ClosedForm at = setting_;
    at.delta = delta;
    const double value = closed_form_epsilon(at, noise_, constant_).value_or(infinity);
    return {outward(exactly(value), 1e-13), method};
  }
  Answer delta(double epsilon) const override {
    if (epsilon < 0.0) {
      return symmetric(epsilon);
    }
    // epsilon falls with delta; the theorem starts where r T = 3 log(2/delta).
    const double rounding = 1.0 + 1e-12;
    double low = 2.0 * std::exp(-setting_.sampling_rate * setting_.steps / 3.0) * rounding, high = 1.0 - 1e-9;
    if (!(low < high) || this->epsilon(high).value.upper > std::min(epsilon, 1.0)) {
      return {{0.0, 1.0}, method};
    }
    low = std::max(low, 1e-300);
    for (int i = 0; i < 200 && high > low * rounding; ++i) {
      const double middle = std::sqrt(low * high);
      (this->epsilon(middle).value.upper <= epsilon ? high : low) = middle;
    }
    return {{low, high}, method};
  }

 private:
  static constexpr const char* method = "closed form";
  ClosedForm setting_;
  double noise_, constant_;
};

/// One direction of derived-3.
class MixtureCurve final : public ProfileCurve {
 public:
  MixtureCurve(const MatrixMechanism& mechanism, MeanMultiples multiples)
      : ProfileCurve(multiples.symmetric()),
        there_(mechanism.strategy, mechanism.sampling_rate, mechanism.noise_multiplier, multiples),
        back_(mechanism.strategy, mechanism.sampling_rate, mechanism.noise_multiplier, multiples.reversed()) {
    // Both orders have the same total variation, which bounds their profiles from there on. Part 1 is quick to ask.
    for (const MixtureBound* one : {&there_, &back_}) {
      if (one->multiples().first == 0.0) {
        total_variation_ = one->delta(0.0);
      }
    }
  }
  Answer delta(double epsilon) const override {
    DeltaBound bound = (epsilon < 0.0 ? back_ : there_).delta(std::abs(epsilon));
    if (total_variation_.delta < bound.delta) {
      bound = total_variation_;
    }
    const Enclosure value = exactly(bound.delta);
    return {epsilon < 0.0 ? clamp(tradeoff::mirrored_delta(value, epsilon), 0.0, 1.0) : value, method(bound.order)};
  }
  Answer epsilon(double delta) const override {
    const EpsilonByOrder bound = there_.epsilon(delta);
    return {exactly(bound.epsilon), method(bound.order)};
  }
  /// Renyi divergences grow with the order: those of the next integers bound it.
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    if (std::isinf(order)) {
      return {0.0, std::numeric_limits<double>::infinity()};  // no finite order bounds the largest loss
    }
    if (back_.multiples().first != 0.0) {
      return {0.0, there_.renyi(std::max(2.0, std::ceil(order)))};
    }
    const auto of = [this](double integer) {
      return remove_renyi(there_.strategy(), there_.sampling_rate(),
                          there_.noise_multiplier() / std::abs(there_.multiples().first), integer)
          .value;
    };
    return {order < 2.0 ? 0.0 : of(std::floor(order)).lower, of(std::max(2.0, std::ceil(order))).upper};
  }
  accounting::Methods methods() const override { return {accounting::by_tangents, "integer orders", ""}; }

 private:
  static std::string method(double order) {
    return order == 0.0 ? "Gaussian bound of the second law" : "Renyi order " + shortest(order) + ", chords";
  }
  MixtureBound there_, back_;
  DeltaBound total_variation_;
};

class EstimateCurve final : public ProfileCurve {
 public:
  EstimateCurve(const MatrixMechanism& mechanism, MeanMultiples multiples, const EstimateBudget& budget)
      : ProfileCurve(multiples.symmetric()),
        pair_{mechanism.strategy, mechanism.sampling_rate, mechanism.noise_multiplier, multiples},
        budget_(budget) {}
  /// Two standard errors to either side.
  Answer delta(double epsilon) const override {
    const DeltaEstimate found = simulated(epsilon);
    require_spread(found, pair_.strategy, std::abs(epsilon));
    return {ends(found, epsilon), "importance sampling, " + std::to_string(found.draws) + " draws, " +
                                      rounded(found.effective, 3) + " effective, two standard errors"};
  }
  /// By secant steps on common draws: each delta is a simulation.
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const auto log_delta = [&](double e) {
      const DeltaEstimate found = simulated(e);
      if (found.delta.value > 0.0) {  // where nothing contributes the search turns back
        require_spread(found, pair_.strategy, e);
      }
      return std::log(std::max(found.delta.value > 0.0 ? ends(found, e).middle() : 0.0, 1e-300));
    };
    const double wanted = std::log(delta);
    double low = 0.0, at_low = log_delta(0.0), high = 1.0;
    if (at_low <= wanted) {
      return {exactly(0.0), "importance sampling"};
    }
    double at_high = log_delta(high);
    while (at_high > wanted && high < 1e3) {
      low = high;
      at_low = at_high;
      high *= 2.0;
      at_high = log_delta(high);
    }
    for (int i = 0; i < 5 && high - low > 1e-3 * high; ++i) {
      const double share = std::clamp((at_low - wanted) / (at_low - at_high), 0.1, 0.9);
      const double middle = low + share * (high - low), value = log_delta(middle);
      (value > wanted ? low : high) = middle;
      (value > wanted ? at_low : at_high) = value;
    }
    const double slope = (at_high - at_low) / (high - low);
    const double answer = low + (wanted - at_low) / slope;
    const Answer there = this->delta(answer);
    const double spread = 0.5 * there.value.width() / delta / std::abs(slope);
    return {clamp({answer - spread, answer + spread}, 0.0, infinity), there.method};
  }

 private:
  [[nodiscard]] DeltaEstimate simulated(double epsilon) const {
    EstimatedPair pair = pair_;
    if (epsilon < 0.0) {
      pair.multiples = pair_.multiples.reversed();
    }
    return estimate_delta(pair, std::abs(epsilon), budget_);
  }
  [[nodiscard]] static Enclosure ends(const DeltaEstimate& found, double epsilon) {
    const double spread = std::min(1.0, 2.0 * found.delta.error);
    const Enclosure both = clamp({found.delta.value - spread, found.delta.value + spread}, 0.0, 1.0);
    return epsilon < 0.0 ? clamp(tradeoff::mirrored_delta(both, epsilon), 0.0, 1.0) : both;
  }

  EstimatedPair pair_;
  EstimateBudget budget_;
};

const char* in_words(mechanism::Adjacency adjacency) {
  using mechanism::Adjacency;
  switch (adjacency) {
    case Adjacency::add:
      return "add: the run without the record against the run with it, this order only";
    case Adjacency::remove:
      return "remove: the run with the record against the run without it, this order only";
    case Adjacency::replace_one:
      return "replace one: the value of one record";
    case Adjacency::zero_out:
      return "zero out: one record has gradient 0 throughout in one of the runs; both orders";
    case Adjacency::add_or_remove:
      break;
  }
  return "add or remove one record; both orders";
}

}  // namespace

Guarantee guarantee(const MatrixMechanism& mechanism, Method method, const accounting::Accuracy& accuracy,
                    const EstimateBudget& budget) {
  const bool fixed = mechanism.sampling == mechanism::Sampler::fixed_size;
  const double noise = mechanism.noise_multiplier, rate = mechanism.sampling_rate;
  Guarantee result;
  result.sampling = mechanism.sampling;
  result.adjacency = mechanism.adjacency;
  result.assumed = {"per-record gradients are clipped and batches do not depend on the data"};
  result.setting = {{"sampling", fixed ? "batches of a fixed size, drawn afresh in every step"
                                       : "Poisson: each record independently with the sampling rate"},
                    {"adjacency", in_words(mechanism.adjacency)}};
  result.violations = violations(mechanism, method);
  const bool applies = result.violations.empty();
  const auto each_direction = [&](const auto& curve_of) {
    for (const DirectedPair& pair : applies ? directed_pairs(mechanism) : std::vector<DirectedPair>{}) {
      result.directions.push_back({pair.direction, curve_of(pair.multiples)});
    }
  };
  switch (method) {
    case Method::closed_form: {
      const double constant =
          mechanism.adjacency == mechanism::Adjacency::replace_one ? replacement_constant : zero_out_constant;
      result.theorem = "kan-correlated-noise/theorem-f.12";
      result.title = "closed form, constant " + shortest(constant);
      if (applies) {
        const ClosedForm setting{mechanism.strategy.lambda(), rate, static_cast<double>(mechanism.strategy.steps()),
                                 1.0, 1e-5};
        result.curve = std::make_shared<ClosedFormCurve>(setting, noise, constant);
      }
      return result;
    }
    case Method::same_batch:
      result.theorem = SameBatch::id;
      result.title = "same batches, even if they are published";
      if (applies) {
        result.curve = std::make_shared<SameBatchCurve>(mechanism.strategy, rate, record_sensitivity(mechanism), noise);
      }
      return result;
    case Method::participation_mean:
      result.theorem = ParticipationMean::id;
      result.title = "same batches, mean over participations";
      if (applies) {
        result.curve =
            std::make_shared<ParticipationMeanCurve>(mechanism.strategy, rate, record_sensitivity(mechanism), noise);
      }
      return result;
    case Method::composition:
      result.theorem = fixed ? "kan-correlated-noise/derived-2" : "kan-correlated-noise/theorem-f.8";
      result.title = fixed ? "independent noise, fixed-size batches, composed" : "independent noise, Poisson, composed";
      if (applies) {
        for (auto& one : accounting::directions(independent_steps(mechanism))) {
          result.directions.push_back({one.name, accounting::composition_curve(one.composition, accuracy)});
        }
      }
      break;
    case Method::mixture:
      result.theorem = MixtureBound::id;
      result.title = fixed ? "pair for fixed-size batches, Renyi" : "dominating pair of all steps, Renyi";
      each_direction([&](MeanMultiples pair) { return std::make_shared<MixtureCurve>(mechanism, pair); });
      break;
    case Method::likelihood:
      result.theorem = fixed ? "kan-correlated-noise/derived-2" : "kan-correlated-noise/theorem-f.8";
      result.title = fixed ? "pair for fixed-size batches, Monte Carlo" : "dominating pair of all steps, Monte Carlo";
      result.certified = false;
      result.note = "an estimate with two standard errors to either side";
      each_direction([&](MeanMultiples pair) { return std::make_shared<EstimateCurve>(mechanism, pair, budget); });
      break;
  }
  if (result.directions.size() == 1) {
    result.curve = result.directions.front().curve;
  } else if (!result.directions.empty()) {
    result.curve = accounting::worst_curve(result.directions);
  }
  return result;
}

std::vector<Guarantee> guarantees(const MatrixMechanism& mechanism, const accounting::Accuracy& accuracy) {
  return mapped(certified_methods, [&](Method method) { return guarantee(mechanism, method, accuracy); });
}

}  // namespace dpcurves::correlated
