// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves reproduce: a table or figure of a paper, beside the published numbers.
#include "reproduce.hpp"

#include <algorithm>
#include <iterator>

#include <dpcurves/core/share.hpp>

#include "commands.hpp"
#include "support/json.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

using reproduce::OnData;
using reproduce::Reproduced;
using reproduce::Reproduction;

std::vector<Reproduction> all_reproductions() {
  auto list = reproduce::shifted_interpolation_tables();
  for (const int table : {2, 5, 6}) {  // accuracies
    const auto at = static_cast<std::size_t>(table - 1);
    list[at].train = [table](const OnData& question) {
      return reproduce::shifted_interpolation_accuracies(table, question);
    };
  }
  for (auto* figures :
       {&reproduce::accountant_comparisons, &reproduce::shifted_interpolation_figures, &reproduce::noisy_hsgd_figures,
        &reproduce::kan_figures, &reproduce::dp_glm_networks_figures, &reproduce::long_tail_figures}) {
    auto more = figures();
    std::move(more.begin(), more.end(), std::back_inserter(list));
  }
  return list;
}

int reproduced(const Typed& typed) {
  const Stopwatch clock;
  const Values values = typed.values();
  const Common& common = typed.common;
  const auto all = all_reproductions();
  if (values.flag("list")) {
    Json list = Json::array();
    queries::Report report;
    report.rows.names = {"id", "title"};
    report.blocks.emplace_back();
    for (const Reproduction& what : all) {
      list.push_back({{"id", what.id}, {"title", title(what, {})}});
      report.rows.rows.push_back({{what.id}, {title(what, {})}});
      report.blocks.front().text += what.id + ": " + title(what, {}) + "\n";
    }
    if (common.parsed_format() == Format::json) {
      emit(common, pretty(list));
      return 0;
    }
    return show(common, report);
  }
  if (typed.words.empty()) {
    throw UsageError("ID: is required, or --list");
  }
  const Reproduction& what = named(all, typed.words.front());
  const std::string plot = values.text_or("plot", "");
  check_plot(plot);
  ProgressBar bar("computing " + what.id, common);
  const OnData data{what.id,
                    values.text_or("data", ""),
                    values.flag("full-size"),
                    values.count("repetitions"),
                    values.text_or("resume", ""),
                    common.seed,
                    common.threads,
                    bar.follow()};
  const Reproduced result = compute(what, data);
  Sharing::last_loop_done();
  const bool rasters = !result.rasters.empty();
  require_option(plot.empty() || rasters || result.plot, "plot", "there is nothing to draw for " + what.id);
  if (!plot.empty() && rasters) {
    io::save(result.rasters, result.rasters_per_row, plot);
  }
  return show(common, report(what, result, data), rasters ? "" : plot, clock.seconds());
}

}  // namespace

void add_reproduce(CLI::App& app, Leaves& leaves) {
  leaves.add(
      app,
      {.name = "reproduce",
       .summary = "a table or figure of a paper beside the published numbers",
       .footer =
           "Examples:\n"
           "  dpcurves reproduce shifted-interpolation/table-7\n"
           "  dpcurves reproduce shifted-interpolation/figure-1 --plot figure-1.svg\n"
           "  dpcurves reproduce shifted-interpolation/table-2 --data data/sets/mnist --resume table-2.csv\n"
           "  dpcurves reproduce dp-glm-networks/figure-3 --data data/sets/mnist --full-size --resume figure-3.txt\n"
           "  dpcurves reproduce --list",
       .table =
           {{"list", OptionKind::flag, "", "print all tables and figures"},
            {"plot", OptionKind::text, "FILE", "draw into FILE.svg, .png, .html or .pdf"},
            {"data", OptionKind::text, "DIR", "train on the images in this folder (sh data/fetch.sh mnist)"},
            {"full-size", OptionKind::flag, "",
             "the sizes that the paper prints, as far as two cores can pay for them (up to days; the notes and the "
             "page say how long), with --data where images are trained on"},
            {"repetitions", OptionKind::count, "[2, 1000] = 10", "with --data or --full-size: runs that are averaged"},
            {"resume", OptionKind::text, "FILE",
             "with --data or --full-size: keep each repetition in FILE, and take from it what is there"}},
       .run = reproduced,
       .argument = Argument{"ID", "PAPER/table-N or PAPER/figure-N, as --list prints it", 0}});
}

}  // namespace dpcurves::tools
