// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <dpcurves/core/detail/convert.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/queries/detail/audit_parts.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries {
namespace {

using namespace audits;
using inference::MultiRun;
using inference::OneRun;

Record thresholds_record(const std::string& rule, const std::vector<double>& tried) {
  return {{"rule", {rule}}, {"tried", {tried}}};
}

Record counts_record(const MultiRun& counts, bool counted) {
  Record record{{"canaries_in", to_value(counts.canaries_in)}, {"canaries_out", to_value(counts.canaries_out)}};
  if (counted) {
    record.add("true_positives", to_value(counts.true_positives));
    record.add("false_positives", to_value(counts.false_positives));
  }
  return record;
}

Record counts_record(const OneRun& counts) {
  return {{"canaries", to_value(counts.canaries)},
          {"guesses", to_value(counts.guesses)},
          {"correct", to_value(counts.correct)}};
}

std::string guesses_text(const OneRun& counts, bool two_sided) {
  return std::to_string(counts.canaries) + (counts.canaries == 1 ? " canary, " : " canaries, ") +
         std::to_string(counts.guesses) + (counts.guesses == 1 ? " guess" : " guesses") +
         (two_sided ? ", " : " \"in\", ") + std::to_string(counts.correct) + " right";
}

/// What a perfect attack would prove, and which confidence bounds have.
std::string ceiling_text(const MultiRun& sizes, double significance, std::size_t thresholds = 1) {
  const double share = significance / static_cast<double>(std::max<std::size_t>(thresholds, 1));
  return "Each bound holds with confidence " + shortest(1.0 - significance) +
         ". A perfect attack on these sizes proves epsilon " +
         rounded_down(inference::multi_run(sizes, share, 0.0).ceiling, 4) + ".\n";
}

/// The records of the run, where it says them, count the canaries.
void require_records(const Promises* run, std::uint64_t canaries) {
  const Value* said = run == nullptr ? nullptr : run->inputs.find("run");
  const auto* file = said == nullptr ? nullptr : said->get<Record>();
  const Value* records = file == nullptr ? nullptr : file->find("records");
  const auto* about = records == nullptr ? nullptr : records->get<Record>();
  const Value* count = about == nullptr ? nullptr : about->find("count");
  double known = 0.0;
  if (count != nullptr && count->number(known) && known < static_cast<double>(canaries)) {
    throw DomainError("records.count: " + shortest(known) + " records are fewer than the " + std::to_string(canaries) +
                      " canaries, which are among them whether they were in or out");
  }
}

Record inputs_of(const char* kind, const Promises* run, Record setting) {
  setting.add("kind", {kind});
  if (run != nullptr) {
    setting.add("algorithm", {run->algorithm});
    if (const Value* said = run->inputs.find("run")) {
      setting.add("run", *said);
    }
  }
  return setting;
}

}  // namespace

Report audit_multi_run(const Scores& scores, const MultiRunQuestion& question, const Promises* run, bool drawn) {
  require(question);
  if (scores.in.empty() || scores.out.empty()) {
    throw UsageError(std::string("member: no score is of a canary that was ") + (scores.in.empty() ? "in" : "out"));
  }
  if (!scores.repeated_run.empty()) {
    throw UsageError("run: \"" + scores.repeated_run +
                     "\" has several scores: scores of one run are not independent; use one-run");
  }
  if (scores.canaries_only && scores.in.size() + scores.out.size() > 1) {
    throw UsageError(
        "canary: the scores have canaries and no column run: scores of one run are not independent; use one-run, or "
        "say which run each score is of");
  }
  const double significance = question.audit.significance;
  const Rule rule = rule_of(scores, question);
  const Record all = to_record(question);
  Record asked;
  for (const Entry& one : all.entries()) {
    if (one.name != "pilot_share" || rule.name == "split" || grid_size(rule.name)) {  // others have no pilot
      asked.add(one.name, one.value);
    }
  }
  Audit audit = begun(inputs_of("multi-run", run, std::move(asked)), significance);
  audit.report.results = {{"counts", {counts_record(rule.sizes, rule.tried.size() == 1)}},
                          {"thresholds", {thresholds_record(rule.name, rule.tried)}}};
  judge_rates(audit, rule.rates, rule.coarser, rule.name != "all", question.audit, deltas_of(question.audit),
              question.both_sides, run, drawn);
  audit.report.blocks.insert(audit.report.blocks.begin(),
                             {ceiling_text(rule.sizes, significance, rule.tried.size()), std::nullopt});
  std::string heading = "audit of many runs: " + std::to_string(scores.in.size()) + " with the canary, " +
                        std::to_string(scores.out.size()) + " without, significance " + shortest(significance) +
                        ", thresholds " + rule.name;
  if (rule.tried.size() == 1) {
    heading += " at " + shortest(rule.tried.front()) + ": " + std::to_string(rule.sizes.true_positives) + " of " +
               std::to_string(rule.sizes.canaries_in) + " and " + std::to_string(rule.sizes.false_positives) + " of " +
               std::to_string(rule.sizes.canaries_out) + " above";
  }
  return finished(audit, heading + "\n");
}

