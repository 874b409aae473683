// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <dpcurves/accounting/proof/near_top.hpp>
#include <dpcurves/accounting/proof/one_step.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {
namespace {

using rigorous::Precision;
using rigorous::Real;

constexpr double line_close = 3e-7;       // of delta: with it the dearest contour is not asked
constexpr double smallest_delta = 745.0;  // -log of the smallest double

/// Drops what does nothing, joins equal steps, takes unsampled steps into the Gaussian.
Problem problem_of(const Composition& composition) {
  const Precision precision(256);
  Problem problem;
  Real square = Real(composition.gaussian_mu) * Real(composition.gaussian_mu);
  std::map<std::tuple<int, double, double>, double> joined;
  for (const SubsampledGaussian& c : composition.components) {
    if (c.count == 0.0 || c.mu == 0.0 || c.sampling_rate == 0.0) {
      continue;
    }
    if (c.sampling_rate == 1.0) {
      const Real mu = Real(c.pair == Pair::poisson_replace_one ? 2 : 1) * Real(c.mu);
      square += Real(c.count) * mu * mu;
      continue;
    }
    joined[{static_cast<int>(c.pair), c.sampling_rate, c.mu}] += c.count;
  }
  for (const auto& [key, count] : joined) {
    problem.steps.push_back(step_of({std::get<1>(key), std::get<2>(key), count, static_cast<Pair>(std::get<0>(key))}));
  }
  problem.gaussian_square = square;
  problem.gaussian_mu = std::sqrt(std::max(0.0, square.middle()));
  return problem;
}

// Whether a positive value, below the range of doubles too, is as narrow as that.
bool has_digits(const Real& value, double relative) {
  return value.positive() && static_cast<double>(arb_rel_accuracy_bits(value.get())) > 1.0 - std::log2(relative);
}

}  // namespace

Profile::Profile(const Composition& composition, Laws laws)
    : composition_(composition), laws_(laws), problem_(problem_of(composition)) {
  method_ = gaussian() || single() ? "closed form" : "contour";
}

Profile::~Profile() = default;

const char* Profile::method() const { return method_; }

Profile& Profile::reversed() {
  const bool alike = std::all_of(problem_.steps.begin(), problem_.steps.end(), [](const Step& s) {
    return s.pair == Pair::symmetrised || s.pair == Pair::poisson_replace_one;
  });
  if (alike) {
    return *this;
  }
  if (!reversed_) {
    reversed_ = std::make_unique<Profile>(accounting::reversed(composition_));
  }
  return *reversed_;
}

const Inversion* Profile::find(double epsilon, bool rest, double digits) const {
  const Inversion* best = nullptr;
  double nearest = infinity;
  for (const auto& inversion : contours_) {
    const Plan& p = inversion->plan();
    const double far = std::abs(epsilon - p.epsilon) * p.width;  // digits are lost like those of a normal density
    if ((p.c < 0.0) == rest && p.wanted >= digits && far < 6.0 && far < nearest) {
      nearest = far;
      best = inversion.get();
    }
  }
  return best;
}

