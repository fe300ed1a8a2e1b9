// What work costs on a device, measured once per machine and kept in a file, and where work runs that nobody placed:
// copies and launches against computing, so that small work stays on the host.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio {

struct DeviceCosts {
  double launch = 0;             // µs for a step to be handed over
  double copy = 0;               // µs for the smallest copy
  double in = 0, out = 0;        // bytes copied in a µs, to it and from it
  double flops = 0, memory = 0;  // of products in a µs; bytes that elementwise work reads and writes in a µs
};

// Measured when it is asked for first, unless $XDG_CACHE_HOME/brio (or ~/.cache/brio) knows it.
DeviceCosts costs_of(Device& device);
std::optional<DeviceCosts> known_costs(const Device& device);  // none: they are not measured yet
void set_costs(Device& device, const DeviceCosts& costs);      // instead of measuring
// Of copying so many bytes to it or from it: measured, or as a rule of thumb where nobody has measured yet.
double copy_microseconds(const Device& device, size_t bytes);

struct Work {
  double flops = 0, bytes = 0;
  size_t steps = 0;
  size_t to_device = 0, to_host = 0;  // bytes that would have to be copied, were it run there
  size_t results = 0;                 // bytes that the host is going to read, most likely
};
void add_cost(Work& work, const OpDef& op, std::span<const Aval* const> in, Attrs attrs,
              std::span<const Graph* const> graphs, std::span<const Aval> out);
void add_cost(Work& work, const Graph& graph, const Node& node);
Work work_of(const Graph& graph);

double microseconds(const DeviceCosts& costs, const Work& work, bool on_host);

// The cheapest of the host and the candidates.
Device& cheapest_device(const Work& work);

// Devices that work may be put on without a word: GPUs that are visible, unless BRIO_DEVICE names the device for all.
// Empty: everything stays on the host, and nothing is measured.
// Looked for when there is work that might pay for it: finding a GPU takes long.
std::vector<Device*> candidates();
void set_candidates(std::vector<Device*> devices);
void look_for_candidates_later();  // at the start, and after the visible devices have changed

namespace detail {
extern constinit std::atomic<bool> chooses_by_cost;  // there are candidates, or may be
}
inline bool chooses_by_cost() { return detail::chooses_by_cost.load(std::memory_order_relaxed); }

}  // namespace brio
