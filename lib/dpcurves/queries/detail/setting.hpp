// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What an answer is about: the sampler, the neighbours and the clipping convention, in words and as data.
#pragma once

#include <string>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/io/table.hpp>

namespace dpcurves::queries {

/// Words broken into lines of at most `width` characters; lines after the first start with `indent` blanks more.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = io::line_width);

/// "sampling:  Poisson: ..." and so on, a paragraph each; empty where a guarantee has no setting.
[[nodiscard]] std::string setting_text(const accounting::Guarantee& guarantee);

/// {"sampling": text, "adjacency": text, "clipping": text}, nothing where a guarantee has no setting.
[[nodiscard]] Value setting_value(const accounting::Guarantee& guarantee);

/// What a theorem lacks, a line "  ID needs ..." behind a line feed: a hypothesis that fails, or one that nobody has
/// said. Empty where it lacks nothing.
[[nodiscard]] std::string lacking_text(const accounting::Guarantee& guarantee);

/// "assumed: ...", a line each.
[[nodiscard]] std::string assumed_text(const accounting::Guarantee& guarantee);

/// "not starred: ...": the theorems that would apply if somebody said what they need, with the words that say it.
[[nodiscard]] std::string not_starred_text(const std::vector<accounting::Guarantee>& guarantees);

}  // namespace dpcurves::queries
