// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The text of data/catalogue/*.json, made part of the library when it is built.
#pragma once

#include <vector>

namespace dpcurves::catalogue {

/// One file.
struct PaperText {
  const char* paper;               ///< its short name, the stem of the file
  std::vector<const char*> lines;  ///< of the JSON text
};

/// The files in the order of the papers; built in, so nothing is read at run time.
[[nodiscard]] const std::vector<PaperText>& data();

}  // namespace dpcurves::catalogue
