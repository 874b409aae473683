// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The report in a real browser. The report is the one that the ctest case "validate --profile ci" has written.
#define CATCH_CONFIG_RUNNER
#include "validation/browser.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <catch2/catch.hpp>

#include <dpcurves/catalogue/catalogue.hpp>

namespace dpcurves {
namespace {

using test::Browser;

const std::string report = "file://" DPCURVES_REPORT_DIR "/index.html";

/// How many items are visible, by what the page shows and not by what it says.
std::size_t visible(Browser& browser) {
  return browser.value("[...document.querySelectorAll('details.entry')].filter(e => e.checkVisibility()).length");
}

std::string counter(Browser& browser) { return browser.value("document.querySelector('#shown').textContent"); }

void choose(Browser& browser, const std::string& field, const std::string& value) {
  browser.value("{ const f = document.querySelector('#" + field + "'); f.value = '" + value +
                "'; f.dispatchEvent(new Event('input', {bubbles: true})); }");
}

std::size_t entries_with(const std::string catalogue::Entry::*key, const std::string& value) {
  const auto& all = catalogue::entries();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const auto& entry) { return entry.*key == value; }));
}

}  // namespace

TEST_CASE("the report loads without a complaint and asks for nothing but itself", "[report][browser]") {
  Browser browser;
  browser.open(report);
  CHECK(browser.complaints() == std::vector<std::string>{});
  CHECK(browser.requests() == std::vector<std::string>{report});
  CHECK(browser.value("document.title") == "dpcurves: theorems against simulation");
}

TEST_CASE("a page with a broken script and a missing picture would be caught", "[report][browser]") {
  const auto broken = std::filesystem::temp_directory_path() / "dpcurves-broken-page.html";
  std::ofstream(broken) << "<!doctype html><img src=\"nowhere.png\"><script>undefinedFunction();</script>";
  Browser browser;
  browser.open("file://" + broken.string());
  CHECK(browser.complaints().size() == 2);
  CHECK(browser.requests().size() == 2);
  std::filesystem::remove(broken);
}

TEST_CASE("every item of the catalogue has its place and its address", "[report][browser]") {
  Browser browser;
  browser.open(report);
  nlohmann::json ids = nlohmann::json::array();
  for (const auto& entry : catalogue::entries()) {
    ids.push_back(entry.id);
  }
  CHECK(browser.value(ids.dump() + ".filter(id => !document.getElementById(id)?.matches('details.entry'))") ==
        nlohmann::json::array());
  CHECK(visible(browser) == catalogue::entries().size());

  const std::string id = "shifted-interpolation/theorem-4.5";
  browser.open(report + "#" + id);
  CHECK(browser.value("document.activeElement.parentElement.id") == id);
  CHECK(browser.value("document.getElementById('" + id + "').open") == true);
  const double top = browser.value("document.getElementById('" + id + "').getBoundingClientRect().top");
  CHECK((top >= 0.0 && top < 200.0));
}

TEST_CASE("counts of verdicts add up to all items", "[report][browser]") {
  Browser browser;
  browser.open(report);
  const std::size_t tiles = browser.value(
      "[...document.querySelectorAll('.tile .count')].reduce((sum, tile) => sum + Number(tile.textContent), 0)");
  const std::size_t bars = browser.value(
      "[...document.querySelectorAll('.segment')].reduce((sum, part) => sum + Number(part.textContent), 0)");
  CHECK(tiles == catalogue::entries().size());
  CHECK(bars == catalogue::entries().size());
  // A tile narrows the list to as many items as it says.
  for (int k = 0; k < browser.value("document.querySelectorAll('.tile').length").get<int>(); ++k) {
    const std::string tile = "document.querySelectorAll('.tile')[" + std::to_string(k) + "]";
    browser.value(tile + ".click()");
    CHECK(std::to_string(visible(browser)) == browser.value(tile + ".querySelector('.count').textContent"));
    CHECK(browser.value(tile + ".getAttribute('aria-pressed')") == "true");
    browser.value(tile + ".click()");
  }
  CHECK(visible(browser) == catalogue::entries().size());
}

