// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Pictures of commands: what is drawn never shows more privacy than is guaranteed, and they have the size asked for.
#include <algorithm>
#include <map>
#include <sstream>

#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using namespace dpcurves;
using test::run_program;
using test::words;

namespace {

struct Line {
  std::vector<double> x, y;
};

/// The series beside a picture, by their names.
std::map<std::string, Line> drawn(const std::string& file) {
  std::istringstream text(io::read_file(file + ".csv"));
  std::map<std::string, Line> lines;
  std::string row;
  std::getline(text, row);
  while (std::getline(text, row)) {
    const auto end = row.rfind('"');
    std::istringstream cells(row.substr(end + 2));
    std::string x, y;
    std::getline(cells, x, ',');
    std::getline(cells, y, ',');
    auto& line = lines[row.substr(1, end - 1)];
    line.x.push_back(std::stod(x));
    line.y.push_back(std::stod(y));
  }
  return lines;
}

/// The largest amount by which a polygon lies above `values` at `at`, or below them.
double excess(const Line& line, const std::vector<double>& at, const std::vector<double>& values, bool above) {
  double worst = -1.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t k = 0; k + 1 < line.x.size(); ++k) {
      if (line.x[k] < at[i] && at[i] < line.x[k + 1]) {
        const double part = (at[i] - line.x[k]) / (line.x[k + 1] - line.x[k]);
        const double y = line.y[k] + part * (line.y[k + 1] - line.y[k]);
        worst = std::max(worst, above ? y - values[i] : values[i] - y);
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("no drawn curve shows more privacy than is guaranteed between its points", "[tools][picture]") {
  struct Row {
    const char* command;
    const char* series;
    const char* column;
    bool above;  ///< a trade-off function must not be drawn above the guarantee, delta not below
  };
  const Row row = GENERATE(Row{"tradeoff noisy-cgd --sensitivity 1 --batch-size 1 --noise 2 --batches-per-epoch 4 "
                               "--epochs 9 --contraction 0.9",
                               "noisy cyclic GD by composition", "shifted-interpolation/theorem-4.4_lower", true},
                           Row{"tradeoff dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000",
                               "Poisson sampling, composed", "lower", true},
                           Row{"profile dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000",
                               "Poisson sampling, composed", "upper", false});
  CAPTURE(row.command);
  const test::Folder folder;
  const std::string file = (folder.path / "curve.svg").string(), curve = "curve " + std::string(row.command);
  const bool named = std::string(row.column).find("theorem") != std::string::npos;
  const std::string theorem = named ? " --theorem shifted-interpolation/theorem-4.4" : "";
  CHECK(run_program(words(curve + theorem + " --points 7 --plot " + file)).exit_code == 0);
  const auto lines = drawn(file);
  REQUIRE(lines.count(row.series) == 1);
  // 509 points that are none of those drawn.
  const auto fine = run_program(words(curve + theorem + " --points 509 --from 0.0013 --to 0.9987"));
  REQUIRE(fine.exit_code == 0);
  const auto table = io::parse_csv(fine.out, "fine", io::Header::present);
  CHECK(excess(lines.at(row.series), table.all().front().values, table[row.column], row.above) < 1e-9);
}

TEST_CASE("pictures have the size asked for", "[tools][picture]") {
  const test::Folder folder;
  const std::string curve = "curve tradeoff gaussian --noise-multiplier 1 --compositions 2 --points 11 --plot ";
  const std::string file = (folder.path / "curve.svg").string();
  CHECK(run_program(words(curve + file)).exit_code == 0);
  CHECK(io::read_file(file).find("viewBox=\"0 0 800 500\"") != std::string::npos);
  CHECK(run_program(words(curve + file + " --size 1200x640")).exit_code == 0);
  CHECK(io::read_file(file).find("viewBox=\"0 0 1200 640\"") != std::string::npos);
  CHECK(run_program(words(curve + (folder.path / "curve.pdf").string() + " --size 400x300")).exit_code == 0);
  for (const char* size : {"1200", "1200x", "x640", "1200x640x2", "100x500", "800x20000", "8e2x500"}) {
    const auto refused = run_program(words(curve + file + " --size " + size));
    CAPTURE(size);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("--size") != std::string::npos);
  }
}

TEST_CASE("reproductions say where --data and --full-size mean nothing", "[tools][reproduce]") {
  for (const auto& [command, message] :
       {std::pair{"long-tail-memorization/figure-1 --data .", "are drawn; --full-size takes its sizes"},
        std::pair{"kan-correlated-noise/figure-1 --full-size", "has one size, that of --data DIR"},
        std::pair{"long-tail-memorization/figure-2 --full-size", "trains on images, give --data DIR"},
        std::pair{"dp-glm-networks/figure-3 --full-size", "trains on images, give --data DIR"},
        std::pair{"noisy-hsgd/figure-2a --full-size", "nothing is trained"}}) {
    const auto refused = run_program(words("reproduce " + std::string(command)));
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find(message) != std::string::npos);
  }
}

TEST_CASE("every command that draws takes a title and a size", "[picture]") {
  const test::Folder folder;
  const std::string file = (folder.path / "drawn.svg").string();
  const std::string data = std::string(DPCURVES_SOURCE_DIR) + "/data/examples/";
  const std::string question = GENERATE_COPY(
      as<std::string>{}, "curve profile gaussian --noise-multiplier 2 --compositions 3",
      "privacy gaussian --sweep noise-multiplier=1,2 --compositions 3 --delta 1e-5",
      "audit one-run " + data + "one-run-scores.csv --delta 1e-5", "reproduce shifted-interpolation/figure-2");
  CAPTURE(question);
  auto asked = words(question + " --size 700x450 --plot " + file);
  asked.insert(asked.end(), {"--title", "My own title"});
  const auto drawn = run_program(asked);
  CAPTURE(drawn.err);
  REQUIRE(drawn.exit_code == 0);
  const std::string svg = io::read_file(file);
  CHECK(svg.find("My own title") != std::string::npos);
  CHECK(svg.find("width=\"700\" height=\"450\"") != std::string::npos);
  auto refused = words(question + " --plot " + file);
  refused.insert(refused.end(), {"--title", ""});
  CHECK(run_program(refused).exit_code == 2);
}

TEST_CASE("pictures of a run file say what the file says", "[tools][picture]") {
  const dpcurves::test::Folder folder;
  const std::string file = folder.path / "drawn.svg", data = std::string(DPCURVES_SOURCE_DIR) + "/data/";
  const auto picture = [&](const std::string& line) {
    const auto answer = run_program(words(line + " --plot " + file));
    CAPTURE(line, answer.err);
    REQUIRE(answer.exit_code == 0);
    return dpcurves::io::read_file(file);
  };
  for (const std::string command : {"curve profile", "curve attack", "attack"}) {
    CHECK_THAT(picture(command + " dp-sgd --run " + data + "transcripts/run-01.toml"),
               Catch::Contains("sampler = poisson, noise multiplier = 1.1, batch size = 256, steps = 14063") &&
                   Catch::Contains("records = 60000"));
  }
  const std::string audit =
      picture("audit one-run " + data + "examples/one-run-scores.csv --run " + data + "examples/audit-run.toml");
  CHECK_THAT(audit, Catch::Contains("noise multiplier = 1") && Catch::Contains("records = 1000"));
  CHECK_THAT(picture("risk noisy-least-squares --iterations 1,10 --problem " + data + "examples/least-squares.json"),
             Catch::Contains("problem = least-squares.json"));  // without its folders
}
