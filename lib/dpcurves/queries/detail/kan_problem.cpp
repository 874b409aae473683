// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/models/detail/binary_images.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/queries/detail/kan_problem.hpp>
#include <dpcurves/queries/detail/named.hpp>

namespace dpcurves::queries {
namespace {

constexpr const char* network_group = "Network";
constexpr const char* data_group = "Data";

/// Inputs longer than 1 are divided by the largest norm.
models::BinaryData read_data(const std::string& path, const std::string& option) {
  const auto file = io::read_csv(path, io::Header::present);
  const auto& columns = file.all();
  if (columns.size() < 2 || file.rows() < 1) {
    throw UsageError(option + ": " + path +
                     " needs at least one column of inputs, the labels in the last column, and rows");
  }
  models::BinaryData data;
  data.labels = columns.back().values;
  data.inputs.resize(static_cast<Eigen::Index>(columns.size() - 1), static_cast<Eigen::Index>(file.rows()));
  for (std::size_t column = 0; column + 1 < columns.size(); ++column) {
    for (std::size_t row = 0; row < file.rows(); ++row) {
      data.inputs(static_cast<Eigen::Index>(column), static_cast<Eigen::Index>(row)) = columns[column].values[row];
    }
  }
  for (std::size_t row = 0; row < file.rows(); ++row) {
    if (data.labels[row] != 1.0 && data.labels[row] != -1.0) {
      throw DomainError(option + ": " + path + ": the label " + shortest(data.labels[row]) + " of row " +
                        std::to_string(row + 1) + " is neither -1 nor 1");
    }
  }
  data.inputs /= std::max(1.0, data.inputs.colwise().stableNorm().maxCoeff());
  return data;
}

/// The folder of --data, read once: odd against even classes, the images of a path after those of the one before.
models::BinaryData images_of(const Values& values, bool test, std::uint32_t path) {
  static const std::string folder = values.text("data");
  constexpr std::size_t side = 4;  // more inputs saturate the units of the start
  static const ImageFolder all = read_image_folder("--data", folder);
  static const auto train = models::pooled(all.train.images, side), tests = models::pooled(all.test.images, side);
  const auto& images = test ? tests : train;
  const auto count = test ? images.labels.size() : values.count("records");
  if (count > images.labels.size()) {
    throw UsageError("--records: " + std::to_string(count) + " is outside [2, " + std::to_string(images.labels.size()) +
                     "], the images of --data");
  }
  return models::binary_images(images, test ? 0 : path * count, count);
}

models::BinaryData draw(const Values& values, std::size_t records, std::uint64_t seed, std::uint32_t path) {
  models::BallData law{.inputs = values.count("inputs"),
                       .records = records,
                       .margin = values.number("gap"),
                       .label_noise = values.number("label-noise")};
  return named("--gap", [&] { return models::ball_data(law, seed, path); });
}

}  // namespace

std::vector<Option> kan_options() {
  return {{"units", OptionKind::count, "[1, 1000000] = 64", "hidden units m", network_group},
          {"splines", OptionKind::count, "[3, 4096] = 5", "splines p per edge", network_group},
          {"degree", OptionKind::count, "[2, 15] = 3", "of the splines", network_group},
          {"activation", OptionKind::text, "tanh|logistic = tanh", "", network_group},
          {"data", OptionKind::text, "",
           "CSV of inputs with the label, 1 or -1, in the last column; inputs are divided "
           "by their largest norm if it is above 1. Or a folder of images as data/fetch.sh makes it: means over 4 x "
           "4 blocks, odd against even classes, on the unit sphere",
           data_group},
          {"test-data", OptionKind::text, "", "the same for tests, with --data", data_group},
          {"inputs", OptionKind::count, "[1, 10000] = 4", "drawn data: dimension d", data_group},
          {"records", OptionKind::count, "[2, 1000000] = 500", "drawn data and folders: records n", data_group},
          {"gap", OptionKind::number, "[0, 0.5] = 0.15", "drawn data: points nearer to the border are left out",
           data_group},
          {"label-noise", OptionKind::number, "[0, 0.5) = 0", "drawn data: chance of a flipped label", data_group}};
}

models::KanShape kan_shape(const Values& values, std::size_t inputs) {
  models::KanShape shape{
      .inputs = inputs,
      .units = values.count("units"),
      .splines = values.count("splines"),
      .degree = values.count("degree"),
      .activation = values.text("activation") == "tanh" ? models::Activation::tanh : models::Activation::logistic};
  if (shape.splines <= shape.degree) {
    throw UsageError("--splines: " + std::to_string(shape.splines) + " is outside [degree + 1, 4096]");
  }
  if (shape.parameters() > 100'000'000) {
    throw UsageError("--units: m d p = " + std::to_string(shape.parameters()) + " parameters are above 1e8");
  }
  return shape;
}

models::BinaryData kan_training_data(const Values& values, std::uint64_t seed, std::uint32_t path) {
  if (values.has("data") && is_folder(values.text("data"))) {
    for (const char* drawn : {"inputs", "gap", "label-noise", "test-data"}) {
      exclude(values, "data", drawn);
    }
    return images_of(values, false, path);
  }
  if (values.has("data")) {
    for (const char* drawn : {"inputs", "records", "gap", "label-noise"}) {
      exclude(values, "data", drawn);
    }
    return read_data(values.text("data"), "--data");
  }
  if (values.has("test-data")) {
    throw UsageError("--test-data: needs --data");
  }
  return draw(values, values.count("records"), seed, 2 * path);
}

models::BinaryData kan_test_data(const Values& values, std::uint64_t seed, std::uint32_t path) {
  if (values.has("data") && is_folder(values.text("data"))) {
    return images_of(values, true, path);
  }
  if (values.has("test-data")) {
    return read_data(values.text("test-data"), "--test-data");
  }
  constexpr std::size_t test_records = 1000;
  return values.has("data") ? models::BinaryData{} : draw(values, test_records, seed, 2 * path + 1);
}

}  // namespace dpcurves::queries
