#include "brio/ir/shapes_only.h"

#include "brio/ir/string_moves.h"

namespace brio {

constinit thread_local ShapesOnly* ShapesOnly::current_ = nullptr;

bool ShapesOnly::lacks_data(const Tensor& x) { return active() && !is_known_now(x); }

}  // namespace brio
