// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <dpcurves/accounting/detail/dominated.hpp>
#include <dpcurves/accounting/detail/shared_contours.hpp>
#include <dpcurves/accounting/proof/neighbours.hpp>
#include <dpcurves/accounting/proof/profile.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

using proof::ContourParts;
using proof::ContourSum;
using proof::Neighbours;
using proof::Problem;
using proof::Profile;
using rigorous::Precision;
using rigorous::Real;

constexpr std::size_t most_kept = 32;  // contours; the oldest is forgotten
constexpr double farthest = 6.0;       // in deviations of a contour's integrand, from where it was made

constexpr std::size_t few_lines = 3, less_often = 8;  // before a contour is made for others to share; after a failure

constexpr std::size_t many = 64;  // questions for which such a contour is made

constexpr std::size_t most_pieces = 64;  // of a piece of work: enough for the cores of a machine
constexpr std::size_t together = 8;      // questions of a piece from one look at the progress to the next

SharedContours*& innermost() {
  thread_local SharedContours* value = nullptr;
  return value;
}

std::vector<double> counts_of(const Problem& problem) {
  return mapped(problem.steps, [&](const proof::Step& step) { return step.count; });
}

/// A contour of steps, and the last answer that it gave.
struct Kept {
  std::vector<proof::Step> steps;
  Real gaussian_square;
  std::shared_ptr<const ContourParts> parts;
  double c, deviation, epsilon;              // of its plan: order, 1 / width and threshold
  double log_value;                          // there
  double last;                               // epsilon that was asked for
  std::shared_ptr<Neighbours> neighbours{};  // null: it has none
  std::vector<double> counts{};              // of `sum`
  ContourSum sum{};

  /// log of the factor between the numbers of steps; nothing where the steps are others, or their rates and noises more
  /// than `moved` away, relatively. \param by  gets how far they are.
  [[nodiscard]] std::optional<double> apart(const Problem& problem, double moved, double* by = nullptr) const {
    constexpr double same = 1e-3;  // of the numbers of several kinds of steps
    if (problem.steps.size() != steps.size() || arb_equal(problem.gaussian_square.get(), gaussian_square.get()) == 0) {
      return std::nullopt;
    }
    const double factor = problem.steps.front().count / steps.front().count;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const proof::Step &one = problem.steps[i], &other = steps[i];
      const double far = std::max(std::abs(one.q / other.q - 1.0), std::abs(one.mu / other.mu - 1.0));
      if (one.pair != other.pair || !(far <= moved) ||
          !(std::abs(one.count - factor * other.count) <= same * one.count)) {
        return std::nullopt;
      }
      if (by != nullptr) {
        *by = std::max(*by, far);
      }
    }
    return std::log(factor);
  }

  [[nodiscard]] const ContourSum& composed(const Problem& problem) {
    std::vector<double> wanted = counts_of(problem);
    if (counts != wanted) {
      sum = parts->composed(wanted);
      counts = std::move(wanted);
    }
    return sum;
  }
};

/// Contours of the same kinds of steps: those of one direction know nothing of another's, so that no digit depends on
/// whether that was asked.
struct Family {
  std::deque<Kept> kept;
  std::optional<Kept> beside;                      // the last contour that was had from a neighbour's
  std::size_t by_lines = 0, patience = few_lines;  // answers since the last contour, and how many to wait for

  /// The contour that sees best, one of a neighbour if none of the same steps does. \param away  of a contour:
  /// deviations from where it was made, at its numbers of steps.
  template <class Away>
  [[nodiscard]] Kept* nearest(const Problem& problem, bool rest, const Away& away) {
    constexpr double of_steps = 12.0;            // deviations for a factor e
    constexpr double of_rates = 2.0 * of_steps;  // the variance of a loss is about q^2 mu^2
    constexpr double most_moved = 0.06;
    double least = farthest;
    Kept* best = nullptr;
    const auto offer = [&](Kept& one, double moved) {
      double by = 0.0;
      const auto apart = (one.c < 0.0) == rest ? one.apart(problem, moved, &by) : std::nullopt;
      const double far = apart ? of_steps * std::abs(*apart) + of_rates * by + away(one) : infinity;
      if (far < least) {
        least = far;
        best = &one;
      }
    };
    for (Kept& one : kept) {
      offer(one, 0.0);
    }
    if (beside) {
      offer(*beside, 0.0);
    }
    if (best != nullptr) {
      return best;
    }
    for (Kept& one : kept) {
      if (one.neighbours != nullptr) {
        offer(one, most_moved);
      }
    }
    return best == nullptr ? nullptr : move_to(problem, *best);
  }

  /// The contour of a neighbour's, with the last answer of those before it.
  [[nodiscard]] Kept* move_to(const Problem& problem, Kept& from) {
    try {
      const double last = beside && beside->apart(problem, 1.0) ? beside->last : from.last;
      beside.emplace(Kept{problem.steps, problem.gaussian_square, from.neighbours->at(problem), from.c, from.deviation,
                          from.epsilon, from.log_value, last});
      return &*beside;
    } catch (const ConvergenceError&) {
      from.neighbours.reset();
      return nullptr;
    }
  }

  /// No more contours of neighbours where the last one did not do.
  void disappointed(const Kept* by) {
    if (beside && by == &*beside) {
      beside.reset();
      for (Kept& one : kept) {
        one.neighbours.reset();
      }
    }
  }
};

}  // namespace

struct SharedContours::State {
  std::map<std::vector<Pair>, Family> families;  // by the pairs of the steps
  UpperBounds upper_bounds;
  std::size_t questions = 0;

  [[nodiscard]] Family& of(const Problem& problem) {
    const std::vector<Pair> pairs = mapped(problem.steps, [&](const proof::Step& step) { return step.pair; });
    return families[pairs];
  }
};

