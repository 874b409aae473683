// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/toml.hpp"

#include "support/json_record.hpp"

namespace dpcurves::tools {

Json parse_toml(const std::string& text, const std::string& what) { return json_of(io::read_toml(text, what)); }

}  // namespace dpcurves::tools
