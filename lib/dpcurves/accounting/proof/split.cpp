// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include <dpcurves/accounting/proof/law_on_cells.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/split.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::proof {
namespace {

constexpr double pi = std::numbers::pi;

/// What a search does otherwise far down, where losses rise steeply where they are cut off and their rest must fall
/// before it is seen.
struct Tuning {
  double beyond = 6.0;  ///< deviations that a law is known past what its own mass needs
  double hidden = 6.0;  ///< what a bound of the bulk alone may exceed delta by, as a power of e
  std::array<double, 5> blurs{0.25, 0.5, 0.125, 1.0, 2.0};  ///< of partitions, the likeliest first
};

Tuning tuning_at(double log_value) {
  constexpr double deep = -150.0;
  return log_value < deep ? Tuning{10.0, 12.0, {0.125, 0.0625, 0.25, 0.03125, 0.5}} : Tuning{};
}

struct Laws {
  std::vector<CellLaw> pieces;
  double count = 0.0;
};

/// What the masses of one step add up to at a real order.
struct Moments {
  double bulk = 0.0, rare = 0.0;  ///< the bulk less 1
  double bulk_slope = 0.0, rare_slope = 0.0;
  double largest = 0.0;  ///< exponent of a cell
};

/// Where a law is cut off and split.
struct Edges {
  double left = 0.0, right = 0.0;  ///< of the law
  double middle = 0.0, end = 0.0;  ///< of the partition, and of the bulk
  double begin = 0.0;              ///< of the rare part
  double loss = 0.0, edge = 0.0;   ///< at the end of the bulk: the loss, and the log of what the path is closed by
  double fade = infinity;          ///< where the rare part is left out
  bool parted = false;
  std::vector<double> in_bulk, log_rare;  ///< of the cells: the bulk's share, and log of the rare one
};

class Search {
 public:
  Search(const Problem& problem, double epsilon, double log_value, double digits, Leaves leaves)
      : tuning_(tuning_at(log_value)),
        epsilon_(epsilon),
        log_value_(log_value),
        digits_(digits),
        gaussian_(problem.gaussian_mu),
        leaves_(leaves) {
    margin_ = std::log(problem.total_count() + 1.0) + digits + 3.0;
    for (const Step& step : problem.steps) {
      Laws laws;
      laws.count = step.count;
      for (const Piece& p : step.pieces) {
        laws.pieces.push_back(law_on_cells(p, log_value_ - margin_, tuning_.beyond));
      }
      steps_.push_back(std::move(laws));
    }
  }

  /// With a partition as wide as that, and a second one far out or none; nothing if no line sees it.
  [[nodiscard]] std::optional<Split> with(double blur, bool fades) {
    blur_ = blur;
    fades_ = fades;
    double highest = infinity;  // loss at which the bulk ends
    for (const Laws& s : steps_) {
      for (const CellLaw& l : s.pieces) {
        highest = l.rises() && !l.loss.empty() ? std::min(highest, l.loss.back()) : highest;
      }
    }
    if (!std::isfinite(highest) || !(epsilon_ > 0.0)) {
      return std::nullopt;
    }
    const double room = log_value_ - digits_ - 2.0;
    blurs_ = digits_ + 6.0;
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) {
      double low = std::min(1e-6 * epsilon_, 0.5 * highest), high = highest;
      if (unseen(high)) {
        low = high;
      }
      for (int i = 0; i < 24 && high > 1.03 * low; ++i) {
        const double m = std::sqrt(low * high);
        (unseen(m) ? low : high) = m;
      }
      if (!unseen(low) || sharp_) {  // sets the edges
        return std::nullopt;
      }
      if (log_lost_ < room) {
        return line();
      }
      blurs_ += log_lost_ - room + 1.0;
    }
    return std::nullopt;
  }

 private:
  /// Whether its largest losses are counted elsewhere.
  [[nodiscard]] static bool apart(const CellLaw& l) { return l.piece.part == Piece::Part::bulk; }

