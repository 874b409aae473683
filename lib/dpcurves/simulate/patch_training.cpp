// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/patch_training.hpp>

namespace dpcurves::simulate {
namespace {

using random::Purpose;

/// What the shared streams need to know.
DpSgd stream_setting(const PatchSgd& setting) {
  return DpSgd{
      .sampling = setting.batches == PatchBatches::poisson ? BatchSampling::poisson : BatchSampling::fixed_size,
      .batch_size = static_cast<double>(setting.batch_size)};
}

void check(const PatchSgd& setting, const models::PatchCnn& model, std::span<const double> start) {
  const auto n = static_cast<double>(model.records()), size = static_cast<double>(setting.batch_size);
  require_domain(setting.batch_size >= 1 && setting.batch_size <= model.records(), "batch_size", size, "[1, records]");
  require_domain(setting.batches != PatchBatches::full || size == n, "batch_size", size, "{records} for full batches");
  require_domain(setting.step_size > 0.0 && std::isfinite(setting.step_size), "step_size", setting.step_size,
                 "(0, inf)");
  require_domain(setting.clip > 0.0, "clip", setting.clip, "(0, inf]");
  require_domain(setting.noise >= 0.0 && std::isfinite(setting.noise), "noise", setting.noise, "[0, inf)");
  require_domain(start.size() == model.dimension(), "size of the start", static_cast<double>(start.size()),
                 "that of the model");
  if (setting.adam) {
    const AdamRule& adam = *setting.adam;
    require_domain(adam.first_decay >= 0.0 && adam.first_decay < 1.0, "first_decay", adam.first_decay, "[0, 1)");
    require_domain(adam.second_decay >= 0.0 && adam.second_decay < 1.0, "second_decay", adam.second_decay, "[0, 1)");
    require_domain(adam.epsilon > 0.0 && std::isfinite(adam.epsilon), "epsilon", adam.epsilon, "(0, inf)");
  }
}

}  // namespace

PatchSgd in_mode(PatchSgd setting, PatchMode mode, double clip, double noise_multiplier) {
  require_domain(clip > 0.0 && std::isfinite(clip), "clip", clip, "(0, inf)");
  require_domain(noise_multiplier >= 0.0 && std::isfinite(noise_multiplier), "noise_multiplier", noise_multiplier,
                 "[0, inf)");
  const bool clipped = mode == PatchMode::clip_only || mode == PatchMode::dp;
  const bool noisy = mode == PatchMode::noise_only || mode == PatchMode::dp;
  setting.clip = clipped ? clip : std::numeric_limits<double>::infinity();
  setting.noise = noisy ? noise_multiplier * clip / static_cast<double>(setting.batch_size) : 0.0;
  return setting;
}

std::vector<double> uniform_start(const models::PatchCnn& model, std::uint64_t seed, std::uint32_t path) {
  std::vector<double> start(model.dimension());
  random::uniforms(start, seed, Purpose::initialisation, path, 0);
  const double half_width = 1.0 / std::sqrt(static_cast<double>(model.data().dimension()));
  for (double& value : start) {
    value = half_width * (2.0 * value - 1.0);
  }
  return start;
}

std::vector<double> gaussian_start(const models::PatchCnn& model, double deviation, std::uint64_t seed,
                                   std::uint32_t path) {
  require_domain(deviation >= 0.0 && std::isfinite(deviation), "deviation", deviation, "[0, inf)");
  std::vector<double> start(model.dimension());
  random::normals(start, seed, Purpose::initialisation, path, 0);
  for (double& value : start) {
    value *= deviation;
  }
  return start;
}

PatchRun::PatchRun(const PatchSgd& setting, models::PatchCnn& model, std::span<const double> start, std::uint64_t seed,
                   std::uint32_t path)
    : setting_((check(setting, model, start), setting)),
      model_(model),
      random_(stream_setting(setting), model.records(), model.dimension(), seed, path),
      seed_(seed),
      path_(path),
      order_(model.records()),
      weights_(start.begin(), start.end()),
      gradient_(start.size()),
      noise_(setting.noise > 0.0 ? start.size() : 0) {
  std::iota(order_.begin(), order_.end(), 0U);
  used_ = order_.size();
  if (setting_.adam) {
    first_moment_.assign(start.size(), 0.0);
    second_moment_.assign(start.size(), 0.0);
  }
}

void PatchRun::draw_batch() {
  switch (setting_.batches) {
    case PatchBatches::full:
      batch_ = order_;
      return;
    case PatchBatches::fixed_size:
    case PatchBatches::poisson:
      batch_ = random_.batch(time_);
      return;
    case PatchBatches::shuffled:
      break;
  }
  if (used_ + setting_.batch_size > order_.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    random::Words words(seed_, Purpose::sampling, path_, std::uint64_t{epoch_} << 32U);
    random::subset(order_, static_cast<std::uint32_t>(order_.size()), words);
    ++epoch_;
    used_ = 0;
  }
  batch_ = std::span(order_).subspan(used_, setting_.batch_size);
  used_ += setting_.batch_size;
}

void PatchRun::step() {
  ++time_;
  draw_batch();
  if (keep_previous_) {
    previous_ = weights_;
  }
  summary_ = model_.clipped_sum(batch_, weights_, setting_.clip, gradient_);
  const double share = 1.0 / static_cast<double>(setting_.batch_size), eta = setting_.step_size;
  if (!noise_.empty()) {
    random_.white_noise(time_, noise_);
  }
  if (setting_.adam) {
    const AdamRule& adam = *setting_.adam;
    const double first = 1.0 - std::pow(adam.first_decay, static_cast<double>(time_));
    const double second = 1.0 - std::pow(adam.second_decay, static_cast<double>(time_));
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double g = share * gradient_[i] - (noise_.empty() ? 0.0 : setting_.noise * noise_[i]);
      first_moment_[i] += (1.0 - adam.first_decay) * (g - first_moment_[i]);
      second_moment_[i] += (1.0 - adam.second_decay) * (g * g - second_moment_[i]);
      weights_[i] -= eta * (first_moment_[i] / first) / (std::sqrt(second_moment_[i] / second) + adam.epsilon);
    }
  } else if (noise_.empty()) {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] -= eta * (share * gradient_[i]);
    }
  } else {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] -= eta * (share * gradient_[i] - setting_.noise * noise_[i]);
    }
  }
}

void PatchRun::finish() {
  while (time_ < setting_.steps) {
    step();
  }
}

std::vector<double> train_patches(const PatchSgd& setting, models::PatchCnn& model, std::span<const double> start,
                                  std::uint64_t seed, std::uint32_t path) {
  PatchRun run(setting, model, start, seed, path);
  run.finish();
  return {run.weights().begin(), run.weights().end()};
}

}  // namespace dpcurves::simulate
