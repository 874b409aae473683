// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include <dpcurves/core/nearest.hpp>

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

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
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
