// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves-verify FILE proves the claim of a certificate (schema dpcurves/certificate/1) again, in ball arithmetic and
// by the lemmas of docs/theory/accountant/proof.md. It shares no code with the library and believes nothing of a plan:
// every condition is checked. Exit 0: proved, 1: not proved, 2: no certificate.
#include <acb.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Unreadable : std::runtime_error { using std::runtime_error::runtime_error; };
struct Refused : std::runtime_error { using std::runtime_error::runtime_error; };
void demand(bool holds, const std::string& what) { if (!holds) throw Refused(what); }

// ---- JSON as texts by path: "/composition/components/0/mu/hex". No escapes: a certificate has none.
class Json {
 public:
  explicit Json(std::string text) : text_(std::move(text)) {
    read("");
    if (!next().empty()) fail("an end");
  }
  [[nodiscard]] bool has(const std::string& path) const {  // or what begins so
    const auto it = values_.lower_bound(path);
    return it != values_.end() && it->first.rfind(path, 0) == 0;
  }
  [[nodiscard]] std::string text(const std::string& path) const {
    const std::string t = values_.count(path) == 0 ? fail(path) : values_.at(path);
    return t[0] == '"' ? t.substr(1, t.size() - 2) : t;
  }
  [[nodiscard]] double number(const std::string& path) const {  // "0x1.8p-3", a literal, or both
    const bool both = has(path + "/hex");
    const std::string t = text(both ? path + "/hex" : path);
    char* end = nullptr;
    const double value = std::strtod(t.c_str(), &end);
    if (t.empty() || *end != '\0' || !std::isfinite(value)) fail("a number " + path);
    if (both && value != number(path + "/value")) fail("one value of " + path);
    return value;
  }
  [[nodiscard]] long integer(const std::string& path) const {
    const double value = number(path);
    return value >= 0.0 && value <= 1e7 && value == std::floor(value) ? static_cast<long>(value) : (fail(path), 0);
  }

 private:
  [[noreturn]] static std::string fail(const std::string& what) { throw Unreadable(what); }
  std::string next() {
    static const std::regex token(R"re(\s*("[^"\\]*"|[-+.0-9Ee]+|[{}\[\],:]|$))re");
    std::smatch match;
    const auto flags = std::regex_constants::match_continuous;
    if (!std::regex_search(text_.cbegin() + at_, text_.cend(), match, token, flags)) fail("JSON");
    at_ += match.length();
    return match[1];
  }
  bool passed(const std::string& token) {  // is it the next one? Then it is passed
    const std::ptrdiff_t before = at_;
    return next() == token || (at_ = before, false);
  }
  void read(const std::string& path) {
    const std::string value = next(), close = value == "{" ? "}" : "]";
    if (value.empty() || value.find_first_of("}],:") == 0 || path.size() > 200) fail("a value");
    if (value != "{" && value != "[") return values_.emplace(path, value).second ? void() : void(fail("one " + path));
    for (int k = 0; !passed(close); ++k) {
      if (k > 0 && !passed(",")) fail("a comma");
      const std::string key = value == "{" ? next() : '"' + std::to_string(k) + '"';
      if (key[0] != '"' || key.find('/') != key.npos || (value == "{" && !passed(":"))) fail("a plain name");
      read(path + "/" + key.substr(1, key.size() - 2));
    }
  }
  std::string text_;
  std::ptrdiff_t at_ = 0;
  std::map<std::string, std::string> values_;
};

