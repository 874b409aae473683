// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "dpcurves/correlated/guarantees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/noise_multiplier.hpp>
#include <dpcurves/correlated/same_batch.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>

namespace dpcurves::correlated {
namespace {

using accounting::Answer;
using accounting::Guarantee;
using accounting::Pair;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_mixture_steps = 1e4;  // above it one evaluation takes seconds

/// A guarantee known by its profile delta(epsilon), epsilon >= 0; the rest follows from it.
class ProfileCurve : public accounting::PrivacyCurve {
 public:
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const auto at = [&](double e, bool upper) {
      const Enclosure value = this->delta(e).value;
      return std::log(std::max(upper ? value.upper : value.lower, 1e-320)) - std::log(delta);
    };
    const auto solve = [&](bool upper) {
      if (at(0.0, upper) <= 0.0) {
        return 0.0;
      }
      double high = 1.0;
      while (at(high, upper) > 0.0) {
        high *= 2.0;
        if (high > 1e6) {
          return infinity;
        }
      }
      const Enclosure root = numerics::root([&](double e) { return at(e, upper); }, 0.0, high);
      return upper ? root.upper : root.lower;
    };
    const double upper = solve(true);
    return {{std::min(solve(false), upper), upper}, this->delta(std::isinf(upper) ? 0.0 : upper).method};
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      const double lower = tradeoff::symmetric_tradeoff_of_profile([this](double e) { return delta(e).value.upper; }, a,
                                                                   highest_threshold);
      result.push_back(clamp({lower, 1.0 - a}, 0.0, 1.0));
    }
    return result;
  }
  Enclosure renyi(double /*order*/) const override { return {0.0, infinity}; }

 protected:
  static constexpr double highest_threshold = 30.0;
};

/// delta at a negative epsilon by the symmetry of the worst of both directions.
Answer symmetric(const accounting::PrivacyCurve& curve, double epsilon) {
  const Answer opposite = curve.delta(-epsilon);
  return {clamp(tradeoff::mirrored_delta(opposite.value, epsilon), 0.0, 1.0), opposite.method};
}

class SameBatchCurve final : public ProfileCurve {
 public:
  SameBatchCurve(const models::StrategyMatrix& strategy, double rate, double sensitivity, double noise)
      : bound_(strategy, rate, sensitivity), noise_(noise) {}
  Answer delta(double epsilon) const override {
    return epsilon < 0.0 ? symmetric(*this, epsilon) : Answer{bound_.delta(epsilon, noise_), "sum over participations"};
  }

 private:
  SameBatch bound_;
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
      return symmetric(*this, epsilon);
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

/// The larger of two directions.
class MixtureCurve final : public ProfileCurve {
 public:
  MixtureCurve(const MatrixMechanism& mechanism, MeanMultiples multiples)
      : remove_(mechanism.strategy, mechanism.sampling_rate, mechanism.noise_multiplier, multiples) {
    if (multiples.first != -multiples.second) {
      add_.emplace(mechanism.strategy, mechanism.sampling_rate, mechanism.noise_multiplier, multiples.reversed());
    }
  }
  Answer delta(double epsilon) const override {
    if (epsilon < 0.0) {
      return symmetric(*this, epsilon);
    }
    DeltaBound worst = remove_.delta(epsilon);
    if (add_) {
      const DeltaBound other = add_->delta(epsilon);
      worst = other.delta > worst.delta ? other : worst;
    }
    return {exactly(worst.delta), method(worst.order)};
  }
  Answer epsilon(double delta) const override {
    EpsilonByOrder worst = remove_.epsilon(delta);
    if (add_) {
      const EpsilonByOrder other = add_->epsilon(delta);
      worst = other.epsilon > worst.epsilon ? other : worst;
    }
    return {exactly(worst.epsilon), method(worst.order)};
  }

