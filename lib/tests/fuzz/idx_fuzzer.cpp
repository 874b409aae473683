// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as IDX images and labels: an array that is written as the same bytes, or an Error; and cut in two, as the
// pair of files that --images and --labels name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/idx.hpp>
#include <dpcurves/queries/detail/image_files.hpp>

#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dpcurves;
  if (size < 1) {
    return 0;
  }
  // The first byte is the length of the labels, the first file; the rest are the images.
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto cut = std::min<std::size_t>(data[0], bytes.size());
  for (const auto& [part, kind] :
       {std::pair{bytes.substr(0, cut), io::IdxKind::labels}, {bytes.substr(cut), io::IdxKind::images}}) {
    try {
      const auto array = io::parse_idx(part, "input", kind);
      if (io::to_idx(array, kind) != part) {
        std::abort();
      }
    } catch (const DataError&) {  // a DomainError of to_idx is a finding
    }
  }
  static test::MemoryFile labels, images;
  queries::Values values;
  values.set("labels", Value{labels.with(bytes.substr(0, cut))});
  values.set("images", Value{images.with(bytes.substr(cut))});
  try {
    if (const auto read = queries::read_images(values, ""); read) {
      const auto counts = models::class_counts(read->images);
      const auto fewest = *std::min_element(counts.begin(), counts.end());
      (void)models::balanced_part(read->images, fewest);  // an Error here would be one of a class without images
    }
  } catch (const Error&) {
  }
  return 0;
}
