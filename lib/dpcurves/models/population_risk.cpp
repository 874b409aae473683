// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/population_risk.hpp>
#include <dpcurves/numerics/quadrature.hpp>
#include <dpcurves/numerics/sums.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::models {
namespace {

using std::numbers::pi;

void check_dimension(double dimension) {
  require_domain(dimension >= 3.0 && dimension <= 1e15 && dimension == std::floor(dimension), "dimension", dimension,
                 "the integers in [3, 1e15]");
}

// sin t - t cos t, about t^3/3.
double sine_defect(double t) {
  if (t > 0.5) {
    return std::sin(t) - t * std::cos(t);
  }
  double power = t * t * t, sum = 0.0, factorial = 6.0;  // sum over k of (-1)^(k+1) 2k t^(2k+1)/(2k+1)!
  for (int k = 1; k <= 8; ++k) {
    sum += 2.0 * k * power / factorial;
    power *= -t * t;
    factorial *= (2.0 * k + 2.0) * (2.0 * k + 3.0);
  }
  return sum;
}

double logistic(double u) { return u >= 0.0 ? 1.0 / (1.0 + std::exp(-u)) : std::exp(u) / (1.0 + std::exp(u)); }
double softplus(double u) { return std::fmax(u, 0.0) + std::log1p(std::exp(-std::abs(u))); }

// logistic(v + gap) - logistic(v); v + gap is passed because its rounding does not matter, the gap's would.
double logistic_rise(double u, double v, double gap) {
  return gap >= 0.0 ? -logistic(u) * logistic(-v) * std::expm1(-gap) : logistic(v) * logistic(-u) * std::expm1(gap);
}

// softplus(u) - softplus(v) - logistic(v) gap, u = v + gap: invariant under a change of all signs.
double logistic_bregman(double u, double v, double gap) {
  if (v > 0.0) {
    u = -u;
    v = -v;
    gap = -gap;
  }
  if (std::abs(gap) > 0.5) {
    return softplus(u) - softplus(v) - logistic(v) * gap;
  }
  const numerics::GaussRule rule = numerics::gauss_legendre(7);  // poles 25 radii away
  double sum = 0.0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    const double part = 0.5 * (1.0 + rule.nodes[i]) * gap;
    sum += 0.5 * rule.weights[i] * logistic_rise(v + part, v, part);
  }
  return sum * gap;
}

// Ends of panels on [lo, hi]: at most `widest` wide, shrinking by halves towards each centre down to `finest`.
std::vector<double> panels(double lo, double hi, double widest, double finest, std::vector<double> centres) {
  std::vector<double> ends{lo, hi};
  for (const double centre : centres) {
    if (centre >= lo && centre <= hi) {
      ends.push_back(centre);
    }
    for (double reach = widest; reach > finest; reach *= 0.5) {
      for (const double end : {centre - reach, centre + reach}) {
        if (end > lo && end < hi) {
          ends.push_back(end);
        }
      }
    }
  }
  std::sort(ends.begin(), ends.end());
  std::vector<double> all;
  for (const double end : ends) {
    if (!all.empty()) {
      const double from = all.back(), gap = end - from;
      if (!(gap > 0.0)) {
        continue;
      }
      const int pieces = static_cast<int>(std::ceil(gap / widest * (1.0 - 1e-12)));
      for (int piece = 1; piece < pieces; ++piece) {
        all.push_back(from + gap * piece / pieces);
      }
    }
    all.push_back(end);
  }
  return all;
}

// A coordinate with an even weight that is negligible beyond `reach` and smooth on the scale of `widest`.
struct Coordinate {
  double reach = 11.0;
  double widest = 1.0;
  double power = 0.0;  // weight cos(angle)^power; unused for the Gaussian
  bool sphere = false;

  static Coordinate gaussian() { return {}; }
  static Coordinate angle(double cosine_power) {
    // cos(x)^k <= exp(-k x^2/2)
    const double scale = 1.0 / std::sqrt(std::fmax(cosine_power, 1.0));
    return {std::fmin(0.5 * pi, 11.0 * scale), std::fmin(0.5, scale), cosine_power, true};
  }
  double weight(double at) const {
    if (!sphere) {
      return std::exp(-0.5 * at * at);
    }
    const double sine = std::sin(at);
    return power == 0.0 ? 1.0 : std::exp(0.5 * power * std::log1p(-sine * sine));
  }
};

