// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// DP-SGD of the two-layer network on patches: clean, clip-only, noise-only or private.
///
/// W <- W - eta (sum over the batch of clipped gradients)/B + eta N_t, N_t with standard deviation sigma_n per
/// parameter. A run is a function of (setting, model, start, seed, path); runs with the same seed and path share
/// batches and noise whatever their clip and noise scale. Not a claim of privacy: that depends on how batches are
/// drawn, and `dpcurves privacy dp-sgd` answers it.
///
/// Source: Zhang et al., "Understanding the Impact of Differentially Private Training on Memorization of Long-Tailed
/// Data", equation (4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <dpcurves/models/patch_cnn.hpp>
#include <dpcurves/simulate/dp_sgd.hpp>

namespace dpcurves::simulate {

/// How the batches of a run are drawn.
enum class PatchBatches {
  shuffled,    ///< a fresh permutation per epoch, cut into blocks of B; a rest smaller than B is dropped
  fixed_size,  ///< a uniformly random set of B examples, without replacement within a step
  poisson,     ///< each example with probability B/n; divided by B all the same
  full         ///< every example; B = n
};

/// Adam's constants, its published defaults.
struct AdamRule {
  double first_decay = 0.9;     ///< beta_1 in [0, 1)
  double second_decay = 0.999;  ///< beta_2 in [0, 1)
  double epsilon = 1e-8;        ///< > 0, added to the root of the second moment
};

/// A run, clean unless clip or noise are set.
struct PatchSgd {
  PatchBatches batches = PatchBatches::shuffled;          ///< how they are drawn
  std::size_t batch_size = 50;                            ///< B in [1, n]; n for full
  std::size_t steps = 80;                                 ///< T
  double step_size = 0.5;                                 ///< eta > 0
  double clip = std::numeric_limits<double>::infinity();  ///< C > 0
  double noise = 0.0;                                     ///< sigma_n >= 0, on the averaged gradient
  std::optional<AdamRule> adam{};                         ///< in place of the plain step, on the same noisy gradient
};

/// The four modes of the ablation, for a threshold C and sigma_n = z C/B.
enum class PatchMode { clean, clip_only, noise_only, dp };
/// The setting with clip and noise of that mode: sigma_n = noise_multiplier clip/B.
[[nodiscard]] PatchSgd in_mode(PatchSgd setting, PatchMode mode, double clip, double noise_multiplier);

/// W_0 uniform on (-1/sqrt(d), 1/sqrt(d)), shape (d x K m) row by row.
[[nodiscard]] std::vector<double> uniform_start(const models::PatchCnn& model, std::uint64_t seed, std::uint32_t path);
/// W_0 with independent N(0, deviation^2) entries. \throws DomainError unless deviation >= 0 and finite.
[[nodiscard]] std::vector<double> gaussian_start(const models::PatchCnn& model, double deviation, std::uint64_t seed,
                                                 std::uint32_t path);

/// A run, a step at a time.
class PatchRun {
 public:
  /// \param model  must outlive the run. \param start shape (model.dimension()).
  /// \throws DomainError  for a setting outside its domain or that does not fit the model.
  PatchRun(const PatchSgd& setting, models::PatchCnn& model, std::span<const double> start, std::uint64_t seed,
           std::uint32_t path);

  /// One step. Cost: two products batch x d x K m and K m d normals; no allocation after the first.
  void step();
  /// The remaining steps.
  void finish();

  [[nodiscard]] std::size_t time() const { return time_; }                              ///< t, steps done
  [[nodiscard]] std::span<const double> weights() const { return weights_; }            ///< W_t
  [[nodiscard]] std::span<const double> previous_weights() const { return previous_; }  ///< W_{t-1}; see keep_previous
  [[nodiscard]] std::span<const std::uint32_t> batch() const { return batch_; }         ///< of the last step
  [[nodiscard]] std::span<const double> noise() const {
    return noise_;
  }  ///< N_t/sigma_n of the last step; empty without noise
  [[nodiscard]] const models::BatchSummary& summary() const { return summary_; }  ///< of the last step
  /// The setting, as given.
  [[nodiscard]] const PatchSgd& setting() const { return setting_; }
  /// Keeps W_{t-1} from now on, for diagnostics of a step.
  void keep_previous() { keep_previous_ = true; }

 private:
  void draw_batch();

  PatchSgd setting_;
  models::PatchCnn& model_;
  SharedRandomness random_;
  std::uint64_t seed_;
  std::uint32_t path_;
  std::vector<std::uint32_t> order_;
  std::size_t used_ = 0, epoch_ = 0;
  std::vector<double> weights_, previous_, gradient_, noise_, first_moment_, second_moment_;
  std::span<const std::uint32_t> batch_;
  models::BatchSummary summary_;
  bool keep_previous_ = false;
  std::size_t time_ = 0;
};

/// The weights after all steps.
[[nodiscard]] std::vector<double> train_patches(const PatchSgd& setting, models::PatchCnn& model,
                                                std::span<const double> start, std::uint64_t seed, std::uint32_t path);

}  // namespace dpcurves::simulate
