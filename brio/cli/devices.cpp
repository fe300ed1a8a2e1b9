// brio devices [--json]: what Brio can run on, under the names that programs use, and, where there is more than the
// host, what work costs there, measured once per machine; what is missing, and why.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "brio/cli/command.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/devices.h"

namespace brio::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(Device& device, bool with_costs) {
  const DeviceSpec spec = spec_of(device);
  Json json = {{"name", std::string(device.name())},
               {"kind", spec.kind},
               {"number", spec.number},
               {"description", device.description()},
               {"default", &device == &default_device()}};
  if (!with_costs) return json;
  const DeviceCosts costs = costs_of(device);
  json["costs"] = {{"launch_us", costs.launch}, {"flops_per_us", costs.flops}, {"memory_bytes_per_us", costs.memory}};
  if (!device.is_host()) {
    json["costs"]["copy_us"] = costs.copy;
    json["costs"]["bytes_in_per_us"] = costs.in;
    json["costs"]["bytes_out_per_us"] = costs.out;
  }
  return json;
}

void print(Device& device, bool with_costs) {
  const DeviceSpec spec = spec_of(device);
  std::printf("%-10s /device:%s:%d%s%s%s\n", std::string(device.name()).c_str(), spec.kind.c_str(), spec.number,
              device.description().empty() ? "" : "  ", device.description().c_str(),
              &device == &default_device() ? "  (where nothing is said)" : "");
  if (!with_costs) return;
  const DeviceCosts costs = costs_of(device);
  std::printf("           a step %.2f µs, products %.1f GFlop/s, memory %.1f GB/s", costs.launch, costs.flops * 1e-3,
              costs.memory * 1e-3);
  if (!device.is_host())
    std::printf("; a copy %.1f µs, to it %.1f GB/s, from it %.1f GB/s", costs.copy, costs.in * 1e-3,
                costs.out * 1e-3);
  std::printf("\n");
}

}  // namespace

int run_devices(Words words) {
  if (words.size() > 1 || (words.size() == 1 && words[0] != "--json"))
    return misuse("devices", "takes nothing but --json");
  const std::vector<Device*> devices = physical_devices();
  const bool with_costs = devices.size() > 1;
  if (words.empty()) {
    for (Device* device : devices) print(*device, with_costs);
    for (const std::string& why : registry().missing()) std::printf("%s\n", why.c_str());
    return 0;
  }
  Json list = Json::array();
  for (Device* device : devices) list.push_back(to_json(*device, with_costs));
  std::puts(list.dump().c_str());
  return 0;
}

}  // namespace brio::cli
