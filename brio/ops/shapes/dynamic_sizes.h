// Functions whose result has a size that depends on data (docs/decisions/dynamic-sizes.md). They read that data when
// they are called, and record ordinary ops of the size they found: gradients flow through those. While a function or
// a body is traced there is no data to read; the forms with a `size` work there.
#pragma once

#include <vector>

#include "brio/ir/tensor.h"

namespace brio {

// The positions (int64, one a row) of what is true or not 0, in order.
Tensor where(const Tensor& condition);
// The first `size` of them; rows that are missing are -1. Reads nothing.
Tensor where(const Tensor& condition, int64_t size);

// The slices of x where the mask, of the shape of x's axes from `axis` on, is true.
Tensor boolean_mask(const Tensor& x, const Tensor& mask, int axis = 0);

struct Unique {
  Tensor values;   // in the order of their first occurrence
  Tensor indices;  // of each element of x among them, int32
  Tensor counts;   // int32
};
Unique unique(const Tensor& x);  // of a vector; NaN is equal to nothing

// The rows of data by partition number (int32 or int64; of the shape of data's first axes), in order.
std::vector<Tensor> dynamic_partition(const Tensor& data, const Tensor& partitions, int64_t num_partitions);
// The reverse: data[i]'s rows at indices[i]. Later ones win, rows that are missing are 0. It has as many rows as the
// largest index says, or `size`, which reads nothing.
Tensor dynamic_stitch(const std::vector<Tensor>& indices, const std::vector<Tensor>& data);
Tensor dynamic_stitch(const std::vector<Tensor>& indices, const std::vector<Tensor>& data, int64_t size);

}  // namespace brio
