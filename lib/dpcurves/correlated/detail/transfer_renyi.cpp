// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/correlated/detail/participation_sum.hpp>
#include <dpcurves/correlated/detail/transfer_renyi.hpp>
#include <dpcurves/correlated/mixture_bound.hpp>
#include <dpcurves/correlated/mixture_pair.hpp>
#include <dpcurves/correlated/sensitivity.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double unit = 1.2e-16;  // more than half a unit in the last place, relative
constexpr double depth = 16.0;    // roundings that a part of an exponent goes through

/// The recursion over `order` states on the same grid for each. Bounds from above are rounded up at every operation and
/// bounds from below down; elementary functions are taken to be within 2 units in the last place.
template <std::size_t order>
class Transfer {
 public:
  Transfer(double lambda, double steps, double rate, double noise, std::size_t nodes)
      : lambda_(lambda), steps_(steps), inverse_square_(1.0 / (noise * noise)), nodes_(nodes) {
    // States before a step: decayed. The points are denser at small states, where most of the chance is.
    const double top = lambda * gain(lambda, steps);
    for (std::size_t i = 0; i < nodes; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(nodes - 1);
      grid_.push_back(top * share * share);
    }
    for (std::size_t present = 0; present < 2; ++present) {
      for (const double x : grid_) {
        const double rounded = lambda * (x + static_cast<double>(present));
        const double after = rounded * (1.0 + 4.0 * unit);
        const auto above = std::upper_bound(grid_.begin(), grid_.end(), after);
        const auto cell =
            std::clamp<std::ptrdiff_t>(above - grid_.begin() - 1, 0, static_cast<std::ptrdiff_t>(nodes) - 2);
        Place place;
        place.cell = static_cast<std::size_t>(cell);
        const double low = grid_[place.cell], high = grid_[place.cell + 1];
        place.share = high > low ? std::clamp((after - low) / (high - low), 0.0, 1.0) : 0.0;
        place.beyond = std::max(0.0, after - top);
        place.nearest = place.cell + (place.share > 0.5 ? 1 : 0);
        place.offset = next_down(rounded * (1.0 - 4.0 * unit) - grid_[place.nearest]);
        beyond_ = std::max(beyond_, place.beyond);
        places_[present].push_back(place);
      }
    }
    for (std::size_t count = 0; count <= order; ++count) {
      const auto k = static_cast<double>(count);
      weights_[count] = std::pow(rate, k) * std::pow(1.0 - rate, static_cast<double>(order) - k);
    }
    list_tuples();
  }

  /// Number of tuples of states that one step visits.
  [[nodiscard]] double size() const { return static_cast<double>(tuples_.size()); }

  /// Of log_moment: tuples times steps.
  [[nodiscard]] double work() const { return work_; }

