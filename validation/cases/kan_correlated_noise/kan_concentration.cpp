// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// How often sums of batches and noise leave their bounds.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <dpcurves/bounds/kan_concentration.hpp>
#include <dpcurves/bounds/kan_independent.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/random/streams.hpp>

#include "validation/cases/kan_correlated_noise/kan_support.hpp"
#include "validation/cases/topics.hpp"

namespace dpcurves::validation::kan_correlated_noise {
namespace {

constexpr double delta = 0.1;  // of every claim that is covered
constexpr std::size_t dimension = 6, records = 40, batch_size = 5, steps = 60;

/// Batches of fixed vectors and noise: what the cross terms are made of.
class Sums {
 public:
  Sums(const Setting& setting, std::string_view id)
      : setting_(descent(batch_size, 0.1, steps, 0.2, 0.5)),
        seed_(seed_of(setting, id)),
        vectors_(records * dimension),
        mean_(dimension, 0.0) {
    random::normals(vectors_, seed_, random::Purpose::data, 0, 0);
    for (std::size_t i = 0; i < records; ++i) {
      double square = 0.0;
      for (std::size_t k = 0; k < dimension; ++k) {
        square += vectors_[i * dimension + k] * vectors_[i * dimension + k];
      }
      for (std::size_t k = 0; k < dimension; ++k) {
        vectors_[i * dimension + k] /= std::sqrt(square);
        mean_[k] += vectors_[i * dimension + k] / records;
      }
    }
  }

  [[nodiscard]] const simulate::DpSgd& setting() const { return setting_; }
  [[nodiscard]] bounds::NoisyRun run() const {
    return {steps, batch_size, setting_.step_size, setting_.correlation, setting_.private_noise()};
  }
  [[nodiscard]] std::size_t count() const { return records; }
  [[nodiscard]] double mean_squared_deviation() const {
    double square = 0.0;
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      const double from_mean = vectors_[i] - mean_[i % dimension];
      square += from_mean * from_mean / records;
    }
    return square;
  }

  struct Path {
    double batch_energy = 0.0, noise_energy = 0.0;
    double largest_noise = 0.0;
    double batch = 0.0, noise = 0.0, mixed = 0.0, all = 0.0;  ///< largest |partial sums| of the three terms
    double batch_cross = 0.0, noise_cross = 0.0;              ///< |sum <D_t, e>|, |sum <Z_t, e>|
  };
  /// Cross terms against U_{t-1} - W* = e_1, of norm 1.
  [[nodiscard]] Path path(std::uint32_t number) const {
    simulate::SharedRandomness random(setting_, records, dimension, seed_, number);
    Path result;
    std::vector<double> z(dimension), fluctuation(dimension);
    const double eta = setting_.step_size, kept = (1.0 - setting_.correlation) * setting_.private_noise();
    double batch = 0.0, noise = 0.0, mixed = 0.0, sum_batch = 0.0, sum_noise = 0.0;
    for (std::size_t t = 1; t <= steps; ++t) {
      random.white_noise(t - 1, z);
      for (std::size_t k = 0; k < dimension; ++k) {
        fluctuation[k] = -mean_[k];
      }
      for (const std::uint32_t record : random.batch(t)) {
        for (std::size_t k = 0; k < dimension; ++k) {
          fluctuation[k] += vectors_[record * dimension + k] / batch_size;
        }
      }
      double square = 0.0, product = 0.0, energy = 0.0;
      for (std::size_t k = 0; k < dimension; ++k) {
        square += z[k] * z[k];
        product += z[k] * fluctuation[k];
        energy += fluctuation[k] * fluctuation[k];
      }
      result.noise_energy += square;
      result.batch_energy += energy;
      result.largest_noise = std::max(result.largest_noise, std::sqrt(square));
      batch -= 2.0 * eta * fluctuation[0];
      noise -= 2.0 * eta * kept * z[0];
      mixed += 2.0 * eta * eta * kept * product;
      sum_batch += fluctuation[0];
      sum_noise += z[0];
      result.batch = std::max(result.batch, std::abs(batch));
      result.noise = std::max(result.noise, std::abs(noise));
      result.mixed = std::max(result.mixed, std::abs(mixed));
      result.all = std::max(result.all, std::abs(batch + noise + mixed));
    }
    result.batch_cross = std::abs(sum_batch);
    result.noise_cross = std::abs(sum_noise);
    return result;
  }

