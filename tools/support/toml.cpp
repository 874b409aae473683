// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/toml.hpp"

#include <sstream>

#include <toml++/toml.h>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

Json as_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      object[std::string(key.str())] = as_json(value);
    }
    return object;
  }
  if (const auto* list = node.as_array()) {
    Json array = Json::array();
    for (const auto& value : *list) {
      array.push_back(as_json(value));
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

}  // namespace

Json parse_toml(const std::string& text, const std::string& what) {
  try {
    return as_json(toml::parse(text, what));
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    where << error.source().begin;
    throw UsageError(what + ": " + std::string(error.description()) + " at " + where.str());
  }
}

}  // namespace dpcurves::tools