 private:
  static std::string method(double order) {
    return order == 0.0 ? "Gaussian bound of the second law" : "Renyi order " + shortest(order) + ", chords";
  }
  MixtureBound remove_;
  std::optional<MixtureBound> add_;
};

class EstimateCurve final : public ProfileCurve {
 public:
  EstimateCurve(const MatrixMechanism& mechanism, MeanMultiples multiples, const EstimateBudget& budget)
      : pair_{mechanism.strategy, mechanism.sampling_rate, mechanism.noise_multiplier, multiples}, budget_(budget) {}
  /// The worse direction, two standard errors to either side.
  Answer delta(double epsilon) const override {
    if (epsilon < 0.0) {
      return symmetric(*this, epsilon);
    }
    EstimatedPair pair = pair_;
    DeltaEstimate worst = estimate_delta(pair, epsilon, budget_);
    if (pair_.multiples.first != -pair_.multiples.second) {
      pair.multiples = pair_.multiples.reversed();
      const DeltaEstimate other = estimate_delta(pair, epsilon, budget_);
      worst = other.delta.value > worst.delta.value ? other : worst;
    }
    const double spread = std::min(1.0, 2.0 * worst.delta.error);
    return {clamp({worst.delta.value - spread, worst.delta.value + spread}, 0.0, 1.0),
            "importance sampling, " + std::to_string(worst.draws) + " draws, " + rounded(worst.effective, 3) +
                " effective, two standard errors"};
  }
  /// By secant steps on common draws: each delta is a simulation.
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const auto log_delta = [&](double e) { return std::log(std::max(this->delta(e).value.middle(), 1e-300)); };
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
  EstimatedPair pair_;
  EstimateBudget budget_;
};

bool independent(const models::StrategyMatrix& strategy) {
  return strategy.form() == models::StrategyMatrix::Form::exponential && strategy.lambda() == 0.0;
}

double sensitivity(Neighbours neighbours) { return neighbours == Neighbours::zero_out ? 1.0 : 2.0; }

/// The composition of one direction, independent noise.
accounting::Composition composition(const MatrixMechanism& mechanism, bool add) {
  const double mu = 1.0 / mechanism.noise_multiplier, rate = mechanism.sampling_rate;
  const auto steps = static_cast<double>(mechanism.strategy.steps());
  if (mechanism.batches == Batches::poisson) {
    const Pair pair = mechanism.neighbours == Neighbours::replace_one ? Pair::poisson_replace_one
                      : add                                           ? Pair::poisson_add
                                                                      : Pair::poisson_remove;
    return {0.0, {{rate, mu, steps, pair}}};
  }
  if (mechanism.neighbours == Neighbours::replace_one) {
    return {0.0, {{rate, 2.0 * mu, steps, Pair::symmetrised}}};
  }
  return {0.0, {{rate, mu, steps, add ? Pair::fixed_size_add : Pair::fixed_size_remove}}};
}

/// The worse of two compositions.
class WorseCurve final : public ProfileCurve {
 public:
  explicit WorseCurve(std::vector<accounting::CurvePtr> curves) : curves_(std::move(curves)) {}
  Answer delta(double epsilon) const override {
    return worst([&](const auto& curve) { return curve.delta(epsilon); });
  }
  Answer epsilon(double delta) const override {
    return worst([&](const auto& curve) { return curve.epsilon(delta); });
  }
  Enclosure renyi(double order) const override {
    return worst([&](const auto& curve) { return Answer{curve.renyi(order), ""}; }).value;
  }

 private:
  template <class Ask>
  Answer worst(const Ask& ask) const {
    Answer all = ask(*curves_.front());
    for (std::size_t i = 1; i < curves_.size(); ++i) {
      const Answer other = ask(*curves_[i]);
      all.value = {std::max(all.value.lower, other.value.lower), std::max(all.value.upper, other.value.upper)};
    }
    return all;
  }
  std::vector<accounting::CurvePtr> curves_;
};

void check(const MatrixMechanism& mechanism) {
  require_domain(mechanism.sampling_rate > 0.0 && mechanism.sampling_rate <= 1.0, "sampling_rate",
                 mechanism.sampling_rate, "(0, 1]");
  require_domain(mechanism.noise_multiplier > 0.0 && std::isfinite(mechanism.noise_multiplier), "noise_multiplier",
                 mechanism.noise_multiplier, "(0, inf)");
}

std::vector<Violation> violations(const MatrixMechanism& mechanism, Method method) {
  const auto& strategy = mechanism.strategy;
  const bool exponential = strategy.form() == models::StrategyMatrix::Form::exponential;
  const auto steps = static_cast<double>(strategy.steps());
  std::vector<Violation> list;
  switch (method) {
    case Method::closed_form:
      if (!exponential || strategy.lambda() >= 1.0) {
        list.push_back({"lambda-CGD with lambda < 1", "another strategy matrix"});
      }
      if (const double expected = mechanism.sampling_rate * steps; expected < 3.0 * std::log(2.0)) {
        list.push_back({"r T >= 3 log(2/delta)", "r T = " + shortest(expected)});
      }
      break;
    case Method::same_batch:
      break;
    case Method::composition:
      if (!independent(strategy)) {
        list.push_back({"independent noise", exponential ? "lambda = " + shortest(strategy.lambda())
                                                         : std::string("another strategy matrix")});
      }
      break;
    case Method::mixture:
      if (steps > most_mixture_steps) {
        list.push_back({"at most 10000 steps", shortest(steps) + " steps"});
      }
      break;
    case Method::likelihood:
      try {
        if (!independent(strategy)) {
          static_cast<void>(participation_chain(strategy, Rounding::nearest, 1.0));
        }
      } catch (const DomainError&) {
        list.push_back({"lambda-CGD with lambda < 1, a bandwidth of at most 14, or at most 16 steps",
                        "bandwidth " + shortest(static_cast<double>(strategy.bandwidth()))});
      }
      break;
  }
  return list;
}

}  // namespace

