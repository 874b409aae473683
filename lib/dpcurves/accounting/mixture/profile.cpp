// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <dpcurves/accounting/mixture/lattice.hpp>
#include <dpcurves/accounting/mixture/profile.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;
constexpr double many = 1e8;       // steps from which 15 digits of a moment are too few
constexpr double most_top = 1e4;   // of the first guess
constexpr double most_work = 1e8;  // exponentials of a contour
constexpr const char* by_contour = "contour of mixtures";
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
  /// log of the modulus at c + i y.
  [[nodiscard]] double log_modulus(double c, double y) const {
    const double reference = log_moment(c);
    std::complex<double> sum = 0.0;
    for (std::size_t i = 0; i < loss.size(); ++i) {
      sum += std::polar(std::exp(log_weight[i] + c * loss[i] - reference), y * loss[i]);
    }
    return reference + std::log(std::abs(sum) + 1e-15);
  }
};

double interpolated(double left, double right, int panel, int panels, double node) {
  return left + 0.5 * (right - left) / panels * (2.0 * panel + 1.0 + node);
}

Sketch sketch_of(const Step& step, const std::vector<PlainPiece>& pieces, const std::vector<Range>& ranges) {
  const PlainRule& rule = plain_rule();
  Sketch sketch{{}, {}, step.count};
  // With the logarithms of the density and the loss at a point.
  const auto add = [&](double left, double right, int panels, const auto& at) {
    for (int k = 0; k < panels; ++k) {
      for (std::size_t j = 0; j < rule_size; ++j) {
        const auto [log_density, loss] = at(interpolated(left, right, k, panels, rule.node[j]));
        sketch.loss.push_back(loss);
        sketch.log_weight.push_back(log_density + std::log(0.5 * (right - left) / panels * rule.weight[j]));
      }
    }
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [left, right] = ranges[i];
    add(left, right, static_cast<int>(std::ceil(right - left)), [&](double x) {
      const auto v = pieces[i].at(x);
      return std::pair{v.first.real(), v.second.real()};
    });
  }
  for (const Ramp& r : step.ramps) {
    add(r.low.middle(), r.high.middle(), static_cast<int>(std::ceil((r.high - r.low).upper())) + 1, [&](double l) {
      return std::pair{std::log(r.factor.middle()) + r.rate.middle() * l, l};
    });
  }
  for (const SampledRamp& r : step.sampled_ramps) {
    const double rate = r.ramp.rate.middle() - 1.0, log_factor = std::log(r.ramp.factor.middle());
    add(r.ramp.low.middle(), r.ramp.high.middle(), static_cast<int>(std::ceil((r.ramp.high - r.ramp.low).upper())) + 1,
        [&](double x) {
          const double loss = std::log1p(r.rate * std::expm1(x));
          return r.reversed ? std::pair{log_factor + rate * x, -loss} : std::pair{log_factor + rate * x + loss, loss};
        });
  }
  for (const Atom& a : step.atoms) {
    sketch.loss.push_back(a.loss.middle());
    sketch.log_weight.push_back(std::log(a.mass.middle()));
  }
  return sketch;
}

/// Where the alternative's mass on either side falls below e^{log_mass}.
Range range_of(const PlainPiece& piece, double log_mass) {
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
  return range;
}

/// Atoms alone come back to their phases again and again.
bool returns(const Problem& problem) {
  return !(problem.gaussian_square.middle() > 0.0) &&
         std::all_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& step) { return step.pieces.empty() && step.ramps.empty(); });
}

/// Whether a contour's nodes are sums of many terms: in balls, they take seconds.
bool many_terms(const Problem& problem) {
  constexpr std::size_t few = 12;
  std::size_t terms = 0;
  for (const Step& step : problem.steps) {
    for (const Piece& piece : step.pieces) {
      terms += piece.alternative.size() + piece.null.size();
    }
  }
  return terms > few;
}

bool lattice_only(const Problem& problem) {
  return std::any_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& s) { return !s.sampled_ramps.empty(); });
}

