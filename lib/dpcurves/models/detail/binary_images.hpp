// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Images as records of two classes, for models with one output.
#pragma once

#include <cstddef>

#include <dpcurves/models/image_data.hpp>
#include <dpcurves/models/kan.hpp>

namespace dpcurves::models {

/// `count` images from number `first` on, as a ring: pixels on the unit sphere (a black image stays 0), label 1 for odd
/// classes and -1 for even ones.
/// \throws DomainError  unless 1 <= count <= n.
[[nodiscard]] BinaryData binary_images(const LabelledImages& all, std::size_t first, std::size_t count);

/// Square images (of one or three planes) as means over side x side blocks: few inputs for models that need few.
/// \throws DomainError  unless the pixels are one or three squares whose side is a multiple of `side`.
[[nodiscard]] LabelledImages pooled(const LabelledImages& all, std::size_t side);

}  // namespace dpcurves::models
