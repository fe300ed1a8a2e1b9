// When a run may write its results to the memory of an input.
#pragma once

#include "brio/ir/tensor.h"

namespace brio {

// True if only `holders`, who agree, hold the value, its memory has no other owner and was not exported, and the
// device can write to it.
inline bool may_overwrite(const TensorImpl* impl, int32_t holders, const Memory& memory) {
  const Array& array = impl->array;
  return impl->refs.load() == holders && !impl->is_scalar && array.buffer && array.buffer->refs.load() == 1 &&
         !array.buffer->exported() && array.offset == 0 && array.buffer->bytes() == array.aval.bytes() &&
         &array.buffer->memory() == &memory;
}

}  // namespace brio
