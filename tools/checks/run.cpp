// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/queries/detail/range.hpp>

#include "checks/check.hpp"
#include "program.hpp"
#include "support/common.hpp"
#include "support/exit.hpp"
#include "support/failure.hpp"
#include "support/json_record.hpp"

namespace dpcurves::tools::checks {
namespace {

/// Refuses keys that mean nothing here: a misspelt tolerance must not pass in silence.
void only_keys(const std::string& where, const Json& object, const std::vector<std::string>& known) {
  if (!object.is_object()) {
    throw UsageError(where + ": " + shown(object) + " is not a table of keys");
  }
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw UsageError(where + "." + key + ": unknown key" + suggestion(key, known));
    }
  }
}

const Json& member(const Json& object, const std::string& key) {
  if (!object.contains(key)) {
    throw UsageError(key + ": missing key");
  }
  return object[key];
}

std::string text_member(const Json& object, const std::string& key) {
  const Json& value = member(object, key);
  if (!value.is_string()) {
    throw UsageError(key + ": " + shown(value) + " is not a text");
  }
  return value.get<std::string>();
}

double tolerance_part(const std::string& where, const Json& object, const std::string& key) {
  if (!object.contains(key)) {
    return 0.0;
  }
  const Json& value = object[key];
  if (!value.is_number() || !(value.get<double>() >= 0.0)) {
    throw UsageError(where + "." + key + ": " + shown(value) + " is not a number in [0, inf)");
  }
  return value.get<double>();
}

Tolerance tolerance_of(const std::string& where, const Json& object) {
  return {tolerance_part(where, object, "rel"), tolerance_part(where, object, "abs")};
}

std::string vector_failure(const Json& entry) {
  const auto& calculator = calculators::find(text_member(entry, "calculator"));
  const Json& outputs = member(entry, "outputs");
  if (!outputs.is_object() || outputs.empty()) {
    throw UsageError("outputs: " + shown(outputs) + " names nothing to compare");
  }
  const Json stated = entry.value("tolerance", Json::object());
  only_keys("tolerance", stated, {"rel", "abs", "by_key"});
  const Json by_key = stated.value("by_key", Json::object());
  for (const auto& [key, value] : by_key.items()) {
    only_keys("tolerance.by_key." + key, value, {"rel", "abs"});
    if (!outputs.contains(key)) {
      throw UsageError("tolerance.by_key." + key + ": is no key of outputs");
    }
  }
  const Tolerance usual = stated.empty() ? Tolerance{1e-9, 0.0} : tolerance_of("tolerance", stated);
  const Json got = json_of({calculator(record_of(member(entry, "inputs")))});
  for (const auto& [key, wanted] : outputs.items()) {
    if (!got.contains(key)) {
      return key + ": missing in the answer";
    }
    const auto found = difference(key, wanted, got[key],
                                  by_key.contains(key) ? tolerance_of("tolerance.by_key." + key, by_key[key]) : usual);
    if (!found.empty()) {
      return found;
    }
  }
  return "";
}

constexpr std::array form_of_checks{"--format", "json", "--quiet"};

/// The value of an option as it stands on a command line.
std::string option_text(const std::string& name, const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_integer()) {
    return shown(value);
  }
  if (value.is_number()) {
    return shortest(value.get<double>());
  }
  throw UsageError("options." + name + ": " + shown(value) +
                   " is neither a number, a text, true or false, nor a list of them");
}

}  // namespace

std::vector<std::string> command_line(const Json& entry) {
  std::vector<std::string> line;
  std::istringstream words(text_member(entry, "command"));
  for (std::string word; words >> word;) {
    line.push_back(word);
  }
  if (!line.empty() && line.front() == "dpcurves") {
    line.erase(line.begin());
  }
  const Json options = entry.value("options", Json::object());
  if (!options.is_object()) {
    throw UsageError("options: " + shown(options) + " is not a table of keys");
  }
  for (const auto& [key, value] : options.items()) {
    std::string name(key);
    std::replace(name.begin(), name.end(), '_', '-');
    if (name == "format" || name == "output" || name == "quiet") {
      throw UsageError("options." + key + ": is set by the check itself");
    }
    if (value.is_boolean()) {
      if (value.get<bool>()) {
        line.push_back("--" + name);
      }
      continue;
    }
    for (const auto& one : value.is_array() ? value : Json::array({value})) {
      line.push_back("--" + name);
      line.push_back(option_text(name, one));
    }
  }
  line.insert(line.end(), form_of_checks.begin(), form_of_checks.end());
  return line;
}

