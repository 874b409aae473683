// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/noisy_least_squares.hpp>

namespace dpcurves::simulate {
namespace {

using random::Purpose;

constexpr std::size_t block_numbers = 8192;           // features held at a time: they stay in the second-level cache
constexpr std::size_t numbers_per_piece = 1U << 20U;  // the least work for a piece

void check(const NoisyLeastSquares& setting, std::size_t dimension, const Paths& paths) {
  const std::size_t steps = setting.step_sizes.size();
  require_domain(setting.start.size() == dimension, "entries of the start", static_cast<double>(setting.start.size()),
                 "the dimension of the records");
  require_domain(setting.regularisation >= 0.0 && std::isfinite(setting.regularisation), "regularisation",
                 setting.regularisation, "[0, inf)");
  require_domain(setting.noise >= 0.0 && std::isfinite(setting.noise), "noise", setting.noise, "[0, inf)");
  for (const double eta : setting.step_sizes) {
    require_domain(eta >= 0.0 && std::isfinite(eta), "step size", eta, "[0, inf)");
  }
  require_domain(!setting.clip_norms.empty(), "number of clip norms", 0.0, "[1, inf)");
  for (const double clip : setting.clip_norms) {
    require_domain(clip > 0.0, "clip norm", clip, "(0, inf]");
  }
  for (std::size_t i = 0; i < setting.observed.size(); ++i) {
    require_domain(setting.observed[i] <= steps && (i == 0 || setting.observed[i] > setting.observed[i - 1]),
                   "observed iteration", static_cast<double>(setting.observed[i]), "ascending, at most the steps");
  }
  require_domain(paths.first + paths.count <= (std::size_t{1} << 32U), "number of paths",
                 static_cast<double>(paths.first + paths.count), "[0, 2^32]");
}

/// Progress of paths that are longer than a piece, in parts of that size; pieces say nothing themselves then.
class LongPaths {
 public:
  /// \param numbers  of a path.
  LongPaths(const Paths& paths, std::size_t numbers)
      : progress_(paths.progress), parts_(numbers / numbers_per_piece), total_(paths.count * parts_) {}

  /// Whether there are any, and somebody listens; a share of a question (core/share.hpp) counts its pieces.
  [[nodiscard]] bool tell() const { return progress_ && parts_ > 1 && !Sharing::active(); }

  /// From any thread. \throws Error  if stopped.
  void part_done() {
    const std::lock_guard lock(guard_);
    done_ = std::min(done_ + 1, total_);
    if (!progress_(done_, total_)) {
      throw Error("stopped on request");
    }
  }

 private:
  const Progress& progress_;
  std::size_t parts_, total_, done_ = 0;
  std::mutex guard_;
};

/// One thread's room to run paths in. `fetch(features, labels, path, first)` provides records.
template <class Fetch>
class Runner {
 public:
  Runner(const NoisyLeastSquares& setting, std::size_t dimension, Fetch fetch)
      : setting_(setting),
        fetch_(std::move(fetch)),
        d_(dimension),
        block_(
            std::clamp<std::size_t>(block_numbers / dimension, 1, std::max<std::size_t>(1, setting.step_sizes.size()))),
        noise_(d_),
        clips_(std::any_of(setting.clip_norms.begin(), setting.clip_norms.end(),
                           [](double clip) { return std::isfinite(clip); })),
        iterates_(setting.clip_norms.size(), std::vector<double>(d_)),
        clipping(setting.clip_norms.size()) {}

  /// \param part_done  called after every numbers_per_piece features; may be empty.
  void run(std::uint64_t seed, std::uint32_t path, std::size_t index, const IterateObserver& observe,
           const std::function<void()>& part_done) {
    for (auto& x : iterates_) {
      x = setting_.start;
    }
    std::size_t next = 0;
    const auto show = [&](std::size_t k) {
      if (next < setting_.observed.size() && setting_.observed[next] == k) {
        for (std::size_t clip = 0; clip < iterates_.size(); ++clip) {
          observe({index, clip, next}, iterates_[clip]);
        }
        ++next;
      }
    };
    show(0);
    const std::size_t last = setting_.observed.empty() ? 0 : setting_.observed.back();
    const std::size_t noise_stride = d_ + d_ % 2;
    for (std::size_t begin = 0; begin < last; begin += block_) {
      const std::size_t count = std::min(block_, last - begin);
      const auto [features, labels] = fetch_(seed, path, begin, count);
      for (std::size_t k = 0; k < count; ++k) {
        if (setting_.noise > 0.0) {
          random::normals(noise_, seed, Purpose::noise, path, (begin + k) * noise_stride);
        }
        for (std::size_t clip = 0; clip < iterates_.size(); ++clip) {
          step(clip, features.subspan(k * d_, d_), labels[k], setting_.step_sizes[begin + k]);
        }
        show(begin + k + 1);
      }
      const std::size_t part = begin * d_ / numbers_per_piece;
      if (part_done && (begin + count) * d_ / numbers_per_piece > part) {
        part_done();
      }
    }
  }

