// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using proof::round_down;
using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double pi = std::numbers::pi;
constexpr double many = 1e8;       // steps from which 15 digits of a moment are too few
constexpr double most_top = 1e4;   // of the first guess
constexpr double most_work = 1e8;  // exponentials of a contour

}  // namespace

/// What the moment of a step may be off by, over e^{reference}.
Real Profile::Contour::unsure(std::size_t step, double order) const {
  const Step& s = problem_.steps[step];
  if (!s.unsure.positive()) {
    return {};
  }
  Real most(2);
  for (const Atom& a : s.atoms) {
    most += rigorous::exp(Real(order) * rigorous::abs(a.loss));
  }
  return rigorous::upper_end(s.unsure * most * rigorous::exp(Real(-plan_.reference[step])));
}

/// log of the bound of |F| e^{-references} beyond y.
double Profile::Contour::log_tail(double y, const PieceBound& beyond) const {
  double total = 0.0;
  const Precision precision(64);
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    Real size = unsure(i, plan_.c);
    for (std::size_t k = 0; k < problem_.steps[i].pieces.size(); ++k) {
      size += beyond(i, k);
    }
    for (const Atom& a : problem_.steps[i].atoms) {
      size += a.mass * rigorous::exp(Real(plan_.c) * a.loss - Real(plan_.reference[i]));
    }
    for (const Ramp& r : problem_.steps[i].ramps) {  // |z + rate| >= y
      const Real order = Real(plan_.c) + r.rate;
      size += r.factor * (rigorous::exp(order * r.high) + rigorous::exp(order * r.low)) *
              rigorous::exp(Real(-plan_.reference[i])) / Real(y);
    }
    total += (Real(problem_.steps[i].count) * rigorous::log(size)).upper();
  }
  const Real c(plan_.c);
  const Real gauss = rigorous::scaled(
      (problem_.gaussian_square + Real(smoothing_) * Real(smoothing_)) * (c * c + c - Real(y) * Real(y)), -1);
  return total + gauss.upper() + 1e-12 * std::abs(total);
}

Complex Profile::Contour::moment(std::size_t step, double y) const {
  Complex sum;
  for (const Nodes& n : nodes_[step]) {
    sum = sum + n.at(y);
  }
  for (const Atom& a : problem_.steps[step].atoms) {
    const Complex turn(Real(plan_.c) * a.loss - Real(plan_.reference[step]), Real(y) * a.loss);
    sum = sum + Complex(a.mass) * rigorous::exp(turn);
  }
  for (const Ramp& r : problem_.steps[step].ramps) {
    sum = sum + r.moment(Complex(Real(plan_.c), Real(y))) * Complex(rigorous::exp(Real(-plan_.reference[step])));
  }
  acb_add_error_arb(sum.get(), unsure(step, plan_.c).get());
  return sum;
}

// Cells [y, y + width] of orders: with s^2 >= M(c) E[(l - m)^2 e^{c l}], |M(c + i v)| is at most |M(c + i u)| + |v - u|
// s. A cell holds at most width / h + 1 orders.
Real Profile::Contour::between(double begin, double end, double log_wanted) const {
  const Precision precision(64);
  std::vector<Real> slope;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    double mass = 0.0, first = 0.0;
    for (const Nodes& n : nodes_[i]) {
      const auto s = n.spread(0.0);
      mass += s.mass.middle();
      first += s.first;
    }
    std::vector<Real> weight;
    for (const Atom& a : problem_.steps[i].atoms) {
      weight.push_back(a.mass * rigorous::exp(Real(plan_.c) * a.loss - Real(plan_.reference[i])));
      mass += weight.back().middle();
      first += weight.back().middle() * a.loss.middle();
    }
    const double m = first / mass;
    Real all = unsure(i, plan_.c), square = all;
    for (const Nodes& n : nodes_[i]) {
      const auto s = n.spread(m);
      all += s.mass;
      square += s.square;
    }
    for (std::size_t k = 0; k < weight.size(); ++k) {
      const Real off = problem_.steps[i].atoms[k].loss - Real(m);
      all += weight[k];
      square += weight[k] * off * off;
    }
    for (const Ramp& r : problem_.steps[i].ramps) {
      const Real part = r.moment(Complex(Real(plan_.c))).re() * rigorous::exp(Real(-plan_.reference[i]));
      const Real off = rigorous::max(rigorous::abs(r.high - Real(m)), rigorous::abs(r.low - Real(m)));
      all += part;
      square += part * off * off;
    }
    slope.push_back(rigorous::sqrt(rigorous::upper_end(all * square)));
  }
  constexpr int most_cells = 20000;
  const Real c(plan_.c), square = problem_.gaussian_square + Real(smoothing_) * Real(smoothing_);
  Real total;
  double y = begin, width = plan_.h;
  for (int cells = 0; y < end; ++cells) {
    const double next = std::min(y + width, end), middle = round_down(0.5 * (y + next), 40);
    const Real far(std::max(middle - y, next - middle) * (1 + 1e-14));
    Real log_size = rigorous::scaled(square * (c * c + c - Real(y) * Real(y)), -1);
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      log_size += Real(problem_.steps[i].count) * rigorous::log(rigorous::abs(moment(i, middle)) + far * slope[i]);
    }
    const Real part =
        rigorous::exp(rigorous::upper_end(log_size)) * Real((next - y + plan_.h) / (y * y)) / rigorous::pi();
    const bool small = log_size.upper() + std::log((next - y + plan_.h) / (y * y)) < log_wanted - 4.0;
    if (!small && width > 0.02 * plan_.h && cells < most_cells) {
      width *= 0.5;
      continue;
    }
    total += part;
    y = next;
    width *= small ? 1.4 : 1.0;
  }
  return rigorous::upper_end(total);
}

