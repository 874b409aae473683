// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Values as bytes and back: one function names the members of a struct, and both writes and reads them.
///
/// Numbers keep all their bits, of the machine's order (little-endian on every machine that dpcurves supports). The
/// bytes carry no types: who reads must name what was written, in the same order.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <dpcurves/core/error.hpp>

namespace dpcurves {

/// Writes values one after the other, or reads them from what was written.
///
/// `archive(a, b, c)` writes or reads numbers, enumerations, texts, optional values, lists of them, structs of numbers
/// alone (without gaps between them), and every struct with a function `void transfer(Archive&, Struct&)` beside it
/// that says `archive(s.first, s.second)`. \throws DataError  when the bytes that are read end early. Cost: a copy of
/// the bytes.
class Archive {
 public:
  Archive() = default;  ///< writes
  /// Reads; the bytes must outlive it.
  explicit Archive(std::string_view bytes) : left_(bytes), reading_(true) {}

  [[nodiscard]] bool reading() const { return reading_; }                 ///< else it writes
  [[nodiscard]] bool ended() const { return left_.empty(); }              ///< all was read
  [[nodiscard]] std::string written() && { return std::move(written_); }  ///< the bytes

  /// Writes or reads each of the values in turn.
  template <class... Values>
  void operator()(Values&&... values) {
    (one(values), ...);
  }

 private:
  void raw(void* data, std::size_t size) {
    if (size == 0) {
      return;
    }
    if (!reading_) {
      written_.append(static_cast<const char*>(data), size);
      return;
    }
    if (left_.size() < size) {
      throw DataError("recorded results end early");
    }
    std::memcpy(data, left_.data(), size);
    left_.remove_prefix(size);
  }

  /// The number of entries of a list, each of at least one byte.
  std::size_t length(std::size_t own) {
    std::uint64_t count = own;
    raw(&count, sizeof(count));
    if (reading_ && count > left_.size()) {
      throw DataError("recorded results end early");
    }
    return static_cast<std::size_t>(count);
  }

  template <class T>
  void one(T& value) {
    if constexpr (requires { transfer(*this, value); }) {
      transfer(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>, "needs a function transfer");
      raw(&value, sizeof(T));
    }
  }
  void one(std::string& text) {
    text.resize(length(text.size()));
    raw(text.data(), text.size());
  }
  template <class T>
  void one(std::span<T> values) {  // its length is known to who reads
    if constexpr (std::is_arithmetic_v<T>) {
      raw(values.data(), values.size_bytes());
    } else {
      for (T& value : values) {
        one(value);
      }
    }
  }
  template <class T, std::size_t size>
  void one(std::array<T, size>& values) {
    one(std::span<T>(values));
  }
  template <class T>
  void one(std::vector<T>& values) {
    values.resize(length(values.size()));
    one(std::span<T>(values));
  }
  template <class T>
  void one(std::optional<T>& value) {
    bool has = value.has_value();
    one(has);
    if (!has) {
      value.reset();
      return;
    }
    if (reading_) {
      value.emplace();
    }
    one(*value);
  }
  template <class A, class B>
  void one(std::pair<A, B>& both) {
    one(both.first);
    one(both.second);
  }

  std::string written_;
  std::string_view left_;
  bool reading_ = false;
};

}  // namespace dpcurves