MeanMultiples multiples(Batches batches, Neighbours neighbours) {
  if (batches == Batches::poisson) {
    return neighbours == Neighbours::zero_out ? MeanMultiples{1.0, 0.0} : MeanMultiples{1.0, -1.0};
  }
  return neighbours == Neighbours::zero_out ? MeanMultiples{2.0, -1.0} : MeanMultiples{2.0, -2.0};
}

Guarantee guarantee(const MatrixMechanism& mechanism, Method method, const accounting::Accuracy& accuracy,
                    const EstimateBudget& budget) {
  check(mechanism);
  const bool fixed = mechanism.batches == Batches::fixed_size;
  const bool zero_out = mechanism.neighbours == Neighbours::zero_out;
  const double noise = mechanism.noise_multiplier, rate = mechanism.sampling_rate;
  Guarantee result;
  result.assumed = {"per-record gradients are clipped and batches do not depend on the data"};
  result.violations = violations(mechanism, method);
  const bool applies = result.violations.empty();
  const MeanMultiples pair = multiples(mechanism.batches, mechanism.neighbours);
  switch (method) {
    case Method::closed_form: {
      const double constant = zero_out ? zero_out_constant : replacement_constant;
      result.theorem = "kan-correlated-noise/theorem-f.12";
      result.title = "closed form, constant " + shortest(constant);
      if (applies) {
        const ClosedForm setting{mechanism.strategy.lambda(), rate, static_cast<double>(mechanism.strategy.steps()),
                                 1.0, 1e-5};
        result.curve = std::make_shared<ClosedFormCurve>(setting, noise, constant);
      }
      break;
    }
    case Method::same_batch:
      result.theorem = SameBatch::id;
      result.title = "same batches, even if they are published";
      result.curve =
          std::make_shared<SameBatchCurve>(mechanism.strategy, rate, sensitivity(mechanism.neighbours), noise);
      break;
    case Method::composition:
      result.theorem = fixed ? "kan-correlated-noise/derived-2" : "kan-correlated-noise/theorem-f.8";
      result.title = fixed ? "independent noise, fixed-size batches, composed" : "independent noise, Poisson, composed";
      if (applies) {
        std::vector<accounting::CurvePtr> curves{
            accounting::composition_curve(composition(mechanism, false), accuracy)};
        if (zero_out) {
          curves.push_back(accounting::composition_curve(composition(mechanism, true), accuracy));
        }
        result.curve = std::make_shared<WorseCurve>(std::move(curves));
      }
      break;
    case Method::mixture:
      result.theorem = MixtureBound::id;
      result.title = fixed ? "pair for fixed-size batches, Renyi" : "dominating pair of all steps, Renyi";
      if (applies) {
        result.curve = std::make_shared<MixtureCurve>(mechanism, pair);
      }
      break;
    case Method::likelihood:
      result.theorem = fixed ? "kan-correlated-noise/derived-2" : "kan-correlated-noise/theorem-f.8";
      result.title = fixed ? "pair for fixed-size batches, Monte Carlo" : "dominating pair of all steps, Monte Carlo";
      result.certified = false;
      result.note = "an estimate with two standard errors to either side";
      if (applies) {
        result.curve = std::make_shared<EstimateCurve>(mechanism, pair, budget);
      }
      break;
  }
  return result;
}

std::vector<Guarantee> guarantees(const MatrixMechanism& mechanism, const accounting::Accuracy& accuracy) {
  std::vector<Guarantee> list;
  for (const Method method : {Method::closed_form, Method::same_batch, Method::composition, Method::mixture}) {
    list.push_back(guarantee(mechanism, method, accuracy));
  }
  return list;
}

namespace {

/// The least noise multiplier at which the composition meets the target; it falls with the noise.
double composed_noise(MatrixMechanism mechanism, double epsilon, double delta) {
  const auto excess = [&](double log_noise) {
    mechanism.noise_multiplier = std::exp(log_noise);
    double worst = 0.0;
    for (const bool add : {false, true}) {
      worst = std::max(worst,
                       accounting::profile_at(composition(mechanism, add), epsilon, {1e-6, 10.0, false}).delta.upper);
    }
    return std::log(std::max(worst, 1e-320)) - std::log(delta);
  };
  double high = 0.0;
  while (excess(high) > 0.0) {
    high += 1.0;
  }
  double low = high - 1.0;
  while (excess(low) <= 0.0) {
    low -= 1.0;
    if (low < -20.0) {
      return std::exp(low);
    }
  }
  return std::exp(numerics::root(excess, low, high).upper) * (1.0 + 1e-9);
}

}  // namespace

