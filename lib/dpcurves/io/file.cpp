// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/file.hpp>

namespace dpcurves::io {
namespace {

[[noreturn]] void fail(const char* action, const std::filesystem::path& path, int error) {
  throw DataError("cannot " + std::string(action) + " " + path.string() + ": " +
                  std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  [[nodiscard]] int number() const { return number_; }
  /// Closes and returns the error, if any: a network file system may report a full disk only here.
  int close() {
    const int result = ::close(number_);
    number_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
};

/// 0 or the error.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_directly(const std::filesystem::path& path, std::string_view content) {
  Descriptor target(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (target.number() < 0) {
    fail("write", path, errno);
  }
  if (const int error = write_all(target.number(), content); error != 0) {
    fail("write", path, error);
  }
  if (const int error = target.close(); error != 0) {
    fail("write", path, error);
  }
}

/// Removes its file unless it was told to keep it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!kept_) {
      ::unlink(path_.c_str());
    }
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> serial{0};
  std::string name = ".";
  name += target.filename().string().substr(0, 200);
  name += '.';
  name += std::to_string(::getpid());
  name += '-';
  name += std::to_string(serial++);
  name += ".part";
  return target.parent_path() / name;
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content) {
  if (path.filename().empty()) {
    fail("write", path, path.empty() ? ENOENT : EISDIR);
  }
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    fail("write", path, EISDIR);
  }
  const bool exists = std::filesystem::exists(status);
  if (exists && !std::filesystem::is_regular_file(status)) {
    write_directly(path, content);
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    fail("write", path, errno);  // a rename would replace a file that its owner has protected
  }
  const auto target = exists ? std::filesystem::canonical(path, ignored) : path;

  const auto name = temporary_name(target);
  Descriptor part(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (part.number() < 0) {
    fail("write", path, errno);
  }
  TemporaryFile temporary(name);
  if (exists && ::fchmod(part.number(), static_cast<mode_t>(status.permissions()) & 07777U) != 0) {
    fail("write", path, errno);
  }
  if (const int error = write_all(part.number(), content); error != 0) {
    fail("write", path, error);
  }
  if (::fsync(part.number()) != 0) {
    fail("write", path, errno);
  }
  if (const int error = part.close(); error != 0) {
    fail("write", path, error);
  }
  if (::rename(temporary.path().c_str(), target.c_str()) != 0) {
    fail("write", path, errno);
  }
  temporary.keep();
}

std::string read_file(const std::filesystem::path& path) {
  const Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.number() < 0) {
    fail("read", path, errno);
  }
  std::string content;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(source.number(), buffer.data(), buffer.size());
    if (got == 0) {
      return content;
    }
    if (got > 0) {
      content.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      fail("read", path, errno);
    }
  }
}

}  // namespace dpcurves::io
