// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Random numbers of the validation cases: instances, and seeds of simulations, each case with its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "validation/case.hpp"

namespace dpcurves::validation {

/// A number for the random path of a case, from its catalogue id: cases never share random numbers.
[[nodiscard]] std::uint32_t path_of(std::string_view id);

/// Random parameters of instances, one after the other.
class Draws {
 public:
  Draws(const Setting& setting, std::string_view id) : seed_(setting.seed), path_(path_of(id)) {}

  [[nodiscard]] double uniform(double low = 0.0, double high = 1.0);
  [[nodiscard]] double normal();
  /// A vector of independent standard normals.
  [[nodiscard]] std::vector<double> normals(std::size_t size);
  /// Uniform on 0, ..., n - 1.
  [[nodiscard]] std::size_t below(std::size_t n);

 private:
  std::uint64_t seed_;
  std::uint32_t path_;
  std::uint64_t next_ = 0;
};

/// A seed for the k-th simulation of a case.
[[nodiscard]] std::uint64_t seed_of(const Setting& setting, std::string_view id, std::uint64_t k = 0);

}  // namespace dpcurves::validation
