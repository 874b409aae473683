// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/caption.hpp"

#include <algorithm>

#include <dpcurves/core/format.hpp>

namespace dpcurves::tools {

std::string caption_of(const Json& inputs, const std::set<std::string>& without) {
  constexpr std::size_t longest = 90;  // characters on a line of 800 pixels
  std::string caption;
  std::size_t begin = 0;
  for (const auto& [key, value] : inputs.items()) {
    if (without.contains(key) || key == "plot" || key == "explain" || value.is_object()) {
      continue;
    }
    std::string part = key;
    std::replace(part.begin(), part.end(), '_', ' ');
    if (!value.is_boolean()) {
      part += " = " + (value.is_string()   ? value.get<std::string>()
                       : value.is_number() ? rounded(value.get<double>(), 6)
                                           : value.dump());
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

}  // namespace dpcurves::tools
