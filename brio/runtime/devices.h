// Devices as users name them and see them: TensorFlow's spellings, which are there, which are visible, and what
// happens to work for one that is not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio {

// "GPU" and 0 of "gpu:0".
struct DeviceSpec {
  std::string kind;
  int number = 0;
  bool operator==(const DeviceSpec&) const = default;
};
DeviceSpec spec_of(const Device& device);
// "/job:localhost/replica:0/task:0/device:GPU:0"; the number is counted among those that are visible.
std::string full_name(const Device& device);

// Reads "gpu", "GPU:0", "/gpu:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0". None: no device is
// named in it ("", "/job:localhost"). Throws InvalidArgument for what is no such name.
std::optional<DeviceSpec> parse_device(std::string_view name);

std::vector<Device*> physical_devices();  // all there are, the host first
std::vector<Device*> visible_devices();
// Those that are not listed are as if they were not there. The host stays usable, but is not listed if it is hidden.
void set_visible_devices(const std::vector<Device*>& devices);

// The visible device of that name; null: there is none.
Device* find_device(const DeviceSpec& spec);
// As a user's word for where to work: one that is not there is the host where placement is soft, otherwise
// InvalidArgument says which there are.
Device& device_for(const DeviceSpec& spec);
void set_soft_placement(bool soft);
bool soft_placement();

// Prints for each plan that is made where its steps run.
void set_log_placement(bool log);
bool log_placement();

}  // namespace brio
