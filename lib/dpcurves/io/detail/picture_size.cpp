// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <utility>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/picture_size.hpp>

namespace dpcurves::io {
namespace {

thread_local const PictureSize* innermost = nullptr;
thread_local const PictureTitle* innermost_title = nullptr;

std::pair<int, int> parsed(const std::string& text) {
  int width = 0, height = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == 'x') {
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec == std::errc() && second.ptr == end) {
      return {width, height};
    }
  }
  throw DomainError("size: \"" + text + "\" is not WIDTHxHEIGHT, such as 1200x800");
}

}  // namespace

PictureSize::PictureSize(int width, int height) : width_(width), height_(height), outer_(innermost) {
  for (const int pixels : {width, height}) {
    require_domain(pixels >= 200 && pixels <= 10000, "size of a picture", pixels, "[200, 10000] pixels");
  }
  innermost = this;
}

PictureSize::PictureSize(const std::string& text) : PictureSize(parsed(text).first, parsed(text).second) {}

PictureSize::~PictureSize() { innermost = outer_; }

const PictureSize* PictureSize::current() { return innermost; }

PictureTitle::PictureTitle(std::string text) : text_(std::move(text)), outer_(innermost_title) {
  if (text_.empty() || text_.find_first_of("\r\n") != std::string::npos) {
    throw DomainError("title: a picture has one line of text above it, not none and not several");
  }
  innermost_title = this;
}

PictureTitle::~PictureTitle() { innermost_title = outer_; }

const PictureTitle* PictureTitle::current() { return innermost_title; }

std::string titled(const std::string& own) {
  const PictureTitle* title = PictureTitle::current();
  const auto below = own.find('\n');
  return title == nullptr ? own : title->text() + (below == std::string::npos ? "" : own.substr(below));
}

}  // namespace dpcurves::io
