// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/correlated/likelihood_estimate.hpp>
#include <dpcurves/numerics/normal.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/tradeoff/gaussian.hpp>

namespace dpcurves::correlated {
namespace {

constexpr double most_state_steps = 1e6;    // of one ratio by the coarse chain: about 3 ms
constexpr double least_noise = 0.02;        // that a grid resolves
constexpr std::size_t block = 128;          // draws that are stratified together
constexpr std::size_t plain_draws = 13;     // of a block come from P itself
constexpr std::size_t corrected_every = 4;  // blocks, or more, where the chain is on a grid
constexpr double coarse = 0.1;              // resolution of the chain of proposals
constexpr double search_share = 0.3;        // of the work, for the proposal

/// |C| 1, the direction of the shift.
std::vector<double> direction(const models::StrategyMatrix& strategy) {
  std::vector<double> all(strategy.steps(), 1.0);
  strategy.absolute().multiply(all);
  return all;
}

double product(const std::vector<double>& x, const std::vector<double>& y) {
  return sum_over(x.size(), [&](std::size_t i) { return x[i] * y[i]; });
}

/// Proposals need no accuracy, only to be drawn from the law whose density is used.
/// Where noise is small against the grid, the laws of a coarse and a fine chain would have nothing in common.
ChainPtr coarse_chain(const EstimatedPair& pair) {
  const double resolution = std::clamp(0.2 * pair.noise_multiplier, 4e-3, coarse);
  auto chain = participation_chain(pair.strategy, Rounding::nearest, resolution, !has_recursion(pair.strategy));
  const auto steps = static_cast<double>(pair.strategy.steps()), states = static_cast<double>(chain->states());
  if (steps * states > most_state_steps) {
    throw ConvergenceError("estimate_delta: " + shortest(steps) + " steps with " + shortest(states) +
                           " states each are too many for Monte Carlo; ask for the certified bounds");
  }
  if (!chain->exact() && pair.noise_multiplier < least_noise) {
    throw ConvergenceError("estimate_delta: a grid of states does not resolve a noise multiplier of " +
                           shortest(pair.noise_multiplier) + "; ask for the certified bounds");
  }
  return chain;
}

/// One draw: what it contributes to delta, its score log P/Q, and what refits the proposal.
struct Draw {
  double weight = 0.0;  ///< P over the law that was drawn from
  double score = 0.0;   ///< log P/Q
  double fine = 0.0;    ///< what it contributes by the fine chain, where that was asked for
  std::size_t part = 0;
  double rate = 0.0;                                                      ///< share of steps with the record
  double mean_mean = 0.0, mean_along = 0.0, mean_z = 0.0, along_z = 0.0;  ///< inner products

  [[nodiscard]] double contribution(double epsilon) const {
    return weight > 0.0 && score > epsilon ? -weight * std::expm1(epsilon - score) : 0.0;
  }
};

/// Draws of a block: the first come from P, the others from the parts of the proposal in fixed numbers.
///
/// \param chain         whose P is drawn from and whose contributions are computed.
/// \param coarse_chain  of the parts of the proposal.
class Sampler {
 public:
  Sampler(const EstimatedPair& pair, const ParticipationChain& chain, const ParticipationChain& coarse_chain,
          const Proposal& proposal, std::uint64_t seed)
      : pair_(pair), chain_(chain), coarse_(coarse_chain), seed_(seed), along_(direction(pair.strategy)) {
    square_ = product(along_, along_);
    double before = 0.0;
    std::size_t first = plain_draws;
    for (const ProposalPart& part : proposal.parts) {
      before += part.weight;
      const std::size_t last =
          &part == &proposal.parts.back()
              ? block
              : plain_draws + static_cast<std::size_t>(std::lround(before * static_cast<double>(block - plain_draws)));
      groups_.push_back({part, first, std::max(first, last)});
      first = groups_.back().last;
    }
  }

  /// Of a block of draws, in units of EstimateBudget::most_work: the ratios of both laws, and of every part.
  [[nodiscard]] double work(const ParticipationChain* fine = nullptr) const {
    const double laws = (pair_.multiples.first != 0.0 ? 1.0 : 0.0) + (pair_.multiples.second != 0.0 ? 1.0 : 0.0);
    const double one = laws * (chain_.work() + (fine != nullptr ? fine->work() : 0.0)) +
                       static_cast<double>(groups_.size()) * coarse_.work();
    return static_cast<double>(block) * one;
  }

