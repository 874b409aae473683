// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/io/detail/rows.hpp>
#include <dpcurves/queries/audit.hpp>

namespace dpcurves::queries {
namespace {

double score_of(const std::string& text, const std::string& where) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(value)) {
    throw UsageError(where + ": score: \"" + text + "\" is not a number");
  }
  return value;
}

bool member_of(const std::string& text, const std::string& where) {
  for (const char* word : {"1", "true", "True", "in"}) {
    if (text == word) {
      return true;
    }
  }
  for (const char* word : {"0", "false", "False", "out"}) {
    if (text == word) {
      return false;
    }
  }
  throw UsageError(where + ": member: \"" + text + "\" is none of 0, 1, true, false, in, out");
}

Scores from_rows(const io::Rows& rows, const std::string& name) {
  const std::vector<std::string> known{"score", "member", "canary", "run"};
  std::vector<std::optional<std::size_t>> place(known.size());
  for (std::size_t i = 0; i < rows.names().size(); ++i) {
    const std::string& column = rows.names()[i];
    const auto found = std::find(known.begin(), known.end(), column);
    if (found == known.end()) {
      throw UsageError(name + ": unknown column " + column +
                       (column == "weight" ? ": bounds hold for scores that count alike" : suggestion(column, known)));
    }
    place[static_cast<std::size_t>(found - known.begin())] = i;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (!place[i]) {
      throw UsageError(name + ": column " + known[i] + " is missing; the first line names the columns");
    }
  }
  Scores scores;
  std::set<std::string> runs;
  std::set<std::pair<std::string, std::string>> canaries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string where = name + ", line " + std::to_string(rows.line(i));
    const double score = score_of(rows.cell(i, *place[0]), where);
    (member_of(rows.cell(i, *place[1]), where) ? scores.in : scores.out).push_back(score);
    const std::string run = place[3] ? rows.cell(i, *place[3]) : "";
    if (place[3] && !runs.insert(run).second && scores.repeated_run.empty()) {
      scores.repeated_run = run;
    }
    if (place[2] && !canaries.emplace(run, rows.cell(i, *place[2])).second && scores.repeated_canary.empty()) {
      scores.repeated_canary = rows.cell(i, *place[2]);
    }
  }
  scores.runs = runs.size();
  scores.canaries_only = place[2] && !place[3];
  return scores;
}

std::vector<double> numbers_of(const Record& document, const char* key, const std::string& name) {
  const Value& value = document.at(key);
  std::vector<double> list;
  if (const auto* numbers = value.get<std::vector<double>>()) {
    return *numbers;
  }
  const auto* entries = value.get<List>();
  if (entries == nullptr) {
    throw UsageError(name + ": " + key + ": is not a list of numbers");
  }
  for (const Value& entry : *entries) {
    double number = 0.0;
    if (const bool* flag = entry.get<bool>()) {
      number = *flag ? 1.0 : 0.0;
    } else if (!entry.number(number) || std::isnan(number)) {
      throw UsageError(name + ": " + key + "[" + std::to_string(list.size()) + "]: " + text(entry) +
                       " is not a number");
    }
    list.push_back(number);
  }
  return list;
}

Scores from_json(const Value& document, const std::string& name) {
  const auto* record = document.get<Record>();
  if (record == nullptr) {
    throw UsageError(name + R"(: is not an object {"score": [...], "member": [...]} or {"in": [...], "out": [...]})");
  }
  const bool pair = record->find("in") != nullptr || record->find("out") != nullptr;
  const std::vector<std::string> known =
      pair ? std::vector<std::string>{"in", "out"} : std::vector<std::string>{"score", "scores", "member"};
  for (const Entry& entry : record->entries()) {
    if (std::find(known.begin(), known.end(), entry.name) == known.end()) {
      const bool column = entry.name == "canary" || entry.name == "run";
      throw UsageError(name + ": unknown key " + entry.name +
                       (column                   ? ": it is a column of CSV"
                        : entry.name == "weight" ? ": bounds hold for scores that count alike"
                                                 : suggestion(entry.name, known)));
    }
  }
  Scores scores;
  if (record->find("in") != nullptr || record->find("out") != nullptr) {
    scores.in = numbers_of(*record, "in", name);
    scores.out = numbers_of(*record, "out", name);
    return scores;
  }
  const char* key = record->find("score") != nullptr ? "score" : "scores";
  const auto all = numbers_of(*record, key, name), member = numbers_of(*record, "member", name);
  if (all.size() != member.size()) {
    throw UsageError(name + ": member: has " + std::to_string(member.size()) + " entries for " +
                     std::to_string(all.size()) + " scores");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (member[i] != 0.0 && member[i] != 1.0) {
      throw UsageError(name + ": member[" + std::to_string(i) + "]: is neither 0 nor 1");
    }
    (member[i] == 1.0 ? scores.in : scores.out).push_back(all[i]);
  }
  return scores;
}

}  // namespace

Scores read_scores(const std::string& text, const std::string& name) {
  return name.ends_with(".json") ? from_json(io::read_json(text, name), name)
                                 : from_rows(io::parse_rows(text, name), name);
}

}  // namespace dpcurves::queries
