#include "brio/ops/shapes/ranges.h"

#include <algorithm>
#include <cmath>

#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/concrete.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/complex.h"

namespace brio {
namespace {

constexpr AttrSpec kRangeAttrs[] = {{"dtype", AttrKind::dtype}, {"size", AttrKind::extents}};

DType check_size(const OpCall& call) {
  const int64_t dtype = call.attrs[0];
  if (dtype < 0 || dtype >= kRealDTypeCount) throw_invalid(call.op, cat("no dtype has number ", dtype));
  if (static_cast<DType>(dtype) == boolean)
    throw_invalid(call.op, "makes numbers, not bool; compare a range instead");
  if (call.attrs.list(1).size() != 1)
    throw_invalid(call.op, cat("takes one size, but got ", call.attrs.list(1).size()));
  return static_cast<DType>(dtype);
}
void infer_iota(const OpCall& call, std::vector<Aval>& out) {
  const DType dtype = check_size(call);
  out.push_back({checked_shape(call.op, call.attrs.extents(1)), dtype});
}
void infer_size(const OpCall& call, std::vector<Aval>& out) { out.push_back({Shape(), check_size(call)}); }

int64_t range_size(Scalar start, Scalar limit, Scalar delta, DType dtype) {
  const auto wrong = [&](std::string_view why) {
    throw_invalid("range", cat("from ", start.str(), " to ", limit.str(), " by ", delta.str(), ": ", why));
  };
  if (delta.real() == 0) wrong("the step must not be 0");
  if (delta.real() > 0 ? start.real() > limit.real() : start.real() < limit.real())
    wrong("the step leads away from the limit; change its sign");
  if (is_integer(dtype)) {
    const auto span = static_cast<uint64_t>(limit.integer()) - static_cast<uint64_t>(start.integer());
    const auto step = static_cast<uint64_t>(delta.integer());
    return static_cast<int64_t>(delta.integer() > 0 ? (span + step - 1) / step : (0 - span - step - 1) / (0 - step));
  }
  // In the dtype's own arithmetic, as TensorFlow counts: 1 / 0.1 is 10 in float32 too.
  const double count = dtype == f64
                           ? std::ceil((limit.real() - start.real()) / delta.real())
                           : std::ceil((static_cast<float>(limit.real()) - static_cast<float>(start.real())) /
                                       static_cast<float>(delta.real()));
  if (!(count < 0x1p62)) wrong("that is no finite number of elements");
  return static_cast<int64_t>(count);
}

}  // namespace

namespace op {
const OpDef iota{.name = "iota",
                 .summary = "0, 1, …, size - 1",
                 .kind = OpKind::indexed,
                 .min_inputs = 0,
                 .max_inputs = 0,
                 .attrs = kRangeAttrs,
                 .infer = infer_iota,
                 .no_grad = "it has no inputs",
                 .cost = movement_cost};
const OpDef size{.name = "size",
                 .summary = "a size as a number: a constant, once it is known",
                 .kind = OpKind::indexed,
                 .min_inputs = 0,
                 .max_inputs = 0,
                 .attrs = kRangeAttrs,
                 .infer = infer_size,
                 .no_grad = "it has no inputs",
                 .cost = movement_cost};
}  // namespace op

void register_ranges() {
  static const OpDef* const rows[] = {&op::iota, &op::size};
  register_ops(rows);
}

Tensor iota(Size size, DType dtype) {
  const int64_t attrs[] = {static_cast<int64_t>(dtype), 1, size.word()};
  return record(op::iota, std::span<TensorImpl* const>(), attrs);
}

Tensor size_number(Size value, DType dtype) {
  if (value.known()) return constant(Scalar(int64_t{value}), dtype);
  if (is_complex(dtype)) return cast(size_number(value, real_dtype(dtype)), dtype);
  const int64_t attrs[] = {static_cast<int64_t>(dtype), 1, value.word()};
  return record(op::size, std::span<TensorImpl* const>(), attrs);
}

Tensor range(Scalar start, Scalar limit, Scalar delta, std::optional<DType> dtype) {
  const auto whole = [](const Scalar& x) { return x.kind() == Scalar::Kind::integer; };
  const DType made = dtype.value_or(whole(start) && whole(limit) && whole(delta) ? i32 : f32);
  if (is_integer(made) && !(whole(start) && whole(limit) && whole(delta)))
    throw_invalid("range", cat("from ", start.str(), " to ", limit.str(), " by ", delta.str(), " has no ", made,
                               " elements; give integers, or cast the range"));
  Tensor x = iota(range_size(start, limit, delta, made), made);
  if (delta.real() != 1) x = x * delta;
  if (start.real() != 0) x = x + start;
  return x;
}
Tensor range(Scalar limit) { return range(limit.kind() == Scalar::Kind::real ? Scalar(0.0) : Scalar(0), limit); }

Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num, int axis) {
  const std::string_view self = "linspace";
  if (num < 0) throw_invalid(self, cat("num is ", num, "; it must be ≥ 0"));
  const DType dtype = required(self, start).dtype();
  if (!is_floating(dtype))
    throw_invalid(self, cat("takes floating-point tensors, but got ", dtype, "; cast it first"));
  const Tensor span = required(self, stop, 1) - start;  // refuses what does not fit
  const int at = positive_axis(self, axis, span.rank() + 1);
  const Tensor first = expand_dims(broadcast_to(start, span.shape()), at);
  if (num <= 1) {
    std::vector<Range> none(static_cast<size_t>(at) + 1);
    none.back().end = 0;
    return num == 1 ? first : slice(first, none);
  }
  std::vector<int64_t> along(static_cast<size_t>(span.rank()) + 1, 1);
  along[static_cast<size_t>(at)] = num;
  const Tensor step = reshape(iota(num, counter_dtype(num)), along);
  const Tensor delta = expand_dims(span / constant(static_cast<double>(num - 1), dtype), at);
  const Tensor last = expand_dims(broadcast_to(stop, span.shape()), at);
  // The ends are exact, infinite ones too.
  const Tensor between = first + delta * cast(step, dtype);
  const Tensor from_first = select(equal(step, constant(0, step.dtype())), first, between);
  return select(equal(step, constant(num - 1, step.dtype())), last, from_first);
}
Tensor linspace(Scalar start, Scalar stop, int64_t num, DType dtype) {
  return linspace(constant(start, dtype), constant(stop, dtype), num);
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, std::string_view indexing) {
  if (indexing != "xy" && indexing != "ij")
    throw_invalid("meshgrid", cat("the indexing is '", indexing, "'; it must be 'xy' or 'ij'"));
  std::vector<Size> dims;
  for (size_t i = 0; i < vectors.size(); ++i)  // what is no vector is taken as one, as in TensorFlow
    dims.push_back(required("meshgrid", vectors[i], static_cast<int>(i)).size());
  const bool swap = indexing == "xy" && dims.size() > 1;
  if (swap) std::swap(dims[0], dims[1]);
  const Shape shape = checked_shape("meshgrid", dims);
  std::vector<Tensor> grids;
  for (size_t i = 0; i < vectors.size(); ++i) {
    std::vector<Size> along(dims.size(), 1);
    along[swap && i < 2 ? 1 - i : i] = vectors[i].size();
    grids.push_back(broadcast_to(reshape(vectors[i], along), shape));
  }
  return grids;
}

