#include "brio/tensor/shape.h"

#include <ostream>

#include "brio/base/error.h"

namespace brio {

Shape::Shape(std::span<const int64_t> dims) {
  auto text = [&] {
    std::string s = "(";
    for (size_t i = 0; i < dims.size(); ++i) s += (i ? ", " : "") + std::to_string(dims[i]);
    return s + ")";
  };
  if (dims.size() > kMaxRank)
    throw InvalidArgument(cat("shape: ", text(), " has ", dims.size(), " dimensions; at most ", kMaxRank,
                              " are supported: merge some with reshape"));
  // 2^59 elements of 8 bytes still fit into int64 bytes; larger is never a real tensor. A zero among the dimensions
  // does not excuse the others: their product appears in strides.
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0)
      throw InvalidArgument(cat("shape: ", text(), " has the negative dimension ", dim, "; sizes must be ≥ 0"));
    if (__builtin_mul_overflow(elements, std::max<int64_t>(dim, 1), &elements) || elements > (int64_t{1} << 59))
      throw InvalidArgument(cat("shape: ", text(), " has more than 2^59 elements; check for a wrong dimension"));
    push_back(dim);
  }
}

std::string Shape::str() const {
  std::string s = "(";
  for (int i = 0; i < rank_; ++i) s += (i ? ", " : "") + std::to_string(dims_[i]);
  return s + (rank_ == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

Strides row_major(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

bool broadcast(const Shape& a, const Shape& b, Shape& out) {
  const int rank = std::max(a.rank(), b.rank());
  out = Shape();
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1) return false;
    out.push_back(da == 1 ? db : da);
  }
  return true;
}

}  // namespace brio
