// The host as a device: memory is host memory, a stream runs each kernel at once.
#include <cstring>

#include "brio/runtime/backend.h"

namespace brio {
namespace {

class HostStream final : public Stream {
 public:
  void launch(const Kernel& kernel, const KernelArgs& args) override { kernel.run(args); }
  void copy_to_host(void* host, const void* device, size_t bytes) override { std::memcpy(host, device, bytes); }
  void copy_to_device(void* device, const void* host, size_t bytes) override { std::memcpy(device, host, bytes); }
  void synchronize() override {}
};

class HostDevice final : public Device {
 public:
  std::string_view name() const override { return "cpu:0"; }
  Memory& memory() override { return host_memory(); }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<HostStream>(); }
  bool synchronous() const override { return true; }
};

}  // namespace

void register_host_device(Registry& registry) { registry.add_device(std::make_unique<HostDevice>()); }

}  // namespace brio
