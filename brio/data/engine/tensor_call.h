// Calls a function over tensors with the parts of an element. The function is recorded once for each combination of
// shapes, unless it must be called for each element. One thread owns it: its traces and working memory are not
// shared, so threads do not wait for each other.
#pragma once

#include <optional>

#include "brio/data/dataset.h"
#include "brio/data/engine/element.h"
#include "brio/ops/random/generator_scope.h"
#include "brio/runtime/function.h"

namespace brio::data {

class TensorCall {
 public:
  explicit TensorCall(const ElementFunction& f) {
    if (f.traced) traced_.emplace(f.call);
    else plain_ = f.call;
  }

  // Valid until the next call. Random numbers of the function depend only on the seed.
  const std::vector<Tensor>& operator()(const Element& in, uint64_t seed = 0) { return call({}, in, seed); }
  // The same with other arguments before the parts.
  const std::vector<Tensor>& call(const std::vector<Tensor>& before, const Element& in, uint64_t seed = 0) {
    in_ = before;
    for (size_t i = 0; i < in.size(); ++i) in_.emplace_back(in.array(i));
    generator_.restore({seed, 0});
    const GeneratorScope scope(generator_);
    out_.clear();
    if (traced_) {
      traced_->call(in_.data(), in_.size(), out_);
    } else {
      out_ = plain_(in_);
      drew_ |= generator_.state().counter != 0;
    }
    in_.clear();  // the memory of the element is used again
    return out_;
  }

  bool drew() const { return drew_; }  // random numbers, as far as a function that is not recorded shows

 private:
  Generator generator_{0};
  bool drew_ = false;
  std::optional<brio::detail::TracedFunction> traced_;
  TensorFunction plain_;
  std::vector<Tensor> in_, out_;
};

}  // namespace brio::data
