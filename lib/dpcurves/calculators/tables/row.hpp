// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A row of a table of calculators, deduced from a function. For the tables only.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/detail/convert.hpp>

namespace dpcurves::calculators {

/// A function of settings and of arguments that the row describes, in the order of the parameters.
template <class Result, class... Parameters>
struct Signature {
  Result (*function)(Parameters...);  ///< what is called

  /// For each parameter its row, or -1 for a setting.
  static constexpr auto rows = [] {
    std::array<int, sizeof...(Parameters)> places{};
    constexpr std::array<bool, sizeof...(Parameters)> settings{Described<std::remove_cvref_t<Parameters>>...};
    for (int i = 0, row = 0; i < static_cast<int>(places.size()); ++i) {
      places[static_cast<std::size_t>(i)] = settings[static_cast<std::size_t>(i)] ? -1 : row++;
    }
    return places;
  }();

  /// The fields of a setting, or the row of an argument with what its type says.
  template <class T>
  static void add_fields(std::vector<FieldInfo>& fields, const std::vector<FieldInfo>& arguments, int row) {
    if constexpr (Described<T>) {
      for (auto& field : describe<T>()) {
        fields.push_back(std::move(field));
      }
    } else {
      FieldInfo info = arguments.at(static_cast<std::size_t>(row));
      const FieldInfo type = describe_value<T>();
      info.kind = type.kind == Kind::number && info.domain.whole() ? Kind::integer : type.kind;
      info.depth = type.depth;
      info.nullable = type.nullable;
      info.required = info.required && !type.nullable;
      info.words = info.words.empty() ? type.words : info.words;
      info.fields = type.fields;
      fields.push_back(std::move(info));
    }
  }

  /// A parameter from a record: a setting reads its own fields.
  template <class T>
  static T value(const Record& record, const std::vector<std::string>& names, int row) {
    if constexpr (Described<T>) {
      return from_record<T>(record);
    } else {
      return from_value<T>(record.at(names[static_cast<std::size_t>(row)]));
    }
  }

  /// A calculator without its names.
  template <std::size_t... Places>
  Calculator row(const std::vector<FieldInfo>& arguments, std::index_sequence<Places...>) const {
    Calculator calculator;
    (add_fields<std::remove_cvref_t<Parameters>>(calculator.fields, arguments, rows[Places]), ...);
    std::vector<std::string> names;
    for (const auto& argument : arguments) {
      names.push_back(argument.name);
    }
    calculator.function = [called = function, names](const Record& record) {
      return to_record(called(value<std::remove_cvref_t<Parameters>>(record, names, rows[Places])...));
    };
    return calculator;
  }
};

/// Of a function.
template <class Result, class... Parameters>
Signature(Result (*)(Parameters...)) -> Signature<Result, Parameters...>;

/// A row: name, theorems of the paper, one line, and one argument for each parameter that is no setting.
/// \throws std::out_of_range  where an argument lacks.
template <auto F>
[[nodiscard]] Calculator calculator(const char* name, Texts theorems, const char* summary,
                                    const std::vector<FieldInfo>& arguments = {}) {
  constexpr Signature signature{F};
  return signature.row(arguments, std::make_index_sequence<signature.rows.size()>()).named(name, theorems, summary);
}

}  // namespace dpcurves::calculators
