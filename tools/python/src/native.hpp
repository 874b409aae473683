// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The parts of the extension module.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/core/record.hpp>

namespace dpcurves::python {

/// The doubles of a contiguous array of one dimension, by the buffer protocol: headers of numpy differ between
/// versions.
[[nodiscard]] std::vector<double> numbers(const pybind11::buffer& array);
/// Writes them into an array of that length.
void write(const std::vector<double>& values, const pybind11::buffer& array);
/// Writes both ends into arrays of that length.
void write(const std::vector<Enclosure>& intervals, const pybind11::buffer& lower, const pybind11::buffer& upper);
/// Dictionaries, lists, numbers, texts, None.
[[nodiscard]] pybind11::object object_of(const Value& value);

/// Progress that obeys Ctrl-C; to be called without the interpreter lock.
class Patience {
 public:
  [[nodiscard]] Progress follow();
  /// Throws what Python raised, if it raised anything. Needs the interpreter lock.
  void finish() const;

 private:
  bool interrupted_ = false;
};

/// Runs `work` without the interpreter lock. Ctrl-C ends it, where it asks its Progress, and is raised.
void patiently(const std::function<void(const Progress&)>& work);

/// Theorem, method and direction of an answer; of many answers each once, with "; " between them.
using Words = std::tuple<std::string, std::string, std::string>;

/// The theorems that may be asked of a row.
using Promised = std::function<std::vector<accounting::Guarantee>(std::size_t row)>;

/// One question about many runs: the rows of columns of equal length.
struct Sweep {
  std::string quantity;                                ///< epsilon, delta, tradeoff, renyi, mu or a measure of attacks
  std::map<std::string, std::vector<double>> columns;  ///< parameters of the runs by their names
  std::vector<double> at;                              ///< delta, epsilon, type I error, ...; 0 where nothing is asked
  std::vector<double> prior;                           ///< of the measures that have one

  /// \throws ValueError of Python  for columns of different lengths.
  Sweep(std::string quantity, const std::map<std::string, pybind11::buffer>& columns, const pybind11::buffer& at,
        const pybind11::buffer& prior);
  /// Writes the best answer of what `promised` gives for each row, which may be called by several threads at once.
  /// Ctrl-C ends it.
  [[nodiscard]] Words answer(const Promised& promised, unsigned threads, const pybind11::buffer& lower,
                             const pybind11::buffer& upper) const;
};

void bind_records(pybind11::module_& module);      ///< calculators by name
void bind_guarantees(pybind11::module_& module);   ///< theorems about one run
void bind_sweep(pybind11::module_& module);        ///< DP-SGD over arrays of parameters
void bind_algorithms(pybind11::module_& module);   ///< the algorithms of `dpcurves privacy`
void bind_commands(pybind11::module_& module);     ///< command lines
void bind_transcripts(pybind11::module_& module);  ///< what other tools wrote
void bind_simulate(pybind11::module_& module);     ///< runs of noisy descent
void bind_judge(pybind11::module_& module);        ///< verdicts on claims

}  // namespace dpcurves::python
