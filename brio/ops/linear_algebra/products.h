// Matrix products.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef matmul;
}

struct MatmulOptions {
  bool transpose_a = false, transpose_b = false;
};
// [..., m, k] · [..., k, n] → [..., m, n]; leading dimensions broadcast. A vector stands for a row (a) or a column
// (b) and its dimension is gone from the result.
Tensor matmul(const Tensor& a, const Tensor& b, MatmulOptions options = {});
// [..., m, k] · [..., k] → [..., m]; leading dimensions broadcast.
Tensor matvec(const Tensor& a, const Tensor& x, bool transpose_a = false);
// Sum of products of two vectors.
Tensor dot(const Tensor& a, const Tensor& b);

// A product's sizes, once vectors are seen as matrices.
struct MatmulShape {
  int64_t m, n, k;
  Shape batch;  // of the result
  static MatmulShape of(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b);
};

}  // namespace brio
