// Convolutions as products: the elements under a window become a row of a matrix.
#pragma once

#include "brio/ops/network/convolution.h"

namespace brio::cpu {

// Rows for the windows [first, first + count), counted over the whole batch, and one group of channels: a row holds
// (tap, channel of the group), as a column of the filter does. `x` is the whole input.
struct ColumnFns {
  // columns[row] = x under the window, zeros where that is padding
  void (*gather)(const ConvGeometry& g, int64_t group, int64_t first, int64_t count, const void* x, void* columns);
  // x under the window += columns[row], in the order of the rows
  void (*add)(const ConvGeometry& g, int64_t group, int64_t first, int64_t count, const void* columns, void* x);
};
ColumnFns find_column_fns(DType dtype);  // any but f16, bf16 and bool

}  // namespace brio::cpu
