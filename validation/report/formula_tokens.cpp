// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/formula_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "validation/report/formula.hpp"

namespace dpcurves::validation {
namespace report {
namespace {

using Pairs = std::pair<std::string_view, std::string_view>;

constexpr std::array<Pairs, 33> greek{
    {{"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"eps", "ε"}, {"zeta", "ζ"},
     {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},  {"xi", "ξ"},
     {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"chi", "χ"}, {"psi", "ψ"},
     {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},  {"Lambda", "Λ"},  {"Xi", "Ξ"},  {"Pi", "Π"},
     {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"},  {"ell", "ℓ"}}};
/// Upright names, formulas wherever they stand.
constexpr std::array<std::string_view, 15> names{"sqrt", "exp", "log",  "ln",        "tr",   "det",  "ceil",  "floor",
                                                 "Bin",  "Id",  "Proj", "Bernoulli", "sign", "erfc", "argmin"};
/// Words that are also names: formulas only before a formula.
constexpr std::array<Pairs, 12> sometimes{{{"sum", "∑"},
                                           {"int", "∫"},
                                           {"prod", "∏"},
                                           {"grad", "∇"},
                                           {"tensor", "⊗"},
                                           {"infinity", "∞"},
                                           {"max", "max"},
                                           {"min", "min"},
                                           {"sup", "sup"},
                                           {"inf", "inf"},
                                           {"lim", "lim"},
                                           {"Var", "Var"}}};
/// Longest first.
constexpr std::array<Pairs, 19> signs{{{"...", "…"},
                                       {"<=", "≤"},
                                       {">=", "≥"},
                                       {"!=", "≠"},
                                       {"->", "→"},
                                       {"<-", "←"},
                                       {"+-", "±"},
                                       {"||", "‖"},
                                       {"**", "∗∗"},
                                       {"=", "="},
                                       {"<", "<"},
                                       {">", ">"},
                                       {"+", "+"},
                                       {"-", "−"},
                                       {"*", "∗"},
                                       {"~", "∼"},
                                       {"|", "|"},
                                       {"'", "′"},
                                       {"!", "!"}}};

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

template <class Table>
std::optional<std::string> among(const Table& table, std::string_view name) {
  for (const auto& [plain, shown] : table) {
    if (plain == name) {
      return std::string(shown);
    }
  }
  return std::nullopt;
}

/// Whether what follows is a script, or begins one in braces: c^{lE}.
bool scripted(const std::vector<Token>& all) {
  const std::size_t n = all.size();
  return n > 0 && (all[n - 1].kind == Kind::script ||
                   (n > 1 && all[n - 1].text == "{" && all[n - 2].kind == Kind::script));
}

/// Cuts a text into tokens whose texts, put together, are the text.
std::vector<Token> tokens(std::string_view text) {
  std::vector<Token> all;
  std::size_t at = 0;
  const auto take = [&](std::size_t size, Kind kind, bool formula, std::string shown = {}) {
    const std::string piece(text.substr(at, size));
    all.push_back({kind, piece, shown.empty() ? piece : std::move(shown), formula});
    at += size;
  };
  const auto next = [&](std::size_t ahead) { return at + ahead < text.size() ? text[at + ahead] : ' '; };
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\n') {
      take(1, Kind::space, false);
    } else if (digit(c)) {
      std::size_t size = 1;
      while (digit(next(size)) || (next(size) == '.' && digit(next(size + 1)))) {
        ++size;
      }
      const bool negative = next(size + 1) == '-';
      if (next(size) == 'e' && digit(next(size + (negative ? 2 : 1)))) {
        size += negative ? 2 : 1;
        while (digit(next(size))) {
          ++size;
        }
      }
      take(size, Kind::number, true);
    } else if (letter(c)) {
      std::size_t size = 1;
      while (letter(next(size))) {
        ++size;
      }
      const std::string_view word = text.substr(at, size);
      const bool after_prime = !all.empty() && all.back().text == "'";
      if (auto sign = among(greek, word)) {
        take(size, Kind::letter, true, *sign);
      } else if (size == 1 && next(1) == '.' && digit(next(2))) {  // Lemma B.2
        size = 3;
        while (digit(next(size))) {
          ++size;
        }
        take(size, Kind::word, false);
        continue;
      } else if (size == 1 && c == 's' && after_prime && all.size() > 1 && all[all.size() - 2].kind == Kind::word) {
        take(size, Kind::word, false);  // Freedman's
      } else if (size == 1 || scripted(all)) {
        take(size, Kind::letter, true);
      } else if (after_prime && size <= 3 && word != "s") {
        take(1, Kind::letter, true);  // x'Tx: a product
        continue;
      } else if (std::find(names.begin(), names.end(), word) != names.end()) {
        take(size, Kind::function, true);
      } else if (auto name = among(sometimes, word)) {
        take(size, Kind::function, true, *name);
      } else {
        // Words with a script are names of a formula ("gain^2"); "two-sided" and "lemma-c.2" are one word.
        const bool has_script = next(size) == '_' || next(size) == '^' || (next(size) == '(' && size == 2);
        while (!has_script && ((next(size) == '-' && (letter(next(size + 1)) || digit(next(size + 1)))) ||
                             letter(next(size)) || digit(next(size)) || (next(size) == '.' && digit(next(size + 1))))) {
          ++size;
        }
        take(size, has_script ? Kind::letter : Kind::word, has_script);
        continue;
      }
      if (all.back().kind == Kind::letter && digit(next(0)) && !digit(next(1)) && !letter(next(1))) {
        all.push_back({Kind::script, "", "_", true});  // K1 is K with the index 1
      }
    } else if (c == '_' || c == '^') {
      take(1, Kind::script, true);
    } else if (c == '(' || c == '[' || c == '{') {
      take(1, Kind::open, true);
    } else if (c == ')' || c == ']' || c == '}') {
      take(1, Kind::close, true);
    } else if (c == '/') {
      take(1, Kind::slash, true);
    } else if (c == ',' || c == ';') {
      take(1, Kind::sign, true);
    } else {
      bool found = false;
      for (const auto& [plain, shown] : signs) {
        if (text.substr(at, plain.size()) == plain) {
          take(plain.size(), Kind::sign, true, std::string(shown));
          found = true;
          break;
        }
      }
      if (!found) {  // punctuation, bytes of UTF-8
        take(1, Kind::word, false);
      }
    }
  }
  return all;
}

class Judge {
 public:
  explicit Judge(std::vector<Token>& all) : all_(all) {}

  /// Decides which of the tokens that may be formulas are words, by their neighbours.
  void run() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      hyphens(i);
    }
    for (std::size_t i = all_.size(); i-- > 0;) {
      ambiguous(i);
    }
    brackets();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      commas(i);
    }
  }

