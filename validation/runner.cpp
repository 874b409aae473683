// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/runner.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string_view>
#include <utility>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/core/format.hpp>
#include <dpcurves/core/share.hpp>

#include "validation/recorded.hpp"

namespace dpcurves::validation {
namespace {

/// Whether the catalogue says that the print is false while the case claims something else.
bool claims_the_repaired(const Case& what) {
  const catalogue::Entry* entry = catalogue::find(what.id);
  return entry != nullptr && entry->status == "false-as-printed" && what.expected != Verdict::refuted;
}

/// Runs a case, and adds the time that it took to what is known of it.
void run_one(Record& record, const Setting& setting) {
  const auto start = std::chrono::steady_clock::now();
  try {
    record.outcome = record.what->run(setting);
  } catch (const Error& error) {
    record.error = error.what();
  } catch (const ShareComputed&) {  // a part, after its last loop
  }
  record.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void judge_one(Record& record) {
  if (!record.error.empty()) {
    return;
  }
  record.judgement = judge(record.outcome, claims_the_repaired(*record.what));
  const Judgement& found = record.judgement;
  record.verdict = found.as_printed.value_or(found.as_repaired.value_or(Verdict::undecided));
}

/// A case, or a part of one: its shared loops in part.
struct Piece {
  std::size_t number = 0;  ///< of the case
  Share share;
  SharedValues values;  ///< of a part
  double seconds = 0.0;
};

/// The nightly cases that run longer than two seconds or are cut, since their time is in shared loops; those with the
/// longest parts first, as measured.
struct Long {
  std::string_view id;
  std::size_t parts;
};
constexpr std::array long_ones{
    Long{"shifted-interpolation/theorem-4.8", 16},
    Long{"shifted-interpolation/theorem-c.13", 12},
    Long{"shifted-interpolation/theorem-4.9", 12},
    Long{"accountant/fixed-size-lemma-c", 5},
    Long{"dp-glm-networks/lemma-27", 1},
    Long{"shifted-interpolation/derived-6", 9},
    Long{"accountant/b-min-sep-as-poisson", 2},
    Long{"noisy-hsgd/conjecture-3.1", 1},
    Long{"shifted-interpolation/derived-4", 8},
    Long{"shifted-interpolation/table-2", 1},
    Long{"kan-correlated-noise/theorem-f.12", 1},
    Long{"accountant/central-limit", 1},
    Long{"shifted-interpolation/table-5", 1},
    Long{"dp-glm-networks/algorithm-8", 1},
    Long{"accountant/random-allocation", 1},
    Long{"dp-glm-networks/lemma-12", 1},
    Long{"dp-glm-networks/lemma-11", 1},
    Long{"shifted-interpolation/proposition-c.15", 1},
    Long{"shifted-interpolation/proposition-d.4", 1},
    Long{"long-tail-memorization/lemma-12", 1},
    Long{"audit/multi-run", 8},
    Long{"shifted-interpolation/derived-1", 1},
    Long{"kan-correlated-noise/derived-5", 14},
    Long{"dp-glm-networks/corollary-1", 1},
    Long{"accountant/poisson-replace-one", 2},
    Long{"dp-glm-networks/theorem-5", 32},
    Long{"shifted-interpolation/conjecture-footnote-9", 1},
    Long{"shifted-interpolation/theorem-4.3", 4},
    Long{"kan-correlated-noise/theorem-4.1", 1},
    Long{"shifted-interpolation/proposition-c.14", 3},
    Long{"shifted-interpolation/theorem-4.5", 4},
    Long{"long-tail-memorization/figure-1", 64},
    Long{"shifted-interpolation/corollary-5.4", 3},
    Long{"long-tail-memorization/remark-3", 3},
    Long{"accountant/with-replacement", 1},
    Long{"shifted-interpolation/theorem-3.3", 1},
    Long{"kan-correlated-noise/derived-4", 1},
    Long{"shifted-interpolation/theorem-4.1", 1},
    Long{"shifted-interpolation/algorithm-1", 1},
    Long{"accountant/poisson-subsampled-gaussian", 4},
    Long{"accountant/group-mixture", 3},
    Long{"shifted-interpolation/theorem-c.3", 1},
    Long{"accountant/shuffled-as-poisson", 1},
    Long{"dp-glm-networks/lemma-23", 1},
    Long{"shifted-interpolation/derived-5", 1},
    Long{"shifted-interpolation/definition-2.2", 1},
    Long{"shifted-interpolation/definition-c.2", 3},
    Long{"accountant/fixed-size-presence", 3},
    Long{"kan-correlated-noise/lemma-d.12", 5},
    Long{"kan-correlated-noise/theorem-e.1", 2},
    Long{"shifted-interpolation/proposition-5.1", 1},
    Long{"shifted-interpolation/lemma-c.12", 1},
    Long{"accountant/cyclic-poisson", 3},
    Long{"kan-correlated-noise/corollary-5.6", 12},
    Long{"shifted-interpolation/derived-2", 1},
    Long{"noisy-hsgd/equation-10", 1},
    Long{"kan-correlated-noise/theorem-5.2", 5},
    Long{"kan-correlated-noise/derived-2", 1},
    Long{"kan-correlated-noise/theorem-d.14", 9},
    Long{"dp-glm-networks/lemma-16", 1},
    Long{"dp-glm-networks/theorem-2", 24},
    Long{"kan-correlated-noise/derived-6", 4},
    Long{"long-tail-memorization/figure-2", 20},
    Long{"kan-correlated-noise/theorem-c.23", 5},
    Long{"kan-correlated-noise/theorem-d.16", 5},
    Long{"dp-glm-networks/theorem-11", 5},
    Long{"accountant/truncated-poisson", 3},
    Long{"dp-glm-networks/theorem-10", 4},
    Long{"shifted-interpolation/theorem-4.10", 8},
    Long{"long-tail-memorization/theorem-3", 3},
    Long{"long-tail-memorization/remark-1", 3},
    Long{"dp-glm-networks/algorithm-2", 4},
    Long{"kan-correlated-noise/corollary-c.24", 16},
    Long{"kan-correlated-noise/corollary-5.3", 16},
    Long{"shifted-interpolation/theorem-4.2", 4},
    Long{"long-tail-memorization/remark-2", 3},
    Long{"long-tail-memorization/figure-3", 12},
    Long{"long-tail-memorization/theorem-1", 4},
    Long{"dp-glm-networks/theorem-1", 8},
    Long{"shifted-interpolation/theorem-c.17", 4},
    Long{"noisy-hsgd/algorithm-1", 8},
    Long{"shifted-interpolation/theorem-4.6", 16}};

auto place_of(const Case& what) {
  return std::find_if(long_ones.begin(), long_ones.end(), [&](const Long& one) { return one.id == what.id; });
}

/// The long cases come first: who works them off in order ends with short ones.
std::vector<Piece> pieces_of(const std::vector<const Case*>& cases, const Setting& setting,
                             const Parts& parts_of_case) {
  std::vector<std::size_t> order(cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return place_of(*cases[a]) < place_of(*cases[b]); });
  std::vector<Piece> pieces;
  for (const std::size_t i : order) {
    const std::size_t parts = Sharing::active() ? parts_of_case(*cases[i], setting) : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      pieces.push_back({i, {part, parts}, {}, 0.0});
    }
  }
  return pieces;
}

/// The rest of the cases that were computed in parts: what follows their loops.
void finish_parts(std::vector<Piece>& pieces, std::vector<Record>& records, const Setting& setting, unsigned threads) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].share.count > 1 && pieces[i].share.index == 0) {
      first.push_back(i);
    }
  }
  parallel_for(first.size(), threads, [&](std::size_t i) {
    Record& record = records[pieces[first[i]].number];
    std::vector<SharedValues> shares;
    for (std::size_t part = 0; part < pieces[first[i]].share.count; ++part) {
      shares.push_back(std::move(pieces[first[i] + part].values));
      record.seconds += pieces[first[i] + part].seconds;
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
  const auto found = place_of(what);
  return setting.nightly && found != long_ones.end() ? found->parts : 1;
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

Run run(const std::vector<const Case*>& cases, const Setting& setting, unsigned threads, const Progress& progress,
        const Parts& parts_of_case) {
  Run result;
  result.records.resize(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    result.records[i].what = cases[i];
  }
  auto pieces = pieces_of(cases, setting, parts_of_case);
  const bool partial = Sharing::partial();
  Sharing::last_loop_follows();
  shared_for(
      pieces.size(), threads,
      [&](std::size_t i) {
        Piece& piece = pieces[i];
        if (piece.share.count == 1) {
          run_one(result.records[piece.number], setting);
          return;
        }
        Sharing part(piece.share);
        Record of_part{cases[piece.number], {}, {}, {}, 0.0, ""};
        run_one(of_part, setting);
        piece.values = part.computed();
        piece.seconds = of_part.seconds;
      },
      [&](std::size_t i, Archive& archive) {
        Piece& piece = pieces[i];
        if (piece.share.count == 1) {
          Record& record = result.records[piece.number];
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
