// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Mini-batch DP-SGD with correlated noise for any model, and its shifted twin on the same random numbers.
///
/// For t = 1, ..., T - 1: W_t = projection on ball(W_0, R) of W_{t-1} - eta (sum of clipped gradients/B + c xi_t), with
/// c = C kappa/B and xi_t = Z_t - lambda Z_{t-1}, Z_0 = 0. Batches are a uniformly random set of B records, or Poisson
/// with rate B/n and divided by the expected size B all the same. A run is a function of (setting, model, seed, path);
/// runs with the same seed and path share batches and Z whatever their noise, clip or projection.
///
/// Source: Wang et al., "Population Risk Bounds for Kolmogorov-Arnold Networks Trained by DP-SGD with Correlated
/// Noise", Algorithm 1 and Section C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <dpcurves/models/example_gradients.hpp>
#include <dpcurves/models/kan.hpp>

namespace dpcurves::simulate {

/// How the batch of a step is drawn.
enum class BatchSampling { fixed_size, poisson };

/// A run of DP-SGD with correlated noise.
struct DpSgd {
  BatchSampling sampling = BatchSampling::fixed_size;     ///< divided by B in either case
  double batch_size = 1.0;                                ///< B in (0, n]; a whole number for fixed_size
  double step_size = 0.1;                                 ///< eta > 0
  std::size_t iterates = 2;                               ///< T >= 1: W_0, ..., W_{T-1}, T - 1 noisy steps
  double clip = std::numeric_limits<double>::infinity();  ///< C > 0; finite if there is noise
  double noise_multiplier = 0.0;                          ///< kappa >= 0, in units of the clip on the sum of gradients
  double correlation = 0.0;                               ///< lambda in [0, 1]
  double radius = std::numeric_limits<double>::infinity();  ///< R > 0

  /// c = C kappa/B: standard deviation per coordinate of a step's noise at lambda = 0, over eta.
  [[nodiscard]] double private_noise() const {
    return noise_multiplier > 0.0 ? clip * noise_multiplier / batch_size : 0.0;
  }
};

/// Writes xi_t for t = 1, 2, ...: row t of C^{-1} Z of any strategy matrix C, in place of the two-term rows above.
using NoiseRows = std::function<void(std::size_t step, std::span<double> row)>;

/// Moves an iterate onto the set it is constrained to, and says whether it moved; in place of the ball of
/// DpSgd::radius.
using Constraint = std::function<bool(std::span<double> iterate)>;

/// Batches and white noise of one path, as functions of the step. Nothing is allocated after construction.
class SharedRandomness {
 public:
  /// \param records  n. \param dimension  D of the noise.
  SharedRandomness(const DpSgd& setting, std::size_t records, std::size_t dimension, std::uint64_t seed,
                   std::uint32_t path);
  /// The batch of step t >= 1. The span is valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> batch(std::size_t step);
  /// Z_t; zero for t = 0.
  void white_noise(std::size_t step, std::span<double> z) const;

 private:
  BatchSampling sampling_;
  double rate_;
  std::uint64_t seed_;
  std::uint32_t path_;
  std::uint64_t stride_;
  std::vector<std::uint32_t> records_;
  std::vector<std::uint32_t> swaps_;
  std::vector<double> uniforms_;
  std::vector<std::uint32_t> drawn_;
};

/// Algorithm 1, a step at a time. Cost per step: one clipped gradient and D normals; no allocation.
class DpSgdRun {
 public:
  /// \param model  must outlive the run.
  /// \param start  W_0, shape (model.dimension()).
  /// \param rows   empty: lambda-correlated noise.
  /// \param constraint  empty: the ball of the setting.
  /// \throws DomainError  for a setting outside its domain or that does not fit the model.
  DpSgdRun(const DpSgd& setting, models::ExampleGradients& model, std::span<const double> start, std::uint64_t seed,
           std::uint32_t path, NoiseRows rows = {}, Constraint constraint = {});

  void step();  ///< Draws the batch of step t + 1 and moves the iterate.

  [[nodiscard]] std::size_t time() const { return time_; }                        ///< t, steps done
  [[nodiscard]] std::span<const double> iterate() const { return iterate_; }      ///< W_t
  [[nodiscard]] std::span<const std::uint32_t> batch() const { return batch_; }   ///< of the last step
  [[nodiscard]] const models::BatchSummary& summary() const { return summary_; }  ///< of the last step
  [[nodiscard]] bool projected() const { return projected_; }                     ///< in the last step
  [[nodiscard]] double largest_distance() const { return largest_distance_; }     ///< from W_0 so far, after projection

