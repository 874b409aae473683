// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves simulate influence on images of files.
#include <filesystem>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/idx.hpp>

#include "process.hpp"
#include "support/support.hpp"

namespace {

using dpcurves::io::IdxArray;
using dpcurves::io::IdxKind;
using dpcurves::test::run_program;
using dpcurves::test::words;

/// A folder of its own that ends with the test.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& content) const {
    dpcurves::io::write_file(path_ / name, content);
    return path_ / name;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("dpcurves-influence-test-" + std::to_string(getpid()));
};

/// 40 images of 4 x 4: a bright left half is class 0, a bright right half class 1; brightness varies with the image.
struct Tiny {
  IdxArray images{{40, 4, 4}, {}}, labels{{40}, {}};
  std::string csv = "label";

  Tiny() {
    for (int pixel = 1; pixel <= 16; ++pixel) {
      csv += ",pixel " + std::to_string(pixel);
    }
    csv += "\n";
    for (int i = 0; i < 40; ++i) {
      add(i % 2, i);
    }
  }
  void add(int label, int i) {
    labels.entries.push_back(static_cast<std::uint8_t>(label));
    csv += std::to_string(label);
    for (int pixel = 0; pixel < 16; ++pixel) {
      const bool bright = (pixel % 4 >= 2) == (label == 1);
      const int value = bright ? 255 - 3 * (i * 7 % 40) : (i * 5 + pixel * 3) % 20;
      images.entries.push_back(static_cast<std::uint8_t>(value));
      csv += "," + std::to_string(value);
    }
    csv += "\n";
  }
  [[nodiscard]] std::string image_bytes() const { return to_idx(images, IdxKind::images); }
  [[nodiscard]] std::string label_bytes() const { return to_idx(labels, IdxKind::labels); }
};

const std::string base = "simulate influence --steps 30 --paths 2 --filters 4 --noise-multiplier 0,4 --format json";

}  // namespace

TEST_CASE("images of IDX and CSV files give the same answer", "[tools][simulate][influence]") {
  const Folder folder;
  const Tiny tiny;
  const auto images = folder.write("images", tiny.image_bytes()), labels = folder.write("labels", tiny.label_bytes());
  const auto csv = folder.write("digits.csv", tiny.csv);
  const auto bare = folder.write("bare.csv", tiny.csv.substr(tiny.csv.find('\n') + 1));
  const auto answer = run_program(words(base + " --images " + images + " --labels " + labels));
  REQUIRE(answer.exit_code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["schema"] == "dpcurves/simulate/1");
  CHECK(json["inputs"]["process"] == "influence");
  CHECK(json["images"] ==
        nlohmann::json{
            {"source", images}, {"classes", 2}, {"pixels", 16}, {"records", 20}, {"test_records", 20}, {"white", 255}});
  REQUIRE(json["results"].size() == 2);
  CHECK(json["results"][0]["test_accuracy"] == 1.0);  // the halves are easy to tell apart
  CHECK(json["results"][0]["tenths"].size() == 10);
  CHECK(json["results"][1]["noise"] == Approx(4.0 / 20.0));
  CHECK_FALSE(json.contains("correlation"));
  for (const auto& file : {csv, bare}) {
    const auto again = run_program(words(base + " --data " + file));
    REQUIRE(again.exit_code == 0);
    CHECK(nlohmann::json::parse(again.out)["results"] == json["results"]);
  }
}

TEST_CASE("test images of their own files leave all others for training", "[tools][simulate][influence]") {
  const Folder folder;
  const Tiny tiny;
  const auto images = folder.write("images", tiny.image_bytes()), labels = folder.write("labels", tiny.label_bytes());
  const auto csv = folder.write("test.csv", tiny.csv);
  const auto answer =
      run_program(words(base + " --images " + images + " --labels " + labels + " --test-data " + csv + " --seed 3"));
  REQUIRE(answer.exit_code == 0);
  const auto json = nlohmann::json::parse(answer.out);
  CHECK(json["images"]["records"] == 40);
  CHECK(json["images"]["test_records"] == 40);
  CHECK(json["seed"] == 3);
}

TEST_CASE("without files glyphs are drawn, and threads change nothing", "[tools][simulate][influence]") {
  const std::string glyphs =
      "simulate influence --records 100 --test-records 100 --steps 5 --paths 2 --noise-multiplier 0,1 --format csv";
  const auto one = run_program(words(glyphs + " --threads 1")), two = run_program(words(glyphs + " --threads 2"));
  CHECK(one.exit_code == 0);
  CHECK(one.out == two.out);
  CHECK(one.out.rfind("noise_multiplier,noise,test_accuracy_sd,test_accuracy,top_10,", 0) == 0);
}

