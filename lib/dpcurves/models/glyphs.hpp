// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Deformed seven-segment digits: images with a long tail that need no download.
///
/// Each sample is the digit's segments under a random affine map whose strength f is log-normal, so that a few samples
/// are strongly deformed, drawn with soft lines and pixel noise. Sample i of a part is a function of (seed, i).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <dpcurves/models/patch_data.hpp>

namespace dpcurves::models {

/// An affine map of the unit square (x to the right, y down) about its centre.
struct Deformation {
  double strength = 0.0;           ///< f in [0, 4]
  std::array<double, 4> linear{};  ///< Z row by row: x and y become (I + 0.12 f Z)(p - c) + c + t
  std::array<double, 2> shift{};   ///< s: t = 0.05 f s
};

/// The image of a digit without pixel noise: value exp(-D^2/(2 0.05^2)) at distance D of a pixel's centre from the
/// nearest segment.
/// \param digit  0 to 9. \param size  pixels per side, 1 to 4096.
/// \return       shape (size x size), row by row.
/// \throws DomainError  for a digit, size or strength outside its range, or entries that are not finite.
[[nodiscard]] std::vector<double> glyph_image(std::size_t digit, const Deformation& deformation = {},
                                              std::size_t size = 12);

/// Which set: the two share no random numbers.
enum class GlyphPart { train, test };

/// Images with what they are made of.
struct GlyphData {
  RowMatrix images;                   ///< shape (n x 144)
  std::vector<std::uint32_t> labels;  ///< i mod 10
  std::vector<double> strengths;      ///< f_i = min(4, 0.35 exp(0.6 g_i))
};

/// 12 x 12 images with pixel noise of standard deviation 0.05. The 151 normals of sample i are numbers 0 to 150 of
/// path i: g, Z (4), s (2), pixels (144).
[[nodiscard]] GlyphData draw_glyphs(std::size_t samples, std::uint64_t seed, GlyphPart part);

/// Images as data without signal patches, less `mean` (the pixelwise mean of the training images).
[[nodiscard]] PatchData image_patches(const RowMatrix& images, const std::vector<std::uint32_t>& labels,
                                      std::size_t classes, const Eigen::RowVectorXd& mean);

}  // namespace dpcurves::models
