// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// What is run, once for all: the steps of DP-SGD and what is released beside them, as a run file says it.
///
/// A Run makes no claim. Accountants, simulations and commands read it; readers of other tools' files write it. Its
/// fields are the keys of the schema "dpcurves/run/1".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <dpcurves/core/field.hpp>
#include <dpcurves/mechanism/adjacency.hpp>
#include <dpcurves/mechanism/mechanism.hpp>
#include <dpcurves/mechanism/sampler.hpp>

namespace dpcurves::mechanism {

/// Whom the guarantee protects, in the words of a run file.
enum class Unit { example, user, group };
/// What is clipped.
enum class ClippedPer { record, micro_batch, batch };
/// What the noise is added to.
enum class NoiseOn { sum, mean };
/// What the noisy sum is divided by.
enum class Normalisation { expected, fixed, none, realised };
/// The range of the bit whose mean is the quantile.
enum class QuantileRange { from_zero, centred };
/// How the noises of different steps correlate.
enum class Strategy { identity, lambda, file, bsr, bisr, blt, band_mf };
/// In which steps a record takes part, where a rule says it: one; every so many; any that are so many apart.
enum class Participation { single, cyclic, min_separation };
/// What is published.
enum class Release { all_steps, last_iterate, checkpoints, average };
/// In which order the records of an epoch come.
enum class Order { fresh, same_every_epoch };

/// Their names.
constexpr std::array<std::pair<Unit, std::string_view>, 3> enumerators(Unit /*type*/) {
  return {{{Unit::example, "example"}, {Unit::user, "user"}, {Unit::group, "group"}}};
}
/// Their names.
constexpr std::array<std::pair<ClippedPer, std::string_view>, 3> enumerators(ClippedPer /*type*/) {
  return {{{ClippedPer::record, "record"}, {ClippedPer::micro_batch, "micro-batch"}, {ClippedPer::batch, "batch"}}};
}
/// Their names.
constexpr std::array<std::pair<NoiseOn, std::string_view>, 2> enumerators(NoiseOn /*type*/) {
  return {{{NoiseOn::sum, "sum"}, {NoiseOn::mean, "mean"}}};
}
/// Their names.
constexpr std::array<std::pair<Normalisation, std::string_view>, 4> enumerators(Normalisation /*type*/) {
  return {{{Normalisation::expected, "expected"},
           {Normalisation::fixed, "fixed"},
           {Normalisation::none, "none"},
           {Normalisation::realised, "realised"}}};
}
/// Their names.
constexpr std::array<std::pair<QuantileRange, std::string_view>, 2> enumerators(QuantileRange /*type*/) {
  return {{{QuantileRange::from_zero, "0/1"}, {QuantileRange::centred, "-1/2,1/2"}}};
}
/// Their names.
constexpr std::array<std::pair<Strategy, std::string_view>, 7> enumerators(Strategy /*type*/) {
  return {{{Strategy::identity, "identity"},
           {Strategy::lambda, "lambda"},
           {Strategy::file, "file"},
           {Strategy::bsr, "bsr"},
           {Strategy::bisr, "bisr"},
           {Strategy::blt, "blt"},
           {Strategy::band_mf, "band-mf"}}};
}
/// Their names.
constexpr std::array<std::pair<Participation, std::string_view>, 3> enumerators(Participation /*type*/) {
  return {{{Participation::single, "single"},
           {Participation::cyclic, "cyclic"},
           {Participation::min_separation, "min-separation"}}};
}
/// Their names.
constexpr std::array<std::pair<Release, std::string_view>, 4> enumerators(Release /*type*/) {
  return {{{Release::all_steps, "all-steps"},
           {Release::last_iterate, "last-iterate"},
           {Release::checkpoints, "checkpoints"},
           {Release::average, "average"}}};
}
/// Their names.
constexpr std::array<std::pair<Order, std::string_view>, 2> enumerators(Order /*type*/) {
  return {{{Order::fresh, "fresh"}, {Order::same_every_epoch, "same-every-epoch"}}};
}

/// The data set, as far as it is public.
struct Records {
  double count = 1.0;                 ///< n
  Unit unit = Unit::example;          ///< what is protected
  double max_records_per_unit = 1.0;  ///< of one user or group

