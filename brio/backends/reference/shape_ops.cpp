#include "brio/ops/shapes/shape_ops.h"

#include <cstring>

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

void copy_element(const Call& call, size_t input, int64_t from, int64_t to) {
  const size_t size = size_of(call.out_avals[0].dtype);
  std::memcpy(call.out<char>() + static_cast<size_t>(to) * size,
              call.in<char>(input) + static_cast<size_t>(from) * size, size);
}

void run_view(const Call& call) {
  const size_t source = call.in_avals.size() - 1;  // of custom_gradient: the value
  if (call.out_avals[0].bytes() != 0) std::memcpy(call.out<void>(), call.in<void>(source), call.out_avals[0].bytes());
}

void run_broadcast_to(const Call& call) {
  for (int64_t i = 0; i < call.out_shape().elements(); ++i)
    copy_element(call, 0, broadcast_position(call.in_shape(0), call.out_shape(), i), i);
}

void run_transpose(const Call& call) {
  const Strides strides = row_major(call.in_shape(0));
  const auto permutation = call.attrs.list(0);
  for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
    const Coordinates at(call.out_shape(), i);
    int64_t from = 0;
    for (size_t k = 0; k < permutation.size(); ++k)
      from += at[static_cast<int>(k)] * strides[static_cast<int>(permutation[k])];
    copy_element(call, 0, from, i);
  }
}

void run_slice(const Call& call) {
  const Strides strides = row_major(call.in_shape(0));
  const auto begin = call.attrs.list(0);
  const auto stride = call.attrs.list(call.attrs.after_list(call.attrs.after_list(0)));
  for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
    const Coordinates at(call.out_shape(), i);
    int64_t from = 0;
    for (size_t k = 0; k < begin.size(); ++k) {
      const int axis = static_cast<int>(k);
      from += (begin[k] + at[axis] * stride[k]) * strides[axis];
    }
    copy_element(call, 0, from, i);
  }
}

void run_concat(const Call& call) {
  const int axis = static_cast<int>(call.attrs[0]);
  const Strides strides = row_major(call.out_shape());
  int64_t start = 0;  // of this part, along the axis
  for (size_t part = 0; part < call.in_avals.size(); ++part) {
    const Shape& shape = call.in_shape(part);
    for (int64_t i = 0; i < shape.elements(); ++i) {
      const Coordinates at(shape, i);
      int64_t to = start * strides[axis];
      for (int k = 0; k < shape.rank(); ++k) to += at[k] * strides[k];
      copy_element(call, part, i, to);
    }
    start += shape[axis];
  }
}

void run_pad(const Call& call) {
  const Shape& shape = call.in_shape(0);
  const Strides strides = row_major(call.out_shape());
  const auto low = call.attrs.list(0);
  for (int64_t i = 0; i < call.out_shape().elements(); ++i) copy_element(call, 1, 0, i);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const Coordinates at(shape, i);
    int64_t to = 0;
    for (int k = 0; k < shape.rank(); ++k) to += (at[k] + low[static_cast<size_t>(k)]) * strides[k];
    copy_element(call, 0, i, to);
  }
}

}  // namespace

void add_shape_ops(Registry& r) {
  add<run_view>(r, op::identity);
  add<run_view>(r, op::stop_gradient);
  add<run_view>(r, op::read_variable);
  add<run_view>(r, op::custom_gradient);
  add<run_view>(r, op::reshape);
  add<run_broadcast_to>(r, op::broadcast_to);
  add<run_transpose>(r, op::transpose);
  add<run_slice>(r, op::slice);
  add<run_concat>(r, op::concat);
  add<run_pad>(r, op::pad);
}

}  // namespace brio::reference
