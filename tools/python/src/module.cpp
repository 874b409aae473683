// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The extension module dpcurves._native: errors, and the parts of native.hpp.
#include "native.hpp"

#include <dpcurves/core/error.hpp>

namespace py = pybind11;

namespace dpcurves::python {
namespace {

py::buffer_info doubles(const py::buffer& array, bool writable) {
  auto info = array.request(writable);
  const bool whole = info.ndim == 1 && (info.shape[0] < 2 || info.strides[0] == static_cast<py::ssize_t>(sizeof(double)));
  if (info.format != py::format_descriptor<double>::format() || !whole) {
    throw py::type_error("not a contiguous array of doubles");
  }
  return info;
}

}  // namespace

std::vector<double> numbers(const py::buffer& array) {
  const auto info = doubles(array, false);
  const auto* first = static_cast<const double*>(info.ptr);
  return {first, first + info.size};
}

void write(const std::vector<Enclosure>& intervals, const py::buffer& lower, const py::buffer& upper) {
  const auto low = doubles(lower, true), high = doubles(upper, true);
  const auto size = static_cast<py::ssize_t>(intervals.size());
  if (low.size != size || high.size != size) {
    throw py::value_error("arrays of different lengths");
  }
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    static_cast<double*>(low.ptr)[i] = intervals[i].lower;
    static_cast<double*>(high.ptr)[i] = intervals[i].upper;
  }
}

Progress Patience::follow() {
  return [this](std::size_t, std::size_t) {
    const py::gil_scoped_acquire lock;
    interrupted_ = interrupted_ || PyErr_CheckSignals() != 0;
    return !interrupted_;
  };
}

void Patience::finish() const {
  if (interrupted_) {
    throw py::error_already_set();
  }
}

}  // namespace dpcurves::python

PYBIND11_MODULE(_native, module) {
  module.doc() = "Functions of dpcurves in C++; use the package dpcurves.";
  module.attr("__version__") = DPCURVES_VERSION;
  py::register_exception<dpcurves::DomainError>(module, "DomainError", PyExc_ValueError);
  py::register_exception<dpcurves::UsageError>(module, "UsageError", PyExc_ValueError);
  py::register_exception<dpcurves::DataError>(module, "DataError", PyExc_OSError);
  py::register_exception<dpcurves::ConvergenceError>(module, "ConvergenceError", PyExc_ArithmeticError);
  py::register_exception<dpcurves::ContradictionError>(module, "ContradictionError", PyExc_ArithmeticError);
  dpcurves::python::bind_records(module);
  dpcurves::python::bind_guarantees(module);
  dpcurves::python::bind_sweep(module);
}
