// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/binary_images.hpp>

namespace dpcurves::models {

BinaryData binary_images(const LabelledImages& all, std::size_t first, std::size_t count) {
  const std::size_t n = all.labels.size();
  require_domain(count >= 1 && count <= n, "count", static_cast<double>(count), "[1, number of images]");
  BinaryData data;
  data.inputs.resize(all.images.cols(), static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = (first + i) % n;
    data.inputs.col(static_cast<Eigen::Index>(i)) =
        all.images.row(static_cast<Eigen::Index>(from)).transpose().normalized();
    data.labels.push_back(all.labels[from] % 2 == 1 ? 1.0 : -1.0);
  }
  return data;
}

LabelledImages pooled(const LabelledImages& all, std::size_t side) {
  const auto pixels = static_cast<std::size_t>(all.images.cols());
  const auto width_of = [&](std::size_t planes) {
    const auto width = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(pixels / planes))));
    return width * width * planes == pixels && side >= 1 && width % side == 0 ? width : 0;
  };
  const std::size_t planes = width_of(1) > 0 ? 1 : 3, width = width_of(planes);
  require_domain(width > 0, "side", static_cast<double>(side), "divisors of the side of square images");
  const std::size_t block = width / side;
  LabelledImages small{all.classes, RowMatrix::Zero(all.images.rows(), static_cast<Eigen::Index>(planes * side * side)),
                       all.labels};
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    const std::size_t plane = pixel / (width * width), row = pixel / width % width, column = pixel % width;
    small.images.col(static_cast<Eigen::Index>((plane * side + row / block) * side + column / block)) +=
        all.images.col(static_cast<Eigen::Index>(pixel)) / static_cast<double>(block * block);
  }
  return small;
}

}  // namespace dpcurves::models
