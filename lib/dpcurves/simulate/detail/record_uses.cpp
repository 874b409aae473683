// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/random/streams.hpp>
#include <dpcurves/simulate/detail/record_uses.hpp>

namespace dpcurves::simulate {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger == minus_infinity ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// log(1 - q + q e^w)
double log_mixture(double q, double w) {
  return q == 1.0   ? w
         : q == 0.0 ? 0.0
         : w > 0.0  ? w + std::log(q + (1.0 - q) * std::exp(-w))
                    : std::log1p(q * std::expm1(w));
}

void check(const RecordUses& p) {
  require_domain(p.rate >= 0.0 && p.rate <= 1.0, "rate", p.rate, "[0, 1]");
  require_domain(p.noise_multiplier > 0.0 && std::isfinite(p.noise_multiplier), "noise_multiplier", p.noise_multiplier,
                 "(0, inf)");
  require_domain(p.round >= 1, "round", static_cast<double>(p.round), "[1, inf)");
  require_domain(p.chosen >= 1 && p.chosen <= p.round, "chosen", static_cast<double>(p.chosen), "[1, round]");
}

/// log of Binomial(n, q) at 0, 1, ..., as far as they matter.
std::vector<double> log_binomial(std::size_t n, double q) {
  constexpr double least = -60.0;
  std::vector<double> w;
  const auto draws = static_cast<double>(n);
  for (std::size_t k = 0; k <= n; ++k) {
    const auto uses = static_cast<double>(k);
    const double log_q = k == 0 ? 0.0 : uses * std::log(q), log_rest = k == n ? 0.0 : (draws - uses) * std::log1p(-q);
    w.push_back(std::lgamma(draws + 1.0) - std::lgamma(uses + 1.0) - std::lgamma(draws - uses + 1.0) + log_q +
                log_rest);
    if (uses > draws * q && w.back() < least) {
      break;
    }
  }
  return w;
}

/// One path of one phase: the sums, and their likelihood for a gradient over that of noise alone.
class Path {
 public:
  Path(const RecordUses& phase, std::uint64_t seed, std::uint32_t path, std::uint64_t first)
      : p_(phase), sum_(phase.steps), uniform_(phase.steps + phase.chosen + 1) {
    random::normals(sum_, seed, random::Purpose::noise, path, first);
    random::uniforms(uniform_, seed, random::Purpose::sampling, path, first);
    if (p_.law == UseLaw::several) {
      log_uses_ = log_binomial(p_.round, p_.rate);
    }
  }

  /// Adds the uses of a record with that gradient.
  void use(double gradient) {
    const double mu = gradient / p_.noise_multiplier;
    switch (p_.law) {
      case UseLaw::each_step:
      case UseLaw::turns:
        for (std::size_t t = 0; t < p_.steps; t += p_.law == UseLaw::turns ? p_.round : 1) {
          sum_[t] += uniform_[t] < p_.rate ? mu : 0.0;
        }
        break;
      case UseLaw::several:
        for (std::size_t t = 0; t < p_.steps; ++t) {
          double below = uniform_[t];
          for (std::size_t k = 0; k < log_uses_.size() && (below -= std::exp(log_uses_[k])) >= 0.0; ++k) {
            sum_[t] += mu;
          }
        }
        break;
      case UseLaw::rounds:
        for (std::size_t start = 0; start < p_.steps; start += p_.round) {
          std::size_t left = p_.chosen;  // the next step of the round is chosen with chance left / those to come
          for (std::size_t i = 0; i < p_.round && start + i < p_.steps; ++i) {
            if (uniform_[start + i] * static_cast<double>(p_.round - i) < static_cast<double>(left)) {
              sum_[start + i] += mu;
              --left;
            }
          }
        }
        break;
      case UseLaw::one_bin:
        for (auto t = static_cast<std::size_t>(uniform_[0] * static_cast<double>(p_.round)); t < p_.steps;
             t += p_.round) {
          sum_[t] += mu;
        }
        break;
      case UseLaw::separated:
        for (std::size_t t = blocked_at_first(); t < p_.steps; ++t) {
          if (uniform_[t] < p_.rate) {
            sum_[t] += mu;
            t += p_.round - 1;
          }
        }
        break;
    }
  }

  /// Carries a descent through the steps; adds its iterates to `sum`.
  void descend(double contraction, double& x, double& sum) const {
    for (const double published : sum_) {
      x = contraction * x + p_.noise_multiplier * published;
      sum += x;
    }
  }

  [[nodiscard]] double log_likelihood(double gradient) const {
    if (gradient == 0.0 || p_.steps == 0) {
      return 0.0;
    }
    const double mu = gradient / p_.noise_multiplier;
    const auto weight = [&](std::size_t t) { return mu * (sum_[t] - 0.5 * mu); };
    double total = 0.0;
    switch (p_.law) {
      case UseLaw::each_step:
      case UseLaw::turns:
        for (std::size_t t = 0; t < p_.steps; t += p_.law == UseLaw::turns ? p_.round : 1) {
          total += log_mixture(p_.rate, weight(t));
        }
        return total;
      case UseLaw::several:
        for (std::size_t t = 0; t < p_.steps; ++t) {
          double all = minus_infinity;
          for (std::size_t k = 0; k < log_uses_.size(); ++k) {
            const double moved = static_cast<double>(k) * mu;
            all = log_sum(all, log_uses_[k] + moved * (sum_[t] - 0.5 * moved));
          }
          total += all;
        }
        return total;
      case UseLaw::rounds:
        for (std::size_t start = 0; start < p_.steps; start += p_.round) {
          total += round_likelihood(start, weight);
        }
        return total;
      case UseLaw::one_bin: {
        double all = minus_infinity;
        for (std::size_t bin = 0; bin < p_.round; ++bin) {
          double one = 0.0;
          for (std::size_t t = bin; t < p_.steps; t += p_.round) {
            one += weight(t);
          }
          all = log_sum(all, one);
        }
        return all - std::log(static_cast<double>(p_.round));
      }
      case UseLaw::separated:
        return separated_likelihood(weight);
    }
    return total;
  }

