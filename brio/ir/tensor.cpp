#include "brio/ir/tensor.h"

#include <cstdlib>
#include <mutex>
#include <new>
#include <ostream>

#include "brio/base/error.h"
#include "brio/ir/recording.h"

namespace brio {
namespace {

// Impls are made and dropped with every op: each thread recycles its own, a full list goes to the shared one.
struct ImplPool {
  std::vector<void*> free;
  ~ImplPool() {
    for (void* block : free) std::free(block);
    free.clear();
    alive = false;
  }
  static thread_local bool alive;  // handles dropped by later thread-exit destructors find the pool gone
};
thread_local bool ImplPool::alive = true;
thread_local ImplPool impl_pool;
constexpr size_t kPooledImpls = 8192;

}  // namespace

TensorImpl* TensorImpl::create(const Aval& aval) {
  void* block;
  if (ImplPool::alive && !impl_pool.free.empty()) {
    block = impl_pool.free.back();
    impl_pool.free.pop_back();
  } else {
    block = std::aligned_alloc(64, (sizeof(TensorImpl) + 63) & ~size_t{63});
    if (!block) throw ResourceError("memory: the system refused a tensor's header; free some tensors");
  }
  auto* impl = new (block) TensorImpl;
  impl->array.aval = aval;
  return impl;
}

void TensorImpl::destroy(TensorImpl* impl) noexcept {
  impl->~TensorImpl();
  if (ImplPool::alive && impl_pool.free.size() < kPooledImpls) {
    try {
      impl_pool.free.push_back(impl);
      return;
    } catch (const std::bad_alloc&) {  // the list could not grow: the block goes back to the system
    }
  }
  std::free(impl);
}

Tensor::Tensor(const Literal& literal, DType dtype) : Tensor(literal.array(dtype)) {}

Tensor::Tensor(Array array) {
  impl_ = TensorImpl::create(array.aval);
  impl_->array = std::move(array);
  impl_->computed.store(true, std::memory_order_release);
}

Tensor Tensor::from_bytes(const void* data, const Aval& aval) {
  Array array = Array::allocate(aval);
  if (aval.bytes() != 0) std::memcpy(array.data(), data, aval.bytes());
  return Tensor(std::move(array));
}

void check_element_count(size_t count, const Shape& shape) {
  if (count != static_cast<size_t>(shape.elements()))
    throw InvalidArgument(cat("[tensor] ", count, " values cannot fill shape ", shape, ", which has ", shape.elements(),
                              " elements"));
}

const Aval& Tensor::aval() const {
  if (!impl_) throw InvalidArgument("[tensor] this tensor is none: it has no shape, dtype or value");
  return impl_->aval();
}

const Array& Tensor::array() const {
  if (!impl_) throw InvalidArgument("[tensor] this tensor is none: it has no value to read");
  evaluate(*impl_);
  return impl_->array;
}

const Array& Tensor::read(DType wanted, const char* what) const {
  const Array& result = array();
  if (result.aval.dtype != wanted)
    throw InvalidArgument(cat("[", what, "] the tensor is ", result.aval.dtype, ", but ", wanted,
                              " was asked for; cast it, or ask for its own type"));
  if (what[0] == 'i' && result.aval.shape.elements() != 1)
    throw InvalidArgument(cat("[item] the tensor has shape ", result.aval.shape, "; only one element can be an item"));
  return result;
}

}  // namespace brio
