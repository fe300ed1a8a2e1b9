// Reductions of the rows of a tensor that share a segment id. The order of the additions is that of the rows.
#pragma once

#include "brio/ir/tensor.h"

namespace brio {

// ids (int32 or int64) have the shape of data's first axes; the result has num_segments in their place. Rows with a
// negative id are left out; an id of num_segments or more is an error during the run. A segment without rows is 0,
// for prod 1, for max the lowest and for min the highest number of the dtype.
Tensor unsorted_segment_sum(const Tensor& data, const Tensor& ids, int64_t num_segments);
Tensor unsorted_segment_mean(const Tensor& data, const Tensor& ids, int64_t num_segments);
Tensor unsorted_segment_sqrt_n(const Tensor& data, const Tensor& ids, int64_t num_segments);  // sum / √count
Tensor unsorted_segment_prod(const Tensor& data, const Tensor& ids, int64_t num_segments);
Tensor unsorted_segment_max(const Tensor& data, const Tensor& ids, int64_t num_segments);
Tensor unsorted_segment_min(const Tensor& data, const Tensor& ids, int64_t num_segments);

// The same for ids that are a sorted vector. They are read at the call: the last id gives the number of segments. A
// segment without rows is 0, for prod 1.
Tensor segment_sum(const Tensor& data, const Tensor& ids);
Tensor segment_mean(const Tensor& data, const Tensor& ids);
Tensor segment_prod(const Tensor& data, const Tensor& ids);
Tensor segment_max(const Tensor& data, const Tensor& ids);
Tensor segment_min(const Tensor& data, const Tensor& ids);

}  // namespace brio