 private:
  /// How many of the first steps cannot use the record, in equilibrium.
  [[nodiscard]] std::size_t blocked_at_first() const {
    const double each = p_.rate / (1.0 + static_cast<double>(p_.round - 1) * p_.rate);
    const double at = uniform_.back() / std::max(each, std::numeric_limits<double>::min());
    return at < static_cast<double>(p_.round - 1) ? 1 + static_cast<std::size_t>(at) : 0;
  }

  /// The mean over sets of `chosen` steps of a round of the product of their weights; steps not run have weight 1.
  template <class Weight>
  [[nodiscard]] double round_likelihood(std::size_t start, const Weight& weight) const {
    std::vector<double> chosen(p_.chosen + 1, minus_infinity);  // logs of the elementary symmetric sums
    chosen[0] = 0.0;
    for (std::size_t i = 0; i < p_.round; ++i) {
      const double w = start + i < p_.steps ? weight(start + i) : 0.0;
      for (std::size_t k = std::min(i + 1, p_.chosen); k > 0; --k) {
        chosen[k] = log_sum(chosen[k], chosen[k - 1] + w);
      }
    }
    const auto t = static_cast<double>(p_.round), k = static_cast<double>(p_.chosen);
    return chosen.back() - (std::lgamma(t + 1.0) - std::lgamma(k + 1.0) - std::lgamma(t - k + 1.0));
  }

  /// Forward: of the record free at step t.
  template <class Weight>
  [[nodiscard]] double separated_likelihood(const Weight& weight) const {
    const double b = static_cast<double>(p_.round), each = p_.rate / (1.0 + (b - 1.0) * p_.rate);
    std::vector<double> free(p_.steps + p_.round, minus_infinity);
    for (std::size_t blocked = 1; blocked < p_.round; ++blocked) {
      free[blocked] = std::log(each);
    }
    free[0] = std::log1p(-(b - 1.0) * each);
    double ended = minus_infinity;
    for (std::size_t t = 0; t < p_.steps; ++t) {
      free[t + 1] = log_sum(free[t + 1], free[t] + std::log1p(-p_.rate));
      free[t + p_.round] = log_sum(free[t + p_.round], free[t] + std::log(p_.rate) + weight(t));
    }
    for (std::size_t t = p_.steps; t < free.size(); ++t) {
      ended = log_sum(ended, free[t]);
    }
    return ended;
  }

  const RecordUses& p_;
  std::vector<double> sum_, uniform_, log_uses_;
};

/// visit(number, phase, path) for every phase of every path, its uses drawn.
template <class Visit>
void each_path(const std::vector<RecordUses>& phases, bool null, std::size_t paths, std::uint64_t seed,
               std::uint32_t first_path, unsigned threads, const Visit& visit) {
  require_domain(!phases.empty(), "phases", 0.0, "at least one");
  for (const RecordUses& phase : phases) {
    check(phase);
  }
  constexpr std::size_t block = 256;
  parallel_for((paths + block - 1) / block, threads, [&](std::size_t part) {
    for (std::size_t i = part * block; i < std::min(paths, (part + 1) * block); ++i) {
      std::uint64_t first = 0;
      for (const RecordUses& phase : phases) {
        Path path(phase, seed, first_path + static_cast<std::uint32_t>(i), first);
        path.use(null ? phase.null_gradient : phase.gradient);
        visit(i, phase, path);
        first += 2 * (phase.steps + phase.chosen + 2);
      }
    }
  });
}

}  // namespace

std::vector<double> log_likelihood_ratios(const std::vector<RecordUses>& phases, bool null, std::size_t paths,
                                          std::uint64_t seed, std::uint32_t first_path, unsigned threads) {
  std::vector<double> ratios(paths);
  each_path(phases, null, paths, seed, first_path, threads,
            [&](std::size_t i, const RecordUses& phase, const Path& path) {
              ratios[i] += path.log_likelihood(phase.gradient) - path.log_likelihood(phase.null_gradient);
            });
  return ratios;
}

std::vector<double> iterates(const std::vector<RecordUses>& phases, double contraction, Iterate published, bool null,
                             std::size_t paths, std::uint64_t seed, std::uint32_t first_path, unsigned threads) {
  require_domain(contraction >= 0.0 && contraction <= 1.0, "contraction", contraction, "[0, 1]");
  std::vector<double> ends(paths), sums(paths);
  each_path(phases, null, paths, seed, first_path, threads,
            [&](std::size_t i, const RecordUses&, const Path& path) { path.descend(contraction, ends[i], sums[i]); });
  return published == Iterate::last ? ends : sums;
}

}  // namespace dpcurves::simulate
