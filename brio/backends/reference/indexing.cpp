#include "brio/ops/indexing/indexing.h"

#include <cstring>

#include "brio/backends/reference/kernel.h"
#include "brio/ops/image/resample.h"

namespace brio::reference {
namespace {

// params seen as [outer, size, inner] around the axis; the result as [outer, indices, inner].
struct Layout {
  int64_t outer = 1, size, inner = 1, indices;
  Layout(const Shape& params, const Shape& index_shape, int64_t axis)
      : size(params[static_cast<int>(axis)]), indices(index_shape.elements()) {
    for (int i = 0; i < params.rank(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= params[i];
  }
};

void check(const Call& call, const Layout& layout) {
  check_indices(call.op, call.in_shape(0), call.attrs[0], call.in_avals[1].dtype, call.args.in[1], layout.indices);
}

void run_gather(const Call& call) {
  const Layout layout(call.in_shape(0), call.in_shape(1), call.attrs[0]);
  check(call, layout);
  const size_t bytes = static_cast<size_t>(layout.inner) * size_of(call.out_avals[0].dtype);
  if (bytes == 0) return;
  for (int64_t o = 0; o < layout.outer; ++o)
    for (int64_t k = 0; k < layout.indices; ++k) {
      const int64_t index = integer_at(call.args.in[1], call.in_avals[1].dtype, k);
      std::memcpy(call.out<char>() + static_cast<size_t>(o * layout.indices + k) * bytes,
                  call.in<char>(0) + static_cast<size_t>(o * layout.size + index) * bytes, bytes);
    }
}

void run_scatter_add(const Call& call) {
  const Layout layout(call.in_shape(0), call.in_shape(1), call.attrs[0]);
  check(call, layout);
  if (call.out_avals[0].bytes() != 0) std::memcpy(call.out<void>(), call.in<void>(0), call.out_avals[0].bytes());
  visit_arithmetic(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t o = 0; o < layout.outer; ++o)
      for (int64_t k = 0; k < layout.indices; ++k) {
        const int64_t index = integer_at(call.args.in[1], call.in_avals[1].dtype, k);
        for (int64_t i = 0; i < layout.inner; ++i) {
          T& at = call.out<T>()[(o * layout.size + index) * layout.inner + i];
          at = static_cast<T>(plus(wide(at), wide(call.in<T>(2)[(o * layout.indices + k) * layout.inner + i])));
        }
      }
  });
}

void run_one_hot(const Call& call) {
  const int64_t depth = call.attrs[0];
  int64_t inner = 1;  // elements of the indices after the new axis
  for (int i = static_cast<int>(call.attrs[2]); i < call.in_shape(0).rank(); ++i) inner *= call.in_shape(0)[i];
  visit(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t k = 0; k < call.in_shape(0).elements(); ++k) {
      const int64_t index = integer_at(call.args.in[0], call.in_avals[0].dtype, k);
      for (int64_t d = 0; d < depth; ++d)
        call.out<T>()[(k / inner * depth + d) * inner + k % inner] = static_cast<T>(d == index);
    }
  });
}

void run_resample(const Call& call) {
  const Layout layout(call.in_shape(0), call.in_shape(1), call.attrs[0]);
  check(call, layout);
  const int64_t taps = call.in_shape(1)[0], to = call.in_shape(1)[1];
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t k = 0; k < layout.outer * to * layout.inner; ++k) {
      const int64_t i = k / layout.inner % to, o = k / layout.inner / to;
      Accumulator<T> sum{};
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t from = o * layout.size + call.in<int32_t>(1)[tap * to + i];
        sum += wide(call.in<T>(0)[from * layout.inner + k % layout.inner]) * wide(call.in<T>(2)[tap * to + i]);
      }
      call.out<T>()[k] = rounded<T>(sum);
    }
  });
}

}  // namespace

void add_indexing(Registry& r) {
  add<run_gather>(r, op::gather);
  add<run_scatter_add>(r, op::scatter_add);
  add<run_one_hot>(r, op::one_hot);
  add<run_resample>(r, op::resample);
}

}  // namespace brio::reference
