// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// Transcripts of the same kinds as the samples: odd orders of keys, whole numbers as floats, nothing at all, huge
// counts, unicode, cut files, other samplers.
#include <cmath>

#include <catch2/catch.hpp>

#include <dpcurves/core/error.hpp>
#include <dpcurves/transcripts/transcript.hpp>

using namespace dpcurves;
using Catch::Contains;

namespace {

constexpr const char* head = R"({"module_name": "dp_accounting.dp_event", "class_name": ")";

std::string event(const std::string& name, const std::string& fields) {
  return head + name + "\"" + (fields.empty() ? "" : ", ") + fields + "}";
}

Enclosure epsilon(const std::string& text, const std::string& name) {
  const auto read = transcripts::read(text, name, {});
  static_cast<void>(transcripts::check(read, 1e-5));
  // a command keeps the run as a record between reading and answering
  auto again = read;
  again.run = transcripts::run_of(transcripts::record_of(read.run));
  return transcripts::guarantee(again, {}, 1e-5).curve->epsilon(1e-5).value;
}

struct Sample {
  std::string name, text;
  double least, most;  ///< of epsilon at 1e-5
};

struct Refused {
  std::string name, text, words;
};

/// A row for each of the steps first, ..., before - 1.
std::string every_step(int first, int before, const std::string& rest) {
  std::string rows;
  for (int step = first; step < before; ++step) {
    rows += std::to_string(step) + "," + rest + "\n";
  }
  return rows;
}

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    text += R"({"type": "Composed", "right": {"type": "Gaussian", "noise_multiplier": 1000.0}, "left": )";
  }
  text += R"({"type": "Identity"})";
  return R"({"process": )" + text + std::string(depth, '}') + "}";
}

const std::string run_head = "schema = \"dpcurves/run/1\"\n";
const std::string run_end = "[privacy]\nadjacency = \"add_or_remove\"\nrelease = \"all-steps\"\n";

}  // namespace

TEST_CASE("transcripts of the kinds of the samples are answered", "[transcripts]") {
  const std::string gaussian = event("GaussianDpEvent", "\"noise_multiplier\": 1");
  const std::vector<Sample> samples{
      {"a.json",
       R"({"count": 1000.0, "event": {"event": {"noise_multiplier": 1, "class_name": "GaussianDpEvent", "module_name":
          "dp_accounting.dp_event"}, "sampling_probability": 0.01, "module_name":
          "dp_accounting.python.dp_accounting.dp_event", "class_name": "PoissonSampledDpEvent"}, "class_name":
          "SelfComposedDpEvent", "module_name": "dp_accounting.dp_event"})",
       1.8282366, 1.8282368},
      {"b.json", event("ComposedDpEvent", "\"events\": []"), 0.0, 0.0},
      {"c.json", R"({"history": [], "mechanism": "prv"})", 0.0, 0.0},
      {"d.json",
       event("SelfComposedDpEvent",
             "\"event\": " + event("GaussianDpEvent", "\"noise_multiplier\": 1e6") + ", \"count\": 1e15"),
       633.92984, 633.92986},
      {"e.json", "\xef\xbb\xbf" + gaussian, 4.3771780, 4.3771782},
      {"f.csv", "steps,noise_multiplier,sampling_rate\r\n100,1.1,0.01\r\n", 0.54976362, 0.54976364},
      {"g.json", nested(2000), 0.14, 0.15},
      {"h.toml",
       run_head +
           "name = \"größe 名前\"\n[[phases]]\nsteps = 100.0\nsampler = \"random_allocation\"\nsampling_rate = 0.01\n"
           "uses_per_round = 2\nnoise_multiplier = 2\n" +
           run_end,
       0.24, 0.2520},
      {"i.json", R"({"train_size": 60000, "batch_size": 256, "train_steps": 1000, "noise_multiplier": 1.0})",
       0.72762402, 0.72762404},
      {"j.json",
       R"(["dp_accounting.dp_event", "ComposedDpEvent", [["dp_accounting.dp_event", "GaussianDpEvent", 10.0],
          ["dp_accounting.dp_event", "PoissonSampledDpEvent", 0.1, ["dp_accounting.dp_event", "SelfComposedDpEvent",
          ["dp_accounting.dp_event", "GaussianDpEvent", 4], 3]]]])",
       0.41752901, 0.41752903},
      {"k.json", event("SelfComposedDpEvent", "\"event\": " + gaussian + ", \"count\": 0"), 0.0, 0.0},
      {"l.json", R"({"history": [[1.0, 0.0, 100]], "mechanism": "rdp"})", 0.0, 0.0},
      {"m.json", R"({"history": [[0.0, 0.01, 100]], "mechanism": "rdp"})", HUGE_VAL, HUGE_VAL},
      {"n.json",
       event("SelfComposedDpEvent",
             "\"event\": " + event("LaplaceDpEvent", "\"noise_multiplier\": 1e4") + ", \"count\": 1e6"),
       0.34066, 0.34067},
      {"o.json", event("LaplaceDpEvent", "\"noise_multiplier\": 1e-9"), 0.999e9, 1.001e9},
      {"q.json", event("LaplaceDpEvent", "\"noise_multiplier\": -0.0"), HUGE_VAL, HUGE_VAL},
      {"r.csv", "# written by hand\n\nsampler, sampling_rate , noise_multiplier,steps\npoisson,\"0.01\", 1.1,100\n",
       0.54976362, 0.54976364},
      {"s.toml", "[[phases]]\nfirst_step = 1\nlast_step = 100\nnoise_multiplier = 1.1\nsampling_rate = 0.01\n",
       0.54976362, 0.54976364},
      {"t.csv", "step,noise_multiplier,sampling_rate\n" + every_step(0, 100, "1.1,0.01"), 0.54976362, 0.54976364},
      {"u.csv", "first_step,last_step,noise_multiplier,sampling_rate\n0,49,1.1,0.01\n50,99,1.1,0.01\n", 0.54976362,
       0.54976364},
      {"p.json", event("DiscreteGaussianDpEvent", "\"sigma\": 0.3, \"sensitivity\": 1, \"dimension\": 1"), 16.664,
       16.665},
  };
  for (const Sample& sample : samples) {
    const Enclosure found = epsilon(sample.text, sample.name);
    CAPTURE(sample.name, found.lower, found.upper);
    CHECK(found.upper >= sample.least);
    CHECK(found.upper <= sample.most);
  }
}