  /// (order - 1) D_order. \param tolerance  relative, of the steps that are summed up at once.
  /// \param most_work  tuples times steps, afterwards they are in any case.
  [[nodiscard]] Enclosure log_moment(double tolerance, double most_work) {
    std::size_t entries = 1;
    for (std::size_t d = 0; d < order; ++d) {
      entries *= nodes_;
    }
    upper_.assign(entries, 0.0);
    lower_.assign(entries, Tangent{});
    next_upper_ = upper_;
    next_lower_ = lower_;
    double products = 0.0;            // sum of lambda^{2 j} over this step and the later ones
    double slope = 0.0, power = 1.0;  // the steepest ascent in one state, and lambda^j
    double encoded = 0.0;             // the largest state j steps later
    for (double left = steps_ - 1.0;; --left) {
      work_ += size();
      products = 1.0 + lambda_ * lambda_ * products;
      const bool last = left == 0.0;
      for (std::size_t i = 0; i < (last ? 1 : tuples_.size()); ++i) {
        step(tuples_[i], products * inverse_square_, slope);
      }
      if (last) {
        return {next_lower_[0].value, next_upper_[0]};
      }
      next_slope_error_ = lambda_ * slope_error_ + unit * (64.0 + 2.0 * depth * largest_size_) * largest_slope_;
      largest_size_ = largest_slope_ = 0.0;
      encoded = lambda_ * encoded + 1.0;
      slope += static_cast<double>(order - 1) * inverse_square_ * power * encoded;
      power *= lambda_;
      const double done = steps_ - left;
      if (power * power < 1e-17 && (std::fmod(done, 8.0) == 0.0 || work_ >= most_work)) {
        auto [above, below] = increments();
        // What the steepest ascent still grows by counts where states leave the grid.
        const double away = 1.0 - lambda_;
        const double growth = static_cast<double>(order - 1) * inverse_square_ * power / (away * away);
        above.upper += growth * static_cast<double>(order) * beyond_;
        if (left * std::max(above.width(), below.width()) <= tolerance * (next_upper_[0] + left * above.upper) ||
            work_ >= most_work) {
          const double most = left * above.upper;
          return {std::max(0.0, next_lower_[0].value + left * below.lower * (1.0 - 4.0 * unit)) * (1.0 - 4.0 * unit),
                  (next_upper_[0] + most) * (1.0 + 8.0 * unit)};
        }
      }
      upper_.swap(next_upper_);
      lower_.swap(next_lower_);
      slope_error_ = next_slope_error_;
    }
  }

 private:
  using Tuple = std::array<std::size_t, order>;

  /// Where a state goes.
  struct Place {
    std::size_t cell = 0, nearest = 0;
    double share = 0.0;   ///< of the way to the next node
    double beyond = 0.0;  ///< the last node: no run reaches there
    double offset = 0.0;  ///< from the nearest node
  };

  /// An affine function that is nowhere above the truth.
  struct Tangent {
    double value = 0.0;
    std::array<double, order> slope{};
  };

  void list_tuples() {
    Tuple tuple{};
    while (true) {
      tuples_.push_back(tuple);
      // The next one in ascending order.
      std::size_t d = order;
      while (d > 0 && tuple[d - 1] == nodes_ - 1) {
        --d;
      }
      if (d == 0) {
        return;
      }
      const std::size_t value = tuple[d - 1] + 1;
      std::fill(tuple.begin() + static_cast<std::ptrdiff_t>(d) - 1, tuple.end(), value);
    }
  }

  [[nodiscard]] std::size_t flat(const Tuple& tuple) const {
    std::size_t index = 0;
    for (const std::size_t i : tuple) {
      index = index * nodes_ + i;
    }
    return index;
  }

  /// Chords: linear in each state in turn.
  [[nodiscard]] double interpolated(const std::array<const Place*, order>& places, double slope) const {
    std::array<double, (std::size_t{1} << order)> corners;
    double beyond = 0.0;
    for (std::size_t corner = 0; corner < corners.size(); ++corner) {
      std::size_t index = 0;
      for (std::size_t d = 0; d < order; ++d) {
        index = index * nodes_ + places[d]->cell + ((corner >> d) & 1U);
      }
      corners[corner] = upper_[index];
    }
    for (std::size_t d = order; d-- > 0;) {
      const std::size_t half = std::size_t{1} << d;
      for (std::size_t corner = 0; corner < half; ++corner) {
        corners[corner] += places[d]->share * (corners[corner + half] - corners[corner]);
      }
      beyond += places[d]->beyond;
    }
    return beyond > 0.0 ? corners[0] + slope * beyond : corners[0];
  }

  /// A logarithm and a bound of its rounding.
  struct Rounded {
    double value = 0.0, error = 0.0;
  };

