// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions over arrays of parameters, and DP-SGD with numbers or arrays for them.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/attack.hpp>
#include <dpcurves/queries/detail/run_options.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using accounting::DpSgd;
using accounting::DpSgdPhase;
using accounting::Guarantee;

/// Sets a parameter of DpSgd in Python; those of phases in all of them.
void set(DpSgd& run, std::string_view name, double value) {
  constexpr std::array<std::pair<std::string_view, double DpSgdPhase::*>, 6> of_phases{
      {{"noise_multiplier", &DpSgdPhase::noise_multiplier},
       {"sampling_rate", &DpSgdPhase::sampling_rate},
       {"steps", &DpSgdPhase::steps},
       {"records", &DpSgdPhase::records},
       {"cycle", &DpSgdPhase::cycle},
       {"largest_batch", &DpSgdPhase::largest_batch}}};
  constexpr std::array<std::pair<std::string_view, double DpSgd::*>, 3> of_run{
      {{"uses_per_round", &DpSgd::uses_per_round},
       {"separation", &DpSgd::separation},
       {"group_size", &DpSgd::group_size}}};
  for (const auto& [known, member] : of_phases) {
    if (known == name) {
      for (DpSgdPhase& phase : run.phases) {
        phase.*member = value;
      }
      return;
    }
  }
  for (const auto& [known, member] : of_run) {
    if (known == name) {
      run.*member = value;
      return;
    }
  }
  throw UsageError("DpSgd has no parameter " + std::string(name));
}

DpSgd with_sampling(const std::string& sampling, const std::string& adjacency) {
  DpSgd run;
  run.sampling = mechanism::sampler_of(sampling);
  run.adjacency = adjacency.empty() ? mechanism::usual_adjacency(run.sampling) : mechanism::adjacency_of(adjacency);
  return run;
}

/// Only shuffled and truncated batches have theorems of which now one, now another says more.
std::vector<Guarantee> promised_of(const DpSgd& run, const accounting::Accuracy& accuracy) {
  const bool several =
      run.sampling == mechanism::Sampler::shuffled || run.sampling == mechanism::Sampler::truncated_poisson;
  return queries::promised(several ? accounting::dp_sgd_guarantees(run, accuracy)
                                   : std::vector<Guarantee>{accounting::dp_sgd_guarantee(run, accuracy)});
}

Words sweep_dp_sgd(const std::string& quantity, const std::map<std::string, py::buffer>& columns, const py::buffer& at,
                   const py::buffer& prior, const py::buffer& lower, const py::buffer& upper,
                   const std::string& sampling, const std::string& adjacency, double accuracy, bool verify,
                   unsigned threads) {
  const Sweep sweep(quantity, columns, at, prior);
  DpSgd usual = with_sampling(sampling, adjacency);
  usual.phases.emplace_back();
  accounting::Accuracy wanted{.relative = accuracy, .verify = verify};
  return sweep.answer(
      [&](std::size_t row) {
        DpSgd run = usual;
        for (const auto& [name, column] : sweep.columns) {
          set(run, name, column[row]);
        }
        return promised_of(run, wanted);
      },
      threads, lower, upper);
}

std::vector<Guarantee> guarantees(const std::vector<std::array<double, 3>>& phases,
                                  const std::vector<std::array<double, 2>>& unsampled,
                                  const std::map<std::string, double>& sizes, const std::string& sampling,
                                  const std::string& adjacency, double accuracy, bool verify) {
  DpSgd run = with_sampling(sampling, adjacency);
  for (const auto& [noise_multiplier, sampling_rate, steps] : phases) {
    run.phases.push_back({noise_multiplier, sampling_rate, steps});
  }
  for (const auto& [noise_multiplier, count] : unsampled) {
    run.unsampled.push_back({noise_multiplier, count});
  }
  for (const auto& [name, value] : sizes) {
    set(run, name, value);
  }
  accounting::Accuracy wanted{.relative = accuracy, .verify = verify};
  return accounting::dp_sgd_guarantees(run, wanted);
}

}  // namespace

void bind_sweep(py::module_& module) {
  module.def("dp_sgd_sweep", &sweep_dp_sgd, "One question about runs of DP-SGD, a row of columns each; as ask.",
             py::arg("quantity"), py::arg("columns"), py::arg("at"), py::arg("prior"), py::arg("lower"),
             py::arg("upper"), py::arg("sampling"), py::arg("adjacency"), py::arg("accuracy"), py::arg("verify"),
             py::arg("threads"));
  module.def("dp_sgd_guarantees", &guarantees, "Every theorem about a run of DP-SGD.", py::arg("phases"),
             py::arg("unsampled"), py::arg("sizes"), py::arg("sampling"), py::arg("adjacency"), py::arg("accuracy"),
             py::arg("verify"), py::call_guard<py::gil_scoped_release>());
  module.def("sampling_rate_of", &mechanism::sampling_rate_of, "batch_size / records, rounded up.",
             py::arg("batch_size"), py::arg("records"));
  module.def(
      "steps_of_epochs",
      [](const std::string& sampling, double epochs, double batch_size, double records) {
        return queries::steps_of_epochs(mechanism::sampler_of(sampling), epochs, batch_size, records);
      },
      "Steps of so many epochs.", py::arg("sampling"), py::arg("epochs"), py::arg("batch_size"), py::arg("records"));
}

}  // namespace dpcurves::python
