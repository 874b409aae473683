// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/detail/two_layer_records.hpp>

namespace dpcurves::simulate {
namespace {

/// Paths of the initialisation stream that no run uses.
constexpr std::uint32_t direction_path = 0xFFFFFFFFU, outer_path = 0xFFFFFFFEU;

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void normalise(std::span<double> x) {
  const double length = std::sqrt(product(x, x));
  for (double& value : x) {
    value /= length;
  }
}

double sigmoid(double u) { return models::make_link(models::LinkKind::sigmoid).value(u); }

}  // namespace

TwoLayerNetwork TwoLayerNetwork::drawn(std::size_t units, std::size_t dimension, std::uint64_t seed) {
  require_domain(units >= 1, "units", static_cast<double>(units), "at least 1");
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "at least 1");
  TwoLayerNetwork network{std::vector<double>(units), std::vector<double>(units * dimension)};
  random::normals(network.directions, seed, random::Purpose::initialisation, direction_path, 0);
  random::normals(network.outer, seed, random::Purpose::initialisation, outer_path, 0);
  normalise(network.outer);
  for (std::size_t t = 0; t < units; ++t) {
    normalise(std::span(network.directions).subspan(t * dimension, dimension));
  }
  return network;
}

double TwoLayerNetwork::output(std::span<const double> x) const {
  return sum_over(outer.size(), [&](std::size_t t) {
    return outer[t] * sigmoid(product(x, std::span(directions).subspan(t * x.size(), x.size())));
  });
}

GlmLaw TwoLayerNetwork::law() const {
  require_domain(!outer.empty() && !directions.empty() && directions.size() % outer.size() == 0, "directions",
                 static_cast<double>(directions.size()), "d numbers for each of the units");
  GlmLaw law{.dimension = directions.size() / outer.size(), .link = models::make_link(models::LinkKind::sigmoid)};
  law.parameter.assign(law.dimension, 0.0);
  law.labels = LabelLaw::two_point;
  law.mean = [*this](std::span<const double> x, double) { return sigmoid(output(x)); };
  return law;
}

double risk_above_mean(const GlmLaw& law, const models::PolynomialFeatures& psi, std::span<const double> w,
                       std::size_t records, std::uint64_t seed, std::uint32_t path) {
  require_domain(law.mean != nullptr, "mean", 0.0, "a function of the record");
  require_domain(w.size() == psi.size(), "w", static_cast<double>(w.size()), "a number for each of the monomials");
  require_domain(psi.inputs() == law.dimension, "psi", static_cast<double>(psi.inputs()), "the dimension of the law");
  DrawnRecords fresh(law, records, seed + 1, path);
  std::vector<double> x(records * law.dimension), y(records), features(psi.size());
  fresh.read(0, x, y);
  double risk = 0.0;
  for (std::size_t i = 0; i < records; ++i) {
    const auto row = std::span<const double>(x).subspan(i * law.dimension, law.dimension);
    psi.evaluate(row, features);
    const double difference = law.link.value(product(w, features)) - law.mean(row, 0.0);
    risk += difference * difference / static_cast<double>(records);
  }
  return risk;
}

}  // namespace dpcurves::simulate
