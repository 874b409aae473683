// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/kan.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {

ActivationBounds bounds(Activation activation) {
  const double root = std::numbers::sqrt3;
  return activation == Activation::tanh ? ActivationBounds{1.0, 4.0 / (3.0 * root)}
                                        : ActivationBounds{0.25, 1.0 / (6.0 * root)};
}

// --- the network ------------------------------------------------------------------------------------------------

KanNetwork::KanNetwork(const KanShape& shape, Eigen::MatrixXd second_layer)
    : shape_(shape), splines_(shape.splines, shape.degree), second_layer_(std::move(second_layer)) {
  require_domain(shape.inputs >= 1 && shape.inputs <= 1'000'000, "inputs", static_cast<double>(shape.inputs),
                 "[1, 1e6]");
  require_domain(shape.units >= 1 && shape.units <= 10'000'000, "units", static_cast<double>(shape.units), "[1, 1e7]");
  require_domain(second_layer_.rows() == static_cast<Eigen::Index>(shape.splines) &&
                     second_layer_.cols() == static_cast<Eigen::Index>(shape.units),
                 "size of the second layer", static_cast<double>(second_layer_.size()), "splines x units");
  require_domain(second_layer_.allFinite(), "second layer", std::nan(""), "finite");
  // <c_j, h(v)> on a span is one polynomial.
  const std::size_t powers = shape.degree + 1;
  const std::size_t unit_stride = splines_.spans() * powers;
  pieces_.assign(kernels::blocks(shape.units) * unit_stride * kernels::lanes, 0.0);
  for (std::size_t j = 0; j < shape.units; ++j) {
    double* at = pieces_.data() + j / kernels::lanes * unit_stride * kernels::lanes + j % kernels::lanes;
    for (std::size_t span = 0; span < splines_.spans(); ++span) {
      for (std::size_t power = 0; power < powers; ++power, at += kernels::lanes) {
        for (std::size_t spline = 0; spline < powers; ++spline) {
          *at += second_layer_(static_cast<Eigen::Index>(span + spline), static_cast<Eigen::Index>(j)) *
                 splines_.coefficient(spline, power);
        }
      }
    }
  }
}

kernels::Units KanNetwork::kernel() const {
  return {pieces_.data(),
          shape_.units,
          splines_.spans(),
          shape_.degree + 1,
          shape_.activation == Activation::tanh,
          1.0 / std::sqrt(static_cast<double>(shape_.inputs)),
          splines_.inverse_spacing()};
}

KanNetwork KanNetwork::draw(const KanShape& shape, std::uint64_t seed, std::uint32_t path) {
  Eigen::MatrixXd second(static_cast<Eigen::Index>(shape.splines), static_cast<Eigen::Index>(shape.units));
  random::normals({second.data(), static_cast<std::size_t>(second.size())}, seed, random::Purpose::initialisation, path,
                  0);
  return {shape, std::move(second)};
}

std::vector<double> draw_first_layer(const KanShape& shape, std::uint64_t seed, std::uint32_t path) {
  std::vector<double> w(shape.parameters());
  constexpr std::uint64_t after_second_layer = std::uint64_t{1} << 40U;
  random::normals(w, seed, random::Purpose::initialisation, path, after_second_layer);
  return w;
}

KanNetwork::Piece KanNetwork::piece(std::size_t j, double a) const {
  Piece piece{};
  const double e = std::exp(-std::abs(a) * (shape_.activation == Activation::tanh ? 2.0 : 1.0));
  const double r = 1.0 / (1.0 + e);
  if (shape_.activation == Activation::tanh) {
    piece.u = std::copysign((1.0 - e) * r, a);
    piece.first = 4.0 * e * r * r;
    piece.second = -2.0 * piece.u * piece.first;
  } else {
    piece.u = a >= 0.0 ? r : e * r;
    piece.first = e * r * r;
    piece.second = -std::copysign((1.0 - e) * r, a) * piece.first;
  }
  const auto place = splines_.place(piece.u);
  piece.offset = place.offset;
  piece.coefficients = pieces_.data() +
                       (j / kernels::lanes * splines_.spans() + place.span) * (shape_.degree + 1) * kernels::lanes +
                       j % kernels::lanes;
  return piece;
}

KanNetwork::Unit KanNetwork::unit(std::size_t j, double a) const {
  const Piece at = piece(j, a);
  double value = 0.0;
  double first = 0.0;
  double half_second = 0.0;
  for (std::size_t power = shape_.degree + 1; power-- > 0;) {
    half_second = half_second * at.offset + first;
    first = first * at.offset + value;
    value = value * at.offset + at.coefficients[power * kernels::lanes];
  }
  const double inverse = splines_.inverse_spacing();
  return {value, at.first * first * inverse,
          (at.second * first + at.first * at.first * 2.0 * half_second * inverse) * inverse};
}

// --- the loss ---------------------------------------------------------------------------------------------------

double logistic_loss(double z) { return std::log1p(std::exp(-std::abs(z))) + std::max(-z, 0.0); }

double logistic_loss_slope(double z) {
  const double e = std::exp(-std::abs(z));
  return -(z >= 0.0 ? e : 1.0) / (1.0 + e);
}

double logistic_loss_curvature(double z) {
  const double e = std::exp(-std::abs(z));
  return e / ((1.0 + e) * (1.0 + e));
}

// --- data -------------------------------------------------------------------------------------------------------

BinaryData ball_data(const BallData& law, std::uint64_t seed, std::uint32_t path) {
  require_domain(law.inputs >= 1, "inputs", static_cast<double>(law.inputs), "[1, inf)");
  require_domain(law.records >= 1 && law.records < (std::size_t{1} << 32U), "records", static_cast<double>(law.records),
                 "[1, 2^32)");
  require_domain(law.margin >= 0.0 && law.margin <= 0.5, "margin", law.margin, "[0, 0.5]");
  require_domain(law.label_noise >= 0.0 && law.label_noise < 0.5, "label_noise", law.label_noise, "[0, 0.5)");
  BinaryData data;
  const auto d = static_cast<Eigen::Index>(law.inputs);
  data.inputs.resize(d, static_cast<Eigen::Index>(law.records));
  std::vector<double> flips(law.records);
  random::uniforms(flips, seed, random::Purpose::data, path, std::uint64_t{1} << 50U);
  const std::uint64_t stride = (law.inputs + 1) / 2 * 2;
  Eigen::VectorXd x(d);
  std::uint64_t attempt = 0;
  constexpr std::uint64_t patience = 10000;  // points per record: the margin leaves out nearly all in high dimension
  for (std::size_t i = 0; i < law.records; ++attempt) {
    require_domain(attempt < patience * (i + 1), "margin", law.margin,
                   "[0, 0.5] and small enough that one point in 10000 is kept");
    random::normals({x.data(), law.inputs}, seed, random::Purpose::data, path, attempt * stride);
    x /= std::max(1.0, x.norm());
    const double margin = x.sum() / std::sqrt(static_cast<double>(law.inputs));
    if (std::abs(margin) < law.margin) {
      continue;
    }
    data.inputs.col(static_cast<Eigen::Index>(i)) = x;
    data.labels.push_back((margin >= 0.0) == (flips[i] >= law.label_noise) ? 1.0 : -1.0);
    ++i;
  }
  return data;
}

}  // namespace dpcurves::models
