// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Ctrl-C, full disks, folders that cannot be written, and readers that have gone: nothing is lost and nothing is half.
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

namespace fs = std::filesystem;
using namespace dpcurves;
using dpcurves::test::Folder;
using dpcurves::test::words;

namespace {

/// The program as a child process, its standard output and standard error in files of a folder of its own.
class Child {
 public:
  /// `prepare` runs in the child before the program starts; false if that cannot be done here.
  explicit Child(const std::vector<std::string>& arguments, const std::function<bool()>& prepare = {},
                 const std::string& out = "") {
    const std::string out_file = out.empty() ? (folder_.path / "out").string() : out;
    const std::string err_file = (folder_.path / "err").string();
    std::vector<std::string> copies{DPCURVES_BINARY};
    copies.insert(copies.end(), arguments.begin(), arguments.end());
    std::vector<char*> vector;
    for (auto& word : copies) {
      vector.push_back(word.data());
    }
    vector.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
      const int sink = ::open(out_file.c_str(), O_WRONLY | O_CREAT, 0666);
      const int complaints = ::open(err_file.c_str(), O_WRONLY | O_CREAT, 0666);
      ::dup2(sink, STDOUT_FILENO);
      ::dup2(complaints, STDERR_FILENO);
      std::signal(SIGINT, SIG_DFL);
      std::signal(SIGTERM, SIG_DFL);
      if (prepare && !prepare()) {
        ::_exit(cannot);
      }
      ::execv(vector.front(), vector.data());
      ::_exit(cannot);
    }
  }
  ~Child() {
    if (!ended_) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, &status_, 0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }

