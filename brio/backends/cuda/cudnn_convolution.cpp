#include "brio/backends/cuda/cudnn_convolution.h"

#include "brio/base/lru_cache.h"

namespace brio::cuda {
namespace {

// (n, c, spatial…) lying as (n, spatial…, c).
std::vector<int64_t> channels_last(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = sizes[1];
  strides[1] = 1;
  for (size_t i = sizes.size(); i-- > 2;) {
    strides[i] = step;
    step *= sizes[i];
  }
  strides[0] = step;
  return strides;
}

Descriptor tensor(int64_t id, const std::vector<int64_t>& sizes, DType dtype) {
  return cudnn_tensor(id, sizes, channels_last(sizes), cudnn_type(dtype));
}

Descriptor operation_of(const ConvKey& key) {
  const Descriptor x = tensor('x', key.x, key.dtype), w = tensor('w', key.filter, key.dtype),
                   y = tensor('y', key.y, key.dtype);
  Descriptor c(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  c.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, static_cast<int64_t>(key.stride.size()));
  c.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
        key.dtype == f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  c.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  c.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, key.padding);
  c.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, key.padding);
  c.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, key.dilation);
  c.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, key.stride);
  c.finish();
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t x, w, y, conv, alpha, beta;
  };
  static constexpr Names kNames[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  const Names& names = kNames[static_cast<size_t>(key.part)];
  Descriptor operation(names.type);
  operation.set(names.x, x);
  operation.set(names.w, w);
  operation.set(names.y, y);
  operation.set(names.conv, c);
  if (key.dtype == f64) {
    operation.set(names.alpha, CUDNN_TYPE_DOUBLE, 1.0);
    operation.set(names.beta, CUDNN_TYPE_DOUBLE, 0.0);
  } else {
    operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1.0f);
    operation.set(names.beta, CUDNN_TYPE_FLOAT, 0.0f);
  }
  operation.finish();
  return operation;
}

}  // namespace

std::shared_ptr<const CudnnPlan> convolution_plan(CudaDevice& device, const ConvKey& key) {
  using Plans = LruCache<std::pair<const CudaDevice*, ConvKey>, CudnnPlan>;
  static auto* const plans = new Plans;  // outlives static kernels
  return plans->get({&device, key}, [&] {
    const Descriptor operation[] = {operation_of(key)};
    return CudnnPlan::of(device, operation, key.dtype);
  });
}

}  // namespace brio::cuda
