// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// dpcurves-verify FILE proves the claim of a certificate (schema dpcurves/certificate/1) again, in ball arithmetic, by
// the lemmas of docs/theory/accountant/proof.md; every condition is checked. Exit 0: proved, 1: not, 2: no certificate.
#include <acb.h>
#include <arb_hypgeom.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>
namespace {
struct Failure { int code; std::string what; };  // 1: not proved, 2: no certificate
void demand(bool holds, const std::string& what, int code = 1) { if (!holds) throw Failure{code, what}; }
// ---- JSON as texts by path: "/composition/components/0/mu/hex". No escapes: a certificate has none.
class Json {
 public:
  explicit Json(std::string text) : text_(std::move(text)) { read(""), need(passed(""), "an end"); }
  bool has(const std::string& path) const { return values_.count(path) != 0; }
  std::string text(const std::string& path) const {
    need(has(path), path);
    const std::string t = values_.at(path);
    return t[0] == '"' ? t.substr(1, t.size() - 2) : t;
  }
  double number(const std::string& path) const {  // "0x1.8p-3", a literal, or both
    const bool both = has(path + "/hex");
    const std::string t = text(both ? path + "/hex" : path);
    char* end = nullptr;
    const double value = std::strtod(t.c_str(), &end);
    need(!t.empty() && *end == '\0' && std::isfinite(value), "a number " + path);
    need(!both || value == number(path + "/value"), "one value of " + path);
    return value;
  }
 private:
  static void need(bool holds, const std::string& what) { demand(holds, "without " + what, 2); }
  std::string next() {
    const std::size_t from = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    const char c = from < text_.size() ? text_[from] : '\0';
    at_ = c == '"' ? text_.find_first_of("\"\\", from + 1) + 1 : text_.find_first_not_of("+-.0123456789Ee", from);
    at_ = std::min(c != '\0' && std::string("{}[],:").find(c) != std::string::npos ? from + 1 : at_, text_.size());
    need((at_ > from && (c != '"' || text_[at_ - 1] == c)) || c == '\0', "JSON");
    return text_.substr(from, at_ - from);
  }
  bool passed(const std::string& token) {  // is it the next one? Then it is passed
    const std::size_t before = at_;
    return next() == token || (at_ = before, false);
  }
  void read(const std::string& path) {
    const std::string value = next(), close = value == "{" ? "}" : "]";
    need(!value.empty() && value.find_first_of("}],:") != 0 && path.size() < 200, "a value");
    const bool leaf = value != "{" && value != "[";
    need(!leaf || values_.emplace(path, value).second, "one " + path);
    int k = 0;
    for (; !leaf && !passed(close); ++k) {
      need(k == 0 || passed(","), "a comma");
      const std::string key = value == "{" ? next() : '"' + std::to_string(k) + '"';
      need(key[0] == '"' && key.find('/') == key.npos && (value == "[" || passed(":")), "a plain name");
      read(path + "/" + key.substr(1, key.size() - 2));
    }
    if (value == "[") values_.emplace(path + "/length", std::to_string(k));
  }
  std::string text_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> values_;
};
// ---- complex balls; most are real
slong bits = 128;
struct B {
  acb_t x;
  B(double v = 0.0) { acb_init(x); acb_set_d(x, v); }
  B(const B& o) { acb_init(x); acb_set(x, o.x); } B& operator=(const B& o) { acb_set(x, o.x); return *this; }
  ~B() { acb_clear(x); }
  arb_ptr re() { return acb_realref(x); } arb_srcptr re() const { return acb_realref(x); }
};
#define BALL(signature, ...) inline B signature { B r; __VA_ARGS__; return r; }
#define UNARY(name) BALL(name(const B& a), acb_##name(r.x, a.x, bits))
#define BINARY(op, name) BALL(operator op(const B& a, const B& b), acb_##name(r.x, a.x, b.x, bits))
BINARY(+, add) BINARY(-, sub) BINARY(*, mul) BINARY(/, div)
UNARY(exp) UNARY(log) UNARY(log1p) UNARY(expm1) UNARY(sqrt) UNARY(sinh) UNARY(cosh) UNARY(cos) UNARY(sin)
BALL(re(const B& a), arb_set(r.re(), a.re())) BALL(im(const B& a), arb_set(r.re(), acb_imagref(a.x)))
BALL(times_i(const B& a), acb_mul_onei(r.x, a.x)) BALL(middle(const B& a), acb_get_mid(r.x, a.x))
BALL(size(const B& a), acb_get_abs_ubound_arf(arb_midref(r.re()), a.x, bits))        // at least |a|; exact
BALL(least_size(const B& a), acb_get_abs_lbound_arf(arb_midref(r.re()), a.x, bits))  // at most |a|; exact
BALL(top(const B& a), arb_get_ubound_arf(arb_midref(r.re()), a.re(), bits))
BALL(hull(const B& a, const B& b), arb_union(r.re(), a.re(), b.re(), bits))
BALL(pi(), arb_const_pi(r.re(), bits)) BALL(erf(const B& a), arb_hypgeom_erf(r.re(), a.re(), bits))
BALL(tail(const B& a), arb_hypgeom_erfc(r.re(), (a / sqrt(B(2))).re(), bits); r = r / 2)  // P(N(0, 1) > a)
BALL(power(const B& a, double n), acb_pow_ui(r.x, a.x, static_cast<ulong>(n), bits)) BALL(unit(), r = hull(0, 1))
bool operator<(const B& a, const B& b) { return arb_lt(a.re(), b.re()) != 0; }    // certainly
bool operator<=(const B& a, const B& b) { return arb_le(a.re(), b.re()) != 0; }
double up(const B& a) { return arb_is_finite(a.re()) ? arf_get_d(arb_midref(top(a).re()), ARF_RND_CEIL) : HUGE_VAL; }
double low(const B& a) { return -up(B() - a); }
void add(B& sum, double v) {  // e^v to the radius of the sum, rounded up
  static mag_t e;
  v >= 0.0 ? mag_set_d(e, v) : mag_set_d_lower(e, std::min(-v, 1e15));
  v >= 0.0 ? mag_exp(e, e) : mag_expinv(e, e);
  if (!(v < 1e15)) mag_inf(e);
  mag_add(arb_radref(sum.re()), arb_radref(sum.re()), e);
}
// ---- the laws
struct Piece { int a, n; bool half; };
struct Step { std::string pair; double q, mu, count; std::vector<Piece> pieces; };
bool operator!=(const Step& a, const Step& b) { return a.pair != b.pair || a.q != b.q || a.mu != b.mu; }
struct Problem { std::vector<Step> steps; B g2; };
B atom(const Step& s) {
  const B x = B(s.mu) / sqrt(B(8)), near = erf(x), far = s.pair == "symmetrised" ? near : erf(x * 3);
  return s.pieces[0].half ? (B(1) - s.q) * (near + far) / 2 : B();
}
Step step_of(const Json& j, const std::string& at) {
  static const std::map<std::string, std::vector<Piece>> pieces{
      {"poisson_remove", {{1, 0, false}}}, {"symmetrised", {{1, 0, true}, {0, 1, true}}},
      {"poisson_add", {{0, 1, false}}}, {"fixed_size_remove", {{2, 1, true}, {0, 1, true}}},
      {"poisson_replace_one", {{1, -1, false}}}, {"fixed_size_add", {{1, 0, true}, {1, 2, true}}}};
  Step s{j.text(at + "/pair"), j.number(at + "/sampling_rate"), j.number(at + "/mu"), j.number(at + "/count"), {}};
  demand(pieces.count(s.pair) != 0 && s.q >= 0 && s.q <= 1 && s.mu >= 0 && s.count >= 0 && s.count <= 1e15 &&
             std::floor(s.count) == s.count, "with an impossible component", 2);
  s.pieces = pieces.at(s.pair);
  return s;
}
Problem problem_of(const Json& j) {
  const B g(j.number("/composition/gaussian_mu"));
  Problem p{{}, g * g};
  for (int k = 0; k < j.number("/composition/components/length"); ++k) {
    const Step s = step_of(j, "/composition/components/" + std::to_string(k));
    if (s.q == 1.0) p.g2 = p.g2 + B(s.count) * s.mu * s.mu * (s.pair == "poisson_replace_one" ? 4 : 1);
    else if (s.q > 0.0 && s.mu > 0.0 && s.count > 0.0) p.steps.push_back(s);
  }
  return p;
}
// ---- one integral along one path (Lemmas 2, 3, 5 and 6)
struct Path { double d, slope, tau, bend, scale, up, down, h, first, count; };
struct Point { B loss, base; };                   // base: log of the density times dx/ds
struct Box { double re0, re1, im0, im1, base; };  // outward
struct Order { double x0, x1, y0, y1; };          // a rectangle of z, 0 <= y0
Order order(const B& z) { return {low(re(z)), up(re(z)), std::max(0.0, low(im(z))), up(im(z))}; }
double exponent(const Box& b, const Order& z) {   // at least base + Re(z loss)
  const double x = std::max({z.x0 * b.re0, z.x0 * b.re1, z.x1 * b.re0, z.x1 * b.re1}), y = std::max(-z.y0 * b.im0, -z.y1 * b.im0);
  return x + y + b.base + 1e-14 * (std::abs(x) + std::abs(y) + std::abs(b.base));
}
Path path_of(const Json& j, const std::string& at) {
  const auto g = [&](const char* name) { return j.number(at + "/" + name); };
  return {g("d"), g("slope"), g("tau"), g("bend"), g("scale"), g("up"), g("down"), g("h"), g("first"), g("count")};
}
struct Sums { B zeroth, first, second, slack; };
class Integral {
 public:
  /// \param most  at least |Re z| + 1 for every z to come. \param even  at() adds moduli, in an even strip: Lemma 5.
  Integral(const Step& step, const Piece& piece, const Path& path, double most, bool even)
      : p_(piece), w_(path), q_(step.q), mu_(step.mu), even_(even), side_(piece.a > piece.n ? 1 : -1) {
    Path& w = w_;
    if (even) w.up = w.down = std::min(w.up, w.down);
    const B all = B(w.d) + w.up, h(w.h), begin(w.first), end = begin + h * w.count;
    demand(std::min({w.d, w.up, w.down, w.h, w.tau, w.scale, w.count}) > 0 && w.count == std::floor(w.count), "a path");
    demand(w.slope >= 0 && w.slope < unit_() && (w.slope == 0 || std::max(w.up, w.down) < 3 * w.tau), "a slope");
    demand(!p_.half || ((w.down <= w.d || even) && all < B(1.57)), "the strip of a half");
    demand(w.slope > 0 || (p_.half ? all * w.scale * mu_ < pi() / (p_.a == 2 || p_.n == 2 ? 3 : 1)
                                   : all * mu_ < pi() && (B(w.down) - w.d) * mu_ < pi()), "a strip");
    cells_ = even && p_.half && w.slope > 0;
    for (double k = 0; k < w.count; ++k) {
      const Point point = evaluate(begin + h * (k + 0.5));
      loss_.push_back(point.loss), weight_.push_back(exp(point.base) * h);
    }
    bits = 64;
    for (double k = 0; cells_ && k < w.count; ++k) outside_.push_back(box(evaluate(begin + h * (k + unit())), log(h), true, turns()));
    const B turns = pi() * 2 / h, thin_up = log(expm1(turns * w.up)), thin_down = log(expm1(turns * w.down));
    for (double k = 0; !cells_ && k < w.count; ++k) cell(begin + h * k, h, thin_up, thin_down, 10);
    for (int k = 0; !cells_ && k < 12; ++k) {  // of both ends: the integral of |f| / (1 + e^{turns |y|})
      const B s = k % 2 == 0 ? begin : end, at = (B(k / 2) + unit()) / 6;
      const auto cap = [&](double y) { return box(evaluate(s + times_i(at * y * side_)), B() - log(turns) - turns * std::abs(y) * (k / 2) / 6); };
      pairs_.emplace_back(cap(w.up), cap(-w.down));
    }
    beyond(1, end, most), beyond(-1, begin, most);
  }
  /// Adds to s the integral at z (even: a bound of it above z) and its error; for r > 0 what bounds |it at z + t| e^{-Re(t) m},
  /// |t| <= r, z exact (Lemma 4).
  void at(const B& z, double r, double m, Sums& s) const {
    for (std::size_t k = 0; k < loss_.size() && !cells_; ++k) {
      const B e = exp(loss_[k] * z) * weight_[k], away = loss_[k] - m, far = size(away);
      s.zeroth = s.zeroth + (even_ ? size(e) : e);
      if (r > 0.0) s.first = s.first + e * away, s.second = s.second + size(e) * far * far * exp(far * r);
    }
    const B disc = B(r) * (unit() * 2 - 1), wide = z + disc + times_i(disc);
    s.slack = s.slack + error(order(wide)) * exp(B(std::abs(m)) * r);
  }
 private:
  B log_r(int m, const B& x) const {  // on its branch (Lemma 3)
    const B mean = B(m) * mu_, u = mean * x - mean * mean / 2, odds = (B(1) - q_) / q_;
    if (m == 0) return B();
    if (log(odds) + 0.05 < re(u)) return u + log(B(q_)) + log1p(odds * exp(B() - u));
    demand(re(u) < log(odds) || (im(u) < pi() && B() - pi() < im(u)), "a branch point is near a path");
    return log1p(expm1(u) * q_);
  }
  Point evaluate_at(const B& x, const B& dx) const {
    demand(acb_contains_zero(dx.x) == 0, "a path turns back");
    const B la = log_r(p_.a, x);
    return {la - log_r(p_.n, x), la - x * x / 2 - log(pi() * 2) / 2 + log(dx)};
  }
  static B soft(const B& t) { return B(1) < re(t) ? t + log1p(exp(B() - t)) : log1p(exp(t)); }  // log(1 + e^t)
  static B rising(const B& t) { return re(t) < B(-1) ? exp(t) / (B(1) + exp(t)) : B(1) / (B(1) + exp(B() - t)); }
  B place_of(const B& s, B& dx) const {  // x and dx/ds
    const B t = (s - w_.bend) / w_.tau, q = s + times_i(B(side_) * w_.d), slope = times_i(B(side_) * w_.slope);
    dx = p_.half ? rising(q) * w_.scale : B(1);
    const B x = p_.half ? start() + soft(q) * w_.scale : q;
    return w_.slope == 0 ? x : (dx = dx + slope * rising(t), x + slope * w_.tau * soft(t));
  }
  Point evaluate(const B& s, B dx = B()) const { const B x = place_of(s, dx); return evaluate_at(x, dx); }
  B start() const { return B(p_.a + p_.n) * mu_ / 2; }
  double unit_() const { return p_.half ? w_.scale : 1.0; }  // of Re x in s
  bool turns() const { return w_.slope == 0 || std::max(p_.a, p_.n) < 2; }  // Im loss >= 0 on the path: Lemma 3
  Box box(const Point& p, const B& log_weight, bool on_path = false, bool lemma = false) const {
    demand(acb_is_finite(p.loss.x) != 0 && acb_is_finite(p.base.x) != 0, "a path leaves its domain");
    const double im0 = low(im(p.loss)), at_least = on_path && lemma ? std::max(im0, 0.0) : im0;
    demand(!on_path || at_least >= 0.0, "a loss turns back");
    return {low(re(p.loss)), up(re(p.loss)), at_least, up(im(p.loss)), up(re(p.base) + log_weight)};
  }
  /// Both displaced lines; on a bent path also: no branch point and no zero of dx/ds between them.
  void cell(const B& s, const B& h, const B& thin_up, const B& thin_down, int depth) {
    const auto at = [&](const B& y) { return evaluate(s + unit() * h + times_i(B(side_) * y)); };
    try {
      const int parts = w_.slope == 0 ? 0 : p_.half ? 16 : 64;
      for (int k = 0; k < parts; ++k) {
        const B y = (B(w_.up) + w_.down) * (B(k) + unit()) / parts - w_.down;
        B dx;
        const B x = place_of(s + unit() * h + times_i(y * side_), dx), la = log_r(p_.a, x), ln = log_r(p_.n, x);
        demand(p_.half || acb_contains_zero(dx.x) == 0, "a path turns back");
      }
      const Box above = box(at(w_.up), log(h) - thin_up), below = box(at(-w_.down), log(h) - thin_down);
      return static_cast<void>(pairs_.emplace_back(above, below));
    } catch (const Failure&) { if (depth == 0) throw; }
    for (const B& left : {s, s + h / 2}) cell(left, h / 2, thin_up, thin_down, depth - 1);
  }
  void beyond(int way, B place, double most) {  // cells as far as the crude bound of Lemma 6 needs, then that
    if (p_.half && way < 0) {  // |x - start| <= reach, and |dx/ds| integrates to at most reach
      const B reach = exp(place) * w_.scale + exp((place - w_.bend) / w_.tau) * w_.slope * w_.tau, in = reach * (unit() * 2 - 1);
      return outside_.push_back(box(evaluate_at(start() + in + times_i(in), 1), log(reach), true, true));
    }
    const B slope = B(w_.slope) / unit_(), rise = B(std::abs(p_.a) + std::abs(p_.n)) * mu_ * most, keep = B(1) - slope * slope;
    const B high = B(unit_()) * w_.d + B(w_.slope) * (B(w_.tau) + std::abs(w_.bend));
    const B odds = log((B(1) - q_) / q_), floor = (log(B(2)) - log(B(1) - q_)) * most * 2;
    const B settled = B(2) * mu_ + (hull(odds, B() - odds) + 1) / mu_;  // r_m is near one of its two terms
    const B far = top(settled) + (rise + slope * high) * 2 / keep + sqrt((floor + 400 + high * high) * 4 / keep);
    const double until = up(far / unit_()), least = 0.2 / unit_(), begin = way * up(place);
    demand(until < 1e12, "the ends are too far");
    for (double at = begin, width = 0.0; at < until; at += width) {
      width = std::max(least, 0.01 * (at - begin));
      outside_.push_back(box(evaluate(hull(place, place + way * width)), log(B(width)), true, turns())), place = place + way * width;
    }
    const B x = p_.half ? start() + place * w_.scale : place * way, y = high + slope * x, fall = keep * x - slope * high - rise;
    const B steep = w_.slope > 0 ? B(4) : B(1) / cos(B(p_.half ? w_.d : 1.0));  // >= |dx / d Re x|
    B dx;
    demand(B() < fall && top(settled) < x && (!p_.half || w_.slope == 0 || B(3) < place), "the ends");
    demand(way < 0 || turns() || pi() < im(place_of(place, dx)) * side_ * mu_ * 3, "a low slope");
    far_ = far_ + top(exp((y * y - x * x) / 2 + rise * x + floor) * steep / fall);
  }
  B error(const Order& z) const {
    B sum = far_;
    for (const auto& [above, below] : pairs_) {
      const double a = exponent(above, z), b = exponent(below, z), mean = 0.5 * (a + b) + 1e-15 * (std::abs(a) + std::abs(b));
      add(sum, even_ ? mean : a), add(sum, even_ ? mean : b);
    }
    for (const Box& b : outside_) add(sum, exponent(b, z));
    return top(sum);
  }
  Piece p_; Path w_; double q_, mu_;
  bool even_, cells_ = false;  // cells: of a tail, the path in boxes instead of Lemma 5
  int side_;
  std::vector<B> loss_, weight_; std::vector<Box> outside_;
  std::vector<std::pair<Box, Box>> pairs_;  // displaced lines, over e^{2 pi height / h} - 1, and caps
  B far_;
};
// ---- the contour (Lemmas 1, 2, 4 and 5): delta at the thresholds
std::vector<B> by_contour(const Problem& problem, const Json& j, const std::string& at, std::vector<double> ends) {
  const auto g = [&](const char* name) { return j.number(at + "/" + name); };
  const double c = g("c"), scale = g("scale"), bend = g("bend"), rise = g("up"), fall = g("down"), step = g("h");
  const double n = g("n"), wanted = g("bits") + 32;
  demand(n >= 0 && n <= 1e6 && n == std::floor(n) && wanted >= 64 && wanted <= 1e5 && c > -1 && c != 0, "a number");
  demand(std::min({scale, step, rise, fall}) > 0 && std::max(rise, fall) < 1.57, "the strip of the contour");
  bits = static_cast<slong>(wanted);
  const B h(step), turn = pi() * 2, last = h * (n + 0.5);
  const auto z_of = [&](const B& t) { return (sinh(t / 2) * sinh(t / 2) * bend * 2 + times_i(sinh(t))) * scale + c; };
  const auto speed_of = [&](const B& t) { return (cosh(t) - times_i(sinh(t)) * bend) * scale; };
  for (const double y : {rise, -fall}) {  // z is real on the imaginary axis alone, where it falls: no pole within
    const B z = re(z_of(times_i(B(y))));
    demand(B() < cos(B(y)) + sin(B(y)) * bend && (c > 0 ? B() < z : B(-1) < z && z < B()), "a pole in the strip");
  }
  const double most = up(size(re(z_of(hull(0, last) + times_i(hull(-fall, rise)))))) + 1.0;
  B mean = problem.g2 * (B(c) + 0.5);
  std::vector<double> means; std::vector<std::vector<Integral>> paths, tails;
  for (const Step& s : problem.steps) {
    std::string in;
    for (int k = 0; in.empty() || step_of(j, in) != s; ++k) {
      in = at + "/steps/" + std::to_string(k);
      demand(k < j.number(at + "/steps/length"), "a step without paths");
    }
    means.push_back(j.number(in + "/mean")), mean = mean + B(s.count) * means.back();
    for (auto* rows : {&paths, &tails}) {
      rows->emplace_back();
      for (std::size_t k = 0; k < s.pieces.size(); ++k) {
        bits = static_cast<slong>(wanted);  // of the nodes; an Integral leaves 64
        const std::string path = in + (rows == &paths ? "/paths/" : "/tails/") + std::to_string(k);
        rows->back().emplace_back(s, s.pieces[k], path_of(j, path), most, rows == &tails);
      }
    }
  }
  const auto moment = [&](const auto& row, std::size_t i, const B& z, double r) {
    const B mass = atom(problem.steps[i]), m = means[i];  // an atom is a node of loss 0
    Sums s{mass, B() - mass * m, mass * m * m * exp(size(m) * r), B()};
    for (const Integral& integral : row[i]) integral.at(z, r, means[i], s);
    if (r > 0.0) return top(size(s.zeroth) + size(s.first) * r + size(s.second) * r * r / 2 + s.slack);
    return acb_add_error_arb(s.zeroth.x, s.slack.re()), s.zeroth;
  };
  bits = static_cast<slong>(wanted); std::vector<B> sums(ends.size(), c > 0 ? 0.0 : 1.0);
  for (double k = 0; k <= n; ++k) {
    const B t = h * k, z = z_of(t), poles = z * (z + 1);
    B f = speed_of(t) * h / turn * (k == 0 ? 1 : 2) / poles * exp(poles * problem.g2 / 2);
    for (std::size_t i = 0; i < paths.size(); ++i) f = f * power(moment(paths, i, z, 0.0), problem.steps[i].count);
    for (std::size_t e = 0; e < sums.size(); ++e) sums[e] = sums[e] + re(f * exp(B() - z * ends[e]));
  }
  bits = 64;  // of the errors, against half of what the two ends are apart
  const B gap = ends[0] < ends[1] ? sums[0] - sums[1] : B(j.number("/claim/upper")) - j.number("/claim/lower");
  const auto widen = [&](const B& log_size, const B& x, const B& radius) {
    for (std::size_t e = 0; e < sums.size(); ++e)
      arb_add_error(sums[e].re(), exp(log_size - x * ends[e] + radius * size(mean - ends[e])).re());
  };
  const auto disc = [&](const auto& self, const B& from, const B& wide, const B& y, const B& weight, int halvings) -> void {
    const B t = from + unit() * wide + times_i(y);
    const B z0 = middle(z_of(middle(t))), all = z_of(t), poles = least_size(all) * least_size(all + 1);
    const double r = up(size(all - z0)); demand(B() <= im(z0) && B() < poles && std::isfinite(r), "a displaced contour meets a pole");
    B v = (re(z0 * (z0 + 1)) / 2 + size(z0 - c) * r + B(r) * r / 2) * problem.g2;
    v = v + log(size(speed_of(t)) * weight / poles);
    for (std::size_t i = 0; i < paths.size(); ++i) v = v + log(top(moment(paths, i, z0, r))) * problem.steps[i].count;
    if (halvings == 0 || v - re(z0) * ends[0] + B(r) * size(mean - ends[0]) < log(gap / (n + 1) / 16)) return widen(v, re(z0), r);
    for (const B& left : {from, from + wide / 2}) self(self, left, wide / 2, y, weight / 2, halvings - 1);
  };
  for (const double y : {rise, -fall}) {
    const B turns = turn * std::abs(y) / h;
    for (double k = 0; k <= 2 * n; ++k) disc(disc, h * k / 2, h / 2, y, h / turn / expm1(turns), 4);
    const int parts = static_cast<int>(4 * std::abs(y) / step) + 1;
    for (int k = 0; k < parts; ++k)
      disc(disc, last, 0, (B(k) + unit()) * y / parts, h * 2 / (turn * turn) * exp(B() - turns * k / parts), 0);
  }
  const B z = (demand(B() < im(z_of(last)), "the last node"), z_of(last));
  B ray = re(z * (z + 1)) * problem.g2 / 2 - log(pi() * im(z));
  for (std::size_t i = 0; i < tails.size(); ++i) ray = ray + log(top(moment(tails, i, z, 0))) * problem.steps[i].count;
  return widen(ray, re(z), 0), sums;
}
B closed_form(const Problem& problem, double epsilon) {  // delta by Lemma 7; not finite for other problems
  const B grown = exp(B(epsilon)), mu = sqrt(problem.g2), more = expm1(B(epsilon));
  if (problem.steps.empty()) return tail(B(epsilon) / mu - mu / 2) - grown * tail(B(epsilon) / mu + mu / 2);
  const Step& s = problem.steps[0];
  if (problem.steps.size() > 1 || s.count != 1.0 || acb_is_zero(problem.g2.x) == 0) return B(NAN);
  const Piece& p = s.pieces[0];
  const B rest = B(1) - s.q, half = B(s.mu) * s.mu / 2, k = exp(B() - half) * s.q, k2 = exp(half * -4) * s.q;
  B y = (expm1(B(p.n == 0 ? epsilon : -epsilon)) + s.q) / k;  // e^{mu t} where the loss is epsilon
  if (p.n < 0) y = (more * rest + sqrt(more * rest * more * rest + k * k * grown * 4)) / (k * 2);
  if (p.a == 2) y = (grown * k + sqrt(grown * k * grown * k + more * rest * k2 * 4)) / (k2 * 2);
  if (p.a == 0 && y <= B()) return B();
  const B t = log(y) / s.mu, side(p.a > p.n ? 1 : -1);
  const auto mass = [&](int m) { return rest * tail(side * t) + tail(side * (t - B(m) * s.mu)) * s.q; };
  return mass(p.a) - grown * mass(p.n);
}
}  // namespace
int main(int argc, char** argv) try {
  std::ifstream in(argc == 2 ? argv[1] : "");
  demand(argc == 2 && in.good() && in.peek() != EOF, argc == 2 ? "can be read from this file" : "; usage: dpcurves-verify FILE", 2);
  const Json j(std::string(std::istreambuf_iterator<char>(in), {}));
  const bool is_epsilon = j.text("/claim/question") == "epsilon";
  demand(j.text("/schema") == "dpcurves/certificate/1", "of this schema", 2);
  const Problem problem = problem_of(j);
  const double given = j.number(is_epsilon ? "/claim/delta" : "/claim/epsilon"), lower = j.number("/claim/lower"), upper = j.number("/claim/upper");
  demand(given >= 0.0 && lower >= 0.0 && lower <= upper, "a claim without sense");
  B distance = erf(sqrt(problem.g2 / 8)), largest = acb_is_zero(problem.g2.x) ? 0.0 : HUGE_VAL;  // of loss
  for (const Step& s : problem.steps) {
    distance = distance + B(s.count) * s.q * erf(B(s.pair == "poisson_replace_one" ? 2 : 1) * s.mu / sqrt(B(8)));
    largest = s.pair == "poisson_add" ? largest - log1p(B(-s.q)) * s.count : B(HUGE_VAL);
  }
  const std::vector<double> ends{is_epsilon ? lower : given, is_epsilon ? upper : given};
  std::map<std::string, std::vector<B>> contours;
  const auto proved = [&](const std::string& end) {
    const bool low_end = end == "lower";
    const double epsilon = ends[low_end ? 0 : 1], number = is_epsilon ? given : low_end ? lower : upper;
    const auto decided = [&](const B& delta) { return low_end ? B(number) < delta : delta <= B(number); };
    if (low_end ? lower == 0.0 : decided(distance) || largest <= B(epsilon)) return true;
    for (bits = 256; bits <= 65536; bits *= 2)
      if (decided(closed_form(problem, epsilon))) return true;
    demand(j.has("/contour_of/" + end), "the " + end + " end has no contour");
    const std::string at = "/contours/" + j.text("/contour_of/" + end);
    if (contours[at].empty()) contours[at] = by_contour(problem, j, at, ends);
    return decided(contours[at][low_end ? 0 : 1]);
  };
  for (const char* end : {"lower", "upper"}) demand(proved(end), std::string("the ") + end + " end");
  std::printf(is_epsilon && lower > 0.0 ? "proved: delta(%.17g) > " : "proved: ", lower);
  if (is_epsilon) std::printf("%.17g >= delta(%.17g): epsilon", given, upper);
  else std::printf("delta(%.17g)", given);
  return std::printf(" in [%.17g, %.17g]\n", lower, upper) < 0 ? 1 : 0;
} catch (const Failure& e) {
  return std::fprintf(stderr, "%s %s\n", e.code == 1 ? "not proved:" : "no certificate", e.what.c_str()), e.code;
}
