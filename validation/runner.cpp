// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/runner.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <time.h>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>

#include "validation/recorded.hpp"
#include "validation/tasks.hpp"

namespace dpcurves::validation {
namespace {

/// Whether the catalogue says that the print is false while the case claims something else.
bool claims_the_repaired(const Case& what) {
  const catalogue::Entry* entry = catalogue::find(what.id);
  return entry != nullptr && entry->status == "false-as-printed" && what.expected != Verdict::refuted;
}

/// The id of an item whose number alone was typed, as `theorem show` takes it; anything else as it is.
std::string whole_id(const std::string& id) {
  const auto found = catalogue::find(id) == nullptr ? catalogue::matching(id) : std::vector<const catalogue::Entry*>{};
  return found.size() == 1 && !found.front()->validation.empty() ? found.front()->validation : id;
}

/// Processor seconds of this thread: a case runs on one.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs a case, and adds the time that it took to what is known of it.
void run_one(Record& record, const Setting& setting) {
  const double start = processor_seconds();
  try {
    Outcome found;
    record.what->run(setting, found);
    record.outcome = std::move(found);
  } catch (const Error& error) {
    record.error = error.what();
  } catch (const ShareComputed&) {  // a part, after its last loop
  }
  record.seconds += processor_seconds() - start;
}

void judge_one(Record& record) {
  if (!record.error.empty()) {
    return;
  }
  record.judgement = judge(record.outcome, claims_the_repaired(*record.what));
  const Judgement& found = record.judgement;
  record.verdict = found.as_printed.value_or(found.as_repaired.value_or(Verdict::undecided));
}

/// A task and what it found.
struct Piece {
  Task task;
  SharedValues values;  ///< of a part
  double seconds = 0.0;
};

std::vector<Piece> pieces_of(const std::vector<Task>& tasks) {
  return mapped(tasks, [&](const Task& task) { return Piece{task, {}, 0.0}; });
}

/// The rest of the cases that were computed in parts: what follows their loops.
void finish_parts(std::vector<Piece>& pieces, std::vector<Record>& records, const Setting& setting, unsigned threads) {
  std::vector<std::vector<Piece*>> of_case(records.size());  // in the order of the parts
  for (Piece& piece : pieces) {
    of_case[piece.task.number].resize(piece.task.share.count);
    of_case[piece.task.number][piece.task.share.index] = &piece;
  }
  std::vector<std::size_t> cut;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (of_case[i].size() > 1) {
      cut.push_back(i);
    }
  }
  parallel_for(cut.size(), threads, [&](std::size_t i) {
    Record& record = records[cut[i]];
    std::vector<SharedValues> shares;
    for (Piece* part : of_case[cut[i]]) {
      shares.push_back(std::move(part->values));
      record.seconds += part->seconds;
    }
    const Sharing parts(merged(shares));
    run_one(record, setting);
  });
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

std::size_t parts_of(const Case& what, const Setting& setting) {
  const std::span<const double> kept = kept_seconds(what.id);
  return setting.nightly && !kept.empty() ? kept.size() : 1;
}

std::vector<Task> tasks_of(const std::vector<const Case*>& cases, const Setting& setting, const Parts& parts_of_case) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t parts = Sharing::active() ? parts_of_case(*cases[i], setting) : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      tasks.push_back({i, {part, parts}, expected_seconds(cases[i]->id, part, parts)});
    }
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.expected > b.expected; });
  return tasks;
}

std::vector<const Case*> select(const std::vector<Case>& cases, const std::vector<std::string>& ids) {
  std::vector<const Case*> chosen;
  if (ids.empty()) {
    for (const Case& candidate : cases) {
      chosen.push_back(&candidate);
    }
    return chosen;
  }
  for (const auto& asked : ids) {
    const std::string id = whole_id(asked);
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

Run run(const std::vector<const Case*>& cases, const Setting& setting, unsigned threads, const Progress& progress,
        const Parts& parts_of_case) {
  Run result;
  result.records.resize(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    result.records[i].what = cases[i];
  }
  auto pieces = pieces_of(tasks_of(cases, setting, parts_of_case));
  const bool partial = Sharing::partial();
  Sharing::last_loop_follows();
  shared_for(
      pieces.size(), threads,
      [&](std::size_t i) {
        Piece& piece = pieces[i];
        if (piece.task.share.count == 1) {
          run_one(result.records[piece.task.number], setting);
          return;
        }
        Sharing part(piece.task.share);
        Record of_part{cases[piece.task.number], {}, {}, {}, 0.0, ""};
        run_one(of_part, setting);
        piece.values = part.computed();
        piece.seconds = of_part.seconds;
      },
      [&](std::size_t i, Archive& archive) {
        Piece& piece = pieces[i];
        if (piece.task.share.count == 1) {
          Record& record = result.records[piece.task.number];
          archive(record.outcome, record.error, record.seconds);
        } else {
          archive(piece.values, piece.seconds);
        }
      },
      progress);
  if (partial) {
    return result;
  }
  finish_parts(pieces, result.records, setting, threads);
  for (Record& record : result.records) {
    judge_one(record);
    add(result.levels, record.judgement.levels);
  }
  return result;
}

}  // namespace dpcurves::validation
