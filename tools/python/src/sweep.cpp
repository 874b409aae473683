// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions over arrays of parameters, and DP-SGD with numbers or arrays for them.
#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/accounting/shared_contours.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/run_options.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using accounting::DpSgd;
using accounting::DpSgdPhase;
using accounting::Guarantee;

/// Nothing where the theorem has no GDP parameter.
std::optional<Enclosure> one_answer(const Guarantee& guarantee, const std::string& quantity, double at, double prior) {
  const auto& curve = *guarantee.curve;
  if (quantity == "epsilon") {
    return curve.epsilon(at).value;
  }
  if (quantity == "delta") {
    return curve.delta(at).value;
  }
  if (quantity == "renyi") {
    return curve.renyi(at);
  }
  if (quantity == "mu") {
    return curve.mu();
  }
  return attacked(guarantee, quantity, at, prior);
}

/// Keeps the better of two answers: errors of an attack are promised from below, all else from above.
void improve(std::optional<Enclosure>& best, const std::optional<Enclosure>& other, const std::string& quantity) {
  const bool errors = quantity == "tradeoff" || quantity == "bayes_error";
  if (other && (!best || (errors ? other->lower > best->lower : other->upper < best->upper))) {
    best = other;
  }
}

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

}  // namespace

Sweep::Sweep(std::string asked, const std::map<std::string, py::buffer>& of, const py::buffer& where,
             const py::buffer& priors)
    : quantity(std::move(asked)), at(numbers(where)), prior(numbers(priors)) {
  bool equal = prior.size() == at.size();
  for (const auto& [name, column] : of) {
    equal = (columns[name] = numbers(column)).size() == at.size() && equal;
  }
  if (!equal) {
    throw py::value_error("arrays of different lengths");
  }
}

void Sweep::answer(const std::function<std::vector<Guarantee>(std::size_t)>& promised, unsigned threads,
                   const py::buffer& lower, const py::buffer& upper) const {
  std::vector<std::optional<Enclosure>> best(at.size());
  const auto of_row = [&](std::size_t row) {
    for (const Guarantee& one : promised(row)) {
      improve(best[row], one_answer(one, quantity, at[row], prior[row]), quantity);
    }
  };
  // A trade-off function is built once for all type I errors of a run. NaN is equal to nothing but itself.
  const auto less = [](const std::vector<double>& one, const std::vector<double>& other) {
    return std::lexicographical_compare(one.begin(), one.end(), other.begin(), other.end(),
                                        [](double x, double y) { return std::strong_order(x, y) < 0; });
  };
  std::map<std::vector<double>, std::vector<std::size_t>, decltype(less)> rows_of_runs(less);
  for (std::size_t row = 0; quantity == "tradeoff" && row < at.size(); ++row) {
    std::vector<double> parameters;
    for (const auto& [name, column] : columns) {
      parameters.push_back(column[row]);
    }
    rows_of_runs[parameters].push_back(row);
  }
  std::vector<std::vector<std::size_t>> runs;
  for (auto& [parameters, rows] : rows_of_runs) {
    runs.push_back(std::move(rows));
  }
  const auto of_run = [&](std::size_t run) {
    std::vector<double> type_one_errors;
    for (const std::size_t row : runs[run]) {
      type_one_errors.push_back(at[row]);
    }
    for (const Guarantee& one : promised(runs[run].front())) {
      const auto found = one.curve->type_two_errors(type_one_errors);
      for (std::size_t i = 0; i < found.size(); ++i) {
        improve(best[runs[run][i]], found[i], quantity);
      }
    }
  };
  patiently([&](const Progress& progress) {
    if (quantity == "tradeoff") {
      parallel_for(runs.size(), threads, of_run, progress);
    } else if (quantity == "epsilon" || quantity == "delta") {
      accounting::in_shared_pieces(at.size(), threads, of_row, progress);
    } else {
      parallel_for(at.size(), threads, of_row, progress);
    }
  });
  std::vector<Enclosure> found;
  for (const auto& one : best) {
    if (!one) {
      throw DomainError("no theorem of a run has a GDP parameter");
    }
    found.push_back(*one);
  }
  write(found, lower, upper);
}

void bind_sweep(py::module_& module) {
  module.def("dp_sgd_sweep",
             [](const std::string& quantity, const std::map<std::string, py::buffer>& columns, const py::buffer& at,
                const py::buffer& prior, const py::buffer& lower, const py::buffer& upper, const std::string& sampling,
                const std::string& adjacency, double accuracy, unsigned threads) {
               const Sweep sweep(quantity, columns, at, prior);
               DpSgd usual = with_sampling(sampling, adjacency);
               usual.phases.emplace_back();
               accounting::Accuracy wanted;
               wanted.relative = accuracy;
               sweep.answer(
                   [&](std::size_t row) {
                     DpSgd run = usual;
                     for (const auto& [name, column] : sweep.columns) {
                       set(run, name, column[row]);
                     }
                     std::vector<Guarantee> one{accounting::dp_sgd_guarantee(run, wanted)};
                     require_theorem(one.front().theorem.c_str(), one.front().violations);
                     return one;
                   },
                   threads, lower, upper);
             });
  module.def(
      "dp_sgd_guarantees",
      [](const std::vector<std::array<double, 3>>& phases, const std::vector<std::array<double, 2>>& unsampled,
         const std::map<std::string, double>& sizes, const std::string& sampling, const std::string& adjacency,
         double accuracy, bool verify) {
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
        accounting::Accuracy wanted;
        wanted.relative = accuracy;
        wanted.verify = verify;
        return accounting::dp_sgd_guarantees(run, wanted);
      },
      py::call_guard<py::gil_scoped_release>());
  module.def("sampling_rate_of", &mechanism::sampling_rate_of);
  module.def("steps_of_epochs", [](const std::string& sampling, double epochs, double batch_size, double records) {
    return queries::steps_of_epochs(mechanism::sampler_of(sampling), epochs, batch_size, records);
  });
}

}  // namespace dpcurves::python
