// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/accounting/mixture/truncated.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr double log_smallest = -110.0;  // of a chance that is kept beyond larger ones

Real choose(double n, double k) {
  const auto log_factorial = [](double m) {
    Real r;
    arb_lgamma(r.get(), Real(m + 1.0).get(), Precision::bits());
    return r;
  };
  return k < 0.0 || k > n ? Real() : rigorous::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k));
}

Real binomial(double n, const Real& p, double k) { return choose(n, k) * power(p, k) * power(Real(1) - p, n - k); }

/// How often the owner's records are kept where the others leave `room` places free: a law, and its chance.
struct Room {
  Real chance;
  double room = 0.0;
  Uses uses;
};

Uses trimmed(std::vector<Real> weights) {
  Uses uses{std::move(weights), {}};
  while (uses.weight.size() > 1 && !(approximate_log(uses.weight.back() + Real(1e-300)) > log_smallest)) {
    uses.dropped += rigorous::abs(uses.weight.back());
    uses.weight.pop_back();
  }
  uses.dropped = rigorous::upper_end(uses.dropped);
  return uses;
}

/// The others draw m of n - k, the owner's j ~ Bin(k, p); above B a uniform choice of B is kept.
class Cut {
 public:
  explicit Cut(const CutBatches& batches) : b_(batches), p_(batches.rate) {
    for (double j = 0.0; j <= b_.group; ++j) {
      drawn_.push_back(binomial(b_.group, p_, j));
    }
  }

  /// All numbers of free places below k, and "k or more" as k.
  [[nodiscard]] std::vector<Room> rooms() const {
    const double others = b_.records - b_.group, k = b_.group;
    std::vector<Room> rooms;
    const Real free = Real(1) - binomial_at_least(others, b_.rate, b_.largest - k + 1.0);
    if (b_.largest >= k && free.upper() > 0.0) {
      rooms.push_back({free, k, trimmed(drawn_)});
    }
    // All batches of n records with B or more drawn: their kept ones are a uniform choice of B of all n.
    std::vector<Real> full(static_cast<std::size_t>(k) + 1);
    const Real most = binomial_at_least(b_.records, b_.rate, b_.largest);
    for (double x = 0.0; x <= k; ++x) {
      full[static_cast<std::size_t>(x)] = most * hypergeometric(b_.records, k, x);
    }
    for (double room = 1.0; room <= std::min(k, b_.largest); ++room) {
      if (b_.largest - room > others) {
        continue;
      }
      const Real chance = binomial(others, p_, b_.largest - room);
      const std::vector<Real> kept = given(b_.largest - room);
      for (double x = room; x <= k; ++x) {  // with fewer than `room` of the owner's no batch is full
        const auto i = static_cast<std::size_t>(x);
        full[i] = full[i] - chance * kept[i];
      }
      if (room < k && chance.upper() > 0.0) {
        rooms.push_back({chance, room, trimmed(kept)});
      }
    }
    const Real chance = binomial_at_least(others, b_.rate, b_.largest);
    if (chance.positive()) {
      for (Real& w : full) {
        w = rigorous::abs(w) / chance;
      }
      rooms.push_back({chance, 0.0, trimmed(std::move(full))});
    }
    return rooms;
  }

 private:
  /// Of B kept of n, of which j are the owner's.
  [[nodiscard]] Real hypergeometric(double n, double j, double x) const {
    return choose(j, x) * choose(n - j, b_.largest - x) / choose(n, b_.largest);
  }

  /// Chances of x kept where the others draw m < B.
  [[nodiscard]] std::vector<Real> given(double m) const {
    std::vector<Real> kept(drawn_.size());
    for (double j = 0.0; j <= b_.group; ++j) {
      const Real& chance = drawn_[static_cast<std::size_t>(j)];
      if (m + j <= b_.largest) {
        kept[static_cast<std::size_t>(j)] += chance;
        continue;
      }
      for (double x = 0.0; x <= j; ++x) {
        kept[static_cast<std::size_t>(x)] += chance * hypergeometric(m + j, j, x);
      }
    }
    return kept;
  }

  CutBatches b_;
  Real p_;
  std::vector<Real> drawn_;
};

/// Adds a step that is taken with that chance.
void join(Step& all, Step one, const Real& chance) {
  for (Piece& piece : one.pieces) {
    piece.weight = piece.weight * chance;
    all.pieces.push_back(std::move(piece));
  }
  for (Atom& atom : one.atoms) {
    atom.mass = atom.mass * chance;
    all.atoms.push_back(std::move(atom));
  }
  all.dropped_alternative += one.dropped_alternative * chance;
  all.dropped_null += one.dropped_null * chance;
  all.unsure += one.unsure * chance;
}

/// x records of the owner, of which those beyond the free places displace others: sums move by (x + (x - room)_+) mu.
Step displacing(const Room& room, double mu) {
  Step step;
  Mixture moved;
  for (std::size_t x = 0; x < room.uses.weight.size(); ++x) {
    const double places = static_cast<double>(x) + std::max(0.0, static_cast<double>(x) - room.room);
    if (room.uses.weight[x].middle() > 0.0) {
      moved.push_back({room.uses.weight[x], Real(places) * Real(mu)});
    }
  }
  step.pieces.push_back({Real(1), std::move(moved), {{Real(1), Real()}}});
  step.dropped_alternative = room.uses.dropped;
  return step;
}

Direction as_presence(Direction d) {
  return d == Direction::zero_remove ? Direction::remove : d == Direction::zero_add ? Direction::add : d;
}

}  // namespace

CutSteps cut_steps(const CutBatches& batches, double mu, Direction direction) {
  const Precision precision(256);  // of differences of chances
  const std::vector<Room> rooms = Cut(batches).rooms();
  const bool presence = direction == Direction::remove || direction == Direction::add;
  const auto size = static_cast<std::size_t>(batches.group) + 1;
  CutSteps steps;
  std::vector<Real> kept(size), displacing_uses(size);
  Real most_used;
  for (const Room& room : rooms) {
    for (std::size_t x = 0; x < room.uses.weight.size(); ++x) {
      kept[x] += room.chance * room.uses.weight[x];
    }
    if (presence) {
      const Step step = displacing(room, mu);
      join(steps.above, direction == Direction::add ? reversed(step) : step, room.chance);
    } else if (room.room >= batches.group) {
      join(steps.above, shifts(room.uses, mu, as_presence(direction)), room.chance);
    } else {
      // Free places may be held by gradients of 0: all uses displace, and a larger chance of a use dominates.
      const Real used = Real(1) - room.uses.weight.front();
      most_used = rigorous::max(most_used, used);
      for (std::size_t x = 1; x < room.uses.weight.size(); ++x) {
        displacing_uses[x] += room.chance * room.uses.weight[x] / used;
      }
      steps.above.dropped_alternative += room.chance * room.uses.dropped / used;
    }
  }
  for (std::size_t x = 1; x < size; ++x) {
    if (displacing_uses[x].middle() > 0.0) {
      add_lemma_c(steps.above, displacing_uses[x], most_used, static_cast<double>(x) * mu, direction);
    }
  }
  steps.below = shifts(trimmed(std::move(kept)), mu, as_presence(direction));
  return steps;
}

}  // namespace dpcurves::accounting::mixture
