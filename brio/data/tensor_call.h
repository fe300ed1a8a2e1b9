// Calls a function over tensors with the parts of an element. Recorded once for each combination of shapes, and of
// one thread: its traces and working memory are its own, so that threads do not wait for each other.
#pragma once

#include "brio/data/element.h"
#include "brio/ops/generator_scope.h"
#include "brio/runtime/function.h"

namespace brio::data {

class TensorCall {
 public:
  explicit TensorCall(brio::detail::TracedFunction::Body f) : function_(std::move(f)) {}

  // Good until the next call. Random numbers that the function draws depend on the seed alone.
  const std::vector<Tensor>& operator()(const Element& in, uint64_t seed = 0) {
    in_.clear();
    for (size_t i = 0; i < in.size(); ++i) in_.emplace_back(in.array(i));
    generator_.restore({seed, 0});
    const GeneratorScope scope(generator_);
    out_.clear();
    function_.call(in_.data(), in_.size(), out_);
    in_.clear();  // the memory of the element is used again
    return out_;
  }

 private:
  Generator generator_{0};
  brio::detail::TracedFunction function_;
  std::vector<Tensor> in_, out_;
};

}  // namespace brio::data
