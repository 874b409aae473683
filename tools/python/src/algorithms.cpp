// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The algorithms of `dpcurves privacy`: their options, and the theorems that speak of them.
#include "native.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/shared_contours.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/algorithm.hpp>

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using accounting::Guarantee;
using queries::Algorithm;

const Algorithm& find(const std::string& name) {
  const auto& all = queries::algorithms();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Algorithm& one) { return one.name == name; });
  if (found == all.end()) {
    throw UsageError("there is no algorithm " + name);
  }
  return *found;
}

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

/// The least upper end of those that may be promised, as `dpcurves privacy` has it.
Enclosure best(const std::vector<Guarantee>& all, const std::string& quantity, double at) {
  std::optional<Enclosure> found;
  std::string lacking;
  for (const Guarantee& guarantee : all) {
    if (!guarantee.promised()) {
      lacking += "\n  " + guarantee.theorem + ": " + describe(guarantee.applies() ? guarantee.unsaid : guarantee.violations);
      continue;
    }
    const auto one = quantity == "epsilon" ? guarantee.curve->epsilon(at) : guarantee.curve->delta(at);
    if (!found || one.value.upper < found->upper) {
      found = one.value;
    }
  }
  if (!found) {
    throw DomainError("no theorem applies:" + lacking);
  }
  return *found;
}

const char* kind(queries::OptionKind kind) {
  switch (kind) {
    case queries::OptionKind::number: return "number";
    case queries::OptionKind::count: return "count";
    case queries::OptionKind::text: return "text";
    case queries::OptionKind::numbers: return "numbers";
    case queries::OptionKind::texts: return "texts";
    case queries::OptionKind::flag: return "flag";
  }
  return "";
}

/// Parameters as texts, some of them in columns of numbers, and a question for each row.
void sweep(const std::string& name, const std::string& quantity, const queries::RawOptions& fixed,
           const std::map<std::string, py::buffer>& columns, const py::buffer& at, const py::buffer& lower,
           const py::buffer& upper, unsigned threads) {
  const Algorithm& algorithm = find(name);
  const auto asked = numbers(at);
  std::map<std::string, std::vector<double>> swept;
  for (const auto& [option, column] : columns) {
    swept[option] = numbers(column);
    if (swept[option].size() != asked.size()) {
      throw py::value_error("arrays of different lengths");
    }
  }
  std::vector<Enclosure> found(asked.size());
  patiently([&](const Progress& progress) {
    accounting::in_shared_pieces(
        asked.size(), threads,
        [&](std::size_t i) {
          queries::RawOptions raw = fixed;
          for (const auto& [option, values] : swept) {
            raw[option] = {shortest(values[i])};
          }
          found[i] = best(guarantees(algorithm, raw, target_of(quantity, asked[i])), quantity, asked[i]);
        },
        progress);
  });
  write(found, lower, upper);
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
  module.def("algorithm_summary", [](const std::string& name) { return find(name).summary; });
  module.def("algorithm_chooses", [](const std::string& name) { return find(name).chooses_for_target; });
  module.def("algorithm_options", [](const std::string& name) {
    py::list list;
    for (const queries::Option& option : find(name).options) {
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
        return guarantees(find(name), raw, target_of(quantity, at));
      },
      py::call_guard<py::gil_scoped_release>());
  module.def("algorithm_sweep", &sweep);
}

}  // namespace dpcurves::python
