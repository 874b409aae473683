// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Command lines in this process: the same code as the program, its answer kept.
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "native.hpp"
#include "program.hpp"
#include "support/common.hpp"
#include "support/exit.hpp"
#include "validate.hpp"

namespace py = pybind11;

namespace dpcurves::tools {

// The cases are a program of their own, which replaces the process: not this one.
int run_validation(const Validation& /*validation*/) {
  throw UsageError("validate: is the program dpcurves-validate; dpcurves.validate judges a claim of your own");
}

}  // namespace dpcurves::tools

namespace dpcurves::python {

void bind_commands(py::module_& module) {
  module.def(
      "command",
      [](const std::vector<std::string>& arguments) {
        static std::mutex one_at_a_time;  // the progress of the program has one place
        std::pair<int, std::string> answer;
        patiently([&](const Progress& progress) {
          const std::lock_guard lock(one_at_a_time);
          answer.first = tools::run_command(arguments, {&answer.second, [&progress] { return progress(0, 0); }});
        });
        return answer;
      },
      "Exit code and standard output of a command line.", py::arg("arguments"));
}

}  // namespace dpcurves::python
