// Kernels that run on the host whatever the device: code of the host (print, assert, host_call), and what a device
// has no kernel for.
#pragma once

#include "brio/runtime/backend.h"

namespace brio {

// On a device it splits the plan: waits for what comes before and brings the inputs to the host, then takes the
// outputs to the device.
class HostKernel : public LedKernel {
 public:
  void lead(const KernelArgs& args, Stream& stream) const final;

 protected:
  // The first `tokens` inputs and outputs are not there.
  HostKernel(const NodeView& node, size_t tokens);
  size_t tokens() const { return tokens_; }
  std::vector<Aval> in_, out_;  // without the tokens

 private:
  size_t tokens_;
};

// The host's kernel for a node of another device.
std::unique_ptr<Kernel> run_on_host(std::unique_ptr<Kernel> kernel, const NodeView& node);

}  // namespace brio