TEST_CASE("the filters narrow the list and the address keeps them", "[report][browser]") {
  Browser browser;
  browser.open(report);
  const auto all = std::to_string(catalogue::entries().size());
  choose(browser, "paper", "noisy-hsgd");
  CHECK(visible(browser) == entries_with(&catalogue::Entry::paper, "noisy-hsgd"));
  CHECK(counter(browser) == std::to_string(visible(browser)) + " of " + all);
  choose(browser, "paper", "");
  choose(browser, "kind", "lemma");
  CHECK(visible(browser) == entries_with(&catalogue::Entry::kind, "lemma"));
  choose(browser, "verdict", "holds");
  const std::size_t both = visible(browser);
  CHECK((both > 0 && both < entries_with(&catalogue::Entry::kind, "lemma")));

  const std::string address = browser.value("location.href");
  browser.open(address);
  CHECK(visible(browser) == both);
  browser.value("document.querySelector('#reset').click()");
  CHECK(visible(browser) == catalogue::entries().size());
  CHECK(browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("how hard an item was tried narrows and orders the list", "[report][browser]") {
  Browser browser;
  browser.open(report);
  choose(browser, "effort", "attained");
  const std::size_t attained = visible(browser);
  CHECK((attained > 0 && attained < catalogue::entries().size()));
  CHECK(browser.value("[...document.querySelectorAll('details.entry')].filter(e => e.checkVisibility() && "
                      "!e.querySelector('.effort')).length") == 0);
  choose(browser, "effort", "");
  choose(browser, "order", "tightest");
  CHECK(browser.value(R"js([...document.querySelectorAll('section.paper-list')].every((paper) => {
      const tight = [...paper.querySelectorAll('details.entry')].map((e) => Number(e.dataset.tight));
      return tight.every((value, k) => k === 0 || value <= tight[k - 1]);
    }))js") == true);
}

TEST_CASE("the search finds words, in every order, and says when there is nothing", "[report][browser]") {
  Browser browser;
  browser.open(report);
  browser.press("/");
  CHECK(browser.value("document.activeElement.id") == "q");
  browser.type("kan-correlated-noise/theorem-f.12");
  CHECK(visible(browser) == 1);
  browser.press("Escape");
  CHECK(visible(browser) == catalogue::entries().size());
  browser.press("/");
  browser.type("VOLTERRA risk");
  const std::size_t found = visible(browser);
  CHECK((found > 0 && found < 20));
  browser.value(
      "{ const q = document.querySelector('#q'); q.value = 'risk volterra'; q.dispatchEvent(new Event('input')); }");
  CHECK(visible(browser) == found);
  browser.type(" nosuchword");
  CHECK(visible(browser) == 0);
  CHECK(browser.value("document.querySelector('#none').checkVisibility()") == true);
}

TEST_CASE("the keyboard alone goes through the items and opens them", "[report][browser]") {
  Browser browser;
  browser.open(report);
  browser.press("j");
  browser.press("j");
  browser.press("k");
  const std::string first = catalogue::entries().front().id;
  CHECK(browser.value("document.activeElement.parentElement.id") == first);
  browser.press("Enter");
  CHECK(browser.value("document.getElementById('" + first + "').open") == true);
}

TEST_CASE("every case that was run shows a picture, the verdict, the control and how to repeat it",
          "[report][browser]") {
  Browser browser;
  browser.resize(1280, 900, false);
  browser.open(report);
  browser.value("document.querySelector('#expand').click()");
  const std::size_t cases = browser.value("document.querySelectorAll('details.entry .command').length");
  CHECK(cases >= 170);
  CHECK(browser.value(R"js(
    [...document.querySelectorAll('details.entry')].filter((entry) => {
      if (!entry.querySelector('.command')) return false;
      const drawn = [...entry.querySelectorAll('svg.plot, svg.strip')].filter((svg) => {
        const box = svg.getBoundingClientRect();
        return box.width > 100 && box.height > 10 && svg.querySelector('path, circle, text, polygon');
      });
      const text = entry.textContent;
      return !(drawn.length > 0 && text.includes('Verdict') && text.includes('Control') && text.includes('--seed '));
    }).map((entry) => entry.id))js") == nlohmann::json::array());
  // Of the plots, the curves have an extent and the texts a size.
  CHECK(browser.value(R"js(
    [...document.querySelectorAll('svg.plot')].filter((svg) => {
      const box = svg.getBBox();
      return !(box.width > 400 && box.height > 300 && svg.querySelectorAll('text').length > 6);
    }).length)js") == 0);
  CHECK(browser.value("document.querySelectorAll('svg.plot').length").get<int>() >= 55);
  CHECK(browser.value("document.querySelectorAll('math').length").get<int>() >= 500);
  CHECK(browser.complaints() == std::vector<std::string>{});
}

TEST_CASE("nothing sticks out on a phone", "[report][browser]") {
  Browser browser;
  const int width = GENERATE(360, 430);
  browser.resize(width, 800, true);
  browser.open(report);
  CHECK(browser.value("document.documentElement.scrollWidth") == width);
  browser.value("document.querySelector('#expand').click()");
  CHECK(browser.value("document.documentElement.scrollWidth") == width);
}

TEST_CASE("light and dark follow the system until the button says otherwise", "[report][browser]") {
  Browser browser;
  // Contrast of text on page, as the accessibility guidelines define it.
  const std::string contrast = R"js((() => {
    const light = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number).map((v) => v / 255)
      .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
    const style = getComputedStyle(document.body);
    return (light(style.color) + 0.05) / (light(style.backgroundColor) + 0.05);
  })())js";
  browser.prefer("light");
  browser.open(report);
  CHECK(browser.value(contrast).get<double>() < 1.0 / 7.0);
  browser.prefer("dark");
  CHECK(browser.value(contrast).get<double>() > 7.0);
  browser.value("document.querySelector('#theme').click()");
  CHECK(browser.value(contrast).get<double>() < 1.0 / 7.0);
}

