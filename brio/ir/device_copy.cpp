#include "brio/ir/device_copy.h"

#include <cstring>

#include "brio/base/error.h"

namespace brio {
namespace {
DeviceCopy device_copy = nullptr;
}  // namespace

void set_device_copy(DeviceCopy copy) { device_copy = copy; }

void copy_buffer(const Buffer& to, const Buffer& from, size_t offset, size_t bytes) {
  if (bytes == 0) return;
  if (from.on_host()) return to.memory().copy_from_host(to, static_cast<const char*>(from.data()) + offset, bytes);
  if (to.on_host()) return from.memory().copy_to_host(to.data(), from, offset, bytes);
  BRIO_CHECK(device_copy, "no runtime is linked");
  device_copy(to, from, offset, bytes);
}

}  // namespace brio
