// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Trees of dp_accounting as runs: what each class of mechanism releases.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <dpcurves/accounting/dp_sgd.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/dp_event_tree.hpp>
#include <dpcurves/transcripts/detail/numbers.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

using mechanism::Adjacency;
using mechanism::Sampler;

constexpr Domain positive_count{"[0, 1e15]", true};
constexpr Domain nonnegative{"[0, inf)"};
// what mechanism::Mechanism takes; beyond, a claim stands for it
constexpr double largest_epsilon = 700.0, largest_sensitivity = 1e4, largest_deviation = 1e3, largest_mean = 1e3;

/// a b, rounded up: a guarantee may be for a little more than was run.
double product_up(double a, double b) {
  const double value = a * b;
  return std::fma(a, b, -value) > 0.0 ? next_up(value) : value;
}

class Reader {
 public:
  Reader(const DpEventTree& tree, const Given& given, bool selected = false)
      : tree_(tree), given_(given), selected_(selected) {
    transcript_.run.source = "dp_accounting";
    transcript_.run.privacy.adjacency = given.adjacency.value_or(Adjacency::add_or_remove);
    if (!given.adjacency) {
      transcript_.assumed.emplace_back("adjacency add-or-remove, as dp_accounting does: the file does not say it");
    }
  }

  Transcript read(std::size_t root) {
    std::vector<std::pair<std::size_t, double>> open{{root, 1.0}};  // a stack: trees may be deep
    while (!open.empty()) {
      const auto [node, count] = open.back();
      open.pop_back();
      const std::string name = tree_.class_of(node).name;
      if (name == "SelfComposedDpEvent") {
        const double more = count * tree_.number(node, "count", positive_count);
        if (!(more <= 1e15)) {
          throw DomainError(tree_.path(node) + ": " + shortest(more) + " repetitions are more than 1e15");
        }
        open.emplace_back(tree_.field(node, "event"), more);
      } else if (name == "ComposedDpEvent") {
        const std::size_t events = tree_.field(node, "events");
        tree_.require_list(events);
        for (auto child = tree_[events].children.rbegin(); child != tree_[events].children.rend(); ++child) {
          open.emplace_back(*child, count);
        }
      } else if (const auto inner = sampled_always_or_never(node, name)) {
        open.emplace_back(tree_.field(node, "event"), *inner == 0.0 ? 0.0 : count);
      } else if (count > 0.0) {
        add(node, name, count);
      }
    }
    return std::move(transcript_);
  }

 private:
  [[noreturn]] void refuse(std::size_t node, const std::string& words) const {
    throw DomainError(tree_.path(node) + ": " + words);
  }
  /// 1 for a sample of all records, which is the event itself, and 0 for one of none, which is nothing.
  std::optional<double> sampled_always_or_never(std::size_t node, const std::string& name) const {
    if (name != "PoissonSampledDpEvent") {
      return std::nullopt;
    }
    const double rate = tree_.number(node, "sampling_probability", Domain("[0, 1]"));
    return rate == 0.0 || rate == 1.0 ? std::optional(rate) : std::nullopt;
  }
  /// No operation, none of something, or a sample of no record.
  bool is_nothing(std::size_t node) const {
    const std::string name = tree_.class_of(node).name;
    return name == "NoOpDpEvent" || sampled_always_or_never(node, name) == 0.0 ||
           (name == "SelfComposedDpEvent" && tree_.number(node, "count", positive_count) == 0.0);
  }
  void refuse_replace_one(std::size_t node, const std::string& name) const {
    if (transcript_.run.privacy.adjacency == Adjacency::replace_one) {
      refuse(node, name +
                       " under adjacency replace-one: how far a replaced record moves the answer is not known. "
                       "Nearest: --adjacency add-or-remove.");
    }
  }

  void gaussian(std::size_t node, double noise, double count) {
    transcript_.add(mechanism::Sum{count, noise, false, {}}, tree_.path(node), "GaussianDpEvent");
  }
  void reveals(std::size_t node, const std::string& name, double count) {
    transcript_.add(mechanism::Sum{count, 0.0, false, {}}, tree_.path(node), name);
  }
  void claim(std::size_t node, const std::string& name, double epsilon, double delta, double count) {
    transcript_.add(mechanism::Claim{epsilon, delta, count, {}}, tree_.path(node), name);
  }

