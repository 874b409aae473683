// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Commands that train on a folder of images.
#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string>
#include <string_view>

#include "reproduce.hpp"
#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/glyph_folder.hpp"
#include "tools/process.hpp"

using namespace dpcurves;
using test::answer;
using test::run_program;
using test::words;

namespace {

/// A folder of glyphs, and the options that name it.
struct Glyphs {
  Glyphs(std::size_t to_train, std::size_t to_test) { test::write_glyphs(folder.path, to_train, to_test); }

  test::Folder folder;
  std::string data = " --data " + folder.path.string();
};

/// Ends with exit code 2 and says so.
void check_refused(const std::string& command, const std::string& message) {
  const auto spoken = run_program(words(command));
  CAPTURE(command);
  CHECK(spoken.exit_code == 2);
  CHECK_THAT(spoken.err, Catch::Contains(message));
}

}  // namespace

TEST_CASE("networks and KANs train on images: without noise better than chance", "[tools][simulate][images]") {
  const Glyphs glyphs(500, 200);
  const std::string data = glyphs.data + " --paths 2 --threads 1";
  const auto mlp =
      answer(words("simulate mlp --records 400 --test-records 200 --noise-multiplier 0 --clip 100" + data));
  CHECK(mlp["results"][0]["test_error"].get<double>() < 0.35);  // half of the classes are odd
  const auto kan = answer(words("simulate kan --records 400 --iterates 201 --clip 10 --batch-size 50" + data));
  CHECK(kan["results"][0]["accuracy"].get<double>() > 0.65);
  check_refused("simulate mlp --records 600" + data, "--records: 600 is more than the 500 images of --data");
  check_refused("simulate kan --gap 0.1" + data, "--data and --gap exclude each other");
}

TEST_CASE("influence takes both sets of a folder", "[tools][simulate][images]") {
  const Glyphs glyphs(200, 100);
  const auto json = answer(words("simulate influence --steps 20 --paths 2 --test-records 100" + glyphs.data));
  CHECK(json["images"]["source"] == glyphs.folder.path.string() + "/train-images-idx3-ubyte");
}

TEST_CASE("figure 2 on a folder: private training loses accuracy", "[tools][reproduce][images]") {
  const Glyphs glyphs(400, 200);
  tools::reproduce::OnData question;
  question.folder = glyphs.folder.path;
  question.repetitions = 2;
  const auto list = tools::reproduce::long_tail_figures();
  const auto figure = std::find_if(list.begin(), list.end(),
                                   [](const auto& one) { return one.id == "long-tail-memorization/figure-2"; });
  const auto result = figure->train(question);
  const auto all = [&](const std::string& training) {
    return std::find_if(result.entries.begin(), result.entries.end(),
                        [&](const auto& entry) {
                          return entry.labels == std::vector<std::string>{training, "all"};
                        })
        ->computed;
  };
  CHECK(all("clean") > 0.8);
  CHECK(all("epsilon = 1") < all("clean") - 0.1);
  CHECK(result.notes.front().find("stand-in") == 0);
}

TEST_CASE("GLMs and ReLU regression train on images: better than no model, and no bound is claimed",
          "[tools][simulate][images]") {
  const Glyphs glyphs(2000, 500);
  const std::string data = glyphs.data + " --paths 2";
  const auto glm =
      answer(words("simulate glm --algorithm sgd,projected --projected-dimension 20 --renormalise "
                   "--records 500,2000 --step-size 1" +
                   data));
  REQUIRE(glm["results"].size() == 4);
  const auto loss = [&](std::size_t row) { return glm["results"][row]["risk"].get<double>(); };
  CHECK(loss(2) < loss(0));        // more images
  CHECK(loss(2) < 0.9);            // w = 0 has 1: labels are 1 and -1
  CHECK(loss(3) > loss(2) + 0.1);  // what privacy costs
  for (const auto& row : glm["results"]) {
    CHECK(row["bound"].is_null());
    CHECK(row["theorem"].is_null());
  }
  CHECK(glm["notes"][0].get<std::string>().find("y = 1 for odd and -1 for even classes; w = 0 has a loss of 1 ") !=
        std::string::npos);
  const auto relu =
      answer(words("simulate relu-regression --algorithm unprojected --parameter-norm 5 --steps 200 "
                   "--step-size 0.5 --epsilon 1e6 --records 2000" +
                   data));
  CHECK(relu["results"][0]["risk"].get<double>() < 0.3);  // w = 0 has 0.5
  for (const char* refused : {"glm --dimension 5", "glm --labels exact", "relu-regression --label-noise 0.1"}) {
    check_refused("simulate " + std::string(refused) + data, "exclude each other");
  }
  check_refused("simulate relu-regression --records 2001" + data,
                "--records: 2001 is more than the 2000 images of --data");
  const auto nowhere = run_program(words("simulate glm" + glyphs.data + "/none"));
  CHECK(nowhere.exit_code == 5);
  CHECK(nowhere.err.find("there is no folder") != std::string::npos);
}

