// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/node.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>

namespace dpcurves::transcripts {

double number_at(const io::JsonTree& tree, std::size_t node, const Domain& domain) {
  double value = 0.0;
  const io::JsonNode& one = tree[node];
  if (one.kind != io::JsonNode::Kind::leaf || !one.leaf.number(value)) {
    const std::string shown = one.kind == io::JsonNode::Kind::leaf ? text(one.leaf) : "what stands there";
    throw UsageError(tree.path(node) + ": " + shown + " is not a number");
  }
  if (!domain.contains(value)) {
    throw DomainError(tree.path(node) + ": " + outside(value, domain));
  }
  return value;
}

std::string text_at(const io::JsonTree& tree, std::size_t node) {
  if (const auto* word = tree[node].leaf.get<std::string>()) {
    return *word;
  }
  throw UsageError(tree.path(node) + ": what stands there is not a text");
}

bool null_at(const io::JsonTree& tree, std::size_t node) {
  return tree[node].kind == io::JsonNode::Kind::leaf && tree[node].leaf.null();
}

std::size_t field_at(const io::JsonTree& tree, std::size_t node, std::string_view name, const std::string& owner) {
  const std::size_t found = tree.member(node, name);
  if (found == 0) {
    throw UsageError(tree.path(node) + ": " + owner + ": field " + std::string(name) + " is missing");
  }
  return found;
}

}  // namespace dpcurves::transcripts
