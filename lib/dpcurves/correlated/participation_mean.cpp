// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/participation_mean.hpp>
#include <dpcurves/correlated/sensitivity.hpp>
#include <dpcurves/numerics/roots.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

using Atom = ParticipationMean::Atom;
using models::StrategyMatrix;

constexpr double unit = 0.5 * std::numeric_limits<double>::epsilon();
constexpr double raise = 1e-13;    // of a position: more than the rounding of a step
constexpr double trimmed = 1e-28;  // masses that are not worth their place count as escaped

/// Rows of the window of participations that decide an entry of |C| y: c_0 of the row first.
std::vector<double> window_entries(const StrategyMatrix& strategy, std::size_t row) {
  std::vector<double> entries(strategy.bandwidth(), 0.0);
  for (std::size_t lag = 0; lag < std::min(entries.size(), row + 1); ++lag) {
    entries[lag] = std::abs(strategy(row, row - lag));
  }
  return entries;
}

double window_square(const std::vector<double>& entries, std::size_t bits) {
  double sum = 0.0;
  for (std::size_t lag = 0; lag < entries.size(); ++lag) {
    sum += ((bits >> lag) & 1U) != 0 ? entries[lag] : 0.0;
  }
  return sum * sum;
}

/// A move between states with its probability and what it adds to S.
struct Move {
  std::size_t from = 0, to = 0;
  double chance = 0.0, adds = 0.0;
};

/// The moves of one step, between grid points of the state: masses are split with their mean, rounded up.
class Moves {
 public:
  Moves(const StrategyMatrix& strategy, double rate, double top, std::size_t nodes)
      : strategy_(strategy), rate_(rate), banded_(strategy.form() != StrategyMatrix::Form::exponential) {
    if (banded_) {
      states_ = std::size_t{1} << (strategy.bandwidth() - 1);
      return;
    }
    states_ = strategy.lambda() == 0.0 ? 2 : nodes;
    spacing_ = top / static_cast<double>(states_ - 1);
    for (std::size_t i = 0; i < states_; ++i) {
      split(i, 0, 1.0 - rate);
      split(i, 1, rate);
    }
  }
  [[nodiscard]] std::size_t states() const { return states_; }
  [[nodiscard]] double position(std::size_t state) const { return static_cast<double>(state) * spacing_; }
  /// Moves to states() have left the grid.
  [[nodiscard]] const std::vector<Move>& at(std::size_t step) {
    if (banded_) {
      const auto entries = window_entries(strategy_, step);
      moves_.clear();
      for (std::size_t from = 0; from < states_; ++from) {
        for (const std::size_t y : {std::size_t{0}, std::size_t{1}}) {
          const std::size_t window = 2 * from + y;
          moves_.push_back(
              {from, window % states_, y == 1 ? rate_ : 1.0 - rate_, window_square(entries, window) * (1.0 + raise)});
        }
      }
    }
    return moves_;
  }

 private:
  void split(std::size_t from, std::size_t y, double chance) {
    if (strategy_.lambda() == 0.0) {
      moves_.push_back({from, y, chance, static_cast<double>(y)});
      return;
    }
    const double at = (strategy_.lambda() * position(from) + static_cast<double>(y)) * (1.0 + raise) / spacing_;
    const double cell = std::floor(at);
    if (!(cell < static_cast<double>(states_ - 1))) {
      moves_.push_back({from, states_, chance, 0.0});
      return;
    }
    const auto low = static_cast<std::size_t>(cell);
    const double share = std::min(1.0, at - cell + raise);
    for (const auto& [to, part] : {std::pair{low, 1.0 - share}, std::pair{low + 1, share}}) {
      if (part > 0.0) {
        moves_.push_back({from, to, chance * part, position(to) * position(to) * (1.0 + raise)});
      }
    }
  }

  const StrategyMatrix& strategy_;
  double rate_, spacing_ = 1.0;
  bool banded_;
  std::size_t states_ = 1;
  std::vector<Move> moves_;
};

/// Masses over S in one state, on multiples of a mesh, with the part that is not zero.
struct Row {
  std::vector<double> mass;
  std::size_t first = 0, end = 0;
};

/// The law above that of S, its tails, and what escaped.
struct Above {
  std::vector<double> squares;  ///< masses on multiples of the mesh
  std::vector<double> states;   ///< the largest chance of each state or a higher one, over the steps
  double escaped = 0.0;
};

