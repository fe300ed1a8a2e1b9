#include "brio/tensor/shape.h"

#include <ostream>

#include "brio/base/error.h"

namespace brio {

namespace {

// 2^59 elements of 8 bytes still fit into int64 bytes; larger is never a real tensor. A zero among the dimensions
// does not excuse the others: their product appears in strides.
constexpr int64_t kMostElements = int64_t{1} << 59;

template <typename Dim>
std::string text_of(std::span<const Dim> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += cat(i ? ", " : "", dims[i]);
  return text + ")";
}

template <typename Dim>
void check(std::span<const Dim> dims) {
  if (dims.size() > kMaxRank)
    throw InvalidArgument(cat("shape: ", text_of(dims), " has ", dims.size(), " dimensions; at most ", kMaxRank,
                              " are supported: merge some with reshape"));
  int64_t elements = 1;
  for (const Dim dim : dims) {
    if (surely_less(dim, 0))
      throw InvalidArgument(
          cat("shape: ", text_of(dims), " has the negative dimension ", dim, "; sizes must be ≥ 0"));
    if constexpr (std::is_same_v<Dim, Size>)
      if (!dim.known()) continue;
    if (__builtin_mul_overflow(elements, std::max<int64_t>(dim, 1), &elements) || elements > kMostElements)
      throw InvalidArgument(
          cat("shape: ", text_of(dims), " has more than 2^59 elements; check for a wrong dimension"));
  }
}

}  // namespace

Shape::Shape(std::span<const Size> dims) {
  check(dims);
  for (const Size dim : dims) push_back(dim);
}
Shape::Shape(std::span<const int64_t> dims) {
  check(dims);
  for (const int64_t dim : dims) push_back(dim);
}

std::string Shape::str() const {
  std::string s = "(";
  for (int i = 0; i < rank_; ++i) s += cat(i ? ", " : "", dims_[i].str());
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
    const Size da = ia < 0 ? Size(1) : a[ia], db = ib < 0 ? Size(1) : b[ib];
    if (da != db && da != 1 && db != 1) return false;
    out.push_back(broadcast(da, db));
  }
  return true;
}

}  // namespace brio
