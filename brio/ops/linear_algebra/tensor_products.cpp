#include "brio/ops/linear_algebra/tensor_products.h"

#include <algorithm>
#include <limits>

#include "brio/ops/check.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

// Numbers of one dtype.
void check_operands(std::string_view function, const Tensor& a, const Tensor& b) {
  if (required(function, a).dtype() != required(function, b, 1).dtype())
    throw_invalid(function, cat("the operands have dtypes ", a.dtype(), " and ", b.dtype(),
                                "; tensors are not promoted: cast one of them"));
  if (a.dtype() == boolean) throw_invalid(function, "takes numbers, but got bool; cast it first");
}

std::vector<int> positive_axes(std::string_view function, const std::vector<int>& axes, const Tensor& x) {
  std::vector<int> result;
  for (const int axis : axes) {
    const int at = positive_axis(function, axis, x.rank());
    if (std::ranges::find(result, at) != result.end())
      throw_invalid(function, cat("axis ", axis, " is listed twice for shape ", x.shape()));
    result.push_back(at);
  }
  return result;
}

std::vector<int> others(const std::vector<int>& axes, int rank) {
  std::vector<int> result;
  for (int i = 0; i < rank; ++i)
    if (std::ranges::find(axes, i) == axes.end()) result.push_back(i);
  return result;
}

std::vector<int> joined(std::vector<int> first, const std::vector<int>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool is_counting(const std::vector<int>& order) {
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int>(i)) return false;
  return true;
}
Tensor in_order(const Tensor& x, const std::vector<int>& order) {
  return is_counting(order) ? x : transpose(x, order);
}

Size size_along(const Tensor& x, const std::vector<int>& axes) {
  Size size = 1;
  for (const int axis : axes) size *= x.shape()[axis];
  return size;
}

}  // namespace

Tensor tensordot(const Tensor& a, const Tensor& b, int axes) {
  const std::string_view self = "tensordot";
  if (axes < 0 || axes > required(self, a).rank() || axes > required(self, b, 1).rank())
    throw_invalid(self, cat("axes is ", axes, ", but the operands have shapes ", a.shape(), " and ", b.shape(),
                            "; it must lie in [0, the smaller rank]"));
  std::vector<int> of_a, of_b;
  for (int i = 0; i < axes; ++i) {
    of_a.push_back(a.rank() - axes + i);
    of_b.push_back(i);
  }
  return tensordot(a, b, of_a, of_b);
}

Tensor tensordot(const Tensor& a, const Tensor& b, const std::vector<int>& a_axes, const std::vector<int>& b_axes) {
  const std::string_view self = "tensordot";
  check_operands(self, a, b);
  if (a_axes.size() != b_axes.size())
    throw_invalid(self, cat("lists ", a_axes.size(), " axes of the first operand, but ", b_axes.size(),
                            " of the second; each is summed with one of the other"));
  const auto in_a = positive_axes(self, a_axes, a), in_b = positive_axes(self, b_axes, b);
  for (size_t i = 0; i < in_a.size(); ++i)
    if (a.shape()[in_a[i]] != b.shape()[in_b[i]])
      throw_invalid(self, cat("axis ", a_axes[i], " of shape ", a.shape(), " and axis ", b_axes[i], " of shape ",
                              b.shape(), " have different sizes"));
  const auto of_a = others(in_a, a.rank()), of_b = others(in_b, b.rank());
  std::vector<Size> dims;
  for (const int axis : of_a) dims.push_back(a.shape()[axis]);
  for (const int axis : of_b) dims.push_back(b.shape()[axis]);
  const Shape shape = checked_shape(self, dims);
  const Size m = size_along(a, of_a), k = size_along(a, in_a), n = size_along(b, of_b);
  // Summed axes in front (a) or behind (b) are a transposed matrix; otherwise the elements move.
  const bool transpose_a = is_counting(joined(in_a, of_a)) && !in_a.empty() && !of_a.empty();
  const bool transpose_b = is_counting(joined(of_b, in_b)) && !in_b.empty() && !of_b.empty();
  const Tensor x = transpose_a ? reshape(a, Shape{k, m}) : reshape(in_order(a, joined(of_a, in_a)), Shape{m, k});
  const Tensor y = transpose_b ? reshape(b, Shape{n, k}) : reshape(in_order(b, joined(in_b, of_b)), Shape{k, n});
  return reshape(matmul(x, y, {.transpose_a = transpose_a, .transpose_b = transpose_b}), shape);
}

Tensor vecdot(const Tensor& a, const Tensor& b, int axis) {
  const std::string_view self = "vecdot";
  check_operands(self, a, b);
  const int at = positive_axis(self, axis, a.rank()), in_b = positive_axis(self, axis, b.rank());
  if (a.shape()[at] != b.shape()[in_b])
    throw_invalid(self, cat("axis ", axis, " of shapes ", a.shape(), " and ", b.shape(), " has different sizes"));
  const Tensor x = moveaxis(conj(a), at, -1), y = moveaxis(b, in_b, -1);
  Shape together;
  if (!broadcast(x.shape(), y.shape(), together))
    throw_invalid(self,
                  cat("the axes of shapes ", a.shape(), " and ", b.shape(), " besides ", axis, " do not broadcast"));
  return together.rank() == 1 ? matmul(x, y) : sum(x * y, -1);
}

