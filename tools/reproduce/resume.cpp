// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce/resume.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>

#include <dpcurves/core/error.hpp>
#include <dpcurves/core/share.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/readings.hpp>

namespace dpcurves::tools::reproduce {
namespace {

constexpr std::size_t largest_file = std::size_t{1} << 28, largest_images = std::size_t{1} << 31;
constexpr std::string_view digits = "0123456789abcdef";

std::string to_hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {digits[byte >> 4U], digits[byte & 15U]};
  }
  return text;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
      throw DataError("--resume: the file is damaged");
    }
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

/// The lines of the file: what it is of, then a line "loop, piece<TAB>bytes" per piece.
class KeptPieces {
 public:
  KeptPieces(const OnData& question, std::string loop)
      : file_(question.resume),
        loop_(std::move(loop)),
        head_("dpcurves reproduce " + question.id + (question.full_size ? ", full size" : "") + ", seed " +
              std::to_string(question.seed) + (question.folder.empty() ? "" : ", data " + question.folder)) {
    if (file_.empty()) {
      return;
    }
    if (!question.folder.empty()) {
      char sum[24];
      std::snprintf(sum, sizeof sum, " (%016llx)", static_cast<unsigned long long>(images_checksum(question.folder)));
      head_ += sum;
    }
    if (!std::filesystem::exists(file_)) {
      io::check_writable(file_);
      return;
    }
    const std::string text = io::read_file(file_, largest_file);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
      const std::string line = text.substr(begin, end - begin);
      if (begin == 0) {
        if (line != head_) {
          throw DataError("--resume: " + file_ + " holds repetitions of another question or of other images: \"" +
                          line + "\"; this one is \"" + head_ + "\"");
        }
        continue;
      }
      const auto tab = line.find('\t');
      if (tab == std::string::npos) {
        throw DataError("--resume: " + file_ + " is damaged");
      }
      lines_[line.substr(0, tab)] = line.substr(tab + 1);
    }
  }

  /// Whether piece i was there and is read.
  bool take(std::size_t i, const std::function<void(std::size_t, Archive&)>& values) const {
    const auto found = lines_.find(key(i));
    if (file_.empty() || found == lines_.end()) {
      return false;
    }
    const std::string bytes = from_hex(found->second);
    Archive archive{std::string_view(bytes)};
    values(i, archive);
    return true;
  }

  void add(std::size_t i, const std::function<void(std::size_t, Archive&)>& values) {
    if (file_.empty()) {
      return;
    }
    Archive archive;
    values(i, archive);
    const std::lock_guard lock(guard_);
    added_[key(i)] = to_hex(std::move(archive).written());
    std::string text = head_ + "\n";
    for (const auto* some : {&lines_, &added_}) {
      for (const auto& [name, bytes] : *some) {
        text += name + "\t" + bytes + "\n";
      }
    }
    io::write_file(file_, text);
  }

 private:
  [[nodiscard]] std::string key(std::size_t i) const { return loop_ + ", " + std::to_string(i); }

  std::string file_, loop_, head_;
  std::map<std::string, std::string> lines_, added_;  // read before the loop; written during it
  std::mutex guard_;
};

}  // namespace

std::uint64_t images_checksum(const std::string& folder) {
  if (folder.empty()) {
    return 0;
  }
  std::map<std::string, std::uint64_t> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool images = name.ends_with("-ubyte") || name.ends_with(".bin") || name == "train.csv" || name == "test.csv";
    if (images && entry.is_regular_file()) {
      files[name] = io::checksum(io::read_file(entry.path().string(), largest_images));
    }
  }
  std::string all;
  for (const auto& [name, sum] : files) {
    all += name + " " + std::to_string(sum) + "\n";
  }
  return io::checksum(all);
}

void resumable_for(std::size_t count, const OnData& question, const std::string& loop,
                   const std::function<void(std::size_t)>& work,
                   const std::function<void(std::size_t, Archive&)>& values) {
  KeptPieces kept(question, loop);
  shared_for(
      count, question.threads,
      [&](std::size_t i) {
        if (!kept.take(i, values)) {
          work(i);
          kept.add(i, values);
        }
      },
      values, question.progress);
}

}  // namespace dpcurves::tools::reproduce
