// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/image_records.hpp"

#include <algorithm>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/models/detail/binary_images.hpp>

namespace dpcurves::tools {
namespace {

constexpr std::size_t most_tested = 2000;

simulate::StoredRecords stored(const models::LabelledImages& images, std::size_t first, std::size_t count,
                               double length, double odd, double even) {
  const auto part = models::binary_images(images, first, count);
  std::vector<double> features(part.inputs.data(), part.inputs.data() + part.inputs.size()), labels;
  for (double& x : features) {
    x *= length;
  }
  for (const double label : part.labels) {
    labels.push_back(label > 0.0 ? odd : even);
  }
  return {static_cast<std::size_t>(images.images.cols()), std::move(features), std::move(labels)};
}

}  // namespace

Option image_records_option(const std::string& labels) {
  return {"data", OptionKind::text, "",
          "folder of images as data/fetch.sh makes it, in place of drawn records: x are the pixels, " + labels +
              "; other images in every run, and the risk is the squared loss on test images. Images follow no link, so "
              "no bound is claimed",
          "Data"};
}

std::size_t ImageRecords::dimension() const { return static_cast<std::size_t>(folder->train.images.images.cols()); }

simulate::StoredRecords ImageRecords::to_train(std::size_t records, std::uint32_t path, double length) const {
  return stored(folder->train.images, path * records, records, length, odd, even);
}

double ImageRecords::test_loss(const models::Link& link, std::span<const double> w, double length) const {
  const auto& images = folder->test.images;
  auto records = stored(images, 0, std::min(most_tested, images.labels.size()), length, odd, even);
  return simulate::mean_squared_loss(records, link, w);
}

std::string ImageRecords::note(const models::Link& link, double length) const {
  const std::vector<double> zero(dimension(), 0.0);
  return "images of " + folder->train.source + ", |x| = " + rounded(length, 4) + ", y = " + shortest(odd) +
         " for odd and " + shortest(even) + " for even classes; w = 0 has a loss of " +
         rounded(test_loss(link, zero, length), 4) + " on the test images. No bound is claimed of images";
}

std::optional<ImageRecords> image_records(const Values& values, const std::vector<std::string>& drawn, double odd,
                                          double even) {
  if (!values.has("data")) {
    return std::nullopt;
  }
  for (const auto& name : drawn) {
    exclude(values, "data", name);
  }
  return ImageRecords{
      std::make_shared<const queries::ImageFolder>(queries::read_image_folder("--data", values.text("data"))), odd,
      even};
}

std::vector<double> record_counts(const Values& values, const std::optional<ImageRecords>& images) {
  auto counts = values.numbers("records");
  if (!images) {
    return counts;
  }
  const auto there = static_cast<double>(images->folder->train.images.labels.size());
  if (!values.has("records")) {
    std::erase_if(counts, [there](double count) { return count > there; });
    return counts.empty() ? std::vector{there} : counts;
  }
  for (const double count : counts) {
    require_option(count <= there, "records",
                   shortest(count) + " is more than the " + shortest(there) + " images of --data");
  }
  return counts;
}

std::size_t smallest_class(const models::LabelledImages& images) {
  const auto counts = models::class_counts(images);
  return *std::min_element(counts.begin(), counts.end());
}

std::size_t images_per_class(const Values& values, const std::string& name, std::size_t classes, std::size_t usual,
                             std::size_t available) {
  if (!values.has(name)) {
    return std::min(usual, available);
  }
  const std::size_t count = values.count(name);
  const std::string number = std::to_string(count);
  require_option(count % classes == 0, name,
                 number + " is not a multiple of the " + std::to_string(classes) + " classes");
  require_option(count / classes <= available, name,
                 number + " is outside [" + std::to_string(classes) + ", " + std::to_string(available * classes) +
                     "], what the smallest class allows");
  return count / classes;
}

std::size_t images_in_all(const Values& values, const std::string& name, std::size_t usual,
                          const models::LabelledImages& images) {
  const std::size_t there = images.labels.size(), count = values.count_or(name, std::min(usual, there));
  require_option(count <= there, name,
                 std::to_string(count) + " is more than the " + std::to_string(there) + " images of --data");
  return count;
}

}  // namespace dpcurves::tools
