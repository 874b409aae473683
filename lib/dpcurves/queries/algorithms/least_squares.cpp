// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/divergence/conversion.hpp>
#include <dpcurves/homogenized/contractive_pass.hpp>
#include <dpcurves/homogenized/detail/data_set_pairs.hpp>
#include <dpcurves/homogenized/hsgd_law.hpp>
#include <dpcurves/homogenized/renyi_loss.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/least_squares_file.hpp>
#include <dpcurves/queries/detail/range.hpp>
#include <dpcurves/queries/detail/swept_subject.hpp>
#include <dpcurves/queries/detail/words.hpp>
#include <dpcurves/queries/privacy.hpp>

namespace dpcurves::queries {
namespace {

using homogenized::HsgdLaw;
using homogenized::Release;
using homogenized::ReleaseKind;
using homogenized::RenyiLoss;

constexpr double low_share = 0.9;  // below it the added noise does not dominate the law's variance everywhere

struct LawKind {
  const char* name;
  ReleaseKind kind;
  const char* theorem;
  const char* title;
};

constexpr LawKind kinds[] = {
    {"last", ReleaseKind::last_iterate, "noisy-hsgd/theorem-4.3", "last iterate"},
    {"joint", ReleaseKind::joint, "noisy-hsgd/theorem-4.4", "several iterates, corrected form"},
    {"average", ReleaseKind::average, "noisy-hsgd/theorem-4.5", "average of iterates, corrected form"},
    {"joint-printed", ReleaseKind::joint_suffix, "noisy-hsgd/theorem-4.4",
     "several iterates, as printed: only a lower bound"}};

/// The problem with everything that stays the same for all releases.
struct Setting {
  ProblemFile file;
  std::vector<double> orders;
  std::vector<double> times;  ///< ascending
  double horizon = 0.0;       ///< T = n/d
  double accuracy = 1e-6;
  homogenized::PairFamily family;
  std::string pair_set;
  std::shared_ptr<homogenized::DataSetPairs> all_pairs;
  std::optional<double> clip;

  [[nodiscard]] double iteration(double time) const { return time * file.problem.dimension; }
};

/// The loss after one release time: of the iterate there, or of all up to there.
struct LossRow {
  double time = 0.0;
  RenyiLoss loss;
  double noise_share = 1.0;
  std::optional<homogenized::DataSetPairs::Worst> worst;  ///< for a record used half way

