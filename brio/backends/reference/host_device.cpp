// The host as a device.
#include "brio/runtime/backend.h"

namespace brio {
namespace {

class HostDevice final : public Device {
 public:
  HostDevice() : Device(host_memory()) {}
  std::string_view name() const override { return "cpu:0"; }
};

}  // namespace

void register_host_device(Registry& registry) { registry.add_device(std::make_unique<HostDevice>()); }

}  // namespace brio
