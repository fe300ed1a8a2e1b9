// Convolutions by the oneDNN library, one piece of the batch at a time on the calling thread.
#pragma once

#include "brio/runtime/backend.h"

namespace brio::cpu {

Support supports_onednn_conv(const NodeView& view);
std::unique_ptr<Kernel> prepare_onednn_conv(const NodeView& view);

}  // namespace brio::cpu