  [[nodiscard]] Enclosure at(std::size_t k) const {
    const Estimate& a = loss.forward[k];
    const Estimate& b = loss.backward[k];
    const auto ends = [](const Estimate& e) {
      return std::isinf(e.value) ? exactly(infinity) : clamp(around(e.value, e.error), 0.0, infinity);
    };
    return {std::max(ends(a).lower, ends(b).lower), std::max(ends(a).upper, ends(b).upper)};
  }
  [[nodiscard]] double limit() const { return std::min(loss.forward_limit, loss.backward_limit); }
};

models::RecordPair read_pair(const std::string& text, const std::vector<models::Record>& records) {
  std::istringstream stream(text);
  double place[2] = {-1.0, -1.0};
  std::string parts[2];
  if (!std::getline(stream, parts[0], ':') || !std::getline(stream, parts[1]) || !read_number(parts[0], place[0]) ||
      !read_number(parts[1], place[1])) {
    throw UsageError("--pair: \"" + text + "\" is not of the form I:J, two rows of the records counted from 0");
  }
  const auto record = [&](double k) -> const models::Record& {
    if (!(k >= 0.0 && k < static_cast<double>(records.size()) && k == std::floor(k))) {
      throw UsageError("--pair: row " + shortest(k) + " in \"" + text + "\" is outside the whole numbers [0, " +
                       std::to_string(records.size()) + ")");
    }
    return records[static_cast<std::size_t>(k)];
  };
  return {record(place[0]), record(place[1])};
}

void choose_pairs(Setting& setting, const Values& values) {
  const auto& records = setting.file.records;
  if (!setting.file.problem.has_coordinates()) {
    throw DomainError("x0: the loss of records needs x0 and xtilde as coordinates, not only their products per block");
  }
  if (records.size() < 2) {
    throw DomainError(
        "records: the problem file names no file of at least 2 records, and the loss is a supremum over pairs of them");
  }
  const auto listed = values.texts("pair");
  if (listed.empty()) {
    setting.all_pairs = std::make_shared<homogenized::DataSetPairs>(setting.file.problem, records);
    setting.family = *setting.all_pairs;
    setting.pair_set = "all " +
                       shortest(0.5 * static_cast<double>(records.size()) * static_cast<double>(records.size() - 1)) +
                       " pairs of the " + std::to_string(records.size()) + " records, both orientations";
    return;
  }
  std::vector<homogenized::PairProducts> products;
  for (const auto& text : listed) {
    products.push_back(homogenized::pair_products(setting.file.problem, read_pair(text, records)));
  }
  setting.family = homogenized::listed_pairs(std::move(products));
  setting.pair_set = std::to_string(listed.size()) + " listed pair" + (listed.size() == 1 ? "" : "s");
}

Setting read_setting(const Values& values) {
  Setting setting{read_problem_file(values.text("problem")),
                  values.numbers("renyi-order"),
                  {},
                  0.0,
                  values.number("accuracy"),
                  {},
                  "",
                  nullptr,
                  values.maybe("clip")};
  if (setting.orders.empty()) {
    throw UsageError("--renyi-order: is required");
  }
  const double dimension = setting.file.problem.dimension;
  const bool by_iteration = exactly_one(values, {"iterations", "times"}) == "iterations";
  setting.times = values.numbers(by_iteration ? "iterations" : "times");
  std::sort(setting.times.begin(), setting.times.end());
  setting.times.erase(std::unique(setting.times.begin(), setting.times.end()), setting.times.end());
  if (by_iteration) {
    for (double& time : setting.times) {
      time /= dimension;
    }
  }
  const auto in_file = static_cast<double>(setting.file.records.size());
  const double records = values.number_or("records", std::max(in_file, setting.iteration(setting.times.back())));
  setting.horizon = std::max(records / dimension, setting.times.back());
  const std::string name = by_iteration ? "--iterations: " : "--times: ";
  if (setting.iteration(setting.times.back()) > records * (1.0 + 1e-12)) {
    throw UsageError(name + shortest(by_iteration ? setting.iteration(setting.times.back()) : setting.times.back()) +
                     " is after the end of the pass over " + shortest(records) + " records");
  }
  if (setting.times.back() > setting.file.problem.schedule.end()) {
    throw DomainError(name + "the schedule ends at t = " + shortest(setting.file.problem.schedule.end()));
  }
  choose_pairs(setting, values);
  return setting;
}

std::vector<LossRow> losses(const HsgdLaw& law, const Setting& setting, ReleaseKind kind,
                            const std::vector<double>& orders, const Effort& effort) {
  const homogenized::LossCurve curve(law, kind, setting.times, setting.family);
  std::vector<LossRow> rows;
  for (std::size_t j = 0; j < setting.times.size(); ++j) {
    homogenized::LossQuery query{.orders = orders,
                                 .horizon = setting.horizon,
                                 .relative_accuracy = setting.accuracy,
                                 .threads = effort.threads,
                                 .progress = effort.progress};
    LossRow row{setting.times[j], curve.loss(j + 1, query), least_noise_share(*law.trajectory(), setting.times[j]),
                std::nullopt};
    if (setting.all_pairs) {
      row.worst =
          setting.all_pairs->worst(curve.release(j + 1).weights(law.state(0.5 * setting.times[j])), orders.front());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// (epsilon, delta) from the orders given; clamped at 0.
struct Approximate {
  Enclosure epsilon{infinity, infinity};
  double order = std::numeric_limits<double>::quiet_NaN();
};

Approximate approximate(const LossRow& row, const std::vector<double>& orders, double delta) {
  std::vector<divergence::RenyiPoint> low, high;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    low.push_back({orders[k], row.at(k).lower});
    high.push_back({orders[k], row.at(k).upper});
  }
  const auto best = divergence::balle(high, delta);
  return {{std::max(0.0, divergence::balle(low, delta).epsilon), std::max(0.0, best.epsilon)}, best.order};
}

/// Renyi loss of the clipped contraction baseline, where there is one.
std::optional<double> baseline(const Setting& setting, double order, double time) {
  const double iteration = std::round(setting.iteration(time));
  if (!setting.clip || iteration < 1.0) {
    return std::nullopt;
  }
  homogenized::ContractivePass pass{
      .step_size = setting.file.problem.step_size(0.0),
      .strong_convexity = setting.file.problem.regularisation,
      .sensitivity = 2.0 * *setting.clip,
      .noise = setting.file.problem.noise,
      .records = std::max(1.0, std::round(setting.horizon * setting.file.problem.dimension))};
  return shuffled_renyi(pass, order, std::min(iteration, pass.records));
}

void check_baseline(const Setting& setting) {
  const auto pieces = setting.file.problem.schedule.pieces();
  if (setting.clip && !(pieces.size() == 1 && pieces[0].least_rate == pieces[0].greatest_rate)) {
    throw DomainError("--clip: the clipped baseline is for a constant step size");
  }
}

std::vector<std::string> caveats(const Setting& setting, const std::vector<LossRow>& rows) {
  std::vector<std::string> lines{
      "law of linearised homogenised SGD, averaged over the other records: a model of the loss, no certified "
      "worst-case guarantee for a fixed data set",
      "supremum over " + setting.pair_set + "; records outside the file can lose more"};
  double share = 1.0;
  for (const auto& row : rows) {
    share = std::min(share, row.noise_share);
  }
  if (setting.file.problem.noise == 0.0) {
    lines.push_back("sigma = 0: nothing is private, every difference of records counts as seen");
  } else if (share < low_share) {
    lines.push_back("warning: only " + rounded(share, 3) +
                    " of the variance in the least covered direction is noise added for privacy, the rest is sampling "
                    "of the other records: the loss is not conservative");
  }
  return lines;
}

Record loss_record(const Setting& setting, const LawKind& kind, const LossRow& row, const std::vector<double>& deltas) {
  List orders;
  for (std::size_t k = 0; k < setting.orders.size(); ++k) {
    const auto ends_of = [](const Estimate& e) {
      return ends(std::isinf(e.value) ? exactly(infinity) : clamp(around(e.value, e.error), 0.0, infinity));
    };
    Record one{{"order", {setting.orders[k]}},
               {"loss", ends(row.at(k))},
               {"first_to_second", ends_of(row.loss.forward[k])},
               {"second_to_first", ends_of(row.loss.backward[k])}};
    if (const auto clipped = baseline(setting, setting.orders[k], row.time)) {
      one.add("clipped_baseline", {*clipped});
    }
    orders.push_back({std::move(one)});
  }
  Record record{
      {"iteration", {setting.iteration(row.time)}},
      {"time", {row.time}},
      {"renyi", {std::move(orders)}},
      {"order_limit",
       {Record{{"first_to_second", {row.loss.forward_limit}}, {"second_to_first", {row.loss.backward_limit}}}}},
      {"noise_share", {row.noise_share}}};
  if (row.worst) {
    record.add(
        "worst_pair",
        {Record{{"rows",
                 {List{{static_cast<std::int64_t>(row.worst->first)}, {static_cast<std::int64_t>(row.worst->second)}}}},
                {"divergence", {row.worst->divergence}},
                {"order", {setting.orders.front()}},
                {"record_used_at_time", {0.5 * row.time}}}});
  }
  List approximations;
  for (const double delta : deltas) {
    const auto found = approximate(row, setting.orders, delta);
    approximations.push_back({Record{{"delta", {delta}}, {"epsilon", ends(found.epsilon)}, {"order", {found.order}}}});
  }
  if (!approximations.empty()) {
    record.add("approximate", {std::move(approximations)});
  }
  record.add("release", {kind.kind == ReleaseKind::last_iterate ? "the iterate of this time"
                         : kind.kind == ReleaseKind::average    ? "the average of the iterates up to this time"
                                                                : "the iterates up to this time"});
  return record;
}

const char* method = "linear HSGD, Gauss-Kronrod over the time of the differing record";

List results_list(const Setting& setting, const LawKind& kind, const std::vector<LossRow>& rows,
                  const std::vector<double>& deltas) {
  const Value assumed = texts(caveats(setting, rows));
  List releases;
  for (const auto& row : rows) {
    releases.push_back({loss_record(setting, kind, row, deltas)});
  }
  const auto result = [&](std::optional<double> delta) -> Value {
    Record head,
        entry{{"theorem", {kind.theorem}}, {"title", {kind.title}}, {"applies", {true}}, {"violations", {List()}}};
    if (delta) {
      const Value epsilon = ends(approximate(rows.back(), setting.orders, *delta).epsilon);
      head.add("delta", {*delta});
      head.add("epsilon", epsilon);
      entry.add("epsilon", epsilon);
    }
    for (Record* one : {&head, &entry}) {
      one->add("mu", {});
      one->add("method", {method});
      one->add("certified", {false});
    }
    entry.add("assumed", assumed);
    head.add("theorem", {kind.theorem});
    head.add("all", {List{{std::move(entry)}}});
    head.add("pair_set", {setting.pair_set});
    head.add("releases", {releases});
    return {std::move(head)};
  };
  List results;
  for (const double delta : deltas) {
    results.push_back(result(delta));
  }
  if (deltas.empty()) {
    results.push_back(result(std::nullopt));
  }
  return results;
}

Table csv_rows(const Setting& setting, const std::vector<LossRow>& rows) {
  Table table;
  table.names = {"iteration",       "time",        "renyi_order", "lower", "upper", "first_to_second",
                 "second_to_first", "order_limit", "noise_share"};
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < setting.orders.size(); ++k) {
      std::vector<Cell> cells;
      for (const double number :
           {setting.iteration(row.time), row.time, setting.orders[k], row.at(k).lower, row.at(k).upper,
            row.loss.forward[k].value, row.loss.backward[k].value, row.limit(), row.noise_share}) {
        cells.push_back({shortest(number)});
      }
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

Table losses_table(const Setting& setting, const std::vector<LossRow>& rows) {
  Table table;
  table.names = {"iteration", "Renyi order", "loss <=", "D(1||2)", "D(2||1)", "order limit", "DP share"};
  if (setting.clip) {
    table.names.emplace_back("clipped baseline");
  }
  table.align.assign(table.names.size(), io::Align::right);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < setting.orders.size(); ++k) {
      std::vector<Cell> cells{{rounded(setting.iteration(row.time), 8)},
                              {shortest(setting.orders[k])},
                              {rounded_up(row.at(k).upper, 8)},
                              {rounded(row.loss.forward[k].value, 6)},
                              {rounded(row.loss.backward[k].value, 6)},
                              {rounded(row.limit(), 5)},
                              {rounded(row.noise_share, 3)}};
      if (setting.clip) {
        const auto clipped = baseline(setting, setting.orders[k], row.time);
        cells.push_back({clipped ? rounded(*clipped, 6) : "-"});
      }
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

std::string loss_remarks(const Setting& setting, const std::vector<LossRow>& rows, const std::vector<double>& deltas) {
  std::string text;
  for (const auto& row : rows) {
    for (const double delta : deltas) {
      const auto found = approximate(row, setting.orders, delta);
      text +=
          "iteration " + rounded(setting.iteration(row.time), 8) + ": epsilon = " + rounded_up(found.epsilon.upper, 6) +
          " at delta = " + shortest(delta) +
          (std::isnan(found.order) ? ": every order is at or above its limit" : ", by order " + shortest(found.order)) +
          "\n";
    }
  }
  const LossRow& last = rows.back();
  if (last.worst) {
    text += "worst pair of a record used half way to the last release: rows " + std::to_string(last.worst->first) +
            " and " + std::to_string(last.worst->second) + "\n";
  }
  for (std::size_t k = 0; k < setting.orders.size(); ++k) {
    if (std::isinf(last.at(k).upper) && setting.file.problem.noise > 0.0) {
      text += "order " + shortest(setting.orders[k]) + ": infinite, at or above the order limit " +
              rounded(last.limit(), 6) + " past which the mixed covariance is not positive definite\n";
    }
  }
  for (const auto& line : caveats(setting, rows)) {
    text += line + "\n";
  }
  return text;
}

/// The loss of each kind of release along the iterations, at the first order.
io::Plot losses_picture(const HsgdLaw& law, const Setting& setting, const Effort& effort) {
  io::Plot plot{.title = "Renyi loss of order " + shortest(setting.orders.front()) + " along one pass",
                .x = {"iteration (release time)", true, {}, {}},
                .legend = io::Legend::outside};
  double least = infinity, most = 0.0;
  for (const auto& [name, kind] : {std::pair{"all iterates up to here", ReleaseKind::joint},
                                   {"the same as printed", ReleaseKind::joint_suffix},
                                   {"last iterate", ReleaseKind::last_iterate},
                                   {"their average", ReleaseKind::average}}) {
    std::vector<double> x, y;
    for (const auto& row : losses(law, setting, kind, {setting.orders.front()}, effort)) {
      x.push_back(setting.iteration(row.time));
      y.push_back(row.at(0).upper);
    }
    for (const double loss : y) {
      least = std::isfinite(loss) && loss > 0.0 ? std::min(least, loss) : least;
      most = std::isfinite(loss) ? std::max(most, loss) : most;
    }
    plot.series.push_back(io::points(name, x, y));  // between them nothing is promised
  }
  constexpr double narrow = 20.0;
  const bool wide = most > narrow * least;
  plot.y = {"Renyi loss (nats)", wide, wide ? std::nullopt : std::optional(0.0), {}};
  return plot;
}

Report least_squares_answer(const std::vector<Option>& table, const Values& values, const Effort& effort) {
  const std::string chosen = values.text("release");
  const LawKind& kind =
      *std::find_if(std::begin(kinds), std::end(kinds), [&](const LawKind& k) { return chosen == k.name; });
  const Setting setting = read_setting(values);
  check_baseline(setting);
  const HsgdLaw law(setting.file.problem, setting.times.back());
  const auto rows = losses(law, setting, kind.kind, setting.orders, effort);
  const auto deltas = values.numbers("delta");
  Report report{.schema = "dpcurves/privacy/1", .inputs = values.echo(table)};
  report.inputs.add("algorithm", {"noisy-least-squares"});
  report.results = {{"seed", {}}, {"wall_seconds", {}}, {"results", {results_list(setting, kind, rows, deltas)}}};
  report.blocks = {
      {std::string("noisy-least-squares, ") + kind.title + " (" + kind.theorem + ")\n", losses_table(setting, rows)},
      {loss_remarks(setting, rows, deltas), std::nullopt}};
  report.rows = csv_rows(setting, rows);
  if (values.has("plot") || effort.pictures) {
    report.plot = losses_picture(law, setting, effort);
    add_caption(*report.plot, report.inputs, {"release", "renyi_order", "iterations", "times", "algorithm"});
  }
  return report;
}

}  // namespace

Subject privacy_of_noisy_least_squares() {
  Subject one;
  one.name = "noisy-least-squares";
  one.summary = "one pass of noisy SGD on least squares: Renyi loss of three releases";
  one.footer =
      "Several release times: with last each is its own release, with joint and average a row is the release of all\n"
      "iterates up to it. The epsilon is that of a model averaged over the other records: no certified guarantee.\n"
      "Example:\n  dpcurves privacy noisy-least-squares --problem data/examples/noisy-least-squares.json \\\n"
      "      --release last --renyi-order 2,4,8,16 --iterations 10,30,100,200 --delta 1e-5\n";
  one.footer += problem_file_help();
  one.table = {
      {"problem", OptionKind::text, "", "JSON file of the problem, which names a file of records", "Required"},
      {"release", OptionKind::text, "last|joint|average|joint-printed", "what is published of the run", "Required"},
      {"renyi-order", OptionKind::numbers, "(1, inf)", "orders of the loss", "Required"},
      {"iterations", OptionKind::numbers, "[0, inf)", "release times as iterations k"},
      {"times", OptionKind::numbers, "[0, inf)", "the same as times t = k/d"},
      {"records", OptionKind::count, "[1, inf)", "records n in the pass, default: those of the file"},
      {"pair", OptionKind::texts, "", "I:J, rows of the records from 0, repeatable; default: all pairs"},
      {"accuracy", OptionKind::number, "(0, 1) = 1e-6", "wanted relative error of the quadrature"},
      {"delta", OptionKind::numbers, "(0, 1)", "compute epsilon for these delta from the orders given", "Question"},
      {"clip", OptionKind::number, "(0, inf)", "compare with the contraction bound of steps clipped here", "Question"},
      plot_option("draw the loss of all releases", "Question")};
  one.answer = [table = one.table](const Values& values, const Effort& effort) {
    return least_squares_answer(table, values, effort);
  };
  return with_sweep(std::move(one), [](const Report&) {
    return SweptPicture{"Renyi loss of one pass", "Renyi loss (nats)", "upper", "iteration,renyi_order",
                        "iteration,renyi_order,upper,order_limit,noise_share"};
  });
}

}  // namespace dpcurves::queries
