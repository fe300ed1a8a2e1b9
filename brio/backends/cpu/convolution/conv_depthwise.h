// Convolutions in which every channel has filters of its own (depthwise), for f32 and f64: vectors along the
// channels, which lie next to each other.
#pragma once

#include "brio/ops/network/convolution.h"

namespace brio::cpu {

// `g` has as many groups as channels, one output each. Positions are rows of y (or of x, for input_grad): lines of
// pixels along the last spatial axis, counted over the whole batch.
struct DepthwiseFns {
  // y's rows [begin, end)
  void (*forward)(const ConvGeometry& g, const void* x, const void* filter, void* y, int64_t begin, int64_t end);
  // x's gradient for pictures [begin, end) of the batch
  void (*input_grad)(const ConvGeometry& g, const void* filter, const void* y, void* x, int64_t begin, int64_t end);
  // filter += what y's rows [begin, end) add to its gradient
  void (*filter_grad)(const ConvGeometry& g, const void* x, const void* y, void* filter, int64_t begin, int64_t end);
  // out[i · times + k] = in[i], n elements of in; and out[i] = sum over k of in[i · times + k], n elements of out
  void (*repeat)(const void* in, void* out, int64_t n, int64_t times);
  void (*fold)(const void* in, void* out, int64_t n, int64_t times);
};
DepthwiseFns find_depthwise_fns(DType dtype);  // f32, f64

}  // namespace brio::cpu
