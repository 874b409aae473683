// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>

#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/core/detail/rounding.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr std::size_t most_uses = 2000;

Real log_factorial(double n) {
  Real r;
  arb_lgamma(r.get(), Real(n + 1.0).get(), Precision::bits());
  return r;
}

Uses uses_of(double most, std::size_t least_count, double log_least, const std::function<Real(double)>& log_weight) {
  Uses u;
  Real sum;
  bool fell = false;
  double before = -HUGE_VAL;
  for (double j = 0.0; j <= most; ++j) {
    const Real w = log_weight(j);
    const double size = w.middle();
    fell = fell || size < before;
    const bool full = u.weight.size() >= most_uses;
    if (fell && size < (full ? log_rare : log_least) && u.weight.size() >= std::min(least_count, most_uses)) {
      break;
    }
    if (full) {
      throw DomainError("more than 2000 numbers of uses of a record in one batch are likely: too many for this pair");
    }
    before = size;
    u.weight.push_back(rigorous::exp(w));
    sum += u.weight.back();
  }
  if (static_cast<double>(u.weight.size()) > most) {
    return u;
  }
  u.dropped = rigorous::upper_end(rigorous::abs(Real(1) - sum));
  if (u.weight.size() > 1) {  // logarithms of these weights are concave
    const Real ratio = u.weight.back() / u.weight[u.weight.size() - 2];
    if (ratio < Real(1)) {
      u.dropped = rigorous::min(u.dropped, rigorous::upper_end(u.weight.back() * ratio / (Real(1) - ratio)));
    }
  }
  return u;
}

Mixture mixture(const Uses& uses, const std::function<Real(double)>& mean) {
  Mixture m;
  for (std::size_t j = 0; j < uses.weight.size(); ++j) {
    m.push_back({uses.weight[j], mean(static_cast<double>(j))});
  }
  return m;
}

Mixture zero() { return {{Real(1), Real()}}; }

/// The mass of a mixture right of x.
Real beyond(const Mixture& m, const Real& x) {
  Real total;
  for (const Component& c : m) {
    total += c.weight * rigorous::normal_tail(x - c.mean);
  }
  return total;
}

/// Of components of the piece's null that are dropped, of that mass and with their means at `first` or beyond it, seen
/// from the heaviest one that is kept. Up to half way between the two, each is below that one. Beyond, every component
/// of the alternative is compared with one of the null that is not nearer.
FarOut far_out(const Piece& piece, const Real& dropped, const Real& first) {
  const auto heavier = [](const Component& a, const Component& b) { return a.weight.middle() < b.weight.middle(); };
  const Component& heaviest = *std::max_element(piece.null.begin(), piece.null.end(), heavier);
  const Real half_way = rigorous::scaled(heaviest.mean + first, -1);
  const bool right = first > heaviest.mean;
  FarOut out{rigorous::upper_end(dropped / (piece.weight * heaviest.weight)), {}};
  if (!right && Real(piece.from) > half_way) {
    return out;  // nothing is beyond
  }
  for (const Component& a : piece.alternative) {
    Real least(HUGE_VAL);
    for (const Component& n : piece.null) {
      const Real apart = a.mean - n.mean;
      if (n.weight.positive() && (right ? apart <= Real() : apart >= Real())) {
        const Real log_ratio = apart * (half_way - rigorous::scaled(a.mean + n.mean, -1));
        least = rigorous::min(least, a.weight / n.weight * rigorous::exp(log_ratio));
      }
    }
    out.ratio += least;
  }
  out.ratio = rigorous::upper_end(out.ratio);
  return out;
}

/// Whether the logarithm has the sign `sign` on all of [left, right].
bool keeps_sign(const LogRatio& ratio, double left, double right, int sign, int depth) {
  const double middle = 0.5 * (left + right);
  const Real cell(left, right), value = ratio.at(Real(middle)) + ratio.slope(cell) * (cell - Real(middle));
  if (sign > 0 ? value.positive() : value.negative()) {
    return true;
  }
  if (depth == 0) {
    return false;
  }
  return keeps_sign(ratio, left, middle, sign, depth - 1) && keeps_sign(ratio, middle, right, sign, depth - 1);
}

struct Crossing {
  double at;
  Real unseen;  ///< mass of a further to the left than the sign was proved
};

/// The same times e^{-at x}, as a sum of components whose means are less by `at`.
Mixture measured_from(const Mixture& m, const Real& at) {
  Mixture moved;
  for (const Component& c : m) {
    const Real mean = c.mean - at;
    moved.push_back({c.weight * rigorous::exp(rigorous::scaled((mean - c.mean) * (mean + c.mean), -1)), mean});
  }
  return moved;
}