  /// A leaf, or a node whose inner one is read with it.
  void add(std::size_t node, const std::string& name, double count) {
    if (name == "NoOpDpEvent") {
    } else if (name == "NonPrivateDpEvent") {
      reveals(node, name, count);
    } else if (name == "GaussianDpEvent") {
      gaussian(node, tree_.number(node, "noise_multiplier", nonnegative), count);
    } else if (name == "PoissonSampledDpEvent") {
      add_poisson(node, count);
    } else if (name == "SampledWithoutReplacementDpEvent") {
      add_without_replacement(node, count);
    } else if (name == "ZCDpEvent") {
      transcript_.add(
          mechanism::Concentrated{
              tree_.number(node, "rho", nonnegative), tree_.number_or(node, "xi", nonnegative, 0.0), count, {}},
          tree_.path(node), name);
    } else if (name == "DiscreteGaussianDpEvent") {
      add_discrete_gaussian(node, count);
    } else if (name == "LaplaceDpEvent" || name == "DiscreteLaplaceDpEvent") {
      add_laplace(node, name, count);
    } else if (name == "MixtureOfGaussiansDpEvent") {
      add_mixture(node, count);
    } else if (name == "SingleEpochTreeAggregationDpEvent") {
      add_tree(node, count);
    } else if (!add_claim(node, name, count)) {
      refuse_class(node, name);
    }
  }

  void other(std::size_t node, const std::string& name, mechanism::Mechanism one, double count) {
    one.count = count;
    transcript_.add(std::move(one), tree_.path(node), name);
  }

  /// Continuous, or discrete with a whole sensitivity; else by the epsilon that it has.
  void add_laplace(std::size_t node, const std::string& name, double count) {
    refuse_replace_one(node, name);
    mechanism::Mechanism noise{mechanism::MechanismKind::laplace};
    if (name == "LaplaceDpEvent") {
      noise.noise = tree_.number(node, "noise_multiplier", nonnegative);
      if (noise.noise == 0.0) {
        reveals(node, name, count);
        return;
      }
    } else {
      const double rate = tree_.number(node, "noise_parameter", nonnegative);
      noise.kind = mechanism::MechanismKind::discrete_laplace;
      noise.sensitivity = tree_.number_or(node, "sensitivity", nonnegative, 1.0);
      if (noise.sensitivity == 0.0) {
        return;  // the same law whatever the record
      }
      if (rate == 0.0) {  // no law has this parameter; dp_accounting takes it for no noise
        reveals(node, name, count);
        return;
      }
      const double epsilon = next_up(rate * noise.sensitivity);
      if (noise.sensitivity > largest_sensitivity || noise.sensitivity != std::floor(noise.sensitivity) ||
          epsilon > largest_epsilon) {
        claim(node, name, epsilon, 0.0, count);
        return;
      }
      noise.noise = std::nextafter(1.0 / rate, 0.0);
    }
    if (noise.noise * largest_epsilon < 1.0) {
      claim(node, name, next_up(1.0 / noise.noise), 0.0, count);
      return;
    }
    other(node, name, std::move(noise), count);
  }