Report audit_one_run(const Scores& scores, const OneRunQuestion& question, const Promises* run, bool drawn) {
  require(question);
  const std::uint64_t canaries = scores.in.size() + scores.out.size();
  if (canaries == 0) {
    throw UsageError("score: there is none");
  }
  if (scores.runs > 1) {
    throw UsageError("run: there are " + std::to_string(scores.runs) + " runs; use multi-run");
  }
  if (!scores.repeated_canary.empty()) {
    throw UsageError("canary: \"" + scores.repeated_canary + "\" stands twice in one run");
  }
  if (!question.thresholds.empty() && !grid_size(question.thresholds)) {
    throw UsageError("--thresholds: \"" + question.thresholds +
                     "\" is not grid:K: the number of guesses is fixed by --guesses");
  }
  if (question.guesses && question.guess_share) {
    throw UsageError("--guesses and --guess-share exclude each other");
  }
  if (!question.thresholds.empty() && (question.guesses || question.guess_share)) {
    throw UsageError(std::string(question.guesses ? "--guesses" : "--guess-share") +
                     ": the numbers of guesses are those of --thresholds " + question.thresholds);
  }
  require_records(run, canaries);
  constexpr double usual_share = 0.1;
  const double part_guessed = question.guess_share.value_or(usual_share);
  const auto share = static_cast<std::uint64_t>(std::ceil(part_guessed * static_cast<double>(canaries)));
  const std::uint64_t guesses = question.guesses.value_or(share);
  if (guesses > canaries) {
    throw UsageError("--guesses: " + std::to_string(guesses) + " is outside {1, ..., " + std::to_string(canaries) +
                     "}, the number of canaries");
  }
  std::vector<OneRun> tried;
  std::vector<double> numbers;
  const auto size = grid_size(question.thresholds).value_or(1);
  for (std::uint64_t k = 0; k < size; ++k) {
    const double part = size == 1 ? 0.0 : static_cast<double>(k) / static_cast<double>(size - 1);
    const double wanted = size == 1 ? static_cast<double>(guesses)
                                    : std::ceil(static_cast<double>(canaries) * std::pow(0.01, 1.0 - part));
    tried.push_back(guessed(scores, static_cast<std::uint64_t>(wanted), question.two_sided_guesses));
    numbers.push_back(wanted);
  }
  Audit audit = begun(inputs_of("one-run", run, to_record(question)), question.audit.significance);
  audit.report.results = {{"counts", {counts_record(tried.front())}},
                          {"thresholds", {thresholds_record(size == 1 ? "fixed" : question.thresholds, numbers)}}};
  if (question.independent_canaries) {
    judge_independent(audit, tried.front(), question.audit, question.two_sided_guesses && size == 1, run, drawn);
  } else {
    judge_guesses(audit, tried, question.audit, question.two_sided_guesses, question.method, run, drawn);
  }
  std::string heading = "audit of one run: " + guesses_text(tried.front(), question.two_sided_guesses) +
                        ", significance " + shortest(question.audit.significance);
  if (size > 1) {
    heading = "audit of one run: " + std::to_string(canaries) + " canaries, " + std::to_string(size) +
              " numbers of guesses, significance " + shortest(question.audit.significance) + " for all together";
  }
  std::string warning;
  if (!inference::coins_look_fair(scores.in.size(), canaries)) {
    warning = "COINS-UNFAIR: the coins do not look fair: " + std::to_string(scores.in.size()) + " of " +
              std::to_string(canaries) + " canaries are in; the bounds need fair ones\n";
    audit.report.results.add("warnings", {List{{warning.substr(0, warning.size() - 1)}}});
  }
  audit.report.blocks.insert(
      audit.report.blocks.begin(),
      {warning + "Each bound holds with confidence " + shortest(audit.level) +
           (question.independent_canaries ? ", ONLY IF each canary is answered by a release of its own, independent of "
                                            "the others: where the mechanism correlates them it may be above the truth "
                                            "most of the time.\n"
                                          : ", whatever the mechanism correlates; canaries are not taken for "
                                            "independent.\n"),
       std::nullopt});
  return finished(audit, heading + "\n");
}

