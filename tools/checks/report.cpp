// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <numeric>

#include <dpcurves/core/format.hpp>
#include <dpcurves/io/file.hpp>

#include "checks/check.hpp"
#include "support/exit.hpp"

namespace dpcurves::tools::checks {
namespace {

std::size_t failures(const std::vector<Finding>& findings) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return !f.failure.empty(); }));
}

/// Text as the value of an XML attribute; control characters, which XML cannot hold, become blanks.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

std::string text(const std::vector<Finding>& findings) {
  std::string report;
  for (const auto& finding : findings) {
    if (!finding.failure.empty()) {
      report += "FAILED " + finding.id + ": " + finding.failure + "\n";
    }
  }
  const std::size_t failed = failures(findings);
  return report + std::to_string(findings.size() - failed) + " passed, " + std::to_string(failed) + " failed\n";
}

std::string junit(const std::string& suite, const std::vector<Finding>& findings) {
  const double seconds = std::accumulate(findings.begin(), findings.end(), 0.0,
                                         [](double sum, const Finding& f) { return sum + f.seconds; });
  const std::string counts = "tests=\"" + std::to_string(findings.size()) + "\" failures=\"" +
                             std::to_string(failures(findings)) + "\" errors=\"0\" time=\"" + rounded(seconds, 3) +
                             "\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts + ">\n  <testsuite name=\"" +
                    escaped(suite) + "\" " + counts + ">\n";
  for (const auto& finding : findings) {
    out += "    <testcase name=\"" + escaped(finding.id) + "\" classname=\"" + escaped(finding.subject) + "\" time=\"" +
           rounded(finding.seconds, 3) + "\"";
    std::string inside;
    if (!finding.failure.empty()) {
      inside += "      <failure message=\"" + escaped(finding.failure) + "\"/>\n";
    }
    if (!finding.details.empty()) {
      inside += "      <system-out>" + escaped(finding.details) + "</system-out>\n";
    }
    out += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

int run_files(const Common& common, const std::vector<std::string>& paths, const std::string& junit_path) {
  if (Captured::any()) {
    throw UsageError("command: a check cannot run checks");  // its own file, without end
  }
  std::vector<Json> entries;
  std::string names;
  for (const auto& path : paths) {
    const auto more = read(path);
    entries.insert(entries.end(), more.begin(), more.end());
    names += (names.empty() ? "" : " ") + path;
  }
  ProgressBar bar("checking", common.quiet);
  const auto findings = run(entries, common.threads, bar.follow());
  if (!junit_path.empty()) {
    io::write_file(junit_path, junit(names, findings));
  }
  emit(common, text(findings));
  return static_cast<int>(failures(findings) == 0 ? Exit::ok : Exit::refuted);
}

}  // namespace dpcurves::tools::checks
