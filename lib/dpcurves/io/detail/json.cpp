// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>

namespace dpcurves::io {
namespace {

using Json = nlohmann::json;

/// The message of a parser, which repeats what it read: what is no UTF-8 as \xNN.
std::string printable(const std::string& message) {
  try {
    static_cast<void>(Json(message).dump());
    return message;
  } catch (const Json::type_error&) {
    std::string escaped;
    for (const char byte : message) {
      if (static_cast<unsigned char>(byte) < 0x80U) {
        escaped += byte;
      } else {
        constexpr const char* digits = "0123456789ABCDEF";
        escaped += std::string("\\x") + digits[static_cast<unsigned char>(byte) >> 4U] +
                   digits[static_cast<unsigned char>(byte) & 15U];
      }
    }
    return escaped;
  }
}

/// Events of the parser, as nodes.
class Builder final : public Json::json_sax_t {
 public:
  Builder(JsonTree& tree, std::string what, std::size_t most) : tree_(tree), what_(std::move(what)), most_(most) {}

  bool null() override { return leaf({}); }
  bool boolean(bool value) override { return leaf({value}); }
  bool number_integer(number_integer_t value) override { return leaf({static_cast<std::int64_t>(value)}); }
  bool number_unsigned(number_unsigned_t value) override {
    return leaf(value >> 63U != 0U ? Value{static_cast<double>(value)} : Value{static_cast<std::int64_t>(value)});
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return leaf({value}); }
  bool string(string_t& value) override { return leaf({std::move(value)}); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    return open(JsonNode::Kind::object);
  }
  bool start_array(std::size_t /*size*/) override { return open(JsonNode::Kind::list); }
  bool end_object() override {
    keys_.pop_back();
    return end_array();
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      throw UsageError(what_ + ": the key \"" + name + "\" stands there twice");
    }
    if (keys_.back().size() > most_) {
      throw UsageError(what_ + ": an object of more than " + std::to_string(most_) + " keys");
    }
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    std::string message = error.what();
    const auto start = message.find("] ");
    message = start == std::string::npos ? message : message.substr(start + 2);
    if (message.find(" at line ") == std::string::npos) {
      message += ", at byte " + std::to_string(position);
    }
    if (token.ends_with('N') || token.ends_with('I')) {  // as some writers have them
      message += "; NaN and Infinity are no JSON: an infinite number is the text \"inf\"";
    }
    throw UsageError(what_ + ": " + printable(message));
  }

 private:
  std::size_t add(JsonNode node) {
    if (!open_.empty()) {
      node.parent = open_.back();
      node.key = std::exchange(key_, {});
    }
    return tree_.add(std::move(node));
  }
  bool leaf(Value value) {
    JsonNode node;
    node.leaf = std::move(value);
    add(std::move(node));
    return true;
  }
  bool open(JsonNode::Kind kind) {
    JsonNode node;
    node.kind = kind;
    open_.push_back(add(std::move(node)));
    return true;
  }

  JsonTree& tree_;
  std::string what_;
  std::size_t most_;
  std::vector<std::size_t> open_;            // objects and lists that have begun
  std::vector<std::set<std::string>> keys_;  // of the objects among them
  std::string key_;
};

Value value_below(const JsonTree& tree, std::size_t at, int depth) {
  if (depth > deepest_document) {
    throw UsageError("nested deeper than " + std::to_string(deepest_document) + " levels");
  }
  const JsonNode& node = tree[at];
  if (node.kind == JsonNode::Kind::leaf) {
    return node.leaf;
  }
  if (node.kind == JsonNode::Kind::object) {
    Record record;
    for (const std::size_t child : node.children) {
      record.add(tree[child].key, value_below(tree, child, depth + 1));
    }
    return {std::move(record)};
  }
  const bool numbers = std::all_of(node.children.begin(), node.children.end(), [&](std::size_t child) {
    return tree[child].leaf.get<double>() != nullptr || tree[child].leaf.get<std::int64_t>() != nullptr;
  });
  std::vector<double> flat;
  List list;
  for (const std::size_t child : node.children) {
    if (numbers) {
      double number = 0.0;
      static_cast<void>(tree[child].leaf.number(number));
      flat.push_back(number);
    } else {
      list.push_back(value_below(tree, child, depth + 1));
    }
  }
  return numbers ? Value{std::move(flat)} : Value{std::move(list)};
}

void write(const Value& value, std::size_t indent, std::string& out) {
  const auto line = [&](std::size_t more) { out += "\n" + std::string(indent + more, ' '); };
  if (const auto* record = value.get<Record>(); record != nullptr && !record->entries().empty()) {
    out += "{";
    for (const Entry& entry : record->entries()) {
      out += &entry == &record->entries().front() ? "" : ",";
      line(2);
      out += text({entry.name}) + ": ";
      write(entry.value, indent + 2, out);
    }
    line(0);
    out += "}";
  } else if (const auto* list = value.get<List>(); list != nullptr && !list->empty()) {
    out += "[";
    for (const Value& entry : *list) {
      out += &entry == &list->front() ? "" : ",";
      line(2);
      write(entry, indent + 2, out);
    }
    line(0);
    out += "]";
  } else {
    out += text(value);
  }
}

}  // namespace

std::size_t JsonTree::member(std::size_t node, std::string_view key) const {
  for (const std::size_t child : nodes_[node].children) {
    if (nodes_[child].key == key) {
      return child;
    }
  }
  return 0;
}

std::string JsonTree::path(std::size_t node) const {
  constexpr int deepest_path = 24;
  std::string text;
  for (int level = 0; node != 0; node = nodes_[node].parent) {
    if (++level > deepest_path) {
      return "$..." + text;
    }
    const JsonNode& one = nodes_[node];
    text.insert(
        0, nodes_[one.parent].kind == JsonNode::Kind::object ? "." + one.key : "[" + std::to_string(one.place) + "]");
  }
  return "$" + text;
}

Value JsonTree::value(std::size_t node) const { return value_below(*this, node, 0); }

std::size_t JsonTree::add(JsonNode node) {
  const std::size_t at = nodes_.size();
  if (at > 0) {
    JsonNode& parent = nodes_[node.parent];
    node.place = parent.children.size();
    parent.children.push_back(at);
  }
  nodes_.push_back(std::move(node));
  return at;
}

JsonTree read_json_tree(const std::string& text, const std::string& what, std::size_t keys) {
  refuse_utf16(text, what);
  JsonTree tree;
  Builder builder(tree, what, keys);
  static_cast<void>(Json::sax_parse(text, &builder));
  return tree;
}

Value read_json(const std::string& text, const std::string& what) {
  try {
    return read_json_tree(text, what).value();
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw UsageError(message.starts_with(what) ? message : what + ": " + message);
  }
}

std::string write_json(const Value& value) {
  std::string out;
  write(value, 0, out);
  return out + "\n";
}

}  // namespace dpcurves::io