Real Profile::ahead(const Real& epsilon, bool rest, double relative, double spare, Effort effort) {
  if (gaussian()) {
    Real last;
    for (slong bits = 128; bits <= 65536; bits *= 2) {
      const Precision precision(bits);
      const Real mu = rigorous::sqrt(problem_.gaussian_square);
      const Real t = epsilon / mu + rigorous::scaled(mu, -1);  // type I error P(N > t), power P(N > t - mu)
      const Real off = rigorous::exp(epsilon) * rigorous::normal_tail(t);
      last = rest ? rigorous::normal_tail(mu - t) + off : rigorous::normal_tail(t - mu) - off;
      if (has_digits(last, relative)) {
        break;
      }
    }
    return last;
  }
  if (single()) {
    Real last;
    for (slong bits = 128; bits <= 65536; bits *= 2) {
      const Precision precision(bits);
      const OneStep at = one_step(problem_.steps[0], epsilon, bits);
      last = rest ? Real(1) - at.delta : at.delta;
      if (last.exact() || has_digits(last, relative)) {
        break;
      }
    }
    return last;
  }
  const double e = epsilon.middle();
  Real best;
  arb_zero_pm_inf(best.get());
  method_ = "contour";
  if (laws_ == Laws::any && Jumps::serves(problem_)) {
    const Jumps jumps(problem_, -smallest_delta, rest);
    if (jumps.affordable()) {
      const Jumps::Value v = jumps.at(epsilon);
      best = rigorous::hull(v.lower, v.upper);
      method_ = by_jumps_alone;
      if (best.positive() && best.radius() <= std::max(relative, jumps_delta) * best.middle()) {
        forget();
        return best;
      }
    }
  }
  double digits = std::log(1.0 / relative) + 1.0;
  if (const Inversion* known = find(e, rest, digits)) {
    const Real value = known->at(epsilon);
    if (value.positive() && value.radius() <= relative * value.middle()) {
      method_ = "contour";
      line_ = nullptr;
      last_ = known;
      return value;
    }
  }
  double log_value = log_estimate_at(e, rest);
  std::vector<Way> all = ways(log_value, e, rest, relative, effort);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Way way = all[i];
    if (!way.asked(best.radius() < line_promising * best.middle())) {
      continue;
    }
    if (way.kind == Way::Kind::steep && line_ != nullptr && relative >= line_finest &&
        best.radius() <= line_close * best.middle()) {
      continue;  // the dearest, and rarely closer there
    }
    try {
      const bool straight = way.line();
      const Inversion* const last = last_;
      const Line* const line = line_;
      const Real value = straight ? by_line(way, epsilon, std::max(relative, way.relative))
                                  : ahead(way, epsilon, rest, relative, spare, log_value);
      if (!best.finite() || value.radius() < best.radius()) {
        best = value;
        method_ = "contour";
      } else {
        last_ = last;
        line_ = line;
      }
      if (value.positive() &&
          value.radius() <= (straight ? std::max(relative, line_delta) : relative) * value.middle()) {
        break;
      }
      constexpr double much = 8.0;  // the laws must then be cut off farther out
      if (straight && best.upper() > 0.0 && std::log(best.upper()) < log_value - much) {
        log_value = std::log(best.upper());
        all = ways(log_value, e, rest, relative, effort);
      }
    } catch (const ConvergenceError&) {
    }
  }
  return best;
}

// No contour is the last one.
void Profile::forget() {
  last_ = nullptr;
  line_ = nullptr;
}

Real Profile::ahead(const Way& way, const Real& epsilon, bool rest, double relative, double spare, double log_value) {
  const double e = epsilon.middle(), c = saddle(*way.problem, e, rest);
  double digits = std::log(1.0 / relative) + 1.0;
  constexpr double few = 3.0;  // contours of pairs with an atom are long, and with many more digits far longer
  spare = has_atoms() ? std::min(spare, few) : spare;
  Real best;
  arb_zero_pm_inf(best.get());
  for (int i = 0; i < 4; ++i) {
    const Inversion* contour = nullptr;
    try {
      contour = &build(way, c, e, digits + spare, log_value);
    } catch (const ConvergenceError&) {
      if (best.finite()) {
        break;  // one with more digits is too long
      }
      throw;
    }
    const Real value = contour->at(epsilon);
    if (value.radius() < best.radius()) {
      best = value;
      line_ = nullptr;
      last_ = contour;
    }
    const double width = value.radius() / std::abs(value.middle());
    if (width <= relative) {
      break;
    }
    digits += std::isfinite(width) ? std::min(40.0, std::max(2.0, std::log(width / relative) + 1.0)) : 20.0;
  }
  return best;
}

Real Profile::delta(const Real& epsilon, bool rest, double relative, double spare, Effort effort) {
  const Precision precision(256);
  forget();
  if (epsilon.negative()) {
    // delta(e) = 1 - e^e (1 - delta'(-e)), delta' of the laws exchanged; two positive terms where delta is wanted
    const Real x = rigorous::exp(epsilon), other = reversed().delta(-epsilon, rest, relative, spare, effort);
    return rest ? x * other : x * other - rigorous::expm1(epsilon);
  }
  const Real most = largest_loss();
  if (most <= epsilon) {
    return rest ? Real(1) : Real();
  }
  if (gaussian() || single()) {  // a closed form has nothing to fall back on, and needs nothing
    return ahead(epsilon, rest, relative, spare, effort);
  }
  if (!rest && laws_ == Laws::any) {
    if (const auto most_of_none = unseen(epsilon)) {
      return *most_of_none;
    }
  }
  Real value;
  arb_zero_pm_inf(value.get());
  constexpr double near_share = 0.5;  // of the largest loss: below it cells are too wide
  const bool near = !rest && laws_ == Laws::any && NearTop::serves(problem_) && epsilon >= Real(near_share) * most;
  const auto near_top = [&](double cells) {
    const Real found = delta_near_top(epsilon, cells);
    if (!value.finite() || found.radius() < value.radius()) {
      method_ = by_cells;
      forget();
      value = found;
    }
  };
  if (near && problem_.total_count() <= few_steps) {
    near_top(few_cells);
    if (value.radius() <= std::max(relative, near_relative) * value.middle() || below_doubles(value)) {
      return value;
    }
  }
  const char* const known_by = method_;
  Real found;
  arb_zero_pm_inf(found.get());
  try {
    found = ahead(epsilon, rest, relative, spare, effort);
  } catch (const ConvergenceError&) {
  }
  if (!value.finite() || found.radius() < value.radius()) {
    value = found;
  } else {
    method_ = known_by;
    forget();
  }
  if (near && !(value.radius() <= promised * value.middle())) {
    near_top(problem_.total_count() <= few_steps ? most_cells : few_cells);
  }
  if (value.positive() && value.radius() <= 0.5 * value.middle()) {
    return value;
  }
  const Real bounds = bounded(epsilon, rest);
  return value.finite() ? rigorous::intersection(value, bounds) : bounds;
}

