// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>

namespace dpcurves {
namespace {

thread_local Sharing* current = nullptr;

}  // namespace

void transfer(Archive& archive, LoopValues& loop) { archive(loop.pieces, loop.values); }

Whole::Whole() : outer_(std::exchange(current, nullptr)) {}
Whole::~Whole() { current = outer_; }

Sharing::Sharing(Share share) : share_(share), outer_(std::exchange(current, this)) {
  if (share.index >= share.count) {
    current = outer_;
    throw DomainError("Share", "index", static_cast<double>(share.index), "[0, count)");
  }
}

Sharing::Sharing(SharedValues all) : reads_(true), values_(std::move(all)), outer_(std::exchange(current, this)) {}

Sharing::~Sharing() { current = outer_; }

bool Sharing::active() { return current != nullptr; }

bool Sharing::partial() { return current != nullptr && !current->reads_; }

void Sharing::last_loop_done() {
  if (partial()) {
    throw ShareComputed{};
  }
}

void Sharing::last_loop_follows() {
  if (current != nullptr) {
    current->last_ = true;
  }
}

void Sharing::next_loop_needs_no_stand_in() {
  if (current != nullptr) {
    current->bare_ = true;
  }
}

void Sharing::compute(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                      const std::function<void(std::size_t, Archive&)>& values, const Progress& progress) {
  const std::size_t n = share_.count;
  const bool bare = std::exchange(bare_, false) || last_;
  if (count == 0) {
    values_.push_back({});
    return;
  }
  const auto first = static_cast<std::size_t>((share_.index + n - pieces_before_ % n) % n);
  const std::size_t own = first < count ? (count - first - 1) / n + 1 : 0;
  parallel_for(
      own, threads, [&](std::size_t i) { work(first + i * n); }, progress);
  LoopValues loop{count, {}};
  if (own == 0 && bare) {
    values_.push_back({count, {}});
    pieces_before_ += count;
    return;
  }
  if (own == 0) {
    work(0);  // so that there is a stand-in
  }
  for (std::size_t i = first; i < count; i += n) {
    Archive archive;
    values(i, archive);
    loop.values.emplace_back(i, std::move(archive).written());
  }
  // What follows the loop reads all pieces, and may need their lists to have entries.
  Archive own_piece;
  values(own == 0 ? 0 : first, own_piece);
  const std::string stand_in = std::move(own_piece).written();
  for (std::size_t i = 0; i < count; ++i) {
    if (i % n == first % n && own > 0) {
      continue;
    }
    Archive archive{std::string_view(stand_in)};
    try {
      values(i, archive);
    } catch (const DataError&) {  // this piece is longer than the stand-in
    }
  }
  values_.push_back(std::move(loop));
  pieces_before_ += count;
}

void Sharing::read(std::size_t count, const std::function<void(std::size_t, Archive&)>& values) {
  if (next_loop_ == values_.size() || values_[next_loop_].pieces != count ||
      values_[next_loop_].values.size() != count) {
    throw DataError("the recorded results are not of this question: loop " + std::to_string(next_loop_ + 1) + " has " +
                    std::to_string(count) + " pieces");
  }
  LoopValues& loop = values_[next_loop_++];
  for (const auto& [piece, bytes] : loop.values) {
    Archive archive{std::string_view(bytes)};
    values(static_cast<std::size_t>(piece), archive);
    if (!archive.ended()) {
      throw DataError("the recorded results are not of this question: piece " + std::to_string(piece) + " of loop " +
                      std::to_string(next_loop_) + " is too long");
    }
  }
  loop.values = {};  // they may be large
  loop.values.shrink_to_fit();
}

SharedValues merged(const std::vector<SharedValues>& shares) {
  SharedValues all;
  if (shares.empty()) {
    return all;
  }
  for (std::size_t number = 0; number < shares.front().size(); ++number) {
    LoopValues loop{shares.front()[number].pieces, {}};
    for (const SharedValues& share : shares) {
      if (share.size() != shares.front().size() || share[number].pieces != loop.pieces) {
        throw DataError("the shares did not run the same loops");
      }
      loop.values.insert(loop.values.end(), share[number].values.begin(), share[number].values.end());
    }
    std::sort(loop.values.begin(), loop.values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    bool complete = loop.values.size() == loop.pieces;
    for (std::size_t i = 0; complete && i < loop.values.size(); ++i) {
      complete = loop.values[i].first == i;
    }
    if (!complete) {
      throw DataError("the pieces of loop " + std::to_string(number + 1) + " are missing or doubled");
    }
    all.push_back(std::move(loop));
  }
  return all;
}

void shared_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                const std::function<void(std::size_t, Archive&)>& values, const Progress& progress) {
  Sharing* const sharing = current;
  if (sharing == nullptr) {
    parallel_for(count, threads, work, progress);
    return;
  }
  const Whole inside;
  if (sharing->reads_) {
    sharing->read(count, values);
  } else {
    sharing->compute(count, threads, work, values, progress);
  }
}

}  // namespace dpcurves
