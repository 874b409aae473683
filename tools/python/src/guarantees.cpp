// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Theorems about one run: what applies, what fails, and the curve of each.
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/gdp_parameter.hpp>
#include <dpcurves/accounting/shared_contours.hpp>
#include <dpcurves/core/error.hpp>

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

py::list listed(const std::vector<Violation>& violations) {
  py::list list;
  for (const Violation& one : violations) {
    list.append(py::make_tuple(one.assumption, one.found, one.remedy));
  }
  return list;
}

/// (lower, upper, method, direction) of every x, each asked of the curve alone.
template <class Ask>
py::list answers(const py::buffer& at, unsigned threads, const Ask& ask) {
  const auto values = numbers(at);
  std::vector<accounting::Answer> found(values.size());
  patiently([&](const Progress& progress) {
    accounting::in_shared_pieces(
        values, threads, [&](std::size_t i) { found[i] = ask(values[i]); }, progress);
  });
  py::list list;
  for (const auto& one : found) {
    list.append(py::make_tuple(one.value.lower, one.value.upper, one.method, one.direction));
  }
  return list;
}

}  // namespace

void bind_guarantees(py::module_& module) {
  py::class_<Guarantee>(module, "Guarantee")
      .def_readonly("theorem", &Guarantee::theorem)
      .def_readonly("title", &Guarantee::title)
      .def_readonly("assumed", &Guarantee::assumed)
      .def_readonly("certified", &Guarantee::certified)
      .def_readonly("note", &Guarantee::note)
      .def_property_readonly("applies", &Guarantee::applies)
      .def_property_readonly("promised", &Guarantee::promised)
      .def_property_readonly(
          "adjacency", [](const Guarantee& g) { return g.adjacency ? std::string(name(*g.adjacency)) : std::string(); })
      .def_property_readonly("violations", [](const Guarantee& g) { return listed(g.violations); })
      .def_property_readonly("unsaid", [](const Guarantee& g) { return listed(g.unsaid); })
      .def("epsilon",
           [](const Guarantee& g, const py::buffer& delta, unsigned threads) {
             const auto& curve = curve_of(g);
             return answers(delta, threads, [&](double d) { return curve.epsilon(d); });
           })
      .def("delta",
           [](const Guarantee& g, const py::buffer& epsilon, unsigned threads) {
             const auto& curve = curve_of(g);
             return answers(epsilon, threads, [&](double e) { return curve.delta(e); });
           })
      .def("tradeoff",
           [](const Guarantee& g, const py::buffer& type_one_errors, const py::buffer& lower, const py::buffer& upper) {
             const auto& curve = curve_of(g);
             const auto at = numbers(type_one_errors);
             std::vector<Enclosure> found;
             {
               const py::gil_scoped_release release;
               found = curve.type_two_errors(at);
             }
             write(found, lower, upper);
           })
      .def("renyi",
           [](const Guarantee& g, const py::buffer& orders, const py::buffer& lower, const py::buffer& upper) {
             const auto& curve = curve_of(g);
             const auto at = numbers(orders);
             std::vector<Enclosure> found(at.size());
             patiently([&](const Progress& progress) {
               parallel_for(
                   at.size(), 0, [&](std::size_t i) { found[i] = curve.renyi(at[i]); }, progress);
             });
             write(found, lower, upper);
           })
      .def("mu", [](const Guarantee& g) -> py::object {
        const auto mu = curve_of(g).mu();
        return mu ? py::object(py::make_tuple(mu->lower, mu->upper)) : py::none();
      });
}

}  // namespace dpcurves::python