  static constexpr std::tuple fields{required("count", &Records::count, whole("[1, inf)"), "number of records n"),
                                     optional("unit", &Records::unit, "what is protected"),
                                     optional("max_records_per_unit", &Records::max_records_per_unit, whole("[1, inf)"),
                                              "most records of one user or group")};
};

/// Consecutive steps of one kind.
struct Phase {
  double steps = 0.0;                        ///< noisy updates, not micro-batches
  std::optional<double> first_step{};        ///< the number of the first, where steps are numbered
  std::optional<double> batch_size{};        ///< of one micro-batch
  std::optional<double> sampling_rate{};     ///< of one noisy update
  double accumulation = 1.0;                 ///< micro-batches per update
  Sampler sampler = Sampler::poisson;        ///< how batches are drawn
  double uses_per_round = 1.0;               ///< random allocation
  std::optional<double> cycle{};             ///< cyclic Poisson: groups of records that take turns
  std::optional<double> largest_batch{};     ///< truncated Poisson
  std::optional<double> separation{};        ///< b-min-sep: steps from one use of a record to its next, at least
  std::optional<double> noise_multiplier{};  ///< what the accountant was told
  std::optional<double> noise{};             ///< what was added, per coordinate of the sum or the mean
  std::optional<double> epochs{};            ///< passes over the data that the steps are
  std::optional<double> restart{};           ///< number of the restart that ran them
  std::optional<std::string> sampler_key{};  ///< of the generator that drew the batches
  std::optional<double> epsilon_logged{};    ///< what an accountant printed after them

  static constexpr std::tuple fields{
      required("steps", &Phase::steps, whole("[0, 1e15]"), "noisy updates, not micro-batches"),
      optional("first_step", &Phase::first_step, whole("[1, 1e15]"), "number of the first of them"),
      optional("batch_size", &Phase::batch_size, "(0, inf)", "records of one micro-batch, expected or fixed"),
      optional("sampling_rate", &Phase::sampling_rate, "[0, 1]", "chance that one noisy update uses a record"),
      optional("accumulation", &Phase::accumulation, whole("[1, 1e9]"), "micro-batches of one noisy update"),
      required("sampler", &Phase::sampler, "how batches are drawn"),
      optional("uses_per_round", &Phase::uses_per_round, whole("[1, inf)"),
               "random-allocation: in how many steps of a round a record is"),
      optional("cycle", &Phase::cycle, whole("[1, 1e15]"),
               "cyclic-poisson: how many groups of records take turns; the sampling rate is that within a group"),
      optional("largest_batch", &Phase::largest_batch, whole("[1, 1e15]"),
               "truncated-poisson: a larger batch is cut to a uniform choice of so many"),
      optional("separation", &Phase::separation, whole("[1, 1e15]"),
               "b-min-sep: steps from one use of a record to its next, at least"),
      optional("noise_multiplier", &Phase::noise_multiplier, "[0, inf)",
               "noise on the sum of clipped gradients over the clipping norm"),
      optional("noise", &Phase::noise, "[0, inf)",
               "standard deviation per coordinate of what was added to the sum or the mean"),
      optional("epochs", &Phase::epochs, "(0, inf)", "passes over the data that the steps are"),
      optional("restart", &Phase::restart, whole("[0, 1e9]"), "number of the restart that ran them"),
      optional("sampler_key", &Phase::sampler_key, "key of the generator that drew the batches"),
      optional("epsilon_logged", &Phase::epsilon_logged, "[0, inf]", "what an accountant printed after them")};
};

/// A sum over all records, released with normal noise.
struct Sum {
  double count = 1.0;             ///< how often
  double noise_multiplier = 1.0;  ///< 0 hides nothing
  bool upper_only = false;        ///< what is released is at most this
  std::string name{};             ///< a word for messages

  static constexpr std::tuple fields{
      required("count", &Sum::count, whole("[0, 1e15]"), "how often"),
      required("noise_multiplier", &Sum::noise_multiplier, "[0, inf)",
               "noise over how far one record moves the sum; 0 hides nothing"),
      optional("upper_only", &Sum::upper_only, "whether what is released is at most this"),
      optional("name", &Sum::name, "a word for messages")};
};

/// A guarantee of something else.
struct Claim {
  double epsilon = 0.0;  ///< of the guarantee
  double delta = 0.0;    ///< of the guarantee
  double count = 1.0;    ///< how often
  std::string name{};    ///< a word for messages

  static constexpr std::tuple fields{required("epsilon", &Claim::epsilon, "[0, inf]", "epsilon of the guarantee"),
                                     required("delta", &Claim::delta, "[0, 1]", "delta of the guarantee"),
                                     optional("count", &Claim::count, whole("[0, 1e15]"), "how often"),
                                     optional("name", &Claim::name, "a word for messages")};
};

/// Something else of which Renyi divergences are known.
struct Concentrated {
  double rho = 0.0;    ///< order times rho
  double xi = 0.0;     ///< and this
  double count = 1.0;  ///< how often
  std::string name{};  ///< a word for messages

