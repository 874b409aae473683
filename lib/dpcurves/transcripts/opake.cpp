// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// accountant.json of opake: a process as nested nodes, or flat with dotted keys.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/nearest.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/detail/node.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

constexpr Domain whole_count{"[0, 1e15]", true};

/// The fields of the types that are read, beside "type".
const std::map<std::string, std::vector<std::string>>& fields_of_types() {
  static const std::map<std::string, std::vector<std::string>> all{
      {"Identity", {}},
      {"NonPrivate", {}},
      {"Gaussian", {"noise_multiplier"}},
      {"EpsDelta", {"epsilon", "delta"}},
      {"Repeated", {"inner", "count"}},
      {"Composed", {"left", "right"}},
      {"CachedProcess", {"inner"}},
      {"Poisson", {"inner", "sample_rate", "truncated_batch_size", "dataset_size"}},
      {"KOutOfT", {"inner", "k", "t", "allocation"}}};
  return all;
}

/// "process.inner.type": ... as {"process": {"inner": {"type": ...}}}; digits are places of lists.
io::JsonTree nested(const io::JsonTree& flat) {
  io::JsonTree tree;
  io::JsonNode root;
  root.kind = io::JsonNode::Kind::object;
  tree.add(std::move(root));
  for (const std::size_t leaf : flat[0].children) {
    const std::string& key = flat[leaf].key;
    std::size_t at = 0;
    for (std::size_t start = 0; start <= key.size();) {
      const std::size_t dot = std::min(key.find('.', start), key.size());
      const std::string part = key.substr(start, dot - start);
      start = dot + 1;
      std::size_t next = tree.member(at, part);
      if (next == 0) {
        io::JsonNode node = dot == key.size() ? flat[leaf] : io::JsonNode{};
        if (node.kind != io::JsonNode::Kind::leaf) {
          throw UsageError("$." + key + ": a flat file has no nested values");
        }
        node.kind = dot == key.size() ? io::JsonNode::Kind::leaf : io::JsonNode::Kind::object;
        node.children.clear();
        node.parent = at;
        node.key = part;
        next = tree.add(std::move(node));
      } else if (dot == key.size() || tree[next].kind == io::JsonNode::Kind::leaf) {
        throw UsageError("$." + key + ": stands beside a key that begins it");
      }
      at = next;
    }
  }
  return tree;
}

class Reader {
 public:
  Reader(const io::JsonTree& tree, const Given& given) : tree_(tree) {
    transcript_.run.source = "opake";
    transcript_.run.privacy.adjacency = given.adjacency.value_or(mechanism::Adjacency::add_or_remove);
    if (!given.adjacency) {
      transcript_.assumed.emplace_back("adjacency add-or-remove: the file does not say it");
    }
  }

  Transcript read() {
    for (const std::size_t child : tree_[0].children) {
      if (tree_[child].key != "process" && tree_[child].key != "budget") {
        throw UsageError(tree_.path(child) + ": unknown key; an accountant has process and budget");
      }
    }
    std::vector<std::pair<std::size_t, double>> open{{field_at(tree_, 0, "process", "accountant"), 1.0}};
    while (!open.empty()) {  // a stack: spines may be deep
      const auto [node, count] = open.back();
      open.pop_back();
      const std::string type = type_of(node);
      if (type == "Repeated") {
        const double more = count * number(node, "count", whole_count);
        if (!(more <= 1e15)) {
          throw DomainError(tree_.path(node) + ": " + shortest(more) + " repetitions are more than 1e15");
        }
        open.emplace_back(inner(node), more);
      } else if (type == "Composed") {
        open.emplace_back(field_at(tree_, node, "right", type), count);
        open.emplace_back(field_at(tree_, node, "left", type), count);
      } else if (type == "CachedProcess") {
        open.emplace_back(inner(node), count);
      } else if (count > 0.0) {
        add(node, type, count);
      }
    }
    if (const std::size_t budget = tree_.member(0, "budget"); budget != 0 && !null_at(tree_, budget)) {
      read_budget(budget);
    }
    return std::move(transcript_);
  }

 private:
  /// \throws UsageError  for a field that the type does not have: it may change the meaning.
  std::string type_of(std::size_t node) const {
    const std::string type = text_at(tree_, field_at(tree_, node, "type", "node"));
    if (const auto known = fields_of_types().find(type); known != fields_of_types().end()) {
      for (const std::size_t child : tree_[node].children) {
        const std::string& key = tree_[child].key;
        if (key != "type" && std::find(known->second.begin(), known->second.end(), key) == known->second.end()) {
          throw UsageError(tree_.path(node) + ": " + type + ": unknown field " + key + suggestion(key, known->second));
        }
      }
    }
    return type;
  }
  std::size_t inner(std::size_t node) const { return field_at(tree_, node, "inner", "node"); }
  double number(std::size_t node, const std::string& name, const Domain& domain) const {
    return number_at(tree_, field_at(tree_, node, name, "node"), domain);
  }
  [[noreturn]] void refuse(std::size_t node, const std::string& words) const {
    throw DomainError(tree_.path(node) + ": " + words);
  }
  /// An epsilon at a delta, which is a delta at an epsilon too; budgets of attacks are not held against an epsilon.
  void read_budget(std::size_t budget) {
    const std::size_t type = tree_.member(budget, "type");
    const std::string name = type == 0 ? "EpsilonBudget" : text_at(tree_, type);
    if (name == "EpsilonBudget" || name == "DeltaBudget" || name == "EpsDelta") {
      transcript_.run.privacy.epsilon_budget = number(budget, "epsilon", Domain("[0, inf)"));
      transcript_.run.privacy.delta = {number(budget, "delta", Domain("(0, 1)"))};
    } else {
      transcript_.assumed.push_back(tree_.path(budget) + ": " + name +
                                    " is not held against the answer; see dpcurves attack --run");
    }
  }
  /// The noise multiplier of the Gaussian inside.
  double gaussian_inside(std::size_t node, const std::string& owner) const {
    const std::size_t at = inner(node);
    if (const std::string type = type_of(at); type != "Gaussian") {
      refuse(at, owner + " of " + type + ": only Gaussian can be sampled here.");
    }
    const double noise = number(at, "noise_multiplier", Domain("[0, inf)"));
    if (noise == 0.0) {
      refuse(at, owner + " of a Gaussian without noise: delta is at least the sampling rate at every epsilon.");
    }
    return noise;
  }

