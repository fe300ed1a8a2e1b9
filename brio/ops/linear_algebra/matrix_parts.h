// Parts of matrices, which are the last two axes: diagonals, bands, triangles; and matrices transposed. The diagonal
// k lies k columns right of the main one (left of it where k is negative).
#pragma once

#include "brio/ir/tensor.h"

namespace brio::linalg {

Tensor diag(const Tensor& diagonal, int64_t k = 0);  // square matrices with zeros elsewhere
Tensor diag_part(const Tensor& x, int64_t k = 0);
Tensor set_diag(const Tensor& x, const Tensor& diagonal, int64_t k = 0);
// x up to `lower` diagonals below and `upper` above the main one, zeros elsewhere; -1: all of that side.
Tensor band_part(const Tensor& x, int64_t lower, int64_t upper);
Tensor trace(const Tensor& x);             // the sum of the main diagonal
Tensor matrix_transpose(const Tensor& x);  // the last two axes swapped

}  // namespace brio::linalg

namespace brio {

Tensor tril(const Tensor& x, int64_t k = 0);  // at and below the diagonal k
Tensor triu(const Tensor& x, int64_t k = 0);  // at and above it

}  // namespace brio