  void add_mixture(std::size_t node, double count) {
    const std::string name = "MixtureOfGaussiansDpEvent";
    refuse_replace_one(node, name);
    const double deviation = tree_.number(node, "standard_deviation", nonnegative);
    const std::size_t sensitivities = tree_.field(node, "sensitivities"), chances = tree_.field(node, "sampling_probs");
    tree_.require_list(sensitivities);
    tree_.require_list(chances);
    if (tree_[sensitivities].children.size() != tree_[chances].children.size() || tree_[chances].children.empty()) {
      refuse(node, name + ": as many sampling_probs as sensitivities are needed, at least one");
    }
    mechanism::Mechanism mixture{mechanism::MechanismKind::mixture};
    double sum = 0.0, seen = 0.0;  // and the chance that the record moves the answer
    for (std::size_t i = 0; i < tree_[chances].children.size(); ++i) {
      mixture.weights.push_back(tree_.leaf(tree_[chances].children[i], Domain("[0, 1]")));
      const double moved = tree_.leaf(tree_[sensitivities].children[i], nonnegative);
      mixture.means.push_back(moved == 0.0 ? 0.0 : next_up(moved / deviation));
      sum += mixture.weights.back();
      seen += moved == 0.0 ? 0.0 : mixture.weights.back();
      if (deviation > 0.0 && mixture.means.back() > largest_mean) {
        refuse(node,
               name + ": a sensitivity of " + shortest(mixture.means.back()) + " standard deviations is above 1000");
      }
    }
    if (std::abs(sum - 1.0) > 1e-9) {
      refuse(node, name + ": the sampling_probs sum to " + shortest(sum) + ", not 1");
    }
    if (seen == 0.0) {
      return;  // the same law whatever the record
    }
    if (deviation == 0.0) {
      refuse(node, name + " without noise: delta is at least " + shortest(seen) + " at every epsilon.");
    }
    other(node, name, std::move(mixture), count);
  }

  /// Mechanisms of which only epsilon and delta are used, and randomised response.
  bool add_claim(std::size_t node, const std::string& name, double count) {
    if (name == "EpsilonDeltaDpEvent") {
      claim(node, name, tree_.number(node, "epsilon", Domain("[0, inf]")),
            tree_.number(node, "delta", Domain("[0, 1]")), count);
    } else if (name == "PermuteAndFlipDpEvent" || name == "ExponentialMechanismDpEvent") {
      claim(node, name, tree_.number(node, "epsilon", nonnegative), 0.0, count);
    } else if (name == "RandomizedResponseDpEvent") {
      const Adjacency adjacency = transcript_.run.privacy.adjacency;
      const double p = tree_.number(node, "noise_parameter", Domain("[0, 1]"));
      const double k = tree_.number(node, "num_buckets", Domain("[1, 1e15]", true));
      if (adjacency != Adjacency::replace_one && adjacency != Adjacency::zero_out) {
        refuse(node, name + " under adjacency " + std::string(mechanism::name(adjacency)) +
                         ": a record that is not there has no response. Nearest: --adjacency replace-one.");
      }
      if (p == 0.0 && k > 1.0) {  // the answer itself
        reveals(node, name, count);
        return true;
      }
      // log((1 - p + p/k) / (p/k)) = log1p(k (1 - p) / p)
      const double epsilon = p > 0.0 ? next_up(next_up(std::log1p(k * (1.0 - p) / p)) * (1.0 + 1e-15)) : 0.0;
      if (k > 1.0 && epsilon <= largest_epsilon) {
        mechanism::Mechanism response{mechanism::MechanismKind::randomized_response};
        response.epsilon = epsilon;
        response.categories = k;
        other(node, name, std::move(response), count);
      } else if (k > 1.0) {
        claim(node, name, epsilon, 0.0, count);
      }
    } else {
      return false;
    }
    return true;
  }

  void add_discrete_gaussian(std::size_t node, double count) {
    const double sigma = tree_.number(node, "sigma", nonnegative);
    const double moved = tree_.number_or(node, "sensitivity", nonnegative, 1.0);
    const double dimension = tree_.number_or(node, "dimension", Domain("[1, 1e15]", true), 1.0);
    refuse_replace_one(node, "DiscreteGaussianDpEvent");
    if (sigma == 0.0) {
      reveals(node, "DiscreteGaussianDpEvent", count);
      return;
    }
    if (dimension == 1.0 && moved == std::floor(moved) && moved <= largest_sensitivity && sigma <= largest_deviation) {
      if (moved > 0.0) {
        mechanism::Mechanism discrete{mechanism::MechanismKind::discrete_gaussian};
        discrete.noise = sigma;
        discrete.sensitivity = moved;
        other(node, "DiscreteGaussianDpEvent", std::move(discrete), count);
      }
      return;
    }
    const double ratio = moved / sigma;
    transcript_.add(mechanism::Concentrated{0.5 * ratio * ratio * (1.0 + 4.0 * 0x1p-53), 0.0, count, {}},
                    tree_.path(node), "DiscreteGaussianDpEvent");
  }

