// A kernel for f32 as one for f16 and bf16: the operands are widened into scratch, the results rounded from there.
#pragma once

#include <memory>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio::cpu {

class WidenedKernel final : public Kernel {
 public:
  using Prepare = std::unique_ptr<Kernel> (*)(const NodeView& node);
  WidenedKernel(const NodeView& view, Prepare prepare_f32);
  size_t scratch_bytes() const override { return bytes_; }
  void run(const KernelArgs& args) const override;

 private:
  DType dtype_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<int64_t> in_, out_;      // elements
  size_t kernel_scratch_ = 0, bytes_;  // where the kernel's own begins, and the end
};

// K is made for f32 (and what else it takes); half precision goes through WidenedKernel.
template <typename K>
std::unique_ptr<Kernel> prepare_widened(const NodeView& node) {
  const auto make = [](const NodeView& view) -> std::unique_ptr<Kernel> { return std::make_unique<K>(view); };
  const DType dtype = node.in(0).dtype;
  if (dtype != f16 && dtype != bf16) return make(node);
  return std::make_unique<WidenedKernel>(node, make);
}

}  // namespace brio::cpu