/// Just before a / n, below 1 at the left and above 1 at the right, crosses 1: that it is below 1 up to there is proved
/// on 40 standard deviations. Losses beyond may have any sign.
Crossing crossing(const Mixture& given_a, const Mixture& given_n) {
  const Precision precision(128);
  // Balls of slopes are narrow where the heaviest component, which both share, has the mean 0.
  const LogRatio ratio{LogMixture(measured_from(given_a, given_a.front().mean)),
                       LogMixture(measured_from(given_n, given_a.front().mean))};
  double low = -40.0, high = 40.0;
  for (const Component& c : given_a) {
    high = std::max(high, c.mean.middle() + 1.0);
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * std::max(1.0, std::abs(low)); ++i) {
    const double m = 0.5 * (low + high);
    (ratio.at(Real(m)).middle() < 0.0 ? low : high) = m;
  }
  constexpr double reach = 40.0, near = 1e-3;
  const double middle = 0.5 * (low + high), at = middle - 8e-15 * std::max(1.0, std::abs(middle));
  bool once = ratio.at(Real(at)).negative();
  {
    const Precision cells(64);
    once = once && ratio.slope(Real(at - near, at)).positive() && keeps_sign(ratio, at - reach, at - near, -1, 18);
  }
  if (!once) {
    throw ConvergenceError("no proof: the likelihood ratio of a pair crosses 1 more than once");
  }
  return {at, rigorous::upper_end(beyond(turned(given_a), Real(reach - at)))};
}

struct Profiles {  // positive losses of one direction, and of the other
  Mixture a, n, other_a, other_n;
};

/// a against n from about where a > n, other_n against other_a from about where other_a > other_n, and what is left.
Step of_profiles(const Profiles& p, const Crossing& first, const Crossing& second) {
  Step step;
  const Real x(first.at), y(second.at);
  step.pieces.push_back({Real(1), p.a, p.n, first.at});
  step.pieces.push_back({Real(1), p.other_n, p.other_a, second.at});
  const Real alternative = Real(1) - beyond(p.a, x) - beyond(p.other_n, y);
  const Real null = Real(1) - beyond(p.n, x) - beyond(p.other_a, y);
  if (!alternative.positive() || !null.positive()) {
    throw ConvergenceError("no proof: two profiles leave no mass for small losses");
  }
  step.atoms.push_back({rigorous::log(alternative / null), alternative});
  // As if it revealed all with a chance r: 1 - delta of this pair is at least what its laws have in common.
  step.dropped_alternative = (first.unseen + second.unseen) / rigorous::min(alternative, null);
  return step;
}

/// At least mu, with so few bits that three halves of it are exact.
double rounded_up(double mu) {
  int exponent = 0;
  constexpr double bits = 0x1p48;
  const double fraction = std::frexp(mu, &exponent);
  return std::ldexp(std::ceil(fraction * bits) / bits, exponent);
}

}  // namespace

Uses binomial_uses(double trials, const Real& chance, std::size_t least_count, double log_least) {
  const Precision precision(160);
  if (chance.upper() <= 0.0) {
    return {{Real(1)}, {}};
  }
  if (!(chance < Real(1))) {
    Uses all;
    all.weight.assign(static_cast<std::size_t>(trials) + 1, Real());
    all.weight.back() = Real(1);
    return all;
  }
  const Real log_in = rigorous::log(chance), log_out = rigorous::log1p(-chance), all = log_factorial(trials);
  return uses_of(trials, least_count, log_least, [&](double j) {
    return all - log_factorial(j) - log_factorial(trials - j) + Real(j) * log_in + Real(trials - j) * log_out;
  });
}

Uses hypergeometric_uses(double records, double marked, double drawn, std::size_t least_count, double log_least) {
  const Precision precision(160);
  const auto choose = [](double n, double k) { return log_factorial(n) - log_factorial(k) - log_factorial(n - k); };
  const Real all = choose(records, drawn);
  const double least = std::max(0.0, drawn + marked - records);
  return uses_of(std::min(marked, drawn), least_count, log_least, [&](double j) -> Real {
    if (j < least) {
      return Real(-1e300);
    }
    return choose(marked, j) + choose(records - marked, drawn - j) - all;
  });
}

Step shifts(const Uses& uses, double distance, Direction direction) {
  Step step;
  const Real d(distance);
  const auto shifted = [&](int sign) {
    Mixture m;
    for (std::size_t j = 0; j < uses.weight.size(); ++j) {
      if (uses.weight[j].middle() > 0.0) {
        m.push_back({uses.weight[j], Real(sign * static_cast<double>(j)) * d});
      }
    }
    return m;
  };
  const bool replaced = direction == Direction::replace;
  step.pieces.push_back({Real(1), shifted(1), replaced ? shifted(-1) : zero()});
  step.dropped_alternative = uses.dropped;
  step.dropped_null = replaced ? uses.dropped : Real();
  const bool reverse = direction == Direction::add || direction == Direction::zero_add;
  step = reverse ? reversed(step) : step;
  if (step.dropped_null.positive()) {
    const Real next = Real(static_cast<double>(uses.weight.size())) * d;
    step.far_out = far_out(step.pieces.front(), step.dropped_null, reverse ? next : -next);
  }
  return step;
}

