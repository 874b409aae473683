// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/process.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include "support/support.hpp"

namespace dpcurves::test {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) {
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return text + "'";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) {
    list.push_back(word);
  }
  return list;
}

Spoken run_program(const std::vector<std::string>& arguments, const std::string& input) {
  const auto folder = std::filesystem::temp_directory_path() / ("dpcurves-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "in", std::ios::binary) << input;
  std::string command = quoted(DPCURVES_BINARY);
  for (const auto& argument : arguments) {
    command += " " + quoted(argument);
  }
  command += " < " + quoted(folder / "in") + " > " + quoted(folder / "out") + " 2> " + quoted(folder / "err");
  const int status = std::system(command.c_str());
  Spoken spoken;
  spoken.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  spoken.out = contents(folder / "out");
  spoken.err = contents(folder / "err");
  std::filesystem::remove_all(folder);
  return spoken;
}

nlohmann::json answer(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json", "--quiet"});
  const auto spoken = run_program(arguments);
  CAPTURE(spoken.err);
  REQUIRE(spoken.exit_code == 0);
  return nlohmann::json::parse(spoken.out);
}

}  // namespace dpcurves::test
