// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <arb_hypgeom.h>

#include <dpcurves/accounting/mixture/law.hpp>
#include <dpcurves/core/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr slong node_bits = 96, box_bits = 64;
constexpr std::size_t rule = rule_size;
constexpr double ellipse = 4.0;  // sum of the semi-axes over half a panel
constexpr double small = -44.0;  // log of the relative error of all panels together, about
constexpr std::size_t most_nodes = 200000;

struct Rule {
  std::array<Real, rule> node, weight;
};
using Plain = std::complex<double>;

/// Gauss-Legendre on [-1, 1].
const Rule& legendre() {
  static const Rule one = [] {
    const Precision precision(128);
    Rule r;
    for (std::size_t k = 0; k < rule; ++k) {
      arb_hypgeom_legendre_p_ui_root(r.node[k].get(), r.weight[k].get(), rule, k, 128);
    }
    return r;
  }();
  return one;
}

/// log of sum w e^{m x - m^2/2} and its derivative.
struct LogSum {
  Complex value, slope;
  double top = 0.0;  ///< mean of the largest term
};

/// The largest term apart, a principal logarithm of what is left. On a ball that meets the real line it is the value
/// continued from there; indeterminate where the ball of the rest leaves the right half plane.
LogSum log_sum(const Mixture& terms, const Complex& x) {
  const slong bits = Precision::bits();
  const double at = x.re().middle();
  std::size_t best = 0;
  double most = -infinity;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const double m = terms[j].mean.middle(), w = terms[j].weight.middle();
    const double size = w > 0.0 ? std::log(w) + m * at - 0.5 * m * m : -infinity;
    if (size > most) {
      most = size;
      best = j;
    }
  }
  const Component& top = terms[best];
  LogSum sum;
  sum.top = top.mean.middle();
  Complex rest, moved;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (j == best) {
      continue;
    }
    const Real step = terms[j].mean - top.mean;
    const Real shift = rigorous::scaled(step * (terms[j].mean + top.mean), -1);
    Complex u, e;
    acb_mul_arb(u.get(), x.get(), step.get(), bits);
    acb_sub_arb(u.get(), u.get(), shift.get(), bits);
    e = rigorous::exp(u);
    acb_mul_arb(e.get(), e.get(), (terms[j].weight / top.weight).get(), bits);
    rest = rest + e;
    acb_addmul_arb(moved.get(), e.get(), step.get(), bits);
  }
  const Complex whole = Complex(Real(1)) + rest;
  if (!whole.re().positive()) {
    acb_indeterminate(sum.value.get());
    acb_indeterminate(sum.slope.get());
    return sum;
  }
  sum.slope = Complex(top.mean) + moved / whole;
  Complex out;
  acb_log1p(out.get(), rest.get(), bits);
  Complex lead;
  acb_mul_arb(lead.get(), x.get(), top.mean.get(), bits);
  const Real constant = rigorous::log(top.weight) - rigorous::scaled(top.mean * top.mean, -1);
  acb_add_arb(lead.get(), lead.get(), constant.get(), bits);
  sum.value = out + lead;
  return sum;
}

struct Value {
  Complex log_density, loss, slope, slope_alternative;  ///< log_density without phi; slopes of the loss and of it
  double top_alternative = 0.0, top_null = 0.0;
};

Value evaluate(const Piece& p, const Complex& x) {
  Value v;
  const LogSum a = log_sum(p.alternative, x), n = log_sum(p.null, x);
  v.log_density = a.value;
  v.loss = a.value - n.value;
  v.slope = a.slope - n.slope;
  v.slope_alternative = a.slope;
  v.top_alternative = a.top;
  v.top_null = n.top;
  const Real w = rigorous::log(p.weight);
  acb_add_arb(v.log_density.get(), v.log_density.get(), w.get(), Precision::bits());
  return v;
}

/// log(phi) of X + i Y: the largest modulus over a box.
Real log_normal(const Real& re, const Real& im) {
  const Real nearest = re.contains_zero() ? Real()
                                          : rigorous::min(rigorous::abs(rigorous::lower_end(re)),
                                                          rigorous::abs(rigorous::upper_end(re)));
  const Real highest = rigorous::upper_end(rigorous::abs(im));
  return rigorous::scaled(highest * highest - nearest * nearest, -1) -
         rigorous::scaled(rigorous::log(rigorous::scaled(rigorous::pi(), 1)), -1);
}

Real ball(double low, double high) { return {low, high}; }

}  // namespace

Complex Ramp::moment(const Complex& z) const {
  const Complex order = z + Complex(rate);
  return Complex(factor) * (rigorous::exp(order * Complex(high)) - rigorous::exp(order * Complex(low))) / order;
}