  /// Of each group the component of the noise along |C| 1, on which the score depends most, has one draw in every
  /// quantile.
  /// \param fine  null, or a chain by which the contribution is computed too. \param epsilon  for that.
  [[nodiscard]] Draw draw(std::size_t index, const ParticipationChain* fine = nullptr, double epsilon = 0.0) const {
    const std::size_t steps = along_.size(), place = index % block;
    const auto path = static_cast<std::uint32_t>(index);
    const double noise = pair_.noise_multiplier;
    std::vector<double> chance(steps + 2), z(steps), mean(steps);
    random::uniforms(chance, seed_, random::Purpose::sampling, path, 0);
    random::normals(z, seed_, random::Purpose::noise, path, 0);
    Draw result;
    Group group{{1.0, pair_.sampling_rate, pair_.multiples.first, 0.0}, 0, plain_draws};
    const bool plain = place < plain_draws;
    while (!plain && groups_[result.part].last <= place) {
      ++result.part;
    }
    if (!plain) {
      group = groups_[result.part];
    }
    const double quantile =
        (static_cast<double>(place - group.first) + chance[steps]) / static_cast<double>(group.last - group.first);
    const double move = (numerics::normal_quantile(quantile) * std::sqrt(square_) - product(z, along_)) / square_;
    std::vector<std::uint8_t> participations(steps);
    for (std::size_t t = 0; t < steps; ++t) {
      participations[t] = chance[t] < group.part.rate ? 1 : 0;
      result.rate += participations[t];
    }
    result.rate /= static_cast<double>(steps);
    (plain ? chain_ : coarse_).means(participations, mean);
    for (std::size_t t = 0; t < steps; ++t) {
      z[t] = group.part.multiple * mean[t] + group.part.shift * along_[t] + noise * (z[t] + move * along_[t]);
    }
    result.mean_mean = product(mean, mean);
    result.mean_along = product(mean, along_);
    result.mean_z = product(mean, z);
    result.along_z = product(along_, z);
    const double first = log_ratio(chain_, z, pair_.sampling_rate, pair_.multiples.first);
    result.score = first - log_ratio(chain_, z, pair_.sampling_rate, pair_.multiples.second);
    double inverse = static_cast<double>(plain_draws) / block;
    for (const Group& other : groups_) {
      if (other.last > other.first) {
        inverse += static_cast<double>(other.last - other.first) / block *
                   std::exp(log_density(other.part, z, result.along_z) - first);
      }
    }
    result.weight = 1.0 / inverse;
    if (fine != nullptr) {
      Draw other;
      const double log_p = log_ratio(*fine, z, pair_.sampling_rate, pair_.multiples.first);
      other.score = log_p - log_ratio(*fine, z, pair_.sampling_rate, pair_.multiples.second);
      other.weight = result.weight * std::exp(log_p - first);
      result.fine = other.contribution(epsilon);
    }
    return result;
  }

 private:
  struct Group {
    ProposalPart part;
    std::size_t first = 0, last = 0;  ///< places in a block
  };

  [[nodiscard]] double log_ratio(const ParticipationChain& chain, const std::vector<double>& z, double rate,
                                 double multiple) const {
    return multiple == 0.0 || rate == 0.0 ? 0.0 : chain.log_ratio(z, rate, pair_.noise_multiplier, multiple);
  }

  /// log of the part's density over that of noise alone.
  [[nodiscard]] double log_density(const ProposalPart& part, const std::vector<double>& z, double along_z) const {
    std::vector<double> shifted(z);
    for (std::size_t t = 0; t < z.size(); ++t) {
      shifted[t] -= part.shift * along_[t];
    }
    const double square = pair_.noise_multiplier * pair_.noise_multiplier;
    return part.shift * (along_z - 0.5 * part.shift * square_) / square +
           log_ratio(coarse_, shifted, part.rate, part.multiple);
  }