TEST_CASE("every text stands out from what is behind it", "[report][browser]") {
  Browser browser;
  browser.prefer(GENERATE(as<std::string>{}, "light", "dark"));
  browser.open(report);
  browser.value("document.querySelector('details.entry').open = true");
  // The colours as the browser paints them, backgrounds one over the other; the least contrast with its text.
  const auto least = browser.value(R"js((() => {
    const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const over = (colour, behind) => {
      pen.fillStyle = `rgb(${behind.join(' ')})`;
      pen.fillRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const behind = (element) => {
      const chain = [];
      for (let e = element; e; e = e.parentElement) chain.unshift(getComputedStyle(e).backgroundColor);
      return chain.reduce((below, colour) => over(colour, below), [255, 255, 255]);
    };
    const light = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
    const texts = [...document.querySelectorAll('body *')].filter((e) => !e.closest('svg, option, script, style') &&
      e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
    return texts.map((e) => {
      const ground = behind(e), a = light(over(getComputedStyle(e).color, ground)), b = light(ground);
      return {contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), where: e.className + ': ' + e.textContent.slice(0, 40)};
    }).reduce((worst, one) => one.contrast < worst.contrast ? one : worst);
  })())js");
  CAPTURE(least["where"].get<std::string>());
  CHECK(least["contrast"].get<double>() > 4.5);
}

}  // namespace dpcurves

int main(int argc, char** argv) {
  const bool lists =
      std::any_of(argv, argv + argc, [](const char* word) { return std::string(word).rfind("--list", 0) == 0; });
  if (!lists && dpcurves::test::browser_program().empty()) {
    std::cout << "skipped: no Chromium is installed (Debian: apt-get install chromium-headless-shell)\n";
    return 77;
  }
  return std::min(Catch::Session().run(argc, argv), 1);
}
