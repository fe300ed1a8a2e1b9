#include "brio/runtime/devices.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>

#include "brio/base/error.h"
#include "brio/runtime/device_costs.h"

namespace brio {
namespace {

std::atomic<bool> soft{true}, logged{false};

// Few and seldom changed.
struct Hidden {
  std::mutex mutex;
  std::vector<const Device*> devices;
};
Hidden& hidden() {
  static auto* all = new Hidden;
  return *all;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

[[noreturn]] void refuse(std::string_view name, std::string_view why) {
  std::string known;
  for (const Device* device : visible_devices()) {
    const DeviceSpec spec = spec_of(*device);
    known += cat(known.empty() ? "" : ", ", "/device:", spec.kind, ":", spec.number);
  }
  throw InvalidArgument(cat("[device] '", name, "' ", why, "; there are: ", known));
}

// "0", or "*" for any of them.
int number_in(std::string_view whole, std::string_view text) {
  if (text == "*") return 0;
  if (text.empty() || text.size() > 6 || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
    refuse(whole, cat("has '", text, "' where a number belongs"));
  int number = 0;
  for (const char c : text) number = 10 * number + (c - '0');
  return number;
}

DeviceSpec kind_and_number(std::string_view whole, std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view kind = text.substr(0, colon);
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  if (kind.empty() || !std::ranges::all_of(kind, is_letter)) refuse(whole, "is no name of a device");
  return {upper(kind), colon == text.size() ? 0 : number_in(whole, text.substr(colon + 1))};
}

}  // namespace

DeviceSpec spec_of(const Device& device) {
  const std::string_view name = device.name();
  const size_t colon = name.find(':');
  const std::string kind = upper(name.substr(0, colon));
  int number = 0;
  if (device.is_host()) return {kind, number};  // without a look for others, which may take long
  const std::lock_guard lock(hidden().mutex);
  for (Device* other : physical_devices()) {
    if (other == &device) break;
    const bool same_kind = upper(other->name().substr(0, other->name().find(':'))) == kind;
    number += same_kind && std::ranges::find(hidden().devices, other) == hidden().devices.end();
  }
  return {kind, number};
}

std::string full_name(const Device& device) {
  const DeviceSpec spec = spec_of(device);
  return cat("/job:localhost/replica:0/task:0/device:", spec.kind, ":", spec.number);
}

std::optional<DeviceSpec> parse_device(std::string_view name) {
  std::optional<DeviceSpec> found;
  std::string_view rest = name;
  while (!rest.empty()) {
    if (rest.front() == '/') rest.remove_prefix(1);
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end);
    if (part.empty()) continue;
    if (part.starts_with("job:")) {
      if (part != "job:localhost") refuse(name, cat("names the job '", part.substr(4), "', which is not this one"));
    } else if (part.starts_with("replica:") || part.starts_with("task:")) {
      if (number_in(name, part.substr(part.find(':') + 1)) != 0) refuse(name, "is on another machine");
    } else {
      const bool prefixed = part.starts_with("device:");
      if (found) refuse(name, "names two devices");
      found = kind_and_number(name, prefixed ? part.substr(7) : part);
    }
  }
  return found;
}

std::vector<Device*> physical_devices() {
  std::vector<Device*> all;
  const size_t count = registry().device_names().size();
  for (size_t i = 1; i <= count; ++i) all.push_back(&registry().at_place(static_cast<uint16_t>(i)));
  return all;
}

std::vector<Device*> visible_devices() {
  std::vector<Device*> all = physical_devices();
  const std::lock_guard lock(hidden().mutex);
  std::erase_if(all, [](Device* d) { return std::ranges::find(hidden().devices, d) != hidden().devices.end(); });
  return all;
}

void set_visible_devices(const std::vector<Device*>& devices) {
  std::vector<const Device*> others;
  for (Device* device : physical_devices())
    if (std::ranges::find(devices, device) == devices.end()) others.push_back(device);
  {
    const std::lock_guard lock(hidden().mutex);
    hidden().devices = std::move(others);
  }
  (void)default_device();  // chooses its candidates as it is asked first
  look_for_candidates_later();
}

Device* find_device(const DeviceSpec& spec) {
  if (Device& host = registry().host(); spec == spec_of(host)) {
    const std::lock_guard lock(hidden().mutex);
    return std::ranges::find(hidden().devices, &host) == hidden().devices.end() ? &host : nullptr;
  }
  for (Device* device : visible_devices())
    if (spec_of(*device) == spec) return device;
  return nullptr;
}

Device& device_for(const DeviceSpec& spec) {
  if (Device* device = find_device(spec)) return *device;
  if (!soft_placement()) refuse(cat("/device:", spec.kind, ":", spec.number), "is not there");
  return registry().host();
}

void set_soft_placement(bool on) { soft.store(on, std::memory_order_relaxed); }
bool soft_placement() { return soft.load(std::memory_order_relaxed); }
void set_log_placement(bool on) { logged.store(on, std::memory_order_relaxed); }
bool log_placement() { return logged.load(std::memory_order_relaxed); }

}  // namespace brio
