// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves-mpi: a command of dpcurves on all ranks of an MPI job. Rank 0 hands out the shards, computes some itself and
// prints the answer. Finished shards are files, so that a job that was killed goes on where it was.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <thread>

#include <mpi.h>

#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/io/detail/readings.hpp>

#include "program.hpp"
#include "queue.hpp"
#include "support/common.hpp"
#include "support/exit.hpp"
#include "support/failure.hpp"
#include "support/shard.hpp"

namespace {

using namespace dpcurves;
using tools::mpi::Failure;
using tools::mpi::Queue;
using tools::mpi::Store;

constexpr const char* help =
    "A command of dpcurves on all ranks of an MPI job, with the bytes of one process.\n"
    "Usage: mpirun -n RANKS dpcurves-mpi [--shards N] [--directory DIR] COMMAND...\n\n"
    "Options, before the command:\n"
    "  --shards N       tasks into which the work is cut, default those in DIR, else 1024 for validate and 8 a rank\n"
    "  --directory DIR  finished shards, kept and used again; default dpcurves-mpi-HASH of the question here\n\n"
    "Examples:\n"
    "  mpirun -n 64 dpcurves-mpi validate --profile nightly --seed 7 --output nightly.txt\n"
    "  mpirun -n 2 dpcurves-mpi simulate noisy-gd --noise 1 --step-size 0.1 --steps 30 --paths 1000000\n";

struct Job {
  std::vector<std::string> command;  ///< without what is of the process
  std::vector<std::string> own;      ///< --output, --threads, --quiet: of rank 0
  std::string folder;
  std::size_t shards = 0;
  bool quiet = false;
};

/// The value of an option of dpcurves-mpi in front of the command.
std::string take_value(std::vector<std::string>& words) {
  const std::string word = words.front();
  words.erase(words.begin());
  if (const auto equals = word.find('='); equals != std::string::npos) {
    return word.substr(equals + 1);
  }
  if (words.empty()) {
    throw UsageError(word + ": needs a value");
  }
  std::string value = words.front();
  words.erase(words.begin());
  return value;
}

Job job_of(std::vector<std::string> words) {
  Job job;
  while (!words.empty() && words.front().starts_with("--")) {
    const std::string name = words.front().substr(0, words.front().find('='));
    if (name == "--directory") {
      job.folder = take_value(words);
    } else if (name == "--shards") {
      const std::string text = take_value(words);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), job.shards);
      if (error != std::errc{} || end != text.data() + text.size() || job.shards < 1 || job.shards > 1000000) {
        throw UsageError("--shards: \"" + text + "\" is outside [1, 1000000]");
      }
    } else {
      throw UsageError("there is no option " + name + " before the command; --help shows what there is");
    }
  }
  if (words.empty()) {
    throw UsageError("COMMAND is required; --help shows an example");
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name == "--shard") {
      throw UsageError("--shard: is what dpcurves-mpi does; leave it out");
    }
    job.quiet = job.quiet || name == "--quiet";
    if (name != "--output" && name != "--threads" && name != "--quiet") {
      job.command.push_back(words[i]);
      continue;
    }
    job.own.push_back(words[i]);
    if (name != "--quiet" && name == words[i] && i + 1 < words.size()) {
      job.own.push_back(words[++i]);
    }
  }
  if (job.folder.empty()) {
    char hash[17];
    std::string asked;
    for (const auto& word : tools::question_of(job.command).asked) {
      asked += word + '\n';
    }
    std::snprintf(hash, sizeof(hash), "%016llx", static_cast<unsigned long long>(io::checksum(asked)));
    job.folder = std::string("dpcurves-mpi-") + hash;
  }
  return job;
}

/// Computes one shard on one thread, as each core has its rank. \return none if it went well.
std::optional<Failure> compute(const Job& job, const Store& store, std::size_t shard) {
  auto arguments = job.command;
  arguments.insert(arguments.end(),
                   {"--threads", "1", "--quiet", "--shard",
                    std::to_string(shard + 1) + "/" + std::to_string(store.shards()), "--output", store.file(shard)});
  try {
    (void)tools::run_command(arguments);
    return std::nullopt;
  } catch (...) {
    const auto failure = tools::current_failure();
    return Failure{failure.exit_code, failure.message};
  }
}

constexpr int to_rank_0 = 1, to_worker = 2;
constexpr long long none = -1;

/// What a rank says when it asks for work: nothing yet, done, or what went wrong.
struct Report {
  enum State : int { first, done, failed };
  int state = first;
  int code = 0;
  std::array<char, 2000> message{};
};