  /// log of sum weights exp(z), weights that add up to 1, z >= 0 of parts of the given sizes; shares become those of
  /// the terms.
  static Rounded log_mean_exp(const std::array<double, (std::size_t{1} << order)>& z,
                              const std::array<double, (std::size_t{1} << order)>& sizes,
                              std::array<double, (std::size_t{1} << order)>& shares,
                              const std::array<double, (std::size_t{1} << order)>& weights) {
    const double largest = *std::max_element(z.begin(), z.end());
    double sum = 0.0, excess = 0.0, error = 0.0;
    const bool moderate = largest < 30.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (moderate) {
        const double above = std::expm1(z[i]);
        excess += weights[i] * above;
        shares[i] = weights[i] * (1.0 + above);
      } else {
        shares[i] = weights[i] * std::exp(z[i] - largest);
      }
      sum += shares[i];
      error += shares[i] * depth * sizes[i];
    }
    for (double& share : shares) {
      share /= sum;
    }
    constexpr double terms = 40.0;  // roundings of a weight, its exponential and a sum of 16
    if (moderate) {                 // the sum is 1 + excess
      const double value = std::log1p(excess);
      return {value, unit * ((error + terms * excess) / sum + 4.0 * value)};
    }
    const double value = sum > 0.0 ? std::max(0.0, largest + std::log(sum)) : 0.0;
    return {value, unit * ((sum > 0.0 ? error / sum : 0.0) + terms + 8.0 * largest)};
  }

  void step(const Tuple& tuple, double factor, double slope) {
    constexpr std::size_t subsets = std::size_t{1} << order;
    // Powers of lambda^2 that later steps add, and the rounding of their sum.
    const double lost = unit * (16.0 + 4.0 * std::min(steps_, 1.0 / ((1.0 - lambda_) * (1.0 + lambda_))));
    std::array<double, order> others{};  // the sum of the other states
    for (std::size_t d = 0; d < order; ++d) {
      for (std::size_t e = 0; e < order; ++e) {
        others[d] += e == d ? 0.0 : grid_[tuple[e]];
      }
    }
    std::array<double, subsets> up, down, up_size, down_size, shares, weights;
    std::array<Tangent, subsets> slopes;
    for (std::size_t subset = 0; subset < subsets; ++subset) {
      std::array<const Place*, order> places;
      Tuple nearest;
      double products = 0.0, count = 0.0;
      for (std::size_t d = 0; d < order; ++d) {
        const std::size_t present = (subset >> d) & 1U;
        places[d] = &places_[present][tuple[d]];
        nearest[d] = places[d]->nearest;
        products += present == 1 ? others[d] : 0.0;
        count += static_cast<double>(present);
      }
      weights[subset] = weights_[static_cast<std::size_t>(count)];
      products = factor * (products + 0.5 * count * (count - 1.0));
      const double chord = interpolated(places, slope);
      up[subset] = products * (1.0 + lost) + chord;
      up_size[subset] = products + chord;
      Tangent tangent = lower_[flat(nearest)];
      double there = tangent.value, size = tangent.value;
      for (std::size_t d = 0; d < order; ++d) {
        there += tangent.slope[d] * places[d]->offset - slope_error_ * std::abs(places[d]->offset);
        size += tangent.slope[d] * std::abs(places[d]->offset);
      }
      if (there < 0.0) {  // 0 is a lower bound too
        there = size = 0.0;
        tangent = Tangent{};
      }
      down[subset] = products * (1.0 - lost) + there;
      down_size[subset] = products + size;
      largest_size_ = std::max(largest_size_, down_size[subset]);
      for (std::size_t d = 0; d < order; ++d) {
        const double participants = count - static_cast<double>((subset >> d) & 1U);
        tangent.slope[d] = lambda_ * tangent.slope[d] + factor * participants;
      }
      slopes[subset] = tangent;
    }
    const Rounded above = log_mean_exp(up, up_size, shares, weights);
    const Rounded below = log_mean_exp(down, down_size, shares, weights);  // whose shares the slopes need
    const double highest = next_up(above.value + above.error);
    Tangent result;
    result.value = std::max(0.0, next_down(below.value - below.error));
    for (std::size_t subset = 0; subset < subsets; ++subset) {
      for (std::size_t d = 0; d < order; ++d) {
        result.slope[d] += shares[subset] * slopes[subset].slope[d];
      }
    }
    largest_slope_ = std::max(largest_slope_, *std::max_element(result.slope.begin(), result.slope.end()));
    // All orders of the states have the same value.
    Tuple places;
    std::iota(places.begin(), places.end(), std::size_t{0});
    do {
      Tuple permuted;
      Tangent tangent;
      tangent.value = result.value;
      for (std::size_t d = 0; d < order; ++d) {
        permuted[d] = tuple[places[d]];
        tangent.slope[d] = result.slope[places[d]];
      }
      const std::size_t index = flat(permuted);
      next_upper_[index] = highest;
      next_lower_[index] = tangent;
    } while (std::next_permutation(places.begin(), places.end()));
  }

  /// The least and the most that the last step has added to the bound from above and to that from below, as functions
  /// of the states.
  [[nodiscard]] std::pair<Enclosure, Enclosure> increments() const {
    Enclosure above{infinity, 0.0}, below{infinity, 0.0};
    for (const Tuple& tuple : tuples_) {
      const std::size_t index = flat(tuple);
      const double up = next_upper_[index] - upper_[index] + 2.0 * unit * next_upper_[index];
      double down = next_lower_[index].value - lower_[index].value;
      for (std::size_t d = 0; d < order; ++d) {
        down -= (std::abs(next_lower_[index].slope[d] - lower_[index].slope[d]) +
                 std::max(0.0, next_slope_error_ - slope_error_)) *
                grid_.back() * (1.0 + 8.0 * unit);
      }
      down -= 4.0 * unit * next_lower_[index].value;
      above = {std::min(above.lower, up), std::max(above.upper, up)};
      below = {std::min(below.lower, down), std::max(below.upper, down)};
    }
    return {clamp(above, 0.0, infinity), clamp(below, 0.0, infinity)};
  }

  double lambda_, steps_, inverse_square_, work_ = 0.0;
  double beyond_ = 0.0;  ///< the furthest that a state leaves the grid
  /// Of tangents: no slope is further from the truth. What the next one follows from.
  double slope_error_ = 0.0, next_slope_error_ = 0.0, largest_size_ = 0.0, largest_slope_ = 0.0;
  std::size_t nodes_;
  std::vector<double> grid_;
  std::array<std::vector<Place>, 2> places_;
  std::array<double, order + 1> weights_{};  ///< by the number of records that take part
  std::vector<Tuple> tuples_;                ///< in ascending order
  std::vector<double> upper_, next_upper_;
  std::vector<Tangent> lower_, next_lower_;
};

