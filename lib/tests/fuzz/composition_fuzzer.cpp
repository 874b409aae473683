// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Any bytes as a composition and a question: a bracket with ordered ends that are no NaN, or a DomainError.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dpcurves/accounting/composition.hpp>
#include <dpcurves/core/error.hpp>

namespace {

using namespace dpcurves;
using namespace dpcurves::accounting;

/// Doubles from bytes, as they are or drawn into a range.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool any() const { return size_ > 0; }
  std::uint8_t byte() {
    if (size_ == 0) {
      return 0;
    }
    --size_;
    return *data_++;
  }
  double raw() {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
      word = word << 8U | byte();
    }
    double value = 0.0;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
  double power(double low, double high) {  // most bytes make sensible numbers, some any bits at all
    const std::uint8_t kind = byte();
    return kind < 8 ? raw() : std::pow(10.0, low + (high - low) * (kind * 256.0 + byte()) / 65536.0);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const std::uint8_t question = bytes.byte();
  Composition composition;
  composition.gaussian_mu = bytes.byte() < 128 ? 0.0 : bytes.power(-6, 3);
  const int parts = bytes.byte() % 4;
  for (int i = 0; i < parts && bytes.any(); ++i) {
    composition.components.push_back(
        {bytes.power(-9, 0), bytes.power(-4, 3), std::floor(bytes.power(0, 12)), static_cast<Pair>(bytes.byte() % 6)});
  }
  const double at = bytes.power(-300, 3);
  try {
    const Accuracy accuracy{1e-6, false};
    const Enclosure answer = question % 2 == 0 ? epsilon_at(composition, at, accuracy).epsilon
                                               : delta_at(composition, question % 4 == 1 ? at : -at, accuracy).delta;
    require(answer.lower <= answer.upper && answer.lower >= 0.0);
    require(question % 2 == 0 || answer.upper <= 1.0);
  } catch (const DomainError&) {
  } catch (const ConvergenceError&) {
  }
  return 0;
}
