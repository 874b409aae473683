// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// For any machine: products and sums are rounded apart.
#include <cstdint>

namespace dpcurves::models::kernels {
namespace {

using Doubles [[gnu::vector_size(16)]] = double;
using Integers [[gnu::vector_size(16)]] = std::int64_t;

inline Doubles fma(const Doubles& a, const Doubles& b, const Doubles& c) { return a * b + c; }

}  // namespace
}  // namespace dpcurves::models::kernels

#include <dpcurves/models/detail/kan_loops.hpp>

const dpcurves::models::kernels::Loops dpcurves::models::kernels::baseline_loops = Machine<Doubles, Integers>::loops;