Report audit_counts(const CountsQuestion& question, const Promises* run, bool drawn) {
  require(question);
  const auto& q = question;
  const bool many = q.true_positives || q.canaries_in || q.false_positives || q.canaries_out;
  const bool one = q.canaries || q.guesses || q.correct;
  if (many == one) {
    throw UsageError(
        "--true-positives: give --true-positives, --canaries-in, --false-positives and --canaries-out, or "
        "--canaries, --guesses and --correct");
  }
  const auto needed = [](const std::optional<std::uint64_t>& value, const char* option) {
    if (!value) {
      throw UsageError(std::string(option) + ": is required");
    }
    return *value;
  };
  const auto ordered = [](std::uint64_t part, std::uint64_t whole, const char* option, const char* of) {
    if (part > whole) {
      throw UsageError(std::string(option) + ": " + std::to_string(part) + " is more than " + of + ", " +
                       std::to_string(whole));
    }
  };
  Audit audit = begun(inputs_of("counts", run, to_record(question)), q.audit.significance);
  if (one) {
    const OneRun counts{needed(q.canaries, "--canaries"), needed(q.guesses, "--guesses"),
                        needed(q.correct, "--correct")};
    require_records(run, counts.canaries);
    ordered(counts.guesses, counts.canaries, "--guesses", "--canaries");
    ordered(counts.correct, counts.guesses, "--correct", "--guesses");
    audit.report.results = {{"counts", {counts_record(counts)}},
                            {"thresholds", {thresholds_record("fixed", {static_cast<double>(counts.guesses)})}}};
    if (q.independent_canaries) {
      judge_independent(audit, counts, q.audit, q.two_sided_guesses, run, drawn);
    } else {
      judge_guesses(audit, {counts}, q.audit, q.two_sided_guesses, q.method, run, drawn);
    }
    return finished(audit, "audit of one run: " + guesses_text(counts, q.two_sided_guesses) + ", significance " +
                               shortest(q.audit.significance) + "\n");
  }
  const MultiRun counts{needed(q.true_positives, "--true-positives"), needed(q.canaries_in, "--canaries-in"),
                        needed(q.false_positives, "--false-positives"), needed(q.canaries_out, "--canaries-out")};
  ordered(counts.true_positives, counts.canaries_in, "--true-positives", "--canaries-in");
  ordered(counts.false_positives, counts.canaries_out, "--false-positives", "--canaries-out");
  audit.report.results = {{"counts", {counts_record(counts, true)}}, {"thresholds", {thresholds_record("fixed", {})}}};
  const RatesAt rates = [&](double significance) { return std::vector{rates_of(counts, significance, std::nan(""))}; };
  judge_rates(audit, rates, rates, true, q.audit, deltas_of(q.audit), q.both_sides, run, drawn);
  audit.report.blocks.insert(audit.report.blocks.begin(), {ceiling_text(counts, q.audit.significance), std::nullopt});
  return finished(audit, "audit of many runs: " + std::to_string(counts.true_positives) + " of " +
                             std::to_string(counts.canaries_in) + " with and " +
                             std::to_string(counts.false_positives) + " of " + std::to_string(counts.canaries_out) +
                             " without the canary said to be in, significance " + shortest(q.audit.significance) +
                             "\n");
}

}  // namespace dpcurves::queries