Tensor eye(Size rows, Size columns, DType dtype, const Shape& batch) {
  if (columns == -1) columns = rows;
  std::vector<Size> dims(batch.begin(), batch.end());
  dims.insert(dims.end(), {rows, columns});
  const Shape shape = checked_shape("eye", dims);
  // Row r has its one in column r, and none where that lies outside.
  return broadcast_to(one_hot(iota(rows, counter_dtype(rows)), columns, dtype), shape);
}

Tensor sequence_mask(const Tensor& lengths, std::optional<int64_t> maxlen, DType dtype) {
  const std::string_view self = "sequence_mask";
  if (!maxlen) {
    maxlen = 0;
    for (int64_t length : concrete_integers(self, lengths, "give it maxlen")) maxlen = std::max(*maxlen, length);
  }
  if (!is_integer(required(self, lengths).dtype()))
    throw_invalid(self, cat("the lengths must be integers, but are ", lengths.dtype(), "; cast them first"));
  if (*maxlen < 0) throw_invalid(self, cat("maxlen is ", *maxlen, "; it must be ≥ 0"));
  const DType counter = size_of(lengths.dtype()) < 4 || lengths.dtype() == i32 ? counter_dtype(*maxlen) : i64;
  return cast(less(iota(*maxlen, counter), expand_dims(cast(lengths, counter), -1)), dtype);
}

Tensor one_hot(const Tensor& indices, int64_t depth, Scalar on_value, Scalar off_value, DType dtype, int axis) {
  return select(one_hot(indices, depth, boolean, axis), constant(on_value, dtype), constant(off_value, dtype));
}

}  // namespace brio