namespace {

/// The value at "results.0.epsilon.upper"; throws UsageError naming the first part that is not there.
const Json& value_at(const Json& answer, const std::string& path) {
  const Json* here = &answer;
  std::string walked;
  std::istringstream stream(path);
  for (std::string key; std::getline(stream, key, '.');) {
    const bool index = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos && key.size() < 10;
    if (here->is_array() && index && std::stoul(key) < here->size()) {
      here = &(*here)[std::stoul(key)];
    } else if (here->is_object() && here->contains(key)) {
      here = &(*here)[key];
    } else {
      std::vector<std::string> known;
      for (const auto& [name, value] : here->items()) {
        known.push_back(name);
      }
      throw UsageError("expect.value: the answer has no \"" + key + "\"" +
                       (walked.empty() ? "" : " in \"" + walked + "\"") + suggestion(key, known) +
                       (known.empty() ? "" : "; it has " + joined(known)));
    }
    walked += (walked.empty() ? "" : ".") + key;
  }
  return *here;
}

}  // namespace

std::string expectation_failure(const Json& answer, const Json& expectation) {
  only_keys("expect", expectation, {"value", "equals", "at-most", "at-least", "rel", "abs"});
  const std::string path = text_member(expectation, "value");
  const bool equals = expectation.contains("equals");
  const bool at_most = expectation.contains("at-most");
  const bool at_least = expectation.contains("at-least");
  if (!equals && !at_most && !at_least) {
    throw UsageError("expect: names neither equals, at-most nor at-least");
  }
  const Json& got = value_at(answer, path);
  if (equals) {
    const bool toleranced = expectation.contains("rel") || expectation.contains("abs");
    const auto found = difference(path, expectation["equals"], got,
                                  toleranced ? tolerance_of("expect", expectation) : Tolerance{1e-9, 0.0});
    if (!found.empty()) {
      return found;
    }
  } else if (expectation.contains("rel") || expectation.contains("abs")) {
    throw UsageError("expect: rel and abs belong to equals; a limit is a limit");
  }
  for (const bool upper : {true, false}) {
    const std::string key = upper ? "at-most" : "at-least";
    if (!expectation.contains(key)) {
      continue;
    }
    const Json& limit = expectation[key];
    if (!limit.is_number()) {
      throw UsageError("expect." + key + ": " + shown(limit) + " is not a number");
    }
    double value = 0.0;
    const bool known = got.is_number() || got == "inf" || got == "-inf";
    if (!known || !read_number(got.is_number() ? shortest(got.get<double>()) : got.get<std::string>(), value)) {
      return path + ": wanted a number, got " + shown(got);
    }
    const double bound = limit.get<double>();
    if (upper ? !(value <= bound) : !(value >= bound)) {
      return path + ": is " + shortest(value) + (upper ? ", more than " : ", less than ") + shortest(bound);
    }
  }
  return "";
}

std::optional<double> headroom(const Json& answer, const Json& expectation) {
  std::optional<double> least;
  const Json& got = value_at(answer, text_member(expectation, "value"));
  for (const bool upper : {true, false}) {
    const std::string key = upper ? "at-most" : "at-least";
    if (!expectation.contains(key) || !got.is_number() || expectation[key] == 0.0) {
      continue;
    }
    const double limit = expectation[key].get<double>();
    const double room = (upper ? limit - got.get<double>() : got.get<double>() - limit) / std::abs(limit);
    least = std::min(least.value_or(room), room);
  }
  return least;
}