// ---- complex balls; most are real
slong bits = 128;
struct B {
  acb_t x;
  B(double v = 0.0) { acb_init(x); acb_set_d(x, v); }
  B(const B& o) { acb_init(x); acb_set(x, o.x); }
  B& operator=(const B& o) { acb_set(x, o.x); return *this; }
  ~B() { acb_clear(x); }
  [[nodiscard]] arb_ptr re() { return acb_realref(x); }
  [[nodiscard]] arb_srcptr re() const { return acb_realref(x); }
};
#define BALL(signature, ...) inline B signature { B r; __VA_ARGS__; return r; }
#define UNARY(name) BALL(name(const B& a), acb_##name(r.x, a.x, bits))
BALL(operator+(const B& a, const B& b), acb_add(r.x, a.x, b.x, bits))
BALL(operator-(const B& a, const B& b), acb_sub(r.x, a.x, b.x, bits))
BALL(operator*(const B& a, const B& b), acb_mul(r.x, a.x, b.x, bits))
BALL(operator/(const B& a, const B& b), acb_div(r.x, a.x, b.x, bits))
UNARY(exp) UNARY(log) UNARY(log1p) UNARY(expm1) UNARY(sqrt) UNARY(sinh) UNARY(cosh) UNARY(cos) UNARY(sin)
BALL(re(const B& a), arb_set(r.re(), a.re()))
BALL(im(const B& a), arb_set(r.re(), acb_imagref(a.x)))
BALL(times_i(const B& a), acb_mul_onei(r.x, a.x))
BALL(middle(const B& a), acb_get_mid(r.x, a.x))
BALL(size(const B& a), acb_get_abs_ubound_arf(arb_midref(r.re()), a.x, bits))        // at least |a|; exact
BALL(least_size(const B& a), acb_get_abs_lbound_arf(arb_midref(r.re()), a.x, bits))  // at most |a|; exact
BALL(top(const B& a), arb_get_ubound_arf(arb_midref(r.re()), a.re(), bits))
BALL(hull(const B& a, const B& b), arb_union(r.re(), a.re(), b.re(), bits))
BALL(erf(const B& a), arb_hypgeom_erf(r.re(), a.re(), bits))
BALL(tail(const B& a), arb_hypgeom_erfc(r.re(), (a / sqrt(B(2))).re(), bits); r = r / 2)  // P(N(0, 1) > a)
BALL(pi(), arb_const_pi(r.re(), bits))
BALL(power(const B& a, double n), fmpz_t k; fmpz_init(k); fmpz_set_d(k, n); acb_pow_fmpz(r.x, a.x, k, bits); fmpz_clear(k))
BALL(unit(), r = hull(0, 1))
bool operator<(const B& a, const B& b) { return arb_lt(a.re(), b.re()) != 0; }    // certainly
bool operator<=(const B& a, const B& b) { return arb_le(a.re(), b.re()) != 0; }
double up(const B& a) { return arb_is_finite(a.re()) != 0 ? arf_get_d(arb_midref(top(a).re()), ARF_RND_CEIL) : HUGE_VAL; }
double low(const B& a) { return -up(B() - a); }

void add(B& sum, double v, double times = 1.0) {  // e^v times a number to the radius of the sum, rounded up
  static mag_t e, f;
  v >= 0.0 ? mag_set_d(e, v) : mag_set_d_lower(e, std::min(-v, 1e15));
  v >= 0.0 ? mag_exp(e, e) : mag_expinv(e, e);
  if (!(v < 1e15)) mag_inf(e);
  mag_set_d(f, times);
  mag_addmul(arb_radref(sum.re()), e, f);
}

// ---- the laws
struct Piece { int a, n; bool half; };
struct Step { std::string pair; double q, mu, count; std::vector<Piece> pieces; };
struct Problem { std::vector<Step> steps; B g2; };

B atom(const Step& s) {
  const B x = B(s.mu) / sqrt(B(8)), near = erf(x), far = s.pair == "symmetrised" ? near : erf(x * 3);
  return s.pieces[0].half ? (B(1) - s.q) * (near + far) / 2 : B();
}

