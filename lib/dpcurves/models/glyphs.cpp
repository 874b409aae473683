// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/glyphs.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {
namespace {

struct Point {
  double x = 0.0, y = 0.0;
};
struct Segment {
  Point from, to;
};

// Segments a to g of a display, and which of them each digit lights.
constexpr Segment segments[] = {{{.25, .1}, {.75, .1}}, {{.75, .1}, {.75, .5}}, {{.75, .5}, {.75, .9}},
                                {{.25, .9}, {.75, .9}}, {{.25, .5}, {.25, .9}}, {{.25, .1}, {.25, .5}},
                                {{.25, .5}, {.75, .5}}};
constexpr std::string_view lit[] = {"abcdef", "bc",     "abdeg", "abcdg",   "bcfg",
                                    "acdfg",  "acdefg", "abc",   "abcdefg", "abcdfg"};
constexpr std::size_t side = 12;
constexpr double line_width = 0.05, pixel_noise = 0.05;

Point mapped(Point p, const Deformation& by) {
  const double x = p.x - .5, y = p.y - .5, f = by.strength;
  const double stretch = .12 * f, move = .05 * f;
  return {x + stretch * (by.linear[0] * x + by.linear[1] * y) + .5 + move * by.shift[0],
          y + stretch * (by.linear[2] * x + by.linear[3] * y) + .5 + move * by.shift[1]};
}

double squared_distance(Point p, const Segment& segment) {
  const double dx = segment.to.x - segment.from.x, dy = segment.to.y - segment.from.y;
  const double length = dx * dx + dy * dy;
  const double along = (p.x - segment.from.x) * dx + (p.y - segment.from.y) * dy;
  const double foot = length > 0.0 ? std::clamp(along / length, 0.0, 1.0) : 0.0;
  const double x = p.x - segment.from.x - foot * dx, y = p.y - segment.from.y - foot * dy;
  return x * x + y * y;
}

}  // namespace

std::vector<double> glyph_image(std::size_t digit, const Deformation& deformation, std::size_t size) {
  require_domain(digit <= 9, "digit", static_cast<double>(digit), "[0, 9]");
  require_domain(size >= 1 && size <= 4096, "size", static_cast<double>(size), "[1, 4096]");
  require_domain(deformation.strength >= 0.0 && deformation.strength <= 4.0, "strength", deformation.strength,
                 "[0, 4]");
  for (const double z : deformation.linear) {
    require_domain(std::isfinite(z), "linear", z, "(-inf, inf)");
  }
  for (const double s : deformation.shift) {
    require_domain(std::isfinite(s), "shift", s, "(-inf, inf)");
  }
  std::vector<Segment> drawn;
  for (const char name : lit[digit]) {
    const Segment& segment = segments[name - 'a'];
    drawn.push_back({mapped(segment.from, deformation), mapped(segment.to, deformation)});
  }
  std::vector<double> image;
  image.reserve(size * size);
  const auto pixels = static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const Point centre{(static_cast<double>(j) + .5) / pixels, (static_cast<double>(i) + .5) / pixels};
      double nearest = std::numeric_limits<double>::infinity();
      for (const Segment& segment : drawn) {
        nearest = std::min(nearest, squared_distance(centre, segment));
      }
      image.push_back(std::exp(-nearest / (2.0 * line_width * line_width)));
    }
  }
  return image;
}

GlyphData draw_glyphs(std::size_t samples, std::uint64_t seed, GlyphPart part) {
  require_domain(samples >= 1 && samples <= 0xFFFFFFFFU, "samples", static_cast<double>(samples), "[1, 2^32)");
  const auto purpose = part == GlyphPart::train ? random::Purpose::glyph_train : random::Purpose::glyph_test;
  constexpr std::size_t pixels = side * side;
  GlyphData data;
  data.images.resize(static_cast<Eigen::Index>(samples), static_cast<Eigen::Index>(pixels));
  std::array<double, 7 + pixels> draws{};
  for (std::size_t i = 0; i < samples; ++i) {
    random::normals(draws, seed, purpose, static_cast<std::uint32_t>(i), 0);
    Deformation deformation;
    deformation.strength = std::min(4.0, .35 * std::exp(.6 * draws[0]));
    std::copy_n(draws.begin() + 1, 4, deformation.linear.begin());
    std::copy_n(draws.begin() + 5, 2, deformation.shift.begin());
    const auto image = glyph_image(i % 10, deformation, side);
    for (std::size_t j = 0; j < pixels; ++j) {
      data.images(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = image[j] + pixel_noise * draws[7 + j];
    }
    data.labels.push_back(static_cast<std::uint32_t>(i % 10));
    data.strengths.push_back(deformation.strength);
  }
  return data;
}

PatchData image_patches(const RowMatrix& images, const std::vector<std::uint32_t>& labels, std::size_t classes,
                        const Eigen::RowVectorXd& mean) {
  require_domain(mean.size() == images.cols(), "size of the mean", static_cast<double>(mean.size()),
                 "that of the images");
  PatchData data{.classes = classes, .noise = images.rowwise() - mean, .labels = labels};
  data.signals.resize(0, images.cols());
  return data;
}

}  // namespace dpcurves::models
