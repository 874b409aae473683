// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as IDX images and labels: an array that is written as the same bytes, or an Error; and what is read as
// images that are used.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/idx.hpp>
#include <dpcurves/models/image_data.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto kind : {io::IdxKind::images, io::IdxKind::labels}) {
    io::IdxArray array;
    try {
      array = io::parse_idx(bytes, "input", kind);
    } catch (const Error&) {
      continue;
    }
    if (io::to_idx(array, kind) != bytes) {  // an Error here is a finding
      std::abort();
    }
    // The entries as one image column, labelled by themselves.
    const auto count = static_cast<Eigen::Index>(array.entries.size());
    const models::RowMatrix pixels =
        Eigen::Map<const Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>>(array.entries.data(), count).cast<double>();
    const std::vector<double> labels(array.entries.begin(), array.entries.end());
    try {
      const auto images = models::labelled_images(pixels, labels, models::PixelScale::byte);
      (void)models::balanced_part(images, 1);  // an Error here would be one of a class without images
    } catch (const Error&) {
    }
  }
  return 0;
}
