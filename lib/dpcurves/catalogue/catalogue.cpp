// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/catalogue/detail/data.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::catalogue {
namespace {

using Json = nlohmann::json;

std::string text(const Json& item, const char* key) {
  const auto found = item.find(key);
  return found == item.end() || found->is_null() ? "" : found->get<std::string>();
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

std::string without_marks(std::string text) {
  std::erase(text, '$');
  return text;
}

std::vector<Entry> load() {
  std::vector<Entry> all;
  for (const auto& [paper, lines] : data()) {
    std::string json;
    for (const char* line : lines) {
      json.append(line).append("\n");
    }
    for (const auto& item : Json::parse(json)) {
      Entry entry{.id = item.at("id"),
                  .paper = paper,
                  .kind = item.at("kind"),
                  .marked = {item.at("title"), text(item, "statement"), text(item, "reason"),
                             item.value("assumptions", std::vector<std::string>{})}};
      entry.title = without_marks(entry.marked.title);
      entry.status = item.at("status");
      entry.statement = without_marks(entry.marked.statement);
      std::transform(entry.marked.assumptions.begin(), entry.marked.assumptions.end(),
                     std::back_inserter(entry.assumptions), without_marks);
      entry.calculators = item.value("calculators", std::vector<std::string>{});
      entry.topic = text(item, "topic");
      entry.page = text(item, "page");
      entry.validation = text(item, "validation");
      entry.reason = without_marks(entry.marked.reason);
      all.push_back(std::move(entry));
    }
  }
  return all;
}

}  // namespace

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    try {
      return load();
    } catch (const Json::exception& error) {
      throw DataError(std::string("the built-in catalogue is broken: ") + error.what());
    }
  }();
  return all;
}

const Entry* find(const std::string& id) {
  const auto& all = entries();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> papers() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (names.empty() || names.back() != entry.paper) {
      names.push_back(entry.paper);
    }
  }
  return names;
}

std::string paper_of(const std::string& name) {
  return name == "bok2024" ? "shifted-interpolation" : name;  // the other papers' keys are their names
}

std::vector<const Entry*> matching(const std::string& id) {
  std::string wanted = lower(id);
  std::replace(wanted.begin(), wanted.end(), ' ', '-');
  const auto slash = wanted.find('/');
  const std::string paper = slash == std::string::npos ? "" : paper_of(wanted.substr(0, slash));
  const std::string item = slash == std::string::npos ? wanted : wanted.substr(slash + 1);
  std::vector<const Entry*> found;
  for (const Entry& entry : entries()) {
    const std::string own = entry.id.substr(entry.paper.size() + 1);
    const bool numbered = own.size() > item.size() && own.ends_with("-" + item);
    if ((paper.empty() || entry.paper == paper) && !item.empty() && (own == item || numbered)) {
      found.push_back(&entry);
    }
  }
  return found;
}

bool means(const std::string& typed, const std::string& id) {
  const auto short_for = matching(typed);
  return typed == id ||
         std::any_of(short_for.begin(), short_for.end(), [&](const Entry* one) { return one->id == id; });
}

std::vector<const Entry*> search(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::istringstream parts(text);  // quoted words are words too
    words.insert(words.end(), std::istream_iterator<std::string>(parts), {});
  }
  std::vector<const Entry*> found;
  const auto has_all = [&](const std::string& text) {
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return text.find(lower(word)) != std::string::npos; });
  };
  for (const Entry& entry : entries()) {
    std::string text = entry.id + "\n" + entry.title + "\n" + entry.statement;
    for (const auto& assumption : entry.assumptions) {
      text += "\n" + assumption;
    }
    if (has_all(lower(text))) {
      found.push_back(&entry);
    }
  }
  std::stable_partition(found.begin(), found.end(), [&](const Entry* entry) { return has_all(lower(entry->title)); });
  return found;
}

}  // namespace dpcurves::catalogue
