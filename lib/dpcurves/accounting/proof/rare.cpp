// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/rare.hpp>
#include <dpcurves/accounting/proof/upright.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

constexpr double pi = std::numbers::pi;
constexpr double most_nodes = 1e5, most_path_nodes = 12000.0;  // of the line, and of the paths

Path path_of(const Piece& p, const Demand& d) {
  const Demand all = raised(p, d);
  return p.half ? half_path(p, all, 0.625, 0.625, 0.625) : line_path(p, all);
}

/// At least the share of a law that is both of its bulk and of what fades.
Real overlap(const Piece& rare) {
  Piece bulk = rare, beyond = rare;
  bulk.part = Piece::Part::bulk;
  beyond.middle = rare.fade;
  bulk.fade = beyond.fade = infinity;
  const double between = 0.5 * (rare.middle + rare.fade);  // before it less fades, beyond it less is bulk
  return rigorous::exp(
      Real(std::max(log_share(bulk, between, between, 0.0), log_share(beyond, between, between, 0.0))));
}

}  // namespace

double Rare::tail(const Split& split, double top) {
  double most = -infinity;
  tails_.clear();
  for (std::size_t i = 0; i < split.steps.size(); ++i) {
    const Split::Laws& laws = split.steps[i];
    constexpr double lowest = 1e-3;
    LeastSum best = least_sum(far_up_[i], top, fractions_[i], lowest);
    if (best.paths.empty() && !laws.rare.pieces.empty()) {
      return infinity;
    }
    most = laws.rare.pieces.empty() ? most : log_add(most, std::log(laws.count) + std::log(best.sum));
    tails_.push_back(std::move(best.paths));
  }
  return most;
}

Rare::Rare(const Problem& problem, double epsilon, double log_value, double digits, double most_terms, Leaves leaves) {
  const auto fail = [](const char* what) { throw ConvergenceError(std::string("no line for rare losses: ") + what); };
  gaussian_square_ = problem.gaussian_square;
  constexpr double doubles = 60.0;  // digits that numbers of two doubles keep
  std::optional<Split> best, dim;   // dim: of those that lose too many, the one that loses the least
  std::vector<std::vector<Path>> chosen;
  double best_top = 0.0, least = most_nodes;
  bool seen = false;
  const auto search = [&](const Split& split) {
    seen = true;
    c_ = split.c;
    fractions_.assign(split.steps.size(), 1.0);
    far_up_.assign(split.steps.size(), {});
    for (std::size_t i = 0; i < split.steps.size(); ++i) {
      const Split::Side& rare = split.steps[i].rare;
      for (const Piece& p : rare.pieces) {
        far_up_[i].emplace_back(p, c_, rare.reference, rare.mean, 40.0);
      }
    }
    const double wanted = log_value - digits - 1.0 - (split.log_moment - c_ * epsilon), most = least * split.h;
    std::vector<std::vector<Path>> paths;  // where it had died out: at the smallest top
    const auto died_out = [&](double at) {
      const bool small = tail(split, at) - std::log(pi * at) <= wanted;
      paths = small ? tails_ : paths;
      return small;
    };
    double top = std::min(8.0 * split.h, most), short_of = top;
    while (top < most && !died_out(top)) {
      short_of = top;
      top *= 2.0;
    }
    constexpr int halvings = 3;
    for (int i = 0; i < halvings && short_of < top; ++i) {
      const double middle = std::sqrt(short_of * top);
      (died_out(middle) ? top : short_of) = middle;
    }
    if (top < most) {
      chosen = std::move(paths);
      best = split;
      best_top = top;
      least = top / split.h;
    }
    far_up_.clear();
  };
  each_split(problem, epsilon, log_value, digits, leaves, [&](const Split& split) {
    constexpr double few = 500.0;  // nodes: to look for fewer takes longer
    if (split.lost + digits > doubles) {
      dim = dim && dim->lost <= split.lost ? dim : split;
    } else {
      search(split);
    }
    return !(least < few);
  });
  if (!seen && !dim) {
    fail("the bulk is seen");
  }
  if (!seen) {
    search(*dim);
  }
  if (!best) {
    fail("they decay slowly");
  }
  const Split& split = *best;
  c_ = split.c;
  h_ = split.h;
  beyond_ = split.beyond;
  bulk_order_ = split.bulk_order;
  tails_ = std::move(chosen);
  n_ = static_cast<long>(std::ceil(best_top / h_));
  const Precision precision(value_bits);
  if (leaves == Leaves::bulk) {
    besides_ = bulk_line(problem, split, epsilon, log_value, digits, most_terms);
  }
  lay(problem, split, best_top, digits, most_terms);
  bound();
  std::vector<std::vector<Complex>> all_bulk, all_rare;
  for (const Parts& parts : parts_) {
    all_bulk.push_back(bulk(parts, c_, n_, parts.bulk_error));
    all_rare.push_back(rare(parts, c_, n_, parts.rare_error));
  }
  std::vector<Complex> values;
  for (long node = 0; node <= n_; ++node) {
    const auto k = static_cast<std::size_t>(node);
    std::vector<Complex> b, r;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      b.push_back(all_bulk[i][k]);
      r.push_back(all_rare[i][k]);
    }
    values.push_back(transform(at_node(node), b, r));
  }
  set_values(values);
  if (!tail_.finite() || !aliased_.finite() || !bulk_.finite()) {
    fail("a bound is infinite");
  }
}

