// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>

#include <dpcurves/models/detail/kan_loops.hpp>
#include <dpcurves/models/kan_kernels.hpp>

namespace dpcurves::models::kernels {
namespace {

const Loops& loops() {
#if defined(__x86_64__)
  static const Loops& best = __builtin_cpu_supports("avx512f")                                 ? avx512_loops
                             : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2_loops
                                                                                               : baseline_loops;
  return best;
#else
  return baseline_loops;
#endif
}

/// Room for a block's part of all columns.
double* columns_of(const Batch& batch) {
  thread_local Lines room;
  if (room.size() < batch.columns() * lanes) {
    room.resize(batch.columns() * lanes);
  }
  return room.data();
}

/// A block's part of one column; the usual length is a constant.
void copy(double* to, const double* from, std::size_t used) {
  if (used == lanes) {
    std::memcpy(to, from, lanes * sizeof(double));
  } else {
    std::copy_n(from, used, to);
  }
}

/// Calls use(block, begin of a chunk) with the block's columns of w.
template <class Use>
void for_blocks(const Batch& batch, const double* w, std::size_t units, const Use& use) {
  double* columns = columns_of(batch);
  for (std::size_t block = 0; block < blocks(units); ++block) {
    const std::size_t begin = block * lanes, used = std::min(lanes, units - begin);
    for (std::size_t k = 0; k < batch.columns(); ++k) {
      copy(columns + k * lanes, w + k * units + begin, used);
      std::fill_n(columns + k * lanes + used, lanes - used, 0.0);
    }
    for (std::size_t first = 0; first < batch.size(); first += chunk) {
      use(block, first, columns);
    }
  }
}

}  // namespace

void Batch::gather(const Features& features, std::span<const std::uint32_t> records) {
  size_ = records.size();
  features_ = features;
  const std::size_t coordinates = features.coordinates, spans = features.spans();
  begin_.assign((size_ + chunk - 1) / chunk * coordinates * (spans + 1), 0);
  position_.resize(size_ * coordinates);
  offsets_.resize(size_ * coordinates);
  for (std::size_t start = 0; start < size_; start += chunk) {
    const auto part = records.subspan(start, std::min(chunk, size_ - start));
    for (std::size_t c = 0; c < coordinates; ++c) {
      std::uint32_t* begin = begin_.data() + (start / chunk * coordinates + c) * (spans + 1);
      const std::size_t offset = start * coordinates + c * part.size();
      for (const std::uint32_t record : part) {
        ++begin[features.first[record * coordinates + c] + 1];
      }
      for (std::size_t span = 0; span < spans; ++span) {
        begin[span + 1] += begin[span];
      }
      for (std::uint32_t i = 0; i < part.size(); ++i) {
        const std::size_t cell = part[i] * coordinates + c;
        const std::size_t place = offset + begin[features.first[cell]]++;
        position_[place] = i;
        offsets_[place] = features.offsets[cell];
      }
      for (std::size_t span = spans; span > 0; --span) {  // each start was moved to the next one
        begin[span] = begin[span - 1];
      }
      begin[0] = 0;
    }
  }
}

Chunk Batch::at(std::size_t first) const {
  return {std::min(chunk, size_ - first),
          features_.coordinates,
          features_.order,
          features_.width,
          begin_.data() + first / chunk * features_.coordinates * (features_.spans() + 1),
          position_.data() + first * features_.coordinates,
          offsets_.data() + first * features_.coordinates,
          features_.coefficients};
}

void respond(const Units& units, std::size_t block, std::size_t records, double* cells, std::size_t stride,
             double* outputs, double* squares) {
  // Lanes beyond the last unit have pieces 0, hence outputs and derivatives 0.
  loops().respond(units, units.pieces + block * units.spans * units.powers * lanes, records, cells, stride, outputs,
                  squares);
}

void multiply(const Batch& batch, const double* w, std::size_t units, double* out) {
  for_blocks(batch, w, units, [&](std::size_t block, std::size_t first, const double* columns) {
    loops().multiply(batch.at(first), columns, out + (block * batch.size() + first) * lanes);
  });
}

void forward(const Batch& batch, const double* w, const Units& units, double* cells, double* outputs, double* squares) {
  std::fill_n(outputs, batch.size() * sums, 0.0);
  std::fill_n(squares, batch.size() * sums, 0.0);
  for_blocks(batch, w, units.count, [&](std::size_t block, std::size_t first, const double* columns) {
    double* of_chunk = cells + (block * batch.size() + first) * lanes;
    loops().multiply(batch.at(first), columns, of_chunk);
    respond(units, block, std::min(chunk, batch.size() - first), of_chunk, lanes, outputs + first * sums,
            squares + first * sums);
  });
}

void accumulate(const Batch& batch, const double* weights, double* s, std::size_t units, double* gradient) {
  double* columns = columns_of(batch);
  for (std::size_t block = 0; block < blocks(units); ++block) {
    std::fill_n(columns, batch.columns() * lanes, 0.0);
    for (std::size_t first = 0; first < batch.size(); first += chunk) {
      loops().accumulate(batch.at(first), weights + first, s + (block * batch.size() + first) * lanes, columns);
    }
    const std::size_t begin = block * lanes;
    for (std::size_t k = 0; k < batch.columns(); ++k) {
      copy(gradient + k * units + begin, columns + k * lanes, std::min(lanes, units - begin));
    }
  }
}

}  // namespace dpcurves::models::kernels
