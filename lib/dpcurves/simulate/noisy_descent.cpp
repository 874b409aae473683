// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/simulate/noisy_descent.hpp>

namespace dpcurves::simulate {
namespace {

using random::Purpose;

constexpr std::size_t paths_per_piece = 512;
constexpr std::size_t noise_buffer = 4096;  // normals drawn at a time

void check(const NoisyDescent& setting, const models::Losses& losses, std::size_t last_path) {
  require_domain(setting.step_size > 0.0 && std::isfinite(setting.step_size), "step_size", setting.step_size,
                 "(0, inf)");
  require_domain(setting.noise >= 0.0 && std::isfinite(setting.noise), "noise", setting.noise, "[0, inf)");
  require_domain(setting.steps >= 1, "steps", static_cast<double>(setting.steps), "[1, inf)");
  require_domain(setting.start.empty() || setting.start.size() == losses.dimension(), "dimension of the start",
                 static_cast<double>(setting.start.size()), "that of the losses");
  require_domain(std::all_of(setting.start.begin(), setting.start.end(), [](double x) { return std::isfinite(x); }),
                 "start", std::nan(""), "finite");
  require_domain(last_path <= (std::size_t{1} << 32U), "number of paths", static_cast<double>(last_path), "[0, 2^32]");
}

/// One thread's room to run paths in.
class Runner {
 public:
  Runner(const NoisyDescent& setting, const models::Losses& losses)
      : setting_(setting),
        losses_(losses),
        batches_(setting.rule, setting.batch_size, losses.records()),
        gradient_(losses.dimension()),
        steps_at_once_(std::clamp<std::size_t>(noise_buffer / losses.dimension(), 1, setting.steps)),
        noise_(steps_at_once_ * losses.dimension()) {}

  void run(std::uint64_t seed, std::uint32_t path, std::span<double> x) {
    const std::size_t d = x.size();
    const double iterate_noise = setting_.step_size * setting_.noise;
    if (setting_.start.empty()) {
      std::fill(x.begin(), x.end(), 0.0);
    } else {
      std::copy(setting_.start.begin(), setting_.start.end(), x.begin());
    }
    for (std::size_t begin = 0; begin < setting_.steps; begin += steps_at_once_) {
      const std::size_t count = std::min(steps_at_once_, setting_.steps - begin);
      random::normals(std::span(noise_).first(count * d), seed, Purpose::noise, path, begin * d);
      for (std::size_t k = 0; k < count; ++k) {
        const auto batch = batches_.batch(begin + k, seed, path);
        losses_.gradient_sum(batch, x, gradient_);
        const double rate = setting_.step_size / static_cast<double>(batch.size());
        for (std::size_t j = 0; j < d; ++j) {
          x[j] -= rate * gradient_[j] + iterate_noise * noise_[k * d + j];
        }
        setting_.projection.apply(x);
      }
    }
  }

