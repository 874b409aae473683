// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/toml.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

// Values within values that the parser follows. It has no limit for the parts of a key, see parse_toml.
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

Json as_json(const toml::node& node, const std::string& what, int depth) {
  if (depth > deepest_document) {
    throw UsageError(what + ": nested deeper than " + std::to_string(deepest_document) + " levels");
  }
  if (const auto* table = node.as_table()) {
    if (table->size() > most_keys) {
      throw UsageError(what + ": a table of more than " + std::to_string(most_keys) + " keys");
    }
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      object[std::string(key.str())] = as_json(value, what, depth + 1);
    }
    return object;
  }
  if (const auto* list = node.as_array()) {
    Json array = Json::array();
    for (const auto& value : *list) {
      array.push_back(as_json(value, what, depth + 1));
    }
    return array;
  }
  if (const auto* whole = node.as_integer()) {
    return whole->get();
  }
  if (const auto* real = node.as_floating_point()) {
    return number(real->get());
  }
  if (const auto* truth = node.as_boolean()) {
    return truth->get();
  }
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  std::ostringstream text;  // a date or a time
  text << toml::node_view<const toml::node>(node);
  return text.str();
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

}  // namespace

Json parse_toml(const std::string& text, const std::string& what) {
  if (has_long_key(text)) {
    throw UsageError(what + ": a key of more than 100 parts");
  }
  try {
    return as_json(toml::parse(text, what), what, 0);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << error.source().begin;
    throw UsageError(what + ": " + std::string(error.description()) + " at " + where.str());
  }
}

}  // namespace dpcurves::tools
