// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves attack: what an attacker can do at most against an algorithm.
#include <dpcurves/core/convert.hpp>

#include "algorithms/promises.hpp"
#include "commands.hpp"
#include "support/leaves.hpp"
#include "support/option_record.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

int run(const Algorithm& algorithm, const std::vector<Option>& table, const Common& common, const RawOptions& raw) {
  Values values = read_options(table, raw, common.config);
  check_plot(values.text_or("plot", ""));
  const auto all = promises(algorithm, values, table);
  auto report = queries::attack(all, setting_from<queries::AttackQuestion>(values));
  if (values.has("plot")) {
    constexpr double lowest_rate = 1e-6;
    report.plot = queries::attack_plot(all, lowest_rate);
  }
  finish(report, values);
  return show(common, report, values.text_or("plot", ""));
}

}  // namespace

Action add_attack(CLI::App& app) {
  CLI::App& command = branch(app, "attack", "what an attacker can do at most: TPR at FPR, advantage, reconstruction, ...",
                             "Example:\n  dpcurves attack dp-sgd --help");
  Leaves leaves;
  for (const auto& algorithm : algorithms()) {
    Leaf leaf;
    leaf.name = algorithm.name;
    leaf.summary = algorithm.summary;
    leaf.footer = "Without a question: the usual table.\nExample:\n  dpcurves attack " + algorithm.name + " " +
                  algorithm.example + " --fpr 1e-3";
    leaf.table = algorithm.options;
    add_options(leaf.table, options_of(describe<queries::AttackQuestion>()), "Question");
    add_options(leaf.table, {{"plot", OptionKind::text, "", "draw TPR against FPR into FILE.svg, .png, .html or .pdf"}},
                "Question");
    leaf.run = [&algorithm](const auto& options, const auto& common, const auto& raw) {
      return run(algorithm, options, common, raw);
    };
    leaves.add(command, std::move(leaf));
  }
  return leaves.action();
}

}  // namespace dpcurves::tools