Step reversed(const Step& step) {
  Step out;
  out.count = step.count;
  const auto turned = [](const Mixture& m) {
    Mixture r;
    for (const Component& c : m) {
      r.push_back({c.weight, -c.mean});
    }
    return r;
  };
  for (const Piece& p : step.pieces) {
    require_domain(p.from == -infinity, "from", p.from, "the whole line");
    out.pieces.push_back({p.weight, turned(p.null), turned(p.alternative), p.from, p.falling});
  }
  out.dropped_alternative = step.dropped_null;
  out.dropped_null = step.dropped_alternative;
  for (const Atom& a : step.atoms) {
    out.atoms.push_back({-a.loss, a.mass * rigorous::exp(-a.loss)});
  }
  return out;
}

Real log_ratio(const Mixture& a, const Mixture& n, const Real& x) {
  const auto log_sum = [&](const Mixture& m) {
    Real sum;
    for (const Component& c : m) {
      sum += c.weight * rigorous::exp(c.mean * x - rigorous::scaled(c.mean * c.mean, -1));
    }
    return rigorous::log(sum);
  };
  return log_sum(a) - log_sum(n);
}

Real log_ratio_slope(const Mixture& a, const Mixture& n, const Real& x) {
  const auto mean = [&](const Mixture& m) {
    Real sum, moved;
    for (const Component& c : m) {
      const Real e = c.weight * rigorous::exp(c.mean * x - rigorous::scaled(c.mean * c.mean, -1));
      sum += e;
      moved += e * c.mean;
    }
    return moved / sum;
  };
  return mean(a) - mean(n);
}

Real lost(const Piece& piece, const Range& range) {
  Real total;
  for (const Component& c : piece.alternative) {
    total += c.weight * rigorous::normal_tail(Real(range.right) - c.mean);
    if (range.left > piece.from) {
      total += c.weight * rigorous::normal_tail(c.mean - Real(range.left));
    }
  }
  return rigorous::upper_end(piece.weight * total);
}

Nodes::Nodes(const Piece& piece, const Range& range, const Orders& orders, double reference)
    : piece_(piece), plain_(piece), range_(range), orders_(orders), reference_(reference) {
  const double width = range.right - range.left;
  const auto count = static_cast<int>(std::ceil(width / 1.0));
  for (int i = 0; i < count; ++i) {
    const auto end = [&](int k) {
      return k == count ? range.right : range.left + std::floor(width * k / count * 64.0) / 64.0;
    };
    if (end(i + 1) > end(i)) {
      panel(Real(end(i)), Real(end(i + 1)), 0);
    }
  }
  ends_.push_back(range.right);
  first_.push_back(loss_.size());
}

// On a panel of half width r the rule is off by at most r (64/15) rho^{-2 n} / (1 - rho^{-2}) times the supremum of the
// modulus on the ellipse with semi-axes r (rho +- 1/rho) / 2. The integrand at conjugate points has conjugate factors:
// the upper half of the ellipse with |Im l| bounds both.
void Nodes::panel(const Real& begin, const Real& end, int depth) {
  constexpr int deepest = 24, parts = 3;
  const Real middle = rigorous::scaled(begin + end, -1), half = rigorous::scaled(end - begin, -1);
  Real bound, bound_other;
  {
    const Precision precision(box_bits);
    const double r = half.middle(), x = middle.middle();
    const double along = r * (ellipse + 1.0 / ellipse) / 2.0 * (1 + 1e-12),
                 up = r * (ellipse - 1.0 / ellipse) / 2.0 * (1 + 1e-12);
    const double log_rule =
        std::log(64.0 / 15.0) - 2.0 * static_cast<double>(rule) * std::log(ellipse) + std::log(r) + 0.1;
    const Real top(orders_.top);
    bool good = true;
    Real worst, worst_other;
    double most_loss = 0.0;
    for (int i = 0; i < parts && good; ++i) {
      const Real re =
          ball(x + along * (2.0 * i / parts - 1.0) - 1e-12, x + along * (2.0 * (i + 1) / parts - 1.0) + 1e-12);
      const Real im = ball(0.0, up);
      const Value v = evaluate(piece_, Complex(re, im));
      const Real front = log_normal(re, im) + v.log_density.re() + Real(log_rule) - Real(reference_);
      const Real turn = top * rigorous::upper_end(rigorous::abs(v.loss.im()));
      const Real size = rigorous::upper_end(front + Real(orders_.order) * v.loss.re() + turn);
      const Real other = rigorous::upper_end(front + Real(orders_.other) * v.loss.re());
      good = size.finite() && other.finite() && size < Real(small);
      if (good) {
        most_loss = std::max(most_loss, rigorous::modulus(v.loss).upper());
        worst = i == 0 ? size : rigorous::max(worst, size);
        worst_other = i == 0 ? other : rigorous::max(worst_other, other);
      }
    }
    if (!good) {
      if (depth >= deepest || loss_.size() > most_nodes) {
        throw ConvergenceError("no proof: too many panels");
      }
      const Real cut = rigorous::midpoint(middle);
      panel(begin, cut, depth + 1);
      panel(cut, end, depth + 1);
      return;
    }
    bound = rigorous::exp(worst);
    square_error_ += bound * Real(most_loss) * Real(most_loss);
    bound_other = rigorous::exp(worst_other);
  }
  const Precision precision(node_bits);
  error_ += bound;
  other_error_ += bound_other;
  ends_.push_back(begin.middle());
  first_.push_back(loss_.size());
  const Rule& gauss = legendre();
  const Real pi2 = rigorous::scaled(rigorous::log(rigorous::scaled(rigorous::pi(), 1)), -1);
  for (std::size_t k = 0; k < rule; ++k) {
    const Real x = middle + half * gauss.node[k];
    const Value v = evaluate(piece_, Complex(x));
    const Real loss = v.loss.re();
    const Real log_weight = v.log_density.re() - rigorous::scaled(x * x, -1) - pi2 + Real(orders_.order) * loss -
                            Real(reference_) + rigorous::log(half * gauss.weight[k]);
    const auto spread = [](const Real& b) { return b.radius() + 1.2e-16 * std::abs(b.middle()); };
    loss_.push_back(loss.middle());
    loss_error_.push_back(spread(loss));
    log_weight_.push_back(log_weight.middle());
    log_error_.push_back(spread(log_weight));
    exact_loss_.push_back(loss);
    exact_weight_.push_back(log_weight);
  }
}

