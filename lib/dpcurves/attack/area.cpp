// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>
#include <vector>

#include <dpcurves/attack/measures.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/convex.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::attack {
namespace {

using rigorous::Real;

/// A line, and where it is the least of many: in doubles, so that ends may be a little off.
struct Piece {
  Corner line;
  double from, to;
};

/// The lower envelope of the lines on [0, 1], from small false positive rates to large.
std::vector<Piece> pieces(const std::vector<Corner>& lines) {
  std::vector<double> x, y;
  for (const Corner& line : lines) {
    x.push_back(line.less_one);
    y.push_back(line.value);
  }
  const std::vector<std::size_t> hull = numerics::lower_convex_hull(x, y);
  std::vector<Piece> result;
  double to = 1.0;
  for (std::size_t i = 0; i < hull.size() && to > 0.0; ++i) {
    const Corner& line = lines[hull[i]];
    double from = 0.0;
    if (i + 1 < hull.size()) {
      const Corner& next = lines[hull[i + 1]];
      from = std::clamp((line.value - next.value) / (next.less_one - line.less_one), 0.0, to);
    }
    if (from < to) {
      result.push_back({line, from, to});
    }
    to = from;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Epsilons whose answers would narrow the area most: in the cells of corners that are far below the lines above.
std::vector<double> where_wide(const Envelope& envelope, double step, double share) {
  auto above = [i = std::size_t{0}, lines = pieces(envelope.above)](double rate) mutable {
    while (i + 1 < lines.size() && lines[i].to < rate) {
      ++i;
    }
    return lines[i].line.excess(rate);
  };
  std::set<double> result;
  for (const Piece& piece : pieces(envelope.below)) {
    const double middle = 0.5 * (piece.from + piece.to);
    double gap = 0.0;
    for (const double rate : {piece.from, middle, piece.to}) {
      gap = std::max(gap, above(rate) - piece.line.excess(rate));
    }
    if (gap * (piece.to - piece.from) <= share) {
      continue;
    }
    const auto next = std::upper_bound(envelope.above.begin(), envelope.above.end(), piece.line.less_one,
                                       [](double value, const Corner& line) { return value < line.less_one; });
    result.insert(next == envelope.above.begin() ? next->epsilon - step
                  : next == envelope.above.end() ? std::prev(next)->epsilon + step
                                                 : 0.5 * (std::prev(next)->epsilon + next->epsilon));
  }
  return {result.begin(), result.end()};
}

}  // namespace

Enclosure Envelope::area() const {
  const rigorous::Precision precision(128);
  // Any line is above T on any interval; T is above its chords.
  Real over, under;
  const Real half(0.5);
  for (const Piece& piece : pieces(above)) {
    const Real width = Real(piece.to) - Real(piece.from), middle = half * (Real(piece.from) + Real(piece.to));
    over += width * (Real(piece.line.value) + middle * Real(piece.line.less_one));
  }
  for (const Piece& piece : pieces(below)) {
    const double left = excess(piece.from).lower, right = excess(piece.to).lower;
    under += half * (Real(piece.to) - Real(piece.from)) * (Real(left) + Real(right));
  }
  return clamp({(half + under).lower(), (half + over).upper()}, 0.5, 1.0);
}

Enclosure area(Profile& profile, double absolute) {
  require_domain(absolute > 0.0 && absolute < 1.0, "absolute", absolute, "(0, 1)");
  const double step = 0.5 * profile.scale();
  for (int k = -2; k <= 2; ++k) {
    static_cast<void>(profile.delta(step * static_cast<double>(k)));
  }
  Envelope envelope = profile.envelope();
  Enclosure result = envelope.area();
  constexpr int most_rounds = 40;
  constexpr std::size_t most_nodes = 2000;
  constexpr double little = 0.97;
  for (int round = 0; round < most_rounds && result.width() > absolute && envelope.above.size() < most_nodes; ++round) {
    // A halved cell has an eighth of the area; the share of each is what the width allows, or a part of what is there.
    const double share = std::max(absolute, 0.1 * result.width()) / static_cast<double>(envelope.above.size());
    const std::vector<double> nodes = where_wide(envelope, step, share);
    if (nodes.empty()) {
      break;
    }
    profile.ask(nodes);
    envelope = profile.envelope();
    const Enclosure next = envelope.area();
    const double before = result.width();
    result = {std::max(result.lower, next.lower), std::min(result.upper, next.upper)};
    if (result.width() > little * before) {  // the rest is that of the profile's own brackets
      break;
    }
  }
  return result;
}

}  // namespace dpcurves::attack
