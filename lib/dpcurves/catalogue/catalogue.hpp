// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Every numbered item of the five papers and every theorem of the accountant of DP-SGD, once: what it is, which
/// calculator computes it, which validation case tries to break it, and where it is explained.
///
/// The entries are the files data/catalogue/PAPER.json, built into the library.
#pragma once

#include <string>
#include <vector>

namespace dpcurves::catalogue {

/// The words of an entry with their formulas between dollars.
struct Words {
  std::string title;                     ///< as that of the entry
  std::string statement;                 ///< the same
  std::string reason;                    ///< the same
  std::vector<std::string> assumptions;  ///< the same
};

/// One item of the catalogue, as `dpcurves theorem show` prints it.
struct Entry {
  std::string id;           ///< "shifted-interpolation/theorem-4.2"
  std::string paper;        ///< "shifted-interpolation", or "accountant" for what is proved in this project
  std::string kind;         ///< definition, lemma, theorem, figure, ...
  std::string title{};      ///< the paper's own heading, or a few words where it has none
  std::string status{};     ///< exact, bound, rate, definition, experiment, false-as-printed, not-computable, derived
  std::string statement{};  ///< what it says, in a sentence or two; may be empty
  std::vector<std::string> assumptions{};  ///< what it needs
  std::vector<std::string> calculators{};  ///< names for `dpcurves eval`
  std::string topic{};       ///< stem of the header below lib/dpcurves: "interpolation/noisy_gd"; may be empty
  std::string page{};        ///< page below docs/theory, without ending: "shifted-interpolation/noisy-gd"; may be empty
  std::string validation{};  ///< id of the validation case; empty if there is none
  std::string reason{};      ///< why there is no calculator or no validation case; empty if there are both
  Words marked;              ///< title, statement, reason and assumptions with their formulas marked
};

/// All entries, in the order of the papers. \throws DataError if the built-in data is broken.
[[nodiscard]] const std::vector<Entry>& entries();

/// The entry with this id; null if there is none.
[[nodiscard]] const Entry* find(const std::string& id);

/// The entries that a shortened id may mean: "4.9" and "theorem-4.9", with or without the paper or its key before it,
/// "Theorem 4.9", "bok2024/4.9". Empty where there is none.
[[nodiscard]] std::vector<const Entry*> matching(const std::string& id);

/// Whether what somebody typed is this id, or a shortened form of it.
[[nodiscard]] bool means(const std::string& typed, const std::string& id);

/// The entries that hold every one of the words, in id, title, statement or assumptions; capitals do not matter.
/// Those with all words in the title come first. A text of several words counts as those.
[[nodiscard]] std::vector<const Entry*> search(const std::vector<std::string>& texts);

/// The short names of the papers, in their order.
[[nodiscard]] std::vector<std::string> papers();

/// "shifted-interpolation" of "bok2024", the key of the bibliography; any other name as it is.
[[nodiscard]] std::string paper_of(const std::string& name);

}  // namespace dpcurves::catalogue
