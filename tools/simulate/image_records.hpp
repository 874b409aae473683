// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// --data DIR of simulate glm and relu-regression: images as records of a regression, odd against even classes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/simulate/glm_records.hpp>

#include "simulate/glm.hpp"

namespace dpcurves::tools {

/// The option, with what the labels are.
[[nodiscard]] Option image_records_option(const std::string& labels);

/// Images of a folder: x are the pixels as a vector of a given length, y is one value for odd classes and one for even.
struct ImageRecords {
  std::shared_ptr<const queries::ImageFolder> folder;
  double odd = 1.0;   ///< y of odd classes
  double even = 0.0;  ///< y of even classes

  /// d, the number of pixels.
  [[nodiscard]] std::size_t dimension() const;
  /// Of the training images as a ring those of run `path`, which are others than those of the next.
  [[nodiscard]] simulate::StoredRecords to_train(std::size_t records, std::uint32_t path, double length) const;
  /// Mean (link(<w, x>) - y)^2 over the first 2000 test images, or all if they are fewer.
  [[nodiscard]] double test_loss(const models::Link& link, std::span<const double> w, double length) const;
  /// What the numbers are, for the notes: folder, labels and the loss of w = 0.
  [[nodiscard]] std::string note(const models::Link& link, double length) const;
};

/// Nothing without --data.
/// \param drawn  options that shape drawn records. \throws UsageError  where one is given too.
/// \throws DataError  where the folder cannot be read.
[[nodiscard]] std::optional<ImageRecords> image_records(const Values& values, const std::vector<std::string>& drawn,
                                                        double odd, double even);

/// --records, by default those of its row that there are images for.
/// \throws UsageError  for more than there are.
[[nodiscard]] std::vector<double> record_counts(const Values& values, const std::optional<ImageRecords>& images);

/// Images of the smallest class.
[[nodiscard]] std::size_t smallest_class(const models::LabelledImages& images);

/// Of --NAME images the number of each class: `usual`, or `available` where that is less, by default.
/// \throws UsageError  for no multiple of `classes`, or more than `available` of each.
[[nodiscard]] std::size_t images_per_class(const Values& values, const std::string& name, std::size_t classes,
                                           std::size_t usual, std::size_t available);

/// --NAME images of any class: `usual`, or all that are there where that is less, by default.
/// \throws UsageError  for more than are there.
[[nodiscard]] std::size_t images_in_all(const Values& values, const std::string& name, std::size_t usual,
                                        const models::LabelledImages& images);

}  // namespace dpcurves::tools