Problem problem_of(const Json& j) {
  static const std::map<std::string, std::vector<Piece>> pieces{
      {"poisson_remove", {{1, 0, false}}}, {"symmetrised", {{1, 0, true}, {0, 1, true}}},
      {"poisson_add", {{0, 1, false}}}, {"fixed_size_remove", {{2, 1, true}, {0, 1, true}}},
      {"poisson_replace_one", {{1, -1, false}}}, {"fixed_size_add", {{1, 0, true}, {1, 2, true}}}};
  Problem p;
  p.g2 = B(j.number("/composition/gaussian_mu")) * j.number("/composition/gaussian_mu");
  for (int k = 0; j.has("/composition/components/" + std::to_string(k)); ++k) {
    const std::string at = "/composition/components/" + std::to_string(k);
    Step s{j.text(at + "/pair"), j.number(at + "/sampling_rate"), j.number(at + "/mu"), j.number(at + "/count"), {}};
    if (pieces.count(s.pair) == 0 || !(s.q >= 0 && s.q <= 1 && s.mu >= 0 && s.count >= 0 && s.count <= 1e15) ||
        std::floor(s.count) != s.count) throw Unreadable("a possible component");
    s.pieces = pieces.at(s.pair);
    if (s.q == 1.0) p.g2 = p.g2 + B(s.count) * s.mu * s.mu * (s.pair == "poisson_replace_one" ? 4 : 1);
    else if (s.q > 0.0 && s.mu > 0.0 && s.count > 0.0) p.steps.push_back(s);
  }
  return p;
}

// ---- one integral along one path (Lemmas 2, 3, 5 and 6)
struct Path { double d, slope, tau, bend, scale, up, down, h, first; long count; };
struct Point { B loss, base; };                   // base: log of the density times dx/ds
struct Box { double re0, re1, im0, im1, base; };  // outward
struct Order { double x0, x1, y0, y1; };          // a rectangle of z, 0 <= y0
Order order(const B& z) { return {low(re(z)), up(re(z)), std::max(0.0, low(im(z))), up(im(z))}; }
double exponent(const Box& b, const Order& z) {   // at least base + Re(z loss)
  const double x = std::max({z.x0 * b.re0, z.x0 * b.re1, z.x1 * b.re0, z.x1 * b.re1});
  const double y = std::max(-z.y0 * b.im0, -z.y1 * b.im0);
  return x + y + b.base + 1e-14 * (std::abs(x) + std::abs(y) + std::abs(b.base));
}
Path path_of(const Json& j, const std::string& at) {
  const auto get = [&](const char* name) { return j.number(at + "/" + name); };
  return {get("d"), get("slope"), get("tau"), get("bend"), get("scale"), get("up"), get("down"), get("h"), get("first"),
          j.integer(at + "/count")};
}

