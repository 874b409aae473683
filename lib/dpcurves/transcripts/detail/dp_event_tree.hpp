// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Nodes of dp_accounting's trees: objects as _asdict() makes them, and lists as json.dumps(event.to_named_tuple())
/// writes them. Which classes there are, with their fields. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <dpcurves/core/domain.hpp>
#include <dpcurves/io/detail/json.hpp>

namespace dpcurves::transcripts {

/// A class with its fields in the order of its declaration; those after `needed` have defaults.
struct DpEventClass {
  const char* name;                 ///< as dp_accounting calls it
  std::vector<std::string> fields;  ///< in order
  std::size_t needed;               ///< how many have no default
};

/// A document whose nodes are read by class and field.
class DpEventTree {
 public:
  /// \param tree  lives longer than this.
  explicit DpEventTree(const io::JsonTree& tree) : tree_(tree) {}

  /// What stands at a place.
  [[nodiscard]] const io::JsonNode& operator[](std::size_t node) const { return tree_[node]; }
  /// Its place in words.
  [[nodiscard]] std::string path(std::size_t node) const { return tree_.path(node); }
  /// \throws UsageError  for what is no node; DomainError for another module or an unknown class.
  [[nodiscard]] const DpEventClass& class_of(std::size_t node) const;
  /// A field of a node, or 0 where it has its default.
  [[nodiscard]] std::size_t field(std::size_t node, const std::string& name) const;
  /// A number. \throws UsageError  for what is none; DomainError for one outside the domain.
  [[nodiscard]] double number(std::size_t node, const std::string& name, const Domain& domain) const;
  /// The same, or `fallback` where the field has its default.
  [[nodiscard]] double number_or(std::size_t node, const std::string& name, const Domain& domain,
                                 double fallback) const;
  /// The number of a leaf.
  [[nodiscard]] double leaf(std::size_t node, const Domain& domain) const;
  /// \throws UsageError  for what is no list.
  void require_list(std::size_t node) const;

 private:
  void check_fields(std::size_t node, const DpEventClass& known) const;
  [[nodiscard]] std::size_t place(std::size_t node, const DpEventClass& known, const std::string& name) const;

  const io::JsonTree& tree_;
};

}  // namespace dpcurves::transcripts
