// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Labelled images from outside: pixels brought to [0, 1], labels checked, classes balanced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <dpcurves/models/patch_data.hpp>

namespace dpcurves::models {

/// Images of K classes.
struct LabelledImages {
  std::size_t classes = 0;            ///< K
  RowMatrix images;                   ///< shape (n x pixels), in [0, 1]
  std::vector<std::uint32_t> labels;  ///< shape (n), below K
};

/// What a white pixel is: 1 or 255.
enum class PixelScale { unit, byte };

/// byte if a pixel exceeds 1. Where images come as whole bytes the answer is known and should not be guessed.
[[nodiscard]] PixelScale pixel_scale(const RowMatrix& pixels);

/// \param pixels  shape (n x pixels), one image per row, n >= 1; in [0, 1] or [0, 255].
/// \param labels  shape (n), whole numbers in [0, 1000); each number up to the largest occurs, at least 0 and 1.
/// \throws DomainError  that names the first row (from 1) at fault.
[[nodiscard]] LabelledImages labelled_images(RowMatrix pixels, std::span<const double> labels, PixelScale scale);

/// How many images each class has, shape (K).
[[nodiscard]] std::vector<std::size_t> class_counts(const LabelledImages& all);

/// The first (or last) `per_class` images of each class, image i of class i mod K as in the glyphs.
/// \throws DomainError  if a class has fewer, or `per_class` is 0.
[[nodiscard]] LabelledImages balanced_part(const LabelledImages& all, std::size_t per_class, bool last = false);

}  // namespace dpcurves::models
