// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <regex>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "validation/report/figures.hpp"
#include "validation/report/strips.hpp"
#include "validation/statistics.hpp"

namespace fs = std::filesystem;
using namespace dpcurves;
using namespace dpcurves::validation;
using dpcurves::test::Folder;

namespace {

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) {
    ++n;
  }
  return n;
}

/// The part of a page about one item.
std::string part(const std::string& page, const std::string& id) {
  const std::size_t from = page.find("<details class=\"entry\" id=\"" + id + "\"");
  REQUIRE(from != std::string::npos);
  return page.substr(from, page.find("<details class=\"entry\"", from + 1) - from);
}

/// A case with two comparisons, of which `broken` fail, and a control that is refuted or not.
Case small_case(const std::string& id, bool broken, bool sharp) {
  return {id,
          "mu <= 1 <script>alert(1)</script>",
          "none",
          "a broken claim",
          [=](const Setting&, Outcome& outcome) {
            outcome.claim.at_most(broken ? 2.0 : 0.5, 1.0, "mu");
            within_errors(outcome.claim, 0.1, 0.01, 0.11, "a mean");
            outcome.control.at_most(0.5, sharp ? 0.1 : 1.0, "mu");
          },
          Verdict::holds};
}

/// Red, green and blue in [0, 1] of "#rrggbb".
using Colour = std::array<double, 3>;

/// The colours of a page by their names, from the declarations that follow `selector`.
std::map<std::string, Colour> colours_of(const std::string& css, const std::string& selector) {
  const std::size_t from = css.find(selector);
  REQUIRE(from != std::string::npos);
  const std::string block = css.substr(from, css.find('}', from) - from);
  const std::regex declaration("--([a-z0-9-]+): #([0-9a-f]{6})[^0-9a-f]");
  std::map<std::string, Colour> colours;
  for (std::sregex_iterator at(block.begin(), block.end(), declaration), end; at != end; ++at) {
    for (std::size_t i = 0; i < 3; ++i) {
      colours[(*at)[1]][i] = std::stoi((*at)[2].str().substr(2 * i, 2), nullptr, 16) / 255.0;
    }
  }
  return colours;
}

/// Of two colours, as the accessibility guidelines define it.
double contrast(const Colour& a, const Colour& b) {
  const auto luminance = [](const Colour& colour) {
    const std::array<double, 3> weights{0.2126, 0.7152, 0.0722};
    double sum = 0.05;
    for (std::size_t i = 0; i < 3; ++i) {
      sum += weights[i] * (colour[i] <= 0.03928 ? colour[i] / 12.92 : std::pow((colour[i] + 0.055) / 1.055, 2.4));
    }
    return sum;
  };
  const double ratio = luminance(a) / luminance(b);
  return std::max(ratio, 1.0 / ratio);
}

std::string page_of(const std::vector<Case>& cases) {
  const Folder folder;
  const Setting setting;
  write_report(run(select(cases, {}), setting, 1), setting, "0.0", folder.path, 1);
  return io::read_file(folder.path / "index.html");
}

}  // namespace

TEST_CASE("texts and marks of the page stand out from what is behind them, light and dark", "[report][contrast]") {
  const std::string css = test::source_file("validation/report/page.css");
  const auto selector =
      GENERATE(as<std::string>{}, ":root {", ":root:not([data-theme=\"light\"]) {", ":root[data-theme=\"dark\"] {");
  const auto colours = colours_of(css, selector);
  const auto above = [&](const char* front, const char* behind, double least) {
    const double found = contrast(colours.at(front), colours.at(behind));
    CAPTURE(selector, front, behind, found);
    CHECK(found > least);
  };
  for (const char* behind : {"paper", "card", "faint"}) {
    above("ink", behind, 7.0);
    above("soft", behind, 7.0);
    above("accent", behind, 4.5);
  }
  for (const char* bar : {"holds", "refuted", "vacuous", "failed", "not-run"}) {
    above("on-status", bar, 4.5);  // the numbers on the bars
  }
  above("on-light", "definition", 4.5);
  above("on-light", "not-simulated", 4.5);
  for (const char* line : {"c1", "c2", "c3", "c4", "c5", "c6", "c7"}) {
    above(line, "card", 3.0);
  }
  Colour white{1.0, 1.0, 1.0}, green{76 / 255.0, 195 / 255.0, 138 / 255.0};
  CHECK(contrast(white, green) == Approx(2.22).epsilon(0.01));  // what stood on the bars once
}

