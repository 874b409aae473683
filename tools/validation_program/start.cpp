// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The run of dpcurves validate in dpcurves: the program beside it.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include <dpcurves/core/error.hpp>

#include "support/exit.hpp"
#include "validate.hpp"

namespace dpcurves::tools {

int run_validation(const Validation& validation) {
  if (validation.common.to.within()) {
    throw UsageError("command: validate cannot be run by another command");
  }
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto program = self.parent_path() / "dpcurves-validate";
  if (error || !std::filesystem::exists(program)) {
    throw DataError("the validation cases are a program of their own, which is missing beside this one: " +
                    program.string() + "; build the target dpcurves-validate");
  }
  std::ifstream typed("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(typed), {}};  // arguments, each with a NUL behind it
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    arguments.push_back(text.data() + at);
  }
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  throw DataError(program.string() + ": " + std::strerror(errno));
}

}  // namespace dpcurves::tools
