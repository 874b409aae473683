// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <dpcurves/interpolation/detail/sgd_estimate.hpp>
#include <dpcurves/numerics/minimise.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::interpolation {
namespace {

using Complex = std::complex<double>;

constexpr double least_c = 1e-3;        // order
constexpr double largest_reach = 34.0;  // (c + 1) mu: e^{reach^2 / 2} is a double
constexpr double tail = 9.0;            // standard deviations: e^{-40}

/// e^z - 1 with all its digits near 0.
Complex expm1(Complex z) {
  const double half = std::sin(0.5 * z.imag()), grown = std::expm1(z.real());
  return {grown * std::cos(z.imag()) - 2.0 * half * half, (grown + 1.0) * std::sin(z.imag())};
}

/// log(1 + w) likewise.
Complex log1p(Complex w) {
  return {0.5 * std::log1p(w.real() * (2.0 + w.real()) + w.imag() * w.imag()), std::atan2(w.imag(), 1.0 + w.real())};
}

/// One kind of step: losses above 0 of C_p(G(mu)) with their weights. The law is symmetric, so that
/// M(z) = 1 - integral over x > mu / 2 of phi(x) (e^{-z l(x)} - 1) (e^{(z + 1) l(x)} - 1).
/// It walks up a line of orders, z = c + i k step, where both factors follow from the last by one product.
class Step {
 public:
  /// \param height  the largest imaginary part, about.
  Step(const accounting::SubsampledGaussian& component, double c, double step, double height)
      : count_(component.count) {
    constexpr int points = 16;
    constexpr double widest = 0.75, cycle = 5.0, pole = 1.5;  // poles of e^l are pi / mu away
    const double mu = component.mu, from = 0.5 * mu, to = (c + 1.0) * mu + tail;
    const double width = std::min({widest, pole / mu, cycle / (height * mu)});
    const auto panels = static_cast<int>(std::ceil(std::min((to - from) / width, 1e4)));
    const auto rule = numerics::gauss_legendre(points);
    const double half = 0.5 * (to - from) / panels;
    for (int panel = 0; panel < panels; ++panel) {
      for (int k = 0; k < points; ++k) {
        const auto node = static_cast<std::size_t>(k);
        const double x = from + half * (2.0 * panel + 1.0 + rule.nodes[node]);
        const double loss = std::log1p(component.sampling_rate * std::expm1(mu * (x - 0.5 * mu)));
        const double log_weight = std::log(half * rule.weights[node] / std::sqrt(2.0 * std::numbers::pi)) - 0.5 * x * x;
        const double weight = std::exp(log_weight), up = (c + 1.0) * loss;
        weight_.push_back(weight);
        turn_.push_back(expm1(Complex(0.0, step * loss)));
        down_.emplace_back(std::expm1(-c * loss));
        up_.emplace_back(up < 1.0 ? weight * std::expm1(up) : std::exp(log_weight + up) - weight);
      }
    }
  }

  /// count log M(z), where it stands.
  [[nodiscard]] Complex cumulant() const {
    double re = 0.0, im = 0.0;
    for (std::size_t j = 0; j < up_.size(); ++j) {
      re -= down_[j].real() * up_[j].real() - down_[j].imag() * up_[j].imag();
      im -= down_[j].real() * up_[j].imag() + down_[j].imag() * up_[j].real();
    }
    return count_ * log1p({re, im});
  }

  [[nodiscard]] std::size_t size() const { return up_.size(); }
  void advance() {
    for (std::size_t j = 0; j < up_.size(); ++j) {
      const double t = turn_[j].real(), s = turn_[j].imag(), w = weight_[j];
      up_[j] = {up_[j].real() * (1.0 + t) - up_[j].imag() * s + w * t,
                up_[j].imag() * (1.0 + t) + up_[j].real() * s + w * s};
      down_[j] = {down_[j].real() * (1.0 + t) + down_[j].imag() * s + t,
                  down_[j].imag() * (1.0 + t) - down_[j].real() * s - s};
    }
  }

 private:
  double count_;
  std::vector<double> weight_;
  std::vector<Complex> turn_, down_, up_;  ///< the last with its weight
};

/// The composition at an order that walks up Re z = c.
class Line {
 public:
  Line(const accounting::Composition& composition, double c, double step, double height)
      : square_(composition.gaussian_mu), c_(c), step_(step) {
    square_ *= square_;
    for (const auto& component : composition.components) {
      if (component.count > 0.0 && component.mu > 0.0 && component.sampling_rate > 0.0) {
        steps_.emplace_back(component, c, step, height);
      }
    }
  }

  [[nodiscard]] Complex z() const { return {c_, step_ * at_}; }
  /// log M(z)
  [[nodiscard]] Complex cumulant() const {
    Complex sum = 0.5 * square_ * z() * (z() + 1.0);
    for (const Step& step : steps_) {
      sum += step.cumulant();
    }
    return sum;
  }
  /// What a step of the walk costs, in products.
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const Step& step : steps_) {
      sum += step.size();
    }
    return sum;
  }
  void advance() {
    at_ += 1.0;
    for (Step& step : steps_) {
      step.advance();
    }
  }

 private:
  double square_, c_, step_, at_ = 0.0;
  std::vector<Step> steps_;
};

/// log of z^z / (1 + z)^(1 + z): what Chernoff's bound of delta has before its exponential.
double log_prefactor(double z) { return -z * std::log1p(1.0 / z) - std::log1p(z); }

/// The order at which Chernoff's bound of what is asked for is least, and the bound.
struct Chernoff {
  double c, epsilon, log_delta;
};