  [[nodiscard]] static Piece part(const CellLaw& l, const Edges& e, double blur, Piece::Part which) {
    Piece p = l.piece;
    p.right = e.right;
    p.left = p.half ? p.left : e.left;
    if (e.parted) {
      p.part = which;
      p.middle = e.middle;
      p.blur = blur;
      if (which == Piece::Part::bulk) {
        p.right = e.end;
      } else {
        p.half = false;
        p.left = e.begin;
        p.fade = e.fade;
        p.apart = apart(l);
      }
    }
    return p;
  }

  [[nodiscard]] Moments moments(std::size_t i, double z) const {
    const double nothing = std::min(-120.0, log_value_ - digits_ - 20.0), largest = 690.0;
    Moments m;
    for (std::size_t k = 0; k < steps_[i].pieces.size(); ++k) {
      const CellLaw& l = steps_[i].pieces[k];
      const Edges& e = edges_[i][k];
      for (std::size_t j = 0; j < l.loss.size() && l.place(j) <= e.right; ++j) {
        const double loss = l.loss[j], w = l.log_mass[j], v = std::min(700.0, w + z * loss), share = e.in_bulk[j];
        m.largest = std::max(m.largest, v);
        if (e.parted && v + e.log_rare[j] > nothing) {
          const double r = std::exp(v + e.log_rare[j]);
          m.rare += r;
          m.rare_slope += r * loss;
        }
        if (e.parted && w + e.log_rare[j] > nothing) {
          m.bulk -= std::exp(w + e.log_rare[j]);
        }
        if (share > 0.0 && v >= largest) {
          m.bulk = infinity;
        } else if (share > 0.0 && (w > nothing || v > nothing)) {
          const double tilted = std::exp(v);
          m.bulk += share * (std::abs(z * loss) < 1.0 ? l.mass[j] * std::expm1(z * loss) : tilted - l.mass[j]);
          m.bulk_slope += share * tilted * loss;
        }
      }
    }
    return m;
  }

  void set_shares(const CellLaw& l, Edges& e) const {
    e.in_bulk.assign(l.loss.size(), 1.0);
    e.log_rare.assign(l.loss.size(), -HUGE_VAL);
    if (!e.parted) {
      return;
    }
    const Piece bulk = part(l, e, blur_, Piece::Part::bulk), rare = part(l, e, blur_, Piece::Part::rare);
    for (std::size_t j = 0; j < l.loss.size(); ++j) {
      const Plain x(l.place(j), 0.0);
      e.in_bulk[j] = x.real() > bulk.right ? 0.0 : std::exp(log_share(bulk, x));
      e.log_rare[j] = log_share(rare, x);
    }
  }

  /// Where the bulk ends its path goes down to the real line, a height of about its blur, in cells that add their
  /// moduli: a bulk that is largest there is bounded by these, not by its mass.
  void set_edge(const CellLaw& l, Edges& e) const {
    const Piece bulk = part(l, e, blur_, Piece::Part::bulk);
    const PlainPoint at = PlainEvaluation(l.piece.unbounded(), Path{})(Plain(e.end, 0.0));
    e.loss = at.loss.real();
    e.edge = at.log_base.real() + log_share(bulk, Plain(e.end, 0.0)) + std::log(blur_) + 1.0;
  }