 private:
  simulate::DpSgd setting_;
  std::uint64_t seed_;
  std::vector<double> vectors_, mean_;
};

/// How often `value` of a path exceeds `bound`, and a fraction of it as the control.
void coverage(const Setting& setting, Outcome& outcome, std::string_view id,
              const std::function<double(const Sums::Path&)>& value, const std::function<double(const Sums&)>& bound,
              double control_factor, const std::string& what, const std::string& group = "claim") {
  outcome.claim.group(group);
  outcome.control.group(group);
  outcome.claim.by_simulation(0);
  const Sums sums(setting, id);
  const std::size_t trials = setting.size(1000, 100000);
  const double limit = bound(sums);
  constexpr std::size_t block = 500;
  std::vector<double> values(trials);
  shared_for((trials + block - 1) / block, setting.threads,
             [&](std::size_t piece) {
               for (std::size_t i = piece * block; i < std::min(trials, (piece + 1) * block); ++i) {
                 values[i] = value(sums.path(static_cast<std::uint32_t>(i)));
               }
             },
             [&](std::size_t piece, Archive& archive) {
               archive(std::span(values).subspan(piece * block, std::min(block, trials - piece * block)));
             });
  Coverage seen(control_factor);
  for (const double one : values) {
    seen.see(one, limit);
  }
  seen.report(outcome, delta, what + " (largest " + rounded(seen.largest(), 4) + " against " + rounded(limit, 4) + ")");
}

double noise_energy_bound(const Sums& sums) {
  return bounds::noise_bounds(dimension, sums.run().iterates, delta).energy;
}

void batch_variance(const Setting& setting, Outcome& outcome, std::string_view id, double batch) {
  outcome.claim.by_simulation(0);
  auto one = instance(30, 16, seed_of(setting, id));
  const auto n = static_cast<double>(one.losses.records());
  const auto all = models::all_records(one.losses);
  std::vector<double> full(one.start.size()), part(full.size()), single(full.size());
  one.losses.clipped_sum(all, one.start, 1e300, full);
  for (double& entry : full) {
    entry /= n;
  }
  double deviation = 0.0, gradient = 0.0;
  for (const std::uint32_t r : all) {
    one.losses.clipped_sum(std::span(&r, 1), one.start, 1e300, single);
    deviation += squared_distance(single, full) / n;
    gradient = std::max(gradient, std::sqrt(squared_distance(single, std::vector<double>(single.size(), 0.0))));
  }
  simulate::SharedRandomness random(descent(batch, 0.1, 2, 0.0, 0.0), all.size(), 1, seed_of(setting, id), 0);
  std::vector<double> squares;
  for (std::size_t t = 1; t <= setting.size(3000, 100000); ++t) {
    one.losses.clipped_sum(random.batch(t), one.start, 1e300, part);
    for (double& entry : part) {
      entry /= batch;
    }
    squares.push_back(squared_distance(part, full));
  }
  const inference::Moments found = inference::moments(squares);
  const double exact = bounds::without_replacement_variance(n, batch, deviation);
  const std::string what = "E|D|^2 of batches of " + rounded(batch, 3) + " of 30 gradients";
  within_errors(outcome.claim, found.mean, found.mean_error, exact, what);
  within_errors(outcome.control, found.mean, found.mean_error, exact * (n - 1.0) / (n - batch),
                what + " without (n - B)/(n - 1)");
  outcome.claim.at_most(exact, gradient * gradient / batch, "variance against G^2/B");
  outcome.claim.require(bounds::without_replacement_variance(n, n, deviation) == 0.0, "the whole data set: variance 0");
}

void lemma_c_18(const Setting& setting, Outcome& outcome) {
  const std::size_t trials = setting.size(1000, 100000);
  constexpr std::size_t length = 100;
  const double bound = bounds::freedman_bound(length, 1.0, delta);
  Coverage seen(0.32);
  for (std::size_t i = 0; i < trials; ++i) {
    random::Words words(seed_of(setting, "kan-correlated-noise/lemma-c.18"), random::Purpose::data,
                        static_cast<std::uint32_t>(i), 0);
    const double walk = sum_over(length, [&](std::size_t /*t*/) { return words.below(2) == 0 ? -1.0 : 1.0; });
    seen.see(walk, bound);
  }
  seen.report(outcome, delta, "sums of 100 signs");
}

void lemma_c_19(const Setting& setting, Outcome& outcome) {
  const std::size_t trials = setting.size(3000, 50000);
  std::vector<double> losses(records);
  random::uniforms(losses, seed_of(setting, "kan-correlated-noise/lemma-c.19"), random::Purpose::data, 0, 0);
  double mean = 0.0;
  for (double& loss : losses) {
    loss = loss < 0.5 ? 0.0 : 1.0;
    mean += loss / records;
  }
  const double bound = bounds::batch_loss_excess(1.0, steps, batch_size, delta);
  Coverage seen(0.17);
  for (std::size_t i = 0; i < trials; ++i) {
    simulate::SharedRandomness random(descent(batch_size, 0.1, 2, 0.0, 0.0), records, 1,
                                      seed_of(setting, "kan-correlated-noise/lemma-c.19", 1),
                                      static_cast<std::uint32_t>(i));
    double excess = 0.0;
    for (std::size_t t = 1; t <= steps; ++t) {
      excess -= mean;
      for (const std::uint32_t record : random.batch(t)) {
        excess += losses[record] / batch_size;
      }
    }
    seen.see(excess, bound);
  }
  seen.report(outcome, delta, "summed batch losses over summed losses");
}

void lemma_d_12(const Setting& setting, Outcome& outcome) {
  const std::string_view id = "kan-correlated-noise/lemma-d.12";
  const auto bound = [](const Sums& sums) {
    return bounds::independent_noise_bound(
        {dimension, steps, batch_size, sums.setting().step_size, 1.0, 1.0, 1.0, 4.0 * delta, 0.0, 0.0});
  };
  const auto part = [&](const char* name, double Sums::Path::*value, const std::function<double(const Sums&)>& limit,
                        double control) {
    const auto of_path = [value](const Sums::Path& path) { return path.*value; };
    Outcome one;
    coverage(setting, one, id, of_path, limit, control, name, name);
    outcome.claim.add(one.claim);
    outcome.control.add(one.control);
  };
  using Path = Sums::Path;
  part(
      "(a) sum |D_t|^2", &Path::batch_energy, [&](const Sums& sums) { return bound(sums).batch_energy; }, 0.22);
  part(
      "(b) sum |Z_t|^2", &Path::noise_energy, [&](const Sums& sums) { return bound(sums).noise_energy; }, 0.85);
  part(
      "(c) sum <D_t, e>", &Path::batch_cross, [&](const Sums& sums) { return bound(sums).batch_cross / 3.0; }, 0.08);
  part(
      "(d) sum <Z_t, e>", &Path::noise_cross, [&](const Sums& sums) { return bound(sums).noise_cross / 3.0; }, 0.22);
}

}  // namespace

