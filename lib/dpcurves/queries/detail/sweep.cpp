// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <sstream>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/detail/sweep.hpp>

namespace dpcurves::queries {
namespace {

bool takes_numbers(const Option& option) {
  return option.kind == OptionKind::number || option.kind == OptionKind::count || option.kind == OptionKind::numbers;
}

bool is_choice(const Option& option) {
  return option.kind == OptionKind::text && option.range.find('|') != std::string::npos;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    found.push_back(part);
  }
  return found;
}

std::vector<double> numbers(const std::string& text, char separator) {
  std::vector<double> values;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    double value = 0.0;
    if (!read_number(part, value)) {
      throw UsageError("--sweep: \"" + part + "\" is not a number; write OPTION=FROM:TO:STEP or OPTION=A,B,...");
    }
    values.push_back(value);
  }
  return values;
}

std::vector<double> steps(const std::vector<double>& range) {
  if (range.size() != 3 || !(range[2] != 0.0) || !((range[1] - range[0]) / range[2] >= 0.0)) {
    throw UsageError("--sweep: write OPTION=FROM:TO:STEP, with a step that leads from FROM to TO");
  }
  constexpr double slack = 1e-9;  // of a step, for decimal fractions
  const double count = std::floor((range[1] - range[0]) / range[2] + slack) + 1.0;
  if (!(count <= static_cast<double>(most_swept))) {
    throw UsageError("--sweep: has " + shortest(count) + " values, at most " + std::to_string(most_swept) +
                     " are read");
  }
  std::vector<double> values;
  for (double i = 0.0; i < count; i += 1.0) {
    double value = range[0] + i * range[2];
    static_cast<void>(read_number(rounded(value, 12), value));  // 1.2, not 1.2000000000000002
    values.push_back(std::abs(value - range[1]) < slack * std::abs(range[2]) ? range[1] : value);
  }
  return values;
}

}  // namespace

Option sweep_option() {
  return {"sweep", OptionKind::text, "OPTION=FROM:TO:STEP|OPTION=A,B,...", "one result for each value of that option",
          "Question"};
}

std::string swept_option(const std::string& text, const std::vector<Option>& table) {
  const std::size_t dashes = text.starts_with("--") ? 2 : 0;
  std::string name = text.substr(dashes, std::max(text.find('='), dashes) - dashes);
  std::replace(name.begin(), name.end(), '_', '-');
  const Option* found = find_option(table, name);
  return found == nullptr ? "" : found->name;
}

Sweep parse_sweep(const std::string& text, const std::vector<Option>& table) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw UsageError("--sweep: \"" + text + "\" is not of the form OPTION=FROM:TO:STEP or OPTION=A,B,...");
  }
  const std::size_t dashes = text.starts_with("--") ? 2 : 0;
  std::string name = text.substr(dashes, equals - dashes);
  std::replace(name.begin(), name.end(), '_', '-');
  const Option* found = find_option(table, name);
  if (found == nullptr || !(takes_numbers(*found) || is_choice(*found))) {
    std::vector<std::string> names;
    for (const Option& option : table) {
      if (takes_numbers(option) || is_choice(option)) {
        names.push_back(option.name);
      }
    }
    throw UsageError("--sweep: \"" + name + "\" is no option that takes a number or one of some words" +
                     suggestion(name, names));
  }
  const std::string list = text.substr(equals + 1);
  if (is_choice(*found)) {
    Sweep sweep{found->name, {}, split_list(list)};
    for (std::size_t i = 0; i < sweep.words.size(); ++i) {
      sweep.values.push_back(static_cast<double>(i));
    }
    return sweep;
  }
  Sweep sweep{found->name, list.find(':') == std::string::npos ? numbers(list, ',') : steps(numbers(list, ':'))};
  if (sweep.values.size() > most_swept) {
    throw UsageError("--sweep: has more than " + std::to_string(most_swept) + " values");
  }
  return sweep;
}

std::optional<Sweep> sweep_of(const Values& values, const std::vector<Option>& table) {
  if (!values.has("sweep")) {
    return std::nullopt;
  }
  Sweep sweep = parse_sweep(values.text("sweep"), table);
  if (values.has(sweep.option)) {
    throw UsageError("--sweep: --" + sweep.option + " is given as well");
  }
  return sweep;
}

Values at(const Sweep& sweep, double value, const Values& values, const std::vector<Option>& table) {
  Values one = values;
  one.erase("sweep");
  one.erase("plot");
  one.set(sweep.option,
          checked_options({*find_option(table, sweep.option)}, RawOptions{{sweep.option, {sweep.text(value)}}})
              .value(sweep.option));
  return one;
}

std::string Sweep::text(double value) const {
  return words.empty() ? shortest(value) : words.at(static_cast<std::size_t>(value));
}

Value swept_value(const Sweep& sweep, double value) {
  return {Record{{"option", {sweep.option}}, {"value", sweep.words.empty() ? Value{value} : Value{sweep.text(value)}}}};
}

bool grows_by_factors(double least, double most) {
  constexpr double many = 20.0;
  return least > 0.0 && most / least > many;
}

io::Plot sweep_plot(const std::string& title, const Sweep& sweep, const std::string& label,
                    const std::vector<double>& values) {
  if (!sweep.words.empty()) {
    throw UsageError("--plot: is drawn over numbers, and --sweep " + sweep.option + " takes words");
  }
  constexpr double even = 1.25;  // 1, 3, 10 is even
  std::vector<double> x, y;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) {
      x.push_back(sweep.values[i]);
      y.push_back(values[i]);
    }
  }
  if (x.empty()) {
    throw UsageError("--plot: no value of the sweep has a finite answer");
  }
  const auto by_factors = [](const std::vector<double>& of) {
    const auto [least, most] = std::minmax_element(of.begin(), of.end());
    return grows_by_factors(*least, *most);
  };
  bool even_ratios = x.size() > 2;
  for (std::size_t i = 2; i < x.size(); ++i) {
    const double change = x[i] * x[i - 2] / (x[i - 1] * x[i - 1]);
    even_ratios = even_ratios && change < even && change > 1.0 / even;
  }
  io::Plot plot;
  plot.title = title;
  plot.legend = io::Legend::none;
  plot.x = {spoken(sweep.option), by_factors(x) && even_ratios, {}, {}};
  plot.y = {label, by_factors(y), {}, {}};
  plot.series = {io::points("", x, y)};
  return plot;
}

}  // namespace dpcurves::queries
