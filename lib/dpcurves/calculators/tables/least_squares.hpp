// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Least-squares problems as records: what problem files and the calculators of noisy HSGD share.
///
/// A problem has the keys
///   lambda_ | spectrum   the list of eigenvalues; or {"type": "list", "eigenvalues": [...]},
///                        {"type": "blocks", "eigenvalues": [...], "multiplicity": [...]},
///                        {"type": "power_law", "scale": s, "exponent": p}, {"type": "marchenko_pastur", "ratio": r,
///                        "scale": s}, {"type": "two_block", "spike": a, "spikes": k, "bulk": b} (these three with
///                        "size", by default dim), {"type": "csv", "file": "eigenvalues.csv"}
///   x0, xtilde           coordinates in the eigenbasis; or {"type": "constant", "norm": r}, {"type": "cosine",
///                        "scale": s}; or instead of both the products per block block_norm2_x0,
///                        block_dot_x0_xtilde, block_norm2_xtilde
///   E_xi2, delta, sigma  label noise variance, regularisation, noise scale
///   dim                  the scaling d (number)
///   schedule | eta       {"type": "constant", "gamma0": g}, ...; or the constant step eta = gamma/d
/// Mistakes are UsageErrors and DomainErrors whose messages start with the key. Cost: O(size of the problem).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/calculators/calculator.hpp>
#include <dpcurves/core/field.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/models/least_squares.hpp>

namespace dpcurves::calculators {

/// A problem before its spectrum and schedule are read.
struct LeastSquaresProblem {
  Value eigenvalues;
  Value spectrum;
  Value x0;
  Value xtilde;
  std::optional<std::vector<double>> block_norm2_x0;
  std::optional<std::vector<double>> block_dot_x0_xtilde;
  std::optional<std::vector<double>> block_norm2_xtilde;
  double label_noise = 0.0;
  double regularisation = 0.0;
  double noise = 0.0;
  double dimension = 1.0;
  Value schedule;
  std::optional<double> step_size;
  static constexpr std::tuple fields{
      optional("eigenvalues", "lambda_", &LeastSquaresProblem::eigenvalues,
               "eigenvalues of the features' second moment, or spectrum"),
      optional("spectrum", &LeastSquaresProblem::spectrum, "eigenvalues as an object: blocks, power_law, ..."),
      optional("x0", &LeastSquaresProblem::x0, "start in the eigenbasis, list or generator"),
      optional("xtilde", &LeastSquaresProblem::xtilde, "truth in the eigenbasis, list or generator"),
      optional("block_norm2_x0", &LeastSquaresProblem::block_norm2_x0, "(-inf, inf)", "|x0|^2 within each block"),
      optional("block_dot_x0_xtilde", &LeastSquaresProblem::block_dot_x0_xtilde, "(-inf, inf)",
               "x0'xtilde within each block"),
      optional("block_norm2_xtilde", &LeastSquaresProblem::block_norm2_xtilde, "(-inf, inf)",
               "|xtilde|^2 within each block"),
      required("label_noise", "E_xi2", &LeastSquaresProblem::label_noise, "[0, inf)", "variance of the label noise"),
      required("regularisation", "delta", &LeastSquaresProblem::regularisation, "[0, inf)", "l2 regularisation"),
      required("noise", "sigma", &LeastSquaresProblem::noise, "[0, inf)", "noise per coordinate of a gradient"),
      required("dimension", "dim", &LeastSquaresProblem::dimension, "(0, inf)", "scaling d: eta = gamma/d, t = k/d"),
      optional("schedule", &LeastSquaresProblem::schedule, "gamma(t), an object: constant, inverse_time, ..."),
      optional("step_size", "eta", &LeastSquaresProblem::step_size, "[0, inf)", "the constant step gamma/d")};
};
/// The problem, checked. \param folder  CSV names are relative to it.
[[nodiscard]] models::LeastSquares least_squares(const LeastSquaresProblem& problem, const std::string& folder = "");

/// A list of finite numbers; `where` starts the messages.
[[nodiscard]] std::vector<double> numbers_of(const Value& value, const std::string& where);
/// A spectrum, as a list or an object. \param dimension  the default size of generated spectra.
[[nodiscard]] models::Spectrum spectrum_of(const Value& value, const std::string& where, double dimension,
                                           const std::string& folder = "");
/// A schedule: constant, inverse_time, power, exponential, cosine, warmup_cosine, piecewise_constant or table.
[[nodiscard]] models::Schedule schedule_of(const Value& value, const std::string& where = "schedule");

/// Two records that are exchanged, features in the eigenbasis.
struct ExchangedRecords {
  std::vector<double> first;
  double first_label = 0.0;
  std::vector<double> second;
  double second_label = 0.0;
  static constexpr std::tuple fields{
      required("first", "a", &ExchangedRecords::first, "(-inf, inf)", "features of the first record in the eigenbasis"),
      required("first_label", "b", &ExchangedRecords::first_label, "(-inf, inf)", "label of the first record"),
      required("second", "a_prime", &ExchangedRecords::second, "(-inf, inf)",
               "features of the second record in the eigenbasis"),
      required("second_label", "b_prime", &ExchangedRecords::second_label, "(-inf, inf)",
               "label of the second record")};
};
/// \param size  number of eigenvalues. \throws UsageError  for another number of features.
[[nodiscard]] models::RecordPair record_pair(const ExchangedRecords& records, Eigen::Index size);

/// The numbers as an array.
[[nodiscard]] Eigen::ArrayXd array(const std::vector<double>& values);
/// The entries of a vector of Eigen.
template <class Vector>
[[nodiscard]] std::vector<double> listed(const Vector& values) {
  return {values.begin(), values.end()};
}
/// Times, at least one. \throws UsageError, DomainError  for none, and for times that do not ascend.
void check_times(const std::vector<double>& times, const char* key, bool strictly);
/// A calculator of a problem with coordinates and a schedule.
[[nodiscard]] Calculator of_problem(Calculator row);

}  // namespace dpcurves::calculators