 private:
  const NoisyDescent& setting_;
  const models::Losses& losses_;
  BatchSequence batches_;
  std::vector<double> gradient_;
  std::size_t steps_at_once_;
  std::vector<double> noise_;
};

/// Calls keep(path index, data set, final iterate) for `paths` runs on one or two data sets; values(archive, begin,
/// end) names what it keeps of those paths.
template <class Keep, class Kept>
void run_paths(const NoisyDescent& setting, std::span<const models::Losses* const> data, std::size_t paths,
               std::uint64_t seed, std::uint32_t first_path, unsigned threads, const Progress& progress,
               const Keep& keep, const Kept& values) {
  for (const models::Losses* losses : data) {
    check(setting, *losses, first_path + paths * data.size());
    BatchSequence(setting.rule, setting.batch_size, losses->records());  // refuses here rather than in a thread
  }
  const std::size_t pieces = (paths + paths_per_piece - 1) / paths_per_piece;
  shared_for(
      pieces, threads,
      [&](std::size_t piece) {
        const std::size_t begin = piece * paths_per_piece, end = std::min(paths, begin + paths_per_piece);
        for (std::size_t which = 0; which < data.size(); ++which) {
          Runner runner(setting, *data[which]);
          std::vector<double> x(data[which]->dimension());
          for (std::size_t i = begin; i < end; ++i) {
            runner.run(seed, static_cast<std::uint32_t>(first_path + i * data.size() + which), x);
            keep(i, which, std::span<const double>(x));
          }
        }
      },
      [&](std::size_t piece, Archive& archive) {
        values(archive, piece * paths_per_piece, std::min(paths, (piece + 1) * paths_per_piece));
      },
      progress);
}

/// Entries [begin, end) of a list with `width` numbers per path.
std::span<double> part(std::vector<double>& list, std::size_t begin, std::size_t end, std::size_t width = 1) {
  return std::span(list).subspan(begin * width, (end - begin) * width);
}

}  // namespace

BatchSequence::BatchSequence(BatchRule rule, std::size_t batch_size, std::size_t records)
    : rule_(rule), batch_size_(rule == BatchRule::full ? records : batch_size) {
  require_domain(records >= 1 && records < (std::size_t{1} << 32U), "records", static_cast<double>(records),
                 "[1, 2^32)");
  require_domain(batch_size_ >= 1 && batch_size_ <= records, "batch_size", static_cast<double>(batch_size_),
                 "[1, records]");
  if (rule == BatchRule::subset) {
    drawn_.resize(batch_size_);
    records_.resize(1, static_cast<std::uint32_t>(records));
    return;
  }
  require_domain(records % batch_size_ == 0, "batch_size", static_cast<double>(batch_size_), "divisors of records");
  records_.resize(records);
  std::iota(records_.begin(), records_.end(), 0U);
}

std::span<const std::uint32_t> BatchSequence::batch(std::size_t step, std::uint64_t seed, std::uint32_t path) {
  if (rule_ == BatchRule::full) {
    return records_;
  }
  if (rule_ == BatchRule::subset) {
    random::Words words(seed, Purpose::sampling, path, std::uint64_t{step} << 32U);
    random::subset(drawn_, records_.front(), words);
    return drawn_;
  }
  const std::size_t batches = records_.size() / batch_size_;
  return std::span<const std::uint32_t>(records_).subspan(step % batches * batch_size_, batch_size_);
}

std::vector<double> final_iterates(const NoisyDescent& setting, const models::Losses& losses, std::size_t paths,
                                   std::uint64_t seed, std::uint32_t first_path, unsigned threads,
                                   const Progress& progress) {
  const std::size_t d = losses.dimension();
  std::vector<double> result(paths * d);
  const std::array<const models::Losses*, 1> data{&losses};
  run_paths(
      setting, data, paths, seed, first_path, threads, progress,
      [&](std::size_t path, std::size_t, std::span<const double> x) {
        std::copy(x.begin(), x.end(), result.begin() + static_cast<std::ptrdiff_t>(path * d));
      },
      [&](Archive& archive, std::size_t begin, std::size_t end) { archive(part(result, begin, end, d)); });
  return result;
}

PairSample final_statistics(const NoisyDescent& setting, const models::Losses& first, const models::Losses& second,
                            std::size_t paths, std::uint64_t seed, const Statistic& statistic, unsigned threads,
                            const Progress& progress) {
  require_domain(first.dimension() == second.dimension(), "dimension of the second data set",
                 static_cast<double>(second.dimension()), "that of the first");
  PairSample sample{std::vector<double>(paths), std::vector<double>(paths)};
  const std::array<const models::Losses*, 2> data{&first, &second};
  run_paths(
      setting, data, paths, seed, 0, threads, progress,
      [&](std::size_t path, std::size_t which, std::span<const double> x) {
        (which == 0 ? sample.first : sample.second)[path] = statistic(x);
      },
      [&](Archive& archive, std::size_t begin, std::size_t end) {
        archive(part(sample.first, begin, end), part(sample.second, begin, end));
      });
  return sample;
}

PairCounts count_statistics(const NoisyDescent& setting, const models::Losses& first, const models::Losses& second,
                            std::size_t paths, std::uint64_t seed, const Statistic& statistic,
                            std::span<const double> thresholds, unsigned threads, const Progress& progress) {
  require_domain(first.dimension() == second.dimension(), "dimension of the second data set",
                 static_cast<double>(second.dimension()), "that of the first");
  const std::size_t pieces = (paths + paths_per_piece - 1) / paths_per_piece, width = thresholds.size();
  // Of each piece the values of the first above each threshold, then those of the second.
  std::vector<std::uint32_t> above(2 * width * pieces, 0);
  const std::array<const models::Losses*, 2> data{&first, &second};
  run_paths(
      setting, data, paths, seed, 0, threads, progress,
      [&](std::size_t path, std::size_t which, std::span<const double> x) {
        const double value = statistic(x);
        require_domain(!std::isnan(value), "statistic", value, "numbers");
        std::uint32_t* const counts = above.data() + (2 * (path / paths_per_piece) + which) * width;
        for (std::size_t j = 0; j < width; ++j) {
          counts[j] += value > thresholds[j] ? 1U : 0U;
        }
      },
      [&](Archive& archive, std::size_t begin, std::size_t) {
        archive(std::span(above).subspan(2 * (begin / paths_per_piece) * width, 2 * width));
      });
  PairCounts counts{paths, std::vector<std::uint64_t>(width, 0), std::vector<std::uint64_t>(width, 0)};
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    for (std::size_t j = 0; j < width; ++j) {
      counts.first_above[j] += above[2 * piece * width + j];
      counts.second_above[j] += above[(2 * piece + 1) * width + j];
    }
  }
  return counts;
}

SeparatedBatch separated_batch(std::uint32_t records, std::uint32_t batch_size, std::uint32_t special,
                               random::Words& words) {
  require_domain(batch_size >= 1 && batch_size < records, "batch_size", batch_size, "[1, records - 1]");
  require_domain(special < records, "special", special, "[0, records)");
  SeparatedBatch batch;
  batch.common.resize(batch_size);
  random::subset(batch.common, records - 1, words);  // in random order: the last one is uniform among them
  for (std::uint32_t& record : batch.common) {
    record += record >= special ? 1U : 0U;
  }
  batch.replacement = batch.common.back();
  batch.common.pop_back();
  batch.has_special = words.below(records) < batch_size;
  return batch;
}

}  // namespace dpcurves::simulate
