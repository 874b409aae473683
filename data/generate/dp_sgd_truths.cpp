// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes a table of the epsilon of composed subsampled Gaussian mechanisms at a given delta (dp_sgd_inversion.hpp),
// adding to the file what it does not hold yet: data/reference/accounting/dp_sgd_truths.csv.
//
//   g++ -O2 -std=c++20 data/generate/dp_sgd_truths.cpp -o truths
//   ./truths data/reference/accounting/dp_sgd_truths.csv
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include "dp_sgd_inversion.hpp"

using namespace truths;

namespace {

struct Setting {
  double sigma, q, count;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: truths FILE.csv" << std::endl;
    return 2;
  }
  const std::vector<Setting> settings{{1, 0.01, 1e3},   {0.8, 0.005, 1e3},      {1.1, 256.0 / 60000.0, 14063},
                                      {4, 0.01, 1e4},   {2.0 / 3.0, 0.02, 3e3}, {10, 0.5, 100},
                                      {0.5, 1e-3, 1e4}, {50, 0.1, 1e4},         {20, 0.9, 1e3},
                                      {10, 0.01, 1e5},  {1, 1e-3, 1e5},         {0.5, 1e-4, 1e6},
                                      {1, 1e-4, 1e6},   {2, 1e-4, 1e6},         {5, 1e-4, 1e6},
                                      {10, 1e-4, 1e6},  {1, 0.01, 1e6},         {0.45, 0.2, 50},
                                      {1, 1e-5, 1e6}};
  std::set<std::string> done;  // a run continues where the last one stopped
  {
    std::ifstream file(argv[1]);
    for (std::string line; std::getline(file, line);) {
      done.insert(line.substr(0, line.rfind(',')));
    }
  }
  std::ofstream file(argv[1], std::ios::app);
  if (done.empty()) {
    file << "pair,sampling_rate,mu,count,delta,epsilon" << std::endl;
  }
  for (const double delta : {1e-5, 1e-10, 1e-12, 1e-20, 1e-30, 1e-8}) {
    for (const Setting& s : settings) {
      for (const Pair pair :
           {poisson_remove, poisson_add, poisson_replace_one, fixed_size_remove, fixed_size_add, symmetrised}) {
        if (delta < 1e-15 && (pair == symmetrised || pair == fixed_size_remove || pair == fixed_size_add)) {
          continue;  // minutes each
        }
        const double mu = (pair == symmetrised ? 2.0 : 1.0) / s.sigma;
        std::ostringstream key;
        key.precision(17);
        key << pair << ',' << s.q << ',' << mu << ',' << s.count << ',' << delta;
        if (done.count(key.str()) != 0) {
          continue;
        }
        const auto begin = std::chrono::steady_clock::now();
        const double spread = s.q * std::sqrt(s.count * std::expm1(std::min(mu * mu, 3.0)));
        const double largest = std::max(12.0 / mu, std::min(20.0 / spread, -2.4 * std::log(s.q) / (mu * mu)));
        // Few steps: added records have losses up to -T log(1 - q), and near there a profile of short scales.
        const double window = s.count >= 200 ? 0.0 : pair == poisson_add ? 1200.0 : 60.0;
        try {
          Inversion inversion({pair, s.q, mu, s.count, window}, largest);
          const Real epsilon = inversion.epsilon(delta);
          const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          std::cerr << names[pair] << " sigma " << s.sigma << " q " << s.q << " T " << s.count << " delta " << delta
                    << " epsilon " << epsilon.str(20) << " differs by " << inversion.difference() << " c "
                    << inversion.c() << " of " << largest << " nodes " << inversion.nodes() << " " << seconds << " s"
                    << std::endl;
          if (inversion.difference() < 1e-15) {
            file << key.str() << ',' << epsilon.str(25) << std::endl;
          } else {
            std::cerr << "NOT STORED" << std::endl;
          }
        } catch (const std::runtime_error& error) {
          std::cerr << key.str() << " not stored: " << error.what() << std::endl;
        }
      }
    }
  }
}
