// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What the referee found, as a report, for JUnit and as annotations.
#include <optional>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/detail/findings.hpp>
#include <dpcurves/queries/referee.hpp>

namespace dpcurves::queries {
namespace {

using transcripts::Judgement;

Tone tone(Judgement verdict) {
  switch (verdict) {
    case Judgement::correct:
      return Tone::good;
    case Judgement::loose:
    case Judgement::rounded_down:
    case Judgement::undecided:
      return Tone::notice;
    case Judgement::too_small:
      return Tone::bad;
    case Judgement::not_comparable:
      return Tone::faint;
  }
  return Tone::plain;
}

Value maybe_value(const std::optional<double>& value) { return value ? Value{*value} : Value{}; }
Value maybe_value(const std::optional<Enclosure>& ends) {
  return ends ? Value{Record{{"lower", {ends->lower}}, {"upper", {ends->upper}}}} : Value{};
}

bool fails(Judgement verdict, FailOn fail_on) {
  switch (verdict) {
    case Judgement::too_small:
      return true;
    case Judgement::loose:
    case Judgement::rounded_down:
      return fail_on >= FailOn::loose;
    case Judgement::undecided:
      return fail_on >= FailOn::undecided;
    case Judgement::not_comparable:
      return fail_on >= FailOn::not_comparable;
    case Judgement::correct:
      return false;
  }
  return false;
}

/// A number in as many digits as tell it from another one, three at least.
std::string apart(double value, double other) {
  constexpr int most = 15;
  int digits = 3;
  while (digits < most && rounded(value, digits) == rounded(other, digits)) {
    ++digits;
  }
  return rounded(value, digits);
}

}  // namespace

std::string explanation(const Judged& row) {
  const std::string claimed = shortest(row.claim.claimed);
  if (!row.bracket) {
    return row.reason;
  }
  const std::string certified = rounded_up(row.bracket->upper, 8);
  switch (row.verdict) {
    case Judgement::too_small:
    case Judgement::rounded_down: {
      std::string text = "claimed " + claimed + ", certified " + rounded_down(row.bracket->lower, 8);
      if (row.delta_at_claim) {
        const double at_claim = row.delta_at_claim->lower;
        text += "; at " + claimed + " delta is " +
                (row.delta_factor ? apart(at_claim, at_claim / *row.delta_factor) + ", " +
                                        apart(*row.delta_factor, 1.0) + " times the target"
                                  : rounded(at_claim, 3) + ", not 0");
      }
      return text;
    }
    case Judgement::loose:
      return "claimed " + claimed + ", certified " + certified + ": " + rounded(*row.ratio, 3) + " times";
    case Judgement::not_comparable:
      return row.reason + "; certified " + certified;
    default:
      return "claimed " + claimed + ", certified " + certified;
  }
}

Report referee_report(const std::vector<Judged>& rows, const std::string& file, double loose, FailOn fail_on) {
  Report report{.schema = "dpcurves/referee/1", .inputs = {{"file", {file}}, {"loose", {loose}}}};
  report.rows.names = {"id", "line", "verdict", "claimed", "lower", "upper", "ratio", "theorem", "reason"};
  Table table;
  table.names = {"claim", "verdict", "why"};
  List list;
  std::vector<std::pair<Judgement, std::int64_t>> counts;
  for (const auto& [verdict, word] : enumerators(Judgement{})) {
    counts.emplace_back(verdict, 0);
  }
  for (const Judged& row : rows) {
    const std::string verdict(name(row.verdict));
    list.push_back({Record{{"id", {row.claim.id}},
                           {"line", {static_cast<std::int64_t>(row.claim.line)}},
                           {"verdict", {verdict}},
                           {"claimed", {row.claim.claimed}},
                           {"bracket", maybe_value(row.bracket)},
                           {"ratio", maybe_value(row.ratio)},
                           {"short_by", maybe_value(row.short_by)},
                           {"delta_at_claim", maybe_value(row.delta_at_claim)},
                           {"delta_factor", maybe_value(row.delta_factor)},
                           {"theorem", row.theorem.empty() ? Value{} : Value{row.theorem}},
                           {"exact", {row.exact}},
                           {"reason", row.reason.empty() ? Value{} : Value{row.reason}}}});
    table.rows.push_back({{row.claim.id}, {verdict, tone(row.verdict)}, {explanation(row)}});
    report.rows.rows.push_back({{row.claim.id},
                                {std::to_string(row.claim.line)},
                                {verdict},
                                {shortest(row.claim.claimed)},
                                {row.bracket ? shortest(row.bracket->lower) : ""},
                                {row.bracket ? shortest(row.bracket->upper) : ""},
                                {row.ratio ? shortest(*row.ratio) : ""},
                                {row.theorem},
                                {row.reason}});
    for (auto& [judgement, count] : counts) {
      count += judgement == row.verdict ? 1 : 0;
    }
    report.outcome = fails(row.verdict, fail_on) ? Outcome::refuted : report.outcome;
  }
  Record counted;
  std::string summary = std::to_string(rows.size()) + (rows.size() == 1 ? " claim" : " claims");
  bool first = true;
  for (const auto& [verdict, count] : counts) {
    counted.add(std::string(name(verdict)), {count});
    if (count > 0) {
      summary += (first ? ": " : ", ") + std::to_string(count) + " " + std::string(name(verdict));
      first = false;
    }
  }
  report.results = {{"rows", {std::move(list)}}, {"counts", {std::move(counted)}}};
  report.blocks.push_back({"", std::move(table)});
  report.blocks.push_back({summary + "\n", std::nullopt});
  return report;
}

std::string referee_junit(const std::vector<Judged>& rows, const std::string& file) {
  std::vector<io::Finding> findings;
  for (const Judged& row : rows) {
    const std::string why = std::string(name(row.verdict)) + ": " + explanation(row);
    const bool silent = row.verdict == Judgement::undecided || row.verdict == Judgement::not_comparable;
    findings.push_back(
        {row.claim.id, "referee",
         row.verdict == Judgement::too_small ? io::Finding::Outcome::failed
         : silent                            ? io::Finding::Outcome::skipped
                                             : io::Finding::Outcome::passed,
         why,
         row.bracket ? why + ", bracket [" + shortest(row.bracket->lower) + ", " + shortest(row.bracket->upper) + "]"
                     : why});
  }
  return io::junit(file, findings);
}

std::string referee_annotations(const std::vector<Judged>& rows, const std::string& file) {
  std::vector<io::Annotation> marks;
  for (const Judged& row : rows) {
    const char* level = row.verdict == Judgement::too_small      ? "error"
                        : row.verdict == Judgement::rounded_down ? "warning"
                        : row.verdict == Judgement::loose        ? "notice"
                                                                 : nullptr;
    if (level != nullptr) {
      marks.push_back(
          {level, file, row.claim.line, row.claim.id, std::string(name(row.verdict)) + ": " + explanation(row)});
    }
  }
  return io::workflow_commands(marks);
}

}  // namespace dpcurves::queries
