// A graph made ready for one device: parts for other devices set apart, then the passes, which ask the device.
#pragma once

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
  bool has_own(const OpDef& op) const override {
    return device_.has_own_kernels() && !registry().implementations(device_, op).empty();
  }

 private:
  Device& device_;
};

// The host runs and fuses everything, and prefers fused ops where it has more than the reference's kernel.
class HostTarget final : public Target {
 public:
  explicit HostTarget(Device& host) : host_(host) {}
  bool prefers(const Graph& graph, const Node& node) const override;

 private:
  Device& host_;
};

void optimize_for(Device& device, Graph& graph);

}  // namespace brio
