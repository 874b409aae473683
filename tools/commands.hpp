// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The subcommands of the program. Each declares itself on the command line.
#pragma once

#include "support/leaves.hpp"

namespace dpcurves::tools {

void add_privacy(CLI::App& app, Leaves& leaves);
void add_calibrate(CLI::App& app, Leaves& leaves);
void add_curve(CLI::App& app, Leaves& leaves);
void add_attack(CLI::App& app, Leaves& leaves);
void add_audit(CLI::App& app, Leaves& leaves);
void add_risk(CLI::App& app, Leaves& leaves);
void add_simulate(CLI::App& app, Leaves& leaves);
void add_validate(CLI::App& app, Leaves& leaves);
void add_reproduce(CLI::App& app, Leaves& leaves);
void add_referee(CLI::App& app, Leaves& leaves);
void add_run(CLI::App& app, Leaves& leaves);
void add_theorem(CLI::App& app, Leaves& leaves);
void add_eval(CLI::App& app, Leaves& leaves);
void add_merge(CLI::App& app, Leaves& leaves);
void add_generate(CLI::App& app, Leaves& leaves);

}  // namespace dpcurves::tools
