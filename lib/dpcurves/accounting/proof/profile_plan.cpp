// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Which contours are tried, and their plans.
#include <algorithm>
#include <cmath>
#include <optional>

#include <dpcurves/accounting/proof/plain.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/accounting/proof/steep.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::proof {

using rigorous::Real;

namespace {

constexpr double in_the_bulk = 1.5e5;                          // work of an upright contour that needs no other
constexpr double modest_upright = 2e6, longest_upright = 4e6;  // of one for cut laws, a microsecond each
constexpr double modest_steep = 3e6, longest_steep = 1e7;      // a third of one
constexpr double modest_straight = 5e7, longer_straight = 1e8, longest_straight = 2e8;
constexpr double most_rare = 1e8, most_parted = 1e8;  // a fiftieth
// Steps that sample the record: beyond, large losses are no rare ones, and none is seen beside the others.
constexpr double most_sampled = 30.0, ever_sampled = 1e6;

}  // namespace

bool Profile::decays() const {
  constexpr double far_down = 20.0;
  double floor = 0.5 * problem_.gaussian_mu * problem_.gaussian_mu;  // -log |F| far up, at most
  bool halves = false;
  for (const Step& s : problem_.steps) {
    halves = halves || s.has_atom;
    floor -= s.has_atom ? s.count * std::log(s.approximate_atom()) : 0.0;
  }
  return !halves || floor > far_down;
}

bool Profile::has_atoms() const {
  return std::any_of(problem_.steps.begin(), problem_.steps.end(), [](const Step& s) { return s.has_atom; });
}

// Upright where the transform decays by itself, in the bulk; upright for laws without the parts that are too rare to be
// seen at a value of e^{log_value}, where these hide the saddle point; a straight line for rare large losses; steep.
std::vector<Profile::Way> Profile::ways(double log_value, double epsilon, bool rest, double relative, Effort effort) {
  constexpr double unseen = 30.0, hidden = 4.0, far_up = 1e3;
  using Kind = Way::Kind;
  const bool straight = !rest && decays(), few_large = !rest && sampled() < ever_sampled;
  std::vector<Way> all;
  if (laws_ == Laws::whole) {
    return {{&problem_, longest_upright, Kind::upright}, {&problem_, longest_steep, Kind::steep}};
  }
  if (laws_ == Laws::shared) {
    return {{&problem_, shared_steep, Kind::steep}};
  }
  const Problem* cut = nullptr;
  bool rare = true;
  if (decays()) {
    cut_.push_back(std::make_unique<Problem>(problem_.cut(std::min(0.0, log_value) - unseen)));
    cut = cut_.back().get();
    const double c = saddle(*cut, epsilon, rest);
    rare = !(log_modulus(problem_, c, epsilon) - log_value < hidden);
    const double top = problem_.from_top().top().middle();
    if (2.0 * epsilon > top && c * top > far_up) {  // a saddle point for losses measured from the top
      rare = true;
      cut = nullptr;
    }
  }
  using When = Way::When;
  const auto add = [&](const Problem* problem, double most_work, Kind kind, When when = When::always,
                       double least = 0.0) {
    if (problem != nullptr) {
      all.push_back({problem, most_work, kind, when, least});
    }
  };
  if (effort != Effort::dear) {
    add(rare ? nullptr : &problem_, has_atoms() ? 8.0 * in_the_bulk : in_the_bulk, Kind::bulk);
    add(straight && relative >= line_finest ? &problem_ : nullptr, quick_straight, Kind::straight);
    add(straight && relative >= line_finest ? &problem_ : nullptr, modest_straight, Kind::straight, When::close);
    add(few_large && relative >= line_finest ? &problem_ : nullptr, most_rare, Kind::rare);
    add(straight && relative >= line_finest && sampled() < most_sampled ? &problem_ : nullptr, most_parted,
        Kind::parted, When::far);
    add(straight && relative >= line_finest ? &problem_ : nullptr, longer_straight, Kind::straight, When::close);
    add(straight && relative >= line_finest ? &problem_ : nullptr, modest_straight, Kind::straight, When::far);
    add(cut, modest_upright, Kind::upright);
    add(&problem_, modest_steep, Kind::steep);
    constexpr double coarse = 1e-6;  // with fewer digits more is unseen: lines are shorter, and where there was none
    add(few_large && relative >= line_finest ? &problem_ : nullptr, most_rare, Kind::rare, When::far, coarse);
    add(straight && relative >= line_finest ? &problem_ : nullptr, modest_straight, Kind::straight, When::far, coarse);
  }
  if (effort != Effort::modest) {
    constexpr double few = 16.0;  // kinds of steps; more of them may cost as much more
    const double more = std::max(1.0, static_cast<double>(problem_.steps.size()) / few);
    const std::size_t modest = all.size();
    add(cut, more * longest_upright, Kind::upright);
    add(&problem_, more * longest_steep, Kind::steep);
    add(straight ? &problem_ : nullptr, more * longest_straight, Kind::straight);
    std::for_each(all.begin() + static_cast<std::ptrdiff_t>(modest), all.end(), [](Way& way) { way.dear = true; });
  }
  return all;
}

