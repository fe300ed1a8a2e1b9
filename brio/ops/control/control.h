// Control flow as part of the graph: branches and loops whose bodies are graphs of their own, so they are planned,
// differentiated and repeated without the host language.
//
//   const auto below = [](auto& s) { return s[0] < 100.f; };
//   Tensor n = while_loop(below, [](auto& s) { return std::vector{s[0] * 2.f}; }, {x})[0];
//
// Bodies may use tensors and variables from outside, and assign variables: the loop or branch carries the assigned
// values and assigns them when it has run. A loop traces a body that assigns twice: first to see which variables it
// assigns, then with these carried.
#pragma once

#include <functional>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// cond(predicate, inputs of the branch, inputs of the other)
// while(carried…, captured by the condition…, captured by the body…)
// while_grad(as while, cotangents of the floating-point carried…)
// scan(carried…, elements…, captured…)
extern const OpDef cond, while_loop, while_grad, scan;
}  // namespace op

using Branch = std::function<std::vector<Tensor>()>;
std::vector<Tensor> cond(const Tensor& predicate, const Branch& if_true, const Branch& if_false);
Tensor cond(const Tensor& predicate, const std::function<Tensor()>& if_true, const std::function<Tensor()>& if_false);

using LoopCondition = std::function<Tensor(const std::vector<Tensor>&)>;
using LoopBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
struct WhileOptions {
  int64_t max_iterations = -1;  // -1: no bound
};
// Repeats body while condition holds. body must return the shapes and dtypes that it was given.
std::vector<Tensor> while_loop(const LoopCondition& condition, const LoopBody& body,
                               const std::vector<Tensor>& initial, WhileOptions options = {});

// Walks along the first axis of `elements`: body(carried, one of each element) → (carried, results). The results of
// all steps are stacked.
struct ScanStep {
  std::vector<Tensor> carried, results;
};
using ScanBody = std::function<ScanStep(const std::vector<Tensor>& carried, const std::vector<Tensor>& elements)>;
struct ScanOptions {
  bool reverse = false;  // from the last element to the first; results keep their places
};
ScanStep scan(const ScanBody& body, const std::vector<Tensor>& initial, const std::vector<Tensor>& elements,
              ScanOptions options = {});

// Attributes, as kernels read them.
struct WhileLayout {
  size_t carried, condition_captured;
  int64_t max_iterations;
  static WhileLayout of(Attrs attrs) {
    return {static_cast<size_t>(attrs[0]), static_cast<size_t>(attrs[1]), attrs[2]};
  }
};
struct ScanLayout {
  size_t carried, elements;
  bool reverse, saves;  // saves: the carried values before each step are results too, for the gradient
  static ScanLayout of(Attrs attrs) {
    return {static_cast<size_t>(attrs[0]), static_cast<size_t>(attrs[1]), attrs[2] != 0, attrs[3] != 0};
  }
};

}  // namespace brio
