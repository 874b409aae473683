// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// DP-SGD over arrays of parameters: every entry a run of one phase and a question.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/shared_contours.hpp>
#include <dpcurves/core/error.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

struct Question {
  double noise_multiplier, sampling_rate, steps, at;
};

}  // namespace

void bind_sweep(py::module_& module) {
  module.def("dp_sgd_sweep", [](const std::string& quantity, const std::array<py::buffer, 4>& of,
                                const py::buffer& lower, const py::buffer& upper, const std::string& sampling,
                                const std::string& adjacency, double accuracy, unsigned threads) {
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
      accounting::in_shared_pieces(
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
}

}  // namespace dpcurves::python
