// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/detail/caption.hpp>

namespace dpcurves::queries {
namespace {

/// A file without its folders, which say nothing of the setting; other words as they are.
std::string without_folders(const std::string& word) {
  const std::filesystem::path path(word);
  const std::string ending = path.extension().string();
  return ending == ".json" || ending == ".csv" || ending == ".toml" ? path.filename().string() : word;
}

/// "1e-05, 0.001": a list without what JSON puts around it.
std::string in_words(const Value& value) {
  if (const auto* word = value.get<std::string>()) {
    return without_folders(*word);
  }
  if (double real = 0.0; value.number(real)) {
    return rounded(real, 6);
  }
  std::string words;
  if (const auto* list = value.get<List>()) {
    for (const Value& one : *list) {
      words += (words.empty() ? "" : ", ") + in_words(one);
    }
  } else if (const auto* numbers = value.get<std::vector<double>>()) {
    for (const double one : *numbers) {
      words += (words.empty() ? "" : ", ") + rounded(one, 6);
    }
  } else {
    words = text(value);
  }
  return words;
}

/// "noise multiplier = 1.1", or the name of a flag; empty for what was not given.
std::string part_of(const std::string& key, const Value& value) {
  std::string part = spoken(key);
  if (const bool* flag = value.get<bool>()) {
    return *flag ? part : "";
  }
  const std::string words = in_words(value);
  return words.empty() || words == "null" ? "" : part + " = " + words;
}

/// What a run file says of its steps: the setting of a picture that has no options.
Record said_by(const Record& run) {
  Record said;
  const auto copy = [&](const Record& from, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (const Value* value = from.find(key); value != nullptr && !value->null()) {
        said.add(key, *value);
      }
    }
  };
  const auto record_at = [&](const char* key) {
    const Value* value = run.find(key);
    return value == nullptr ? nullptr : value->get<Record>();
  };
  const Value* phases = run.find("phases");
  const List* list = phases == nullptr ? nullptr : phases->get<List>();
  if (list != nullptr && list->size() == 1 && list->front().get<Record>() != nullptr) {
    copy(*list->front().get<Record>(),
         {"sampler", "noise_multiplier", "noise", "sampling_rate", "batch_size", "steps"});
  } else if (list != nullptr && !list->empty()) {
    said.add("phases", {static_cast<double>(list->size())});
  }
  if (const auto* records = record_at("records"); records != nullptr && records->find("count") != nullptr) {
    said.add("records", *records->find("count"));
  }
  if (const auto* privacy = record_at("privacy")) {
    copy(*privacy, {"adjacency"});
  }
  return said;
}

}  // namespace

std::string spoken(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '_'; }, ' ');
  return name;
}

std::string caption_of(const Record& inputs, const std::set<std::string>& without) {
  constexpr std::size_t longest = 90;  // characters on a line of 800 pixels
  std::string caption;
  std::size_t begin = 0;
  const auto add = [&](const std::string& key, const Value& value) {
    const std::string part = part_of(key, value);
    if (part.empty()) {
      return;
    }
    if (caption.size() > begin && caption.size() - begin + part.size() > longest) {
      caption += ",\n";
      begin = caption.size();
    } else if (!caption.empty()) {
      caption += ", ";
    }
    caption += part;
  };
  for (const auto& [key, value] : inputs.entries()) {
    if (without.contains(key) || key == "plot" || key == "explain") {
      continue;
    }
    if (const auto* record = value.get<Record>(); record != nullptr && key == "run") {
      const Record said = said_by(*record);
      for (const auto& [name, words] : said.entries()) {
        add(name, words);
      }
    } else if (record == nullptr) {
      add(key, value);
    }
  }
  return caption;
}

void add_caption(io::Plot& plot, const Record& inputs, const std::set<std::string>& without) {
  const std::string caption = caption_of(inputs, without);
  if (!caption.empty() && plot.title.find('\n') == std::string::npos) {
    plot.title += "\n" + caption;
  }
}

std::string legend_of(const std::string& title, const std::string& theorem) {
  constexpr std::size_t longest = 44;  // more would leave no corner for the legend
  if (!title.empty() && title.size() <= longest) {
    return title;
  }
  return spoken(theorem.substr(theorem.find('/') + 1));
}

}  // namespace dpcurves::queries
