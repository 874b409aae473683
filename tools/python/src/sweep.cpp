// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// DP-SGD over arrays of parameters: every entry a run of one phase and a question.
#include "native.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/calibration.hpp>
#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>

namespace py = pybind11;

namespace dpcurves::python {
namespace {

struct Question {
  double noise_multiplier, sampling_rate, steps, at;
};

}  // namespace

void bind_sweep(py::module_& module) {
  module.def(
      "dp_sgd_sweep",
      [](const std::string& quantity, const std::array<py::buffer, 4>& of, const py::buffer& lower,
         const py::buffer& upper, const std::string& sampling, const std::string& adjacency, double accuracy,
         unsigned threads) {
        std::array<std::vector<double>, 4> columns;  // noise multiplier, sampling rate, steps, delta or epsilon
        std::transform(of.begin(), of.end(), columns.begin(), numbers);
        const auto size = columns.front().size();
        for (const auto& column : columns) {
          if (column.size() != size) {
            throw py::value_error("arrays of different lengths");
          }
        }
        accounting::DpSgd usual;
        usual.sampling = mechanism::sampler_of(sampling);
        usual.adjacency =
            adjacency.empty() ? mechanism::usual_adjacency(usual.sampling) : mechanism::adjacency_of(adjacency);
        std::vector<Question> questions(size);
        for (std::size_t i = 0; i < size; ++i) {
          questions[i] = {columns[0][i], columns[1][i], columns[2][i], columns[3][i]};
        }
        std::vector<Enclosure> found(size);
        const bool epsilon = quantity == "epsilon";
        accounting::Accuracy wanted;
        wanted.relative = accuracy;
        patiently([&](const Progress& progress) {
          parallel_for(
              size, threads,
              [&](std::size_t i) {
                const Question& q = questions[i];
                accounting::DpSgd run = usual;
                run.phases.push_back({q.noise_multiplier, q.sampling_rate, q.steps});
                const auto guarantee = accounting::dp_sgd_guarantee(run, wanted);
                require_theorem(guarantee.theorem.c_str(), guarantee.violations);
                found[i] = (epsilon ? guarantee.curve->epsilon(q.at) : guarantee.curve->delta(q.at)).value;
              },
              progress);
        });
        write(found, lower, upper);
      });
  module.def("calibrate_dp_sgd", [](const std::string& solve_for, double noise_multiplier, double sampling_rate,
                                    double steps, double epsilon, double delta, const std::string& sampling,
                                    const std::string& adjacency) -> std::optional<double> {
    const py::gil_scoped_release release;
    accounting::DpSgd run;
    run.sampling = mechanism::sampler_of(sampling);
    run.adjacency = adjacency.empty() ? mechanism::usual_adjacency(run.sampling) : mechanism::adjacency_of(adjacency);
    run.phases.push_back({noise_multiplier, sampling_rate, steps});
    accounting::DpSgdPhase& phase = run.phases.front();
    const bool noise = solve_for == "noise_multiplier", count = solve_for == "steps";
    double& unknown = noise ? phase.noise_multiplier : count ? phase.steps : phase.sampling_rate;
    accounting::Parameter parameter;
    parameter.lowest = count ? 1.0 : 0.0;
    parameter.highest = noise || count ? std::numeric_limits<double>::infinity() : 1.0;
    parameter.whole = count;
    parameter.more_is_private = noise;
    accounting::CalibrationTarget target;
    target.epsilon = epsilon;
    target.delta = delta;
    target.tolerance = 1e-7;
    return accounting::calibrate(
               [&](double value, double relative) -> std::optional<Enclosure> {
                 unknown = value;
                 accounting::Accuracy wanted;
                 wanted.relative = relative;
                 const auto guarantee = accounting::dp_sgd_guarantee(run, wanted);
                 return guarantee.applies() ? std::optional(guarantee.curve->delta(epsilon).value) : std::nullopt;
               },
               parameter, target)
        .value;
  });
}

}  // namespace dpcurves::python