 private:
  DpSgd setting_;
  models::ExampleGradients& model_;
  NoiseRows rows_;
  Constraint constraint_;
  SharedRandomness random_;
  std::vector<double> start_, iterate_, gradient_, noise_, previous_;
  std::span<const std::uint32_t> batch_;
  models::BatchSummary summary_;
  bool projected_ = false;
  double largest_distance_ = 0.0;
  std::size_t time_ = 0;
};

/// Wt_t ("W tilde"): the run without clipping and projection, beside its shifted iterate U_t = Wt_t + eta c Z_t, which
/// moves by U_t = U_{t-1} - eta (g_t + D_t + (1 - lambda) c Z_{t-1}). Has the bits of DpSgdRun while clipping and
/// projection do nothing. Cost per step: a full gradient besides.
class ShiftedTwin {
 public:
  /// As DpSgdRun. The clip only scales the noise, the radius is not used.
  ShiftedTwin(const DpSgd& setting, models::ExampleGradients& model, std::span<const double> start, std::uint64_t seed,
              std::uint32_t path);

  void step();  ///< Moves both iterates by one step.

  /// t, steps done.
  [[nodiscard]] std::size_t time() const { return time_; }
  [[nodiscard]] std::span<const double> iterate() const { return iterate_; }          ///< Wt_t
  [[nodiscard]] std::span<const double> previous_iterate() const { return before_; }  ///< Wt_{t-1}
  [[nodiscard]] std::span<const double> shifted() const { return shifted_; }          ///< U_t
  /// U_{t-1}
  [[nodiscard]] std::span<const double> previous_shifted() const { return shifted_before_; }
  [[nodiscard]] std::span<const double> full_gradient() const { return full_; }       ///< g_t, at Wt_{t-1}
  [[nodiscard]] std::span<const double> fluctuation() const { return fluctuation_; }  ///< D_t
  [[nodiscard]] std::span<const double> noise() const { return noise_; }              ///< Z_t
  [[nodiscard]] std::span<const double> previous_noise() const { return previous_; }  ///< Z_{t-1}
  /// The setting, as given.
  [[nodiscard]] const DpSgd& setting() const { return setting_; }

 private:
  DpSgd setting_;
  models::ExampleGradients& model_;
  SharedRandomness random_;
  std::vector<std::uint32_t> all_;
  std::vector<double> iterate_, before_, shifted_, shifted_before_, full_, batch_gradient_, fluctuation_, noise_,
      previous_;
  std::size_t time_ = 0;
};

/// Inner products of one step of the twin against a point W*, from which every one-step claim is made.
struct ShiftTerms {
  double before = 0.0;            ///< |U_{t-1} - W*|^2
  double after = 0.0;             ///< |U_t - W*|^2
  double drift = 0.0;             ///< <g_t, Wt_{t-1} - W*>
  double batch_shift = 0.0;       ///< <D_t, U_{t-1} - W*>
  double noise_shift = 0.0;       ///< <Z_{t-1}, U_{t-1} - W*>
  double gradient_squared = 0.0;  ///< |g_t + D_t|^2
  double batch_squared = 0.0;     ///< |D_t|^2
  double noise_squared = 0.0;     ///< |Z_{t-1}|^2
  double batch_noise = 0.0;       ///< <D_t, Z_{t-1}>
  double drift_noise = 0.0;       ///< <g_t, Z_{t-1}>
};
/// Of the twin's last step. \param comparator  W*, shape (dimension).
[[nodiscard]] ShiftTerms shift_terms(const ShiftedTwin& twin, std::span<const double> comparator);

/// What a trained network is worth.
struct KanOutcome {
  double train_loss = 0.0;        ///< of the last iterate, mean logistic loss
  double test_loss = 0.0;         ///< of the last iterate
  double train_accuracy = 0.0;    ///< of the last iterate
  double test_accuracy = 0.0;     ///< of the last iterate
  double mean_train_loss = 0.0;   ///< mean over W_0, ..., W_{T-1}; 0 unless asked for
  double clipped = 0.0;           ///< share of the gradients that were clipped
  std::size_t projected = 0;      ///< steps that were projected
  double largest_distance = 0.0;  ///< of an iterate from W_0
};

/// What is looked at along a run.
struct KanTraining {
  bool follow_loss = false;  ///< evaluate the training loss at every iterate
  /// Called after every step with t and W_t, if given.
  std::function<void(std::size_t, std::span<const double>)> observe;
};

/// Trains from a first layer drawn with (seed, path).
/// \param test  must have the network of `train`.
/// Cost: d = 4, m = 64, batches of 10: about 25 us per step on one core.
[[nodiscard]] KanOutcome train_kan(const DpSgd& setting, models::KanLosses& train, models::KanLosses& test,
                                   std::uint64_t seed, std::uint32_t path, const KanTraining& training = {},
                                   const NoiseRows& rows = {});

}  // namespace dpcurves::simulate