class Integral {
 public:
  /// Nodes below e^cut count as error; most is at least |Re z| + 1 for every z to come; even: for above() alone.
  Integral(const Step& step, const Piece& piece, const Path& path, double cut, double most, bool even)
      : p_(piece), w_(path), q_(step.q), mu_(step.mu), cut_(cut), even_(even), side_(piece.a > piece.n ? 1 : -1) {
    Path& w = w_;
    if (even) w.up = w.down = std::min(w.up, w.down);
    const B all = B(w.d) + w.up, h(w.h), begin(w.first), end = begin + h * static_cast<double>(w.count);
    demand(w.d > 0 && w.up > 0 && w.down > 0 && w.h > 0 && w.tau > 0 && w.scale > 0 && w.count > 0, "a void path");
    demand(!p_.half || (w.slope == 0 && w.down <= w.d && all < B(1.57)), "the strip of a half");
    demand(!p_.half || all * w.scale * mu_ < pi() / (p_.a == 2 || p_.n == 2 ? 3 : 1), "the strip of a half");
    demand(p_.half || w.slope != 0 || (all * mu_ < pi() && (B(w.down) - w.d) * mu_ < pi()), "the strip of a line");
    demand(w.slope == 0 || (p_.n == 0 && w.slope > 0 && w.slope < 1 && w.up < 3 * w.tau && w.down < 3 * w.tau), "the bend");
    for (long k = 0; k < w.count; ++k) {
      const Point point = evaluate(begin + h * (static_cast<double>(k) + 0.5));
      here_.push_back(on_path(point, log(h)));
      loss_.push_back(point.loss);
      weight_.push_back(exp(point.base) * h);
    }
    const slong before = std::exchange(bits, 64);
    const B turns = pi() * 2 / h;
    for (long k = 0; k < w.count; ++k) {
      const B s = begin + h * static_cast<double>(k);
      if (w.slope != 0) clear(s, h, B(-w.down), B(w.up) + w.down, 10);
      cell(s, h, log(expm1(turns * w.up)), log(expm1(turns * w.down)), 8);
    }
    for (int k = 0; k < 2 * caps; ++k) {  // of both ends: the integral of |f| / (1 + e^{turns |y|})
      const B s = k % 2 == 0 ? begin : end, at = (B(k / 2) + unit()) / caps;
      const auto cap = [&](double y) {
        return box(evaluate(s + times_i(at * y * side_)), B() - log(turns) - turns * std::abs(y) * (k / 2) / caps);
      };
      pairs_.emplace_back(cap(w.up), cap(-w.down));
    }
    beyond(1, end, most);
    if (!p_.half) beyond(-1, begin, most);
    else left_of_half(begin);
    bits = before;
  }

  /// A ball with the integral at z; for r > 0 at least |integral at z + t| e^{-Re(t) m} for |t| <= r, z exact (Lemma 4).
  [[nodiscard]] B at(const B& z, double r, double m) const {
    B s0, s1, s2, small;
    const Order o = order(z);
    for (std::size_t k = 0; k < loss_.size(); ++k) {
      const Box& b = here_[k];
      const double far = std::hypot(std::max(std::abs(b.re0 - m), std::abs(b.re1 - m)), b.im1) * (1 + 1e-13);
      const double v = exponent(b, o) + r * far * (1 + 1e-13);
      if (v < cut_) { add(small, v); continue; }
      const B e = exp(loss_[k] * z) * weight_[k];
      s0 = s0 + e;
      if (r > 0.0) s1 = s1 + e * (loss_[k] - m), add(s2, v, far * far * (1 + 1e-13));
    }
    const B disc = B(r) * (unit() * 2 - 1);
    const B slack = error(order(z + disc + times_i(disc)), false) * exp(B(std::abs(m)) * r) + size(small);
    if (r > 0.0) return top(size(s0) + size(s1) * r + size(s2) * r * r / 2 + slack);
    acb_add_error_arb(s0.x, slack.re());
    return s0;
  }
  /// At least |integral at z + i w| for every w >= 0 (Lemma 5).
  [[nodiscard]] B above(const B& z) const {
    B sum = error(order(z), true);
    for (std::size_t k = 0; k < loss_.size(); ++k) sum = sum + size(exp(loss_[k] * z) * weight_[k]);
    return top(sum);
  }

