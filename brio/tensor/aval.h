// Aval: what is known of a value before it is computed. Array: a computed value, dense and row-major.
#pragma once

#include <cstring>

#include "brio/tensor/dtype.h"
#include "brio/tensor/memory.h"
#include "brio/tensor/shape.h"

namespace brio {

struct Aval {
  Shape shape;
  DType dtype = f32;

  size_t bytes() const { return static_cast<size_t>(shape.elements()) * size_of(dtype); }
  Size open_bytes() const { return shape.elements() * size_of(dtype); }  // where a size need not be known
  // As sizes compare: true where it holds whatever the unknown ones are.
  bool operator==(const Aval& other) const { return dtype == other.dtype && shape == other.shape; }
  bool operator!=(const Aval& other) const { return dtype != other.dtype || shape != other.shape; }
};

struct Array {
  Aval aval;
  BufferRef buffer;
  size_t offset = 0;  // bytes into the buffer: a contiguous view shares its parent's memory

  void* data() const { return static_cast<char*>(buffer->data()) + offset; }  // an address of the buffer's memory
  template <typename T>
  T* as() const {
    return static_cast<T*>(data());
  }
  static Array allocate(const Aval& aval, Owner owner = Owner::other, Memory& memory = host_memory()) {
    return {aval, BufferRef::allocate(aval.bytes(), owner, memory), 0};
  }
};

// The bits of one element, and back, for constants and scalars.
template <typename T>
uint64_t to_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T>
T from_bits(uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

}  // namespace brio
