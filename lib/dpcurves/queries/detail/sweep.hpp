// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// --sweep OPTION=FROM:TO:STEP or OPTION=A,B,...: the same question for several values of one option, or words of a
/// choice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/io/plot.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// One option and the values that it takes in turn.
struct Sweep {
  std::string option;                ///< a row of the table that takes numbers or one of some words, without dashes
  std::vector<double> values;        ///< at least one, at most most_swept; of a choice 0, 1, 2, ...
  std::vector<std::string> words{};  ///< of a choice: what these stand for

  /// A value as one would type it.
  [[nodiscard]] std::string text(double value) const;
};

/// More answers than anybody reads are a mistake of the step.
constexpr std::size_t most_swept = 100000;

/// The row of --sweep itself.
[[nodiscard]] Option sweep_option();

/// The option of the table that a text such as "steps=1,2" names; "" if it names none. O(options).
[[nodiscard]] std::string swept_option(const std::string& text, const std::vector<Option>& table);

/// TO is reached if it is a whole number of steps away. Ranges and choices are checked when the option's value is read.
/// \throws UsageError  for an option that is not in the table or takes neither numbers nor a choice, or values that are
/// no list.
[[nodiscard]] Sweep parse_sweep(const std::string& text, const std::vector<Option>& table);

/// The sweep that is asked for, if there is one. \throws UsageError  also where its option is given as well.
[[nodiscard]] std::optional<Sweep> sweep_of(const Values& values, const std::vector<Option>& table);

/// The options with the swept one at `value` (a list of it alone where it takes a list), and without --sweep and
/// --plot. \throws UsageError  outside its range.
[[nodiscard]] Values at(const Sweep& sweep, double value, const Values& values, const std::vector<Option>& table);

/// {"option": name, "value": number or word}
[[nodiscard]] Value swept_value(const Sweep& sweep, double value);

/// Whether numbers between these are read on a logarithmic axis: positive, and more than a factor 20 apart.
[[nodiscard]] bool grows_by_factors(double least, double most);

/// Points over the swept option, which no chord joins; values that are not finite are left out. The axes are
/// logarithmic where the values are positive and grow by factors: from the first to the last by more than 20, x also
/// with even ratios. \throws UsageError  where no value is finite, or words are swept.
[[nodiscard]] io::Plot sweep_plot(const std::string& title, const Sweep& sweep, const std::string& label,
                                  const std::vector<double>& values);

}  // namespace dpcurves::queries