TEST_CASE("a log that prints an epsilon in every step is one phase, and each is held against the answer",
          "[transcripts]") {
  const std::string names = "step,sampler,noise_multiplier,sampling_rate,delta,epsilon_logged\n";
  const auto findings = [](const std::string& text, std::size_t phases) {
    const transcripts::Transcript log = transcripts::read(text, "log.csv", {});
    CHECK(log.run.phases.size() == phases);
    return transcripts::check(log);
  };
  CHECK(findings(names + every_step(1, 101, "poisson,1.1,0.01,1e-5,") + "101,poisson,1.1,0.01,1e-5,0.55198\n", 1)
            .empty());
  const auto loose = findings(names + every_step(1, 1000, "poisson,1.1,0.01,1e-5,2"), 1);
  REQUIRE(loose.size() == 1);
  CHECK(loose[0].where == "row 2");
  CHECK_THAT(loose[0].message, Contains("loose") && Contains("so are 998 more"));
  const auto other = transcripts::read(names + "1,poisson,1.1,0.01,1e-3,0.3\n", "log.csv", {});
  CHECK(transcripts::check(other, 1e-9).size() == transcripts::check(other, 1e-3).size());  // logged at 1e-3
  const auto small = findings(names + every_step(1, 101, "poisson,1.1,0.01,1e-5,") +
                                  "101,poisson,1.1,0.01,1e-5,0.54\n" + every_step(102, 110, "poisson,1.1,0.01,1e-5,"),
                              1);
  REQUIRE(small.size() == 1);
  CHECK(small[0].level == transcripts::Level::red);
  CHECK(small[0].where == "row 102");
}

