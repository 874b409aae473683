// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Fields of nodes of a JSON document, with messages that start with their place.
#pragma once

#include <string>
#include <string_view>

#include <dpcurves/core/domain.hpp>
#include <dpcurves/io/detail/json.hpp>

namespace dpcurves::transcripts {

/// The number of a leaf; "inf" is one, true is none.
/// \throws UsageError "$.path: ... is not a number"; DomainError "$.path: 1.5 is not in [0, 1]".
[[nodiscard]] double number_at(const io::JsonTree& tree, std::size_t node, const Domain& domain);
/// The text of a leaf. \throws UsageError  "$.path: ... is not a text".
[[nodiscard]] std::string text_at(const io::JsonTree& tree, std::size_t node);
/// Whether a leaf is null.
[[nodiscard]] bool null_at(const io::JsonTree& tree, std::size_t node);
/// A member that must be there. \throws UsageError "$: OWNER: field NAME is missing".
[[nodiscard]] std::size_t field_at(const io::JsonTree& tree, std::size_t node, std::string_view name,
                                   const std::string& owner);

}  // namespace dpcurves::transcripts
