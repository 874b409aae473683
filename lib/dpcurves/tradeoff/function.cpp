// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/rigorous/refine.hpp>
#include <dpcurves/tradeoff/function.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>
#include <dpcurves/tradeoff/profile.hpp>
#include <dpcurves/tradeoff/subsampled_gaussian.hpp>

namespace dpcurves::tradeoff {

/// What a kind of trade-off function has to know.
class TradeoffFunction::Shape {
 public:
  Shape() = default;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape() = default;

  [[nodiscard]] virtual double value(double type_one_error) const = 0;
  [[nodiscard]] virtual double power(double type_one_error) const { return 1.0 - value(type_one_error); }
  [[nodiscard]] virtual Enclosure delta(double epsilon) const = 0;
  /// Null where the function is its own inverse.
  [[nodiscard]] virtual std::shared_ptr<const Shape> inverse() const { return nullptr; }
  [[nodiscard]] virtual bool symmetric() const { return true; }
  [[nodiscard]] virtual std::optional<double> gaussian_mu() const { return std::nullopt; }
  [[nodiscard]] virtual const Table& table() const {
    static const Table none;
    return none;
  }
};

namespace {

using Shape = TradeoffFunction::Shape;

Enclosure probability(const Enclosure& interval) { return clamp(interval, 0.0, 1.0); }

class GaussianShape : public Shape {
 public:
  explicit GaussianShape(double mu) : mu_(mu) {}
  [[nodiscard]] double value(double a) const override { return gaussian(a, mu_); }
  [[nodiscard]] double power(double a) const override { return gaussian_power(a, mu_); }
  [[nodiscard]] Enclosure delta(double epsilon) const override { return delta_enclosure(epsilon, exactly(mu_)); }
  [[nodiscard]] std::optional<double> gaussian_mu() const override { return mu_; }

 private:
  double mu_;
};

class SubsampledShape : public Shape {
 public:
  SubsampledShape(double p, double mu) : p_(p), mu_(mu) {}
  [[nodiscard]] double value(double a) const override { return subsampled_gaussian(a, p_, mu_); }
  [[nodiscard]] double power(double a) const override { return subsampled_gaussian_power(a, p_, mu_); }
  [[nodiscard]] Enclosure delta(double epsilon) const override {
    return subsampled_gaussian_delta_enclosure(epsilon, p_, mu_);
  }

 private:
  double p_, mu_;
};

Table mirrored(const Table& table) {
  Table result;
  for (const auto& [a, b] : table) {
    result.push_back({b, a});
  }
  return convex_minorant(std::move(result));
}

class TableShape : public Shape {
 public:
  explicit TableShape(Table table) : table_(std::move(table)), symmetric_(mirrored(table_) == table_) {}
  [[nodiscard]] double value(double a) const override { return interpolate(table_, a); }
  [[nodiscard]] Enclosure delta(double epsilon) const override {
    // Each vertex with every operation rounded down for one end, up for the other.
    const Enclosure slope = exp(rigorous::Real(epsilon)).enclosure();
    const auto cost = [](double a, double s) { return a == 0.0 ? 0.0 : a * s; };
    Enclosure best{0.0, 0.0};
    for (const auto& [a, b] : table_) {
      best.lower = std::max(best.lower, next_down(next_down(1.0 - b) - next_up(cost(a, slope.upper))));
      best.upper = std::max(best.upper, next_up(next_up(1.0 - b) - next_down(cost(a, slope.lower))));
    }
    return probability(best);
  }
  [[nodiscard]] std::shared_ptr<const Shape> inverse() const override {
    return symmetric_ ? nullptr : std::make_shared<TableShape>(mirrored(table_));
  }
  [[nodiscard]] bool symmetric() const override { return symmetric_; }
  [[nodiscard]] const Table& table() const override { return table_; }