// A term e^{w + i y l} is off by its exponential's error, by the radii and roundings of w and l, and by that of y l.
Complex Nodes::at(double y, bool exact) const {
  if (exact) {
    const Precision precision(128);
    Complex sum;
    for (std::size_t k = 0; k < loss_.size(); ++k) {
      sum = sum + rigorous::exp(Complex(exact_weight_[k], exact_loss_[k] * Real(y)));
    }
    acb_add_error_arb(sum.get(), error_.get());
    return sum;
  }
  constexpr std::size_t block = 128;
  std::array<double, block> re{}, im{}, size{};
  double sum_re = 0.0, sum_im = 0.0, error = 0.0, moduli = 0.0;
  for (std::size_t from = 0; from < loss_.size(); from += block) {
    const std::size_t n = std::min(block, loss_.size() - from);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = from + i;
      re[i] = log_weight_[k];
      im[i] = y * loss_[k];
      if (!(re[i] < 600.0) || !(std::abs(im[i]) <= rigorous::largest_angle)) {
        throw ConvergenceError("no proof: an angle is too large");
      }
    }
    rigorous::exponentials(n, re.data(), size.data());
    rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = from + i;
      const double d =
          2.1 * rigorous::exponential_error + log_error_[k] + y * loss_error_[k] + 1.2e-16 * std::abs(y * loss_[k]);
      sum_re += re[i];
      sum_im += im[i];
      error += size[i] * d * (1.0 + d);
      moduli += size[i];
    }
  }
  error = (error + 2.4e-16 * static_cast<double>(loss_.size() + 8) / 64.0 * moduli + 2.4e-16 * 64.0 * moduli) *
          (1.0 + 1e-9);
  Complex sum{Real(sum_re), Real(sum_im)};
  acb_add_error_arb(sum.get(), (Real(error) + error_).get());
  return sum;
}

Real Nodes::at_other() const {
  const Precision precision(128);
  Real sum;
  const Real more = Real(orders_.other) - Real(orders_.order);
  for (std::size_t k = 0; k < loss_.size(); ++k) {
    sum += rigorous::exp(exact_weight_[k] + more * exact_loss_[k]);
  }
  return rigorous::upper_end(sum + other_error_);
}

Nodes::Spread Nodes::spread(double m) const {
  const Precision precision(box_bits);
  Spread out;
  out.mass = error_;
  out.square = rigorous::scaled(square_error_ + Real(m) * Real(m) * error_, 1);  // |l - m|^2 <= 2 |l|^2 + 2 m^2
  for (std::size_t k = 0; k < loss_.size(); ++k) {
    const Real w = rigorous::exp(exact_weight_[k]), off = exact_loss_[k] - Real(m);
    out.mass += w;
    out.square += w * off * off;
    out.first += w.middle() * loss_[k];
  }
  return out;
}

