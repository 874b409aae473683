// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <Eigen/Core>

#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

namespace dpcurves::simulate {
namespace {

using random::Purpose;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void check(const DpSgd& setting, const models::ExampleGradients& model, std::span<const double> start) {
  const auto n = static_cast<double>(model.records());
  require_domain(setting.batch_size > 0.0 && setting.batch_size <= n, "batch_size", setting.batch_size, "(0, records]");
  require_domain(setting.sampling == BatchSampling::poisson || setting.batch_size == std::floor(setting.batch_size),
                 "batch_size", setting.batch_size, "whole numbers for batches of a fixed size");
  require_domain(setting.step_size > 0.0 && std::isfinite(setting.step_size), "step_size", setting.step_size,
                 "(0, inf)");
  require_domain(setting.iterates >= 1, "iterates", static_cast<double>(setting.iterates), "[1, inf)");
  require_domain(setting.clip > 0.0, "clip", setting.clip, "(0, inf]");
  require_domain(setting.noise_multiplier >= 0.0 && std::isfinite(setting.noise_multiplier), "noise_multiplier",
                 setting.noise_multiplier, "[0, inf)");
  require_domain(setting.noise_multiplier == 0.0 || std::isfinite(setting.clip), "clip", setting.clip,
                 "(0, inf) where there is noise");
  require_domain(setting.correlation >= 0.0 && setting.correlation <= 1.0, "correlation", setting.correlation,
                 "[0, 1]");
  require_domain(setting.radius > 0.0, "radius", setting.radius, "(0, inf]");
  require_domain(start.size() == model.dimension(), "dimension of the start", static_cast<double>(start.size()),
                 "that of the model");
}

/// w -= eta (sum/B + c (now - correlation before)): written once, so that a run and its twin have the same bits.
void descend(std::span<double> w, std::span<const double> sum, std::span<const double> now, double correlation,
             std::span<const double> before, const DpSgd& setting) {
  const double share = 1.0 / setting.batch_size, noise = setting.private_noise(), eta = setting.step_size;
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] -= eta * (share * sum[i] + noise * (now[i] - correlation * before[i]));
  }
}

Eigen::Map<Eigen::VectorXd> vector(std::vector<double>& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

}  // namespace

SharedRandomness::SharedRandomness(const DpSgd& setting, std::size_t records, std::size_t dimension, std::uint64_t seed,
                                   std::uint32_t path)
    : sampling_(setting.sampling),
      rate_(setting.batch_size / static_cast<double>(records)),
      seed_(seed),
      path_(path),
      stride_((std::uint64_t{dimension} + 1) / 2 * 2),
      records_(records) {
  std::iota(records_.begin(), records_.end(), 0U);
  if (sampling_ == BatchSampling::fixed_size) {
    swaps_.resize(static_cast<std::size_t>(setting.batch_size));
    drawn_.resize(swaps_.size());
  } else {
    uniforms_.resize(records);
    drawn_.resize(records);
  }
}

std::span<const std::uint32_t> SharedRandomness::batch(std::size_t step) {
  if (sampling_ == BatchSampling::poisson) {
    random::uniforms(uniforms_, seed_, Purpose::sampling, path_, std::uint64_t{step} << 33U);
    std::size_t size = 0;
    for (std::uint32_t record = 0; record < uniforms_.size(); ++record) {
      if (uniforms_[record] < rate_) {
        drawn_[size++] = record;
      }
    }
    return std::span(drawn_).first(size);
  }
  const std::size_t size = swaps_.size();
  if (size == records_.size()) {
    return records_;
  }
  // The first steps of a shuffle, undone afterwards: the batch is a function of the step alone.
  random::Words words(seed_, Purpose::sampling, path_, std::uint64_t{step} << 32U);
  for (std::size_t i = 0; i < size; ++i) {
    swaps_[i] = static_cast<std::uint32_t>(i + words.below(records_.size() - i));
    std::swap(records_[i], records_[swaps_[i]]);
  }
  std::copy_n(records_.begin(), size, drawn_.begin());
  for (std::size_t i = size; i-- > 0;) {
    std::swap(records_[i], records_[swaps_[i]]);
  }
  return drawn_;
}

void SharedRandomness::white_noise(std::size_t step, std::span<double> z) const {
  if (step == 0) {
    std::fill(z.begin(), z.end(), 0.0);
  } else {
    random::normals(z, seed_, Purpose::noise, path_, (std::uint64_t{step} - 1) * stride_);
  }
}

// --- the run ----------------------------------------------------------------------------------------------------

DpSgdRun::DpSgdRun(const DpSgd& setting, models::ExampleGradients& model, std::span<const double> start,
                   std::uint64_t seed, std::uint32_t path, NoiseRows rows, Constraint constraint)
    : setting_((check(setting, model, start), setting)),
      model_(model),
      rows_(std::move(rows)),
      constraint_(std::move(constraint)),
      random_(setting, model.records(), model.dimension(), seed, path),
      start_(start.begin(), start.end()),
      iterate_(start_),
      gradient_(start.size()),
      noise_(start.size(), 0.0),
      previous_(start.size(), 0.0) {}

