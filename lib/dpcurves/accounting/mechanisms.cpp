// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixture/curve.hpp>
#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using mixture::Step;
using rigorous::Precision;
using rigorous::Real;

/// The losses of an unsampled mechanism, and the mass of the null where the alternative has none.
struct Losses {
  Step step;
  Real null_only;
};

Losses symmetric_atoms(const std::vector<mixture::Atom>& atoms, const Real& infinite) {
  Losses l;
  l.step.atoms = atoms;
  l.step.infinite = infinite;
  l.null_only = infinite;
  return l;
}

Losses everything() { return symmetric_atoms({}, Real(1)); }

/// e^epsilon : 1 among the categories, with chance 1 - infinite.
Losses response(const Real& epsilon, double categories, const Real& infinite) {
  const Real most = rigorous::exp(epsilon), all = most + Real(categories - 1.0), rest = Real(1) - infinite;
  std::vector<mixture::Atom> atoms{{epsilon, rest * most / all}, {-epsilon, rest / all}};
  if (categories > 2.0) {
    atoms.push_back({Real(), rest * Real(categories - 2.0) / all});
  }
  return symmetric_atoms(atoms, infinite);
}

Losses laplace(double noise) {
  Losses l;
  const Real e = Real(1) / Real(noise), less = rigorous::exp(-e);
  l.step.atoms = {{e, Real(0.5)}, {-e, rigorous::scaled(less, -1)}};
  l.step.ramps = {{-e, e, rigorous::scaled(rigorous::exp(rigorous::scaled(-e, -1)), -2), Real(0.5)}};
  return l;
}

/// The ramp of the Laplace law in cells: each cell at its middle, which is what a look at the cell alone tells (below),
/// or split to its ends such that both masses stay (above). Dominated by, and dominating, the law itself.
Losses laplace_cells(double noise, bool above) {
  constexpr double cells_of_unit = 256.0, most_cells = 4096.0;  // a width of 1/128: the square of it is the error
  const double e = 1.0 / noise;
  const auto cells = static_cast<int>(std::clamp(std::ceil(e * cells_of_unit), cells_of_unit, most_cells));
  Losses l = laplace(noise);
  const Real end = l.step.atoms.front().loss, front = rigorous::scaled(l.step.ramps.front().factor, 1);
  l.step.ramps.clear();
  const auto loss = [&](int k) { return end * Real(2 * k - cells) / Real(cells); };
  std::vector<Real> null(static_cast<std::size_t>(cells) + 1);
  for (int k = 0; k < cells; ++k) {
    const Real a = loss(k), b = loss(k + 1);
    const Real p = front * (rigorous::exp(rigorous::scaled(b, -1)) - rigorous::exp(rigorous::scaled(a, -1)));
    const Real q = front * (rigorous::exp(rigorous::scaled(-a, -1)) - rigorous::exp(rigorous::scaled(-b, -1)));
    if (!above) {
      l.step.atoms.push_back({rigorous::scaled(a + b, -1), p});
      continue;
    }
    const Real right = (p - rigorous::exp(a) * q) / (rigorous::exp(b) - rigorous::exp(a));
    null[static_cast<std::size_t>(k) + 1] += right;
    null[static_cast<std::size_t>(k)] += q - right;
  }
  for (int k = 0; above && k <= cells; ++k) {
    l.step.atoms.push_back({loss(k), null[static_cast<std::size_t>(k)] * rigorous::exp(loss(k))});
  }
  return l;
}

Losses discrete_laplace(double noise, double sensitivity) {
  const Real unit = Real(1) / Real(noise), a = rigorous::exp(-unit), front = Real(1) / (Real(1) + a);
  std::vector<mixture::Atom> atoms{{unit * Real(sensitivity), front},
                                   {-(unit * Real(sensitivity)), rigorous::exp(-(unit * Real(sensitivity))) * front}};
  for (double k = 1.0; k < sensitivity; ++k) {
    atoms.push_back({unit * Real(sensitivity - 2.0 * k), (Real(1) - a) * front * rigorous::exp(-(unit * Real(k)))});
  }
  return symmetric_atoms(atoms, Real());
}