 private:
  static constexpr int caps = 6;
  [[nodiscard]] B log_r(int m, const B& x) const {  // on its branch (Lemma 3)
    const B mean = B(m) * mu_, u = mean * x - mean * mean / 2, odds = (B(1) - q_) / q_;
    if (m == 0) return B();
    if (log(odds) + 0.05 < re(u)) return u + log(B(q_)) + log1p(odds * exp(B() - u));
    demand(im(u) < pi() && B() - pi() < im(u), "a branch point is near a path");
    return log1p(expm1(u) * q_);
  }
  [[nodiscard]] Point evaluate_at(const B& x, const B& dx) const {
    demand(acb_contains_zero(dx.x) == 0, "a path turns back");
    const B la = log_r(p_.a, x);
    return {la - log_r(p_.n, x), la - x * x / 2 - log(pi() * 2) / 2 + log(dx)};
  }
  [[nodiscard]] Point evaluate(const B& s) const {
    const B lift = times_i(B(side_) * w_.d), t = p_.half ? s + lift : (s - w_.bend) / w_.tau;
    if (!p_.half && w_.slope == 0) return evaluate_at(s + lift, 1);
    const B soft = log1p(exp(t)), turn = B(1) / (B(1) + exp(B() - t));
    if (p_.half) return evaluate_at(start() + soft * w_.scale, turn * w_.scale);
    return evaluate_at(s + lift + times_i(soft * w_.slope * w_.tau), B(1) + times_i(turn * w_.slope));
  }
  [[nodiscard]] B start() const { return B(p_.a + p_.n) * mu_ / 2; }
  [[nodiscard]] static Box box(const Point& p, const B& log_weight) {
    demand(acb_is_finite(p.loss.x) != 0 && acb_is_finite(p.base.x) != 0, "a path leaves its domain");
    return {low(re(p.loss)), up(re(p.loss)), low(im(p.loss)), up(im(p.loss)), up(re(p.base) + log_weight)};
  }
  [[nodiscard]] static Box on_path(const Point& p, const B& log_weight) {
    const Box b = box(p, log_weight);
    return {b.re0, b.re1, std::max(b.im0, 0.0), b.im1, b.base};  // Lemma 3
  }
  /// No branch point and no zero of dx/ds in s + [0, h] + i [y, y + height].
  void clear(const B& s, const B& h, const B& y, const B& height, int depth) const {
    try {
      return static_cast<void>(evaluate(s + unit() * h + times_i(y + unit() * height)));
    } catch (const Refused&) { if (depth == 0) throw; }
    for (const B& left : {s, s + h / 2})
      for (const B& low_end : {y, y + height / 2}) clear(left, h / 2, low_end, height / 2, depth - 1);
  }
  void cell(const B& s, const B& h, const B& thin_up, const B& thin_down, int depth) {  // of both displaced lines
    const auto at = [&](double y) { return evaluate(s + unit() * h + times_i(B(side_) * y)); };
    try {
      return static_cast<void>(pairs_.emplace_back(box(at(w_.up), log(h) - thin_up), box(at(-w_.down), log(h) - thin_down)));
    } catch (const Refused&) { if (depth == 0) throw; }
    for (const B& left : {s, s + h / 2}) cell(left, h / 2, thin_up, thin_down, depth - 1);
  }
  void left_of_half(const B& begin) {  // there |x - start| <= reach, and |dx/ds| integrates to at most reach
    const B reach = exp(begin) * w_.scale, in = reach * (unit() * 2 - 1);
    outside_.push_back(on_path(evaluate_at(start() + in + times_i(in), 1), log(reach)));
  }
  /// Cells of the path as far as the crude bound of Lemma 6 needs, then that.
  void beyond(int way, B place, double most) {
    const B slope(w_.slope), rise = B(std::abs(p_.a) + std::abs(p_.n)) * mu_ * most, keep = B(1) - slope * slope;
    const B high = p_.half ? B(w_.scale) * w_.d : B(w_.d) + slope * (B(w_.tau) + std::abs(w_.bend));
    const B odds = log((B(1) - q_) / q_), floor = (log(B(2)) - log(B(1) - q_)) * most * 2;
    const B settled = B(2) * mu_ + (hull(odds, B() - odds) + 1) / mu_;  // r_m is near one of its two terms
    const B far = top(settled) + (rise + slope * high) * 2 / keep + sqrt((floor + 200 + std::abs(cut_) + high * high) * 4 / keep);
    const double until = up(p_.half ? far / w_.scale : far), least = p_.half ? 0.2 / w_.scale : 0.2;
    demand(until < 1e12, "the ends are too far");
    for (double at = way * up(place); at < until;) {
      const double width = std::max(least, 0.04 * std::abs(at));
      const B next = place + way * width;
      outside_.push_back(on_path(evaluate(hull(place, next)), log(B(width))));
      place = next;
      at += width;
    }
    const B x = p_.half ? start() + place * w_.scale : place * way, y = high + slope * x, fall = keep * x - slope * high - rise;
    demand(B() < fall && top(settled) < x, "the ends");
    // |dx/ds| <= 1 / cos 1 on a line
    far_ = far_ + top(exp((y * y - x * x) / 2 + rise * x + floor) / fall / cos(B(p_.half ? w_.d : 1.0)));
  }
  [[nodiscard]] B error(const Order& z, bool mean) const {
    B sum = far_;
    demand(even_ || !mean, "an uneven strip");
    for (const auto& [above, below] : pairs_) {
      const double a = exponent(above, z), b = exponent(below, z), both = 0.5 * (a + b) + 1e-15 * (std::abs(a) + std::abs(b));
      add(sum, mean ? both : a);
      add(sum, mean ? both : b);
    }
    for (const Box& b : outside_) add(sum, exponent(b, z));
    return top(sum);
  }

