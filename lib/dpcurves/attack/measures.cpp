// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/attack/measures.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::attack {
namespace {

using rigorous::Real;
using rigorous::refined;

constexpr double largest_epsilon = 690.0;  // exp of it is a double

/// The epsilon of the likelihood ratio test of G(mu) whose upper quantile of the false positive rate is z.
double gaussian_threshold(double mu, double z) { return mu * z - 0.5 * mu * mu; }

/// [f(lower), f(upper)] for a rising f.
template <class Formula>
Enclosure rising(const Enclosure& at, const Formula& formula) {
  return {refined([&] { return formula(Real(at.lower)); }).lower(),
          refined([&] { return formula(Real(at.upper)); }).upper()};
}

}  // namespace

Power power(Profile& profile, double a, double relative) {
  require_domain(a >= 0.0 && a <= 1.0, "false_positive_rate", a, "[0, 1]");
  if (a == 1.0) {
    return {exactly(1.0), exactly(0.0)};
  }
  if (a == 0.0) {
    const Enclosure atom = profile.delta(infinity);
    return {atom, atom};
  }
  const Optimum optimum{
      [a](double epsilon, double delta) { return std::fma(a, std::expm1(epsilon), delta); },
      [a](const Envelope& envelope) { return envelope.excess(a); },
      gaussian_threshold(profile.scale(), numerics::normal_upper_quantile(a)),
      std::min(largest_epsilon, -std::log(a)),  // a x <= T <= 1
  };
  const Enclosure excess = solve(profile, optimum, relative);
  return {clamp(excess + exactly(a), a, 1.0), excess};
}

Enclosure false_positive_rate(Profile& profile, double recall, double relative) {
  require_domain(recall > 0.0 && recall <= 1.0, "recall", recall, "(0, 1]");
  const double mu = profile.scale();
  const Optimum optimum{
      [recall](double epsilon, double delta) { return (delta - recall) * std::exp(-epsilon); },
      [recall](const Envelope& envelope) { return envelope.false_positive_rate(recall); },
      gaussian_threshold(mu, std::min(numerics::normal_upper_quantile(recall), 38.0) + mu),
      largest_epsilon,
  };
  return solve(profile, optimum, relative);
}

Advantage advantage(Profile& profile) { return advantage_of(profile.delta(0.0)); }

Advantage advantage_of(const Enclosure& advantage) {
  require_domain(advantage.lower >= 0.0 && advantage.lower <= advantage.upper && advantage.upper <= 1.0, "advantage",
                 advantage.upper, "[0, 1]");
  const auto mu = [](double a) {
    return a <= 0.0 ? exactly(0.0) : a >= 1.0 ? exactly(infinity) : tradeoff::mu_enclosure(0.0, a);
  };
  const auto pure = [](double a) {
    return a >= 1.0 ? exactly(infinity)
                    : refined([a] { return log1p(rigorous::scaled(Real(a), 1) / (Real(1) - Real(a))); }).enclosure();
  };
  return {advantage,
          {std::max(0.0, pure(advantage.lower).lower), pure(advantage.upper).upper},
          {mu(advantage.lower).lower, mu(advantage.upper).upper}};
}

BayesError bayes_error(Profile& profile, double prior) {
  require_domain(prior > 0.0 && prior < 1.0, "prior", prior, "(0, 1)");
  const auto present = [prior] { return Real(prior); };
  const auto absent = [prior] { return Real(1) - Real(prior); };
  // D falls: at the doubles around log x.
  const Enclosure epsilon = refined([&] { return log(absent() / present()); }).enclosure();
  const Enclosure delta{profile.delta(epsilon.upper).lower, profile.delta(epsilon.lower).upper};
  const bool rare = prior <= 0.5;
  Enclosure gain =
      rising(delta, [&](const Real& d) { return rare ? present() * d : present() * d - (present() - absent()); });
  const double blind = rare ? prior : next_up(1.0 - prior);
  gain = clamp(gain, 0.0, blind);
  const Enclosure less = rising({-delta.upper, -delta.lower}, [&](const Real& d) { return present() * (Real(1) + d); });
  const Enclosure error = clamp(less, 0.0, blind);
  const Enclosure accuracy = rising(delta, [&](const Real& d) { return absent() + present() * d; });
  return {error, clamp(accuracy, 0.5, 1.0), gain};
}

Enclosure precision(const Enclosure& true_rate, const Enclosure& false_rate, double prior) {
  require_domain(prior > 0.0 && prior < 1.0, "prior", prior, "(0, 1)");
  require_domain(true_rate.upper > 0.0 || false_rate.upper > 0.0, "true_rate", true_rate.upper, "(0, 1]");
  const auto share = [prior](double t, double a) {
    return refined([=] {
      const Real hits = Real(prior) * Real(t);
      return hits / (hits + (Real(1) - Real(prior)) * Real(a));
    });
  };
  const double lower = true_rate.lower > 0.0 ? share(true_rate.lower, false_rate.upper).lower() : 0.0;
  const double upper = true_rate.upper > 0.0 ? share(true_rate.upper, false_rate.lower).upper() : 0.0;
  return clamp({lower, upper}, 0.0, 1.0);
}

Enclosure posterior_tail(Profile& profile, double odds, double relative) {
  require_domain(std::isfinite(odds), "odds", odds, "(-inf, inf)");
  const Optimum optimum{
      [odds](double epsilon, double delta) { return epsilon < odds ? -delta / std::expm1(epsilon - odds) : infinity; },
      [odds](const Envelope& envelope) { return envelope.tail(odds); },
      odds - std::min(1.0, profile.scale()),
      std::min(odds, largest_epsilon),
  };
  return solve(profile, optimum, relative);
}

}  // namespace dpcurves::attack