  // Sets the edges for a bulk that ends at that loss, and what is lost there; whether the bulk is then unseen.
  [[nodiscard]] bool unseen(double loss) {
    const double blurs = std::sqrt(blurs_);
    edges_.clear();
    log_lost_ = -infinity;
    sharp_ = false;
    for (const Laws& s : steps_) {
      std::vector<Edges> row;
      for (const CellLaw& l : s.pieces) {
        Edges e;
        const double begin = l.first;
        e.left = std::floor(begin / cell_grid) * cell_grid;
        e.right = std::ceil((begin + static_cast<double>(l.loss.size()) * l.width) / cell_grid) * cell_grid;
        if (l.rises()) {
          const auto at = std::lower_bound(l.loss.begin(), l.loss.end(), loss);
          const double end = l.place(static_cast<std::size_t>(at - l.loss.begin()));
          e.end = std::ceil(end / cell_grid) * cell_grid;
          e.middle = round_down(e.end - blurs * blur_, 20);
          e.parted = e.end < e.right;
          e.begin = begin_of(l, e, s.count);
          sharp_ = sharp_ || (e.parted && l.piece.half && e.begin <= e.left);
          if (e.parted) {
            set_edge(l, e);
            const double w = l.log_mass[std::min(l.loss.size() - 1, static_cast<std::size_t>(at - l.loss.begin()))];
            log_lost_ =
                std::max(log_lost_, std::log(s.count) + w - std::log(l.width) - blurs * blurs - std::log(e.end));
          }
        }
        set_shares(l, e);
        row.push_back(std::move(e));
      }
      edges_.push_back(std::move(row));
    }
    const double room = leaves_ == Leaves::nothing ? log_value_ - digits_ - 2.0 : log_value_ + tuning_.hidden;
    return best_bound() < room;
  }

  /// The smallest bound of what the bulk alone has, a convex function of the order: from the last one downhill.
  [[nodiscard]] double best_bound() {
    constexpr double ratio = 1.5;
    constexpr int most = 60;
    order_ = order_ > 0.0 ? order_ : 20.0 / epsilon_;
    double best = bulk_bound(order_);
    for (int i = 0; i < most && !std::isfinite(best); ++i) {
      order_ /= ratio;
      best = bulk_bound(order_);
    }
    for (const double by : {ratio, 1.0 / ratio}) {
      bool moved = false;
      for (int i = 0; i < most; ++i) {
        const double next = bulk_bound(by * order_);
        if (!(next < best)) {
          break;
        }
        best = next;
        order_ *= by;
        moved = true;
      }
      if (moved) {
        break;
      }
    }
    return best;
  }

