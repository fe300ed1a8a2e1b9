// Shape: up to eight dimensions, stored inline so that copying one never allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace brio {

inline constexpr int kMaxRank = 8;

class Shape {
 public:
  Shape() = default;  // rank 0: a scalar
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims);  // throws InvalidArgument: rank > 8, negative, size overflow

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  std::span<const int64_t> dims() const { return {dims_, static_cast<size_t>(rank_)}; }
  const int64_t* begin() const { return dims_; }
  const int64_t* end() const { return dims_ + rank_; }

  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i)
      if (dims_[i] != other.dims_[i]) return false;
    return true;
  }

  // Unchecked building blocks for shape rules whose result is known to be valid.
  void push_back(int64_t dim) { dims_[rank_++] = dim; }
  void set(int axis, int64_t dim) { dims_[axis] = dim; }

  std::string str() const;  // "(3, 2)", "()" and "(3,)" as TensorFlow prints them

 private:
  int64_t dims_[kMaxRank];
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
