// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// --sweep of calibrate and risk as a user meets it.
#include <algorithm>

#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>

#include "support/folder.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using dpcurves::test::answer;
using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

constexpr const char* gaussian = "calibrate gaussian --solve-for noise-multiplier --epsilon 1 --delta 1e-5";
constexpr const char* long_tail =
    "risk long-tail --records 500 --class-records 100 --clipping-factor 0.06 --signal-norm 3.8 --cross-frobenius 3 "
    "--frobenius 15.8";

}  // namespace

TEST_CASE("a sweep of calibrate has the answers of single questions", "[tools][sweep]") {
  const auto swept = answer(words(std::string(gaussian) + " --sweep compositions=1,10,100"));
  REQUIRE(swept["results"].size() == 3);
  for (const auto& row : swept["results"]) {
    const auto count = row["swept"]["value"].get<double>();
    const auto one =
        answer(words(std::string(gaussian) + " --compositions " + std::to_string(static_cast<int>(count))));
    CHECK(row["value"] == one["value"]);
    CHECK(row["theorem"] == one["theorem"]);
  }
  CHECK_FALSE(swept["inputs"].contains("compositions"));
}

TEST_CASE("a value of a sweep that nothing meets is none, not an end", "[tools][sweep]") {
  const auto swept =
      answer(words("calibrate noisy-gd --solve-for steps --contraction 0.95 --epsilon 1 --delta 1e-5 "
                   "--sweep effective-sensitivity=0.01,100"));
  CHECK(swept["results"][0]["value"] == "unlimited");
  CHECK(swept["results"][1]["value"].is_null());
}

TEST_CASE("a sweep of risk is a table over the option, with a picture and its data", "[tools][sweep]") {
  const dpcurves::test::Folder folder;
  const std::string file = folder.path / "risk.pdf";
  const auto spoken =
      run_program(words(std::string(long_tail) + " --sweep noise=1e-4,1e-3 --format csv --plot " + file));
  CAPTURE(spoken.err);
  REQUIRE(spoken.exit_code == 0);
  const auto table = dpcurves::io::parse_csv(spoken.out, "answer");
  CHECK(table["noise"] == std::vector<double>{1e-4, 1e-3});
  const auto one = answer(words(std::string(long_tail) + " --noise 1e-3"));
  CHECK(table["break_even_tail_level"][1] == one["results"]["break_even_tail_level"].get<double>());
  CHECK(dpcurves::io::read_file(file).starts_with("%PDF"));
  CHECK(dpcurves::io::read_file(file + ".csv").starts_with("series,x,y,lower,upper\n"));
}

TEST_CASE("a sweep of a risk has it at the times that are asked for", "[tools][sweep]") {
  const std::string question =
      "risk noisy-least-squares --problem " DPCURVES_SOURCE_DIR "/data/examples/least-squares.json ";
  const auto swept = answer(words(question + "--iterations 10,100 --sweep noise=0.5,2"));
  REQUIRE(swept["results"].size() == 2);
  const auto one = answer(words(question + "--iterations 10,100 --noise 2"))["results"]["curve"]["risk"];
  CHECK(swept["results"][1]["risk_at_10"] == one[0]);
  CHECK(swept["results"][1]["risk_at_100"] == one[1]);
  const auto csv =
      dpcurves::io::parse_csv(run_program(words(question + "--sweep noise=0.5,2 --format csv")).out, "answer");
  CHECK(csv["risk_at_60"].size() == 2);
  const dpcurves::test::Folder folder;
  const std::string file = folder.path / "risk.svg";
  REQUIRE(run_program(words(question + "--iterations 100 --sweep noise=0.5,2 --plot " + file)).exit_code == 0);
  const std::string picture = dpcurves::io::read_file(file);
  CHECK(picture.find("expected risk of one-pass noisy SGD on least squares") != std::string::npos);
  CHECK(picture.find("population risk at iteration 100") != std::string::npos);
}

TEST_CASE("risk glm sweeps any of its options, or a name without values", "[tools][sweep]") {
  const std::string question = "risk glm --records 4096 --delta 1e-5 --rank 5 ";
  const auto swept = answer(words(question + "--sweep epsilon=0.5,1,2"));
  REQUIRE(swept["results"].size() == 3);
  for (const auto& row : swept["results"]) {
    const auto one = answer(words(question + "--epsilon " + std::to_string(row["swept"]["value"].get<double>())));
    CHECK(row["risk_bound"] == one["results"]["risk_bound"]);
    CHECK(row["phased_step_size"] == one["results"]["phased"]["step_size"]);
  }
  CHECK(answer(words(question + "--epsilon 1 --sweep epsilon --points 5"))["results"]["curve"]["epsilon"].size() == 5);
  const auto exact = answer(words("risk glm --link relu --norm 1 --true-norm 1 --sweep cosine=0,1"));
  CHECK(exact["results"][1]["risk_excess"].get<double>() == Approx(0.0).margin(1e-12));
}

