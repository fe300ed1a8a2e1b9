// A plan inside a kernel: loop bodies, branches, and the fall-back of a fused node. It runs in the kernel's scratch
// memory; results go directly to the caller's memory.
#pragma once

#include <memory>

#include "brio/runtime/plan.h"

namespace brio {

// How a led step does its own work: at once on the host, or by handing it to a stream.
struct Lane {
  Stream* stream = nullptr;

  void copy(void* to, const void* from, size_t bytes) const;
  void clear(void* data, size_t bytes) const;
  bool flag(const void* at) const;  // its value; the host waits for it
};

class NestedPlan {
 public:
  explicit NestedPlan(std::shared_ptr<const Plan> plan);

  size_t scratch_bytes() const { return scratch_bytes_; }
  size_t table_size() const { return plan_->pointer_count() + fresh_target_.size(); }
  // `scratch` is memory of the device, `table` memory of the host.
  void run(const void* const* in, void* const* out, void* scratch, void** table, const Lane& lane) const;
  const Plan& plan() const { return *plan_; }

 private:
  std::shared_ptr<const Plan> plan_;
  std::vector<int64_t> fresh_target_;  // per fresh buffer: the output it is, or -1: in scratch
  std::vector<size_t> fresh_offset_;   // in scratch
  std::vector<bool> direct_;           // per output: written directly to the caller's memory
  size_t scratch_bytes_ = 0;
};

}  // namespace brio