/// Beyond 15 deviations a mass of at most 2 e^{-112} is dropped on either side.
Losses discrete_gaussian(double noise, double sensitivity) {
  require_domain(noise <= 1e3, "noise", noise, "[0, 1000] for discrete-gaussian");
  constexpr double reach = 15.0;
  const double last = std::ceil(reach * noise) + 1.0;
  const Real square = Real(noise) * Real(noise) * Real(2);
  Real sum;
  std::vector<mixture::Atom> atoms;
  for (double k = -last; k <= last; ++k) {
    const Real w = rigorous::exp(-(Real(k) * Real(k) / square));
    sum += w;
    atoms.push_back({Real(sensitivity * (sensitivity - 2.0 * k)) / square, w});
  }
  // the sum beyond `last`: at most twice the first term left out over 1 - its ratio
  const Real next = rigorous::exp(-(Real(last + 1.0) * Real(last + 1.0) / square));
  const Real ratio = rigorous::exp(-(Real(2.0 * last + 3.0) / square));
  const Real beyond = rigorous::upper_end(rigorous::scaled(next / (Real(1) - ratio), 1));
  const Real all = sum + rigorous::zero_to(beyond);
  for (mixture::Atom& a : atoms) {
    a.mass = a.mass / all;
  }
  Losses l = symmetric_atoms(atoms, Real());
  l.step.dropped_alternative = rigorous::upper_end(beyond / sum);
  return l;
}

Losses given(const Mechanism& m) {
  require_domain(m.losses.size() == m.masses.size() && !m.losses.empty(), "masses",
                 static_cast<double>(m.masses.size()), "as many as losses, at least one");
  std::vector<mixture::Atom> atoms;
  Real sum, null;
  for (std::size_t i = 0; i < m.losses.size(); ++i) {
    require_domain(m.masses[i] >= 0.0, "masses", m.masses[i], "[0, 1]");
    if (m.masses[i] > 0.0) {
      atoms.push_back({Real(m.losses[i]), Real(m.masses[i])});
      sum += atoms.back().mass;
      null += atoms.back().mass * rigorous::exp(-atoms.back().loss);
    }
  }
  constexpr double rounding = 1e-12;  // of masses that were written in decimals
  require_domain(sum.lower() <= 1.0 + rounding, "masses", sum.upper(), "numbers of sum at most 1");
  require_domain(null.lower() <= 1.0 + 1e-9, "losses", null.upper(), "losses whose mean of e^{-loss} is at most 1");
  const auto rest = [](const Real& part) { return rigorous::at_least(Real(1) - part, Real()); };
  Losses l = symmetric_atoms(atoms, (Real(1) - sum).upper() <= rounding ? Real() : rest(sum));
  l.null_only = (Real(1) - null).upper() <= 1e-9 ? Real() : rest(null);
  return l;
}

/// The laws exchanged.
Losses turned(const Losses& l) {
  Losses out;
  for (const mixture::Atom& a : l.step.atoms) {
    out.step.atoms.push_back({-a.loss, a.mass * rigorous::exp(-a.loss)});
  }
  out.step.infinite = l.null_only;
  out.null_only = l.step.infinite;
  out.step.dropped_alternative = l.step.dropped_alternative;
  return out;
}

/// (1 - q) Q + q P against Q, or the reverse.
Losses sampled(const Losses& l, double rate, bool remove) {
  const Real q(rate), rest = Real(1) - q;
  Losses mixed;
  const auto loss = [&](const Real& x) { return rigorous::log(rest + q * rigorous::exp(x)); };
  for (const mixture::Atom& a : l.step.atoms) {
    mixed.step.atoms.push_back({loss(a.loss), a.mass * (q + rest * rigorous::exp(-a.loss))});
  }
  if (l.null_only.positive() && rate < 1.0) {
    mixed.step.atoms.push_back({rigorous::log(rest), rest * l.null_only});
  }
  mixed.step.infinite = q * l.step.infinite;
  mixed.step.dropped_alternative = l.step.dropped_alternative;
  mixed.null_only = rate < 1.0 ? Real() : l.null_only;
  return remove ? mixed : turned(mixed);
}

