// Tensor: an immutable value that may not be computed yet. Copying a handle is cheap; reading it (data, item,
// printing) computes what is pending.
#pragma once

#include <atomic>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "brio/ir/scalar.h"
#include "brio/tensor/aval.h"

namespace brio {

class Recording;
class Variable;

// A copy of a value in another memory.
struct ArrayCopy {
  Array array;
  ArrayCopy* next;
};

// The shared state behind handles.
struct TensorImpl {
  RefCount refs{1};
  uint32_t value = 0;                               // its number in `recording`
  std::atomic<Recording*> recording{nullptr};       // the recording that lists it, computed or not
  std::atomic<bool> computed{false};                // array.buffer or scalar holds the value
  Array array;                                      // array.aval is valid from the start; where it was computed
  mutable std::atomic<ArrayCopy*> copies{nullptr};  // see copy_in()
  bool is_scalar = false;                           // a host number: kept in `scalar`, no buffer
  uint64_t scalar = 0;
  uint8_t rollbacks = 0;                     // references held by Recording::rebound, which do not forbid donation
  std::shared_ptr<const std::string> error;  // the error of its run: reading the value throws it again
  TensorImpl* mask = nullptr;                // one reference: which elements count; layers pass it on (nn/mask.h)

  const Aval& aval() const { return array.aval; }
  // A computed value, to be read by the host.
  const void* data() const {
    if (is_scalar) return &scalar;
    return array.buffer->on_host() ? array.data() : copy_in(host_memory()).data();
  }
  // A computed value in this memory: the value itself, or a copy that is made once and stays as long as the value.
  const Array& copy_in(Memory& memory) const;
  void drop_copies() noexcept;  // after a write to its own memory, which has no other owner

  static TensorImpl* create(const Aval& aval);  // one reference
  static void destroy(TensorImpl* impl) noexcept;
};

class Tensor {
 public:
  Tensor() = default;                                                         // "none": no value
  explicit Tensor(const Literal& literal, DType dtype = f32);                 // Tensor(5)
  explicit Tensor(std::initializer_list<Literal> literal, DType dtype = f32)  // Tensor({{1, 2}, {3, 4}})
      : Tensor(Literal(literal), dtype) {}
  explicit Tensor(Array array);
  // Copies `shape.elements()` elements from host memory.
  template <typename T>
  static Tensor from(const T* data, const Shape& shape);
  template <typename T>
  static Tensor from(const std::vector<T>& data, const Shape& shape);
  static Tensor from_bytes(const void* data, const Aval& aval);

  Tensor(const Tensor& other) : impl_(other.impl_) {
    if (impl_) impl_->refs.increment();
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() { reset(); }
  void reset() noexcept {
    TensorImpl* impl = std::exchange(impl_, nullptr);
    if (impl && impl->refs.decrement()) TensorImpl::destroy(impl);
  }

  bool defined() const { return impl_ != nullptr; }
  const Aval& aval() const;
  const Shape& shape() const { return aval().shape; }
  DType dtype() const { return aval().dtype; }
  int rank() const { return shape().rank(); }
  Size size() const { return shape().elements(); }

  // These read the tensor on the host: a value on a device is copied. The array shares the tensor's memory, so it
  // must not be written to.
  const Array& array() const;
  template <typename T>
  T item() const;  // the only element
  template <typename T>
  std::vector<T> to_vector() const;
  std::string str() const;  // as TensorFlow prints

  TensorImpl* impl() const { return impl_; }
  static Tensor adopt(TensorImpl* impl) {  // takes over one reference
    Tensor tensor;
    tensor.impl_ = impl;
    return tensor;
  }

 private:
  const Array& read(DType dtype, const char* what) const;

  TensorImpl* impl_ = nullptr;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

template <typename T>
Tensor Tensor::from(const T* data, const Shape& shape) {
  return from_bytes(data, {shape, dtype_of<T>});
}
template <typename T>
T Tensor::item() const {
  const Array& array = read(dtype_of<T>, "item");
  return *array.as<T>();
}
template <typename T>
std::vector<T> Tensor::to_vector() const {
  const Array& array = read(dtype_of<T>, "to_vector");
  return std::vector<T>(array.as<T>(), array.as<T>() + int64_t{size()});
}

// Throws InvalidArgument when `count` elements do not fill `shape`.
void check_element_count(size_t count, const Shape& shape);
template <typename T>
Tensor Tensor::from(const std::vector<T>& data, const Shape& shape) {
  check_element_count(data.size(), shape);
  return from(data.data(), shape);
}

}  // namespace brio
