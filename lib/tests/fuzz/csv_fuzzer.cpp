// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a table of numbers: columns that survive being written and read again, or an Error; and what the
// commands read from such files: matrices of noise, labelled images, records of a network, eigenvalues.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <dpcurves/calculators/tables/least_squares.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/queries/detail/kan_problem.hpp>
#include <dpcurves/queries/detail/strategy_file.hpp>

#include "memory_file.hpp"

namespace {

using namespace dpcurves;

template <typename Work>
void unless_refused(const Work& work) {
  try {
    work();
  } catch (const Error&) {
  }
}

void read_twice(std::string_view text, io::Header header) {
  io::Columns table;
  try {
    table = io::parse_csv(text, "input", header);
  } catch (const Error&) {
    return;
  }
  const auto again = io::parse_csv(io::to_csv(table), "written");  // an Error here is a finding
  const bool same =
      std::equal(table.all().begin(), table.all().end(), again.all().begin(), again.all().end(),
                 [](const io::Column& a, const io::Column& b) { return a.name == b.name && a.values == b.values; });
  if (!same) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_twice(text, io::Header::present);
  read_twice(text, io::Header::absent);

  static test::MemoryFile memory;
  const auto path = memory.with(text);
  unless_refused([&] { (void)queries::read_strategy_file(path, std::nullopt, "--steps"); });
  unless_refused([&] { (void)queries::read_strategy_file(path, 3, "--steps"); });
  unless_refused([&] {
    (void)calculators::spectrum_of({dpcurves::Record{{"type", {std::string("csv")}}, {"file", {std::string(path)}}}},
                                   "spectrum", 4.0);
  });
  queries::Values values;
  values.set("data", Value{path});
  unless_refused([&] { (void)queries::kan_training_data(values, 1, 0); });
  unless_refused([&] {
    if (const auto images = queries::read_images(values, ""); images) {
      (void)models::balanced_part(images->images, 1);
    }
  });
  return 0;
}
