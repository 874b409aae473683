// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/cross_entropy.hpp>
#include <dpcurves/models/detail/product_kernel.hpp>
#include <dpcurves/models/lenet.hpp>
#include <dpcurves/random/streams.hpp>

namespace dpcurves::models {
namespace {

constexpr std::size_t kernel = 5, pad = 2;
constexpr std::size_t window = kernel * kernel;  // weights of a map per map below
constexpr std::size_t maps_1 = 6, side_1 = lenet_side, half_1 = side_1 / 2;
constexpr std::size_t maps_2 = 16, side_2 = half_1 - kernel + 1, half_2 = side_2 / 2;
constexpr std::size_t padded = lenet_side + 2 * pad;
constexpr std::size_t size_1 = maps_1 * half_1 * half_1, size_2 = maps_2 * half_2 * half_2;
constexpr std::size_t size_3 = 120, size_4 = 84;
constexpr std::size_t block = 32;  // examples whose layers stay in the second cache together

double dot(const double* a, const double* b, std::size_t size) {
  return sum_over(size, [&](std::size_t i) { return a[i] * b[i]; });
}

/// y += factor x.
void add(double factor, const double* x, std::size_t size, double* y) {
  for (std::size_t i = 0; i < size; ++i) {
    y[i] += factor * x[i];
  }
}

/// The largest of each 2 x 2 of a map plus its bias, or 0 if that is larger, and where it was.
void pool(const double* map, double bias, std::size_t side, double* out, std::uint16_t* at) {
  for (std::size_t row = 0; row < side; row += 2) {
    for (std::size_t column = 0; column < side; column += 2) {
      std::size_t best = row * side + column;
      for (const std::size_t other : {best + 1, best + side, best + side + 1}) {
        best = map[other] > map[best] ? other : best;
      }
      *out++ = std::max(map[best] + bias, 0.0);
      *at++ = static_cast<std::uint16_t>(best);
    }
  }
}

/// out = relu(in W^T + b) of a block, or without relu.
void dense(const LeNetLayer& layer, std::span<const double> w, const std::vector<double>& in, std::size_t size,
           bool relu, std::vector<double>& out) {
  kernels::multiply({in.data(), layer.inputs, 1}, {w.data() + layer.offset, 1, layer.inputs}, size, layer.inputs,
                    layer.outputs, out.data());
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < layer.outputs; ++j) {
      double& value = out[i * layer.outputs + j];
      value += w[layer.biases() + j];
      value = relu ? std::max(value, 0.0) : value;
    }
  }
}

/// below = (above W) where the output of the layer below is positive.
void slopes_below(const LeNetLayer& layer, std::span<const double> w, const std::vector<double>& above,
                  std::size_t size, const std::vector<double>& outputs, std::vector<double>& below) {
  kernels::multiply({above.data(), layer.outputs, 1}, {w.data() + layer.offset, layer.inputs, 1}, size, layer.outputs,
                    layer.inputs, below.data());
  for (std::size_t i = 0; i < size * layer.inputs; ++i) {
    below[i] = outputs[i] > 0.0 ? below[i] : 0.0;
  }
}

}  // namespace

std::array<LeNetLayer, 5> lenet_layers(std::size_t classes) {
  std::array<LeNetLayer, 5> layers{LeNetLayer{maps_1, window}, LeNetLayer{maps_2, maps_1 * window},
                                   LeNetLayer{size_3, size_2}, LeNetLayer{size_4, size_3}, LeNetLayer{classes, size_4}};
  for (std::size_t i = 1; i < layers.size(); ++i) {
    layers[i].offset = layers[i - 1].end();
  }
  return layers;
}

std::vector<double> initial_lenet(std::size_t classes, std::uint64_t seed, std::uint32_t path) {
  const auto layers = lenet_layers(classes);
  std::vector<double> w(layers.back().end());
  random::uniforms(w, seed, random::Purpose::initialisation, path, 0);
  for (const auto& layer : layers) {
    const double half_width = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    for (std::size_t i = layer.offset; i < layer.end(); ++i) {
      w[i] = half_width * (2.0 * w[i] - 1.0);
    }
  }
  return w;
}

LeNetLosses::LeNetLosses(const LabelledImages& images)
    : images_(&images),
      layers_(lenet_layers(images.classes)),
      patches_(std::max(window * side_1 * side_1, side_2 * side_2 * maps_1 * window)),
      maps_(std::max(maps_1 * side_1 * side_1, maps_2 * side_2 * side_2)),
      product_(size_3 * size_2),
      first_(block * size_1),
      second_(block * size_2),
      third_(block * size_3),
      fourth_(block * size_4),
      scores_(block * images.classes),
      first_at_(block * size_1),
      second_at_(block * size_2),
      second_slopes_(block * size_2),
      third_slopes_(block * size_3),
      fourth_slopes_(block * size_4),
      score_slopes_(block * images.classes),
      map_gradients_(block * layers_[1].end()) {
  require_domain(images.images.cols() == static_cast<Eigen::Index>(lenet_pixels), "pixels of an image",
                 static_cast<double>(images.images.cols()), "{784}, 28 x 28 of LeNet");
}

