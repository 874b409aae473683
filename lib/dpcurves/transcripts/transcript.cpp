// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/io/detail/toml.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

constexpr double largest_count = 1e15;

void require_count(double count, const std::string& where) {
  if (!(count <= largest_count)) {
    throw DomainError(where + ": " + shortest(count) + " steps are more than 1e15");
  }
}

bool same(const mechanism::Phase& a, const mechanism::Phase& b) {
  return a.batch_size == b.batch_size && a.sampling_rate == b.sampling_rate && a.accumulation == b.accumulation &&
         a.sampler == b.sampler && a.uses_per_round == b.uses_per_round && a.cycle == b.cycle &&
         a.largest_batch == b.largest_batch && a.separation == b.separation &&
         a.noise_multiplier == b.noise_multiplier && a.noise == b.noise && a.restart == b.restart &&
         a.sampler_key == b.sampler_key && a.first_step.has_value() == b.first_step.has_value() &&
         (!a.first_step || *a.first_step + a.steps == *b.first_step) &&
         (a.first_step || !mechanism::in_epochs(a.sampler));
}

bool same(const mechanism::Sum& a, const mechanism::Sum& b) {
  return a.noise_multiplier == b.noise_multiplier && a.upper_only == b.upper_only;
}
bool same(const mechanism::Claim& a, const mechanism::Claim& b) { return a.epsilon == b.epsilon && a.delta == b.delta; }
bool same(const mechanism::Concentrated& a, const mechanism::Concentrated& b) { return a.rho == b.rho && a.xi == b.xi; }
bool same(mechanism::Mechanism a, const mechanism::Mechanism& b) {
  a.count = b.count;
  return text({to_record(a)}) == text({to_record(b)});
}

double& count_of(mechanism::Phase& phase) { return phase.steps; }
template <class Other>
double& count_of(Other& other) {
  return other.count;
}

template <class One>
void append(std::vector<One>& list, One one, std::vector<Part>& parts, Part part) {
  require_count(count_of(one), part.where);
  const bool neighbour = !list.empty() && !parts.empty() && parts.back().kind == part.kind;
  if (neighbour && same(list.back(), one)) {
    count_of(list.back()) += count_of(one);
    require_count(count_of(list.back()), part.where);
    if constexpr (std::is_same_v<One, mechanism::Phase>) {
      list.back().epsilon_logged = one.epsilon_logged;
    }
    return;
  }
  part.place = list.size();
  list.push_back(std::move(one));
  parts.push_back(std::move(part));
}

}  // namespace

void Transcript::add(mechanism::Phase phase, std::string where, std::string label) {
  const auto printed = phase.epsilon_logged;
  append(run.phases, std::move(phase), parts, {Part::Kind::phase, 0, where, std::move(label)});
  if (printed) {
    logged.push_back({run.phases.size() - 1, run.phases.back().steps, *printed, std::move(where)});
  }
}
void Transcript::add(mechanism::Sum release, std::string where, std::string label) {
  append(run.releases, std::move(release), parts, {Part::Kind::release, 0, std::move(where), std::move(label)});
}
void Transcript::add(mechanism::Claim claim, std::string where, std::string label) {
  append(run.claims, std::move(claim), parts, {Part::Kind::claim, 0, std::move(where), std::move(label)});
}
void Transcript::add(mechanism::Concentrated other, std::string where, std::string label) {
  append(run.concentrated, std::move(other), parts, {Part::Kind::concentrated, 0, std::move(where), std::move(label)});
}
void Transcript::add(mechanism::Mechanism other, std::string where, std::string label) {
  append(run.mechanisms, std::move(other), parts, {Part::Kind::mechanism, 0, std::move(where), std::move(label)});
}

std::string Transcript::where(std::size_t phase) const {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return part.kind == Part::Kind::phase && part.place == phase;
  });
  return found == parts.end() ? "phases[" + std::to_string(phase) + "]" : found->where;
}

namespace {

/// Whether a TOML text is a training log: phases and nothing else, where a run file says its schema.
bool is_log(const std::string& text) {
  const Value root = io::read_toml(text, "run file");
  const auto* record = root.get<Record>();
  return record != nullptr && record->entries().size() == 1 && record->find("phases") != nullptr;
}

/// The reader of a JSON text, by the keys of its root.
std::string recognised(const std::string& text) {
  const io::JsonTree tree = io::read_json_tree(text, "JSON", 100000);
  if (tree[0].kind == io::JsonNode::Kind::list || tree.member(0, "class_name") != 0) {
    return "dp-event";
  }
  const std::pair<const char*, const char*> signs[] = {{"history", "opacus"},
                                                       {"process", "opake"},
                                                       {"train_size", "jax-privacy"},
                                                       {"schema", "run"},
                                                       {"privacy", "run"}};
  for (const auto& [key, reader] : signs) {
    if (tree.member(0, key) != 0) {
      return reader;
    }
  }
  const auto& keys = tree[0].children;
  if (std::any_of(keys.begin(), keys.end(), [&](std::size_t key) { return tree[key].key.starts_with("process."); })) {
    return "opake";
  }
  throw UsageError(
      "nothing that is known here: neither a DpEvent (class_name), an Opacus history (history), an opake accountant "
      "(process), a jax_privacy configuration (train_size) nor a run file (schema)");
}

}  // namespace

Transcript read(const std::string& text, const std::string& name, const Given& given) {
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  const bool archive = text.starts_with("PK\x03\x04");
  const bool pickled = text.size() > 1 && text[0] == '\x80' && text[1] >= '\x02' && text[1] <= '\x05';
  if (ends(".pt") || ends(".pth") || ends(".pkl") || ends(".pickle") || archive || pickled) {
    throw UsageError("a pickle is a program and is not read; save json.dumps(engine.accountant.state_dict())");
  }
  io::refuse_utf16(text, name);
  const std::string reader = !given.reader.empty() ? given.reader
                             : ends(".csv")        ? "log"
                             : ends(".toml")       ? (is_log(text) ? "log" : "run")
                                                   : recognised(text);
  Transcript transcript = reader == "dp-event"      ? read_dp_event(text, given)
                          : reader == "opacus"      ? read_opacus(text, given)
                          : reader == "opake"       ? read_opake(text, given)
                          : reader == "log"         ? read_training_log(text, ends(".toml"), given)
                          : reader == "jax-privacy" ? read_jax_privacy(text, given)
                                                    : read_run(text, ends(".toml"), given);
  transcript.reader = reader;
  return transcript;
}

}  // namespace dpcurves::transcripts