TEST_CASE("transcripts of the kinds of the samples are refused in words", "[transcripts][errors]") {
  const std::string gaussian = event("GaussianDpEvent", "\"noise_multiplier\": 1");
  const std::vector<Refused> samples{
      {"a.json", R"({"module_name": "dp_accounting.dp_event", "class_name": "GaussianDp)", "parse error"},
      {"b.json", "", "end of input"},
      {"c.json", "[]", "not a DpEvent"},
      {"d.csv", "steps,noise_multiplier,batch_size,records,sampler,note\n100,1.1,256,60000,poisson,größe\n",
       "unknown column note"},
      {"e.csv", "steps,noise_multiplier,sampling_rate\n100,nan,0.01\n", "row 2: noise_multiplier"},
      {"e2.csv", "first_step,last_step,steps,noise_multiplier,sampling_rate\n1,100,50,1.1,0.01\n",
       "row 2: 50 steps, but first_step 1 and last_step 100 are 100"},
      {"e3.json", R"({"history": [[NaN, 0.01, 100]], "mechanism": "rdp"})", "NaN and Infinity are no JSON"},
      {"e4.json", event("GaussianDpEvent", "\"noise_multiplier\": -Infinity"), "NaN and Infinity are no JSON"},
      {"f.json", R"({"history": [[1.1, 0.01, 100], ["1.0", 0.01, 5]], "mechanism": "rdp"})", "$.history[1][0]"},
      {"g.json", R"({"history": [[1.0, 0.01, 1e16]], "mechanism": "rdp"})", "$.history[0][2]"},
      {"h.json", R"({"history": [[1.0, 0.01, -5]], "mechanism": "rdp"})", "$.history[0][2]"},
      {"i.json", event("GaussianDpEvent", "\"noise_multiplier\": null"), "$.noise_multiplier"},
      {"j.json",
       event("SampledWithoutReplacementDpEvent",
             "\"source_dataset_size\": 100, \"sample_size\": 10, \"event\": " + gaussian),
       "Nearest: --adjacency replace-one"},
      {"k.json",
       R"({"process": {"type": "KOutOfT", "inner": {"type": "Gaussian", "noise_multiplier": 2.0}, "k": 2, "t": 100,
          "allocation": "total"}})",
       "allocation total"},
      {"l.json", event("RandomizedResponseDpEvent", "\"noise_parameter\": 0.0, \"num_buckets\": 4"), "replace-one"},
      {"m.json", event("RepeatAndSelectDpEvent", "\"event\": " + gaussian + ", \"mean\": 3, \"shape\": 0"),
       "NOT the epsilon of the selection"},
      {"p.json", R"({"process": {"type": "Gaussian", "noise_multiplier": 1.0, "sensitivity": 2.0}})",
       "$.process: Gaussian: unknown field sensitivity"},
      {"q.json",
       R"({"process.type": "Poisson", "process.sample_rate": 0.01, "process.inner.type": "Gaussian",
          "process.inner.noise_multiplier": 0.0})",
       "$.process.inner: Poisson of a Gaussian without noise"},
      {"s.csv", "step,steps,noise_multiplier,sampling_rate\n1,1,1.1,0.01\n", "row 2: step beside steps"},
      {"t.csv", "steps,noise_multiplier,sampling_rate,sampler\n1,1.1,0.01,shuffle\n", "did you mean shuffled?"},
      {"r.json", "\x80\x04\x95&\x8c\x07history", "a pickle is a program"},
      {"s.csv", "\xff\xfes\x20t\x20", "UTF-16"},
      {"t.csv", "steps;noise_multiplier;sampling_rate\n100;1.1;0.01\n", "separated by commas"},
      {"u.csv", "steps,steps,noise_multiplier,sampling_rate\n1,2,1.1,0.01\n", "the name steps stands there twice"},
      {"v.csv", "steps,noise_multiplier,sampling_rate\n1.5,1.1,0.01\n", "row 2: steps: 1.5 is not a whole number"},
      {"w.json", "{\"h\xf6he\": 1}", "h\\xF6"},
      {"x.json", R"({"history": [[1.0, 0.01, 1e400]], "mechanism": "rdp"})", "'1e400', at byte"},
      {"y.json", event("SelfComposedDpEvent", "\"count\": true, \"event\": " + gaussian),
       "$.count: true is not a number"},
      {"z.json", event("ComposedDpEvent", "\"events\": " + gaussian), "$.events: what stands there is not a list"},
      {"m.toml", run_head + "[\n \"phases\"]\n" + run_end, "a table header, a key or a value"},
      {"l.toml", run_head + "größe = 1\n" + run_end, "saw 'ö' at line 2"},
      {"n.toml", run_head + run_end, "phases: missing key"},
      {"p.toml", "[[phases]]\nsteps = 1\nnoise_multiplier = 1\nbatchsize = 2\n", "unknown column batchsize"},
      {"q.toml", "[[phases]]\nsteps = 1\nnoise_multiplier = \"one\"\nsampling_rate = 0.1\n",
       "phases[0]: noise_multiplier: \"one\" is not a number"},
      {"o.toml",
       run_head + "[[phases]]\nsteps = 100\nsampler = \"weighted\"\nsampling_rate = 0.01\nnoise_multiplier = 2\n" +
           run_end,
       "LARGEST rate"}};
  for (const Refused& sample : samples) {
    CAPTURE(sample.name);
    CHECK_THROWS_WITH(epsilon(sample.text, sample.name), Contains(sample.words));
  }
}
