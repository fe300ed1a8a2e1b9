// What an expression for a size is made of, for who writes it in another form: a sum of products.
#pragma once

#include <cstdint>
#include <vector>

#include "brio/tensor/size.h"

namespace brio {

struct SizeFactor {
  // A size that is not known; a / b rounded down; max(a, b); the length of two axes that are broadcast.
  enum class Kind : uint8_t { symbol, quotient, larger, either } kind;
  uint32_t symbol = 0;
  Size a = 0, b = 0;
};
struct SizeTerm {
  int64_t number = 1;  // times all of these
  std::vector<SizeFactor> factors = {};
};
std::vector<SizeTerm> terms_of(Size size);  // none: it is 0

}  // namespace brio
