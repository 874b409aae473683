// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "support/image_files.hpp"

#include <charconv>

#include <dpcurves/io/csv.hpp>
#include <dpcurves/io/file.hpp>
#include <dpcurves/io/idx.hpp>

#include "support/exit.hpp"
#include "support/named.hpp"

namespace dpcurves::tools {
namespace {

/// Messages about a file start with the option that named it.
template <typename Make>
auto of_option(const std::string& option, const Make& make) {
  try {
    return make();
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

ImageFile from_idx(const std::string& images_option, const std::string& images_file, const std::string& labels_option,
                   const std::string& labels_file) {
  const auto images = of_option(images_option, [&] { return io::read_idx(images_file, io::IdxKind::images); });
  const auto labels = of_option(labels_option, [&] { return io::read_idx(labels_file, io::IdxKind::labels); });
  if (images.lengths[0] != labels.lengths[0]) {
    throw DataError(labels_option + ": " + labels_file + " holds " + std::to_string(labels.lengths[0]) + " labels, " +
                    images_file + " " + std::to_string(images.lengths[0]) + " images");
  }
  const std::vector<double> numbers(labels.entries.begin(), labels.entries.end());
  return {named(labels_option + ": " + labels_file,
                [&] { return models::labelled_images(pixels_of(images), numbers, models::PixelScale::byte); }),
          images_file, images_option, models::PixelScale::byte};
}

ImageFile from_csv(const std::string& option, const std::string& file) {
  const auto table = of_option(option, [&] {
    const std::string text = io::read_file(file, io::largest_csv);
    return io::parse_csv(text, file, starts_with_number(text) ? io::Header::absent : io::Header::present);
  });
  const auto& columns = table.all();
  if (columns.size() < 2 || table.rows() == 0) {
    throw DataError(option + ": " + file + " needs a column of labels, columns of pixels and a line per image");
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

}  // namespace

std::optional<ImageFile> read_images(const Values& values, const std::string& prefix) {
  const std::string images = prefix + "images", labels = prefix + "labels", data = prefix + "data";
  exclude(values, data, images);
  exclude(values, data, labels);
  if (values.has(data)) {
    return from_csv("--" + data, values.text(data));
  }
  if (!values.has(images) && !values.has(labels)) {
    return std::nullopt;
  }
  return from_idx("--" + images, values.text(images), "--" + labels, values.text(labels));
}

}  // namespace dpcurves::tools
