// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The tables of Bok, Su and Altschuler, "Shifted Interpolation for Differential Privacy" (2024), appendix D. The
// published digits are data; every computed number comes from a calculator.
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/interpolation/noisy_cgd.hpp>
#include <dpcurves/queries/reproduce.hpp>
#include <dpcurves/queries/reproduce/evaluate.hpp>

namespace dpcurves::queries::reproduce {
namespace {

// ------------------------------------------------------------------- tables 1 to 6: logistic regression on MNIST

constexpr std::array<int, 3> logistic_epochs{50, 100, 200};

/// A column: its label, the output of logistic-regression-table behind it, and the published digits per row.
struct LogisticColumn {
  const char* label;
  const char* key;
  std::array<double, 3> published;
};

constexpr std::array table_1{LogisticColumn{"composition", "eps_ncgd_composition", {30.51, 49.88, 83.83}},
                             LogisticColumn{"Renyi bound", "eps_prior_rdp_0.002", {5.82, 7.61, 9.88}},
                             LogisticColumn{"theorem 4.5", "eps_ours_0.002", {4.34, 5.60, 7.58}}};

constexpr std::array table_3{LogisticColumn{"composition, cyclic", "mu_ncgd_composition", {4.71, 6.67, 9.43}},
                             LogisticColumn{"composition, stochastic (CLT)", "mu_nsgd_clt", {1.03, 1.45, 2.05}},
                             LogisticColumn{"theorem 4.5, lambda = 0.002", "mu_ours_0.002", {0.99, 1.24, 1.59}},
                             LogisticColumn{"theorem 4.5, lambda = 0.004", "mu_ours_0.004", {0.99, 1.22, 1.51}}};

constexpr std::array table_4{LogisticColumn{"composition, cyclic", "eps_ncgd_composition", {30.51, 49.88, 83.83}},
                             LogisticColumn{"composition, stochastic", "eps_nsgd_exact", {4.44, 6.65, 10.11}},
                             LogisticColumn{"Renyi bound, lambda = 0.002", "eps_prior_rdp_0.002", {5.82, 7.61, 9.88}},
                             LogisticColumn{"Renyi bound, lambda = 0.004", "eps_prior_rdp_0.004", {5.61, 7.00, 8.38}},
                             LogisticColumn{"theorem 4.5, lambda = 0.002", "eps_ours_0.002", {4.34, 5.60, 7.58}},
                             LogisticColumn{"theorem 4.5, lambda = 0.004", "eps_ours_0.004", {4.32, 5.51, 7.09}}};

Reproduced logistic(std::span<const LogisticColumn> table, const std::string& note) {
  Reproduced result{{"E", "analysis"}};
  for (std::size_t row = 0; row < logistic_epochs.size(); ++row) {
    const Record outputs = shifted_interpolation("logistic-regression-table", {{"eta", {0.05}},
                                                                               {"b", {1500}},
                                                                               {"n", {60000}},
                                                                               {"sigma", {0.01}},
                                                                               {"L", {10}},
                                                                               {"l", {40}},
                                                                               {"E", {logistic_epochs[row]}},
                                                                               {"delta", {1e-5}},
                                                                               {"lambda", {std::vector{0.002, 0.004}}},
                                                                               {"c", {std::vector{0.9999, 0.9998}}}});
    for (const auto& column : table) {
      result.compare({std::to_string(logistic_epochs[row]), column.label}, number_of(outputs, column.key),
                     column.published[row], 2);
    }
  }
  result.notes = {
      "kappa = 2/3, l = 40, c = 0.9999 (lambda = 0.002) and 0.9998 (lambda = 0.004), delta = 1e-5.",
      "The contraction c is an assumption of the paper: a clipped softmax step can expand (docs/errata.md, E18).",
      note};
  return result;
}

Reproduced without_data(const std::string& what) {
  return {{},
          {},
          {what + " on MNIST (60000 training and 10000 test images), which is not part of the program: sh "
                  "data/fetch.sh mnist gets it, --data data/sets/mnist trains on it.",
           "The privacy of the same runs depends on kappa, c, l and E only: tables 1, 3 and 4."},
          std::nullopt};
}

Reproduction accuracies(int number, const std::string& title, const std::string& what) {
  return {"shifted-interpolation/table-" + std::to_string(number), title, [what] { return without_data(what); }};
}

// --------------------------------------------------------------------- tables 7 and 9: strongly convex losses

constexpr std::array<double, 5> table_7_contractions{0.92, 0.96, 0.98, 0.99, 0.995};

struct Table7Row {
  int steps;
  double composition;
  std::array<double, 5> published;
};

constexpr std::array table_7{Table7Row{10, 0.316, {0.308, 0.314, 0.316, 0.316, 0.316}},
                             Table7Row{100, 1.000, {0.490, 0.688, 0.871, 0.961, 0.990}},
                             Table7Row{1000, 3.162, {0.490, 0.700, 0.995, 1.411, 1.984}}};

Reproduced run_table_7() {
  Reproduced result{{"t", "analysis"}, {}, {"kappa = L/(n sigma) = 0.1."}};
  const auto outputs = [](double c, int steps) {
    return shifted_interpolation("noisy-gd-figure-1",
                                 {{"kappa", {0.1}}, {"c", {c}}, {"t", {steps}}, {"delta", {1e-5}}});
  };
  for (const auto& row : table_7) {
    const std::string steps = std::to_string(row.steps);
    result.compare({steps, "composition"}, number_of(outputs(table_7_contractions[0], row.steps), "mu_composition"),
                   row.composition, 3);
    for (std::size_t i = 0; i < row.published.size(); ++i) {
      const double c = table_7_contractions[i];
      result.compare({steps, "theorem 4.2, c = " + shortest(c)}, number_of(outputs(c, row.steps), "mu_ours"),
                     row.published[i], 3);
    }
  }
  return result;
}

constexpr std::array<double, 3> table_9_contractions{0.98, 0.99, 0.995};
constexpr std::array<int, 3> table_9_batches{10, 20, 40};

struct Table9Row {
  int epochs;
  double composition;
  std::array<std::array<double, 3>, 3> published;  // by batches per epoch, then contraction
};

constexpr std::array table_9{
    Table9Row{5, 0.447, {{{0.229, 0.233, 0.235}, {0.211, 0.215, 0.217}, {0.202, 0.205, 0.208}}}},
    Table9Row{50, 1.414, {{{0.270, 0.334, 0.410}, {0.216, 0.237, 0.275}, {0.203, 0.208, 0.219}}}},
    Table9Row{500, 4.472, {{{0.270, 0.336, 0.439}, {0.216, 0.237, 0.276}, {0.203, 0.208, 0.219}}}}};

Reproduced run_table_9() {
  Reproduced result{{"E", "analysis"}, {}, {"kappa = L/(b sigma) = 0.2."}};
  for (const auto& row : table_9) {
    const std::string epochs = std::to_string(row.epochs);
    for (std::size_t i = 0; i < table_9_batches.size(); ++i) {
      for (std::size_t j = 0; j < table_9_contractions.size(); ++j) {
        const double c = table_9_contractions[j];
        const Record outputs =
            shifted_interpolation("noisy-cgd-strongly-convex",
                                  {{"kappa", {0.2}}, {"c", {c}}, {"l", {table_9_batches[i]}}, {"E", {row.epochs}}});
        if (i == 0 && j == 0) {
          result.compare({epochs, "composition"}, number_of(outputs, "mu_composition"), row.composition, 3);
        }
        result.compare({epochs, "theorem 4.5, l = " + std::to_string(table_9_batches[i]) + ", c = " + shortest(c)},
                       number_of(outputs, "mu"), row.published[i][j], 3);
      }
    }
  }
  return result;
}

// ------------------------------------------------------------- tables 8 and 10 to 12: thresholds under a diameter

/// A published threshold (steps or epochs) and the parameter there.
struct Threshold {
  double count;
  double mu;
};

constexpr std::array<double, 3> threshold_sensitivities{0.25, 0.5, 1.0};
using ThresholdTable = std::array<std::array<Threshold, 3>, 3>;  // by sensitivity, then step size

constexpr std::array<double, 3> table_8_step_sizes{0.2, 0.1, 0.05};
constexpr ThresholdTable table_8{{{{{80, 0.280}, {160, 0.395}, {320, 0.559}}},
                                  {{{40, 0.395}, {80, 0.559}, {160, 0.791}}},
                                  {{{20, 0.559}, {40, 0.791}, {80, 1.118}}}}};

Reproduced run_table_8() {
  Reproduced result{{"L/n", "eta", "quantity"}, {}, {"D = 1, sigma = 8."}};
  for (std::size_t i = 0; i < threshold_sensitivities.size(); ++i) {
    for (std::size_t j = 0; j < table_8_step_sizes.size(); ++j) {
      const double sensitivity = threshold_sensitivities[i];
      const double step_size = table_8_step_sizes[j];
      const Record outputs =
          shifted_interpolation("noisy-gd-constrained-plateau",
                                {{"L_over_n", {sensitivity}}, {"eta", {step_size}}, {"D", {1}}, {"sigma", {8}}});
      const auto add = [&](const char* quantity, const char* key, double published, int decimals) {
        result.compare({shortest(sensitivity), shortest(step_size), quantity}, number_of(outputs, key), published,
                       decimals);
      };
      add("t*", "t_star", table_8[i][j].count, 0);
      add("mu*", "mu_star", table_8[i][j].mu, 3);
    }
  }
  return result;
}

constexpr std::array<double, 3> cyclic_step_sizes{0.04, 0.02, 0.01};
constexpr double cyclic_noise = 3.0;

/// Tables 10, 11 and 12 with the epochs as published, which are too small.
struct CyclicThresholds {
  const char* number;
  int batches_per_epoch;
  ThresholdTable published;
};

constexpr ThresholdTable table_10{{{{{31, 0.534}, {62, 0.750}, {123, 1.057}}},
                                   {{{17, 0.764}, {33, 1.067}, {65, 1.500}}},
                                   {{{10, 1.106}, {20, 1.528}, {40, 2.134}}}}};
constexpr ThresholdTable table_11{{{{{16, 0.382}, {31, 0.534}, {62, 0.750}}},
                                   {{{9, 0.553}, {17, 0.764}, {33, 1.067}}},
                                   {{{5, 0.816}, {10, 1.106}, {20, 1.528}}}}};
constexpr ThresholdTable table_12{{{{{8, 0.276}, {16, 0.382}, {31, 0.534}}},
                                   {{{5, 0.408}, {9, 0.553}, {17, 0.764}}},
                                   {{{3, 0.624}, {5, 0.816}, {10, 1.106}}}}};
constexpr std::array cyclic_tables{CyclicThresholds{"10", 10, table_10}, CyclicThresholds{"11", 20, table_11},
                                   CyclicThresholds{"12", 40, table_12}};

Reproduced run_cyclic_thresholds(const CyclicThresholds& table) {
  Reproduced result{{"L/b", "eta", "quantity"}};
  result.notes = {
      "D = 1, sigma = 3, l = " + std::to_string(table.batches_per_epoch) + ".",
      "E* is the first number of epochs at which composition reaches mu*. The published numbers follow from a formula "
      "in which a sum had become a product (printed form), and are too small: docs/errata.md, E1."};
  for (std::size_t i = 0; i < threshold_sensitivities.size(); ++i) {
    const double sensitivity = threshold_sensitivities[i];
    const auto rows = rows_of(shifted_interpolation(
        "noisy-cgd-constrained-plateau",
        {{"L_over_b", {sensitivity}}, {"D", {1}}, {"sigma", {cyclic_noise}}, {"l", {table.batches_per_epoch}}}));
    for (std::size_t j = 0; j < cyclic_step_sizes.size(); ++j) {
      const Threshold& published = table.published[i][j];
      const auto add = [&](const char* quantity, double computed, double digits, int decimals, std::string remark) {
        result.compare({shortest(sensitivity), shortest(cyclic_step_sizes[j]), quantity}, computed, digits, decimals,
                       std::move(remark));
      };
      const double mu = number_of(rows[j], "mu_star");
      const double composition = sensitivity / cyclic_noise * std::sqrt(published.count);
      add("mu*", mu, published.mu, 3, "");
      add("E*", number_of(rows[j], "E_star"), published.count, 0,
          "refuted: composition is " + rounded(composition, 3) + " at the published E*, below mu*");
      add("E*, printed form",
          interpolation::plateau_epochs_printed_form(sensitivity, cyclic_step_sizes[j], 1.0, table.batches_per_epoch),
          published.count, 0, "");
    }
  }
  return result;
}

}  // namespace

std::vector<Reproduction> shifted_interpolation_tables() {
  const std::string prefix = "shifted-interpolation/table-";
  std::vector<Reproduction> list{
      {prefix + "1", "epsilon of noisy cyclic gradient descent, logistic regression",
       [] { return logistic(table_1, "lambda = 0.002."); }},
      accuracies(2, "accuracy of noisy cyclic gradient descent", "Accuracy"),
      {prefix + "3", "GDP parameters, logistic regression",
       [] { return logistic(table_3, "The stochastic column is a central limit approximation, not a guarantee."); }},
      {prefix + "4", "epsilon by every analysis, logistic regression",
       [] { return logistic(table_4, "The stochastic column is the upper end of a certified composition."); }},
      accuracies(5, "training accuracy", "Training accuracy"),
      accuracies(6, "test accuracy", "Test accuracy"),
      {prefix + "7", "GDP parameter of noisy gradient descent, strongly convex", run_table_7},
      {prefix + "8", "when the bound under a diameter becomes flat, noisy gradient descent", run_table_8},
      {prefix + "9", "GDP parameter of noisy cyclic gradient descent, strongly convex", run_table_9}};
  for (const auto& table : cyclic_tables) {
    list.push_back({prefix + table.number,
                    "when the bound under a diameter becomes flat, noisy cyclic gradient descent, l = " +
                        std::to_string(table.batches_per_epoch),
                    [&table] { return run_cyclic_thresholds(table); }});
  }
  return list;
}

}  // namespace dpcurves::queries::reproduce
