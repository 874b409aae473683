// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/claims.hpp>
#include <dpcurves/core/constants.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/minimise.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double largest_count = 1e15;
constexpr std::size_t most_terms = 4096;     // each may cost one delta of the rest
constexpr double roundings = 4.0 * 0x1p-53;  // of a product, a quotient and a sum

/// One value of the loss of the claims.
struct Term {
  double loss;
  double weight;
};

/// A law of losses with the relative error of its weights.
struct Law {
  std::vector<Term> terms{{0.0, 1.0}};
  double error = 0.0;
};

/// The loss of k randomised responses: (2j - k) e with binomial weights, from the mode outwards until they are nothing.
/// What is left out is less than 1e-300 and belongs to the tail that is given a loss of infinity.
Law responses(double epsilon, double count) {
  constexpr double nothing = 1e-305;
  const double odds = std::exp(epsilon);
  const double mode = std::min(count, std::floor((count + 1.0) * (odds / (1.0 + odds))));
  std::vector<Term> terms{{(2.0 * mode - count) * epsilon, 1.0}};
  double weight = 1.0;
  for (double j = mode; j < count && weight > nothing; ++j) {
    weight *= (count - j) / (j + 1.0) * odds;
    terms.push_back({(2.0 * (j + 1.0) - count) * epsilon, weight});
  }
  weight = 1.0;
  for (double j = mode; j > 0.0 && weight > nothing; --j) {
    weight *= j / (count - j + 1.0) / odds;
    terms.push_back({(2.0 * (j - 1.0) - count) * epsilon, weight});
  }
  double sum = 0.0;
  for (const Term& term : terms) {
    sum += term.weight;
  }
  for (Term& term : terms) {
    term.weight /= sum;
  }
  const auto steps = static_cast<double>(terms.size());
  if (steps < count + 1.0) {
    constexpr double left_out = 1e-299;
    terms.push_back({infinity, left_out});
  }
  return {std::move(terms), 4.0 * roundings * (steps + 2.0)};
}

/// Terms of equal loss together; more than most_terms on a grid, where each loss is rounded up (or down).
std::vector<Term> merged(std::vector<Term> terms, bool up) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.loss < b.loss; });
  double width = 0.0;
  if (terms.size() > most_terms) {
    // The grid spans what carries weight; below it losses rise to its first node, above it they become infinite.
    constexpr double seen = 1e-40;
    double first = terms.back().loss;
    double last = terms.front().loss;
    for (const Term& term : terms) {
      if (term.weight > seen) {
        first = std::min(first, term.loss);
        last = std::max(last, term.loss);
      }
    }
    width = (last - first) / static_cast<double>(most_terms - 4);
    for (Term& term : terms) {
      const double place = (std::clamp(term.loss, first, last) - first) / width;
      const double node = first + width * (up ? std::ceil(place) : std::floor(place));
      term.loss = up ? (term.loss > last ? infinity : std::max(node, term.loss))
                     : (term.loss < first ? -infinity : std::min(node, term.loss));
    }
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.loss < b.loss; });
  }
  std::vector<Term> list;
  for (const Term& term : terms) {
    if (!list.empty() && term.loss - list.back().loss <= (width > 0.0 ? 0.5 * width : 0.0)) {
      list.back().weight += term.weight;
      list.back().loss = up ? std::max(list.back().loss, term.loss) : list.back().loss;
    } else {
      list.push_back(term);
    }
  }
  return list;
}

Law product(const Law& a, const Law& b, bool up) {
  std::vector<Term> terms;
  terms.reserve(a.terms.size() * b.terms.size());
  for (const Term& x : a.terms) {
    for (const Term& y : b.terms) {
      terms.push_back({x.loss + y.loss, x.weight * y.weight});
    }
  }
  const auto size = static_cast<double>(terms.size());
  return {merged(std::move(terms), up), a.error + b.error + roundings * (size + 1.0)};
}

