// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
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

}  // namespace

struct RealFft::Plans {
  explicit Plans(std::size_t count) : length(count) {
    const std::scoped_lock lock(planner_mutex());
    values = fftw_alloc_real(count);
    spectrum = fftw_alloc_complex(count / 2 + 1);
    if (values == nullptr || spectrum == nullptr) {
      fftw_free(values);
      fftw_free(spectrum);
      throw std::bad_alloc();
    }
    std::fill_n(values, count, 0.0);
    std::fill_n(&spectrum[0][0], 2 * (count / 2 + 1), 0.0);
    // FFTW_ESTIMATE: no timing, so the same plan and the same bits in every run.
    const int n = static_cast<int>(count);
    forward = fftw_plan_dft_r2c_1d(n, values, spectrum, FFTW_ESTIMATE);
    inverse = fftw_plan_dft_c2r_1d(n, spectrum, values, FFTW_ESTIMATE);
  }
  ~Plans() {
    const std::scoped_lock lock(planner_mutex());
    fftw_destroy_plan(forward);
    fftw_destroy_plan(inverse);
    fftw_free(values);
    fftw_free(spectrum);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  std::size_t length;
  double* values = nullptr;
  fftw_complex* spectrum = nullptr;
  fftw_plan forward = nullptr;
  fftw_plan inverse = nullptr;
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

void RealFft::forward() { fftw_execute(plans_->forward); }

void RealFft::inverse() {
  fftw_execute(plans_->inverse);
  const double scale = 1.0 / static_cast<double>(plans_->length);
  for (double& value : values()) {
    value *= scale;
  }
}

}  // namespace dpcurves::numerics
