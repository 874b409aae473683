// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// JSON as data: a document as a Value, or as a list of nodes whose depth costs no stack.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <dpcurves/core/record.hpp>

namespace dpcurves::io {

/// The most that documents may hold: levels of nesting and keys of an object (JSON and TOML), and the bytes of a JSON
/// file, 64 MiB: a few lists of a million numbers.
constexpr int deepest_document = 64;
constexpr std::size_t most_keys = 1000;                      ///< of an object
constexpr std::size_t largest_json = std::size_t{1} << 26U;  ///< bytes

/// One object, list or leaf of a document.
struct JsonNode {
  /// What a node may be.
  enum class Kind { leaf, list, object };
  Kind kind = Kind::leaf;             ///< what it is
  Value leaf{};                       ///< a flag, a number, a text or nothing
  std::size_t parent = 0;             ///< of the root: itself
  std::string key{};                  ///< its name in an object
  std::size_t place = 0;              ///< its place in a list
  std::vector<std::size_t> children;  ///< in order
};

/// A document: parents stand before their children, the root first. A chain of 1e6 levels is as good as a flat list.
class JsonTree {
 public:
  [[nodiscard]] const JsonNode& operator[](std::size_t node) const { return nodes_[node]; }  ///< one of size()
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }                           ///< at least 1
  /// The member of an object, or 0, which is no member. O(members).
  [[nodiscard]] std::size_t member(std::size_t node, std::string_view key) const;
  /// "$.events[1].event"; of more than 24 levels the last. O(1).
  [[nodiscard]] std::string path(std::size_t node) const;
  /// The value below a node. \throws UsageError  for more than deepest_document levels.
  [[nodiscard]] Value value(std::size_t node = 0) const;
  /// Adds a node below another, which must be the last that was begun. \return its place.
  std::size_t add(JsonNode node);

 private:
  std::vector<JsonNode> nodes_;
};

/// The nodes of a JSON text. \param what  names the text in messages. \param keys  the most of an object.
/// \throws UsageError  with the position of the first mistake. Duplicate keys, numbers that overflow and more than
/// `keys` are mistakes. Cost: linear in the text; no recursion.
[[nodiscard]] JsonTree read_json_tree(const std::string& text, const std::string& what, std::size_t keys = most_keys);

/// The value of a JSON text, of at most deepest_document levels. Lists of numbers are vectors. Errors as above.
[[nodiscard]] Value read_json(const std::string& text, const std::string& what);

/// A value as JSON with two spaces of indentation and a final line break; names in order, infinities "inf" and "-inf".
[[nodiscard]] std::string write_json(const Value& value);

}  // namespace dpcurves::io
