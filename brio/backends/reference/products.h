// The sums of a matrix product, for matmul and for ops that go on from there.
#pragma once

#include "brio/backends/reference/kernel.h"
#include "brio/ops/linear_algebra/products.h"

namespace brio::reference {

// Calls store(position in the result, column, sum) for every element of in0 · in1.
template <typename T, typename Store>
void matmul(const Call& call, bool transpose_a, bool transpose_b, Store&& store) {
  const Shape &a_shape = call.in_shape(0), &b_shape = call.in_shape(1);
  const MatmulShape s = MatmulShape::of(a_shape, b_shape, transpose_a, transpose_b);
  const bool ta = transpose_a && a_shape.rank() > 1, tb = transpose_b && b_shape.rank() > 1;
  auto batch_of = [](const Shape& shape) {
    return Shape(shape.dims().first(static_cast<size_t>(std::max(0, shape.rank() - 2))));
  };
  const Shape a_batch = batch_of(a_shape), b_batch = batch_of(b_shape);
  for (int64_t batch = 0; batch < s.batch.elements(); ++batch) {
    const T* a = call.in<T>(0) + broadcast_position(a_batch, s.batch, batch) * s.m * s.k;
    const T* b = call.in<T>(1) + broadcast_position(b_batch, s.batch, batch) * s.k * s.n;
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        using A = Accumulator<T>;
        A sum = 0;
        for (int64_t l = 0; l < s.k; ++l)
          sum = plus(sum, times(static_cast<A>(a[ta ? l * s.m + i : i * s.k + l]),
                                static_cast<A>(b[tb ? j * s.k + l : l * s.n + j])));
        store((batch * s.m + i) * s.n + j, j, sum);
      }
  }
}

}  // namespace brio::reference
