// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <filesystem>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/cifar.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/idx.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/queries/detail/named.hpp>

namespace dpcurves::queries {
namespace {

/// Messages about a file start with the option that named it.
template <typename Make>
auto of_option(const std::string& option, const Make& make) {
  try {
    return of_file(option, make);
  } catch (const DataError& error) {
    throw DataError(option + ": " + error.what());
  }
}

/// Whether the first cell of the first line that is not blank is a number.
bool starts_with_number(std::string_view text) {
  constexpr std::string_view skipped = " \t\r\n\xEF\xBB\xBF";
  const auto first = text.find_first_not_of(skipped);
  if (first == std::string_view::npos) {
    return false;
  }
  text.remove_prefix(first + (text[first] == '+' ? 1 : 0));
  double value = 0.0;
  const auto end = text.data() + std::min(text.find_first_of(", \t\r\n"), text.size());
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return stopped == end && error != std::errc::invalid_argument;
}

models::RowMatrix pixels_of(const io::IdxArray& array) {
  const auto rows = static_cast<Eigen::Index>(array.lengths[0]);
  using Bytes = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Bytes>(array.entries.data(), rows, static_cast<Eigen::Index>(array.entries.size()) / rows)
      .cast<double>();
}

/// \param where  what messages about the labels start with.
ImageFile from_bytes(const io::IdxArray& images, const std::vector<std::uint8_t>& labels, const std::string& source,
                     const std::string& option, const std::string& where) {
  const std::vector<double> numbers(labels.begin(), labels.end());
  return {named(where, [&] { return models::labelled_images(pixels_of(images), numbers, models::PixelScale::byte); }),
          source, option, models::PixelScale::byte};
}

ImageFile from_idx(const std::string& images_option, const std::string& images_file, const std::string& labels_option,
                   const std::string& labels_file) {
  const auto images = of_option(images_option, [&] { return io::read_idx(images_file, io::IdxKind::images); });
  const auto labels = of_option(labels_option, [&] { return io::read_idx(labels_file, io::IdxKind::labels); });
  if (images.lengths[0] != labels.lengths[0]) {
    throw DataError(labels_option + ": " + labels_file + " holds " + std::to_string(labels.lengths[0]) + " labels, " +
                    images_file + " " + std::to_string(images.lengths[0]) + " images");
  }
  return from_bytes(images, labels.entries, images_file, images_option, labels_option + ": " + labels_file);
}

ImageFile from_csv(const std::string& option, const std::string& file) {
  const auto table = of_option(option, [&] {
    const std::string text = io::read_file(file, io::largest_csv);
    return io::parse_csv(text, file, starts_with_number(text) ? io::Header::absent : io::Header::present);
  });
  const auto& columns = table.all();
  if (columns.size() < 2 || table.rows() == 0) {
    throw UsageError(option + ": " + file + " needs a column of labels, columns of pixels and a line per image");
  }
  models::RowMatrix pixels(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(columns.size() - 1));
  for (std::size_t j = 1; j < columns.size(); ++j) {
    pixels.col(static_cast<Eigen::Index>(j - 1)) =
        Eigen::Map<const Eigen::VectorXd>(columns[j].values.data(), pixels.rows());
  }
  const auto scale = models::pixel_scale(pixels);
  return {
      named(option + ": " + file, [&] { return models::labelled_images(std::move(pixels), columns[0].values, scale); }),
      file, option, scale};
}

ImageFile from_cifar(const std::string& option, const std::vector<std::string>& files) {
  io::CifarImages all;
  for (const auto& file : files) {
    const auto part = of_option(option, [&] { return io::parse_cifar(io::read_file(file), file); });
    all.labels.insert(all.labels.end(), part.labels.begin(), part.labels.end());
    all.pixels.insert(all.pixels.end(), part.pixels.begin(), part.pixels.end());
  }
  return from_bytes({{all.labels.size(), 1, io::cifar_pixels}, std::move(all.pixels)}, all.labels, files.front(),
                    option, option + ": " + files.front());
}

bool there(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

/// One of the two sets of a folder, nothing if it has neither.
std::optional<ImageFile> from_folder(const std::string& option, const std::string& folder, bool test) {
  const std::string idx = folder + (test ? "/t10k-" : "/train-"), images = idx + "images-idx3-ubyte";
  if (there(images)) {
    return from_idx(option, images, option, idx + "labels-idx1-ubyte");
  }
  std::vector<std::string> batches;
  for (int i = 1; i <= 5; ++i) {
    batches.push_back(folder + "/data_batch_" + std::to_string(i) + ".bin");
  }
  if (there(batches.front())) {
    return from_cifar(option, test ? std::vector{folder + "/test_batch.bin"} : batches);
  }
  if (const std::string csv = folder + (test ? "/test.csv" : "/train.csv"); there(csv)) {
    return from_csv(option, csv);
  }
  return std::nullopt;
}

}  // namespace

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

ImageFolder read_image_folder(const std::string& option, const std::string& folder) {
  if (!is_folder(folder)) {
    throw DataError(option + ": there is no folder " + folder + "; sh data/fetch.sh mnist makes data/sets/mnist");
  }
  auto train = from_folder(option, folder, false);
  auto test = from_folder(option, folder, true);
  if (!train || !test) {
    throw DataError(option + ": cannot read " + folder +
                    ": Is a directory that holds neither IDX files (train-images-idx3-ubyte, t10k-images-idx3-ubyte "
                    "and their labels), nor those of CIFAR-10 (data_batch_1.bin, test_batch.bin), nor train.csv and "
                    "test.csv; sh data/fetch.sh mnist gets the digits");
  }
  if (train->images.classes != test->images.classes || train->images.images.cols() != test->images.images.cols()) {
    throw DataError(option + ": " + folder + ": the sets to train and to test on have " +
                    std::to_string(train->images.classes) + " and " + std::to_string(test->images.classes) +
                    " classes, " + std::to_string(train->images.images.cols()) + " and " +
                    std::to_string(test->images.images.cols()) + " pixels");
  }
  return {std::move(*train), std::move(*test)};
}

std::optional<ImageFile> read_images(const Values& values, const std::string& prefix) {
  const std::string images = prefix + "images", labels = prefix + "labels", data = prefix + "data";
  exclude(values, data, images);
  exclude(values, data, labels);
  const bool test = prefix == "test-";
  if (!values.has(data) && !values.has(images) && test && values.has("data") && is_folder(values.text("data"))) {
    return std::move(read_image_folder("--data", values.text("data")).test);
  }
  if (values.has(data) && !test && is_folder(values.text(data))) {
    return std::move(read_image_folder("--data", values.text(data)).train);
  }
  if (values.has(data)) {
    return from_csv("--" + data, values.text(data));
  }
  if (!values.has(images) && !values.has(labels)) {
    return std::nullopt;
  }
  return from_idx("--" + images, values.text(images), "--" + labels, values.text(labels));
}

}  // namespace dpcurves::queries