 private:
  std::vector<Token>& all_;

  [[nodiscard]] const Token* neighbour(std::size_t i, int step, bool over_space) const {
    auto at = static_cast<std::ptrdiff_t>(i) + step;
    while (at >= 0 && at < static_cast<std::ptrdiff_t>(all_.size())) {
      const Token& token = all_[static_cast<std::size_t>(at)];
      if (token.kind != Kind::space || !over_space) {
        return &token;
      }
      at += step;
    }
    return nullptr;
  }
  void word(std::size_t i) {
    all_[i].kind = Kind::word;
    all_[i].formula = false;
  }

  /// The hyphen of mu-GDP and of 1-Lipschitz; the apostrophe after a word.
  void hyphens(std::size_t i) {
    const Token* before = neighbour(i, -1, false);
    const Token* after = neighbour(i, 1, false);
    if (all_[i].text == "-" && before != nullptr && after != nullptr && after->kind == Kind::word &&
        before->kind != Kind::space) {
      word(i);
    }
    if (all_[i].text == "'" && (before == nullptr || !before->formula)) {
      word(i);
    }
    if (all_[i].text == "!" && (before == nullptr || before->kind != Kind::letter)) {
      word(i);
    }
  }

  void ambiguous(std::size_t i) {
    Token& token = all_[i];
    const Token* before = neighbour(i, -1, true);
    const Token* after = neighbour(i, 1, true);
    const Token* attached = neighbour(i, 1, false);
    const bool before_formula = after != nullptr && after->formula && after->text != "," && after->kind != Kind::close;
    if (token.kind == Kind::function && among(sometimes, token.text)) {
      const bool bare = token.text == "infinity";
      const bool two_sided = token.text == "tensor";
      if (!bare && (!before_formula || (two_sided && (before == nullptr || !before->formula)))) {
        word(i);
      }
    }
    if (token.text == "a" || token.text == "A" || token.text == "I") {  // also words
      const auto joins = [](const Token* other) {
        return other != nullptr && other->formula && other->text != "," && other->text != ";" && other->text != "'" &&
               (other->kind == Kind::sign || other->kind == Kind::slash || other->kind == Kind::script);
      };
      const bool inside = before != nullptr && (before->kind == Kind::open || before->text == ",");
      const bool call = attached != nullptr && (attached->kind == Kind::open || attached->text == "'");
      const bool ends = after != nullptr && (after->kind == Kind::close || after->text == ",");
      if (!joins(before) && !joins(after) && !call && !ends && !(inside && before_formula)) {
        word(i);
      }
    }
    if (token.text == "in" || token.text == "x") {  // membership before an interval, times between capitals
      const auto capital = [](const Token* other) {
        return other != nullptr && other->kind == Kind::letter && other->text.size() == 1 && other->text[0] <= 'Z';
      };
      const bool spaced = attached != nullptr && attached->kind == Kind::space;
      if (token.text == "in" && before != nullptr && after != nullptr && before->formula &&
          (after->text == "[" || (after->text == "E" && before->kind == Kind::close))) {
        token = {Kind::sign, "in", "∈", true};
      } else if (token.text == "x" && spaced && capital(after) && before != nullptr &&
                 (capital(before) || before->text == "'")) {
        token = {Kind::sign, "x", "×", true};
      }
    }
  }