  /// A record is in at most ceil(log2(steps + 1)) nodes of the tree.
  void add_tree(std::size_t node, double count) {
    const std::string name = "SingleEpochTreeAggregationDpEvent";
    if (transcript_.run.privacy.adjacency != Adjacency::zero_out) {
      refuse(node, name + " under adjacency " + std::string(mechanism::name(transcript_.run.privacy.adjacency)) +
                       ": its theorem is for a record that is zeroed out. Nearest: --adjacency zero-out.");
    }
    const std::size_t counts = tree_.field(node, "step_counts");
    double most = 0.0;
    if (tree_[counts].kind == io::JsonNode::Kind::list) {
      for (const std::size_t child : tree_[counts].children) {
        most = std::max(most, tree_.leaf(child, positive_count));
      }
    } else {
      most = tree_.leaf(counts, positive_count);
    }
    double nodes = 0.0;
    for (double leaves = 1.0; leaves < most + 1.0; leaves *= 2.0) {
      ++nodes;
    }
    const double noise = tree_.number(node, "noise_multiplier", nonnegative);
    transcript_.add(mechanism::Sum{count * nodes, noise, noise > 0.0, {}}, tree_.path(node), name);
  }

  /// The noise multiplier of the Gaussians below a node, which share one sample: 1/Z^2 = sum 1/Z_i^2, rounded down.
  /// Zero for none that hides anything, infinite for nothing at all. Samples of a sample multiply `rate`.
  double merged_gaussians(std::size_t root, double& rate) const {
    std::vector<std::pair<std::size_t, double>> open{{root, 1.0}};
    double precision = 0.0;
    double terms = 8.0;  // roundings, and some of the way from here to the noise
    std::optional<std::size_t> composition;
    while (!open.empty()) {
      const auto [node, count] = open.back();
      open.pop_back();
      const std::string name = tree_.class_of(node).name;
      if (name == "SelfComposedDpEvent") {
        const double times = tree_.number(node, "count", positive_count);
        composition = times > 1.0 && !composition ? std::optional(node) : composition;
        open.emplace_back(tree_.field(node, "event"), count * times);
      } else if (name == "ComposedDpEvent") {
        const std::size_t events = tree_.field(node, "events");
        tree_.require_list(events);
        const auto& parts = tree_[events].children;
        const auto some =
            std::count_if(parts.begin(), parts.end(), [&](std::size_t part) { return !is_nothing(part); });
        composition = some > 1 && !composition ? std::optional(node) : composition;
        for (const std::size_t child : parts) {
          open.emplace_back(child, count);
        }
      } else if (const auto inner = sampled_always_or_never(node, name)) {
        open.emplace_back(tree_.field(node, "event"), *inner == 0.0 ? 0.0 : count);
      } else if (count == 0.0 || name == "NoOpDpEvent") {
      } else if (name == "PoissonSampledDpEvent" && !composition) {
        rate = product_up(rate, tree_.number(node, "sampling_probability", Domain("[0, 1]")));
        open.emplace_back(tree_.field(node, "event"), count);
      } else if (composition &&
                 (name.find("Sampled") != std::string::npos || name.find("Subsampled") != std::string::npos)) {
        refuse(*composition,
               "PoissonSampledDpEvent around a composition that itself samples: the outer sample is drawn once for "
               "all inner steps, which is not one subsampled step per step; the product of rates is NOT valid "
               "(opake OPQ-403). Upper bound without outer amplification: drop the outer node.");
      } else if (name == "GaussianDpEvent") {
        const double noise = tree_.number(node, "noise_multiplier", nonnegative);
        precision += count / noise / noise;
        terms += 4.0;
      } else if (name == "NonPrivateDpEvent") {
        refuse(node,
               "PoissonSampledDpEvent of NonPrivateDpEvent: delta is at least the sampling rate at every epsilon.");
      } else {
        refuse(node, "PoissonSampledDpEvent of " + name + ": only GaussianDpEvent can be sampled here.");
      }
    }
    return precision == 0.0 ? std::numeric_limits<double>::infinity()
                            : 1.0 / std::sqrt(precision * (1.0 + 0x1p-53 * terms)) * (1.0 - 4.0 * 0x1p-53);
  }

