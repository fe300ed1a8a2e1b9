// Shape: up to eight sizes, stored inline so that copying one never allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

#include "brio/tensor/size.h"

namespace brio {

inline constexpr int kMaxRank = 8;

class Shape {
 public:
  Shape() = default;  // rank 0: a scalar
  Shape(std::initializer_list<Size> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const Size> dims);  // throws InvalidArgument: rank > 8, negative, size overflow
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  Size operator[](int axis) const { return dims_[axis]; }
  std::span<const Size> dims() const { return {dims_, static_cast<size_t>(rank_)}; }
  const Size* begin() const { return dims_; }
  const Size* end() const { return dims_ + rank_; }

  Size elements() const {
    Size n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  bool known() const {  // all of it
    for (int i = 0; i < rank_; ++i)
      if (!dims_[i].known()) return false;
    return true;
  }
  // As sizes compare: true where it holds whatever the unknown ones are.
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i)
      if (!(dims_[i] == other.dims_[i])) return false;
    return true;
  }
  bool operator!=(const Shape& other) const {
    if (rank_ != other.rank_) return true;
    for (int i = 0; i < rank_; ++i)
      if (dims_[i] != other.dims_[i]) return true;
    return false;
  }

  // Unchecked building blocks for shape rules whose result is known to be valid.
  void push_back(Size dim) { dims_[rank_++] = dim; }
  void set(int axis, Size dim) { dims_[axis] = dim; }

  std::string str() const;  // "(3, 2)", "()" and "(3,)" as TensorFlow prints them

 private:
  Size dims_[kMaxRank];
  int32_t rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

// Row-major strides in elements.
struct Strides {
  int64_t s[kMaxRank];
  int64_t& operator[](int i) { return s[i]; }
  int64_t operator[](int i) const { return s[i]; }
};
Strides row_major(const Shape& shape);

// NumPy broadcasting. False when the shapes do not fit; `out` is then unspecified.
bool broadcast(const Shape& a, const Shape& b, Shape& out);

}  // namespace brio
