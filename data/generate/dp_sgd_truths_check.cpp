// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Holds the inversion of dp_sgd_inversion.hpp against what does not invert: the closed profiles of one step
// (Lemma C1 for batches of a fixed size), quadrature of these for two steps, and printed noise multipliers.
//
//   g++ -O2 -DNDEBUG -std=c++20 data/generate/dp_sgd_truths_check.cpp -o check && ./check
#include <functional>
#include <tuple>

#include <boost/math/quadrature/tanh_sinh.hpp>

#include "dp_sgd_inversion.hpp"

using namespace truths;

namespace {

// delta of one step from the closed forms, for any epsilon, in the stated direction.
Real one_step(Pair pair, const Real& q, const Real& mu, const Real& epsilon);

Real gaussian_profile(const Real& mu, const Real& epsilon) {
  return upper_tail(epsilon / mu - mu / 2) - bmp::exp(epsilon) * upper_tail(epsilon / mu + mu / 2);
}

Pair exchanged(Pair pair) {
  switch (pair) {
    case poisson_remove:
      return poisson_add;
    case poisson_add:
      return poisson_remove;
    case fixed_size_remove:
      return fixed_size_add;
    case fixed_size_add:
      return fixed_size_remove;
    default:
      return pair;
  }
}

Real one_step(Pair pair, const Real& q, const Real& mu, const Real& epsilon) {
  const Real x = bmp::exp(epsilon);
  if (epsilon < 0) {
    return 1 - x + x * one_step(exchanged(pair), q, mu, -epsilon);
  }
  if (pair == symmetrised || pair == fixed_size_add) {
    return q * gaussian_profile(mu, bmp::log1p((x - 1) / q));
  }
  if (pair == poisson_remove) {
    const Real at = mu / 2 + bmp::log((x - 1 + q) / q) / mu;
    return q * upper_tail(at - mu) + (1 - q - x) * upper_tail(at);
  }
  if (pair == poisson_add) {
    if (1 / x <= 1 - q) {
      return 0;
    }
    const Real at = mu / 2 + bmp::log((1 / x - 1 + q) / q) / mu;
    return upper_tail(-at) - x * ((1 - q) * upper_tail(-at) + q * upper_tail(mu - at));
  }
  // The threshold of the likelihood ratio by bisection; both laws are mixtures with weights 1 - q and q.
  const bool replace = pair == poisson_replace_one;
  const Real common = replace ? Real(0) : -mu, first = mu, second = replace ? -mu : Real(0);
  const auto ratio_exceeds = [&](const Real& at) {
    const auto density = [&](const Real& mean) { return bmp::exp(mean * at - mean * mean / 2); };
    return (1 - q) * density(common) + q * density(first) > x * ((1 - q) * density(common) + q * density(second));
  };
  Real low = -60, high = 4000;
  for (int i = 0; i < 190; ++i) {
    const Real middle = (low + high) / 2;
    (ratio_exceeds(middle) ? high : low) = middle;
  }
  return (1 - q) * (1 - x) * upper_tail(low - common) + q * upper_tail(low - first) - x * q * upper_tail(low - second);
}

// The integral of density(x) profile(epsilon - loss(x)) for a loss monotone on (low, high), in pieces: the profile of
// one step is not analytic at 0 and, for Poisson sampling, where the losses end.
Real expectation(const Real& low, const Real& high, const std::function<Real(Real)>& density,
                 const std::function<Real(Real)>& loss, const std::function<Real(Real)>& profile, const Real& epsilon,
                 const Real& q) {
  std::vector<Real> ends{low, high};
  const bool rising = loss(high) > loss(low);
  for (const Real& kink : {epsilon, epsilon + bmp::log1p(-q), epsilon - bmp::log1p(-q)}) {
    Real a = low, b = high;
    for (int i = 0; i < 170; ++i) {
      const Real middle = (a + b) / 2;
      ((loss(middle) < kink) == rising ? a : b) = middle;
    }
    ends.push_back(a);
  }
  std::sort(ends.begin(), ends.end());
  boost::math::quadrature::tanh_sinh<Real> integrator(9);
  Real sum = 0;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] - ends[i - 1] > Real(1e-30)) {
      sum += integrator.integrate([&](const Real& x) { return density(x) * profile(epsilon - loss(x)); }, ends[i - 1],
                                  ends[i], Real(1e-16));
    }
  }
  return sum;
}

