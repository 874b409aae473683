// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Calculators of "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares": oracles of noisy least
// squares that need no diffusion limit, and the fluctuations of its risk.

#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/gaussian_pair.hpp>
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

/// The data set of keys A and b: rows a_0, a_1, ... and their labels.
simulate::Records read_records(const Inputs& in, std::size_t dimension) {
  const Json& rows = in.json("A");
  if (!rows.is_array() || rows.empty()) {
    throw UsageError("A: is not a list of rows");
  }
  simulate::Records records{dimension, {}, in.numbers("b")};
  if (records.labels.size() != rows.size()) {
    throw DomainError("b: " + std::to_string(records.labels.size()) + " labels are not one for each of the " +
                      std::to_string(rows.size()) + " rows of A");
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string where = "A[" + std::to_string(k) + "]";
    const Eigen::ArrayXd row = read_array(rows[k], where);
    if (static_cast<std::size_t>(row.size()) != dimension) {
      throw DomainError(where + ": " + std::to_string(row.size()) + " entries are not those of x0, " +
                        std::to_string(dimension));
    }
    records.features.insert(records.features.end(), row.begin(), row.end());
  }
  return records;
}

Eigen::ArrayXd to_array(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Json conditional(const Inputs& in) {
  const Eigen::ArrayXd start = to_array(in.numbers("x0"));
  simulate::ConditionalSgd setting;
  setting.records = read_records(in, static_cast<std::size_t>(start.size()));
  setting.start = start.matrix();
  setting.step_sizes.assign(setting.records.size(), in.number("eta"));
  setting.regularisation = in.number("delta");
  setting.noise = in.number("sigma");
  const auto rows = static_cast<double>(setting.records.size());
  const double steps = in.number("k"), index = in.number("index");
  if (!(steps <= rows)) {
    throw DomainError("k: " + std::to_string(static_cast<std::size_t>(steps)) + " is outside [0, rows of A]");
  }
  if (!(index < rows)) {
    throw DomainError("index: " + std::to_string(static_cast<std::size_t>(index)) + " is outside [0, rows of A)");
  }
  const models::Record other{to_array(in.numbers("a_prime")), in.number("b_prime")};
  if (other.features.size() != start.size()) {
    throw DomainError("a_prime: " + std::to_string(other.features.size()) + " entries are not those of x0, " +
                      std::to_string(start.size()));
  }
  const auto at = static_cast<std::size_t>(index);
  const auto pair = simulate::conditional_pair(setting, static_cast<std::size_t>(steps), at, other);
  const auto replaced = setting.records.row(at);
  const bool same =
      setting.records.labels[at] == other.label && std::equal(replaced.begin(), replaced.end(), other.features.begin());
  Json answer = Json::object();
  if (same || pair.step_size == 0.0) {
    answer = {{"D_12", 0.0}, {"D_21", 0.0}};
  } else if (setting.noise == 0.0) {  // the iterates are not random
    answer = {{"D_12", "inf"}, {"D_21", "inf"}};
  } else {
    using divergence::Direction;
    const auto small = simulate::reduced(pair);
    const auto axes = divergence::principal_axes(small.mean1, small.covariance1, small.mean2, small.covariance2);
    const double alpha = in.number("alpha");
    answer["D_12"] = number(divergence::renyi(alpha, axes, Direction::first_to_second));
    answer["D_21"] = number(divergence::renyi(alpha, axes, Direction::second_to_first));
  }
  const Eigen::VectorXd spread = pair.original.covariance.diagonal();
  answer["mean"] = numbers({pair.original.mean.data(), static_cast<std::size_t>(start.size())});
  answer["cov_diag"] = numbers({spread.data(), static_cast<std::size_t>(start.size())});
  return answer;
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
           fluctuation},
          {prefix + "rdp-sgd-conditional",
           "exact law of noisy SGD given its data, and its Renyi divergences when one record is replaced",
           {json_key("A", "features, one row per record"), numbers_key("b", "(-inf, inf)", "labels"),
            integer_key("index", "[0, inf)", "the record that is replaced, counted from 0"),
            numbers_key("a_prime", "(-inf, inf)", "features of the replacement"),
            number_key("b_prime", "(-inf, inf)", "label of the replacement"), numbers_key("x0", "(-inf, inf)", "start"),
            number_key("eta", "[0, inf)", "constant step size"), number_key("delta", "[0, inf)", "l2 regularisation"),
            number_key("sigma", "[0, inf)", "noise per coordinate of a gradient"),
            integer_key("k", "[0, inf)", "steps, at most the records"), number_key("alpha", "(1, inf)", "Renyi order")},
           conditional}};
}

}  // namespace dpcurves::tools::eval
