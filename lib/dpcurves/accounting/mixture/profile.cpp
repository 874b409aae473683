// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <dpcurves/accounting/mixture/profile.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;
constexpr double many = 1e8;        // steps from which 15 digits of a moment are too few
constexpr double most_top = 1e4;    // of the first guess
constexpr double most_work = 1e8;   // exponentials of a contour
constexpr double few_orders = 2e3;  // that are summed; those beyond are bounded in cells where they are small

double round_down(double v, int bits) {
  const int e = std::ilogb(v);
  return std::ldexp(std::floor(std::ldexp(v, bits - e)), e - bits);
}

/// That some loss is infinite.
Real infinite_mass(const Problem& problem) {
  const Precision precision(160);
  Real log_finite;
  for (const Step& s : problem.steps) {
    if (s.infinite >= Real(1)) {
      return {1};
    }
    log_finite += Real(s.count) * rigorous::log1p(-s.infinite);
  }
  return -rigorous::expm1(log_finite);
}

/// The largest sum of finite losses; infinite where there is none.
Real largest_loss(const Problem& problem) {
  Real total;
  bool bounded = problem.gaussian_square.exact() && !problem.gaussian_square.positive();
  for (const Step& s : problem.steps) {
    bounded = bounded && s.pieces.empty() && !(s.atoms.empty() && s.ramps.empty());
    if (!bounded) {
      break;
    }
    std::vector<Real> ends;
    for (const Atom& a : s.atoms) {
      ends.push_back(a.loss);
    }
    for (const Ramp& r : s.ramps) {
      ends.push_back(r.high);
    }
    Real most = ends.front();
    for (const Real& end : ends) {
      most = rigorous::max(most, end);
    }
    total += Real(s.count) * most;
  }
  if (!bounded) {
    arb_pos_inf(total.get());
  }
  return total;
}

/// Nodes in doubles of one step, for planning.
struct Sketch {
  std::vector<double> loss, log_weight;
  double count;
  [[nodiscard]] double log_moment(double c) const {
    double most = -infinity, sum = 0.0;
    for (std::size_t i = 0; i < loss.size(); ++i) {
      most = std::max(most, log_weight[i] + c * loss[i]);
    }
    for (std::size_t i = 0; i < loss.size(); ++i) {
      sum += std::exp(log_weight[i] + c * loss[i] - most);
    }
    return most + std::log(sum);
  }
};

}  // namespace

struct Profile::Plan {
  double epsilon = 0.0, c = 1.0, other = 2.0, h = 0.1, log_delta = 0.0, width = 1.0;
  std::vector<std::vector<Range>> ranges;
  std::vector<double> reference;
};

/// F on a line of orders; serves thresholds near that of its plan.
class Profile::Contour {
 public:
  Contour(const Problem& problem, const Plan& plan, double relative);
  [[nodiscard]] Enclosure at(double epsilon) const;
  [[nodiscard]] double c() const { return plan_.c; }
  [[nodiscard]] double slope(double epsilon) const { return std::abs(epsilon - plan_.epsilon) * plan_.width; }

 private:
  [[nodiscard]] Real sum(const Real& epsilon, double smoothing) const;
  [[nodiscard]] double log_tail(double y, bool proved) const;
  [[nodiscard]] Complex moment(std::size_t step, double y) const;
  [[nodiscard]] Real unsure(std::size_t step, double order) const;
  [[nodiscard]] Real between(double begin, double end, double log_wanted) const;
  void build(double top);

  const Problem& problem_;
  Plan plan_;
  double smoothing_ = 0.0, top_ = 0.0;  // what was composed with it; last order
  std::vector<std::vector<Nodes>> nodes_;
  std::vector<Complex> value_;  // F(c + i j h) e^{-references} / (z (z + 1))
  double log_reference_ = 0.0;
  Real tail_, other_, lost_, lost_null_,
      infinite_;  // bounds: beyond the last order, of F at the other, of masses left out
};

