// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/record.hpp>

namespace dpcurves {
namespace {

std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      out += '\\';
    }
    if (static_cast<unsigned char>(letter) < 0x20U) {
      out += {'\\', 'u', '0', '0', digits[static_cast<unsigned char>(letter) >> 4U], digits[letter & 0xF]};
    } else {
      out += letter;
    }
  }
  return out + '"';
}

std::string number_text(double value) {
  const std::string digits = shortest(value);
  return !std::isfinite(value)                             ? quoted(digits)
         : digits.find_first_of(".e") == std::string::npos ? digits + ".0"
                                                           : digits;
}

template <class Items, class Show>
std::string joined(char open, const Items& items, char close, const Show& show) {
  std::string out(1, open);
  for (const auto& item : items) {
    out += (out.size() > 1 ? "," : "") + show(item);
  }
  return out + close;
}

/// A value as messages show it, cut after 60 bytes but not within a letter.
std::string shown(const Value& value) {
  constexpr std::size_t longest = 60;
  const std::string whole = text(value);
  if (whole.size() <= longest) {
    return whole;
  }
  std::size_t end = longest;
  while ((static_cast<unsigned char>(whole[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return whole.substr(0, end) + "...";
}

[[noreturn]] void wrong_type(const std::string& key, const std::string& wanted, const Value& given) {
  throw UsageError(key + ": " + shown(given) + " is not a" + (wanted == "integer" ? "n " : " ") + wanted);
}

double checked_number(const std::string& key, const FieldInfo& field, const Value& given) {
  double value = 0.0;
  if (!given.number(value)) {
    wrong_type(key, field.domain.whole() ? "integer" : "number", given);
  }
  if (field.domain.whole() && std::isfinite(value) && value != std::floor(value)) {
    wrong_type(key, "integer", given);
  }
  if (!field.domain.contains(value)) {
    throw DomainError("", key, value, field.domain.interval());
  }
  return value;
}

Record checked_record(const std::string& prefix, const std::vector<FieldInfo>& fields, const Record& given);

/// A record as such, or as the list of its values in the order of the fields.
Record record_of(const std::string& key, const FieldInfo& field, const Value& given) {
  if (const auto* record = given.get<Record>()) {
    return *record;
  }
  const auto* numbers = given.get<std::vector<double>>();
  if (numbers == nullptr || numbers->size() != field.fields.size()) {
    wrong_type(key, "object", given);
  }
  Record record;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    record.add(field.fields[i].symbol, {(*numbers)[i]});
  }
  return record;
}

Value checked_list(const std::string& key, const FieldInfo& field, const Value& given, int depth) {
  const auto* numbers = given.get<std::vector<double>>();
  const auto* list = given.get<List>();
  const std::size_t size = numbers != nullptr ? numbers->size() : list != nullptr ? list->size() : 0;
  if (numbers == nullptr && list == nullptr) {
    wrong_type(key, kind_name(field), given);
  }
  const auto entry = [&](std::size_t i) { return numbers != nullptr ? Value{(*numbers)[i]} : (*list)[i]; };
  std::vector<double> flat;
  List nested;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string at = key + "[" + std::to_string(i) + "]";
    if (field.kind == Kind::records) {
      nested.push_back({checked_record(at + ".", field.fields, record_of(at, field, entry(i)))});
    } else if (depth > 1) {
      nested.push_back(checked_list(at, field, entry(i), depth - 1));
    } else {
      flat.push_back(checked_number(at, field, entry(i)));
    }
  }
  return field.kind == Kind::records || depth > 1 ? Value{std::move(nested)} : Value{std::move(flat)};
}

Value checked_value(const std::string& key, const FieldInfo& field, const Value& given) {
  if (given.null() && field.nullable) {
    return {};
  }
  switch (field.kind) {
    case Kind::number:
      return {checked_number(key, field, given)};
    case Kind::integer: {
      const double value = checked_number(key, field, given);
      return given.get<std::int64_t>() != nullptr ? given : Value{value};  // above 2^53 a double would not hold it
    }
    case Kind::flag:
      if (given.get<bool>() == nullptr) {
        wrong_type(key, "flag, true or false", given);
      }
      return given;
    case Kind::text: {
      const auto* word = given.get<std::string>();
      if (word == nullptr) {
        wrong_type(key, "text", given);
      }
      std::string dashed = *word;
      std::replace(dashed.begin(), dashed.end(), '_', '-');
      for (const std::string& name : {*word, dashed}) {
        if (std::find(field.words.begin(), field.words.end(), name) != field.words.end()) {
          return {name};
        }
      }
      if (!field.words.empty()) {
        throw DomainError(key + ": " + shown(given) + " is outside " +
                          joined('{', field.words, '}', [](const std::string& one) { return quoted(one); }) +
                          suggestion(*word, field.words));
      }
      return given;
    }
    case Kind::record:
      return {checked_record(key + ".", field.fields, record_of(key, field, given))};
    case Kind::numbers:
    case Kind::records:
      return checked_list(key, field, given, field.depth);
    case Kind::any:
      return given;
  }
  return {};
}

Record checked_record(const std::string& prefix, const std::vector<FieldInfo>& fields, const Record& given) {
  for (const auto& entry : given.entries()) {
    if (std::none_of(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.symbol == entry.name; })) {
      std::vector<std::string> known;
      std::transform(fields.begin(), fields.end(), std::back_inserter(known), [](const auto& f) { return f.symbol; });
      throw UsageError(prefix + entry.name + ": unknown key" + suggestion(entry.name, known));
    }
  }
  Record values;
  for (const auto& field : fields) {
    const Value* value = given.find(field.symbol);
    if (value == nullptr && field.required) {
      throw UsageError(prefix + field.symbol + ": missing key (" + field.meaning + ")");
    }
    values.add(field.name, value == nullptr ? field.fallback : checked_value(prefix + field.symbol, field, *value));
  }
  return values;
}

}  // namespace

