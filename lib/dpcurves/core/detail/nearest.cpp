// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>
#include <utility>

#include <dpcurves/core/detail/nearest.hpp>

namespace dpcurves {
namespace {

/// Levenshtein distance: the least number of letters to insert, delete or replace.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

/// What other libraries and papers call it, and what it is called here.
constexpr std::pair<std::string_view, std::string_view> namesakes[] = {
    {"eps", "epsilon"},
    {"target-eps", "epsilon"},
    {"q", "sampling-rate"},
    {"z", "noise-multiplier"},
    {"sigma", "noise-multiplier"},
    {"sample-rate", "sampling-rate"},
    {"sampling-probability", "sampling-rate"},
    {"num-steps", "steps"},
    {"iterations", "steps"},
    {"num-epochs", "epochs"},
    {"n", "records"},
    {"num-examples", "records"},
    {"num-samples", "records"},
    {"dataset-size", "records"},
    {"train-size", "records"},
    {"l2-norm-clip", "clip"},
    {"max-per-sample-grad-norm", "clip"},
    {"clipping-norm", "clip"},
    {"neighboring-relation", "adjacency"},
    {"neighbouring-relation", "adjacency"},
    {"without-replacement", "fixed-size"},
    {"substitute", "replace-one"},
    {"substitution", "replace-one"},
    {"replace", "replace-one"},
    {"bounded", "replace-one"},
    {"unbounded", "add-or-remove"},
    {"zeroed-out", "zero-out"},
    {"min-separation", "separation"},
};

std::string in_our_letters(const std::string& word) {
  std::string letters = word;
  std::transform(letters.begin(), letters.end(), letters.begin(),
                 [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return letters;
}

/// The one of `known` that is the word in other letters, or has it for a name elsewhere.
std::string known_elsewhere(const std::string& word, const std::vector<std::string>& known) {
  const std::string letters = in_our_letters(word);
  for (const auto& candidate : known) {
    if (in_our_letters(candidate) == letters) {
      return candidate;
    }
  }
  for (const auto& [there, here] : namesakes) {
    if (there == letters && std::find(known.begin(), known.end(), here) != known.end()) {
      return std::string(here);
    }
  }
  return "";
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  if (const std::string same = known_elsewhere(word, known); !same.empty()) {
    return ", did you mean " + same + "?";
  }
  std::size_t least = 1 + word.size() / 3;
  std::string nearest;
  for (const auto& candidate : known) {
    const std::size_t d = distance(word, candidate);
    if (d < least || (nearest.empty() && d == least)) {
      least = d;
      nearest = candidate;
    }
  }
  if (least > 0) {  // "sgd" is a part of "noisy-sgd", and nearer to it than to "hsgd"
    std::string whole;
    for (const auto& candidate : known) {
      const auto at = ("-" + candidate + "-").find("-" + word + "-");
      if (at != std::string::npos && (whole.empty() || candidate.size() < whole.size())) {
        whole = candidate;
      }
    }
    nearest = whole.empty() ? nearest : whole;
  }
  constexpr std::size_t least_letters = 3;
  if (nearest.empty() && word.size() >= least_letters) {  // "noise-mult", which is far from "noise-multiplier"
    for (const auto& candidate : known) {
      if (candidate.starts_with(word) && (nearest.empty() || candidate.size() < nearest.size())) {
        nearest = candidate;
      }
    }
  }
  return nearest.empty() ? "" : ", did you mean " + nearest + "?";
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const auto& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

}  // namespace dpcurves
