// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/format.hpp>
#include <dpcurves/queries/caption.hpp>

namespace dpcurves::queries {

std::string caption_of(const Record& inputs, const std::set<std::string>& without) {
  constexpr std::size_t longest = 90;  // characters on a line of 800 pixels
  std::string caption;
  std::size_t begin = 0;
  for (const auto& [key, value] : inputs.entries()) {
    if (without.contains(key) || key == "plot" || key == "explain" || value.get<Record>() != nullptr) {
      continue;
    }
    std::string part = key;
    std::replace(part.begin(), part.end(), '_', ' ');
    if (value.get<bool>() == nullptr) {
      const auto* word = value.get<std::string>();
      double real = 0.0;
      part += " = " + (word != nullptr ? *word : value.number(real) ? rounded(real, 6) : text(value));
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

}  // namespace dpcurves::queries
