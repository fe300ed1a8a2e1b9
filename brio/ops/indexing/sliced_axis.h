// What a slice takes of one axis, by its attributes.
#pragma once

#include "brio/ir/op.h"

namespace brio {

// An empty one may say that it begins anywhere, and one that takes less than two steps may have any stride: these are
// 0 and 1 here, so that offsets do not overflow.
struct SlicedAxis {
  int64_t begin, size, stride;
};

inline SlicedAxis sliced_axis(const Attrs& attrs, size_t axis) {
  const size_t at_size = attrs.after_list(0);
  const int64_t size = attrs.list(at_size)[axis];
  return {size == 0 ? 0 : attrs.list(0)[axis], size, size < 2 ? 1 : attrs.list(attrs.after_list(at_size))[axis]};
}

}  // namespace brio