// From the nearest contour in doubles, if that is close enough; else with a new one, as close as it gets.
Real Profile::quick(double epsilon, bool rest, double relative, double absolute) {
  const auto enough = [&](const Real& v) {
    return v.radius() <= std::max(absolute, std::max(relative, reached_) * std::abs(v.middle()));
  };
  if (!gaussian() && !single()) {
    const Inversion* near = nullptr;
    double nearest = infinity;
    for (const auto& contour : contours_) {
      const Plan& p = contour->plan();
      const double far = std::abs(epsilon - p.epsilon) * p.width;
      if ((p.c < 0.0) == rest && far < nearest) {
        nearest = far;
        near = contour.get();
      }
    }
    if (near != nullptr) {
      const Real value = near->says().quick(epsilon);
      if (enough(value)) {
        line_ = nullptr;
        last_ = near;
        return value;
      }
    }
    for (std::size_t i = rest ? 0 : lines_.size(); i-- > 0;) {
      const Real value = lines_[i]->at(Real(epsilon));
      if (enough(value)) {
        last_ = nullptr;
        line_ = lines_[i].get();
        return value;
      }
    }
  }
  constexpr double spare = 3.0;
  const Real value = delta(Real(epsilon), rest, relative, spare);
  if (!enough(value) && value.positive()) {
    reached_ = 2.0 * value.radius() / value.middle();
  }
  return value;
}

bool Profile::sees(double epsilon, bool rest) const {
  constexpr double deviations = 4.0;
  return last_ != nullptr && (last_->plan().c < 0.0) == rest &&
         std::abs(epsilon - last_->plan().epsilon) * last_->plan().width < deviations;
}

std::optional<Approximate> Profile::approximate(double epsilon) const {
  if (last_ != nullptr) {
    return last_->says().approximate(epsilon);
  }
  if (line_ != nullptr) {
    return line_->approximate(epsilon);
  }
  return std::nullopt;
}

// h(x) = delta(log x) is convex and falls at the rate of the type I error: between difference quotients.
Real Profile::type_one_error(const Real& epsilon, double relative) {
  const Precision precision(256);
  if (gaussian()) {
    const Real mu = rigorous::sqrt(problem_.gaussian_square);
    return rigorous::normal_tail(epsilon / mu + rigorous::scaled(mu, -1));
  }
  if (single() && !epsilon.negative()) {
    return one_step(problem_.steps[0], epsilon, 256).type_one_error;
  }
  const Real here = delta(epsilon, false, relative * relative), x = rigorous::exp(epsilon);
  const Inversion* contour = last_;
  const Line* line = line_;
  const auto value = [&](const Real& at) {
    return contour != nullptr ? contour->at(at)
           : line != nullptr  ? line->at(at)
                              : delta(at, false, relative * relative);
  };
  const double scale =
      contour != nullptr ? std::max(1.0, std::abs(contour->says().approximate(epsilon.middle()).slope)) : 1.0;
  const auto secants = [&](double step) {
    const Real least = (here - value(epsilon + Real(step))) / (x * rigorous::expm1(Real(step)));
    const Real most = (value(epsilon - Real(step)) - here) / (x * -rigorous::expm1(Real(-step)));
    return rigorous::hull(least, most);
  };
  // Short steps cancel the digits of delta, long ones feel its curvature. Both lose alike about where the step is the
  // root of the error of delta; from there by tens to either side, as long as that helps.
  const double middle = std::clamp(relative, 1e-12, 1e-3) / scale;
  Real closest = secants(middle);
  Real alpha = rigorous::intersection(rigorous::zero_to(Real(1)), closest);
  for (const double factor : {0.1, 10.0}) {
    bool better = true;
    for (double step = middle * factor; better && step > 1e-12 / scale && step < 2e-3 / scale; step *= factor) {
      const Real found = secants(step);
      better = found.radius() < closest.radius();
      if (better) {
        closest = found;
        alpha = rigorous::intersection(alpha, found);
      }
    }
  }
  return alpha;
}

}  // namespace dpcurves::accounting::proof