Step given(const std::vector<double>& weights, const std::vector<double>& means, bool reverse) {
  const Precision precision(160);
  Step step;
  Real sum;
  for (const double w : weights) {
    sum += Real(w);
  }
  Mixture m;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] > 0.0) {
      m.push_back({Real(weights[j]) / sum, Real(means[j])});
    }
  }
  step.pieces.push_back({Real(1), m, zero()});
  return reverse ? reversed(step) : step;
}

// Where the losses are 0 is exact, and so the rest has the same mass under both laws.
void add_lemma_c(Step& step, const Real& weight, const Real& rate, double mu, Direction direction) {
  const Precision precision(160);
  const Real d(rounded_up(mu));
  const auto two = [&](const Real& mean) { return Mixture{{Real(1) - rate, Real()}, {rate, mean}}; };
  const auto half = [&](const Mixture& a, const Mixture& n, const Real& from) {
    step.pieces.push_back({weight, a, n, from.middle()});
    return beyond(a, from);
  };
  Real mass;
  const Real near = rigorous::scaled(d, -1), far = near * Real(3), twice = rigorous::scaled(d, 1);
  if (direction == Direction::replace) {  // C_r(G(2 mu))
    mass = half(two(twice), zero(), d) + half(zero(), two(twice), d);
  } else if (direction == Direction::zero_remove) {
    mass = half(two(twice), two(d), far) + half(zero(), two(d), near);
  } else {
    mass = half(two(d), zero(), near) + half(two(d), two(twice), far);
  }
  step.atoms.push_back({Real(), weight * (Real(1) - mass)});
}

Step revealed(const Uses& uses, double mu, Direction direction) {
  const Precision precision(160);
  Step step;
  const Real used = Real(1) - uses.weight.front();
  for (std::size_t k = 1; k < uses.weight.size(); ++k) {
    if (uses.weight[k].middle() > 0.0) {
      const double distance = static_cast<double>(k) * mu;
      add_lemma_c(step, uses.weight[k] / used, used, k == 1 ? distance : next_up(distance), direction);
    }
  }
  step.dropped_alternative = uses.dropped / used;
  return step;
}

Step hidden(const Uses& uses, double mu, Direction direction) {
  if (uses.weight.size() <= 2) {  // nothing to hide
    return revealed(uses, mu, direction);
  }
  const Precision precision(160);
  const Real d(mu);
  const auto mean = [&](const std::function<double(double)>& units) {
    return mixture(uses, [&](double k) { return Real(units(k)) * d; });
  };
  Profiles p;
  if (direction == Direction::replace) {
    p.a = p.other_a = mean([](double k) { return 2.0 * k; });
    p.n = p.other_n = mean([](double k) { return k == 0.0 ? 0.0 : 2.0 - 2.0 * k; });
  } else {
    p.a = mean([](double k) { return 2.0 * k; });
    p.n = mean([](double k) { return k == 0.0 ? 0.0 : 2.0 - k; });
    p.other_a = mean([](double k) { return k == 0.0 ? -1.0 : k - 1.0; });
    p.other_n = mean([](double k) { return k == 0.0 ? -1.0 : 1.0 - 2.0 * k; });
    if (direction == Direction::zero_add) {
      std::swap(p.a, p.other_a);
      std::swap(p.n, p.other_n);
    }
  }
  Step step = of_profiles(p, crossing(p.a, p.n), crossing(p.other_a, p.other_n));
  step.dropped_null = rigorous::scaled(uses.dropped, 1);  // either piece lacks as much at most
  step.dropped_alternative += step.dropped_null;
  const auto further = [&](const Piece& piece) {
    const Mixture& null = piece.null;
    return far_out(piece, uses.dropped, null.back().mean + (null.back().mean - null[null.size() - 2].mean));
  };
  const FarOut one = further(step.pieces.front()), other = further(step.pieces.back());
  step.far_out = {rigorous::max(one.share, other.share), rigorous::max(one.ratio, other.ratio)};
  return step;
}

Step instance(const UsesOf& uses_of, double mu, double others, Direction direction) {
  const Precision precision(160);
  const Uses uses = uses_of(0), without = direction == Direction::zero_remove ? uses_of(2 * uses.weight.size()) : uses;
  const Real d(mu), other(others);
  const int null = direction == Direction::replace ? -1 : 0;
  const auto distance = [&](int own) { return (Real(own) - other) * d; };
  const auto law = [&](const Uses& of, int own) {
    return mixture(of, [&](double k) { return Real(k) * distance(own); });
  };
  Step step;
  const bool still = static_cast<double>(null) == others;  // the null is one normal law, of which nothing is dropped
  step.pieces.push_back({Real(1), law(uses, 1), still ? zero() : law(without, null)});
  step.dropped_alternative = uses.dropped;
  step.dropped_null = still ? Real() : without.dropped;
  const bool reverse = direction == Direction::zero_add;
  step = reverse ? reversed(step) : step;
  const Uses& lacking = reverse ? uses : without;
  if (step.dropped_null.positive()) {
    const Real next = Real(static_cast<double>(lacking.weight.size())) * distance(reverse ? 1 : null);
    step.far_out = far_out(step.pieces.front(), step.dropped_null, next);
  }
  return step;
}

}  // namespace dpcurves::accounting::mixture
