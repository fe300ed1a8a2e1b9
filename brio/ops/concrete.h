// Reads data that a function needs before it can record, because the size of its result depends on it
// (docs/decisions/dynamic-sizes.md).
#pragma once

#include "brio/ir/string_moves.h"
#include "brio/ops/check.h"

namespace brio {

// The data of x, computed now. While a function or a body is traced there is none; `instead` then says what to do.
inline const Array& concrete(std::string_view function, const Tensor& x, std::string_view instead) {
  if (!is_known_now(required(function, x)))
    throw UnknownValue(cat("[", function, "] the size of its result depends on the data of a tensor of shape ",
                           x.shape(), ", which is not known while a function or loop body is traced; ", instead,
                           ", or call it outside"));
  return x.array();
}

// The same as integers.
inline std::vector<int64_t> concrete_integers(std::string_view function, const Tensor& x, std::string_view instead) {
  if (!is_integer(required(function, x).dtype()))
    throw_invalid(function, cat("takes integers, but got ", x.dtype(), "; cast it first"));
  const Array& array = concrete(function, x, instead);
  std::vector<int64_t> values(static_cast<size_t>(x.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = integer_at(array.data(), x.dtype(), static_cast<int64_t>(i));
  return values;
}

}  // namespace brio
