// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Networks, directions and runs that the cases about deep networks share.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include <dpcurves/models/tangent_model.hpp>
#include <dpcurves/simulate/network_training.hpp>

#include "validation/case.hpp"

namespace dpcurves::validation::dp_glm_networks {

/// Records of the teacher, of the unit sphere.
[[nodiscard]] inline models::BinaryData sphere_data(std::size_t inputs, std::size_t records, std::uint64_t seed,
                                                    std::uint32_t path) {
  models::TeacherData law{.inputs = inputs, .records = records};
  return models::teacher_data(law, seed, path);
}

[[nodiscard]] inline std::vector<std::uint32_t> first_records(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// The gradient of f at one record, every layer scaled to Frobenius norm 1: the direction in which f moves fastest.
[[nodiscard]] inline std::vector<double> steepest_direction(const models::NetworkShape& shape,
                                                            const models::BinaryData& data, std::uint32_t record,
                                                            std::span<const double> w) {
  models::NetworkPass pass(shape);
  const std::vector<std::uint32_t> one{record};
  pass.forward(data.inputs, one, w);
  pass.backward(w);
  std::vector<double> direction(w.size());
  pass.weighted_sum(Eigen::VectorXd::Ones(1), direction);
  for (std::size_t layer = 0; layer < shape.depth; ++layer) {
    auto at = models::layer_of(shape, std::span<double>(direction), layer);
    at /= std::max(at.norm(), 1e-300);
  }
  return direction;
}

[[nodiscard]] inline std::vector<double> moved(std::span<const double> w, double distance,
                                               std::span<const double> direction) {
  std::vector<double> result(w.begin(), w.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] += distance * direction[i];
  }
  return result;
}

}  // namespace dpcurves::validation::dp_glm_networks
