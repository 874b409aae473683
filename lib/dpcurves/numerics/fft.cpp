// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include <fftw3.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/numerics/fft.hpp>

namespace dpcurves::numerics {
namespace {

std::mutex& planner_mutex() {  // FFTW's planner is not thread-safe; its executor is
  static std::mutex mutex;
  return mutex;
}

struct Plan {
  // FFTW_ESTIMATE: no timing, so the same plan and the same bits in every run.
  Plan(std::size_t length, double* values, fftw_complex* spectrum)
      : forward(fftw_plan_dft_r2c_1d(static_cast<int>(length), values, spectrum, FFTW_ESTIMATE)),
        inverse(fftw_plan_dft_c2r_1d(static_cast<int>(length), spectrum, values, FFTW_ESTIMATE)) {}
  ~Plan() {
    fftw_destroy_plan(forward);
    fftw_destroy_plan(inverse);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  fftw_plan forward, inverse;
};

/// Serves all buffers of FFTW's alignment. The roots of unity take longer than a transform: plans up to a length of
/// 2^22 are kept. Under the planner's mutex.
std::shared_ptr<const Plan> plan_for(std::size_t length, double* values, fftw_complex* spectrum) {
  constexpr std::size_t longest_kept = std::size_t{1} << 22U;
  constexpr std::size_t most_kept = 64;
  static std::map<std::size_t, std::shared_ptr<const Plan>> kept;
  if (const auto found = kept.find(length); found != kept.end()) {
    return found->second;
  }
  auto plan = std::make_shared<const Plan>(length, values, spectrum);
  if (length <= longest_kept) {
    if (kept.size() == most_kept) {
      kept.erase(kept.begin());
    }
    kept.emplace(length, plan);
  }
  return plan;
}

}  // namespace

std::size_t transform_length(double wanted) {
  const std::size_t power = std::bit_ceil(static_cast<std::size_t>(std::ceil(wanted)));
  for (const std::size_t eighths : {5U, 6U, 7U}) {
    if (power >= 8 && static_cast<double>(power / 8 * eighths) >= wanted) {
      return power / 8 * eighths;
    }
  }
  return power;
}

struct RealFft::Plans {
  explicit Plans(std::size_t count) : length(count) {
    values = fftw_alloc_real(count);
    spectrum = fftw_alloc_complex(count / 2 + 1);
    if (values == nullptr || spectrum == nullptr) {
      fftw_free(values);
      fftw_free(spectrum);
      throw std::bad_alloc();
    }
    std::fill_n(values, count, 0.0);
    std::fill_n(&spectrum[0][0], 2 * (count / 2 + 1), 0.0);
    const std::scoped_lock lock(planner_mutex());
    plan = plan_for(count, values, spectrum);
  }
  ~Plans() {
    fftw_free(values);
    fftw_free(spectrum);
    const std::scoped_lock lock(planner_mutex());
    plan.reset();
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  std::size_t length;
  double* values = nullptr;
  fftw_complex* spectrum = nullptr;
  std::shared_ptr<const Plan> plan;
};

RealFft::RealFft(std::size_t length) {
  require_domain(length >= 1 && length <= (std::size_t{1} << 28U), "length", static_cast<double>(length), "1 to 2^28");
  plans_ = std::make_unique<Plans>(length);
}

RealFft::~RealFft() = default;

std::span<double> RealFft::values() { return {plans_->values, plans_->length}; }

std::span<std::complex<double>> RealFft::spectrum() {
  // FFTW documents that its complex type has the layout of std::complex<double>.
  return {reinterpret_cast<std::complex<double>*>(plans_->spectrum), plans_->length / 2 + 1};
}

void RealFft::forward() { fftw_execute_dft_r2c(plans_->plan->forward, plans_->values, plans_->spectrum); }

void RealFft::inverse() {
  fftw_execute_dft_c2r(plans_->plan->inverse, plans_->spectrum, plans_->values);
  const double scale = 1.0 / static_cast<double>(plans_->length);
  for (double& value : values()) {
    value *= scale;
  }
}

}  // namespace dpcurves::numerics
