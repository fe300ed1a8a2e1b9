// Calls a function over tensors with the parts of an element. Recorded once for each combination of shapes, and of
// one thread: its traces and working memory are its own, so that threads do not wait for each other.
#pragma once

#include "brio/base/error.h"
#include "brio/data/element.h"
#include "brio/data/structure.h"
#include "brio/ops/generator_scope.h"
#include "brio/runtime/function.h"

namespace brio::data {

// Throws InvalidArgument unless a function of `arity` tensors can take the parts of an element, behind `before`
// others.
inline void check_arity(const char* name, const Structure& structure, size_t arity, size_t before = 0) {
  if (structure.parts() + before == arity) return;
  throw InvalidArgument(cat("[", name, "] the function takes ", arity, " tensors, but ",
                            before == 0 ? "" : cat("the state has ", before, " and "), "an element has ",
                            structure.parts(), ": ", structure.str()));
}

class TensorCall {
 public:
  explicit TensorCall(brio::detail::TracedFunction::Body f) : function_(std::move(f)) {}

  // Good until the next call. Random numbers that the function draws depend on the seed alone.
  const std::vector<Tensor>& operator()(const Element& in, uint64_t seed = 0) { return call({}, in, seed); }
  // The same with other arguments before the parts.
  const std::vector<Tensor>& call(const std::vector<Tensor>& before, const Element& in, uint64_t seed = 0) {
    in_ = before;
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
