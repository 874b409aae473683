// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/row.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dpcurves::validation::report {
namespace {

struct Paper {
  std::string_view name, title, authors;
};

constexpr std::array<Paper, 6> known{{
    {"shifted-interpolation", "Shifted Interpolation for Differential Privacy", "Bok, Su, Altschuler"},
    {"noisy-hsgd", "High-Dimensional Privacy-Utility Dynamics of Noisy SGD on Least Squares",
     "Lin, Kolaczyk, Smith, Paquette"},
    {"kan-correlated-noise", "Population Risk Bounds for KANs Trained by DP-SGD with Correlated Noise",
     "Wang, Schuchardt, Kalinin, Zhou, Fellenz, Lampert, Kloft"},
    {"dp-glm-networks", "Differentially Private Non-convex Learning for Multi-layer Neural Networks", ""},
    {"long-tail-memorization", "Understanding the Impact of DP Training on Memorization of Long-Tailed Data",
     "Zhang, Xie, Ding, Fu, Liu, Wang"},
    {"accountant", "The accountant of DP-SGD", "proved in this project"},
}};

const Paper* find(std::string_view paper) {
  const auto* const at = std::find_if(known.begin(), known.end(), [&](const Paper& p) { return p.name == paper; });
  return at == known.end() ? nullptr : at;
}

Status status_of(const catalogue::Entry& entry, const Record* record) {
  if (record != nullptr) {
    const bool wrong_in_print = record->what->expected == Verdict::refuted || entry.status == "false-as-printed";
    return !record->good()                          ? Status::failed
           : wrong_in_print                         ? Status::refuted
           : record->on_claim() == Verdict::vacuous ? Status::vacuous
                                                    : Status::holds;
  }
  if (!entry.validation.empty()) {
    return Status::not_run;
  }
  const bool planned = entry.reason.rfind("not in this version", 0) == 0;
  return entry.status == "definition" && !planned ? Status::nothing : Status::not_simulated;
}

}  // namespace

std::string name_of(Status status) {
  switch (status) {
    case Status::holds:
      return "holds";
    case Status::refuted:
      return "refuted as printed";
    case Status::vacuous:
      return "vacuous";
    case Status::failed:
      return "not as expected";
    case Status::not_run:
      return "not in this run";
    case Status::nothing:
      return "definition, no claim";
    case Status::not_simulated:
      return "not simulated";
  }
  return "";
}

std::string key_of(Status status) {
  switch (status) {
    case Status::holds:
      return "holds";
    case Status::refuted:
      return "refuted";
    case Status::vacuous:
      return "vacuous";
    case Status::failed:
      return "failed";
    case Status::not_run:
      return "not-run";
    case Status::nothing:
      return "definition";
    case Status::not_simulated:
      return "not-simulated";
  }
  return "";
}

Effort effort_of(const Record* record) {
  if (record == nullptr || !record->judgement.resolution || record->judgement.basis == Basis::formula ||
      record->on_claim() == Verdict::vacuous) {
    return Effort::none;
  }
  const double found = *record->judgement.resolution;
  return found >= 0.9 ? Effort::attained : found >= 0.5 ? Effort::strong : found >= 0.1 ? Effort::fair : Effort::weak;
}

std::string name_of(Effort effort) {
  switch (effort) {
    case Effort::attained:
      return "0.9 and more: attained";
    case Effort::strong:
      return "0.5 to 0.9";
    case Effort::fair:
      return "0.1 to 0.5";
    case Effort::weak:
      return "below 0.1";
    case Effort::none:
      return "no experiment";
  }
  return "";
}

std::string key_of(Effort effort) {
  switch (effort) {
    case Effort::attained:
      return "attained";
    case Effort::strong:
      return "strong";
    case Effort::fair:
      return "fair";
    case Effort::weak:
      return "weak";
    case Effort::none:
      return "none";
  }
  return "";
}

std::vector<Row> rows(const Run& run) {
  std::map<std::string, const Record*> records;
  for (const Record& record : run.records) {
    records[record.what->id] = &record;
  }
  std::vector<Row> all;
  std::set<std::string> listed;
  for (const catalogue::Entry& entry : catalogue::entries()) {
    const auto found = records.find(entry.validation);
    const Record* record = found == records.end() ? nullptr : found->second;
    all.push_back({entry, record, status_of(entry, record)});
    listed.insert(entry.validation);
  }
  for (const Record& record : run.records) {
    if (!listed.contains(record.what->id)) {
      catalogue::Entry entry;
      entry.id = entry.validation = record.what->id;
      entry.paper = entry.id.substr(0, entry.id.find('/'));
      entry.kind = "case";
      entry.title = record.what->claim;
      const Status status = status_of(entry, &record);
      all.push_back({std::move(entry), &record, status});
    }
  }
  return all;
}

std::vector<std::string> papers(const std::vector<Row>& rows) {
  std::vector<std::string> all;
  for (const Row& row : rows) {
    if (std::find(all.begin(), all.end(), row.entry.paper) == all.end()) {
      all.push_back(row.entry.paper);
    }
  }
  return all;
}

std::string title_of(std::string_view paper) {
  const Paper* at = find(paper);
  return std::string(at == nullptr ? paper : at->title);
}

std::string authors_of(std::string_view paper) {
  const Paper* at = find(paper);
  return std::string(at == nullptr ? std::string_view{} : at->authors);
}

}  // namespace dpcurves::validation::report
