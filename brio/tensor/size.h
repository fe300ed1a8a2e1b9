// Size: the length of an axis. It is a number, or an expression over sizes that are not known yet, such as those of a
// function's arguments that are None. It is one word, so shapes and attributes hold it as they hold numbers;
// arithmetic on numbers costs one test.
//
//   const Size n = Size::unknown(0);
//   (n * 4 + 2) / 2                   // 2*n0+1
//   n == n, n != n + 1, n >= 0        // true whatever the sizes are
//   n == 3, n != 3                    // false, both: it may be so, or not
//   n < 3                             // throws UnknownSize: who wants the order needs the number
//   surely_less(n, 3)                 // false: not for every size
//   ((n + 1) / 2).at({7})             // 4
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brio {

class Size {
 public:
  Size() = default;
  template <std::integral I>
  constexpr Size(I number) : word_(static_cast<int64_t>(number)) {
    if (word_ < kLeast) [[unlikely]]
      refuse(word_);
  }
  static Size unknown(uint32_t symbol);  // "n0", "n1", …: the caller numbers them

  // The word that attributes hold.
  static constexpr Size of_word(int64_t word) { return Size(Word{word}); }
  constexpr int64_t word() const { return word_; }

  constexpr bool known() const { return word_ >= kLeast; }
  constexpr operator int64_t() const {  // throws InvalidArgument if it is not known
    if (!known()) [[unlikely]]
      need_number();
    return word_;
  }

  // With a size, known or not, for each symbol. Throws InvalidArgument if a symbol has none, or if the result exceeds
  // 64 bits.
  Size at(std::span<const Size> symbols) const { return known() ? *this : substituted(symbols); }
  Size at(std::initializer_list<Size> symbols) const { return at(std::span(symbols.begin(), symbols.size())); }
  uint32_t symbols() const;  // one more than the last symbol in it

  std::string str() const;                   // "3", "2*n0+1", "(n0+1)/2", "max(n0-2,0)"
  static Size parse(std::string_view text);  // throws InvalidArgument

  friend Size operator+(Size a, Size b) {
    int64_t sum;
    if (a.known() && b.known() && !__builtin_add_overflow(a.word_, b.word_, &sum)) [[likely]]
      return Size(sum);
    return add(a, b);
  }
  friend Size operator-(Size a, Size b) {
    int64_t difference;
    if (a.known() && b.known() && !__builtin_sub_overflow(a.word_, b.word_, &difference)) [[likely]]
      return Size(difference);
    return subtract(a, b);
  }
  friend Size operator*(Size a, Size b) {
    int64_t product;
    if (a.known() && b.known() && !__builtin_mul_overflow(a.word_, b.word_, &product)) [[likely]]
      return Size(product);
    return multiply(a, b);
  }
  // For sizes, which are not negative. Expressions round down.
  friend Size operator/(Size a, Size b) {
    if (a.known() && b.known() && b.word_ != 0) [[likely]]
      return Size(a.word_ / b.word_);
    return divide(a, b);
  }
  friend Size operator%(Size a, Size b) {
    if (a.known() && b.known() && b.word_ != 0) [[likely]]
      return Size(a.word_ % b.word_);
    return a - a / b * b;
  }
  Size& operator+=(Size b) { return *this = *this + b; }
  Size& operator-=(Size b) { return *this = *this - b; }
  Size& operator*=(Size b) { return *this = *this * b; }
  Size& operator/=(Size b) { return *this = *this / b; }

  // Each expression has one form, so equal expressions are one word.
  friend constexpr bool operator==(Size a, Size b) { return a.word_ == b.word_; }
  friend bool operator!=(Size a, Size b) { return a.known() && b.known() ? a.word_ != b.word_ : surely_differ(a, b); }
  friend bool operator<(Size a, Size b) { return a.known() && b.known() ? a.word_ < b.word_ : decided_less(a, b); }
  friend bool operator<=(Size a, Size b) { return !(b < a); }
  friend bool operator>(Size a, Size b) { return b < a; }
  friend bool operator>=(Size a, Size b) { return !(a < b); }
  // True if it holds for all sizes: used by rules that refuse.
  friend bool surely_less(Size a, Size b) { return a.known() && b.known() ? a.word_ < b.word_ : less_for_all(a, b); }

  friend Size min(Size a, Size b) { return a.known() && b.known() ? Size(a.word_ < b.word_ ? a : b) : smaller(a, b); }
  friend Size max(Size a, Size b) { return a.known() && b.known() ? Size(a.word_ < b.word_ ? b : a) : larger(a, b); }
  // The number of pieces of length b that cover a.
  friend Size pieces(Size a, Size b) {
    return a.known() && b.known() && a.word_ > 0 ? (a - Size(1)) / b + Size(1) : (a + b - Size(1)) / b;
  }
  // The length of two axes that are broadcast: a length of 1 is repeated.
  friend Size broadcast(Size a, Size b) {
    if (a == b || b == Size(1)) return a;
    return a == Size(1) || (b.known() && !a.known()) ? b : a.known() ? a : either(a, b);
  }

 private:
  // Words below this are expressions, by number.
  static constexpr int64_t kLeast = INT64_MIN + (int64_t{1} << 32);
  struct Word {
    int64_t word;
  };
  explicit constexpr Size(Word word) : word_(word.word) {}

  [[noreturn]] static void refuse(int64_t number);
  [[noreturn]] void need_number() const;
  Size substituted(std::span<const Size> symbols) const;
  static Size add(Size a, Size b);
  static Size subtract(Size a, Size b);
  static Size multiply(Size a, Size b);
  static Size divide(Size a, Size b);
  static Size smaller(Size a, Size b);
  static Size larger(Size a, Size b);
  static Size either(Size a, Size b);
  static bool decided_less(Size a, Size b);  // throws UnknownSize
  static bool less_for_all(Size a, Size b);
  static bool surely_differ(Size a, Size b);

  int64_t word_;  // not initialised: shapes are made with every op
};

bool surely_less(Size a, Size b);  // also for numbers

// For mixed expressions with numbers, where the conversions from and to Size would be ambiguous.
template <std::integral I>
Size operator+(Size a, I b) {
  return a + Size(b);
}
template <std::integral I>
Size operator+(I a, Size b) {
  return Size(a) + b;
}
template <std::integral I>
Size operator-(Size a, I b) {
  return a - Size(b);
}
template <std::integral I>
Size operator-(I a, Size b) {
  return Size(a) - b;
}
template <std::integral I>
Size operator*(Size a, I b) {
  return a * Size(b);
}
template <std::integral I>
Size operator*(I a, Size b) {
  return Size(a) * b;
}
template <std::integral I>
Size operator/(Size a, I b) {
  return a / Size(b);
}
template <std::integral I>
Size operator/(I a, Size b) {
  return Size(a) / b;
}
template <std::integral I>
Size operator%(Size a, I b) {
  return a % Size(b);
}
template <std::integral I>
Size operator%(I a, Size b) {
  return Size(a) % b;
}
template <std::integral I>
bool operator==(Size a, I b) {
  return a.word() == static_cast<int64_t>(b);
}
template <std::integral I>
bool operator==(I a, Size b) {  // GCC 13 does not reverse the operator above
  return b == a;
}
template <std::integral I>
bool operator!=(Size a, I b) {
  return a != Size(b);
}
template <std::integral I>
bool operator!=(I a, Size b) {
  return Size(a) != b;
}
template <std::integral I>
bool operator<(Size a, I b) {
  return a < Size(b);
}
template <std::integral I>
bool operator<(I a, Size b) {
  return Size(a) < b;
}
template <std::integral I>
bool operator<=(Size a, I b) {
  return a <= Size(b);
}
template <std::integral I>
bool operator<=(I a, Size b) {
  return Size(a) <= b;
}
template <std::integral I>
bool operator>(Size a, I b) {
  return a > Size(b);
}
template <std::integral I>
bool operator>(I a, Size b) {
  return Size(a) > b;
}
template <std::integral I>
bool operator>=(Size a, I b) {
  return a >= Size(b);
}
template <std::integral I>
bool operator>=(I a, Size b) {
  return Size(a) >= b;
}

std::ostream& operator<<(std::ostream& out, Size size);

}  // namespace brio