/// What all participations being certain gives, and the chance of that.
Enclosure crude(double lambda, double steps, double rate, double noise, double order) {
  using rigorous::Real;
  const Real certain = Real(order) * encoded_square(lambda, steps, steps) / (Real(2) * Real(noise) * Real(noise));
  const Real chance = Real(order) * Real(steps) * log(Real(rate)) / (Real(order) - 1);
  return clamp({(certain + chance).lower(), certain.upper()}, 0.0, infinity);
}

template <std::size_t order>
Enclosure refined(double lambda, double steps, double rate, double noise, double relative_width) {
  constexpr std::size_t coarsest = order == 2 ? 25 : order == 3 ? 13 : 9;
  constexpr double most_work = order == 2 ? 2e6 : order == 3 ? 1e6 : 3e5;  // before another refinement
  Enclosure best = crude(lambda, steps, rate, noise, static_cast<double>(order));
  constexpr double most_without_end = order == 2 ? 3e7 : order == 3 ? 1e7 : 3e6;
  const double steady = lambda == 0.0 ? 0.0 : std::min(steps, -20.0 / std::log(lambda));
  if (Transfer<order>(lambda, 1.0, rate, noise, coarsest).size() * steady > most_without_end) {
    // Products across blocks of steps are not negative: leaving them out bounds from below.
    constexpr double block = 1000.0;
    const Enclosure one = refined<order>(lambda, block, rate, noise, relative_width);
    return {std::max(best.lower, next_down(one.lower * std::floor(steps / block))), best.upper};
  }
  double work = 0.0;
  for (std::size_t nodes = coarsest; best.relative_width() > relative_width; nodes = 2 * nodes - 1) {
    if (work * std::exp2(static_cast<double>(order)) > most_work) {
      break;
    }
    Transfer<order> transfer(lambda, steps, rate, noise, nodes);
    const Enclosure moment = transfer.log_moment(0.1 * relative_width, 10.0 * most_work);
    best = intersection(best, outward(scale(moment, 1.0 / static_cast<double>(order - 1)), 4e-16));
    work = transfer.work();
  }
  return best;
}

}  // namespace

