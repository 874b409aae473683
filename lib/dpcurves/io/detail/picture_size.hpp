// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// Pictures of another size than the usual 800 x 500 pixels, and under another title.
#pragma once

#include <string>

namespace dpcurves::io {

/// While one lives, the plots of this thread are drawn this large. Texts keep their size, so that a larger picture has
/// more room. The innermost counts.
class PictureSize {
 public:
  /// \throws DomainError  unless both are in [200, 10000].
  PictureSize(int width, int height);
  /// From "1200x800". \throws DomainError  for anything else.
  explicit PictureSize(const std::string& text);
  ~PictureSize();
  PictureSize(const PictureSize&) = delete;
  PictureSize& operator=(const PictureSize&) = delete;

  [[nodiscard]] int width() const { return width_; }    ///< in pixels of the SVG; a PNG has twice as many
  [[nodiscard]] int height() const { return height_; }  ///< the same, from top to bottom
  /// The innermost of this thread; null: the usual size.
  [[nodiscard]] static const PictureSize* current();

 private:
  int width_, height_;
  const PictureSize* outer_;
};

/// While one lives, the pictures of this thread have this title in place of their own; what stands below a title stays.
/// The innermost counts.
class PictureTitle {
 public:
  /// \throws DomainError  for an empty text and for line breaks.
  explicit PictureTitle(std::string text);
  ~PictureTitle();
  PictureTitle(const PictureTitle&) = delete;
  PictureTitle& operator=(const PictureTitle&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }  ///< one line
  /// The innermost of this thread; null: the usual titles.
  [[nodiscard]] static const PictureTitle* current();

 private:
  std::string text_;
  const PictureTitle* outer_;
};

/// A picture's own title under the innermost PictureTitle: its first line is replaced.
[[nodiscard]] std::string titled(const std::string& own);

}  // namespace dpcurves::io
