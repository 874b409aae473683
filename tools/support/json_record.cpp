// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/json_record.hpp"

#include <algorithm>
#include <utility>

#include <dpcurves/io/detail/file.hpp>

#include "support/exit.hpp"

namespace dpcurves::tools {

Value value_of(const Json& json) {
  if (json.is_boolean()) {
    return {json.get<bool>()};
  }
  if (json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() >> 63U != 0U)) {
    return {json.get<std::int64_t>()};
  }
  if (json.is_number()) {
    return {json.get<double>()};
  }
  if (json.is_string()) {
    return {json.get<std::string>()};
  }
  if (json.is_object()) {
    return {record_of(json)};
  }
  if (json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& one) { return one.is_number(); })) {
    return {json.get<std::vector<double>>()};
  }
  if (json.is_array()) {
    List list;
    std::transform(json.begin(), json.end(), std::back_inserter(list), value_of);
    return {std::move(list)};
  }
  return {};
}

Record record_of(const Json& json, const std::string& where) {
  if (!json.is_object()) {
    throw UsageError(where + ": " + shown(json) + " is not a object");
  }
  Record record;
  for (const auto& [name, value] : json.items()) {
    record.add(name, value_of(value));
  }
  return record;
}

Json json_of(const Value& value) {
  struct {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool flag) const { return flag; }
    Json operator()(std::int64_t integer) const { return integer; }
    Json operator()(double real) const { return number(real); }
    Json operator()(const std::string& word) const { return word; }
    Json operator()(const std::vector<double>& list) const { return numbers(list); }
    Json operator()(const List& list) const {
      Json array = Json::array();
      std::transform(list.begin(), list.end(), std::back_inserter(array), json_of);
      return array;
    }
    Json operator()(const Record& record) const {
      Json object = Json::object();
      for (const auto& [name, member] : record.entries()) {
        object[name] = json_of(member);
      }
      return object;
    }
  } constexpr convert;
  return std::visit(convert, value.data);
}

Json parse_toml(const std::string& text, const std::string& what) { return json_of(io::read_toml(text, what)); }

Json parse_config(const std::string& file) {
  const auto text = [&] {
    try {
      return io::read_file(file, io::largest_toml);
    } catch (const DataError& error) {
      throw DataError(std::string("--config: ") + error.what());
    }
  }();
  return parse_toml(text, "--config " + file);
}

Json schema_of(const std::vector<FieldInfo>& fields) {
  Json schema = Json::object();
  for (const auto& field : fields) {
    Json& entry = schema[field.symbol];
    entry = {{"type", kind_name(field)}, {"meaning", field.meaning}};
    if (!field.domain.everything()) {
      entry["range"] = field.domain.interval();
    }
    if (!field.words.empty()) {
      entry["values"] = field.words;
    }
    if (!field.fields.empty()) {
      entry["fields"] = schema_of(field.fields);
    }
    entry["required"] = field.required;
    if (!field.required) {
      entry["default"] = json_of(field.fallback);
    }
    if (field.nullable) {
      entry["null"] = "allowed";
    }
  }
  return schema;
}

}  // namespace dpcurves::tools