TEST_CASE("strategies of correlated noise are swept, a row each, with a picture", "[tools][sweep]") {
  const dpcurves::test::Folder folder;
  const std::string file = folder.path / "strategies.svg";
  const std::string question =
      "calibrate correlated --strategy identity,lambda,bsr --steps 20 --epochs 4 --delta 1e-5 ";
  const auto swept = answer(words(question + "--sweep epsilon=1,4 --plot " + file));
  REQUIRE(swept["results"].size() == 2);
  CHECK(swept["results"][1]["value"] == answer(words(question + "--epsilon 4"))["value"]);
  const auto rows = swept["results"][1]["results"];
  CHECK(rows.size() == 3);
  const std::string drawn = dpcurves::io::read_file(file + ".csv");
  for (const auto& row : rows) {
    const std::string point = "\"" + row["strategy"].get<std::string>() + "\",4,";
    CAPTURE(point, drawn);
    const auto found = drawn.find(point);
    REQUIRE(found != std::string::npos);
    CHECK(std::stod(drawn.substr(found + point.size())) == row["mean_noise"].get<double>());
  }
  const std::string csv = run_program(words(question + "--sweep epsilon=1,4 --minimise maximum --format csv")).out;
  CHECK(csv.starts_with("epsilon,strategy,best,"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == 1 + 2 * rows.size());
}

TEST_CASE("a list of strategies is compared, and the unknown one of it named", "[tools][calibrate][errors]") {
  const std::string question = "calibrate correlated --steps 20 --epochs 4 --delta 1e-5 --epsilon 1 --strategy ";
  const auto both = answer(words(question + "lambda,bsr"));
  CHECK(both["results"].size() == 2);
  CHECK(both["results"][1] == answer(words(question + "bsr"))["results"][0]);
  CHECK(answer(words(question + "bsr,lambda --lambda 0.5"))["results"][1]["parameters"]["lambda"] == 0.5);
  for (const char* list : {"bsr,nosuch", "nosuch,bsr"}) {
    const auto refused = run_program(words(question + list));
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("\"nosuch\" of \"" + std::string(list) + "\" is no file and none of") != std::string::npos);
  }
  CHECK(run_program(words(question + "bsr,all")).err.find("\"all\" of") != std::string::npos);
  CHECK(run_program(words(question + "bsr,lamda")).err.find("did you mean lambda?") != std::string::npos);
}

TEST_CASE("every question with rows of its own is swept as if asked one by one", "[tools][sweep]") {
  const std::string passes = "privacy noisy-least-squares --problem " + std::string(DPCURVES_SOURCE_DIR) +
                             "/data/examples/noisy-least-squares.json --release last --iterations 10,30 ";
  const auto losses = answer(words(passes + "--sweep renyi-order=2,4"));
  REQUIRE(losses["results"].size() == 2);
  CHECK(losses["results"][1]["results"] == answer(words(passes + "--renyi-order 4"))["results"]);
  const std::string records = "calibrate glm --solve-for records --risk 0.05 --delta 1e-5 --rank 10 ";
  CHECK(answer(words(records + "--sweep epsilon=1,2"))["results"][1]["value"] ==
        answer(words(records + "--epsilon 2"))["value"]);
  const std::string attack =
      "calibrate correlated --lambda 0.5 --steps 20 --solve-for noise-multiplier --sampling-rate 0.1 ";
  CHECK(answer(words(attack + "--sweep advantage=0.1,0.2"))["results"][1]["value"] ==
        answer(words(attack + "--advantage 0.2"))["value"]);
}

TEST_CASE("a value of a sweep without an answer says why, and the others have theirs", "[tools][sweep]") {
  const auto swept =
      answer(words("calibrate glm --solve-for records --epsilon 1 --delta 1e-5 --rank 10 --sweep risk=1e-12,0.05"));
  CHECK(swept["results"][0]["reason"].get<std::string>().find("no records meets a risk bound") != std::string::npos);
  CHECK(swept["results"][1]["value"].get<double>() > 0.0);
}

