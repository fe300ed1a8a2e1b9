// Mixes the pictures and labels of a batch with those of another order of the batch, as Keras' MixUp and CutMix.
// Labels are floating-point, (batch, …): one-hot, not class numbers.
#pragma once

#include "brio/ir/tensor.h"
#include "brio/ops/random/distributions.h"

namespace brio::image {

struct Mixed {
  Tensor pictures, labels;
};
// weight · x + (1 - weight) · x[order]. `weights` and `order` (integers) are (batch,). Integer pictures become
// float32.
Mixed mixup(const Tensor& pictures, const Tensor& labels, const Tensor& weights, const Tensor& order);
// Weights from a beta distribution (alpha, alpha), in any order.
Mixed random_mixup(const Tensor& pictures, const Tensor& labels, double alpha = 0.2, random::Source source = {});

// The pixels in a box come from x[order]; labels are mixed by the box's share of the area. `boxes` are (batch, 4):
// top, left, bottom and right; a pixel is inside if top <= row < bottom and left <= column < right.
Mixed cutmix(const Tensor& pictures, const Tensor& labels, const Tensor& boxes, const Tensor& order);
// Boxes with a share 1 - λ of the area, λ from a beta distribution (a, a), and a drawn from the range for the batch.
struct CutMixOptions {
  double factor_low = 0, factor_high = 1;
};
Mixed random_cutmix(const Tensor& pictures, const Tensor& labels, CutMixOptions options = {},
                    random::Source source = {});

}  // namespace brio::image
