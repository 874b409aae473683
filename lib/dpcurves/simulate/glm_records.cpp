// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/glm_records.hpp>

namespace dpcurves::simulate {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void scale_to(std::span<double> x, double length) {
  const double factor = length / std::sqrt(dot(x, x));
  for (double& value : x) {
    value *= factor;
  }
}

/// Calls use(x, y) for the first `count` records, a block at a time.
template <class Use>
void for_each_record(RecordSource& records, std::uint64_t count, const Use& use) {
  constexpr std::size_t block = 64;
  const std::size_t d = records.dimension();
  std::vector<double> x(block * d), y(block);
  for (std::uint64_t first = 0; first < count; first += block) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(block, count - first));
    records.read(first, std::span(x).first(size * d), std::span(y).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      use(std::span<const double>(x).subspan(i * d, d), y[i]);
    }
  }
}

}  // namespace

DrawnRecords::DrawnRecords(GlmLaw law, std::uint64_t records, std::uint64_t seed, std::uint32_t path)
    : law_(std::move(law)), records_(records), seed_(seed), path_(path) {
  const auto d = static_cast<double>(law_.dimension);
  require_domain(law_.dimension >= (law_.features == FeatureLaw::spiked ? 2U : 1U), "dimension", d, "[1, inf)");
  require_domain(law_.parameter.size() == law_.dimension, "size of the parameter",
                 static_cast<double>(law_.parameter.size()), "the dimension");
  require_domain(law_.rank <= law_.dimension, "rank", static_cast<double>(law_.rank), "[0, dimension]");
  require_domain(law_.rank == 0 || law_.features == FeatureLaw::unit_sphere, "rank", static_cast<double>(law_.rank),
                 "0 but for the unit sphere");
  require_domain(law_.label_noise >= 0.0 && std::isfinite(law_.label_noise), "label_noise", law_.label_noise,
                 "[0, inf)");
  require_domain(law_.labels != LabelLaw::two_point || std::isfinite(law_.link.bound()), "bound of the link",
                 law_.link.bound(), "finite values for labels of two classes");
  stride_ = law_.dimension + law_.dimension % 2;
  constexpr double most = 1.1e12;
  require_domain(records >= 1 && static_cast<double>(records) * static_cast<double>(stride_) < most, "records",
                 static_cast<double>(records), "[1, 2^40/dimension]");
}

void DrawnRecords::read(std::uint64_t first, std::span<double> features, std::span<double> labels) {
  const std::size_t count = labels.size(), d = law_.dimension;
  numbers_.resize(count * stride_);
  const bool uniform = law_.features == FeatureLaw::cube || law_.features == FeatureLaw::exponential;
  (uniform ? random::uniforms(numbers_, seed_, random::Purpose::data, path_, first * stride_)
           : random::normals(numbers_, seed_, random::Purpose::data, path_, first * stride_));
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = features.subspan(i * d, d);
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(i * stride_), d, x.begin());
    switch (law_.features) {
      case FeatureLaw::unit_sphere: {
        const std::size_t rank = law_.rank == 0 ? d : law_.rank;
        std::fill(x.begin() + static_cast<std::ptrdiff_t>(rank), x.end(), 0.0);
        scale_to(x.first(rank), 1.0);
        break;
      }
      case FeatureLaw::wide_sphere:
        scale_to(x, std::sqrt(static_cast<double>(d)));
        break;
      case FeatureLaw::gaussian:
        break;
      case FeatureLaw::cube:
        for (double& value : x) {
          value = std::numbers::sqrt3 * (2.0 * value - 1.0);
        }
        break;
      case FeatureLaw::exponential:
        for (double& value : x) {
          value = -std::log(value) - 1.0;
        }
        break;
      case FeatureLaw::spiked:
        x[0] = std::copysign(0.8, x[0]);
        scale_to(x.subspan(1), 0.6);
        break;
    }
  }
  // Two uniforms per block of the generator: one label uses number 2 i, so that blocks may start anywhere.
  if (law_.labels != LabelLaw::exact) {
    numbers_.resize(2 * count);
    random::uniforms(numbers_, seed_, random::Purpose::sampling, path_, 2 * first);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = features.subspan(i * d, d);
    const double u = dot(law_.parameter, x), mean = law_.mean ? law_.mean(x, u) : law_.link.value(u);
    switch (law_.labels) {
      case LabelLaw::exact:
        labels[i] = mean;
        break;
      case LabelLaw::two_point: {
        const double low = law_.link.lowest(), high = law_.link.highest();
        labels[i] = numbers_[2 * i] * (high - low) < mean - low ? high : low;
        break;
      }
      case LabelLaw::signs:
        labels[i] = mean + (numbers_[2 * i] < 0.5 ? -law_.label_noise : law_.label_noise);
        break;
    }
  }
}

