// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/findings.hpp>

#include "checks/check.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::checks {
namespace {

std::size_t failures(const std::vector<Finding>& findings) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return !f.failure.empty(); }));
}

}  // namespace

std::string text(const std::vector<Finding>& findings) {
  std::string report;
  for (const auto& finding : findings) {
    if (!finding.failure.empty()) {
      report += "FAILED " + finding.id + ": " + finding.failure + "\n";
      report += finding.repeat.empty() ? "" : "  repeat: " + finding.repeat + "\n";
    } else if (finding.headroom) {
      report += "ok " + finding.id + ": headroom " + rounded(100.0 * *finding.headroom, 2) + " %\n";
    }
  }
  const std::size_t failed = failures(findings);
  return report + std::to_string(findings.size() - failed) + " passed, " + std::to_string(failed) + " failed\n";
}

Json json(const std::vector<Finding>& findings) {
  const std::size_t failed = failures(findings);
  Json document{{"schema", "dpcurves/check/1"},
                {"version", version()},
                {"passed", findings.size() - failed},
                {"failed", failed},
                {"checks", Json::array()}};
  for (const auto& finding : findings) {
    document["checks"].push_back({{"id", finding.id},
                                  {"file", finding.file},
                                  {"subject", finding.subject},
                                  {"passed", finding.failure.empty()},
                                  {"failure", finding.failure.empty() ? Json(nullptr) : Json(finding.failure)},
                                  {"repeat", finding.repeat.empty() ? Json(nullptr) : Json(finding.repeat)},
                                  {"line", finding.line == 0 ? Json(nullptr) : Json(finding.line)},
                                  {"headroom", finding.headroom ? number(*finding.headroom) : Json(nullptr)},
                                  {"seconds", finding.seconds}});
  }
  return document;
}

std::string junit(const std::string& suite, const std::vector<Finding>& findings) {
  std::vector<io::Finding> list;
  for (const auto& finding : findings) {
    list.push_back(
        {finding.id, finding.subject,
         finding.failure.empty() ? io::Finding::Outcome::passed : io::Finding::Outcome::failed, finding.failure,
         finding.failure.empty() || finding.repeat.empty() ? finding.details
                                                           : "repeat: " + finding.repeat + "\n" + finding.details,
         finding.seconds});
  }
  return io::junit(suite, list);
}

std::string annotations(const std::vector<Finding>& findings) {
  std::vector<io::Annotation> marks;
  for (const auto& finding : findings) {
    if (!finding.failure.empty()) {
      marks.push_back({"error", finding.file, finding.line, finding.id, finding.failure});
    }
  }
  return io::workflow_commands(marks);
}

int run_files(const Common& common, const std::vector<std::string>& paths, const std::string& junit_path,
              const std::string& annotated) {
  if (common.to.within()) {
    throw UsageError("command: a check cannot run checks");  // its own file, without end
  }
  std::vector<Json> entries;
  std::string names;
  std::vector<std::string> files;  // of each entry
  std::vector<std::size_t> lines;
  for (const auto& path : paths) {
    const auto more = read(path);
    files.insert(files.end(), more.size(), path);
    auto begins = entry_lines(path);
    if (begins.size() != more.size()) {  // a layout that the scan does not know
      begins.assign(more.size(), 0);
    }
    lines.insert(lines.end(), begins.begin(), begins.end());
    entries.insert(entries.end(), more.begin(), more.end());
    names += (names.empty() ? "" : " ") + path;
  }
  ProgressBar bar("checking", common);
  auto findings = run(entries, common.threads, bar.follow());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i].file = files[i];
    findings[i].line = lines[i];
  }
  if (!junit_path.empty()) {
    io::write_file(junit_path, junit(names, findings));
  }
  emit(common, !annotated.empty()                       ? annotations(findings) + text(findings)
               : common.parsed_format() == Format::json ? pretty(json(findings))
                                                        : text(findings));
  return static_cast<int>(failures(findings) == 0 ? Exit::ok : Exit::refuted);
}

}  // namespace dpcurves::tools::checks