Record::Record(std::initializer_list<Entry> entries) : entries_(entries) {}
const Value* Record::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
  return found == entries_.end() ? nullptr : &found->value;
}
const Value& Record::at(std::string_view name) const {
  if (const Value* value = find(name)) {
    return *value;
  }
  throw UsageError(std::string(name) + ": missing key");
}
void Record::add(std::string name, Value value) { entries_.push_back({std::move(name), std::move(value)}); }

bool Value::number(double& out) const {
  if (const auto* value = get<double>()) {
    out = *value;
  } else if (const auto* integer = get<std::int64_t>()) {
    out = static_cast<double>(*integer);
  } else if (const auto* word = get<std::string>(); word != nullptr && (*word == "inf" || *word == "-inf")) {
    out = word->front() == '-' ? -HUGE_VAL : HUGE_VAL;
  } else {
    return false;
  }
  return true;
}

std::string text(const Value& value) {
  struct {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(const std::string& word) const { return quoted(word); }
    std::string operator()(const std::vector<double>& list) const { return joined('[', list, ']', number_text); }
    std::string operator()(const List& list) const { return joined('[', list, ']', text); }
    std::string operator()(const Record& record) const {
      return joined('{', record.entries(), '}', [](const Entry& e) { return quoted(e.name) + ":" + text(e.value); });
    }
  } constexpr show;
  return std::visit(show, value.data);
}

std::string kind_name(const FieldInfo& field) {
  constexpr std::array names{"number", "integer",         "flag",      "text", "list of numbers",
                             "object", "list of objects", "JSON value"};
  std::string name = names.at(static_cast<std::size_t>(field.kind));
  for (int i = 1; i < field.depth; ++i) {
    name.replace(0, 4, "list of lists");
  }
  return name;
}

Record checked(const std::vector<FieldInfo>& fields, const Record& given, const std::string& prefix) {
  return checked_record(prefix, fields, given);
}

std::string key_of(const std::vector<FieldInfo>& fields, std::string_view path) {
  const std::string_view name = path.substr(0, path.find_first_of(".["));
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
  if (found == fields.end()) {
    return std::string(path);
  }
  const std::size_t dot = path.find('.');
  return found->symbol + (dot == std::string_view::npos ? std::string(path.substr(name.size()))
                                                        : std::string(path.substr(name.size(), dot + 1 - name.size())) +
                                                              key_of(found->fields, path.substr(dot + 1)));
}

}  // namespace dpcurves
