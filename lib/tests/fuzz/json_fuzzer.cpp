// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as the JSON inputs of calculators, as a file of checks, and as a least-squares problem: an answer or an
// Error, never anything else.
#include <cstddef>
#include <cstdint>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>

#include "documents.hpp"
#include "memory_file.hpp"

namespace {

using dpcurves::tools::Json;

/// Whether the document asks for a spectrum of more than a few thousand eigenvalues: honest work, but slow.
bool is_large(const Json& given) {
  if (given.is_object() || given.is_array()) {
    for (const auto& [key, value] : given.items()) {
      if (((key == "dim" || key == "size") && value.is_number() && value.get<double>() > 4096.0) || is_large(value)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Json given;
  try {
    given = tools::parse_json(text, "input");
  } catch (const Error&) {
    return 0;
  }
  if (is_large(given)) {
    return 0;
  }
  test::try_inputs(given);
  test::try_checks(given);
  static test::MemoryFile file;
  try {
    (void)queries::read_problem_file(file.with(text));
  } catch (const Error&) {
  }
  return 0;
}