StoredRecords::StoredRecords(std::size_t dimension, std::vector<double> features, std::vector<double> labels)
    : dimension_(dimension), features_(std::move(features)), labels_(std::move(labels)) {
  require_domain(dimension >= 1, "dimension", static_cast<double>(dimension), "[1, inf)");
  require_domain(!labels_.empty(), "records", 0.0, "[1, inf)");
  require_domain(features_.size() == dimension * labels_.size(), "size of the features",
                 static_cast<double>(features_.size()), "records times dimension");
}

void StoredRecords::read(std::uint64_t first, std::span<double> features, std::span<double> labels) {
  std::copy_n(features_.begin() + static_cast<std::ptrdiff_t>(first * dimension_), features.size(), features.begin());
  std::copy_n(labels_.begin() + static_cast<std::ptrdiff_t>(first), labels.size(), labels.begin());
}

MappedRecords::MappedRecords(RecordSource& base, models::JohnsonLindenstrauss& map)
    : base_(base),
      target_(map.target()),
      map_([&map](std::span<const double> x, std::span<double> out) { return map.apply(x, out); }) {
  require_domain(map.dimension() == base.dimension(), "dimension of the map", static_cast<double>(map.dimension()),
                 "that of the records");
}

MappedRecords::MappedRecords(RecordSource& base, const models::PolynomialFeatures& map)
    : base_(base), target_(map.size()), map_([&map](std::span<const double> x, std::span<double> out) {
        map.evaluate(x, out);
        return false;
      }) {
  require_domain(map.inputs() == base.dimension(), "inputs of the map", static_cast<double>(map.inputs()),
                 "the dimension of the records");
}

void MappedRecords::read(std::uint64_t first, std::span<double> features, std::span<double> labels) {
  const std::size_t d = base_.dimension();
  block_.resize(labels.size() * d);
  base_.read(first, block_, labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    shortened_ += static_cast<std::uint64_t>(
        map_(std::span<const double>(block_).subspan(i * d, d), features.subspan(i * target_, target_)));
  }
}

std::vector<double> mean_squared_differences(RecordSource& records, const models::Link& link,
                                             std::span<const double> candidates, std::span<const double> truth) {
  const std::size_t d = records.dimension();
  require_domain(truth.size() == d, "size of the truth", static_cast<double>(truth.size()), "the dimension");
  require_domain(candidates.size() % d == 0, "size of the candidates", static_cast<double>(candidates.size()),
                 "a multiple of the dimension");
  std::vector<double> means(candidates.size() / d, 0.0);
  const auto n = static_cast<double>(records.records());
  for_each_record(records, records.records(), [&](std::span<const double> x, double) {
    const double mean = link.value(dot(truth, x));
    for (std::size_t c = 0; c < means.size(); ++c) {
      const double difference = link.value(dot(candidates.subspan(c * d, d), x)) - mean;
      means[c] += difference * difference / n;
    }
  });
  return means;
}

double mean_squared_loss(RecordSource& records, const models::Link& link, std::span<const double> w) {
  double sum = 0.0;
  for_each_record(records, records.records(), [&](std::span<const double> x, double y) {
    const double difference = link.value(dot(w, x)) - y;
    sum += difference * difference;
  });
  return sum / static_cast<double>(records.records());
}

