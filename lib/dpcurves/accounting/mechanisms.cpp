// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <dpcurves/accounting/mechanisms.hpp>
#include <dpcurves/accounting/mixture/curve.hpp>
#include <dpcurves/accounting/mixture/pairs.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>

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

void add(mixture::Problem& problem, const Mechanism& m, bool remove) {
  if (m.count == 0.0 || m.sampling_rate == 0.0 || (discrete(m.kind) && m.sensitivity == 0.0)) {
    return;
  }
  if (m.kind == MechanismKind::zcdp) {
    throw DomainError(
        "kind: zcdp bounds Renyi divergences, and no pair of laws has them as its own; nearest: concentrated releases "
        "of a run file, which are composed by Renyi divergences");
  }
  Step step;
  if ((m.kind == MechanismKind::gaussian && m.noise > 0.0) || m.kind == MechanismKind::gdp) {
    const Real mu = m.kind == MechanismKind::gdp ? Real(m.mu) : Real(1) / Real(m.noise);
    if (m.sampling_rate == 1.0) {
      problem.gaussian_square += Real(m.count) * mu * mu;
      return;
    }
    const Real q(m.sampling_rate);
    step.pieces.push_back({Real(1), {{Real(1) - q, Real()}, {q, mu}}, {{Real(1), Real()}}});
    step = remove ? step : reversed(step);
  } else {
    const Losses l = m.kind == MechanismKind::gaussian ? everything() : losses_of(m);
    if (m.sampling_rate < 1.0 && !l.step.ramps.empty()) {
      throw DomainError(
          "sampling_rate: the loss of a sampled Laplace mechanism is no exponential ramp; nearest: discrete-laplace");
    }
    if (m.sampling_rate < 1.0) {
      step = sampled(l, m.sampling_rate, remove).step;
    } else {
      step = m.kind == MechanismKind::losses && !remove ? turned(l).step : l.step;
    }
  }
  step.count = m.count;
  problem.steps.push_back(std::move(step));
}

}  // namespace

CurvePtr mechanisms_curve(const std::vector<Mechanism>& mechanisms, bool remove) {
  const Precision precision(160);
  mixture::Problem problem;
  for (const Mechanism& m : mechanisms) {
    add(problem, m, remove);
  }
  return mixture::mixture_curve({{std::move(problem)}, {}});
}

}  // namespace dpcurves::accounting