TEST_CASE("the words of a choice are swept", "[tools][sweep]") {
  const std::string question = "privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000 --delta 1e-5";
  const std::vector<std::string> samplers{"fixed-size", "poisson", "cyclic"};
  const auto swept = answer(words(question + " --sweep sampling=fixed-size,poisson,cyclic"));
  REQUIRE(swept["results"].size() == samplers.size());
  for (std::size_t i = 0; i < samplers.size(); ++i) {
    const auto alone = answer(words(question + " --sampling " + samplers[i]));
    CHECK(swept["results"][i]["swept"] == nlohmann::json{{"option", "sampling"}, {"value", samplers[i]}});
    CHECK(swept["results"][i]["epsilon"] == alone["results"][0]["epsilon"]);
  }
  const auto text = run_program(words(question + " --sweep sampling=poisson,fixed-size"));
  CHECK(text.out.find("add-or-remove") < text.out.find("zero-out"));  // which neighbours a value speaks of
}

TEST_CASE("an option that takes a list is swept too", "[tools][sweep]") {
  const std::string question = "privacy gaussian --noise-multiplier 2 --compositions 3 ";
  const auto swept = answer(words(question + "--sweep delta=1e-5,1e-9"));
  const auto listed = answer(words(question + "--delta 1e-5,1e-9"));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(swept["results"][i]["epsilon"] == listed["results"][i]["epsilon"]);
  }
}

TEST_CASE("swept deltas share their contours, and hold the answers of single questions", "[tools][sweep]") {
  const std::string question = "privacy dp-sgd --noise-multiplier 1.1 --sampling-rate 0.01 --steps 1000 ";
  const auto swept = answer(words(question + "--sweep delta=0,1e-9,1e-7,1e-5,0.01,1"));
  const auto listed = answer(words(question + "--delta 0,1e-9,1e-7,1e-5,0.01,1"));
  REQUIRE(swept["results"].size() == listed["results"].size());
  for (std::size_t i = 0; i < swept["results"].size(); ++i) {
    const auto& alone = listed["results"][i]["epsilon"];
    const auto& one = swept["results"][i];
    if (i == 0 || i == 5) {
      CHECK(one["epsilon"] == alone);
      continue;
    }
    CHECK(one["epsilon"]["lower"] <= alone["upper"]);
    CHECK(alone["lower"] <= one["epsilon"]["upper"]);
    CHECK(one["epsilon"]["upper"].get<double>() <= alone["upper"].get<double>() * (1.0 + 1e-9));
    CHECK(one["all"][0]["directions"].size() == 2);
    CHECK(one["method"] == listed["results"][i]["method"]);
  }
}

TEST_CASE("a sweep is the same for any number of threads, its first error too", "[tools][sweep]") {
  const std::string question = "privacy dp-sgd --sampling-rate 0.01 --steps 100 --format csv ";
  for (const char* sweep :
       {"--delta 1e-5 --sweep noise-multiplier=0.5:3:0.5", "--noise-multiplier 1 --sweep delta=1e-7,1e-5"}) {
    const auto one = run_program(words(question + sweep + " --threads 1"));
    const auto two = run_program(words(question + sweep + " --threads 2"));
    CHECK(one.exit_code == 0);
    CHECK(one.out == two.out);
  }
  const std::string failing =
      "privacy dp-sgd --noise-multiplier 1 --steps 10 --records 10 --delta 1e-5 --sweep batch-size=5,20,30,40 "
      "--threads ";
  const auto first = run_program(words(failing + "1")), again = run_program(words(failing + "2"));
  CHECK(first.exit_code == 2);
  CHECK(first.err.find("--batch-size: 20 is outside [1, 10]") != std::string::npos);
  CHECK(first.err == again.err);
}

TEST_CASE("sweeps that make no sense are refused by name", "[tools][sweep][errors]") {
  struct Row {
    std::string line;
    const char* message;
  };
  const auto row = GENERATE(
      Row{std::string(gaussian) + " --compositions 3 --sweep compositions=1,2", "--compositions is given as well"},
      Row{std::string(gaussian) + " --compositions 3 --plot a.svg", "--plot: is drawn over a --sweep"},
      Row{std::string(long_tail) + " --sweep colour=1,2", "is no option that takes a number"},
      Row{"privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 9 --delta 1e-5 "
          "--sweep sampling=poisson,fixd",
          "\"fixd\" is not one of poisson|fixed-size"},
      Row{"privacy dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --steps 9 --delta 1e-5 --sweep "
          "sampling=poisson,fixed-size --plot a.svg",
          "--sweep sampling takes words"},
      Row{"risk glm --records 4096 --delta 1e-5 --rank 5 --epsilon 1 --sweep rnk", "did you mean rank?"},
      Row{"risk glm --records 4096 --delta 1e-5 --rank 5 --epsilon 1 --from 1", "--from: belongs to --sweep"},
      Row{"calibrate correlated --strategy bsr --steps 20 --epochs 2 --epsilon 1 --delta 1e-5 --plot a.svg",
          "--plot: is drawn over a --sweep"},
      Row{std::string(long_tail) + " --sweep noise=1e-4,1e-3 --plot a.gif", ".svg, .png, .html or .pdf"});
  const auto spoken = run_program(words(row.line));
  CAPTURE(spoken.err);
  CHECK(spoken.exit_code == 2);
  CHECK(spoken.err.find(row.message) != std::string::npos);
}

