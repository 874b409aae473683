// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/risk_kernel.hpp>

namespace dpcurves::homogenized {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr Index most_plain = 128;      // blocks that are solved without compression
constexpr double compression = 3e-15;  // wanted gap of accurate rules
constexpr double rounding = 1e-14;     // of the order of two rules, relative to the sum at 0

/// The rule of a sum, and its gap relative to the sum at 0.
std::pair<ExponentialSum, double> rule_of(const ExponentialSum& sum, double longest, const SpectrumRule& rule) {
  if (rule.side == SpectrumSide::accurate) {
    double gap = 0.0;
    auto rules = compress_to(sum, longest, compression, &gap);
    return {std::move(rules.lower), gap};
  }
  auto rules = compress(sum, rule.nodes);
  return {std::move(rule.side == SpectrumSide::lower ? rules.lower : rules.upper), rounding};
}

SpectrumSide opposite(SpectrumSide side) {
  switch (side) {
    case SpectrumSide::lower:
      return SpectrumSide::upper;
    case SpectrumSide::upper:
      return SpectrumSide::lower;
    case SpectrumSide::accurate:
      break;
  }
  return SpectrumSide::accurate;
}

}  // namespace

CompressedKernels compressed_kernels(const models::LeastSquares& problem, const ArrayXd& rates, double longest,
                                     const SpectrumRule& rule) {
  require_domain(rule.side == SpectrumSide::accurate || rule.nodes >= 1, "nodes", rule.nodes, "[1, inf)");
  const ArrayXd& lambda = problem.spectrum.eigenvalues();
  const ArrayXd mass = problem.spectrum.multiplicity() / problem.dimension;
  const ArrayXd twice = 2.0 * rates;
  CompressedKernels result;
  auto& lines = result.lines;
  if (lambda.size() <= (rule.side == SpectrumSide::accurate ? most_plain : rule.nodes)) {
    lines = {twice, mass * lambda.square(), 0.5 * mass * lambda, 2.0 * mass * lambda, mass};
    result.kernel_terms = lambda.size();
    return result;
  }
  std::vector<ExponentialSum> parts;
  const auto add = [&](const ArrayXd& weights) {
    auto [part, gap] = rule_of({twice, weights}, longest, rule);
    parts.push_back(std::move(part));
    return gap * weights.sum();
  };
  result.kernel_gap = add(mass * lambda.square());
  result.noise_gap = add(0.5 * mass * lambda);
  if (problem.regularisation > 0.0) {
    add(mass);
  }
  result.kernel_terms = parts.front().rates.size();
  Index count = 0;
  for (const auto& part : parts) {
    count += part.rates.size();
  }
  lines.rates.resize(count);
  for (auto* weights : {&lines.kernel, &lines.noise, &lines.trace_risk, &lines.trace_noise}) {
    *weights = ArrayXd::Zero(count);
  }
  Index start = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Index size = parts[k].rates.size();
    lines.rates.segment(start, size) = parts[k].rates;
    if (k == 0) {
      lines.kernel.segment(start, size) = parts[k].weights;
    } else if (k == 1) {
      lines.noise.segment(start, size) = parts[k].weights;
      lines.trace_risk.segment(start, size) = 4.0 * parts[k].weights;
    } else {
      lines.trace_noise.segment(start, size) = parts[k].weights;
    }
    start += size;
  }
  return result;
}

Forcing::Forcing(const models::LeastSquares& problem, const GradientFlow& flow, double longest, SpectrumSide side)
    : flow_(flow) {
  const ArrayXd& lambda = problem.spectrum.eigenvalues();
  if (lambda.size() <= most_plain) {
    return;
  }
  constexpr int nodes = 32;
  const auto add = [&](double factor, double rate_factor, const ArrayXd& weights) {
    if ((weights > 0.0).any()) {
      auto [part, gap] =
          rule_of({rate_factor * flow.rates(), weights}, longest, {factor > 0.0 ? side : opposite(side), nodes});
      parts_.emplace_back(factor, std::move(part));
      gap_ += std::abs(factor) * gap * weights.sum();
    }
  };
  add(0.5, 2.0, lambda * flow.decaying());
  add(1.0, 1.0, (lambda * flow.mixed()).max(0.0));
  add(-1.0, 1.0, (-lambda * flow.mixed()).max(0.0));
  constant_ = 0.5 * (lambda * flow.staying()).sum() + 0.5 * problem.label_noise;
  compressed_ = true;
}

double Forcing::operator()(double tau) const {
  if (!compressed_) {
    return flow_.population_risk(tau);
  }
  double sum = constant_;
  for (const auto& [factor, part] : parts_) {
    sum += factor * part(tau);
  }
  return sum;
}

}  // namespace dpcurves::homogenized
