// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// --sweep for a question that answers rows: the rows of every value below each other. Internal.
#pragma once

#include <functional>
#include <string>

#include <dpcurves/queries/subject.hpp>

namespace dpcurves::queries {

/// What the picture of a sweep shows.
struct SweptPicture {
  std::string title;      ///< its first line
  std::string label;      ///< of the vertical axis
  std::string column;     ///< of the rows, whose numbers are drawn
  std::string series{};   ///< columns, separated by commas, that tell series apart where they differ within an answer
  std::string shown{};    ///< columns, separated by commas, that the words show; empty: all
  bool in_words = false;  ///< these are columns of the first table of the words, whose cells stand as they are
};

/// The picture of the answer to the first value.
using SweptPictureOf = std::function<SweptPicture(const Report& first)>;

/// The subject with --sweep, and with --plot if it has none. A value at which the question has no answer has no rows:
/// its entry of `results` has a "reason". Cost: that of the subject, for every value.
/// \throws UsageError  for a sweep that makes no sense, or --plot of a subject that draws nothing but sweeps without
///                     --sweep; DomainError  where no value has an answer.
[[nodiscard]] Subject with_sweep(Subject one, SweptPictureOf drawn);

}  // namespace dpcurves::queries
