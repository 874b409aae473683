// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/readings.hpp>

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

/// The temporary files there are. Locked while one is made, renamed or removed, so that a process that ends knows all.
struct Parts {
  std::mutex guard;
  std::set<std::filesystem::path> paths;
};

Parts& parts() {
  static auto* const all = new Parts;  // outlives every static object: threads may write while the process ends
  return *all;
}

/// A new file, removed unless it becomes another.
class TemporaryFile {
 public:
  TemporaryFile(std::filesystem::path path, const std::filesystem::path& target) : path_(std::move(path)) {
    const std::lock_guard lock(parts().guard);
    parts().paths.insert(path_);
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      const int error = errno;
      parts().paths.erase(path_);
      fail("write", target, error);
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    const std::lock_guard lock(parts().guard);
    if (parts().paths.erase(path_) != 0) {
      ::unlink(path_.c_str());
    }
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// 0 or the error.
  int become(const std::filesystem::path& target) {
    const std::lock_guard lock(parts().guard);
    if (::rename(path_.c_str(), target.c_str()) != 0) {
      return errno;
    }
    parts().paths.erase(path_);
    return 0;
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
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

/// What there is at `path` already; throws if it cannot be replaced.
std::filesystem::file_status replaceable(const std::filesystem::path& path) {
  if (path.filename().empty()) {
    fail("write", path, path.empty() ? ENOENT : EISDIR);
  }
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    fail("write", path, EISDIR);
  }
  // A rename would replace a file that its owner has protected.
  if (std::filesystem::exists(status) && ::access(path.c_str(), W_OK) != 0) {
    fail("write", path, errno);
  }
  return status;
}

/// The file that changes: that to which a link points.
std::filesystem::path target_of(const std::filesystem::path& path, const std::filesystem::file_status& status) {
  std::error_code error;
  const auto target = std::filesystem::exists(status) ? std::filesystem::canonical(path, error) : path;
  return error ? path : target;
}

bool written_directly(const std::filesystem::file_status& status) {
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

[[noreturn]] void too_large(std::string_view name, std::size_t largest) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  const std::string size =
      largest % mebibyte == 0 ? std::to_string(largest / mebibyte) + " MiB" : std::to_string(largest) + " bytes";
  throw DataError("cannot read " + std::string(name) + ": larger than " + size + ", the limit for what it is read as");
}

}  // namespace

void write_file(const std::string& path, std::string_view content) {
  const auto status = replaceable(path);
  if (written_directly(status)) {
    write_directly(path, content);
    return;
  }
  const auto target = target_of(path, status);
  TemporaryFile temporary(temporary_name(target), path);
  Descriptor part(temporary.descriptor());
  if (std::filesystem::exists(status) &&
      ::fchmod(part.number(), static_cast<mode_t>(status.permissions()) & 07777U) != 0) {
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
  if (const int error = temporary.become(target); error != 0) {
    fail("write", path, error);
  }
}

void check_writable(const std::string& path) {
  const auto status = replaceable(path);
  if (written_directly(status)) {
    return;
  }
  const auto folder = target_of(path, status).parent_path();
  std::error_code error;
  const auto there = std::filesystem::status(folder.empty() ? "." : folder, error);
  if (!std::filesystem::exists(there)) {
    fail("write", path, error.value() == ENOTDIR || error.value() == EACCES ? error.value() : ENOENT);
  }
  if (!std::filesystem::is_directory(there)) {
    fail("write", path, ENOTDIR);
  }
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    fail("write", path, errno);
  }
}

void abandon_writes() noexcept {
  parts().guard.lock();  // never unlocked
  for (const auto& path : parts().paths) {
    ::unlink(path.c_str());
  }
}

std::string read_file(const std::string& path, std::size_t largest) {
  const Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.number() < 0) {
    fail("read", path, errno);
  }
  std::string content = read_descriptor(source.number(), path, largest);
  Readings::note(path, content);
  return content;
}

std::string read_descriptor(int descriptor, std::string_view name, std::size_t largest) {
  std::string content;
  struct stat status = {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    if (static_cast<std::size_t>(status.st_size) > largest) {
      too_large(name, largest);
    }
    content.reserve(static_cast<std::size_t>(status.st_size));
  }
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) {
      return content;
    }
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("read", name, errno);
    }
    if (static_cast<std::size_t>(got) > largest - content.size()) {
      too_large(name, largest);
    }
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void refuse_utf16(std::string_view text, std::string_view source) {
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  if (marked || (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'))) {
    throw UsageError(std::string(source) + ": UTF-16; save the file as UTF-8");
  }
}

}  // namespace dpcurves::io
