// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <unistd.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/process.hpp>

#include "validation/report/assets.hpp"
#include "validation/report/entry.hpp"
#include "validation/report/figures.hpp"
#include "validation/report/summary.hpp"

namespace dpcurves::validation {
namespace {

/// A figure of a case, its file name, and the drawing.
struct Picture {
  const Case* what = nullptr;
  Figure figure;
  std::string file;  ///< empty: only for the page
  std::string svg;
};

/// Those of the case, or else of the rates that it claims.
std::vector<Picture> pictures_of(const Record& record) {
  std::vector<Picture> pictures;
  for (std::size_t k = 0; k < record.outcome.figures.size(); ++k) {
    pictures.push_back({record.what, record.outcome.figures[k], figure_file(*record.what, k), ""});
  }
  if (pictures.empty()) {
    for (const Rate& rate : record.outcome.claim.rates()) {
      pictures.push_back({record.what, report::rate_figure(rate), "", ""});
    }
  }
  return pictures;
}

/// The page may load nothing, not even by mistake.
constexpr const char* head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>dpcurves: theorems against simulation</title>
<style>
)";

constexpr const char* foot = R"(<footer>Written by <code>dpcurves validate --report</code>. The page is self-contained:
it can be kept, mailed and opened from disk.</footer>
<script>
)";

std::string page(const std::vector<report::Row>& rows, const Run& run, const Setting& setting,
                 const std::string& version, const std::vector<Picture>& pictures) {
  std::map<const Case*, std::pair<std::vector<Figure>, std::vector<std::string>>> drawn;
  for (const Picture& picture : pictures) {
    auto& [figures, files] = drawn[picture.what];
    figures.push_back(picture.figure);
    files.push_back(picture.svg);
  }
  std::string html = head + report::style() + "</style></head><body>\n" + report::shared_shapes() +
                     report::summary_html(rows, run, setting, version) + report::toolbar_html(rows) + "<main>\n";
  for (const auto& paper : report::papers(rows)) {
    std::string items;
    std::size_t count = 0;
    for (const report::Row& row : rows) {
      if (row.entry.paper == paper) {
        ++count;
        const auto& [figures, files] = drawn[row.record == nullptr ? nullptr : row.record->what];
        items += report::entry_html(row, setting, figures, files);
      }
    }
    const std::string authors = report::authors_of(paper);
    html += "<section class=\"paper-list\"><h2>" + io::escaped_html(report::title_of(paper)) + "</h2><p class=\"by\">" +
            (authors.empty() ? "" : io::escaped_html(authors) + " · ") + "<span class=\"here\">" +
            std::to_string(count) + "</span> of " + std::to_string(count) + " items</p>\n" + items + "</section>\n";
  }
  return html + "<p id=\"none\" hidden>Nothing fits. Clear the search or a filter.</p></main>\n" + foot +
         report::script() + "</script></body></html>\n";
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw DataError("--report: cannot make the folder " + folder.string() + ": " + error.message());
  }
}

}  // namespace

std::string figure_file(const Case& what, std::size_t k) {
  std::string name = what.id;
  std::replace(name.begin(), name.end(), '/', '-');
  return name + (k == 0 ? "" : "-" + std::to_string(k + 1)) + ".svg";
}

void prepare_report(const std::filesystem::path& folder) {
  make_folder(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw DataError("--report: the folder " + folder.string() + " cannot be written");
  }
  if (!io::program_exists("gnuplot")) {
    throw DataError("--report: gnuplot is not installed; pictures need it (Debian: apt-get install gnuplot-nox)");
  }
}

void write_report(const Run& run, const Setting& setting, const std::string& version,
                  const std::filesystem::path& folder, unsigned threads) {
  make_folder(folder);
  std::vector<Picture> pictures;
  for (const Record& record : run.records) {
    for (Picture& picture : pictures_of(record)) {
      pictures.push_back(std::move(picture));
    }
  }
  parallel_for(pictures.size(), threads, [&](std::size_t i) { pictures[i].svg = io::svg(pictures[i].figure.plot); });
  for (const Picture& picture : pictures) {
    if (!picture.file.empty()) {
      io::write_file(folder / picture.file, picture.svg);
    }
  }
  io::write_file(folder / "index.html", page(report::rows(run), run, setting, version, pictures));
}

}  // namespace dpcurves::validation
