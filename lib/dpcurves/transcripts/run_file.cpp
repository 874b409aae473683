// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Run files: the schema is that of the fields of mechanism::Run.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/detail/names.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/json.hpp>
#include <dpcurves/io/detail/toml.hpp>
#include <dpcurves/transcripts/transcript.hpp>

namespace dpcurves::transcripts {
namespace {

constexpr const char* schema = "dpcurves/run/1";

const std::vector<FieldInfo>& schema_fields() {
  static const std::vector<FieldInfo> fields = describe<mechanism::Run>();
  return fields;
}

/// A value without what a reader would fill in anyway.
Value without_defaults(const std::vector<FieldInfo>& fields, const Value& value);

Record shortened(const std::vector<FieldInfo>& fields, const Record& record) {
  Record kept;
  for (const FieldInfo& field : fields) {
    const Value* value = record.find(field.symbol);
    if (value == nullptr || value->null()) {
      continue;
    }
    Value shorter = without_defaults(field.fields, *value);
    const bool same = !field.required && (text(*value) == text(field.fallback) || text(shorter) == "{}");
    if (!same) {
      kept.add(field.symbol, std::move(shorter));
    }
  }
  return kept;
}

Value without_defaults(const std::vector<FieldInfo>& fields, const Value& value) {
  if (const auto* record = value.get<Record>()) {
    return {shortened(fields, *record)};
  }
  if (const auto* list = value.get<List>()) {
    List shorter;
    for (const Value& entry : *list) {
      shorter.push_back(without_defaults(fields, entry));
    }
    return {std::move(shorter)};
  }
  return value;
}

/// A whole number as such: 14063, not 14063.0.
void write_whole_numbers(Value& value) {
  constexpr double exact = 9007199254740992.0;
  if (auto* number = std::get_if<double>(&value.data);
      number != nullptr && *number == std::floor(*number) && std::abs(*number) < exact) {
    value.data = static_cast<std::int64_t>(*number);
  } else if (auto* record = std::get_if<Record>(&value.data)) {
    for (Entry& entry : record->entries()) {
      write_whole_numbers(entry.value);
    }
  } else if (auto* list = std::get_if<List>(&value.data)) {
    for (Value& entry : *list) {
      write_whole_numbers(entry);
    }
  }
}

/// What a mechanism of that kind cannot do without, be it 0.
std::vector<const char*> needed_members(mechanism::MechanismKind kind) {
  using enum mechanism::MechanismKind;
  switch (kind) {
    case gaussian:
    case laplace:
    case discrete_laplace:
    case discrete_gaussian:
      return {"noise"};
    case gdp:
      return {"mu"};
    case zcdp:
      return {"rho"};
    case approximate:
      return {"epsilon", "delta"};
    case randomized_response:
    case pure:
      return {"epsilon"};
    case mixture:
      return {"weights", "means"};
    case losses:
      return {"losses", "masses"};
  }
  return {};
}

void require_members(const Record& given, mechanism::MechanismKind kind, const std::string& where) {
  for (const char* key : needed_members(kind)) {
    if (given.find(key) == nullptr) {
      throw UsageError(where + key + ": missing key, of kind " + std::string(name_in(enumerators(kind), kind)));
    }
  }
}

/// What is needed stands in a file although it is the default.
void add_members(Record& whole, const std::vector<mechanism::Mechanism>& mechanisms) {
  for (Entry& entry : whole.entries()) {
    if (entry.name != "mechanisms") {
      continue;
    }
    auto& list = std::get<List>(entry.value.data);
    for (std::size_t i = 0; i < mechanisms.size(); ++i) {
      auto& one = std::get<Record>(list[i].data);
      const Record all = to_record(mechanisms[i]);
      for (const char* key : needed_members(mechanisms[i].kind)) {
        if (one.find(key) == nullptr) {
          one.add(key, all.at(key));
        }
      }
    }
  }
}

/// Of a strategy what belongs to it: what is written beside it would be passed over.
void check_noise(const mechanism::Noise& noise) {
  using enum mechanism::Strategy;
  struct Key {
    const char* name;
    bool given;
    std::vector<mechanism::Strategy> of;
  };
  const Key keys[] = {{"lambda", noise.lambda.has_value(), {lambda}},
                      {"file", noise.file.has_value(), {file}},
                      {"coefficients", !noise.coefficients.empty(), {file, band_mf}},
                      {"bands", noise.bands.has_value(), {bsr, bisr}},
                      {"theta", !noise.theta.empty(), {blt}},
                      {"omega", !noise.omega.empty(), {blt}}};
  for (const Key& key : keys) {
    if (!key.given || std::find(key.of.begin(), key.of.end(), noise.strategy) != key.of.end()) {
      continue;
    }
    std::string words;
    for (const mechanism::Strategy one : key.of) {
      words += (words.empty() ? "" : " or ") + ("\"" + std::string(name_in(enumerators(one), one)) + "\"");
    }
    throw UsageError(std::string("noise.") + key.name + ": has no meaning with strategy = \"" +
                     std::string(name_in(enumerators(noise.strategy), noise.strategy)) +
                     "\"; leave it out, or write strategy = " + words);
  }
}

}  // namespace

mechanism::Run run_of(const Record& record) {
  Record given = record;
  if (const Value* version = given.find("schema");
      version != nullptr && text(*version) != text({std::string(schema)})) {
    throw UsageError("schema: " + text(*version) + " is not read by this version, which reads \"" + schema + "\"");
  }
  for (Entry& entry : given.entries()) {
    if (entry.name != "privacy") {
      continue;
    }
    if (auto* privacy = std::get_if<Record>(&entry.value.data)) {
      for (Entry& one : privacy->entries()) {
        double number = 0.0;
        if (one.name == "delta" && one.value.number(number)) {
          one.value.data = std::vector{number};
        }
      }
    }
  }
  auto run = from_record<mechanism::Run>(checked(schema_fields(), given));
  if (const Value* list = given.find("mechanisms"); list != nullptr) {
    for (std::size_t i = 0; i < run.mechanisms.size(); ++i) {
      require_members(*list->get<List>()->at(i).get<Record>(), run.mechanisms[i].kind,
                      "mechanisms[" + std::to_string(i) + "].");
    }
  }
  check_noise(run.noise);
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const mechanism::Phase& phase = run.phases[i];
    const std::string where = "phases[" + std::to_string(i) + "].";
    if (!phase.noise_multiplier && !phase.noise) {
      throw UsageError(where + "noise_multiplier: missing key, or noise");
    }
    if (phase.sampler != mechanism::Sampler::none && !phase.batch_size && !phase.sampling_rate) {
      throw UsageError(where + "batch_size: missing key, or sampling_rate");
    }
    if (phase.batch_size && !phase.sampling_rate && phase.sampler != mechanism::Sampler::none && !run.records) {
      throw UsageError("records: missing key; a batch_size is a part of them");
    }
  }
  return run;
}

