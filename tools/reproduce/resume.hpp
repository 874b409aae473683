// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Loops whose pieces are kept in a file as they are done, so that hours of training can be taken up where they
/// stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <dpcurves/core/archive.hpp>

#include "reproduce.hpp"

namespace dpcurves::tools::reproduce {

/// What the files of images in a folder are, so that repetitions on others are not taken for those on these.
/// \param folder  of --data; empty: 0.
/// Cost: reads the files once.
[[nodiscard]] std::uint64_t images_checksum(const std::string& folder);

/// shared_for whose pieces are in the file of --resume, or are computed and added to it; without --resume as that one.
/// \param loop    names the loop within the question: other settings, other names.
/// \param values  names the values that piece i writes.
/// \throws DataError  if the file is of another question, seed or data, or cannot be written.
void resumable_for(std::size_t count, const OnData& question, const std::string& loop,
                   const std::function<void(std::size_t)>& work,
                   const std::function<void(std::size_t, Archive&)>& values);

}  // namespace dpcurves::tools::reproduce
