// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/draws.hpp"

#include <algorithm>
#include <array>

#include <dpcurves/random/streams.hpp>

namespace dpcurves::validation {

std::uint32_t path_of(std::string_view id) {
  std::uint32_t hash = 2166136261U;  // Fowler, Noll and Vo
  for (const char letter : id) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return hash;
}

double Draws::uniform(double low, double high) {
  std::array<double, 1> value{};
  random::uniforms(value, seed_, random::Purpose::data, path_, next_);
  next_ += 2;
  return low + (high - low) * value[0];
}

double Draws::normal() { return normals(1).front(); }

std::vector<double> Draws::normals(std::size_t size) {
  std::vector<double> values(size);
  random::normals(values, seed_, random::Purpose::data, path_, next_);
  next_ += size + size % 2;
  return values;
}

std::size_t Draws::below(std::size_t n) {
  return std::min(n - 1, static_cast<std::size_t>(uniform() * static_cast<double>(n)));
}

std::uint64_t seed_of(const Setting& setting, std::string_view id, std::uint64_t k) {
  return (setting.seed << 40U) ^ (static_cast<std::uint64_t>(path_of(id)) << 8U) ^ k;
}

}  // namespace dpcurves::validation
