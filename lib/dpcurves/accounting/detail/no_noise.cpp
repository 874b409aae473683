// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>

#include <dpcurves/accounting/detail/dp_sgd_mechanisms.hpp>
#include <dpcurves/accounting/detail/failure_event.hpp>
#include <dpcurves/accounting/detail/no_noise.hpp>
#include <dpcurves/accounting/mixture/runs.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using mechanism::Adjacency;
using mechanism::Mechanism;
using mechanism::MechanismKind;
using mechanism::Sampler;

constexpr double rounding = 2e-15;  // of an exponential of a logarithm, and a few operations

class RevealedCurve final : public PrivacyCurve {
 public:
  RevealedCurve(Enclosure chance, RevealedPair pair) : chance_(chance), pair_(pair) {
    require_domain(chance.lower >= 0.0 && chance.lower <= chance.upper && chance.upper <= 1.0, "chance", chance.lower,
                   "[0, 1]");
  }
  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    return {{at(epsilon, chance_.lower).lower, at(epsilon, chance_.upper).upper}, method};
  }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const auto least = [&](double f) {
      if (delta >= f) {
        return 0.0;
      }
      return pair_ == RevealedPair::add && f < 1.0 ? std::log1p(-delta) - std::log1p(-f) : infinity;
    };
    const Enclosure ends{least(chance_.lower), least(chance_.upper)};
    if (std::isinf(ends.lower) || ends.upper == 0.0) {
      return {ends, method};
    }
    const double slack = rounding * (1.0 - std::log1p(-delta) + ends.upper);
    return {clamp({ends.lower - slack, ends.upper + slack}, 0.0, infinity), method};
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      const auto missed = [&](double f) {
        return pair_ == RevealedPair::add ? (f < 1.0 ? std::max(0.0, 1.0 - a / (1.0 - f)) : 0.0)
                                          : (1.0 - f) * (1.0 - a);
      };
      result.push_back(clamp(outward({missed(chance_.upper), missed(chance_.lower)}, rounding), 0.0, 1.0 - a));
    }
    return result;
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    const auto divergence = [&](double f) {
      return f == 0.0 ? 0.0 : pair_ == RevealedPair::add ? -std::log1p(-f) : infinity;
    };
    const Enclosure ends{divergence(chance_.lower), divergence(chance_.upper)};
    return std::isinf(ends.lower) ? ends : clamp(outward(ends, rounding), 0.0, infinity);
  }
  Methods methods() const override { return {by_closed_form, by_closed_form, ""}; }

 private:
  [[nodiscard]] Enclosure at(double epsilon, double f) const {
    if (pair_ != RevealedPair::add && epsilon >= 0.0) {
      return exactly(f);
    }
    if (f == 1.0 || (f == 0.0 && epsilon >= 0.0)) {
      return exactly(f);
    }
    const double kept = pair_ == RevealedPair::remove ? 0.0 : std::log1p(-f);
    const double apart = std::max(0.0, -std::expm1(epsilon + kept));  // 1 - e^epsilon (1 - f)
    const double value = pair_ == RevealedPair::remove ? std::max(apart, f) : apart;
    return clamp(around(value, std::isinf(epsilon) ? 0.0 : rounding * (value + std::abs(epsilon) - kept)), 0.0, 1.0);
  }

  static constexpr const char* method = "closed form";
  Enclosure chance_;
  RevealedPair pair_;
};

/// 1 - (1 - rate)^count.
Enclosure once_of(double rate, double count) {
  if (rate == 0.0 || count == 0.0) {
    return exactly(0.0);
  }
  return rate == 1.0 ? exactly(1.0)
                     : clamp(outward(exactly(-std::expm1(count * std::log1p(-rate))), rounding), 0.0, 1.0);
}

