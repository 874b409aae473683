// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <dpcurves/accounting/detail/claimed_losses.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/enclosure.hpp>

namespace dpcurves::accounting::detail {
namespace {

constexpr std::size_t most_terms = 4096;
constexpr double roundings = claim_roundings;

/// The loss of k randomised responses: (2j - k) e with binomial weights, from the mode outwards until they are nothing.
/// What is left out is less than 1e-300 and belongs to the tail that is given a loss of infinity.
ClaimedLosses responses(double epsilon, double count) {
  constexpr double nothing = 1e-305;
  const double odds = std::exp(epsilon);
  const double mode = std::min(count, std::floor((count + 1.0) * (odds / (1.0 + odds))));
  std::vector<ClaimedLoss> terms{{(2.0 * mode - count) * epsilon, 1.0}};
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
  const double sum = sum_over(terms, [&](const ClaimedLoss& term) { return term.weight; });
  for (ClaimedLoss& term : terms) {
    term.weight /= sum;
  }
  const auto steps = static_cast<double>(terms.size());
  if (steps < count + 1.0) {
    constexpr double left_out = 1e-299;
    terms.push_back({infinity, left_out});
  }
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.loss < b.loss; });
  return {std::move(terms), 4.0 * roundings * (steps + 2.0)};
}

/// Weights at the nodes (first + i) width.
struct Grid {
  double first = 0.0;
  std::vector<double> weights;
  double infinite = 0.0;  // weight of an infinite loss
};

/// The losses that carry weight.
std::pair<double, double> seen(const ClaimedLosses& law) {
  constexpr double least = 1e-40;
  double first = infinity, last = -infinity;
  for (const ClaimedLoss& term : law.terms) {
    if (term.weight > least && std::isfinite(term.loss)) {
      first = std::min(first, term.loss);
      last = std::max(last, term.loss);
    }
  }
  return {first, last};
}

Grid on_grid(const ClaimedLosses& law, double width, bool up) {
  const auto [least, most] = seen(law);
  Grid grid;
  grid.first = std::floor(least / width) - 1.0;
  const double last = std::ceil(most / width) + 1.0;
  grid.weights.assign(static_cast<std::size_t>(last - grid.first) + 1, 0.0);
  const auto at = [&](double node) -> double& { return grid.weights[static_cast<std::size_t>(node - grid.first)]; };
  for (const ClaimedLoss& term : law.terms) {
    if (up && term.loss > most) {
      grid.infinite += term.weight;
    } else if (up) {
      const double loss = std::max(term.loss, least) + roundings * (std::abs(term.loss) + width);
      const double below = std::floor(loss / width);
      // e^-loss lies between e^-a and e^-b of the nodes: as much stays below.
      const double above = std::max(0.0, (below + 1.0) * width - loss);
      const double stays = std::min(1.0, std::expm1(above) / std::expm1(width));
      at(below) += term.weight * stays;
      at(below + 1.0) += term.weight * (1.0 - stays + roundings);
    } else if (term.loss >= least) {
      at(std::max(grid.first, std::floor((std::min(term.loss, most) - roundings * std::abs(term.loss)) / width))) +=
          term.weight;
    }
  }
  return grid;
}

ClaimedLosses product_on_grid(const ClaimedLosses& a, const ClaimedLosses& b, bool up) {
  const auto [a_first, a_last] = seen(a);
  const auto [b_first, b_last] = seen(b);
  const double width = (a_last - a_first + b_last - b_first) / static_cast<double>(most_terms - 8);
  const Grid x = on_grid(a, width, up), y = on_grid(b, width, up);
  std::vector<double> sums(x.weights.size() + y.weights.size() - 1, 0.0);
  for (std::size_t i = 0; i < x.weights.size(); ++i) {
    for (std::size_t j = 0; x.weights[i] > 0.0 && j < y.weights.size(); ++j) {
      sums[i + j] += x.weights[i] * y.weights[j];
    }
  }
  ClaimedLosses law;
  law.terms.clear();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] > 0.0) {
      law.terms.push_back({(x.first + y.first + static_cast<double>(i)) * width, sums[i]});
    }
  }
  if (x.infinite + y.infinite > 0.0) {
    law.terms.push_back({infinity, x.infinite + y.infinite});
  }
  const auto added = static_cast<double>(std::min(x.weights.size(), y.weights.size()));
  const auto placed = static_cast<double>(a.terms.size() + b.terms.size());
  law.error = a.error + b.error + roundings * (added + placed + 4.0);
  return law;
}

ClaimedLosses product(const ClaimedLosses& a, const ClaimedLosses& b, bool up) {
  const std::size_t size = a.terms.size() * b.terms.size();
  if (size > most_terms) {
    return product_on_grid(a, b, up);
  }
  std::vector<ClaimedLoss> terms;
  terms.reserve(size);
  for (const ClaimedLoss& x : a.terms) {
    for (const ClaimedLoss& y : b.terms) {
      terms.push_back({x.loss + y.loss, x.weight * y.weight});
    }
  }
  std::sort(terms.begin(), terms.end(), [](const auto& x, const auto& y) { return x.loss < y.loss; });
  ClaimedLosses law;
  law.terms.clear();
  for (const ClaimedLoss& term : terms) {
    if (!law.terms.empty() && law.terms.back().loss == term.loss) {
      law.terms.back().weight += term.weight;
    } else {
      law.terms.push_back(term);
    }
  }
  law.error = a.error + b.error + roundings * (static_cast<double>(size) + 1.0);
  return law;
}

}  // namespace

ClaimedLosses claimed_losses(const std::vector<std::pair<double, double>>& claims, bool up) {
  // Beyond these a response is nearly sure, and a sum of them is nearly the sum of the epsilons.
  constexpr double most_epsilon = 500.0;
  constexpr double most_count = 1e5;
  double sure = 0.0;
  std::vector<ClaimedLosses> laws;
  for (const auto& [epsilon, count] : claims) {
    if (epsilon > most_epsilon || count > most_count) {
      sure = next_up(sure + next_up(epsilon * count));
      continue;
    }
    laws.push_back(responses(epsilon, count));
    if (laws.back().terms.size() > most_terms) {
      laws.back() = product_on_grid(laws.back(), {}, up);
    }
  }
  while (laws.size() > 1) {
    std::vector<ClaimedLosses> next;
    for (std::size_t i = 0; i < laws.size(); i += 2) {
      next.push_back(i + 1 < laws.size() ? product(laws[i], laws[i + 1], up) : std::move(laws[i]));
    }
    laws = std::move(next);
  }
  ClaimedLosses law = laws.empty() ? ClaimedLosses{} : std::move(laws.front());
  if (sure > 0.0) {
    for (ClaimedLoss& term : law.terms) {
      term.loss = up ? next_up(term.loss + sure) : next_down(term.loss - sure);
    }
  }
  return law;
}

}  // namespace dpcurves::accounting::detail