namespace {

std::string command_failure(const Json& entry, std::optional<double>& room) {
  const Json& expect = member(entry, "expect");
  const Json expectations = expect.is_array() ? expect : Json::array({expect});
  if (expectations.empty()) {
    throw UsageError("expect: names nothing to compare");
  }
  const auto line = command_line(entry);
  std::string spoken;
  const int code = run_command(line, {&spoken});
  if (code != static_cast<int>(Exit::ok)) {
    return "the command ended with exit code " + std::to_string(code);
  }
  const Json answer = parse_json(spoken, "the command's answer");
  for (const auto& expectation : expectations) {
    const auto found = expectation_failure(answer, expectation);
    if (!found.empty()) {
      return found;
    }
    if (const auto own = headroom(answer, expectation)) {
      room = std::min(room.value_or(*own), *own);
    }
  }
  return "";
}

/// The command of an entry as it is typed into a shell, without the form that the check asks for.
std::string typed_line(const Json& entry) {
  auto line = command_line(entry);
  line.resize(line.size() - form_of_checks.size());
  return tools::command_line(line);
}

Finding find(const Json& entry, std::size_t index) {
  const Stopwatch clock;
  const auto text_or = [&](const char* key, const std::string& fallback) {
    return entry.is_object() && entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>()
                                                                              : fallback;
  };
  Finding finding{.id = text_or("id", "check " + std::to_string(index)),
                  .subject = text_or("calculator", text_or("command", ""))};
  try {
    only_keys("check", entry,
              {"id", "source", "published", "note", "calculator", "inputs", "outputs", "tolerance", "command",
               "options", "expect"});
    if (entry.contains("calculator") == entry.contains("command")) {
      throw UsageError("needs either a calculator with inputs and outputs, or a command with options and expect");
    }
    if (entry.contains("command")) {
      finding.repeat = typed_line(entry);
    }
    finding.failure = entry.contains("calculator") ? vector_failure(entry) : command_failure(entry, finding.headroom);
  } catch (const nlohmann::json::exception& error) {
    finding.failure = std::string("malformed check: ") + error.what();
  } catch (const std::exception&) {
    finding.failure = current_failure().message;
  }
  finding.seconds = clock.seconds();
  return finding;
}

}  // namespace

std::vector<Json> read(const std::string& path) {
  const bool toml = path.ends_with(".toml");
  const std::string content = io::read_file(path, toml ? io::largest_toml : largest_json);
  return entries(toml ? parse_toml(content, path) : parse_json(content, path), path);
}

std::vector<std::size_t> entry_lines(const std::string& path) {
  const bool toml = path.ends_with(".toml");
  const std::string content = io::read_file(path, toml ? io::largest_toml : largest_json);
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  if (toml) {
    std::istringstream stream(content);
    for (std::string text; std::getline(stream, text); ++line) {
      const auto begin = text.find_first_not_of(" \t");
      if (begin != std::string::npos && text.compare(begin, 9, "[[check]]") == 0) {
        lines.push_back(line);
      }
    }
    return lines;
  }
  // The objects of the first list, at whatever depth it stands.
  std::size_t depth = 0, list = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    line += c == '\n' ? 1U : 0U;
    if (quoted) {
      i += c == '\\' ? 1U : 0U;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (c == '{' && list > 0 && depth == list) {
        lines.push_back(line);
      }
      ++depth;
      list = c == '[' && list == 0 ? depth : list;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return lines;
}

std::vector<Json> entries(Json list, const std::string& path) {
  if (list.is_object() && list.size() == 1 && list.contains("check")) {
    list = Json(list["check"]);
  }
  if (!list.is_array()) {
    throw UsageError(path + ": is not a list of checks (JSON: a list; TOML: a [[check]] each)");
  }
  if (list.empty()) {
    throw UsageError(path + ": holds no checks");
  }
  return {list.begin(), list.end()};
}

std::vector<Finding> run(const std::vector<Json>& entries, unsigned threads, const Progress& progress) {
  std::vector<Finding> findings(entries.size());
  std::vector<std::size_t> vectors;
  std::vector<std::size_t> commands;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    (entries[i].is_object() && entries[i].contains("command") ? commands : vectors).push_back(i);
  }
  const std::size_t total = entries.size();
  parallel_for(
      vectors.size(), threads, [&](std::size_t k) { findings[vectors[k]] = find(entries[vectors[k]], vectors[k]); },
      [&](std::size_t done, std::size_t) { return !progress || progress(done, total); });
  std::size_t done = vectors.size();
  for (const std::size_t i : commands) {  // one after the other: a command uses all threads itself
    findings[i] = find(entries[i], i);
    if (progress && !progress(++done, total)) {
      throw Error("stopped on request after " + std::to_string(done) + " of " + std::to_string(total) + " checks");
    }
  }
  return findings;
}

}  // namespace dpcurves::tools::checks