// By Lemma 9, for the bulks without ends.
std::unique_ptr<const Line> Rare::bulk_line(Problem problem, const Split& split, double epsilon, double log_value,
                                            double digits, double most_terms) {
  for (std::size_t i = 0; i < problem.steps.size(); ++i) {
    for (std::size_t k = 0; k < problem.steps[i].pieces.size(); ++k) {
      const Piece& bulk = split.steps[i].bulk.pieces[k];
      Piece& piece = problem.steps[i].pieces[k];
      piece.part = bulk.part;
      piece.middle = bulk.middle;
      piece.blur = bulk.blur;
    }
  }
  return std::make_unique<const Upright>(problem, epsilon, log_value, digits, most_terms);
}

Rare::Rare(const Parting& parting, double epsilon, double log_value, double digits, double most_terms)
    : Rare(parting.bulk, epsilon, log_value, digits, most_terms) {
  Real twice;  // of the bulks: counted with these and apart
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    for (const Piece& p : rare_pieces_[i]) {
      twice += Real(parts_[i].count) * overlap(p);
    }
  }
  const Real ball = rigorous::zero_to(rigorous::upper_end(twice));
  apart_ = parting.apart;
  apart_->here = apart_->here - ball;
  apart_->there = apart_->there - ball;
}

void Rare::lay(const Problem& problem, const Split& split, double top, double digits, double most_terms) {
  const double height = h_ * static_cast<double>(n_) * (1.0 + 1e-12);
  double total = 0.0, all_nodes = 0.0;
  for (const Split::Laws& laws : split.steps) {
    total += laws.count;
  }
  for (const Split::Laws& laws : split.steps) {
    Demand d;
    d.c = c_;
    for (const double y : {0.0, 0.25, 0.5, 1.0}) {
      d.exact.emplace_back(c_, y * top);
    }
    d.exact.emplace_back(0.0);
    d.rough.emplace_back(beyond_);
    d.few = 8.0 + std::log(laws.count + 1.0);
    Demand rarely = d;
    d.rough.emplace_back(bulk_order_);
    d.reference = laws.bulk.reference;
    d.mean = laws.bulk.mean;
    d.digits = digits + split.lost + std::log(total + 1.0) + 3.0;
    rarely.reference = laws.rare.reference;
    rarely.mean = laws.rare.mean;
    rarely.digits = digits + split.lost + 5.0;
    std::vector<Path> bulk_paths, rare_paths;
    double nodes = 0.0;
    const auto plan = [&](const Piece& p, const Demand& demand, std::vector<Path>& paths) {
      paths.push_back(path_of(p, demand));
      nodes += static_cast<double>(paths.back().count);
    };
    for (const Piece& p : laws.bulk.pieces) {
      plan(p, d, bulk_paths);
    }
    for (const Piece& p : laws.rare.pieces) {
      plan(p, rarely, rare_paths);
    }
    all_nodes += nodes;
    if (!(all_nodes < most_path_nodes && all_nodes * static_cast<double>(n_) < most_terms)) {
      throw ConvergenceError("no line for rare losses: too long");
    }
    Parts parts;
    parts.count = laws.count;
    Step cut;
    cut.pieces = laws.bulk.pieces;
    cut.pieces.insert(cut.pieces.end(), laws.rare.pieces.begin(), laws.rare.pieces.end());
    parts.lost = rigorous::upper_end(cut.lost());
    for (std::size_t k = 0; k < bulk_paths.size(); ++k) {
      parts.bulk.push_back(std::make_unique<const Integral>(laws.bulk.pieces[k], bulk_paths[k], d.reference, d.digits));
      const Integral& added = *parts.bulk.back();
      parts.bulk_error += added.quadrature_error(0.0, 0.0) + added.quadrature_error(c_, height);
    }
    for (std::size_t k = 0; k < rare_paths.size(); ++k) {
      parts.rare.push_back(
          std::make_unique<const Integral>(laws.rare.pieces[k], rare_paths[k], rarely.reference, rarely.digits));
      parts.rare_error += parts.rare.back()->quadrature_error(c_, height);
    }
    Real quadrature;
    for (const auto& integral : parts.rare) {
      quadrature += integral->quadrature_error(0.0, 0.0);
    }
    parts.apart = problem.steps[parts_.size()].parted(true);
    for (const Piece& p : laws.rare.pieces) {
      parts.apart = p.apart ? parts.apart - rigorous::zero_to(overlap(p)) : parts.apart;
    }
    parts.missing = rare(parts, 0.0, 0, quadrature).front().re() + parts.apart + rigorous::zero_to(parts.lost);
    parts.mass = Real(1) - parts.missing;
    parts_.push_back(std::move(parts));
    rare_pieces_.push_back(laws.rare.pieces);
    references_.push_back(rarely.reference);
  }
}