Above carry_up(Moves& moves, std::size_t steps, double mesh, std::size_t cells) {
  Above result;
  std::vector<Row> now(moves.states()), next(moves.states());
  for (auto* rows : {&now, &next}) {
    for (Row& row : *rows) {
      row.mass.assign(cells + 1, 0.0);
    }
  }
  now[0].mass[0] = 1.0;
  now[0].end = 1;
  result.states.assign(moves.states(), 0.0);
  for (std::size_t t = 0; t < steps; ++t) {
    for (Row& row : next) {
      for (std::size_t j = row.first; j < row.end; ++j) {
        row.mass[j] = 0.0;
      }
      row.first = cells;
      row.end = 0;
    }
    for (const Move& move : moves.at(t)) {
      const Row& from = now[move.from];
      if (from.first >= from.end || move.chance == 0.0) {
        continue;
      }
      const double shift = move.adds / mesh, whole = std::floor(shift);
      const double left = static_cast<double>(cells) - 1.0 - whole;  // the last source that stays inside, and one
      const std::size_t inside = left <= 0.0 ? 0 : std::min(from.end, static_cast<std::size_t>(left));
      const bool leaves = move.to == moves.states();
      for (std::size_t j = leaves ? from.first : std::max(from.first, inside); j < from.end; ++j) {
        result.escaped += move.chance * from.mass[j];
      }
      if (leaves || from.first >= inside) {
        continue;
      }
      const auto by = static_cast<std::size_t>(whole);
      const double share = shift == whole && move.adds == 0.0 ? 0.0 : std::min(1.0, shift - whole + 1e-11);
      const double stays = move.chance * (1.0 - share), moves_on = move.chance * share;
      Row& to = next[move.to];
      const double* source = from.mass.data();
      double* target = to.mass.data() + by;
      for (std::size_t j = from.first; j < inside; ++j) {
        target[j] += stays * source[j];
      }
      for (std::size_t j = from.first; j < inside; ++j) {
        target[j + 1] += moves_on * source[j];
      }
      to.first = std::min(to.first, from.first + by);
      to.end = std::max(to.end, inside + by + 1);
    }
    double above = 0.0;
    for (std::size_t s = moves.states(); s-- > 0;) {
      Row& row = next[s];
      while (row.first < row.end && row.mass[row.first] < trimmed) {
        result.escaped += std::exchange(row.mass[row.first++], 0.0);
      }
      while (row.first < row.end && row.mass[row.end - 1] < trimmed) {
        result.escaped += std::exchange(row.mass[--row.end], 0.0);
      }
      for (std::size_t j = row.first; j < row.end; ++j) {
        above += row.mass[j];
      }
      result.states[s] = std::max(result.states[s], above);
    }
    now.swap(next);
  }
  result.squares.assign(cells + 1, 0.0);
  for (const Row& row : now) {
    for (std::size_t j = row.first; j < row.end; ++j) {
      result.squares[j] += row.mass[j];
    }
  }
  return result;
}

/// Masses of a cell with the sums of their positions.
struct Cell {
  double chance = 0.0, state = 0.0, square = 0.0;
};

