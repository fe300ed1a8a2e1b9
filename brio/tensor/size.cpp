#include "brio/tensor/size.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <vector>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"
#include "brio/tensor/equal_sizes.h"
#include "brio/tensor/size_terms.h"

namespace brio {

namespace {

constexpr size_t kMostTerms = 1024, kMostFactors = 16;
constexpr int64_t kLongest = int64_t{1} << 48;  // no axis is longer

[[noreturn]] void too_large() { throw InvalidArgument("a size exceeds 64 bits; check for a wrong dimension"); }
int64_t checked_sum(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) too_large();
  return sum;
}
int64_t checked_product(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) too_large();
  return product;
}
int64_t rounded_down(int64_t a, int64_t b) {
  if (b == 0) throw InvalidArgument(cat("a size of ", a, " is divided by one of 0"));
  const int64_t quotient = checked_product(a, b < 0 ? -1 : 1) / (b < 0 ? -b : b);
  return quotient * b > a ? quotient - 1 : quotient;
}

// What an expression is made of beside sums and products.
struct Atom {
  enum class Kind : uint8_t { symbol, quotient, positive, either };  // positive: max(a, 0)
  Kind kind;
  int64_t a, b;  // words; of a symbol its number
  // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
  auto operator<=>(const Atom&) const = default;
};

// factor · atom · atom …
struct Term {
  int64_t factor;
  std::vector<uint32_t> atoms;  // in order
};
bool same_atoms(const Term& a, const Term& b) { return a.atoms == b.atoms; }
bool before(const Term& a, const Term& b) {
  return a.atoms.size() != b.atoms.size() ? a.atoms.size() > b.atoms.size() : a.atoms < b.atoms;
}
using Polynomial = std::vector<Term>;  // in order, the number comes last

// From the least to the most that it can be.
struct Bounds {
  int64_t least, most;
};
constexpr int64_t kAnything = int64_t{1} << 61;  // two of them can be added
int64_t bounded_product(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) product = (a < 0) == (b < 0) ? kAnything : -kAnything;
  return std::clamp(product, -kAnything, kAnything);
}
Bounds operator+(Bounds a, Bounds b) {
  return {std::clamp(a.least + b.least, -kAnything, kAnything), std::clamp(a.most + b.most, -kAnything, kAnything)};
}
Bounds operator*(Bounds a, Bounds b) {
  const int64_t corners[] = {bounded_product(a.least, b.least), bounded_product(a.least, b.most),
                             bounded_product(a.most, b.least), bounded_product(a.most, b.most)};
  return {std::ranges::min(corners), std::ranges::max(corners)};
}

}  // namespace

// The expressions and atoms that there are. They stay: symbols are numbered within a trace, so that traces share
// them.
class Expressions {
 public:
  Expressions() { hold_over_fork(mutex_, ForkRank::sizes); }

  uint32_t atom(const Atom& atom) {
    std::lock_guard lock(mutex_);
    const auto [it, fresh] = atom_numbers_.try_emplace(atom, static_cast<uint32_t>(atoms_.size()));
    if (fresh) atoms_.push_back(atom);
    return it->second;
  }
  Atom atom(uint32_t number) {
    std::lock_guard lock(mutex_);
    return atoms_[number];
  }

  Size size(Polynomial terms) {
    std::ranges::sort(terms, before);
    Polynomial sums;
    for (Term& term : terms) {
      if (!sums.empty() && same_atoms(sums.back(), term))
        sums.back().factor = checked_sum(sums.back().factor, term.factor);
      else sums.push_back(std::move(term));
    }
    std::erase_if(sums, [](const Term& term) { return term.factor == 0; });
    if (sums.empty()) return 0;
    if (sums.size() == 1 && sums[0].atoms.empty()) return sums[0].factor;
    if (sums.size() > kMostTerms) throw InvalidArgument("an expression for a size has too many terms");
    std::vector<int64_t> key;
    for (const Term& term : sums) {
      key.push_back(term.factor);
      key.push_back(static_cast<int64_t>(term.atoms.size()));
      key.insert(key.end(), term.atoms.begin(), term.atoms.end());
    }
    std::lock_guard lock(mutex_);
    const auto [it, fresh] = numbers_.try_emplace(std::move(key), polynomials_.size());
    if (fresh) {
      const bool one = sums.size() == 1 && sums[0].factor == 1 && sums[0].atoms.size() == 1;
      const Atom* const atom = one ? &atoms_[sums[0].atoms[0]] : nullptr;
      symbols_.push_back(atom && atom->kind == Atom::Kind::symbol ? std::optional(static_cast<uint32_t>(atom->a))
                                                                  : std::nullopt);
      polynomials_.push_back(std::make_unique<const Polynomial>(std::move(sums)));
    }
    return Size::of_word(INT64_MIN + static_cast<int64_t>(it->second));
  }
  Polynomial terms(Size size) {
    if (size.known()) return size == 0 ? Polynomial{} : Polynomial{{size.word(), {}}};
    const auto number = static_cast<size_t>(size.word() - INT64_MIN);
    std::lock_guard lock(mutex_);
    BRIO_CHECK(number < polynomials_.size(), "no size has the word ", size.word());
    return *polynomials_[number];
  }
  std::optional<uint32_t> symbol(Size size) {
    std::lock_guard lock(mutex_);
    return symbols_[static_cast<size_t>(size.word() - INT64_MIN)];
  }

