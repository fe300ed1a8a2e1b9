// Running folds along an axis. Additions are in the order of the elements, for any number of threads.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef cumsum, cumprod, cumulative_logsumexp;
}

struct CumulativeOptions {
  bool exclusive = false;  // of the elements before it, without its own: 0, 1 or -inf comes first
  bool reverse = false;    // from the last element to the first
};
Tensor cumsum(const Tensor& x, int axis = 0, CumulativeOptions options = {});
Tensor cumprod(const Tensor& x, int axis = 0, CumulativeOptions options = {});
Tensor cumulative_logsumexp(const Tensor& x, int axis = 0, CumulativeOptions options = {});

// Attributes, for kernels.
inline int scan_axis(Attrs attrs) { return static_cast<int>(attrs[0]); }
inline bool scan_exclusive(Attrs attrs) { return attrs[1] != 0; }
inline bool scan_reverse(Attrs attrs) { return attrs[2] != 0; }

}  // namespace brio
