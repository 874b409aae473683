// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/arc_cosine.hpp>

namespace dpcurves::models {
namespace {

using std::numbers::pi;

// sin t - t cos t >= 0 on [0, pi], of order t^3/3.
double sine_excess(double t) {
  if (t > 1.0) {
    return std::sin(t) - t * std::cos(t);
  }
  // sum over k >= 1 of (-1)^(k+1) 2k/(2k+1)! t^(2k+1): 12 terms leave 1e-21 of the sum at t = 1.
  double term = t * t * t / 3.0, sum = term;
  for (int k = 2; k <= 12; ++k) {
    const double n = 2.0 * k;
    term *= -t * t / ((n - 2.0) * (n + 1.0));
    sum += term;
  }
  return sum;
}

// The angle between unit vectors at correlation 1 - c.
double angle(double complement) { return 2.0 * std::asin(std::sqrt(std::min(0.5 * complement, 1.0))); }

void check_correlation(double r) { require_domain(r >= -1.0 && r <= 1.0, "correlation", r, "[-1, 1]"); }
bool is_whole(double x) { return std::isfinite(x) && x == std::floor(x); }

}  // namespace

double arc_cosine_0(double correlation) {
  check_correlation(correlation);
  // pi - acos r is the angle of -r; on either side the half of it that is small is the one computed.
  return correlation < 0.0 ? angle(1.0 + correlation) / pi : 1.0 - angle(1.0 - correlation) / pi;
}

double arc_cosine_1(double correlation) {
  check_correlation(correlation);
  if (correlation < 0.0) {
    return sine_excess(angle(1.0 + correlation)) / pi;  // with s = pi - acos r: sin s - s cos s
  }
  return 1.0 - arc_cosine_1_complement(1.0 - correlation);
}

double arc_cosine_1_complement(double complement) {
  require_domain(complement >= 0.0 && complement <= 2.0, "complement", complement, "[0, 2]");
  if (complement > 1.0) {
    return 1.0 - sine_excess(angle(2.0 - complement)) / pi;
  }
  return complement - sine_excess(angle(complement)) / pi;  // at most 0.42 of the first term
}

TangentLimit tangent_limit(double correlation, double depth) {
  check_correlation(correlation);
  require_domain(depth >= 2.0 && depth <= 1e8 && is_whole(depth), "depth", depth, "whole numbers in [2, 1e8]");
  if (correlation == 1.0) {
    return {0.5 * (depth + 1.0), 1.0, 0.0};
  }
  // sum_l = k0(r_{l-1}) (sum_{l-1} + r_{l-1}). After one layer r >= 0, and 1 - r is what keeps the digits.
  double r = arc_cosine_1(correlation), c = 1.0 - r, sum = arc_cosine_0(correlation) * correlation;
  if (correlation > 0.0) {
    c = arc_cosine_1_complement(1.0 - correlation);
  }
  const auto layers = static_cast<long long>(depth) - 1;
  for (long long l = 2; l <= layers; ++l) {
    const double t = angle(c);
    sum = (1.0 - t / pi) * (sum + r);
    c -= sine_excess(t) / pi;
    r = 1.0 - c;
  }
  return {r + 0.5 * sum, r, c};
}

InitialMoments initial_moments(double width, double depth, double inputs) {
  require_domain(width >= 1.0 && is_whole(width), "width", width, "whole numbers in [1, inf)");
  require_domain(depth >= 2.0 && is_whole(depth), "depth", depth, "whole numbers in [2, inf)");
  require_domain(inputs >= 1.0 && is_whole(inputs), "inputs", inputs, "whole numbers in [1, inf)");
  InitialMoments moments;
  moments.log_hidden_fourth = (depth - 1.0) * std::log1p(5.0 / width);
  moments.hidden_fourth = std::exp(moments.log_hidden_fourth);
  moments.output_fourth = 3.0 * moments.hidden_fourth;
  moments.first_layer = 2.0 * inputs;
  moments.hidden_layer = 2.0 * width;
  moments.parameters = width * inputs + (depth - 2.0) * width * width + width;
  moments.gradient_limit = std::sqrt(0.5 * width * (depth + 1.0));
  return moments;
}

}  // namespace dpcurves::models