std::optional<Calibration> calibrate(const MatrixMechanism& mechanism, Method method, double epsilon, double delta,
                                     const EstimateBudget& budget) {
  require_domain(epsilon > 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "(0, inf)");
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  if (!violations(mechanism, method).empty()) {
    return std::nullopt;
  }
  const MeanMultiples pair = multiples(mechanism.batches, mechanism.neighbours);
  const auto same_batch = [&] {
    return SameBatch(mechanism.strategy, mechanism.sampling_rate, sensitivity(mechanism.neighbours))
        .noise_multiplier(epsilon, delta)
        .upper;
  };
  Calibration answer{0.0, method, 0.0};
  switch (method) {
    case Method::closed_form: {
      if (epsilon > 1.0) {
        return std::nullopt;
      }
      const auto found = closed_form({mechanism.strategy.lambda(), mechanism.sampling_rate,
                                      static_cast<double>(mechanism.strategy.steps()), epsilon, delta});
      if (!found.valid) {
        return std::nullopt;
      }
      answer.noise_multiplier =
          (1.0 + 1e-9) *
          (mechanism.neighbours == Neighbours::zero_out ? found.noise_multiplier_constant_2 : found.noise_multiplier);
      break;
    }
    case Method::same_batch:
      answer.noise_multiplier = same_batch();
      break;
    case Method::composition:
      answer.noise_multiplier = composed_noise(mechanism, epsilon, delta);
      break;
    case Method::mixture: {
      constexpr double tolerance = 1e-4;
      answer.noise_multiplier =
          mixture_noise_multiplier(mechanism.strategy, mechanism.sampling_rate, pair, epsilon, delta, tolerance);
      if (pair.first != -pair.second) {
        answer.noise_multiplier =
            std::max(answer.noise_multiplier, mixture_noise_multiplier(mechanism.strategy, mechanism.sampling_rate,
                                                                       pair.reversed(), epsilon, delta, tolerance));
      }
      break;
    }
    case Method::likelihood: {
      const auto found = estimate_noise_multiplier({mechanism.strategy, mechanism.sampling_rate, 1.0, pair}, epsilon,
                                                   delta, Rounding::nearest, 0.4 * same_batch(), budget);
      answer.noise_multiplier = found.noise_multiplier.value;
      answer.standard_error = found.noise_multiplier.error;
      break;
    }
  }
  return answer;
}

Calibration calibrate(const MatrixMechanism& mechanism, double epsilon, double delta) {
  std::optional<Calibration> best;
  for (const Method method : {Method::closed_form, Method::same_batch, Method::composition, Method::mixture}) {
    if (method == Method::mixture && best && best->method == Method::composition) {
      break;  // the composition is exact for its pair
    }
    const auto found = calibrate(mechanism, method, epsilon, delta);
    if (found && (!best || found->noise_multiplier < best->noise_multiplier)) {
      best = found;
    }
  }
  if (!best) {
    throw ConvergenceError("calibrate: no method applies");
  }
  return *best;
}

JointCalibration calibrate_lambda(const MatrixMechanism& mechanism, NoiseCost cost, double retention, double epsilon,
                                  double delta, std::optional<Method> method, const EstimateBudget& budget) {
  JointCalibration best;
  best.cost = infinity;
  const std::size_t steps = mechanism.strategy.steps();
  const auto at = [&](double lambda) {
    MatrixMechanism trial = mechanism;
    trial.strategy = models::StrategyMatrix::exponential(lambda, steps);
    const auto found =
        method ? calibrate(trial, *method, epsilon, delta, budget) : std::optional(calibrate(trial, epsilon, delta));
    if (!found) {
      return infinity;
    }
    const double value = found->noise_multiplier * noise_cost(trial.strategy, cost, retention);
    if (lambda == 0.0) {
      best.independent_cost = value;
    }
    if (value < best.cost) {
      best.lambda = lambda;
      best.calibration = *found;
      best.cost = value;
    }
    return value;
  };
  at(0.0);
  constexpr std::array octaves{1.0, 2.0, 3.0, 4.0, 6.0, 8.0};  // 1 - lambda = 2^-octave
  for (const double octave : octaves) {
    at(1.0 - std::exp2(-octave));
  }
  if (best.cost == infinity) {
    throw ConvergenceError("calibrate_lambda: the method applies at no lambda");
  }
  const double centre = best.lambda == 0.0 ? 0.0 : -std::log2(1.0 - best.lambda);
  double low = std::max(0.0, centre - 1.0), high = std::min(10.0, centre + 1.0);
  // Golden sections in log(1 - lambda).
  constexpr double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = at(1.0 - std::exp2(-left)), at_right = at(1.0 - std::exp2(-right));
  while (high - low > 0.05) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = at(1.0 - std::exp2(-left));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = at(1.0 - std::exp2(-right));
    }
  }
  return best;
}

}  // namespace dpcurves::correlated