TEST_CASE("a strip has the claim in its middle, a factor of 3 and the allowance at its quarters", "[report][strips]") {
  using report::position;
  const double infinite = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const auto at = [](const Measurement& m) { return position(m, m.value); };
  CHECK(at(Measurement::at_most(1.0, 1.0)) == 0.5);
  CHECK(at(Measurement::at_most(1.0, 3.0)) == Approx(0.25));
  CHECK(at(Measurement::at_most(3.0, 1.0)) == Approx(0.75));
  CHECK(at(Measurement::at_least(3.0, 1.0)) == Approx(0.75));
  CHECK(at(Measurement::at_most(0.0, 1.0)) == 0.0);
  CHECK(at(Measurement::at_most(-1.0, 1.0)) == 0.0);
  CHECK(at(Measurement::at_most(-3.0, -1.0)) == Approx(0.25));
  CHECK(at(Measurement::at_most(0.0, 0.0)) == 0.5);
  CHECK(at(Measurement::at_most(infinite, 1.0)) == 1.0);
  CHECK(at(Measurement::at_most(1.0, infinite)) == 0.0);
  CHECK(at(Measurement::at_most(infinite, infinite)) == 0.5);
  CHECK(at(Measurement::at_most(nan, 1.0)) == 1.0);
  CHECK(at(Measurement::within(1.1, 1.0, 0.1)) == Approx(0.75));
  CHECK(at(Measurement::within(0.9, 1.0, 0.1)) == Approx(0.25));
  CHECK(at(Measurement::within(1.0, 1.0, 0.0)) == 0.5);
  CHECK(at(Measurement::within(1.1, 1.0, 0.0)) == 1.0);
}

TEST_CASE("broken comparisons come first, then the tightest", "[report][strips]") {
  Outcome outcome;
  outcome.claim.at_most(0.1, 1.0, "loose");
  outcome.claim.at_most(0.9, 1.0, "tight");
  outcome.claim.require(true, "yes or no");
  outcome.claim.at_most(1.1, 1.0, "broken");
  const std::string html = report::strips(outcome);
  const auto at = [&](const std::string& what) { return html.find(">" + what + "<"); };
  CHECK((at("broken") < at("tight") && at("tight") < at("loose") && at("loose") < at("yes or no")));
  CHECK(count(html, "<li class=\"out\">") == 1);
  CHECK(count(html, "class=\"value\"") == 3);
}

TEST_CASE("the lines of a trial repeat what was compared", "[report]") {
  Trial trial;
  trial.at_most(2.0, 1.0, "mu");
  trial.at_least(2.0, 1.0, "mu");
  trial.require(true, "a sentence");
  CHECK(trial.lines() == std::vector<std::string>{"BROKEN: mu: 2 <= 1", "mu: 2 >= 1", "a sentence"});
  CHECK(trial.failures() == 1);
  covered(trial, 3, 1000, 0.1, "how often");
  const Measurement& m = trial.all().back().measured;
  CHECK(m.value == 0.003);
  CHECK((m.lower > 0.0 && m.lower < m.value && m.value < m.upper && m.upper < 0.1));
}

TEST_CASE("the page names every item of the catalogue once, run or not", "[report]") {
  const std::string id = "shifted-interpolation/theorem-4.2", page = page_of({small_case(id, false, true)});
  for (const auto& entry : catalogue::entries()) {
    CAPTURE(entry.id);
    CHECK(count(page, "<details class=\"entry\" id=\"" + entry.id + "\"") == 1);
  }
  CHECK(part(page, id).find("data-verdict=\"holds\"") != std::string::npos);
  CHECK(part(page, id).find("dpcurves validate " + id + " --profile ci --seed 1") != std::string::npos);
  CHECK(part(page, id).find("class=\"interval\"") != std::string::npos);
  CHECK(part(page, "shifted-interpolation/theorem-4.5").find("data-verdict=\"not-run\"") != std::string::npos);
  CHECK(page.find("<b>1 of 1</b> cases came out as expected") != std::string::npos);
}

