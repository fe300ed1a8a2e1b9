// A trace that is made only for the shapes of its results and never runs. Graph mode uses it to infer shapes
// (python/brio/_graph/infer.py). A size that depends on data is named by a symbol instead of refused.
#pragma once

#include "brio/ir/tensor.h"

namespace brio {

class ShapesOnly {
 public:
  // Applies to this thread while the object lives. New symbols are numbered from `first` on. `named`: Python's
  // tensors show expressions in their shapes, with which functions of the package compute. Otherwise users see None.
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
  // Whether x belongs to such a trace and has no data.
  static bool lacks_data(const Tensor& x);

 private:
  static constinit thread_local ShapesOnly* current_;
  ShapesOnly* before_;
  uint32_t next_;
  bool named_;
};

}  // namespace brio
