// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// A guarantee in the words of an attacker.
#include <optional>
#include <string>

#include <dpcurves/attack/attack.hpp>
#include <dpcurves/core/error.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {
namespace {

using attack::Attack;

struct Found {
  Enclosure value;
  std::string direction;
};

Found ask(Attack& attack, const std::string& measure, double at, double prior) {
  if (measure == "tpr") {
    const auto found = attack.power(at);
    return {found.value.power, found.direction};
  }
  if (measure == "advantage") {
    const auto found = attack.advantage();
    return {found.value.advantage, found.direction};
  }
  if (measure == "bayes_error") {
    const auto found = attack.bayes_error(prior);
    return {found.value.error, found.direction};
  }
  if (measure == "precision") {
    const auto found = attack.precision_at_rate(prior, at);
    return {found.value.precision, found.direction};
  }
  if (measure == "precision_at_recall") {
    const auto found = attack.precision_at_recall(prior, at);
    return {found.value.precision, found.direction};
  }
  if (measure == "auc") {
    const auto found = attack.area();
    return {found.value, found.direction};
  }
  if (measure == "reconstruction") {
    const auto found = attack.reconstruction(at);
    return {found.value.power, found.direction};
  }
  if (measure == "posterior_odds") {
    const auto found = attack.posterior_tail(at);
    return {found.value, found.direction};
  }
  if (measure == "regret") {
    return {attack.regret(at).regret, ""};
  }
  throw UsageError("there is no measure " + measure);
}

}  // namespace

Enclosure attacked(const accounting::Guarantee& guarantee, const std::string& measure, double at, double prior) {
  Attack one(guarantee);
  return ask(one, measure, at, prior).value;
}

void bind_attack(py::module_& module) {
  module.def("attack", [](const accounting::Guarantee& guarantee, const std::string& measure, const py::buffer& at,
                          const py::buffer& prior, const py::buffer& lower, const py::buffer& upper, unsigned threads) {
    const auto where = numbers(at);
    const auto priors = numbers(prior);
    if (priors.size() != where.size()) {
      throw py::value_error("arrays of different lengths");
    }
    std::vector<Found> found(where.size());
    patiently([&](const Progress& progress) {
      parallel_for(
          where.size(), threads,
          [&](std::size_t i) {
            Attack one(guarantee);  // each alone: digits do not depend on what was asked before
            found[i] = ask(one, measure, where[i], priors[i]);
          },
          progress);
    });
    std::vector<Enclosure> values;
    for (const Found& one : found) {
      values.push_back(one.value);
    }
    write(values, lower, upper);
    return found.size() == 1 ? found.front().direction : std::string();
  });
}

}  // namespace dpcurves::python
