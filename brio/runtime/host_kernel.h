// The kernel of ops that run code of the host: print, assert, host_call. It serves every device.
#pragma once

#include "brio/runtime/backend.h"

namespace brio {

class HostKernel final : public Kernel {
 public:
  explicit HostKernel(const NodeView& node);
  void run(const KernelArgs& args) const override;
  // On a device that works asynchronously it splits the plan: waits for what comes before and brings the inputs to
  // the host, then takes the outputs to the device.
  void run_between(const KernelArgs& args, Stream& stream) const;

 private:
  const OpDef& op_;
  std::shared_ptr<const HostCode> code_;
  size_t tokens_;  // the first input and output, which the code does not see
  std::vector<Aval> in_, out_;
};

}  // namespace brio