Plan Profile::plan(const Way& way, double c, double epsilon, double digits) {
  if (way.kind == Way::Kind::steep) {
    return steep_plan(*way.problem, c, epsilon, digits, bearings_, way.most_work);
  }
  return make_plan(*way.problem, c, epsilon, digits, way.most_work, laws_ != Laws::whole);
}

// The integrand at c is larger than its integral where parts of the laws far away hide the saddle point: then digits
// cancel.
Plan Profile::plan(const Way& way, double c, double epsilon, double digits, double log_value) {
  c = c > 0.0 && way.kind != Way::Kind::steep ? before_edges(*way.problem, c, epsilon, digits, log_value) : c;
  constexpr double hidden = 80.0;  // a saddle point below so many digits is not that of this value
  const double known = std::max(0.0, log_modulus(*way.problem, c, epsilon) - log_value - 2.0);
  if (known > hidden && std::isfinite(known)) {
    throw ConvergenceError("the saddle point is hidden");
  }
  double lost = std::isfinite(known) ? known : 0.0;
  if (lost > seen_by_doubles) {
    Plan p = plan(way, c, epsilon, digits + lost);
    p.wanted = digits;
    return p;
  }
  constexpr int rounds = 3;
  std::optional<Plan> found;
  for (int i = 0; i < rounds; ++i) {
    try {
      found = plan(way, c, epsilon, digits + lost);
    } catch (const ConvergenceError&) {
      if (found && way.kind == Way::Kind::bulk) {
        break;  // a quick one is worth a try with fewer
      }
      if (found || lost == 0.0) {
        throw;
      }
      lost = 0.0;
      continue;
    }
    const double seen =
        log_modulus(*way.problem, found->c, epsilon) - Sketch(*way.problem, *found).at(epsilon).log_value;
    if (!(seen > lost + 3.0) || lost > seen_by_doubles) {
      break;
    }
    lost = seen + 1.0;
  }
  if (!found) {
    throw ConvergenceError("no contour is short enough");
  }
  found->wanted = digits;
  return *found;
}

const Inversion& Profile::build(const Way& way, double c, double epsilon, double digits, double log_value) {
  // The integrand may be much larger on the strip than the plan saw: a narrower one, with steps as much shorter, has
  // the same factor e^{-2 pi up / h} and less of it.
  constexpr double narrower = 0.75, far_off = 1e3;
  constexpr int attempts = 3;
  Plan p = plan(way, c, epsilon, digits, log_value);
  const auto known = std::find_if(planned_.begin(), planned_.end(), [&](const auto& made) { return made.first == p; });
  if (known != planned_.end()) {
    return *known->second;
  }
  const Plan first = p;
  auto found = std::make_unique<Inversion>(*way.problem, p);
  for (int i = 1; i < attempts; ++i) {
    const Real at(epsilon), sum = found->says().sum(at), strip = found->says().strip(at);
    if (strip < rigorous::abs(sum) * rigorous::exp(Real(-digits)) * Real(far_off) || sum.contains_zero()) {
      break;
    }
    p.up *= narrower;
    p.down *= narrower;
    p.h *= narrower;
    p.n = static_cast<long>(std::ceil(static_cast<double>(p.n) / narrower));
    found = std::make_unique<Inversion>(*way.problem, p);
  }
  contours_.push_back(std::move(found));
  planned_.emplace_back(first, contours_.back().get());
  return *contours_.back();
}

}  // namespace dpcurves::accounting::proof