/// From where on F is small; with smoothing_, if that is too far away. In doubles.
double Profile::Contour::last_order(const std::vector<std::vector<Bends>>& bends, double log_value, double wanted) {
  const double top = 8.0 / plan_.width, gauss = problem_.gaussian_square.middle() * 0.5 * (plan_.c * plan_.c + plan_.c);
  // Orders are summed until F is small; where it is not small here, all the way.
  double log_size = log_value - 2.0 * std::log(top) - 0.5 * problem_.gaussian_square.middle() * top * top;
  std::size_t size = 0;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const Step& step = problem_.steps[i];
    const double modulus = std::abs(plan_.sketch[i].moment(plan_.c, top, plan_.reference[i]));
    log_size += step.count * std::log(std::max(1e-300, modulus));
    size += 20 * (step.atoms.size() + step.ramps.size()) + 100 + plan_.sketch[i].loss.size();  // in balls
  }
  const double longest = log_size < wanted - 2.0 && !returns(problem_) ? few_orders : infinity;
  const auto affordable = [&](double y) {
    return std::min(y / plan_.h, longest) * static_cast<double>(size) * std::max(1.0, 0.1 * y / top) < most_work &&
           y < most_top * top;
  };
  // The tail is e^{log_tail - gauss + log_value} / (pi y).
  const auto enough = [&](double y) {
    const auto about = [&](std::size_t i, std::size_t k) { return Real(bends[i][k].best(y).total); };
    return log_tail(y, about) - gauss + log_value - std::log(pi * y) < wanted;
  };
  double y = top;
  bool reached = enough(y);
  while (!reached && affordable(y)) {
    y *= 1.5;
    reached = enough(y);
  }
  if (!reached) {
    const double need = std::max(4.0, log_value - std::log(pi * y) - wanted);
    smoothing_ = std::sqrt(2.2 * need) / y;
  }
  return y;
}

