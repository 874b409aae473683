// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <dpcurves/accounting/proof/near_top.hpp>
#include <dpcurves/rigorous/series.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;
using rigorous::Series;

/// What a step has left of one y > 0: the chance of Y <= y, and the mean of e^Y there. Y is below y where x is below
/// (log((e^y - 1) (1 - q) / q) + mu^2 / 2) / mu.
struct Left {
  Real chance, grown;
  Left() = default;
  Left(const Step& s, const Real& y) {
    const Real q(s.q), mu(s.mu), odds = (Real(1) - q) / q;
    const Real x = (rigorous::log(rigorous::expm1(y) * odds) + rigorous::scaled(mu * mu, -1)) / mu;
    chance = rigorous::normal_tail(-x);
    grown = chance + rigorous::normal_tail(mu - x) / odds;
  }
};

}  // namespace

bool NearTop::serves(const Problem& problem) {
  constexpr double most_steps = 1e8;
  return problem.gaussian_square.contains_zero() && !problem.steps.empty() && problem.total_count() <= most_steps &&
         std::all_of(problem.steps.begin(), problem.steps.end(),
                     [](const Step& s) { return s.pair == Pair::poisson_add; });
}

NearTop::NearTop(const Problem& problem, double range, long cells) : cell_(range / static_cast<double>(cells)) {
  const Precision precision(value_bits);
  Series spread, here, there;
  for (Series* one : {&spread, &here, &there}) {
    one->set(0, Real(1));
  }
  const Real growth = rigorous::exp(Real(cell_)), grows = rigorous::expm1(Real(cell_));
  for (const Step& s : problem.steps) {
    top_ = top_ - Real(s.count) * rigorous::log1p(-Real(s.q));
    Series both_ends, rounded, rounded_grown;
    Left before;
    Real carried, level(1);
    for (long k = 0; k < cells; ++k) {
      const Left next(s, Real(k + 1) * Real(cell_));
      const Real chance = next.chance - before.chance, grown = next.grown - before.grown;
      rounded.set(k, chance);
      rounded_grown.set(k, grown);
      const Real over = (grown - chance * level) / (level * grows);  // to the cell's upper end
      both_ends.set(k, chance - over + carried);
      carried = over;
      before = next;
      level = level * growth;
    }
    const auto count = static_cast<ulong>(s.count);
    for (const auto& [one, all] :
         {std::pair{&both_ends, &spread}, std::pair{&rounded, &here}, std::pair{&rounded_grown, &there}}) {
      one->raise(count, cells);
      all->times(*one, cells);
    }
  }
  Real mass, grown, level(1), all_here, all_there;
  for (long k = 0; k < cells; ++k) {
    mass += spread.at(k);
    grown += spread.at(k) * level;
    level = level * growth;
    here_.push_back(here.at(k));
    there_.push_back(there.at(k));
    all_here += here_.back();
    all_there += there_.back();
    mass_.push_back(mass);
    grown_.push_back(grown);
    all_here_.push_back(all_here);
    all_there_.push_back(all_there);
  }
}

// The best of the tests "at most t cells": of a cell more, what it gains.
Real NearTop::least(const Real& epsilon) const {
  const Precision precision(value_bits);
  const Real r = top_ - epsilon, odds = rigorous::exp(-r);
  const double cells = std::floor((r / Real(cell_)).middle());
  if (!(cells >= 0.0)) {
    return {};
  }
  auto t = static_cast<std::size_t>(std::min(cells, static_cast<double>(here_.size() - 1)));
  while (t > 0 && (here_[t] - odds * there_[t]).middle() < 0.0) {
    --t;
  }
  return rigorous::max(Real(), rigorous::lower_end(all_here_[t] - odds * all_there_[t]));
}

Real NearTop::most(const Real& epsilon) const {
  const Precision precision(value_bits);
  const Real r = rigorous::upper_end(top_ - epsilon);
  if (!r.positive()) {
    return {};
  }
  const double below = std::ceil((r / Real(cell_)).upper()) - 1.0;  // points below r
  if (!(below < static_cast<double>(mass_.size()))) {
    return Real(1);
  }
  const auto last = static_cast<std::size_t>(std::max(0.0, below));
  return rigorous::upper_end(mass_[last] - rigorous::exp(-r) * grown_[last]);
}

NearTop::Ends NearTop::epsilon(const Real& target) const {
  const double top = top_.upper(), begin = std::max(0.0, top - cell_ * static_cast<double>(mass_.size()));
  // The last double at which that holds, from one at which it does.
  const auto last = [&](const std::function<bool(double)>& holds) {
    double low = begin, high = top;
    for (int i = 0; i < 64; ++i) {
      const double middle = low + 0.5 * (high - low);
      if (!(middle > low && middle < high)) {
        break;
      }
      (holds(middle) ? low : high) = middle;
    }
    return std::pair{low, high};
  };
  Ends ends{Real(), Real(std::numeric_limits<double>::infinity())};
  if (least(Real(begin)) > target) {
    ends.lower = Real(last([&](double e) { return least(Real(e)) > target; }).first);
  }
  const double upper =
      most(Real(begin)) <= target ? begin : last([&](double e) { return !(most(Real(e)) <= target); }).second;
  ends.upper = Real(upper);
  return ends;
}

}  // namespace dpcurves::accounting::proof
