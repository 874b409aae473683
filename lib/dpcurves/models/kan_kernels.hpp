// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The loops of a KAN layer: W h and s h' for features h of which few entries per coordinate are not zero, and what the
/// units make of W h.
///
/// Results for the units are kept in blocks of `lanes`: entry (block, position in the batch, lane). A block of units
/// meets a chunk of the batch at a time: what both need stays in the first-level cache while all coordinates pass.
/// Within a span splines are polynomials of the offset t: W h is a polynomial per coordinate, s h' a sum of moments
/// s t^k, and of a record only its offsets are read.
///
/// The instruction set is chosen at run time. Every lane is computed alone and in the same order, so AVX2 and AVX-512
/// give the same bits; machines without fused multiply-add differ from them in the last digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

namespace dpcurves::models::kernels {

constexpr std::size_t lanes = 16;   ///< units per block
constexpr std::size_t sums = 8;     ///< partial sums per record
constexpr std::size_t chunk = 256;  ///< records at a time: 32 KiB of a block's results

/// How many blocks hold so many units.
[[nodiscard]] constexpr std::size_t blocks(std::size_t units) { return (units + lanes - 1) / lanes; }

/// Memory that starts at a cache line, so that no vector lies across two.
template <class T>
struct LineAllocator {
  using value_type = T;                        ///< as the standard library asks
  static constexpr std::align_val_t line{64};  ///< bytes of a cache line

  LineAllocator() = default;
  /// Stateless: any two are equal.
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}

  /// Room for n objects that starts at a cache line.
  [[nodiscard]] T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  /// Gives back what allocate(n) gave.
  void deallocate(T* room, std::size_t) { ::operator delete(room, line); }
  bool operator==(const LineAllocator&) const = default;
};
using Lines = std::vector<double, LineAllocator<double>>;  ///< blocks of results in aligned memory

/// Features of all records. Coordinate c of record r lies in span first[r * coordinates + c]: the `order` columns
/// c * width + span and on have values that are not zero, polynomials of the offset.
struct Features {
  const std::uint32_t* first = nullptr;  ///< shape (records x coordinates)
  const double* offsets = nullptr;       ///< shape (records x coordinates): from the middle of the span
  const double* coefficients = nullptr;  ///< shape (order splines x order powers)
  std::size_t coordinates = 0;           ///< per record
  std::size_t order = 0;                 ///< at most 16
  std::size_t width = 0;                 ///< columns per coordinate

  /// Intervals between knots, per coordinate.
  [[nodiscard]] std::size_t spans() const { return width - order + 1; }
};

struct Chunk;

/// The features of a batch in the order in which the loops read them: by chunk, coordinate and span.
class Batch {
 public:
  /// Allocates only if the batch is larger than all before. Cost: about 5 ns per record and coordinate.
  void gather(const Features& features, std::span<const std::uint32_t> records);

  /// Records of the last gather().
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of the dense feature matrix: coordinates times width.
  [[nodiscard]] std::size_t columns() const { return features_.coordinates * features_.width; }
  /// The records first, first + 1, ... \param first  a multiple of `chunk`.
  [[nodiscard]] Chunk at(std::size_t first) const;

 private:
  std::size_t size_ = 0;
  Features features_;
  std::vector<std::uint32_t> begin_;     // shape (chunks x coordinates x (spans + 1))
  std::vector<std::uint32_t> position_;  // shape (chunks x coordinates x records of the chunk)
  std::vector<double> offsets_;          // shape (chunks x coordinates x records of the chunk)
};

/// How units turn their inputs into outputs: sigma, and a polynomial per unit and span.
struct Units {
  const double* pieces = nullptr;  ///< shape (blocks x spans x powers x lanes)
  std::size_t count = 0;           ///< of units, without the empty lanes of the last block
  std::size_t spans = 0;           ///< per unit, over [-1, 1]
  std::size_t powers = 0;          ///< degree + 1
  bool hyperbolic = true;          ///< tanh, else the logistic function
  double inward = 1.0;             ///< factor of W h
  double inverse_spacing = 1.0;    ///< 1/h: spans per unit of sigma's value
};

/// For one block and `records` records: a = inward * cells becomes output <c_j, h(sigma(a))>, and cells its derivative
/// with respect to a. Lanes beyond the last unit become 0. Accuracy: 4e-16 of the largest |c_j|, by an own exponential,
/// because no library has one for every instruction set; |x| above 700 in exp(x) counts as 700; NaN stays NaN.
/// Cost: 2.5 ns per unit and record with AVX-512 for cubic pieces and few spans. \param stride   from one record's
/// cells to the next one's. \param outputs  shape (records x sums): the outputs are added, lane l to sum l % sums.
/// \param squares  shape (records x sums): likewise the squares of the derivatives.
void respond(const Units& units, std::size_t block, std::size_t records, double* cells, std::size_t stride,
             double* outputs, double* squares);

/// out = W h for every record of the batch, lanes beyond the last unit 0.
/// \param w    shape (coordinates * width columns x units): column by column.
/// \param out  shape (blocks x batch x lanes)
void multiply(const Batch& batch, const double* w, std::size_t units, double* out);

/// multiply, and what the units make of it: cells are the derivatives, sums are overwritten.
void forward(const Batch& batch, const double* w, const Units& units, double* cells, double* outputs, double* squares);

/// gradient = sum over the batch of weight_i s_i h_i', overwritten.
/// \param weights  shape (batch)
/// \param s        shape (blocks x batch x lanes): becomes weight_i s_i.
void accumulate(const Batch& batch, const double* weights, double* s, std::size_t units, double* gradient);

}  // namespace dpcurves::models::kernels
