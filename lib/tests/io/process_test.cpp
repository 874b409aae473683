// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/process.hpp>

#include "support/support.hpp"

using namespace dpcurves;

TEST_CASE("a child returns what it was given, however long, and its exit code", "[io][process]") {
  const std::string text(GENERATE(0U, 1U, 3000000U), 'x');  // the last is far beyond what a pipe holds
  const auto copied = io::run_process({"cat"}, text);
  CHECK(copied.output == text);
  CHECK(copied.complaints.empty());
  CHECK(copied.exit_code == 0);
}

TEST_CASE("output, complaints and exit codes are kept apart", "[io][process]") {
  const auto spoken = io::run_process({"sh", "-c", "echo result; echo trouble >&2; exit 7"}, "unread");
  CHECK(spoken.output == "result\n");
  CHECK(spoken.complaints == "trouble\n");
  CHECK(spoken.exit_code == 7);
  CHECK(io::run_process({"sh", "-c", "kill -TERM $$"}, "").exit_code == 128 + 15);
}

TEST_CASE("a child that does not read its input does not end the parent", "[io][process]") {
  CHECK(io::run_process({"true"}, std::string(3000000, 'x')).exit_code == 0);
}

TEST_CASE("arguments are passed as they are: no shell takes part", "[io][process]") {
  CHECK(io::run_process({"printf", "%s", "$HOME; `id` 'a b' *"}, "").output == "$HOME; `id` 'a b' *");
}

TEST_CASE("a program that is not there is named", "[io][process][errors]") {
  CHECK_THROWS_WITH(io::run_process({"dpcurves-no-such-program"}, ""),
                    Catch::Contains("cannot start dpcurves-no-such-program"));
  CHECK_THROWS_AS(io::run_process({"dpcurves-no-such-program"}, ""), DataError);
  CHECK_THROWS_AS(io::run_process({}, ""), DomainError);
  CHECK(io::program_exists("sh"));
  CHECK_FALSE(io::program_exists("dpcurves-no-such-program"));
}
