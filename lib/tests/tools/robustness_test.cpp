// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// What is given to the program by mistake or malice: files that are none, files without end, and numbers that no option
// can have. An answer or one clear message, soon.
#include <ctime>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpcurves/core/error.hpp>
#include <dpcurves/io/detail/csv.hpp>
#include <dpcurves/io/detail/file.hpp>
#include <dpcurves/io/detail/idx.hpp>
#include <dpcurves/queries/detail/algorithm.hpp>

#include "checks/check.hpp"
#include "program.hpp"
#include "support/common.hpp"
#include "support/exit.hpp"
#include "support/failure.hpp"
#include "support/folder.hpp"
#include "support/json_record.hpp"
#include "support/support.hpp"
#include "tools/process.hpp"

using namespace dpcurves;
using dpcurves::test::Folder;
using dpcurves::test::run_program;
using dpcurves::test::words;

namespace {

/// A command in this process, which is quicker: exit code, and the message or the output.
struct Answer {
  int exit_code = 0;
  std::string text;
};
Answer answer_of(const std::vector<std::string>& arguments) {
  if (arguments.front() == "eval" || arguments.front() == "validate") {  // they run commands themselves
    const auto spoken = run_program(arguments);
    return {spoken.exit_code, spoken.out + spoken.err};
  }
  try {
    std::string spoken;
    const int code = tools::run_command(arguments, {&spoken});
    return {code, spoken};
  } catch (...) {
    const auto failure = tools::current_failure();
    return {failure.exit_code, failure.message};
  }
}

/// Every option that reads a file, in a command that does so before anything else; FILE is its place.
const std::vector<std::string> readers{
    "privacy gaussian --delta 1e-5 --config FILE.toml",
    "privacy correlated --noise-multiplier 1 --sampling-rate 1 --steps 3 --delta 1e-5 --strategy FILE",
    "privacy noisy-least-squares --release last --renyi-order 2 --times 1 --problem FILE",
    "risk noisy-least-squares --problem FILE --times 1",
    "risk kan --data FILE",
    "simulate kan --data FILE --paths 2 --iterates 2",
    "simulate noisy-gd --loss logistic --data FILE --noise 1 --step-size 0.1 --steps 1 --paths 100",
    "simulate noisy-sgd-least-squares --problem FILE --paths 2",
    "simulate conditional-noisy-sgd --problem FILE",
    "simulate influence --data FILE",
    "simulate influence --images FILE --labels FILE",
    "eval --check FILE.toml",
    "eval --check FILE.json",
    "validate FILE.toml",
    "validate FILE.json"};

/// The words of one of them with the place filled.
std::vector<std::string> reading(const std::string& reader, const std::string& path) {
  auto list = words(reader);
  for (auto& word : list) {
    if (word.starts_with("FILE")) {
      word.replace(0, 4, path);
    }
  }
  return list;
}

/// The content at every name that a reader may ask for; the name without its ending.
std::string everywhere(const Folder& folder, const std::string& content) {
  for (const char* ending : {"", ".toml", ".json"}) {
    std::ofstream(folder.path / (std::string("given") + ending), std::ios::binary) << content;
  }
  return (folder.path / "given").string();
}

bool is_refusal(const Answer& answer) {
  return (answer.exit_code == 2 || answer.exit_code == 3 || answer.exit_code == 5) && !answer.text.empty() &&
         answer.text.find("internal error") == std::string::npos;
}

/// Of the processor, so that other programs do not count.
double seconds_of(const std::function<void()>& work) {
  const auto start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// What a reader says of a text; "" if it takes it.
std::string refusal(const std::function<void()>& read) {
  try {
    read();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("empty files and files of nonsense are refused in words that name them", "[tools][robustness]") {
  const Folder folder;
  const auto content = GENERATE(as<std::string>{}, "", "\n", std::string(1, '\0'), "[", "{", "\"", "a", ",", "\xff",
                                "\x1f\x8b", "\xEF\xBB\xBF", "null");
  const auto path = everywhere(folder, content);
  for (const auto& reader : readers) {
    if (content.find_first_not_of(" \n") == std::string::npos && reader.find("--config") != std::string::npos) {
      continue;  // a configuration may be empty
    }
    const auto answer = answer_of(reading(reader, path));
    CAPTURE(content, reader, answer.text);
    CHECK(is_refusal(answer));
    CHECK((answer.text.find(path) != std::string::npos || answer.text.find("--") == 0));
  }
}

TEST_CASE("UTF-16 is called that by every reader of text", "[tools][robustness]") {
  const Folder folder;
  const auto path = everywhere(folder, std::string("\xFF\xFE"
                                                   "a\0,\0b\0\n\0",
                                                   10));
  for (const auto& reader : readers) {
    if (reader.find("--images") != std::string::npos) {
      continue;  // of bytes
    }
    const auto answer = answer_of(reading(reader, path));
    CAPTURE(reader, answer.text);
    CHECK(answer.exit_code == 2);
    CHECK(answer.text.find("UTF-16; save the file as UTF-8") != std::string::npos);
  }
}

TEST_CASE("a cell that is no number, and one that is out of range, have one exit code each", "[tools][robustness]") {
  const Folder folder;
  const auto ask = [&](const std::string& command, const std::string& text) {
    const auto path = (folder.path / "given.csv").string();
    std::ofstream(path) << text;
    const auto answer = answer_of(reading(command, path));
    CAPTURE(command, text, answer.text);
    CHECK(answer.text.find(path) != std::string::npos);
    return answer.exit_code;
  };
  const std::string phases = "privacy dp-sgd --delta 1e-5 --phases FILE";
  const std::string run = "privacy dp-sgd --delta 1e-5 --reader log --sampling poisson --run FILE";
  const std::string head = "steps,noise_multiplier,sampling_rate\n";
  CHECK(ask(phases, head + "10,1,x\n") == 2);
  CHECK(ask(phases, "steps,sampling_rate\n10,0.1\n") == 2);
  CHECK(ask(phases, head + "10,1,2\n") == 3);
  CHECK(ask(run, head + "10,1,x\n") == 2);
  CHECK(ask(run, head + "10,1,2\n") == 3);
  CHECK(ask(run, head + "10,-1,0.1\n") == 3);
  const std::string strategy =
      "privacy correlated --noise-multiplier 1 --sampling-rate 1 --steps 2 --delta 1e-5 --strategy FILE";
  CHECK(ask(strategy, "1,0\n0.5,x\n") == 2);
  CHECK(ask(strategy, "1,0\n0.5\n") == 2);
  CHECK(ask(strategy, "1,0\n0,0\n") == 3);
  CHECK(ask(strategy, "1,1\n0,1\n") == 3);
  CHECK(ask("risk kan --data FILE", "x,y\n1,z\n") == 2);
  CHECK(ask("risk kan --data FILE", "x,y\n1,2\n") == 3);
}

TEST_CASE("any single byte is read or refused by every reader", "[tools][robustness]") {
  const Folder folder;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string content(1, static_cast<char>(byte));
    const auto refused = [](const std::function<void()>& read) {
      try {
        read();
      } catch (const UsageError&) {
      } catch (const DomainError&) {
      } catch (const DataError&) {
      }  // anything else fails the test
    };
    CAPTURE(byte);
    refused([&] { (void)tools::checks::entries(tools::parse_json(content, "x"), "x"); });
    refused([&] { (void)tools::checks::entries(tools::parse_toml(content, "x"), "x"); });
    refused([&] { (void)io::parse_csv(content, "x"); });
    refused([&] { (void)io::parse_csv(content, "x", io::Header::absent); });
    refused([&] { (void)io::parse_idx(content, "x", io::IdxKind::images); });
    for (const auto& algorithm : tools::algorithms()) {
      refused([&] { (void)tools::config_options(algorithm.options, tools::parse_toml(content, "x"), "x"); });
    }
  }
  SUCCEED();
}

TEST_CASE("files of a gigabyte are refused before they are read", "[tools][robustness]") {
  const Folder folder;
  const auto path = everywhere(folder, "");
  for (const char* ending : {"", ".toml", ".json"}) {
    std::filesystem::resize_file(path + ending, std::uintmax_t{1} << 30U);  // a hole: takes no room
  }
  for (const auto& reader : readers) {
    Answer answer;
    const double seconds = seconds_of([&] { answer = answer_of(reading(reader, path)); });
    CAPTURE(reader, answer.text);
    CHECK(answer.exit_code == 5);
    CHECK(answer.text.find(path) != std::string::npos);
    CHECK(answer.text.find("larger than") != std::string::npos);
    CHECK(seconds < 1.0);
  }
}

TEST_CASE("what never ends is read to the limit and no further", "[tools][robustness]") {
  const auto endless = run_program({"privacy", "gaussian", "--delta", "1e-5", "--config", "/dev/zero"});
  CHECK(endless.exit_code == 5);
  CHECK(endless.err.find("--config: cannot read /dev/zero: larger than 16 MiB") == 0);
  const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  CHECK_THROWS_WITH(io::read_descriptor(zero, "standard input", 1000),
                    Catch::Contains("cannot read standard input: larger than 1000 bytes"));
  ::close(zero);
}

TEST_CASE("directories, missing files and pipes as inputs", "[tools][robustness]") {
  const Folder folder;
  for (const char* ending : {"", ".toml", ".json"}) {
    std::filesystem::create_directory(folder.path / (std::string("folder") + ending));
  }
  for (const auto& reader : readers) {
    CAPTURE(reader);
    const auto directory = answer_of(reading(reader, (folder.path / "folder").string()));
    CHECK(directory.exit_code == 5);
    CHECK(directory.text.find("Is a directory") != std::string::npos);
    const auto missing = answer_of(reading(reader, (folder.path / "none").string()));
    CHECK(missing.exit_code == 5);
    CHECK(missing.text.find("No such file") != std::string::npos);
    const auto below = answer_of(reading(reader, "/dev/null/x"));
    CHECK(below.exit_code == 5);
    CHECK(below.text.find("Not a directory") != std::string::npos);
  }
  const auto piped = run_program(words("privacy gaussian --delta 1e-5 --config /dev/stdin"),
                                 "noise-multiplier = 1\ncompositions = 1\n");
  CHECK(piped.exit_code == 0);
}

TEST_CASE("documents of one repeated byte end at once", "[tools][robustness]") {
  constexpr std::size_t size = std::size_t{1} << 22U;
  for (const char byte : std::string("[{\"(1-.,#=\n \\'a\xff")) {
    CAPTURE(byte);
    const std::string text(size, byte);
    const double seconds = seconds_of([&] {
      CHECK_FALSE(refusal([&] { (void)tools::parse_json(text, "x"); }).empty());
      if (byte != '\n' && byte != ' ' && byte != '#') {
        CHECK_FALSE(refusal([&] { (void)tools::parse_toml(text, "x"); }).empty());
      }
      CHECK_FALSE(refusal([&] { (void)io::parse_csv(text, "x", io::Header::absent); }).empty());
      CHECK_FALSE(refusal([&] { (void)io::parse_idx(text, "x", io::IdxKind::images); }).empty());
    });
    CHECK(seconds < 2.0);
  }
}

TEST_CASE("nesting is bounded in every notation", "[tools][robustness]") {
  const auto repeated = [](const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t k = 0; k < times; ++k) {
      text += part;
    }
    return text;
  };
  constexpr std::size_t deep = 200000;
  CHECK(refusal([&] { (void)tools::parse_json(repeated("[", deep), "x"); }).find("nested deeper than 64") !=
        std::string::npos);
  CHECK(refusal([&] { (void)tools::parse_json(repeated("{\"a\":", deep), "x"); }).find("nested deeper than 64") !=
        std::string::npos);
  const auto toml = [&](const std::string& text) { return refusal([&] { (void)tools::parse_toml(text, "x"); }); };
  CHECK(toml("a" + repeated(".a", deep) + " = 1") == "x: a key of more than 100 parts");
  CHECK(toml("[a" + repeated(".a", deep) + "]") == "x: a key of more than 100 parts");
  CHECK(toml(repeated("\"=\".", deep) + "a = 1") == "x: a key of more than 100 parts");
  CHECK(toml("t = {b = \"\"\"\n\" \"\"\", " + repeated("'='.", deep) + "a = 1}") == "x: a key of more than 100 parts");
  CHECK_FALSE(toml("a = " + repeated("[", deep)).empty());
  CHECK_FALSE(toml(repeated("a = {", deep)).empty());
  CHECK(toml("a" + repeated(".a", 80) + " = 1") == "x: nested deeper than 64 levels");
  CHECK(toml("a" + repeated(".a", 60) + " = 1").empty());
  // Dots that are no keys.
  CHECK(toml("# " + repeated("e.g. ", deep) + "\na = [" + repeated("0.5, ", 1000) + "]\nb = '" +
             repeated("x.y.", 1000) + "'")
            .empty());
}

TEST_CASE("objects with very many keys and tables with very many columns end at once", "[tools][robustness]") {
  std::string json = "{\"k\":0", toml, line = "1", names = "n";
  for (int k = 0; k < 100000; ++k) {
    const std::string number = std::to_string(k);
    json += ",\"" + number + "\":0";
    toml += "k" + number + " = 0\n";
    line += ",1";
    names += ",n" + number;
  }
  const double seconds = seconds_of([&] {
    CHECK(refusal([&] { (void)tools::parse_json(json + "}", "x"); }) == "x: an object of more than 1000 keys");
    CHECK(refusal([&] { (void)tools::parse_toml(toml, "x"); }) == "x: a table of more than 1000 keys");
    CHECK(io::parse_csv(names + "\n" + line + "\n" + line + "\n", "x").all().size() == 100001);
  });
  CHECK(seconds < 3.0);
  const std::string commas(io::most_columns, ',');
  CHECK(refusal([&] { (void)io::parse_csv(commas, "x"); }) == "x, line 1: more than 1048576 columns");
  CHECK(refusal([&] { (void)io::parse_csv("a,b\n1," + std::string(5000, '1'), "x"); }) ==
        "x, line 2: a cell of more than 4096 bytes");
  CHECK(refusal([&] { (void)io::parse_csv("\"" + std::string(5000, '\n'), "x"); }).find("not closed") !=
        std::string::npos);
}

TEST_CASE("lists of a million numbers are read", "[tools][robustness]") {
  std::string list = "[0";
  for (int k = 1; k < 1000000; ++k) {
    list += ",1e-3";
  }
  list += "]";
  CHECK(tools::parse_json(list, "x").size() == 1000000);
  CHECK(tools::parse_toml("a = " + list, "x")["a"].size() == 1000000);
  const auto answer = run_program({"eval", "shifted-interpolation/gdp-delta"}, "{\"mu\": 1, \"eps\": " + list + "}");
  CHECK(answer.exit_code == 2);
  CHECK(answer.err.size() < 200);  // the list is not thrown back
}

TEST_CASE("no number that is none passes any option of any algorithm", "[tools][robustness]") {
  for (const auto& algorithm : tools::algorithms()) {
    for (const auto& option : algorithm.options) {
      if (option.kind == tools::OptionKind::text || option.kind == tools::OptionKind::texts ||
          option.kind == tools::OptionKind::flag) {
        continue;
      }
      const auto refused = [&](const std::string& text) {
        return refusal([&] { (void)tools::checked_options({option}, tools::RawOptions{{option.name, {text}}}); });
      };
      CAPTURE(algorithm.name, option.name);
      for (const char* text :
           {"", " ", "nan", "NaN", "-nan", "1e", "0x10", "1,5", "1 2", "--", "\xff", "1e9999999999x"}) {
        CAPTURE(text);
        CHECK(refused(text).find("--" + option.name + ": ") == 0);
      }
      const tools::Range range(option.range);
      for (const char* text : {"1e999", "-1e999", "1e-999"}) {  // neither infinity nor 0
        CAPTURE(text);
        CHECK(refused(text).find("--" + option.name + ": \"" + text + "\" is too ") == 0);
      }
      for (const char* text : {"-0", "99999999999999999999999999", "-inf"}) {
        double value = 0.0;
        CHECK(tools::read_number(text, value));
        const bool whole = option.kind != tools::OptionKind::count || std::isinf(value) || value == std::floor(value);
        CAPTURE(text, value);
        CHECK(refused(text).empty() == (range.contains(value) && whole));
      }
    }
  }
}

TEST_CASE("numbers beyond double keep their sign and their size", "[tools][range]") {
  double value = 0.0;
  const auto read = [&](const std::string& text) { return tools::read_number(text, value) ? value : std::nan(""); };
  CHECK(read("-1e999") == -std::numeric_limits<double>::infinity());
  CHECK(read("1e999") == std::numeric_limits<double>::infinity());
  CHECK(read("1" + std::string(400, '0') + "e-1") == std::numeric_limits<double>::infinity());
  CHECK(read("0." + std::string(400, '0') + "1") == 0.0);
  CHECK(read("-1e-999") == 0.0);
}

TEST_CASE("checks that run themselves, or wait for standard input, are refused", "[tools][checks]") {
  const Folder folder;
  const auto file = (folder.path / "self.toml").string();
  const auto command =
      GENERATE(as<std::string>{}, "eval --check ", "validate ", "eval shifted-interpolation/gdp-delta ");
  const bool reads = command.find("gdp") != std::string::npos;
  std::ofstream(file) << "[[check]]\nid = \"a\"\ncommand = \"" << command << (reads ? "" : file)
                      << "\"\nexpect = {value = \"x\", equals = 1}\n";
  const auto answer = run_program({"eval", "--check", file});
  CAPTURE(answer.out, answer.err);
  CHECK(answer.exit_code == 1);
  CHECK(answer.out.find("FAILED a: command: a check ") == 0);
}

TEST_CASE("infinity is expected as infinity, whatever the tolerance", "[tools][checks]") {
  using tools::checks::difference;
  CHECK(difference("x", "inf", "inf", {0.1, 0.0}).empty());
  CHECK_FALSE(difference("x", "inf", 5.0, {0.1, 0.0}).empty());
  CHECK_FALSE(difference("x", 5.0, "inf", {0.1, 0.0}).empty());
  CHECK_FALSE(difference("x", "inf", "-inf", {0.1, 0.0}).empty());
}

TEST_CASE("seeds are whole numbers below 2^64, and nothing else in silence", "[tools][robustness]") {
  const std::string line = "theorem list --seed ";
  for (const char* seed : {"-1", "18446744073709551616", "1e3", "1.5", "x"}) {
    const auto answer = answer_of(words(line + seed));
    CAPTURE(seed, answer.text);
    CHECK(answer.exit_code == 2);
    CHECK(answer.text.find("is no whole number in [0, 2^64)") != std::string::npos);
  }
  CHECK(answer_of(words(line + "18446744073709551615")).exit_code == 0);
}

TEST_CASE("every command reads its configuration", "[tools][robustness]") {
  const Folder folder;
  const auto file = (folder.path / "options.toml").string();
  const auto with = [&](const std::string& content, const std::string& line) {
    std::ofstream(file) << content;
    return answer_of(words(line + " --config " + file));
  };
  CHECK(with("paper = \"accountant\"\nformat = \"json\"", "theorem list").text.find("[") == 0);
  CHECK(with("format = \"json\"", "theorem list --format text").text.find("id ") == 0);
  const auto listed = with("list = true", "reproduce");
  CHECK(listed.exit_code == 0);
  CHECK(listed.text.find("accountant/table-1") != std::string::npos);
  CHECK(with("list = false", "reproduce").exit_code == 2);
  const auto seeded = with("seed = 7\npaths = 100\nformat = \"json\"",
                           "simulate noisy-gd --records 1 --sensitivity 1 --noise 1 --step-size 0.1 --steps 1");
  CHECK(seeded.text.find("\"seed\": 7") != std::string::npos);
  for (const char* wrong :
       {"seed = -1", "format = \"xml\"", "papper = \"accountant\"", "seed = [1]", "config = \"x\""}) {
    const auto answer = with(wrong, "theorem list");
    CAPTURE(wrong, answer.text);
    CHECK(answer.exit_code == 2);
    CHECK(answer.text.find("--config " + file + ": ") == 0);
  }
  CHECK(answer_of(words("validate --list --config /no/such/file.toml")).exit_code == 5);
}

TEST_CASE("names that are no commands are named, with the nearest that is", "[tools][robustness]") {
  const auto answer = answer_of({"privcy", "gaussian"});
  CHECK(answer.exit_code == 2);
  CHECK(answer.text.find("there is no \"privcy\"") != std::string::npos);
  CHECK(answer.text.find("did you mean privacy?") != std::string::npos);
  CHECK(answer_of({"privacy", "gausian"}).text.find("did you mean gaussian?") != std::string::npos);
  const std::string history = DPCURVES_SOURCE_DIR "/data/transcripts/opacus-01-rdp.json";
  CHECK(answer_of({"privacy", history}).text.find("dpcurves privacy --run " + history) != std::string::npos);
  const std::string budget = DPCURVES_SOURCE_DIR "/data/transcripts/opake-01-nested.json";
  CHECK(answer_of({"referee", budget}).text.find("dpcurves privacy --run " + budget) != std::string::npos);
}

TEST_CASE("errors name arguments, not functions of the library", "[tools][robustness]") {
  const auto answer = answer_of(words("privacy composition --component 10:0.1:1e308 --delta 1e-5"));
  CHECK(answer.exit_code == 3);
  CHECK(answer.text == "mu = 1e+308 is outside [0, 1e6]");
}

TEST_CASE("points that a margin leaves none of are refused", "[tools][robustness]") {
  const auto answer = answer_of(words("simulate kan --inputs 1000 --records 2 --paths 2 --iterates 2 --units 4"));
  CHECK(answer.exit_code == 3);
  CHECK(answer.text.find("--gap: margin = 0.15") == 0);
}
