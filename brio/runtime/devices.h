// Devices as users see them: TensorFlow's spellings of names, which devices exist, which are visible, and what
// happens to work for a device that is absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio {

// "GPU" and 0 for "gpu:0".
struct DeviceSpec {
  std::string kind;
  int number = 0;
  bool operator==(const DeviceSpec&) const = default;
};
DeviceSpec spec_of(const Device& device);
// "/job:localhost/replica:0/task:0/device:GPU:0"; the number counts visible devices.
std::string full_name(const Device& device);

// Reads "gpu", "GPU:0", "/gpu:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0". None: the name has
// no device ("", "/job:localhost"). Throws InvalidArgument for an invalid name.
std::optional<DeviceSpec> parse_device(std::string_view name);

std::vector<Device*> physical_devices();  // all devices, the host first
std::vector<Device*> visible_devices();
// Devices that are not listed count as absent. The host stays usable, but is not listed if it is hidden.
void set_visible_devices(const std::vector<Device*>& devices);

// The visible device of that name; null: there is none.
Device* find_device(const DeviceSpec& spec);
// The device that a user asks for. An absent one is the host if placement is soft; otherwise it is an InvalidArgument
// that lists the devices.
Device& device_for(const DeviceSpec& spec);
void set_soft_placement(bool soft);
bool soft_placement();

// Prints, for each new plan, where its steps run.
void set_log_placement(bool log);
bool log_placement();

}  // namespace brio