/// Whether contours need not be tried beside a lattice.
bool proved_enough(const Problem& problem, const Enclosure& found, double trivial) {
  constexpr double narrow = 1e-3;
  return lattice_only(problem) || found.upper == 0.0 || found.relative_width() < narrow ||
         (found.upper < trivial && many_terms(problem));
}

}  // namespace

struct Profile::Plan {
  double epsilon = 0.0, c = 1.0, other = 2.0, h = 0.1, log_delta = 0.0, width = 1.0;
  std::vector<std::vector<Range>> ranges;
  std::vector<double> reference;
  std::vector<Sketch> sketch;
  double gaussian_square = 0.0;

  /// About log F(c).
  [[nodiscard]] double cumulant(double order) const {
    double k = 0.5 * gaussian_square * order * (order + 1.0);
    for (const Sketch& s : sketch) {
      k += s.count * s.log_moment(order);
    }
    return k;
  }
  /// About log |F(c + i y)|.
  [[nodiscard]] double log_modulus(double y) const {
    double k = 0.5 * gaussian_square * (c * c + c - y * y);
    for (const Sketch& s : sketch) {
      k += s.count * s.log_modulus(c, y);
    }
    return k;
  }
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
  const bool back = returns(problem);
  const double longest = log_size < wanted - 2.0 && !back ? few_orders : infinity;
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
    if (!back && j > 20 && static_cast<double>(last - j) > few_orders / 4.0 && size < wanted - 6.0) {
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

Profile::Profile(Problem problem, double relative)
    : problem_(std::move(problem)), relative_(relative), method_(by_contour) {
  for (const Step& s : problem_.steps) {
    plain_.emplace_back();
    for (const Piece& p : s.pieces) {
      plain_.back().emplace_back(p);
    }
  }
}

Profile::~Profile() = default;

void Profile::draw(Plan& p, double log_mass) const {
  p.ranges.clear();
  p.sketch.clear();
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    p.ranges.emplace_back();
    for (const PlainPiece& piece : plain_[i]) {
      p.ranges.back().push_back(range_of(piece, log_mass));
    }
    p.sketch.push_back(sketch_of(problem_.steps[i], plain_[i], p.ranges.back()));
  }
}

Profile::Plan Profile::plan(double epsilon) const {
  Plan p;
  p.epsilon = epsilon;
  p.gaussian_square = problem_.gaussian_square.middle();
  double log_total = 0.0;
  for (const Step& s : problem_.steps) {
    log_total += s.count * static_cast<double>(s.pieces.size());
  }
  log_total = std::log(std::max(1.0, log_total));
  double log_mass = -60.0 - log_total;
  const auto height = [&](double c) { return p.cumulant(c) - c * epsilon - std::log(c) - std::log1p(c); };
  for (int round = 0; round < 3; ++round) {
    draw(p, log_mass);
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
  draw(p, log_mass);
  const double need = -p.log_delta - std::log(relative_) + 4.0;
  double period = infinity;
  for (const double factor : {1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}) {
    const double other = round_down(factor * p.c, 20);
    const double a = std::max(need / p.c, (p.cumulant(other) - other * epsilon + need) / (other - p.c));
    if (a < period) {
      period = a;
      p.other = other;
    }
  }
  p.h = round_down(2.0 * pi / period, 20);
  for (const Sketch& s : p.sketch) {
    p.reference.push_back(s.log_moment(p.c));
  }
  return p;
}

// One step whose losses rise: they exceed epsilon right of a point t, which bisection encloses.
std::optional<Enclosure> Profile::single(double epsilon) const {
  if (problem_.steps.size() != 1 || problem_.steps.front().count != 1.0 || lattice_only(problem_) ||
      !problem_.gaussian_square.exact() || problem_.gaussian_square.positive()) {
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

// Whether a contour is short: F is small after few orders.
bool Profile::quick(const Plan& p) const {
  if (contours_fail_ || returns(problem_) || lattice_only(problem_)) {
    return false;
  }
  const double wanted = p.log_delta + std::log(relative_) - 1.0 + p.c * p.epsilon;
  double far_up = p.gaussian_square > 0.0 ? -infinity : p.cumulant(p.c);  // log |F| where only atoms are left
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    double share = 0.0;
    for (const Atom& a : problem_.steps[i].atoms) {
      share += a.mass.middle() * std::exp(p.c * a.loss.middle() - p.reference[i]);
    }
    far_up += problem_.steps[i].count * std::log(share);
  }
  if (!(far_up < wanted)) {
    return false;
  }
  for (double y = 8.0 / p.width; y < few_orders * p.h; y *= 1.5) {
    double most = -infinity;
    for (const double further : {1.0, 1.1, 1.23, 1.37}) {
      most = std::max(most, p.log_modulus(further * y));
    }
    if (most - std::log(y) < wanted) {
      return true;
    }
  }
  return false;
}

/// Numbers of points, each taken where the one before left a relative width above its own.
struct LatticeSize {
  std::size_t points;
  double enough;
};
constexpr std::array lattice_sizes{LatticeSize{std::size_t{1} << 17U, 1e-6}, LatticeSize{std::size_t{1} << 19U, 1e-5},
                                   LatticeSize{std::size_t{1} << 21U, 1e-5}};

detail::LatticeProfile Profile::lattice(const Plan& p, std::size_t points) const {
  return lattice_of(problem_, {p.epsilon, p.c, p.log_delta, p.ranges, [&p](double order) { return p.cumulant(order); }},
                    points);
}

/// Null where there is none.
const detail::LatticeProfile* Profile::near() {
  if (!asked_) {
    asked_ = true;
    if (is_proper(problem_)) {
      Plan p = plan(0.0);
      p.ranges = near_ranges(problem_);
      p.sketch.clear();
      for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
        p.sketch.push_back(sketch_of(problem_.steps[i], plain_[i], p.ranges[i]));
      }
      p.c = 0.0;
      try {
        near_ = std::make_unique<const detail::LatticeProfile>(lattice(p, lattice_sizes[1].points));
      } catch (const ConvergenceError&) {
      }
    }
  }
  return near_.get();
}

/// At most what the composition lacks of a positive part, where components of the null were dropped.
Real Profile::lacks(double epsilon) const {
  Real total;
  for (const Step& s : problem_.steps) {
    total += Real(s.count) * s.dropped_null;
  }
  return total * rigorous::exp(Real(epsilon));
}

/// With the losses that no lattice has.
Enclosure Profile::with_rest(const Enclosure& finite, double epsilon) const {
  const Precision precision(64);
  const Real infinite = infinite_mass(problem_);
  return clamp({(Real(finite.lower) + infinite - lacks(epsilon)).lower(), (Real(finite.upper) + infinite).upper()}, 0.0,
               1.0);
}

void Profile::lattice_delta(const Plan& p, Enclosure& best) {
  for (const auto& [points, enough] : lattice_sizes) {
    try {
      lattices_.push_back(std::make_unique<const detail::LatticeProfile>(lattice(p, points)));
    } catch (const ConvergenceError&) {
      return;
    }
    const Enclosure found = with_rest(lattices_.back()->delta(p.epsilon), p.epsilon);
    best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
    if (best.relative_width() <= enough) {
      return;
    }
  }
}

Enclosure Profile::epsilon_of(const detail::LatticeProfile& lattice, double wanted) const {
  const Precision precision(64);
  const Real finite = Real(wanted) - infinite_mass(problem_);
  const double high = finite.lower() > 0.0 ? lattice.epsilon(finite.lower()).upper : infinity;
  if (std::isinf(high)) {
    return {0.0, infinity};
  }
  const double most = (finite + lacks(high)).upper();  // below high less is lacking
  return {most < 1.0 ? std::min(high, lattice.epsilon(most).lower) : 0.0, high};
}

Enclosure Profile::lattice_epsilon(double wanted, double guess) {
  constexpr double near = 1e-3;     // relative: from so far away a lattice still has its digits
  constexpr int most_lattices = 4;  // of one size
  Enclosure best{0.0, infinity};
  double at = guess;
  for (const auto& [points, enough] : lattice_sizes) {
    for (int i = 0; i < most_lattices; ++i) {
      try {
        lattices_.push_back(std::make_unique<const detail::LatticeProfile>(lattice(plan(at), points)));
      } catch (const ConvergenceError&) {
        return best;
      }
      const Enclosure found = epsilon_of(*lattices_.back(), wanted);
      best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
      if (best.upper == 0.0 || best.relative_width() <= enough) {
        return best;
      }
      const double next = 0.5 * (best.lower + best.upper);
      if (std::isinf(next) || std::abs(next - at) <= near * at) {
        break;
      }
      at = next;
    }
  }
  return best;
}

std::optional<Enclosure> Profile::tradeoff(double a) {
  if (problem_.steps.empty() || !lattice_serves(problem_) || (!asked_ && quick(plan(0.0))) || near() == nullptr) {
    return std::nullopt;
  }
  method_ = by_lattice;
  return near_->tradeoff(a);
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
  constexpr double beside = 0.1, enough = 1e-3;  // from so near a new contour is not better
  for (const auto& contour : contours_) {
    if (contour->slope(epsilon) < 3.0) {
      const Enclosure known = contour->at(epsilon);
      best = {std::max(best.lower, known.lower), std::min(best.upper, known.upper)};
      const double wanted = contour->slope(epsilon) < beside ? std::max(relative_, enough) : relative_;
      if (best.upper - best.lower <= wanted * best.upper) {
        method_ = by_contour;
        return best;
      }
    }
  }
  method_ = by_lattice;
  for (const auto& lattice : lattices_) {
    const Enclosure known = with_rest(lattice->delta(epsilon), epsilon);
    best = {std::max(best.lower, known.lower), std::min(best.upper, known.upper)};
    if (best.relative_width() <= lattice_sizes.back().enough) {
      return best;
    }
  }
  const Plan p = plan(epsilon);
  const bool serves = epsilon >= 0.0 && lattice_serves(problem_), lattice_first = serves && !quick(p);
  if (lattice_first) {
    lattice_delta(p, best);
    if (proved_enough(problem_, best, 1.0)) {
      return best;
    }
  }
  if (lattice_only(problem_)) {
    return best;
  }
  method_ = by_contour;
  try {
    contours_.push_back(std::make_unique<Contour>(problem_, p, relative_));
    const Enclosure found = contours_.back()->at(epsilon);
    best = {std::max(best.lower, found.lower), std::min(best.upper, found.upper)};
  } catch (const ConvergenceError&) {
    contours_fail_ = true;
  }
  if (serves && !lattice_first && !proved_enough(problem_, best, 1.0)) {
    method_ = by_lattice;
    lattice_delta(p, best);
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
  double under = 0.0, over = infinity;  // where delta is, about, too large and too small
  constexpr double far = 20.0;          // logarithms: slopes are of no use from there
  for (int i = 0; i < 60; ++i) {        // rough, in doubles
    const double off = at.log_delta - target;
    if (std::abs(off) < 0.02 || (e == 0.0 && off < -0.7)) {
      break;
    }
    (off > 0.0 ? under : over) = e;
    const double next = e + off / at.c;
    const bool inside = next > under && next < over && off > -far;
    e = inside || std::isinf(over) ? std::max(0.0, next) : 0.5 * (under + over);
    at = plan(e);
  }
  const double guess = e;
  const bool serves = lattice_serves(problem_);
  bool lattice_first = serves && !quick(at);
  if (!lattice_first) {
    try {
      contours_.push_back(std::make_unique<Contour>(problem_, at, relative_));
    } catch (const ConvergenceError&) {
      contours_fail_ = true;
      lattice_first = serves;
    }
  }
  if (lattice_first) {
    const Enclosure found = lattice_epsilon(wanted, guess);
    if (contours_fail_ || proved_enough(problem_, found, infinity)) {
      method_ = by_lattice;
      return found;
    }
    low = found.lower;
    high = found.upper;
  }
  if (lattice_only(problem_)) {
    return {low, high};
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
  if (serves && !lattice_first && !proved_enough(problem_, {low, high}, infinity)) {
    const Enclosure found = lattice_epsilon(wanted, guess);
    method_ = by_lattice;
    low = std::max(low, found.lower);
    high = std::min(high, found.upper);
  }
  return {low, high};
}

}  // namespace dpcurves::accounting::mixture
