// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves privacy composition with mechanisms by name.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "support/support.hpp"
#include "tools/process.hpp"

using Catch::Contains;
using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

nlohmann::json epsilon(const std::string& components) {
  const auto spoken = run_program(words("privacy composition --format json --delta 1e-5 " + components));
  CAPTURE(components, spoken.err);
  REQUIRE(spoken.exit_code == 0);
  return nlohmann::json::parse(spoken.out)["results"][0]["epsilon"];
}

}  // namespace

TEST_CASE("a mechanism has the answer of its law", "[tools][composition]") {
  const auto laplace = epsilon("--component laplace:2");
  const double exact = 0.5 + 2.0 * std::log1p(-1e-5);
  CHECK(laplace["lower"].get<double>() <= exact);
  CHECK(exact <= laplace["upper"].get<double>());
  CHECK(epsilon("--component gaussian:2:4")["upper"].get<double>() ==
        Approx(epsilon("--gaussian 1")["upper"].get<double>()).epsilon(1e-9));
  const auto claim = epsilon("--component exponential:0.5");
  CHECK(claim["lower"].is_null());
  CHECK(claim["upper"].get<double>() <= 0.5);
  CHECK(epsilon("--component laplace:2 --component zcdp:0.01")["upper"].get<double>() > 0.5);
  CHECK(epsilon("--component gaussian:1:100@0.01 --component laplace:2")["upper"].get<double>() < 2.0);
  CHECK(epsilon("--component laplace:1 --repetitions 10")["upper"].get<double>() ==
        epsilon("--component laplace:1:10")["upper"].get<double>());
}

TEST_CASE("a privacy loss distribution is read from a file", "[tools][composition]") {
  const auto file = std::filesystem::temp_directory_path() / ("losses-" + std::to_string(getpid()) + ".csv");
  std::ofstream(file) << "loss,mass\n1,0.7310585786300049\n-1,0.2689414213699951\n";
  const double response = epsilon("--component randomized-response:1")["upper"].get<double>();
  CHECK(epsilon("--losses " + file.string())["upper"].get<double>() == Approx(response).epsilon(1e-5));
  std::ofstream(file) << "loss,mass\n1,0.9\n-1,0.9\n";
  const auto wrong = run_program({"privacy", "composition", "--losses", file.string(), "--delta", "1e-5"});
  CHECK(wrong.exit_code == 3);
  CHECK_THAT(wrong.err, Contains("masses"));
  std::filesystem::remove(file);
}

TEST_CASE("what is no mechanism is refused with what there is", "[tools][composition]") {
  const auto refused = [](const std::string& component) {
    const auto spoken = run_program({"privacy", "composition", "--component", component, "--delta", "1e-5"});
    CAPTURE(component);
    CHECK(spoken.exit_code == 2);
    return spoken.err;
  };
  CHECK_THAT(refused("lapace:2"), Contains("did you mean laplace"));
  CHECK_THAT(refused("laplace"), Contains("write laplace:SCALE[:COUNT][@RATE]"));
  CHECK_THAT(refused("laplace:x"), Contains("\"x\" is not a number"));
  CHECK_THAT(refused("laplace:-1"), Contains("noise: -1 is outside [0, inf)"));
  CHECK_THAT(refused("laplace:1:1.5"), Contains("count"));
  CHECK_THAT(refused("laplace:1@2"), Contains("sampling_rate: 2 is outside [0, 1]"));
  const auto sampled =
      run_program(words("privacy composition --component 100:0.01:0.5 --component laplace:2@0.1 --delta 1e-5"));
  CHECK(sampled.exit_code == 3);
  CHECK_THAT(sampled.err, Contains("gaussian:NOISE:COUNT@RATE in place of COUNT:SAMPLING_RATE:MU"));
  CHECK_THAT(refused("approximate:1"), Contains("approximate:EPSILON:DELTA"));
}

TEST_CASE("components by numbers compose with mechanisms by name", "[composition]") {
  const auto epsilon = [](const std::string& options) {
    const auto found = run_program(words("privacy composition " + options + " --delta 1e-5 --format json"));
    CAPTURE(options, found.err);
    REQUIRE(found.exit_code == 0);
    return nlohmann::json::parse(found.out)["results"][0]["epsilon"];
  };
  const std::string numbers = "--component 2000:0.01:0.5", name = " --component pure:0.1";
  const double alone = epsilon(numbers)["upper"];
  const auto both = epsilon(numbers + name);
  CHECK(both["upper"].get<double>() > alone);
  CHECK(both["upper"].get<double>() <= alone + 0.1);  // basic composition
  const auto gaussian = epsilon(numbers + " --gaussian 0.1"), named = epsilon(numbers + " --component gaussian:10");
  CHECK(std::abs(gaussian["upper"].get<double>() / named["upper"].get<double>() - 1.0) < 1e-9);
}
