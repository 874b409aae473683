// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The library's messages about values, with the key, option or file that the user knows them by.
#pragma once

#include <string>

#include <dpcurves/core/error.hpp>

namespace dpcurves::queries {

/// Runs `make` and puts `where` in place of the function in the library's message about a value.
template <typename Make>
auto named(const std::string& where, const Make& make) {
  try {
    return make();
  } catch (const DomainError& error) {
    if (error.record().empty()) {
      throw DomainError(where + ": " + error.what());
    }
    throw DomainError(where, error.field(), error.value(), error.domain());
  }
}

/// Runs `make`; what it says of the contents of a file starts with `where`, the file, once.
template <typename Make>
decltype(auto) of_file(const std::string& where, const Make& make) {
  const auto placed = [&where](const Error& error) {
    const std::string message = error.what();
    return message.starts_with(where) ? message : where + ": " + message;
  };
  try {
    return make();
  } catch (const UsageError& error) {
    throw UsageError(placed(error));
  } catch (const DomainError& error) {
    if (!error.record().empty() && error.record() != where) {
      throw DomainError(where, error.field(), error.value(), error.domain());
    }
    throw DomainError(placed(error));
  }
}

}  // namespace dpcurves::queries
