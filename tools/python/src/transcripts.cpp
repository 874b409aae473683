// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What other tools wrote about a run, read as data.
#include <optional>
#include <string>

#include <dpcurves/queries/run_file.hpp>
#include <dpcurves/transcripts/transcript.hpp>

#include "native.hpp"

namespace py = pybind11;

namespace dpcurves::python {

void bind_transcripts(py::module_& module) {
  module.def("read_transcript", [](const std::string& text, const std::string& reader, const std::string& adjacency,
                                   const std::string& sampling, std::optional<double> records,
                                   std::optional<double> batch_size, std::optional<double> delta) {
    transcripts::Given given;
    given.reader = reader;
    given.records = records;
    given.batch_size = batch_size;
    given.delta = delta;
    if (!adjacency.empty()) {
      given.adjacency = mechanism::adjacency_of(adjacency);
    }
    if (!sampling.empty()) {
      given.sampler = mechanism::sampler_of(sampling);
    }
    Record read;
    accounting::Guarantee guarantee;
    {
      const py::gil_scoped_release release;
      const auto transcript = transcripts::read(text, "text.json", given);
      read = queries::transcript_record(transcript, transcripts::check(transcript, delta), delta);
      guarantee = transcripts::guarantee(transcript, {}, delta);
    }
    return py::make_tuple(object_of({read}), guarantee);
  });
}

}  // namespace dpcurves::python
