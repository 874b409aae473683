// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/browser.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpcurves/io/detail/process.hpp>

namespace dpcurves::test {
namespace {

using Json = nlohmann::json;
constexpr int patience = 60000;  // milliseconds

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("browser: " + what); }

}  // namespace

std::string browser_program() {
  for (const char* name : {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}) {
    if (io::program_exists(name)) {
      return name;
    }
  }
  return "";
}

Browser::Browser() {
  const std::string program = browser_program();
  std::string folder = (std::filesystem::temp_directory_path() / "dpcurves-browser-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    fail("no folder for its profile");
  }
  profile_ = folder;
  // The browser reads commands on descriptor 3 and answers on descriptor 4.
  std::array<int, 2> commands{}, answers{};
  if (::pipe2(commands.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0) {
    fail("no pipes");
  }
  const std::string profile = "--user-data-dir=" + folder;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setpgid(0, 0);
    const int in = ::fcntl(commands[0], F_DUPFD, 10), out = ::fcntl(answers[1], F_DUPFD, 10);
    ::dup2(in, 3);
    ::dup2(out, 4);
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(null, 1);
    ::dup2(null, 2);
    ::execlp(program.c_str(), program.c_str(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe", profile.c_str(), "about:blank",
             static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(commands[0]);
  ::close(answers[1]);
  write_ = commands[1];
  read_ = answers[0];
  std::string page;
  for (int tries = 0; page.empty(); ++tries) {  // the page may be a moment later than the browser
    if (tries == 300) {
      fail("it has no page");
    }
    const Json targets = call("Target.getTargets");
    for (const auto& target : targets.at("targetInfos")) {
      page = target.at("type") == "page" ? target.at("targetId").get<std::string>() : page;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(page.empty() ? 100 : 0));
  }
  session_ = call("Target.attachToTarget", {{"targetId", page}, {"flatten", true}}).at("sessionId");
  for (const char* domain : {"Page", "Runtime", "Log", "Network"}) {
    call(std::string(domain) + ".enable");
  }
}

Browser::~Browser() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(write_);
  ::close(read_);
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

void Browser::send(const std::string& message) const {
  std::string_view rest(message.c_str(), message.size() + 1);  // with the final zero byte
  while (!rest.empty()) {
    const ssize_t sent = ::write(write_, rest.data(), rest.size());
    if (sent <= 0) {
      fail("it has ended");
    }
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

Json Browser::receive() {
  for (;;) {
    if (const auto end = buffer_.find('\0'); end != std::string::npos) {
      const Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd waiting{read_, POLLIN, 0};
    if (::poll(&waiting, 1, patience) <= 0) {
      fail("no answer");
    }
    std::array<char, 65536> piece{};
    const ssize_t got = ::read(read_, piece.data(), piece.size());
    if (got <= 0) {
      fail("it has ended");
    }
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

Json Browser::call(const std::string& method, const Json& parameters) {
  const int id = ++calls_;
  Json message{{"id", id}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) {
    message["sessionId"] = session_;
  }
  send(message.dump());
  for (;;) {
    Json answer = receive();
    if (answer.value("id", 0) == id) {
      if (answer.contains("error")) {
        fail(method + ": " + answer["error"].dump());
      }
      return answer.at("result");
    }
    events_.push_back(std::move(answer));
  }
}

void Browser::open(const std::string& address) {
  call("Page.navigate", {{"url", "about:blank"}});
  call("Page.navigate", {{"url", address}});
  value(
      "new Promise((done) => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))");
  value("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(1)), 50))");
}

Json Browser::value(const std::string& expression) {
  const Json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails")) {
    fail(expression + ": " + answer["exceptionDetails"].dump());
  }
  return answer.at("result").value("value", Json(nullptr));
}

void Browser::press(const std::string& key) {
  Json event{{"type", "keyDown"}, {"key", key}};
  if (key == "Enter") {
    event["text"] = "\r";
    event["windowsVirtualKeyCode"] = 13;
  } else if (key == "Escape") {
    event["windowsVirtualKeyCode"] = 27;
  } else {
    event["text"] = key;
  }
  call("Input.dispatchKeyEvent", event);
  event["type"] = "keyUp";
  event.erase("text");
  call("Input.dispatchKeyEvent", event);
}

void Browser::type(const std::string& text) { call("Input.insertText", {{"text", text}}); }

void Browser::resize(int width, int height, bool phone) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", phone}});
}

void Browser::prefer(const std::string& scheme) {
  const Json feature{{"name", "prefers-color-scheme"}, {"value", scheme}};
  call("Emulation.setEmulatedMedia", {{"features", Json::array({feature})}});
}

std::vector<std::string> Browser::complaints() {
  value("1");  // what the page has said so far has arrived before this answer
  std::vector<std::string> all;
  for (const auto& event : events_) {
    const std::string method = event.value("method", "");
    if (method == "Runtime.exceptionThrown" || method == "Runtime.consoleAPICalled" || method == "Log.entryAdded") {
      all.push_back(event.at("params").dump());
    }
  }
  return all;
}

std::vector<std::string> Browser::requests() {
  value("1");
  std::vector<std::string> all;
  for (const auto& event : events_) {
    if (event.value("method", "") == "Network.requestWillBeSent") {
      const std::string address = event.at("params").at("request").at("url");
      if (address != "about:blank") {
        all.push_back(address);
      }
    }
  }
  return all;
}

}  // namespace dpcurves::test