SharedContours::SharedContours(std::size_t questions) : state_(std::make_unique<State>()) {
  state_->questions = questions;
}

SharedContours::~SharedContours() = default;

SharedContours::Scope::Scope(SharedContours* contours) : before_(std::exchange(innermost(), contours)) {}

SharedContours::Scope::~Scope() { innermost() = before_; }

SharedContours* SharedContours::current() { return innermost(); }

// Newton's method in doubles from where the contour saw its last answer, then both ends proved.
std::optional<Enclosure> SharedContours::epsilon(const Profile& profile, const Real& target, bool rest,
                                                 double relative) {
  const double wanted = rigorous::approximate_log(target);
  Family& family = state_->of(profile.problem());
  Kept* const near = family.nearest(profile.problem(), rest, [&](const Kept& one) {
    return std::abs((wanted - one.log_value) / (one.c * one.deviation));
  });
  if (near == nullptr) {
    return std::nullopt;
  }
  const ContourSum& sum = near->composed(profile.problem());
  double at = near->last;
  constexpr int most = 20;
  constexpr double close = 1e-13, farther = 0.5;
  for (int i = 0;; ++i) {
    const proof::Approximate here = sum.approximate(at);
    const double step = (wanted - here.log_value) / here.slope;
    if (i == most || !std::isfinite(step)) {
      family.disappointed(near);
      return std::nullopt;
    }
    at += std::clamp(step, -farther * at, farther * at);
    if (std::abs(step) <= close * at) {
      break;
    }
  }
  constexpr double share = 0.2;  // of the width on either side of the answer
  for (const double half : {share * relative * at, 0.49 * relative * at}) {
    const Enclosure ends{at - half, at + half};
    const Real left = sum.quick(ends.lower), right = sum.quick(ends.upper);
    if ((rest ? left < target : left > target) && (rest ? right >= target : right <= target)) {
      near->last = at;
      return ends;
    }
  }
  family.disappointed(near);
  return std::nullopt;
}

std::optional<Real> SharedContours::delta(const Profile& profile, double epsilon, double relative) {
  Family& family = state_->of(profile.problem());
  Kept* const near = family.nearest(profile.problem(), false,
                                    [&](const Kept& one) { return std::abs(epsilon - one.epsilon) / one.deviation; });
  if (near == nullptr) {
    return std::nullopt;
  }
  const Real value = near->composed(profile.problem()).quick(epsilon);
  if (value.positive() && 2.0 * value.radius() <= relative * value.middle()) {
    return value;
  }
  family.disappointed(near);
  return std::nullopt;
}

std::optional<Enclosure> SharedContours::shared_epsilon(const Profile& profile, const Real& target, bool rest,
                                                        double relative) {
  Family& family = state_->of(profile.problem());
  if (state_->questions < many || family.by_lines < family.patience) {
    return std::nullopt;
  }
  family.by_lines = 0;
  Profile whole(profile.composition(), Profile::Laws::shared);
  const Profile::Bracket found = whole.epsilon(target, rest, relative);
  if (whole.last() == nullptr || !found.upper.finite() ||
      !(found.upper - found.lower <= Real(relative) * found.upper)) {
    family.patience *= less_often;
    return std::nullopt;
  }
  keep(whole);
  return Enclosure{found.lower.lower(), found.upper.upper()};
}

UpperBounds& SharedContours::upper_bounds() { return state_->upper_bounds; }

void SharedContours::keep(const Profile& profile) {
  const proof::Inversion* contour = profile.last();
  const Problem& problem = profile.problem();
  Family& family = state_->of(problem);
  family.by_lines = contour == nullptr && profile.last_line() != nullptr ? family.by_lines + 1 : 0;
  if (contour == nullptr) {
    return;
  }
  const proof::Plan& plan = contour->plan();
  std::deque<Kept>& kept = family.kept;
  kept.push_back({problem.steps, problem.gaussian_square, contour->parts(), plan.c, 1.0 / plan.width, plan.epsilon,
                  contour->says().approximate(plan.epsilon).log_value, plan.epsilon});
  if (Neighbours::served(*contour)) {
    kept.back().neighbours = std::make_shared<Neighbours>(*contour);
  }
  if (kept.size() > most_kept) {
    kept.pop_front();
  }
}

// In rounds, so that the work can be stopped between them.
void in_shared_pieces(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                      const Progress& progress) {
  if (count == 1) {  // shares nothing but what is around it
    work(0);
    return;
  }
  const std::size_t pieces = std::min(count, most_pieces);
  const auto begin = [&](std::size_t piece) { return piece * count / pieces; };
  const std::size_t longest = pieces == 0 ? 0 : (count + pieces - 1) / pieces;
  std::vector<SharedContours> contours;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    contours.emplace_back(longest);
  }
  for (std::size_t round = 0; round * together < longest; ++round) {
    const auto share = [&](std::size_t done, std::size_t) {
      return progress(std::min(round * together * pieces + done * together, count), count);
    };
    parallel_for(
        pieces, threads,
        [&](std::size_t piece) {
          const SharedContours::Scope scope(longest > 1 ? &contours[piece] : nullptr);
          const std::size_t first = begin(piece) + round * together;
          for (std::size_t i = first; i < std::min(first + together, begin(piece + 1)); ++i) {
            work(i);
          }
        },
        progress ? Progress(share) : Progress());
  }
}

void in_shared_pieces(std::span<const double> keys, unsigned threads, const std::function<void(std::size_t)>& work,
                      const Progress& progress) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::isnan(keys[i]) ? -infinity : keys[i]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  in_shared_pieces(
      keys.size(), threads, [&](std::size_t k) { work(order[k]); }, progress);
}

}  // namespace dpcurves::accounting
