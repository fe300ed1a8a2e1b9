#include "brio/tensor/equal_sizes.h"

namespace brio {
namespace {

bool mentions(Size size, uint32_t symbol) {
  std::vector<Size> others;
  for (uint32_t i = 0; i < size.symbols(); ++i) others.push_back(Size::unknown(i == symbol ? size.symbols() : i));
  return !(size.at(others) == size);
}

}  // namespace

Size agreed(Size a, Size b) {
  if (!a.known() && !b.known() && !(a == b)) EqualSizes::note(a, b);
  return a.known() ? a : b;
}

constinit thread_local EqualSizes* EqualSizes::current_ = nullptr;

Size EqualSizes::once_resolved(Size size) const {
  if (const auto symbol = as_symbol(size))
    return *symbol < known_.size() ? known_[*symbol] : size;  // there may be many
  std::vector<Size> symbols = known_;
  for (auto next = static_cast<uint32_t>(symbols.size()); next < size.symbols(); ++next)
    symbols.push_back(Size::unknown(next));
  return size.at(symbols);
}

Size EqualSizes::resolved(Size size) const {
  for (;;) {
    if (size.known()) return size;
    const Size after = once_resolved(size);
    if (after == size) return size;
    size = after;
  }
}

std::vector<Size> EqualSizes::sizes(uint32_t symbols) const {
  std::vector<Size> all;
  for (uint32_t symbol = 0; symbol < symbols; ++symbol) all.push_back(resolved(Size::unknown(symbol)));
  return all;
}

bool EqualSizes::note(Size a, Size b) {
  EqualSizes* const equal = current_;
  if (!equal) return false;
  a = equal->resolved(a);
  b = equal->resolved(b);
  if (a == b) return true;
  auto symbol = as_symbol(a);
  Size size = b;
  // Of two symbols the later gives way, so that the sizes of arguments keep their names.
  if (const auto of_b = as_symbol(b); of_b && (!symbol || *of_b > *symbol)) {
    symbol = of_b;
    size = a;
  }
  if (!symbol || mentions(size, *symbol)) return false;
  for (auto next = static_cast<uint32_t>(equal->known_.size()); next <= *symbol; ++next)
    equal->known_.push_back(Size::unknown(next));
  equal->known_[*symbol] = size;
  return true;
}

}  // namespace brio
