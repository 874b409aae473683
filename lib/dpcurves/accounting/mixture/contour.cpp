// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using proof::round_down;
using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double pi = std::numbers::pi;
constexpr double most_top = 1e4;    // of the first guess
constexpr double tail_spare = 3.0;  // logarithm of the width over the part of it beyond the last order

/// How much dearer the components make an evaluation in balls.
double terms_of(const Piece& piece) {
  constexpr double few = 20.0;
  return std::max(1.0, static_cast<double>(piece.alternative.size() + piece.null.size()) / few);
}

}  // namespace

void Profile::Contour::spend(double exponentials) const {
  work_ -= exponentials;
  if (work_ < 0.0) {
    throw ConvergenceError("no proof: a contour is too long");
  }
}

/// log of the bound of |F| e^{-references} beyond y.
double Profile::Contour::log_tail(double y, const PieceBound& beyond) const {
  double total = 0.0;
  const Precision precision(64);
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    Real size;
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
    spend(n.size());
    sum = sum + n.at(y);
  }
  for (const Atom& a : problem_.steps[step].atoms) {
    const Complex turn(Real(plan_.c) * a.loss - Real(plan_.reference[step]), Real(y) * a.loss);
    sum = sum + Complex(a.mass) * rigorous::exp(turn);
  }
  for (const Ramp& r : problem_.steps[step].ramps) {
    sum = sum + r.moment(Complex(Real(plan_.c), Real(y))) * Complex(rigorous::exp(Real(-plan_.reference[step])));
  }
  return sum;
}

/// E[(l - m) e^{c l}] and E[(l - m)^2 e^{c l}], and M(c), all over e^{reference} and at least.
Nodes::Spread Profile::Contour::spread(std::size_t step, double m) const {
  Nodes::Spread out;
  for (const Nodes& n : nodes_[step]) {
    const Nodes::Spread one = n.spread(m);
    out.mass += one.mass;
    out.first += one.first;
    out.square += one.square;
  }
  for (const Atom& a : problem_.steps[step].atoms) {
    const Real weight = a.mass * rigorous::exp(Real(plan_.c) * a.loss - Real(plan_.reference[step]));
    const Real off = a.loss - Real(m);
    out.mass += weight;
    out.first += weight * off;
    out.square += weight * off * off;
  }
  for (const Ramp& r : problem_.steps[step].ramps) {
    const Real part = r.moment(Complex(Real(plan_.c))).re() * rigorous::exp(Real(-plan_.reference[step]));
    const Real off = rigorous::max(rigorous::abs(r.high - Real(m)), rigorous::abs(r.low - Real(m)));
    out.mass += part;
    out.first = rigorous::widened(out.first, part * off);
    out.square += part * off * off;
  }
  return out;
}

// Cells [y, y + width] of orders: |M(c + i v)| is at most |M(c + i u)| + |v - u| s, with s = (M(c) E[(l - m)^2 e^{c
// l}])^{1/2} by Cauchy and Schwarz, or |E[(l - m) e^{c l}]| + v E[(l - m)^2 e^{c l}] as |e^{i v (l - m)} - 1| <= v |l -
// m|. A cell holds at most width / h + 1 orders.
Real Profile::Contour::between(double begin, double end, double log_wanted) const {
  const Precision precision(64);
  std::vector<Nodes::Spread> spreads;
  std::vector<Real> steepest;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    spreads.push_back(spread(i, plan_.sketch[i].cumulants(plan_.c).first));
    steepest.push_back(rigorous::sqrt(rigorous::upper_end(spreads[i].mass * spreads[i].square)));
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
      const Real slope = rigorous::abs(spreads[i].first) + Real(next) * spreads[i].square;
      log_size +=
          Real(problem_.steps[i].count) * rigorous::log(rigorous::abs(moment(i, middle)) +
                                                        far * rigorous::min(steepest[i], rigorous::upper_end(slope)));
    }
    const Real part =
        rigorous::exp(rigorous::upper_end(log_size)) * Real((next - y + plan_.h) / (y * y)) / rigorous::pi();
    const bool small = log_size.upper() + std::log((next - y + plan_.h) / (y * y)) < log_wanted;
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
/// \param wanted  log of what may be left of it; a small part of that is looked for.
double Profile::Contour::last_order(const std::vector<std::vector<Bends>>& bends, double log_value, double wanted,
                                    double highest) {
  const double top = 8.0 / plan_.width;
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
  const auto left = [&](double y) {
    return log_left(y, log_value,
                    [&](std::size_t i, std::size_t k) { return Real(bends[i][k].best(y, highest).total); });
  };
  double y = top, log_rest = left(y);
  while (!(log_rest < wanted - tail_spare) && affordable(y)) {
    y *= 1.5;
    log_rest = left(y);
  }
  if (!(log_rest < wanted)) {
    smoothing_ = std::sqrt(2.2 * std::max(4.0, log_value - std::log(pi * y) - wanted)) / y;
  }
  return y;
}

