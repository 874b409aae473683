// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Noisy SGD in one dimension: runs that are hard for its bounds, their exact laws, and the bounds held to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/noisy_sgd.hpp>

#include "validation/cases/shifted_interpolation/descent_support.hpp"
#include "validation/threshold_audit.hpp"

namespace dpcurves::validation::shifted_interpolation {

using accounting::Composition;
using interpolation::Contraction;
using interpolation::NoisySgd;
using interpolation::SgdBound;

/// Exact laws that are computed where their profile is first asked for, and that once per epsilon; copies share them.
class MeasuredLaws {
 public:
  explicit MeasuredLaws(std::function<simulate::LawPair()> laws) : known_(std::make_shared<Known>()) {
    known_->compute = std::move(laws);
  }

  /// The larger of the two directions.
  [[nodiscard]] double delta(double epsilon) const {
    const auto [at, is_new] = known_->deltas.try_emplace(epsilon, 0.0);
    if (is_new) {
      if (!known_->laws) {
        known_->laws = known_->compute();
      }
      at->second = std::max(known_->laws->delta(epsilon), known_->laws->delta_reverse(epsilon));
    }
    return at->second;
  }

 private:
  struct Known {
    std::function<simulate::LawPair()> compute;
    std::optional<simulate::LawPair> laws;
    std::map<double, double> deltas;
  };
  std::shared_ptr<Known> known_;
};

/// Noisy SGD in one dimension: gradient m x + bend tanh x, the first data set without a drift, the second with one
/// (or half of it each, in a box).
struct SgdExample {
  double m, bend, step_size, kappa, noise, rate;
  std::size_t steps;
  double diameter = std::numeric_limits<double>::infinity();

  [[nodiscard]] Descent descent() const {
    const double v = step_size * noise, s = kappa * v;
    const bool boxed = std::isfinite(diameter);
    return {{m, bend}, step_size, v, boxed ? -0.5 * s : 0.0, boxed ? 0.5 * s : s, 0.5 * diameter};
  }
  [[nodiscard]] double c() const { return std::max(1.0 - step_size * m, std::abs(1.0 - step_size * (m + bend))); }
  [[nodiscard]] MeasuredLaws laws() const {
    return MeasuredLaws([one = *this] { return exact_laws(subsampled_chains(one.descent(), one.rate), one.steps); });
  }
  [[nodiscard]] NoisySgd setting() const {
    NoisySgd result;
    result.descent.effective_sensitivity = kappa;
    result.descent.contraction = m == 0.0 ? Contraction() : Contraction::factor(c());
    result.descent.diameter = diameter / (step_size * noise);
    result.sampling_rate = rate;
    result.steps = static_cast<double>(steps);
    return result;
  }
  [[nodiscard]] std::string text() const {
    const std::string losses = m == 0.0      ? "linear losses"
                               : bend == 0.0 ? "gradient " + shortest(m) + " x"
                                             : "gradient " + shortest(m) + " x + " + shortest(bend) + " tanh x";
    return losses + ", eta = " + shortest(step_size) + ", kappa = " + rounded(kappa, 4) + ", p = " + shortest(rate) +
           ", t = " + std::to_string(steps) +
           (std::isfinite(diameter) ? ", box of diameter " + shortest(diameter) : "");
  }
  /// Batches of one of 1/p records; record 0 differs.
  [[nodiscard]] Points simulated_tests(const Setting& setting, const std::string& id, std::size_t paths,
                                       const std::vector<double>& type_one_errors) const {
    const auto records = static_cast<std::size_t>(std::llround(1.0 / rate));
    const Descent d = descent();
    return simulated_points(setting, id, simulated(d, steps, simulate::BatchRule::subset, 1),
                            losses_of(d, d.first, records, 1.0), losses_of(d, d.second, records, 1.0), paths,
                            type_one_errors);
  }
};

/// The exact profile, in both directions, lies below that of the composition; both as the mu of the Gaussian profile
/// through them.
void laws_within(Trial& trial, const MeasuredLaws& laws, const Composition& claim, std::span<const double> epsilons,
                 const std::string& what);
/// A bound and its words.
struct WordedClaim {
  Composition claim;
  std::string what;
};
/// The same for many bounds of one run, all of them in one shared loop: a share computes no more than its part.
void laws_within(Trial& trial, const MeasuredLaws& laws, std::span<const WordedClaim> claims,
                 std::span<const double> epsilons);
/// The largest of some factors for which the claim with every mu times it is refuted by the exact profile: the claim
/// holds, and its resolution is that factor. The factors are questions side by side, pieces of a shared loop; a search
/// would ask one after the other.
void factor_within(Trial& trial, const MeasuredLaws& laws, const Composition& claim, double epsilon,
                   std::span<const double> factors, const std::string& what);

/// Every mu of the composition times `factor`.
[[nodiscard]] Composition scaled(Composition composition, double factor);
/// The composition without its Gaussian factor.
[[nodiscard]] Composition without_gaussian(Composition composition);
/// The lower end of its trade-off function.
[[nodiscard]] std::function<double(double)> lower_tradeoff(const Composition& composition);
/// Upper ends of delta(epsilon), in a shared loop whose pieces are the questions; 0 where another share computes it.
[[nodiscard]] std::vector<double> shared_deltas(std::span<const std::pair<Composition, double>> asked);
/// The bound at the horizon of a list that is least at epsilon.
[[nodiscard]] Composition best_of(SgdBound bound, const SgdExample& e, const std::vector<double>& horizons,
                                  double epsilon);

/// Contraction 0.8, kappa = 1, p = 0.1.
inline SgdExample contracting(double bend, std::size_t steps) { return {0.5, bend, 0.4, 1.0, 1.0, 0.1, steps}; }
/// Contraction 0.95, kappa = 0.5, p = 0.2: many steps are remembered, which a missing factor does not survive.
inline SgdExample remembering(double bend) { return {0.5, bend, 0.1, 0.5, 1.0, 0.2, 100}; }
/// Losses that are nearly linear, many small steps: no step is forgotten, and the last iterate is as telling as all of
/// them. The release is G-like with mu near p kappa sqrt(t), to which composition (Theorem 4.8) comes close.
inline SgdExample remembering_all() { return {1e-5, 0.0, 0.1, 0.14, 1.0, 0.2, 100}; }

/// A few steps that each show the record where it takes part: the release is told apart with chance about p t, which is
/// what every bound with this many subsampled factors says.
inline SgdExample telling() { return {0.1, 0.0, 0.1, 7.0, 1.0, 0.01, 5}; }

/// The bound of remembering_all() holds, and 0.45 of its mu does not; that of telling() is attained, and does not hold
/// at 0.75 of its sampling rate.
void hard_runs(Outcome& outcome, const Composition& remembering, const std::string& of_remembering,
               const Composition& telling_steps, const std::string& of_telling);

/// Profiles of bounds as lines, of exact laws as points, each a piece of a shared loop.
[[nodiscard]] io::Plot profile_plot(const std::string& title,
                                    const std::vector<std::pair<std::string, std::function<Composition()>>>& bounds,
                                    const std::vector<std::pair<std::string, MeasuredLaws>>& laws);

}  // namespace dpcurves::validation::shifted_interpolation
