// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/proof/law_on_cells.hpp>
#include <dpcurves/accounting/proof/plain.hpp>

namespace dpcurves::accounting::proof {

CellLaw law_on_cells(const Piece& p, double least, double beyond) {
  CellLaw l;
  l.piece = p;
  l.width = std::min(cell_grid, 0.25 / (p.steepest() * p.mu));
  const Piece whole = p.unbounded();
  PlainEvaluation at_point(whole, Path{});
  const auto log_density = [&](double x) { return at_point(Plain(x, 0.0)).log_base.real(); };
  const double begin = p.half ? 0.5 * (p.a + p.n) * p.mu : 0.0;
  double right = begin, left = begin;
  constexpr double farthest = 400.0;
  // what a rare part needs beyond is decided at each order
  while (right - begin < farthest && (log_density(right) > least || log_density(right + 1.0) > least)) {
    right += 0.5;
  }
  right += beyond;
  while (!p.half && left > -farthest && (log_density(left) > least || log_density(left - 1.0) > least)) {
    left -= 0.5;
  }
  l.first = left;
  const auto count = static_cast<std::size_t>(std::ceil((right - left) / l.width));
  for (std::size_t j = 0; j < count; ++j) {
    const PlainPoint at = at_point(Plain(l.place(j), 0.0));
    l.loss.push_back(at.loss.real());
    l.log_mass.push_back(at.log_base.real() + std::log(l.width));
    l.mass.push_back(std::exp(l.log_mass.back()));
  }
  return l;
}

}  // namespace dpcurves::accounting::proof
