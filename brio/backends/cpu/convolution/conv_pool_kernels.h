// A convolution of few channels, its bias, ReLU and 2 × 2 pooling in one pass, and the gradients of its
// filter and bias from the pooled one: what lies between is never written. And bias, ReLU and pooling by themselves,
// with their gradient. Vectors run along the channels of the result, which lie next to each other.
#pragma once

#include <cstdint>

#include "brio/ops/network/pooling.h"
#include "brio/tensor/dtype.h"

namespace brio::cpu {

// One row of pooled values, and the lines of x under it.
struct ConvPoolRow {
  int64_t in, out;  // channels
  int64_t kernel_h, kernel_w;
  int64_t stride_h, stride_w;
  int64_t pooled;      // values in the row
  int64_t padded_out;  // channels of a line of `filter`, of `bias` and of sums: a multiple of kConvPoolPad
  int64_t line;        // floats from one line to the next

  int64_t run() const { return kernel_w * in; }  // elements of x under one line of the filter
  int64_t depth() const { return kernel_h * run(); }
  int64_t lines() const { return stride_h + kernel_h; }
  int64_t columns() const { return (2 * pooled - 1) * stride_w + kernel_w; }
};
inline constexpr int64_t kConvPoolPad = 16;  // lanes of the widest vectors; lines have as many more, which are read

struct ConvPoolFns {
  // lines: ConvPoolRow::lines() lines of x, zeros where they reach beyond it. filter: [depth][padded_out].
  void (*forward)(const ConvPoolRow& row, const float* lines, const float* filter, const float* bias, float* pooled,
                  uint8_t* which);
  // tables: for each line of the filter and each float of a line, the elements of x for the four taps of a window.
  void (*make_tables)(const ConvPoolRow& row, const float* lines, float* tables);
  // sums: [depth + 1][padded_out], the bias last; what the row adds.
  void (*filter_grad)(const ConvPoolRow& row, const float* tables, const uint8_t* which, const float* cotangent,
                      float* sums);
  // Windows that lie side by side: rows of them, counted over the whole batch.
  void (*relu_pool)(const PoolGeometry& g, const float* y, const float* bias, float* pooled, uint8_t* which,
                    int64_t begin, int64_t end);
  void (*relu_pool_grad)(const PoolGeometry& g, const uint8_t* which, const float* cotangent, float* y, int64_t begin,
                         int64_t end);
};
// All of them compute in f32. For tensors of 16 bits, which the caller widens and narrows, what the plain ops would
// write is rounded as they would: sums, and sums with the bias.
ConvPoolFns find_conv_pool_fns(DType dtype);

}  // namespace brio::cpu