 private:
  void step(std::size_t clip, std::span<const double> a, double b, double eta) {
    std::vector<double>& x = iterates_[clip];
    const double delta = setting_.regularisation;
    const double residual = dot(a, x) - b;
    double factor = 1.0;
    if (clips_) {
      double square = 0.0;
      for (std::size_t i = 0; i < d_; ++i) {
        const double entry = residual * a[i] + delta * x[i];
        square += entry * entry;
      }
      const double norm = std::sqrt(square);
      clipping[clip].largest_norm = std::max(clipping[clip].largest_norm, norm);
      if (norm > setting_.clip_norms[clip]) {
        factor = setting_.clip_norms[clip] / norm;
        ++clipping[clip].clipped;
      }
    }
    const double keep = 1.0 - eta * factor * delta, along = eta * factor * residual, shake = eta * setting_.noise;
    const double* const z = noise_.data();
    double* const out = x.data();
    for (std::size_t i = 0; i < d_; ++i) {
      out[i] = keep * out[i] - along * a[i] - shake * z[i];
    }
  }

  const NoisyLeastSquares& setting_;
  Fetch fetch_;
  std::size_t d_, block_;
  std::vector<double> noise_;
  bool clips_;
  std::vector<std::vector<double>> iterates_;

 public:
  std::vector<Clipping> clipping;
};

struct Block {
  std::span<const double> features, labels;
};

/// `make_fetch()` is called once per piece: the room it holds belongs to one thread.
template <class MakeFetch>
std::vector<Clipping> run_paths(const NoisyLeastSquares& setting, std::size_t dimension, const Paths& paths,
                                const IterateObserver& observe, const MakeFetch& make_fetch) {
  check(setting, dimension, paths);
  const std::size_t per_path = std::max<std::size_t>(1, dimension * setting.step_sizes.size());
  const std::size_t per_piece = std::max<std::size_t>(1, numbers_per_piece / per_path);
  const std::size_t pieces = (paths.count + per_piece - 1) / per_piece, clips = setting.clip_norms.size();
  std::vector<std::vector<Clipping>> clipping(pieces, std::vector<Clipping>(clips));
  LongPaths parts(paths, per_path);
  Paths told = paths;
  std::function<void()> part_done;
  if (parts.tell()) {
    part_done = [&parts] { parts.part_done(); };
    told.progress = {};
  }
  for_pieces(
      told, per_piece,
      [&](std::size_t piece) {
        Runner runner(setting, dimension, make_fetch());
        const std::size_t end = std::min(paths.count, (piece + 1) * per_piece);
        for (std::size_t i = piece * per_piece; i < end; ++i) {
          runner.run(paths.seed, static_cast<std::uint32_t>(paths.first + i), i, observe, part_done);
        }
        clipping[piece] = std::move(runner.clipping);
      },
      [&](std::size_t piece, Archive& archive) {
        for (Clipping& one : clipping[piece]) {
          archive(one.clipped, one.largest_norm);
        }
      });
  std::vector<Clipping> total(clips);
  for (const auto& piece : clipping) {
    for (std::size_t clip = 0; clip < clips; ++clip) {
      total[clip].clipped += piece[clip].clipped;
      total[clip].largest_norm = std::max(total[clip].largest_norm, piece[clip].largest_norm);
    }
  }
  return total;
}

}  // namespace

void for_pieces(const Paths& paths, std::size_t per_piece, const std::function<void(std::size_t)>& work,
                const std::function<void(std::size_t, Archive&)>& values) {
  const std::size_t pieces = (paths.count + per_piece - 1) / per_piece;
  if (!paths.kept) {
    parallel_for(pieces, paths.threads, work, paths.progress);
    return;
  }
  shared_for(
      pieces, paths.threads, work,
      [&](std::size_t piece, Archive& archive) {
        for (std::size_t path = piece * per_piece; path < std::min(paths.count, (piece + 1) * per_piece); ++path) {
          paths.kept(path, archive);
        }
        if (values) {
          values(piece, archive);
        }
      },
      paths.progress);
}

std::vector<Clipping> noisy_sgd(const NoisyLeastSquares& setting, const RecordLaw& law, const Paths& paths,
                                const IterateObserver& observe) {
  const RecordDraw checked(law);  // refuses here rather than in a thread
  return run_paths(setting, law.dimension(), paths, observe, [&law] {
    return [draw = RecordDraw(law), features = std::vector<double>(), labels = std::vector<double>(), &law](
               std::uint64_t seed, std::uint32_t path, std::size_t first, std::size_t count) mutable {
      features.resize(count * law.dimension());
      labels.resize(count);
      draw.draw(features, labels, seed, path, first);
      return Block{features, labels};
    };
  });
}

std::vector<Clipping> noisy_sgd(const NoisyLeastSquares& setting, const Records& records, const Paths& paths,
                                const IterateObserver& observe) {
  require_domain(records.dimension >= 1 && records.features.size() == records.size() * records.dimension,
                 "entries of the features", static_cast<double>(records.features.size()), "records times dimension");
  require_domain(setting.step_sizes.size() <= records.size(), "steps", static_cast<double>(setting.step_sizes.size()),
                 "at most the number of records");
  return run_paths(setting, records.dimension, paths, observe, [&records] {
    return [&records](std::uint64_t, std::uint32_t, std::size_t first, std::size_t count) {
      return Block{std::span(records.features).subspan(first * records.dimension, count * records.dimension),
                   std::span(records.labels).subspan(first, count)};
    };
  });
}

double PopulationRisk::operator()(std::span<const double> x) const {
  double sum = 0.0, along = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = x[i] - target[i];
    sum += eigenvalues[i] * error * error;
  }
  for (std::size_t i = 0; i < spike.size(); ++i) {
    along += spike[i] * (x[i] - target[i]);
  }
  return 0.5 * (sum + along * along) + floor;
}

}  // namespace dpcurves::simulate