void Profile::Contour::build(double top) {
  nodes_.clear();
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    nodes_.emplace_back();
    const Step& step = problem_.steps[i];
    for (std::size_t k = 0; k < step.pieces.size(); ++k) {
      nodes_.back().emplace_back(step.pieces[k], plan_.ranges[i][k], Orders{plan_.c, plan_.other, top},
                                 plan_.reference[i]);
    }
  }
}

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
double Profile::Contour::log_tail(double y, bool proved) const {
  double total = 0.0;
  const Precision precision(64);
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    Real size = unsure(i, plan_.c);
    for (const Nodes& n : nodes_[i]) {
      size += proved ? n.beyond(y) : Real(n.beyond_about(y));
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
  const bool exact = problem_.steps[step].count >= many;
  for (const Nodes& n : nodes_[step]) {
    sum = sum + n.at(y, exact);
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

Profile::Contour::Contour(const Problem& problem, const Plan& plan, double relative) : problem_(problem), plan_(plan) {
  const Precision precision(128);
  double log_value = 0.0;  // log of F(c) e^{-c epsilon}
  for (std::size_t i = 0; i < plan.reference.size(); ++i) {
    log_reference_ += problem.steps[i].count * plan.reference[i];
  }
  const double gauss = problem.gaussian_square.middle() * 0.5 * (plan.c * plan.c + plan.c);
  log_value = log_reference_ + gauss - plan.c * plan.epsilon;
  const double wanted = plan.log_delta + std::log(relative) - 1.0;
  // tail: e^{log_tail - gauss + log_value} / (pi y)
  const auto enough = [&](double y) { return log_tail(y, false) - gauss + log_value - std::log(pi * y) < wanted; };
  double top = 8.0 / plan.width;
  build(top);
  // Orders are summed until F is small; where it is not small here, all the way.
  double log_size = log_value - gauss - 2.0 * std::log(top) +
                    0.5 * problem.gaussian_square.middle() * (plan.c * plan.c + plan.c - top * top);
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    log_size +=
        problem.steps[i].count * std::log(std::max(1e-300, rigorous::abs(moment(i, round_down(top, 20))).upper()));
  }
  // Atoms alone come back to their phases again and again.
  const bool returns = !(gauss > 0.0) && std::all_of(problem.steps.begin(), problem.steps.end(), [](const Step& step) {
    return step.pieces.empty() && step.ramps.empty();
  });
  const double longest = log_size < wanted - 2.0 && !returns ? few_orders : infinity;
  const auto affordable = [&](double y) {
    std::size_t size = 0;
    for (const Step& step : problem.steps) {
      size += 20 * (step.atoms.size() + step.ramps.size()) + 100;  // in balls
    }
    for (const auto& all : nodes_) {
      for (const Nodes& n : all) {
        size += n.size();
      }
    }
    return std::min(y / plan.h, longest) * static_cast<double>(size) * std::max(1.0, 0.1 * y / top) < most_work &&
           y < most_top * top;
  };
  double y = top;
  while (!enough(y) && affordable(y)) {
    y *= 1.5;
  }
  if (!enough(y)) {
    const double need = std::max(4.0, log_value - std::log(pi * y) - wanted);
    smoothing_ = std::sqrt(2.2 * need) / y;
  }
  if (y > top) {
    build(y);
  }
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
    if (!returns && j > 20 && static_cast<double>(last - j) > few_orders / 4.0 && size < wanted - 6.0) {
      break;
    }
  }
  // |sum over the orders beyond| <= the integral of dy / y^2 from there on, times the bound there.
  top_ = std::max(seen, y);
  const double log_rest = log_tail(top_, true);
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

Profile::Profile(Problem problem, double relative) : problem_(std::move(problem)), relative_(relative) {
  for (const Step& s : problem_.steps) {
    plain_.emplace_back();
    for (const Piece& p : s.pieces) {
      plain_.back().emplace_back(p);
    }
  }
}

Profile::~Profile() = default;

Profile::Plan Profile::plan(double epsilon) const {
  Plan p;
  p.epsilon = epsilon;
  const double square = problem_.gaussian_square.middle();
  double log_total = 0.0;
  for (const Step& s : problem_.steps) {
    log_total += s.count * static_cast<double>(s.pieces.size());
  }
  log_total = std::log(std::max(1.0, log_total));
  double log_mass = -60.0 - log_total;
  std::vector<Sketch> sketch;
  const auto draw = [&] {
    p.ranges.clear();
    sketch.clear();
    const PlainRule& rule = plain_rule();
    for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
      p.ranges.emplace_back();
      sketch.push_back({{}, {}, problem_.steps[i].count});
      for (const PlainPiece& piece : plain_[i]) {
        const auto end = [&](bool right) {
          double in = right ? piece.least_mean() : piece.largest_mean(),
                 out = right ? piece.largest_mean() + 40.0 : piece.least_mean() - 40.0;
          for (int k = 0; k < 40; ++k) {
            const double m = 0.5 * (in + out);
            (piece.log_tail(m, right) > log_mass ? in : out) = m;
          }
          return std::ceil(out * 16.0 + (right ? 1.0 : -1.0)) / 16.0;
        };
        Range range{std::max(piece.from(), end(false)), end(true)};
        range.right =
            piece.log_tail(range.left, true) < log_mass ? range.left : std::max(range.right, range.left + 1.0 / 16.0);
        p.ranges.back().push_back(range);
        const int panels = static_cast<int>(std::ceil(range.right - range.left));
        const double half = 0.5 * (range.right - range.left) / std::max(1, panels);
        for (int k = 0; k < panels; ++k) {
          for (std::size_t j = 0; j < rule_size; ++j) {
            const auto v = piece.at(range.left + half * (2.0 * k + 1.0 + rule.node[j]));
            sketch.back().loss.push_back(v.second.real());
            sketch.back().log_weight.push_back(v.first.real() + std::log(half * rule.weight[j]));
          }
        }
      }
      for (const Ramp& r : problem_.steps[i].ramps) {
        const int panels = static_cast<int>(std::ceil((r.high - r.low).upper())) + 1;
        const double half = 0.5 * (r.high - r.low).middle() / panels;
        for (int k = 0; k < panels; ++k) {
          for (std::size_t j = 0; j < rule_size; ++j) {
            const double l = r.low.middle() + half * (2.0 * k + 1.0 + rule.node[j]);
            sketch.back().loss.push_back(l);
            sketch.back().log_weight.push_back(std::log(r.factor.middle() * half * rule.weight[j]) +
                                               r.rate.middle() * l);
          }
        }
      }
      for (const Atom& a : problem_.steps[i].atoms) {
        sketch.back().loss.push_back(a.loss.middle());
        sketch.back().log_weight.push_back(std::log(a.mass.middle()));
      }
    }
  };
  const auto cumulant = [&](double c) {
    double k = 0.5 * square * c * (c + 1.0);
    for (const Sketch& s : sketch) {
      k += s.count * s.log_moment(c);
    }
    return k;
  };
  const auto height = [&](double c) { return cumulant(c) - c * epsilon - std::log(c) - std::log1p(c); };
  for (int round = 0; round < 3; ++round) {
    draw();
    double best = infinity, at = 0.0;
    for (double u = -12.0; u < 14.0; u += 0.5) {
      const double v = height(std::exp(u));
      if (v < best) {
        best = v;
        at = u;
      }
    }
    double low = at - 0.5, high = at + 0.5;
    for (int i = 0; i < 24; ++i) {
      const double a = low + 0.382 * (high - low), b = high - 0.382 * (high - low);
      (height(std::exp(a)) < height(std::exp(b)) ? high : low) = height(std::exp(a)) < height(std::exp(b)) ? b : a;
    }
    p.c = round_down(std::exp(0.5 * (low + high)), 20);
    const double d = 1e-3 * p.c, here = height(p.c);
    const double second = std::max((height(p.c + d) - 2.0 * here + height(p.c - d)) / (d * d), 1e-6 / (p.c * p.c));
    p.width = std::sqrt(second);
    p.log_delta = std::clamp(here - 0.5 * std::log(2.0 * pi * second), -700.0, 0.0);
    const double next = std::max(p.log_delta + std::log(relative_) - 8.0 - log_total, -760.0);
    if (std::abs(next - log_mass) < 1.0) {
      break;
    }
    log_mass = next;
  }
  draw();
  const double need = -p.log_delta - std::log(relative_) + 4.0;
  double period = infinity;
  for (const double factor : {1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}) {
    const double other = round_down(factor * p.c, 20);
    const double a = std::max(need / p.c, (cumulant(other) - other * epsilon + need) / (other - p.c));
    if (a < period) {
      period = a;
      p.other = other;
    }
  }
  p.h = round_down(2.0 * pi / period, 20);
  for (const Sketch& s : sketch) {
    p.reference.push_back(s.log_moment(p.c));
  }
  return p;
}

// One step whose losses rise: they exceed epsilon right of a point t, which bisection encloses.
std::optional<Enclosure> Profile::single(double epsilon) const {
  if (problem_.steps.size() != 1 || problem_.steps.front().count != 1.0 || !problem_.gaussian_square.exact() ||
      problem_.gaussian_square.positive()) {
    return std::nullopt;
  }
  const Precision precision(256);
  const Real e(epsilon), x = rigorous::exp(e);
  const Step& step = problem_.steps.front();
  Real total;
  for (std::size_t k = 0; k < step.pieces.size(); ++k) {
    const Piece& p = step.pieces[k];
    double least = infinity, largest = -infinity;
    for (const Component& c : p.alternative) {
      least = std::min(least, c.mean.lower());
    }
    for (const Component& c : p.null) {
      largest = std::max(largest, c.mean.upper());
    }
    if (p.from != -infinity || !(least >= largest)) {  // else d log A / dx >= least >= largest >= d log N / dx
      return std::nullopt;
    }
    constexpr double far = 1e8;
    double low = -far, high = far;  // l(low) <= epsilon <= l(high), proved; or an end
    const auto loss = [&](double at) { return log_ratio(p.alternative, p.null, Real(at)) - e; };
    for (int i = 0; i < 120 && high - low > 1e-15 * std::abs(low); ++i) {
      const double m = 0.5 * (low + high);
      const Real l = loss(m);
      if (l.contains_zero() || !l.finite()) {
        break;
      }
      (l.negative() ? low : high) = m;
    }
    const auto beyond = [](const Mixture& mix, double at) {
      Real sum;
      for (const Component& c : mix) {
        sum += c.weight * rigorous::normal_tail(Real(at) - c.mean);
      }
      return sum;
    };
    // delta is at most P(x > low) - x Q(x > high), and at least P(S) - x Q(S) of any half line S
    const Real upper = beyond(p.alternative, low) - x * beyond(p.null, high);
    const Real lower = rigorous::max(Real(), rigorous::max(beyond(p.alternative, low) - x * beyond(p.null, low),
                                                           beyond(p.alternative, high) - x * beyond(p.null, high)));
    total += p.weight * rigorous::hull(lower, upper);
  }
  for (const Atom& a : step.atoms) {
    total += a.mass * rigorous::at_least(Real(1) - rigorous::exp(e - a.loss), Real());
  }
  for (const Ramp& r : step.ramps) {
    if (e < r.high) {
      const Real from = rigorous::max(e, r.low), less = r.rate - Real(1);
      total += r.factor * ((rigorous::exp(r.rate * r.high) - rigorous::exp(r.rate * from)) / r.rate -
                           x * (rigorous::exp(less * r.high) - rigorous::exp(less * from)) / less);
    }
  }
  total += step.infinite;
  const Real lowest = total - step.dropped_null * x, highest = total + step.dropped_alternative;
  return Enclosure{std::clamp(lowest.lower(), 0.0, 1.0), std::clamp(highest.upper(), 0.0, 1.0)};
}

Enclosure Profile::delta(double epsilon) {
  if (problem_.steps.empty() && problem_.gaussian_square.exact() && !problem_.gaussian_square.positive()) {
    return exactly(std::max(0.0, -std::expm1(epsilon)));
  }
  if (const auto closed = single(epsilon)) {
    return *closed;
  }
  const Real infinite = infinite_mass(problem_);
  if (infinite >= Real(1)) {
    return exactly(1.0);
  }
  if (Real(epsilon) >= largest_loss(problem_)) {
    Real dropped;
    for (const Step& s : problem_.steps) {
      dropped += Real(s.count) * s.dropped_alternative;
    }
    return {infinite.lower(), std::min(1.0, (infinite + dropped).upper())};
  }
  Enclosure best{0.0, 1.0};
  for (const auto& contour : contours_) {
    if (contour->slope(epsilon) < 3.0) {
      const Enclosure known = contour->at(epsilon);
      best = {std::max(best.lower, known.lower), std::min(best.upper, known.upper)};
      if (best.upper - best.lower <= relative_ * best.upper) {
        return best;
      }
    }
  }
  try {
    contours_.push_back(std::make_unique<Contour>(problem_, plan(epsilon), relative_));
    const Enclosure found = contours_.back()->at(epsilon);
    best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
  } catch (const ConvergenceError&) {
  }
  return best;
}

Enclosure Profile::epsilon(double wanted) {
  const auto log_of = [](double v) { return std::log(std::max(v, 1e-320)); };
  const double target = std::log(wanted);
  double low = 0.0, high = infinity;  // delta(low) > wanted (or low = 0) and delta(high) <= wanted, both proved
  const auto look = [&](double e) {
    const Enclosure d = delta(e);
    if (d.upper <= wanted) {
      high = std::min(high, e);
    }
    if (d.lower > wanted) {
      low = std::max(low, e);
    }
    return d;
  };
  // Newton's steps with the slope of the plans, then secants.
  double e = 0.0;
  Plan at = plan(e);
  for (int i = 0; i < 60; ++i) {  // rough, in doubles
    const double off = at.log_delta - target;
    if (std::abs(off) < 0.02 || (e == 0.0 && off < -0.7)) {
      break;
    }
    e = std::max(0.0, e + off / at.c);
    at = plan(e);
  }
  if (e == 0.0 && look(0.0).upper <= wanted) {
    return {0.0, 0.0};
  }
  double slope = -at.c, before = 0.0, before_off = 0.0;
  for (int i = 0; i < 30; ++i) {
    const Enclosure d = look(e);
    const double off = 0.5 * (log_of(d.lower) + log_of(d.upper)) - target;
    const double width = std::max(log_of(d.upper) - log_of(d.lower), 1e-15);
    if (i > 0 && e != before && off != before_off) {
      slope = std::min(-1e-300, (off - before_off) / (e - before));
    }
    before = e;
    before_off = off;
    if (std::abs(off) < 4.0 * width + 0.1 * relative_) {
      const double spread = (2.0 * width + std::abs(off) + 0.2 * relative_ * std::abs(e * slope)) / std::abs(slope);
      for (double more = 1.0; more < 1e6 && !(e - more * spread <= low); more *= 4.0) {
        (void)look(std::max(0.0, e - more * spread));
      }
      for (double more = 1.0; more < 1e6 && !(high <= e + more * spread); more *= 4.0) {
        (void)look(e + more * spread);
      }
      break;
    }
    const double next = e - off / slope;
    e = next > low && next < high ? next : std::isfinite(high) ? 0.5 * (low + high) : std::max(2.0 * e, 1.0);
  }
  return {low, high};
}

}  // namespace dpcurves::accounting::mixture
