// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/participation_sum.hpp>

namespace dpcurves::correlated {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr slong first_bits = 128;  // two words: no allocation
constexpr slong most_bits = 2048;  // what cancels between Gaussian tails of ordinary arguments is far less
constexpr slong wanted_bits = 56;  // of an answer: a double has 53
constexpr slong negligible = -64;  // log2 of what may be left out, relative to the sum
constexpr slong nothing = -1140;   // log2 of what is below every double, and so never matters

slong accuracy(const Real& x) { return arb_rel_accuracy_bits(x.get()); }

/// The first answer of `attempt` that has the digits of a double, or is below them all, at more and more bits.
Real refined(const std::function<Real()>& attempt) {
  for (slong bits = first_bits;; bits *= 2) {
    const Precision precision(bits);
    Real answer = attempt();
    if (accuracy(answer) >= wanted_bits || answer < scaled(Real(1), nothing + 64) || !answer.finite() ||
        bits >= most_bits) {
      return answer;
    }
  }
}

/// The binomial probability of k.
Real binomial(const Participations& run, double k) {
  const Precision more(Precision::bits() + 64);  // logarithms of factorials cancel
  const auto log_factorial = [](double n) {
    Real r = Real(n) + 1;
    arb_lgamma(r.get(), r.get(), Precision::bits());
    return r;
  };
  const Real rate = run.rate, n = run.steps;
  const Real log_absent = k == run.steps ? Real(0) : (n - k) * log1p(-rate);
  return exp(log_factorial(run.steps) - log_factorial(k) - log_factorial(run.steps - k) + Real(k) * log(rate) +
             log_absent);
}

/// Terms of the sum, from the mode outwards, with a bound of what is left.
class Sum {
 public:
  Sum(const Participations& run, double epsilon, const std::function<Real(double)>& mu)
      : run_(run), epsilon_(epsilon), mu_(mu) {}

  [[nodiscard]] Real value() {
    if (run_.rate == 1.0) {
      return delta(run_.steps);
    }
    const double mode = std::min(run_.steps, std::floor((run_.steps + 1.0) * run_.rate));
    const double start = std::max(1.0, mode);
    const Real chance = binomial(run_, start), at_start = delta(start);
    if (accuracy(at_start) < wanted_bits / 2) {
      return rigorous::zero_to(delta(run_.steps));  // all terms cancel: no mean exceeds the largest
    }
    sum_ = chance * at_start;
    const Real odds = Real(run_.rate) / (Real(1) - Real(run_.rate));
    up(start, chance, odds);
    down(start, chance, odds, at_start);
    Real whole = sum_;
    arb_union(whole.get(), sum_.get(), (sum_ + rest_).get(), Precision::bits());
    return whole;
  }

 private:
  [[nodiscard]] Real delta(double k) const { return gaussian_delta_ball(epsilon_, mu_(k)); }

  /// Whether a bound of all that is left is small enough to stop.
  bool ends(const Real& bound) {
    if (!(bound < scaled(sum_, negligible) || bound < scaled(Real(1), nothing))) {
      return false;
    }
    rest_ += bound;
    return true;
  }

  void up(double k, Real chance, const Real& odds) {
    for (; k < run_.steps; ++k) {
      const Real ratio = odds * (Real(run_.steps) - k) / (Real(k) + 1);
      chance = chance * ratio;
      if (ratio < 1 && ends(chance / (Real(1) - ratio))) {
        return;
      }
      sum_ += chance * delta(k + 1.0);
    }
  }

  void down(double k, Real chance, const Real& odds, Real largest) {
    for (; k > 1.0; --k) {
      const Real ratio = Real(k) / ((Real(run_.steps) - k + 1) * odds);
      chance = chance * ratio;
      if (ratio < 1 && ends(chance / (Real(1) - ratio) * largest)) {
        return;
      }
      largest = delta(k - 1.0);
      sum_ += chance * largest;
    }
  }

  const Participations& run_;
  Real epsilon_;
  const std::function<Real(double)>& mu_;
  Real sum_, rest_;
};

}  // namespace

Real gaussian_delta_ball(const Real& epsilon, const Real& mu) {
  const Real x = epsilon / mu - scaled(mu, -1), beyond = x + mu;
  if (!(beyond > 0)) {
    return normal_tail(x) - exp(epsilon) * normal_tail(beyond);
  }
  const Real density = exp(-scaled(x * x, -1)) / sqrt(scaled(rigorous::pi(), 1));  // e^epsilon that at x + mu
  return normal_tail(x) - density * rigorous::mills_ratio(beyond);
}

