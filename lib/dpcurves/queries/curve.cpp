// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <dpcurves/catalogue/catalogue.hpp>
#include <dpcurves/core/detail/constants.hpp>
#include <dpcurves/core/detail/format.hpp>
#include <dpcurves/core/detail/mapped.hpp>
#include <dpcurves/core/error.hpp>
#include <dpcurves/io/plot.hpp>
#include <dpcurves/queries/curve.hpp>
#include <dpcurves/queries/detail/caption.hpp>
#include <dpcurves/queries/detail/promises.hpp>
#include <dpcurves/queries/detail/run_options.hpp>
#include <dpcurves/queries/detail/setting.hpp>

namespace dpcurves::queries {
namespace {

using accounting::CurvePtr;
using accounting::Guarantee;

enum class Shape { tradeoff, profile, renyi };

struct ShapeInfo {
  Shape shape;
  const char* name;
  const char* summary;
  const char* abscissa;  ///< column of the CSV form
  const char* x_label;
  const char* y_label;
};

constexpr ShapeInfo shapes[] = {
    {Shape::tradeoff, "tradeoff", "type II error against type I error", "type_one_error", "type I error",
     "type II error"},
    {Shape::profile, "profile", "delta against epsilon", "epsilon", "epsilon", "delta"},
    {Shape::renyi, "renyi", "Renyi divergence against its order", "renyi_order", "Renyi order", "Renyi divergence"}};

/// One theorem's curve: all that is known of it over the targets that its free parameters were chosen for.
struct Traced {
  std::string theorem;
  std::string title;
  CurvePtr curve;
  bool dominated = false;  ///< by another one: not needed for the best
  Value setting;           ///< what it is about
};

/// Theorems with free parameters choose them for a target; a whole curve is the best over several targets.
std::vector<Traced> trace(const Algorithm& algorithm, const Values& values) {
  std::vector<Traced> traced;
  std::vector<std::vector<CurvePtr>> parts;
  std::string reasons, approximation;
  const std::vector<double> deltas = algorithm.chooses_for_target ? std::vector{1e-2, 1e-5, 1e-10} : std::vector{1e-5};
  for (const double delta : deltas) {
    for (const Guarantee& guarantee : algorithm.guarantees(values, {std::nullopt, delta, {}, {}})) {
      const auto wanted = values.texts("theorem");
      const bool named = std::any_of(wanted.begin(), wanted.end(),
                                     [&](const auto& id) { return catalogue::means(id, guarantee.theorem); });
      const bool needless = guarantee.dominated && !named;
      if (named && !guarantee.certified) {
        approximation = guarantee.theorem;
      }
      if (!guarantee.applies() || !guarantee.certified || (!guarantee.unsaid.empty() && !named) || needless) {
        reasons += lacking_text(guarantee);
        continue;
      }
      auto known =
          std::find_if(traced.begin(), traced.end(), [&](const Traced& t) { return t.theorem == guarantee.theorem; });
      if (known == traced.end()) {
        traced.push_back({guarantee.theorem, guarantee.title, nullptr, guarantee.dominated, setting_value(guarantee)});
        parts.emplace_back();
        known = traced.end() - 1;
      }
      auto& curves = parts[static_cast<std::size_t>(known - traced.begin())];
      if (curves.empty() || !guarantee.note.empty()) {  // without a choice for the target it is the curve that is there
        curves.push_back(guarantee.curve);
      }
    }
  }
  if (traced.empty()) {
    throw DomainError("no theorem applies:" + reasons);
  }
  if (!approximation.empty()) {
    std::string known;
    for (const Traced& one : traced) {
      known += (known.empty() ? "" : ", ") + one.theorem;
    }
    throw UsageError("--theorem: " + approximation + " is an approximation and no bound; with a curve here: " + known);
  }
  for (std::size_t i = 0; i < traced.size(); ++i) {
    traced[i].curve = parts[i].size() == 1 ? parts[i].front() : accounting::best_curve(parts[i]);
  }
  return traced;
}

std::vector<double> spaced(double first, double last, std::size_t points, bool logarithmic) {
  std::vector<double> x(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double part = points == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(points - 1);
    x[i] = logarithmic ? first * std::pow(last / first, part) : first + part * (last - first);
  }
  x.back() = last;
  return x;
}

/// The abscissas: --from, --to and --spacing, with defaults that show the interesting part of the curve.
std::vector<double> abscissas(Shape shape, const Values& values, const CurvePtr& curve) {
  const auto points = values.count("points");
  const bool logarithmic = values.text_or("spacing", shape == Shape::renyi ? "log" : "linear") == "log";
  double first = shape == Shape::renyi ? 1.01 : 0.0;
  double last = shape == Shape::renyi ? 100.0 : 1.0;
  if (shape == Shape::tradeoff && logarithmic) {
    first = 1e-12;
  }
  if (shape == Shape::profile && !values.has("to")) {
    constexpr double smallest_delta = 1e-12;
    const double reach = curve->epsilon(smallest_delta).value.upper;
    last = std::isfinite(reach) && reach > 0.0 ? reach : 1.0;
  }
  if (shape == Shape::profile && logarithmic) {
    first = 1e-3 * last;
  }
  first = values.number_or("from", first);
  last = values.number_or("to", last);
  const bool in_range = shape == Shape::tradeoff ? first >= 0.0 && last <= 1.0 : shape != Shape::renyi || first > 1.0;
  if (!(first < last) || !in_range) {
    throw UsageError(std::string("--from and --to: need from < to, within ") + (shape == Shape::tradeoff ? "[0, 1]"
                                                                                : shape == Shape::renyi
                                                                                    ? "(1, inf)"
                                                                                    : "(-inf, inf)"));
  }
  if (logarithmic && !(first > 0.0)) {
    throw UsageError("--from: must be in (0, inf) with --spacing log");
  }
  return spaced(first, last, points, logarithmic);
}

std::vector<Enclosure> evaluate(Shape shape, const CurvePtr& curve, const std::vector<double>& x) {
  switch (shape) {
    case Shape::tradeoff:
      return curve->type_two_errors(x);
    case Shape::profile:
      return curve->deltas(x);
    case Shape::renyi: {
      return mapped(x, [&](double order) { return curve->renyi(order); });
    }
  }
  return {};
}

/// A column of numbers under a name.
using Column = std::pair<std::string, std::vector<double>>;

void add_curve_columns(std::vector<Column>& columns, const std::string& prefix, const std::vector<Enclosure>& y) {
  std::vector<double> lower;
  std::vector<double> upper;
  for (const Enclosure& value : y) {
    lower.push_back(value.lower);
    upper.push_back(value.upper);
  }
  columns.emplace_back(prefix + "lower", std::move(lower));
  columns.emplace_back(prefix + "upper", std::move(upper));
}

Table as_rows(const std::vector<Column>& columns) {
  Table table;
  table.rows.resize(columns.front().second.size());
  for (const auto& [name, values] : columns) {
    table.names.push_back(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      table.rows[i].push_back({shortest(values[i])});
    }
  }
  return table;
}

/// The end that may be promised: lower for a trade-off function, upper for delta and Renyi.
std::vector<double> promised_ends(Shape shape, const std::vector<Enclosure>& y) {
  return mapped(y, [&](const Enclosure& value) { return shape == Shape::tradeoff ? value.lower : value.upper; });
}

/// A curve of promised ends by steps on its safe side, fine enough to look smooth.
io::Series drawn_curve(Shape shape, const Traced& one, std::vector<double> x, const io::Axis& axis) {
  constexpr std::size_t most = 800;
  constexpr double share = 1.0 / 250.0;  // of the height
  std::vector<double> y = promised_ends(shape, evaluate(shape, one.curve, x));
  for (bool finer = true; finer && x.size() < most;) {
    finer = false;
    const auto height = [&](double value) { return axis.logarithmic ? std::log(std::max(value, 1e-300)) : value; };
    double low = infinity, high = -infinity;
    for (const double value : y) {
      if (std::isfinite(value)) {
        low = std::min(low, height(value));
        high = std::max(high, height(value));
      }
    }
    std::vector<double> more;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const bool jump = std::isfinite(y[i]) && std::isfinite(y[i + 1]) &&
                        std::abs(height(y[i + 1]) - height(y[i])) > share * (high - low);
      const bool narrow = x[i + 1] - x[i] < 1e-4 * (x.back() - x.front());
      if (jump && !narrow) {
        more.push_back(x[i] > 0.0 && x[i + 1] > 2.0 * x[i] ? std::sqrt(x[i] * x[i + 1]) : 0.5 * (x[i] + x[i + 1]));
      }
    }
    if (!more.empty()) {
      const auto values = promised_ends(shape, evaluate(shape, one.curve, more));
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 0; i < x.size(); ++i) {
        points.emplace_back(x[i], y[i]);
      }
      for (std::size_t i = 0; i < more.size(); ++i) {
        points.emplace_back(more[i], values[i]);
      }
      std::sort(points.begin(), points.end());
      x.clear();
      y.clear();
      for (const auto& [at, value] : points) {
        x.push_back(at);
        y.push_back(value);
      }
      finer = true;
    }
  }
  return io::steps(legend_of(one.title, one.theorem), x, y,
                   shape == Shape::tradeoff ? io::Side::below : io::Side::above);
}