// ------------------------------------------------------------------------------------------------------- forward

void LeNetLosses::first_maps(std::size_t i, std::uint32_t record, std::span<const double> w) {
  // A row of patches_ per weight: the image moved by its place in the window.
  const double* image = images_->images.row(static_cast<Eigen::Index>(record)).data();
  for (std::size_t k = 0; k < window; ++k) {
    const std::size_t down = k / kernel, right = k % kernel;
    double* row = patches_.data() + k * side_1 * side_1;
    for (std::size_t y = 0; y < side_1; ++y, row += side_1) {
      const std::size_t from_y = y + down;
      for (std::size_t x = 0; x < side_1; ++x) {
        const std::size_t from_x = x + right;
        const bool inside = from_y >= pad && from_y < padded - pad && from_x >= pad && from_x < padded - pad;
        row[x] = inside ? image[(from_y - pad) * lenet_side + from_x - pad] : 0.0;
      }
    }
  }
  kernels::multiply({w.data(), window, 1}, {patches_.data(), side_1 * side_1, 1}, maps_1, window, side_1 * side_1,
                    maps_.data());
  for (std::size_t map = 0; map < maps_1; ++map) {
    const std::size_t to = i * size_1 + map * half_1 * half_1;
    pool(maps_.data() + map * side_1 * side_1, w[layers_[0].biases() + map], side_1, first_.data() + to,
         first_at_.data() + to);
  }
}

void LeNetLosses::second_maps(std::size_t i, std::span<const double> w) {
  // A row of patches_ per place: what its window sees of all maps below.
  const double* below = first_.data() + i * size_1;
  double* row = patches_.data();
  for (std::size_t y = 0; y < side_2; ++y) {
    for (std::size_t x = 0; x < side_2; ++x) {
      for (std::size_t map = 0; map < maps_1; ++map) {
        for (std::size_t down = 0; down < kernel; ++down, row += kernel) {
          std::copy_n(below + (map * half_1 + y + down) * half_1 + x, kernel, row);
        }
      }
    }
  }
  const LeNetLayer& layer = layers_[1];
  kernels::multiply({w.data() + layer.offset, layer.inputs, 1}, {patches_.data(), 1, layer.inputs}, maps_2,
                    layer.inputs, side_2 * side_2, maps_.data());
  for (std::size_t map = 0; map < maps_2; ++map) {
    const std::size_t to = i * size_2 + map * half_2 * half_2;
    pool(maps_.data() + map * side_2 * side_2, w[layer.biases() + map], side_2, second_.data() + to,
         second_at_.data() + to);
  }
}

void LeNetLosses::forward(std::span<const std::uint32_t> block_of, std::span<const double> w) {
  for (std::size_t i = 0; i < block_of.size(); ++i) {
    first_maps(i, block_of[i], w);
    second_maps(i, w);
  }
  dense(layers_[2], w, second_, block_of.size(), true, third_);
  dense(layers_[3], w, third_, block_of.size(), true, fourth_);
  dense(layers_[4], w, fourth_, block_of.size(), false, scores_);
}

// ------------------------------------------------------------------------------------------------------ backward

void LeNetLosses::map_gradients(std::size_t i, std::uint32_t record, std::span<const double> w) {
  double* gradient = map_gradients_.data() + i * layers_[1].end();
  std::fill_n(gradient, layers_[1].end(), 0.0);
  // Only the largest of 2 x 2 has a slope, so one place in four: sums over places, not matrix products.
  std::array<double, size_1> below{};
  const double* first = first_.data() + i * size_1;
  const LeNetLayer& upper = layers_[1];
  for (std::size_t unit = 0; unit < size_2; ++unit) {
    const double slope = second_slopes_[i * size_2 + unit];
    if (slope == 0.0) {
      continue;
    }
    const std::size_t map = unit / (half_2 * half_2), at = second_at_[i * size_2 + unit];
    const std::size_t y = at / side_2, x = at % side_2;
    const double* weights = w.data() + upper.offset + map * upper.inputs;
    double* own = gradient + upper.offset + map * upper.inputs;
    gradient[upper.biases() + map] += slope;
    for (std::size_t from = 0; from < maps_1; ++from) {
      for (std::size_t down = 0; down < kernel; ++down) {
        const std::size_t start = (from * half_1 + y + down) * half_1 + x;
        const std::size_t weight = (from * kernel + down) * kernel;
        add(slope, first + start, kernel, own + weight);
        add(slope, weights + weight, kernel, below.data() + start);
      }
    }
  }
  const double* image = images_->images.row(static_cast<Eigen::Index>(record)).data();
  for (std::size_t unit = 0; unit < size_1; ++unit) {
    const double slope = first[unit] > 0.0 ? below[unit] : 0.0;
    if (slope == 0.0) {
      continue;
    }
    const std::size_t map = unit / (half_1 * half_1), at = first_at_[i * size_1 + unit];
    const std::size_t y = at / side_1, x = at % side_1;  // of the window in the padded image
    gradient[layers_[0].biases() + map] += slope;
    for (std::size_t down = std::max(pad, y) - y; down < std::min(kernel, padded - pad - y); ++down) {
      const std::size_t left = std::max(pad, x) - x, right = std::min(kernel, padded - pad - x);
      add(slope, image + (y + down - pad) * lenet_side + x + left - pad, right - left,
          gradient + map * window + down * kernel + left);
    }
  }
}

