// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/participation.hpp>
#include <dpcurves/numerics/sums.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double unit = 0.5 * std::numeric_limits<double>::epsilon();  // of rounding
constexpr double negligible = 1e-30;  // of an entry over the diagonal: 1e7 of them are within the rounding
constexpr std::size_t most_dense_steps = 4096;

constexpr std::array rule_names{std::pair{ParticipationRule::single, std::string_view("single")},
                                std::pair{ParticipationRule::cyclic, std::string_view("cyclic")},
                                std::pair{ParticipationRule::min_separation, std::string_view("min-separation")}};

double as_double(std::size_t n) { return static_cast<double>(n); }

double norm(const std::vector<double>& x) {
  numerics::CompensatedSum sum;
  for (const double entry : x) {
    sum += entry * entry;
  }
  return std::sqrt(sum.value());
}

/// || C y || of a nonnegative Toeplitz matrix, y = 1 at first, first + b, ..., k of them, with the error of rounding.
/// Sums with stride b are sums of at most n = ceil(steps/b) nonnegative numbers: relative n units each.
Enclosure strided_norm(const std::vector<double>& c, std::size_t steps, std::size_t first, std::size_t b,
                       std::size_t k) {
  const std::size_t rows = steps - first;
  const bool all = k >= (rows - 1) / b + 1;
  std::vector<double> sums(rows), encoded(rows);
  for (std::size_t t = 0; t < rows; ++t) {
    const double entry = t < c.size() && c[t] > negligible * c.front() ? c[t] : 0.0;
    sums[t] = entry + (t >= b ? sums[t - b] : 0.0);
    encoded[t] = sums[t] - (!all && t >= k * b ? sums[t - k * b] : 0.0);
  }
  const double value = norm(encoded);
  const double terms = as_double(std::min((rows - 1) / b, (c.size() - 1) / b) + 1);
  const double error = (2.0 * terms + 4.0) * unit * (all ? value : norm(sums)) + 8.0 * unit * value;
  return {std::max(0.0, next_down(value - error)), next_up(value + error)};
}

std::vector<std::size_t> strided_steps(std::size_t first, std::size_t b, std::size_t k) {
  std::vector<std::size_t> steps(k);
  for (std::size_t i = 0; i < k; ++i) {
    steps[i] = first + i * b;
  }
  return steps;
}

/// The entries of a column from its diagonal on.
std::vector<double> column(const models::StrategyMatrix& strategy, std::size_t u) {
  std::vector<double> entries(std::min(strategy.bandwidth(), strategy.steps() - u));
  for (std::size_t lag = 0; lag < entries.size(); ++lag) {
    entries[lag] = strategy(u + lag, u);
  }
  return entries;
}

/// Sums over a set of Gram entries: signed, and of absolute values.
struct GramSums {
  double plain = 0.0, absolute = 0.0, rounding = 0.0;
};

/// Any matrix: columns and their inner products.
class Columns {
 public:
  explicit Columns(const models::StrategyMatrix& strategy) : bandwidth_(strategy.bandwidth()) {
    columns_.reserve(strategy.steps());
    for (std::size_t u = 0; u < strategy.steps(); ++u) {
      columns_.push_back(column(strategy, u));
    }
  }
  [[nodiscard]] std::size_t steps() const { return columns_.size(); }
  [[nodiscard]] std::size_t bandwidth() const { return bandwidth_; }

  /// G_uv and the same sum of absolute values.
  [[nodiscard]] std::pair<double, double> gram(std::size_t u, std::size_t v) const {
    if (u > v) {
      std::swap(u, v);
    }
    const std::size_t shift = v - u;
    double sum = 0.0, size = 0.0;
    for (std::size_t i = shift; i < columns_[u].size(); ++i) {
      const double product = columns_[u][i] * columns_[v][i - shift];
      sum += product;
      size += std::abs(product);
    }
    return {sum, size};
  }
  [[nodiscard]] GramSums over(const std::vector<std::size_t>& set) const {
    GramSums sums;
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = i; j < set.size() && set[j] - set[i] < bandwidth_; ++j) {
        const auto [value, size] = gram(set[i], set[j]);
        const double times = i == j ? 1.0 : 2.0;
        sums.plain += times * value;
        sums.absolute += times * std::abs(value);
        sums.rounding += times * size;
      }
    }
    sums.rounding *= unit * (as_double(bandwidth_) + as_double(set.size() * set.size()) + 8.0);
    return sums;
  }

 private:
  std::vector<std::vector<double>> columns_;
  std::size_t bandwidth_;
};

