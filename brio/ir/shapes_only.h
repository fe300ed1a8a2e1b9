// A trace that is made for the shapes of its results and never runs: graph mode asks so what an op will give
// (python/brio/_graph/infer.py). What needs data to know a size names it by a symbol instead of refusing.
#pragma once

#include "brio/ir/tensor.h"

namespace brio {

class ShapesOnly {
 public:
  // For this thread, while it lives. New symbols are numbered from `first` on. `named`: Python's tensors show
  // expressions in their shapes, which functions of the package compute with; else None, as users know it.
  explicit ShapesOnly(uint32_t first, bool named) : before_(current_), next_(first), named_(named) {
    current_ = this;
  }
  ~ShapesOnly() { current_ = before_; }
  ShapesOnly(const ShapesOnly&) = delete;
  uint32_t next() const { return next_; }

  static bool shows_expressions() { return current_ && current_->named_; }
  static bool active() { return current_ != nullptr; }
  // A size that data will decide.
  static Size decided_by_data() { return Size::unknown(current_->next_++); }
  // Is it one of a trace like this, whose data is not there?
  static bool lacks_data(const Tensor& x);

 private:
  static constinit thread_local ShapesOnly* current_;
  ShapesOnly* before_;
  uint32_t next_;
  bool named_;
};

}  // namespace brio
