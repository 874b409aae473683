// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/accounting/mixture/law.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::mixture {

using rigorous::Complex;
using rigorous::Real;

Complex Ramp::moment(const Complex& z) const {
  const Complex order = z + Complex(rate);
  return Complex(factor) * (rigorous::exp(order * Complex(high)) - rigorous::exp(order * Complex(low))) / order;
}

Step reversed(const Step& step) {
  Step out;
  out.count = step.count;
  for (const Piece& p : step.pieces) {
    require_domain(p.from == -infinity, "from", p.from, "the whole line");
    out.pieces.push_back({p.weight, p.null, p.alternative, p.from});
  }
  out.dropped_alternative = step.dropped_null;
  out.dropped_null = step.dropped_alternative;
  for (const Atom& a : step.atoms) {
    out.atoms.push_back({-a.loss, a.mass * rigorous::exp(-a.loss)});
  }
  return out;
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

}  // namespace dpcurves::accounting::mixture