double rounded_root(double square, double rounding, bool up) {
  const double moved = up ? next_up(square + rounding) : std::max(0.0, next_down(square - rounding));
  return up ? next_up(std::sqrt(moved)) : std::max(0.0, next_down(std::sqrt(moved)));
}

PatternSensitivity cyclic_sensitivity(const Columns& columns, std::size_t b, std::size_t k) {
  PatternSensitivity best;
  double lower = -1.0;
  for (std::size_t first = 0; first < std::min(b, columns.steps()); ++first) {
    const auto set = strided_steps(first, b, std::min(k, (columns.steps() - 1 - first) / b + 1));
    const GramSums sums = columns.over(set);
    best.value.upper = std::max(best.value.upper, rounded_root(sums.absolute, sums.rounding, true));
    if (sums.plain > lower) {
      lower = sums.plain;
      best.steps = set;
      best.value.lower = rounded_root(sums.plain, sums.rounding, false);
    }
  }
  return best;
}

/// Each member of a set meets at most the best set of its row of |G|.
PatternSensitivity separated_sensitivity(const Columns& columns, std::size_t b, std::size_t k) {
  const std::size_t steps = columns.steps();
  const std::size_t others = k > (steps - 1) / b ? steps : k - 1;  // all that fit: no count to keep
  std::vector<double> reach(steps), row(steps);
  double rounding = 0.0, lower = 0.0;
  std::vector<std::size_t> set;
  constexpr std::size_t most_tried = 64;
  for (std::size_t u = 0; u < steps; ++u) {
    if (columns.bandwidth() <= b) {
      reach[u] = columns.gram(u, u).first;
      continue;
    }
    std::fill(row.begin(), row.end(), 0.0);
    double size = 0.0;
    // The member itself is taken: the others are at least b away.
    for (std::size_t v = u >= columns.bandwidth() ? u - columns.bandwidth() + 1 : 0;
         v < std::min(steps, u + columns.bandwidth()); ++v) {
      if (v != u && std::max(u, v) - std::min(u, v) < b) {
        continue;
      }
      const auto [value, absolute] = columns.gram(u, v);
      row[v] = std::abs(value);
      size += absolute;
    }
    const double own = std::exchange(row[u], 0.0);
    auto met = best_places(row, b, others);
    reach[u] = own + met.sum;
    rounding = std::max(rounding, size);
    if (met.places.size() <= most_tried) {  // a set that is allowed, for the lower end
      met.places.insert(std::lower_bound(met.places.begin(), met.places.end(), u), u);
      const GramSums sums = columns.over(met.places);
      if (const double root = rounded_root(sums.plain, sums.rounding, false); root > lower) {
        lower = root;
        set = std::move(met.places);
      }
    }
  }
  const auto best = best_places(reach, b, k);
  const double relative = unit * (2.0 * as_double(steps) + as_double(columns.bandwidth()) + 16.0);
  const double error = relative * (best.sum + as_double(best.places.size()) * rounding);
  const GramSums sums = columns.over(best.places);
  if (const double root = rounded_root(sums.plain, sums.rounding, false); root >= lower) {
    lower = root;
    set = best.places;
  }
  return {{lower, rounded_root(best.sum, error, true)}, false, std::move(set)};
}