 private:
  Table table_;
  bool symmetric_;
};

// inf{u : f(u) <= a} for a function without a closed inverse; the lower end of the last bracket, the safe one.
double lower_inverse(const TradeoffFunction& f, double a) {
  constexpr double smallest = 1e-300;
  double below = smallest, above = 1.0;
  if (f(smallest) <= a) {
    return 0.0;
  }
  while (next_up(below) < above) {
    const double middle = above > 4.0 * below ? std::sqrt(below) * std::sqrt(above) : 0.5 * (below + above);
    (f(middle) <= a ? above : below) = middle;
  }
  return below;
}

class InverseShape : public Shape {
 public:
  InverseShape(TradeoffFunction f, std::shared_ptr<const Shape> original)
      : f_(std::move(f)), original_(std::move(original)) {}
  [[nodiscard]] double value(double a) const override { return a == 1.0 ? 0.0 : lower_inverse(f_, a); }
  [[nodiscard]] Enclosure delta(double epsilon) const override { return mirrored_delta(f_.delta(-epsilon), epsilon); }
  [[nodiscard]] std::shared_ptr<const Shape> inverse() const override { return original_; }
  [[nodiscard]] bool symmetric() const override { return false; }

 private:
  TradeoffFunction f_;
  std::shared_ptr<const Shape> original_;
};

class MixedShape : public Shape, public std::enable_shared_from_this<MixedShape> {
 public:
  MixedShape(TradeoffFunction f, double p) : f_(std::move(f)), p_(p) {}
  [[nodiscard]] double value(double a) const override { return p_ * f_(a) + (1.0 - p_) * (1.0 - a); }
  [[nodiscard]] double power(double a) const override { return p_ * f_.power(a) + (1.0 - p_) * a; }
  [[nodiscard]] Enclosure delta(double epsilon) const override {
    using rigorous::Real;
    const Real p(p_), e(epsilon), least = -log1p(-p);  // of the privacy loss, with the sign turned
    if (-least >= e) {
      return probability(rigorous::refined([&] { return -expm1(e); }).enclosure());
    }
    const auto shifted = [&] {
      return e > Real(1) ? e + log1p((p - Real(1)) * exp(-e)) - log(p) : log1p(expm1(e) / p);
    };
    const Enclosure inner = rigorous::refined(shifted).enclosure();
    const double below = std::isfinite(inner.lower) ? f_.delta(inner.lower).upper : 1.0;
    const double above = std::isfinite(inner.upper) ? f_.delta(inner.upper).lower : 0.0;
    return probability(scale({above, below}, p_));
  }
  [[nodiscard]] std::shared_ptr<const Shape> inverse() const override {
    return std::make_shared<InverseShape>(TradeoffFunction(shared_from_this()), shared_from_this());
  }
  [[nodiscard]] bool symmetric() const override { return false; }

 private:
  TradeoffFunction f_;
  double p_;
};

class FailingShape : public Shape {
 public:
  FailingShape(TradeoffFunction f, double delta) : f_(std::move(f)), delta_(delta) {}
  [[nodiscard]] double value(double a) const override {
    return a < 1.0 - delta_ ? (1.0 - delta_) * f_(std::min(1.0, a / (1.0 - delta_))) : 0.0;
  }
  [[nodiscard]] double power(double a) const override {
    return a < 1.0 - delta_ ? delta_ + (1.0 - delta_) * f_.power(std::min(1.0, a / (1.0 - delta_))) : 1.0;
  }
  [[nodiscard]] Enclosure delta(double epsilon) const override {
    const Enclosure inner = f_.delta(epsilon);
    const double rest = 1.0 - delta_;  // within one double of the exact one
    const Enclosure kept{scale(inner, std::max(0.0, next_down(rest))).lower, scale(inner, next_up(rest)).upper};
    return probability(exactly(delta_) + kept);
  }
  // h_delta is symmetric, so the inverse composes the inverse.
  [[nodiscard]] std::shared_ptr<const Shape> inverse() const override {
    return f_.symmetric() ? nullptr : std::make_shared<FailingShape>(f_.inverse(), delta_);
  }
  [[nodiscard]] bool symmetric() const override { return f_.symmetric(); }

