// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Labelled images from the files that a user names: IDX pairs, one CSV, or a folder with sets to train and to test on.
#pragma once

#include <optional>
#include <string>

#include <dpcurves/models/image_data.hpp>
#include <dpcurves/queries/options.hpp>

namespace dpcurves::queries {

/// Images and where they are from.
struct ImageFile {
  models::LabelledImages images;                        ///< with their labels
  std::string source;                                   ///< the file of the images
  std::string option;                                   ///< which named it, with dashes
  models::PixelScale scale = models::PixelScale::unit;  ///< of the pixels
};

/// A data set as it is distributed.
struct ImageFolder {
  ImageFile train;  ///< to train on
  ImageFile test;   ///< to test on
};

/// Whether it is a folder that can be looked at.
[[nodiscard]] bool is_folder(const std::string& path);

/// What `folder` holds: the four IDX files of MNIST by their usual names (data/fetch.sh), the six binary files of
/// CIFAR-10, or train.csv and test.csv.
/// \throws DataError  that names option and folder, for none of them or sets that do not fit each other.
[[nodiscard]] ImageFolder read_image_folder(const std::string& option, const std::string& folder);

/// The options --PREFIXimages and --PREFIXlabels (IDX) or --PREFIXdata (CSV: label first, then the pixels, with or
/// without a line of names); nothing if none is given. --data may name a folder (read_image_folder): --test-* are then
/// its test set unless they are given. CSV pixels are taken as 0 to 255 if one exceeds 1.
/// \throws UsageError   for half a pair or both forms.
/// \throws DataError    for a file that cannot be read, DomainError for labels or pixels out of range; both name
///                      option and file.
[[nodiscard]] std::optional<ImageFile> read_images(const Values& values, const std::string& prefix);

}  // namespace dpcurves::queries
