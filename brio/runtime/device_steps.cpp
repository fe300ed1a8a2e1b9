#include "brio/runtime/device_steps.h"

#include <algorithm>
#include <mutex>

#include "brio/profile/recorder.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/explain.h"
#include "brio/runtime/plan.h"

namespace brio {
namespace {

struct Counts {
  uint64_t steps = 0, copies_in = 0, bytes_in = 0, copies_out = 0, bytes_out = 0, fallbacks = 0;
};

struct Counted {
  std::mutex mutex;
  const void* key = nullptr;
  Device* device = nullptr;
  Counts first, newest;
  Work work;  // of a step
};
Counted& counted() {
  static auto* made = new Counted;
  return *made;
}

Counts counts_of(const Device& device, uint64_t steps) {
  const Traffic& t = device.traffic;
  return {steps, t.copies_in.load(), t.bytes_in.load(), t.copies_out.load(), t.bytes_out.load(), t.fallbacks.load()};
}

std::string longest_fallback(const Device& device) {
  const std::vector<FallbackCount> all = fallback_counts();
  const FallbackCount* longest = nullptr;
  for (const FallbackCount& each : all)
    if (each.device == device.name() && (!longest || each.nanoseconds > longest->nanoseconds)) longest = &each;
  return longest ? longest->op : std::string();
}

}  // namespace

void count_device_step(const void* key, uint64_t steps, Device& device, const Plan& plan) {
  Counted& c = counted();
  bool is_new = false;
  {
    const std::lock_guard lock(c.mutex);
    is_new = c.key != key || c.device != &device || steps <= c.newest.steps;
    c.newest = counts_of(device, steps);
    if (is_new) {
      c.key = key;
      c.device = &device;
      c.work = work_of(plan.graph());
      c.work.steps = plan.step_count();
      c.first = c.newest;
    }
  }
  if (is_new && profile::trials_wanted()) measure_device_of_steps();
}

void measure_device_of_steps() {
  Device* device = nullptr;
  {
    Counted& c = counted();
    const std::lock_guard lock(c.mutex);
    device = c.device;
  }
  if (!device) return;
  const profile::Scope scope(profile::Part::trial);
  (void)costs_of(registry().host());
  (void)costs_of(*device);
  Counted& c = counted();
  const std::lock_guard lock(c.mutex);
  if (c.device == device && c.first.steps == c.newest.steps) c.first = c.newest = counts_of(*device, c.newest.steps);
}

DeviceSteps device_steps() {
  Counted& c = counted();
  const std::lock_guard lock(c.mutex);
  DeviceSteps all;
  if (!c.device || c.newest.steps <= c.first.steps) return all;
  const auto n = static_cast<double>(c.newest.steps - c.first.steps);
  const auto each = [&](uint64_t Counts::*what) { return static_cast<double>(c.newest.*what - c.first.*what) / n; };
  all.device = c.device->name();
  all.last = c.newest.steps;
  all.steps = n;
  all.copies_in = each(&Counts::copies_in);
  all.bytes_in = each(&Counts::bytes_in);
  all.copies_out = each(&Counts::copies_out);
  all.bytes_out = each(&Counts::bytes_out);
  all.fallbacks = each(&Counts::fallbacks);
  if (all.fallbacks > 0) all.fallback = longest_fallback(*c.device);
  all.launches = static_cast<double>(c.work.steps);
  const auto host = known_costs(registry().host()), device = known_costs(*c.device);
  if (!host || !device) return all;
  constexpr double kMicrosecond = 1e-6;
  const auto computing = [&](const DeviceCosts& costs) {
    return (c.work.flops / costs.flops + c.work.bytes / costs.memory) * kMicrosecond;
  };
  all.copying_in = (all.copies_in * device->copy + all.bytes_in / device->in) * kMicrosecond;
  all.copying_out = (all.copies_out * device->copy + all.bytes_out / device->out) * kMicrosecond;
  all.launching = all.launches * device->launch * kMicrosecond;
  all.computing = computing(*device);
  all.on_host = computing(*host) + all.launches * host->launch * kMicrosecond;
  return all;
}

}  // namespace brio