std::vector<Complex> Rare::bulk(const Parts& parts, double order, long last, const Real& error) const {
  std::vector<Complex> m(static_cast<std::size_t>(last) + 1, Complex(parts.mass));
  for (const auto& integral : parts.bulk) {
    add_row(integral->row(order, h_, last, true), m);
  }
  add_error(error, m);
  return m;
}

Real Rare::bulk(const Parts& parts, double order) {
  Real sum = parts.mass;
  for (const auto& integral : parts.bulk) {
    sum += integral->at(Complex(Real(order)), true).re() - integral->at(Complex(), true).re();
  }
  return sum;
}

std::vector<Complex> Rare::rare(const Parts& parts, double order, long last, const Real& error) const {
  std::vector<Complex> m(static_cast<std::size_t>(last) + 1);
  for (const auto& integral : parts.rare) {
    add_row(integral->row(order, h_, last, false), m);
  }
  add_error(error, m);
  return m;
}

Real Rare::rare(const Parts& parts, double order) {
  Real sum;
  for (const auto& integral : parts.rare) {
    sum += integral->at(Complex(Real(order)), true).re();
  }
  return sum;
}

Complex Rare::gaussian(const Complex& z) const {
  return rigorous::exp(z * (z + Complex(Real(1))) * Complex(rigorous::scaled(gaussian_square_, -1)));
}

// prod B^T (prod (1 + R / B)^T - 1)
Complex Rare::transform(const Complex& z, const std::vector<Complex>& bulk, const std::vector<Complex>& rare) const {
  Complex product = gaussian(z), more;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    product = product * power(bulk[i], parts_[i].count);
    more = more + rigorous::log1p(rare[i] / bulk[i]) * Complex(Real(parts_[i].count));
  }
  return product * rigorous::expm1(more);
}

void Rare::bound() {
  const Real c(c_), d(beyond_), theta(bulk_order_);
  const Complex last(c, Real(h_) * Real(n_));
  Real alone = gaussian(Complex(theta)).re(), all = rigorous::abs(gaussian(last)), decayed, log_all, log_bulk;
  std::vector<Complex> b, r;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Parts& parts = parts_[i];
    const Real count(parts.count);
    lost_ += count * parts.lost;
    log_all += count * rigorous::log1p(-parts.apart - rigorous::zero_to(parts.lost));
    log_bulk += count * rigorous::log1p(-parts.missing);
    alone = besides_ ? Real() : alone * power(bulk(parts, bulk_order_), parts.count);
    const Real whole = bulk(parts, c_) + rare(parts, c_);
    all = all * power(whole, parts.count);
    Real above;
    for (std::size_t k = 0; k < rare_pieces_[i].size(); ++k) {
      above += Integral(rare_pieces_[i][k], tails_[i][k], references_[i], 40.0).beyond(last);
    }
    decayed += count * rigorous::upper_end(above) / whole;
    b.emplace_back(rigorous::upper_end(bulk(parts, beyond_)));  // F grows with both
    r.emplace_back(rigorous::upper_end(rare(parts, beyond_)));
  }
  mass_ = rigorous::expm1(log_all) - rigorous::expm1(log_bulk);
  null_mass_ = Real(1);
  tail_ = rigorous::upper_end(all * decayed / (rigorous::pi() * last.im()));
  bulk_ = rigorous::upper_end(alone / (theta + Real(1)));
  const Real turn = rigorous::scaled(rigorous::pi(), 1) / Real(h_);
  aliased_ = rigorous::upper_end(transform(Complex(d), b, r).re() / ((d + Real(1)) * rigorous::expm1(turn * (d - c))));
}

}  // namespace dpcurves::accounting::proof
