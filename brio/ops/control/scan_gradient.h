// The gradient of scan, for control.cpp.
#pragma once

#include <memory>
#include <vector>

#include "brio/ir/grad.h"
#include "brio/ops/control/control.h"

namespace brio {

void grad_scan(GradContext& g);

std::vector<Tensor> record_scan(const std::vector<Tensor>& in, const ScanLayout& layout,
                                const std::shared_ptr<const Graph>& body);
std::vector<TensorImpl*> impls_of(const std::vector<Tensor>& tensors);
// The graph that maps (inputs of the body, cotangents of its results) to the gradients of its floating-point inputs.
// `connected` says which inputs have a gradient.
std::shared_ptr<const Graph> reverse_body(GradContext& g, const Graph& body, std::vector<bool>& connected);

}  // namespace brio