Tensor vdot(const Tensor& a, const Tensor& b) {
  check_operands("vdot", a, b);
  if (a.size() != b.size())
    throw_invalid("vdot", cat("shapes ", a.shape(), " and ", b.shape(), " have different numbers of elements"));
  return matmul(reshape(conj(a), {-1}), reshape(b, {-1}));
}

Tensor inner(const Tensor& a, const Tensor& b) {
  check_operands("inner", a, b);
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  if (a.shape()[a.rank() - 1] != b.shape()[b.rank() - 1])
    throw_invalid("inner", cat("the last axes of shapes ", a.shape(), " and ", b.shape(), " have different sizes"));
  return tensordot(a, b, {-1}, {-1});
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_operands("outer", a, b);
  return reshape(a, Shape{a.size(), 1}) * reshape(b, Shape{1, b.size()});
}

Tensor cross(const Tensor& a, const Tensor& b) {
  const std::string_view self = "cross";
  check_operands(self, a, b);
  if (a.rank() == 0 || b.rank() == 0 || a.shape()[a.rank() - 1] != 3 || b.shape()[b.rank() - 1] != 3)
    throw_invalid(
        self, cat("takes vectors of length 3 along the last axis, but got shapes ", a.shape(), " and ", b.shape()));
  Shape together;
  if (!broadcast(a.shape(), b.shape(), together))
    throw_invalid(self, cat("the leading dimensions of ", a.shape(), " and ", b.shape(), " do not broadcast"));
  const auto turned = [](const Tensor& x, int by) { return roll(x, {-by}, {-1}); };
  return turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1);
}

Tensor kron(const Tensor& a, const Tensor& b) {
  const std::string_view self = "kron";
  check_operands(self, a, b);
  const int rank = std::max(a.rank(), b.rank());
  if (2 * rank > kMaxRank)
    throw_invalid(
        self, cat("shapes ", a.shape(), " and ", b.shape(), " are too long: it takes ranks up to ", kMaxRank / 2));
  // [a0, 1, a1, 1, …] · [1, b0, 1, b1, …]
  std::vector<Size> of_a, of_b, dims;
  for (int i = 0; i < rank; ++i) {
    const int in_a = i - rank + a.rank(), in_b = i - rank + b.rank();
    of_a.insert(of_a.end(), {in_a < 0 ? Size(1) : a.shape()[in_a], 1});
    of_b.insert(of_b.end(), {1, in_b < 0 ? Size(1) : b.shape()[in_b]});
  }
  for (size_t i = 0; i < of_a.size(); i += 2) dims.push_back(of_a[i] * of_b[i + 1]);
  return reshape(reshape(a, Shape(of_a)) * reshape(b, Shape(of_b)), checked_shape(self, dims));
}

Tensor multi_dot(std::span<const Tensor> matrices) {
  const std::string_view self = "multi_dot";
  const size_t n = matrices.size();
  if (n < 2) throw_invalid(self, cat("takes two matrices or more, but got ", n));
  // sizes[i], sizes[i + 1]: rows and columns of matrix i, a vector being a row (first) or a column (last).
  std::vector<double> sizes;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& x = required(self, matrices[i], static_cast<int>(i));
    const bool end = i == 0 || i + 1 == n;
    if (x.rank() != 2 && !(x.rank() == 1 && end))
      throw_invalid(self, cat("matrix ", i, " has shape ", x.shape(),
                              "; it takes matrices of rank 2, and vectors as the first or last"));
    if (i == 0) sizes.push_back(x.rank() == 1 ? 1 : static_cast<double>(x.shape()[0]));
    sizes.push_back(i > 0 && x.rank() == 1 ? 1 : static_cast<double>(x.shape()[x.rank() - 1]));
  }
  // least[i][j]: multiplications for matrices i … j, cut behind cut[i][j].
  std::vector<std::vector<double>> least(n, std::vector<double>(n, 0));
  std::vector<std::vector<size_t>> cut(n, std::vector<size_t>(n, 0));
  for (size_t length = 1; length < n; ++length)
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      least[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double cost = least[i][k] + least[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
        if (cost >= least[i][j]) continue;
        least[i][j] = cost;
        cut[i][j] = k;
      }
    }
  const auto product = [&](const auto& again, size_t i, size_t j) -> Tensor {
    if (i == j) return matrices[i];
    return matmul(again(again, i, cut[i][j]), again(again, cut[i][j] + 1, j));
  };
  return product(product, 0, n - 1);
}
Tensor multi_dot(std::initializer_list<Tensor> matrices) {
  return multi_dot(std::span<const Tensor>(matrices.begin(), matrices.size()));
}

}  // namespace brio
