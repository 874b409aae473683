// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/interpolation/sgd_horizon.hpp>

namespace dpcurves::interpolation {
namespace {

/// Orders at which moment generating functions are tabulated.
std::vector<double> orders() {
  std::vector<double> result;
  for (double z = 0.02; z < 2e5; z *= 1.12) {
    result.push_back(z);
  }
  return result;
}

/// log E exp(z Y) for the privacy loss Y of C_p(G(mu)), at every tabulated z; infinite where it is out of reach.
/// Good to about 1e-4, which is enough for ranking and for nothing else.
std::vector<double> log_moments(const std::vector<double>& z, double p, double mu) {
  std::vector<double> result(z.size(), 0.0);
  if (mu == 0.0) {
    return result;
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double reach = (z[i] + 1.0) * mu;
    if (reach > 60.0) {
      result[i] = infinity;
      continue;
    }
    // 1 + integral over x > mu/2 of phi(x) (1 - exp(-z l)) (exp((z + 1) l) - 1), l = log(1 + p (exp(...) - 1))
    const int points = 160 + static_cast<int>(4.0 * reach);
    const double step = (reach + 9.0) / points;
    double sum = 0.0;
    for (int k = 0; k < points; ++k) {
      const double x = 0.5 * mu + step * (k + 0.5);
      const double loss = std::log1p(p * std::expm1(mu * (x - 0.5 * mu)));
      const double exponent = (z[i] + 1.0) * loss;
      const double weight = exponent < 1.0 ? std::exp(-0.5 * x * x) * std::expm1(exponent)
                                           : std::exp(exponent - 0.5 * x * x) - std::exp(-0.5 * x * x);
      sum -= weight * std::expm1(-z[i] * loss);
    }
    result[i] = std::log1p(sum * step * 0.3989422804014327);
  }
  return result;
}

/// log of z^z/(1 + z)^(1 + z): what the Chernoff bound of delta has before its exponential.
double log_prefactor(double z) { return -z * std::log1p(1.0 / z) - std::log1p(z); }

/// What ranks: log delta at the epsilon of the target, or epsilon at its delta.
struct Ranking {
  std::vector<double> z = orders();
  std::vector<double> prefactor;
  SgdTarget target;

  explicit Ranking(const SgdTarget& wanted) : target(wanted) {
    for (const double order : z) {
      prefactor.push_back(log_prefactor(order));
    }
  }

  [[nodiscard]] double score(double gaussian_mu, const std::vector<double>& many, double count,
                             const std::vector<double>* once) const {
    double best = infinity;
    for (std::size_t i = 0; i < z.size(); ++i) {
      double K = 0.5 * gaussian_mu * gaussian_mu * z[i] * (z[i] + 1.0) + (count > 0.0 ? count * many[i] : 0.0);
      if (once != nullptr) {
        K += (*once)[i];
      }
      const double value = target.epsilon ? K - z[i] * *target.epsilon + prefactor[i]
                                          : (K + prefactor[i] - std::log(*target.delta)) / z[i];
      best = std::min(best, value);
    }
    return best;
  }
};

struct Candidate {
  double score = infinity;
  double horizon = 0.0;
  double split = 0.0;  ///< 0: none yet
  /// The first is better than none.
  [[nodiscard]] bool beats(const Candidate& other) const { return other.split == 0.0 || !(score >= other.score); }
};

/// Scores of all horizons for one split. `common` is the table of C_p(G(2 kappa)), which no split changes.
class Search {
 public:
  Search(SgdBound bound, const NoisySgd& setting, const SgdTarget& target)
      : bound_(bound), setting_(setting), ranking_(target) {
    if (bound == SgdBound::two_process) {
      common_ = log_moments(ranking_.z, setting.sampling_rate, 2.0 * setting.descent.effective_sensitivity);
    }
  }

