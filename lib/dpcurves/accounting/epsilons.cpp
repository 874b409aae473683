// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <dpcurves/accounting/epsilons.hpp>

namespace dpcurves::accounting {
namespace {

constexpr std::size_t piece = 500;  // deltas that share contours: those of the first are paid once
constexpr int most_secants = 8;     // four from a neighbour's answer

/// A point of the curve and the slope of log delta there.
struct Near {
  double epsilon = 0.0;
  double log_delta = 0.0;
  double slope = 0.0;
};

double log_middle(const Enclosure& delta) { return std::log(0.5 * (delta.lower + delta.upper)); }

/// The bracket of one delta from a point near it, which moves there; empty where nothing is proved.
std::optional<Enclosure> bracket(const DeltaQuestions& ask, double delta, double relative, Near& near) {
  const double target = std::log(delta);
  Near at = near;
  double step = (target - at.log_delta) / at.slope;
  for (int i = 0; std::abs(step) > 0.125 * relative * at.epsilon; ++i) {
    const double next = at.epsilon + step;
    if (i == most_secants || !(next > 0.0) || !std::isfinite(next)) {
      return std::nullopt;
    }
    const double value = log_middle(ask(std::array{next}).front());
    const double slope = (value - at.log_delta) / step;
    if (!(slope < 0.0) || !std::isfinite(slope)) {
      return std::nullopt;
    }
    at = {next, value, slope};
    step = (target - value) / slope;
  }
  const double middle = at.epsilon + step;
  for (const double share : {0.25, 0.49}) {  // half of the width; the first proves it nearly always
    const double half = share * relative * middle;
    const Enclosure ends{middle - half, middle + half};
    if (!(ends.lower > 0.0)) {
      return std::nullopt;
    }
    const auto found = ask(std::array{ends.lower, ends.upper});
    if (found.front().lower > delta && found.back().upper <= delta) {
      near = at;
      return ends;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Answer> epsilons(const PrivacyCurve& curve, std::span<const double> deltas, double relative,
                             unsigned threads, const Progress& progress) {
  std::vector<Answer> found(deltas.size());
  if (!curve.questions_share()) {
    parallel_for(deltas.size(), threads, [&](std::size_t i) { found[i] = curve.epsilon(deltas[i]); }, progress);
    return found;
  }
  std::vector<std::size_t> order(deltas.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return deltas[a] > deltas[b]; });
  const std::size_t pieces = (deltas.size() + piece - 1) / piece;
  struct Piece {
    DeltaQuestions ask;
    std::optional<Near> near;
    Answer first;  // whose method is that of its neighbours
  };
  std::vector<Piece> parts(pieces);
  const auto one = [&](Piece& part, std::size_t place) {
    const double delta = deltas[order[place]];
    if (const auto ends = part.near ? bracket(part.ask, delta, relative, *part.near) : std::nullopt) {
      found[order[place]] = {*ends, part.first.method, part.first.direction};
      return;
    }
    part.first = found[order[place]] = curve.epsilon(delta);
    part.near.reset();
    const double middle = part.first.value.middle(), apart = middle * (1.0 + 1e-4);
    if (middle > 0.0 && std::isfinite(middle)) {
      part.ask = curve.questions();
      const auto two = part.ask(std::array{middle, apart});
      const double here = log_middle(two.front()), slope = (log_middle(two.back()) - here) / (apart - middle);
      if (slope < 0.0 && std::isfinite(slope)) {
        part.near = Near{middle, here, slope};
      }
    }
  };
  // A step is some deltas of every piece, so that the work can be stopped between them.
  constexpr std::size_t between = 20;  // deltas of a piece from one look at the progress to the next
  constexpr std::size_t rounds = piece / between;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto share = [&](std::size_t done, std::size_t) { return progress(round * pieces + done, rounds * pieces); };
    parallel_for(
        pieces, threads,
        [&](std::size_t part) {
          const std::size_t first = part * piece + round * between;
          const std::size_t end = std::min({first + between, (part + 1) * piece, deltas.size()});
          for (std::size_t place = first; place < end; ++place) {
            one(parts[part], place);
          }
        },
        progress ? Progress(share) : Progress());
  }
  return found;
}

}  // namespace dpcurves::accounting
