// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
/// \file
/// A headless Chromium, driven over its debugging pipe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace dpcurves::test {

/// The program's name; empty if none is installed.
[[nodiscard]] std::string browser_program();

/// One browser with one page. Every call throws std::runtime_error after 60 seconds without an answer.
class Browser {
 public:
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Opens an address and waits until it is loaded and its script has run.
  void open(const std::string& address);
  /// The value of a JavaScript expression.
  nlohmann::json value(const std::string& expression);
  /// Presses and releases a key as a person would: "/", "j", "Enter".
  void press(const std::string& key);
  /// Types a text where the focus is.
  void type(const std::string& text);
  void resize(int width, int height, bool phone);
  /// "light" or "dark": what the operating system prefers.
  void prefer(const std::string& scheme);

  /// Exceptions, console messages and log entries since the browser started.
  [[nodiscard]] std::vector<std::string> complaints();
  /// Addresses that a page asked for, but for about:blank.
  [[nodiscard]] std::vector<std::string> requests();

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters = nlohmann::json::object());
  void send(const std::string& message) const;
  nlohmann::json receive();

  int pid_ = -1, write_ = -1, read_ = -1;
  int calls_ = 0;
  std::string session_, buffer_;
  std::filesystem::path profile_;
  std::vector<nlohmann::json> events_;
};

}  // namespace dpcurves::test