  Piece p_;
  Path w_;
  double q_, mu_, cut_;
  bool even_;
  int side_;
  std::vector<B> loss_, weight_;
  std::vector<Box> here_, outside_;
  std::vector<std::pair<Box, Box>> pairs_;  // displaced lines, over e^{2 pi height / h} - 1, and caps
  B far_;
};

// ---- the contour (Lemmas 1, 2, 4 and 5): delta at the thresholds
std::vector<B> by_contour(const Problem& problem, const Json& j, const std::string& at, const std::vector<double>& epsilons) {
  const double c = j.number(at + "/c"), scale = j.number(at + "/scale"), bend = j.number(at + "/bend");
  const double rise = j.number(at + "/up"), fall = j.number(at + "/down"), step = j.number(at + "/h");
  const long n = j.integer(at + "/n"), wanted = j.integer(at + "/bits") + 32;
  demand(wanted >= 64 && wanted <= 100000 && c > -1 && c != 0 && scale > 0 && step > 0, "the numbers of a contour");
  demand(rise > 0 && fall > 0 && std::max(rise, fall) < 1.57, "the strip of the contour");
  bits = wanted;
  const B h(step), turn = pi() * 2, last = h * (static_cast<double>(n) + 0.5);
  const auto z_of = [&](const B& t) { return (sinh(t / 2) * sinh(t / 2) * bend * 2 + times_i(sinh(t))) * scale + c; };
  const auto speed_of = [&](const B& t) { return (cosh(t) - times_i(sinh(t)) * bend) * scale; };
  for (const double y : {rise, -fall}) {  // z is real on the imaginary axis alone, where it falls: no pole within
    const B z = re(z_of(times_i(B(y))));
    demand(B() < cos(B(y)) + sin(B(y)) * bend && (c > 0 ? B() < z : B(-1) < z && z < B()), "a pole in the strip");
  }
  const double most = up(size(re(z_of(hull(0, last) + times_i(hull(-fall, rise)))))) + 1.0;
  B mean = problem.g2 * (B(c) + 0.5);
  std::vector<double> means;
  std::vector<std::vector<Integral>> paths, tails;
  for (const Step& s : problem.steps) {
    std::string in = at + "/steps/0";
    for (int k = 1; j.text(in + "/pair") != s.pair || j.number(in + "/sampling_rate") != s.q || j.number(in + "/mu") != s.mu; ++k)
      in = at + "/steps/" + std::to_string(k);
    means.push_back(j.number(in + "/mean"));
    mean = mean + B(s.count) * means.back();
    const double cut = j.number(in + "/reference") - j.number(at + "/digits") - 10.0;
    std::vector<Integral> row, tail_row;
    for (std::size_t k = 0; k < s.pieces.size(); ++k) {
      row.emplace_back(s, s.pieces[k], path_of(j, in + "/paths/" + std::to_string(k)), cut, most, false);
      tail_row.emplace_back(s, s.pieces[k], path_of(j, in + "/tails/" + std::to_string(k)), cut, most, true);
    }
    paths.push_back(std::move(row));
    tails.push_back(std::move(tail_row));
  }
  const auto moment = [&](std::size_t i, const B& z, double r) {
    B m = atom(problem.steps[i]) * exp(B(std::abs(means[i])) * r);
    for (const Integral& integral : paths[i]) m = m + integral.at(z, r, means[i]);
    return m;
  };
  std::vector<B> sums(epsilons.size(), c > 0 ? 0.0 : 1.0);
  for (long k = 0; k <= n; ++k) {
    const B t = h * static_cast<double>(k), z = z_of(t), poles = z * (z + 1);
    B f = speed_of(t) * h / turn * (k == 0 ? 1 : 2) / poles * exp(poles * problem.g2 / 2);
    for (std::size_t i = 0; i < paths.size(); ++i) f = f * power(moment(i, z, 0.0), problem.steps[i].count);
    for (std::size_t e = 0; e < sums.size(); ++e) sums[e] = sums[e] + re(f * exp(B() - z * epsilons[e]));
  }
  bits = 64;
  const auto widen = [&](const B& log_size, const B& x, const B& radius) {
    for (std::size_t e = 0; e < sums.size(); ++e)
      arb_add_error(sums[e].re(), exp(log_size - x * epsilons[e] + radius * size(mean - epsilons[e])).re());
  };
  const auto disc = [&](const B& t, const B& weight) {
    const B z0 = middle(z_of(middle(t))), all = z_of(t), poles = least_size(all) * least_size(all + 1);
    const double r = up(size(all - z0));
    demand(B() <= im(z0) && B() < poles && std::isfinite(r), "a displaced contour meets a pole");
    B v = log(size(speed_of(t)) * weight / poles) + (re(z0 * (z0 + 1)) / 2 + size(z0 - c) * r + B(r) * r / 2) * problem.g2;
    for (std::size_t i = 0; i < paths.size(); ++i) v = v + log(top(moment(i, z0, r))) * problem.steps[i].count;
    widen(v, re(z0), r);
  };
  for (const double y : {rise, -fall}) {
    const B turns = turn * std::abs(y) / h;
    for (int k = 0; k <= 2 * n; ++k) disc((B(k) + unit()) * h / 2 + times_i(B(y)), h / turn / expm1(turns));
    const int parts = static_cast<int>(4 * std::abs(y) / step) + 1;
    for (int k = 0; k < parts; ++k)
      disc(last + times_i((B(k) + unit()) * y / parts), h * 2 / (turn * turn) * exp(B() - turns * k / parts));
  }
  const B z = z_of(last);
  demand(B() < im(z), "the last node");
  B ray = re(z * (z + 1)) * problem.g2 / 2 - log(pi() * im(z));
  for (std::size_t i = 0; i < tails.size(); ++i) {
    B b = atom(problem.steps[i]);
    for (const Integral& integral : tails[i]) b = b + integral.above(z);
    ray = ray + log(top(b)) * problem.steps[i].count;
  }
  widen(ray, re(z), 0);
  bits = wanted;
  return sums;
}

