// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/proof/far_parts.hpp>
#include <dpcurves/accounting/proof/law_on_cells.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::proof {

FarParts::FarParts(const Step& step, double c, double log_moment)
    : step_(step), c_(c), log_moment_(log_moment), parts_(step.pieces.size()) {
  for (std::size_t k = 0; k < step.pieces.size(); ++k) {
    const Piece& p = step.pieces[k];
    if (p.a > std::max(p.n, 0) && p.part == Piece::Part::whole && !p.from_top) {
      add(k, 1.5, 0.5);    // clear of branch points, which bound the height of paths
      add(k, -6.0, 0.25);  // nearly all
    }
  }
}

double FarParts::share() const {
  double total = 0.0;
  for (const std::deque<Part>& of_piece : parts_) {
    double most = 0.0;
    for (const Part& part : of_piece) {
      most = std::max(most, part.inside);
    }
    total += most;
  }
  return total;
}

// To where its tilted law is not seen.
void FarParts::add(std::size_t piece, double odds, double blur) {
  const Piece& whole = step_.pieces[piece];
  // The middle, in blurs; and how far left of the mass a sharp edge is not seen on the real line but high above it.
  constexpr double inside_by = 1.5, outside = 4.0;
  FarPart far;
  far.piece = piece;
  const double rest = std::log1p(-whole.q) - std::log(whole.q), mean = whole.a * whole.mu;
  far.left = std::max({(rest + odds) / mean + 0.5 * mean, 0.5 * (whole.a + whole.n) * whole.mu, whole.left});
  far.left = (std::floor(far.left / cell_grid) + 1.0) * cell_grid;
  const double inset = mean - far.left;
  far.blur = round_down(inset > outside ? 0.25 * inset : blur, 20);  // the wider, the higher a path may be
  far.middle = far.left + inside_by * far.blur;
  far.right = whole.right;
  constexpr double unseen = 50.0;
  constexpr int most = 20000;
  double top = -infinity, inside = 0.0, moved = 0.0;
  PlainEvaluation at_point(far.of(step_), Path{});
  for (int i = 0; i < most; ++i) {
    const double x = far.left + (i + 0.5) * cell_grid;
    const PlainPoint at = at_point(Plain(x, 0.0));
    const double v = at.log_base.real() + c_ * at.loss.real() - log_moment_;
    top = std::max(top, v);
    if (v < top - unseen || x >= whole.right) {
      far.right = std::min(whole.right, x + 0.5 * cell_grid);
      break;
    }
    inside += std::exp(v) * cell_grid;
    moved += std::exp(v) * cell_grid * at.loss.real();
  }
  if (!(inside > 0.0 && std::isfinite(inside) && far.right < infinity)) {
    return;
  }
  far.reference = log_moment_ + std::log(inside);
  const double digits = 20.0 + std::log1p(step_.count * inside);
  parts_[piece].emplace_back(far, far.of(step_), c_, inside, moved / inside, digits);
}

FarParts::Part::Part(FarPart shape, Piece of, double c, double moment, double mean, double digits)
    : far(std::move(shape)), law(of), paths(law, c, far.reference, mean, digits), inside(moment) {}

double FarParts::at(double y, std::vector<FarPart>& chosen) {
  chosen.clear();
  double gone = 0.0;
  for (std::deque<Part>& of_piece : parts_) {
    double most = 0.0;
    const Part* largest = nullptr;
    for (Part& part : of_piece) {
      const double here = part.inside - bound(part, y);
      if (here > most) {
        most = here;
        largest = &part;
      }
    }
    if (largest != nullptr) {
      gone += most;
      chosen.push_back(largest->far);
    }
  }
  return gone > 0.0 ? log_moment_ + std::log1p(-gone) : infinity;
}

double FarParts::bound(Part& part, double y) const {
  constexpr double lowest = 1e-4;
  LeastSum least = least_sum({&part.paths, 1}, y, part.fraction, lowest);
  if (!least.paths.empty()) {
    part.far.path = least.paths.front();
  }
  return least.sum * std::exp(-log_moment_);
}

}  // namespace dpcurves::accounting::proof
