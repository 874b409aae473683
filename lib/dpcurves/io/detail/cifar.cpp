// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/cifar.hpp>

namespace dpcurves::io {

CifarImages parse_cifar(std::string_view bytes, std::string_view source) {
  constexpr std::size_t record = 1 + cifar_pixels;
  constexpr std::uint8_t classes = 10;
  if (bytes.empty() || bytes.size() % record != 0) {
    throw DataError(std::string(source) + ": " + std::to_string(bytes.size()) + " bytes are not a whole number of " +
                    std::to_string(record) + "-byte records of CIFAR-10");
  }
  CifarImages images;
  images.pixels.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    const auto label = static_cast<std::uint8_t>(bytes[at]);
    if (label >= classes) {
      throw DataError(std::string(source) + ": image " + std::to_string(at / record + 1) + " has label " +
                      std::to_string(label) + ", outside [0, 9]");
    }
    images.labels.push_back(label);
    const auto pixels = bytes.substr(at + 1, cifar_pixels);
    images.pixels.insert(images.pixels.end(), pixels.begin(), pixels.end());
  }
  return images;
}

}  // namespace dpcurves::io
