#include "brio/runtime/device_target.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/placed.h"

namespace brio {

bool DeviceTarget::runs(const Graph& graph, const Node& node) const {
  const NodeView view{graph, node, &device_};
  const auto& all = registry().implementations(device_, *node.op);
  try {
    return std::ranges::any_of(all, [&](const Implementation& each) { return each.supports(view).yes; });
  } catch (const UnknownSize&) {  // it depends on a size that is not known yet: likely
    return !all.empty();
  }
}

bool DeviceTarget::fuses(const Graph& graph, const Node& node) const {
  return !registry().implementations(device_, op::fused).empty() && device_.fuses(graph, node);
}

HostTarget::HostTarget(Device& host) : host_(host), of_loops_(registry().implementations(host, op::fused)) {}

// The kernel of loops runs a single op as well, and is registered for both: what it refuses alone stays outside.
bool HostTarget::fuses(const Graph& graph, const Node& node) const {
  if (node.op->kind != OpKind::elementwise) return true;
  return std::ranges::any_of(registry().implementations(host_, *node.op), [&](const Implementation& each) {
    return std::ranges::find(of_loops_, each.supports, &Implementation::supports) != of_loops_.end() &&
           each.supports({graph, node, &host_}).yes;
  });
}

bool HostTarget::prefers(const Graph& graph, const Node& node) const {
  const NodeView view{graph, node, &host_};
  for (const Implementation& each : registry().implementations(host_, *node.op)) {
    if (each.priority == 0) continue;  // the reference
    try {
      if (each.supports(view).yes) return true;
    } catch (const UnknownSize&) {  // nothing but a size speaks against it
      return true;
    }
  }
  return false;
}

void optimize_for(Device& device, Graph& graph) {
  if (has_places(graph)) set_places_apart(graph, device);
  if (device.is_host()) {
    const HostTarget target(device);
    const TargetScope scope(target);
    return optimize(graph);
  }
  const DeviceTarget target(device);
  const TargetScope scope(target);
  optimize(graph);
}

}  // namespace brio
