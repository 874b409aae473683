// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/failure.hpp"

#include <exception>
#include <new>
#include <string_view>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

Failure failure(Exit code, const std::string& message) { return {static_cast<int>(code), message}; }

}  // namespace

std::string without_function(const std::string& message) {
  const auto name = message.find("dpcurves::");
  if (name == std::string::npos) {
    return message;
  }
  const auto before = message.rfind(": ", name);
  const std::size_t start = before == std::string::npos ? 0 : before + 2;
  for (const std::string_view end : {"): ", ")>: ", ") const: ", "]: "}) {
    const auto found = message.find(end, name);
    if (found != std::string::npos && message.find(": ", name) == found + end.size() - 2) {
      return message.substr(0, start) + message.substr(found + end.size());
    }
  }
  return message;
}

Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return failure(Exit::usage, error.what());
  } catch (const DomainError& error) {
    return failure(Exit::domain, without_function(error.what()));
  } catch (const ConvergenceError& error) {
    return failure(Exit::accuracy, error.what());
  } catch (const ContradictionError& error) {
    return failure(Exit::accuracy, std::string("internal contradiction, no answer can be trusted: ") + error.what());
  } catch (const DataError& error) {
    return failure(Exit::file, error.what());
  } catch (const Error& error) {
    return failure(Exit::accuracy, error.what());
  } catch (const std::bad_alloc&) {
    return failure(Exit::accuracy, "not enough memory for this input");
  } catch (const std::exception& error) {
    return failure(Exit::accuracy, std::string("internal error: ") + error.what());
  }
}

}  // namespace dpcurves::tools