// Means of two functions of (<w,x>, <w*,x>, their difference), for a law with coordinates (outer, inner):
// <w,x> = a x1, <w*,x> = b (c x1 + s x2). The functions are even: only x1 > 0 is visited. With kinks panels shrink as
// far as they can.
template <class Function>
std::array<double, 2> means(const ParameterPair& pair, const Coordinate& outer, const Coordinate& inner, bool kinks,
                            const Function& function) {
  const double a = pair.norm, b = pair.true_norm, c = pair.cosine;
  const double s = std::sqrt((1.0 - c) * (1.0 + c));
  const double along = (a - b) + b * (1.0 - c);  // of w - w*, without cancellation
  constexpr double smallest = 1e-15;             // a panel below it holds nothing that counts
  const double outer_finest = kinks ? smallest : std::fmax(smallest, std::fmin(1.0, 1.0 / std::fmax(a, b)));
  const numerics::GaussRule rule = numerics::gauss_legendre(20);
  std::vector<double> centres{0.0};
  if (outer.sphere) {
    centres.push_back(std::atan2(s, std::abs(c)));  // beyond it <w*,x> keeps its sign
  }
  const std::vector<double> outer_ends = panels(0.0, outer.reach, outer.widest, outer_finest, centres);
  numerics::CompensatedSum first, second, mass;
  for (std::size_t p = 1; p < outer_ends.size(); ++p) {
    const double outer_half = 0.5 * (outer_ends[p] - outer_ends[p - 1]);
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double at = outer_ends[p - 1] + outer_half * (1.0 + rule.nodes[i]);
      const double outer_weight = outer_half * rule.weights[i] * outer.weight(at);
      const double x1 = outer.sphere ? std::sin(at) : at;
      const double shrink = outer.sphere ? std::cos(at) : 1.0;
      const double u = a * x1;
      // <w*,x> vanishes where x2 = -c x1/s.
      const double slope = b * s * shrink;
      const double zero = s > 0.0 ? -c * x1 / s / shrink : 0.0;
      const double centre = !inner.sphere ? zero : std::asin(std::clamp(zero, -1.0, 1.0));
      const double inner_finest = std::fmax(smallest, slope > 1.0 ? 1.0 / slope : 1.0);
      const std::vector<double> inner_ends =
          panels(-inner.reach, inner.reach, inner.widest, inner_finest, {std::clamp(centre, -30.0, 30.0)});
      double first_here = 0.0, second_here = 0.0, mass_here = 0.0;
      for (std::size_t q = 1; q < inner_ends.size(); ++q) {
        const double inner_half = 0.5 * (inner_ends[q] - inner_ends[q - 1]);
        for (std::size_t j = 0; j < rule.nodes.size(); ++j) {
          const double angle = inner_ends[q - 1] + inner_half * (1.0 + rule.nodes[j]);
          const double weight = inner_half * rule.weights[j] * inner.weight(angle);
          const double x2 = shrink * (inner.sphere ? std::sin(angle) : angle);
          const double v = b * (c * x1 + s * x2);
          const double gap = along * x1 - b * s * x2;
          const std::array<double, 2> here = function(u, v, gap);
          first_here += weight * here[0];
          second_here += weight * here[1];
          mass_here += weight;
        }
      }
      first += outer_weight * first_here;
      second += outer_weight * second_here;
      mass += outer_weight * mass_here;
    }
  }
  return {first.value() / mass.value(), second.value() / mass.value()};
}

// The risk of the sigmoid.
PopulationRisk integrate(const ParameterPair& pair, const Coordinate& outer, const Coordinate& inner) {
  if (squared_distance(pair) == 0.0) {
    return {};
  }
  const auto both = means(pair, outer, inner, false, [](double u, double v, double gap) {
    const double rise = logistic_rise(u, v, gap);
    return std::array{rise * rise, logistic_bregman(u, v, gap)};
  });
  return {both[0], both[1]};
}

