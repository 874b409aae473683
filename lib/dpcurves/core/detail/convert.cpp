// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/detail/convert.hpp>

namespace dpcurves::detail {

void add_field(std::vector<FieldInfo>& list, FieldInfo type, const FieldText& row, Value fallback) {
  type.name = row.name;
  type.symbol = row.symbol;
  type.domain = row.domain;
  type.meaning = row.meaning;
  type.required = row.required;
  if (type.kind == Kind::number && row.domain.whole()) {
    type.kind = Kind::integer;
  }
  type.nullable = type.nullable || (type.kind == Kind::any && !row.required);
  type.fallback = std::move(fallback);
  list.push_back(std::move(type));
}

double number_of(const Value& value) {
  double number = 0.0;
  (void)value.number(number);
  return number;
}

void add_number(Record& record, const char* name, double number) { record.add(name, {number}); }

void add_value(Record& record, const char* name, Value value) { record.add(name, std::move(value)); }

}  // namespace dpcurves::detail
