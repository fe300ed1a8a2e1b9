// Pooling for f32 and f64: vectors along the channels, which lie next to each other.
#pragma once

#include "brio/ops/network/pooling.h"

namespace brio::cpu {

// Rows are lines of windows along the last spatial axis, counted over the whole batch; pictures are those of the
// batch.
struct PoolFns {
  void (*max)(const PoolGeometry& g, const void* x, void* y, int64_t begin_row, int64_t end_row);
  void (*pick)(const PoolGeometry& g, const void* x, const void* from, void* y, int64_t begin_row, int64_t end_row);
  void (*max_grad)(const PoolGeometry& g, const void* x, const void* y, void* out, int64_t begin, int64_t end);
  void (*avg)(const PoolGeometry& g, const void* x, void* y, int64_t begin_row, int64_t end_row);
  void (*avg_grad)(const PoolGeometry& g, const void* y, void* out, int64_t begin, int64_t end);
};
PoolFns find_pool_fns(DType dtype);  // f32, f64

}  // namespace brio::cpu
