// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The library's proofs against proofs of another method: both brackets hold the same number.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <support/support.hpp>

#include <dpcurves/accounting/composition.hpp>

using namespace dpcurves;
using namespace dpcurves::accounting;

namespace {

using Row = std::map<std::string, double>;

Composition composition_of(const Row& row) {
  const auto pair = static_cast<Pair>(static_cast<int>(row.at("pair")));
  const double distance = pair == Pair::symmetrised ? 2.0 : 1.0;
  return {0.0, {{row.at("sampling_rate"), distance / row.at("noise_multiplier"), row.at("steps"), pair}}};
}

/// All of the table in a nightly run, else every sixth row.
std::vector<Row> rows() {
  const std::vector<Row> all = test::reference_table("accounting/proved_epsilons.csv");
  if (std::getenv("DPCURVES_NIGHTLY") != nullptr) {
    return all;
  }
  std::vector<Row> some;
  for (std::size_t i = 0; i < all.size(); i += 6) {
    some.push_back(all[i]);
  }
  return some;
}

}  // namespace

TEST_CASE("brackets of epsilon and delta meet those that another method proves", "[accounting][dp-sgd][accuracy]") {
  for (const Row& row : rows()) {
    const bool delta_asked = row.at("asked") == 1.0;
    CAPTURE(row.at("pair"), row.at("noise_multiplier"), row.at("sampling_rate"), row.at("steps"), delta_asked,
            row.at("at"), row.at("lower"), row.at("upper"));
    Enclosure got;
    std::string method;
    if (delta_asked) {
      const DeltaBound answer = delta_at(composition_of(row), row.at("at"));
      got = answer.delta;
      method = answer.method;
    } else {
      const EpsilonBound answer = epsilon_at(composition_of(row), row.at("at"));
      got = answer.epsilon;
      method = answer.method;
    }
    CAPTURE(got.lower, got.upper, method);
    // The table divides noise multipliers exactly, a composition takes mu as a double: half a unit of its last place.
    const double rounded = 4e-16 * (1.0 + std::abs(std::log(delta_asked ? row.at("lower") : row.at("at"))));
    CHECK(got.lower <= row.at("upper") * (1.0 + rounded));
    CHECK(got.upper >= row.at("lower") * (1.0 - rounded));
    CHECK(got.relative_width() <= 1e-3);
  }
}