  /// Waits until the program minds signals, and a little more, so that it is at its work.
  void until_at_work() const {
    const auto path = "/proc/" + std::to_string(id_) + "/status";
    for (int k = 0; k < 1000; ++k) {
      std::ifstream status(path);
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("SigBlk:") && (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(150));
          return;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  /// Ended within ten seconds.
  bool wait() {
    for (int k = 0; k < 2000 && !ended_; ++k) {
      ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
      if (!ended_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
    return ended_;
  }
  [[nodiscard]] int signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  [[nodiscard]] int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  [[nodiscard]] bool impossible() const { return exit_code() == cannot; }
  [[nodiscard]] std::string err() const { return io::read_file(folder_.path / "err"); }

 private:
  static constexpr int cannot = 99;
  Folder folder_;
  pid_t id_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// The files below a folder, by name.
std::map<std::string, std::string> files(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    all[entry.path().filename().string()] = entry.is_regular_file() ? io::read_file(entry.path()) : "";
  }
  return all;
}

void keep(const fs::path& path) { std::ofstream(path) << "old"; }

/// The words of a line with FOLDER filled in.
std::vector<std::string> in_folder(const std::string& line, const fs::path& folder) {
  auto list = words(line);
  for (auto& word : list) {
    if (word.starts_with("FOLDER")) {
      word.replace(0, 6, folder.string());
    }
  }
  return list;
}

}  // namespace

TEST_CASE("an interrupted command says so in one line and leaves every file as it was", "[tools][interruption]") {
  struct Row {
    std::string line;
    std::string at;  // what it says it was at
  };
  const auto row = GENERATE_COPY(
      Row{"simulate noisy-gd --records 10 --sensitivity 1 --noise 1 --step-size 0.1 --steps 1000 --paths 1e7 "
          "--output FOLDER/old",
          "dpcurves simulate noisy-gd: interrupted by "},
      Row{"validate --profile nightly --report FOLDER", "dpcurves validate: interrupted by "},
      Row{"validate --profile nightly --junit FOLDER/old --quiet", "dpcurves validate: interrupted by "},
      Row{"reproduce accountant/figure-1 --output FOLDER/old",
          "dpcurves reproduce accountant/figure-1: interrupted by "},
      Row{"eval --junit FOLDER/old --check FOLDER/long.toml", "dpcurves eval: interrupted by "},
      Row{"curve profile dp-sgd --noise-multiplier 0.3 --sampling-rate 0.001 --steps 1000000 --points 5000 "
          "--output FOLDER/old",
          "dpcurves curve profile dp-sgd: interrupted by "},
      Row{"generate man-page --output FOLDER/pipe", "dpcurves generate man-page: interrupted by "});
  const int signal = GENERATE(SIGINT, SIGTERM);
  const Folder folder;
  keep(folder.path / "old");
  keep(folder.path / "index.html");
  std::ofstream(folder.path / "long.toml")
      << "[[check]]\ncommand = \"simulate noisy-gd\"\nexpect = { value = \"x\", at-most = 1 }\n"
         "options = { records = 10, sensitivity = 1, noise = 1, step-size = 0.1, steps = 1000, paths = 1e7 }\n";
  REQUIRE(::mkfifo((folder.path / "pipe").c_str(), 0666) == 0);
  const auto before = files(folder.path);
  Child child(in_folder(row.line, folder.path));
  child.until_at_work();
  ::kill(child.id(), signal);
  REQUIRE(child.wait());
  const auto said = child.err();
  CAPTURE(row.line, said);
  CHECK(child.signal() == signal);
  CHECK(said.find(row.at) == 0);
  CHECK(said.find(signal == SIGINT ? "interrupted by SIGINT" : "interrupted by SIGTERM") != std::string::npos);
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(files(folder.path) == before);
}

TEST_CASE("a signal that was ignored when the program started stays ignored", "[tools][interruption]") {
  Child child(
      words("simulate noisy-gd --records 10 --sensitivity 1 --noise 1 --step-size 0.1 --steps 1000 --paths 1e7"),
      [] { return std::signal(SIGHUP, SIG_IGN) != SIG_ERR; });
  child.until_at_work();
  ::kill(child.id(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(child.id(), SIGTERM);
  REQUIRE(child.wait());
  CHECK(child.signal() == SIGTERM);
}

TEST_CASE("the progress bar is gone from the terminal before the last line", "[tools][interruption]") {
  // Many paths, or few of many steps each, which tell of their parts.
  const std::string process = GENERATE("noisy-gd", "noisy-sgd-least-squares");
  const std::string question =
      process == "noisy-gd"
          ? "--records 10 --sensitivity 1 --noise 1 --step-size 0.1 --steps 1000 --paths 1e7"
          : "--steps 2e7 --paths 2 --problem " + std::string(DPCURVES_SOURCE_DIR) + "/data/examples/least-squares.json";
  std::vector<std::string> line = dpcurves::test::words("dpcurves simulate " + process + " " + question);
  std::vector<char*> arguments;
  for (auto& word : line) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  int terminal = -1;
  const pid_t id = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(id >= 0);
  if (id == 0) {
    ::execv(DPCURVES_BINARY, arguments.data());
    ::_exit(127);
  }
  std::string shown;
  bool asked = false;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    pollfd watched{terminal, POLLIN, 0};
    ::poll(&watched, 1, 100);
    char buffer[4096];
    const ssize_t got = watched.revents == 0 ? 1 : ::read(terminal, buffer, sizeof buffer);
    if (got <= 0) {
      break;  // the other end is closed
    }
    shown.append(buffer, watched.revents == 0 ? 0U : static_cast<std::size_t>(got));
    if (!asked && shown.find("simulating [") != std::string::npos) {
      asked = ::write(terminal, "\x03", 1) == 1;  // Ctrl-C
    }
  }
  int status = 0;
  ::kill(id, SIGKILL);
  ::waitpid(id, &status, 0);
  ::close(terminal);
  CAPTURE(shown);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
  const auto last = shown.find("dpcurves simulate " + process + ": interrupted by SIGINT, simulating ");
  REQUIRE(last != std::string::npos);
  CHECK(shown.substr(0, last).ends_with("\r\x1b[K"));
  CHECK(shown.ends_with("\n"));
}

TEST_CASE("files that cannot grow are errors that name file and cause", "[tools][disk]") {
  const auto line = GENERATE_COPY(
      as<std::string>{}, "theorem list --format json --output FOLDER/old",
      "curve tradeoff gaussian --noise-multiplier 1 --compositions 4 --plot FOLDER/old.svg",
      "curve tradeoff gaussian --noise-multiplier 1 --compositions 4 --points 500 --output FOLDER/old",
      "reproduce shifted-interpolation/figure-1 --plot FOLDER/old.svg", "generate man-page --output FOLDER/old",
      "validate shifted-interpolation/lemma-a.2 --report FOLDER");
  const Folder folder;
  keep(folder.path / "old");
  keep(folder.path / "old.svg");
  keep(folder.path / "index.html");
  const auto before = files(folder.path);
  Child child(in_folder(line, folder.path), [] {
    const rlimit limit{2048, 2048};
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
  });
  REQUIRE(child.wait());
  CAPTURE(line, child.err());
  CHECK(child.exit_code() == 5);
  CHECK(child.err().find("cannot write " + folder.path.string()) != std::string::npos);
  CHECK(child.err().find("File too large") != std::string::npos);
  CHECK(files(folder.path) == before);
}

TEST_CASE("full and read-only file systems are errors that name file and cause", "[tools][disk]") {
  // In a mount namespace of its own, where that is allowed: what is mounted there is seen by this child alone.
  const Folder folder;
  const auto disk = folder.path / "disk", old = disk / "old";
  fs::create_directory(disk);
  for (const bool writable : {true, false}) {
    Child child({"theorem", "list", "--format", "json", "--output", old.string()}, [&] {
      if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0 ||
          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=16k") != 0) {
        return false;
      }
      keep(old);
      return writable || ::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=16k") == 0;
    });
    REQUIRE(child.wait());
    if (child.impossible()) {
      WARN("nothing may be mounted here");
      return;
    }
    CAPTURE(writable, child.err());
    CHECK(child.exit_code() == 5);
    CHECK(child.err().find("cannot write " + old.string() + ": " +
                           (writable ? "No space left on device" : "Read-only file system")) != std::string::npos);
  }
}

TEST_CASE("a full disk leaves the old file and no part of the new one", "[io][disk]") {
  const Folder folder;
  const auto disk = folder.path / "disk";
  fs::create_directory(disk);
  const pid_t id = ::fork();
  if (id == 0) {
    if (::geteuid() != 0 || ::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
      ::_exit(99);
    }
    int found = 0;
    keep(disk / "old");
    try {
      io::write_file(disk / "old", std::string(100000, 'x'));
      found |= 1;
    } catch (const std::exception& error) {
      found |= std::string(error.what()).find("No space left on device") == std::string::npos ? 2 : 0;
    }
    found |= files(disk) == std::map<std::string, std::string>{{"old", "old"}} ? 0 : 4;
    ::_exit(found);
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  if (WEXITSTATUS(status) == 99) {
    WARN("nothing may be mounted here");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a user without the right to a folder or a file is told so", "[tools][disk]") {
  const Folder folder;
  fs::permissions(folder.path, fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  keep(folder.path / "secret.toml");
  fs::permissions(folder.path / "secret.toml", fs::perms::owner_read);
  const auto nobody = [] {
    constexpr uid_t id = 65534;
    return ::geteuid() == 0 && ::setgid(id) == 0 && ::setuid(id) == 0 && ::access(DPCURVES_BINARY, X_OK) == 0;
  };
  for (const char* line : {"theorem list --output FOLDER/new", "theorem list --output FOLDER/secret.toml",
                           "privacy gaussian --delta 1e-5 --config FOLDER/secret.toml",
                           "validate --report FOLDER shifted-interpolation/lemma-a.2"}) {
    Child child(in_folder(line, folder.path), nobody);
    REQUIRE(child.wait());
    if (child.impossible()) {
      WARN("rights cannot be given up here");
      return;
    }
    CAPTURE(line, child.err());
    CHECK(child.exit_code() == 5);
    CHECK((child.err().find("Permission denied") != std::string::npos ||
           child.err().find("cannot be written") != std::string::npos));
    CHECK(files(folder.path).size() == 1);
  }
}

TEST_CASE("a full standard output is an error, never silence", "[tools][disk]") {
  const auto line = GENERATE(as<std::string>{}, "--help", "--version", "privacy --help",
                             "privacy gaussian --noise-multiplier 1 --compositions 1 --delta 1e-5", "theorem list",
                             "generate man-page", "reproduce --list", "eval --list", "validate --list",
                             "eval shifted-interpolation/gdp-delta --schema",
                             "curve profile gaussian --noise-multiplier 1 --compositions 4 --format csv");
  Child child(words(line), {}, "/dev/full");
  REQUIRE(child.wait());
  CAPTURE(line);
  CHECK(child.exit_code() == 5);
  CHECK(child.err() == "cannot write standard output: No space left on device\n");
}

TEST_CASE("a reader that has gone ends the program without a word", "[tools][disk]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  for (const char* line : {"theorem list", "--help", "reproduce --list"}) {
    Child child(words(line), [&] { return ::dup2(ends[1], STDOUT_FILENO) >= 0; });
    REQUIRE(child.wait());
    CAPTURE(line);
    CHECK(child.signal() == SIGPIPE);
    CHECK(child.err().empty());
  }
  ::close(ends[1]);
}

TEST_CASE("places that cannot be written are refused before the work", "[tools][disk]") {
  const Folder folder;
  keep(folder.path / "file");
  fs::create_directory(folder.path / "folder.svg");
  std::ofstream(folder.path / "run.toml") << "seed = 3\n";
  const std::string work =
      "simulate noisy-gd --records 10 --sensitivity 1 --noise 1 --step-size 0.1 --steps 1000 --paths 1e7 ";
  struct Row {
    std::string options;
    const char* reason;
    int exit_code = 5;
  };
  for (const Row& row :
       {Row{"--output FOLDER/file/x", "--output: cannot write FOLDER/file/x: Not a directory"},
        Row{"--output FOLDER", "--output: cannot write FOLDER: Is a directory"},
        Row{"--output FOLDER/none/x", "--output: cannot write FOLDER/none/x: No such file or directory"},
        Row{"--plot FOLDER/folder.svg", "--plot: cannot write FOLDER/folder.svg: Is a directory"},
        Row{"--output FOLDER/a.svg --plot FOLDER/a.svg", "FOLDER/a.svg is the file of --", 2},
        Row{"--config FOLDER/run.toml --output FOLDER/../" + folder.path.filename().string() + "/run.toml",
            "is the file of --config as well", 2}}) {
    Child child(in_folder(work + row.options, folder.path));
    REQUIRE(child.wait());
    std::string reason = row.reason;
    for (auto at = reason.find("FOLDER"); at != std::string::npos; at = reason.find("FOLDER")) {
      reason.replace(at, 6, folder.path.string());
    }
    CAPTURE(row.options, child.err());
    CHECK(child.exit_code() == row.exit_code);
    CHECK(child.err().find(reason) != std::string::npos);
  }
  CHECK(files(folder.path).size() == 3);
}

TEST_CASE("a process that ends while it writes leaves no temporary file", "[io][interruption]") {
  const Folder folder;
  const pid_t id = ::fork();
  if (id == 0) {
    const auto parts = [&] {
      std::size_t count = 0;
      for (const auto& entry : fs::directory_iterator(folder.path)) {
        count += entry.path().extension() == ".part" ? 1U : 0U;
      }
      return count;
    };
    std::thread([&] {
      for (const std::string content(1U << 20U, 'x');;) {
        io::write_file(folder.path / "x", content);
      }
    }).detach();
    for (int k = 0; k < 100000 && parts() == 0; ++k) {
    }
    io::abandon_writes();
    const bool clean = parts() == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::_exit(clean && parts() == 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
