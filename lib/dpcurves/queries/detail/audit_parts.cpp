// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/inference/audit_verdict.hpp>
#include <dpcurves/queries/detail/audit_parts.hpp>
#include <dpcurves/queries/detail/words.hpp>

namespace dpcurves::queries::audits {
namespace {

using inference::AuditVerdict;

constexpr double usual_delta = 1e-5;

}  // namespace

std::optional<Held> held(const Promises* run, double delta) {
  if (run == nullptr) {
    return std::nullopt;
  }
  std::optional<Held> best;
  for (Asked& one : theorems(*run)) {
    const auto& directions = one.about.directions;
    const bool add_only = directions.size() == 1 && directions.front().direction == "add";
    if (add_only) {
      throw DomainError("adjacency: add certifies no bound on accusations; an audit needs remove or both orders");
    }
    const Enclosure epsilon = delta > 0.0 && delta < 1.0 ? one.about.curve->epsilon(delta).value
                              : delta == 0.0             ? Enclosure{0.0, infinity}
                                                         : exactly(0.0);
    if (!best || epsilon.upper < best->epsilon.upper) {
      best = Held{std::move(one), delta, epsilon};
    }
  }
  return best;
}

void Audit::add(const std::string& quantity, const std::string& label, const std::optional<double>& delta, double lower,
                const std::string& method, const std::string& theorem, const std::string& condition) {
  results.push_back({Record{{"quantity", {quantity}},
                            {"delta", delta ? Value{*delta} : Value{}},
                            {"lower", {lower}},
                            {"confidence", {level}},
                            {"method", {method}},
                            {"theorem", {theorem}},
                            {"conditional_on", condition.empty() ? Value{} : Value{condition}}}});
  table.rows.push_back(
      {{label}, {rounded_down(lower, 5)}, {method + (condition.empty() ? "" : ", only if " + condition)}});
  report.rows.rows.push_back(
      {{quantity}, {delta ? shortest(*delta) : ""}, {shortest(lower)}, {shortest(level)}, {theorem}, {condition}});
}

Audit begun(const Record& inputs, double significance) {
  Audit audit;
  audit.report.schema = "dpcurves/audit/1";
  audit.report.inputs = inputs;
  audit.report.rows.names = {"quantity", "delta", "lower", "confidence", "theorem", "conditional_on"};
  audit.level = 1.0 - significance;
  return audit;
}

void add_gaussian(Audit& audit, double mu, const std::vector<double>& deltas, const std::string& theorem) {
  for (const double delta : deltas) {
    if (mu > 0.0 && delta > 0.0 && delta < 1.0) {
      audit.add("epsilon", "epsilon at delta " + shortest(delta) + ", if Gaussian", delta,
                accounting::gaussian_curve(exactly(mu))->epsilon(delta).value.lower, "from mu", theorem,
                "the mechanism's curve is Gaussian");
    }
  }
}

void conclude(Audit& audit, const Held& run, bool rejected_above, bool rejected_below, double epsilon_lower,
              double mu_lower, const std::optional<Enclosure>& p_value) {
  const auto verdict =
      inference::audit_verdict(rejected_above, rejected_above || rejected_below, epsilon_lower, run.epsilon.upper);
  Report& report = audit.report;
  const auto mu = run.theorem.about.curve->mu();
  const bool gaussian = mu && run.theorem.attack.closed_form();
  std::string text = "run: " + run.theorem.about.theorem + ": epsilon <= " + rounded_up(run.epsilon.upper, 5) +
                     " at delta " + shortest(run.delta) + (gaussian ? ", mu <= " + rounded_up(mu->upper, 5) : "") +
                     "\nscores: epsilon >= " + rounded_down(epsilon_lower, 5) +
                     (gaussian ? ", mu >= " + rounded_down(mu_lower, 5) : "") +
                     "\nverdict: " + std::string(name(verdict)) +
                     (p_value ? ", p-value of the certified curve " + rounded_up(p_value->upper, 3) : "") + "\n";
  switch (verdict) {
    case AuditVerdict::broken:
      text += "The certified curve is rejected: the run is not what the file says, or the guarantee is false.\n";
      if (epsilon_lower <= run.epsilon.upper) {
        text += "The whole curve is tested: it may be rejected where epsilon at one delta is not contradicted.\n";
      }
      text +=
          "Usual causes: another sampler than the accountant's; gradient accumulation; noise on the mean in place of "
          "the sum; clipping per batch; a canary used more often than the sampler says.\n";
      report.outcome = Outcome::refuted;
      break;
    case AuditVerdict::loose:
      text += "Attack or canaries are too weak to tell. This is no evidence of privacy.\n";
      break;
    case AuditVerdict::undecided:
      text += "The lower end of the certified curve is rejected, its upper end is not.\n";
      report.outcome = Outcome::undecided;
      break;
    case AuditVerdict::consistent:
      break;
  }
  report.results.add(
      "run",
      {Record{{"theorem", {run.theorem.about.theorem}}, {"delta", {run.delta}}, {"epsilon", ends(run.epsilon)}}});
  report.results.add("p_value", p_value ? ends(*p_value) : Value{});
  report.results.add("verdict", {std::string(name(verdict))});
  report.blocks.push_back({std::move(text), std::nullopt});
}

Report finished(Audit& audit, std::string heading) {
  Report& report = audit.report;
  report.results.entries().insert(report.results.entries().begin() + 2, {"results", {std::move(audit.results)}});
  report.blocks.insert(report.blocks.begin(), {std::move(heading), std::move(audit.table)});
  return std::move(report);
}

std::vector<double> deltas_of(const AuditQuestion& question) {
  return question.delta.empty() ? std::vector{usual_delta} : question.delta;
}

std::optional<std::uint64_t> grid_size(const std::string& text) {
  if (!text.starts_with("grid:")) {
    return std::nullopt;
  }
  char* end = nullptr;
  const std::string digits = text.substr(5);
  const double size = std::strtod(digits.c_str(), &end);
  constexpr double most = 1000;
  if (digits.empty() || *end != '\0' || !(size >= 1.0 && size <= most && size == std::floor(size))) {
    throw UsageError("--thresholds: \"" + text + "\" is not grid:K with K in {1, ..., 1000}");
  }
  return static_cast<std::uint64_t>(size);
}

}  // namespace dpcurves::queries::audits
