// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/least_squares_data.hpp>

namespace dpcurves::simulate {
namespace {

using random::Purpose;

void fill_signs(std::span<double> out, std::uint64_t seed, std::uint32_t path, std::uint64_t record) {
  random::Words words(seed, Purpose::sampling, path, record << 32U);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < out.size(); ++i, bits >>= 1U) {
    if (i % 64 == 0) {
      bits = words.next();
    }
    out[i] = (bits & 1U) != 0 ? 1.0 : -1.0;
  }
}

}  // namespace

double kurtosis(Entries entries) {
  switch (entries) {
    case Entries::gaussian:
      return 3.0;
    case Entries::uniform:
      return 1.8;
    case Entries::rademacher:
      return 1.0;
    case Entries::coordinate:
      break;
  }
  throw DomainError("kurtosis: the entries of coordinate features are not independent");
}

RecordLaw centred_records(Entries entries, std::span<const double> eigenvalues, std::span<const double> target,
                          double label_noise) {
  RecordLaw law;
  law.entries = entries;
  for (const double eigenvalue : eigenvalues) {
    require_domain(eigenvalue >= 0.0, "eigenvalue", eigenvalue, "[0, inf)");
    law.standard_deviations.push_back(std::sqrt(eigenvalue));
  }
  law.target.assign(target.begin(), target.end());
  law.label_noise = label_noise;
  return law;
}

RecordLaw section_5_records(std::size_t dimension, std::uint64_t seed) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  const double scale = 1.0 / std::sqrt(static_cast<double>(dimension));
  RecordLaw law;
  law.entries = Entries::uniform;
  law.standard_deviations.assign(dimension, scale / std::sqrt(12.0));
  law.means.assign(dimension, 0.5 * scale);
  law.target.resize(dimension);
  random::uniforms(law.target, seed, Purpose::initialisation, 0, 0);
  for (double& entry : law.target) {
    entry *= scale;
  }
  law.label_noise = 0.1 * scale;
  law.label_clip = 3.0;
  return law;
}

RecordDraw::RecordDraw(const RecordLaw& law) : law_(law) {
  const std::size_t d = law.dimension();
  require_domain(d >= 1, "dimension", static_cast<double>(d), "[1, inf)");
  require_domain(law.target.size() == d, "entries of the target", static_cast<double>(law.target.size()),
                 "the dimension");
  require_domain(law.means.empty() || law.means.size() == d, "entries of the mean",
                 static_cast<double>(law.means.size()), "the dimension, or none");
  for (const double scale : law.standard_deviations) {
    require_domain(scale >= 0.0 && std::isfinite(scale), "standard deviation", scale, "[0, inf)");
  }
  require_domain(law.label_noise >= 0.0 && std::isfinite(law.label_noise), "label_noise", law.label_noise, "[0, inf)");
  require_domain(law.label_clip > 0.0, "label_clip", law.label_clip, "(0, inf]");
}

void RecordDraw::draw(std::span<double> features, std::span<double> labels, std::uint64_t seed, std::uint32_t path,
                      std::size_t first) {
  const std::size_t d = law_.dimension(), count = labels.size();
  const std::size_t stride = d + d % 2;
  // Label noise is numbered apart from the features: draws 2^62 + k.
  noise_.resize(count);
  if (law_.label_noise > 0.0) {
    random::normals(noise_, seed, Purpose::data, path, (std::uint64_t{1} << 62U) + first);
  } else {
    std::fill(noise_.begin(), noise_.end(), 0.0);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = features.subspan(k * d, d);
    const std::uint64_t record = first + k;
    switch (law_.entries) {
      case Entries::gaussian:
        random::normals(row, seed, Purpose::data, path, record * stride);
        break;
      case Entries::uniform:
        random::uniforms(row, seed, Purpose::data, path, record * stride);
        for (double& entry : row) {
          entry = (entry - 0.5) * 3.4641016151377544;  // sqrt(12)
        }
        break;
      case Entries::rademacher:
        fill_signs(row, seed, path, record);
        break;
      case Entries::coordinate:
        std::fill(row.begin(), row.end(), 0.0);
        row[random::Words(seed, Purpose::sampling, path, record << 32U).below(d)] = std::sqrt(static_cast<double>(d));
        break;
    }
    for (std::size_t i = 0; i < d; ++i) {
      row[i] *= law_.standard_deviations[i];
    }
    for (std::size_t i = 0; i < law_.means.size(); ++i) {
      row[i] += law_.means[i];
    }
    labels[k] = dot(row, law_.target) + law_.label_noise * std::clamp(noise_[k], -law_.label_clip, law_.label_clip);
  }
}

Records draw_records(const RecordLaw& law, std::size_t size, std::uint64_t seed, std::uint32_t path) {
  Records records{law.dimension(), std::vector<double>(size * law.dimension()), std::vector<double>(size)};
  RecordDraw(law).draw(records.features, records.labels, seed, path, 0);
  return records;
}

double dot(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> partial{};
  const std::size_t whole = x.size() - x.size() % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) {
      partial[j] += x[i + j] * y[i + j];
    }
  }
  double rest = 0.0;
  for (std::size_t i = whole; i < x.size(); ++i) {
    rest += x[i] * y[i];
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7])) + rest;
}

}  // namespace dpcurves::simulate
