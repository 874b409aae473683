// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a table of numbers: columns that survive being written and read again, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/csv.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto header : {io::Header::present, io::Header::absent}) {
    io::Columns table;
    try {
      table = io::parse_csv(text, "input", header);
    } catch (const Error&) {
      continue;
    }
    const auto again = io::parse_csv(io::to_csv(table), "written");  // an Error here is a finding
    if (again.rows() != table.rows() || again.all().size() != table.all().size()) {
      std::abort();
    }
    for (std::size_t k = 0; k < table.all().size(); ++k) {
      if (again.all()[k].values != table.all()[k].values) {
        std::abort();
      }
    }
  }
  return 0;
}