 private:
  std::mutex mutex_;
  std::vector<Atom> atoms_;
  std::map<Atom, uint32_t> atom_numbers_;
  std::vector<std::unique_ptr<const Polynomial>> polynomials_;
  std::vector<std::optional<uint32_t>> symbols_;  // which a polynomial is: every call of a function asks
  std::map<std::vector<int64_t>, size_t> numbers_;
};

namespace {

Expressions& all() {
  static auto* expressions = new Expressions;
  return *expressions;
}

Size of_atom(Atom::Kind kind, Size a, Size b) { return all().size({{1, {all().atom({kind, a.word(), b.word()})}}}); }

Term product(const Term& a, const Term& b) {
  Term term{checked_product(a.factor, b.factor), a.atoms};
  term.atoms.insert(term.atoms.end(), b.atoms.begin(), b.atoms.end());
  if (term.atoms.size() > kMostFactors) throw InvalidArgument("an expression for a size has too many factors");
  std::ranges::sort(term.atoms);
  return term;
}

Size sum(Size a, Size b, int64_t sign) {
  Polynomial terms = all().terms(a);
  for (Term& term : all().terms(b)) {
    terms.push_back(std::move(term));
    terms.back().factor = checked_product(terms.back().factor, sign);
  }
  return all().size(std::move(terms));
}

Bounds bounds(Size size);

Bounds bounds(const Atom& atom) {
  if (atom.kind == Atom::Kind::symbol) return {0, kLongest};
  const Bounds a = bounds(Size::of_word(atom.a)), b = bounds(Size::of_word(atom.b));
  switch (atom.kind) {
    case Atom::Kind::quotient:
      if (b.least < 1) return {-kAnything, kAnything};
      return {rounded_down(a.least, a.least < 0 ? b.least : b.most),
              rounded_down(a.most, a.most < 0 ? b.most : b.least)};
    case Atom::Kind::positive: return {std::max(a.least, b.least), std::max(a.most, b.most)};
    default: return {std::min(a.least, b.least), std::max(a.most, b.most)};
  }
}

Bounds bounds(Size size) {
  Bounds total{0, 0};
  for (const Term& term : all().terms(size)) {
    Bounds one{term.factor, term.factor};
    for (const uint32_t atom : term.atoms) one = one * bounds(all().atom(atom));
    total = total + one;
  }
  return total;
}

// Is `whole` what `part` was broadcast to with another? Broadcasting with it again changes nothing.
bool is_broadcast_with(Size whole, Size part) {
  if (whole.known()) return false;
  const Polynomial terms = all().terms(whole);
  if (terms.size() != 1 || terms[0].factor != 1 || terms[0].atoms.size() != 1) return false;
  const Atom atom = all().atom(terms[0].atoms[0]);
  if (atom.kind != Atom::Kind::either) return false;
  const Size a = Size::of_word(atom.a), b = Size::of_word(atom.b);
  return a == part || b == part || is_broadcast_with(a, part) || is_broadcast_with(b, part);
}

// dividend / divisor, where that leaves no rest.
bool divides(const Term& dividend, const Term& divisor, Term& quotient) {
  if (divisor.factor == 0 || dividend.factor % divisor.factor != 0) return false;
  if (!std::ranges::includes(dividend.atoms, divisor.atoms)) return false;
  quotient = {dividend.factor / divisor.factor, {}};
  std::ranges::set_difference(dividend.atoms, divisor.atoms, std::back_inserter(quotient.atoms));
  return true;
}

// Long division. False where there is a rest.
bool divide_exactly(Size a, Size b, Size& quotient) {
  const Polynomial divisor = all().terms(b);
  quotient = 0;
  for (size_t step = 0; step < kMostTerms; ++step) {
    if (a == 0) return true;
    Term part;
    if (!divides(all().terms(a)[0], divisor[0], part)) return false;
    const Size term = all().size({part});
    quotient = quotient + term;
    a = a - term * b;
  }
  return false;
}

}  // namespace

