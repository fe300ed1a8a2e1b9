// Statistics of a tensor's elements, from a few reductions: moments, norms, counts.
#pragma once

#include <optional>

#include "brio/ir/tensor.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {

Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdims = false);  // log(sum(exp(x))), never overflows
Tensor variance(const Tensor& x, const Axes& axes = {}, bool keepdims = false);   // of the whole population
Tensor standard_deviation(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor euclidean_norm(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
// The norm of vectors along an axis, by default of the whole tensor as one vector: (sum |x|^order)^(1/order). An
// infinite order gives the largest |x|.
Tensor norm(const Tensor& x, double order = 2, std::optional<int> axis = {}, bool keepdims = false);
// Of matrices in two axes: the root of the sum of squares, the largest sum |x| of a column, or of a row; the largest
// singular value, or the sum of all (these two of float32 and float64).
enum class MatrixNorm : uint8_t { frobenius, one, infinity, spectral, nuclear };
Tensor matrix_norm(const Tensor& x, MatrixNorm which, int rows = -2, int columns = -1, bool keepdims = false);
struct Moments {
  Tensor mean, variance;
};
Moments moments(const Tensor& x, const Axes& axes = {},
                bool keepdims = false);  // narrow floats are summed as float32
Tensor count_nonzero(const Tensor& x, const Axes& axes = {}, bool keepdims = false, DType dtype = i64);

struct BincountOptions {
  Tensor weights = {};  // summed instead of counted; of x's shape
  int64_t minlength = 0;
  std::optional<int64_t> maxlength = {};  // larger values are left out
  DType dtype = i32;                      // of counts
};
// How often each of 0, 1, … occurs among x's integers. The length, within the bounds, is one more than the largest,
// which is read now. If minlength is maxlength nothing is read, and a negative integer is an error in the run.
Tensor bincount(const Tensor& x, const BincountOptions& options = {});
// Counts in equal bins from low to high; what lies outside counts in the first or last, NaN nowhere.
Tensor histogram_fixed_width(const Tensor& x, double low, double high, int64_t bins = 100, DType dtype = i32);

}  // namespace brio
