// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/json.hpp"

#include <cmath>
#include <set>

#include <dpcurves/io/detail/file.hpp>

#include "support/exit.hpp"

namespace dpcurves::tools {

Json number(double value) {
  if (std::isnan(value)) {
    return nullptr;
  }
  if (std::isinf(value)) {
    return value > 0.0 ? "inf" : "-inf";
  }
  return value;
}

Json numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) {
    list.push_back(number(value));
  }
  return list;
}

Json ends(const Enclosure& interval) { return {{"lower", number(interval.lower)}, {"upper", number(interval.upper)}}; }

Json parse_json(const std::string& text, const std::string& what) {
  io::refuse_utf16(text, what);
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest_document) {
      throw UsageError(what + ": nested deeper than " + std::to_string(deepest_document) + " levels");
    }
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto name = parsed.get<std::string>();
      if (!keys.back().insert(name).second) {
        throw UsageError(what + ": the key \"" + name + "\" stands there twice");
      }
      if (keys.back().size() > most_keys) {  // an object with its keys in order searches one key after the other
        throw UsageError(what + ": an object of more than " + std::to_string(most_keys) + " keys");
      }
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    std::string message = error.what();
    const auto start = message.find("] ");
    throw UsageError(what + ": " + (start == std::string::npos ? message : message.substr(start + 2)));
  }
}

std::string shown(const Json& value) {
  constexpr std::size_t longest = 60;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= longest) {
    return text;
  }
  std::size_t end = longest;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {  // not within a letter
    --end;
  }
  return text.substr(0, end) + "...";
}

}  // namespace dpcurves::tools