TEST_CASE("files of images that cannot be used are named with their option", "[tools][simulate][influence][usage]") {
  const Folder folder;
  const Tiny tiny;
  const std::string image_bytes = tiny.image_bytes();
  const auto images = folder.write("images", image_bytes), labels = folder.write("labels", tiny.label_bytes());
  const auto one_byte = folder.write("one-byte", "x"), empty = folder.write("empty", "");
  const auto zipped = folder.write("images.gz", std::string("\x1F\x8B\x08") + std::string(40, 'x'));
  const auto cut = folder.write("cut", image_bytes.substr(0, 100));
  const auto huge = folder.write(
      "huge", image_bytes.substr(0, 4) + "\xEE\x6B\x28" + std::string(1, '\0') + image_bytes.substr(8, 100));
  IdxArray fewer{{39}, {tiny.labels.entries.begin(), tiny.labels.entries.end() - 1}}, gap = tiny.labels;
  gap.entries[3] = 3;
  const auto short_labels = folder.write("fewer", to_idx(fewer, IdxKind::labels));
  const auto gap_labels = folder.write("gap", to_idx(gap, IdxKind::labels));
  const auto csv = folder.write("digits.csv", tiny.csv);
  const auto nan = folder.write("nan.csv", "0,0.5\n1,nan\n"), names = folder.write("names.csv", "label,a,b\n");
  const auto fraction = folder.write("fraction.csv", "0,0.5\n0.5,0.2\n");
  const auto dark = folder.write("dark.csv", "0,300\n1,0\n");
  const auto few = folder.write("few.csv", "0,0.5\n1,0.2\n");
  const auto narrow = folder.write("narrow.csv", "0,200\n1,20\n");
  const std::string start = "simulate influence --steps 1 --paths 1 ", good = "--images " + images + " --labels ";
  struct Row {
    std::string options;
    int exit_code;
    std::string message;
  };
  const Row rows[] = {
      {"--images " + images, 2, "--labels: is required"},
      {"--labels " + labels, 2, "--images: is required"},
      {"--data " + csv + " --images " + images, 2, "--data and --images exclude each other"},
      {"--test-data " + csv, 2, "--test-data: needs --images or --data to train on"},
      {good + labels + " --records 21", 2, "--records: 21 is not a multiple of the 2 classes"},
      {good + labels + " --records 40", 2, "--records: 40 is outside [2, 20], what the smallest class allows"},
      {good + labels + " --test-records 4", 2, "--test-records: 4 is outside [20, inf), 10 of each class"},
      {good + labels + " --batch-size 21", 2, "--batch-size: 21 is outside [1, 20], the number of records"},
      {good + labels + " --test-data " + narrow, 5, "--test-data: " + narrow + " holds 2 classes of 1 pixels"},
      {"--images none --labels " + labels, 5, "--images: cannot read none"},
      {"--images " + one_byte + " --labels " + labels, 5, "--images: " + one_byte + ": 1 bytes are too few"},
      {"--images " + empty + " --labels " + labels, 5, "--images: " + empty + ": 0 bytes are too few"},
      {"--images " + labels + " --labels " + labels, 5, "magic number 0x00000801, of labels"},
      {"--images " + zipped + " --labels " + labels, 5, zipped + ": is compressed by gzip"},
      {"--images " + cut + " --labels " + labels, 5, cut + ": 84 bytes after the header, which says 40 x 4 x 4"},
      {"--images " + huge + " --labels " + labels, 5, "which says 4000000000 x 4 x 4"},
      {good + short_labels, 5, "--labels: " + short_labels + " holds 39 labels, " + images + " 40 images"},
      {good + gap_labels, 3, "--labels: " + gap_labels + ": number of images with label 2 = 0"},
      {"--data " + empty, 2, "--data: " + empty},
      {"--data " + names, 2, "--data: " + names + " needs a column of labels"},
      {"--data " + nan, 2, "--data: " + nan + ", line 2: column 2: 'nan' is not finite"},
      {"--data " + fraction, 3, "--data: " + fraction + ": label of image 2 = 0.5 is outside {0, ..., 999}"},
      {"--data " + dark, 3, "--data: " + dark + ": pixel of image 1 = 300 is outside [0, 255]"},
      {"--data " + few, 5, "--data: " + few + ": 0 test images of the smallest class are too few"},
  };
  for (const Row& row : rows) {
    const auto answer = run_program(words(start + row.options));
    CAPTURE(row.options, answer.err);
    CHECK(answer.exit_code == row.exit_code);
    CHECK(answer.err.find(row.message) != std::string::npos);
  }
}