std::vector<Violation> violations(const GlmAssumption& assumption, const models::Link& link,
                                  std::span<const double> parameter, RecordSource& records, std::uint64_t count) {
  std::vector<Violation> found;
  const auto check = [&](bool holds, const std::string& asked, const std::string& have) {
    if (!holds) {
      found.push_back({asked, have});
    }
  };
  const double rounding = 1.0 + 1e-12;
  check(link.bound() <= assumption.label_bound * rounding, "link with values in [-B, B]",
        models::to_string(link.kind) + " reaches " + rounded(link.bound(), 6) +
            " > B = " + shortest(assumption.label_bound));
  check(link.lipschitz() <= assumption.lipschitz * rounding, "link that is G-Lipschitz",
        "Lipschitz constant " + rounded(link.lipschitz(), 6) + " > G = " + shortest(assumption.lipschitz));
  const double norm = std::sqrt(dot(parameter, parameter));
  check(norm <= assumption.parameter_norm * rounding, "|w*| <= W",
        "|w*| = " + rounded(norm, 6) + " > W = " + shortest(assumption.parameter_norm));
  double longest = 0.0, label = 0.0;
  for_each_record(records, std::min(count, records.records()), [&](std::span<const double> x, double y) {
    longest = std::max(longest, std::sqrt(dot(x, x)));
    label = std::max(label, std::abs(y));
  });
  check(longest <= assumption.feature_bound * rounding, "|x| <= " + shortest(assumption.feature_bound),
        "a record with |x| = " + rounded(longest, 6));
  check(label <= assumption.label_bound * rounding, "labels in [-B, B]",
        "a label of size " + rounded(label, 6) + " > B = " + shortest(assumption.label_bound));
  return found;
}

std::vector<Violation> isotropy_violations(RecordSource& records, double bound, std::uint64_t count,
                                           double standard_errors) {
  const std::size_t d = records.dimension();
  count = std::min(count, records.records());
  const auto n = static_cast<double>(count);
  double longest = 0.0;
  // Sums and sums of squares of x_i, x_i x_j (i <= j) and x_i |x|^2.
  const std::size_t products = d * (d + 1) / 2, size = d + products + d;
  std::vector<double> sum(size, 0.0), squares(size, 0.0);
  for_each_record(records, count, [&](std::span<const double> x, double) {
    const double square = dot(x, x);
    longest = std::max(longest, std::sqrt(square));
    std::size_t at = 0;
    const auto see = [&](double value) {
      sum[at] += value / n;
      squares[at] += value * value / n;
      ++at;
    };
    std::for_each(x.begin(), x.end(), see);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) {
        see(x[i] * x[j]);
      }
    }
    std::for_each(x.begin(), x.end(), [&](double value) { see(value * square); });
  });
  std::vector<Violation> found;
  if (longest > bound * (1.0 + 1e-12)) {
    found.push_back({"|x| <= " + shortest(bound), "a record with |x| = " + rounded(longest, 6)});
  }
  const auto worst = [&](std::size_t from, std::size_t to, const std::function<double(std::size_t)>& exact) {
    double largest = 0.0;
    for (std::size_t i = from; i < to; ++i) {
      const double error = std::sqrt(std::max(squares[i] - sum[i] * sum[i], 0.0) / n) + 1e-12;
      largest = std::max(largest, std::abs(sum[i] - exact(i)) / error);
    }
    return largest;
  };
  const auto add = [&](const char* asked, double deviation) {
    if (deviation > standard_errors) {
      found.push_back({asked, "off by " + rounded(deviation, 3) + " standard errors"});
    }
  };
  add("E x = 0", worst(0, d, [](std::size_t) { return 0.0; }));
  std::vector<bool> diagonal(size, false);
  for (std::size_t i = 0, at = d; i < d; at += d - i, ++i) {
    diagonal[at] = true;
  }
  add("E x x' = I", worst(d, d + products, [&](std::size_t i) { return diagonal[i] ? 1.0 : 0.0; }));
  add("x and -x of the same law", worst(d + products, size, [](std::size_t) { return 0.0; }));
  return found;
}

}  // namespace dpcurves::simulate
