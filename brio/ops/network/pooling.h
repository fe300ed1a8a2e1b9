// Pooling over one, two or three spatial axes of (batch, spatial…, channels), as in TensorFlow: padding is never the
// largest element, and never counts in an average.
#pragma once

#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"
#include "brio/ops/network/window.h"

namespace brio {

namespace op {
extern const OpDef max_pool, max_pool_grad, max_pool_pick, avg_pool, avg_pool_grad;
// If the gradient is needed too: max_pool_with_taken: x → pooled, taken. max_pool_grad_from_taken: taken, cotangent →
// x's gradient. `taken` is the number of the element that was taken, counted row by row with the padding.
extern const OpDef max_pool_with_taken, max_pool_grad_from_taken;
}  // namespace op

constexpr int64_t kMostTaken = 256;  // elements of a window whose numbers fit

struct PoolOptions {
  std::vector<int64_t> strides = {};  // one for each spatial axis, or one for all; none: the window's size
  WindowPadding padding = "valid";
  DataFormat data_format = DataFormat::channels_last;
};
// `window` has a size for each spatial axis, or one for all. Of equal elements the first one, in row-major order,
// gets the gradient; NaN is larger than any number.
Tensor max_pool(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor max_pool1d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor max_pool2d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor max_pool3d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor avg_pool(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor avg_pool1d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor avg_pool2d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor avg_pool3d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options = {});

// Over all of the spatial axes: (batch, channels), or those axes kept with size 1.
Tensor global_max_pool(const Tensor& x, bool keepdims = false, DataFormat format = DataFormat::channels_last);
Tensor global_avg_pool(const Tensor& x, bool keepdims = false, DataFormat format = DataFormat::channels_last);

// The sizes of a pooling of x, for kernels of it and of its gradients.
struct PoolGeometry : Windows {
  int64_t batch, channels;
  static PoolGeometry of(const Shape& x, Attrs attrs);
};

}  // namespace brio