TEST_CASE("an item shows how hard it was tried", "[report]") {
  const std::string id = "shifted-interpolation/theorem-4.2", page = page_of({small_case(id, false, true)});
  CHECK(part(page, id).find("data-effort=\"fair\"") != std::string::npos);
  CHECK(part(page, id).find("How hard tried") != std::string::npos);
  CHECK(part(page, id).find("1 of 1") != std::string::npos);
  CHECK(page.find("comparisons of random numbers rest on intervals of a stated level") != std::string::npos);
}

TEST_CASE("a refuted claim and a control that survives are failures on the page", "[report]") {
  const std::string one = "shifted-interpolation/theorem-4.2", two = "shifted-interpolation/theorem-4.5";
  const std::string page = page_of({small_case(one, true, true), small_case(two, false, false)});
  CHECK(part(page, one).find("data-verdict=\"failed\"") != std::string::npos);
  CHECK(part(page, one).find("The experiment says “refuted”; expected was “holds”.") != std::string::npos);
  CHECK(part(page, two).find("data-verdict=\"failed\"") != std::string::npos);
  CHECK(part(page, two).find("not refuted") != std::string::npos);
  CHECK(page.find("<b>2 of 2</b> cases did not come out as expected") != std::string::npos);
}

TEST_CASE("a formula kept as printed is refuted as expected", "[report]") {
  Case printed = small_case("shifted-interpolation/theorem-4.2", true, true);
  printed.expected = Verdict::refuted;
  const std::string page = page_of({printed});
  CHECK(part(page, printed.id).find("data-verdict=\"refuted\"") != std::string::npos);
  CHECK(page.find("<b>1 of 1</b> cases came out as expected") != std::string::npos);
}

TEST_CASE("a case that ends with an error says so, and its texts are no markup", "[report]") {
  Case broken = small_case("somewhere/else", false, true);
  broken.run = [](const Setting&, Outcome&) { throw DomainError("mu = <b>"); };
  const std::string page = page_of({broken});
  CHECK(part(page, broken.id).find("The case ended with an error: mu = &lt;b&gt;") != std::string::npos);
  CHECK(page.find("<script>alert") == std::string::npos);
}

TEST_CASE("a picture goes into the page without ids, prologue and white ground", "[report][figures]") {
  const auto figure = report::rate_figure({"a rate in delta", {1.0, 10.0, 100.0}, {1.0, 0.3, 0.1}, -0.6, -0.4});
  const std::string svg = report::inline_svg(io::svg(figure.plot), figure.title);
  CHECK(svg.rfind("<svg class=\"plot\"", 0) == 0);
  CHECK(svg.find("a rate in δ") != std::string::npos);
  for (const char* gone : {" id=", "<?xml", "<defs", "fill=\"#ffffff\"", "rgb(", "xlink"}) {
    CAPTURE(gone);
    CHECK(svg.find(gone) == std::string::npos);
  }
  CHECK(count(svg, "<g") == count(svg, "</g>"));
  CHECK_THROWS_AS(report::inline_svg("nothing", "x"), DataError);
}

TEST_CASE("a report that cannot be written is refused before the run", "[report][errors]") {
  const Folder folder;
  io::write_file(folder.path / "file", "x");
  CHECK_THROWS_WITH(prepare_report(folder.path / "file" / "inside"), Catch::Contains("--report: cannot make"));
  prepare_report(folder.path / "a" / "b");
  CHECK(fs::is_directory(folder.path / "a" / "b"));
}

TEST_CASE("an interrupted run leaves the old page and nothing half", "[report]") {
  const Folder folder;
  const bool old = GENERATE(false, true);
  if (old) {
    io::write_file(folder.path / "index.html", "old");
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(DPCURVES_BINARY, DPCURVES_BINARY, "validate", "--quiet", "--threads", "1", "--report", folder.path.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) != 0));
  std::vector<std::string> left;
  for (const auto& file : fs::directory_iterator(folder.path)) {
    left.push_back(file.path().filename().string());
  }
  CHECK(left == (old ? std::vector<std::string>{"index.html"} : std::vector<std::string>{}));
  CHECK((!old || io::read_file(folder.path / "index.html") == "old"));
}
