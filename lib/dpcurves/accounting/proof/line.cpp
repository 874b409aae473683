// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/accounting/proof/line.hpp>

namespace dpcurves::accounting::proof {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

void Line::add_node(long node, const Complex& z, const Complex& f) {
  const Complex zz = z * (z + Complex(Real(1)));
  z_.push_back(z);
  value_.push_back(f * Complex(Real(h_) / rigorous::pi() * (node == 0 ? rigorous::scaled(Real(1), -1) : Real(1))) / zz);
}

Real Line::sum(const Real& epsilon) const {
  const Precision precision(bits_);
  Real total;
  Complex e;
  for (std::size_t k = 0; k < z_.size(); ++k) {
    acb_mul_arb(e.get(), z_[k].get(), epsilon.get(), bits_);
    acb_neg(e.get(), e.get());
    acb_exp(e.get(), e.get(), bits_);
    acb_mul(e.get(), e.get(), value_[k].get(), bits_);
    arb_add(total.get(), total.get(), acb_realref(e.get()), bits_);
  }
  return total;
}

Real Line::at(const Real& epsilon) const {
  const Precision precision(bits_);
  const Real from_top = epsilon - top_;
  return complete(sum(from_top), from_top);
}

Real Line::quick(double epsilon) const {
  const Precision precision(value_bits);
  const Real from_top = Real(epsilon) - top_;
  const double low = from_top.lower(), high = from_top.upper();
  const Real last = complete(plain_.at(high), Real(high));  // what is summed is monotone
  return low == high ? last : rigorous::hull(last, complete(plain_.at(low), Real(low)));
}

Real Line::complete(const Real& sum, const Real& epsilon) const {
  const Real tail = tail_ * rigorous::exp(-(Real(c_) * epsilon));
  const Real turn = rigorous::scaled(rigorous::pi(), 1) / Real(h_);
  const Real alias =
      mass_ / rigorous::expm1(turn * Real(std::abs(c_))) + aliased_ * rigorous::exp(-(Real(beyond_) * epsilon));
  const Real exact = widened(sum, rigorous::upper_end(tail)) - rigorous::zero_to(rigorous::upper_end(alias));
  const Real unseen = lost_ + bulk_ * rigorous::exp(-(Real(bulk_order_) * epsilon));
  return exact + rigorous::zero_to(rigorous::upper_end(unseen));
}

}  // namespace dpcurves::accounting::proof