Size Size::unknown(uint32_t symbol) { return of_atom(Atom::Kind::symbol, of_word(symbol), 0); }

void Size::refuse(int64_t number) {
  throw InvalidArgument(cat("a size of ", number, " is negative; it must be ≥ 0"));
}
void Size::need_number() const {
  throw UnknownSize(cat("the size ", str(), " is not known here; give the argument a size that is not None"));
}

Size Size::add(Size a, Size b) { return sum(a, b, 1); }
Size Size::subtract(Size a, Size b) { return sum(a, b, -1); }
Size Size::multiply(Size a, Size b) {
  Polynomial terms;
  for (const Term& left : all().terms(a))
    for (const Term& right : all().terms(b)) terms.push_back(product(left, right));
  return all().size(std::move(terms));
}
Size Size::divide(Size a, Size b) {
  if (a.known() && b.known()) return rounded_down(a.word_, b.word_);
  if (!b.known()) {
    Size quotient;
    return divide_exactly(a, b, quotient) ? quotient : of_atom(Atom::Kind::quotient, a, b);
  }
  // What divides goes out; of the rest, factors below the divisor are left.
  Polynomial whole, rest;
  for (const Term& term : all().terms(a)) {
    const int64_t quotient = rounded_down(term.factor, b.word_);
    whole.push_back({quotient, term.atoms});
    rest.push_back({term.factor - quotient * b.word_, term.atoms});
  }
  const Size left = all().size(std::move(rest)), out = all().size(std::move(whole));
  return left.known() ? out + rounded_down(left.word_, b.word_) : out + of_atom(Atom::Kind::quotient, left, b);
}
// a + b = min + max, and max(a, b) = b + max(a - b, 0) = a + max(b - a, 0): of all these one form is kept.
Size Size::smaller(Size a, Size b) { return a + b - larger(a, b); }
Size Size::larger(Size a, Size b) {
  if (less_for_all(a, b + 1)) return b;
  if (less_for_all(b, a + 1)) return a;
  const Size apart = a - b;
  if (all().terms(apart)[0].factor < 0) return a + of_atom(Atom::Kind::positive, b - a, 0);
  return b + of_atom(Atom::Kind::positive, apart, 0);
}
Size Size::either(Size a, Size b) {
  if (is_broadcast_with(a, b)) return a;
  if (is_broadcast_with(b, a)) return b;
  if (EqualSizes::note(a, b)) return a.symbols() <= b.symbols() ? a : b;
  return of_atom(Atom::Kind::either, of_word(std::min(a.word_, b.word_)), of_word(std::max(a.word_, b.word_)));
}
bool Size::less_for_all(Size a, Size b) { return bounds(a - b).most < 0; }
bool Size::decided_less(Size a, Size b) {
  const Bounds apart = bounds(a - b);
  if (apart.most >= 0 && apart.least < 0)
    throw UnknownSize(cat("whether ", a, " is less than ", b, " depends on sizes that are not known yet"));
  return apart.most < 0;
}
bool Size::surely_differ(Size a, Size b) {
  const Bounds apart = bounds(a - b);
  return apart.most < 0 || apart.least > 0;
}

Size Size::substituted(std::span<const Size> symbols) const {
  Size total = 0;
  for (const Term& term : all().terms(*this)) {
    Size one = term.factor;
    for (const uint32_t number : term.atoms) {
      const Atom atom = all().atom(number);
      if (atom.kind == Atom::Kind::symbol) {
        if (static_cast<size_t>(atom.a) >= symbols.size())
          throw InvalidArgument(cat("the size n", atom.a, " is not given; there are ", symbols.size()));
        one *= symbols[static_cast<size_t>(atom.a)];
        continue;
      }
      const Size a = of_word(atom.a).at(symbols), b = of_word(atom.b).at(symbols);
      switch (atom.kind) {
        case Atom::Kind::quotient: one *= divide(a, b); break;
        case Atom::Kind::positive: one *= max(a, b); break;
        default: one *= broadcast(a, b); break;
      }
    }
    total += one;
  }
  return total;
}

std::optional<uint32_t> as_symbol(Size size) { return size.known() ? std::nullopt : all().symbol(size); }