/// The law below that of S: masses that meet in a cell are merged into their mean, rounded down.
std::vector<Cell> carry_down(const StrategyMatrix& strategy, double rate, double top, std::size_t nodes, double mesh,
                             std::size_t cells) {
  const bool banded = strategy.form() != StrategyMatrix::Form::exponential;
  const std::size_t states = banded ? std::size_t{1} << (strategy.bandwidth() - 1) : nodes;
  const double spacing = top / static_cast<double>(states);
  std::vector<Cell> now(states * cells), next(states * cells);
  std::vector<std::size_t> ends(states, 0), next_ends(states, 0);
  now[0].chance = 1.0;
  ends[0] = 1;
  for (std::size_t t = 0; t < strategy.steps(); ++t) {
    std::vector<double> adds;
    if (banded) {
      const auto entries = window_entries(strategy, t);
      for (std::size_t window = 0; window < 2 * states; ++window) {
        adds.push_back(window_square(entries, window));
      }
    }
    std::fill(next_ends.begin(), next_ends.end(), 0);
    for (std::size_t s = 0; s < states; ++s) {
      for (std::size_t j = 0; j < ends[s]; ++j) {
        const Cell cell = std::exchange(now[s * cells + j], Cell{});
        if (cell.chance < trimmed) {
          continue;
        }
        const double state = cell.state / cell.chance, square = cell.square / cell.chance;
        for (const std::size_t y : {std::size_t{0}, std::size_t{1}}) {
          const double chance = cell.chance * (y == 1 ? rate : 1.0 - rate);
          const double x = banded ? 0.0 : (strategy.lambda() * state + static_cast<double>(y)) * (1.0 - raise);
          const double total = (square + (banded ? adds[2 * s + y] : x * x)) * (1.0 - raise);
          const auto place = banded ? (2 * s + y) % states : static_cast<std::size_t>(x / spacing);
          const double column = total / mesh + 0.5;  // multiples of the mesh are in the middle of a cell
          if (place >= states || !(column < static_cast<double>(cells))) {
            continue;
          }
          const auto index = static_cast<std::size_t>(column);
          Cell& to = next[place * cells + index];
          to.chance += chance;
          to.state += chance * x;
          to.square += chance * total;
          next_ends[place] = std::max(next_ends[place], index + 1);
        }
      }
    }
    now.swap(next);
    ends.swap(next_ends);
  }
  std::vector<Cell> law(cells);
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t j = 0; j < ends[s]; ++j) {
      law[j].chance += now[s * cells + j].chance;
      law[j].square += now[s * cells + j].square;
    }
  }
  return law;
}

constexpr std::size_t most_atoms = 400;  // once more split or merged, which costs far less than a step of the chain

/// Masses on multiples of the mesh, split between every `stride`-th of them.
std::vector<Atom> coarse_above(const std::vector<double>& masses, double mesh, double grown) {
  std::size_t used = masses.size();
  while (used > 1 && masses[used - 1] == 0.0) {
    --used;
  }
  const std::size_t stride = used / most_atoms + 1;
  std::vector<Atom> atoms(used / stride + 2);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    atoms[i].square = static_cast<double>(i * stride) * mesh * (1.0 + 4.0 * unit);
  }
  for (std::size_t j = 0; j < used; ++j) {
    const double share = static_cast<double>(j % stride) / static_cast<double>(stride) * (1.0 + 4.0 * unit);
    atoms[j / stride].chance += masses[j] * (1.0 - share) * grown;
    atoms[j / stride + 1].chance += masses[j] * share * grown;
  }
  return atoms;
}

std::vector<Atom> coarse_below(const std::vector<Cell>& cells, double shrunk) {
  std::size_t used = cells.size();
  while (used > 1 && cells[used - 1].chance == 0.0) {
    --used;
  }
  const std::size_t stride = used / most_atoms + 1;
  std::vector<Atom> atoms;
  for (std::size_t j = 0; j < used; j += stride) {
    Cell sum;
    for (std::size_t i = j; i < std::min(used, j + stride); ++i) {
      sum.chance += cells[i].chance;
      sum.square += cells[i].square;
    }
    if (sum.chance > 0.0) {
      atoms.push_back({sum.square / sum.chance * shrunk, sum.chance * shrunk});
    }
  }
  return atoms;
}

/// delta_G(f sqrt(S)/kappa; epsilon) as a function of S.
struct Profile {
  double epsilon = 0.0, scale = 1.0;  ///< scale: f/kappa

  [[nodiscard]] double mu(double square) const { return scale * std::sqrt(square); }
  [[nodiscard]] double value(double square) const { return tradeoff::delta_of_epsilon(epsilon, mu(square)); }
  [[nodiscard]] Enclosure ends(double square) const {
    const double m = mu(square);
    return tradeoff::delta_enclosure(epsilon, {m * (1.0 - 4.0 * unit), m * (1.0 + 4.0 * unit)});
  }
  /// d/dS, the normal density at mu/2 - epsilon/mu times f^2/(2 kappa^2 mu). Relative 1e-12 where it is above 1e-300.
  [[nodiscard]] double slope(double square) const {
    const double m = mu(square), z = 0.5 * m - epsilon / m;
    return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi) * scale * scale / (2.0 * m);
  }
  /// Where convex turns into concave.
  [[nodiscard]] double inflection() const {
    const double variance = 2.0 * epsilon * epsilon / (1.0 + std::sqrt(1.0 + epsilon * epsilon));
    return variance / (scale * scale);
  }
};

