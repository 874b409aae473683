// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The loops of a KAN layer: W h and s h' for features h of which few entries per coordinate are not zero, and what the
/// units make of W h.
///
/// Results for the units are kept in blocks of `lanes`: entry (block, position in the batch, lane). Every lane is
/// computed alone, in an order that does not depend on the instruction set (baseline, AVX2 or AVX-512, chosen at run
/// time), so the bits do not either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dpcurves::models::kernels {

constexpr std::size_t lanes = 32;  // units per block: a coordinate's columns of a block stay in the first-level cache

[[nodiscard]] constexpr std::size_t blocks(std::size_t units) { return (units + lanes - 1) / lanes; }

/// Features of all records. Coordinate c of record r is `order` values, which belong to the columns c * width +
/// first[r * coordinates + c] and on.
struct Features {
  const std::uint32_t* first = nullptr;  ///< shape (records x coordinates)
  const double* values = nullptr;        ///< shape (records x coordinates x order)
  std::size_t coordinates = 0;
  std::size_t order = 0;
  std::size_t width = 0;  ///< columns per coordinate
};

/// out = W h for every record of the batch, lanes beyond the last unit 0.
/// \param w    shape (coordinates * width columns x units): column by column.
/// \param out  shape (blocks x batch x lanes)
void multiply(const Features& features, std::span<const std::uint32_t> batch, const double* w, std::size_t units,
              double* out);

/// gradient = sum over the batch of weight_i s_i h_i', overwritten.
/// \param weights  shape (batch)
/// \param s        shape (blocks x batch x lanes)
void accumulate(const Features& features, std::span<const std::uint32_t> batch, const double* weights, const double* s,
                std::size_t units, double* gradient);

/// How units turn their inputs into outputs: sigma, and a polynomial per unit and span.
struct Units {
  const double* pieces = nullptr;  ///< shape (units x spans x powers)
  std::size_t spans = 0;
  std::size_t powers = 0;
  bool hyperbolic = true;  ///< tanh, else the logistic function
  double inward = 1.0;     ///< factor of W h
  double inverse_spacing = 1.0;
};

/// For the lanes of one block, units first, ..., first + used - 1: a = inward * cells becomes output <c_j,
/// h(sigma(a))>, and cells its derivative with respect to a. Lanes from `used` on become 0. Accuracy: 4e-16 of the
/// largest |c_j|; an own exponential (4e-16 relative, arguments below -708 count as -708) because no library has one
/// for every instruction set. Cost: about 4 ns per unit with AVX-512.
void respond(const Units& units, std::size_t first, std::size_t used, double* cells, double* outputs);

}  // namespace dpcurves::models::kernels
