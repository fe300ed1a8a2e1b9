// Factors of matrices, which are the last two axes; the axes before them are a batch. float32 and float64.
//
// Signs that are mathematically open are fixed (docs/decisions/linear-algebra.md): those of qr as Householder's
// reflections give them, as in LAPACK and TensorFlow; those of svd and eigh so that a vector's leading element is
// positive. A matrix that has NaN or an infinity gives NaN.
#pragma once

#include <cmath>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef cholesky, qr, svd, eigh;
}

namespace linalg {

// l, lower triangular, with a = l · lᵀ. Only the lower triangle of a is read. A matrix that is not positive definite
// is an error during the run, which names the matrix.
Tensor cholesky(const Tensor& a);

// a = q · r with orthonormal columns in q and an upper triangle r: as many columns as the smaller side, or with
// full_matrices as many as a has rows.
struct Qr {
  Tensor q, r;
};
Qr qr(const Tensor& a, bool full_matrices = false);

// a = u · diag(s) · vᵀ with s falling: as many columns as the smaller side, or with full_matrices all of them.
struct Svd {
  Tensor s, u, v;
};
Svd svd(const Tensor& a, bool full_matrices = false);
Tensor svdvals(const Tensor& a);  // s alone

// a = v · diag(e) · vᵀ with e rising, of symmetric matrices: only the lower triangle is read.
struct Eigh {
  Tensor e, v;
};
Eigh eigh(const Tensor& a);
Tensor eigvalsh(const Tensor& a);  // e alone

}  // namespace linalg

// For kernels.
inline bool qr_is_full(Attrs attrs) { return attrs[0] != 0; }
inline bool svd_has_vectors(Attrs attrs) { return attrs[0] != 0; }
inline bool svd_is_full(Attrs attrs) { return attrs[1] != 0; }
inline bool eigh_has_vectors(Attrs attrs) { return attrs[0] != 0; }
[[noreturn]] void throw_not_positive(const OpDef& op, const Shape& shape, int64_t matrix, int64_t column);
// Whether the vector's leading element is negative, so that the vector (and its partner) must be negated. The leading
// element is the first that is not small beside the largest: 0.3 is far from the ratios of simple matrices.
template <typename T>
bool points_back(const T* vector, int64_t count, int64_t stride) {
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::fmax(largest, std::fabs(vector[i * stride]));
  for (int64_t i = 0; i < count; ++i)
    if (std::fabs(vector[i * stride]) > static_cast<T>(0.3) * largest) return vector[i * stride] < 0;
  return false;
}

}  // namespace brio