class ClaimedCurve final : public PrivacyCurve {
 public:
  ClaimedCurve(CurvePtr rest, const std::vector<ClaimedRelease>& claims) : rest_(std::move(rest)) {
    require_domain(rest_ != nullptr, "rest", std::nan(""), "a curve that is not null");
    for (const ClaimedRelease& claim : claims) {
      require_domain(claim.epsilon >= 0.0, "epsilon", claim.epsilon, "[0, inf]");
      require_domain(claim.delta >= 0.0 && claim.delta <= 1.0, "delta", claim.delta, "[0, 1]");
      require_domain(claim.count >= 0.0 && claim.count <= largest_count && claim.count == std::floor(claim.count),
                     "count", claim.count, "the whole numbers [0, 1e15]");
      if (claim.count == 0.0) {
        continue;
      }
      largest_ = next_up(largest_ + next_up(claim.epsilon * claim.count));
      log_kept_ += claim.delta == 1.0 || std::isinf(claim.epsilon) ? -infinity : claim.count * std::log1p(-claim.delta);
      // Beyond these a response is nearly sure, and a sum of them is nearly the sum of the epsilons.
      constexpr double most_epsilon = 500.0;
      constexpr double most_count = 1e5;
      if (std::isinf(log_kept_) || claim.epsilon == 0.0) {
        continue;
      }
      if (claim.epsilon > most_epsilon || claim.count > most_count) {
        const double all = next_up(claim.epsilon * claim.count);
        for (Law* law : {&upper_, &lower_}) {
          for (Term& term : law->terms) {
            term.loss += law == &upper_ ? all : -all;
          }
        }
        continue;
      }
      const Law one = responses(claim.epsilon, claim.count);
      upper_ = product(upper_, {merged(one.terms, true), one.error}, true);
      lower_ = product(lower_, {merged(one.terms, false), one.error}, false);
    }
  }

