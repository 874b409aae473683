// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A matrix product whose bits do not depend on the instruction set (baseline, AVX2 or AVX-512, chosen at run time).
///
/// Every entry of the product is one sum in the order of the inner index, multiplied and added separately.
#pragma once

#include <cstddef>

#include <dpcurves/random/streams.hpp>

namespace dpcurves::models::kernels {

/// Entry (i, k) lies at data[i * row + k * column].
struct StridedMatrix {
  const double* data = nullptr;  ///< entry (0, 0); not owned
  std::size_t row = 0;           ///< distance of rows, in numbers
  std::size_t column = 0;        ///< distance of columns, in numbers
};

/// c = a b.
/// \param a  shape (rows x inner).
/// \param b  shape (inner x columns).
/// \param c  shape (rows x columns), row by row without gaps, overwritten; must not overlap a or b.
/// Cost: about 7 products and as many sums per cycle with AVX2 or AVX-512, 3 with the baseline, once the sides of the
/// matrices are some hundreds; half a megabyte of memory per thread, taken at the first call.
void multiply(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows, std::size_t inner, std::size_t columns,
              double* c);

/// multiply() by a named variant: the same bits, for tests and measurements.
/// \throws DomainError  if this machine cannot run it.
void multiply(const StridedMatrix& a, const StridedMatrix& b, std::size_t rows, std::size_t inner, std::size_t columns,
              double* c, random::InstructionSet variant);

}  // namespace dpcurves::models::kernels
