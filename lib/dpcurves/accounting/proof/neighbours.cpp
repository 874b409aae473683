// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/proof/neighbours.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Complex;
using rigorous::Precision;
using rigorous::Real;

bool of_lemma(Pair pair) { return pair == Pair::poisson_remove || pair == Pair::poisson_add; }

}  // namespace

bool Neighbours::served(const Inversion& contour) {
  const std::vector<Step>& steps = contour.problem().steps;
  return contour.plan().bend == 0.0 && contour.plan().whole() &&
         std::all_of(steps.begin(), steps.end(), [](const Step& step) {
           return std::none_of(step.pieces.begin(), step.pieces.end(), [](const Piece& piece) {
             return piece.cut() || piece.part != Piece::Part::whole || piece.from_top;
           });
         });
}

Neighbours::Neighbours(const Inversion& contour)
    : plan_(contour.plan()), parts_(contour.parts()), steps_(contour.problem().steps) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Disc& d : parts_->discs) {
    low = std::min(low, d.re - d.radius);
    high = std::max(high, d.re + d.radius);
  }
  // Not at 0 or -1, where every moment is 1 and nothing moves.
  constexpr int cells = 8;
  constexpr double apart = 0.1;
  const auto clear = [](double x) { return std::abs(x * (x + 1.0)) > apart * apart; };
  for (; !clear(low); low -= apart) {
  }
  for (; !clear(high); high += apart) {
  }
  for (int i = 0; i <= cells; ++i) {
    const double x = i == cells ? high : low + (high - low) * i / cells;
    if (clear(x)) {
      orders_.push_back(x);
    }
  }
  real_moments_.resize(steps_.size());
  grown_.assign(steps_.size(), std::vector<double>(parts_->discs.size(), 0.0));
}

StepMoment Neighbours::moment(const Step& step, std::size_t kind) const {
  return {step, plan_.paths[kind], plan_.reference[kind], plan_.mean[kind], plan_.digits};
}

std::vector<double> Neighbours::moved(std::size_t kind, const Step& now, const StepMoment& moment,
                                      std::vector<Real>& moments) {
  const Step& before = steps_[kind];
  const bool up = now.q >= before.q && now.mu >= before.mu, down = now.q <= before.q && now.mu <= before.mu;
  if (!of_lemma(now.pair) || !(up || down)) {
    return {};
  }
  const auto at_orders = [&](const StepMoment& of) {
    std::vector<Real> all;
    for (const double order : orders_) {
      all.push_back(of.at(Complex(Real(order)), true).re());
    }
    return all;
  };
  std::vector<Real>& earlier = real_moments_[kind];
  if (earlier.empty()) {
    earlier = at_orders(this->moment(before, kind));
  }
  moments = at_orders(moment);
  std::vector<double> log_e;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const Real off = rigorous::upper_end(rigorous::abs(moments[i] - earlier[i]));
    log_e.push_back(rigorous::log(off / rigorous::abs(Real(orders_[i]) * (Real(orders_[i]) + Real(1)))).upper());
    if (!std::isfinite(log_e.back())) {
      return {};
    }
  }
  return log_e;
}

// |M - M'| <= |z (z + 1)| E(x); log E is convex, at most linear between the orders (Lemma 12), and so is the polygon:
// largest at one of the ends of the disc.
double Neighbours::moved_in(const Disc& disc, double mean, const std::vector<double>& log_e) const {
  constexpr double roundings = 1e-12;
  const auto polygon = [&](double x) {
    const auto above = std::upper_bound(orders_.begin() + 1, orders_.end() - 1, x);
    const auto i = static_cast<std::size_t>(above - orders_.begin());
    const double share = std::clamp((x - orders_[i - 1]) / (orders_[i] - orders_[i - 1]), 0.0, 1.0);
    return (1.0 - share) * log_e[i - 1] + share * log_e[i] +
           roundings * (1.0 + std::abs(log_e[i - 1]) + std::abs(log_e[i]));
  };
  const double most = std::max(polygon(disc.re - disc.radius), polygon(disc.re + disc.radius));
  const double size = (std::hypot(disc.re, disc.im) + disc.radius) * (std::hypot(disc.re + 1.0, disc.im) + disc.radius);
  return size * std::exp(most + std::abs(mean) * disc.radius) * (1.0 + roundings);
}

std::vector<double> Neighbours::shares_of(const Problem& problem) const {
  std::vector<double> counts, shares;
  for (const Step& step : problem.steps) {
    counts.push_back(step.count);
  }
  for (std::size_t place = 0; place < parts_->discs.size(); ++place) {
    const Disc d = parts_->disc(place, counts);
    shares.push_back(d.log_size - d.re * plan_.epsilon);
  }
  return shares;
}

std::shared_ptr<const ContourParts> Neighbours::at(const Problem& problem) {
  constexpr double much = 0.5;            // of the logarithm of a disc's share
  constexpr double small = 8.0;           // logarithms below the largest share: those may grow as they like
  const Precision precision(strip_bits);  // doubles read what is made here
  auto other = std::make_shared<ContourParts>(*parts_);
  auto grown = grown_;
  std::vector<std::vector<Real>> moments(steps_.size());
  const std::vector<double> shares = shares_of(problem);
  const double largest = shares.empty() ? 0.0 : *std::max_element(shares.begin(), shares.end());
  bool anew = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& now = problem.steps[i];
    const StepMoment main = moment(now, i);
    for (std::size_t k = 0; k < other->z->size(); ++k) {
      other->moments[i][k] = main.at((*other->z)[k], true);
    }
    const std::vector<double> log_e = moved(i, now, main, moments[i]);
    for (std::size_t place = 0; place < other->discs.size(); ++place) {
      const Disc& d = other->discs[place];
      double& log_moment = other->log_moments[i][place];
      double& all = grown[i][place];
      const double by = log_e.empty()
                            ? HUGE_VAL
                            : std::log1p(moved_in(d, plan_.mean[i], log_e) * std::exp(-log_moment)) * (1.0 + 1e-12);
      if (now.count * (all + by) < much || shares[place] + now.count * by < largest - small) {
        log_moment += by;
        all += by;
      } else {
        log_moment = main.on_disc(d.re, d.im, d.radius).most;
        all = 0.0;
        anew = true;
      }
    }
    other->log_beyond[i] = tail_moment(now, plan_, i).log_beyond(Complex(other->tail_re, other->tail_im));
  }
  if (anew) {  // those that come are nearer to this one
    parts_ = other;
    steps_ = problem.steps;
    real_moments_ = std::move(moments);
    grown_ = std::move(grown);
  }
  return other;
}

}  // namespace dpcurves::accounting::proof
