// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/runner.hpp"

#include <algorithm>
#include <chrono>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>

namespace dpcurves::validation {
namespace {

/// Whether the catalogue says that the print is false while the case claims something else.
bool claims_the_repaired(const Case& what) {
  const catalogue::Entry* entry = catalogue::find(what.id);
  return entry != nullptr && entry->status == "false-as-printed" && what.expected != Verdict::refuted;
}

Record run_one(const Case& what, const Setting& setting) {
  Record record;
  record.what = &what;
  const auto start = std::chrono::steady_clock::now();
  try {
    record.outcome = what.run(setting);
    record.judgement = judge(record.outcome, claims_the_repaired(what));
    const Judgement& found = record.judgement;
    record.verdict = found.as_printed.value_or(found.as_repaired.value_or(Verdict::undecided));
  } catch (const Error& error) {
    record.error = error.what();
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

void add(Levels& sum, const Levels& more) {
  sum.certified += more.certified;
  sum.without_level += more.without_level;
  sum.deterministic += more.deterministic;
  sum.miss += more.miss;
}

}  // namespace

Verdict Record::on_claim() const {
  if (!error.empty()) {
    return Verdict::undecided;
  }
  const Verdict found = verdict_of(outcome.claim);
  return found == Verdict::holds && outcome.vacuous ? Verdict::vacuous : found;
}

std::string Record::failure() const {
  if (!error.empty()) {
    return error;
  }
  if (on_claim() != what->expected) {
    return "verdict " + to_string(on_claim()) + ", expected " + to_string(what->expected);
  }
  if (outcome.printed && verdict_of(*outcome.printed) != Verdict::refuted) {
    return "the printed statement is not refuted";
  }
  if (outcome.repaired && verdict_of(*outcome.repaired) != Verdict::holds) {
    return "the repaired statement does not hold";
  }
  if (what->expected == Verdict::vacuous) {
    return "";  // a bound that says nothing cannot be sharpened to something that is false
  }
  if (what->expected == Verdict::refuted) {  // a control shows nothing here, but the repaired statement does
    return outcome.repaired || !outcome.control.passed() ? "" : "neither a repaired statement nor a broken control";
  }
  for (const GroupFinding& group : judgement.groups) {
    if (!group.controlled()) {
      return "the control of the group \"" + group.name + "\" is not refuted: 0 of " +
             std::to_string(group.control_comparisons);
    }
  }
  return "";
}

bool Run::good() const {
  return levels.miss <= false_alarm_budget &&
         std::all_of(records.begin(), records.end(), [](const Record& r) { return r.good(); });
}

std::string sentence(const Levels& levels) {
  return std::to_string(levels.certified) +
         " comparisons of random numbers rest on intervals of a stated level, which together miss the truth with a "
         "chance below " +
         rounded(levels.miss, 2) + "; " + std::to_string(levels.without_level) +
         " have no level and certify nothing; " + std::to_string(levels.deterministic) + " involve no chance.";
}

std::vector<const Case*> select(const std::vector<Case>& cases, const std::vector<std::string>& ids) {
  std::vector<const Case*> chosen;
  if (ids.empty()) {
    for (const Case& candidate : cases) {
      chosen.push_back(&candidate);
    }
    return chosen;
  }
  for (const auto& id : ids) {
    bool known = false;
    for (const Case& candidate : cases) {
      const bool matches = candidate.id == id || candidate.id.rfind(id + "/", 0) == 0;
      known = known || matches;
      if (matches && std::find(chosen.begin(), chosen.end(), &candidate) == chosen.end()) {
        chosen.push_back(&candidate);
      }
    }
    if (!known) {
      throw Error("there is no validation case \"" + id + "\"; --list prints all");
    }
  }
  return chosen;
}

Run run(const std::vector<const Case*>& cases, const Setting& setting, unsigned threads, const Progress& progress) {
  Run result;
  result.records.resize(cases.size());
  parallel_for(
      cases.size(), threads, [&](std::size_t i) { result.records[i] = run_one(*cases[i], setting); }, progress);
  for (const Record& record : result.records) {
    add(result.levels, record.judgement.levels);
  }
  return result;
}

}  // namespace dpcurves::validation