/// delta of a Gaussian mechanism or of one step (Lemma 7).
B closed_form(const Problem& problem, double epsilon) {  // not finite for other problems
  const B grown = exp(B(epsilon)), mu = sqrt(problem.g2);
  if (problem.steps.empty()) return tail(B(epsilon) / mu - mu / 2) - grown * tail(B(epsilon) / mu + mu / 2);
  const Step& s = problem.steps[0];
  if (problem.steps.size() > 1 || s.count != 1.0 || acb_is_zero(problem.g2.x) == 0) return B(NAN);
  const Piece& p = s.pieces[0];
  const B rest = B(1) - s.q, half = B(s.mu) * s.mu / 2, k = exp(B() - half) * s.q, k2 = exp(half * -4) * s.q;
  const B more = expm1(B(epsilon)) * rest;
  B y = (expm1(B(p.n == 0 ? epsilon : -epsilon)) + s.q) / k;  // e^{mu t} where the loss is epsilon
  if (p.n < 0) y = (more + sqrt(more * more + k * k * grown * 4)) / (k * 2);
  if (p.a == 2) y = (grown * k + sqrt(grown * k * grown * k + more * k2 * 4)) / (k2 * 2);
  if (p.a == 0 && y <= B()) return B();
  const B t = log(y) / s.mu, side(p.a > p.n ? 1 : -1);
  const auto mass = [&](int m) { return rest * tail(side * t) + tail(side * (t - B(m) * s.mu)) * s.q; };
  return mass(p.a) - grown * mass(p.n);
}

}  // namespace