io::Plot curve_picture(const ShapeInfo& info, const Algorithm& algorithm, const std::vector<double>& x,
                       const std::vector<Traced>& traced, bool logarithmic) {
  io::Plot plot;
  plot.title = algorithm.name + ": " + info.summary;
  plot.x.label = info.x_label;
  plot.y.label = info.y_label;
  plot.y.logarithmic = info.shape != Shape::tradeoff;
  plot.x.logarithmic = logarithmic;
  for (const Traced& one : traced) {
    plot.series.push_back(drawn_curve(info.shape, one, x, plot.y));
  }
  if (info.shape == Shape::tradeoff) {
    std::vector<double> perfect;
    std::transform(x.begin(), x.end(), std::back_inserter(perfect), [](double a) { return 1.0 - a; });
    plot.series.push_back(io::dashed("perfect privacy", x, perfect));
    plot.x.lowest = x.front();
    plot.x.highest = x.back();
    plot.y.lowest = 0.0;
    plot.y.highest = 1.0;
  }
  return plot;
}

Report curve_answer(const ShapeInfo& info, const Algorithm& algorithm, const std::vector<Option>& table, Values values,
                    const Effort& effort) {
  if (algorithm.complete) {
    algorithm.complete(values, table);
  }
  const std::vector<Traced> traced = trace(algorithm, values);
  std::vector<CurvePtr> all;
  for (const Traced& one : traced) {
    if (!one.dominated) {
      all.push_back(one.curve);
    }
  }
  const CurvePtr best = all.size() == 1 ? all.front() : accounting::best_curve(all);
  const std::vector<double> x = abscissas(info.shape, values, best);
  std::vector<Column> columns{{info.abscissa, x}};
  const std::vector<Enclosure> values_of_best = evaluate(info.shape, best, x);
  if (info.shape == Shape::renyi && std::all_of(values_of_best.begin(), values_of_best.end(),
                                                [](const Enclosure& one) { return std::isinf(one.upper); })) {
    throw DomainError("no theorem bounds the Renyi divergences of this run; curve tradeoff and curve profile answer");
  }
  add_curve_columns(columns, "", values_of_best);
  for (const auto& id : values.texts("theorem")) {
    const auto found =
        std::find_if(traced.begin(), traced.end(), [&](const Traced& t) { return catalogue::means(id, t.theorem); });
    if (found == traced.end()) {
      std::string known;
      for (const Traced& one : traced) {
        known += (known.empty() ? "" : ", ") + one.theorem;
      }
      throw UsageError("--theorem: \"" + id + "\" is none of those that apply here: " + known);
    }
    add_curve_columns(columns, found->theorem + "_", evaluate(info.shape, found->curve, x));
  }
  Report report{.schema = "dpcurves/curve/1", .inputs = values.echo(table)};
  if (values.has("plot") || effort.pictures) {
    const bool logarithmic = values.text_or("spacing", info.shape == Shape::renyi ? "log" : "linear") == "log";
    report.plot = curve_picture(info, algorithm, x, traced, logarithmic);
    add_caption(*report.plot, report.inputs, {"from", "to", "points", "spacing"});
  }
  report.inputs.add("algorithm", {algorithm.name});
  report.inputs.add("curve", {std::string(info.name)});
  if (values.has(transcript_key)) {
    report.results.add(transcript_key, values.value(transcript_key));
  }
  add_run(report.results, algorithm, values);
  if (!traced.front().setting.null()) {
    report.results.add("setting", traced.front().setting);
  }
  report.rows = as_rows(columns);
  Record results;
  for (auto& [name, numbers] : columns) {
    results.add(name, {std::move(numbers)});
  }
  report.results.add("seed", {});
  report.results.add("wall_seconds", {});
  if (info.shape != Shape::profile) {
    const auto methods = best->methods();
    report.results.add("method", {info.shape == Shape::tradeoff ? methods.tradeoff : methods.renyi});
  }
  report.results.add("results", {std::move(results)});
  return report;
}

