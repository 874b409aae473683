// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/accounting/detail/largest_outputs.hpp>
#include <dpcurves/accounting/detail/lattice_power.hpp>
#include <dpcurves/accounting/detail/sampled_curve.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/numerics/quadrature.hpp>

namespace dpcurves::accounting::detail {
namespace {

using numerics::normal_density;
using numerics::normal_upper_tail;

// Points of a lattice for the sums of E epochs. Any number of them gives certified lower ends.
constexpr std::size_t coarse = std::size_t{1} << 14U;  // to find where to look
constexpr std::size_t fine = std::size_t{1} << 18U;    // within 1e-6 of four times as many

RatioLattice lattice_of(const RatioLaw& law, double epochs, std::size_t window) {
  double square = 0.0;
  for (std::size_t i = 0; i < law.ratio.size(); ++i) {
    const double y = std::log(law.ratio[i]);
    square += law.mass[i] * std::max(1.0, law.ratio[i]) * y * y;
  }
  const double range = std::log(law.ratio.back() / law.ratio.front());
  const double width = 1.2 * (32.0 * std::sqrt(epochs * square) + range);
  return {RatioLattice::Kind::logarithmic, width / static_cast<double>(window)};
}

}  // namespace

RatioLaw largest_law(double batches, double mean, double null_mean) {
  constexpr std::size_t cells = std::size_t{1} << 16U;
  const double others = batches - 1.0;
  // All that is below has probability less than 1e-40.
  const double low = batches > 1.0 ? -numerics::normal_upper_quantile(std::pow(1e-40, 1.0 / batches)) - 0.5 : -13.0;
  const double bottom = std::max(-13.0, -std::abs(low));
  const double high = std::max(mean, null_mean) + 13.0;
  const auto rule = numerics::gauss_legendre(4);
  const auto largest_is = [&](double x, double m, double tail, double density) {  // over the power
    return normal_density(x - m) * (1.0 - tail) + others * density * normal_upper_tail(m - x);
  };
  struct Cell {
    double ratio;
    double mass;
  };
  std::vector<Cell> list;
  const double width = (high - bottom) / static_cast<double>(cells);
  for (std::size_t k = 0; k < cells; ++k) {
    const double left = bottom + width * static_cast<double>(k);
    double p = 0.0;
    double q = 0.0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double x = left + 0.5 * width * (1.0 + rule.nodes[i]);
      if (others == 0.0) {
        p += 0.5 * width * rule.weights[i] * normal_density(x - mean);
        q += 0.5 * width * rule.weights[i] * normal_density(x - null_mean);
        continue;
      }
      const double tail = normal_upper_tail(x), density = normal_density(x);
      const double w = 0.5 * width * rule.weights[i] * std::exp((others - 1.0) * std::log1p(-tail));
      p += w * largest_is(x, mean, tail, density);
      q += w * largest_is(x, null_mean, tail, density);
    }
    if (q > 1e-280 && p > 1e-280) {
      list.push_back({p / q, q});
    }
  }
  std::sort(list.begin(), list.end(), [](const Cell& a, const Cell& b) { return a.ratio < b.ratio; });
  RatioLaw law;
  for (const Cell& cell : list) {
    law.ratio.push_back(cell.ratio);
    law.mass.push_back(cell.mass);
  }
  law.mass_error = 1e-12 + 4e-16 * batches;
  law.ratio_error = 2.0 * law.mass_error;
  return law;
}

EpochsBelow::EpochsBelow(const RatioLaw& law, double epochs, Direction direction, std::size_t window)
    : epochs_(epochs),
      direction_(direction),
      window_(window),
      lattice_(lattice_of(law, epochs, window)),
      masses_(on_lattice(law, Side::below, lattice_, lattice_.below(law.ratio.front()) - 1,
                         lattice_.below(law.ratio.back()) + 1)),
      mass_error_(epochs * law.mass_error),
      ratio_error_(epochs * law.ratio_error) {}

double EpochsBelow::tilt(double epsilon) const {
  const std::vector<LatticePart> parts{{&masses_, epochs_}};
  // Where rare large losses decide at the saddle point, the window is lost to them: a smaller tilt sees the rest.
  double c = saddle(parts, lattice_.step, direction_, epsilon);
  double best = c;
  double most = -1.0;
  for (int attempt = 0; attempt < 8; ++attempt, c *= 0.5) {
    const double delta = sums(c)->delta(epsilon);
    const bool enough = most > 0.0 && delta < 1.01 * most;
    if (delta > most) {
      most = delta;
      best = c;
    }
    if (enough) {
      break;
    }
  }
  return best;
}

std::shared_ptr<const LossSums> EpochsBelow::sums(double tilt) const {
  constexpr double apart = 0.02;   // of the logarithm of the tilt, which is sought within 2 %
  constexpr std::size_t most = 8;  // that are kept, of some megabytes each
  const double place = std::round(std::log(tilt) / apart);
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(kept_.begin(), kept_.end(), [place](const Kept& k) { return k.place == place; });
  if (known != kept_.end()) {
    return known->sums;
  }
  const std::vector<LatticePart> parts{{&masses_, epochs_}};
  const double log_tilt = tilt_at(std::exp(apart * place), lattice_.step, direction_);
  kept_.push_front({place, std::make_shared<const LossSums>(LatticePower(parts, log_tilt, window_), lattice_.step,
                                                            Side::below, direction_, 0.0, mass_error_, ratio_error_)});
  kept_.resize(std::min(kept_.size(), most));
  return kept_.front().sums;
}

LargestOutputs::LargestOutputs(const RatioLaw& law, double epochs, Direction direction)
    : coarse_(law, epochs, direction, coarse), fine_(law, epochs, direction, fine) {}

double LargestOutputs::delta(double epsilon) const { return fine_.sums(coarse_.tilt(epsilon))->delta(epsilon); }

double LargestOutputs::epsilon(double delta, double high, double bar) const {
  double found = 0.0;
  double guess = 0.8 * high;
  const auto seen_from = [&](double from, const EpochsBelow& epochs) {
    const auto there = epochs.sums(coarse_.tilt(from));
    return accounting::lower_epsilon({[&](double e) { return there->delta(e); }}, delta, high);
  };
  for (int i = 0; i < 8; ++i) {
    const double at = seen_from(guess, coarse_);
    const bool near = at > 0.0 && std::abs(at - guess) < 0.1 * guess;
    const bool better = at > found;
    found = std::max(found, at);
    if (near || (found > 0.0 && !better)) {
      break;
    }
    guess = at > 0.0 ? at : 0.5 * guess;  // too far out to see anything
  }
  constexpr double rough = 1.02;
  if (rough * found < bar) {
    return found;
  }
  return std::max(found, seen_from(found > 0.0 ? found : guess, fine_));
}

}  // namespace dpcurves::accounting::detail