int main(int argc, char** argv) try {
  std::ifstream in(argc == 2 ? argv[1] : "");
  if (!in) throw Unreadable("a file: usage: dpcurves-verify FILE");
  const Json j(std::string(std::istreambuf_iterator<char>(in), {}));
  const bool is_epsilon = j.text("/claim/question") == "epsilon";
  if (j.text("/schema") != "dpcurves/certificate/1" || (!is_epsilon && j.text("/claim/question") != "delta"))
    throw Unreadable("schema dpcurves/certificate/1");
  const Problem problem = problem_of(j);
  const double given = j.number(is_epsilon ? "/claim/delta" : "/claim/epsilon");
  const double lower = j.number("/claim/lower"), upper = j.number("/claim/upper");
  demand(given >= 0.0 && lower >= 0.0 && lower <= upper, "a claim without sense");
  bits = 256;
  B distance = erf(sqrt(problem.g2 / 8)), largest = acb_is_zero(problem.g2.x) != 0 ? 0.0 : HUGE_VAL;
  for (const Step& s : problem.steps) {
    distance = distance + B(s.count) * s.q * erf(B(s.pair == "poisson_replace_one" ? 2 : 1) * s.mu / sqrt(B(8)));
    largest = s.pair == "poisson_add" ? largest - log1p(B(-s.q)) * s.count : B(HUGE_VAL);
  }
  std::map<std::string, std::vector<B>> contours;
  // delta(lower) > given >= delta(upper), or lower <= delta(given) <= upper
  const auto prove = [&](const std::string& end, double epsilon, double number) -> std::string {
    const auto decided = [&](const B& d) { return end == "lower" ? B(number) < d : d <= B(number); };
    if (end == "lower" && lower == 0.0) return "0";
    if (end == "upper" && decided(distance)) return "total variation";
    if (end == "upper" && largest <= B(epsilon)) return "largest loss";
    for (bits = 256; bits <= 65536; bits *= 2)
      if (decided(closed_form(problem, epsilon))) return "closed form";
    const std::string at = "/contours/" + j.text("/contour_of/" + end);
    if (contours.count(at) == 0)
      contours[at] = by_contour(problem, j, at, {is_epsilon ? lower : given, is_epsilon ? upper : given});
    demand(decided(contours[at][end == "lower" ? 0 : 1]), "the " + end + " end");
    return "contour";
  };
  const std::string how = prove("lower", is_epsilon ? lower : given, is_epsilon ? given : lower) + " and " +
                          prove("upper", is_epsilon ? upper : given, is_epsilon ? given : upper);
  if (is_epsilon) std::printf("proved: delta(%.17g) > %.17g >= delta(%.17g): epsilon in ", lower, given, upper);
  else std::printf("proved: delta(%.17g) in ", given);
  std::printf("[%.17g, %.17g] (by %s)\n", lower, upper, how.c_str());
  return 0;
} catch (const Unreadable& e) {
  return std::fprintf(stderr, "no certificate: without %s\n", e.what()), 2;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "not proved: %s\n", e.what()), 1;
}