/// curve attack ALGORITHM.
Report attack_answer(const Algorithm& algorithm, const std::vector<Option>& table, Values values,
                     const Effort& effort) {
  const double first = values.number("from"), last = values.number("to");
  const bool logarithmic = values.text("spacing") == "log";
  if (!(first < last) || (logarithmic && !(first > 0.0))) {
    throw UsageError("--from and --to: need from < to, within [0, 1], above 0 with --spacing log");
  }
  const auto points = values.count("points");
  auto report = attack_curve(promises(algorithm, values, table), spaced(first, last, points, logarithmic),
                             values.has("plot") || effort.pictures);
  report.inputs.add("curve", {"attack"});
  add_run(report.results, algorithm, values);
  finish(report, values);
  return report;
}

Subject curve_subject(const std::string& kind, const Algorithm& algorithm) {
  Subject one{.name = algorithm.name,
              .summary = algorithm.summary,
              .footer = "Example:\n  dpcurves curve " + kind + " " + algorithm.name + " " + algorithm.example +
                        " --plot " + (kind == "attack" ? "roc.svg" : "curve.svg"),
              .table = curve_options(algorithm),
              .formats = "csv|json"};
  const Option plot = plot_option();
  const Option points{"points", OptionKind::count, "[2, 1000000] = 101", "number of points"};
  if (kind == "attack") {
    add_options(one.table,
                {points,
                 {"from", OptionKind::number, "[0, 1] = 1e-12", "first false positive rate"},
                 {"to", OptionKind::number, "[0, 1] = 1", "last false positive rate"},
                 {"spacing", OptionKind::text, "linear|log = log", "of the rates"},
                 plot},
                "Curve");
    one.answer = [&algorithm, table = one.table](const Values& values, const Effort& effort) {
      return attack_answer(algorithm, table, values, effort);
    };
    return one;
  }
  add_options(one.table,
              {points,
               {"from", OptionKind::number, "(-inf, inf)", "first abscissa"},
               {"to", OptionKind::number, "(-inf, inf)", "last abscissa"},
               {"spacing", OptionKind::text, "linear|log", "of the abscissas"},
               {"theorem", OptionKind::texts, "", "add columns for this theorem"},
               plot},
              "Curve");
  const ShapeInfo& info =
      *std::find_if(std::begin(shapes), std::end(shapes), [&](const auto& s) { return kind == s.name; });
  one.answer = [&info, &algorithm, table = one.table](const Values& values, const Effort& effort) {
    return curve_answer(info, algorithm, table, values, effort);
  };
  return one;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& curve_kinds() {
  static const std::vector<std::pair<std::string, std::string>> all = [] {
    std::vector<std::pair<std::string, std::string>> list;
    for (const ShapeInfo& info : shapes) {
      list.emplace_back(info.name, info.summary);
    }
    list.emplace_back("attack", "largest true positive rate against false positive rate");
    return list;
  }();
  return all;
}

const std::vector<Subject>& curve_subjects(const std::string& kind) {
  static const std::map<std::string, std::vector<Subject>> all = [] {
    std::map<std::string, std::vector<Subject>> lists;
    for (const auto& [name, summary] : curve_kinds()) {
      for (const auto& algorithm : algorithms()) {
        lists[name].push_back(curve_subject(name, algorithm));
      }
    }
    return lists;
  }();
  const auto found = all.find(kind);
  if (found == all.end()) {
    throw UsageError("curve: \"" + kind + "\" is not one of tradeoff, profile, renyi, attack");
  }
  return found->second;
}

Report curve(const Record& question, const Effort& effort) {
  Record rest;
  for (const auto& [name, value] : question.entries()) {
    if (name != "curve") {
      rest.add(name, value);
    }
  }
  const auto* kind = question.at("curve").get<std::string>();
  return ask(curve_subjects(kind == nullptr ? "" : *kind), "algorithm", rest, effort);
}

}  // namespace dpcurves::queries
