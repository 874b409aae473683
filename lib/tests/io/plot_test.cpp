// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/picture_size.hpp>
#include <dpcurves/io/detail/plot_data.hpp>
#include <dpcurves/io/detail/process.hpp>
#include <dpcurves/io/plot.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"

using namespace dpcurves;

namespace {

io::Plot example() {
  io::Plot plot;
  plot.title = "Noisy gradient descent: bound and simulation, κ = 0.1";
  plot.x.label = "steps t";
  plot.y.label = "GDP parameter μ";
  std::vector<double> t, bound, lower, upper, mu, low, high;
  for (int i = 1; i <= 40; ++i) {
    t.push_back(4.0 * i);
    bound.push_back(0.625 * std::sqrt(std::tanh(0.05 * i)));
    lower.push_back(bound.back() * 0.9);
    upper.push_back(bound.back() * 1.1);
    mu.push_back(0.1 * std::sqrt(4.0 * i));
  }
  plot.legend = io::Legend::bottom_right;
  plot.series = {
      io::band("± 10 %", t, lower, upper), io::line("Theorem 4.2", t, bound), io::dashed("composition", t, mu),
      io::points("simulation", {40.0, 80.0, 160.0}, {0.55, 0.61, 0.63}, {0.52, 0.59, 0.6}, {0.57, 0.63, 0.66})};
  plot.series[1].colour = 0;
  plot.series[0].colour = 0;
  return plot;
}

}  // namespace

TEST_CASE("a picture is self-contained SVG with its texts", "[io][plot]") {
  const std::string picture = io::svg(example());
  CHECK_THAT(picture, Catch::Contains("<svg") && Catch::Contains("</svg>") && Catch::Contains("GDP parameter μ") &&
                          Catch::Contains("Theorem 4.2"));
  CHECK(picture.find("<script") == std::string::npos);
  CHECK(picture.find("href=\"http") == std::string::npos);
}

TEST_CASE("PNG and HTML are drawn too, by the ending of the file name", "[io][plot]") {
  CHECK(io::png(example()).starts_with("\x89PNG"));
  const std::string page = io::html(example());
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK_THAT(page, Catch::Contains("<svg") && Catch::Contains("</html>"));
  CHECK_THROWS_WITH(io::save(example(), "picture.gif"), Catch::Contains("does not end in .svg, .png, .html or .pdf"));
}

TEST_CASE("pictures are saved in each format, with the key where it was asked for", "[io][plot]") {
  const test::Folder folder;
  io::Plot plot{"flat", {"x", false, 0.0, 1.0}, {"y", false, 0.0, 1.0}};
  plot.series = {io::line("Theorem 4.2", {0.0, 1.0}, {0.5, 0.5})};  // no corner is crossed
  std::set<std::string> pictures;
  for (const auto place : {io::Legend::top_right, io::Legend::top_left, io::Legend::bottom_left, io::Legend::outside}) {
    plot.legend = place;
    CHECK_THAT(*pictures.insert(io::svg(plot)).first, Catch::Contains(">Theorem 4.2</"));
  }
  plot.legend = io::Legend::none;
  CHECK(pictures.insert(io::svg(plot)).second);
  CHECK(pictures.size() == 5);  // each place draws another picture
  plot.legend = io::Legend::top_left;
  io::save(plot, folder.path / "p.svg");
  io::save(plot, folder.path / "p.png");
  io::save(plot, folder.path / "p.html");
  CHECK_THAT(io::read_file(folder.path / "p.svg"), Catch::Contains("<svg"));
  CHECK(io::read_file(folder.path / "p.png").starts_with("\x89PNG"));
  CHECK(io::read_file(folder.path / "p.html").starts_with("<!DOCTYPE html>"));
  io::save(plot, folder.path / "p.pdf");
  CHECK(io::read_file(folder.path / "p.pdf").starts_with("%PDF"));
  CHECK(io::read_file(folder.path / "p.pdf.csv") == io::data(plot));
}

TEST_CASE("the data of a picture are its points, names quoted", "[io][plot]") {
  io::Plot plot;
  plot.series = {io::line("a \"b\"", {1.0, 2.0}, {3.0, 4.0}), io::band("", {1.0}, {0.0}, {5.0})};
  CHECK(io::data(plot) == "series,x,y,lower,upper\n\"a \"\"b\"\"\",1,3,,\n\"a \"\"b\"\"\",2,4,,\n\"\",1,,0,5\n");
}

TEST_CASE("a title has as many lines as it is given", "[io][plot]") {
  auto plot = example();
  plot.title = "above\nbelow";
  const std::string picture = io::svg(plot);
  CHECK_THAT(picture, Catch::Contains(">above<") && Catch::Contains(">below<"));
}

