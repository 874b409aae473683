// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Contours that questions about many compositions share: runs of one mechanism with many numbers of steps.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <dpcurves/core/enclosure.hpp>
#include <dpcurves/core/parallel.hpp>
#include <dpcurves/rigorous/ball.hpp>

namespace dpcurves::accounting {

namespace proof {
class Profile;
}
class UpperBounds;

/// What questions of one thread (epsilon_at, delta_at and what is made of them) leave to later ones while a Scope of
/// theirs lives: the moments of the steps at the nodes of contours. They serve other thresholds, and compositions of
/// the same kinds of steps, all more or less often.
///
/// Both ends of an answer are proved whatever was asked before; its last digits depend on it. Cost: 0.1 to 0.3 ms for a
/// question that is served; some 100 kB for each of at most 32 contours of each direction.
class SharedContours {
 public:
  /// \param questions  about as many will be asked; 0: not known.
  explicit SharedContours(std::size_t questions = 0);
  SharedContours(SharedContours&&) noexcept = default;
  SharedContours& operator=(SharedContours&&) noexcept = default;
  ~SharedContours();

  /// While it lives, this thread's questions share these contours. Scopes nest: the innermost serves. Questions that
  /// are asked by threads of their own meanwhile share nothing.
  class Scope {
   public:
    /// \param contours  outlive it; null: nothing is shared.
    explicit Scope(SharedContours* contours);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    SharedContours* before_;
  };
  /// Those of the innermost scope of this thread; null where there is none.
  [[nodiscard]] static SharedContours* current();

  /// The least epsilon of a target delta or, `rest`, 1 - delta, to a relative width; empty where no kept contour
  /// proves that.
  [[nodiscard]] std::optional<Enclosure> epsilon(const proof::Profile& profile, const rigorous::Real& target, bool rest,
                                                 double relative);
  /// delta at an epsilon > 0, likewise.
  [[nodiscard]] std::optional<rigorous::Real> delta(const proof::Profile& profile, double epsilon, double relative);
  /// Keeps the contour that gave the last answer, if one did.
  void keep(const proof::Profile& profile);
  /// As `epsilon`, by a new contour for later questions to share. Only where straight lines, which cannot be shared,
  /// gave the last answers, and where many are to come; empty where that takes half a second.
  [[nodiscard]] std::optional<Enclosure> shared_epsilon(const proof::Profile& profile, const rigorous::Real& target,
                                                        bool rest, double relative);
  /// What is proved of the directions that do not decide.
  [[nodiscard]] UpperBounds& upper_bounds();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs work(i) for i in [0, count) in at most 64 pieces of neighbours, each in order and with contours of its own: the
/// digits of answers depend on what the whole work is, not on the number of threads. Up to 64 questions share nothing.
/// \param threads  0: all. \throws what work throws: of up to 64 the first, of more the same for any number of threads.
void in_shared_pieces(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                      const Progress& progress = {});
/// The same with the questions in the order of their keys, the largest first: neighbours are near.
void in_shared_pieces(std::span<const double> keys, unsigned threads, const std::function<void(std::size_t)>& work,
                      const Progress& progress = {});

}  // namespace dpcurves::accounting
