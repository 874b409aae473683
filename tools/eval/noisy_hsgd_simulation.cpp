// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": oracles of noisy least
// squares that need no diffusion limit, and the fluctuations of its risk.
#include <cmath>

#include <dpcurves/core/error.hpp>
#include <dpcurves/homogenized/risk_fluctuation.hpp>
#include <dpcurves/simulate/least_squares_law.hpp>

#include "eval/calculator.hpp"
#include "support/exit.hpp"
#include "support/least_squares_file.hpp"

namespace dpcurves::tools::eval {
namespace {

Json exact_mean(const Inputs& in) {
  Json given = Json::object();
  for (const char* key : {"lambda_", "spectrum", "x0", "xtilde", "E_xi2", "delta", "sigma", "dim"}) {
    if (!in.json(key).is_null()) {
      given[key] = in.json(key);
    }
  }
  given["schedule"] = {{"type", "constant"}, {"gamma0", in.number("gamma")}};
  const auto risks = simulate::exact_mean_risks(read_least_squares(given), in.number("kurtosis"),
                                                static_cast<std::size_t>(in.number("n")));
  return {{"EP_n", number(risks.back())}};
}

Json fluctuation(const Inputs& in) {
  const auto result = homogenized::risk_fluctuation({in.number("lambda_"), in.number("gamma"), in.number("E_xi2"),
                                                     in.number("sigma"), in.number("norm2_error0"), in.number("dim")},
                                                    in.number("t"));
  return {{"mean_P", number(result.mean)},
          {"var_P_hsgd", number(result.variance_hsgd)},
          {"var_P_linear", number(result.variance_linear)},
          {"var_P_sgd_leading", number(result.variance_sgd)}};
}

}  // namespace

std::vector<Calculator> noisy_hsgd_simulation_calculators() {
  const std::string prefix = "noisy-hsgd/";
  std::vector<Key> mean_keys = problem_keys();
  mean_keys.back() = number_key("gamma", "[0, inf)", "constant step size gamma = d eta");
  mean_keys.push_back(integer_key("n", "[0, 1000000000]", "number of steps"));
  mean_keys.push_back(number_key("kurtosis", "[1, inf)", "E z^4 of one coordinate of the features: Gaussian 3"));
  return {{prefix + "risk-sgd-exact-mean",
           "mean risk of noisy SGD over random data, without a limit in d (recursion of the second moments)", mean_keys,
           exact_mean},
          {prefix + "risk-fluctuation-isotropic",
           "mean and variance of the risk of SGD, HSGD and linearised HSGD for Sigma = lambda I (derived)",
           {number_key("lambda_", "[0, inf)", "the eigenvalue"), number_key("gamma", "[0, inf)", "constant step size"),
            number_key("E_xi2", "[0, inf)", "variance of the label noise"),
            number_key("sigma", "[0, inf)", "noise per coordinate of a gradient"),
            number_key("norm2_error0", "[0, inf)", "|x0 - xtilde|^2"), number_key("dim", "(0, inf)", "dimension d"),
            number_key("t", "[0, inf)", "time k/d")},
           fluctuation}};
}

}  // namespace dpcurves::tools::eval
