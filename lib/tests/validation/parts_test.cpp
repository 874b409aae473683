// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <numeric>

#include <dpcurves/core/share.hpp>

#include "support/support.hpp"
#include "validation/recorded.hpp"
#include "validation/runner.hpp"
#include "validation/tasks.hpp"

using namespace dpcurves;
using namespace dpcurves::validation;

namespace {

/// The cases that processes cut at night.
std::vector<const Case*> long_cases() {
  Setting night;
  night.nightly = true;
  std::vector<const Case*> found;
  for (const Case& one : all_cases()) {
    if (parts_of(one, night) > 1) {
      found.push_back(&one);
    }
  }
  return found;
}

std::string bytes_of(Record record) {
  Archive archive;
  archive(record.outcome, record.error);
  return std::move(archive).written();
}

/// The outcome of one case that is cut into `parts` parts, each computed by a process of its own.
std::string in_parts(const Case* one, const Setting& setting, std::size_t parts) {
  const auto rule = [&](const Case&, const Setting&) { return parts; };
  std::vector<SharedValues> shares;
  for (std::size_t i = 0; i < parts; ++i) {
    const Sharing share({i, parts});
    (void)run({one}, setting, 1, {}, rule);
    shares.push_back(share.computed());
  }
  const Sharing all(merged(shares));
  return bytes_of(run({one}, setting, 1, {}, rule).records.front());
}

void check_in_parts(const std::vector<std::string>& ids, std::size_t parts) {
  const Setting setting;
  for (const Case* one : select(all_cases(), ids)) {
    CAPTURE(one->id, parts);
    CHECK(in_parts(one, setting, parts) == bytes_of(run({one}, setting, 1).records.front()));
  }
}

}  // namespace

TEST_CASE("cases in parts find what they find whole", "[validation][shard]") {
  check_in_parts({"kan-correlated-noise/lemma-c.4", "kan-correlated-noise/lemma-c.10", "noisy-hsgd/conjecture-3.1",
                  "long-tail-memorization/remark-2", "dp-glm-networks/algorithm-2"},
                 3);
}

TEST_CASE("cases made of parts with comparisons of their own find what they find whole", "[validation][shard]") {
  check_in_parts(
      {"accountant/with-replacement", "accountant/central-limit", "dp-glm-networks/corollary-1",
       "kan-correlated-noise/derived-6", "kan-correlated-noise/theorem-c.22", "shifted-interpolation/lemma-a.5"},
      2);
}

TEST_CASE("the kept tasks of a nightly run keep 256 workers busy for 80 percent of the time", "[validation][shard]") {
  std::vector<double> tasks;
  for (const Case& one : all_cases()) {
    const auto kept = kept_seconds(one.id);
    CAPTURE(one.id);
    CHECK(std::all_of(kept.begin(), kept.end(), [](double seconds) { return seconds >= 0.0 && seconds < 60.0; }));
    tasks.insert(tasks.end(), kept.begin(), kept.end());
  }
  REQUIRE(tasks.size() > 600);
  const double work = std::accumulate(tasks.begin(), tasks.end(), 0.0);
  // dpcurves-mpi cuts a validation into 1024 shards, one task each at most, and hands them out in order.
  REQUIRE(tasks.size() <= 1024);
  std::sort(tasks.begin(), tasks.end(), std::greater<>());
  constexpr std::size_t workers = 256;
  std::vector<double> busy(workers);
  for (const double task : tasks) {
    *std::min_element(busy.begin(), busy.end()) += task;
  }
  CHECK(work / (workers * *std::max_element(busy.begin(), busy.end())) >= 0.8);
}

TEST_CASE("tasks are handed out longest first whatever case they are of", "[validation][shard]") {
  Setting night;
  night.nightly = true;
  const auto cases = select(all_cases(), {});
  CHECK(tasks_of(cases, night).size() == cases.size());  // one process cuts none
  const Sharing share({0, 1});
  const auto tasks = tasks_of(cases, night);
  REQUIRE(tasks.size() > 600);
  // From the kept seconds, not from what the task says of itself.
  const auto seconds = [&](const Task& task) {
    return expected_seconds(cases[task.number]->id, task.share.index, task.share.count);
  };
  CHECK(std::is_sorted(tasks.begin(), tasks.end(),
                       [&](const Task& a, const Task& b) { return seconds(a) > seconds(b); }));
  // Every part of every case once.
  std::vector<std::vector<std::size_t>> parts(cases.size());
  for (const Task& task : tasks) {
    parts[task.number].push_back(task.share.index);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i]->id);
    std::vector<std::size_t> each(parts_of(*cases[i], night));
    std::iota(each.begin(), each.end(), std::size_t{0});
    CHECK(std::is_permutation(parts[i].begin(), parts[i].end(), each.begin(), each.end()));
  }
}

TEST_CASE("the i-th share of a run computes the i-th longest case", "[validation][shard]") {
  const Setting setting;
  const auto cases = select(all_cases(), {"shifted-interpolation/lemma-2.9", "shifted-interpolation/definition-2.10",
                                          "long-tail-memorization/lemma-9", "dp-glm-networks/definition-7"});
  const auto tasks = tasks_of(cases, setting);
  REQUIRE(tasks.front().number != 0);  // else the order of the cases would pass
  const Run whole = run(cases, setting, 1);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CAPTURE(i);
    const Sharing share({i, tasks.size()});
    (void)run(cases, setting, 1);
    const auto& values = share.computed().front().values;
    REQUIRE(values.size() == 1);
    // A share hands over outcome and error of its case, and then its seconds.
    CHECK(values.front().second.starts_with(bytes_of(whole.records[tasks[i].number])));
  }
}

TEST_CASE("seconds to expect of a part", "[validation][shard]") {
  const std::string id = "shifted-interpolation/theorem-4.8";
  const auto kept = kept_seconds(id);
  REQUIRE(kept.size() > 1);
  const double whole = std::accumulate(kept.begin(), kept.end(), 0.0);
  CHECK(expected_seconds(id, 1, kept.size()) == kept[1]);
  CHECK(expected_seconds(id, 0, 1) == whole);
  CHECK(expected_seconds(id, 2, 2 * kept.size()) == whole / static_cast<double>(2 * kept.size()));
  CHECK(kept_seconds("of a new case").empty());
  CHECK(expected_seconds("of a new case", 0, 1) > 0.0);
}

TEST_CASE("trials add up group by group", "[validation]") {
  Trial one, two;
  one.at_most(1.0, 2.0, "first");
  one.setup("hypotheses");
  two.group("other");
  two.by_simulation(10, 5);
  two.at_most(3.0, 2.0, "second");
  two.group("claim");
  two.at_most(1.0, 1.0, "third");
  one.add(two);
  one.require(true, "of the group before");
  REQUIRE(one.comparisons() == 4);
  CHECK(one.failures() == 1);
  CHECK(one.groups()[one.all()[1].group].name == "other");
  CHECK(one.groups()[one.all()[1].group].runs == 10);
  CHECK(one.groups()[one.all()[1].group].units == 5);
  CHECK(one.all()[1].measured.basis == Basis::simulation);
  CHECK(one.groups()[one.all()[2].group].name == "claim");
  CHECK(one.groups()[one.all()[3].group].name == "hypotheses");
}

TEST_CASE("every long case in parts finds what it finds whole", "[.][validation][shard]") {
  for (const Case* one : long_cases()) {
    check_in_parts({one->id}, 5);
  }
}