Chernoff chernoff(const accounting::Composition& composition, const SgdTarget& target, double largest_order) {
  const auto bound = [&](double log_c) {
    const double c = std::exp(log_c), K = Line(composition, c, 0.0, 1.0).cumulant().real() + log_prefactor(c);
    return target.epsilon ? K - c * *target.epsilon : (K - std::log(*target.delta)) / c;
  };
  const auto best = numerics::minimise(bound, std::log(least_c), std::log(largest_order));
  double c = std::exp(best.at);
  // Where delta is near 1 the saddle point is next to the pole at 0: farther up the rule is shorter.
  constexpr double near_one = -2.0, spare = 3.0, farther = 1.25;
  while (target.epsilon && best.value > near_one && farther * c < largest_order &&
         bound(std::log(farther * c)) < std::max(best.value, 0.0) + spare) {
    c *= farther;
  }
  return target.epsilon ? Chernoff{c, *target.epsilon, std::min(best.value, 0.0)}
                        : Chernoff{c, std::max(best.value, 0.0), std::log(*target.delta)};
}

/// About how high up Re z = c the integrand goes on: as for a normal law of the same variance, with room for rare
/// large losses; never farther than the Gaussian part alone.
double height_at(const accounting::Composition& composition, double c) {
  constexpr double deviations = 8.0, room = 2.0, apart = 0.05;
  const auto K = [&](double order) { return Line(composition, order, 0.0, 1.0).cumulant().real(); };
  const double move = apart * c;
  const double variance = (K(c + move) - 2.0 * K(c) + K(c - move)) / (move * move);
  return std::min(deviations / composition.gaussian_mu, room * deviations / std::sqrt(std::max(variance, 1e-12)));
}

/// Nodes of the trapezoidal rule on a line: orders, and log values over e^{-scale}.
class Nodes {
 public:
  /// Up to where the integrand is negligible.
  Nodes(Line line, double step, double epsilon) : scale_(line.z().real() * epsilon) {
    constexpr double negligible = 1e-13;
    constexpr std::size_t quiet = 6, most_nodes = 4000, most_work = 4'000'000;  // the last in products, some 10 ms
    const std::size_t most = std::min(most_nodes, most_work / (line.size() + 1));
    double largest = 0.0;
    for (std::size_t small = 0; small < quiet && z_.size() < most; line.advance()) {
      const Complex z = line.z(), factor = step / std::numbers::pi / (z * (z + 1.0));
      const Complex value = std::exp(line.cumulant() - scale_) * factor;
      largest = std::max(largest, std::abs(value));
      small = std::abs(value) < negligible * largest ? small + 1 : 0;
      z_.push_back(z);
      value_.push_back(z_.size() == 1 ? 0.5 * value : value);
    }
    complete_ = z_.size() < most && std::isfinite(largest);
  }

  [[nodiscard]] bool complete() const { return complete_; }

  /// What is asked for, by every `stride`-th node. \param epsilon  where Newton's method begins.
  [[nodiscard]] double solve(const SgdTarget& target, double epsilon, std::size_t stride) const {
    if (target.epsilon) {
      return log_delta(*target.epsilon, stride).value;
    }
    constexpr int most = 30;
    constexpr double close = 1e-12;
    const double wanted = std::log(*target.delta);
    for (int i = 0; i < most; ++i) {
      const auto [value, slope] = log_delta(epsilon, stride);
      const double move = (wanted - value) / slope;
      epsilon += move;
      if (!(std::abs(move) > close * std::abs(epsilon))) {
        break;
      }
    }
    return epsilon;
  }

 private:
  struct Value {
    double value, slope;
  };
  [[nodiscard]] Value log_delta(double epsilon, std::size_t stride) const {
    double sum = 0.0, slope = 0.0;
    for (std::size_t k = 0; k < z_.size(); k += stride) {
      const Complex term = value_[k] * std::exp(scale_ - z_[k] * epsilon);
      sum += term.real();
      slope -= (z_[k] * term).real();
    }
    return {std::log(sum * static_cast<double>(stride)), slope / sum};
  }

  double scale_;
  bool complete_ = false;
  std::vector<Complex> z_, value_;
};

}  // namespace

std::optional<double> estimated_value(const accounting::Composition& composition, const SgdTarget& target) {
  constexpr double least_mu = 1e-3, most_steps = 1e9;
  constexpr double digits = 24.0;   // as a power of e, that the rule is laid out for
  constexpr double settled = 1e-8;  // between every second node and all
  constexpr int most_refinements = 2;
  double mu = least_mu;
  for (const auto& component : composition.components) {
    if (component.pair != accounting::Pair::symmetrised || component.count > most_steps) {
      return std::nullopt;
    }
    mu = std::max(mu, component.mu);
  }
  const double largest_order = largest_reach / mu - 1.0;
  if (!(largest_order > 2.0 * least_c)) {
    return std::nullopt;
  }
  const auto [c, epsilon, log_delta] = chernoff(composition, target, largest_order);
  const double height = height_at(composition, c);
  double step = std::numbers::pi * c / (digits - log_delta);
  for (int refinement = 0; refinement <= most_refinements; ++refinement, step *= 0.5) {
    const Nodes nodes(Line(composition, c, step, height), step, epsilon);
    if (!nodes.complete()) {
      break;
    }
    const double fine = nodes.solve(target, epsilon, 1), coarse = nodes.solve(target, epsilon, 2);
    if (!target.epsilon && !(fine > 0.0)) {
      break;
    }
    if (std::abs(fine - coarse) < settled * (target.epsilon ? 1.0 : fine)) {
      return fine;
    }
  }
  return std::nullopt;
}

}  // namespace dpcurves::interpolation
