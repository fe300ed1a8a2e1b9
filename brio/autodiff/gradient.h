// Reverse mode over a recording: differentiation records the gradient as more nodes of the same recording.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "brio/ir/recording.h"

namespace brio {

// The cotangents of `sources`, from those of some targets, along values that carry `tape_bit`. "None" for a source on
// which the targets do not depend.
std::vector<Tensor> differentiate(Recording& recording, std::span<const std::pair<ValueId, Tensor>> seeds,
                                  std::span<const ValueId> sources, uint8_t tape_bit);

}  // namespace brio
