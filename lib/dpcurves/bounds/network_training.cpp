// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <string>

#include <dpcurves/bounds/network_training.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/arc_cosine.hpp>
#include <dpcurves/numerics/roots.hpp>

namespace dpcurves::bounds {
namespace {

bool positive(double x) { return x > 0.0 && std::isfinite(x); }

/// "10^17.2" for the exponential of a logarithm, or the number itself.
std::string power(double log) {
  const double number = std::exp(log);
  return number < 1e15 ? rounded(number, 4) : "10^" + rounded(log / std::log(10.0), 4);
}

}  // namespace

NetworkTerms network_terms(const NetworkTraining& s) {
  require(s);
  NetworkTerms terms;
  terms.parameters = models::initial_moments(s.width, s.depth, s.inputs).parameters;
  const double log_xi = -std::log(s.failure), log_gamma = -std::log(s.noise_failure), log_delta = -std::log(s.delta);
  const double l = std::log(s.depth), r = std::log(s.radius), m = std::log(s.width), t = std::log(s.steps),
               n = std::log(s.records), e = std::log(s.epsilon), c = std::log(s.clip), slope = std::log(s.slope);
  terms.convergence = std::sqrt(log_xi / s.steps);
  terms.almost_convex = s.slope * s.depth * std::sqrt(s.depth) * (s.radius / std::sqrt(s.steps));
  terms.step_size = std::sqrt(s.depth / s.steps / s.width) * (s.radius / s.clip);
  const double log_convex = slope + 1.5 * l + r - 0.5 * t;
  terms.log_privacy = slope + 1.5 * l + r + std::log(std::max(s.depth, s.inputs / s.width)) + std::log(log_gamma) +
                      std::log(log_delta) + 2.0 * m + 0.5 * t - 2.0 * n - 2.0 * e;
  terms.privacy = std::exp(terms.log_privacy);
  terms.log_records_required = c + std::log(std::sqrt(s.depth) * s.width + std::sqrt(s.width) * std::sqrt(s.inputs)) +
                               0.5 * (t + std::log(log_gamma) + std::log(log_delta)) - r - e;
  terms.records_required = std::exp(terms.log_records_required);
  const double common = 24.0 * r - 14.0 * log_convex - 8.0 * c;
  terms.log_width_required_printed = 56.0 * l - 8.0 * slope + common;
  terms.log_width_required_rederived = 64.0 * l + 8.0 * slope + common;
  terms.log_width_required_sharp = log_width_required(s.slope, s.depth, s.radius, terms.almost_convex, s.clip);
  return terms;
}

Verdict verdict(const NetworkTraining& s) {
  const NetworkTerms terms = network_terms(s);
  std::vector<Violation> found;
  const double log_m = std::log(s.width), log_n = std::log(s.records), log_t = std::log(s.steps);
  if (!(log_n >= terms.log_records_required)) {
    found.push_back({"n of order C (sqrt(L) m + sqrt(m d)) sqrt(T log(1/gamma) log(1/delta))/(R eps)",
                     "n = " + rounded(s.records, 6) + " < " + power(terms.log_records_required),
                     power(terms.log_records_required) + " records, or a smaller C or m"});
  }
  if (!(s.records >= s.width)) {
    found.push_back({"n of order m", "n = " + rounded(s.records, 6) + " < m = " + rounded(s.width, 6)});
  }
  if (!(log_m >= terms.log_width_required_rederived)) {
    found.push_back({"m of order S^8 L^64 R^24 Delta^-14 C^-8",
                     "m = " + rounded(s.width, 6) + " < " + power(terms.log_width_required_rederived),
                     "a width of " + power(terms.log_width_required_rederived)});
  }
  if (!(log_m >= 7.0 * log_t)) {
    found.push_back({"m of order T^7", "m = " + rounded(s.width, 6) + " < " + power(7.0 * log_t),
                     "at most " + rounded(std::exp(log_m / 7.0), 4) + " steps"});
  }
  if (!(s.clip <= s.radius)) {
    found.push_back(
        {"C <= R", "C = " + rounded(s.clip, 6) + " > R = " + rounded(s.radius, 6), "a clip norm of at most R"});
  }
  return {
      found,
      {"a convex loss, Lipschitz in the output; |x| <= 1; clipping without bias, which the proof does not control"}};
}

double log_width_required(double slope, double depth, double radius, double almost_convex, double clip) {
  require_domain(positive(slope), "slope", slope, "(0, inf)");
  require_domain(positive(depth), "depth", depth, "(0, inf)");
  require_domain(positive(radius), "radius", radius, "(0, inf)");
  require_domain(positive(almost_convex), "almost_convex", almost_convex, "(0, inf)");
  require_domain(positive(clip), "clip", clip, "(0, inf)");
  const double a = 14.0 * std::log(slope) + 34.0 * std::log(depth) + 24.0 * std::log(radius) -
                   14.0 * std::log(almost_convex) - 8.0 * std::log(clip);
  // x = log m with x >= a + 3 log x: x - 3 log x is least at 3 and grows from there.
  const auto gap = [a](double x) { return x - 3.0 * std::log(x) - a; };
  if (gap(3.0) >= 0.0) {
    return 0.0;
  }
  return numerics::root(gap, 3.0, 2.0 * std::abs(a) + 30.0).upper;
}

double almost_convex_radius(double slack, double slope, double depth, double width) {
  require_domain(positive(slack), "slack", slack, "(0, inf)");
  require_domain(positive(slope), "slope", slope, "(0, inf)");
  require_domain(positive(depth), "depth", depth, "(0, inf)");
  require_domain(width > 1.0 && std::isfinite(width), "width", width, "(1, inf)");
  return std::pow(slack / slope / (depth * depth * depth) / std::sqrt(width * std::log(width)), 0.75);
}

double linearisation_rate(double radius, double depth, double width) {
  require_domain(radius >= 0.0 && std::isfinite(radius), "radius", radius, "[0, inf)");
  require_domain(positive(depth), "depth", depth, "(0, inf)");
  require_domain(width >= 1.0 && std::isfinite(width), "width", width, "[1, inf)");
  return std::pow(radius, 4.0 / 3.0) * depth * depth * depth * std::sqrt(width * std::log(width));
}

double hidden_change_rate(double radius, double depth, double width) {
  require_domain(radius >= 0.0 && std::isfinite(radius), "radius", radius, "[0, inf)");
  require_domain(positive(depth), "depth", depth, "(0, inf)");
  require_domain(width >= 1.0 && std::isfinite(width), "width", width, "[1, inf)");
  return radius * std::pow(depth, 2.5) * std::sqrt(std::log(width));
}

}  // namespace dpcurves::bounds
