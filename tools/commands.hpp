// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The subcommands of the program. Each declares itself on the command line and returns its action.
#pragma once

#include "support/common.hpp"

namespace dpcurves::tools {

Action add_privacy(CLI::App& app);
Action add_calibrate(CLI::App& app);
Action add_curve(CLI::App& app);
Action add_attack(CLI::App& app);
Action add_audit(CLI::App& app);
Action add_risk(CLI::App& app);
Action add_simulate(CLI::App& app);
Action add_validate(CLI::App& app);
Action add_reproduce(CLI::App& app);
Action add_referee(CLI::App& app);
Action add_run(CLI::App& app);
Action add_theorem(CLI::App& app);
Action add_eval(CLI::App& app);
Action add_merge(CLI::App& app);
Action add_generate(CLI::App& app);

}  // namespace dpcurves::tools
