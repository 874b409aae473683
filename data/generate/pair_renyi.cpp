// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the Renyi divergence of one step of the pairs that have no table of their own, from the 50-digit moments of
// dp_sgd_inversion.hpp at two levels of detail: data/reference/accounting/pair_renyi.csv.
//
//   g++ -O2 -std=c++20 data/generate/pair_renyi.cpp -o renyi && ./renyi > data/reference/accounting/pair_renyi.csv
#include <cstdio>

#include "dp_sgd_inversion.hpp"

using namespace truths;

int main() {
  std::cout << "pair,order,sampling_rate,mu,renyi" << std::endl;
  for (const Pair pair : {poisson_replace_one, fixed_size_remove}) {
    for (const double mu : {1e-3, 0.1, 0.7, 1.0, 3.0}) {
      for (const double q : {1e-7, 1e-3, 0.02, 0.3, 0.999}) {
        const double largest = 33.0;
        const Step coarse(pair, q, mu, largest, 1.0), fine(pair, q, mu, largest, 1.37);
        for (const double order : {1.01, 1.5, 2.0, 2.5, 8.0, 32.5}) {
          const Real c = Real(order) - 1;
          const Real a = bmp::log(coarse.moment(c)) / c, b = bmp::log(fine.moment(c)) / c;
          if (relative(a, b) > 1e-15) {
            fail("the two levels of detail differ");
          }
          std::printf("%d,%.17g,%.17g,%.17g,%s\n", pair, order, q, mu, b.str(25).c_str());
        }
        std::fflush(stdout);
      }
    }
  }
}
