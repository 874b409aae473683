// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/image_data.hpp>

namespace dpcurves::models {

PixelScale pixel_scale(const RowMatrix& pixels) {
  return (pixels.array() > 1.0).any() ? PixelScale::byte : PixelScale::unit;
}

LabelledImages labelled_images(RowMatrix pixels, std::span<const double> labels, PixelScale scale) {
  constexpr double most_classes = 1000.0;
  const auto count = static_cast<std::size_t>(pixels.rows());
  require_domain(count >= 1, "number of images", 0.0, "[1, inf)");
  require_domain(pixels.cols() >= 1, "number of pixels", 0.0, "[1, inf)");
  require_domain(labels.size() == count, "number of labels", static_cast<double>(labels.size()),
                 "{" + std::to_string(count) + "}, the number of images");
  const double white = scale == PixelScale::byte ? 255.0 : 1.0;
  LabelledImages all;
  for (std::size_t i = 0; i < count; ++i) {
    for (const double pixel : pixels.row(static_cast<Eigen::Index>(i))) {
      if (!(pixel >= 0.0 && pixel <= white)) {
        require_domain(false, "pixel of image " + std::to_string(i + 1), pixel,
                       scale == PixelScale::byte ? "[0, 255]" : "[0, 1]");
      }
    }
    require_domain(labels[i] >= 0.0 && labels[i] < most_classes && labels[i] == std::floor(labels[i]),
                   "label of image " + std::to_string(i + 1), labels[i], "{0, ..., 999}");
    all.labels.push_back(static_cast<std::uint32_t>(labels[i]));
  }
  all.classes = *std::max_element(all.labels.begin(), all.labels.end()) + 1U;
  require_domain(all.classes >= 2, "number of classes", 1.0, "[2, 1000]");
  const auto counts = class_counts(all);
  for (std::size_t k = 0; k < all.classes; ++k) {
    require_domain(counts[k] > 0, "number of images with label " + std::to_string(k), 0.0,
                   "[1, inf): labels count from 0 without gaps");
  }
  all.images = std::move(pixels);
  if (scale == PixelScale::byte) {
    all.images /= white;
  }
  return all;
}

std::vector<std::size_t> class_counts(const LabelledImages& all) {
  std::vector<std::size_t> counts(all.classes, 0);
  for (const std::uint32_t label : all.labels) {
    ++counts[label];
  }
  return counts;
}

LabelledImages balanced_part(const LabelledImages& all, std::size_t per_class, bool last) {
  require_domain(per_class >= 1, "images per class", 0.0, "[1, inf)");
  const auto counts = class_counts(all);
  for (std::size_t k = 0; k < all.classes; ++k) {
    require_domain(per_class <= counts[k], "images per class", static_cast<double>(per_class),
                   "[1, " + std::to_string(counts[k]) + "], the images with label " + std::to_string(k));
  }
  LabelledImages part;
  part.classes = all.classes;
  part.images.resize(static_cast<Eigen::Index>(per_class * all.classes), all.images.cols());
  part.labels.resize(per_class * all.classes);
  std::vector<std::size_t> seen(all.classes, 0);
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    const std::size_t k = all.labels[i], skipped = last ? counts[k] - per_class : 0, number = seen[k]++;
    if (number >= skipped && number - skipped < per_class) {
      const std::size_t at = (number - skipped) * all.classes + k;
      part.images.row(static_cast<Eigen::Index>(at)) = all.images.row(static_cast<Eigen::Index>(i));
      part.labels[at] = static_cast<std::uint32_t>(k);
    }
  }
  return part;
}

}  // namespace dpcurves::models