  static constexpr std::tuple fields{
      required("rho", &Concentrated::rho, "[0, inf)", "Renyi divergence of order a is at most rho a + xi"),
      optional("xi", &Concentrated::xi, "[0, inf)", "see rho"),
      optional("count", &Concentrated::count, whole("[0, 1e15]"), "how often"),
      optional("name", &Concentrated::name, "a word for messages")};
};

/// How gradients are clipped and divided.
struct Clipping {
  std::optional<double> norm{};                           ///< C, the unit of a noise
  ClippedPer per = ClippedPer::record;                    ///< what is clipped
  NoiseOn noise_on = NoiseOn::sum;                        ///< what the noise is added to
  Normalisation normalisation = Normalisation::expected;  ///< what the noisy sum is divided by
  bool adaptive = false;                                  ///< the norm follows a quantile
  std::optional<double> quantile_noise_multiplier{};      ///< noise on the number of gradients below the norm
  std::optional<QuantileRange> quantile_range{};          ///< of the bit that is summed

  static constexpr std::tuple fields{
      optional("norm", &Clipping::norm, "(0, inf)", "clipping norm C, the unit of a noise"),
      optional("per", &Clipping::per, "what is clipped"),
      optional("noise_on", &Clipping::noise_on, "what the noise is added to"),
      optional("normalisation", &Clipping::normalisation, "what the noisy sum is divided by"),
      optional("adaptive", &Clipping::adaptive, "whether the norm follows a quantile"),
      optional("quantile_noise_multiplier", &Clipping::quantile_noise_multiplier, "(0, inf)",
               "noise on the number of gradients below the norm"),
      optional("quantile_range", &Clipping::quantile_range, "values of the bit that is summed")};
};

/// How the noises of different steps correlate.
struct Noise {
  Strategy strategy = Strategy::identity;        ///< identity: they do not
  std::optional<double> lambda{};                ///< of strategy lambda
  std::optional<std::string> file{};             ///< of strategy file
  std::vector<double> coefficients{};            ///< of one column of a Toeplitz strategy: of file and band-mf
  std::optional<double> bands{};                 ///< of bsr and bisr
  std::vector<double> theta{};                   ///< of blt: how fast its buffers decay
  std::vector<double> omega{};                   ///< and how much each weighs
  std::optional<Participation> participation{};  ///< of a record, where no sampling says it
  std::optional<double> separation{};            ///< steps from one of them to the next, or at least so many
  std::optional<double> participations{};        ///< at most so many
  std::optional<std::string> generator{};        ///< recorded only

  static constexpr std::tuple fields{
      optional("strategy", &Noise::strategy, "how the noises of different steps correlate"),
      optional("lambda", &Noise::lambda, "[0, 1]", "of strategy lambda"),
      optional("file", &Noise::file, "of strategy file"),
      optional("coefficients", &Noise::coefficients, "(-inf, inf)", "first column of a Toeplitz strategy"),
      optional("bands", &Noise::bands, whole("[1, 1e7]"), "of bsr and bisr"),
      optional("theta", &Noise::theta, "[0, 1]", "decay of each buffer of blt"),
      optional("omega", &Noise::omega, "[0, inf)", "weight of each buffer of blt"),
      optional("participation", &Noise::participation, "in which steps a record takes part, by a rule"),
      optional("separation", &Noise::separation, whole("[1, 1e7]"), "steps from one of them to the next, or at least"),
      optional("participations", &Noise::participations, whole("[1, 1e7]"), "how many there are at most"),
      optional("generator", &Noise::generator, "recorded only")};
};

/// What is asked of the run.
struct Privacy {
  Adjacency adjacency = Adjacency::add_or_remove;  ///< which data sets are neighbours
  Release release = Release::all_steps;            ///< what is published
  std::vector<double> checkpoints{};               ///< steps whose iterates are published
  std::vector<double> delta{};                     ///< for which epsilon is asked
  std::optional<double> epsilon_budget{};          ///< held against the answer

  static constexpr std::tuple fields{
      required("adjacency", &Privacy::adjacency, "which data sets are neighbours"),
      required("release", &Privacy::release, "what is published"),
      optional("checkpoints", &Privacy::checkpoints, whole("[1, 1e15]"), "steps whose iterates are published"),
      optional("delta", &Privacy::delta, "(0, 1)", "for which epsilon is asked; a number or a list"),
      optional("epsilon_budget", &Privacy::epsilon_budget, "[0, inf)", "held against the answer")};
};

/// What is known of the losses; for theorems about the last iterate.
struct Model {
  std::optional<bool> convex{};              ///< every loss is
  std::optional<double> strong_convexity{};  ///< m
  std::optional<double> smoothness{};        ///< M
  std::optional<double> step_size{};         ///< eta
  std::optional<double> lipschitz{};         ///< L
  std::optional<double> sensitivity{};       ///< of one gradient
  std::optional<double> diameter{};          ///< of the set that iterates are projected to
  std::optional<Order> order{};              ///< of the records in an epoch