void DpSgdRun::step() {
  ++time_;
  batch_ = random_.batch(time_);
  summary_ = model_.clipped_sum(batch_, iterate_, setting_.clip, gradient_);
  if (setting_.noise_multiplier == 0.0) {
    descend(iterate_, gradient_, noise_, 0.0, noise_, setting_);  // noise_ stays 0
  } else if (rows_) {
    rows_(time_, noise_);
    descend(iterate_, gradient_, noise_, 0.0, noise_, setting_);
  } else {
    std::swap(noise_, previous_);
    random_.white_noise(time_, noise_);
    descend(iterate_, gradient_, noise_, setting_.correlation, previous_, setting_);
  }
  const bool moved = constraint_ && constraint_(iterate_);
  double distance = (vector(iterate_) - vector(start_)).norm();
  projected_ = moved || (!constraint_ && distance > setting_.radius);
  if (!constraint_ && projected_) {
    vector(iterate_) = vector(start_) + (vector(iterate_) - vector(start_)) * (setting_.radius / distance);
    distance = setting_.radius;
  }
  largest_distance_ = std::max(largest_distance_, distance);
}

// --- the twin ---------------------------------------------------------------------------------------------------

ShiftedTwin::ShiftedTwin(const DpSgd& setting, models::ExampleGradients& model, std::span<const double> start,
                         std::uint64_t seed, std::uint32_t path)
    : setting_((check(setting, model, start), setting)),
      model_(model),
      random_(setting, model.records(), model.dimension(), seed, path),
      all_(models::all_records(model)),
      iterate_(start.begin(), start.end()),
      before_(iterate_),
      shifted_(iterate_),
      shifted_before_(iterate_),
      full_(start.size()),
      batch_gradient_(start.size()),
      fluctuation_(start.size()),
      noise_(start.size(), 0.0),
      previous_(start.size(), 0.0) {}

void ShiftedTwin::step() {
  ++time_;
  constexpr double unclipped = std::numeric_limits<double>::infinity();
  before_ = iterate_;
  std::swap(shifted_before_, shifted_);
  std::swap(previous_, noise_);
  random_.white_noise(time_, noise_);
  model_.clipped_sum(all_, iterate_, unclipped, full_);
  model_.clipped_sum(random_.batch(time_), iterate_, unclipped, batch_gradient_);
  const double share = 1.0 / setting_.batch_size, mean = 1.0 / static_cast<double>(all_.size());
  for (std::size_t i = 0; i < full_.size(); ++i) {
    full_[i] *= mean;
    fluctuation_[i] = share * batch_gradient_[i] - full_[i];
  }
  descend(iterate_, batch_gradient_, noise_, setting_.correlation, previous_, setting_);
  const double shift = setting_.step_size * setting_.private_noise();
  for (std::size_t i = 0; i < full_.size(); ++i) {
    shifted_[i] = iterate_[i] + shift * noise_[i];
  }
}

ShiftTerms shift_terms(const ShiftedTwin& twin, std::span<const double> comparator) {
  ShiftTerms terms;
  const auto u = twin.shifted(), before = twin.previous_shifted(), w = twin.previous_iterate(),
             g = twin.full_gradient(), d = twin.fluctuation(), z = twin.previous_noise();
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double from = before[i] - comparator[i];
    const double to = u[i] - comparator[i];
    terms.before += from * from;
    terms.after += to * to;
    terms.drift += g[i] * (w[i] - comparator[i]);
    terms.batch_shift += d[i] * from;
    terms.noise_shift += z[i] * from;
    terms.gradient_squared += (g[i] + d[i]) * (g[i] + d[i]);
  }
  terms.batch_squared = dot(d, d);
  terms.noise_squared = dot(z, z);
  terms.batch_noise = dot(d, z);
  terms.drift_noise = dot(g, z);
  return terms;
}

// --- KANs -------------------------------------------------------------------------------------------------------

KanOutcome train_kan(const DpSgd& setting, models::KanLosses& train, models::KanLosses& test, std::uint64_t seed,
                     std::uint32_t path, const KanTraining& training, const NoiseRows& rows) {
  require_domain(test.dimension() == train.dimension(), "dimension of the test network",
                 static_cast<double>(test.dimension()), "that of the training network");
  const auto start = models::draw_first_layer(train.network().shape(), seed, path);
  DpSgdRun run(setting, train, start, seed, path, rows);
  KanOutcome outcome;
  double losses = training.follow_loss ? models::mean_loss(train, start) : 0.0;
  double clipped = 0.0;
  double seen = 0.0;
  while (run.time() + 1 < setting.iterates) {
    run.step();
    clipped += static_cast<double>(run.summary().clipped);
    seen += static_cast<double>(run.batch().size());
    outcome.projected += run.projected() ? 1U : 0U;
    if (training.follow_loss) {
      losses += models::mean_loss(train, run.iterate());
    }
    if (training.observe) {
      training.observe(run.time(), run.iterate());
    }
  }
  outcome.mean_train_loss = losses / static_cast<double>(setting.iterates);
  outcome.clipped = seen > 0.0 ? clipped / seen : 0.0;
  outcome.largest_distance = run.largest_distance();
  outcome.train_loss = models::mean_loss(train, run.iterate());
  outcome.test_loss = models::mean_loss(test, run.iterate());
  outcome.train_accuracy = models::accuracy(train, run.iterate());
  outcome.test_accuracy = models::accuracy(test, run.iterate());
  return outcome;
}

}  // namespace dpcurves::simulate
