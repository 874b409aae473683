// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
Value ends(const Enclosure& value) { return {Record{{"lower", {value.lower}}, {"upper", {value.upper}}}}; }

Value texts(const std::vector<std::string>& words) {
  List list;
  for (const auto& word : words) {
    list.push_back({word});
  }
  return {std::move(list)};
}

}  // namespace dpcurves::queries
