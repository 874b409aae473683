// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Settings and results as records, and what the records of a setting may hold, by the tables of fields. For the tables
/// of calculators and the adapters; a theorem's own sources need core/field.hpp only.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dpcurves/core/field.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/core/verdict.hpp>

namespace dpcurves {

/// What a member of type T holds. Enums have a function `enumerators` beside them that lists values and words.
template <class T>
[[nodiscard]] FieldInfo describe_value();
/// The schema of a setting. O(fields).
template <Described S>
[[nodiscard]] std::vector<FieldInfo> describe();
/// A value of type T, of the form that `checked` returns.
template <class T>
[[nodiscard]] T from_value(const Value& value);
/// The value of a member.
template <class T>
[[nodiscard]] Value to_value(const T& value);
/// The setting of a checked record: names are those of members; what the record lacks is the struct's default.
template <Described S>
[[nodiscard]] S from_record(const Record& record);
/// Fields of the same name and type are taken from another setting; the rest stay as they are. O(fields^2).
template <Described To, Described From>
void adopt(To& to, const From& from);
/// A result as a record: names are symbols.
template <class R>
[[nodiscard]] Record to_record(const R& result);

namespace detail {

template <class T>
concept Optional = requires(T value) { value.has_value(); };
template <class T>
concept Enumerated = std::is_enum_v<T> && requires { enumerators(T{}); };
template <class T>
concept ListLike = requires(T value) { value.push_back(value.front()); } && !std::is_same_v<T, std::string>;

/// What a row says of a field, whatever its type.
struct FieldText {
  const char* name;
  const char* symbol;
  Domain domain;
  const char* meaning;
  bool required;
};
// What needs no type, compiled once: the tables have thousands of rows.
void add_field(std::vector<FieldInfo>& list, FieldInfo type, const FieldText& row, Value fallback);
[[nodiscard]] double number_of(const Value& value);
void add_number(Record& record, const char* name, double number);
void add_value(Record& record, const char* name, Value value);

}  // namespace detail

template <class T>
FieldInfo describe_value() {
  FieldInfo info;
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Hypothesis>) {
    info.kind = Kind::flag;
  } else if constexpr (std::is_arithmetic_v<T>) {
    info.kind = std::is_integral_v<T> ? Kind::integer : Kind::number;
  } else if constexpr (std::is_same_v<T, std::string>) {
    info.kind = Kind::text;
  } else if constexpr (std::is_same_v<T, Value>) {
    info.kind = Kind::any;
  } else if constexpr (detail::Enumerated<T>) {
    info.kind = Kind::text;
    for (const auto& [value, word] : enumerators(T{})) {
      info.words.emplace_back(word);
    }
  } else if constexpr (Described<T>) {
    info.kind = Kind::record;
    info.fields = describe<T>();
  } else if constexpr (detail::Optional<T>) {
    info = describe_value<typename T::value_type>();
    info.nullable = true;
  } else {
    static_assert(detail::ListLike<T>, "a field is a number, a flag, a text, an enum, a record, or a list of them");
    info = describe_value<typename T::value_type>();
    info.depth += info.kind == Kind::numbers ? 1 : 0;
    info.kind = info.kind == Kind::record || info.kind == Kind::records ? Kind::records : Kind::numbers;
  }
  return info;
}

template <Described S>
std::vector<FieldInfo> describe() {
  std::vector<FieldInfo> list;
  const S defaults{};
  each_field(defaults, [&]<class T>(const auto& row, const T& value) {
    detail::add_field(list, describe_value<T>(), {row.name, row.symbol, row.domain, row.meaning, row.required},
                      row.required ? Value() : to_value(value));
  });
  return list;
}

template <class T>
T from_value(const Value& value) {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return std::get<T>(value.data);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(detail::number_of(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (const auto* integer = value.get<std::int64_t>()) {
      return static_cast<T>(*integer);
    }
    return static_cast<T>(detail::number_of(value));
  } else if constexpr (detail::Enumerated<T>) {
    const auto& all = enumerators(T{});
    return std::find_if(all.begin(), all.end(),
                        [&](const auto& one) { return one.second == std::get<std::string>(value.data); })
        ->first;
  } else if constexpr (Described<T>) {
    return from_record<T>(std::get<Record>(value.data));
  } else if constexpr (detail::Optional<T>) {
    return value.null() ? T() : T(from_value<typename T::value_type>(value));
  } else {
    T list;
    if (const auto* numbers = value.get<std::vector<double>>()) {
      for (const double number : *numbers) {
        list.push_back(from_value<typename T::value_type>({number}));
      }
    } else {
      for (const Value& entry : std::get<List>(value.data)) {
        list.push_back(from_value<typename T::value_type>(entry));
      }
    }
    return list;
  }
}

template <class T>
Value to_value(const T& value) {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_same_v<T, Hypothesis>) {
    return {value.holds};
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> ||
                       std::is_same_v<T, std::vector<double>>) {
    return {value};
  } else if constexpr (std::is_integral_v<T>) {
    return {static_cast<std::int64_t>(value)};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return {static_cast<double>(value)};
  } else if constexpr (detail::Enumerated<T>) {
    const auto& all = enumerators(T{});
    return {
        std::string(std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == value; })->second)};
  } else if constexpr (std::is_same_v<T, Record> || Described<T>) {
    return {to_record(value)};
  } else if constexpr (detail::Optional<T>) {
    return value ? to_value(*value) : Value{};
  } else if constexpr (std::is_convertible_v<T, std::string>) {
    return {std::string(value)};
  } else {
    List list;
    for (const auto& entry : value) {
      list.push_back(to_value(entry));
    }
    return {std::move(list)};
  }
}

template <Described S>
S from_record(const Record& record) {
  S setting{};
  each_field(setting, [&]<class T>(const auto& row, T& member) {
    if (const Value* value = record.find(row.name)) {
      member = from_value<T>(*value);
    }
  });
  return setting;
}

template <Described To, Described From>
void adopt(To& to, const From& from) {
  each_field(to, [&]<class T>(const auto& row, T& member) {
    each_field(from, [&]<class F>(const auto& other, const F& value) {
      if constexpr (std::is_same_v<T, F>) {
        if (std::string_view(row.name) == other.name) {
          member = value;
        }
      }
    });
  });
}

template <class R>
Record to_record(const R& result) {
  Record record;
  if constexpr (std::is_same_v<R, Record>) {
    record = result;
  } else if constexpr (Described<R>) {
    each_field(result, [&]<class T>(const auto& row, const T& member) {
      if constexpr (std::is_same_v<T, double>) {
        detail::add_number(record, row.symbol, member);
      } else {
        detail::add_value(record, row.symbol, to_value(member));
      }
    });
  } else {
    record.add("value", to_value(result));
  }
  return record;
}

}  // namespace dpcurves
