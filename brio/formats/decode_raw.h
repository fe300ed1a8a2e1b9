// tf.io.decode_raw: the bytes of strings as numbers.
#pragma once

#include "brio/tensor/aval.h"

namespace brio::formats {

// The bytes of each string as elements along a last axis. All strings have the same length, and the dtype is any but
// string. Throws InvalidArgument.
Array decode_raw(const Array& strings, DType dtype, bool little_endian = true);

}  // namespace brio::formats
