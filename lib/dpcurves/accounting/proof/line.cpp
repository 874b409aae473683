// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/proof/line.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

Complex Line::at_node(long k) const { return {Real(c_), Real(h_) * Real(k)}; }

void Line::add_row(const std::vector<Complex>& more, std::vector<Complex>& row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    row[k] = row[k] + more[k];
  }
}

void Line::add_error(const Real& error, std::vector<Complex>& row) {
  const Real most = rigorous::upper_end(error);
  for (Complex& value : row) {
    acb_add_error_arb(value.get(), most.get());
  }
}

void Line::set_values(const std::vector<Complex>& transform) {
  const Precision precision(value_bits);
  std::vector<Complex> all;
  for (std::size_t k = 0; k < transform.size(); ++k) {
    const Complex z = at_node(static_cast<long>(k)), zz = z * (z + Complex(Real(1)));
    const Real weight = rigorous::scaled(Real(h_) / rigorous::pi(), k == 0 ? -1 : 0);
    all.push_back(transform[k] * Complex(weight) / zz);
  }
  scale_ = rigorous::midpoint(rigorous::abs(all.front()));
  if (!scale_.positive()) {
    throw ConvergenceError("no straight line: its first value is not known");
  }
  values_.clear();
  for (const Complex& value : all) {
    values_.push_back(rigorous::two_doubles(value / Complex(scale_)));
    if (!(values_.back().error < HUGE_VAL)) {
      throw ConvergenceError("no straight line: a value is not known");
    }
  }
}

rigorous::TwoDoubles Line::turn(const Real& epsilon) const {
  const Real angle = -(Real(h_) * epsilon);
  return rigorous::two_doubles(Complex(rigorous::cos(angle), rigorous::sin(angle)));
}

Real Line::sum(const Real& epsilon) const {
  const Complex total = rigorous::ball_of(rigorous::polynomial(values_, turn(epsilon)));
  return total.re() * scale_ * rigorous::exp(-(Real(c_) * epsilon));
}

Real Line::at(const Real& epsilon) const {
  const Precision precision(value_bits);
  const Real from_top = epsilon - top_;
  Real value = complete(sum(from_top), from_top);
  if (besides_) {
    value += besides_->at(epsilon) - rigorous::zero_to(rigorous::upper_end(lost_));
  }
  return apart_ ? value + apart_->at(epsilon) : value;
}

Real Line::Apart::at(const Real& epsilon) const {
  const Real least = here - rigorous::exp(epsilon) * there;
  return epsilon <= Real(most) ? least + rigorous::zero_to(over) : rigorous::hull(least, here);
}

// The derivative of sum v_k e^{-(c + i k h) epsilon}, over the sum.
Approximate Line::approximate(double epsilon) const {
  const Precision precision(value_bits);
  const Real from_top = Real(epsilon) - top_;
  const rigorous::TwoDoubles w = turn(from_top);
  rigorous::TwoDoubles slope;
  const rigorous::TwoDoubles total = rigorous::polynomial(values_, w, &slope);
  const double moved = -(slope.re * w.im + slope.im * w.re);  // Re(i w p'(w))
  Approximate out{rigorous::approximate_log(scale_) - c_ * from_top.middle() + std::log(std::abs(total.re)),
                  -c_ - h_ * moved / total.re};
  if (besides_) {
    const Approximate more = besides_->approximate(epsilon);
    const double both = log_add(out.log_value, more.log_value);
    out = {both, out.slope * std::exp(out.log_value - both) + more.slope * std::exp(more.log_value - both)};
  }
  if (apart_) {
    const double here = std::exp(out.log_value), more = apart_->at(Real(epsilon)).middle();
    const double falls = std::exp(epsilon) * apart_->there.middle();
    out = {std::log(here + more), (here * out.slope - falls) / (here + more)};
  }
  return out;
}

Real Line::complete(const Real& sum, const Real& epsilon) const {
  const Real tail = tail_ * rigorous::exp(-(Real(c_) * epsilon));
  const Real turn = rigorous::scaled(rigorous::pi(), 1) / Real(h_);
  const auto copies = [&](const Real& order) { return Real(1) / rigorous::expm1(turn * order); };
  const Real above = aliased_ * rigorous::exp(-(Real(beyond_) * epsilon)), all = mass_ * copies(Real(std::abs(c_)));
  Real below = rigorous::zero_to(rigorous::upper_end(all));  // from thresholds below this one
  if (null_mass_) {
    const Real less = *null_mass_ * rigorous::exp(epsilon) * copies(Real(c_) + Real(1));
    const Real most = all - rigorous::zero_to(rigorous::upper_end(less));
    below = most.radius() < below.radius() ? most : below;
  }
  const Real alias = below + rigorous::zero_to(rigorous::upper_end(above));
  const Real exact = widened(sum, rigorous::upper_end(tail)) - alias;
  const Real unseen = lost_ + bulk_ * rigorous::exp(-(Real(bulk_order_) * epsilon));
  return exact + rigorous::zero_to(rigorous::upper_end(unseen));
}

}  // namespace dpcurves::accounting::proof
