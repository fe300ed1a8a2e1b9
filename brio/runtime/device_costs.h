// The cost of work on a device, measured once per machine and kept in a file. It decides where work runs if no device
// was named: copies and launches are weighed against computing, so small work stays on the host.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio {

struct DeviceCosts {
  double launch = 0;             // µs to hand a step over
  double copy = 0;               // µs for the smallest copy
  double in = 0, out = 0;        // bytes copied per µs, to it and from it
  double flops = 0, memory = 0;  // of products per µs; bytes that elementwise work reads and writes per µs
};

// Measured at the first call, unless $XDG_CACHE_HOME/brio (or ~/.cache/brio) has the values.
DeviceCosts costs_of(Device& device);
std::optional<DeviceCosts> known_costs(const Device& device);  // none: not measured yet
void set_costs(Device& device, const DeviceCosts& costs);      // instead of measuring
// For copying so many bytes to or from it: measured, or an estimate if it was not measured yet.
double copy_microseconds(const Device& device, size_t bytes);

struct Work {
  double flops = 0, bytes = 0;
  size_t steps = 0;
  size_t to_device = 0, to_host = 0;  // bytes to copy if it runs there
  size_t results = 0;                 // bytes that the host will probably read
};
void add_cost(Work& work, const OpDef& op, std::span<const Aval* const> in, Attrs attrs,
              std::span<const Graph* const> graphs, std::span<const Aval> out);
void add_cost(Work& work, const Graph& graph, const Node& node);
Work work_of(const Graph& graph);

double microseconds(const DeviceCosts& costs, const Work& work, bool on_host);

// The cheapest of the host and the candidates.
Device& cheapest_device(const Work& work);

// Devices that work may use by default: visible GPUs, unless BRIO_DEVICE names the device for all work. Empty:
// everything stays on the host, and nothing is measured. They are looked for when there is work that might benefit,
// because finding a GPU takes long.
std::vector<Device*> candidates();
void set_candidates(std::vector<Device*> devices);
void look_for_candidates_later();  // at the start, and after a change of the visible devices

namespace detail {
extern constinit std::atomic<bool> chooses_by_cost;  // there are candidates, or may be
}
inline bool chooses_by_cost() { return detail::chooses_by_cost.load(std::memory_order_relaxed); }

}  // namespace brio