// delta of two steps: the expectation of the profile of one step, over the loss of the other.
Real two_steps(Pair pair, double rate, double separation, const Real& epsilon) {
  const Real q(rate), mu(separation), reach = 14 + 2 * mu;
  const auto mixture = [q](const Real& u) { return bmp::log1p(q * bmp::expm1(u)); };
  const auto normal = [](const Real& x) { return phi({x, 0}).re; };
  const auto profile = [&](const Real& e) { return one_step(pair, q, mu, e); };
  const auto of = [&](const Real& low, const auto& density, const auto& loss) {
    return expectation(low, reach, density, loss, profile, epsilon, q);
  };
  // The losses log dN-mixture / dN(0) at an output x.
  const auto up = [&](const Real& x) { return mixture(mu * x - mu * mu / 2); };
  const auto down = [&](const Real& x) { return mixture(-mu * x - mu * mu / 2); };
  if (pair == poisson_remove) {
    return of(
        -reach, [&](const Real& x) { return normal(x) * bmp::exp(up(x)); }, up);
  }
  if (pair == poisson_add) {
    return of(-reach, normal, [&](const Real& x) { return -up(x); });
  }
  if (pair == poisson_replace_one) {
    return of(
        -reach, [&](const Real& x) { return normal(x) * bmp::exp(up(x)); },
        [&](const Real& x) { return up(x) - down(x); });
  }
  // Halves over s > 0: those of C_q(G(mu)), and of zeroing out with the output mu/2 + s.
  const auto plain = [&](const Real& s) { return mixture(mu * s); };
  const auto upper = [&](const Real& s) { return mixture(2 * mu * (mu / 2 + s)); };
  const auto lower = [&](const Real& s) { return mixture(mu * (mu / 2 + s) + mu * mu / 2); };
  const auto base = [&](const Real& s) { return normal(3 * mu / 2 + s); };
  const auto plain_null = [&](const Real& s) { return normal(mu / 2 + s); };
  const auto plain_first = [&](const Real& s) { return plain_null(s) * bmp::exp(plain(s)); };
  const auto minus_plain = [&](const Real& s) { return -plain(s); };
  const Real atom = Step(pair, rate, separation, 1.0, 1.0).atom * profile(epsilon);
  if (pair == symmetrised) {
    return atom + of(Real(0), plain_first, plain) + of(Real(0), plain_null, minus_plain);
  }
  const auto zeroed = [&](const Real& s) { return upper(s) - lower(s); };
  if (pair == fixed_size_remove) {
    return atom +
           of(
               Real(0), [&](const Real& s) { return base(s) * bmp::exp(upper(s)); }, zeroed) +
           of(Real(0), plain_null, minus_plain);
  }
  return atom + of(Real(0), plain_first, plain) +
         of(
             Real(0), [&](const Real& s) { return base(s) * bmp::exp(lower(s)); },
             [&](const Real& s) { return -zeroed(s); });
}

void check_few_steps() {
  for (const auto& [q, mu] : {std::pair{0.2, 1.0}, std::pair{0.05, 2.0}, std::pair{0.6, 0.5}}) {
    for (int pair = 0; pair < 6; ++pair) {
      for (const double count : {1.0, 2.0}) {
        const double window = pair == poisson_add ? 260.0 / -std::log1p(-q) : 260.0;
        const Inversion inversion({static_cast<Pair>(pair), q, mu, count, window}, 60.0);
        const Real epsilon = pair == poisson_add ? Real(-0.5 * count * std::log1p(-q)) : Real(0.6 * count * mu);
        const Real exact = count == 1.0 ? one_step(static_cast<Pair>(pair), q, mu, epsilon)
                                        : two_steps(static_cast<Pair>(pair), q, mu, epsilon);
        const Value got = inversion.delta(epsilon, bmp::log(exact).convert_to<double>());
        std::cerr << names[pair] << " q " << q << " mu " << mu << " steps " << count << " delta " << exact.str(18)
                  << " inversion differs by " << relative(got.delta, exact) << ", the two contours by "
                  << inversion.difference() << std::endl;
      }
    }
  }
}

// Lemma C2 of the specification: printed noise multipliers that reach delta = 1e-5, to three decimals.
void check_fixed_size() {
  struct Row {
    double r, count, epsilon, zero_out, replacement, poisson;
  };
  for (const Row& row : {Row{0.1, 400, 1, 8.306, 15.650, 7.569}, Row{0.02, 400, 1, 2.548, 3.797, 1.725},
                         Row{0.02, 400, 8, 1.148, 1.319, 0.634}, Row{0.01, 1000, 1, 2.212, 3.175, 1.415}}) {
    for (const auto& [pair, kappa, factor] :
         {std::tuple{fixed_size_remove, row.zero_out, 1.0}, std::tuple{fixed_size_add, row.zero_out, 1.0},
          std::tuple{symmetrised, row.replacement, 2.0}, std::tuple{poisson_remove, row.poisson, 1.0}}) {
      const Inversion inversion({pair, row.r, factor / kappa, row.count}, 60.0);
      const Value value = inversion.delta(Real(row.epsilon), std::log(1e-5));
      const Inversion below({pair, row.r, factor / (kappa - 5e-4), row.count}, 60.0);
      const Inversion above({pair, row.r, factor / (kappa + 5e-4), row.count}, 60.0);
      std::cerr << names[pair] << " r " << row.r << " T " << row.count << " epsilon " << row.epsilon << " kappa "
                << kappa << ": delta " << value.delta.str(6) << ", at half a digit either side "
                << below.delta(Real(row.epsilon), std::log(1e-5)).delta.str(6) << " "
                << above.delta(Real(row.epsilon), std::log(1e-5)).delta.str(6) << std::endl;
    }
  }
}

}  // namespace

int main() {
  check_few_steps();
  check_fixed_size();
}
