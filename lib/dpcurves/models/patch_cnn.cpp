// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/models/detail/cross_entropy.hpp>
#include <dpcurves/models/detail/product_kernel.hpp>
#include <dpcurves/models/patch_cnn.hpp>

namespace dpcurves::models {
namespace {

constexpr double orthogonality = 1e-12;

void check(const PatchData& data, std::size_t filters) {
  require_domain(data.classes >= 2, "classes", static_cast<double>(data.classes), "[2, inf)");
  require_domain(filters >= 1, "filters", static_cast<double>(filters), "[1, inf)");
  require_domain(data.examples() >= 1 && data.noise.rows() == static_cast<Eigen::Index>(data.examples()),
                 "number of labels", static_cast<double>(data.examples()), "one per patch, at least one");
  require_domain(data.noise.cols() >= 1, "dimension", static_cast<double>(data.noise.cols()), "[1, inf)");
  require_domain(data.signals.rows() == 0 || (data.signals.rows() == static_cast<Eigen::Index>(data.classes) &&
                                              data.signals.cols() == data.noise.cols()),
                 "number of signals", static_cast<double>(data.signals.rows()), "none, or one per class");
  require_domain(data.noise.allFinite(), "entry of the patches", data.noise.sum(), "(-inf, inf)");
  require_domain(data.signals.allFinite(), "entry of the signals", data.signals.sum(), "(-inf, inf)");
  for (const std::uint32_t label : data.labels) {
    require_domain(label < data.classes, "label", label, "[0, classes)");
  }
}

/// The sum of the positive entries, and how many there are.
double positive_sum(std::span<const double> values, double& count) {
  double sum = 0.0;
  std::size_t positive = 0;
  for (const double value : values) {
    sum += value > 0.0 ? value : 0.0;
    positive += value > 0.0 ? 1U : 0U;
  }
  count = static_cast<double>(positive);
  return sum;
}

}  // namespace

double clip_multiplier(double norm, double clip) {
  require_domain(clip > 0.0, "clip", clip, "(0, inf]");
  return norm > clip ? clip / norm : 1.0;
}

PatchCnn::PatchCnn(PatchData data, std::size_t filters)
    : data_((check(data, filters), std::move(data))),
      filters_(filters),
      signal_norms_(data_.classes, 0.0),
      signal_products_(data_.signals.rows() == 0 ? 0 : data_.classes * width()),
      signal_coefficients_(signal_products_.size()),
      scores_(data_.classes),
      signal_parts_(data_.classes),
      signal_active_(data_.classes),
      noise_active_(data_.classes),
      probabilities_(data_.classes) {
  for (Eigen::Index k = 0; k < data_.signals.rows(); ++k) {
    signal_norms_[static_cast<std::size_t>(k)] = data_.signals.row(k).stableNorm();
  }
  for (std::size_t i = 0; i < data_.examples(); ++i) {
    const auto row = data_.noise.row(static_cast<Eigen::Index>(i));
    noise_norms_.push_back(row.stableNorm());
    if (data_.signals.rows() > 0) {
      const double product = std::fabs(row.dot(data_.signals.row(data_.labels[i])));
      require_domain(product <= orthogonality * signal_norms_[data_.labels[i]] * noise_norms_[i],
                     "inner product of a signal and a noise patch of its class", product, "0 up to 1e-12");
    }
  }
}

const double* PatchCnn::gathered(std::span<const std::uint32_t> batch) {
  const std::size_t d = data_.dimension();
  const bool run = std::adjacent_find(batch.begin(), batch.end(),
                                      [](std::uint32_t a, std::uint32_t b) { return b != a + 1; }) == batch.end();
  if (run) {  // neighbouring examples are used where they lie
    return data_.noise.data() + (batch.empty() ? 0 : batch.front() * d);
  }
  patches_.resize(std::max(patches_.size(), batch.size() * d));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    std::copy_n(data_.noise.data() + batch[i] * d, d, patches_.data() + i * d);
  }
  return patches_.data();
}

void PatchCnn::forward(std::span<const std::uint32_t> batch, std::span<const double> x) {
  require_domain(x.size() == dimension(), "number of parameters", static_cast<double>(x.size()), "K m d");
  const std::size_t d = data_.dimension();
  noise_products_.resize(std::max(noise_products_.size(), batch.size() * width()));
  kernels::multiply({gathered(batch), d, 1}, {x.data(), width(), 1}, batch.size(), d, width(), noise_products_.data());
  if (!signal_products_.empty()) {
    kernels::multiply({data_.signals.data(), d, 1}, {x.data(), width(), 1}, data_.classes, d, width(),
                      signal_products_.data());
  }
}

std::span<const double> PatchCnn::noise_products(std::span<const std::uint32_t> batch, std::span<const double> x) {
  forward(batch, x);
  return std::span(noise_products_).first(batch.size() * width());
}

std::span<const double> PatchCnn::signal_products(std::span<const double> x) {
  forward({}, x);
  if (signal_products_.empty()) {
    silent_.assign(data_.classes * width(), 0.0);
    return silent_;
  }
  return signal_products_;
}

