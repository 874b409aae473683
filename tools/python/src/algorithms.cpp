// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The algorithms of `dpcurves privacy`: their options, and the theorems that speak of them.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/algorithm.hpp>

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

/// What decides the parameters that an algorithm chooses itself, where neither epsilon nor delta is asked for: total
/// variation, rates of a percent and tiny ones.
std::vector<queries::Target> targets(const Algorithm& algorithm, const std::string& quantity, double at) {
  if (quantity == "epsilon" || quantity == "delta") {
    return {target_of(quantity, at)};
  }
  if (!algorithm.chooses_for_target) {
    return {target_of("epsilon", 1e-5)};
  }
  return {target_of("delta", 0.0), target_of("epsilon", 1e-3), target_of("epsilon", 1e-8)};
}

/// Those that may be promised. \param open  gets what would say more under hypotheses that nobody has said.
std::vector<Guarantee> promised(const std::vector<Guarantee>& all, std::set<std::string>& open) {
  std::vector<Guarantee> found;
  std::string lacking;
  for (const Guarantee& guarantee : all) {
    if (guarantee.promised()) {
      found.push_back(guarantee);
      continue;
    }
    lacking +=
        "\n  " + guarantee.theorem + ": " + describe(guarantee.applies() ? guarantee.unsaid : guarantee.violations);
    if (guarantee.applies() && !guarantee.unsaid.empty()) {
      open.insert(guarantee.theorem + ": " + guarantee.unsaid.front().assumption);
    }
  }
  if (found.empty()) {
    throw DomainError("no theorem applies:" + lacking);
  }
  return found;
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
/// \returns what would say more under hypotheses that nobody has said.
std::set<std::string> sweep_algorithm(const std::string& name, const std::string& quantity,
                                      const queries::RawOptions& fixed,
                                      const std::map<std::string, py::buffer>& columns, const py::buffer& at,
                                      const py::buffer& prior, const py::buffer& lower, const py::buffer& upper,
                                      unsigned threads) {
  const Algorithm& algorithm = queries::algorithm_named(name);
  const Sweep sweep(quantity, columns, at, prior);
  std::set<std::string> open;
  std::mutex one_at_a_time;
  sweep.answer(
      [&](std::size_t row) {
        queries::RawOptions raw = fixed;
        for (const auto& [option, values] : sweep.columns) {
          raw[option] = {shortest(values[row])};
        }
        std::vector<Guarantee> all;
        for (const queries::Target& target : targets(algorithm, quantity, sweep.at[row])) {
          auto some = guarantees(algorithm, raw, target);
          std::move(some.begin(), some.end(), std::back_inserter(all));
        }
        const std::scoped_lock lock(one_at_a_time);
        return promised(all, open);
      },
      threads, lower, upper);
  return open;
}

}  // namespace

void bind_algorithms(py::module_& module) {
  module.def("algorithm_names", [] {
    std::vector<std::string> names;
    for (const Algorithm& one : queries::algorithms()) {
      names.push_back(one.name);
    }
    return names;
  });
  module.def("algorithm_summary", [](const std::string& name) { return queries::algorithm_named(name).summary; });
  module.def("algorithm_chooses",
             [](const std::string& name) { return queries::algorithm_named(name).chooses_for_target; });
  module.def("algorithm_options", [](const std::string& name) {
    py::list list;
    for (const queries::Option& option : queries::algorithm_named(name).options) {
      py::dict row;
      row["name"] = option.name;
      row["kind"] = kind(option.kind);
      row["range"] = option.range;
      row["help"] = option.help;
      row["aliases"] = option.aliases;
      list.append(row);
    }
    return list;
  });
  module.def(
      "algorithm_guarantees",
      [](const std::string& name, const queries::RawOptions& raw, const std::string& quantity, double at) {
        return guarantees(queries::algorithm_named(name), raw, target_of(quantity, at));
      },
      py::call_guard<py::gil_scoped_release>());
  module.def("algorithm_sweep", &sweep_algorithm);
}

}  // namespace dpcurves::python