LabelledRisk labelled(const Link& link, const Link& truth, const ParameterPair& pair, double noise_variance,
                      const Coordinate& outer, const Coordinate& inner) {
  require(pair);
  require_domain(noise_variance >= 0.0 && std::isfinite(noise_variance), "noise_variance", noise_variance, "[0, inf)");
  for (const Link* one : {&link, &truth}) {
    require_domain(one->slope > 0.0 && std::isfinite(one->slope), "slope", one->slope, "(0, inf)");
    const bool turns_at_zero = one->kind != LinkKind::hard_tanh;
    require_domain(turns_at_zero, "link", 1.0, "the links whose only kink is at 0; hard-tanh has others");
  }
  // Slopes belong to the norms: panels see how fast the links turn.
  const ParameterPair scaled{pair.norm * link.slope, pair.true_norm * truth.slope, pair.cosine};
  const Link f{link.kind, 1.0}, g{truth.kind, 1.0};
  const auto kinked = [](const Link& one) { return one.kind == LinkKind::relu || one.kind == LinkKind::sign; };
  const auto at = [&](double u, double v) {
    const double mean = g.value(v), miss = f.value(u) - mean;
    // S of the link u -> f(slope u) is that of f over the slope; so is <w,x> itself.
    return std::array{miss * miss, (f.primitive(u) - mean * u) / link.slope};
  };
  const auto both = means(scaled, outer, inner, kinked(f) || kinked(g), [&](double u, double v, double) {
    const auto here = at(u, v), opposite = at(-u, -v);
    return std::array{0.5 * (here[0] + opposite[0]), 0.5 * (here[1] + opposite[1])};
  });
  return {both[0] + noise_variance, both[0], both[1]};
}

// tanh(u) = 2 logistic(2u) - 1.
PopulationRisk of_link(SmoothLink link, const ParameterPair& pair, const Coordinate& outer, const Coordinate& inner) {
  require(pair);
  if (link == SmoothLink::sigmoid) {
    return integrate(pair, outer, inner);
  }
  const PopulationRisk doubled = integrate({2.0 * pair.norm, 2.0 * pair.true_norm, pair.cosine}, outer, inner);
  return {4.0 * doubled.risk_excess, doubled.surrogate_excess};
}

}  // namespace

double squared_distance(const ParameterPair& pair) {
  require(pair);
  const double apart = pair.norm - pair.true_norm;
  return apart * apart + 2.0 * pair.norm * pair.true_norm * (1.0 - pair.cosine);
}

PopulationRisk relu_risk(const ParameterPair& pair) {
  require(pair);
  const double c = pair.cosine;
  const double apart = pair.norm - pair.true_norm;
  const double angle = c > 0.0 ? 2.0 * std::asin(std::sqrt(0.5 * (1.0 - c))) : std::acos(c);
  const double turned = (1.0 - c) - sine_defect(angle) / pi;
  return {0.5 * apart * apart + pair.norm * pair.true_norm * turned, 0.25 * squared_distance(pair)};
}

double erf_risk(const ParameterPair& pair) {
  require(pair);
  const rigorous::Precision precision(384);
  using rigorous::Real;
  const Real a(pair.norm), b(pair.true_norm), c(pair.cosine);
  // asin(x) as atan(x/sqrt(1 - x^2)) with the root formed without cancellation, for huge norms.
  const auto kernel = [](const Real& p, const Real& q, const Real& cosine) {
    const Real sine_squared = (Real(1) - cosine) * (Real(1) + cosine), product = Real(2) * p * q;
    const Real rest = Real(1) + Real(2) * (p * p + q * q) + product * product * sine_squared;
    return atan(product * cosine / sqrt(rest));
  };
  const Real sum = kernel(a, a, Real(1)) + kernel(b, b, Real(1)) - Real(2) * kernel(a, b, c);
  return (Real(2) * sum / rigorous::pi()).middle();
}

LabelledRisk gaussian_labelled_risk(const Link& link, const Link& truth, const ParameterPair& pair,
                                    double noise_variance) {
  return labelled(link, truth, pair, noise_variance, Coordinate::gaussian(), Coordinate::gaussian());
}

LabelledRisk sphere_labelled_risk(const Link& link, const Link& truth, const ParameterPair& pair, double noise_variance,
                                  double dimension) {
  check_dimension(dimension);
  return labelled(link, truth, pair, noise_variance, Coordinate::angle(dimension - 2.0),
                  Coordinate::angle(dimension - 3.0));
}

double lipschitz(SmoothLink link) { return link == SmoothLink::sigmoid ? 0.25 : 1.0; }

PopulationRisk gaussian_risk(SmoothLink link, const ParameterPair& pair) {
  return of_link(link, pair, Coordinate::gaussian(), Coordinate::gaussian());
}

PopulationRisk sphere_risk(SmoothLink link, const ParameterPair& pair, double dimension) {
  check_dimension(dimension);
  return of_link(link, pair, Coordinate::angle(dimension - 2.0), Coordinate::angle(dimension - 3.0));
}

}  // namespace dpcurves::models
