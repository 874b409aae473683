// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/process.hpp>

namespace dpcurves::io {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw DataError(what + ": " + std::generic_category().message(error));
}

/// Both ends of a channel to or from the child. The input is a socket, because a write to it can be told not to
/// raise SIGPIPE when the child has gone.
struct Channel {
  std::array<int, 2> ends{-1, -1};

  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    close(0);
    close(1);
  }
  void open_pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      fail("cannot open a pipe", errno);
    }
  }
  void open_socket() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      fail("cannot open a socket pair", errno);
    }
  }
  void close(std::size_t which) {
    if (ends[which] >= 0) {
      ::close(ends[which]);
      ends[which] = -1;
    }
  }
};

/// Appends what can be read now; closes the reading end when the child has closed its own.
void drain(Channel& channel, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(channel.ends[0], buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    channel.close(0);
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, std::string_view input) {
  if (arguments.empty()) {
    throw DomainError("run_process: no program is named");
  }
  Channel to_child, from_child, complaints;
  to_child.open_socket();
  from_child.open_pipe();
  complaints.open_pipe();

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.ends[1], STDERR_FILENO);
  std::vector<std::string> copies = arguments;
  std::vector<char*> vector;
  for (std::string& argument : copies) {
    vector.push_back(argument.data());
  }
  vector.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, vector.front(), &actions, nullptr, vector.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    fail("cannot start " + arguments.front(), error);
  }
  to_child.close(0);
  from_child.close(1);
  complaints.close(1);

  ProcessResult result;
  while (to_child.ends[1] >= 0 || from_child.ends[0] >= 0 || complaints.ends[0] >= 0) {
    if (input.empty()) {
      to_child.close(1);
    }
    // poll skips negative descriptors
    std::array<pollfd, 3> watched{
        {{to_child.ends[1], POLLOUT, 0}, {from_child.ends[0], POLLIN, 0}, {complaints.ends[0], POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) {
      break;
    }
    if (watched[0].revents != 0) {
      const ssize_t sent = ::send(to_child.ends[1], input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) {
        input.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno != EINTR && errno != EAGAIN) {
        to_child.close(1);  // the child reads no more: its exit code tells why
      }
    }
    if (watched[1].revents != 0) {
      drain(from_child, result.output);
    }
    if (watched[2].revents != 0) {
      drain(complaints, result.complaints);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

bool program_exists(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access(((folder.empty() ? "." : folder) + "/" + name).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace dpcurves::io
