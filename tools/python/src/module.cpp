// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The extension module dpcurves._native: errors, and the parts of native.hpp.
#include <algorithm>
#include <utility>

#include <dpcurves/core/error.hpp>

#include "native.hpp"
#include "support/failure.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

py::buffer_info doubles(const py::buffer& array, bool writable) {
  auto info = array.request(writable);
  const bool whole =
      info.ndim == 1 && (info.shape[0] < 2 || info.strides[0] == static_cast<py::ssize_t>(sizeof(double)));
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

void write(const std::vector<double>& values, const py::buffer& array) {
  const auto info = doubles(array, true);
  if (info.size != static_cast<py::ssize_t>(values.size())) {
    throw py::value_error("arrays of different lengths");
  }
  std::copy(values.begin(), values.end(), static_cast<double*>(info.ptr));
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

void patiently(const std::function<void(const Progress&)>& work) {
  Patience patience;
  {
    const py::gil_scoped_release release;
    try {
      work(patience.follow());
    } catch (const Error&) {
      const py::gil_scoped_acquire lock;
      patience.finish();
      throw;
    }
  }
  patience.finish();  // the last piece of work asks too
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
  // Before that of DomainError: the argument is named, the function of the library is not.
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      std::rethrow_exception(std::move(raised));
    } catch (const dpcurves::DomainError& error) {
      const auto kind = py::module_::import("dpcurves._native").attr("DomainError");
      PyErr_SetString(kind.ptr(), dpcurves::tools::without_function(error.what()).c_str());
    }
  });
  using namespace dpcurves::python;
  for (const auto& [name, words] :
       {std::pair{"DomainError", "An argument is outside its domain, or a hypothesis fails."},
        {"UsageError", "A name or a form that is not understood."},
        {"DataError", "A file that cannot be used."},
        {"ConvergenceError", "Nothing could be proved."},
        {"ContradictionError", "Two proofs do not meet: a mistake of the package."}}) {
    module.attr(name).attr("__doc__") = words;
  }
  for (auto* bind : {&bind_records, &bind_guarantees, &bind_sweep, &bind_algorithms, &bind_commands, &bind_transcripts,
                     &bind_simulate, &bind_judge}) {
    bind(module);
  }
}
