// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Verdicts on somebody's claims, by the rules of the validation cases.
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/core/error.hpp>

#include "native.hpp"
#include "validation/judgement.hpp"
#include "validation/threshold_audit.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using validation::Trial;

/// Two trials on the same data: the claim and its control.
class Trials {
 public:
  /// Two samples of a statistic against trade-off functions. The first tenth under P sets the thresholds.
  void samples(const std::string& what, const py::buffer& under_p, const py::buffer& under_q,
               const std::vector<double>& type_one_errors, const py::function& claim,
               const std::optional<py::function>& control) {
    const auto points = validation::threshold_points(numbers(under_p), numbers(under_q), type_one_errors);
    const auto curve = [](const py::object& function) {
      return [&function](double a) { return function(a).cast<double>(); };
    };
    validation::check_points(outcome_.claim, points, curve(claim), false, what);
    if (control) {
      validation::check_points(outcome_.control, points, curve(*control), false, what);
    }
  }

  /// An exact value against an upper bound.
  void exact(const std::string& what, double value, double claim, std::optional<double> control) {
    for (auto* trial : {&outcome_.claim, &outcome_.control}) {
      trial->by_exact_law();
    }
    outcome_.claim.at_most(value, claim, what);
    if (control) {
      outcome_.control.at_most(value, *control, what);
    }
  }

  [[nodiscard]] py::dict judgement() const {
    const auto found = validation::judge(outcome_, false);
    py::dict answer;
    answer["verdict"] = to_string(validation::verdict_of(outcome_.claim));
    answer["controlled"] = found.controlled();
    answer["resolution"] = found.resolution;
    answer["gap"] = found.gap ? py::object(py::make_tuple(found.gap->least, found.gap->median)) : py::none();
    answer["runs"] = found.runs;
    answer["miss"] = found.levels.miss;
    answer["broken"] = py::make_tuple(outcome_.claim.failures(), outcome_.claim.comparisons());
    answer["control_broken"] = py::make_tuple(outcome_.control.failures(), outcome_.control.comparisons());
    answer["claim"] = outcome_.claim.lines();
    answer["control"] = outcome_.control.lines();
    return answer;
  }

 private:
  validation::Outcome outcome_;
};

}  // namespace

void bind_judge(py::module_& module) {
  py::class_<Trials>(module, "Trials")
      .def(py::init<>())
      .def("samples", &Trials::samples, py::arg("what"), py::arg("under_p"), py::arg("under_q"),
           py::arg("type_one_errors"), py::arg("claim"), py::arg("control"))
      .def("exact", &Trials::exact, py::arg("what"), py::arg("value"), py::arg("claim"), py::arg("control"))
      .def("judgement", &Trials::judgement);
}

}  // namespace dpcurves::python
