// The view of a function over samples: it reads one element and writes the next.
#pragma once

#include <string_view>

#include "brio/base/philox.h"
#include "brio/data/engine/element.h"

namespace brio::data {

// The parts to read, the parts to write, and random numbers of the sample.
class Sample {
 public:
  Sample(const Element& in, Element& out, RandomStream random) : in_(in), out_(out), random_(random) {}
  size_t size() const { return in_.size(); }
  const Aval& aval(size_t i) const { return in_.aval(i); }
  template <typename T>
  const T* read(size_t i) const;          // throws InvalidArgument if the part has another type
  std::string_view text(size_t i) const;  // a part that is one string
  void* write(size_t i, const Aval& aval) { return out_.write(i, aval); }
  template <typename T>
  T* write(size_t i, const Shape& shape) {
    return static_cast<T*>(out_.write(i, {shape, dtype_of<T>}));
  }
  void write_text(size_t i, std::string_view text);
  void pass(size_t from, size_t to) { out_.copy(to, in_.aval(from), in_.data(from)); }  // unchanged
  const RandomStream& random() const { return random_; }  // a pure function of seed, epoch and sample

 private:
  void check(size_t i, DType dtype) const;
  const Element& in_;
  Element& out_;
  RandomStream random_;
};

template <typename T>
const T* Sample::read(size_t i) const {
  check(i, dtype_of<T>);
  return in_.as<T>(i);
}

}  // namespace brio::data