  const EstimatedPair& pair_;
  const ParticipationChain& chain_;
  const ParticipationChain& coarse_;
  std::uint64_t seed_;
  std::vector<double> along_;
  double square_ = 0.0;
  std::vector<Group> groups_;
};

/// Means of blocks, which are independent; of some of them what the fine chain adds to the coarse one.
class Moments {
 public:
  void add(std::span<const double> contributions) {
    double total = 0.0;
    for (const double x : contributions) {
      total += x;
      square_ += x * x;
    }
    sum_ += total;
    draws_ += contributions.size();
    means_.push_back(total / static_cast<double>(contributions.size()));
  }
  /// Of the block that was added last.
  void correct(double mean_difference) {
    corrected_.push_back(means_.back());
    differences_.push_back(mean_difference);
  }
  /// Whether a correction is worth its work: numbers of terms as deviation over root of work have the least variance.
  [[nodiscard]] bool wants_correction(double work) const {
    constexpr std::size_t fewest = 3;  // to know the deviation
    const auto n = static_cast<double>(means_.size()), m = static_cast<double>(differences_.size());
    return differences_.size() < fewest ||
           m * m * work * covariance(means_, means_) < n * n * covariance(differences_, differences_);
  }
  [[nodiscard]] std::size_t draws() const { return draws_; }
  [[nodiscard]] Estimate estimate() const {
    const auto n = static_cast<double>(means_.size()), m = static_cast<double>(differences_.size());
    double value = mean(means_), variance = covariance(means_, means_) / n;
    if (m > 0.0) {
      value += mean(differences_);
      variance += covariance(differences_, differences_) / m + 2.0 * covariance(corrected_, differences_) / n;
    }
    return {std::max(0.0, value), value > 0.0 && n > 1.0 && m != 1.0 ? std::sqrt(std::max(0.0, variance)) : infinity};
  }
  [[nodiscard]] double effective() const { return square_ > 0.0 ? sum_ * sum_ / square_ : 0.0; }

 private:
  static double mean(const std::vector<double>& x) {
    double sum = sum_over(x);
    return sum / static_cast<double>(x.size());
  }
  static double covariance(const std::vector<double>& x, const std::vector<double>& y) {
    const double a = mean(x), b = mean(y);
    const double sum = sum_over(x.size(), [&](std::size_t i) { return (x[i] - a) * (y[i] - b); });
    return sum / static_cast<double>(x.size() - 1);
  }
  std::size_t draws_ = 0;
  double sum_ = 0.0, square_ = 0.0;
  std::vector<double> means_, corrected_, differences_;
};

void check(const EstimatedPair& pair, double epsilon) {
  require_domain(pair.sampling_rate > 0.0 && pair.sampling_rate <= 1.0, "sampling_rate", pair.sampling_rate, "(0, 1]");
  require_domain(pair.noise_multiplier > 0.0 && std::isfinite(pair.noise_multiplier), "noise_multiplier",
                 pair.noise_multiplier, "(0, inf)");
  require_domain(epsilon >= 0.0 && std::isfinite(epsilon), "epsilon", epsilon, "[0, inf)");
  require_domain(pair.multiples.first * pair.multiples.second <= 0.0 && !(pair.multiples == MeanMultiples{0.0, 0.0}),
                 "multiples", pair.multiples.first * pair.multiples.second, "opposite signs, or one of them 0");
}

/// The rounds of the search for a proposal, each with random numbers of its own: those of the estimate start at path 0
/// of the seed itself.
class Pilot {
 public:
  Pilot(const EstimatedPair& pair, const ParticipationChain& chain, const EstimateBudget& budget)
      : pair_(pair), chain_(chain), budget_(budget) {}

  [[nodiscard]] std::vector<Draw> draws(const Proposal& proposal, std::size_t blocks) {
    ++round_;
    const Sampler sampler(pair_, chain_, chain_, proposal, budget_.seed + 0x9E3779B97F4A7C15U * round_);
    work_ += static_cast<double>(blocks) * sampler.work();
    std::vector<Draw> list(blocks * block);
    parallel_for(list.size(), budget_.threads, [&](std::size_t i) { list[i] = sampler.draw(i); });
    return list;
  }
  [[nodiscard]] bool spent() const { return work_ > search_share * budget_.most_work; }

 private:
  const EstimatedPair& pair_;
  const ParticipationChain& chain_;
  const EstimateBudget& budget_;
  std::uint64_t round_ = 0;
  double work_ = 0.0;
};

/// Weighted least squares of z on the mean and |C| 1, and the mean participation; draws of one part, or of all.
class Fit {
 public:
  explicit Fit(double square) : square_(square) {}
  void add(const Draw& draw, double w) {
    total_ += w;
    rate_ += w * draw.rate;
    mean_mean_ += w * draw.mean_mean;
    mean_along_ += w * draw.mean_along;
    mean_z_ += w * draw.mean_z;
    along_z_ += w * draw.along_z;
  }
  [[nodiscard]] double total() const { return total_; }
  /// \param lowest  rate. The multiple of `part` counts like a few draws.
  [[nodiscard]] ProposalPart fitted(ProposalPart part, double lowest) const {
    if (!(total_ > 0.0)) {
      return part;
    }
    part.rate = part.rate == 0.0 ? 0.0 : std::clamp(rate_ / total_, lowest, 1.0);
    const double a = mean_mean_ / total_, b = mean_along_ / total_, ridge = 0.1 * a + 1e-12 * square_;
    const double y = mean_z_ / total_ + ridge * part.multiple, x = along_z_ / total_;
    const double determinant = (a + ridge) * square_ - b * b;
    part.multiple = (y * square_ - b * x) / determinant;
    part.shift = (x - b * part.multiple) / square_;
    return part;
  }