 private:
  TradeoffFunction f_;
  double delta_;
};

class MaximumShape : public Shape {
 public:
  explicit MaximumShape(std::vector<TradeoffFunction> functions) : functions_(std::move(functions)) {}
  [[nodiscard]] double value(double a) const override {
    double largest = 0.0;
    for (const TradeoffFunction& f : functions_) {
      largest = std::max(largest, f(a));
    }
    return largest;
  }
  [[nodiscard]] double power(double a) const override {
    double smallest = 1.0;
    for (const TradeoffFunction& f : functions_) {
      smallest = std::min(smallest, f.power(a));
    }
    return smallest;
  }
  [[nodiscard]] Enclosure delta(double epsilon) const override {
    Enclosure found = delta_of_power([this](double a) { return power(a); }, epsilon);
    for (const TradeoffFunction& f : functions_) {
      found.upper = std::min(found.upper, f.delta(epsilon).upper);
    }
    return {std::min(found.lower, found.upper), found.upper};
  }
  [[nodiscard]] std::shared_ptr<const Shape> inverse() const override {
    if (symmetric()) {
      return nullptr;
    }
    std::vector<TradeoffFunction> inverses = mapped(functions_, [&](const TradeoffFunction& f) { return f.inverse(); });
    return std::make_shared<MaximumShape>(std::move(inverses));
  }
  [[nodiscard]] bool symmetric() const override {
    return std::all_of(functions_.begin(), functions_.end(), [](const auto& f) { return f.symmetric(); });
  }

