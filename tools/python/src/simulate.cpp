// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs of noisy descent on two neighbouring data sets, as arrays.
#include <cstdint>
#include <string>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/losses.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using simulate::BatchRule;

BatchRule rule_of(const std::string& name) {
  if (name == "full") {
    return BatchRule::full;
  }
  if (name == "cyclic") {
    return BatchRule::cyclic;
  }
  if (name == "subset") {
    return BatchRule::subset;
  }
  throw DomainError("batches: " + name + " is none of full, cyclic, subset");
}

}  // namespace

void bind_simulate(py::module_& module) {
  const auto final_iterates = [](const std::string& batches, std::size_t batch_size, double step_size, double noise,
                                 std::size_t steps, double diameter, double curvature, double tanh_weight,
                                 const py::buffer& drifts, std::uint64_t seed, std::uint32_t first_path,
                                 unsigned threads, const py::buffer& iterates) {
    simulate::NoisyDescent setting{
        .rule = rule_of(batches), .batch_size = batch_size, .step_size = step_size, .noise = noise, .steps = steps};
    if (diameter > 0.0) {
      setting.projection = models::Projection::box(0.5 * diameter);
    }
    const models::SeparableLosses losses(curvature, tanh_weight, 1, numbers(drifts));
    const auto paths = static_cast<std::size_t>(iterates.request().size);
    std::vector<double> found;
    patiently([&](const Progress& progress) {
      found = simulate::final_iterates(setting, losses, paths, seed, first_path, threads, progress);
    });
    write(found, iterates);
  };
  module.def("final_iterates", final_iterates, "Last iterates of as many runs as the array has entries.",
             py::arg("batches"), py::arg("batch_size"), py::arg("step_size"), py::arg("noise"), py::arg("steps"),
             py::arg("diameter"), py::arg("curvature"), py::arg("tanh_weight"), py::arg("drifts"), py::arg("seed"),
             py::arg("first_path"), py::arg("threads"), py::arg("iterates"));
}

}  // namespace dpcurves::python
