// Sizes that a trace takes for equal: two that are broadcast with each other, or that a reshape relates, are equal as
// a rule, and whoever traces wants one name for both. What is taken for granted is noted; the trace serves the sizes
// for which it is so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "brio/base/error.h"
#include "brio/tensor/size.h"

namespace brio {

std::optional<uint32_t> as_symbol(Size size);  // none for a number, or an expression of more than that

// Of two that have to be equal: the one that is known, or any, which is noted.
Size agreed(Size a, Size b);

class EqualSizes {
 public:
  EqualSizes() : before_(current_) { current_ = this; }  // for this thread, while it lives
  ~EqualSizes() { current_ = before_; }
  EqualSizes(const EqualSizes&) = delete;

  // For each symbol itself, or what it is taken to be equal to.
  std::vector<Size> sizes(uint32_t symbols) const;

  // Is one of them a symbol, so that they can be taken for equal? False where nothing is being noted.
  static bool note(Size a, Size b);

 private:
  Size once_resolved(Size size) const;
  Size resolved(Size size) const;

  static constinit thread_local EqualSizes* current_;
  EqualSizes* before_;
  std::vector<Size> known_;  // per symbol; itself where nothing is known
};

// Makes what was traced anew with the sizes that were taken for equal. Where they cannot be (a part of an axis, and
// the axis, of which one is 1 when they are broadcast), it depends on the sizes: throws UnknownSize.
template <typename Make>
auto taken_for_equal(Make make) {
  try {
    return make();
  } catch (const InvalidArgument& error) {
    throw UnknownSize(cat("sizes that are taken for equal cannot be: ", error.what()));
  }
}

}  // namespace brio
