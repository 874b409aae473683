// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/detail/sample_tests.hpp>

namespace dpcurves::inference {
namespace {

/// One statistic under either of two laws, pilots apart.
struct Draws {
  std::vector<double> first, second, first_pilot, second_pilot;
};

/// Takes every tenth: not the first ones, since a sample may be sorted, or drift.
std::vector<double> pilot_of(std::vector<double>& sample) {
  constexpr std::size_t every = 10;
  std::vector<double> pilot, kept;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    (i % every == every - 1 ? pilot : kept).push_back(sample[i]);
  }
  sample = std::move(kept);
  return pilot;
}

/// Whether draws are more often below those of the other sample than above them. O(n log n).
bool lies_below(const std::vector<double>& draws, std::vector<double> others) {
  std::sort(others.begin(), others.end());
  std::ptrdiff_t balance = 0;
  for (const double x : draws) {
    balance += (std::lower_bound(others.begin(), others.end(), x) - others.begin()) -  // those below it
               (others.end() - std::upper_bound(others.begin(), others.end(), x));     // those above it
  }
  return balance < 0;
}

/// How often a value was drawn, of either pilot.
struct Seen {
  std::size_t first = 0, second = 0;
  [[nodiscard]] std::size_t times() const { return first + second; }
  /// Likelihood of the second law over that of the first, about.
  [[nodiscard]] double ratio(const Draws& draws) const {
    constexpr double unseen = 0.5;  // in place of 0
    return (static_cast<double>(second) + unseen) / static_cast<double>(draws.second_pilot.size()) /
           ((static_cast<double>(first) + unseen) / static_cast<double>(draws.first_pilot.size()));
  }
};

/// What tests of atoms reject: values from the most likely under the second law on.
struct Atoms {
  std::vector<double> ordered;
  std::size_t others = 0;   ///< the place among them of everything that is no atom, behind all where nothing was seen
  bool everything = false;  ///< the pilots hold nothing else

  /// The first so many places, in words.
  [[nodiscard]] std::string first_places(std::size_t count) const {
    std::string words;
    for (std::size_t place = 0, next = 0; place < count; ++place) {
      const bool rest = place == others && !everything;
      words += (place == 0 ? "" : ", ") + (rest ? std::string("what is no atom") : shortest(ordered[next]));
      next += rest ? 0 : 1;
    }
    return words;
  }

  /// The number of a value's place from behind.
  [[nodiscard]] std::vector<double> ranks(const std::vector<double>& draws) const {
    std::map<double, double> rank;
    const std::size_t places = ordered.size() + 1;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      rank[ordered[i]] = static_cast<double>(places - i - (i < others ? 0 : 1));
    }
    const auto rest = static_cast<double>(places - others);
    std::vector<double> result;
    for (const double x : draws) {
      const auto found = rank.find(x);
      result.push_back(found == rank.end() ? rest : found->second);
    }
    return result;
  }
};

Atoms atoms_of(const Draws& draws) {
  constexpr std::size_t most = 64;  // so many tests at most; the most frequent values
  std::map<double, Seen> seen;
  for (const double x : draws.first_pilot) {
    ++seen[x].first;
  }
  for (const double x : draws.second_pilot) {
    ++seen[x].second;
  }
  std::vector<std::pair<double, Seen>> atoms;
  Seen others;
  const bool few = seen.size() <= most;  // then what occurs once is an atom too, if others occur twice
  const std::size_t draws_in_all = draws.first_pilot.size() + draws.second_pilot.size();
  const bool repeats = 2 * seen.size() <= draws_in_all;
  for (const auto& [value, count] : seen) {
    if (count.times() > 1 || (few && repeats)) {
      atoms.emplace_back(value, count);
    } else {
      others.first += count.first;
      others.second += count.second;
    }
  }
  std::stable_sort(atoms.begin(), atoms.end(),
                   [](const auto& a, const auto& b) { return a.second.times() > b.second.times(); });
  for (; atoms.size() > most; atoms.pop_back()) {
    others.first += atoms.back().second.first;
    others.second += atoms.back().second.second;
  }
  Atoms found;
  found.everything = atoms.size() > 1 && others.times() == 0;
  std::stable_sort(atoms.begin(), atoms.end(), [&](const auto& a, const auto& b) {
    const double left = a.second.ratio(draws), right = b.second.ratio(draws);
    return left != right ? left > right : a.first > b.first;
  });
  for (const auto& [value, count] : atoms) {
    found.ordered.push_back(value);
    found.others += static_cast<std::size_t>(found.everything || count.ratio(draws) >= others.ratio(draws));
  }
  return found;
}

}  // namespace

SampleTests sample_tests(const std::vector<double>& first, const std::vector<double>& second,
                         const std::vector<double>& type_one_errors, double miss) {
  for (const auto* sample : {&first, &second}) {
    require_domain(sample->size() >= 10, "values of a sample", static_cast<double>(sample->size()), "[10, inf)");
    require_domain(std::none_of(sample->begin(), sample->end(), [](double x) { return std::isnan(x); }), "sample",
                   std::nan(""), "values that are numbers");
  }
  Draws draws{first, second, {}, {}};
  draws.first_pilot = pilot_of(draws.first);
  draws.second_pilot = pilot_of(draws.second);
  const Atoms atoms = atoms_of(draws);
  const auto ranks_first = atoms.ranks(draws.first), ranks_second = atoms.ranks(draws.second);
  std::vector<double> thresholds;
  if (!atoms.everything) {
    if (lies_below(draws.second_pilot, draws.first_pilot)) {
      for (auto* sample : {&draws.first, &draws.second, &draws.first_pilot}) {
        std::transform(sample->begin(), sample->end(), sample->begin(), [](double x) { return -x; });
      }
    }
    thresholds = pilot_thresholds(draws.first_pilot, type_one_errors);
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());  // several are one test
  }
  const std::size_t places = atoms.ordered.size() + (atoms.everything ? 0 : 1), sets = places - 1;
  const auto asked = static_cast<double>(type_one_errors.size());
  const double level =
      miss * std::min(1.0, asked / static_cast<double>(std::max<std::size_t>(1, thresholds.size() + sets)));
  SampleTests tests{estimate_tradeoff(draws.first, draws.second, thresholds, level), {}, level};
  std::vector<double> steps;
  for (std::size_t rejected = 1; rejected <= sets; ++rejected) {
    steps.push_back(static_cast<double>(atoms.ordered.size() + 1 - rejected) + 0.5);
  }
  for (TradeoffPoint& point : estimate_tradeoff(ranks_first, ranks_second, steps, level)) {
    point.threshold = std::numeric_limits<double>::quiet_NaN();  // a set of values has none
    tests.points.push_back(point);
  }
  tests.rejected.resize(thresholds.size());
  for (std::size_t k = 1; k <= sets; ++k) {
    tests.rejected.push_back(atoms.first_places(k));
  }
  return tests;
}

}  // namespace dpcurves::inference
