// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The algorithms of `dpcurves privacy`: their options, and the theorems that speak of them.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/queries/attack.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using accounting::Guarantee;
using queries::Algorithm;

std::vector<Guarantee> guarantees(const Algorithm& algorithm, const queries::RawOptions& raw,
                                  const queries::Target& target) {
  auto values = queries::checked_options(algorithm.options, raw);
  if (algorithm.complete) {
    algorithm.complete(values, algorithm.options);
  }
  return algorithm.guarantees(values, target);
}

queries::Target target_of(const std::string& quantity, double at) {
  queries::Target target;
  (quantity == "epsilon" ? target.delta : target.epsilon) = at;
  return target;
}

/// For what an algorithm chooses its own parameters where neither epsilon nor delta is asked for: as command lines do
/// for whole curves, and for attacks, which total variation, rates of a percent and tiny ones decide.
std::vector<queries::Target> targets(const Algorithm& algorithm, const std::string& quantity, double at) {
  if (quantity == "epsilon" || quantity == "delta") {
    return {target_of(quantity, at)};
  }
  if (!algorithm.chooses_for_target || quantity == "mu") {
    return {target_of("epsilon", 1e-5)};
  }
  if (quantity == "tradeoff" || quantity == "renyi") {
    return {target_of("epsilon", 1e-2), target_of("epsilon", 1e-5), target_of("epsilon", 1e-10)};
  }
  return {target_of("delta", 0.0), target_of("epsilon", 1e-3), target_of("epsilon", 1e-8)};
}

/// What would say more under hypotheses that nobody has said.
std::set<std::string> open_theorems(const std::vector<Guarantee>& all) {
  std::set<std::string> open;
  for (const Guarantee& guarantee : all) {
    if (guarantee.applies() && !guarantee.promised() && !guarantee.unsaid.empty()) {
      open.insert(guarantee.theorem + ": " + guarantee.unsaid.front().assumption);
    }
  }
  return open;
}

/// All theorems, for everything that an algorithm chooses its parameters for.
std::vector<Guarantee> all_guarantees(const Algorithm& algorithm, const queries::RawOptions& raw,
                                      const std::string& quantity, double at) {
  std::vector<Guarantee> all;
  for (const queries::Target& target : targets(algorithm, quantity, at)) {
    auto some = guarantees(algorithm, raw, target);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

const char* kind(queries::OptionKind kind) {
  switch (kind) {
    case queries::OptionKind::number:
      return "number";
    case queries::OptionKind::count:
      return "count";
    case queries::OptionKind::text:
      return "text";
    case queries::OptionKind::numbers:
      return "numbers";
    case queries::OptionKind::texts:
      return "texts";
    case queries::OptionKind::flag:
      return "flag";
  }
  return "";
}

/// Parameters as texts, some of them in columns of numbers, and a question for each row.
/// \returns also what would say more under hypotheses that nobody has said.
std::pair<Words, std::set<std::string>> sweep_algorithm(const std::string& name, const std::string& quantity,
                                                        const queries::RawOptions& fixed,
                                                        const std::map<std::string, py::buffer>& columns,
                                                        const py::buffer& at, const py::buffer& prior,
                                                        const py::buffer& lower, const py::buffer& upper,
                                                        unsigned threads) {
  const Algorithm& algorithm = queries::algorithm_named(name);
  const Sweep sweep(quantity, columns, at, prior);
  std::set<std::string> open;
  std::mutex one_at_a_time;
  Words words = sweep.answer(
      [&](std::size_t row) {
        queries::RawOptions raw = fixed;
        for (const auto& [option, values] : sweep.columns) {
          raw[option] = {shortest(values[row])};
        }
        const auto all = all_guarantees(algorithm, raw, quantity, sweep.at[row]);
        {
          const std::scoped_lock lock(one_at_a_time);
          open.merge(open_theorems(all));
        }
        return queries::promised(all);
      },
      threads, lower, upper);
  return {std::move(words), std::move(open)};
}

py::dict listed(const queries::Option& option) {
  py::dict row;
  row["name"] = option.name;
  row["kind"] = kind(option.kind);
  row["range"] = option.range;
  row["help"] = option.help;
  row["aliases"] = option.aliases;
  return row;
}

}  // namespace

void bind_algorithms(py::module_& module) {
  module.def(
      "algorithm_names", [] { return mapped(queries::algorithms(), [&](const Algorithm& one) { return one.name; }); },
      "The algorithms of `dpcurves privacy`.");
  module.def(
      "algorithm_summary", [](const std::string& name) { return queries::algorithm_named(name).summary; }, "One line.",
      py::arg("name"));
  module.def(
      "algorithm_options",
      [](const std::string& name) {
        return mapped(queries::algorithm_named(name).options,
                      [&](const queries::Option& option) { return listed(option); });
      },
      "Name, kind, range, help and aliases of each option.", py::arg("name"));
  module.def(
      "algorithm_guarantees",
      [](const std::string& name, const queries::RawOptions& raw, const std::string& quantity, double at) {
        return guarantees(queries::algorithm_named(name), raw, target_of(quantity, at));
      },
      "Every theorem, with its own parameters chosen for an epsilon or a delta.", py::arg("name"), py::arg("options"),
      py::arg("quantity"), py::arg("at"), py::call_guard<py::gil_scoped_release>());
  module.def(
      "algorithm_promised",
      [](const std::string& name, const queries::RawOptions& raw, const std::string& quantity, double at) {
        const auto all = all_guarantees(queries::algorithm_named(name), raw, quantity, at);
        return std::pair(queries::promised(all), open_theorems(all));
      },
      "The theorems that answer, and what would say more under hypotheses that nobody has said.", py::arg("name"),
      py::arg("options"), py::arg("quantity"), py::arg("at"), py::call_guard<py::gil_scoped_release>());
  module.def("algorithm_sweep", &sweep_algorithm, "One question about runs, a row of columns each; as ask.",
             py::arg("name"), py::arg("quantity"), py::arg("fixed"), py::arg("columns"), py::arg("at"),
             py::arg("prior"), py::arg("lower"), py::arg("upper"), py::arg("threads"));
}

}  // namespace dpcurves::python
