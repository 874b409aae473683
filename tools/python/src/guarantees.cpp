// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Theorems about one run: what applies, what fails, and what they answer.
#include <string>
#include <vector>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/attack.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using accounting::Guarantee;

const accounting::PrivacyCurve& curve_of(const Guarantee& guarantee) {
  if (!guarantee.applies()) {
    throw DomainError(guarantee.theorem + " does not apply: " + describe(guarantee.violations));
  }
  return *guarantee.curve;
}

/// Assumption, what was found, remedy.
std::vector<std::tuple<std::string, std::string, std::string>> listed(const std::vector<Violation>& violations) {
  return mapped(violations, [&](const Violation& one) {
    return std::tuple<std::string, std::string, std::string>(one.assumption, one.found, one.remedy);
  });
}

}  // namespace

void bind_guarantees(py::module_& module) {
  py::class_<Guarantee>(module, "Guarantee")
      .def_readonly("theorem", &Guarantee::theorem)
      .def_readonly("title", &Guarantee::title)
      .def_readonly("assumed", &Guarantee::assumed)
      .def_readonly("certified", &Guarantee::certified)
      .def_readonly("note", &Guarantee::note)
      .def_readonly("upper_only", &Guarantee::upper_only)
      .def_readonly("dominated", &Guarantee::dominated)
      .def_property_readonly("applies", &Guarantee::applies)
      .def_property_readonly("promised", &Guarantee::promised)
      .def_property_readonly(
          "adjacency", [](const Guarantee& g) { return g.adjacency ? std::string(name(*g.adjacency)) : std::string(); })
      .def_property_readonly("violations", [](const Guarantee& g) { return listed(g.violations); })
      .def_property_readonly("unsaid", [](const Guarantee& g) { return listed(g.unsaid); })
      .def_property_readonly("has_mu", [](const Guarantee& g) { return curve_of(g).mu().has_value(); });
  module.def("promised", &queries::promised, "Those that may be promised; of those of one theorem all that is known.",
             py::arg("guarantees"));
  module.def(
      "ask",
      [](const std::vector<Guarantee>& guarantees, const std::string& quantity, const py::buffer& at,
         const py::buffer& prior, const py::buffer& lower, const py::buffer& upper, unsigned threads) {
        for (const Guarantee& one : guarantees) {
          static_cast<void>(curve_of(one));
        }
        return Sweep(quantity, {}, at, prior).answer([&](std::size_t) { return guarantees; }, threads, lower, upper);
      },
      "The best answer of several theorems about one run: writes both ends, returns theorem, method and direction.",
      py::arg("guarantees"), py::arg("quantity"), py::arg("at"), py::arg("prior"), py::arg("lower"), py::arg("upper"),
      py::arg("threads"));
}

}  // namespace dpcurves::python
