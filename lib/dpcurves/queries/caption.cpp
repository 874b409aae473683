// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/caption.hpp>

namespace dpcurves::queries {
namespace {

/// "1e-05, 0.001": a list without what JSON puts around it.
std::string in_words(const Value& value) {
  if (const auto* word = value.get<std::string>()) {
    return *word;
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
  for (const auto& [key, value] : inputs.entries()) {
    if (without.contains(key) || key == "plot" || key == "explain" || value.get<Record>() != nullptr) {
      continue;
    }
    std::string part = spoken(key);
    if (const bool* flag = value.get<bool>()) {
      if (!*flag) {
        continue;
      }
    } else {
      const std::string words = in_words(value);
      if (words.empty() || words == "null") {
        continue;  // was not given
      }
      part += " = " + words;
    }
    if (caption.size() > begin && caption.size() - begin + part.size() > longest) {
      caption += ",\n";
      begin = caption.size();
    } else if (!caption.empty()) {
      caption += ", ";
    }
    caption += part;
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
