// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A matrix product whose bits do not depend on the instruction set (baseline, AVX2 or AVX-512, chosen at run time).
///
/// Every entry of the product is one sum in the order of the inner index, multiplied and added separately.
#pragma once

#include <cstddef>

namespace dpcurves::models::kernels {

/// Entry (i, k) lies at data[i * row + k * column].
struct StridedMatrix {
  const double* data = nullptr;
  std::size_t row = 0;
  std::size_t column = 0;
};

/// c = a b.
/// \param a  shape (rows x inner), any strides.
/// \param b  shape (inner x columns), row by row without gaps.
/// \param c  shape (rows x columns), row by row without gaps, overwritten; must not overlap a or b.
/// Cost: with AVX2 about 8 products and sums per cycle.
void multiply(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner, std::size_t columns,
              double* c);

/// As above with the baseline instructions, for tests.
void multiply_baseline(const StridedMatrix& a, const double* b, std::size_t rows, std::size_t inner,
                       std::size_t columns, double* c);

}  // namespace dpcurves::models::kernels