  static constexpr std::tuple fields{
      optional("convex", &Model::convex, "whether every loss is convex"),
      optional("strong_convexity", &Model::strong_convexity, "[0, inf)", "strong convexity m of every loss"),
      optional("smoothness", &Model::smoothness, "[0, inf)", "smoothness M of every loss"),
      optional("step_size", &Model::step_size, "(0, inf)", "step size eta"),
      optional("lipschitz", &Model::lipschitz, "(0, inf)", "Lipschitz constant L of every loss"),
      optional("sensitivity", &Model::sensitivity, "(0, inf)", "how far one record moves a gradient"),
      optional("diameter", &Model::diameter, "(0, inf)", "diameter of the set that iterates are projected to"),
      optional("order", &Model::order, "order of the records in an epoch")};
};

/// What happened around the run.
struct Selection {
  double runs = 1.0;  ///< how many were made
  bool best = false;  ///< whether the best was kept

  static constexpr std::tuple fields{optional("runs", &Selection::runs, whole("[1, inf)"), "how many runs were made"),
                                     optional("best", &Selection::best, "whether the best of them was kept")};
};

/// What is run.
struct Run {
  std::string schema = "dpcurves/run/1";     ///< of the file
  std::string name{};                        ///< of the run, shown with every answer
  std::string source{};                      ///< what the description was read from
  std::optional<Records> records{};          ///< the data set
  std::vector<Phase> phases{};               ///< one after the other
  std::vector<Sum> releases{};               ///< beside them
  std::vector<Claim> claims{};               ///< beside them
  std::vector<Concentrated> concentrated{};  ///< beside them
  std::vector<Mechanism> mechanisms{};       ///< beside them
  Clipping clipping{};                       ///< of the phases
  Noise noise{};                             ///< of the phases
  Privacy privacy{};                         ///< what is asked
  std::optional<Model> model{};              ///< what is known of the losses
  Selection selection{};                     ///< around the run

  static constexpr std::tuple fields{
      required("schema", &Run::schema, "dpcurves/run/1"),
      optional("name", &Run::name, "of the run"),
      optional("source", &Run::source, "what the description was read from"),
      optional("records", &Run::records, "the data set"),
      optional("phases", &Run::phases, "steps of one kind each, one after the other"),
      optional("releases", &Run::releases, "sums over all records that are released too"),
      optional("claims", &Run::claims, "guarantees of other mechanisms"),
      optional("concentrated", &Run::concentrated, "other mechanisms by their Renyi divergences"),
      optional("mechanisms", &Run::mechanisms, "other mechanisms by their noise or their losses"),
      optional("clipping", &Run::clipping, "how gradients are clipped and divided"),
      optional("noise", &Run::noise, "how the noises of different steps correlate"),
      required("privacy", &Run::privacy, "what is asked"),
      optional("model", &Run::model, "what is known of the losses"),
      optional("selection", &Run::selection, "what happened around the run")};
};

/// Records of one noisy update of a phase, expected or fixed; nothing where they are not known.
[[nodiscard]] std::optional<double> update_size(const Run& run, const Phase& phase);

/// The noise multiplier of the noise that was added to what was published: the deviation over the norm where it is on
/// the sum, times the records of an update where it is on a mean over a public number of them. Nothing where no
/// deviation was written, or the norm or the records are not known.
[[nodiscard]] std::optional<double> multiplier_of_noise(const Run& run, const Phase& phase);

/// Whether that is another one than the noise multiplier that was written beside it, by more than half a percent.
[[nodiscard]] bool noises_contradict(const Run& run, const Phase& phase);

/// multiplier_of_noise(), or the noise multiplier that was written where no deviation is; the smaller of two that
/// contradict each other; nothing where neither is known.
[[nodiscard]] std::optional<double> noise_multiplier(const Run& run, const Phase& phase);

/// The chance that one noisy update of phase `index` uses a record; 1 where every step uses all.
/// \throws DomainError  that names the phase, where neither the rate nor the sizes behind it are known.
[[nodiscard]] double sampling_rate(const Run& run, std::size_t index);

/// The noise of an update of phase `index` over how far one clipped record moves it, rounded down; half of that where
/// it is replaced. Micro-batches are clipped records of twice the norm for records that come and go; one that is
/// replaced moves its micro-batch no further than its own gradient. A quantile that the clipping norm follows is one
/// more sum on the same batch.
/// \throws DomainError  that names the phase, where the noise is not known, or an adaptive norm whose quantile has
/// none.
[[nodiscard]] double noise_over_record(const Run& run, std::size_t index);
/// The same, as if other data sets were neighbours.
[[nodiscard]] double noise_over_record(const Run& run, std::size_t index, Adjacency adjacency);

}  // namespace dpcurves::mechanism
