// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <dpcurves/accounting/mixture/truncated.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using rigorous::Precision;
using rigorous::Real;

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

Uses trimmed(std::vector<Real> weights, double log_least) {
  Uses uses{std::move(weights), {}};
  while (uses.weight.size() > 1 &&
         !(uses.weight.back().positive() && approximate_log(uses.weight.back()) > log_least)) {
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
    const Real free = binomial_below(others, b_.rate, b_.largest - k + 1.0);
    if (b_.largest >= k && free.upper() > 0.0) {
      rooms.push_back({free, k, trimmed(drawn_, b_.log_least)});
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
        rooms.push_back({chance, room, trimmed(kept, b_.log_least)});
      }
    }
    const Real chance = binomial_at_least(others, b_.rate, b_.largest);
    if (chance.positive()) {
      for (Real& w : full) {
        w = rigorous::abs(w) / chance;
      }
      rooms.push_back({chance, 0.0, trimmed(std::move(full), b_.log_least)});
    }
    return rooms;
  }

  /// P(the others leave so many places free), at least 1.
  [[nodiscard]] Real others_leave(double free) const {
    const double others = b_.records - b_.group, drawn = b_.largest - free;
    return drawn < 0.0 || drawn > others ? Real() : binomial(others, p_, drawn);
  }

  /// P(the others leave more than that free).
  [[nodiscard]] Real others_leave_more(double free) const {
    return binomial_below(b_.records - b_.group, b_.rate, b_.largest - free);
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

bool presence(Direction d) { return d == Direction::remove || d == Direction::add; }

/// Above, by the free places that the others leave: what displaces is held against what it displaced.
Step against_displaced(const std::vector<Room>& rooms, double group, double mu, Direction direction) {
  Step above;
  std::vector<Real> displacing_uses(static_cast<std::size_t>(group) + 1);
  Real most_used;
  for (const Room& room : rooms) {
    if (presence(direction)) {
      const Step step = displacing(room, mu);
      join(above, direction == Direction::add ? reversed(step) : step, room.chance);
    } else if (room.room >= group) {
      join(above, shifts(room.uses, mu, as_presence(direction)), room.chance);
    } else {
      // Free places may be held by gradients of 0: all uses displace, and a larger chance of a use dominates.
      const Real used = Real(1) - room.uses.weight.front();
      most_used = rigorous::max(most_used, used);
      for (std::size_t x = 1; x < room.uses.weight.size(); ++x) {
        displacing_uses[x] += room.chance * room.uses.weight[x] / used;
      }
      above.dropped_alternative += room.chance * room.uses.dropped / used;
    }
  }
  for (std::size_t x = 1; x < displacing_uses.size(); ++x) {
    if (displacing_uses[x].middle() > 0.0) {
      add_lemma_c(above, displacing_uses[x], most_used, static_cast<double>(x) * mu, direction);
    }
  }
  return above;
}

/// The batches in which m of the others are kept: how likely with none of the owner's, and with x of them.
struct Kept {
  Real without;
  std::vector<Real> with;
};

/// Batches told apart by how many of the others are kept: B, B - 1, ..., B - k, fewer. A `share` of what displaces is
/// held against batches without the displaced, at distance x mu; the rest, of one record, as in against_displaced.
class ByOthers {
 public:
  ByOthers(const Cut& cut, const std::vector<Room>& rooms, double group, const Real& share)
      : kept_(static_cast<std::size_t>(group) + 2, {{}, std::vector<Real>(static_cast<std::size_t>(group) + 1)}) {
    const auto k = static_cast<std::size_t>(group);
    for (const Room& room : rooms) {
      const auto free = static_cast<std::size_t>(room.room);
      const Real exactly = free == k ? cut.others_leave(group) : room.chance;
      kept_[free].without = exactly;
      kept_.back().without = free == k ? cut.others_leave_more(group) : kept_.back().without;
      dropped_ += room.chance * room.uses.dropped;
      for (std::size_t x = 0; x < room.uses.weight.size(); ++x) {
        const Real mass = room.chance * room.uses.weight[x];
        if (x > free) {
          kept_[x].with[x] += share * mass;
          displacing_ += (Real(1) - share) * mass;
        } else {
          kept_[free].with[x] += exactly * room.uses.weight[x];
        }
        if (free == k) {
          kept_.back().with[x] += kept_.back().without * room.uses.weight[x];
        }
      }
    }
  }

  /// Nothing where a loss would be infinite.
  [[nodiscard]] std::optional<Step> step(double mu, Direction direction) const {
    Step all;
    const bool rest = displacing_.upper() > 0.0;
    for (std::size_t free = 0; free < kept_.size(); ++free) {
      if (free == 0 && rest && !presence(direction)) {
        continue;
      }
      if (!add(all, free, mu, direction)) {
        return std::nullopt;
      }
    }
    all.dropped_alternative += dropped_;
    all.dropped_null += presence(direction) ? Real() : dropped_;
    Step out = direction == Direction::add || direction == Direction::zero_add ? reversed(all) : all;
    if (rest && !presence(direction)) {
      const Real chance = kept_.front().with.front() + displacing_;
      add_lemma_c(out, chance, displacing_ / chance, mu, direction);
    }
    return out;
  }

 private:
  [[nodiscard]] bool add(Step& all, std::size_t free, double mu, Direction direction) const {
    const Kept& kept = kept_[free];
    Real total;
    Mixture moved;
    const auto move = [&](const Real& mass, double by) {
      total += mass;
      if (mass.middle() > 0.0) {
        moved.push_back({mass, Real(by) * Real(mu)});
      }
    };
    for (std::size_t x = 0; x < kept.with.size(); ++x) {
      move(kept.with[x], static_cast<double>(x));
    }
    if (free == 0) {
      move(displacing_, 2.0);
    }
    constexpr double unlikely = 1e-48;
    if (moved.empty() || total.upper() < unlikely) {
      all.dropped_alternative += total;
      all.dropped_null += total + kept.without;
      return total.upper() < unlikely && kept.without.upper() < unlikely;
    }
    const Real scale = presence(direction) ? kept.without : total;
    if (!scale.positive()) {
      return false;
    }
    for (Component& c : moved) {
      c.weight = c.weight / scale;
    }
    if (moved.size() == 1 && !(moved.front().mean.middle() > 0.0)) {
      all.atoms.push_back({presence(direction) ? rigorous::log(moved.front().weight) : Real(), total});
      return true;
    }
    Mixture null{{Real(1), Real()}};
    if (direction == Direction::replace) {
      null = turned(moved);
    }
    all.pieces.push_back({scale, std::move(moved), std::move(null)});
    return true;
  }

  std::vector<Kept> kept_;  // by the places that the others leave; more than k at last
  Real displacing_, dropped_;
};

/// Shares of what displaces, about best held against fewer others: with the least mean square of the ratio, with the
/// least mean of its variances given the label, half way between them, and all. In 1024ths.
std::vector<double> shares_of(const CutBatches& batches, const std::vector<Room>& rooms, const Cut& cut, double mu) {
  const Room& full = rooms.back();
  std::vector<double> shares;
  if (batches.group == 1.0 && full.room == 0.0 && full.uses.weight.size() > 1) {
    constexpr double most = 600.0;
    const double once = std::expm1(std::min(mu * mu, most)), twice = std::expm1(std::min(4.0 * mu * mu, most));
    const double used = full.uses.weight[1].middle(), here = (full.chance * full.uses.weight[1]).middle(),
                 fewer = cut.others_leave(1.0).middle(), gain = used * twice - batches.rate * once,
                 spread = used * twice + here / fewer * once;
    const double square = gain / (spread + used + here / fewer), variance = gain / spread;
    for (const double share : {square, 0.5 * (square + variance), variance}) {
      const double rounded = std::floor(1024.0 * share) / 1024.0;
      if (rounded > 0.0 && rounded < 1.0) {
        shares.push_back(rounded);
      }
    }
  }
  shares.push_back(1.0);
  return shares;
}

}  // namespace

CutSteps cut_steps(const CutBatches& batches, double mu, Direction direction) {
  const Precision precision(256);  // of differences of chances
  const std::vector<Room> rooms = Cut(batches).rooms();
  std::vector<Real> kept(static_cast<std::size_t>(batches.group) + 1);
  for (const Room& room : rooms) {
    for (std::size_t x = 0; x < room.uses.weight.size(); ++x) {
      kept[x] += room.chance * room.uses.weight[x];
    }
  }
  return {against_displaced(rooms, batches.group, mu, direction),
          shifts(trimmed(std::move(kept), batches.log_least), mu, as_presence(direction))};
}

std::vector<Step> cut_steps_by_others(const CutBatches& batches, double mu, Direction direction) {
  const Precision precision(256);
  const Cut cut(batches);
  const std::vector<Room> rooms = cut.rooms();
  std::vector<Step> steps;
  for (const double share : shares_of(batches, rooms, cut, mu)) {
    if (auto step = ByOthers(cut, rooms, batches.group, Real(share)).step(mu, direction)) {
      steps.push_back(std::move(*step));
    }
  }
  return steps;
}

}  // namespace dpcurves::accounting::mixture
