// The part of one axis that a slice takes, from its attributes.
#pragma once

#include "brio/ir/op.h"

namespace brio {

// The attributes of an empty slice may have any beginning, and those of a slice with less than two steps any stride:
// here they are 0 and 1, so offsets do not overflow.
struct SlicedAxis {
  int64_t begin, size, stride;
};

inline SlicedAxis sliced_axis(const Attrs& attrs, size_t axis) {
  const size_t at_size = attrs.after_list(0);
  const int64_t size = attrs.list(at_size)[axis];
  return {size == 0 ? 0 : attrs.list(0)[axis], size, size < 2 ? 1 : attrs.list(attrs.after_list(at_size))[axis]};
}

}  // namespace brio
