// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The comparison page of the accountant: what is certified, how sharply, and what other analyses say.
#include <cmath>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/queries/reproduce.hpp>

namespace dpcurves::queries::reproduce {
namespace {

using accounting::DpSgd;
using mechanism::Adjacency;
using mechanism::Sampler;

struct Regime {
  const char* name;
  double noise_multiplier, sampling_rate, steps;
};

const std::vector<Regime>& regimes() {
  static const std::vector<Regime> list{{"Z = 1, q = 0.01, T = 1e3", 1.0, 0.01, 1e3},
                                        {"Z = 0.8, q = 0.005, T = 1e3", 0.8, 0.005, 1e3},
                                        {"Z = 1.1, q = 256/60000, T = 14063", 1.1, 256.0 / 60000.0, 14063},
                                        {"Z = 4, q = 0.01, T = 1e4", 4.0, 0.01, 1e4},
                                        {"Z = 2/3, q = 0.02, T = 3e3", 2.0 / 3.0, 0.02, 3e3},
                                        {"Z = 10, q = 0.5, T = 100", 10.0, 0.5, 100},
                                        {"Z = 0.5, q = 1e-3, T = 1e4", 0.5, 1e-3, 1e4},
                                        {"Z = 50, q = 0.1, T = 1e4", 50.0, 0.1, 1e4},
                                        {"Z = 20, q = 0.9, T = 1e3", 20.0, 0.9, 1e3},
                                        {"Z = 10, q = 0.01, T = 1e5", 10.0, 0.01, 1e5},
                                        {"Z = 1, q = 1e-3, T = 1e5", 1.0, 1e-3, 1e5},
                                        {"Z = 0.5, q = 1e-4, T = 1e6", 0.5, 1e-4, 1e6},
                                        {"Z = 10, q = 1e-4, T = 1e6", 10.0, 1e-4, 1e6},
                                        {"Z = 1, q = 0.01, T = 1e6", 1.0, 0.01, 1e6},
                                        {"Z = 0.45, q = 0.2, T = 50", 0.45, 0.2, 50},
                                        {"Z = 1, q = 1e-5, T = 1e6", 1.0, 1e-5, 1e6}};
  return list;
}

DpSgd poisson(const Regime& regime) {
  DpSgd run;
  run.phases = {{regime.noise_multiplier, regime.sampling_rate, regime.steps}};
  return run;
}

/// What the three analyses say about one regime.
struct RegimeAnswers {
  Enclosure certified;
  double renyi, limit;
};

RegimeAnswers regime_answers(const Regime& regime, double delta) {
  const auto list = accounting::dp_sgd_guarantees(poisson(regime));
  return {list[0].curve->epsilon(delta).value, list[1].curve->epsilon(delta).value.upper,
          list[2].curve->epsilon(delta).value.upper};
}

Reproduced comparison() {
  Reproduced result{{"regime", "delta", "quantity"}};
  for (const Regime& regime : regimes()) {
    for (const double delta : {1e-5, 1e-9, 1e-12}) {
      const RegimeAnswers found = regime_answers(regime, delta);
      const auto add = [&](const char* quantity, double value) {
        result.add({regime.name, shortest(delta), quantity}, value);
      };
      add("epsilon, certified", found.certified.upper);
      add("relative width of the bracket", found.certified.relative_width());
      add("Renyi over certified", found.renyi / found.certified.upper);
      add("central limit over certified", found.limit / found.certified.upper);
    }
  }
  result.notes = {"add or remove one record, Poisson sampling; the central limit is an approximation"};
  return result;
}

/// A number about the answers, over delta from 1e-3 on, for a few telling regimes.
Reproduced over_delta(const std::string& title, const std::string& label, double smallest_exponent,
                      const std::function<double(const RegimeAnswers&)>& value) {
  const std::vector<std::size_t> chosen{0, 2, 6, 7, 13, 14, 15};
  Reproduced result{{"regime", "delta"}};
  io::Plot plot{title + "\nnoise multiplier Z, sampling rate q, T steps; Poisson batches, add or remove one record",
                {"delta", true},
                {label, true},
                io::Legend::outside};
  for (const std::size_t index : chosen) {
    const Regime& regime = regimes()[index];
    std::vector<double> x, y;
    for (double exponent = 3.0; exponent <= smallest_exponent; exponent += 1.0) {
      const double delta = std::pow(10.0, -exponent);
      x.push_back(delta);
      y.push_back(value(regime_answers(regime, delta)));
      result.add({regime.name, shortest(delta)}, y.back());
    }
    plot.series.push_back(io::line(regime.name, std::move(x), std::move(y)));
  }
  result.plot = std::move(plot);
  return result;
}

Reproduced renyi_figure() {
  return over_delta("Renyi accountant over the certified epsilon", "ratio of epsilons", 12.0,
                    [](const RegimeAnswers& a) { return a.renyi / a.certified.upper; });
}

Reproduced limit_figure() {
  return over_delta("Central limit over the certified epsilon", "ratio of epsilons", 12.0,
                    [](const RegimeAnswers& a) { return a.limit / a.certified.upper; });
}

Reproduced width_figure() {
  return over_delta("Relative width of the certified bracket of epsilon", "relative width", 15.0,
                    [](const RegimeAnswers& a) { return std::max(a.certified.relative_width(), 1e-16); });
}

/// One setting under every sampler and adjacency.
Reproduced samplers() {
  Reproduced result{{"sampling", "adjacency"}};
  for (const Sampler sampling : {Sampler::poisson, Sampler::fixed_size, Sampler::random_allocation, Sampler::shuffled,
                                 Sampler::cyclic, Sampler::none}) {
    for (const Adjacency adjacency :
         {Adjacency::add_or_remove, Adjacency::remove, Adjacency::add, Adjacency::zero_out, Adjacency::replace_one}) {
      DpSgd run{.sampling = sampling, .adjacency = adjacency, .phases = {{1.0, 0.01, 1000}}};
      if (accounting::violations(run).empty()) {
        const auto found = accounting::dp_sgd_guarantee(run).curve->epsilon(1e-5).value;
        result.add({std::string(name(sampling)), std::string(name(adjacency))}, found.upper);
      }
    }
  }
  result.notes = {"epsilon at delta = 1e-5 for noise multiplier 1, q = 0.01, 1000 steps (10 epochs of 100)"};
  return result;
}

}  // namespace

std::vector<Reproduction> accountant_comparisons() {
  return {{"accountant/table-1", "certified epsilon, Renyi and central limit over a grid of regimes", comparison},
          {"accountant/table-2", "epsilon of one setting under every sampler and adjacency", samplers},
          {"accountant/figure-1", "how loose the Renyi accountant is", renyi_figure},
          {"accountant/figure-2", "how wrong the central limit is", limit_figure},
          {"accountant/figure-3", "how wide the certified bracket is", width_figure}};
}

}  // namespace dpcurves::queries::reproduce
