// Kernels that run on the host for every device: code of the host (print, assert, host_call), and ops for which a
// device has no kernel.
#pragma once

#include "brio/runtime/explain.h"

namespace brio {

// On a device it splits the plan: it waits for the work before it, copies the inputs to the host, runs, and copies
// the outputs to the device.
class HostKernel : public LedKernel {
 public:
  void lead(const KernelArgs& args, Stream& stream) const final;

  size_t copied_bytes() const;  // in both directions, in one run
  // For an op that a device lacks: how often it has run, and how long that took, including copies.
  struct Borrowed {
    uint64_t runs, nanoseconds;
  };
  bool is_borrowed() const { return row_ != nullptr; }
  Borrowed borrowed() const { return {runs_.load(), nanoseconds_.load()}; }

 protected:
  // The first `tokens` inputs and outputs are tokens, which have no memory.
  HostKernel(const NodeView& node, size_t tokens);
  size_t tokens() const { return tokens_; }
  std::vector<Aval> in_, out_;  // without the tokens
  detail::FallbackRow* row_ = nullptr;

 private:
  void run_with_copies(const KernelArgs& args, Stream& stream) const;
  size_t tokens_;
  mutable std::atomic<uint64_t> runs_{0}, nanoseconds_{0};
};

// The host's kernel for a node of another device.
std::unique_ptr<Kernel> run_on_host(std::unique_ptr<Kernel> kernel, const NodeView& node);

}  // namespace brio
