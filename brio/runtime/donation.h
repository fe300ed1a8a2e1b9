// When a run may write its results where an input lies.
#pragma once

#include "brio/ir/tensor.h"

namespace brio {

// A value that nobody holds but `holders`, who agree, in memory of its own that nobody else holds or was given, and
// that the device can write to.
inline bool may_overwrite(const TensorImpl* impl, int32_t holders, const Memory& memory) {
  const Array& array = impl->array;
  return impl->refs.load() == holders && !impl->is_scalar && array.buffer && array.buffer->refs.load() == 1 &&
         !array.buffer->exported() && array.offset == 0 && array.buffer->bytes() == array.aval.bytes() &&
         &array.buffer->memory() == &memory;
}

}  // namespace brio
