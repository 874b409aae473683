// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Labelled images from the files that a user names: IDX pairs or one CSV.
#pragma once

#include <optional>
#include <string>

#include <dpcurves/models/image_data.hpp>

#include "support/options.hpp"

namespace dpcurves::tools {

/// Images and where they are from.
struct ImageFile {
  models::LabelledImages images;
  std::string source;  ///< the file of the images
  std::string option;  ///< which named it, with dashes
  models::PixelScale scale = models::PixelScale::unit;
};

/// The options --PREFIXimages and --PREFIXlabels (IDX) or --PREFIXdata (CSV: label first, then the pixels, with or
/// without a line of names); nothing if none is given. CSV pixels are taken as 0 to 255 if one exceeds 1.
/// \throws UsageError   for half a pair or both forms.
/// \throws DataError    for a file that cannot be read, DomainError for labels or pixels out of range; both name
///                      option and file.
[[nodiscard]] std::optional<ImageFile> read_images(const Values& values, const std::string& prefix);

}  // namespace dpcurves::tools