TEST_CASE("images as noise patches: a strong signal serves everyone, without it private training loses the tail",
          "[tools][simulate][images]") {
  const Glyphs glyphs(400, 400);
  const auto json = answer(words(
      "simulate long-tail --records 200 --test-records 400 --steps 150 --signal 0,20 --paths 2 --noise-multiplier 6 "
      "--mode clean --mode dp" +
      glyphs.data));
  REQUIRE(json["results"].size() == 4);
  const auto of = [&](std::size_t row, const char* key) { return json["results"][row][key].get<double>(); };
  CHECK(of(0, "test_accuracy") > 0.5);
  CHECK(of(1, "test_accuracy") < of(0, "test_accuracy"));  // without a signal, private against clean
  CHECK(of(1, "typical") > of(1, "atypical") + 0.05);
  CHECK(of(3, "atypical") > 0.95);  // with one, private
  CHECK(json["images"]["records"] == 200);
  REQUIRE(json["ncr"].size() == 10);
  CHECK(json["ncr"][0][0] == 1.0);
  CHECK(json["ncr"][0][1].get<double>() > 0.5);
  check_refused("simulate long-tail --ncr 3" + glyphs.data, "--data and --ncr exclude each other");
  check_refused("simulate long-tail --records 500" + glyphs.data,
                "--records: 500 is outside [10, 400], what the smallest class allows");
}

TEST_CASE("few images are trained and tested on without a word about their number", "[tools][simulate][images]") {
  const Glyphs glyphs(300, 200);
  const std::string data = glyphs.data + " --paths 2 --threads 1";
  const auto mlp = run_program(words("simulate mlp --steps 2 --noise-multiplier 1 --width 4 --quiet" + data));
  CHECK(mlp.exit_code == 0);
  CHECK_THAT(mlp.out, Catch::Contains("300 records"));
  const auto tail = answer(words("simulate long-tail --steps 1 --signal 1 --filters 2" + data));
  CHECK(tail["images"]["records"] == 100);
  CHECK(tail["images"]["test_records"] == 200);
  check_refused("simulate long-tail --records 101" + data, "--records: 101 is not a multiple of the 10 classes");
}

TEST_CASE("a figure is taken up where it stopped, with the same bits", "[tools][reproduce][images]") {
  const Glyphs glyphs(400, 200);
  const std::string kept = (glyphs.folder.path / "kept.txt").string();
  const std::string command = "reproduce long-tail-memorization/figure-2 --format csv --quiet" + glyphs.data +
                              " --resume " + kept + " --repetitions ";
  const auto two = run_program(words(command + "2"));
  CHECK(two.exit_code == 0);
  const std::string first = io::read_file(kept);
  CHECK(std::count(first.begin(), first.end(), '\n') == 3);  // what it is of, and two trials
  const auto again = run_program(words(command + "2 --threads 1"));
  CHECK(again.out == two.out);
  CHECK(io::read_file(kept) == first);
  CHECK(run_program(words(command + "3")).exit_code == 0);
  CHECK(io::read_file(kept).find(first.substr(first.find('\n'))) != std::string::npos);
  const auto other = run_program(words(command + "2 --seed 5"));
  CHECK(other.exit_code == 5);
  CHECK(other.err.find("holds repetitions of another question") != std::string::npos);
  test::change_an_image(glyphs.folder.path);
  const auto changed = run_program(words(command + "2"));
  CHECK(changed.exit_code == 5);
  CHECK(changed.err.find("or of other images") != std::string::npos);
}

TEST_CASE("trials of a heat map that are kept stay in their cells when more are asked for", "[tools][reproduce]") {
  const test::Folder folder;
  const std::size_t cells = 40;
  const auto mean_of_cells = [&](std::size_t kept_trials) {
    const std::string file = folder.path / (std::to_string(kept_trials) + ".txt");
    std::string lines = "dpcurves reproduce long-tail-memorization/figure-1, full size, seed 1\n";
    for (std::size_t piece = 0; piece < kept_trials * cells; ++piece) {
      lines += "cells, " + std::to_string(piece) + "\t";
      for (int mode = 0; mode < 2; ++mode) {
        const double accuracy = static_cast<double>(piece % cells) / cells;  // the same in all trials of a cell
        const auto bytes = std::bit_cast<std::array<unsigned char, sizeof accuracy>>(accuracy);
        for (const unsigned char byte : bytes) {
          constexpr std::string_view digits = "0123456789abcdef";
          lines += {digits[byte / 16], digits[byte % 16]};
        }
      }
      lines += "\n";
    }
    io::write_file(file, lines);
    return answer(words("reproduce long-tail-memorization/figure-1 --full-size --repetitions 2 --resume " + file));
  };
  const auto two = mean_of_cells(2);
  CHECK(two["results"] == mean_of_cells(3)["results"]);
  std::set<double> accuracies;
  for (const auto& row : two["results"]) {
    accuracies.insert(row["computed"].get<double>());
  }
  CHECK(accuracies.size() == cells);
}

TEST_CASE("LeNet asks for images of its size", "[tools][reproduce][images]") {
  const Glyphs glyphs(100, 200);
  const auto refused = run_program(words("reproduce long-tail-memorization/figure-2 --full-size" + glyphs.data));
  CHECK(refused.exit_code == 5);
  CHECK(refused.err.find("28 x 28 pixels") != std::string::npos);
}

TEST_CASE("typical and atypical images are those of a folder", "[tools][reproduce][images]") {
  const Glyphs glyphs(100, 200);
  const auto json = answer(words("reproduce long-tail-memorization/figure-4" + glyphs.data));
  REQUIRE(json["results"].size() == 12);
  CHECK(json["results"][0]["computed"].get<double>() < json["results"][6]["computed"].get<double>());
  CHECK(json["title"] == "typical and atypical images of a digit");
}
