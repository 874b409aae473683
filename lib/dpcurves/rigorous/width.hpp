// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// How many doubles an instruction takes: the bits are the same with two and with four.
/// Internal.
#pragma once

namespace dpcurves::rigorous {

/// Doubles that an instruction takes.
enum class Width { two, four };

/// What this machine has.
[[nodiscard]] inline Width widest() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Width::four : Width::two;
}

}  // namespace dpcurves::rigorous