  [[nodiscard]] double bulk_bound(double z) const {
    double total = 0.5 * gaussian_ * gaussian_ * z * (z + 1.0) - z * epsilon_ - std::log1p(z);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      double sum = moments(i, z).bulk;
      for (const Edges& e : edges_[i]) {
        sum += e.parted ? std::exp(std::min(700.0, e.edge + z * e.loss)) : 0.0;
      }
      total += steps_[i].count * std::log1p(sum);
    }
    return std::isnan(total) ? infinity : total;
  }

  /// As far right as the share of the rare part is unseen.
  [[nodiscard]] double begin_of(const CellLaw& l, const Edges& e, double count) const {
    const double room = std::exp(std::max(-700.0, log_value_ - digits_ - 4.0 - std::log(count)));
    double sum = 0.0, at = e.left;
    Piece rare = l.piece;
    rare.part = Piece::Part::rare;
    rare.middle = e.middle;
    rare.blur = blur_;
    for (std::size_t j = 0; j < l.loss.size() && l.place(j) < e.middle; ++j) {
      sum += std::exp(l.log_mass[j] + log_share(rare, Plain(l.place(j) + 0.5 * l.width, 0.0)));
      if (sum > room) {
        break;
      }
      at = l.place(j);
    }
    return std::max(e.left, std::floor(at / cell_grid) * cell_grid - cell_grid);
  }

  /// The line for the edges that are set: the widest steps.
  [[nodiscard]] std::optional<Split> line() {
    Split found;
    double best = 0.0, mass = 0.0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      mass += steps_[i].count * moments(i, 0.0).rare;
    }
    const double log_mass = std::log(-std::expm1(-mass));
    const double room = digits_ + 1.0 + std::max(0.0, log_mass - log_value_);
    if (fades_ && !fade()) {
      return std::nullopt;
    }
    const std::vector<std::vector<Edges>> widest = edges_;
    const double start = std::max(100.0, -1.5 * log_value_) / epsilon_;
    constexpr double doubles = 55.0, dear = 0.25;
    const double room_of_null = digits_ + 1.0 + epsilon_ - log_value_;
    for (double c = start; c > 1e-4 * start; c *= 0.8) {
      const double farthest = 2.0 * pi * std::max(c / room, (1.0 + c) / room_of_null);
      if (farthest < 1.1 * best) {
        break;
      }
      edges_ = widest;
      if (!cut(c)) {
        continue;
      }
      const double at = transform(c).log_value - c * epsilon_, lost = std::max(0.0, at - std::log1p(c) - log_value_);
      if (!std::isfinite(at)) {
        continue;
      }
      for (const double further : {1.1, 1.2, 1.4, 1.8, 2.5, 4.0, 8.0, 16.0}) {
        const double d = further * c;
        constexpr double of_doubles = 600.0;  // moments there are sums of these
        const Transform there = transform(d);
        if (there.largest > of_doubles) {
          break;
        }
        const double aliased = log_add(there.log_value, std::log(total_count()) + edge(d)) - d * epsilon_ -
                               std::log1p(d) - log_value_ + digits_ + 1.0;
        const double h = std::min(farthest, 2.0 * pi * (d - c) / std::max(1.0, aliased));
        const double worth = h * std::exp(-dear * std::max(0.0, lost + digits_ - doubles));
        if (worth > 1.1 * best) {
          best = worth;
          found.h = round_down(h, 24);
          found.c = round_down(c, 24);
          found.beyond = round_down(d, 24);
          found.lost = lost;
          chosen_ = edges_;
        }
      }
    }
    if (!(best > 0.0)) {
      return std::nullopt;
    }
    edges_ = chosen_;
    found.log_moment = 0.5 * gaussian_ * gaussian_ * found.c * (found.c + 1.0);
    found.bulk_order = round_down(order_, 24);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Split::Laws laws;
      laws.count = steps_[i].count;
      const Moments m = moments(i, found.c);
      found.log_moment += laws.count * std::log1p(m.bulk + m.rare);
      laws.bulk.reference = std::log1p(m.bulk);
      laws.bulk.mean = m.bulk_slope / (1.0 + m.bulk);
      laws.rare.reference = std::log(m.rare);
      laws.rare.mean = m.rare_slope / m.rare;
      for (std::size_t k = 0; k < steps_[i].pieces.size(); ++k) {
        laws.bulk.pieces.push_back(part(steps_[i].pieces[k], edges_[i][k], blur_, Piece::Part::bulk));
        if (edges_[i][k].parted) {
          laws.rare.pieces.push_back(part(steps_[i].pieces[k], edges_[i][k], blur_, Piece::Part::rare));
        }
      }
      found.steps.push_back(std::move(laws));
    }
    return found;
  }

  /// Leaves rare parts out as near as what is lost is not seen; false if that is nowhere.
  [[nodiscard]] bool fade() {
    bool any = false;
    const double room = std::exp(std::max(-700.0, log_value_ - digits_ - 3.0));
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (std::size_t k = 0; k < steps_[i].pieces.size(); ++k) {
        const CellLaw& l = steps_[i].pieces[k];
        Edges& e = edges_[i][k];
        if (!e.parted) {
          continue;
        }
        const auto lost = [&](double at) {
          double sum = 0.0;
          for (std::size_t j = 0; j < l.loss.size(); ++j) {
            sum += l.mass[j] * 0.5 * std::erfc((at - l.place(j)) / blur_);
          }
          return steps_[i].count * sum;
        };
        const double last = l.place(l.loss.size() - 1);
        double at = apart(l) ? l.piece.middle : std::ceil((e.end + blur_) / cell_grid) * cell_grid;
        while (!apart(l) && at < last && lost(at) > room) {
          at += 4.0 * cell_grid;
        }
        if (!(at < last)) {
          continue;
        }
        any = true;
        e.fade = at;
        const Piece rare = part(l, e, blur_, Piece::Part::rare);
        for (std::size_t j = 0; j < l.loss.size(); ++j) {
          e.log_rare[j] = log_share(rare, Plain(l.place(j), 0.0));
        }
      }
    }
    return any;
  }

  /// Cuts the rare parts off where neither mass nor moment is seen; false if that is nowhere.
  [[nodiscard]] bool cut(double c) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (std::size_t k = 0; k < steps_[i].pieces.size(); ++k) {
        const CellLaw& l = steps_[i].pieces[k];
        Edges& e = edges_[i][k];
        if (!l.rises()) {
          continue;
        }
        const double least = log_value_ - margin_ + std::log(l.width);
        bool found = false;
        for (std::size_t j = 0; j < l.loss.size() && !found; ++j) {
          const double here = l.log_mass[j] + (e.parted ? e.log_rare[j] : 0.0);
          found = l.place(j) > (e.parted ? e.middle : 0.0) && here < least && here + c * (l.loss[j] - epsilon_) < least;
          if (found) {
            e.right = std::ceil(l.place(j) / cell_grid) * cell_grid;
          }
        }
        if (!found) {
          return false;
        }
        if (e.parted && !(e.end < e.right)) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] double edge(double d) const {
    double most = -infinity;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (std::size_t k = 0; k < steps_[i].pieces.size(); ++k) {
        const CellLaw& l = steps_[i].pieces[k];
        const auto j = std::min(l.loss.size() - 1,
                                static_cast<std::size_t>(std::max(0.0, (edges_[i][k].right - l.first) / l.width)));
        const double share = edges_[i][k].parted ? edges_[i][k].log_rare[j] : 0.0;
        most = std::max(most, l.log_mass[j] + share - std::log(l.width) + d * l.loss[j]);
      }
    }
    return most;
  }

  [[nodiscard]] double total_count() const {
    double total = 0.0;
    for (const Laws& s : steps_) {
      total += s.count;
    }
    return total;
  }

  struct Transform {
    double log_value = 0.0, largest = 0.0;  ///< log of prod (B + R)^T - prod B^T, and the exponent of a cell
  };
  /// At a real order.
  [[nodiscard]] Transform transform(double z) const {
    double k = 0.5 * gaussian_ * gaussian_ * z * (z + 1.0), more = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Moments m = moments(i, z);
      k += steps_[i].count * std::log1p(m.bulk);
      more += steps_[i].count * std::log1p(m.rare / (1.0 + m.bulk));
      largest = std::max(largest, m.largest);
    }
    return {k + (more < 30.0 ? std::log(std::expm1(more)) : more), largest};
  }

  Tuning tuning_;
  double epsilon_, log_value_, digits_, gaussian_, margin_ = 0.0, blur_ = 1.0, blurs_ = 0.0, order_ = 0.0,
                                                   log_lost_ = 0.0;
  bool fades_ = false;
  Leaves leaves_;
  bool sharp_ = false;  ///< the rare part of a half does not fade before its end
  std::vector<Laws> steps_;
  std::vector<std::vector<Edges>> edges_, chosen_;
};

}  // namespace

void each_split(const Problem& problem, double epsilon, double log_value, double digits, Leaves leaves,
                const std::function<bool(const Split&)>& more) {
  Search search(problem, epsilon, log_value, digits, leaves);
  for (const Step& step : problem.steps) {
    for (const Piece& p : step.pieces) {
      if (p.part == Piece::Part::bulk) {  // fades where the rest is counted apart
        if (const std::optional<Split> found = search.with(p.blur, true)) {
          more(*found);
        }
        return;
      }
    }
  }
  const Tuning tuning = tuning_at(log_value);
  for (const double blur : tuning.blurs) {
    for (const bool fades : {false, true}) {
      if (const std::optional<Split> found = search.with(blur, fades); found && !more(*found)) {
        return;
      }
    }
  }
}

}  // namespace dpcurves::accounting::proof
