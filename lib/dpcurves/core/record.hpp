// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Named values in order: what goes into a calculator and what comes out, without JSON; and the schema that says which
/// names and values a record may have.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <dpcurves/core/domain.hpp>

namespace dpcurves {

struct Entry;
struct Value;

/// Values with names, in order.
class Record {
 public:
  Record() = default;                            ///< empty
  Record(std::initializer_list<Entry> entries);  ///< of these, in this order
  /// The value of a name, or nothing. O(entries).
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// \throws UsageError  "NAME: missing key".
  [[nodiscard]] const Value& at(std::string_view name) const;
  /// Adds an entry at the end.
  void add(std::string name, Value value);
  /// All entries, in order.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::vector<Entry>& entries() { return entries_; }  ///< the same, to change them

 private:
  std::vector<Entry> entries_;
};

using List = std::vector<Value>;  ///< of records, of lists, of anything

/// Nothing, a flag, a whole number, a number (infinities too), a text, a list of numbers, a record, another list.
struct Value {
  /// One of these.
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>, Record, List> data;

  /// Whether it is nothing.
  [[nodiscard]] bool null() const { return data.index() == 0; }
  /// The alternative of type T, or nothing.
  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&data);
  }
  /// The number, whole or not; "inf" and "-inf" are numbers. \return false if it is none.
  [[nodiscard]] bool number(double& out) const;
};

/// A value with its name.
struct Entry {
  std::string name;  ///< a key or a member
  Value value;       ///< what it holds
};

/// The value as one line of JSON: names in order, doubles with a point, infinities as "inf" and "-inf".
[[nodiscard]] std::string text(const Value& value);

/// What a value is.
enum class Kind { number, integer, flag, text, numbers, record, records, any };

/// One name of a schema.
struct FieldInfo {
  std::string name;                  ///< of the member
  std::string symbol;                ///< the key
  Kind kind = Kind::number;          ///< what the value is
  int depth = 1;                     ///< of nested lists of numbers
  Domain domain;                     ///< of the number, or of every number of the list
  std::string meaning;               ///< with its unit
  bool required = true;              ///< must be given
  bool nullable = false;             ///< null is allowed and means "not given"
  Value fallback{};                  ///< the default
  std::vector<std::string> words{};  ///< the texts that are allowed, empty for all
  std::vector<FieldInfo> fields{};   ///< of the record, or of every record of the list
};

/// "number", "list of numbers", ...: the kind in words.
[[nodiscard]] std::string kind_name(const FieldInfo& field);

/// The given record in the order of the schema, with members' names, defaults and checked values; `prefix` stands
/// before the keys of messages.
/// \throws UsageError   for a missing or unknown key or a wrong type; the message starts with the key.
/// \throws DomainError  for a value outside its domain, with the key as its field.
/// O(entries x fields).
[[nodiscard]] Record checked(const std::vector<FieldInfo>& fields, const Record& given, const std::string& prefix = "");

/// "others[1].records" with keys in place of names; as it stands where no field has the name.
[[nodiscard]] std::string key_of(const std::vector<FieldInfo>& fields, std::string_view path);

}  // namespace dpcurves
