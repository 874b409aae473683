// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/accounting/mixture/nodes.hpp>
#include <dpcurves/accounting/mixture/rule.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/rigorous/exponentials.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr slong node_bits = 64, exact_bits = 96, box_bits = 64;
constexpr double ellipse = 4.0;  // sum of the semi-axes over half a panel
constexpr double small = -44.0;  // log of the relative error of all panels together, about
constexpr std::size_t most_nodes = 200000;

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

Nodes::Nodes(const Piece& piece, const Range& range, const Orders& orders, double reference, const Bend& bend)
    : log_of_weight_(rigorous::log(piece.weight)),
      alternative_(piece.alternative),
      null_(piece.null),
      range_(range),
      orders_(orders),
      reference_(reference),
      bend_(bend) {
  if (bend.height > 0.0) {
    panels(range.left, bend.from);
    before_bend_ = loss_.size();
    panels(bend.from, range.right);
  } else {
    panels(range.left, range.right);
  }
}

void Nodes::panels(double begin, double end) {
  constexpr double widest = 4.0;
  const int count = static_cast<int>(std::ceil((end - begin) / widest));
  for (int i = 0; i < count; ++i) {
    const auto cut = [&](int k) {
      return k == count ? end : begin + std::floor((end - begin) * k / count * 64.0) / 64.0;
    };
    if (cut(i + 1) > cut(i)) {
      panel(Real(cut(i)), Real(cut(i + 1)), 0);
    }
  }
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
        std::log(64.0 / 15.0) - 2.0 * static_cast<double>(rule_size) * std::log(ellipse) + std::log(r) + 0.1;
    const Real top(orders_.top);
    bool good = true;
    Real worst, worst_other;
    double most_loss = 0.0;
    for (int i = 0; i < parts && good; ++i) {
      const Real re =
          ball(x + along * (2.0 * i / parts - 1.0) - 1e-12, x + along * (2.0 * (i + 1) / parts - 1.0) + 1e-12);
      const Real im = ball(0.0, up);
      const Complex box(re, im), density = alternative_.value(box), loss = density - null_.value(box);
      const Real front = log_normal(re, im) + log_of_weight_ + density.re() + Real(log_rule) - Real(reference_);
      const Real turn = top * rigorous::upper_end(rigorous::abs(loss.im()));
      const Real size = rigorous::upper_end(front + Real(orders_.order) * loss.re() + turn);
      const Real other = rigorous::upper_end(front + Real(orders_.other) * loss.re());
      good = size.finite() && other.finite() && size < Real(small);
      if (good) {
        most_loss = std::max(most_loss, rigorous::modulus(loss).upper());
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
  const Precision precision(orders_.exact ? exact_bits : node_bits);
  error_ += bound;
  other_error_ += bound_other;
  const Rule& gauss = legendre();
  const Real pi2 = rigorous::scaled(rigorous::log(rigorous::scaled(rigorous::pi(), 1)), -1);
  for (std::size_t k = 0; k < rule_size; ++k) {
    const Real x = middle + half * gauss.node[k];
    const Real density = alternative_.value(x), loss = density - null_.value(x);
    const Real log_weight = log_of_weight_ + density - rigorous::scaled(x * x, -1) - pi2 + Real(orders_.order) * loss -
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
Complex Nodes::at(double y) const {
  if (orders_.exact) {
    const Precision precision(128);
    Complex sum;
    for (std::size_t k = 0; k < loss_.size(); ++k) {
      sum = sum + rigorous::exp(Complex(exact_weight_[k], exact_loss_[k] * Real(y)));
    }
    acb_add_error_arb(sum.get(), error_.get());
    return sum;
  }
  const auto unseen = [this](std::size_t k) { return log_weight_[k] < -100.0; };
  constexpr std::size_t block = 128;
  std::array<double, block> re{}, im{}, size{};
  double sum_re = 0.0, sum_im = 0.0, error = 0.0, moduli = 0.0;
  for (std::size_t from = 0; from < loss_.size(); from += block) {
    const std::size_t n = std::min(block, loss_.size() - from);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = from + i;
      re[i] = log_weight_[k];
      im[i] = unseen(k) ? 0.0 : y * loss_[k];
      if (!(re[i] < 600.0) || !(std::abs(im[i]) <= rigorous::largest_angle)) {
        throw ConvergenceError("no proof: an angle is too large");
      }
    }
    rigorous::exponentials(n, re.data(), size.data());
    rigorous::polar_exponentials(n, re.data(), im.data(), re.data(), im.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = from + i;
      const double d = unseen(k) ? 2.5  // of any angle
                                 : 2.1 * rigorous::exponential_error + log_error_[k] + y * loss_error_[k] +
                                       1.2e-16 * std::abs(y * loss_[k]);
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
  const Real of_first = rigorous::sqrt(error_ * out.square);                     // Cauchy and Schwarz
  for (std::size_t k = 0; k < loss_.size(); ++k) {
    const Real w = rigorous::exp(exact_weight_[k]), off = exact_loss_[k] - Real(m);
    out.mass += w;
    out.first += w * off;
    out.square += w * off * off;
  }
  out.first = rigorous::widened(out.first, of_first);
  return out;
}

// From `from` up to x + i height, on to the right end, and down: cells with the largest modulus and the least Im l.
// Upwards Im l begins at 0 and grows where Re l' >= 0. Along the path the largest term may change; its logarithm stays
// the continued one as long as the two means times the height differ by less than pi.
Real Nodes::shifted(double y) const {
  const Precision precision(box_bits);
  const double height = bend_.height, from = bend_.from;
  constexpr int rungs = 24;
  constexpr double width = 1.0 / 32.0;
  Real total, none;
  arb_pos_inf(none.get());
  double top_alternative = 0.0, top_null = 0.0;
  bool first = true;
  const auto cell = [&](const Real& re, const Real& im, double length, bool upwards) {
    // centred: values at the middle, and slopes on the cell times what is left
    const Complex whole(re, im), middle(rigorous::midpoint(re), rigorous::midpoint(im)), off = whole - middle;
    const Complex steep_alternative = alternative_.slope(whole), steep = steep_alternative - null_.slope(whole);
    const Complex density_there = alternative_.value(middle), loss_there = density_there - null_.value(middle);
    const Complex loss = loss_there + steep * off;
    Real turn = rigorous::lower_end(bend_.below ? -loss.im() : loss.im());
    if (!loss.re().finite() || !turn.finite()) {
      return false;
    }
    if (turn.negative()) {
      if (!upwards || (bend_.below ? -steep.re() : steep.re()).lower() < 0.0) {
        return false;
      }
      turn = Real();
    }
    const double most = 3.14 / height, here = alternative_.top(whole), here_null = null_.top(whole);
    if (!first && !(std::abs(here - top_alternative) < most && std::abs(here_null - top_null) < most)) {
      return false;
    }
    first = false;
    top_alternative = here;
    top_null = here_null;
    const Complex log_density = density_there + steep_alternative * off;
    const Real size = log_normal(re, im) + log_of_weight_ + log_density.re() + Real(orders_.order) * loss.re() -
                      Real(y) * turn - Real(reference_);
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

// On the real line the sum of the positive weights, with the panels' errors.
Real Nodes::beyond(double y) const {
  const Precision precision(box_bits);
  Real along = error_, rest;
  for (std::size_t k = 0; k < loss_.size(); ++k) {
    (k < before_bend_ ? along : rest) += rigorous::exp(exact_weight_[k]);
  }
  const Real plain = rigorous::upper_end(along + rest);
  if (bend_.height == 0.0) {
    return plain;
  }
  const Real bent = along + shifted(y);
  return rigorous::upper_end(bent.finite() ? rigorous::min(bent, plain) : plain);
}

}  // namespace dpcurves::accounting::mixture
