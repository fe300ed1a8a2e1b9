// Shared by the functions of image*.cpp: one picture as a batch, checks, amounts.
#pragma once

#include "brio/ops/check.h"
#include "brio/ops/image/image.h"
#include "brio/ops/random/distributions.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::image {

// A batch of pictures, also for a single picture.
struct Batch {
  Batch(std::string_view name, const Tensor& x) : function(name) {
    if (!x.defined()) throw_invalid(function, "the pictures are none; give it a tensor");
    if (x.rank() != 3 && x.rank() != 4)
      throw_invalid(function, cat("takes (height, width, channels) or a batch of such, but got shape ", x.shape()));
    alone = x.rank() == 3;
    pictures = alone ? expand_dims(x, 0) : x;
  }
  Tensor back(const Tensor& result) const { return alone ? squeeze(result, {0}) : result; }
  Size count() const { return pictures.shape()[0]; }
  Size height() const { return pictures.shape()[1]; }
  Size width() const { return pictures.shape()[2]; }
  Size channels() const { return pictures.shape()[3]; }
  DType dtype() const { return pictures.dtype(); }

  std::string_view function;
  bool alone;
  Tensor pictures;
};

inline void check_size(std::string_view function, const char* what, int64_t height, int64_t width) {
  constexpr int64_t kLargest = 1 << 24;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest)
    throw_invalid(function, cat("the ", what, " is ", height, " × ", width, "; give 1 to ", kLargest, " of each"));
}

// An amount in a dtype, of shape (1,) or (batch,).
Tensor column(const Batch& batch, const char* what, const Amount& amount, DType dtype);
// The rows of a (size,) or (batch, size) tensor, as (1 or batch, size) float32.
Tensor rows_of(const Batch& batch, const char* what, const Tensor& x, int64_t size);

// Integers as float32, of the same numbers.
Tensor as_floats(const Tensor& pictures);

inline Tensor uniform(const Shape& shape, const random::Source& from, double low = 0, double high = 1) {
  return random::uniform(
      shape, {.low = low, .high = high, .seed = from.seed, .stream = from.stream, .generator = from.generator});
}

}  // namespace brio::image
