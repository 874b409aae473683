// Copyright (c) the dpcurves authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/report/formula_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace dpcurves::validation::report {
namespace {

using Pairs = std::pair<std::string_view, std::string_view>;

constexpr std::array<Pairs, 33> greek{
    {{"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"eps", "ε"}, {"zeta", "ζ"},
     {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},  {"xi", "ξ"},
     {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"chi", "χ"}, {"psi", "ψ"},
     {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},  {"Lambda", "Λ"},  {"Xi", "Ξ"},  {"Pi", "Π"},
     {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"},  {"ell", "ℓ"}}};
/// Words that have a sign; all others of several letters are upright names.
constexpr std::array<Pairs, 6> words{
    {{"sum", "∑"}, {"int", "∫"}, {"prod", "∏"}, {"grad", "∇"}, {"tensor", "⊗"}, {"infinity", "∞"}}};
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
  return n > 0 &&
         (all[n - 1].kind == Kind::script || (n > 1 && all[n - 1].text == "{" && all[n - 2].kind == Kind::script));
}

}  // namespace

std::optional<std::string> greek_letter(std::string_view name) { return among(greek, name); }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> all;
  std::size_t at = 0;
  const auto take = [&](std::size_t size, Kind kind, std::string shown = {}) {
    const std::string piece(text.substr(at, size));
    all.push_back({kind, piece, shown.empty() ? piece : std::move(shown)});
    at += size;
  };
  const auto next = [&](std::size_t ahead) { return at + ahead < text.size() ? text[at + ahead] : ' '; };
  while (at < text.size()) {
    const char c = text[at];
    if (c == ' ' || c == '\n') {
      take(1, Kind::space);
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
      take(size, Kind::number);
    } else if (letter(c)) {
      std::size_t size = 1;
      while (letter(next(size))) {
        ++size;
      }
      const std::string_view word = text.substr(at, size);
      const bool after_prime = !all.empty() && all.back().text == "'";
      const bool between = at > 0 && text[at - 1] == ' ' && next(1) == ' ';
      if (const auto letter_of = among(greek, word)) {
        take(size, Kind::letter, *letter_of);
      } else if (const auto sign = among(words, word)) {
        take(size, Kind::function, *sign);
      } else if (word == "in") {
        take(size, Kind::sign, "∈");
      } else if (word == "x" && between && std::isupper(static_cast<unsigned char>(next(2))) != 0) {
        take(size, Kind::sign, "×");
      } else if (size == 1 || scripted(all)) {
        take(size, Kind::letter);
      } else if (after_prime && size <= 3) {
        take(1, Kind::letter);  // x'Tx: a product
        continue;
      } else if (next(size) == '_' || next(size) == '^') {
        take(size, Kind::letter);
      } else {
        take(size, Kind::function);
      }
      if (all.back().kind == Kind::letter && digit(next(0)) && !digit(next(1)) && !letter(next(1))) {
        all.push_back({Kind::script, "", "_"});  // K1 is K with the index 1
      }
    } else if (c == '_' || c == '^') {
      take(1, Kind::script);
    } else if (c == '(' || c == '[' || c == '{') {
      take(1, Kind::open);
    } else if (c == ')' || c == ']' || c == '}') {
      take(1, Kind::close);
    } else if (c == '/') {
      take(1, Kind::slash);
    } else {
      const auto* found = std::find_if(signs.begin(), signs.end(), [&](const Pairs& sign) {
        return text.substr(at, sign.first.size()) == sign.first;
      });
      std::size_t size = 1;
      while ((static_cast<unsigned char>(next(size)) & 0xC0U) == 0x80U) {  // the rest of a sign in UTF-8
        ++size;
      }
      found == signs.end() ? take(size, Kind::sign) : take(found->first.size(), Kind::sign, std::string(found->second));
    }
  }
  return all;
}

}  // namespace dpcurves::validation::report
