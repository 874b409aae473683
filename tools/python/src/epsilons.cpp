// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "epsilons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace dpcurves::python {
namespace {

using accounting::DeltaQuestions;

constexpr std::size_t piece = 500;     // deltas that share contours: those of the first are paid once
constexpr int most_secants = 8;        // four from a neighbour's answer
constexpr int most_widenings = 3;      // of a bracket that the width of delta does not prove
constexpr double widening = 8.0;

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
  double half = 0.25 * relative * middle;
  for (int i = 0; i <= most_widenings; ++i, half *= widening) {
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

std::vector<Enclosure> epsilons(const accounting::PrivacyCurve& curve, std::span<const double> deltas, double relative,
                                unsigned threads, const Progress& progress) {
  std::vector<std::size_t> order(deltas.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return deltas[a] > deltas[b]; });
  std::vector<Enclosure> found(deltas.size());
  const std::size_t pieces = (deltas.size() + piece - 1) / piece;
  std::vector<DeltaQuestions> asks(pieces);
  std::vector<std::optional<Near>> nears(pieces);
  const auto one = [&](std::size_t part, std::size_t place) {
    const double delta = deltas[order[place]];
    auto& near = nears[part];
    auto answer = near ? bracket(asks[part], delta, relative, *near) : std::nullopt;
    if (!answer) {
      answer = curve.epsilon(delta).value;
      near.reset();
      const double middle = 0.5 * (answer->lower + answer->upper), apart = middle * (1.0 + 1e-4);
      if (middle > 0.0 && std::isfinite(middle)) {
        asks[part] = curve.questions();
        const auto two = asks[part](std::array{middle, apart});
        const double here = log_middle(two.front()), slope = (log_middle(two.back()) - here) / (apart - middle);
        if (slope < 0.0 && std::isfinite(slope)) {
          near = Near{middle, here, slope};
        }
      }
    }
    found[order[place]] = *answer;
  };
  // A step is a delta of every piece, so that the work can be stopped between deltas.
  constexpr std::size_t between = 20;  // deltas of a piece from one look at the progress to the next
  for (std::size_t first = 0; first < piece; first += between) {
    parallel_for(
        pieces, threads,
        [&](std::size_t part) {
          const std::size_t end = std::min({part * piece + first + between, (part + 1) * piece, deltas.size()});
          for (std::size_t place = part * piece + first; place < end; ++place) {
            one(part, place);
          }
        },
        progress);
  }
  return found;
}

}  // namespace dpcurves::python
