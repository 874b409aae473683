// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Where a profile is integrated: the order of the line, its step, and the ranges of the pieces; all in doubles.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <dpcurves/accounting/mixture/contour.hpp>
#include <dpcurves/accounting/proof/paths.hpp>
#include <dpcurves/core/detail/constants.hpp>

namespace dpcurves::accounting::mixture {
namespace {

using proof::round_down;

constexpr double pi = std::numbers::pi;

}  // namespace

detail::Cumulants Profile::Plan::cumulants(double order) const {
  detail::Cumulants k{0.5 * gaussian_square * order * (order + 1.0), gaussian_square * (order + 0.5), gaussian_square};
  for (const Sketch& s : sketch) {
    const detail::Cumulants one = s.cumulants(order);
    k.value += s.count * one.value;
    k.first += s.count * one.first;
    k.second += s.count * one.second;
  }
  return k;
}

double Profile::Plan::log_modulus(double y) const {
  double k = 0.5 * gaussian_square * (c * c + c - y * y);
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    k += sketch[i].count * (reference[i] + std::log(std::abs(sketch[i].moment(c, y, reference[i])) + 1e-15));
  }
  return k;
}

void Profile::Plan::turn_to_threshold() {
  const auto at = [this](double order) { return cumulants(order); };
  c = round_down(detail::saddle_order(at, epsilon, c), 20);
  const detail::SaddlePoint here = detail::saddle_at(cumulants(c), c, epsilon);
  width = here.width;
  log_delta = std::clamp(here.log_delta, -700.0, 0.0);
}

void Profile::Plan::turn_to(double target) {
  const detail::SaddlePoint here =
      detail::saddle_of_delta([this](double order) { return cumulants(order); }, target, c);
  c = here.c;
  epsilon = std::max(0.0, here.epsilon);
}

/// Of what a sketch leaves out where delta is about that.
double Profile::log_mass_for(double log_delta) const {
  double total = 0.0;
  for (const Step& s : problem_.steps) {
    total += s.count * static_cast<double>(s.pieces.size());
  }
  constexpr double least = -760.0, spare = 8.0;
  return std::max(log_delta + std::log(relative_) - spare - std::log(std::max(1.0, total)), least);
}

void Profile::draw(Plan& p, double log_mass) const {
  p.log_mass = log_mass;
  p.ranges.clear();
  p.sketch.clear();
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    p.ranges.emplace_back();
    for (const PlainPiece& piece : plain_[i]) {
      p.ranges.back().push_back(range_of(piece, p.log_mass));
    }
    p.sketch.push_back(sketch_of(problem_.steps[i], plain_[i], p.ranges.back()));
  }
}

Profile::Plan Profile::begun(double log_delta) const {
  Plan p;
  p.gaussian_square = problem_.gaussian_square.middle();
  draw(p, log_mass_for(log_delta));
  return p;
}

Profile::Plan Profile::turned_to(double epsilon, const Plan* near) const {
  constexpr double unknown = -37.0;  // log delta, about
  constexpr int most_draws = 3;
  Plan p = near != nullptr ? *near : begun(unknown);
  p.epsilon = epsilon;
  for (int i = 0; i < most_draws; ++i) {
    p.turn_to_threshold();
    const double log_mass = log_mass_for(p.log_delta);
    if (std::abs(log_mass - p.log_mass) < 1.0) {
      break;
    }
    draw(p, log_mass);
  }
  return p;
}

Profile::Plan Profile::plan(double epsilon, const Plan* near, double most_log_delta) const {
  Plan p = turned_to(epsilon, near);
  p.log_delta = std::min(p.log_delta, most_log_delta);
  finish(p);
  return p;
}

Profile::Plan Profile::plan_of_likely(double epsilon, double log_delta) const {
  Plan p = begun(log_delta);
  p.epsilon = epsilon;
  p.turn_to_threshold();
  finish(p);
  return p;
}

/// The other order and the step of the sum, and the references.
void Profile::finish(Plan& p) const {
  const double need = -p.log_delta - std::log(relative_) + 6.0;
  double period = infinity;
  for (const double factor : {1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0}) {
    const double other = round_down(factor * p.c, 20);
    const double a = std::max(need / p.c, (p.cumulant(other) - other * p.epsilon + need) / (other - p.c));
    if (a < period) {
      period = a;
      p.other = other;
    }
  }
  p.h = round_down(2.0 * pi / period, 20);
  p.reference.clear();
  for (const Sketch& s : p.sketch) {
    p.reference.push_back(s.log_moment(p.c));
  }
}

