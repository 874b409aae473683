// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What somebody else's file says about a run: the Run, where each part of it stands, and what the file leaves open.
///
/// Files are data: nothing in them is imported or executed. A part that no theorem covers is refused in words that
/// start with its place; docs/guide/transcripts.md lists what is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dpcurves/accounting/privacy_curve.hpp>
#include <dpcurves/core/record.hpp>
#include <dpcurves/mechanism/run.hpp>

namespace dpcurves::transcripts {

/// What a finding means: an answer with a remark, or none.
enum class Level { yellow, red };

/// Something that does not fit: loop against accountant, file against theorem.
struct Finding {
  std::string id;               ///< "ACCUMULATION-RATE"
  Level level = Level::yellow;  ///< red: no answer
  std::string where;            ///< "row 2", "$.history[0]", "phases[0]"; empty: the whole
  std::string message;          ///< one sentence or two
};

/// A part of the run and where it was read.
struct Part {
  /// The lists of a run.
  enum class Kind { phase, release, claim, concentrated, mechanism };
  Kind kind = Kind::phase;  ///< which list of the run
  std::size_t place = 0;    ///< in that list
  std::string where;        ///< "$.events[1].event", "row 2"
  std::string label;        ///< the name that the source has for it
};

/// An epsilon that an accountant printed.
struct Logged {
  std::size_t phase = 0;  ///< in which it did
  double steps = 0.0;     ///< of that phase, so far
  double epsilon = 0.0;   ///< for all until then
  std::string where;      ///< "row 2"
};

/// A description of a run by another tool, read.
struct Transcript {
  std::string reader;                       ///< "dp-event", "opacus", "opake", "log", "jax-privacy", "run"
  mechanism::Run run;                       ///< neighbouring parts that are equal are one
  std::vector<Part> parts;                  ///< in the order of the file
  std::vector<Logged> logged{};             ///< in that order
  std::vector<std::string> assumed{};       ///< what the file does not say
  bool sampler_known = true;                ///< false: Poisson is assumed
  std::optional<std::string> accountant{};  ///< Opacus: the mechanism of its accountant

  void add(mechanism::Phase phase, std::string where, std::string label);         ///< Merged with an equal neighbour.
  void add(mechanism::Sum release, std::string where, std::string label);         ///< The same.
  void add(mechanism::Claim claim, std::string where, std::string label);         ///< The same.
  void add(mechanism::Concentrated other, std::string where, std::string label);  ///< The same.
  void add(mechanism::Mechanism other, std::string where, std::string label);     ///< The same.
  /// Where a phase stands, or "phases[i]".
  [[nodiscard]] std::string where(std::size_t phase) const;
};

/// What the caller knows beside the file.
struct Given {
  std::string reader;                               ///< of the file; empty: recognised by its content
  std::optional<mechanism::Adjacency> adjacency{};  ///< where the file does not say it
  std::optional<mechanism::Sampler> sampler{};      ///< the same
  std::optional<double> records{};                  ///< the same
  std::optional<double> batch_size{};               ///< the same; of one micro-batch
  std::optional<double> delta{};                    ///< for the numbers in messages
  std::string steps_count{};                        ///< "updates" or "batches"; empty: not said
};

/// Reads a text. \param name  of the file, whose ending tells CSV and TOML from JSON.
/// \throws UsageError   for a text that is not of the form of its reader: what is missing, unknown or of a wrong type.
/// \throws DomainError  for a value outside its range and a part that no theorem covers.
/// Cost: linear in the text, whatever its depth.
[[nodiscard]] Transcript read(const std::string& text, const std::string& name, const Given& given);

[[nodiscard]] Transcript read_dp_event(const std::string& text, const Given& given);  ///< dp_accounting
[[nodiscard]] Transcript read_opacus(const std::string& text, const Given& given);    ///< history of an accountant
[[nodiscard]] Transcript read_opake(const std::string& text, const Given& given);     ///< accountant.json
/// A row per range of steps, or a table of [[phases]]. \param toml  or CSV.
[[nodiscard]] Transcript read_training_log(const std::string& text, bool toml, const Given& given);
[[nodiscard]] Transcript read_jax_privacy(const std::string& text, const Given& given);  ///< configuration
/// A run file. \param toml  or JSON.
[[nodiscard]] Transcript read_run(const std::string& text, bool toml, const Given& given);

/// The run of a record with the keys of "dpcurves/run/1". Errors as core/record.hpp says of `checked`.
[[nodiscard]] mechanism::Run run_of(const Record& record);
/// The keys of a run that differ from their defaults, in the order of the schema.
[[nodiscard]] Record record_of(const mechanism::Run& run);

/// What does not fit, in this order: structure, rates, clipping, noise, release, selection. Red ones rule out
/// an answer.
/// \param delta  for the numbers in messages and for the budget; empty: that of the run, if it has one.
/// \throws UsageError  where a sampler lacks what it cannot do without (largest_batch, cycle, separation, records).
/// Cost: some epsilons of the run, and one for each that was logged.
[[nodiscard]] std::vector<Finding> check(const Transcript& transcript, std::optional<double> delta = std::nullopt);

/// A budget held against the answer.
struct Budget {
  double epsilon = 0.0;         ///< that may be spent
  double delta = 0.0;           ///< at which: the least that the run says, which no question moves
  std::optional<double> lower;  ///< end of the answer; nothing where only the other is proved
  double upper = 0.0;           ///< end of the answer
  bool exact = false;           ///< whether the lower end is one of the mechanism, not of its bound

  /// "kept", "exceeded", or "undecided" where the budget lies between the ends.
  [[nodiscard]] const char* verdict() const;
};
/// That of the run; nothing where it has none, or no delta to hold it to. Cost: one epsilon of the run.
/// \param delta  where the run says none.
/// \throws DomainError  as guarantee().
[[nodiscard]] std::optional<Budget> budget(const Transcript& transcript, std::optional<double> delta = std::nullopt);

/// The same, held against the guarantee of more than the run. Cost: one epsilon of it.
[[nodiscard]] std::optional<Budget> budget(const mechanism::Run& run, const accounting::Guarantee& whole,
                                           std::optional<double> delta = std::nullopt);

/// The delta that is asked for, if one is. O(1).
[[nodiscard]] std::optional<double> delta_of(const mechanism::Run& run, std::optional<double> delta);

/// The guarantee of the whole.
/// \throws DomainError  that starts with the place of the first part without a theorem.
[[nodiscard]] accounting::Guarantee guarantee(const Transcript& transcript, const accounting::Accuracy& accuracy = {},
                                              std::optional<double> delta = std::nullopt);

/// "1000 x poisson, sampling rate 0.01, noise multiplier 1.1": a part in words.
[[nodiscard]] std::string words(const Transcript& transcript, const Part& part);
/// The theorem that answers a part.
[[nodiscard]] std::string theorem(const Transcript& transcript, const Part& part);

}  // namespace dpcurves::transcripts
