#include "brio/ops/indexing/segment_ops.h"

#include <limits>

#include "brio/ops/check.h"
#include "brio/ops/concrete.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

// Scatters data's rows into `num_segments` places that hold `empty`.
Tensor segments(std::string_view function, const OpDef& op, const Tensor& data, const Tensor& ids,
                int64_t num_segments, const Tensor& empty) {
  const Shape &rows = required(function, ids, 1).shape(), &shape = required(function, data).shape();
  bool fits = rows.rank() <= shape.rank();
  for (int i = 0; fits && i < rows.rank(); ++i) fits = !(rows[i] != shape[i]);
  if (!fits)
    throw_invalid(function, cat("the ids have shape ", rows, ", which is not the beginning of the data's ", shape));
  if (num_segments < 0) throw_invalid(function, cat("num_segments is ", num_segments, "; it must be ≥ 0"));
  std::vector<Size> dims = {num_segments};
  dims.insert(dims.end(), shape.begin() + rows.rank(), shape.end());
  return scatter_where_not_negative(op, broadcast_to(empty, checked_shape(function, dims)), expand_dims(ids, -1),
                                    data);
}

DType number_dtype(std::string_view function, const Tensor& data) {
  const DType dtype = required(function, data).dtype();
  if (dtype == boolean || dtype == DType::string)
    throw_invalid(function, cat("takes numbers, but got ", dtype, "; cast it first"));
  return dtype;
}
DType real_dtype(std::string_view function, const Tensor& data) {
  const DType dtype = number_dtype(function, data);
  if (!is_real(dtype)) throw_invalid(function, cat("takes real numbers, which have an order, but got ", dtype));
  return dtype;
}

// The lowest or highest finite number.
Tensor extreme(DType dtype, bool highest) {
  return visit(dtype, [&](auto t) -> Tensor {
    using T = decltype(t);
    if constexpr (std::is_integral_v<T>) {
      return constant(highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest(), dtype);
    } else {
      const double most = dtype == f64   ? std::numeric_limits<double>::max()
                          : dtype == f32 ? static_cast<double>(std::numeric_limits<float>::max())
                          : dtype == f16 ? 65504.0
                                         : 0x1.fep127;
      return constant(highest ? most : -most, dtype);
    }
  });
}

// The same, but infinite where the dtype has that: rows of infinities keep them.
Tensor endless(DType dtype, bool highest) {
  const double infinity = std::numeric_limits<double>::infinity();
  return is_floating(dtype) ? constant(highest ? infinity : -infinity, dtype) : extreme(dtype, highest);
}

// How many rows each segment has, at least 1, in the rank of `totals`.
Tensor counts(std::string_view function, const Tensor& totals, const Tensor& ids, int64_t num_segments) {
  const DType dtype = totals.dtype();
  if (!is_floating(dtype))
    throw_invalid(function, cat("takes floating-point data, but got ", dtype, "; cast it first"));
  // Counted in float32 at least: float16 has no 2049.
  const DType wide = dtype == f64 ? f64 : f32;
  const Tensor count = unsorted_segment_sum(ones(ids.shape(), wide), ids, num_segments);
  std::vector<int64_t> dims(static_cast<size_t>(totals.rank()), 1);
  dims[0] = num_segments;
  return reshape(maximum(count, constant(1, wide)), dims);
}

// One more than the last id, after a look at all of them.
int64_t count_segments(std::string_view function, const Tensor& ids) {
  if (required(function, ids, 1).rank() != 1)
    throw_invalid(function, cat("the ids must be a vector, but have shape ", ids.shape()));
  const std::vector<int64_t> values = concrete_integers(function, ids, cat("use unsorted_", function));
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < (i ? values[i - 1] : 0))
      throw_invalid(function,
                    cat("id ", values[i], " at position ", i,
                        " is negative or below the one before it; sort the ids, or use unsorted_", function));
  return values.empty() ? 0 : values.back() + 1;
}

// A sorted segment without rows is 0.
Tensor zero_where_empty(const Tensor& reduced, const Tensor& ids, int64_t num_segments) {
  const Tensor found = unsorted_segment_sum(ones(ids.shape(), i32), ids, num_segments);
  std::vector<int64_t> dims(static_cast<size_t>(reduced.rank()), 1);
  dims[0] = num_segments;
  const Tensor there = reshape(greater(found, constant(0, i32)), dims);
  return select(there, reduced, constant(0, reduced.dtype()));
}

}  // namespace

Tensor unsorted_segment_sum(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const std::string_view self = "unsorted_segment_sum";
  return segments(self, op::tensor_scatter_add, data, ids, num_segments, constant(0, number_dtype(self, data)));
}
Tensor unsorted_segment_mean(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const Tensor total = unsorted_segment_sum(data, ids, num_segments);
  const Tensor count = counts("unsorted_segment_mean", total, ids, num_segments);
  return cast(cast(total, count.dtype()) / count, data.dtype());
}
Tensor unsorted_segment_sqrt_n(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const Tensor total = unsorted_segment_sum(data, ids, num_segments);
  const Tensor count = counts("unsorted_segment_sqrt_n", total, ids, num_segments);
  return cast(cast(total, count.dtype()) / sqrt(count), data.dtype());
}
Tensor unsorted_segment_prod(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const std::string_view self = "unsorted_segment_prod";
  return segments(self, op::tensor_scatter_mul, data, ids, num_segments, constant(1, number_dtype(self, data)));
}
Tensor unsorted_segment_max(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const std::string_view self = "unsorted_segment_max";
  return segments(self, op::tensor_scatter_max, data, ids, num_segments, extreme(real_dtype(self, data), false));
}
Tensor unsorted_segment_min(const Tensor& data, const Tensor& ids, int64_t num_segments) {
  const std::string_view self = "unsorted_segment_min";
  return segments(self, op::tensor_scatter_min, data, ids, num_segments, extreme(real_dtype(self, data), true));
}

Tensor segment_sum(const Tensor& data, const Tensor& ids) {
  return unsorted_segment_sum(data, ids, count_segments("segment_sum", ids));
}
Tensor segment_mean(const Tensor& data, const Tensor& ids) {
  return unsorted_segment_mean(data, ids, count_segments("segment_mean", ids));
}
Tensor segment_prod(const Tensor& data, const Tensor& ids) {
  return unsorted_segment_prod(data, ids, count_segments("segment_prod", ids));
}
Tensor segment_max(const Tensor& data, const Tensor& ids) {
  const std::string_view self = "segment_max";
  const int64_t n = count_segments(self, ids);
  const Tensor least = endless(real_dtype(self, data), false);
  return zero_where_empty(segments(self, op::tensor_scatter_max, data, ids, n, least), ids, n);
}
Tensor segment_min(const Tensor& data, const Tensor& ids) {
  const std::string_view self = "segment_min";
  const int64_t n = count_segments(self, ids);
  const Tensor most = endless(real_dtype(self, data), true);
  return zero_where_empty(segments(self, op::tensor_scatter_min, data, ids, n, most), ids, n);
}

}  // namespace brio