  [[nodiscard]] Candidate best_for_split(double split, const std::vector<double>& horizons) {
    const double mu = 2.0 * other_split(split) * setting_.descent.effective_sensitivity;
    const auto shifted = log_moments(ranking_.z, setting_.sampling_rate, mu);
    const bool two = bound_ == SgdBound::two_process;
    Candidate best;
    for (const double n : horizons) {
      const double gaussian = sgd_composition(bound_, setting_, n, split).gaussian_mu;
      const double score = ranking_.score(gaussian, two ? common_ : shifted, n, two ? &shifted : nullptr);
      const Candidate candidate{score, n, split};
      best = candidate.beats(best) ? candidate : best;
    }
    seen_.push_back(best);
    return best;
  }

  [[nodiscard]] std::vector<Candidate> seen() const { return seen_; }

 private:
  SgdBound bound_;
  NoisySgd setting_;
  Ranking ranking_;
  std::vector<double> common_;
  std::vector<Candidate> seen_;
};

std::vector<double> between(double low, double high, double least, double largest, double ratio) {
  std::vector<double> result;
  for (double n = std::max(std::floor(low), least); n <= std::min(high, largest);
       n = std::max(n + 1.0, std::round(n * ratio))) {
    result.push_back(n);
  }
  if (result.empty()) {
    result.push_back(std::min(std::max(std::round(low), least), largest));
  }
  return result;
}

}  // namespace

std::vector<SgdHorizon> ranked_horizons(SgdBound bound, const NoisySgd& setting, const SgdTarget& target,
                                        std::optional<double> horizon, std::size_t count) {
  require_domain(bound != SgdBound::composition, "bound", static_cast<double>(bound),
                 "two_process, constrained or one_process");
  require_domain(target.epsilon.has_value() != target.delta.has_value(), "number of targets",
                 target.epsilon.has_value() ? 2.0 : 0.0, "exactly one of epsilon and delta");
  if (target.epsilon) {
    require_domain(*target.epsilon >= 0.0 && std::isfinite(*target.epsilon), "epsilon", *target.epsilon, "[0, inf)");
  } else {
    require_domain(*target.delta > 0.0 && *target.delta < 1.0, "delta", *target.delta, "(0, 1)");
  }
  const double least = bound == SgdBound::two_process ? 0.0 : 1.0;
  const double largest = std::min(bound == SgdBound::two_process ? setting.steps - 1.0 : setting.steps, 1e12);
  (void)sgd_composition(bound, setting, horizon.value_or(least));  // checks setting and horizon
  Search search(bound, setting, target);
  const auto grid = [&](double low, double high, double ratio) {
    return horizon ? std::vector<double>{*horizon} : between(low, high, least, largest, ratio);
  };
  Candidate best;
  for (double log_excess = std::log(0.05); log_excess < std::log(60.0); log_excess += 0.45) {
    const auto found = search.best_for_split(1.0 + std::exp(log_excess), grid(least, largest, 1.1));
    best = found.beats(best) ? found : best;
  }
  if (!std::isfinite(best.score)) {
    throw ConvergenceError("no horizon has a finite score: with so little noise the ranking tells none from another");
  }
  // Golden section would do; the optimum is so flat that a finer grid around the best pair is as good.
  const double log_best = std::log(best.split - 1.0);
  for (const double shift : {-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3}) {
    const auto found =
        search.best_for_split(1.0 + std::exp(log_best + shift), grid(best.horizon / 1.12, best.horizon * 1.12, 1.005));
    best = found.beats(best) ? found : best;
  }
  auto seen = search.seen();
  std::stable_sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  std::vector<SgdHorizon> result;
  for (const auto& candidate : seen) {
    const bool near = std::any_of(result.begin(), result.end(), [&candidate](const SgdHorizon& other) {
      return other.horizon == candidate.horizon && other.split == candidate.split;
    });
    if (!near && result.size() < std::max<std::size_t>(count, 1)) {
      result.push_back(
          {candidate.horizon, candidate.split, sgd_composition(bound, setting, candidate.horizon, candidate.split)});
    }
  }
  return result;
}

}  // namespace dpcurves::interpolation