/// log of the tail beyond y, e^{log_tail - gauss + log_value} / (pi y).
double Profile::Contour::log_left(double y, double log_value, const PieceBound& beyond) const {
  const double gauss = problem_.gaussian_square.middle() * 0.5 * (plan_.c * plan_.c + plan_.c);
  return log_tail(y, beyond) - gauss + log_value - std::log(pi * y);
}

/// Nodes of the pieces. They leave the real line, in the order of what that gains, until the tail is far smaller than
/// it may be. Returns the largest height.
double Profile::Contour::bend_pieces(const std::vector<std::vector<Bends>>& bends, double y, double log_value,
                                     double wanted, double highest) {
  constexpr double far = tail_spare + 10.0;
  struct Gain {
    double size;
    std::size_t step, piece;
    Bend bend;
  };
  std::vector<std::vector<Bend>> found;
  std::vector<Gain> gains;
  for (std::size_t i = 0; i < bends.size(); ++i) {
    found.emplace_back();
    for (std::size_t k = 0; k < bends[i].size(); ++k) {
      found.back().push_back(bends[i][k].straight());
      const Bend best = bends[i][k].best(y, highest);
      if (best.height > 0.0) {
        gains.push_back({problem_.steps[i].count * (found[i][k].total - best.total), i, k, best});
      }
    }
  }
  std::stable_sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.size > b.size; });
  const auto about = [&](std::size_t i, std::size_t k) { return Real(found[i][k].total); };
  double used = 0.0;
  for (const Gain& gain : gains) {
    if (log_left(y, log_value, about) < wanted - far) {
      break;
    }
    found[gain.step][gain.piece] = gain.bend;
    used = std::max(used, gain.bend.height);
  }
  nodes_.clear();
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    nodes_.emplace_back();
    const Orders orders{plan_.c, plan_.other, y, problem_.steps[i].count >= many};
    for (std::size_t k = 0; k < problem_.steps[i].pieces.size(); ++k) {
      const Piece& piece = problem_.steps[i].pieces[k];
      nodes_.back().emplace_back(piece, plan_.ranges[i][k], orders, plan_.reference[i], found[i][k]);
      spend(making * terms_of(piece) * nodes_.back().back().size());
    }
  }
  return used;
}