/// That some step of the phase uses the record.
Enclosure chance_of_use(const DpSgd& run, const DpSgdPhase& phase) {
  require_domain(phase.sampling_rate >= 0.0 && phase.sampling_rate <= 1.0, "sampling_rate", phase.sampling_rate,
                 "[0, 1]");
  require_domain(phase.steps >= 0.0, "steps", phase.steps, "[0, inf]");
  if (phase.steps == 0.0 || phase.sampling_rate == 0.0) {
    return exactly(0.0);
  }
  switch (phase.sampling.value_or(run.sampling)) {
    case Sampler::none:
    case Sampler::cyclic:  // of the first batch
      return exactly(1.0);
    case Sampler::poisson:
      return once_of(phase.sampling_rate, phase.steps * run.group_size);
    case Sampler::fixed_size:
      return run.group_size == 1.0 ? once_of(phase.sampling_rate, phase.steps) : Enclosure{0.0, 1.0};
    case Sampler::cyclic_poisson:
      return run.group_size == 1.0 ? once_of(phase.sampling_rate, std::ceil(phase.steps / phase.cycle))
                                   : Enclosure{0.0, 1.0};
    case Sampler::shuffled:
    case Sampler::balls_in_bins:
      return phase.steps >= 1.0 / phase.sampling_rate ? exactly(1.0) : Enclosure{0.0, 1.0};
    default:
      return {0.0, 1.0};
  }
}

/// One or the other.
Enclosure either(Enclosure a, Enclosure b) {
  const auto join = [](double x, double y) { return x + y - x * y; };
  return a.upper == 0.0   ? b
         : b.upper == 0.0 ? a
                          : clamp(outward({join(a.lower, b.lower), join(a.upper, b.upper)}, rounding), 0.0, 1.0);
}

bool noiseless(const Mechanism& m) {
  return m.noise == 0.0 && m.sensitivity > 0.0 &&
         (m.kind == MechanismKind::gaussian || m.kind == MechanismKind::laplace ||
          m.kind == MechanismKind::discrete_laplace || m.kind == MechanismKind::discrete_gaussian);
}

/// A curve of a direction in which what is revealed has infinite loss: with f of it, no epsilon serves a smaller delta.
class FloorCurve final : public PrivacyCurve {
 public:
  FloorCurve(CurvePtr whole, double floor) : whole_(std::move(whole)), floor_(floor) {}
  Answer delta(double epsilon) const override {
    Answer found = whole_->delta(epsilon);
    found.value = {std::max(found.value.lower, floor_), std::max(found.value.upper, floor_)};
    return found;
  }
  Answer epsilon(double delta) const override {
    return delta < floor_ ? Answer{{infinity, infinity}, "a step without noise"} : whole_->epsilon(delta);
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return whole_->type_two_errors(type_one_errors);
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return exactly(infinity);
  }
  Methods methods() const override { return {whole_->methods().tradeoff, "", ""}; }

 private:
  CurvePtr whole_;
  double floor_;
};

/// The run with its steps without noise as mechanisms, whose pairs compose with the rest: Poisson steps of one record.
DpSgd as_pairs(const DpSgd& run, const DpSgd& rest) {
  DpSgd all = rest;
  for (const DpSgdPhase& phase : run.phases) {
    if (phase.noise_multiplier == 0.0) {
      Mechanism bare{.count = phase.steps, .sampling_rate = phase.sampling_rate};
      all.mechanisms.push_back(bare);
    }
  }
  std::copy_if(run.mechanisms.begin(), run.mechanisms.end(), std::back_inserter(all.mechanisms), noiseless);
  return all;
}

bool composes(const DpSgd& run) {
  return run.group_size == 1.0 && run.adjacency != Adjacency::replace_one &&
         std::all_of(run.phases.begin(), run.phases.end(), [&](const DpSgdPhase& phase) {
           return phase.noise_multiplier > 0.0 || phase.sampling.value_or(run.sampling) == Sampler::poisson;
         });
}

bool empty(const DpSgd& run) {
  return run.phases.empty() && run.unsampled.empty() && run.mechanisms.empty() && run.claims.empty() &&
         run.concentrated.empty();
}

/// Of a run in which nothing but what steps without noise reveal counts.
void add_revealed(Guarantee& guarantee, Enclosure chance, Adjacency adjacency) {
  if (adjacency == Adjacency::replace_one) {
    guarantee.directions = {{"both", revealed_curve(chance, RevealedPair::replace)}};
  }
  if (adjacency != Adjacency::replace_one && adjacency != Adjacency::add) {
    guarantee.directions.push_back({"remove", revealed_curve(chance, RevealedPair::remove)});
  }
  if (adjacency != Adjacency::replace_one && adjacency != Adjacency::remove) {
    guarantee.directions.push_back({"add", revealed_curve(chance, RevealedPair::add)});
  }
  guarantee.curve = worst_curve(guarantee.directions);
  guarantee.upper_only = chance.lower == 0.0;
}

