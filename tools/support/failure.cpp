// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/failure.hpp"

#include <exception>
#include <new>

#include "support/exit.hpp"

namespace dpcurves::tools {
namespace {

Failure failure(Exit code, const std::string& message) { return {static_cast<int>(code), message}; }

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& error) {
    return failure(Exit::usage, error.what());
  } catch (const DomainError& error) {
    return failure(Exit::domain, error.what());
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
