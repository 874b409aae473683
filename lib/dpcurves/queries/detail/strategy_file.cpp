// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>
#include <vector>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/queries/detail/named.hpp>
#include <dpcurves/queries/detail/strategy_file.hpp>

namespace dpcurves::queries {

models::StrategyMatrix read_strategy_file(const std::string& path, std::optional<std::size_t> steps,
                                          const std::string& option) {
  const auto columns = io::read_csv(path, io::Header::absent);
  const auto& all = columns.all();
  if (columns.rows() == 1) {
    if (!steps) {
      throw UsageError(option + ": is required with a --strategy of one row, the coefficients of a Toeplitz matrix");
    }
    std::vector<double> coefficients = mapped(all, [&](const auto& column) { return column.values.front(); });
    return of_file(path, [&] { return models::StrategyMatrix::toeplitz(std::move(coefficients), *steps); });
  }
  if (columns.rows() != all.size()) {
    throw UsageError(path + ": " + std::to_string(columns.rows()) + " rows and " + std::to_string(all.size()) +
                     " columns are neither a square matrix nor one row of Toeplitz coefficients");
  }
  if (steps && *steps != columns.rows()) {
    throw UsageError(option + ": gives " + std::to_string(*steps) + " noisy steps, but --strategy has " +
                     std::to_string(columns.rows()) + " rows");
  }
  std::vector<std::vector<double>> rows(columns.rows());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t u = 0; u < all.size(); ++u) {
      const double entry = all[u].values[t];
      if (u <= t) {
        rows[t].push_back(entry);
      } else if (entry != 0.0) {
        throw DomainError(path + ", line " + std::to_string(t + 1) + ": " + shortest(entry) +
                          " is above the diagonal of a lower-triangular matrix");
      }
    }
  }
  return of_file(path, [&] { return models::StrategyMatrix::lower_triangular(rows); });
}

}  // namespace dpcurves::queries
