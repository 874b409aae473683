// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/simulation.hpp"

#include <dpcurves/io/table.hpp>

namespace dpcurves::tools {

void print(const Common& common, const Record& inputs, const Simulation& result) {
  switch (common.parsed_format()) {
    case Format::json: {
      Json json = result_head("dpcurves/simulate/1", inputs);
      json["inputs"]["process"] = result.process;
      json["seed"] = result.drawn ? Json(common.seed) : Json(nullptr);
      json["wall_seconds"] = result.seconds;
      json.update(result.fields);
      emit(common, pretty(json));
      break;
    }
    case Format::csv:
      emit(common, io::to_csv(io::Columns(result.columns)));
      break;
    case Format::markdown:
    case Format::text:
      emit(common, io::broken_lines(result.text));
      break;
  }
}

}  // namespace dpcurves::tools