TEST_CASE("one value alone has room around it, on both kinds of axes", "[io][plot]") {
  io::Plot plot;
  plot.series = {io::points("one", {3.0}, {1e-5}, {1e-5}, {1e-5})};
  plot.y.logarithmic = GENERATE(false, true);
  plot.y.lowest = -1.0;  // not on a logarithmic axis: the data decide there
  CHECK_THAT(io::svg(plot), Catch::Contains("</svg>"));
}

TEST_CASE("a title cannot run commands", "[io][plot][errors]") {
  const auto trap = std::filesystem::temp_directory_path() / "dpcurves-plot-trap";
  std::filesystem::remove(trap);
  io::Plot plot = example();
  const std::string command = "touch " + trap.string();
  plot.title = "it's '; system \"" + command + "\" # `" + command + "` \n!" + command + "\nEND\n_{x}^2 @a &b <c>";
  plot.x.label = "`" + command + "`";
  plot.series[1].name = "' with lines; !" + command + "\n";
  const std::string picture = io::svg(plot);
  CHECK_THAT(picture, Catch::Contains("_{x}^2 @a &amp;b &lt;c"));
  CHECK_FALSE(std::filesystem::exists(trap));
}

TEST_CASE("values that an axis cannot show leave a gap, not a failure", "[io][plot]") {
  io::Plot plot;
  plot.y.logarithmic = true;
  const double inf = std::numeric_limits<double>::infinity();
  plot.series = {io::line("a", {0.0, 1.0, 2.0, 3.0}, {1e-9, 0.0, std::nan(""), inf}),
                 io::points("b", {1.0}, {1e-3}, {0.0}, {2e-3})};
  CHECK_THAT(io::svg(plot), Catch::Contains("</svg>"));
  plot.series = {io::line("a", {0.0}, {0.0})};
  CHECK_THROWS_WITH(io::svg(plot), Catch::Contains("no point to draw"));
  plot.series = {io::line("a", {0.0, 1.0}, {1.0})};
  CHECK_THROWS_WITH(io::svg(plot), Catch::Contains("series 'a' differ in length"));
}

TEST_CASE("without gnuplot the message says to install it", "[io][plot][errors]") {
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  CHECK_THROWS_WITH(io::svg(example()), Catch::Contains("gnuplot is not installed"));
  CHECK_THROWS_AS(io::run_process({"gnuplot"}, ""), DataError);
  ::setenv("PATH", path.c_str(), 1);
}

TEST_CASE("a child that does not read, or writes much, neither blocks nor kills", "[io][process]") {
  const std::string much(4'000'000, 'x');
  CHECK(io::run_process({"true"}, much).exit_code == 0);
  CHECK(io::run_process({"cat"}, much).output == much);
  CHECK(io::run_process({"false"}, "").exit_code == 1);
}

namespace {

/// The numbers that gnuplot writes beside the axes.
std::set<std::string> labels(const std::string& picture) {
  std::set<std::string> found;
  for (auto at = picture.find("><tspan"); at != std::string::npos; at = picture.find("><tspan", at + 1)) {
    const auto first = picture.find('>', at + 2) + 1;
    found.insert(picture.substr(first, picture.find('<', first) - first));
  }
  for (auto at = picture.find("<text>"); at != std::string::npos; at = picture.find("<text>", at + 1)) {
    found.insert(picture.substr(at + 6, picture.find('<', at + 6) - at - 6));
  }
  return found;
}

std::size_t numbers_among(const std::set<std::string>& texts) {
  return static_cast<std::size_t>(std::count_if(texts.begin(), texts.end(), [](const std::string& text) {
    std::string bare = text;
    bare.erase(std::remove(bare.begin(), bare.end(), ' '), bare.end());
    char* end = nullptr;
    std::strtod(bare.c_str(), &end);
    return !bare.empty() && *end == '\0';
  }));
}

}  // namespace

TEST_CASE("a logarithmic axis within a decade, or a part of one, has numbers", "[io][plot]") {
  for (const auto& [low, high] : {std::pair(0.31, 0.9), std::pair(3.1, 3.4), std::pair(0.4, 30.0)}) {
    io::Plot plot;
    plot.x.logarithmic = plot.y.logarithmic = true;
    plot.legend = io::Legend::none;
    plot.series = {io::line("a", {low, high}, {low, high})};
    CAPTURE(low, high);
    CHECK(numbers_among(labels(io::svg(plot))) >= 3);
  }
  io::Plot plot;
  plot.x.logarithmic = true;
  plot.series = {io::line("a", {256, 1024}, {0, 1})};
  const auto texts = labels(io::svg(plot));
  CHECK(texts.contains("700"));
  CHECK(!texts.contains("900"));  // would touch 1000
}

