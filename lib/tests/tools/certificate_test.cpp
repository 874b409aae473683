// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// `privacy dp-sgd --certificate FILE`, and dpcurves-verify, which trusts nothing in it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <dpcurves/io/detail/file.hpp>

#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

std::filesystem::path folder() {
  const auto path = std::filesystem::temp_directory_path() / ("dpcurves-certificates-" + std::to_string(getpid()));
  std::filesystem::create_directories(path);
  return path;
}

/// 0: proved, 1: not proved, 2: no certificate.
int verify(const std::string& text) {
  const auto file = folder() / "certificate.json";
  std::ofstream(file) << text;
  const auto program = std::filesystem::path(DPCURVES_BINARY).parent_path() / "verify" / "dpcurves-verify";
  const int status = std::system((program.string() + " " + file.string() + " >/dev/null 2>&1").c_str());
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

std::string certificate(const std::string& setting) {
  const auto file = folder() / "written.json";
  std::filesystem::remove(file);
  const auto answer = run_program(words("privacy dp-sgd " + setting + " --certificate " + file.string()));
  CAPTURE(answer.err);
  REQUIRE(answer.exit_code == 0);
  return dpcurves::io::read_file(file.string());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

/// The line that begins with a name, without blanks.
std::string line_of(const std::string& text, const std::string& name) {
  const auto begin = text.find("\"" + name + "\"");
  REQUIRE(begin != std::string::npos);
  const auto end = text.find('\n', begin);
  const std::string line = text.substr(begin, end - begin);
  return line.back() == ',' ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

TEST_CASE("certificates are proved again", "[tools][certificate]") {
  const std::string setting =
      GENERATE("--noise-multiplier 1.1 --sampling-rate 0.004 --steps 14063 --delta 1e-5",
               "--noise-multiplier 2 --sampling-rate 0.01 --steps 1000 --delta 1e-6 --adjacency replace-one",
               "--noise-multiplier 0.5 --sampling-rate 0.3 --steps 1 --delta 1e-5",
               "--noise-multiplier 3 --sampling-rate 1 --steps 10 --delta 1e-5",
               // the displaced contours leave the orders that the paths were made for
               "--noise-multiplier 16.28498922698879 --batch-size 2 --records 2992 --steps 20465 --sampling fixed-size "
               "--adjacency zero-out --delta 1.3333989878406148e-07",
               "--noise-multiplier 1.375 --batch-size 9787 --records 2019212 --steps 189 --sampling fixed-size "
               "--adjacency replace-one --delta .00145",
               // the answer rests on a straight line, the certificate on a contour
               "--noise-multiplier 3 --sampling-rate 0.03 --steps 10 --delta 1e-10");
  CAPTURE(setting);
  CHECK(verify(certificate(setting)) == 0);
  std::filesystem::remove_all(folder());
}

TEST_CASE("a certificate that was changed proves nothing", "[tools][certificate]") {
  const std::string text = certificate("--noise-multiplier 1.1 --sampling-rate 0.004 --steps 1000 --delta 1e-5");
  REQUIRE(verify(text) == 0);
  const std::string upper = line_of(text, "upper"), lower = line_of(text, "lower");
  const auto numbers = [](const std::string& line) { return line.substr(line.find(':')); };
  CHECK(verify(replaced(text, upper, "\"upper\"" + numbers(lower))) == 1);  // epsilon itself is above its lower end
  CHECK(verify(replaced(text, lower, "\"lower\"" + numbers(upper))) == 1);
  CHECK(verify(replaced(text, "\"value\": 1000,", "\"value\": 1001,")) == 2);  // two values of one number
  CHECK(verify(replaced(text, line_of(text, "delta"), "\"delta\": 9.999e-6")) == 1);
  CHECK(verify(replaced(text, "\"bend\": \"0x0p+0\", \"up\"", "\"bend\": \"0x1p-1\", \"up\"")) != 0);
  const auto n = text.find("\"n\": ") + 5;
  CHECK(verify(text.substr(0, n) + "3" + text.substr(text.find(',', n))) == 1);  // a contour that ends too early
  CHECK(verify(text.substr(0, text.size() / 2)) == 2);
  CHECK(verify("") == 2);
  CHECK(verify("{}") == 2);
  CHECK(verify(replaced(text, "dpcurves/certificate/1", "dpcurves/certificate/2")) == 2);
  std::filesystem::remove_all(folder());
}
