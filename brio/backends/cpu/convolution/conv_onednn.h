// Convolutions by the oneDNN library, one piece of the batch at a time on the calling thread.
#pragma once

#include "brio/ops/network/convolution.h"
#include "brio/runtime/backend.h"

namespace brio::cpu {

inline ConvGeometry geometry(const NodeView& view) {
  return ConvGeometry::of(*view.node.op, view.in(0).shape, view.in(1).shape, view.out(0).shape, view.attrs());
}

Support supports_onednn_conv(const NodeView& view);
std::unique_ptr<Kernel> prepare_onednn_conv(const NodeView& view);

}  // namespace brio::cpu