PatternSensitivity sensitivity_of(const models::StrategyMatrix& strategy, ParticipationPattern pattern) {
  const std::size_t steps = strategy.steps();
  const std::size_t b = pattern.separation, k = pattern.participations(steps);
  const bool toeplitz = strategy.form() != models::StrategyMatrix::Form::lower_triangular;
  if (strategy.monotone_toeplitz() || (toeplitz && k == 1)) {
    auto c = strategy.coefficients();
    for (double& entry : c) {
      entry = std::abs(entry);
    }
    return {strided_norm(c, steps, 0, k == 1 ? steps : b, k), false, strided_steps(0, b, k)};
  }
  if (k == 1) {
    const auto norms = strategy.column_norms();
    const bool first_turn = pattern.rule == ParticipationRule::cyclic && b < steps;
    const auto end = first_turn ? norms.begin() + static_cast<std::ptrdiff_t>(b) : norms.end();
    const auto largest = std::max_element(norms.begin(), end);
    const double error = (as_double(strategy.bandwidth()) + 4.0) * unit;
    return {outward(exactly(*largest), error), false, {static_cast<std::size_t>(largest - norms.begin())}};
  }
  if (toeplitz && steps > most_dense_steps) {
    auto c = strategy.coefficients();
    PatternSensitivity result{{0.0, 0.0}, false, strided_steps(0, b, k)};
    if (strategy.nonnegative()) {
      result.value.lower = strided_norm(c, steps, 0, b, k).lower;
    } else {
      result.steps = {0};
      result.value.lower = strategy.column_norms().front() * (1.0 - unit * (as_double(c.size()) + 4.0));
    }
    double largest = 0.0;
    for (std::size_t j = c.size(); j-- > 0;) {
      largest = std::max(largest, std::abs(c[j]));
      c[j] = largest;
    }
    result.value.upper = strided_norm(c, steps, 0, b, k).upper;
    return result;
  }
  require_domain(steps <= most_dense_steps || strategy.bandwidth() <= b, "steps", as_double(steps),
                 "[1, 4096] for a band wider than the separation");
  const Columns columns(strategy);
  return pattern.rule == ParticipationRule::cyclic ? cyclic_sensitivity(columns, b, k)
                                                   : separated_sensitivity(columns, b, k);
}

}  // namespace

std::string_view name(ParticipationRule rule) {
  return std::find_if(rule_names.begin(), rule_names.end(), [&](const auto& entry) { return entry.first == rule; })
      ->second;
}

ParticipationRule participation_rule_of(std::string_view text) {
  for (const auto& [rule, known] : rule_names) {
    if (known == text) {
      return rule;
    }
  }
  throw DomainError("participation: \"" + std::string(text) + "\" is not single, cyclic or min-separation");
}

std::size_t ParticipationPattern::participations(std::size_t steps) const {
  require_domain(separation >= 1, "separation", as_double(separation), "[1, inf)");
  require_domain(most >= 1, "most", as_double(most), "[1, inf)");
  return rule == ParticipationRule::single ? 1 : std::min(most, (steps - 1) / separation + 1);
}

PatternSensitivity pattern_sensitivity(const models::StrategyMatrix& strategy, const ParticipationPattern& pattern,
                                       double entry_error) {
  require_domain(entry_error >= 0.0 && entry_error < 0.1, "entry_error", entry_error, "[0, 0.1)");
  PatternSensitivity result = sensitivity_of(strategy, pattern);
  if (entry_error > 0.0) {
    result.value = outward(result.value, entry_error * (1.0 + 1e-9) + 4.0 * unit);
  }
  constexpr double rounding = 1e-9;
  result.exact = result.value.upper <= result.value.lower * (1.0 + rounding + 3.0 * entry_error);
  return result;
}

BestPlaces best_places(const std::vector<double>& values, std::size_t separation, std::size_t most) {
  require_domain(separation >= 1, "separation", as_double(separation), "[1, inf)");
  require_domain(most >= 1, "most", as_double(most), "[1, inf)");
  const std::size_t n = values.size();
  const std::size_t fit = n == 0 ? 0 : (n - 1) / separation + 1;
  const bool free = most >= fit;
  const std::size_t layers = free ? 1 : most;
  // best[l][i]: of the places from i on, with at most l + 1 of them (any number where `free`).
  std::vector<std::vector<double>> best(layers, std::vector<double>(n + 1, 0.0));
  const auto with = [&](std::size_t layer, std::size_t i) {
    const std::size_t next = std::min(n, i + separation);
    return values[i] + (free ? best[0][next] : layer > 0 ? best[layer - 1][next] : 0.0);
  };
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t i = n; i-- > 0;) {
      best[layer][i] = std::max(best[layer][i + 1], with(layer, i));
    }
  }
  BestPlaces result;
  std::size_t layer = layers - 1;
  for (std::size_t i = 0; n > 0 && i < n;) {
    if (best[layer][i] > best[layer][i + 1] && best[layer][i] == with(layer, i)) {
      result.places.push_back(i);
      result.sum += values[i];
      if (!free && layer-- == 0) {
        break;
      }
      i += separation;
    } else {
      ++i;
    }
  }
  result.sum = n == 0 ? 0.0 : best[layers - 1][0];
  return result;
}

}  // namespace dpcurves::correlated