Losses losses_of(const Mechanism& m) {
  switch (m.kind) {
    case MechanismKind::laplace:
      return m.noise == 0.0 ? everything() : laplace(m.noise);
    case MechanismKind::discrete_laplace:
      return m.noise == 0.0 ? everything() : discrete_laplace(m.noise, m.sensitivity);
    case MechanismKind::discrete_gaussian:
      return m.noise == 0.0 ? everything() : discrete_gaussian(m.noise, m.sensitivity);
    case MechanismKind::randomized_response:
      return response(Real(m.epsilon), m.categories, Real());
    case MechanismKind::pure:
      return response(Real(m.epsilon), 2.0, Real());
    case MechanismKind::approximate:
      return response(Real(m.epsilon), 2.0, Real(m.delta));
    default:
      return given(m);
  }
}

bool discrete(MechanismKind kind) {
  return kind == MechanismKind::discrete_laplace || kind == MechanismKind::discrete_gaussian;
}

/// A mixture against N(0, 1), some of it unsampled.
Step mixture_step(const Mechanism& m, bool remove) {
  require_domain(m.weights.size() == m.means.size() && !m.weights.empty(), "weights",
                 static_cast<double>(m.weights.size()), "as many as means, at least one");
  const Real q(m.sampling_rate);
  Real sum;
  for (const double w : m.weights) {
    sum += Real(w);
  }
  require_domain(sum.lower() >= 1.0 - 1e-9 && sum.upper() <= 1.0 + 1e-9, "weights", sum.middle(), "numbers of sum 1");
  mixture::Mixture alternative;
  if (m.sampling_rate < 1.0) {
    alternative.push_back({Real(1) - q, Real()});
  }
  for (std::size_t i = 0; i < m.weights.size(); ++i) {
    if (m.weights[i] > 0.0) {
      alternative.push_back({q * Real(m.weights[i]) / sum, Real(m.means[i])});
    }
  }
  Step step;
  step.pieces.push_back({Real(1), alternative, {{Real(1), Real()}}});
  return remove ? step : reversed(step);
}

bool nothing(const Mechanism& m) {
  return m.count == 0.0 || m.sampling_rate == 0.0 || (discrete(m.kind) && m.sensitivity == 0.0);
}

bool normal(const Mechanism& m) {
  return (m.kind == MechanismKind::gaussian && m.noise > 0.0) || m.kind == MechanismKind::gdp;
}

/// How the ramp of a sampled Laplace mechanism is held: in cells, its law above or below, or as it is.
enum class Held { above, below, exact };

/// What is not normal, one use.
Losses one_use(const Mechanism& m, bool remove, Held held) {
  const bool in_cells = m.kind == MechanismKind::laplace && m.noise > 0.0 && m.sampling_rate < 1.0;
  const Losses l = m.kind == MechanismKind::gaussian ? everything()
                   : in_cells && held != Held::exact ? laplace_cells(m.noise, held == Held::above)
                                                     : losses_of(m);
  if (m.sampling_rate < 1.0) {
    Losses mixed = sampled(l, m.sampling_rate, remove);
    for (const mixture::Ramp& ramp : l.step.ramps) {
      mixed.step.sampled_ramps.push_back({ramp, m.sampling_rate, !remove});
    }
    return mixed;
  }
  return m.kind == MechanismKind::losses && !remove ? turned(l) : l;
}