  Answer delta(double epsilon) const override {
    require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
    const auto ask = [this](std::span<const double> at) { return rest_->deltas(at); };
    return {{end(epsilon, false, ask), end(epsilon, true, ask)}, "claims beside the rest"};
  }
  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    const auto ask = rest_->questions();
    return {{inverse(delta, false, ask).first, inverse(delta, true, ask).second}, "claims beside the rest"};
  }
  /// From the profile: f(a) is the largest of 1 - delta(s) - e^s a over a grid of s, and beside its best.
  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    constexpr int nodes = 64;
    const auto ask = rest_->questions();
    const double reach = std::min(700.0, inverse(1e-12, true, ask).second), step = reach / nodes;
    std::vector<double> kept;
    for (int i = -nodes; i <= nodes; ++i) {
      kept.push_back(1.0 - end(step * i, true, ask));
    }
    const auto line = [](double s, double kept_there, double a) {
      return next_down(next_down(kept_there - next_up(std::exp(s) * a)));
    };
    std::vector<Enclosure> result;
    for (const double a : type_one_errors) {
      require_domain(a >= 0.0 && a <= 1.0, "type_one_errors", a, "[0, 1]");
      double best = 0.0, at = 0.0;
      for (int i = -nodes; i <= nodes; ++i) {
        if (const double value = line(step * i, kept[static_cast<std::size_t>(i + nodes)], a); value > best) {
          best = value;
          at = step * i;
        }
      }
      if (best > 0.0) {  // concave in e^s: a closer line beside the best
        const auto below = [&](double s) { return -line(s, 1.0 - end(s, true, ask), a); };
        best = std::max(best, -numerics::minimise(below, at - step, at + step).value);
      }
      result.push_back({std::min(best, 1.0 - a), 1.0 - a});
    }
    return result;
  }
  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    if (std::isinf(order) && log_kept_ == 0.0) {  // the largest losses add up
      const Enclosure rest = rest_->renyi(order);
      return {rest.lower, next_up(rest.upper + largest_)};
    }
    return {0.0, infinity};
  }
  Methods methods() const override { return {by_tangents, "largest privacy loss", ""}; }

 private:
  /// A delta of the rest that is asked for, and what is known of it.
  struct Place {
    double at, weight;
    Enclosure delta;
    bool asked = false;
    [[nodiscard]] double open() const { return asked ? 0.0 : weight * delta.width(); }
  };

  /// Asks for the deltas with the most to say until the others could not be seen in the sum. Deltas fall with their
  /// epsilon, so that each bounds those beside it: most far tails, which are dear, are never asked for.
  /// \param others  what the sum has beside them.
  static void ask_where_it_matters(std::vector<Place>& places, double others, const DeltaQuestions& ask) {
    constexpr std::size_t few = 64;
    const double unseen = places.size() <= few ? 1e-12 : 1e-8;  // of the sum; thousands cost as many deltas
    while (true) {
      double open = 0.0, least = others;
      Place* next = nullptr;
      for (Place& place : places) {
        open += place.open();
        least += place.weight * place.delta.lower;
        next = place.open() > (next != nullptr ? next->open() : 0.0) ? &place : next;
      }
      if (next == nullptr || open <= unseen * least) {
        return;
      }
      next->delta = intersection(next->delta, ask(std::span(&next->at, 1)).front());
      next->asked = true;
      for (Place& place : places) {
        if (place.at > next->at) {
          place.delta.upper = std::max(place.delta.lower, std::min(place.delta.upper, next->delta.upper));
        } else if (place.at < next->at) {
          place.delta.lower = std::min(place.delta.upper, std::max(place.delta.lower, next->delta.lower));
        }
      }
    }
  }

  /// One end of delta, from the same end of the rest.
  double end(double epsilon, bool up, const DeltaQuestions& ask) const {
    if (std::isinf(log_kept_)) {
      return 1.0;
    }
    const Law& law = up ? upper_ : lower_;
    std::vector<Place> places;
    double sum = 0.0;
    for (const Term& term : law.terms) {
      if (std::isinf(term.loss)) {
        sum += up ? term.weight : 0.0;
        continue;
      }
      const double slack = roundings * (std::abs(epsilon) + std::abs(term.loss));
      const double at = epsilon - term.loss + (up ? -slack : slack);
      places.push_back({at, term.weight, {at < 0.0 ? std::max(0.0, next_down(-std::expm1(at))) : 0.0, 1.0}});
    }
    ask_where_it_matters(places, sum, ask);
    for (const Place& place : places) {
      sum += place.weight * (up ? place.delta.upper : place.delta.lower);
    }
    const double error = law.error + roundings * (static_cast<double>(places.size()) + 4.0);
    sum = std::clamp(up ? next_up(sum * (1.0 + error)) : next_down(sum * (1.0 - error)), 0.0, 1.0);
    // 1 - kept (1 - sum) = (1 - kept) + kept sum
    const double kept_error = roundings * (2.0 - log_kept_);
    const double lost = -std::expm1(log_kept_ * (up ? 1.0 + roundings : 1.0 - roundings));
    const double whole = lost + std::exp(log_kept_) * (up ? 1.0 + kept_error : 1.0 - kept_error) * sum;
    return std::clamp(up ? next_up(whole * (1.0 + roundings)) : next_down(whole * (1.0 - roundings)), 0.0, 1.0);
  }

  /// Neighbours s < t with end(t) <= delta < end(s): the least epsilon lies between them.
  std::pair<double, double> inverse(double delta, bool up, const DeltaQuestions& ask) const {
    if (end(0.0, up, ask) <= delta) {
      return {0.0, 0.0};
    }
    if (-std::expm1(log_kept_) >= delta) {
      return {up ? 0.0 : infinity, infinity};  // what is lost at every epsilon
    }
    double low = 0.0;
    double high = 1.0;
    for (; end(high, up, ask) > delta; high *= 2.0) {
      low = high;
      if (high > 1e300) {
        return {high, infinity};
      }
    }
    // log delta is nearly linear: its chord, kept off the ends, halves at worst.
    constexpr double width = 1e-12;
    double below = std::log(end(low, up, ask));
    double above = std::log(std::max(end(high, up, ask), std::numeric_limits<double>::min()));
    const double target = std::log(delta);
    for (int i = 0; i < 200 && high - low > width * high; ++i) {
      const double chord = below > above ? (below - target) / (below - above) : 0.5;
      const double part = i % 3 == 2 ? 0.5 : std::clamp(chord, 0.01, 0.99);
      const double middle = low + part * (high - low);
      if (!(middle > low && middle < high)) {
        break;
      }
      const double value = end(middle, up, ask);
      const double log_value = std::log(std::max(value, std::numeric_limits<double>::min()));
      (value <= delta ? high : low) = middle;
      (value <= delta ? above : below) = log_value;
    }
    return {low, high};
  }

  CurvePtr rest_;
  Law upper_;
  Law lower_;
  double log_kept_ = 0.0;  // of the probability that no claim fails
  double largest_ = 0.0;   ///< sum of the epsilons
};

}  // namespace

CurvePtr claimed_curve(CurvePtr rest, const std::vector<ClaimedRelease>& claims) {
  return std::make_shared<ClaimedCurve>(std::move(rest), claims);
}

}  // namespace dpcurves::accounting