std::vector<Case> kan_concentration_cases() {
  const std::string experiment =
      "1000 runs (nightly 100,000) of 60 steps with batches of 5 of 40 unit vectors in R^6; "
      "exact interval against delta = 0.1";
  using Path = Sums::Path;
  const auto term = [](double bounds::CrossTerms::*which, bounds::Constant constant) {
    return [which, constant](const Sums& sums) {
      return bounds::cross_terms(sums.run(), 1.0, 1.0, noise_energy_bound(sums), delta, constant).*which;
    };
  };
  const auto both = [&](double bounds::CrossTerms::*which, double Path::*value, double control, std::string_view id,
                        const char* what) {
    return [=](const Setting& setting, Outcome& outcome) {
      coverage(
          setting, outcome, id, [value](const Path& path) { return path.*value; }, term(which, bounds::Constant::proof),
          control, std::string(what) + ", constant of the proof");
    };
  };
  const auto simple = [](std::string_view id, double Path::*value, std::function<double(const Sums&)> bound,
                         double control, const char* what) {
    return [=](const Setting& setting, Outcome& outcome) {
      coverage(
          setting, outcome, id, [value](const Path& path) { return path.*value; }, bound, control, what);
    };
  };
  return {
      {"kan-correlated-noise/lemma-b.2", "variance of a batch mean drawn without replacement",
       "3000 batches (nightly 100,000) of 5 of 30 gradients of a KAN, 6.5 standard errors", "(n - B)/(n - 1) left out",
       [](const Setting& setting, Outcome& outcome) {
         batch_variance(setting, outcome, "kan-correlated-noise/lemma-b.2", 5.0);
       }},
      {"kan-correlated-noise/lemma-c.4", "tail of a sum of squares of normals", experiment, "0.8 of the bound",
       simple(
           "kan-correlated-noise/lemma-c.4", &Path::noise_energy,
           [](const Sums&) { return bounds::chi_squared_bound((steps - 1.0) * dimension, -std::log(delta)); }, 0.8,
           "sum of 354 squares")},
      {"kan-correlated-noise/lemma-c.5", "largest and summed squared noise", experiment,
       "0.65 of the bound of the largest |Z_t|",
       simple(
           "kan-correlated-noise/lemma-c.5", &Path::largest_noise,
           [](const Sums& sums) { return bounds::noise_bounds(dimension, sums.run().iterates, delta).largest; }, 0.65,
           "largest |Z_t|")},
      {"kan-correlated-noise/lemma-c.6", "summed squared fluctuation of batches", experiment, "0.22 of the bound",
       simple(
           "kan-correlated-noise/lemma-c.6", &Path::batch_energy,
           [](const Sums& sums) { return bounds::batch_energy(sums.run().iterates, 1.0, batch_size, delta); }, 0.22,
           "sum |D_t|^2")},
      {"kan-correlated-noise/lemma-c.7", "partial sums of the batch cross term, with the constant of the proof",
       experiment, "0.18 of the bound",
       both(&bounds::CrossTerms::batch, &Path::batch, 0.18, "kan-correlated-noise/lemma-c.7", "batch cross term")},
      {"kan-correlated-noise/lemma-c.8", "partial sums of the noise cross term, with the constant of the proof",
       experiment, "0.58 of the bound",
       both(&bounds::CrossTerms::noise, &Path::noise, 0.58, "kan-correlated-noise/lemma-c.8", "noise cross term")},
      {"kan-correlated-noise/lemma-c.9", "partial sums of the mixed cross term, with the constant of the proof",
       experiment, "0.19 of the bound",
       both(&bounds::CrossTerms::mixed, &Path::mixed, 0.19, "kan-correlated-noise/lemma-c.9", "mixed cross term")},
      {"kan-correlated-noise/lemma-c.10", "partial sums of all three cross terms", experiment, "0.085 of the bound",
       simple(
           "kan-correlated-noise/lemma-c.10", &Path::all,
           [](const Sums& sums) {
             return bounds::potential_terms(sums.run(), 1.0, 1.0, noise_energy_bound(sums), delta).sum();
           },
           0.085, "potential")},
      {"kan-correlated-noise/lemma-c.18", "Freedman's inequality",
       "1000 walks (nightly 100,000) of 100 signs; exact interval against delta = 0.1", "0.32 of the bound",
       lemma_c_18},
      {"kan-correlated-noise/lemma-c.19", "summed batch losses exceed summed losses by no more than the bound",
       "3000 runs (nightly 50,000) of 60 batches of 5 of 40 fixed losses 0 and 1", "0.17 of the bound", lemma_c_19},
      {"kan-correlated-noise/lemma-d.10", "variance of a batch mean, as Lemma B.2",
       "3000 batches (nightly 100,000) of 20 of 30 gradients of a KAN, 6.5 standard errors", "(n - B)/(n - 1) left out",
       [](const Setting& setting, Outcome& outcome) {
         batch_variance(setting, outcome, "kan-correlated-noise/lemma-d.10", 20.0);
       }},
      {"kan-correlated-noise/lemma-d.12", "energies and cross terms under independent noise", experiment,
       "0.22, 0.85, 0.08 and 0.22 of the four bounds (the last two are covered at a third of their size)", lemma_d_12}};
}

}  // namespace dpcurves::validation::kan_correlated_noise
