#include "brio/ir/scalar.h"

#include <cmath>
#include <limits>

#include "brio/base/error.h"
#include "brio/tensor/complex.h"

namespace brio {

std::string Scalar::str() const {
  if (kind_ == Kind::real) return cat(real_);
  if (kind_ == Kind::truth) return integer_ ? "true" : "false";
  return unsigned_ ? cat(static_cast<uint64_t>(integer_)) : cat(integer_);
}

uint64_t Scalar::bits_as(DType dtype) const {
  auto refuse = [&](std::string_view why) {
    throw InvalidArgument(cat("[scalar] ", str(), " cannot become ", dtype, ": ", why,
                              "; cast the tensor first, or write a number that fits"));
  };
  if (!is_real(dtype)) refuse(is_complex(dtype) ? "a host number is real" : "it is a number");
  if (dtype == boolean) {
    if (kind_ != Kind::truth) refuse("only true and false are bool");
    return integer_ != 0;
  }
  if (kind_ == Kind::truth) refuse("true and false are bool");
  if (is_floating(dtype)) {
    const double value = kind_ == Kind::real ? real_
                         : unsigned_         ? static_cast<double>(static_cast<uint64_t>(integer_))
                                             : static_cast<double>(integer_);
    if (dtype == f64) return to_bits(value);
    if (dtype == f32) return to_bits(static_cast<float>(value));
    if (dtype == f16) return to_bits(Half(static_cast<float>(value)));
    return to_bits(BFloat16(static_cast<float>(value)));
  }
  if (kind_ == Kind::real) refuse("it is not an integer");
  return visit(dtype, [&](auto t) -> uint64_t {
    using T = decltype(t);
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      const bool fits = unsigned_
                            ? static_cast<uint64_t>(integer_) <= static_cast<uint64_t>(std::numeric_limits<T>::max())
                            : std::in_range<T>(integer_);
      if (!fits) refuse("it is out of range");
      return to_bits(static_cast<T>(integer_));
    }
    return 0;
  });
}

void Literal::measure(Shape& shape, int depth) const {
  if (is_leaf_) return;
  if (depth == kMaxRank) throw InvalidArgument(cat("[tensor] a literal is nested deeper than ", kMaxRank, " levels"));
  shape.push_back(static_cast<int64_t>(items_.size()));
  if (!items_.empty()) items_.front().measure(shape, depth + 1);
}

void Literal::fill(const Shape& shape, int depth, DType dtype, char*& at) const {
  if (is_leaf_ != (depth == shape.rank()) || (!is_leaf_ && static_cast<int64_t>(items_.size()) != shape[depth]))
    throw InvalidArgument(cat("[tensor] a literal is ragged: its first entries have shape ", shape, ", but at depth ",
                              depth, " another has ", is_leaf_ ? "a number" : cat(items_.size(), " entries"),
                              "; give every row the same length"));
  if (is_leaf_) {
    const DType part = real_dtype(dtype);
    const uint64_t bits = leaf_.bits_as(part);
    std::memset(at, 0, size_of(dtype));
    std::memcpy(at, &bits, size_of(part));
    at += size_of(dtype);
    return;
  }
  for (const Literal& item : items_) item.fill(shape, depth + 1, dtype, at);
}

Array Literal::array(DType dtype) const {
  Aval aval{{}, dtype};
  measure(aval.shape, 0);
  Array array = Array::allocate(aval);
  char* at = static_cast<char*>(array.data());
  fill(aval.shape, 0, dtype, at);
  return array;
}

}  // namespace brio
