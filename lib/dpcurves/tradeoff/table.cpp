// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/convex.hpp>
#include <dpcurves/tradeoff/table.hpp>

namespace dpcurves::tradeoff {
namespace {

double chord(const ErrorPair& a, const ErrorPair& b, double type_one_error) {
  const double share = (type_one_error - a.type_one_error) / (b.type_one_error - a.type_one_error);
  return a.type_two_error + share * (b.type_two_error - a.type_two_error);
}

// One outcome of a pair of discrete laws.
struct Outcome {
  double null = 0.0;         // probability under P: the run of the piece
  double alternative = 0.0;  // probability under Q: its drop
};

std::vector<Outcome> outcomes(const Table& table) {
  std::vector<Outcome> list;
  if (table.front().type_two_error < 1.0) {
    list.push_back({0.0, 1.0 - table.front().type_two_error});  // impossible under P
  }
  for (std::size_t i = 1; i < table.size(); ++i) {
    list.push_back(
        {table[i].type_one_error - table[i - 1].type_one_error, table[i - 1].type_two_error - table[i].type_two_error});
  }
  return list;
}

}  // namespace

bool is_tradeoff(std::span<const ErrorPair> samples, double tolerance) {
  require_domain(tolerance >= 0.0, "tolerance", tolerance, "[0, inf]");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto [a, b] = samples[i];
    if (!(a >= 0.0 && a <= 1.0 && b >= 0.0 && b <= 1.0 - a + tolerance)) {
      return false;
    }
    if (i > 0 && !(a > samples[i - 1].type_one_error && b <= samples[i - 1].type_two_error + tolerance)) {
      return false;
    }
    if (i > 1) {
      const ErrorPair& middle = samples[i - 1];
      if (!(middle.type_two_error <= chord(samples[i - 2], samples[i], middle.type_one_error) + tolerance)) {
        return false;
      }
    }
  }
  return true;
}

Table convex_minorant(std::vector<ErrorPair> samples) {
  for (const auto& [a, b] : samples) {
    require_domain(a >= 0.0 && a <= 1.0, "type_one_error", a, "[0, 1]");
    require_domain(b >= 0.0 && b <= 1.0, "type_two_error", b, "[0, 1]");
  }
  samples.push_back({0.0, 1.0});
  samples.push_back({1.0, 0.0});
  std::sort(samples.begin(), samples.end(),
            [](const ErrorPair& p, const ErrorPair& q) { return p.type_one_error < q.type_one_error; });
  std::vector<double> x, y;
  for (const auto& [a, b] : samples) {
    x.push_back(a);
    y.push_back(b);
  }
  Table table;
  for (const std::size_t i : numerics::lower_convex_hull(x, y)) {
    table.push_back(samples[i]);
  }
  return table;
}

double interpolate(const Table& table, double type_one_error) {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  const auto right = std::lower_bound(table.begin(), table.end(), type_one_error,
                                      [](const ErrorPair& p, double a) { return p.type_one_error < a; });
  if (right == table.end() || right->type_one_error == type_one_error) {
    return right == table.end() ? 0.0 : right->type_two_error;
  }
  return std::clamp(chord(*(right - 1), *right, type_one_error), right->type_two_error, (right - 1)->type_two_error);
}

Table tangent_table(std::span<const ErrorPair> samples) {
  const std::size_t n = samples.size();
  require_domain(n >= 3, "samples.size()", static_cast<double>(n), "[3, inf)");
  require_domain(samples.front().type_one_error == 0.0, "first type_one_error", samples.front().type_one_error, "{0}");
  require_domain(samples.back().type_one_error == 1.0, "last type_one_error", samples.back().type_one_error, "{1}");
  require_domain(is_tradeoff(samples, 1e-11), "samples.size()", static_cast<double>(n), "{samples of a trade-off}");
  const auto slope = [&](std::size_t i) {
    return (samples[i + 1].type_two_error - samples[i].type_two_error) /
           (samples[i + 1].type_one_error - samples[i].type_one_error);
  };
  const auto lowered = [](double value) {
    return std::max(0.0, value) * (1.0 - 4e-12 * (1.0 - std::clamp(value, 0.0, 1.0)) - 2e-15);
  };
  std::vector<ErrorPair> vertices;
  const ErrorPair& second = samples[1];
  vertices.push_back({0.0, lowered(std::min(1.0, second.type_two_error - slope(1) * second.type_one_error))});
  for (std::size_t i = 1; i + 1 < n; ++i) {
    // Cell [i, i + 1]: the chord before it, from its left end, and the chord after it (0 after the last), from its
    // right.
    const ErrorPair &left = samples[i], &right = samples[i + 1];
    const double before = slope(i - 1), after = i + 2 < n ? slope(i + 1) : 0.0;
    const double width = right.type_one_error - left.type_one_error;
    const double gap =
        right.type_two_error - after * width - left.type_two_error;  // after minus before at the left end
    double run = gap < 0.0 && after > before ? std::min(width, -gap / (after - before)) : 0.0;
    if (!(run >= 0.0)) {
      run = 0.0;
    }
    const double value = std::min(left.type_two_error + before * run, left.type_two_error);
    vertices.push_back({left.type_one_error + run, lowered(value)});
  }
  return convex_minorant(std::move(vertices));
}

Table tensor(const Table& f, const Table& g) {
  const std::vector<Outcome> first = outcomes(f), second = outcomes(g);
  const double size = static_cast<double>(first.size()) * static_cast<double>(second.size());
  require_domain(size <= 4e6, "pieces", size, "[1, 4e6]");
  std::vector<Outcome> products;
  products.reserve(first.size() * second.size());
  for (const Outcome& a : first) {
    for (const Outcome& b : second) {
      const Outcome both{a.null * b.null, a.alternative * b.alternative};
      if (both.null > 0.0 || both.alternative > 0.0) {
        products.push_back(both);
      }
    }
  }
  const auto ratio = [](const Outcome& o) {
    return o.null > 0.0 ? o.alternative / o.null : std::numeric_limits<double>::infinity();
  };
  std::sort(products.begin(), products.end(), [&](const Outcome& a, const Outcome& b) { return ratio(a) > ratio(b); });
  // Type I errors are summed from the left and type II errors from the right: both without cancellation.
  std::vector<ErrorPair> vertices(products.size() + 1);
  long double total = 0.0L;
  for (std::size_t i = 0; i < products.size(); ++i) {
    total += static_cast<long double>(products[i].null);
    vertices[i + 1].type_one_error = std::min(1.0, static_cast<double>(total));
  }
  total = 0.0L;
  for (std::size_t i = products.size(); i > 0; --i) {
    total += static_cast<long double>(products[i - 1].alternative);
    vertices[i - 1].type_two_error = std::min(1.0, static_cast<double>(total));
  }
  return convex_minorant(std::move(vertices));
}

}  // namespace dpcurves::tradeoff
