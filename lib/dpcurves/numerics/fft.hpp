// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The discrete Fourier transform of real sequences.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

namespace dpcurves::numerics {

/// The least 4, 5, 6 or 7 times a power of 2 that is not below: lengths that transform as well as powers.
[[nodiscard]] std::size_t transform_length(double wanted);

/// Forward and inverse transforms of real sequences of one length, with their own buffers, which start at 0.
///
/// Not to be used from two threads at once; different objects are independent. The same input gives the same bits.
/// Accuracy: root-mean-square error below 3 u sqrt(log2 n) relative to the root-mean-square of the result, u = 2^-53.
class RealFft {
 public:
  /// \param length  1 to 2^28, best a product of small primes. \throws DomainError otherwise.
  explicit RealFft(std::size_t length);
  ~RealFft();

  /// The real side, shape (length): input of forward(), output of inverse().
  [[nodiscard]] std::span<double> values();
  /// The frequency side, shape (length / 2 + 1): F_k = sum of values_m exp(-2 pi i k m / length).
  [[nodiscard]] std::span<std::complex<double>> spectrum();

  /// spectrum from values; values keep their contents.
  void forward();
  /// values from spectrum, divided by length, so that inverse undoes forward; spectrum is destroyed.
  void inverse();

 private:
  struct Plans;
  std::unique_ptr<Plans> plans_;
};

}  // namespace dpcurves::numerics
