// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What other tools wrote about a run, read as data.
#include <optional>
#include <string>
#include <utility>

#include <dpcurves/queries/detail/run_file.hpp>
#include <dpcurves/transcripts/transcript.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {

namespace {

std::pair<py::dict, accounting::Guarantee> read(const std::string& text, const std::string& reader,
                                                const std::string& adjacency, const std::string& sampling,
                                                std::optional<double> records, std::optional<double> batch_size,
                                                std::optional<double> delta) {
  transcripts::Given given{.reader = reader, .records = records, .batch_size = batch_size, .delta = delta};
  if (!adjacency.empty()) {
    given.adjacency = mechanism::adjacency_of(adjacency);
  }
  if (!sampling.empty()) {
    given.sampler = mechanism::sampler_of(sampling);
  }
  Record found;
  accounting::Guarantee guarantee;
  {
    const py::gil_scoped_release release;
    const auto transcript = transcripts::read(text, "text.json", given);
    found = queries::transcript_record(transcript, transcripts::check(transcript, delta), delta);
    guarantee = transcripts::guarantee(transcript, {}, delta);
  }
  return {py::dict(object_of({found})), std::move(guarantee)};
}

}  // namespace

void bind_transcripts(py::module_& module) {
  module.def("read_transcript", &read, "What was read, and the theorem of the whole.", py::arg("text"),
             py::arg("reader"), py::arg("adjacency"), py::arg("sampling"), py::arg("records"), py::arg("batch_size"),
             py::arg("delta"));
}

}  // namespace dpcurves::python
