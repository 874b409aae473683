// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

// Compiled here, so that an installed library needs no other. TOML_MAX_NESTED_VALUES: values within values that the
// parser follows; it has no limit for the parts of a key, see read_toml.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/impl/preprocessor.h>

#include <dpcurves/core/error.hpp>

// The parser takes for granted what some texts break, as "[" at the end of a line: without checks that is undefined
// behaviour, with its own an abort. Here it is an error of the text.
namespace {
[[noreturn]] void not_as_the_parser_assumes() {
  throw dpcurves::UsageError("not TOML: a table header, a key or a value is not what it began as");
}
}  // namespace
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : not_as_the_parser_assumes())
#define TOML_ASSERT_ASSUME(expr) TOML_ASSERT(expr)
#include <toml++/toml.h>

#include <dpcurves/io/json.hpp>
#include <dpcurves/io/toml.hpp>

namespace dpcurves::io {
namespace {

Value value_of(const toml::node& node, const std::string& what, int depth) {
  if (depth > deepest_document) {
    throw UsageError(what + ": nested deeper than " + std::to_string(deepest_document) + " levels");
  }
  if (const auto* table = node.as_table()) {
    if (table->size() > most_keys) {
      throw UsageError(what + ": a table of more than " + std::to_string(most_keys) + " keys");
    }
    Record record;
    for (const auto& [key, value] : *table) {
      record.add(std::string(key.str()), value_of(value, what, depth + 1));
    }
    return {std::move(record)};
  }
  if (const auto* array = node.as_array()) {
    List list;
    std::vector<double> numbers;
    for (const auto& entry : *array) {
      list.push_back(value_of(entry, what, depth + 1));
      if (const auto* real = entry.as_floating_point()) {
        numbers.push_back(real->get());
      }
    }
    return numbers.size() == list.size() ? Value{std::move(numbers)} : Value{std::move(list)};
  }
  if (const auto* whole = node.as_integer()) {
    return {whole->get()};
  }
  if (const auto* real = node.as_floating_point()) {
    return {real->get()};
  }
  if (const auto* truth = node.as_boolean()) {
    return {truth->get()};
  }
  if (const auto* text = node.as_string()) {
    return {text->get()};
  }
  std::ostringstream text;  // a date or a time
  text << toml::node_view<const toml::node>(node);
  return {text.str()};
}

/// The place behind a string of TOML that starts at `start`, as far as quotes are concerned.
std::size_t behind_string(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const std::string three(3, quote);
  const bool many_lines = text.substr(start, 3) == three;
  std::size_t at = start + (many_lines ? 3 : 1);
  for (; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (!many_lines && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (many_lines && text.substr(at, 3) == three) {
      at += 3;
      for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) {
        ++at;  // up to two quotes may stand before the three
      }
      return at;
    }
  }
  return text.size();
}

/// Whether a key has more than a hundred parts "a.b.c": each is a table within the last, and the parser's tables are
/// destroyed one within the other on the stack.
bool has_long_key(std::string_view text) {
  constexpr int most_parts = 100;
  int dots = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '.':
        if (++dots >= most_parts) {
          return true;
        }
        break;
      case '"':
      case '\'':
        at = behind_string(text, at) - 1;
        break;
      case '#':
        at = std::min(text.find('\n', at), text.size());
        dots = 0;
        break;
      case '\n':
      case '=':
      case ',':
      case '[':
      case ']':
      case '{':
      case '}':
        dots = 0;
        break;
      default:
        break;
    }
  }
  return false;
}

/// A list of at least one record, and nothing else.
bool is_tables(const Value& value) {
  const auto* list = value.get<List>();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(), [](const Value& one) { return one.get<Record>() != nullptr; });
}

/// A value within a line.
std::string inline_text(const Value& value) {
  if (const auto* list = value.get<List>()) {
    std::string out = "[";
    for (const Value& entry : *list) {
      out += (out.size() > 1 ? ", " : "") + inline_text(entry);
    }
    return out + "]";
  }
  if (const auto* record = value.get<Record>()) {
    std::string out = "{";
    for (const Entry& entry : record->entries()) {
      out += (out.size() > 1 ? ", " : "") + text({entry.name}) + " = " + inline_text(entry.value);
    }
    return out + "}";
  }
  return text(value);  // a TOML text has the escapes of JSON
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : text({key});
}

void write(const Record& record, const std::string& prefix, std::string& out) {
  for (const Entry& entry : record.entries()) {
    if (!entry.value.null() && entry.value.get<Record>() == nullptr && !is_tables(entry.value)) {
      out += key_text(entry.name) + " = " + inline_text(entry.value) + "\n";
    }
  }
  for (const Entry& entry : record.entries()) {
    const std::string path = prefix + key_text(entry.name);
    if (const auto* table = entry.value.get<Record>()) {
      out += "\n[" + path + "]\n";
      write(*table, path + ".", out);
    } else if (is_tables(entry.value)) {
      for (const Value& one : *entry.value.get<List>()) {
        out += "\n[[" + path + "]]\n";
        write(*one.get<Record>(), path + ".", out);
      }
    }
  }
}

}  // namespace

Value read_toml(const std::string& text, const std::string& what) {
  if (has_long_key(text)) {
    throw UsageError(what + ": a key of more than 100 parts");
  }
  try {
    return value_of(toml::parse(text, what), what, 0);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << error.source().begin;
    throw UsageError(what + ": " + std::string(error.description()) + " at " + where.str());
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw UsageError(message.starts_with(what) ? message : what + ": " + message);
  }
}

std::string write_toml(const Record& record) {
  std::string out;
  write(record, "", out);
  return out;
}

}  // namespace dpcurves::io