Enclosure gaussian_delta(const std::function<std::pair<Real, Real>()>& question) {
  const auto attempt = [&] {
    const auto [epsilon, mu] = question();
    return gaussian_delta_ball(epsilon, mu);
  };
  return clamp(refined(attempt).enclosure(), 0.0, 1.0);
}

Real encoded_square(double lambda, double participations, double steps) {
  if (participations == 0.0) {
    return {};
  }
  const double cancelled = -3.0 * std::log2(std::min(1.0, participations * std::max(1.0 - lambda, 1e-17)));
  const Precision more(Precision::bits() + 32 + static_cast<slong>(cancelled));  // of a sum that grows like k^3
  const Real k = participations, l = lambda, tail = Real(steps) - k;
  if (lambda == 1.0) {
    return k * (k + 1) * (k + k + 1) / 6 + k * k * tail;
  }
  const Real away = Real(1) - l;
  const auto power = [&l](const Real& exponent) { return exponent.contains_zero() ? Real(1) : pow(l, exponent); };
  if (lambda == 0.0) {
    return k;
  }
  // sum over t <= k of ((1 - lambda^t)/(1 - lambda))^2, and the squares of the last state as it fades.
  const Real decay = power(k), gone = Real(1) - decay;
  const Real head = k - (l + l) * gone / away + l * l * gone * (Real(1) + decay) / (away * (Real(1) + l));
  const Real fading = gone * gone * l * l * (Real(1) - power(tail + tail)) / (away * (Real(1) + l));
  return (head + fading) / (away * away);
}

Enclosure participation_sum(const Participations& run, double epsilon, const std::function<Real(double)>& mu) {
  return clamp(refined([&] { return Sum(run, epsilon, mu).value(); }).enclosure(), 0.0, 1.0);
}

std::vector<Real> binomial_probabilities(std::size_t order, double rate) {
  std::vector<Real> list(order + 1);
  if (rate == 1.0) {
    list[order] = 1;
    return list;
  }
  const Real absent = Real(1) - Real(rate), odds = Real(rate) / absent;
  arb_pow_ui(list[0].get(), absent.get(), order, Precision::bits());
  for (std::size_t k = 0; k < order; ++k) {
    list[k + 1] = list[k] * odds;
    arb_mul_ui(list[k + 1].get(), list[k + 1].get(), order - k, Precision::bits());
    arb_div_ui(list[k + 1].get(), list[k + 1].get(), k + 1, Precision::bits());
  }
  return list;
}

Enclosure independent_renyi(double order, double rate, double noise, double steps) {
  const auto attempt = [&] {
    const slong bits = Precision::bits();
    const Real square = Real(noise) * Real(noise), r = rate;
    const auto n = static_cast<ulong>(order);
    if (rate == 1.0) {
      return Real(steps) * Real(order) / (square + square);
    }
    // Of k - 1 and k: the binomial probability, exp((k - 1)/noise^2) and exp(k (k - 1)/(2 noise^2)).
    const Real odds = r / (Real(1) - r), growth = exp(Real(1) / square);
    Real chance, power = growth, energy = growth, term, excess;
    arb_pow_ui(chance.get(), (Real(1) - r).get(), n - 2, bits);
    chance = chance * r * r * Real(order) * (Real(order) - 1) / 2;
    for (ulong k = 2;; ++k) {
      arb_sub_ui(term.get(), energy.get(), 1, bits);
      arb_addmul(excess.get(), chance.get(), term.get(), bits);
      if (k == n) {
        break;
      }
      arb_mul(chance.get(), chance.get(), odds.get(), bits);
      arb_mul_ui(chance.get(), chance.get(), n - k, bits);
      arb_div_ui(chance.get(), chance.get(), k + 1, bits);
      arb_mul(power.get(), power.get(), growth.get(), bits);
      arb_mul(energy.get(), energy.get(), power.get(), bits);
    }
    return Real(steps) * log1p(excess) / (Real(order) - 1);
  };
  return clamp(refined(attempt).enclosure(), 0.0, std::numeric_limits<double>::infinity());
}

}  // namespace dpcurves::correlated