void LeNetLosses::backward(std::size_t size, std::span<const double> w) {
  slopes_below(layers_[4], w, score_slopes_, size, fourth_, fourth_slopes_);
  slopes_below(layers_[3], w, fourth_slopes_, size, third_, third_slopes_);
  slopes_below(layers_[2], w, third_slopes_, size, second_, second_slopes_);
}

double LeNetLosses::squared_norm(std::size_t i) const {
  const auto of = [i](const std::vector<double>& values, std::size_t size) {
    const double* at = values.data() + i * size;
    return dot(at, at, size);
  };
  const std::size_t maps = layers_[1].end();
  return of(map_gradients_, maps) + of(third_slopes_, size_3) * (of(second_, size_2) + 1.0) +
         of(fourth_slopes_, size_4) * (of(third_, size_3) + 1.0) +
         of(score_slopes_, layers_[4].outputs) * (of(fourth_, size_4) + 1.0);
}

void LeNetLosses::add_weighted(std::span<const double> weights, std::span<double> gradient) {
  const std::size_t maps = layers_[1].end(), size = weights.size();
  for (std::size_t i = 0; i < size; ++i) {
    add(weights[i], map_gradients_.data() + i * maps, maps, gradient.data());
  }
  const auto dense_layer = [&](const LeNetLayer& layer, std::vector<double>& slopes, const std::vector<double>& below) {
    for (std::size_t i = 0; i < size; ++i) {
      double* own = slopes.data() + i * layer.outputs;
      for (std::size_t j = 0; j < layer.outputs; ++j) {
        own[j] *= weights[i];
      }
      add(1.0, own, layer.outputs, gradient.data() + layer.biases());
    }
    kernels::multiply({slopes.data(), 1, layer.outputs}, {below.data(), layer.inputs, 1}, layer.outputs, size,
                      layer.inputs, product_.data());
    add(1.0, product_.data(), layer.outputs * layer.inputs, gradient.data() + layer.offset);
  };
  dense_layer(layers_[2], third_slopes_, second_);
  dense_layer(layers_[3], fourth_slopes_, third_);
  dense_layer(layers_[4], score_slopes_, fourth_);
}

BatchSummary LeNetLosses::clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> w, double clip,
                                      std::span<double> gradient) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const std::size_t classes = layers_[4].outputs;
  BatchSummary summary;
  std::array<double, block> weights{};
  for (std::size_t begin = 0; begin < batch.size(); begin += block) {
    const auto part = batch.subspan(begin, std::min(block, batch.size() - begin));
    forward(part, w);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint32_t label = images_->labels[part[i]];
      const std::span slopes(score_slopes_.data() + i * classes, classes);
      const auto found = cross_entropy({scores_.data() + i * classes, classes}, label, slopes);
      slopes[label] = -found.residual;
    }
    backward(part.size(), w);
    for (std::size_t i = 0; i < part.size(); ++i) {
      map_gradients(i, part[i], w);
      const double norm = std::sqrt(squared_norm(i));
      summary.largest_norm = std::max(summary.largest_norm, norm);
      const bool clipped = norm > clip;
      summary.clipped += clipped ? 1U : 0U;
      weights[i] = clipped ? clip / norm : 1.0;
    }
    add_weighted(std::span(weights).first(part.size()), gradient);
  }
  return summary;
}

void LeNetLosses::losses(std::span<const std::uint32_t> batch, std::span<const double> w, std::span<double> out) {
  const std::size_t classes = layers_[4].outputs;
  for (std::size_t begin = 0; begin < batch.size(); begin += block) {
    const auto part = batch.subspan(begin, std::min(block, batch.size() - begin));
    forward(part, w);
    for (std::size_t i = 0; i < part.size(); ++i) {
      out[begin + i] = cross_entropy({scores_.data() + i * classes, classes}, images_->labels[part[i]]).loss;
    }
  }
}

std::vector<char> LeNetLosses::right(std::span<const double> w) {
  const auto all = all_records(*this);
  const std::size_t classes = layers_[4].outputs;
  std::vector<char> found(all.size());
  for (std::size_t begin = 0; begin < all.size(); begin += block) {
    const auto part = std::span(all).subspan(begin, std::min(block, all.size() - begin));
    forward(part, w);
    for (std::size_t i = 0; i < part.size(); ++i) {
      found[begin + i] = predicted_class({scores_.data() + i * classes, classes}) == images_->labels[part[i]] ? 1 : 0;
    }
  }
  return found;
}

}  // namespace dpcurves::models