  /// A pair of brackets belongs to a formula exactly if all that it holds does; one alone does if a neighbour does.
  void brackets() {
    std::vector<std::pair<std::size_t, bool>> open;  // position, whether all inside are formulas
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Token& token = all_[i];
      if (token.kind == Kind::open) {
        open.emplace_back(i, true);
      } else if (token.kind == Kind::close) {
        if (open.empty()) {
          word(i);
          continue;
        }
        const auto [from, formula] = open.back();
        open.pop_back();
        if (!formula || from + 1 == i) {
          word(from);
          word(i);
          if (!open.empty()) {
            open.back().second = false;
          }
        }
      } else if (token.kind == Kind::word && !open.empty()) {
        open.back().second = false;
      }
    }
    for (const auto& [from, formula] : open) {
      word(from);
    }
  }

  /// Commas are of the formula only inside its brackets; scripts, slashes and signs only beside a formula.
  void commas(std::size_t i) {
    Token& token = all_[i];
    if (token.kind == Kind::open && token.formula) {
      ++depth_;
    } else if (token.kind == Kind::close && token.formula) {
      --depth_;
    } else if ((token.text == "," || token.text == ";") && depth_ == 0) {
      word(i);
    } else if (token.kind == Kind::slash || token.kind == Kind::script) {
      const Token* before = neighbour(i, -1, true);
      const Token* after = neighbour(i, 1, true);
      if (before == nullptr || after == nullptr || !before->formula || !after->formula) {
        word(i);
      }
    } else if (token.kind == Kind::sign && token.formula && token.text != "'" && token.text != "!") {
      const Token* before = neighbour(i, -1, true);
      const Token* after = neighbour(i, 1, true);
      const bool beside = (before != nullptr && before->formula) || (after != nullptr && after->formula);
      if (!beside) {
        word(i);
      }
    }
  }
  int depth_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> all = tokens(text);
  Judge(all).run();
  return all;
}

}  // namespace report

namespace {

constexpr std::pair<char, const char*> raised[] = {
    {'0', "⁰"}, {'1', "¹"}, {'2', "²"}, {'3', "³"}, {'4', "⁴"}, {'5', "⁵"}, {'6', "⁶"}, {'7', "⁷"}, {'8', "⁸"},
    {'9', "⁹"}, {'+', "⁺"}, {'-', "⁻"}, {'(', "⁽"}, {')', "⁾"}, {'k', "ᵏ"}, {'m', "ᵐ"}, {'s', "ˢ"}, {'t', "ᵗ"}};

/// The exponent that starts at a place, raised, and its length; empty where it has no raised signs.
std::pair<std::string, std::size_t> exponent_at(std::string_view text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::size_t length = 1;
  if (text.starts_with('(')) {
    length = text.find(')') + 1;
  }
  while (digit(0) && digit(length)) {
    ++length;
  }
  const bool goes_on = length < text.size() && (report::letter(text[length]) || (text[length] == '.' && digit(length + 1)));
  std::string result;
  for (const char c : text.substr(0, goes_on ? 0 : length)) {
    const auto* sign = std::find_if(std::begin(raised), std::end(raised), [&](const auto& one) { return one.first == c; });
    if (sign == std::end(raised)) {
      return {};
    }
    result += sign->second;
  }
  return {result, length};
}

}  // namespace

std::string with_letters(const std::string& text) {
  std::string result, word;
  const auto flush = [&](char next) {
    result += word == "sqrt" && next == '(' ? "√" : report::among(report::greek, word).value_or(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (report::letter(text[i])) {
      word += text[i];
      continue;
    }
    flush(text[i]);
    const auto [exponent, length] =
        text[i] == '^' ? exponent_at(std::string_view(text).substr(i + 1)) : std::pair<std::string, std::size_t>{};
    result += exponent.empty() ? std::string(1, text[i]) : exponent;
    i += exponent.empty() ? 0 : length;
  }
  flush('\0');
  return result;
}

}  // namespace dpcurves::validation
