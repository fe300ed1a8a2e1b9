// Prepares a graph for one device: sets parts for other devices apart, then runs the passes, which ask the device.
#pragma once

#include <vector>

#include "brio/passes/target.h"
#include "brio/runtime/backend.h"

namespace brio {

class DeviceTarget final : public Target {
 public:
  explicit DeviceTarget(Device& device) : device_(device) {}
  bool runs(const Graph& graph, const Node& node) const override;
  bool fuses(const Graph& graph, const Node& node) const override;
  bool prefers(const Graph& graph, const Node& node) const override {
    return device_.has_own_kernels() && runs(graph, node);
  }
  bool has_narrow_rows() const override { return !device_.is_host(); }
  double loop_op_bytes() const override { return device_.loop_op_bytes(); }
  bool has_own(const OpDef& op) const override {
    return device_.has_own_kernels() && !registry().implementations(device_, op).empty();
  }

 private:
  Device& device_;
};

// The host runs everything. It fuses the elementwise ops that its loops can run, and prefers fused ops if it has a
// kernel besides the reference.
class HostTarget final : public Target {
 public:
  explicit HostTarget(Device& host);
  bool fuses(const Graph& graph, const Node& node) const override;
  bool prefers(const Graph& graph, const Node& node) const override;

 private:
  Device& host_;
  const std::vector<Implementation>& of_loops_;
};

void optimize_for(Device& device, Graph& graph);

}  // namespace brio
