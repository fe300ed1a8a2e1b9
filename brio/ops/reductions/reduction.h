// Reductions over any axes. The order of additions depends only on the shape, not on the number of threads.
#pragma once

#include <initializer_list>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_any, reduce_all;
}

// The axes to reduce: all by default; negative ones count from the end. An empty list means no axis.
class Axes {
 public:
  Axes() : all_(true) {}
  Axes(int axis) : axes_{axis} {}
  Axes(std::initializer_list<int> axes) : axes_(axes) {}
  explicit Axes(std::vector<int> axes) : axes_(std::move(axes)) {}
  uint32_t mask(const OpDef& op, const Shape& shape) const;  // throws InvalidArgument

 private:
  bool all_ = false;
  std::vector<int> axes_;
};

Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor max(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor min(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor any(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor all(const Tensor& x, const Axes& axes = {}, bool keepdims = false);
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdims = false);

// Sums over the elements that broadcasting `shape` to x's shape had repeated.
Tensor sum_to(const Tensor& x, const Shape& shape);

// The axes a reduction node folds, as a bit mask, from its attributes.
uint32_t reduced_axes(Attrs attrs);
inline bool keeps_dims(Attrs attrs) { return attrs[0] != 0; }

}  // namespace brio