TEST_CASE("steps bound a curve between its points, chords do not", "[io][plot]") {
  const std::vector<double> x{0.0, 0.25, 0.5, 1.0};
  std::vector<double> y;
  std::transform(x.begin(), x.end(), std::back_inserter(y), [](double a) { return (1.0 - a) * (1.0 - a); });
  for (const auto side : {io::Side::below, io::Side::above}) {
    const auto steps = io::steps("f", x, y, side);
    REQUIRE(steps.x.size() == 6);
    for (std::size_t i = 0; i + 1 < steps.x.size(); ++i) {
      const double middle = 0.5 * (steps.x[i] + steps.x[i + 1]), drawn = 0.5 * (steps.y[i] + steps.y[i + 1]);
      const double exact = (1.0 - middle) * (1.0 - middle);
      if (steps.x[i] < steps.x[i + 1]) {
        CHECK((side == io::Side::below ? drawn <= exact : drawn >= exact));
      }
    }
  }
}

TEST_CASE("the legend stands in a corner that no curve crosses, or outside", "[io][plot]") {
  const auto place = [](const std::vector<double>& x, const std::vector<double>& y,
                        io::Legend wish = io::Legend::automatic) {
    io::Plot plot;
    plot.x.lowest = plot.y.lowest = 0.0;
    plot.x.highest = plot.y.highest = 1.0;
    plot.series = {io::line("nameofseries", x, y)};
    plot.legend = wish;
    const std::string picture = io::svg(plot), translate = "translate(";
    plot.legend = io::Legend::outside;
    if (picture == io::svg(plot)) {
      return std::string("outside");
    }
    const auto at = picture.rfind(translate, picture.rfind("nameofseries</"));
    REQUIRE(at != std::string::npos);
    std::istringstream numbers(picture.substr(at + translate.size()));
    double across = 0.0, down = 0.0;
    char comma = ' ';
    numbers >> across >> comma >> down;
    return std::string(down < 250.0 ? "top " : "bottom ") + (across < 400.0 ? "left" : "right");
  };
  CHECK(place({0.0, 1.0}, {0.5, 0.5}) == "top right");
  CHECK(place({0.0, 1.0, 1.0}, {0.98, 0.98, 0.0}) == "bottom left");  // the defect: a curve along the top
  CHECK(place({0.0, 1.0, 1.0, 0.0, 0.0}, {0.98, 0.98, 0.02, 0.02, 1.0}) == "outside");
  CHECK(place({0.0, 1.0}, {0.5, 0.5}, io::Legend::bottom_right) == "bottom right");
  CHECK(place({0.0, 1.0}, {0.02, 0.02}, io::Legend::bottom_right) == "top right");  // a wish, but not on a curve
}

TEST_CASE("a title that is wider than the axes beside an outer legend is over the whole picture", "[io][plot]") {
  io::Plot plot;
  plot.legend = io::Legend::outside;
  plot.series = {io::line("a name of a series of thirty-two", {0.0, 1.0}, {0.0, 1.0})};
  const auto middle = [&](const std::string& title) {
    plot.title = title;
    const std::string picture = io::svg(plot), translate = "translate(";
    const auto words = picture.find(title + "</", picture.find("</title>"));
    REQUIRE(words != std::string::npos);
    const auto at = picture.rfind(translate, words);
    return std::strtod(picture.c_str() + at + translate.size(), nullptr);
  };
  CHECK(middle("short") < 350.0);
  CHECK(middle("a title of so many words that it does not fit above the axes") == 400.0);
}

TEST_CASE("a small picture breaks its title, and has a legend that is wide below its axes", "[io][plot]") {
  const io::PictureSize small(300, 240);
  io::Plot plot;
  plot.legend = io::Legend::outside;
  plot.title = "a title of so many words that it does not fit into one line of so small a picture\nn = 5";
  plot.series = {io::line("a name of a series of thirty-two", {0.0, 1.0}, {0.0, 1.0})};
  const std::string picture = io::svg(plot), translate = "translate(";
  const auto drawn = picture.find("</title>");
  const std::string title = plot.title.substr(0, plot.title.find('\n'));
  CHECK(picture.find(title + "</", drawn) == std::string::npos);
  CHECK(picture.find("picture</", drawn) != std::string::npos);
  CHECK(picture.find("n = 5</", drawn) != std::string::npos);
  const auto at = picture.rfind(translate, picture.find("thirty-two</", drawn));
  REQUIRE(at != std::string::npos);
  std::istringstream numbers(picture.substr(at + translate.size()));
  double across = 0.0, down = 0.0;
  char comma = ' ';
  numbers >> across >> comma >> down;
  CHECK(down > 200.0);
}