Enclosure transfer_renyi(double lambda, double steps, double sampling_rate, double noise_multiplier, double order,
                         double relative_width) {
  require_domain(lambda >= 0.0 && lambda < 1.0, "lambda", lambda, "[0, 1)");
  require_domain(steps >= 1.0 && steps <= 1e15 && steps == std::floor(steps), "steps", steps,
                 "the whole numbers in [1, 1e15]");
  require_domain(sampling_rate > 0.0 && sampling_rate <= 1.0, "sampling_rate", sampling_rate, "(0, 1]");
  require_domain(noise_multiplier > 0.0 && std::isfinite(noise_multiplier), "noise_multiplier", noise_multiplier,
                 "(0, inf)");
  require_domain(order >= 2.0 && order <= highest_transfer_order && order == std::floor(order), "order", order,
                 "2, 3 or 4");
  require_domain(relative_width > 0.0, "relative_width", relative_width, "(0, inf)");
  const Enclosure simple = crude(lambda, steps, sampling_rate, noise_multiplier, order);
  if (simple.upper > 1e290 || simple.upper < 1e-290) {
    return simple;
  }
  return order == 2.0   ? refined<2>(lambda, steps, sampling_rate, noise_multiplier, relative_width)
         : order == 3.0 ? refined<3>(lambda, steps, sampling_rate, noise_multiplier, relative_width)
                        : refined<4>(lambda, steps, sampling_rate, noise_multiplier, relative_width);
}

PairRenyi remove_renyi(const models::StrategyMatrix& strategy, double sampling_rate, double noise_multiplier,
                       double order) {
  require_domain(order >= 2.0 && order <= 1e7 && order == std::floor(order), "order", order,
                 "the integers from 2 to 10000000");
  const auto steps = static_cast<double>(strategy.steps());
  constexpr double most_enumerated = 1.1e8;  // multisets times steps: about 2 s
  if (enumerated_multisets(strategy, order) * steps <= most_enumerated) {
    return {exact_renyi(strategy, sampling_rate, noise_multiplier, order), "exact"};
  }
  const bool exponential = strategy.form() == models::StrategyMatrix::Form::exponential;
  const auto dominating = dominating_exponential(strategy);
  const double noise = noise_multiplier / dominating.factor, transferred = std::min(order, highest_transfer_order);
  Enclosure value{0.0, infinity};
  if (dominating.lambda < 1.0) {
    value = transfer_renyi(dominating.lambda, steps, sampling_rate, noise, transferred);
    if (order <= highest_transfer_order) {
      return {{exponential ? value.lower : 0.0, value.upper}, "recursion over the states of all records"};
    }
    // Higher orders have larger divergences; what is certain if all participations are bounds them all.
    const Enclosure simple = crude(dominating.lambda, steps, sampling_rate, noise, order);
    value = {std::max(value.lower, simple.lower), simple.upper};
  }
  constexpr double most_bounded = 1e6;  // steps times order: about 3 s
  if (steps <= 1e5 && order <= 4096.0 && steps * order <= most_bounded) {
    value.upper =
        std::min(value.upper, renyi_bound(dominating, steps, sampling_rate, noise_multiplier, {1.0, 0.0}, order));
  }
  return {{exponential ? value.lower : 0.0, value.upper},
          "above: derived-3, or participation in all steps; below: order 4"};
}

}  // namespace dpcurves::correlated