Guarantee of_all_steps(const DpSgd& run, const Accuracy& accuracy) {
  const Revealed bare = revealed(run);
  if (bare.chance.upper == 0.0) {
    return detail::composed_guarantee(bare.rest, accuracy);
  }
  DpSgd noisy = run;  // for what does not depend on the noise
  for (DpSgdPhase& phase : noisy.phases) {
    phase.noise_multiplier = phase.noise_multiplier == 0.0 ? 1.0 : phase.noise_multiplier;
  }
  Guarantee guarantee = detail::described(noisy);
  guarantee.theorem = nothing_hidden().theorem;
  guarantee.title = nothing_hidden().title;
  guarantee.violations = violations(noisy);
  if (!guarantee.violations.empty()) {
    return guarantee;
  }
  if (empty(bare.rest) || bare.chance.lower == 1.0) {
    add_revealed(guarantee, bare.chance, run.adjacency);
    return guarantee;
  }
  if (const DpSgd pairs = as_pairs(run, bare.rest); composes(run) && violations(pairs).empty()) {
    Guarantee found = detail::composed_guarantee(pairs, accuracy);
    for (DirectedCurve& one : found.directions) {
      if (one.direction != "add") {
        one.curve = std::make_shared<FloorCurve>(std::move(one.curve), bare.chance.lower);
      }
    }
    found.curve = found.directions.empty() ? found.curve : worst_curve(found.directions);
    return found;
  }
  const Guarantee rest = detail::composed_guarantee(bare.rest, accuracy);
  guarantee.upper_only = true;
  guarantee.violations = rest.violations;
  if (rest.applies()) {
    guarantee.curve = bare.chance.upper < 1.0 ? outside_event(rest.curve, bare.chance.upper)
                                              : revealed_curve(bare.chance, RevealedPair::replace);
  }
  return guarantee;
}

}  // namespace

Guarantee dp_sgd_guarantee(const DpSgd& run, const Accuracy& accuracy) {
  Guarantee found = of_all_steps(run, accuracy);
  detail::mark_release(found, run.release);
  if (run.upper_only) {
    found.upper_only = true;
    found.note +=
        (found.note.empty() ? "" : "; ") +
        std::string("micro-batches: a replaced record moves a sum by two norms, and is answered as if by four");
  }
  return found;
}

CurvePtr revealed_curve(Enclosure chance, RevealedPair pair) { return std::make_shared<RevealedCurve>(chance, pair); }

Guarantee nothing_hidden() {
  Guarantee guarantee;
  guarantee.theorem = "accountant/mechanisms";
  guarantee.title = "no noise: what is released is revealed";
  guarantee.curve = revealed_curve(exactly(1.0), RevealedPair::replace);
  return guarantee;
}

Revealed revealed(const DpSgd& run) {
  mixture::require_group(run);
  Revealed found{exactly(0.0), run};
  found.rest.phases.clear();
  found.rest.unsampled.clear();
  found.rest.mechanisms.clear();
  for (const DpSgdPhase& phase : run.phases) {
    if (phase.noise_multiplier == 0.0) {
      found.chance = either(found.chance, chance_of_use(run, phase));
    } else {
      found.rest.phases.push_back(phase);
      if (phase.sampling_rate == 0.0 && phase.sampling.value_or(run.sampling) != Sampler::none) {
        found.rest.phases.back().sampling = Sampler::poisson;  // no record is used, whatever draws them
      }
    }
  }
  for (const UnsampledRelease& release : run.unsampled) {
    if (release.noise_multiplier == 0.0) {
      found.chance = either(found.chance, exactly(release.count > 0.0 ? 1.0 : 0.0));
    } else {
      found.rest.unsampled.push_back(release);
    }
  }
  for (const Mechanism& m : run.mechanisms) {
    if (noiseless(m)) {
      found.chance = either(found.chance, once_of(m.sampling_rate, m.count));
    } else {
      found.rest.mechanisms.push_back(m);
    }
  }
  return found;
}

}  // namespace dpcurves::accounting