 private:
  double square_;
  double total_ = 0.0, rate_ = 0.0;
  double mean_mean_ = 0.0, mean_along_ = 0.0, mean_z_ = 0.0, along_z_ = 0.0;
};

}  // namespace

Proposal find_proposal(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget) {
  check(pair, epsilon);
  const auto chain = coarse_chain(pair);
  Pilot pilot(pair, *chain, budget);
  const bool no_participation = pair.multiples.first == 0.0;
  const auto along = direction(pair.strategy);
  const double square = product(along, along);
  const double r = pair.sampling_rate, lowest = 0.5 * r;
  Proposal proposal;
  // Rare participations: two on average, or the search would never see one.
  const double often = std::min(1.0, std::max(r, 2.0 / static_cast<double>(pair.strategy.steps())));
  proposal.parts = {{1.0, no_participation ? 0.0 : often, pair.multiples.first, 0.0}};
  // A part of the way to where the score of the mean participations is epsilon.
  const double difference = pair.multiples.first - pair.multiples.second;
  const double sum = pair.multiples.first + pair.multiples.second;
  const double way = epsilon * pair.noise_multiplier * pair.noise_multiplier / (r * difference * square);
  proposal.parts.front().shift = 0.3 * (way - 0.5 * r * sum);
  if (proposal.parts.front().shift * difference < 0.0) {
    proposal.parts.front().shift = 0.0;
  }
  int round = 0, stalled = 0;
  proposal.reached = false;
  for (double highest = -infinity; round < 40 && stalled < 5 && !proposal.reached && !pilot.spent(); ++round) {
    const auto list = pilot.draws(proposal, 1);
    std::vector<double> scores = mapped(list, [&](const Draw& one) { return one.score; });
    constexpr std::size_t top_tenth = block / 10;
    std::nth_element(scores.begin(), scores.begin() + top_tenth, scores.end(), std::greater<>());
    proposal.reached = scores[top_tenth] >= epsilon;
    const double level = std::min(epsilon, scores[top_tenth]);
    stalled = level > highest + 1e-3 * epsilon ? 0 : stalled + 1;
    highest = std::max(highest, level);
    Fit fit(square);
    for (const Draw& one : list) {
      fit.add(one, proposal.reached ? one.contribution(epsilon) : one.score >= level ? one.weight : 0.0);
    }
    proposal.parts.front() = fit.fitted(proposal.parts.front(), lowest);
  }
  if (!proposal.reached || pilot.spent()) {
    return proposal;
  }
  // One part may do: with much noise a shift of everything is nearly all that matters.
  double total = 0.0, squares = 0.0;
  Fit again(square);
  const auto list = pilot.draws(proposal, 2);
  for (const Draw& one : list) {
    const double x = one.contribution(epsilon);
    again.add(one, x);
    total += x;
    squares += x * x;
  }
  proposal.parts.front() = again.fitted(proposal.parts.front(), lowest);
  constexpr double little_spread = 1.2;  // variance of a contribution over its squared mean
  const auto count = static_cast<double>(list.size());
  if (no_participation || squares * count - total * total < little_spread * total * total) {
    return proposal;
  }
  // Otherwise several, each refitted to what it draws.
  ProposalPart few = proposal.parts.front(), many = few;
  few.rate = std::max(r, 0.5 * few.rate);
  few.multiple *= 1.2;
  many.rate = std::min(1.0, 2.0 * many.rate);
  many.multiple *= 0.8;
  proposal.parts.push_back(few);
  proposal.parts.push_back(many);
  for (ProposalPart& part : proposal.parts) {
    part.weight = 1.0 / 3.0;
  }
  for (int refinement = 0; refinement < 3 && !pilot.spent(); ++refinement) {
    const auto more = pilot.draws(proposal, 3);
    std::vector<Fit> fits(proposal.parts.size(), Fit(square));
    double matters = 0.0;
    for (std::size_t i = 0; i < more.size(); ++i) {
      if (i % block >= plain_draws) {
        fits[more[i].part].add(more[i], more[i].contribution(epsilon));
        matters += more[i].contribution(epsilon);
      }
    }
    if (!(matters > 0.0)) {
      break;
    }
    double weights = 0.0;
    for (std::size_t k = 0; k < fits.size(); ++k) {
      proposal.parts[k] = fits[k].fitted(proposal.parts[k], lowest);
      proposal.parts[k].weight = 0.1 + fits[k].total() / matters;
      weights += proposal.parts[k].weight;
    }
    for (ProposalPart& part : proposal.parts) {
      part.weight /= weights;
    }
  }
  return proposal;
}

DeltaEstimate estimate_delta(const EstimatedPair& pair, const ParticipationChain& chain, const Proposal& proposal,
                             double epsilon, const EstimateBudget& budget) {
  check(pair, epsilon);
  if (pair.multiples.first == 0.0 &&
      epsilon >= -std::log1p(-pair.sampling_rate) * static_cast<double>(pair.strategy.steps())) {
    return {{0.0, 0.0}, 0.0, 0, proposal};  // Q is at least (1 - r)^T P
  }
  // A chain on a grid is too slow for every draw: the draws are from a coarse one, and at most every fourth block
  // measures what the fine one adds, which varies far less.
  const auto cheap = coarse_chain(pair);
  const bool corrected = !chain.exact();
  const ParticipationChain* fine = corrected ? &chain : nullptr;
  const Sampler sampler(pair, corrected ? *cheap : chain, *cheap, proposal, budget.seed);
  Moments moments;
  std::vector<double> contributions(block), differences(block);
  double work = 0.0;
  const double correction_work = corrected ? sampler.work(fine) / sampler.work() - 1.0 : 0.0;
  const std::size_t most = proposal.reached ? budget.most : std::min(budget.least, budget.most);
  for (std::size_t number = 0; moments.draws() < most; ++number) {
    const std::size_t first = moments.draws();
    const bool correct = corrected && number % corrected_every == 0 && moments.wants_correction(correction_work);
    parallel_for(block, budget.threads, [&](std::size_t i) {
      const Draw draw = sampler.draw(first + i, correct ? fine : nullptr, epsilon);
      contributions[i] = draw.contribution(epsilon);
      differences[i] = draw.fine - contributions[i];
    });
    moments.add(contributions);
    if (correct) {
      const double total = sum_over(differences);
      moments.correct(total / static_cast<double>(block));
    }
    work += sampler.work(correct ? fine : nullptr);
    const Estimate estimate = moments.estimate();
    if ((moments.draws() >= budget.least && estimate.error <= budget.relative_error * estimate.value) ||
        work > budget.most_work) {
      break;
    }
  }
  return {moments.estimate(), moments.effective(), moments.draws(), proposal};
}

DeltaEstimate estimate_delta(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget,
                             double resolution) {
  if (pair.sampling_rate == 1.0) {  // two Gaussians
    const auto along = direction(pair.strategy);
    const double mu = std::abs(pair.multiples.first - pair.multiples.second) * std::sqrt(product(along, along));
    return {{tradeoff::delta_of_epsilon(epsilon, mu / pair.noise_multiplier), 0.0}, 0.0, 0, {}};
  }
  const double fine = std::clamp(0.02 * pair.noise_multiplier, 4e-4, resolution);
  const auto chain = participation_chain(pair.strategy, Rounding::nearest, fine);
  return estimate_delta(pair, *chain, find_proposal(pair, epsilon, budget), epsilon, budget);
}

void require_spread(const DeltaEstimate& estimate, const models::StrategyMatrix& strategy, double epsilon) {
  if (!std::isinf(estimate.delta.error)) {
    return;
  }
  const bool exact = participation_chain(strategy, Rounding::nearest, coarse)->exact();
  const std::size_t least = block * (exact ? 2 : corrected_every + 1), draws = estimate.draws;
  throw ConvergenceError(
      draws < least
          ? std::to_string(draws) + " draws are too few for a standard error, which takes " + std::to_string(least)
          : "none of " + std::to_string(draws) + " draws has a loss above epsilon = " + shortest(epsilon) +
                ": too few, " + std::to_string(8 * draws) + " may do");
}

DeltaBracket bracket_delta(const EstimatedPair& pair, double epsilon, const EstimateBudget& budget, double resolution,
                           bool enumerate) {
  const Proposal proposal = find_proposal(pair, epsilon, budget);
  const auto down = participation_chain(pair.strategy, Rounding::down, resolution, enumerate);
  const auto up = participation_chain(pair.strategy, Rounding::up, resolution, enumerate);
  DeltaBracket bracket;
  bracket.down = estimate_delta(pair, *down, proposal, epsilon, budget);
  EstimateBudget same = budget;  // as many draws as the first took
  same.least = same.most = bracket.down.draws;
  same.most_work = infinity;
  bracket.up = estimate_delta(pair, *up, proposal, epsilon, same);
  return bracket;
}

}  // namespace dpcurves::correlated
