// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/accounting/function_curve.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting {
namespace {

constexpr double rounding = 1e-15;  // of a tangent at most 1: its ends and a product, each within 3e-16

/// The line intercept - slope a.
struct Tangent {
  double intercept;
  double slope;

  [[nodiscard]] double at(double a) const { return intercept - slope * a; }
  /// Where it meets another one.
  [[nodiscard]] double meets(const Tangent& other) const {
    return (intercept - other.intercept) / (slope - other.slope);
  }
};

/// The lines that are the largest somewhere, the steepest first.
std::vector<Tangent> upper_envelope(const std::vector<Tangent>& lines) {
  std::vector<Tangent> kept;
  for (const Tangent& line : lines) {  // steepest first
    while (!kept.empty()) {
      const bool lower_everywhere = line.intercept >= kept.back().intercept;
      const bool hidden = kept.size() > 1 && kept.back().meets(line) <= kept[kept.size() - 2].meets(kept.back());
      if (!lower_everywhere && !hidden) {
        break;
      }
      kept.pop_back();
    }
    kept.push_back(line);
  }
  return kept;
}

class FunctionCurve final : public PrivacyCurve {
 public:
  explicit FunctionCurve(tradeoff::TradeoffFunction f) : f_(std::move(f)) {}

  Answer delta(double epsilon) const override { return {f_.delta(epsilon), method}; }

  Answer epsilon(double delta) const override {
    require_domain(delta > 0.0 && delta < 1.0, "delta", delta, "(0, 1)");
    return {{least(delta, [&](double e) { return f_.delta(e).lower; }).lower,
             least(delta, [&](double e) { return f_.delta(e).upper; }).upper},
            method};
  }

  std::vector<Enclosure> type_two_errors(std::span<const double> type_one_errors) const override {
    std::vector<Enclosure> values;
    for (const double a : type_one_errors) {
      const double value = f_(a);
      values.push_back(clamp({value - rounding, value + rounding}, 0.0, 1.0));
    }
    return values;
  }

  Enclosure renyi(double order) const override {
    require_domain(order > 1.0, "order", order, "(1, inf]");
    return {0.0, infinity};
  }
  Methods methods() const override { return {"the trade-off function itself", "", ""}; }

 private:
  static constexpr const char* method = "profile of a trade-off function";

  /// The last two epsilons between which a falling profile reaches delta; infinite ends where it does not.
  template <class Profile>
  static Enclosure least(double delta, const Profile& profile) {
    constexpr double largest = 700.0;  // exp of it is finite
    if (profile(0.0) <= delta) {
      return exactly(0.0);
    }
    if (profile(largest) > delta) {
      return {largest, infinity};
    }
    double low = 0.0, high = largest;
    for (double middle = 0.5 * high; low < middle && middle < high; middle = 0.5 * (low + high)) {
      (profile(middle) <= delta ? high : low) = middle;
    }
    return {low, high};
  }

  tradeoff::TradeoffFunction f_;
};

}  // namespace

tradeoff::TradeoffFunction tradeoff_function(const PrivacyCurve& curve, int points) {
  require_domain(points >= 2 && points <= 2000, "points", points, "[2, 2000]");
  constexpr double smallest_delta = 1e-12, far = 600.0;  // beyond it exp overflows
  constexpr double crowding =
      3.0;  // delta is curved where it is large: tangents lie ten times denser at 0 than far out
  const double reach = std::min(far, curve.epsilon(smallest_delta).value.upper);
  std::vector<double> epsilons(static_cast<std::size_t>(points));
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const double place = 1.0 - 2.0 * static_cast<double>(i) / (points - 1);
    epsilons[i] = reach * std::sinh(crowding * place) / std::sinh(crowding);
  }
  std::vector<Tangent> lines;
  const auto deltas = curve.deltas(epsilons);
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    lines.push_back({1.0 - deltas[i].upper - rounding, next_up(next_up(std::exp(epsilons[i])))});
  }
  lines.push_back({0.0, 0.0});  // a type II error is not negative
  const auto kept = upper_envelope(lines);
  tradeoff::Table table;
  double reached = 0.0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    table.push_back({reached, std::clamp(kept[i].at(reached), 0.0, 1.0 - reached)});
    if (i + 1 < kept.size()) {
      reached = std::clamp(kept[i].meets(kept[i + 1]), reached, 1.0);
    }
  }
  table.push_back({1.0, 0.0});
  return tradeoff::tabulated_function(tradeoff::convex_minorant(std::move(table)));
}

CurvePtr function_curve(const tradeoff::TradeoffFunction& f) {
  if (const auto mu = f.gaussian_mu()) {
    return gaussian_curve(exactly(*mu));
  }
  return std::make_shared<FunctionCurve>(f);
}

}  // namespace dpcurves::accounting