/// Fills what is known of the example in row `position` of the products, and returns its gradient norm.
double PatchCnn::respond(std::size_t position, std::uint32_t example) {
  const std::size_t label = data_.labels[example], classes = data_.classes;
  const auto m = static_cast<double>(filters_);
  for (std::size_t k = 0; k < classes; ++k) {
    double signal = 0.0;
    signal_active_[k] = 0.0;
    if (!signal_products_.empty()) {
      signal = positive_sum(std::span(signal_products_).subspan(label * width() + k * filters_, filters_),
                            signal_active_[k]);
    }
    const double noise =
        positive_sum(std::span(noise_products_).subspan(position * width() + k * filters_, filters_), noise_active_[k]);
    signal_parts_[k] = signal / m;
    scores_[k] = (signal + noise) / m;
  }
  const auto entropy = cross_entropy(scores_, label, probabilities_);
  loss_ = entropy.loss;
  residual_ = entropy.residual;
  log_residual_ = entropy.log_residual;
  // |g_y| = 1 - p_y is the largest of the |g_k|: out of the root, so that no square underflows.
  if (residual_ == 0.0) {
    return 0.0;
  }
  const double u = signal_norms_[label], xi = noise_norms_[example], longest = std::max(u, xi);
  if (longest == 0.0) {
    return 0.0;
  }
  const double u_share = (u / longest) * (u / longest), xi_share = (xi / longest) * (xi / longest);
  double sum = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double g = k == label ? 1.0 : probabilities_[k] / residual_;
    sum += g * g * (signal_active_[k] * u_share + noise_active_[k] * xi_share);
  }
  return residual_ * (longest / m) * std::sqrt(sum);
}

BatchSummary PatchCnn::clipped_sum(std::span<const std::uint32_t> batch, std::span<const double> x, double clip,
                                   std::span<double> gradient) {
  require_domain(clip > 0.0, "clip", clip, "(0, inf]");
  require_domain(gradient.size() == dimension(), "size of the gradient", static_cast<double>(gradient.size()), "K m d");
  forward(batch, x);
  std::fill(signal_coefficients_.begin(), signal_coefficients_.end(), 0.0);
  const auto m = static_cast<double>(filters_);
  BatchSummary summary;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const double norm = respond(i, batch[i]);
    const std::size_t label = data_.labels[batch[i]];
    summary.largest_norm = std::max(summary.largest_norm, norm);
    summary.clipped += norm > clip ? 1U : 0U;
    const double multiplier = clip_multiplier(norm, clip);
    for (std::size_t k = 0; k < data_.classes; ++k) {
      const double coefficient = multiplier * (k == label ? -residual_ : probabilities_[k]) / m;
      for (std::size_t r = k * filters_; r < (k + 1) * filters_; ++r) {
        double& product = noise_products_[i * width() + r];
        product = product > 0.0 ? coefficient : 0.0;
      }
      if (!signal_products_.empty()) {
        for (std::size_t r = label * width() + k * filters_; r < label * width() + (k + 1) * filters_; ++r) {
          signal_coefficients_[r] += signal_products_[r] > 0.0 ? coefficient : 0.0;
        }
      }
    }
  }
  const std::size_t d = data_.dimension();
  kernels::multiply({gathered(batch), 1, d}, {noise_products_.data(), width(), 1}, d, batch.size(), width(),
                    gradient.data());
  if (!signal_products_.empty()) {
    // Rows without a signal are skipped: in the axis-aligned basis all but K of them.
    for (std::size_t c = 0; c < d; ++c) {
      for (std::size_t k = 0; k < data_.classes; ++k) {
        const double u = data_.signals(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c));
        if (u == 0.0) {
          continue;
        }
        for (std::size_t r = 0; r < width(); ++r) {
          gradient[c * width() + r] += u * signal_coefficients_[k * width() + r];
        }
      }
    }
  }
  return summary;
}

void PatchCnn::losses(std::span<const std::uint32_t> batch, std::span<const double> x, std::span<double> out) {
  forward(batch, x);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    respond(i, batch[i]);
    out[i] = loss_;
  }
}

PatchResponses PatchCnn::responses(std::span<const std::uint32_t> batch, std::span<const double> x) {
  forward(batch, x);
  PatchResponses result;
  result.classes = data_.classes;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    result.gradient_norms.push_back(respond(i, batch[i]));
    result.losses.push_back(loss_);
    result.residuals.push_back(residual_);
    result.log_residuals.push_back(log_residual_);
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(result.scores, scores_);
    append(result.probabilities, probabilities_);
    append(result.signal_parts, signal_parts_);
    append(result.active, noise_active_);
  }
  return result;
}

PatchResponses PatchCnn::responses(std::span<const double> x) { return responses(all_records(*this), x); }

double accuracy(const PatchResponses& responses, std::span<const std::uint32_t> labels,
                std::span<const std::uint32_t> chosen) {
  require_domain(!chosen.empty(), "number of examples", 0.0, "[1, inf)");
  std::size_t right = 0;
  for (const std::uint32_t i : chosen) {
    right += predicted_class(responses.score(i)) == labels[i] ? 1U : 0U;
  }
  return static_cast<double>(right) / static_cast<double>(chosen.size());
}

double accuracy(const PatchResponses& responses, std::span<const std::uint32_t> labels) {
  std::vector<std::uint32_t> all(responses.examples());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  return accuracy(responses, labels, all);
}

}  // namespace dpcurves::models
