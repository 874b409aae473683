// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The library's messages about values, with the key, option or file that the user knows them by.
#pragma once

#include <string>

#include <dpcurves/core/error.hpp>

namespace dpcurves::tools {

/// Runs `make` and puts `where` in place of the function in the library's message about a value.
template <typename Make>
auto named(const std::string& where, const Make& make) {
  try {
    return make();
  } catch (const DomainError& error) {
    const std::string message = error.what();
    const auto start = message.find("): ");
    throw DomainError(where + ": " + (start == std::string::npos ? message : message.substr(start + 3)));
  }
}

}  // namespace dpcurves::tools