/// Ranks 1, 2, ...: ask, compute, until there is no more.
void work(const Job& job, const Store& store) {
  Report report;
  for (;;) {
    long long task = none;
    MPI_Send(&report, sizeof(report), MPI_BYTE, 0, to_rank_0, MPI_COMM_WORLD);
    MPI_Recv(&task, 1, MPI_LONG_LONG, 0, to_worker, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == none) {
      return;
    }
    const auto failure = compute(job, store, static_cast<std::size_t>(task));
    report = {};
    report.state = failure ? Report::failed : Report::done;
    if (failure) {
      report.code = failure->code;
      failure->message.copy(report.message.data(), report.message.size() - 1);
    }
  }
}

/// Progress of rank 0 on standard error: a line every few seconds, for the log of a batch system.
class Log {
 public:
  Log(const Job& job, const Store& store, int ranks)
      : quiet_(job.quiet), total_(store.shards()), there_(store.shards() - store.open().size()), ranks_(ranks) {
    if (!quiet_) {
      std::fprintf(stderr, "%zu shards on %d ranks, %zu of them in %s\n", total_, ranks_, there_, job.folder.c_str());
    }
  }
  void show(std::size_t finished, bool always = false) {
    const double now = clock_.seconds();
    if (quiet_ || (!always && now < next_)) {
      return;
    }
    constexpr double between = 10.0;  // seconds
    next_ = now + between;
    std::fprintf(stderr, "%zu of %zu shards, %s s\n", there_ + finished, total_, rounded(now, 3).c_str());
  }

 private:
  bool quiet_;
  std::size_t total_, there_;
  int ranks_;
  tools::Stopwatch clock_;
  double next_ = 2.0;
};

/// Rank 0: hands out tasks to the others and to a thread of its own. Only this thread speaks MPI.
void serve(const Job& job, const Store& store, int ranks, Queue& queue) {
  Log log(job, store, ranks);
  std::atomic<bool> own_done{false};
  std::jthread own([&] {
    while (const auto task = queue.next()) {
      if (auto failure = compute(job, store, *task)) {
        queue.failed(std::move(*failure));
      } else {
        queue.done();
      }
    }
    own_done = true;
  });
  for (int working = ranks - 1; working > 0 || !own_done;) {
    int waiting = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, to_rank_0, MPI_COMM_WORLD, &waiting, &status);
    if (waiting == 0) {
      log.show(queue.finished());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    Report report;
    MPI_Recv(&report, sizeof(report), MPI_BYTE, status.MPI_SOURCE, to_rank_0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (report.state == Report::failed) {
      queue.failed({report.code, report.message.data()});
    } else if (report.state == Report::done) {
      queue.done();
    }
    const auto next = queue.next();
    const long long task = next ? static_cast<long long>(*next) : none;
    working -= next ? 0 : 1;
    MPI_Send(&task, 1, MPI_LONG_LONG, status.MPI_SOURCE, to_worker, MPI_COMM_WORLD);
  }
  log.show(queue.finished(), true);
}

int run(const std::vector<std::string>& words, int rank, int ranks) {
  const Job job = job_of(words);
  // A nightly validation has 688 tasks; with more shards than that each has one, and they come longest first.
  const std::size_t usual = job.command.front() == "validate" ? 1024 : 8 * static_cast<std::size_t>(ranks);
  const auto asked = tools::question_of(job.command).asked;
  // Rank 0 looks into the folder; the others learn the number of shards from it.
  unsigned long long shards = 0;
  std::optional<Store> store;
  std::optional<Failure> failure;
  if (rank == 0) {
    try {
      store.emplace(job.folder, asked, job.shards, usual);
      shards = store->shards();
    } catch (...) {
      const auto what = tools::current_failure();
      failure = Failure{what.exit_code, what.message};
    }
  }
  MPI_Bcast(&shards, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  if (rank != 0) {
    if (shards > 0) {
      work(job, Store(job.folder, static_cast<std::size_t>(shards)));
    }
    return static_cast<int>(tools::Exit::ok);
  }
  if (!failure) {
    Queue queue(store->open());
    serve(job, *store, ranks, queue);
    failure = queue.failure();
  }
  if (failure) {
    std::cerr << failure->message << "\n";
    return failure->code;
  }
  return tools::merge_shards(store->files(), job.own,
                             [](const std::vector<std::string>& arguments) { return tools::run_command(arguments); });
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<std::string> words(argv + 1, argv + argc);
  int code = 0;
  if (words.empty() || words.front() == "--help" || words.front() == "-h") {
    if (rank == 0) {
      std::cout << help;
    }
  } else {
    try {
      code = run(words, rank, ranks);
    } catch (...) {  // the same on every rank: wrong options, or the answer's own
      const auto failure = tools::current_failure();
      if (rank == 0) {
        std::cerr << failure.message << "\n";
      }
      code = failure.exit_code;
    }
  }
  MPI_Finalize();
  return code;
}
