// Where a value lies, on whatever device.
#pragma once

#include <gtest/gtest.h>

#include "brio/ir/recording.h"
#include "brio/runtime/backend.h"

// For tests of the host's own memory.
#define SKIP_UNLESS_ON_HOST()              \
  if (!::brio::current_device().is_host()) \
  GTEST_SKIP() << "counts what the host allocates; ops run on " << ::brio::current_device().name()

namespace brio::test {

inline const Array& own_array(const Tensor& x) {
  evaluate(*x.impl());
  return x.impl()->array;
}
inline const void* place(const Tensor& x) { return own_array(x).data(); }
inline Device& device_of(const Tensor& x) {
  Device* device = own_array(x).buffer->memory().device();
  return device ? *device : registry().host();
}

}  // namespace brio::test
