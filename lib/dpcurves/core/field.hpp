// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A setting describes itself: its static member `fields` is a table with a row for each member.
///
///     struct LongTailTestError {
///       double class_records = 1.0;
///       static constexpr std::tuple fields{
///           required("class_records", "n_k", &LongTailTestError::class_records, whole("[1, inf)"),
///                    "records of class k")};
///     };
///
/// The row is the only place for name, symbol, domain and meaning; the default is that of the struct. Checks, keys of
/// calculators, options with their help, documentation and property tests read it.
#pragma once

#include <optional>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>

#include <dpcurves/core/domain.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves {

/// One member of a setting or of a result: a number, a flag, a text, a named value of an enum, a record with fields of
/// its own, an optional of these, or a list.
template <class S, class T>
struct Field {
  const char* name;     ///< in C++; --class-records on the command line
  const char* symbol;   ///< the paper's letter: the key of the calculator
  T S::*member;         ///< where it is
  Domain domain;        ///< of the number, or of every number of the list
  const char* meaning;  ///< in words, with its unit
  bool required;        ///< false: the default is that of a new S
};

/// A member with fields of its own, which stand among those of the whole.
template <class S, class T>
struct Part {
  T S::*member;  ///< where it is
};

/// A field that must be given.
template <class S, class T>
consteval Field<S, T> required(const char* name, const char* symbol, T S::*member, Domain domain, const char* meaning) {
  return {name, symbol, member, domain, meaning, true};
}
/// Texts, flags and records are no numbers and have no domain.
template <class S, class T>
consteval Field<S, T> required(const char* name, const char* symbol, T S::*member, const char* meaning) {
  return {name, symbol, member, {}, meaning, true};
}
/// A symbol that is the name is left out.
template <class S, class T>
consteval Field<S, T> required(const char* name, T S::*member, Domain domain, const char* meaning) {
  return {name, name, member, domain, meaning, true};
}
/// Neither symbol nor domain.
template <class S, class T>
consteval Field<S, T> required(const char* name, T S::*member, const char* meaning) {
  return {name, name, member, {}, meaning, true};
}
/// A field that is the struct's default where it is not given.
template <class... Parts>
consteval auto optional(Parts... parts) {
  auto field = required(parts...);
  field.required = false;
  return field;
}
/// A field of a result: no domain.
template <class... Parts>
consteval auto result(Parts... parts) {
  return required(parts...);
}
/// The fields of a member among those of the whole.
template <class S, class T>
consteval Part<S, T> part(T S::*member) {
  return {member};
}

/// Whether T has a table of fields.
template <class T>
concept Described = requires { T::fields; };

/// Visits every row of S, those of parts included, with the row and the struct that it is of.
template <Described S, class Visit>
constexpr void each_field(S& setting, const Visit& visit) {
  const auto one = [&]<class Row>(const Row& row) {
    if constexpr (requires { row.name; }) {
      visit(row, setting.*(row.member));
    } else {
      each_field(setting.*(row.member), visit);
    }
  };
  std::apply([&](const auto&... row) { (one(row), ...); }, std::remove_const_t<S>::fields);
}

template <Described S>
void require(const S& setting, std::source_location where = std::source_location::current());

namespace detail {

/// \throws DomainError  always.
[[noreturn]] void refuse(const std::source_location& where, const std::string& field, double value,
                         const Domain& domain);

/// One value or what it consists of.
template <class T>
void require_value(const T& value, const Domain& domain, const std::string& name, const std::source_location& where) {
  if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (const auto number = static_cast<double>(value); !domain.contains(number)) {
      refuse(where, name, number, domain);
    }
  } else if constexpr (Described<T>) {
    each_field(value, [&](const auto& row, const auto& member) {
      require_value(member, row.domain, name.empty() ? row.name : name + "." + row.name, where);
    });
  } else if constexpr (requires { value.has_value(); }) {
    if (value) {
      require_value(*value, domain, name, where);
    }
  } else if constexpr (requires { value.push_back(value.front()); } && !std::is_same_v<T, std::string>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      require_value(value[i], domain, name + "[" + std::to_string(i) + "]", where);
    }
  }
}

}  // namespace detail

/// Every field in its domain, those of nested records and of entries of lists too.
/// \throws DomainError  that names the function `where`, the field, its value and its domain. O(size of the setting).
template <Described S>
void require(const S& setting, std::source_location where) {
  detail::require_value(setting, Domain(), "", where);
}

}  // namespace dpcurves
