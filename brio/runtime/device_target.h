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
  bool has_narrow_rows() const override { return !device_.is_host(); }
  bool has_own(const OpDef& op) const override {
    return device_.has_own_kernels() && !registry().implementations(device_, op).empty();
  }

 private:
  Device& device_;
};

void optimize_for(Device& device, Graph& graph);

}  // namespace brio
