// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <dpcurves/accounting/few_steps/line_bound.hpp>
#include <dpcurves/core/error.hpp>

namespace dpcurves::accounting::detail {
namespace {

// One half, walked outward: the density of its loss under the tilted alternative, in units of M(c), and the mass.
struct Walk {
  std::vector<double> t;
  std::vector<double> height;  // of the density of the loss
  std::vector<double> mass;    // up to here, rounded up
};

Walk walk(const HalfLaw& half, double exponent, double log_moment) {
  // null e^{exponent l} / M(c)
  const auto density = [&](double t) {
    const double x = half.observation(t);
    return std::exp(-0.5 * x * x + half.log_null(t) + exponent * half.loss(t) - log_moment) * 0.3989422804014327;
  };
  // The tilt moves the hump by at most exponent * steepness, and e^{exponent loss} <= e^{exponent largest}.
  const double tilt = std::max(exponent, 1.0);
  const double last = std::min(
      half.steepness() + std::min(tilt * half.steepness(), std::sqrt(2.0 * tilt * half.largest())) + 15.0, half.end());
  const double step = std::min(0.03, 0.1 / half.steepness());
  const auto steps = static_cast<long>(std::clamp(last / step, 16.0, 20000.0));
  Walk result;
  double previous = 0.0;
  for (long i = 0; i <= steps; ++i) {
    const double t = last * static_cast<double>(i) / static_cast<double>(steps);
    const double here = density(t);
    const double slope = half.slope(t);
    result.t.push_back(t);
    result.height.push_back(here == 0.0 ? 0.0 : here / slope);
    const double slice = i == 0 ? 0.0 : std::max(previous, here) * last / static_cast<double>(steps);
    result.mass.push_back(i == 0 ? 0.0 : result.mass.back() + slice);
    previous = here;
  }
  return result;
}

// Height at `begin` plus total variation beyond, or the same of what lies before.
double variation_beyond(const Walk& walk, std::size_t begin) {
  double total = walk.height[begin];
  for (std::size_t i = begin + 1; i < walk.height.size(); ++i) {
    total += std::abs(walk.height[i] - walk.height[i - 1]);
  }
  return total + walk.height.back();
}
double variation_before(const Walk& walk, std::size_t end) {
  double total = walk.height.front() + walk.height[end];
  for (std::size_t i = 1; i <= end; ++i) {
    total += std::abs(walk.height[i] - walk.height[i - 1]);
  }
  return total;
}

}  // namespace

std::vector<LineBound::Cut> LineBound::cuts_of(const LossLaw& law, double c, double log_moment) {
  // One integration by parts bounds what is no atom by the height at its ends plus the total variation of the density
  // of the loss, over w. Where the losses crowd (a small share, so that the loss hardly moves with the observation)
  // that is large, and it is better to take their mass as it is. The variation is from a fine walk, which can miss at
  // most the tops of the humps; 2 percent cover that.
  const double slack = 1.02;
  const Walk right = walk(law.right(), c + 1.0, log_moment);
  const Walk left = walk(law.left(), -c, log_moment);
  const double atom = std::exp(law.log_atom() - log_moment);
  std::vector<Cut> cuts{{atom, slack * (variation_beyond(right, 0) + variation_beyond(left, 0))}};
  // A half of bounded losses crowds at its far end, a half of unbounded ones at 0.
  const auto options = [](const HalfLaw& half, const Walk& w) {
    std::vector<Cut> found{{w.mass.back(), 0.0}};
    const bool bounded = std::isfinite(half.largest());
    for (std::size_t i = 0; i + 1 < w.t.size(); i += std::max<std::size_t>(1, w.t.size() / 16)) {
      found.push_back(bounded ? Cut{w.mass.back() - (i > 0 ? w.mass[i - 1] : 0.0), variation_before(w, i)}
                              : Cut{w.mass[i], variation_beyond(w, i)});
    }
    return found;
  };
  const std::vector<Cut> of_right = options(law.right(), right);
  const std::vector<Cut> of_left = options(law.left(), left);
  for (const Cut& r : of_right) {
    for (const Cut& l : of_left) {
      cuts.push_back({atom + slack * (r.still + l.still), slack * (r.variation + l.variation)});
    }
  }
  return cuts;
}

LineBound::LineBound(const Transform& transform, double c, const Deadline& deadline)
    : deadline_(deadline), gaussian_square_(transform.gaussian_mu() * transform.gaussian_mu()), c_(c) {
  log_moment_ = 0.5 * gaussian_square_ * c * (c + 1.0);
  second_ = gaussian_square_;
  for (const Part& part : transform.parts()) {
    const auto grid = moment_grid<double>(part.law, {.c = c, .target = 1e-6 / std::max(part.count, 1.0)}, &deadline);
    Line line{&part, grid.log_moment, part.law.log_atom() - grid.log_moment, {}, grid.longest, {}, {}};
    line.cuts = cuts_of(part.law, c, grid.log_moment);
    log_moment_ += part.count * grid.log_moment;
    second_ += part.count * grid.second();
    lines_.push_back(std::move(line));
  }
}

double LineBound::jumps(double w) const {
  double total = 0.0;
  for (const Line& line : lines_) {
    total += line.part->count * line.cuts.front().variation / w * std::exp(-line.log_atom);
  }
  return total;
}

double LineBound::analytic_bound(double w, bool every_cut) const {
  double total = -0.5 * gaussian_square_ * w * w;
  for (const Line& line : lines_) {
    double least = 1.0;
    for (const Cut& cut : line.cuts) {
      least = std::min(least, cut.still + cut.variation / w);
      if (!every_cut) {
        break;
      }
    }
    total += line.part->count * std::log(least);
  }
  return total;
}

double LineBound::analytic_end(double log_size, bool every_cut, double start) const {
  double w = start;
  while (analytic_bound(w, every_cut) > log_size) {
    w *= 1.25;
    if (!(w < 1e300)) {
      throw ConvergenceError("the integrand of the contour does not decay");
    }
  }
  return w;
}

std::vector<LineBound::Tier> LineBound::tiers(const Line& line, double w) {
  // Where |M| is far below M(c), few digits do, and losses beyond some turns of the phase may be taken as still.
  const double count = std::max(line.part->count, 1.0);
  const double finest = 1e-3 / count;
  std::vector<Tier> found;
  for (const double turns : {50.0, 400.0}) {
    if (turns / w < 0.5 * line.longest) {
      found.push_back({turns / w, std::min(0.1 / count, 0.02)});
    }
  }
  for (double target = 0.02; target > finest; target *= 0.01) {
    found.push_back({std::numeric_limits<double>::infinity(), target});
  }
  found.push_back({std::numeric_limits<double>::infinity(), finest});
  return found;
}

LineBound::Point LineBound::evaluate(Line& line, double w) const {
  const int power = static_cast<int>(std::ceil(std::log2(w)));
  const double top = std::exp2(power);
  const Tier tier = tiers(line, top)[static_cast<std::size_t>(line.tier[power])];
  auto found = line.grids.find(power);
  if (found == line.grids.end()) {
    found =
        line.grids
            .emplace(power,
                     moment_grid<double>(
                         line.part->law,
                         {.c = c_, .frequency = top, .target = tier.target, .lowest = 0.5 * top, .reach = tier.reach},
                         &deadline_, &line.log_moment))
            .first;
  }
  const MomentGrid<double>& grid = found->second;
  // By whole panels, so that a part of the sum errs no more than all of it; sorted into octaves of their largest loss.
  constexpr std::size_t points = 20;
  constexpr int octaves = 16;
  std::array<Piece, octaves> part{};
  for (std::size_t begin = 0; begin + points <= grid.loss.size(); begin += points) {
    const double largest = std::max(std::abs(grid.loss[begin]), std::abs(grid.loss[begin + points - 1]));
    const double octave = std::log2(std::min(tier.reach, line.longest) / largest);
    Piece& piece = part[static_cast<std::size_t>(
        std::clamp(octaves - 1 - static_cast<int>(std::min(octave, 100.0)), 0, octaves - 1))];
    for (std::size_t i = begin; i < begin + points; ++i) {
      const double l = grid.loss[i];
      const double half = std::sin(0.5 * w * l);
      const double sine = 2.0 * half * std::cos(0.5 * w * l);
      piece.mass += grid.sum[i];
      piece.re -= 2.0 * grid.sum[i] * half * half;
      piece.im += grid.difference[i] * sine;
      piece.slope_re += l * grid.difference[i] * (1.0 - 2.0 * half * half);
      piece.slope_im += l * grid.sum[i] * sine;
      piece.square += grid.sum[i] * l * l;
    }
  }
  Point point;
  Piece total;
  for (const Piece& piece : part) {
    if (piece.mass == 0.0) {
      continue;
    }
    total.mass += piece.mass;
    total.re += piece.re;
    total.im += piece.im;
    total.slope_re += piece.slope_re;
    total.slope_im += piece.slope_im;
    total.square += piece.square;
    point.pieces.push_back(total);
  }
  if (std::isinf(tier.reach)) {  // with the atom, all of it
    total.mass = 1.0;
    point.pieces.push_back(total);
  }
  point.error = grid.error(w) + 1e-15;
  point.slope_error = grid.slope_error(w);
  return point;
}

bool LineBound::refine(double w) {
  const int power = static_cast<int>(std::ceil(std::log2(w)));
  bool finer = false;
  for (Line& line : lines_) {
    int& tier = line.tier[power];
    if (static_cast<std::size_t>(tier) + 1 < tiers(line, std::exp2(power)).size()) {
      ++tier;
      line.grids.erase(power);
      finer = true;
    }
  }
  return finer;
}

double LineBound::bound_over(const std::vector<Point>& points, double w, double h) const {
  // Taylor: |M(w + h)| <= |M + h M'| + h^2/2 sup|M''|, M' taken along the line, and the same for all shorter steps,
  // because the right side is largest at one of the two ends of [0, h] (it is convex in the step). The same for the
  // part of M with small losses, the rest being at most its mass.
  double total = -0.5 * gaussian_square_ * w * w;
  for (std::size_t j = 0; j < points.size(); ++j) {
    double least = 0.0;
    for (const Piece& p : points[j].pieces) {
      const auto log_size = [&](double step) {
        const double re = p.re - step * p.slope_im;  // dM/dw = i M'(z)
        const double im = p.im + step * p.slope_re;
        const double square = (2.0 * p.mass + re) * re + im * im;  // |M|^2 - mass^2
        const double modulus = std::sqrt(std::max(0.0, p.mass * p.mass + square));
        const double less = square / (modulus + p.mass);  // |M| - mass
        return std::log1p(std::min(
            0.0, std::max(less + points[j].error + step * points[j].slope_error + 0.5005 * step * step * p.square,
                          -1.0 + 1e-300)));
      };
      least = std::min(least, std::max(log_size(0.0), log_size(h)));
    }
    total += lines_[j].part->count * least;
  }
  return total;
}

LineBound::Tail LineBound::tail(double log_size, double longest) {
  Tail tail;
  const double analytic = analytic_end(log_size, true, 0.05 * std::sqrt(-2.0 * log_size / second_));
  tail.analytic = analytic;
  // From `falling` on the bound at the first cut falls like 1/w towards the atoms' share; up to there it stays below
  // log_size.
  const double falling = analytic_end(log_size, false, analytic);
  double single = 0.0;
  double without_atom = 0.0;
  for (const Line& line : lines_) {
    const double atom = std::exp(line.log_atom);
    const double v = line.cuts.front().variation / falling;
    single += line.part->count * v / (atom + v);
    without_atom += atom == 0.0 ? line.part->count : 0.0;
  }
  if (without_atom > 0.0) {  // then the whole product falls like w to this power
    single = 1.0 / without_atom;
  }
  tail.beyond = std::log(falling / analytic) + single;
  if (gaussian_square_ > 0.0) {
    const double gaussian = 1.0 / (gaussian_square_ * analytic * analytic);
    tail.beyond = lines_.empty() ? gaussian : std::min(tail.beyond, gaussian);
  }
  double w = std::min(std::sqrt(-2.0 * log_size / second_), analytic);
  tail.end = w;
  std::vector<Point> points(lines_.size());
  double h = w;
  while (w < analytic) {
    for (std::size_t j = 0; j < lines_.size(); ++j) {
      points[j] = evaluate(lines_[j], w);
    }
    const double here = bound_over(points, w, 0.0);
    deadline_.check();
    h = std::min(2.0 * h, w);
    while (h > 0.01 * w && bound_over(points, w, h) > log_size) {
      h *= 0.6;
    }
    if ((here > log_size || h <= 0.01 * w) && refine(w)) {
      h = w;
      continue;
    }
    if (here > log_size || h <= 0.01 * w) {  // still too large here: the sum has to go further
      w *= here > log_size + 1.0 ? std::clamp(std::sqrt(log_size / std::min(here, -1.0)), 1.02, 1.5) : 1.03;
      tail.end = w;
      h = w;
      if (w > longest) {
        throw ConvergenceError("the integrand of the contour decays too slowly");
      }
      continue;
    }
    w += h;
  }
  tail.end = std::min(tail.end, analytic);
  if (tail.end > longest) {
    throw ConvergenceError("the integrand of the contour decays too slowly");
  }
  return tail;
}

}  // namespace dpcurves::accounting::detail
