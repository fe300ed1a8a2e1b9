// The vectorised inner loops of movement.cpp. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// out[c * out_row + r] = in[r * in_row + c]; strides in elements of 1, 2, 4, 8 or 16 bytes.
using TransposeFn = void (*)(const void* in, int64_t in_row, int64_t rows, int64_t columns, void* out,
                             int64_t out_row);
TransposeFn find_transpose(size_t element_size);

// A copy whose target is not wanted in the cache: its lines are written without being read first.
void copy_streaming(void* out, const void* in, size_t bytes);

// out[i] = in[n - 1 - i], where each is a group of so many elements; null unless those are 1 or 3, of 4 or 8 bytes.
using ReorderFn = void (*)(const void* in, int64_t n, void* out);
ReorderFn find_reverse(size_t element_size, int64_t group);

// out[i] = in[2 i]; null for elements of 16 bytes.
ReorderFn find_every_second(size_t element_size);

// out[i] += in[i]; null for bool.
using AddToFn = void (*)(void* out, const void* in, int64_t n);
AddToFn find_add_to(DType dtype);

}  // namespace brio::cpu
