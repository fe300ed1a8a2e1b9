#include "brio/runtime/size_form.h"

#include <bit>
#include <charconv>

#include "brio/base/error.h"

namespace brio {

std::optional<SizeForm> SizeForm::fit(std::vector<int64_t> corners, std::span<const int64_t> first,
                                      std::span<const int64_t> second) {
  // Symbol by symbol: from values at its two sizes to the value at 0 and the slope.
  for (size_t i = 0; i < first.size(); ++i) {
    const int64_t run = second[i] - first[i];
    for (size_t corner = 0; corner < corners.size(); ++corner) {
      if (corner >> i & 1) continue;
      int64_t& at_zero = corners[corner];
      int64_t& slope = corners[corner | size_t{1} << i];
      int64_t rise = 0, reached = 0;
      if (__builtin_sub_overflow(slope, at_zero, &rise) || rise % run != 0) return std::nullopt;
      slope = rise / run;
      if (__builtin_mul_overflow(slope, first[i], &reached) || __builtin_sub_overflow(at_zero, reached, &at_zero))
        return std::nullopt;
    }
  }
  std::vector<Term> terms;
  for (size_t corner = 0; corner < corners.size(); ++corner)
    if (corners[corner] != 0) terms.push_back({corners[corner], static_cast<uint32_t>(corner)});
  return SizeForm(std::move(terms));
}

SizeForm SizeForm::parse(std::string_view text, size_t symbols) {
  const auto fail = [&](std::string_view why) { throw InvalidArgument(cat("'", text, "' is no size: ", why)); };
  std::vector<Term> terms;
  const char *at = text.data(), *const end = at + text.size();
  do {
    if (!terms.empty()) ++at;  // the +
    Term term{0, 0};
    const auto [after, error] = std::from_chars(at, end, term.factor);
    if (error != std::errc()) fail("a whole number is expected");
    for (at = after; at != end && *at == '*'; at += 3) {
      if (end - at < 3 || at[1] != 'n' || at[2] < '0' || static_cast<size_t>(at[2] - '0') >= symbols)
        fail(cat("after * a symbol below n", symbols, " is expected"));
      const uint32_t bit = 1u << (at[2] - '0');
      if (term.symbols & bit) fail("a symbol is there twice");
      term.symbols |= bit;
    }
    if (terms.size() == size_t{1} << kMostSymbols) fail("it is too long");
    terms.push_back(term);
  } while (at != end && *at == '+');
  if (at != end) fail("+ is expected");
  return SizeForm(std::move(terms));
}

int64_t SizeForm::at(std::span<const int64_t> symbols) const {
  int64_t sum = 0;
  for (const Term& term : terms_) {
    int64_t product = term.factor;
    bool fits = true;
    for (size_t i = 0; i < symbols.size(); ++i)
      if (term.symbols >> i & 1) fits &= !__builtin_mul_overflow(product, symbols[i], &product);
    if (!fits || __builtin_add_overflow(sum, product, &sum))
      throw InvalidArgument(cat("a size, ", str(), ", exceeds 64 bits"));
  }
  return sum;
}

bool SizeForm::varies() const {
  for (const Term& term : terms_)
    if (term.symbols != 0) return true;
  return false;
}

std::optional<size_t> SizeForm::symbol() const {
  if (terms_.size() != 1 || terms_[0].factor != 1 || std::popcount(terms_[0].symbols) != 1) return std::nullopt;
  return static_cast<size_t>(std::countr_zero(terms_[0].symbols));
}

std::string SizeForm::str() const {
  std::string text;
  for (const Term& term : terms_) {
    text += cat(text.empty() ? "" : "+", term.factor);
    for (size_t i = 0; i < kMostSymbols; ++i)
      if (term.symbols >> i & 1) text += cat("*n", i);
  }
  return text.empty() ? "0" : text;
}

}  // namespace brio
