#include "brio/ir/tensor.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>

#include "brio/base/error.h"
#include "brio/ir/device_copy.h"
#include "brio/ir/recording.h"
#include "brio/tensor/strings.h"

namespace brio {
namespace {

// Impls are made and dropped with every op: each thread recycles its own. The list hangs on a plain pointer, which
// costs nothing to reach; the guard's destructor frees it when the thread ends.
struct FreeImpl {
  FreeImpl* next;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local FreeImpl* free_impls = nullptr;
constexpr int32_t kMostPooled = 8192;
// Negative: the thread is ending, nothing is kept any more. Full from the start: a thread that makes none and only
// drops those of others has no guard that would free them.
[[gnu::tls_model("initial-exec")]] constinit thread_local int32_t pooled_impls = kMostPooled;

struct PoolGuard {
  ~PoolGuard() {
    while (FreeImpl* block = free_impls) {
      free_impls = block->next;
      std::free(block);
    }
    pooled_impls = -1;
  }
};
thread_local PoolGuard pool_guard;

void* new_block() {
  (void)&pool_guard;                       // odr-use: registers the guard's destructor for this thread
  if (pooled_impls > 0) pooled_impls = 0;  // the list is empty, or this code would not run
  void* block = std::aligned_alloc(64, (sizeof(TensorImpl) + 63) & ~size_t{63});
  if (!block) throw ResourceError("memory: the system refused a tensor's header; free some tensors");
  return block;
}

}  // namespace

TensorImpl* TensorImpl::create(const Aval& aval) {
  void* block;
  if (FreeImpl* pooled = free_impls) [[likely]] {
    free_impls = pooled->next;
    --pooled_impls;
    block = pooled;
  } else {
    block = new_block();
  }
  auto* impl = new (block) TensorImpl;
  impl->array.aval = aval;
  return impl;
}

void TensorImpl::destroy(TensorImpl* impl) noexcept {
  if (TensorImpl* mask = impl->mask; mask && mask->refs.decrement()) destroy(mask);
  impl->drop_copies();
  impl->~TensorImpl();
  if (pooled_impls < 0 || pooled_impls >= kMostPooled) return std::free(impl);
  ++pooled_impls;
  free_impls = new (impl) FreeImpl{free_impls};
}

void TensorImpl::drop_copies() noexcept {
  if (!copies.load(std::memory_order_relaxed)) [[likely]]
    return;
  for (const ArrayCopy* copy = copies.exchange(nullptr); copy;) delete std::exchange(copy, copy->next);
}

const Array& TensorImpl::copy_in(Memory& memory) const {
  if (array.buffer && &array.buffer->memory() == &memory) return array;
  ArrayCopy* first = copies.load(std::memory_order_acquire);
  for (const ArrayCopy* copy = first; copy; copy = copy->next)
    if (&copy->array.buffer->memory() == &memory) return copy->array;
  auto made = std::make_unique<ArrayCopy>(ArrayCopy{Array::allocate(aval(), Owner::other, memory), first});
  const Buffer& to = *made->array.buffer.get();
  const size_t bytes = aval().bytes();
  if (is_scalar) memory.copy_from_host(to, &scalar, bytes);
  else copy_buffer(to, *array.buffer.get(), array.offset, bytes);
  // Another thread may have made one as well: both stay.
  while (!copies.compare_exchange_weak(made->next, made.get(), std::memory_order_acq_rel)) {
  }
  return made.release()->array;
}

Tensor::Tensor(const Literal& literal, DType dtype) : Tensor(literal.array(dtype)) {}

Tensor::Tensor(Array array) {
  if (array.aval.dtype == DType::string && !strings_are_sound(array)) [[unlikely]]
    throw InvalidArgument(cat("[tensor] the array of shape ", array.aval.shape,
                              " holds no strings: their characters lie outside of it; make it with string_tensor()"));
  impl_ = TensorImpl::create(array.aval);
  impl_->array = std::move(array);
  impl_->computed.store(true, std::memory_order_release);
}

Tensor Tensor::from_bytes(const void* data, const Aval& aval) {
  if (aval.dtype == DType::string)
    throw InvalidArgument("[tensor] strings are not copied from bytes; make the tensor with string_tensor()");
  Array array = Array::allocate(aval);
  if (aval.bytes() != 0) std::memcpy(array.data(), data, aval.bytes());
  return Tensor(std::move(array));
}

void check_element_count(size_t count, const Shape& shape) {
  if (count != static_cast<size_t>(shape.elements()))
    throw InvalidArgument(
        cat("[tensor] ", count, " values cannot fill shape ", shape, ", which has ", shape.elements(), " elements"));
}

const Aval& Tensor::aval() const {
  if (!impl_) throw InvalidArgument("[tensor] this tensor is none: it has no shape, dtype or value");
  return impl_->aval();
}

const Array& Tensor::array() const {
  if (!impl_) throw InvalidArgument("[tensor] this tensor is none: it has no value to read");
  evaluate(*impl_);
  return impl_->array.buffer->on_host() ? impl_->array : impl_->copy_in(host_memory());
}

const Array& Tensor::read(DType wanted, const char* what) const {
  const Array& result = array();
  if (result.aval.dtype != wanted)
    throw InvalidArgument(cat("[", what, "] the tensor is ", result.aval.dtype, ", but ", wanted,
                              " was asked for; cast it, or ask for its own type"));
  if (what[0] == 'i' && result.aval.shape.elements() != 1)
    throw InvalidArgument(
        cat("[item] the tensor has shape ", result.aval.shape, "; only one element can be an item"));
  return result;
}

}  // namespace brio
