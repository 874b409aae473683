// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parts of the extension module.
#pragma once

#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/parallel.hpp>

namespace dpcurves::python {

/// The doubles of a contiguous array of one dimension, by the buffer protocol: headers of numpy differ between versions.
[[nodiscard]] std::vector<double> numbers(const pybind11::buffer& array);
/// Writes both ends into arrays of that length.
void write(const std::vector<Enclosure>& intervals, const pybind11::buffer& lower, const pybind11::buffer& upper);

/// Progress that obeys Ctrl-C; to be called without the interpreter lock.
class Patience {
 public:
  [[nodiscard]] Progress follow();
  /// Throws what Python raised, if it raised anything.
  void finish() const;

 private:
  bool interrupted_ = false;
};

void bind_records(pybind11::module_& module);     ///< calculators by name
void bind_guarantees(pybind11::module_& module);  ///< theorems about one run
void bind_sweep(pybind11::module_& module);       ///< DP-SGD over arrays of parameters

}  // namespace dpcurves::python