constexpr double slack = 1e-9;  // of slopes and of where tangents touch

/// The convex majorant: the profile, and beyond the inflection its tangent there, which holds wherever it touches.
double majorant(const Profile& profile, double touches, double square, bool proved) {
  const auto value = [&](double s) { return proved ? profile.ends(s).upper : profile.value(s); };
  if (square <= touches) {
    return value(square);
  }
  return value(touches) + profile.slope(touches) * (1.0 + slack) * (square - touches) * (1.0 + slack);
}

/// Where a tangent stays below the profile up to the largest S; the largest S itself where all is convex.
double lower_touch(const Profile& profile, double largest) {
  const double end = profile.inflection() * (1.0 - slack);
  if (end >= largest) {
    return largest;
  }
  const auto fits = [&](double s) {
    return profile.value(s) + profile.slope(s) * (1.0 + slack) * (largest - s) <=
           profile.value(largest) * (1.0 - slack);
  };
  double low = 0.0, high = end;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (middle > 0.0 && fits(middle) ? low : high) = middle;
  }
  return low;
}

void require_question(double epsilon, double noise) {
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(noise > 0.0 && std::isfinite(noise), "noise_multiplier", noise, "(0, inf)");
}

}  // namespace

bool ParticipationMean::applies(const StrategyMatrix& strategy) {
  const bool exponential = strategy.form() == StrategyMatrix::Form::exponential;
  return strategy.steps() <= most_steps &&
         (exponential ? strategy.lambda() < 1.0 : strategy.bandwidth() <= most_bandwidth);
}

ParticipationMean::ParticipationMean(const StrategyMatrix& strategy, double sampling_rate, double sensitivity,
                                     double refinement)
    : sensitivity_(sensitivity) {
  require_domain(sampling_rate > 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "(0, 1]");
  require_domain(sensitivity > 0.0 && std::isfinite(sensitivity), "sensitivity", sensitivity, "(0, inf)");
  require_domain(refinement >= 0.25 && refinement <= 8.0, "refinement", refinement, "[0.25, 8]");
  require_domain(applies(strategy), "steps", static_cast<double>(strategy.steps()),
                 "[1, 4000], with lambda-CGD of lambda < 1 or a band of at most 10");
  const auto steps = static_cast<double>(strategy.steps());
  const bool banded = strategy.form() != StrategyMatrix::Form::exponential;
  std::vector<double> all(strategy.steps(), 1.0);
  strategy.absolute().multiply(all);
  largest_square_ = 0.0;
  double highest = 0.0;
  for (const double x : all) {
    largest_square_ += x * x;
    highest = std::max(highest, x);
  }
  largest_square_ *= 1.0 + 1e-12;
  // A coarse pass over all that is possible says how far the fine one has to reach.
  constexpr std::size_t first_nodes = 48, first_cells = 512;
  constexpr double unlikely = 1e-17;
  double top = 1.3 * highest, reach = 1.5 * largest_square_;  // splits spread masses beyond what is possible
  for (int pass = 0; pass < 2; ++pass) {
    Moves moves(strategy, sampling_rate, top, first_nodes);
    const double wide = reach / first_cells;
    const auto rough = carry_up(moves, strategy.steps(), wide, first_cells);
    double tail = rough.escaped;
    std::size_t cell = first_cells;
    while (cell > 0 && (tail += rough.squares[cell]) < unlikely) {
      --cell;
    }
    reach = std::min(reach, (static_cast<double>(cell) + 2.0) * wide);
    for (std::size_t s = rough.states.size(); !banded && strategy.lambda() > 0.0 && s-- > 0;) {
      if (rough.states[s] >= unlikely) {
        top = std::min(top, moves.position(s) + 2.0 * top / first_nodes);
        break;
      }
    }
  }
  const auto cells = static_cast<std::size_t>(std::clamp(36.0 * std::sqrt(steps), 360.0, 3000.0) * refinement);
  const auto nodes = static_cast<std::size_t>(120.0 * refinement);
  reach *= 1.0 + 5.0 * std::sqrt(steps) / static_cast<double>(cells);  // splits on this mesh spread masses, too
  const bool counts = !banded && strategy.lambda() == 0.0;             // S is a number of participations
  const double mesh = std::max(reach / static_cast<double>(cells), counts ? 1.0 : 0.0);
  const double rounding = 16.0 * (steps + 8.0) * unit;  // products of at most 8 factors a step, all positive
  Moves moves(strategy, sampling_rate, top, nodes);
  const Above fine = carry_up(moves, strategy.steps(), mesh, cells + 2);
  above_ = coarse_above(fine.squares, mesh, 1.0 + rounding);
  escaped_ = fine.escaped * (1.0 + rounding);
  // An escaped mass is a true state not far beyond the grid, and no path adds more than all participations do.
  farthest_ = 1.01 * reach + (highest + top + 2.0) * (highest + top + 2.0) * (steps + 1.0);
  below_ = coarse_below(carry_down(strategy, sampling_rate, top, nodes, mesh, cells + 2), 1.0 - rounding);
}