  void add(std::size_t node, const std::string& type, double count) {
    const std::string where = tree_.path(node);
    if (type == "Identity") {
    } else if (type == "NonPrivate") {
      transcript_.add(mechanism::Sum{count, 0.0, false, {}}, where, type);
    } else if (type == "Gaussian") {
      transcript_.add(mechanism::Sum{count, number(node, "noise_multiplier", Domain("[0, inf)")), false, {}}, where,
                      type);
    } else if (type == "EpsDelta") {
      transcript_.add(
          mechanism::Claim{
              number(node, "epsilon", Domain("[0, inf]")), number(node, "delta", Domain("[0, 1]")), count, {}},
          where, type);
    } else if (type == "Poisson") {
      add_poisson(node, count);
    } else if (type == "KOutOfT") {
      add_allocation(node, count);
    } else if (type == "BallsInBins") {
      refuse(node, type +
                       ": the batches of all epochs depend on each other; no theorem for a strategy. With the identity "
                       "strategy it is random allocation at noise multiplier Z/sqrt(E).");
    } else if (type == "AdaClip" || type == "ParallelPoisson" || type == "MfGaussian" || type == "BMinSep") {
      refuse(node, type + ": no theorem of this reader. Nearest: a run file with its steps.");
    } else {
      refuse(node, "type " + type + " of opake is not known to this version; see docs/guide/transcripts.md.");
    }
  }

  void add_poisson(std::size_t node, double count) {
    if (const std::size_t cap = tree_.member(node, "truncated_batch_size"); cap != 0 && !null_at(tree_, cap)) {
      refuse(node, "Poisson with truncated_batch_size " + shortest(number_at(tree_, cap, Domain("[0, inf)"))) +
                       ": no theorem; the untruncated number is not a bound for it");
    }
    const double rate = number(node, "sample_rate", Domain("[0, 1]"));
    if (rate == 0.0) {
      return;  // a sample of no record
    }
    if (const std::string type = type_of(inner(node)); rate == 1.0 && type == "Gaussian") {  // of all
      add(inner(node), type, count);
      return;
    }
    mechanism::Phase phase{.steps = count, .sampling_rate = rate, .noise_multiplier = gaussian_inside(node, "Poisson")};
    transcript_.add(std::move(phase), tree_.path(node), "Poisson");
  }

  void add_allocation(std::size_t node, double count) {
    const double chosen = number(node, "k", Domain("[1, 1e7]", true));
    const double steps = number(node, "t", Domain("[1, 1e7]", true));
    const std::string allocation = text_at(tree_, field_at(tree_, node, "allocation", "KOutOfT"));
    if (allocation != "block" && !(allocation == "total" && chosen == 1.0)) {
      refuse(node, "KOutOfT with allocation " + allocation + " and k = " + shortest(chosen) +
                       ": steps drawn from all of them at once; nearest: allocation block, or --sampling "
                       "random-allocation --uses-per-round " +
                       shortest(chosen));
    }
    if (chosen > steps || std::fmod(steps, chosen) != 0.0) {
      refuse(node, "KOutOfT: " + shortest(steps) + " steps are no " + shortest(chosen) + " blocks of one size");
    }
    mechanism::Phase phase{.steps = steps * count,
                           .sampling_rate = chosen / steps,
                           .sampler = mechanism::Sampler::random_allocation,
                           .noise_multiplier = gaussian_inside(node, "KOutOfT")};
    transcript_.add(std::move(phase), tree_.path(node), "KOutOfT");
  }

  const io::JsonTree& tree_;
  Transcript transcript_;
};

}  // namespace

Transcript read_opake(const std::string& text, const Given& given) {
  constexpr std::size_t most = 1000000;  // a flat file has all its keys in one object
  io::JsonTree tree = io::read_json_tree(text, "opake accountant", most);
  const auto& keys = tree[0].children;
  if (std::any_of(keys.begin(), keys.end(),
                  [&](std::size_t key) { return tree[key].key.find('.') != std::string::npos; })) {
    tree = nested(tree);
  }
  return Reader(tree, given).read();
}

}  // namespace dpcurves::transcripts
