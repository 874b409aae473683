// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/own_draws.hpp"

#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/sample_tests.hpp>
#include <dpcurves/io/detail/csv.hpp>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

/// The numbers of a CSV file of one column.
std::vector<double> numbers_in(const std::string& file) {
  const auto read = io::read_csv(file, io::Header::optional);
  constexpr std::size_t least = 100;
  if (read.all().size() != 1 || read.rows() < least) {
    throw UsageError("--samples: " + file + " has " + std::to_string(read.all().size()) + " columns of " +
                     std::to_string(read.rows()) + " numbers; it needs one column of at least " +
                     std::to_string(least));
  }
  return read.all().front().values;
}

}  // namespace

Tests tests_of_samples(const std::string& files, const Bound& bound, const Testing& testing) {
  const auto comma = files.find(',');
  require_option(comma != std::string::npos && comma == files.rfind(','), "samples",
                 "\"" + files + "\" are not two files, P.csv,Q.csv");
  auto found = inference::sample_tests(numbers_in(files.substr(0, comma)), numbers_in(files.substr(comma + 1)),
                                       testing.type_one_errors, testing.miss);
  Tests tests = tested(std::move(found.points), bound, found.miss);
  tests.rejected = std::move(found.rejected);
  return tests;
}

}  // namespace dpcurves::tools