void add(mixture::Problem& problem, const Mechanism& m, bool remove, Held held) {
  if (nothing(m)) {
    return;
  }
  if (m.kind == MechanismKind::zcdp) {
    throw DomainError(
        "kind: zcdp bounds Renyi divergences, and no pair of laws has them as its own; nearest: a run, which is "
        "answered by Renyi divergences");
  }
  Step step;
  if (normal(m)) {
    const Real mu = m.kind == MechanismKind::gdp ? Real(m.mu) : Real(1) / Real(m.noise);
    if (m.sampling_rate == 1.0) {
      problem.gaussian_square += Real(m.count) * mu * mu;
      return;
    }
    const Real q(m.sampling_rate);
    step.pieces.push_back({Real(1), {{Real(1) - q, Real()}, {q, mu}}, {{Real(1), Real()}}});
    step = remove ? step : reversed(step);
  } else {
    step = m.kind == MechanismKind::mixture ? mixture_step(m, remove) : one_use(m, remove, held).step;
  }
  step.count = m.count;
  problem.steps.push_back(std::move(step));
}

mixture::Problem problem_of(const std::vector<Mechanism>& mechanisms, bool remove, Held held) {
  mixture::Problem problem;
  for (const Mechanism& m : mechanisms) {
    add(problem, m, remove, held);
  }
  return problem;
}

/// By convexity in the sampled law.
double sampled_renyi(const Real& moment, double rate, double order) {
  const Real q(rate);
  return (rigorous::log(Real(1) - q + q * moment) / (Real(order) - Real(1))).upper();
}

/// At least the largest loss of one use, of P against Q or of Q against P; infinity where none is known.
double largest_loss(const Mechanism& m, bool remove) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const double q = m.sampling_rate;
  double whole = unknown;
  switch (m.kind) {
    case MechanismKind::laplace:
      whole = m.noise > 0.0 ? next_up(1.0 / m.noise) : unknown;
      break;
    case MechanismKind::discrete_laplace:
      whole = m.sensitivity == 0.0 ? 0.0 : m.noise > 0.0 ? next_up(m.sensitivity / m.noise) : unknown;
      break;
    case MechanismKind::randomized_response:
    case MechanismKind::pure:
      whole = m.epsilon;
      break;
    case MechanismKind::approximate:
      whole = m.delta == 0.0 ? m.epsilon : unknown;
      break;
    default:
      break;
  }
  if (nothing(m)) {
    return 0.0;
  }
  if (q == 1.0) {
    return whole;
  }
  const Precision precision(160);
  const Real rate(q);
  if (!remove) {  // P against (1 - q) P + q Q
    const Real least = std::isinf(whole) ? Real(0) : rigorous::exp(-Real(whole));
    return -rigorous::log(Real(1) - rate + rate * least).lower();
  }
  return std::isinf(whole) ? whole : rigorous::log(Real(1) - rate + rate * rigorous::exp(Real(whole))).upper();
}

/// A curve whose epsilons are searched among its deltas where its own are wide: near the largest loss, where delta
/// falls to 0.
class Searched final : public PrivacyCurve {
 public:
  Searched(CurvePtr curve, double largest_loss) : curve_(std::move(curve)), largest_loss_(largest_loss) {}
  Answer delta(double epsilon) const override { return curve_->delta(epsilon); }
  Answer epsilon(double delta) const override {
    Answer found = searched(delta);
    found.value = {std::min(found.value.lower, largest_loss_), std::min(found.value.upper, largest_loss_)};
    return found;
  }
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    return curve_->type_two_errors(type_one_errors);
  }
  Enclosure renyi(double order) const override {
    const Enclosure found = curve_->renyi(order);
    return {found.lower, std::min(found.upper, largest_loss_)};
  }
  Methods methods() const override { return {curve_->methods().tradeoff, "largest privacy loss", ""}; }

 private:
  [[nodiscard]] Answer searched(double delta) const {
    Answer found = curve_->epsilon(delta);
    constexpr double narrow = 1e-6;
    const auto wide = [&](double low, double high) { return high - low > narrow * std::max(narrow, high); };
    double low = found.value.lower, high = found.value.upper;
    if (std::isinf(high)) {
      constexpr double largest = 1e5;
      for (high = std::max(1.0, 2.0 * low); high < largest && curve_->delta(high).value.upper > delta;) {
        high *= 2.0;
      }
      if (high >= largest) {
        return found;
      }
    }
    if (!wide(low, high) || found.method == mixture::by_lattice) {
      return found;
    }
    while (wide(low, high)) {  // the least whose delta is proved small enough
      const double middle = 0.5 * (low + high);
      (curve_->delta(middle).value.upper <= delta ? high : low) = middle;
    }
    found.value.upper = high;
    for (low = found.value.lower; wide(low, high);) {  // the largest whose delta is proved too large
      const double middle = 0.5 * (low + high);
      (curve_->delta(middle).value.lower > delta ? low : high) = middle;
    }
    found.value.lower = low;
    return found;
  }

  CurvePtr curve_;
  double largest_loss_;
};

}  // namespace

