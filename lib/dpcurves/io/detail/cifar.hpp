// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Colour images in the binary format of CIFAR-10.
///
/// A file is a sequence of records of 3073 bytes: the label, then 32 x 32 bytes of red, of green and of blue, row by
/// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dpcurves::io {

/// The pixels of a CIFAR-10 image, 3 x 32 x 32.
constexpr std::size_t cifar_pixels = 3072;

/// What a file holds.
struct CifarImages {
  std::vector<std::uint8_t> labels;  ///< shape (images), below 10
  std::vector<std::uint8_t> pixels;  ///< shape (images x cifar_pixels)
};

/// \param source  what messages call the bytes, for example the file name.
/// \throws DataError  for no record, a part of a record or a label above 9.
[[nodiscard]] CifarImages parse_cifar(std::string_view bytes, std::string_view source);

}  // namespace dpcurves::io