std::vector<SizeTerm> terms_of(Size size) {
  std::vector<SizeTerm> terms;
  for (const Term& term : all().terms(size)) {
    SizeTerm& made = terms.emplace_back(SizeTerm{term.factor, {}});
    for (const uint32_t number : term.atoms) {
      const Atom atom = all().atom(number);
      if (atom.kind == Atom::Kind::symbol) {
        made.factors.push_back({SizeFactor::Kind::symbol, static_cast<uint32_t>(atom.a)});
        continue;
      }
      const SizeFactor::Kind kind = atom.kind == Atom::Kind::quotient   ? SizeFactor::Kind::quotient
                                    : atom.kind == Atom::Kind::positive ? SizeFactor::Kind::larger
                                                                        : SizeFactor::Kind::either;
      made.factors.push_back({kind, 0, Size::of_word(atom.a), Size::of_word(atom.b)});
    }
  }
  return terms;
}

uint32_t Size::symbols() const {
  uint32_t count = 0;
  if (known()) return count;
  for (const Term& term : all().terms(*this))
    for (const uint32_t number : term.atoms) {
      const Atom atom = all().atom(number);
      count = std::max(count, atom.kind == Atom::Kind::symbol
                                  ? static_cast<uint32_t>(atom.a) + 1
                                  : std::max(of_word(atom.a).symbols(), of_word(atom.b).symbols()));
    }
  return count;
}

namespace {

std::string text_of(const Atom& atom) {
  if (atom.kind == Atom::Kind::symbol) return cat("n", atom.a);
  const std::string a = Size::of_word(atom.a).str(), b = Size::of_word(atom.b).str();
  switch (atom.kind) {
    case Atom::Kind::quotient: return cat("((", a, ")/(", b, "))");
    case Atom::Kind::positive: return cat("max(", a, ",", b, ")");
    default: return cat("either(", a, ",", b, ")");
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), left_(text) {}
  Size run() {
    const Size size = sum();
    if (!left_.empty()) fail("+, -, * or / is expected");
    return size;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InvalidArgument(cat("'", text_, "' is no size: ", what, " at character ", text_.size() - left_.size()));
  }
  bool take(std::string_view token) {
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) fail(cat(token, " is expected"));
  }
  int64_t number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc()) fail("a number is expected");
    left_.remove_prefix(static_cast<size_t>(end - left_.data()));
    return value;
  }
  Size sum() {
    if (++depth_ > 32) fail("it is nested too deeply");
    Size total = product();
    for (;;) {
      if (take("+")) total += product();
      else if (take("-")) total -= product();
      else break;
    }
    --depth_;
    return total;
  }
  Size product() {
    Size total = factor();
    for (;;) {
      if (take("*")) total *= factor();
      else if (take("/")) total = quotient(total, factor());
      else return total;
    }
  }
  static Size quotient(Size a, Size b) { return a.known() && b.known() ? Size(rounded_down(a, b)) : a / b; }
  Size factor() {
    if (take("(")) {
      const Size size = sum();
      need(")");
      return size;
    }
    for (const auto& [name, function] : {std::pair(
                                             "min(", +[](Size a, Size b) { return min(a, b); }),
                                         std::pair(
                                             "max(", +[](Size a, Size b) { return max(a, b); }),
                                         std::pair(
                                             "either(", +[](Size a, Size b) { return broadcast(a, b); })}) {
      if (!take(name)) continue;
      const Size a = sum();
      need(",");
      const Size b = sum();
      need(")");
      return function(a, b);
    }
    if (!take("n")) return number();
    const int64_t symbol = number();
    if (symbol < 0 || symbol > UINT16_MAX) fail("no symbol has that number");
    return Size::unknown(static_cast<uint32_t>(symbol));
  }

  std::string_view text_, left_;
  int depth_ = 0;
};

}  // namespace

std::string Size::str() const {
  if (known()) return std::to_string(word_);
  std::string text;
  for (const Term& term : all().terms(*this)) {
    if (!text.empty() && term.factor > 0) text += "+";
    std::string product;
    for (const uint32_t atom : term.atoms) product += cat(product.empty() ? "" : "*", text_of(all().atom(atom)));
    if (product.empty()) text += std::to_string(term.factor);
    else if (term.factor == 1) text += product;
    else text += cat(term.factor, "*", product);
  }
  return text;
}
Size Size::parse(std::string_view text) { return Parser(text).run(); }
std::ostream& operator<<(std::ostream& out, Size size) { return out << size.str(); }

}  // namespace brio