double ParticipationMean::estimate(double epsilon, double noise_multiplier) const {
  require_question(epsilon, noise_multiplier);
  const Profile profile{epsilon, sensitivity_ / noise_multiplier};
  const double touches = profile.inflection();
  double sum = escaped_ * std::max(1.0, majorant(profile, touches, farthest_, false));
  for (const Atom& atom : above_) {
    sum += atom.chance > 0.0 ? atom.chance * majorant(profile, touches, atom.square, false) : 0.0;
  }
  return std::min(1.0, sum);
}

Enclosure ParticipationMean::delta(double epsilon, double noise_multiplier) const {
  require_question(epsilon, noise_multiplier);
  const Profile profile{epsilon, sensitivity_ / noise_multiplier};
  const double touches = profile.inflection();
  double upper = 1.0;
  if (touches > 0.0) {
    upper = escaped_ * std::max(1.0, majorant(profile, touches, farthest_, true));
    for (const Atom& atom : above_) {
      upper += atom.chance > 0.0 ? atom.chance * majorant(profile, touches, atom.square, true) : 0.0;
    }
    upper *= 1.0 + 1e-12;  // of at most 402 products and sums
  }
  const double low_touch = lower_touch(profile, largest_square_);
  double lower = 0.0;
  for (const Atom& atom : below_) {
    if (atom.square <= low_touch) {
      lower += atom.chance * profile.ends(atom.square).lower;
    } else if (low_touch > 0.0) {
      lower += atom.chance * (profile.ends(low_touch).lower +
                              profile.slope(low_touch) * (1.0 - slack) * (atom.square - low_touch) * (1.0 - slack));
    }
  }
  return clamp({lower * (1.0 - 1e-12), upper}, 0.0, 1.0);
}

double ParticipationMean::sufficient_noise(double epsilon, double delta) const {
  require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
  const double mu = tradeoff::mu_of_epsilon_delta(epsilon, delta);
  const double most = sensitivity_ * std::sqrt(farthest_) / mu * (1.0 + 1e-9);  // enough for every S
  const auto excess = [&](double log_noise) {
    return std::log(std::max(estimate(epsilon, std::exp(log_noise)), 1e-300)) - std::log(delta);
  };
  double high = std::log(sensitivity_ * std::sqrt(largest_square_) / mu) + 1e-9, low = high;
  if (excess(high) > 0.0) {
    return most;  // too much escaped for so small a delta
  }
  do {
    high = low;
    low -= 0.5;
    if (low < high - 200.0) {
      return std::exp(high);
    }
  } while (excess(low) <= 0.0);
  double found = std::exp(numerics::root(excess, low, high).upper);
  for (double width = 1e-12; this->delta(epsilon, found).upper > delta; width *= 8.0) {
    found *= 1.0 + width;
  }
  return found;
}

Enclosure ParticipationMean::noise_multiplier(double epsilon, double delta) const {
  Enclosure ends{0.0, sufficient_noise(epsilon, delta)};
  double width = 1e-4;
  while (width < 1.0 && this->delta(epsilon, ends.upper * (1.0 - width)).lower <= delta) {
    width *= 2.0;
  }
  if (width >= 1.0) {
    return ends;
  }
  double known = width, tried = width > 1e-4 ? 0.5 * width : 0.0;  // finer, between the two
  for (int i = 0; i < 4; ++i) {
    const double middle = 0.5 * (known + tried);
    (this->delta(epsilon, ends.upper * (1.0 - middle)).lower > delta ? known : tried) = middle;
  }
  ends.lower = ends.upper * (1.0 - known);
  return ends;
}

}  // namespace dpcurves::correlated
