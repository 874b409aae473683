// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numbers>

#include <dpcurves/bounds/detail/checks.hpp>
#include <dpcurves/bounds/long_tail_concentration.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/numerics/normal.hpp>

namespace dpcurves::bounds {

using namespace checks;

namespace {

constexpr double log_2 = std::numbers::ln2;

/// |M|_F sqrt(2 tau) + |M| tau, the radius of a sum of products.
double product_radius(double frobenius, double operator_norm, double tau) {
  return frobenius * std::sqrt(2.0 * tau) + operator_norm * tau;
}

}  // namespace

SingularValueBounds least_singular_value(double rows, double columns, double delta) {
  require_count(rows, "rows");
  require_count(columns, "columns");
  require_domain(rows > columns, "rows", rows, "(columns, inf)");
  const double log_one = log_inverse(delta);
  return {std::sqrt(rows) - 2.0 * std::sqrt(8.0 * (log_2 + log_one) + 8.0 * columns * std::log(9.0)),
          std::sqrt(rows) - std::sqrt(columns) - std::sqrt(2.0 * log_one)};
}

double subgaussian_maximum(double count, double sigma_p, double delta) {
  require_count(count, "count");
  require_positive(sigma_p, "sigma_p");
  return sigma_p * std::sqrt(2.0 * (log_2 + std::log(count) + log_inverse(delta)));
}

HalfNormalTail half_normal_mean_tail(double count, double t) {
  require_count(count, "count");
  require_nonnegative(t, "t");
  return {std::exp(-0.5 * t * t), std::exp(-0.5 * count * t * t)};
}

double bilinear_radius(double frobenius, double operator_norm, double sigma_p, double delta) {
  require_nonnegative(frobenius, "frobenius");
  require_nonnegative(operator_norm, "operator_norm");
  require_positive(sigma_p, "sigma_p");
  return sigma_p * sigma_p * product_radius(frobenius, operator_norm, log_2 + log_inverse(delta));
}

QuadraticFormRadii quadratic_form_radii(double trace, double frobenius, double operator_norm, double sigma_p,
                                        double delta) {
  require_nonnegative(trace, "trace");
  require_nonnegative(frobenius, "frobenius");
  require_nonnegative(operator_norm, "operator_norm");
  require_positive(sigma_p, "sigma_p");
  const double tau = log_inverse(delta);
  const double spread = 2.0 * frobenius * std::sqrt(tau);
  return {sigma_p * sigma_p * (trace + spread + 2.0 * operator_norm * tau), trace - spread};
}

double quadratic_form_lower(double trace, double frobenius, double kurtosis, double delta) {
  require_nonnegative(trace, "trace");
  require_nonnegative(frobenius, "frobenius");
  require_domain(kurtosis >= 1.0 && std::isfinite(kurtosis), "kurtosis", kurtosis, "[1, inf)");
  return trace - frobenius * std::sqrt(2.0 * kurtosis * log_inverse(delta));
}

ProjectionRadius gaussian_projection(double private_noise, double signal_norm, double delta) {
  require_nonnegative(private_noise, "private_noise");
  require_nonnegative(signal_norm, "signal_norm");
  const double tau = log_2 + log_inverse(delta);
  return {private_noise * signal_norm * std::sqrt(2.0 * tau), 2.0 * numerics::normal_upper_tail(std::sqrt(2.0 * tau))};
}

double paley_zygmund(double t, double fourth_moment) {
  require_domain(t > 0.0 && t < 1.0, "t", t, "(0, 1)");
  require_domain(fourth_moment >= 1.0 && std::isfinite(fourth_moment), "fourth_moment", fourth_moment, "[1, inf)");
  const double share = (1.0 - t) * (1.0 + t);
  return share * share / fourth_moment;
}

NoiseNormBand noise_norm_band(double records, double trace, double frobenius, double operator_norm, double delta) {
  require_count(records, "records");
  require_nonnegative(trace, "trace");
  require_nonnegative(frobenius, "frobenius");
  require_nonnegative(operator_norm, "operator_norm");
  const double tau = 2.0 * log_2 + std::log(records) + log_inverse(delta);
  NoiseNormBand band{0.5 * trace, 1.5 * trace, 4.0 * (frobenius * std::sqrt(tau) + operator_norm * tau), {}};
  band.premise_holds = {trace >= band.premise_right,
                        {"trace >= 2 (2 F sqrt(tau) + 2 op tau)",
                         rounded(trace, 4) + " < " + rounded(band.premise_right, 4), "more dimensions d"}};
  return band;
}

double noise_cross_radius(double records, double frobenius, double operator_norm, double delta) {
  require_count(records, "records");
  require_nonnegative(frobenius, "frobenius");
  require_nonnegative(operator_norm, "operator_norm");
  return product_radius(frobenius, operator_norm, log_2 + 2.0 * std::log(records) + log_inverse(delta));
}

InitialSignalRadius initial_signal_radius(double classes, double filters, double delta, double signal_norm,
                                          double initial_scale) {
  require_count(classes, "classes");
  require_count(filters, "filters");
  require_nonnegative(signal_norm, "signal_norm");
  require_nonnegative(initial_scale, "initial_scale");
  const double tau = 2.0 * log_2 + std::log(classes) + std::log(filters) + log_inverse(delta);
  const double scale = signal_norm * initial_scale;
  return {scale * std::sqrt(2.0 * tau), scale * std::sqrt(2.0 * (tau + std::log(classes)))};
}

double initial_noise_radius(double classes, double filters, double records, double delta, double noise_frobenius,
                            double noise_operator, double initial_scale) {
  require_count(classes, "classes");
  require_count(filters, "filters");
  require_count(records, "records");
  require_nonnegative(noise_frobenius, "noise_frobenius");
  require_nonnegative(noise_operator, "noise_operator");
  require_nonnegative(initial_scale, "initial_scale");
  const double tau = 2.0 * log_2 + std::log(classes) + std::log(filters) + std::log(records) + log_inverse(delta);
  return initial_scale * product_radius(noise_frobenius, noise_operator, tau);
}

LongTailNoise long_tail_noise(double dimension, double tail_level, double delta, double noise_operator) {
  require_count(dimension, "dimension");
  require_nonnegative(tail_level, "tail_level");
  require_nonnegative(noise_operator, "noise_operator");
  const double tau = log_2 + log_inverse(delta), L = tail_level;
  LongTailNoise noise;
  noise.zeta_norm_squared = dimension + L * L + 2.0 * std::sqrt(dimension * tau) + 4.0 * tau;
  noise.noise_norm = noise_operator * std::sqrt(noise.zeta_norm_squared);
  noise.truncated_squared = L * L + 2.0 * tau;
  const double printed = L + tau / L;
  noise.printed_squared = printed * printed;  // infinite at L = 0
  noise.tail_probability = numerics::normal_upper_tail(L);
  noise.mean_zeta_norm_squared = dimension + L / numerics::mills_ratio(L);
  return noise;
}

double selected_noise_norm_squared(double dimension, double selection_probability, double delta) {
  require_count(dimension, "dimension");
  require_domain(selection_probability > 0.0 && selection_probability <= 1.0, "selection_probability",
                 selection_probability, "(0, 1]");
  const double tau = log_inverse(delta) - std::log(selection_probability);
  return dimension + 2.0 * std::sqrt(dimension * tau) + 2.0 * tau;
}

}  // namespace dpcurves::bounds
