// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The commands whose questions the library answers: privacy, calibrate, curve, risk and attack.
#include <CLI/CLI.hpp>

#include <dpcurves/queries/calibrate.hpp>
#include <dpcurves/queries/curve.hpp>
#include <dpcurves/queries/detail/promises.hpp>
#include <dpcurves/queries/privacy.hpp>
#include <dpcurves/queries/risk.hpp>

#include "commands.hpp"
#include "support/report.hpp"

namespace dpcurves::tools {
namespace {

int answer(const Subject& subject, const Typed& typed) {
  const Stopwatch clock;
  const Common& common = typed.common;
  const Values values = typed.values();
  const std::string plot = values.text_or("plot", "");
  check_plot(plot);
  ProgressBar bar(subject.name, common);
  const Report report = subject.answer(values, {common.threads, bar.follow()});
  const bool only_drawn = subject.formats.starts_with("csv") && common.parsed_format() != Format::json;
  if (!plot.empty() && only_drawn && common.output.empty()) {
    io::save(*report.plot, plot);
    return 0;
  }
  return show(common, report, plot, clock.seconds());
}

void add(Leaves& leaves, CLI::App& command, const std::vector<Subject>& subjects) {
  for (const Subject& subject : subjects) {
    leaves.add(command, {subject.name, subject.summary, subject.footer, subject.table, subject.formats,
                         [&subject](const Typed& typed) { return answer(subject, typed); }});
  }
}

void add_command(CLI::App& app, Leaves& leaves, const std::string& name, const std::string& summary,
                 const std::string& example, const std::vector<Subject>& subjects) {
  CLI::App& command = branch(app, name, summary, "Example:\n  dpcurves " + name + " " + example + " --help");
  add(leaves, command, subjects);
}

}  // namespace

void add_privacy(CLI::App& app, Leaves& leaves) {
  add_command(app, leaves, "privacy", "the privacy of an algorithm by every theorem that applies", "noisy-gd",
              privacy_subjects());
}

void add_calibrate(CLI::App& app, Leaves& leaves) {
  add_command(app, leaves, "calibrate",
              "the parameter that just meets a target: (epsilon, delta), or a limit on attacks", "noisy-gd",
              calibrate_subjects());
}

void add_attack(CLI::App& app, Leaves& leaves) {
  add_command(app, leaves, "attack", "what an attacker can do at most: TPR at FPR, advantage, reconstruction, ...",
              "dp-sgd", attack_subjects());
}

void add_risk(CLI::App& app, Leaves& leaves) {
  add_command(app, leaves, "risk", "the risk of a model along a run, its limit, and what it allows",
              "noisy-least-squares", risk_subjects());
}

void add_curve(CLI::App& app, Leaves& leaves) {
  CLI::App& command = branch(app, "curve", "a curve as CSV or JSON, or a picture with --plot",
                             "Example:\n  dpcurves curve tradeoff noisy-gd --help");
  for (const auto& [kind, summary] : curve_kinds()) {
    const std::string example = kind == "attack" ? "dp-sgd" : "noisy-gd";
    add(leaves, branch(command, kind, summary, "Example:\n  dpcurves curve " + kind + " " + example + " --help"),
        curve_subjects(kind));
  }
}

}  // namespace dpcurves::tools