TEST_CASE("axes of a sweep are in words", "[tools][sweep]") {
  const dpcurves::test::Folder folder;
  const std::string file = folder.path / "noise.svg";
  const auto drawn =
      run_program(words("calibrate dp-sgd --solve-for noise-multiplier --sampling-rate 0.01 --epsilon 3 --delta 1e-5 "
                        "--sweep steps=100,200 --plot " +
                        file));
  REQUIRE(drawn.exit_code == 0);
  const std::string picture = dpcurves::io::read_file(file);
  CHECK(picture.find("noise multiplier that meets the target") != std::string::npos);
  CHECK(picture.find("noise-multiplier") == std::string::npos);
}

TEST_CASE("privacy draws a sweep, a series for each delta", "[tools][sweep]") {
  const dpcurves::test::Folder folder;
  const std::string file = (folder.path / "sweep.svg").string();
  const std::string question =
      "privacy noisy-gd --effective-sensitivity 0.1 --contraction 0.95 --delta 1e-5,1e-9 --plot " + file;
  const auto swept = answer(words(question + " --sweep steps=10,20,40"));
  REQUIRE(swept["results"].size() == 6);
  const std::string drawn = dpcurves::io::read_file(file + ".csv");
  for (const auto& row : swept["results"]) {
    const std::string name = row["delta"].get<double>() == 1e-5 ? "delta = 1e-05" : "delta = 1e-09";
    const std::string point = "\"" + name + "\"," + std::to_string(row["swept"]["value"].get<int>()) + ",";
    CAPTURE(point);
    REQUIRE(drawn.find(point) != std::string::npos);
    CHECK(std::stod(drawn.substr(drawn.find(point) + point.size())) == row["epsilon"]["upper"].get<double>());
  }
  const auto single = run_program(words(question + " --steps 10"));
  CHECK(single.exit_code == 2);
  CHECK(single.err.find("--plot: is drawn over a --sweep") != std::string::npos);
}

TEST_CASE("what an attacker can do is swept like an epsilon", "[tools][sweep][attack]") {
  const std::string question = "attack dp-sgd --noise-multiplier 1 --sampling-rate 0.01 --fpr 1e-3";
  const auto swept = answer(words(question + " --sweep steps=10,1000"))["results"];
  REQUIRE(swept.size() == 2);
  CHECK(swept[1]["swept"]["option"] == "steps");
  CHECK(swept[1]["swept"]["value"] == 1000);
  CHECK(swept[1]["results"] == answer(words(question + " --steps 1000"))["results"]);
  const auto text = run_program(words(question + " --sweep steps=10,1000"));
  CHECK_THAT(text.out, Catch::Contains("steps  measure"));
}

TEST_CASE("a swept attack speaks of what is at most, in the words of a single answer", "[tools][sweep][attack]") {
  const dpcurves::test::Folder folder;
  const auto file = folder.path / "attack.svg";
  const std::string question = "attack dp-sgd --noise-multiplier 1 --sampling-rate 0.01 ";
  const auto text = run_program(words(question + "--sweep steps=10,1000 --plot " + file.string()));
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Catch::Contains("mu where delta >= 1e-10"));
  CHECK_THAT(text.out, !Catch::Contains("gdp") && !Catch::Contains("bayes-error"));
  const std::string single = run_program(words(question + "--steps 1000")).out;
  const std::string drawn = dpcurves::io::read_file(file.string() + ".csv");
  // The error is promised from below: what is drawn is the accuracy, as it is printed.
  const std::string accuracy = "accuracy at prior 0.5";
  const auto at = single.find_first_not_of(' ', single.find(accuracy) + accuracy.size());
  CHECK_THAT(drawn, Catch::Contains(accuracy + "\",1000," + single.substr(at, single.find(' ', at) - at)));
  CHECK(run_program(words(question + "--prior 0.5 --sweep steps=10,1000 --plot " + file.string())).exit_code == 0);
  CHECK_THAT(dpcurves::io::read_file(file), Catch::Contains("accuracy at prior 0.5, at most"));
}