Profile::Contour::Contour(const Problem& problem, const Plan& plan, double relative) : problem_(problem), plan_(plan) {
  const Precision precision(128);
  for (std::size_t i = 0; i < plan.reference.size(); ++i) {
    log_reference_ += problem.steps[i].count * plan.reference[i];
  }
  const double gauss = problem.gaussian_square.middle() * 0.5 * (plan.c * plan.c + plan.c);
  const double log_value = log_reference_ + gauss - plan.c * plan.epsilon;  // log of F(c) e^{-c epsilon}
  const double wanted = plan.log_delta + std::log(relative) - 1.0;
  std::vector<std::vector<Bends>> bends;
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    bends.emplace_back();
    for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
      bends.back().emplace_back(problem.steps[i].pieces[k], plan.ranges[i][k], plan.c, plan.reference[i]);
    }
  }
  const double y = last_order(bends, log_value, wanted);
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    nodes_.emplace_back();
    for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
      const Orders orders{plan.c, plan.other, y, problem.steps[i].count >= many};
      nodes_.back().emplace_back(problem.steps[i].pieces[k], plan.ranges[i][k], orders, plan.reference[i],
                                 bends[i][k].best(y));
    }
  }
  const bool back = returns(problem);
  const auto last = static_cast<long>(std::ceil(y / plan.h));
  double seen = 0.0;  // orders from here on are bounded, not summed
  for (long j = 0; j <= last; ++j) {
    const double w = static_cast<double>(j) * plan.h;
    Complex f(Real(1));
    for (std::size_t i = 0; i < problem.steps.size(); ++i) {
      Complex m = moment(i, w);
      acb_pow_ui(m.get(), m.get(), static_cast<ulong>(problem.steps[i].count), Precision::bits());
      f = f * m;
    }
    const Complex z(Real(plan.c), Real(w)), poles = z * (z + Complex(Real(1)));
    if (!problem.gaussian_square.exact() || problem.gaussian_square.positive()) {
      f = f * rigorous::exp(Complex(rigorous::scaled(problem.gaussian_square, -1)) * poles);
    }
    value_.push_back(f / poles);
    seen = w;
    const double size =
        std::log(rigorous::abs(value_.back()).upper()) + log_reference_ - plan.c * plan.epsilon + std::log(w);
    if (!back && j > 20 && static_cast<double>(last - j) > few_orders / 4.0 && size < wanted - 6.0) {
      break;
    }
  }
  // |sum over the orders beyond| <= the integral of dy / y^2 from there on, times the bound there.
  top_ = std::max(seen, y);
  const double log_rest = log_tail(top_, [&](std::size_t i, std::size_t k) { return nodes_[i][k].beyond(top_); });
  tail_ = rigorous::exp(Real(log_rest)) / (rigorous::pi() * Real(top_));
  if (seen < y) {
    tail_ += between(seen, top_, wanted - log_value + gauss);
  }
  other_ = Real(1);
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    Real m = unsure(i, plan.other);
    for (const Nodes& n : nodes_[i]) {
      m += n.at_other();
    }
    for (const Atom& a : problem.steps[i].atoms) {
      m += a.mass * rigorous::exp(Real(plan.other) * a.loss - Real(plan.reference[i]));
    }
    for (const Ramp& r : problem.steps[i].ramps) {
      m += r.moment(Complex(Real(plan.other))).re() * rigorous::exp(Real(-plan.reference[i]));
    }
    Real power;
    arb_pow_ui(power.get(), m.get(), static_cast<ulong>(problem.steps[i].count), Precision::bits());
    other_ = other_ * power;
    lost_ += Real(problem.steps[i].count) * problem.steps[i].dropped_alternative;
    lost_null_ += Real(problem.steps[i].count) * problem.steps[i].dropped_null;
    for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
      lost_ += Real(problem.steps[i].count) * lost(problem.steps[i].pieces[k], plan.ranges[i][k]);
    }
  }
  infinite_ = infinite_mass(problem);
  const Real o(plan.other);
  other_ = other_ * rigorous::exp(rigorous::scaled(problem.gaussian_square * (o * o + o), -1));
}

// The proved bounds of delta with a Gaussian mechanism of parameter `smoothing`.
Real Profile::Contour::sum(const Real& epsilon, double smoothing) const {
  const Real c(plan_.c), h(plan_.h), w2 = Real(smoothing) * Real(smoothing);
  Real total;
  for (std::size_t j = 0; j < value_.size(); ++j) {
    const Real y = Real(static_cast<double>(j)) * h;
    Complex turn(-c * epsilon, -(y * epsilon));
    if (smoothing > 0.0) {
      const Complex z(c, y);
      turn = turn + Complex(rigorous::scaled(w2, -1)) * z * (z + Complex(Real(1)));
    }
    const Real term = (value_[j] * rigorous::exp(turn)).re();
    total += j == 0 ? rigorous::scaled(term, -1) : term;
  }
  Real reference;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    reference += Real(problem_.steps[i].count) * Real(plan_.reference[i]);
  }
  const Real front = rigorous::exp(reference);
  Real extra = rigorous::exp(-c * epsilon);
  if (smoothing != smoothing_) {  // the tail was taken with smoothing_
    extra = extra * rigorous::exp(rigorous::scaled((w2 - Real(smoothing_) * Real(smoothing_)) * (c * c + c), -1));
  }
  total = total * h / rigorous::pi() * front;
  arb_add_error(total.get(), (tail_ * front * extra).get());
  const Real period = rigorous::scaled(rigorous::pi(), 1) / h, o(plan_.other);
  const Real below = Real(1) / rigorous::expm1(c * period);
  const Real above = other_ * front * rigorous::exp(rigorous::scaled(w2 * (o * o + o), -1) - o * epsilon) /
                     rigorous::expm1((o - c) * period);
  return rigorous::hull(total - rigorous::upper_end(below + above), total);
}

Enclosure Profile::Contour::at(double epsilon) const {
  const Precision precision(128);
  const Real e(epsilon), once = sum(e, smoothing_);
  Real lower = once;
  if (smoothing_ > 0.0) {
    const Real w2 = Real(smoothing_) * Real(smoothing_);
    const Real share = Real(1) / (rigorous::scaled(rigorous::exp(-(w2 * Real(3) / Real(8))), 1) - Real(1));
    lower = once - share * (sum(e, 2.0 * smoothing_) - once);
  }
  lower = lower - lost_null_ * rigorous::exp(e) + infinite_;
  const double low = lower.lower(), high = (once + lost_ + infinite_).upper();
  return {std::isnan(low) ? 0.0 : std::clamp(low, 0.0, 1.0), std::isnan(high) ? 1.0 : std::clamp(high, 0.0, 1.0)};
}

}  // namespace dpcurves::accounting::mixture