double Profile::log_delta_about(double epsilon) const {
  return one_step_ ? std::log(one_step_->at(epsilon).delta.lower) : about(epsilon).log_delta;
}

const Profile::Plan& Profile::about(double epsilon) const {
  about_ = std::make_unique<const Plan>(turned_to(epsilon, about_ ? about_.get() : planned_.get()));
  return *about_;
}

std::optional<double> Profile::Plan::root(double target) const {
  constexpr std::size_t most = 2000;
  constexpr double small = 1e-9;           // of the first term
  std::vector<std::complex<double>> term;  // at epsilon, over e^{-c epsilon} F(c)
  std::vector<SketchMoments> moments;
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    moments.emplace_back(sketch[i], c, h, reference[i]);
  }
  for (bool seen = true; seen; seen = std::abs(term.back()) > small * std::abs(term.front())) {
    if (term.size() == most) {
      return std::nullopt;
    }
    const double y = static_cast<double>(term.size()) * h;
    const std::complex<double> z(c, y);
    std::complex<double> f = std::exp(0.5 * gaussian_square * (z * (z + 1.0) - c * (c + 1.0))) / (z * (z + 1.0));
    for (std::size_t i = 0; i < sketch.size(); ++i) {
      f *= std::pow(moments[i].next(), sketch[i].count);
    }
    term.push_back(f * (term.empty() ? 0.5 : 1.0));
  }
  double log_front = 0.5 * gaussian_square * c * (c + 1.0) + std::log(h / pi);
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    log_front += sketch[i].count * reference[i];
  }
  double at = epsilon;
  for (int i = 0; i < 30; ++i) {
    double sum = 0.0, slope = 0.0;
    for (std::size_t j = 0; j < term.size(); ++j) {
      const double y = static_cast<double>(j) * h;
      const std::complex<double> here = term[j] * std::polar(1.0, -y * at);
      sum += here.real();
      slope -= (here * std::complex<double>(c, y)).real();
    }
    const double step = -(std::log(sum) + log_front - c * at - target) * sum / slope;
    if (!std::isfinite(step)) {
      return std::nullopt;
    }
    at += std::clamp(step, -2.0 / width, 2.0 / width);
    if (std::abs(step) < 1e-9 * (1.0 + std::abs(at))) {
      return at;
    }
  }
  return std::nullopt;
}

// Whether a contour is short: F is small after few orders.
std::optional<double> Profile::quick(const Plan& p) const {
  if (contours_fail_ || contours_wide_ || returns(problem_) || lattice_only(problem_)) {
    return std::nullopt;
  }
  const double wanted = p.log_delta + std::log(relative_) - 1.0 + p.c * p.epsilon;
  double far_up = p.gaussian_square > 0.0 ? -infinity : p.cumulant(p.c);  // log |F| where only atoms are left
  for (std::size_t i = 0; i < problem_.steps.size(); ++i) {
    double share = 0.0;
    for (const Atom& a : problem_.steps[i].atoms) {
      share += a.mass.middle() * std::exp(p.c * a.loss.middle() - p.reference[i]);
    }
    far_up += problem_.steps[i].count * std::log(share);
  }
  if (!(far_up < wanted)) {
    return std::nullopt;
  }
  for (double y = 8.0 / p.width; y < few_orders * p.h; y *= 1.5) {
    double most = -infinity;
    for (const double further : {1.0, 1.1, 1.23, 1.37}) {
      most = std::max(most, p.log_modulus(further * y));
    }
    if (most - std::log(y) < wanted) {
      return y;
    }
  }
  return std::nullopt;
}

bool Profile::dear(const Plan& p, double last_order) {
  constexpr double lattices = 2e7;  // what they cost, in exponentials
  double nodes = 0.0;
  for (std::size_t i = 0; i < p.sketch.size(); ++i) {
    nodes += p.sketch[i].nodes(p.c, last_order, p.reference[i]);
  }
  return (last_order / p.h + making) * nodes > lattices;
}

}  // namespace dpcurves::accounting::mixture