Profile::Contour::Contour(const Problem& problem, const Plan& plan, double relative, double& work)
    : problem_(problem), plan_(plan), work_(work) {
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
      bends.back().emplace_back(problem.steps[i].pieces[k], plan.ranges[i][k], plan.c, plan.reference[i],
                                problem.steps[i].count);
    }
  }
  // Where balls do not prove what doubles saw on a path, lower ones are tried.
  constexpr int most_tries = 5;
  constexpr double lower = 0.6;
  double highest = infinity, y = 1.0, log_rest = infinity;
  for (int i = 0; i < most_tries && highest > 0.0 && !(log_rest - gauss + log_value - std::log(pi * y) < wanted); ++i) {
    y = last_order(bends, log_value, wanted, highest);
    constexpr double most_grown = 10.0;  // logarithms by which the smoothing raises delta
    if (0.5 * smoothing_ * smoothing_ * plan.c * (plan.c + 1.0) > most_grown) {
      throw ConvergenceError("no proof: F falls too slowly");
    }
    highest = lower * bend_pieces(bends, y, log_value, wanted, highest);
    log_rest = log_tail(y, [&](std::size_t k, std::size_t l) { return nodes_[k][l].beyond(y); });
  }
  const bool back = returns(problem);
  const auto last = static_cast<long>(std::ceil(y / plan.h));
  // Orders that are bounded, not summed: in some tens of cells, and where these are many, with less to spare.
  constexpr long few_cells = 40;
  const double unseen = static_cast<double>(last) > few_orders / 4.0 ? 4.0 : 10.0;
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
    if (smoothing_ > 0.0) {
      const Real half_square = rigorous::scaled(Real(smoothing_) * Real(smoothing_), -1);
      smooth_[0].push_back(value_.back() * rigorous::exp(Complex(half_square) * poles));
      smooth_[1].push_back(value_.back() * rigorous::exp(Complex(rigorous::scaled(half_square, 2)) * poles));
    }
    seen = w;
    const double size =
        std::log(rigorous::abs(value_.back()).upper()) + log_reference_ - plan.c * plan.epsilon + std::log(w);
    if (!back && j > 4 && size < wanted - unseen - 2.0 && last - j > few_cells) {
      break;
    }
  }
  // |sum over the orders beyond| <= the integral of dy / y^2 from there on, times the bound there.
  tail_ = rigorous::exp(Real(log_rest)) / (rigorous::pi() * Real(y));
  if (seen < y) {
    tail_ += between(seen, y, wanted - unseen - log_value + gauss);
  }
  other_ = Real(1);
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    Real m;
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
  far_moment_ = far_moment();
  const Real o(plan.other);
  other_ = other_ * rigorous::exp(rigorous::scaled(problem.gaussian_square * (o * o + o), -1));
}

/// The mean of e^{(1 + c) loss} over what the nulls of all steps together lack, over e^{references}.
Real Profile::Contour::far_moment() const {
  Real log_more;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    const Step& step = problem_.steps[i];
    if (!step.dropped_null.positive()) {
      continue;
    }
    if (!step.far_out) {
      return Real(infinity);
    }
    const Real ratio =
        rigorous::exp((Real(1) + Real(plan_.c)) * rigorous::log(step.far_out->ratio) - Real(plan_.reference[i]));
    const Real share = step.far_out->share + step.dropped_null * ratio / moment(i, 0.0).re();
    log_more += Real(step.count) * rigorous::log1p(share);
  }
  const Complex c{Real(plan_.c)};
  return rigorous::upper_end((value_.front() * c * (c + Complex(Real(1)))).re() * rigorous::expm1(log_more));
}

/// e^{references}
Real Profile::Contour::front() const {
  Real reference;
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    reference += Real(problem_.steps[i].count) * Real(plan_.reference[i]);
  }
  return rigorous::exp(reference);
}

Real Profile::Contour::lacks(const Real& epsilon) const {
  const Real far = far_moment_ * front() * rigorous::exp(-Real(plan_.c) * epsilon);
  const Real plain = rigorous::upper_end(lost_null_ * rigorous::exp(epsilon));
  return far.finite() ? rigorous::min(plain, rigorous::upper_end(far)) : plain;
}

// The proved bounds of delta with a Gaussian mechanism of parameter `smoothing`.
Real Profile::Contour::sum(const Real& epsilon, double smoothing) const {
  const Real c(plan_.c), h(plan_.h), w2 = Real(smoothing) * Real(smoothing);
  const Complex turn(Real(), -(h * epsilon));
  const std::vector<Complex>& values =
      smoothing == 0.0 ? value_ : smooth_.at(smoothing == smoothing_ ? std::size_t{0} : std::size_t{1});
  Real total = rigorous::power_sum(values, rigorous::exp(turn)).re() - rigorous::scaled(values.front().re(), -1);
  total = total * rigorous::exp(-(c * epsilon));
  const Real front = this->front();
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
    const Real more = rigorous::scaled(rigorous::exp(-(w2 * Real(3) / Real(8))), 1) - Real(1);
    lower = more.positive() ? once - (sum(e, 2.0 * smoothing_) - once) / more : Real();  // else too much was added
  }
  lower = lower - lacks(e) + infinite_;
  const double low = lower.lower(), high = (once + lost_ + infinite_).upper();
  return {std::isnan(low) ? 0.0 : std::clamp(low, 0.0, 1.0), std::isnan(high) ? 1.0 : std::clamp(high, 0.0, 1.0)};
}

}  // namespace dpcurves::accounting::mixture
