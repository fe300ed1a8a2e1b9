// Host numbers that become tensors.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "brio/tensor/aval.h"

namespace brio {

// A number that takes the dtype of the tensor it meets; a number that does not fit is an error, as in TensorFlow.
class Scalar {
 public:
  enum class Kind : uint8_t { real, integer, truth };

  template <std::floating_point T>
  Scalar(T value) : kind_(Kind::real), real_(static_cast<double>(value)) {}
  template <std::integral T>
  Scalar(T value)
      : kind_(std::same_as<T, bool> ? Kind::truth : Kind::integer), integer_(static_cast<int64_t>(value)) {
    unsigned_ = std::unsigned_integral<T>;
  }

  Kind kind() const { return kind_; }
  double real() const { return kind_ == Kind::real ? real_ : static_cast<double>(integer_); }
  int64_t integer() const { return integer_; }
  uint64_t bits_as(DType dtype) const;  // throws InvalidArgument if the value does not fit the dtype
  std::string str() const;

 private:
  Kind kind_;
  bool unsigned_ = false;
  union {
    double real_;
    int64_t integer_;
  };
};

// A brace literal: {{1, 2}, {3, 4}}. Numbers become f32 unless a dtype is given.
class Literal {
 public:
  template <typename T>
  requires std::floating_point<T> || std::integral<T> Literal(T value) : leaf_(value), is_leaf_(true) {}
  Literal(std::initializer_list<Literal> items) : items_(items) {}

  Array array(DType dtype) const;  // throws InvalidArgument for ragged literals

 private:
  void measure(Shape& shape, int depth) const;
  void fill(const Shape& shape, int depth, DType dtype, char*& at) const;

  Scalar leaf_ = 0;
  bool is_leaf_ = false;
  std::vector<Literal> items_;
};

}  // namespace brio