  /// \param node  a sample of some records, neither of all nor of none.
  void add_poisson(std::size_t node, double count) {
    double rate = tree_.number(node, "sampling_probability", Domain("[0, 1]"));
    const std::size_t inner = tree_.field(node, "event");
    const double noise = tree_.class_of(inner).name == std::string("GaussianDpEvent")
                             ? tree_.number(inner, "noise_multiplier", nonnegative)
                             : merged_gaussians(inner, rate);
    if (noise == 0.0) {
      refuse(
          node,
          "PoissonSampledDpEvent of a Gaussian without noise: delta is at least the sampling rate at every epsilon.");
    }
    if (rate == 0.0 || std::isinf(noise)) {
      return;
    }
    mechanism::Phase phase{.steps = count, .sampling_rate = rate, .noise_multiplier = noise};
    transcript_.add(std::move(phase), tree_.path(node), "PoissonSampledDpEvent");
  }

  void add_without_replacement(std::size_t node, double count) {
    const std::string name = "SampledWithoutReplacementDpEvent";
    const double records = tree_.number(node, "source_dataset_size", Domain("[1, 1e15]", true));
    const double batch = tree_.number(node, "sample_size", Domain("[0, 1e15]", true));
    const std::size_t inner = tree_.field(node, "event");
    if (tree_.class_of(inner).name != std::string("GaussianDpEvent")) {
      refuse(inner, name + " of " + tree_.class_of(inner).name + ": only GaussianDpEvent can be sampled here.");
    }
    const double noise = tree_.number(inner, "noise_multiplier", Domain("(0, inf)"));
    if (batch > records) {
      refuse(node, name + ": a sample of " + shortest(batch) + " from " + shortest(records) + " records");
    }
    if (batch == 0.0) {
      return;
    }
    mechanism::Phase phase{.steps = count,
                           .sampling_rate = accounting::sampling_rate_of(batch, records),
                           .sampler = Sampler::fixed_size,
                           .noise_multiplier = noise};
    transcript_.add(std::move(phase), tree_.path(node), name);
  }

  [[noreturn]] void refuse_class(std::size_t node, const std::string& name) const {
    if (name == "SampledWithReplacementDpEvent") {
      refuse(node, name +
                       ": a record may be in a batch several times; dpcurves has no theorem for it. Nearest: "
                       "SampledWithoutReplacementDpEvent.");
    }
    if (name == "TruncatedSubsampledGaussianDpEvent") {
      refuse(node, name +
                       ": batches above a cap are cut; the Poisson number is NOT an upper bound for it (whether the "
                       "differing record is cut depends on the others). No theorem yet.");
    }
    if (name == "RepeatAndSelectDpEvent") {
      std::optional<double> epsilon;
      if (!selected_) {  // one level of them is enough for a number in a message
        epsilon = epsilon_of(Reader(tree_, given_, true).read(tree_.field(node, "event")).run, given_.delta);
      }
      refuse(node, name +
                       ": the best of a random number of runs needs a Renyi bound that dpcurves does not have yet. The "
                       "epsilon of one run" +
                       (epsilon ? " (" + at_most(*epsilon, 5) + ")" : std::string()) +
                       " is NOT the epsilon of the selection.");
    }
    refuse(node, name +
                     ": its writer says that no description of this operation exists; no accountant may answer. "
                     "Replace it by what ran.");
  }

  const DpEventTree& tree_;
  const Given& given_;
  bool selected_;
  Transcript transcript_;
};

}  // namespace

Transcript read_dp_event(const std::string& text, const Given& given) {
  const io::JsonTree tree = io::read_json_tree(text, "DpEvent");
  const DpEventTree events(tree);
  return Reader(events, given).read(0);
}

}  // namespace dpcurves::transcripts