 private:
  std::vector<TradeoffFunction> functions_;
};

TradeoffFunction from_table(Table table) { return TradeoffFunction(std::make_shared<TableShape>(std::move(table))); }

void check_rate(double p) { require_domain(p >= 0.0 && p <= 1.0, "sampling_rate", p, "[0, 1]"); }

}  // namespace

TradeoffFunction::TradeoffFunction(std::shared_ptr<const Shape> shape) : shape_(std::move(shape)) {}

double TradeoffFunction::operator()(double type_one_error) const {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  return shape_->value(type_one_error);
}

double TradeoffFunction::power(double type_one_error) const {
  require_domain(type_one_error >= 0.0 && type_one_error <= 1.0, "type_one_error", type_one_error, "[0, 1]");
  return shape_->power(type_one_error);
}

Enclosure TradeoffFunction::delta(double epsilon) const {
  require_domain(!std::isnan(epsilon), "epsilon", epsilon, "[-inf, inf]");
  if (std::isinf(epsilon)) {
    return exactly(epsilon > 0.0 ? power(0.0) : 1.0);
  }
  return shape_->delta(epsilon);
}

TradeoffFunction TradeoffFunction::inverse() const {
  const auto inverted = shape_->inverse();
  return inverted ? TradeoffFunction(inverted) : *this;
}

bool TradeoffFunction::symmetric() const { return shape_->symmetric(); }
std::optional<double> TradeoffFunction::gaussian_mu() const { return shape_->gaussian_mu(); }
const Table& TradeoffFunction::table() const { return shape_->table(); }

TradeoffFunction gaussian_function(double mu) {
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  return mu == 0.0 ? identity_function() : TradeoffFunction(std::make_shared<GaussianShape>(mu));
}

TradeoffFunction identity_function() { return from_table({{0.0, 1.0}, {1.0, 0.0}}); }

TradeoffFunction approximate_dp_function(double epsilon, double delta) {
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
  const double fixed_point = (1.0 - delta) * std::exp(-epsilon) / (1.0 + std::exp(-epsilon));
  Table vertices{{0.0, 1.0 - delta}, {fixed_point, fixed_point}, {1.0 - delta, 0.0}};
  return from_table(convex_minorant(std::move(vertices)));
}

TradeoffFunction subsampled_gaussian_function(double sampling_rate, double mu) {
  check_rate(sampling_rate);
  require_domain(mu >= 0.0 && std::isfinite(mu), "mu", mu, "[0, inf)");
  if (sampling_rate == 0.0 || mu == 0.0) {
    return identity_function();
  }
  return sampling_rate == 1.0 ? gaussian_function(mu)
                              : TradeoffFunction(std::make_shared<SubsampledShape>(sampling_rate, mu));
}

TradeoffFunction tabulated_function(Table vertices, double tolerance) {
  const double size = static_cast<double>(vertices.size());
  require_domain(is_tradeoff(vertices, tolerance), "vertices.size()", size, "{vertices of a trade-off function}");
  require_domain(size >= 2.0 && vertices.front().type_one_error == 0.0 && vertices.back() == ErrorPair{1.0, 0.0},
                 "vertices.size()", size, "{vertices from type I error 0 to (1, 0)}");
  return from_table(std::move(vertices));
}

std::vector<double> default_grid(int points) {
  require_domain(points >= 1, "points", points, "[1, inf)");
  std::vector<double> grid{0.0};
  const double highest = 37.0, lowest = -8.1;
  for (int i = 0; i < points; ++i) {
    const double a = numerics::normal_upper_tail(highest + (lowest - highest) * (i + 0.5) / points);
    if (a > grid.back()) {
      grid.push_back(a);
    }
  }
  if (grid.back() < 1.0) {
    grid.push_back(1.0);
  }
  return grid;
}

TradeoffFunction tabulated(const TradeoffFunction& f, std::span<const double> grid, Side side) {
  if (!f.table().empty()) {
    return f;
  }
  require_domain(grid.size() >= 3, "grid.size()", static_cast<double>(grid.size()), "[3, inf)");
  Table samples;
  for (const double a : grid) {
    samples.push_back({a, f(a)});
  }
  if (side == Side::below) {
    return from_table(tangent_table(samples));
  }
  require_domain(samples.front().type_one_error == 0.0 && samples.back().type_one_error == 1.0, "grid", grid.front(),
                 "{0 first, 1 last}");
  return from_table(convex_minorant(std::move(samples)));
}

TradeoffFunction maximum(std::vector<TradeoffFunction> functions) {
  require_domain(!functions.empty(), "functions.size()", 0.0, "[1, inf)");
  if (functions.size() == 1) {
    return functions.front();
  }
  return TradeoffFunction(std::make_shared<MaximumShape>(std::move(functions)));
}

TradeoffFunction symmetrised(const TradeoffFunction& f) {
  if (f.symmetric()) {
    return f;
  }
  require_domain(!f.table().empty(), "table().size()", 0.0, "[2, inf): tabulate the function first");
  Table both = f.table();
  for (const auto& [a, b] : f.table()) {
    both.push_back({b, a});
  }
  return from_table(convex_minorant(std::move(both)));
}

TradeoffFunction mixed_with_identity(const TradeoffFunction& f, double sampling_rate) {
  check_rate(sampling_rate);
  if (sampling_rate == 0.0 || sampling_rate == 1.0) {
    return sampling_rate == 0.0 ? identity_function() : f;
  }
  if (f.table().empty()) {
    return TradeoffFunction(std::make_shared<MixedShape>(f, sampling_rate));
  }
  Table mixed = f.table();
  for (auto& [a, b] : mixed) {
    b = sampling_rate * b + (1.0 - sampling_rate) * (1.0 - a);
  }
  return from_table(std::move(mixed));
}

TradeoffFunction subsampled(const TradeoffFunction& f, double sampling_rate) {
  check_rate(sampling_rate);
  if (const auto mu = f.gaussian_mu()) {
    return subsampled_gaussian_function(sampling_rate, *mu);
  }
  require_domain(!f.table().empty(), "table().size()", 0.0, "[2, inf): tabulate the function first");
  return symmetrised(mixed_with_identity(f, sampling_rate));
}

TradeoffFunction with_failure(const TradeoffFunction& f, double delta) {
  require_domain(delta >= 0.0 && delta <= 1.0, "delta", delta, "[0, 1]");
  return delta == 0.0 ? f : TradeoffFunction(std::make_shared<FailingShape>(f, delta));
}

TradeoffFunction tensor(const TradeoffFunction& f, const TradeoffFunction& g) {
  const auto is_identity = [](const TradeoffFunction& h) { return h.table() == identity_function().table(); };
  if (is_identity(f) || is_identity(g)) {
    return is_identity(f) ? g : f;
  }
  if (f.gaussian_mu() && g.gaussian_mu()) {
    return gaussian_function(std::hypot(*f.gaussian_mu(), *g.gaussian_mu()));
  }
  require_domain(!f.table().empty() && !g.table().empty(), "table().size()", 0.0,
                 "[2, inf): tabulate both functions first");
  return from_table(tensor(f.table(), g.table()));
}

}  // namespace dpcurves::tradeoff
