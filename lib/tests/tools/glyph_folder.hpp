// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A data set of images for tests.
#pragma once

#include <algorithm>
#include <string>

#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/idx.hpp>
#include <dpcurves/models/glyphs.hpp>

namespace dpcurves::test {

/// Glyphs as the four IDX files of `--data`.
inline void write_glyphs(const std::string& folder, std::size_t to_train, std::size_t to_test) {
  for (const auto part : {models::GlyphPart::train, models::GlyphPart::test}) {
    const bool train = part == models::GlyphPart::train;
    const std::size_t count = train ? to_train : to_test;
    const auto glyphs = models::draw_glyphs(count, 1, part);
    io::IdxArray images{{count, 12, 12}, {}}, labels{{count}, {glyphs.labels.begin(), glyphs.labels.end()}};
    for (Eigen::Index i = 0; i < glyphs.images.size(); ++i) {
      images.entries.push_back(
          static_cast<std::uint8_t>(std::clamp(255.0 * glyphs.images.data()[i], 0.0, 255.0)));  // row by row
    }
    const std::string stem = folder + (train ? "/train-" : "/t10k-");
    io::write_file(stem + "images-idx3-ubyte", io::to_idx(images, io::IdxKind::images));
    io::write_file(stem + "labels-idx1-ubyte", io::to_idx(labels, io::IdxKind::labels));
  }
}

/// Another pixel in the last image to train on.
inline void change_an_image(const std::string& folder) {
  std::string bytes = io::read_file(folder + "/train-images-idx3-ubyte");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  io::write_file(folder + "/train-images-idx3-ubyte", bytes);
}

}  // namespace dpcurves::test