Record record_of(const mechanism::Run& run) {
  Record kept = shortened(schema_fields(), to_record(run));
  add_members(kept, run.mechanisms);
  Value whole{std::move(kept)};
  write_whole_numbers(whole);
  return *whole.get<Record>();
}

Transcript read_run(const std::string& text, bool toml, const Given& given) {
  const Value value = toml ? io::read_toml(text, "run file") : io::read_json(text, "run file");
  const auto* record = value.get<Record>();
  if (record == nullptr) {
    throw UsageError("run file: not an object");
  }
  Transcript transcript;
  transcript.run = run_of(*record);
  const mechanism::Run& run = transcript.run;
  if (run.phases.empty() && run.releases.empty() && run.claims.empty() && run.concentrated.empty() &&
      run.mechanisms.empty()) {
    throw UsageError("phases: missing key; a run has phases, releases, claims, concentrated or mechanisms");
  }
  if (given.adjacency) {
    transcript.run.privacy.adjacency = *given.adjacency;
  }
  const auto list = [&](const auto& all, Part::Kind kind, const std::string& name) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      transcript.parts.push_back({kind, i, name + "[" + std::to_string(i) + "]", name});
    }
  };
  list(transcript.run.phases, Part::Kind::phase, "phases");
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    if (run.phases[i].epsilon_logged) {
      transcript.logged.push_back({i, run.phases[i].steps, *run.phases[i].epsilon_logged, transcript.where(i)});
    }
  }
  list(transcript.run.releases, Part::Kind::release, "releases");
  list(transcript.run.claims, Part::Kind::claim, "claims");
  list(transcript.run.concentrated, Part::Kind::concentrated, "concentrated");
  list(transcript.run.mechanisms, Part::Kind::mechanism, "mechanisms");
  return transcript;
}

}  // namespace dpcurves::transcripts