// From `from` up to x + i height, on to the right end, and down: cells with the largest modulus and the least Im l.
// Upwards Im l begins at 0 and grows where Re l' >= 0. Along the path the largest term may change; its logarithm stays
// the continued one as long as the two means times the height differ by less than pi.
Real Nodes::shifted(double y, double height, double from) const {
  const Precision precision(box_bits);
  constexpr int rungs = 24;
  constexpr double width = 1.0 / 32.0;
  Real total, none;
  arb_pos_inf(none.get());
  double top_alternative = 0.0, top_null = 0.0;
  bool first = true;
  const auto cell = [&](const Real& re, const Real& im, double length, bool upwards) {
    // centred: values at the middle, and slopes on the cell times what is left
    const Complex middle(rigorous::midpoint(re), rigorous::midpoint(im));
    const Value v = evaluate(piece_, Complex(re, im)), at = evaluate(piece_, middle);
    const Complex off = Complex(re, im) - middle;
    const Complex loss = at.loss + v.slope * off;
    Real turn = rigorous::lower_end(piece_.falling ? -loss.im() : loss.im());
    if (!loss.re().finite() || !turn.finite()) {
      return false;
    }
    if (turn.negative()) {
      if (!upwards || (piece_.falling ? -v.slope.re() : v.slope.re()).lower() < 0.0) {
        return false;
      }
      turn = Real();
    }
    const double most = 3.14 / height;
    if (!first && !(std::abs(v.top_alternative - top_alternative) < most && std::abs(v.top_null - top_null) < most)) {
      return false;
    }
    first = false;
    top_alternative = v.top_alternative;
    top_null = v.top_null;
    const Complex log_density = at.log_density + v.slope_alternative * off;
    const Real size =
        log_normal(re, im) + log_density.re() + Real(orders_.order) * loss.re() - Real(y) * turn - Real(reference_);
    total += rigorous::exp(rigorous::upper_end(size)) * Real(length * (1 + 1e-12));
    return true;
  };
  for (const double x : {range_.right, from}) {
    first = true;
    for (int i = 0; i < rungs; ++i) {
      const double low = height * i / rungs, high = height * (i + 1) / rungs;
      if (!cell(Real(x), ball(low, high), high - low, true)) {
        return none;
      }
    }
  }
  for (double x = from; x < range_.right;) {
    const double next = std::min(x + width, range_.right);
    if (!cell(ball(x, next), Real(height), next - x, false)) {
      return none;
    }
    x = next;
  }
  return total;
}

Nodes::Bend Nodes::bend(double y) const {
  std::vector<double> real(ends_.size(), 0.0);  // integral up to the panel's begin
  double sum = 0.0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    real[i] = sum;
    for (std::size_t k = first_[i]; i + 1 < ends_.size() && k < first_[i + 1]; ++k) {
      sum += std::exp(log_weight_[k]);
    }
  }
  Bend best{sum, 0.0, ends_.size() - 1};
  const double side = piece_.falling ? -1.0 : 1.0;
  constexpr double width = 1.0 / 16.0;
  constexpr int rungs = 8;
  for (double height = 1.5; height > 1e-3; height *= 0.7) {
    const auto size = [&](const std::pair<Plain, Plain>& v) {
      return std::exp(v.first.real() + orders_.order * v.second.real() - y * std::max(0.0, side * v.second.imag()) -
                      reference_);
    };
    double after = 0.0;
    std::size_t i = ends_.size() - 1;
    for (double x = range_.right - 0.5 * width; i > 0; x -= width) {
      const auto v = plain_.at({x, height});
      if (!(side * v.second.imag() > 1e-12) || !std::isfinite(v.second.real())) {
        break;
      }
      after += width * size(v);
      while (i > 0 && x - 0.5 * width <= ends_[i - 1]) {
        --i;
        double up = 0.0;
        for (int j = 0; j < rungs; ++j) {
          up += height / rungs * size(plain_.at({ends_[i], height * (j + 0.3) / rungs}));
        }
        const double total = real[i] + 1.15 * after + up;
        if (total < best.total) {
          best = {total, height, i};
        }
      }
    }
  }
  return best;
}

// On the real line the sum of the positive weights, with the panels' errors.
Real Nodes::beyond(double y) const {
  const Bend best = bend(y);
  const Precision precision(box_bits);
  const auto along = [&](std::size_t end) {
    Real total = error_;
    for (std::size_t k = 0; k < first_[end]; ++k) {
      total += rigorous::exp(exact_weight_[k]);
    }
    return total;
  };
  const Real plain = rigorous::upper_end(along(ends_.size() - 1));
  if (best.height == 0.0) {
    return plain;
  }
  const Real bent = along(best.end) + shifted(y, best.height, ends_[best.end]);
  return rigorous::upper_end(bent.finite() ? rigorous::min(bent, plain) : plain);
}

const PlainRule& plain_rule() {
  static const PlainRule one = [] {
    PlainRule r;
    for (std::size_t k = 0; k < rule; ++k) {
      r.node[k] = legendre().node[k].middle();
      r.weight[k] = legendre().weight[k].middle();
    }
    return r;
  }();
  return one;
}

}  // namespace dpcurves::accounting::mixture