CurvePtr mechanisms_curve(const std::vector<Mechanism>& mechanisms, bool remove) {
  const Precision precision(160);
  mixture::Bounds bounds{{problem_of(mechanisms, remove, Held::above)}, {}, {}};
  if (std::any_of(mechanisms.begin(), mechanisms.end(), [](const Mechanism& m) {
        return m.kind == MechanismKind::laplace && m.sampling_rate < 1.0 && !nothing(m);
      })) {
    bounds.attained = mixture::mixture_curve({{problem_of(mechanisms, remove, Held::below)}, {}, {}});
    bounds.exact = problem_of(mechanisms, remove, Held::exact);
  }
  double largest = 0.0;
  for (const Mechanism& m : mechanisms) {
    const double all = nothing(m) ? 0.0 : next_up(m.count * largest_loss(m, remove));
    largest = next_up(largest + all);
  }
  return std::make_shared<Searched>(mixture::mixture_curve(std::move(bounds)), largest);
}

double mechanism_renyi(const Mechanism& m, bool remove, double order) {
  require_domain(order > 1.0 && std::isfinite(order), "order", order, "(1, inf)");
  if (nothing(m)) {
    return 0.0;
  }
  const Precision precision(160);
  const Real a(order), z = a - Real(1), half = rigorous::scaled(a * z, -1);
  if (normal(m)) {
    const Real mu = m.kind == MechanismKind::gdp ? Real(m.mu) : Real(1) / Real(m.noise);
    if (m.sampling_rate == 1.0) {
      return rigorous::scaled(a * mu * mu, -1).upper();
    }
    const Pair pair = remove ? Pair::poisson_remove : Pair::poisson_add;
    return renyi({0.0, {{m.sampling_rate, mu.upper(), 1.0, pair}}}, order).upper;
  }
  if (m.kind == MechanismKind::zcdp) {
    return sampled_renyi(rigorous::exp(z * a * Real(m.rho)), m.sampling_rate, order);
  }
  if (m.kind == MechanismKind::discrete_gaussian && m.noise > 0.0) {  // at most that of the normal law
    const Real moved = Real(m.sensitivity) / Real(m.noise);
    return sampled_renyi(rigorous::exp(half * moved * moved), m.sampling_rate, order);
  }
  if (m.kind == MechanismKind::mixture) {
    static_cast<void>(mixture_step(m, remove));  // checks
    Real moment, sum;
    for (std::size_t i = 0; i < m.weights.size(); ++i) {
      sum += Real(m.weights[i]);
      moment += Real(m.weights[i]) * rigorous::exp(half * Real(m.means[i]) * Real(m.means[i]));
    }
    return sampled_renyi(moment / sum, m.sampling_rate, order);
  }
  const Losses l = one_use(m, remove, Held::above);
  if (!l.step.infinite.contains_zero() || !l.step.infinite.exact()) {
    return HUGE_VAL;
  }
  Real moment;
  for (const mixture::Atom& atom : l.step.atoms) {
    moment += atom.mass * rigorous::exp(z * atom.loss);
  }
  for (const mixture::Ramp& ramp : l.step.ramps) {
    moment += ramp.moment(rigorous::Complex(z)).re();
  }
  return (rigorous::log(moment) / z).upper();
}

}  // namespace dpcurves::accounting
