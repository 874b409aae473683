// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/likelihood.hpp>
#include <dpcurves/correlated/matrix_mechanism.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/participation_mean.hpp>

namespace dpcurves::correlated {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

bool independent(const models::StrategyMatrix& strategy) {
  return strategy.form() == models::StrategyMatrix::Form::exponential && strategy.lambda() == 0.0;
}

}  // namespace

std::vector<DirectedPair> directed_pairs(const MatrixMechanism& mechanism) {
  const bool poisson = mechanism.sampling == Sampler::poisson;
  if (!poisson && mechanism.sampling != Sampler::fixed_size) {
    return {};
  }
  if (mechanism.adjacency == Adjacency::replace_one) {
    return {{"both", poisson ? MeanMultiples{1.0, -1.0} : MeanMultiples{2.0, -2.0}}};
  }
  if (!poisson && mechanism.adjacency != Adjacency::zero_out) {
    return {};
  }
  const MeanMultiples with = poisson ? MeanMultiples{1.0, 0.0} : MeanMultiples{2.0, -1.0};
  std::vector<DirectedPair> pairs;
  if (mechanism.adjacency != Adjacency::add) {
    pairs.push_back({"remove", with});
  }
  if (mechanism.adjacency != Adjacency::remove) {
    pairs.push_back({"add", with.reversed()});
  }
  return pairs;
}

double record_sensitivity(const MatrixMechanism& mechanism) {
  return mechanism.adjacency == Adjacency::replace_one ? 2.0 : 1.0;
}

accounting::DpSgd independent_steps(const MatrixMechanism& mechanism) {
  return accounting::DpSgd{.sampling = mechanism.sampling,
                           .adjacency = mechanism.adjacency,
                           .phases = {{mechanism.noise_multiplier, mechanism.sampling_rate,
                                       static_cast<double>(mechanism.strategy.steps())}}};
}

std::vector<Violation> violations(const MatrixMechanism& mechanism, Method method) {
  require_domain(mechanism.sampling_rate > 0.0 && mechanism.sampling_rate <= 1.0, "sampling_rate",
                 mechanism.sampling_rate, "(0, 1]");
  require_domain(mechanism.noise_multiplier > 0.0 && std::isfinite(mechanism.noise_multiplier), "noise_multiplier",
                 mechanism.noise_multiplier, "(0, inf)");
  const auto& strategy = mechanism.strategy;
  const bool exponential = strategy.form() == models::StrategyMatrix::Form::exponential;
  const auto steps = static_cast<double>(strategy.steps());
  std::vector<Violation> list;
  if (directed_pairs(mechanism).empty()) {
    const bool fixed = mechanism.sampling == Sampler::fixed_size;
    list.push_back(
        {fixed ? "adjacency zero-out or replace-one with batches of a fixed size" : "sampling poisson or fixed-size",
         std::string(fixed ? name(mechanism.adjacency) : name(mechanism.sampling)),
         fixed ? "adjacency zero-out or replace-one, or poisson batches" : "poisson or fixed-size batches"});
  }
  switch (method) {
    case Method::closed_form:
      if (!exponential || strategy.lambda() >= 1.0) {
        list.push_back({"lambda-CGD with lambda < 1", "another strategy matrix", "lambda-CGD"});
      }
      if (const double expected = mechanism.sampling_rate * steps; expected < 3.0 * std::log(2.0)) {
        list.push_back({"r T >= 3 log(2/delta)", "r T = " + shortest(expected),
                        "more steps or larger batches: r T of at least 2.1, and of 3 log(2/delta) for each delta"});
      }
      break;
    case Method::same_batch:
      break;
    case Method::participation_mean:
      if (!ParticipationMean::applies(strategy)) {
        list.push_back(
            {"lambda-CGD with lambda < 1 or a bandwidth of at most 10, at most 4000 steps",
             "bandwidth " + shortest(static_cast<double>(strategy.bandwidth())) + ", " + shortest(steps) + " steps",
             "lambda-CGD, or a band that is cut at 10; 4000 steps or fewer"});
      }
      break;
    case Method::composition:
      if (!independent(strategy)) {
        list.push_back(
            {"independent noise",
             exponential ? "lambda = " + shortest(strategy.lambda()) : std::string("another strategy matrix"),
             "--lambda 0: independent noise"});
      }
      break;
    case Method::mixture:
      if (steps > most_mixture_steps) {
        list.push_back({"at most 10000 steps", shortest(steps) + " steps", "10000 steps or fewer"});
      }
      break;
    case Method::likelihood:
      if (!has_participation_chain(strategy)) {
        list.push_back({"lambda-CGD with lambda < 1, a bandwidth of at most 14, or at most 16 steps",
                        "bandwidth " + shortest(static_cast<double>(strategy.bandwidth())),
                        "lambda-CGD, or a band that is cut at 14"});
      }
      break;
  }
  return list;
}

}  // namespace dpcurves::correlated
