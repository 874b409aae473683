// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// The part of dpcurves simulate about long-tailed data: a two-layer network on signal and noise patches.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <dpcurves/io/raster.hpp>
#include <dpcurves/queries/detail/image_files.hpp>
#include <dpcurves/simulate/patch_experiment.hpp>

#include "support/simulation.hpp"

namespace dpcurves::tools {

/// The experiment of one cell, all but signal and spike. \param folder  of the images; null: drawn patches.
[[nodiscard]] simulate::PatchExperiment experiment_of(const Values& values,
                                                      const queries::ImageFolder* folder = nullptr);

/// Values over the noise correlation ratio, from left to right, and the signal strength, from below.
[[nodiscard]] io::Raster heat_map(const std::string& title, const std::vector<double>& signals,
                                  const std::vector<double>& ratios,
                                  const std::function<double(std::size_t signal, std::size_t ratio)>& value);

/// The modes that --mode names, by default clean and dp, with their names.
[[nodiscard]] std::vector<std::pair<simulate::PatchMode, std::string>> modes_of(const Values& values);

/// --data DIR: images as noise patches, a row per signal strength and mode.
[[nodiscard]] Simulation long_tail_of_images(const Asked& asked);

}  // namespace dpcurves::tools
