// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/models/image_data.hpp>

#include "support/support.hpp"

namespace {

using namespace dpcurves::models;

RowMatrix ramp(Eigen::Index rows, Eigen::Index columns) {
  RowMatrix pixels(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      pixels(i, j) = static_cast<double>(i * columns + j);
    }
  }
  return pixels;
}

std::string reason(const RowMatrix& pixels, const std::vector<double>& labels, PixelScale scale) {
  try {
    (void)labelled_images(pixels, labels, scale);
  } catch (const dpcurves::DomainError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("pixels of 0 to 255 and of 0 to 1 give the same images", "[models][images]") {
  const RowMatrix bytes = ramp(4, 3);
  const std::vector<double> labels{0, 1, 1, 0};
  CHECK(pixel_scale(bytes) == PixelScale::byte);
  CHECK(pixel_scale(bytes / 255.0) == PixelScale::unit);
  const auto a = labelled_images(bytes, labels, PixelScale::byte);
  const auto b = labelled_images(bytes / 255.0, labels, PixelScale::unit);
  CHECK(a.images == b.images);
  CHECK(a.images(3, 2) == 11.0 / 255.0);
  CHECK(a.classes == 2);
  CHECK(a.labels == std::vector<std::uint32_t>{0, 1, 1, 0});
  CHECK(class_counts(a) == std::vector<std::size_t>{2, 2});
}

TEST_CASE("a balanced part takes the first or the last images of each class in turn", "[models][images]") {
  const auto all = labelled_images(ramp(7, 1), std::vector<double>{1, 1, 0, 1, 0, 0, 1}, PixelScale::byte);
  const auto numbers = [](const LabelledImages& part) {
    const Eigen::VectorXd scaled = part.images.col(0) * 255.0;
    std::vector<long> rounded;
    for (const double value : scaled) {
      rounded.push_back(std::lround(value));
    }
    return rounded;
  };
  const auto first = balanced_part(all, 2), last = balanced_part(all, 2, true);
  CHECK(numbers(first) == std::vector<long>{2, 0, 4, 1});
  CHECK(numbers(last) == std::vector<long>{4, 3, 5, 6});
  CHECK(first.labels == std::vector<std::uint32_t>{0, 1, 0, 1});
  CHECK(last.labels == first.labels);
  CHECK_THROWS_WITH(balanced_part(all, 4), Catch::Contains("images per class = 4 is outside [1, 3], the images with "
                                                           "label 0"));
  CHECK_THROWS_AS(balanced_part(all, 0), dpcurves::DomainError);
}

TEST_CASE("images less the mean of the training images are patches without signal", "[models][images]") {
  const auto all = labelled_images(ramp(4, 3), std::vector<double>{0, 1, 0, 1}, PixelScale::byte);
  const auto patches = image_patches(all.images, all.labels, all.classes, all.images.colwise().mean());
  CHECK(patches.noise.colwise().mean().cwiseAbs().maxCoeff() < 1e-16);
  CHECK(patches.signals.rows() == 0);
}

TEST_CASE("images that cannot be used are refused with row and range", "[models][images]") {
  const RowMatrix good = ramp(3, 2) / 10.0;
  const std::vector<double> labels{0, 1, 0};
  const auto with = [&](double value) {
    RowMatrix pixels = good;
    pixels(1, 1) = value;
    return pixels;
  };
  const auto unit = PixelScale::unit, byte = PixelScale::byte;
  CHECK(reason(good, labels, unit).empty());
  CHECK(reason(with(std::nan("")), labels, unit).find("pixel of image 2 = nan is outside [0, 1]") != std::string::npos);
  CHECK(reason(with(std::nan("")), labels, byte).find("pixel of image 2 = nan") != std::string::npos);
  CHECK(reason(with(1.5), labels, unit).find("pixel of image 2 = 1.5 is outside [0, 1]") != std::string::npos);
  CHECK(reason(with(-0.1), labels, byte).find("pixel of image 2 = -0.1 is outside [0, 255]") != std::string::npos);
  CHECK(reason(with(256), labels, byte).find("outside [0, 255]") != std::string::npos);
  CHECK(reason(good, {0, 1}, unit).find("number of labels = 2 is outside {3}, the number of images") !=
        std::string::npos);
  CHECK(reason(RowMatrix(0, 2), {}, unit).find("number of images = 0") != std::string::npos);
  CHECK(reason(RowMatrix(3, 0), labels, unit).find("number of pixels = 0") != std::string::npos);
  for (const double label : {-1.0, 0.5, 1000.0, 1e300, std::nan("")}) {
    CHECK(reason(good, {0, label, 1}, unit).find("label of image 2 = ") != std::string::npos);
  }
  CHECK(reason(good, {0, 0, 0}, unit).find("number of classes = 1 is outside") != std::string::npos);
  CHECK(reason(good, {0, 2, 0}, unit).find("number of images with label 1 = 0") != std::string::npos);
}
